/* Wire format shared by the transports. */
#ifndef TRANSPORT_H
#define TRANSPORT_H

#include <stddef.h>

struct chunk {
  struct chunk *next;
  size_t len;
  char data[4096];
};

struct message {
  int status;
  char head[1024];
  size_t head_len;   /* 0 until the headers have been rendered */
  struct chunk *body; /* NULL for responses like 204 and 304 */
};

struct transport {
  int fd;
  void *session;
  unsigned long long sent;
};

int plain_send(struct transport *t, const struct message *msg);
int tls_send(struct transport *t, const struct message *msg);

#endif
