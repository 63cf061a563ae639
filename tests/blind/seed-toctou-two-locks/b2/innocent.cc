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
    for (const auto& [sql, slot] : statements_) {
      if (slot->id) link_->Close(*slot->id);
    }
  }

  StatusOr<StatementId> GetOrPrepare(const std::string& sql) {
    std::shared_ptr<Slot> slot = Lookup(sql);
    MutexLock lock(slot->mu);
    if (slot->id) return *slot->id;
    StatusOr<StatementId> prepared = link_->Prepare(sql);
    if (prepared.ok()) slot->id = prepared.value();
    return prepared;
  }

 private:
  struct Slot {
    std::mutex mu;
    std::optional<StatementId> id;
  };

  std::shared_ptr<Slot> Lookup(const std::string& sql) {
    MutexLock lock(mu_);
    std::shared_ptr<Slot>& slot = statements_[sql];
    if (slot == nullptr) slot = std::make_shared<Slot>();
    return slot;
  }

  BackendLink* const link_;
  std::mutex mu_;
  std::unordered_map<std::string, std::shared_ptr<Slot>> statements_;
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
