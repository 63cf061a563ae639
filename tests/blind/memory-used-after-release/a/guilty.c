#include <stdint.h>
#include <stdlib.h>
#include <string.h>

struct dns_entry {
    char *host;
    uint32_t address;
    int64_t expires;
    struct dns_entry *next;
};

struct dns_cache {
    struct dns_entry *first;
    size_t count;
};

int cache_add(struct dns_cache *cache, const char *host, uint32_t address, int64_t expires) {
    struct dns_entry *entry = malloc(sizeof *entry);
    if (entry == NULL) return -1;
    entry->host = strdup(host);
    if (entry->host == NULL) {
        free(entry);
        return -1;
    }
    entry->address = address;
    entry->expires = expires;
    entry->next = cache->first;
    cache->first = entry;
    cache->count++;
    return 0;
}

const struct dns_entry *cache_find(const struct dns_cache *cache, const char *host) {
    const struct dns_entry *entry;
    for (entry = cache->first; entry != NULL; entry = entry->next) {
        if (strcmp(entry->host, host) == 0) return entry;
    }
    return NULL;
}

size_t cache_expire(struct dns_cache *cache, int64_t now) {
    struct dns_entry **link = &cache->first;
    size_t dropped = 0;
    while (*link != NULL) {
        struct dns_entry *entry = *link;
        if (entry->expires <= now) {
            *link = entry->next;
            free(entry->host);
            free(entry);
            cache->count--;
            dropped++;
        }
        link = &entry->next;
    }
    return dropped;
}
