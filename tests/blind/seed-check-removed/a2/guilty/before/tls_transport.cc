#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "transport.h"

/* Provided by the TLS library's glue. */
int tls_write_record(void *session, const char *data, size_t len);

int tls_send(struct transport *t, const struct message *msg)
{
  const struct chunk *c = msg->body;
  int rc;

  if (msg->head_len == 0)
    return -EINVAL;

  rc = tls_write_record(t->session, msg->head, msg->head_len);
  if (rc < 0)
    return rc;
  t->sent += msg->head_len;

  if (c == NULL)
    goto done;

  do {
    rc = tls_write_record(t->session, c->data, c->len);
    if (rc < 0)
      return rc;
    t->sent += c->len;
    c = c->next;
  } while (c != NULL);

done:
  return 0;
}
