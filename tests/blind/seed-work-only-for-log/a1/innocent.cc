/* Market data feed: sequence checking of UDP packets, one thread a channel. */
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#define FEED_BUCKETS 32

struct feed_packet {
  uint64_t seq;
  uint64_t rx_ns;
  uint32_t len;
  const uint8_t *payload;
};

struct feed_channel {
  const char *name;
  uint64_t next_seq;
  uint64_t lost;
  void (*deliver)(void *ctx, const uint8_t *payload, uint32_t len);
  void *ctx;
};

int feed_debug_level = 0;

static pthread_mutex_t dbg_lock = PTHREAD_MUTEX_INITIALIZER;
static uint64_t dbg_latency[FEED_BUCKETS];

static uint64_t now_ns(void) {
  struct timespec ts;
  clock_gettime(CLOCK_REALTIME, &ts);
  return (uint64_t)ts.tv_sec * 1000000000u + (uint64_t)ts.tv_nsec;
}

static void note_latency(uint64_t ns) {
  int bucket = 0;
  while (ns > 1 && bucket < FEED_BUCKETS - 1) {
    ns >>= 1;
    ++bucket;
  }
  pthread_mutex_lock(&dbg_lock);
  ++dbg_latency[bucket];
  pthread_mutex_unlock(&dbg_lock);
}

/* Called by the housekeeping thread once a minute. */
void feed_dump_latency(FILE *out) {
  uint64_t copy[FEED_BUCKETS];

  if (feed_debug_level < 3)
    return;
  pthread_mutex_lock(&dbg_lock);
  memcpy(copy, dbg_latency, sizeof copy);
  memset(dbg_latency, 0, sizeof dbg_latency);
  pthread_mutex_unlock(&dbg_lock);
  for (int i = 0; i < FEED_BUCKETS; ++i) {
    if (copy[i])
      fprintf(out, "< 2^%02d ns: %llu\n", i + 1, (unsigned long long)copy[i]);
  }
}

/* 0: delivered, 1: a duplicate or late packet, dropped. */
int feed_on_packet(struct feed_channel *ch, const struct feed_packet *p) {
  if (p->seq < ch->next_seq)
    return 1;
  if (p->seq > ch->next_seq) {
    const uint64_t gap = p->seq - ch->next_seq;
    ch->lost += gap;
    fprintf(stderr, "%s: gap of %llu\n", ch->name, (unsigned long long)gap);
  }
  ch->next_seq = p->seq + 1;
  ch->deliver(ch->ctx, p->payload, p->len);

  if (feed_debug_level >= 3)
    note_latency(now_ns() - p->rx_ns);
  return 0;
}
