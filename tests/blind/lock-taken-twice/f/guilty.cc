#include <cstdint>
#include <map>
#include <mutex>
#include <stdexcept>
#include <string>

namespace alloc {

using Address = std::uint64_t;

// Bump allocator of a device arena with per-block accounting.
class Arena {
 public:
  Arena(Address base, std::uint64_t capacity)
      : base_(base), capacity_(capacity) {}

  Address Allocate(std::uint64_t bytes) {
    const std::uint64_t size = Align(bytes);
    std::lock_guard<std::mutex> lock(mutex_);
    if (size > capacity_ - top_) {
      throw std::runtime_error("arena exhausted: " + SummaryLocked());
    }
    const Address address = base_ + top_;
    top_ += size;
    blocks_[address] = size;
    return address;
  }

  // Frees one block; the arena starts over when the last one goes.
  void Release(Address address) {
    std::lock_guard<std::mutex> lock(mutex_);
    auto it = blocks_.find(address);
    if (it == blocks_.end()) {
      throw std::invalid_argument("not a block of this arena");
    }
    blocks_.erase(it);
    if (InUse() == 0) {
      top_ = 0;
      ++generation_;
    }
  }

  std::uint64_t InUse() const {
    std::lock_guard<std::mutex> lock(mutex_);
    return InUseLocked();
  }

  std::uint64_t generation() const {
    std::lock_guard<std::mutex> lock(mutex_);
    return generation_;
  }

  std::string Summary() const {
    std::lock_guard<std::mutex> lock(mutex_);
    return SummaryLocked();
  }

 private:
  static constexpr std::uint64_t kAlignment = 256;

  static std::uint64_t Align(std::uint64_t bytes) {
    if (bytes == 0) bytes = 1;
    return (bytes + kAlignment - 1) / kAlignment * kAlignment;
  }

  std::uint64_t InUseLocked() const {
    std::uint64_t total = 0;
    for (const auto &[address, size] : blocks_) total += size;
    return total;
  }

  std::string SummaryLocked() const {
    return std::to_string(InUseLocked()) + " of " + std::to_string(capacity_) +
           " bytes in " + std::to_string(blocks_.size()) + " blocks";
  }

  const Address base_;
  const std::uint64_t capacity_;
  mutable std::mutex mutex_;
  std::uint64_t top_ = 0;
  std::uint64_t generation_ = 0;
  std::map<Address, std::uint64_t> blocks_;
};

}  // namespace alloc
