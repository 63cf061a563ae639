#include <cstdint>
#include <functional>
#include <map>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

class Database {
 public:
  using Executor = std::function<bool(const std::string&)>;
  explicit Database(Executor executor) : executor_(std::move(executor)) {}

  void Execute(const std::string& sql) {
    if (!executor_(sql)) throw std::runtime_error("statement failed: " + sql);
  }

 private:
  Executor executor_;
};

class Transaction {
 public:
  explicit Transaction(Database& db) : db_(db) { db_.Execute("BEGIN"); }
  Transaction(const Transaction&) = delete;
  Transaction& operator=(const Transaction&) = delete;
  ~Transaction() {
    if (open_) {
      try {
        db_.Execute("ROLLBACK");
      } catch (const std::runtime_error&) {
      }
    }
  }
  void Commit() {
    db_.Execute("COMMIT");
    open_ = false;
  }

 private:
  Database& db_;
  bool open_ = true;
};

class SchemaSync {
 public:
  explicit SchemaSync(Database& db) : db_(db) {}

  void Register(const std::string& version, std::vector<std::string> statements) {
    migrations_[version] = std::move(statements);
  }

  void Apply(const std::string& wanted) {
    if (applied_ == wanted) return;
    auto migration = migrations_.find(wanted);
    if (migration == migrations_.end()) throw std::invalid_argument("no schema " + wanted);
    Transaction transaction(db_);
    for (const std::string& sql : migration->second) db_.Execute(sql);
    transaction.Commit();
    applied_ = wanted;
  }

 private:
  Database& db_;
  std::map<std::string, std::vector<std::string>> migrations_;
  std::string applied_;
};
