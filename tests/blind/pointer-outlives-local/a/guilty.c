#include <stdio.h>
#include <string.h>

enum column_type { COLUMN_NULL, COLUMN_INT, COLUMN_REAL, COLUMN_TEXT };

struct column {
    enum column_type type;
    long long integer;
    double real;
    const char *text;
};

typedef int (*bind_sink)(void *user, int position, const char *value);

static int format_real(char *out, size_t size, double real) {
    const int n = snprintf(out, size, "%.17g", real);
    return n < 0 || (size_t)n >= size ? -1 : n;
}

int statement_bind_all(const struct column *columns, int count, bind_sink sink, void *user) {
    for (int i = 0; i < count; ++i) {
        const char *value = NULL;
        switch (columns[i].type) {
            case COLUMN_NULL:
                value = "NULL";
                break;
            case COLUMN_TEXT:
                value = columns[i].text ? columns[i].text : "";
                break;
            case COLUMN_INT: {
                char scratch[64];
                snprintf(scratch, sizeof scratch, "%lld", columns[i].integer);
                value = scratch;
                break;
            }
            case COLUMN_REAL:
                break;
        }
        char number[48];
        if (value == NULL) {
            if (format_real(number, sizeof number, columns[i].real) < 0) return -1;
            value = number;
        }
        const int rc = sink(user, i + 1, value);
        if (rc != 0) return rc;
    }
    return 0;
}
