#include <errno.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
    uint64_t timestamp;
    uint32_t kind;
    uint32_t payload;
} ring_slot_t;

/* Fixed-size ring of trace records; not thread safe. */
typedef struct {
    ring_slot_t *slots;
    size_t capacity;
    size_t start;
    size_t count;
} ring_t;

void ring_init(ring_t *ring)
{
    memset(ring, 0, sizeof(*ring));
}

void ring_destroy(ring_t *ring)
{
    free(ring->slots);
    ring_init(ring);
}

static inline bool ring_empty(const ring_t *ring)
{
    return ring->count == 0;
}

/* Throws all records away and makes room for `capacity` new ones. */
int ring_resize(ring_t *ring, size_t capacity)
{
    ring_slot_t *slots;

    if (capacity == 0)
        return -EINVAL;
    if (capacity == ring->capacity) {
        ring->start = ring->count = 0;
        return 0;
    }
    free(ring->slots);
    slots = calloc(capacity, sizeof(*slots));
    if (slots == NULL)
        return -ENOMEM;
    ring->slots = slots;
    ring->capacity = capacity;
    ring->start = ring->count = 0;
    return 0;
}

/* Overwrites the oldest record when the ring is full. */
int ring_push(ring_t *ring, ring_slot_t record)
{
    size_t at;

    if (ring->capacity == 0)
        return -ENOSPC;
    at = (ring->start + ring->count) % ring->capacity;
    ring->slots[at] = record;
    if (ring->count < ring->capacity)
        ring->count++;
    else
        ring->start = (ring->start + 1) % ring->capacity;
    return 0;
}

int ring_pop(ring_t *ring, ring_slot_t *record)
{
    if (ring_empty(ring))
        return -EAGAIN;
    *record = ring->slots[ring->start];
    ring->start = (ring->start + 1) % ring->capacity;
    ring->count--;
    return 0;
}
