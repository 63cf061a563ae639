#include <chrono>
#include <cstdint>
#include <iostream>
#include <memory>
#include <string>
#include <utility>

namespace cluster {

class [[nodiscard]] Status {
 public:
  static Status OK() { return Status(); }
  static Status Unavailable(std::string m) { return Status(std::move(m)); }
  bool ok() const { return message_.empty(); }
  const std::string& message() const { return message_; }

 private:
  Status() = default;
  explicit Status(std::string m) : message_(std::move(m)) {}
  std::string message_;
};

class Coordinator {
 public:
  virtual ~Coordinator() = default;
  virtual Status Acquire(const std::string& name, uint64_t* token) = 0;
  virtual Status Renew(const std::string& name, uint64_t token) = 0;
  virtual Status Release(const std::string& name, uint64_t token) = 0;
};

// A named lock without expiry; held until it is released.
class Lease {
 public:
  static Status Take(Coordinator* coordinator, std::string name, std::unique_ptr<Lease>* out) {
    uint64_t token = 0;
    Status s = coordinator->Acquire(name, &token);
    if (!s.ok()) return s;
    out->reset(new Lease(coordinator, std::move(name), token));
    return Status::OK();
  }

  Lease(const Lease&) = delete;
  Lease& operator=(const Lease&) = delete;

  ~Lease() {
    Status s = coordinator_->Release(name_, token_);
    if (!s.ok()) {
      std::cerr << "lease " << name_ << " (token " << token_
                << ") was not released: " << s.message() << "\n";
    }
  }

  const std::string& name() const { return name_; }
  uint64_t token() const { return token_; }
  Status Renew() { return coordinator_->Renew(name_, token_); }

 private:
  Lease(Coordinator* coordinator, std::string name, uint64_t token)
      : coordinator_(coordinator), name_(std::move(name)), token_(token) {}

  Coordinator* coordinator_;
  std::string name_;
  uint64_t token_;
};

class CompactionJob {
 public:
  CompactionJob(Coordinator* coordinator, std::string shard)
      : coordinator_(coordinator), shard_(std::move(shard)) {}

  Status Run() {
    std::unique_ptr<Lease> lease;
    Status s = Lease::Take(coordinator_, "compact/" + shard_, &lease);
    if (!s.ok()) return s;
    for (int level = 0; level < 4; ++level) {
      s = lease->Renew();
      if (!s.ok()) return s;
      ++merged_;
    }
    return Status::OK();
  }

  int merged() const { return merged_; }

 private:
  Coordinator* coordinator_;
  std::string shard_;
  int merged_ = 0;
};

}  // namespace cluster
