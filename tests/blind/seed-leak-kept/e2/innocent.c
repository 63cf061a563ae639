#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#define PH_BUCKETS 256

/* Chunked allocator: everything goes back at once. */
struct chunk {
	struct chunk *next;
	size_t used;
	unsigned char data[8192];
};

struct arena {
	struct chunk *head;
};

struct phrase {
	struct phrase *next;
	uint32_t hash;
	char *text;
	unsigned hits;
};

struct phrasebook {
	struct phrase *bucket[PH_BUCKETS];
	struct arena scratch;
	size_t count;
};

static void *arena_take(struct arena *a, size_t n)
{
	void *p;

	n = (n + 15) & ~(size_t)15;
	if (n > sizeof a->head->data)
		return NULL;
	if (!a->head || a->head->used + n > sizeof a->head->data) {
		struct chunk *c = malloc(sizeof *c);
		if (!c)
			return NULL;
		c->next = a->head;
		c->used = 0;
		a->head = c;
	}
	p = a->head->data + a->head->used;
	a->head->used += n;
	return p;
}

static void arena_drop(struct arena *a)
{
	while (a->head) {
		struct chunk *c = a->head;
		a->head = c->next;
		free(c);
	}
}

static uint32_t fnv1a(const char *s)
{
	uint32_t h = 2166136261u;

	for (; *s; s++)
		h = (h ^ (unsigned char)*s) * 16777619u;
	return h;
}

struct phrasebook *phrasebook_open(void)
{
	return calloc(1, sizeof(struct phrasebook));
}

struct phrase *phrasebook_add(struct phrasebook *pb, const char *text)
{
	uint32_t h = fnv1a(text);
	size_t len = strlen(text) + 1;
	struct phrase *p;

	for (p = pb->bucket[h % PH_BUCKETS]; p; p = p->next)
		if (p->hash == h && !strcmp(p->text, text)) {
			p->hits++;
			return p;
		}
	p = arena_take(&pb->scratch, sizeof *p + len);
	if (!p)
		return NULL;
	p->text = (char *)(p + 1);
	memcpy(p->text, text, len);
	p->hash = h;
	p->hits = 1;
	p->next = pb->bucket[h % PH_BUCKETS];
	pb->bucket[h % PH_BUCKETS] = p;
	pb->count++;
	return p;
}

char *phrasebook_scratch(struct phrasebook *pb, size_t n)
{
	return arena_take(&pb->scratch, n);
}

void phrasebook_close(struct phrasebook *pb)
{
	if (!pb)
		return;
	arena_drop(&pb->scratch);
	free(pb);
}
