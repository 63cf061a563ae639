#include <assert.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#define CLIENT_SLOTS 128

typedef uint32_t window_id;

struct rect {
	int x, y, w, h;
};

struct client {
	struct client *hash_next;
	window_id win;
	struct rect geom;
	unsigned refs;
	bool floating;
};

struct wm {
	struct client *slot[CLIENT_SLOTS];
	unsigned managed;
};

static struct client **slot_of(struct wm *wm, window_id win)
{
	return &wm->slot[(win * 2654435761u) >> 25];
}

struct client *wm_find(struct wm *wm, window_id win)
{
	struct client *c;

	for (c = *slot_of(wm, win); c != NULL; c = c->hash_next)
		if (c->win == win)
			return c;
	return NULL;
}

static void table_insert(struct wm *wm, struct client *c)
{
	struct client **head = slot_of(wm, c->win);

	assert(wm_find(wm, c->win) == NULL);
	c->hash_next = *head;
	*head = c;
	wm->managed++;
}

static void table_remove(struct wm *wm, window_id win)
{
	struct client **pp;

	for (pp = slot_of(wm, win); *pp != NULL; pp = &(*pp)->hash_next)
		if ((*pp)->win == win) {
			*pp = (*pp)->hash_next;
			wm->managed--;
			return;
		}
}

/* Called for map requests and for each window that a panel asks about. */
struct client *client_acquire(struct wm *wm, window_id win, struct rect geom)
{
	struct client *c = calloc(1, sizeof *c);

	if (c == NULL)
		return NULL;
	c->win = win;
	c->geom = geom;
	c->refs = 1;
	table_insert(wm, c);
	return c;
}

void client_release(struct wm *wm, struct client *c)
{
	if (--c->refs > 0)
		return;
	table_remove(wm, c->win);
	free(c);
}

void wm_configure(struct wm *wm, window_id win, struct rect geom)
{
	struct client *c = wm_find(wm, win);

	if (c != NULL && c->floating)
		c->geom = geom;
}

void client_float(struct client *c, bool on)
{
	c->floating = on;
}
