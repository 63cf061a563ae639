#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct sink {
    const struct sink_ops *ops;
    FILE *handle;
    char peer[64];
};

struct sink_ops {
    const char *name;
    int (*set_volume)(struct sink *sink, int percent);
    void (*close)(struct sink *sink);
};

static void common_close(struct sink *sink) {
    if (sink->handle != NULL) fclose(sink->handle);
    sink->handle = NULL;
}

static int local_set_volume(struct sink *sink, int percent) {
    if (sink->handle == NULL) return -EBADF;
    if (percent < 0 || percent > 100) return -EINVAL;
    if (fprintf(sink->handle, "%d\n", percent) < 0) return -EIO;
    return fflush(sink->handle) == 0 ? 0 : -EIO;
}

static int net_set_volume(struct sink *sink, int percent) {
    char line[128];
    if (sink->handle == NULL) return -EBADF;
    if (percent < 0 || percent > 100) return -EINVAL;
    snprintf(line, sizeof line, "volume %s %d\n", sink->peer, percent);
    if (fputs(line, sink->handle) == EOF) return -EIO;
    return fflush(sink->handle) == 0 ? 0 : -EIO;
}

static const struct sink_ops local_ops = {"local", local_set_volume, common_close};
static const struct sink_ops net_ops = {"net", net_set_volume, common_close};

struct sink *sink_new(const char *kind, FILE *handle, const char *peer) {
    struct sink *sink = calloc(1, sizeof *sink);
    if (sink == NULL) return NULL;
    sink->ops = strcmp(kind, "net") == 0 ? &net_ops : &local_ops;
    sink->handle = handle;
    snprintf(sink->peer, sizeof sink->peer, "%s", peer ? peer : "");
    return sink;
}

int sink_mute(struct sink *sink) {
    return sink->ops->set_volume(sink, 0);
}

void sink_disconnect(struct sink *sink) {
    sink->ops->close(sink);
}

void sink_free(struct sink *sink) {
    if (sink == NULL) return;
    sink->ops->close(sink);
    free(sink);
}
