#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include <sqlite3.h>

namespace library {

struct Loan {
    std::string title;
    int days = 0;
};

namespace {

sqlite3_stmt *prepare(sqlite3 *db, const char *sql) {
    sqlite3_stmt *st = nullptr;
    if (sqlite3_prepare_v2(db, sql, -1, &st, nullptr) != SQLITE_OK)
        throw std::runtime_error(sqlite3_errmsg(db));
    return st;
}

bool conclude(sqlite3_stmt *st) { return sqlite3_finalize(st) == SQLITE_OK; }

const char *text(sqlite3_stmt *st, int column) {
    const auto *raw = sqlite3_column_text(st, column);
    return raw ? reinterpret_cast<const char *>(raw) : "";
}

}  // namespace

std::vector<Loan> loans_of(sqlite3 *db, sqlite3_int64 reader) {
    sqlite3_stmt *st = prepare(db, "SELECT title, days FROM loan WHERE reader = ?");
    std::vector<Loan> loans;
    if (sqlite3_bind_int64(st, 1, reader) == SQLITE_OK) {
        while (sqlite3_step(st) == SQLITE_ROW) {
            Loan loan;
            loan.title = text(st, 0);
            loan.days = sqlite3_column_int(st, 1);
            loans.push_back(std::move(loan));
        }
    }
    if (!conclude(st))
        throw std::runtime_error(sqlite3_errmsg(db));
    return loans;
}

std::string shelf_mark(sqlite3 *db, const std::string &isbn) {
    sqlite3_stmt *st = prepare(db, "SELECT room, shelf FROM copy WHERE isbn = ? LIMIT 1");
    const char *room = "";
    int shelf = 0;
    if (sqlite3_bind_text(st, 1, isbn.c_str(), -1, SQLITE_TRANSIENT) == SQLITE_OK &&
        sqlite3_step(st) == SQLITE_ROW) {
        room = text(st, 0);
        shelf = sqlite3_column_int(st, 1);
    }
    if (!conclude(st))
        throw std::runtime_error(sqlite3_errmsg(db));
    return std::string(room) + "/" + std::to_string(shelf);
}

}  // namespace library
