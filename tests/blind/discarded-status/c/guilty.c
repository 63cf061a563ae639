/* Museum loans: which object went to which house. */
#include <sqlite3.h>
#include <stddef.h>

typedef struct {
    sqlite3_int64 object_id;
    const char *borrower;
    int days;
} loan_t;

#define SQL(db, text) sqlite3_exec((db), (text), NULL, NULL, NULL)

static int
insert_loan(sqlite3_stmt *stmt, const loan_t *loan)
{
    int rc = sqlite3_bind_int64(stmt, 1, loan->object_id);
    if (rc == SQLITE_OK)
        rc = sqlite3_bind_text(stmt, 2, loan->borrower, -1, SQLITE_STATIC);
    if (rc == SQLITE_OK)
        rc = sqlite3_bind_int(stmt, 3, loan->days);
    if (rc != SQLITE_OK)
        return rc;
    rc = sqlite3_step(stmt);
    if (rc != SQLITE_DONE) {
        (void)sqlite3_reset(stmt);
        return rc;
    }
    return sqlite3_reset(stmt);
}

/* Records all loans, or none; returns SQLITE_OK or the error. */
int
loans_record(sqlite3 *db, const loan_t *loans, size_t count)
{
    static const char text[] =
        "INSERT INTO loan (object_id, borrower, days) VALUES (?1, ?2, ?3)";
    sqlite3_stmt *stmt = NULL;
    int rc = SQL(db, "BEGIN IMMEDIATE");
    if (rc != SQLITE_OK)
        return rc;

    rc = sqlite3_prepare_v2(db, text, -1, &stmt, NULL);
    for (size_t i = 0; rc == SQLITE_OK && i < count; ++i)
        rc = insert_loan(stmt, &loans[i]);
    (void)sqlite3_finalize(stmt); /* repeats the error of the last step */

    if (rc != SQLITE_OK) {
        (void)SQL(db, "ROLLBACK");
        return rc;
    }
    SQL(db, "COMMIT");
    return SQLITE_OK;
}

int
loans_schema(sqlite3 *db)
{
    return SQL(db, "CREATE TABLE IF NOT EXISTS loan ("
                   " object_id INTEGER NOT NULL,"
                   " borrower TEXT NOT NULL,"
                   " days INTEGER NOT NULL)");
}
