#include <ctype.h>
#include <stdio.h>
#include <string.h>

static char *trim(char *text) {
    char *end;
    while (isspace((unsigned char)*text)) ++text;
    end = text + strlen(text);
    while (end > text && isspace((unsigned char)end[-1])) --end;
    *end = '\0';
    return text;
}

/* 1 when found, 0 when absent, -1 when the file cannot be read or is malformed */
int config_value(const char *path, const char *key, char *out, size_t room) {
    char line[512];
    int found = 0;
    FILE *file = fopen(path, "r");
    if (file == NULL) return -1;

    while (!found && fgets(line, sizeof line, file) != NULL) {
        char *text = trim(line);
        char *equals;
        if (*text == '\0' || *text == '#') continue;
        equals = strchr(text, '=');
        if (equals == NULL) {
            fprintf(stderr, "%s: no value: %s\n", path, text);
            fclose(file);
            return -1;
        }
        *equals = '\0';
        if (strcmp(trim(text), key) == 0) {
            snprintf(out, room, "%s", trim(equals + 1));
            found = 1;
        }
    }
    if (ferror(file)) found = -1;
    fclose(file);
    return found;
}

int main(int argc, char **argv) {
    char value[256];
    int status = 0;
    if (argc < 3) {
        fprintf(stderr, "usage: %s file key...\n", argv[0]);
        return 2;
    }
    for (int i = 2; i < argc; ++i) {
        if (config_value(argv[1], argv[i], value, sizeof value) == 1) {
            printf("%s\n", value);
        } else {
            status = 1;
        }
    }
    return status;
}
