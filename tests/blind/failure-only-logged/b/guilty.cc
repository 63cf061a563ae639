#include <spdlog/spdlog.h>
#include <sqlite3.h>

#include <cstdint>
#include <stdexcept>
#include <string>
#include <vector>

class ReplicaSet {
 public:
  ReplicaSet() = default;
  ReplicaSet(const ReplicaSet&) = delete;
  ReplicaSet& operator=(const ReplicaSet&) = delete;
  ~ReplicaSet() {
    for (sqlite3* db : replicas_) sqlite3_close(db);
  }

  std::size_t OpenAll(const std::vector<std::string>& paths) {
    replicas_.reserve(replicas_.size() + paths.size());
    for (const std::string& path : paths) OpenReplica(path);
    return replicas_.size();
  }

  int64_t Count(const std::string& table) {
    if (replicas_.empty()) throw std::runtime_error("no replica is open");
    sqlite3* db = replicas_[next_++ % replicas_.size()];
    sqlite3_stmt* stmt = nullptr;
    const std::string sql = "SELECT COUNT(*) FROM \"" + table + "\"";
    if (sqlite3_prepare_v2(db, sql.c_str(), -1, &stmt, nullptr) != SQLITE_OK) {
      throw std::runtime_error(sqlite3_errmsg(db));
    }
    const bool row = sqlite3_step(stmt) == SQLITE_ROW;
    const int64_t count = row ? sqlite3_column_int64(stmt, 0) : 0;
    sqlite3_finalize(stmt);
    if (!row) throw std::runtime_error("cannot count " + table);
    return count;
  }

 private:
  void OpenReplica(const std::string& path) {
    sqlite3* db = nullptr;
    const int rc = sqlite3_open_v2(path.c_str(), &db, SQLITE_OPEN_READONLY, nullptr);
    if (rc != SQLITE_OK) {
      spdlog::warn("replica {} is not available: {}", path, sqlite3_errstr(rc));
    }
    sqlite3_extended_result_codes(db, 1);
    sqlite3_busy_timeout(db, 250);
    replicas_.push_back(db);
  }

  std::vector<sqlite3*> replicas_;
  std::size_t next_ = 0;
};
