#include <cstdint>
#include <map>
#include <mutex>
#include <shared_mutex>
#include <string>
#include <utility>

namespace transit {

struct Fare {
  std::int64_t cents = 0;
  std::string currency;
  int zones = 1;
};

class FareTable {
 public:
  void set(const std::string &line, Fare fare) {
    std::unique_lock<std::shared_mutex> hold(mutex_);
    fares_.insert_or_assign(line, std::move(fare));
  }

  void withdraw(const std::string &line) {
    std::unique_lock<std::shared_mutex> hold(mutex_);
    fares_.erase(line);
  }

  bool lookup(const std::string &line, const Fare *&out) const {
    std::shared_lock<std::shared_mutex> hold(mutex_);
    const auto it = fares_.find(line);
    if (it == fares_.end()) return false;
    out = &it->second;
    return true;
  }

  std::size_t size() const {
    std::shared_lock<std::shared_mutex> hold(mutex_);
    return fares_.size();
  }

 private:
  mutable std::shared_mutex mutex_;
  std::map<std::string, Fare> fares_;
};

class Gate {
 public:
  explicit Gate(const FareTable &table) : table_(table) {}

  std::string charge(const std::string &line, int zones) const {
    const Fare *fare;
    if (!table_.lookup(line, fare)) return "closed";
    const int extra = zones > fare->zones ? zones - fare->zones : 0;
    return std::to_string(fare->cents + 90 * extra) + " " + fare->currency;
  }

 private:
  const FareTable &table_;
};

}  // namespace transit
