#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>

#define SPOOL_MAX_PATH 512

struct spool {
    char dir[SPOOL_MAX_PATH];
    unsigned long next_id;
    int keep_finished;
    pthread_mutex_t lock;
};

struct job {
    unsigned long id;
    char path[SPOOL_MAX_PATH + 32];
    size_t bytes;
};

int spool_init(struct spool *sp)
{
    const char *dir = getenv("PRINTQ_SPOOL_DIR");

    if (dir == NULL || *dir == '\0')
        dir = "/var/spool/printq";
    if (strlen(dir) >= sizeof sp->dir)
        return -1;
    strcpy(sp->dir, dir);
    sp->next_id = 1;
    sp->keep_finished = getenv("PRINTQ_KEEP_FINISHED") != NULL;
    return pthread_mutex_init(&sp->lock, NULL);
}

void spool_destroy(struct spool *sp)
{
    pthread_mutex_destroy(&sp->lock);
}

struct job *job_new(struct spool *sp)
{
    struct job *j = calloc(1, sizeof *j);

    if (j == NULL)
        return NULL;
    pthread_mutex_lock(&sp->lock);
    j->id = sp->next_id++;
    pthread_mutex_unlock(&sp->lock);
    snprintf(j->path, sizeof j->path, "%s/job-%06lu", sp->dir, j->id);
    return j;
}

int job_write(struct job *j, const void *buf, size_t len)
{
    FILE *f = fopen(j->path, "ab");

    if (f == NULL)
        return -1;
    if (fwrite(buf, 1, len, f) != len) {
        fclose(f);
        return -1;
    }
    j->bytes += len;
    return fclose(f);
}

int spool_remove(struct spool *sp, unsigned long id)
{
    char path[SPOOL_MAX_PATH + 32];

    if (sp->keep_finished)
        return 0;
    snprintf(path, sizeof path, "%s/job-%06lu", sp->dir, id);
    return remove(path);
}

void job_free(struct job *j)
{
    free(j);
}
