#include <condition_variable>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <stdexcept>
#include <string>
#include <unordered_map>
#include <utility>

namespace warehouse {

class Connection {
 public:
  explicit Connection(std::string dsn) : dsn_(std::move(dsn)) {}
  const std::string& dsn() const { return dsn_; }

 private:
  std::string dsn_;
};

// Counts the server slots that the licence allows.
class Licence {
 public:
  explicit Licence(int slots) : free_(slots) {}
  void Take() {
    std::lock_guard<std::mutex> guard(mutex_);
    if (free_ == 0) throw std::runtime_error("no free server slot");
    --free_;
  }
  void Give() {
    std::lock_guard<std::mutex> guard(mutex_);
    ++free_;
  }

 private:
  std::mutex mutex_;
  int free_;
};

class ConnectionTable {
 public:
  explicit ConnectionTable(Licence* licence) : licence_(licence) {}
  ~ConnectionTable() { Clear(); }

  Connection* Get(const std::string& tenant) {
    {
      std::lock_guard<std::mutex> guard(mutex_);
      auto it = open_.find(tenant);
      if (it != open_.end()) return it->second.get();
    }

    // Dialling takes a while, other tenants shall not wait for it.
    auto fresh = Dial(tenant);

    std::lock_guard<std::mutex> guard(mutex_);
    auto [it, inserted] = open_.try_emplace(tenant, std::move(fresh));
    if (!inserted) licence_->Give();
    return it->second.get();
  }

  void Clear() {
    std::lock_guard<std::mutex> guard(mutex_);
    for (size_t i = 0; i < open_.size(); ++i) licence_->Give();
    open_.clear();
  }

  size_t size() const {
    std::lock_guard<std::mutex> guard(mutex_);
    return open_.size();
  }

 private:
  std::unique_ptr<Connection> Dial(const std::string& tenant) {
    licence_->Take();
    return std::make_unique<Connection>("db://" + tenant);
  }

  Licence* licence_;
  mutable std::mutex mutex_;
  std::unordered_map<std::string, std::unique_ptr<Connection>> open_;
};

}  // namespace warehouse
