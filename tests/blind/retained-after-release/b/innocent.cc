#include <boost/smart_ptr/intrusive_ptr.hpp>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

struct Tile {
  Tile(int x, int y) : x(x), y(y), pixels(256 * 256) {}
  const int x;
  const int y;
  std::vector<uint32_t> pixels;
  std::atomic<bool> ready{false};
  std::atomic<int> references{0};
};

inline void intrusive_ptr_add_ref(Tile* tile) {
  tile->references.fetch_add(1, std::memory_order_relaxed);
}
inline void intrusive_ptr_release(Tile* tile) {
  if (tile->references.fetch_sub(1, std::memory_order_acq_rel) == 1) delete tile;
}

using TilePtr = boost::intrusive_ptr<Tile>;

class TileLoader {
 public:
  explicit TileLoader(std::size_t slots) : slots_(slots) {}

  bool Request(int x, int y) {
    for (TilePtr& slot : slots_) {
      if (!slot) {
        slot = TilePtr(new Tile(x, y));
        return true;
      }
    }
    return false;
  }

  std::vector<TilePtr> TakeFinished() {
    std::vector<TilePtr> finished;
    finished.reserve(slots_.size());
    for (TilePtr& slot : slots_) {
      if (!slot || !slot->ready.load(std::memory_order_acquire)) continue;
      TilePtr tile(slot.detach(), false);
      finished.push_back(std::move(tile));
    }
    return finished;
  }

  void Fill(std::size_t index, uint32_t color) {
    TilePtr tile = slots_.at(index);
    if (!tile) return;
    for (uint32_t& pixel : tile->pixels) pixel = color;
    tile->ready.store(true, std::memory_order_release);
  }

 private:
  std::vector<TilePtr> slots_;
};
