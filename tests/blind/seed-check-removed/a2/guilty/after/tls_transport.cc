#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "transport.h"

/* Provided by the TLS library's glue. */
int tls_write_record(void *session, const char *data, size_t len);

#define RECORD_MAX 16384

int tls_send(struct transport *t, const struct message *msg)
{
  const struct chunk *c = msg->body;
  int rc;

  /* Coalesce headers and body into full records. */
  size_t used = msg->head_len;
  char *record = NULL;

  record = (char *)malloc(RECORD_MAX);
  if (record == NULL)
    return -ENOMEM;
  memcpy(record, msg->head, msg->head_len);

  do {
    if (used + c->len > RECORD_MAX) {
      rc = tls_write_record(t->session, record, used);
      if (rc < 0)
        goto out;
      t->sent += used;
      used = 0;
    }
    memcpy(record + used, c->data, c->len);
    used += c->len;
    c = c->next;
  } while (c != NULL);

  rc = tls_write_record(t->session, record, used);
  if (rc < 0)
    goto out;
  t->sent += used;
  rc = 0;
out:
  free(record);
  return rc;
}
