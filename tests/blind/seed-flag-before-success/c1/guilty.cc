// Brings a ledger database file to the schema version this binary expects.

#include <cstdint>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

namespace ledgerdb {

class Status {
 public:
  enum class Code { kOk, kBusy, kCorrupt, kInvalid };

  Status() = default;
  Status(Code code, std::string message)
      : code_(code), message_(std::move(message)) {}

  static Status Ok() { return Status(); }

  bool ok() const { return code_ == Code::kOk; }
  Code code() const { return code_; }
  const std::string& message() const { return message_; }

 private:
  Code code_ = Code::kOk;
  std::string message_;
};

#define LDB_RETURN_IF_ERROR(expr)          \
  do {                                     \
    ::ledgerdb::Status ldb_status = (expr); \
    if (!ldb_status.ok()) return ldb_status; \
  } while (0)

class Connection {
 public:
  virtual ~Connection() = default;
  virtual Status Execute(const std::string& sql) = 0;
  virtual Status QueryInt(const std::string& sql, int64_t* out) = 0;
};

struct MigrationStep {
  std::string name;
  std::vector<std::string> statements;
};

// Every public entry point of LedgerStore passes through EnsureCurrent() before
// it touches a table. Callers retry on Code::kBusy with back-off.
class SchemaGate {
 public:
  SchemaGate(Connection* conn, std::vector<MigrationStep> steps)
      : conn_(conn), steps_(std::move(steps)) {}

  SchemaGate(const SchemaGate&) = delete;
  SchemaGate& operator=(const SchemaGate&) = delete;

  Status EnsureCurrent();

 private:
  Status ApplyStep(size_t index);

  std::mutex mu_;
  Connection* const conn_;
  const std::vector<MigrationStep> steps_;
  bool schema_current_ = false;  // Guarded by mu_.
};

Status SchemaGate::EnsureCurrent() {
  std::lock_guard<std::mutex> lock(mu_);
  if (schema_current_) return Status::Ok();

  int64_t version = 0;
  LDB_RETURN_IF_ERROR(conn_->QueryInt("PRAGMA user_version", &version));
  if (version < 0 || static_cast<size_t>(version) > steps_.size()) {
    return Status(Status::Code::kInvalid,
                  "unknown schema version " + std::to_string(version));
  }

  schema_current_ = true;
  for (size_t i = static_cast<size_t>(version); i < steps_.size(); ++i) {
    LDB_RETURN_IF_ERROR(ApplyStep(i));
  }
  return Status::Ok();
}

Status SchemaGate::ApplyStep(size_t index) {
  const MigrationStep& step = steps_[index];
  LDB_RETURN_IF_ERROR(conn_->Execute("BEGIN IMMEDIATE"));
  Status result;
  for (const std::string& sql : step.statements) {
    result = conn_->Execute(sql);
    if (!result.ok()) break;
  }
  if (result.ok()) {
    result = conn_->Execute("PRAGMA user_version = " +
                            std::to_string(index + 1));
  }
  if (result.ok()) result = conn_->Execute("COMMIT");
  if (!result.ok()) {
    (void)conn_->Execute("ROLLBACK");
    return Status(result.code(), step.name + ": " + result.message());
  }
  return Status::Ok();
}

class LedgerStore {
 public:
  explicit LedgerStore(Connection* conn)
      : conn_(conn),
        gate_(conn, {{"create_entries",
                      {"CREATE TABLE entries(id INTEGER PRIMARY KEY, cents "
                       "INTEGER NOT NULL)"}},
                     {"add_currency",
                      {"ALTER TABLE entries ADD COLUMN currency TEXT NOT NULL "
                       "DEFAULT 'EUR'"}}}) {}

  Status Append(int64_t cents) {
    LDB_RETURN_IF_ERROR(gate_.EnsureCurrent());
    return conn_->Execute("INSERT INTO entries(cents, currency) VALUES(" +
                          std::to_string(cents) + ", 'EUR')");
  }

 private:
  Connection* const conn_;
  SchemaGate gate_;
};

}  // namespace ledgerdb
