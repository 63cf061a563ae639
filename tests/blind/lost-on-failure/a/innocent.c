#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct wav {
    uint32_t rate;
    uint16_t channels;
    uint32_t frames;
    int16_t *samples;
};

static uint32_t le32(const uint8_t *p) {
    return (uint32_t)p[0] | (uint32_t)p[1] << 8 | (uint32_t)p[2] << 16 | (uint32_t)p[3] << 24;
}

static uint16_t le16(const uint8_t *p) {
    return (uint16_t)(p[0] | p[1] << 8);
}

struct wav *wav_open(const char *path) {
    uint8_t header[44];
    size_t count;
    FILE *file;
    struct wav *wav = calloc(1, sizeof *wav);
    if (wav == NULL) return NULL;

    file = fopen(path, "rb");
    if (file == NULL) goto fail;
    if (fread(header, 1, sizeof header, file) != sizeof header) goto fail_close;
    if (memcmp(header, "RIFF", 4) != 0 || memcmp(header + 8, "WAVE", 4) != 0) goto fail_close;

    wav->channels = le16(header + 22);
    wav->rate = le32(header + 24);
    if (wav->channels == 0 || le16(header + 34) != 16) goto fail_close;
    wav->frames = le32(header + 40) / (2u * wav->channels);
    count = (size_t)wav->frames * wav->channels;

    wav->samples = malloc(count * sizeof *wav->samples + 1);
    if (wav->samples == NULL) goto fail_close;
    if (fread(wav->samples, sizeof *wav->samples, count, file) != count) goto fail_close;
    fclose(file);
    return wav;

fail_close:
    fclose(file);
fail:
    free(wav->samples);
    free(wav);
    return NULL;
}

void wav_close(struct wav *wav) {
    if (wav == NULL) return;
    free(wav->samples);
    free(wav);
}
