#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <new>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

namespace rt {

struct Block {
  std::unique_ptr<std::byte[]> data;
  std::size_t size = 0;
};

// Hands out blocks of memory and keeps released ones for reuse.
class ArenaGroup {
 public:
  explicit ArenaGroup(std::size_t granularity) : granularity_(granularity ? granularity : 64) {}

  ArenaGroup(const ArenaGroup&) = delete;
  ArenaGroup& operator=(const ArenaGroup&) = delete;

  Block allocate(std::size_t size, const std::string& tag) {
    const std::size_t rounded = round_up(size);
    std::lock_guard<std::mutex> arena(arena_mu_);
    Block block = take_cached(rounded);
    if (block.data == nullptr) {
      block.data = std::make_unique<std::byte[]>(rounded);
      block.size = rounded;
    }
    account(tag, rounded);
    return block;
  }

  void release(Block block) {
    if (block.data == nullptr) return;
    std::lock_guard<std::mutex> arena(arena_mu_);
    cached_bytes_ += block.size;
    cached_.push_back(std::move(block));
  }

  std::size_t cached_bytes() const {
    std::lock_guard<std::mutex> arena(arena_mu_);
    return cached_bytes_;
  }

  // One line per tag and a line for the cache.
  std::string report() const {
    std::ostringstream out;
    const std::size_t cached = cached_bytes();
    std::lock_guard<std::mutex> stats(stats_mu_);
    for (const auto& [tag, bytes] : by_tag_) {
      out << tag << ": " << bytes << " bytes in " << requests_.at(tag) << " requests\n";
    }
    out << "cached: " << cached << " bytes\n";
    return out.str();
  }

 private:
  std::size_t round_up(std::size_t size) const {
    if (size > SIZE_MAX - granularity_) throw std::bad_alloc();
    return (size + granularity_ - 1) / granularity_ * granularity_;
  }

  // Needs arena_mu_.
  Block take_cached(std::size_t size) {
    for (auto it = cached_.begin(); it != cached_.end(); ++it) {
      if (it->size != size) continue;
      Block block = std::move(*it);
      cached_.erase(it);
      cached_bytes_ -= block.size;
      return block;
    }
    return {};
  }

  void account(const std::string& tag, std::size_t bytes) {
    std::lock_guard<std::mutex> stats(stats_mu_);
    by_tag_[tag] += bytes;
    ++requests_[tag];
  }

  const std::size_t granularity_;

  mutable std::mutex arena_mu_;
  std::vector<Block> cached_;
  std::size_t cached_bytes_ = 0;

  mutable std::mutex stats_mu_;
  std::map<std::string, std::size_t> by_tag_;
  std::map<std::string, std::size_t> requests_;
};

}  // namespace rt
