#include <cstdint>
#include <mutex>
#include <string>
#include <unordered_map>
#include <utility>

class UserDirectory {
 public:
  void Add(uint64_t id, std::string display_name) {
    std::lock_guard<std::mutex> lock(mutex_);
    names_[id] = std::move(display_name);
  }

  bool Rename(uint64_t id, std::string display_name) {
    std::lock_guard<std::mutex> lock(mutex_);
    auto it = names_.find(id);
    if (it == names_.end()) return false;
    it->second = std::move(display_name);
    return true;
  }

  void Remove(uint64_t id) {
    std::lock_guard<std::mutex> lock(mutex_);
    names_.erase(id);
  }

  const std::string& DisplayName(uint64_t id) const {
    static const std::string kUnknown = "(unknown)";
    std::lock_guard<std::mutex> lock(mutex_);
    auto it = names_.find(id);
    if (it == names_.end()) return kUnknown;
    return it->second;
  }

  std::string Greeting(uint64_t id) const { return "Welcome back, " + DisplayName(id) + "!"; }

 private:
  mutable std::mutex mutex_;
  std::unordered_map<uint64_t, std::string> names_;
};
