/* Counts the cues in a set of compressed subtitle files. */
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <zlib.h>

#define LINE_MAX_LEN 1024

typedef struct {
    size_t files;
    size_t cues;
    size_t skipped;
} subs_total_t;

static int
is_cue(const char *line)
{
    return strstr(line, " --> ") != NULL;
}

static int
first_line(gzFile in, char *line, int size)
{
    while (gzgets(in, line, size) != NULL) {
        if (line[0] != '\n' && line[0] != '\r')
            return 1;
    }
    return 0;
}

int
subs_count_cues(const char *const *paths, size_t n, subs_total_t *total)
{
    char line[LINE_MAX_LEN];

    memset(total, 0, sizeof(*total));
    for (size_t i = 0; i < n; ++i) {
        gzFile in = gzopen(paths[i], "rb");
        if (in == NULL) {
            fprintf(stderr, "%s: cannot open\n", paths[i]);
            return -1;
        }
        if (!first_line(in, line, sizeof(line))) {
            total->skipped++;
            gzclose(in);
            continue;
        }
        if (strncmp(line, "WEBVTT", 6) != 0)
            continue;

        total->files++;
        while (gzgets(in, line, sizeof(line)) != NULL) {
            if (is_cue(line))
                total->cues++;
        }
        if (gzclose(in) != Z_OK) {
            fprintf(stderr, "%s: truncated\n", paths[i]);
            return -1;
        }
    }
    return 0;
}
