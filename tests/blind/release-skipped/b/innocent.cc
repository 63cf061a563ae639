#include <sqlite3.h>

#include <cstdint>
#include <stdexcept>
#include <string>

class LedgerReport {
 public:
  explicit LedgerReport(const std::string& path) {
    if (sqlite3_open_v2(path.c_str(), &db_, SQLITE_OPEN_READONLY, nullptr) != SQLITE_OK) {
      const std::string message = db_ ? sqlite3_errmsg(db_) : "out of memory";
      sqlite3_close(db_);
      throw std::runtime_error(message);
    }
  }
  LedgerReport(const LedgerReport&) = delete;
  LedgerReport& operator=(const LedgerReport&) = delete;
  ~LedgerReport() { sqlite3_close(db_); }

  int64_t Balance(int64_t account) {
    sqlite3_stmt* stmt =
        Prepare("SELECT COALESCE(SUM(amount), 0) FROM debits WHERE account = ?");
    int64_t debits = 0;
    bool ok = Single(stmt, account, &debits);

    int64_t credits = 0;
    if (ok) {
      sqlite3_finalize(stmt);
      stmt = Prepare("SELECT COALESCE(SUM(amount), 0) FROM credits WHERE account = ?");
      ok = Single(stmt, account, &credits);
    }
    sqlite3_finalize(stmt);
    if (!ok) throw std::runtime_error("no balance for account " + std::to_string(account));
    return credits - debits;
  }

 private:
  sqlite3_stmt* Prepare(const char* sql) {
    sqlite3_stmt* stmt = nullptr;
    if (sqlite3_prepare_v2(db_, sql, -1, &stmt, nullptr) != SQLITE_OK) {
      throw std::runtime_error(sqlite3_errmsg(db_));
    }
    return stmt;
  }

  static bool Single(sqlite3_stmt* stmt, int64_t account, int64_t* value) {
    if (sqlite3_bind_int64(stmt, 1, account) != SQLITE_OK) return false;
    if (sqlite3_step(stmt) != SQLITE_ROW) return false;
    *value = sqlite3_column_int64(stmt, 0);
    return true;
  }

  sqlite3* db_ = nullptr;
};
