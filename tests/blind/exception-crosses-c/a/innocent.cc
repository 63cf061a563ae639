#include <sqlite3.h>

#include <memory>
#include <regex>
#include <stdexcept>
#include <string>
#include <vector>

namespace notes {

namespace {

std::string text_of(sqlite3_value *value)
{
    const auto *text = reinterpret_cast<const char *>(sqlite3_value_text(value));
    return text ? std::string(text, sqlite3_value_bytes(value)) : std::string();
}

// X REGEXP Y is regexp(Y, X)
void regexp_match(sqlite3_context *ctx, int argc, sqlite3_value **argv)
{
    if (argc != 2 || sqlite3_value_type(argv[0]) == SQLITE_NULL || sqlite3_value_type(argv[1]) == SQLITE_NULL) {
        sqlite3_result_null(ctx);
        return;
    }
    try {
        std::regex pattern(text_of(argv[0]), std::regex::ECMAScript | std::regex::icase);
        const bool found = std::regex_search(text_of(argv[1]), pattern);
        sqlite3_result_int(ctx, found ? 1 : 0);
    } catch (const std::exception &e) {
        sqlite3_result_error(ctx, e.what(), -1);
    }
}

struct Close {
    void operator()(sqlite3 *db) const { sqlite3_close(db); }
    void operator()(sqlite3_stmt *stmt) const { sqlite3_finalize(stmt); }
};

} // namespace

using Db = std::unique_ptr<sqlite3, Close>;

Db open(const std::string &path)
{
    sqlite3 *raw = nullptr;
    const int rc = sqlite3_open(path.c_str(), &raw);
    Db db(raw);
    if (rc != SQLITE_OK)
        throw std::runtime_error("cannot open " + path);
    sqlite3_create_function_v2(db.get(), "regexp", 2, SQLITE_UTF8 | SQLITE_DETERMINISTIC, nullptr, regexp_match,
                               nullptr, nullptr, nullptr);
    return db;
}

static std::string column_text(sqlite3_stmt *stmt, int col)
{
    const auto *text = reinterpret_cast<const char *>(sqlite3_column_text(stmt, col));
    return text ? std::string(text, sqlite3_column_bytes(stmt, col)) : std::string();
}

std::vector<std::string> search(sqlite3 *db, const std::string &pattern)
{
    sqlite3_stmt *raw = nullptr;
    if (sqlite3_prepare_v2(db, "SELECT title FROM note WHERE body REGEXP ?1", -1, &raw, nullptr) != SQLITE_OK)
        throw std::runtime_error(sqlite3_errmsg(db));
    std::unique_ptr<sqlite3_stmt, Close> stmt(raw);
    sqlite3_bind_text(stmt.get(), 1, pattern.c_str(), -1, SQLITE_TRANSIENT);
    std::vector<std::string> titles;
    int rc;
    while ((rc = sqlite3_step(stmt.get())) == SQLITE_ROW)
        titles.emplace_back(column_text(stmt.get(), 0));
    if (rc != SQLITE_DONE)
        throw std::runtime_error(sqlite3_errmsg(db));
    return titles;
}

} // namespace notes
