#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

struct queue {
    int fd;
    char temporary[256];
    char final[256];
};

static int queue_write(struct queue *queue, const char *bytes, size_t size) {
    while (size > 0) {
        const ssize_t n = write(queue->fd, bytes, size);
        if (n < 0) {
            if (errno == EINTR) continue;
            return -errno;
        }
        bytes += n;
        size -= (size_t)n;
    }
    return 0;
}

static int queue_sync(struct queue *queue) {
    if (fsync(queue->fd) != 0) return -errno;
    return 0;
}

static int queue_publish(struct queue *queue) {
    return rename(queue->temporary, queue->final) == 0 ? 0 : -errno;
}

int spool_commit(struct queue *queue, const char *message) {
    char trailer[32];
    const size_t size = strlen(message);
    int rc = queue_write(queue, message, size);
    if (rc == 0) {
        const int length = snprintf(trailer, sizeof trailer, "\n#%zu\n", size);
        rc = queue_write(queue, trailer, (size_t)length);
    }
    if (rc != 0) return rc;

    rc = queue_sync(queue);
    if (rc != 0) return rc;
    return queue_publish(queue);
}
