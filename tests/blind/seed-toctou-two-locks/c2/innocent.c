/* Sprite atlas: file name -> GPU texture, shared by the loader threads. */

#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#define ATLAS_BUCKETS 128

/* gpu.c; both may be called from any thread. */
extern uint32_t gpu_upload_file(const char *path); /* 0 on failure */
extern void gpu_delete(uint32_t texture);

struct atlas_entry {
	struct atlas_entry *next;
	uint32_t texture;
	char path[];
};

struct atlas {
	pthread_mutex_t lock;
	struct atlas_entry *buckets[ATLAS_BUCKETS];
	size_t used;
	size_t budget;
};

static unsigned atlas_hash(const char *s)
{
	uint32_t h = 2166136261u;

	while (*s)
		h = (h ^ (uint8_t)*s++) * 16777619u;
	return h % ATLAS_BUCKETS;
}

static struct atlas_entry *atlas_find_locked(struct atlas *a, const char *path)
{
	struct atlas_entry *e;

	for (e = a->buckets[atlas_hash(path)]; e != NULL; e = e->next)
		if (strcmp(e->path, path) == 0)
			return e;
	return NULL;
}

int atlas_init(struct atlas *a, size_t budget)
{
	memset(a, 0, sizeof(*a));
	a->budget = budget;
	return pthread_mutex_init(&a->lock, NULL);
}

static uint32_t atlas_lookup(struct atlas *a, const char *path)
{
	struct atlas_entry *e;
	uint32_t texture = 0;

	pthread_mutex_lock(&a->lock);
	e = atlas_find_locked(a, path);
	if (e != NULL)
		texture = e->texture;
	pthread_mutex_unlock(&a->lock);
	return texture;
}

static struct atlas_entry *atlas_add_locked(struct atlas *a, const char *path)
{
	size_t len = strlen(path) + 1;
	unsigned b = atlas_hash(path);
	struct atlas_entry *e = malloc(sizeof(*e) + len);

	if (e == NULL)
		return NULL;
	memcpy(e->path, path, len);
	e->texture = 0;
	e->next = a->buckets[b];
	a->buckets[b] = e;
	a->used++;
	return e;
}

/* Takes over the texture; returns the one to draw with, 0 when out of room. */
static uint32_t atlas_store(struct atlas *a, const char *path, uint32_t texture)
{
	struct atlas_entry *e;
	uint32_t kept = 0;

	pthread_mutex_lock(&a->lock);
	e = atlas_find_locked(a, path);
	if (e == NULL && a->used < a->budget)
		e = atlas_add_locked(a, path);
	if (e != NULL) {
		if (e->texture == 0)
			e->texture = texture;
		kept = e->texture;
	}
	pthread_mutex_unlock(&a->lock);

	if (kept != texture)
		gpu_delete(texture);
	return kept;
}

uint32_t atlas_texture(struct atlas *a, const char *path)
{
	uint32_t texture = atlas_lookup(a, path);

	if (texture != 0)
		return texture;
	texture = gpu_upload_file(path);
	if (texture == 0)
		return 0;
	return atlas_store(a, path, texture);
}

/* Called when the level is left, after the loader threads were joined. */
void atlas_destroy(struct atlas *a)
{
	size_t b;

	for (b = 0; b < ATLAS_BUCKETS; b++) {
		struct atlas_entry *e = a->buckets[b];

		while (e != NULL) {
			struct atlas_entry *next = e->next;

			gpu_delete(e->texture);
			free(e);
			e = next;
		}
	}
	pthread_mutex_destroy(&a->lock);
	memset(a, 0, sizeof(*a));
}
