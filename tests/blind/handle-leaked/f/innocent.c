#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define PROFILE_VERSION 3
#define LINE_MAX_LEN 512

typedef struct profile_entry {
    char symbol[128];
    unsigned long samples;
    struct profile_entry *next;
} profile_entry_t;

typedef struct {
    profile_entry_t *head;
    size_t count;
} profile_t;

void profile_clear(profile_t *profile)
{
    while (profile->head != NULL) {
        profile_entry_t *entry = profile->head;
        profile->head = entry->next;
        free(entry);
    }
    profile->count = 0;
}

static int profile_add(profile_t *profile, const char *symbol,
                       unsigned long samples)
{
    profile_entry_t *entry = calloc(1, sizeof(*entry));

    if (entry == NULL)
        return -ENOMEM;
    snprintf(entry->symbol, sizeof(entry->symbol), "%s", symbol);
    entry->samples = samples;
    entry->next = profile->head;
    profile->head = entry;
    profile->count++;
    return 0;
}

/* Reads the "profile <version>" line; the version, or negative errno. */
static int read_version(FILE *in)
{
    char line[LINE_MAX_LEN];
    int version;

    if (fgets(line, sizeof(line), in) == NULL)
        return -EIO;
    if (sscanf(line, "profile %d", &version) != 1 || version <= 0)
        return -EINVAL;
    return version;
}

int profile_load(const char *path, profile_t *profile)
{
    char line[LINE_MAX_LEN], symbol[128];
    unsigned long samples;
    int version, rc = 0;
    FILE *in = fopen(path, "r");

    if (in == NULL)
        return -errno;
    version = read_version(in);
    if (version < 0) {
        rc = version;
        goto out;
    }
    if (version > PROFILE_VERSION) {
        rc = -ENOTSUP;
        goto out;
    }
    while (fgets(line, sizeof(line), in) != NULL) {
        if (sscanf(line, "%127s %lu", symbol, &samples) != 2) {
            rc = -EINVAL;
            break;
        }
        rc = profile_add(profile, symbol, samples);
        if (rc < 0)
            break;
    }
    if (rc == 0 && ferror(in))
        rc = -EIO;
    if (rc < 0)
        profile_clear(profile);
out:
    fclose(in);
    return rc;
}
