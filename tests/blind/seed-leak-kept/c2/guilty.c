/* Shaping cache for the text layout engine: rasterised pages and kerning rows. */

#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#define TX_PAGE_SIDE 256
#define TX_ROWS      256

typedef struct tx_face tx_face;

/* Implemented by the font backend. */
extern int tx_face_kern(const tx_face *face, uint8_t left, uint8_t right);
extern int tx_face_raster(const tx_face *face, uint32_t glyph, uint8_t *dst, size_t stride);

typedef struct tx_page {
    struct tx_page *next;
    uint32_t        glyph;
    uint8_t         pixels[TX_PAGE_SIDE * TX_PAGE_SIDE];
} tx_page;

typedef struct tx_kern_row {
    int16_t *advance;
    int16_t  widest;
} tx_kern_row;

typedef struct tx_cache {
    const tx_face *face;
    tx_page       *pages;
    size_t         page_count;
    tx_kern_row    rows[TX_ROWS];
} tx_cache;

tx_cache *tx_cache_new(const tx_face *face)
{
    tx_cache *cache = calloc(1, sizeof *cache);

    if (cache != NULL)
        cache->face = face;
    return cache;
}

static void tx_cache_drop_pages(tx_cache *cache)
{
    tx_page *page = cache->pages;

    while (page != NULL) {
        tx_page *next = page->next;

        free(page);
        page = next;
    }
    cache->pages = NULL;
    cache->page_count = 0;
}

/* Called for every document that closes; each document has its own cache. */
void tx_cache_free(tx_cache *cache)
{
    if (cache == NULL)
        return;
    tx_cache_drop_pages(cache);
    free(cache);
}

const uint8_t *tx_cache_glyph(tx_cache *cache, uint32_t glyph)
{
    tx_page *page;

    for (page = cache->pages; page != NULL; page = page->next)
        if (page->glyph == glyph)
            return page->pixels;

    page = malloc(sizeof *page);
    if (page == NULL)
        return NULL;
    memset(page->pixels, 0, sizeof page->pixels);
    if (tx_face_raster(cache->face, glyph, page->pixels, TX_PAGE_SIDE) != 0) {
        free(page);
        return NULL;
    }
    page->glyph = glyph;
    page->next = cache->pages;
    cache->pages = page;
    cache->page_count++;
    return page->pixels;
}

static const tx_kern_row *tx_cache_row(tx_cache *cache, uint8_t left)
{
    tx_kern_row *row = &cache->rows[left];
    int right;

    if (row->advance != NULL)
        return row;

    row->advance = malloc(TX_ROWS * sizeof *row->advance);
    if (row->advance == NULL)
        return NULL;
    for (right = 0; right < TX_ROWS; right++) {
        row->advance[right] = (int16_t)tx_face_kern(cache->face, left, (uint8_t)right);
        if (row->advance[right] > row->widest)
            row->widest = row->advance[right];
    }
    return row;
}

long tx_cache_measure(tx_cache *cache, const uint8_t *text, size_t length)
{
    long width = 0;
    size_t i;

    for (i = 0; i + 1 < length; i++) {
        const tx_kern_row *row = tx_cache_row(cache, text[i]);

        if (row == NULL)
            return -1;
        width += row->advance[text[i + 1]];
    }
    return width;
}
