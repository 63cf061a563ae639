#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <unordered_map>
#include <utility>

#if defined(__clang__)
#define RT_GUARDED_BY(mu) __attribute__((guarded_by(mu)))
#else
#define RT_GUARDED_BY(mu)
#endif

namespace rt {

using Clock = std::chrono::steady_clock;

struct Executable {
  std::string name;
  std::string code;
};

struct CacheStats {
  std::uint64_t hits = 0;
  std::uint64_t misses = 0;
};

// Cache of compiled programs by fingerprint, shared by all clients of a process.
class CompilationCache {
 public:
  using Compile = std::function<std::shared_ptr<Executable>()>;

  std::shared_ptr<Executable> get_or_compile(const std::string& fingerprint,
                                             const Compile& compile) {
    if (auto cached = lookup(fingerprint)) return cached;
    std::shared_ptr<Executable> compiled = compile();
    if (compiled == nullptr) return nullptr;
    std::lock_guard<std::mutex> lock(mu_);
    // Another thread may have been faster; its program wins.
    auto it = entries_.try_emplace(fingerprint, Entry{std::move(compiled), Clock::now()}).first;
    return it->second.executable;
  }

  std::shared_ptr<Executable> lookup(const std::string& fingerprint) {
    std::lock_guard<std::mutex> lock(mu_);
    auto it = entries_.find(fingerprint);
    if (it == entries_.end()) {
      ++stats_.misses;
      return nullptr;
    }
    ++stats_.hits;
    it->second.last_use = Clock::now();
    return it->second.executable;
  }

  // Called by the housekeeping thread; returns the number of dropped entries.
  std::size_t evict_older_than(Clock::duration age) {
    const Clock::time_point limit = Clock::now() - age;
    std::size_t dropped = 0;
    for (auto it = entries_.begin(); it != entries_.end();) {
      if (it->second.last_use < limit) {
        it = entries_.erase(it);
        ++dropped;
      } else {
        ++it;
      }
    }
    evictions_.fetch_add(dropped, std::memory_order_relaxed);
    return dropped;
  }

  CacheStats stats() const {
    std::lock_guard<std::mutex> lock(mu_);
    return stats_;
  }

  std::uint64_t evictions() const { return evictions_.load(std::memory_order_relaxed); }

  std::size_t size() const {
    std::lock_guard<std::mutex> lock(mu_);
    return entries_.size();
  }

 private:
  struct Entry {
    std::shared_ptr<Executable> executable;
    Clock::time_point last_use;
  };

  mutable std::mutex mu_;
  std::unordered_map<std::string, Entry> entries_ RT_GUARDED_BY(mu_);
  CacheStats stats_ RT_GUARDED_BY(mu_);
  std::atomic<std::uint64_t> evictions_{0};
};

}  // namespace rt
