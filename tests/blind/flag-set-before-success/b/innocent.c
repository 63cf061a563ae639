#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/types.h>

enum replica_state { REPLICA_IDLE, REPLICA_CONNECTED, REPLICA_JOINED };

struct replica {
    int socket;
    enum replica_state state;
    unsigned term;
};

static int send_line(int fd, const char *line) {
    size_t left = strlen(line);
    while (left > 0) {
        const ssize_t n = send(fd, line, left, MSG_NOSIGNAL);
        if (n < 0) {
            if (errno == EINTR) continue;
            return -errno;
        }
        line += n;
        left -= (size_t)n;
    }
    return 0;
}

static int handshake(struct replica *replica) {
    char line[64];
    char answer = 0;
    snprintf(line, sizeof line, "JOIN %u\n", replica->term);
    const int rc = send_line(replica->socket, line);
    if (rc < 0) return rc;
    if (recv(replica->socket, &answer, 1, MSG_WAITALL) != 1) return -EPIPE;
    return answer == '+' ? 0 : -EAGAIN;
}

int replica_join(struct replica *replica) {
    if (replica->state == REPLICA_JOINED) return 0;
    if (replica->state != REPLICA_CONNECTED) return -ENOTCONN;
    const int rc = handshake(replica);
    if (rc == 0) replica->state = REPLICA_JOINED;
    return rc;
}

int replica_append(struct replica *replica, const char *entry) {
    const int rc = replica_join(replica);
    if (rc < 0) return rc;
    return send_line(replica->socket, entry);
}
