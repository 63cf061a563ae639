#include <algorithm>
#include <array>
#include <cstdint>
#include <mutex>
#include <vector>

struct Tile {
  int x = 0;
  int y = 0;
  std::array<uint32_t, 256> pixels{};
};

class TileStore {
 public:
  void Put(const Tile& tile) {
    std::scoped_lock hold(mu_);
    if (Slot* slot = FindLocked(tile.x, tile.y)) {
      slot->tile = tile;
      slot->last_use = ++clock_;
      return;
    }
    slots_.push_back(Slot{tile, ++clock_});
  }

  void Evict(std::size_t keep) {
    std::scoped_lock hold(mu_);
    if (slots_.size() <= keep) return;
    std::sort(slots_.begin(), slots_.end(),
              [](const Slot& a, const Slot& b) { return a.last_use > b.last_use; });
    slots_.resize(keep);
    slots_.shrink_to_fit();
  }

  bool Blit(int x, int y, uint32_t* target) {
    Tile tile;
    if (!Locate(x, y, &tile)) return false;
    std::copy(tile.pixels.begin(), tile.pixels.end(), target);
    return true;
  }

 private:
  struct Slot {
    Tile tile;
    uint64_t last_use = 0;
  };

  Slot* FindLocked(int x, int y) {
    for (Slot& s : slots_) {
      if (s.tile.x == x && s.tile.y == y) return &s;
    }
    return nullptr;
  }

  bool Locate(int x, int y, Tile* out) {
    std::scoped_lock hold(mu_);
    Slot* slot = FindLocked(x, y);
    if (!slot) return false;
    slot->last_use = ++clock_;
    *out = slot->tile;
    return true;
  }

  std::mutex mu_;
  uint64_t clock_ = 0;
  std::vector<Slot> slots_;
};
