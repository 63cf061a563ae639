#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

typedef struct route_s {
    uint32_t prefix;
    uint8_t  bits;
    uint16_t port;
} route_t;

typedef struct table_s {
    route_t *rows;
    size_t   used;
    size_t   room;
} table_t;

/* One per forwarding thread. */
typedef struct lane_s {
    pthread_t      tid;
    const table_t *routes;
    uint64_t       forwarded;
    bool (*next_packet)(void *arg, uint32_t *dst);
    void (*emit)(void *arg, uint16_t port);
    void *arg;
} lane_t;

typedef struct router_s {
    pthread_mutex_t table_lock;     /* for adding routes */
    table_t         table;
    bool            table_frozen;   /* set by the first lane, never cleared */
    lane_t          lane[4];
    int             lanes;
} router_t;

void router_setup(router_t *r)
{
    memset(r, 0, sizeof *r);
    pthread_mutex_init(&r->table_lock, NULL);
}

int router_add_route(router_t *r, uint32_t prefix, uint8_t bits, uint16_t port)
{
    int rc = -1;
    pthread_mutex_lock(&r->table_lock);
    if (r->table_frozen)
        goto out;
    if (r->table.used == r->table.room) {
        size_t room = r->table.room ? r->table.room * 2 : 16;
        route_t *rows = realloc(r->table.rows, room * sizeof *rows);
        if (rows == NULL)
            goto out;
        r->table.rows = rows;
        r->table.room = room;
    }
    r->table.rows[r->table.used++] = (route_t){ prefix, bits, port };
    rc = 0;
out:
    pthread_mutex_unlock(&r->table_lock);
    return rc;
}

static bool match(const route_t *row, uint32_t dst)
{
    uint32_t mask = row->bits ? ~0u << (32 - row->bits) : 0;
    return (dst & mask) == (row->prefix & mask);
}

static void *lane_main(void *p)
{
    lane_t *l = p;
    uint32_t dst;
    while (l->next_packet(l->arg, &dst)) {
        const route_t *best = NULL;
        for (size_t i = 0; i < l->routes->used; i++) {
            const route_t *row = &l->routes->rows[i];
            if (match(row, dst) && (best == NULL || row->bits > best->bits))
                best = row;
        }
        if (best != NULL) {
            l->emit(l->arg, best->port);
            l->forwarded++;
        }
    }
    return NULL;
}

int router_start_lane(router_t *r, bool (*next)(void *, uint32_t *),
                      void (*emit)(void *, uint16_t), void *arg)
{
    lane_t *l;
    if (r->lanes == 4)
        return -1;
    l = &r->lane[r->lanes];
    pthread_mutex_lock(&r->table_lock);
    r->table_frozen = true;
    pthread_mutex_unlock(&r->table_lock);
    l->routes = &r->table;
    l->next_packet = next;
    l->emit = emit;
    l->arg = arg;
    if (pthread_create(&l->tid, NULL, lane_main, l) != 0)
        return -1;
    r->lanes++;
    return 0;
}

void router_join(router_t *r)
{
    for (int i = 0; i < r->lanes; i++)
        pthread_join(r->lane[i].tid, NULL);
    free(r->table.rows);
    pthread_mutex_destroy(&r->table_lock);
}
