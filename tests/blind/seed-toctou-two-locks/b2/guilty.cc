// Server-side prepared statements, shared by the sessions of one backend link.
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <unordered_map>
#include <utility>

namespace pgpool {

class Status {
 public:
  Status() = default;
  explicit Status(std::string message) : message_(std::move(message)) {}
  bool ok() const { return message_.empty(); }

 private:
  std::string message_;
};

template <typename T>
class StatusOr {
 public:
  StatusOr(T value) : value_(std::move(value)) {}
  StatusOr(Status status) : status_(std::move(status)) {}
  bool ok() const { return value_.has_value(); }
  const T& value() const { return *value_; }
  const Status& status() const { return status_; }

 private:
  Status status_;
  std::optional<T> value_;
};

using MutexLock = std::lock_guard<std::mutex>;
using StatementId = uint32_t;

class BackendLink {
 public:
  virtual ~BackendLink() = default;
  virtual StatusOr<StatementId> Prepare(const std::string& sql) = 0;
  virtual void Close(StatementId id) = 0;
};

class StatementCache {
 public:
  explicit StatementCache(BackendLink* link) : link_(link) {}

  ~StatementCache() {
    for (const auto& [sql, id] : statements_) link_->Close(id);
  }

  StatusOr<StatementId> GetOrPrepare(const std::string& sql) {
    if (std::optional<StatementId> id = Lookup(sql)) return *id;
    StatusOr<StatementId> prepared = link_->Prepare(sql);
    if (prepared.ok()) Remember(sql, prepared.value());
    return prepared;
  }

 private:
  std::optional<StatementId> Lookup(const std::string& sql) {
    MutexLock lock(mu_);
    auto it = statements_.find(sql);
    if (it == statements_.end()) return std::nullopt;
    return it->second;
  }

  void Remember(const std::string& sql, StatementId id) {
    MutexLock lock(mu_);
    statements_[sql] = id;
  }

  BackendLink* const link_;
  std::mutex mu_;
  std::unordered_map<std::string, StatementId> statements_;
};

class Session {
 public:
  explicit Session(StatementCache* cache) : cache_(cache) {}

  Status Bind(const std::string& sql) {
    StatusOr<StatementId> id = cache_->GetOrPrepare(sql);
    if (!id.ok()) return id.status();
    current_ = id.value();
    return Status();
  }

 private:
  StatementCache* cache_;
  StatementId current_ = 0;
};

}  // namespace pgpool
