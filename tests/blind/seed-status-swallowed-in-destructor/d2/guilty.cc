#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>

#include "absl/base/thread_annotations.h"
#include "absl/container/flat_hash_map.h"
#include "absl/log/log.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/synchronization/mutex.h"

namespace cartograph::tiles {

struct TileKey {
  uint32_t zoom;
  uint32_t x;
  uint32_t y;

  friend bool operator==(const TileKey& a, const TileKey& b) {
    return a.zoom == b.zoom && a.x == b.x && a.y == b.y;
  }
  template <typename H>
  friend H AbslHashValue(H h, const TileKey& k) {
    return H::combine(std::move(h), k.zoom, k.x, k.y);
  }
};

// Device memory in which decoded tiles are kept.
class TextureHeap {
 public:
  virtual ~TextureHeap() = default;
  virtual absl::StatusOr<uint64_t> Reserve(size_t bytes) = 0;
  virtual absl::Status Upload(uint64_t slot, const std::string& pixels) = 0;
  virtual absl::Status Release(uint64_t slot) = 0;
};

class TileStore {
 public:
  explicit TileStore(std::shared_ptr<TextureHeap> heap)
      : heap_(std::move(heap)) {}
  TileStore(const TileStore&) = delete;
  TileStore& operator=(const TileStore&) = delete;

  virtual ~TileStore() {
    absl::MutexLock lock(&mu_);
    DrainLocked().IgnoreError();
  }

  absl::Status Put(const TileKey& key, const std::string& pixels) {
    if (pixels.empty()) {
      return absl::InvalidArgumentError("tile has no pixels");
    }
    absl::MutexLock lock(&mu_);
    if (slots_.contains(key)) {
      return absl::AlreadyExistsError(
          absl::StrCat("tile ", key.zoom, "/", key.x, "/", key.y));
    }
    absl::StatusOr<uint64_t> slot = heap_->Reserve(pixels.size());
    if (!slot.ok()) return slot.status();
    absl::Status uploaded = heap_->Upload(*slot, pixels);
    if (!uploaded.ok()) {
      const absl::Status released = heap_->Release(*slot);
      if (!released.ok()) {
        LOG(WARNING) << "slot " << *slot << " is lost: " << released;
      }
      return uploaded;
    }
    slots_.emplace(key, *slot);
    return absl::OkStatus();
  }

  // Drops every tile, e.g. when the style sheet changes.
  absl::Status Clear() {
    absl::MutexLock lock(&mu_);
    return DrainLocked();
  }

  absl::StatusOr<uint64_t> Find(const TileKey& key) const {
    absl::MutexLock lock(&mu_);
    const auto it = slots_.find(key);
    if (it == slots_.end()) return absl::NotFoundError("no such tile");
    return it->second;
  }

 private:
  // Releases all slots; reports the first failure but visits every slot.
  absl::Status DrainLocked() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mu_) {
    absl::Status result;
    for (const auto& [key, slot] : slots_) {
      result.Update(heap_->Release(slot));
    }
    slots_.clear();
    return result;
  }

  const std::shared_ptr<TextureHeap> heap_;
  mutable absl::Mutex mu_;
  absl::flat_hash_map<TileKey, uint64_t> slots_ ABSL_GUARDED_BY(mu_);
};

// A store whose tiles are those of one map layer.
class LayerTileStore final : public TileStore {
 public:
  LayerTileStore(std::string layer, std::shared_ptr<TextureHeap> heap)
      : TileStore(std::move(heap)), layer_(std::move(layer)) {}

  absl::Status Reload() {
    absl::Status cleared = Clear();
    if (!cleared.ok()) {
      LOG(WARNING) << "layer " << layer_ << ": " << cleared;
    }
    return cleared;
  }

 private:
  const std::string layer_;
};

}  // namespace cartograph::tiles
