#include <errno.h>
#include <sys/socket.h>

#include "transport.h"

static int send_all(int fd, const char *p, size_t n, int flags)
{
  while (n > 0) {
    ssize_t w = send(fd, p, n, flags | MSG_NOSIGNAL);
    if (w < 0 && errno == EINTR)
      continue;
    if (w < 0)
      return -errno;
    p += w;
    n -= (size_t)w;
  }
  return 0;
}

int plain_send(struct transport *t, const struct message *msg)
{
  const struct chunk *c = msg->body;
  int rc;

  if (msg->head_len == 0)
    return -EINVAL;

  rc = send_all(t->fd, msg->head, msg->head_len, c ? MSG_MORE : 0);
  if (rc < 0)
    return rc;
  t->sent += msg->head_len;

  if (c == NULL)
    goto done;

  do {
    rc = send_all(t->fd, c->data, c->len, c->next ? MSG_MORE : 0);
    if (rc < 0)
      return rc;
    t->sent += c->len;
    c = c->next;
  } while (c != NULL);

done:
  return 0;
}
