#include <stdlib.h>
#include <string.h>
#include <strings.h>

struct field {
    char *name;
    char *value;
};

struct headers {
    struct field *fields;
    size_t count;
    size_t room;
};

static struct field *find(struct headers *h, const char *name) {
    for (size_t i = 0; i < h->count; ++i) {
        if (strcasecmp(h->fields[i].name, name) == 0) return &h->fields[i];
    }
    return NULL;
}

static int assign(struct field *field, const char *value) {
    char *copy = strdup(value);
    if (copy == NULL) return -1;
    field->value = copy;
    return 0;
}

static struct field *append(struct headers *h, const char *name) {
    if (h->count == h->room) {
        const size_t room = h->room ? h->room * 2 : 8;
        struct field *grown = realloc(h->fields, room * sizeof *grown);
        if (grown == NULL) return NULL;
        h->fields = grown;
        h->room = room;
    }
    struct field *field = &h->fields[h->count];
    field->value = NULL;
    field->name = strdup(name);
    if (field->name == NULL) return NULL;
    h->count++;
    return field;
}

int headers_set(struct headers *h, const char *name, const char *value) {
    struct field *field = find(h, name);
    if (field == NULL) field = append(h, name);
    if (field == NULL) return -1;
    return assign(field, value);
}

void headers_clear(struct headers *h) {
    for (size_t i = 0; i < h->count; ++i) {
        free(h->fields[i].name);
        free(h->fields[i].value);
    }
    free(h->fields);
    memset(h, 0, sizeof *h);
}
