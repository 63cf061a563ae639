#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

namespace pool {

struct Chunk {
  std::unique_ptr<std::byte[]> bytes;
  std::size_t size = 0;
};

// A free list of chunks for one NUMA node.
class FreeList {
 public:
  explicit FreeList(std::size_t chunk_size) : chunk_size_(chunk_size) {}
  FreeList(const FreeList &) = delete;
  FreeList &operator=(const FreeList &) = delete;

  Chunk Take() {
    {
      std::scoped_lock lock{mutex_};
      if (!chunks_.empty()) {
        Chunk chunk = std::move(chunks_.back());
        chunks_.pop_back();
        held_ -= chunk.size;
        return chunk;
      }
    }
    return Chunk{std::make_unique<std::byte[]>(chunk_size_), chunk_size_};
  }

  void Give(Chunk chunk) {
    std::scoped_lock lock{mutex_};
    held_ += chunk.size;
    chunks_.push_back(std::move(chunk));
  }

  // Moves up to `count` chunks to `other`; returns how many were moved.
  std::size_t MoveTo(FreeList &other, std::size_t count) {
    if (&other == this) return 0;
    std::scoped_lock lock{mutex_, other.mutex_};
    std::size_t moved = 0;
    while (moved < count && !chunks_.empty()) {
      Chunk chunk = std::move(chunks_.back());
      chunks_.pop_back();
      held_ -= chunk.size;
      other.held_ += chunk.size;
      other.chunks_.push_back(std::move(chunk));
      ++moved;
    }
    return moved;
  }

  std::size_t held() const {
    std::scoped_lock lock{mutex_};
    return held_;
  }

  void Trim(std::size_t keep_bytes) {
    std::vector<Chunk> dropped;
    std::scoped_lock lock{mutex_};
    while (held_ > keep_bytes) {
      held_ -= chunks_.back().size;
      dropped.push_back(std::move(chunks_.back()));
      chunks_.pop_back();
    }
  }

 private:
  const std::size_t chunk_size_;
  mutable std::mutex mutex_;
  std::vector<Chunk> chunks_;
  std::size_t held_ = 0;
};

}  // namespace pool
