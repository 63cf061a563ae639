#include <chrono>
#include <cstdint>
#include <functional>
#include <mutex>
#include <optional>
#include <string>
#include <unordered_map>
#include <utility>

namespace tune {

using Clock = std::chrono::steady_clock;

struct Choice {
  std::string algorithm;
  double microseconds = 0.0;
  Clock::time_point measured;
};

// Best known algorithm per convolution signature, shared by all streams.
class AutotuneDb {
 public:
  void Put(const std::string &signature, Choice choice) {
    std::lock_guard<std::mutex> lock(mutex_);
    auto [it, inserted] = entries_.try_emplace(signature, choice);
    if (!inserted && choice.microseconds < it->second.microseconds) {
      it->second = std::move(choice);
    }
  }

  std::optional<Choice> Find(const std::string &signature) const {
    std::lock_guard<std::mutex> lock(mutex_);
    auto it = entries_.find(signature);
    if (it == entries_.end()) return std::nullopt;
    return it->second;
  }

  std::size_t Evict(Clock::time_point older_than) {
    std::lock_guard<std::mutex> lock(mutex_);
    std::size_t before = entries_.size();
    for (auto it = entries_.begin(); it != entries_.end();) {
      it = it->second.measured < older_than ? entries_.erase(it) : ++it;
    }
    return before - entries_.size();
  }

 private:
  mutable std::mutex mutex_;
  std::unordered_map<std::string, Choice> entries_;
};

// Runs `measure` only for a signature that has no entry yet.
std::string PickAlgorithm(
    AutotuneDb &db, const std::string &signature,
    const std::function<Choice(const std::string &)> &measure) {
  if (std::optional<Choice> known = db.Find(signature)) {
    return known->algorithm;
  }
  Choice choice = measure(signature);
  std::string algorithm = choice.algorithm;
  db.Put(signature, std::move(choice));
  return algorithm;
}

}  // namespace tune
