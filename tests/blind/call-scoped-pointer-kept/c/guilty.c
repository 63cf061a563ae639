#include <sqlite3.h>
#include <string.h>

/* longest_title(title, pages): the title of the thickest book of a group. */

typedef struct {
    const char *title;
    int bytes;
    sqlite3_int64 pages;
    int rows;
} ShelfState;

static void
shelf_consider(ShelfState *shelf, sqlite3_value *title, sqlite3_int64 pages)
{
    shelf->rows++;
    if (shelf->title != NULL && pages <= shelf->pages)
        return;
    const unsigned char *text = sqlite3_value_text(title);
    if (text == NULL)
        return;
    shelf->title = (const char *)text;
    shelf->bytes = sqlite3_value_bytes(title);
    shelf->pages = pages;
}

static void
shelf_step(sqlite3_context *ctx, int argc, sqlite3_value **argv)
{
    (void)argc;
    ShelfState *shelf = sqlite3_aggregate_context(ctx, sizeof(*shelf));
    if (shelf == NULL) {
        sqlite3_result_error_nomem(ctx);
        return;
    }
    if (sqlite3_value_type(argv[1]) == SQLITE_NULL)
        return;
    shelf_consider(shelf, argv[0], sqlite3_value_int64(argv[1]));
}

static void
shelf_final(sqlite3_context *ctx)
{
    ShelfState *shelf = sqlite3_aggregate_context(ctx, 0);
    if (shelf == NULL || shelf->title == NULL) {
        sqlite3_result_null(ctx);
        return;
    }
    sqlite3_result_text(ctx, shelf->title, shelf->bytes, SQLITE_TRANSIENT);
}

int
library_register_functions(sqlite3 *db)
{
    return sqlite3_create_function_v2(db, "longest_title", 2,
                                      SQLITE_UTF8 | SQLITE_DETERMINISTIC, NULL,
                                      NULL, shelf_step, shelf_final, NULL);
}
