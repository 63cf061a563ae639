#include "glyph_painter.h"

#include <list>
#include <unordered_map>
#include <utility>

namespace text {

// Shelf packer for the glyph atlas.
class ShelfPacker {
 public:
  struct Shelf {
    int y;
    int height;
    int used;
  };

  ShelfPacker(int width, int height) : width_(width), height_(height) {}
  bool Place(int w, int h, int* x, int* y);
  void Reset() { shelves_.clear(); }

 private:
  int width_;
  int height_;
  std::vector<Shelf> shelves_;
};

// Least recently used glyphs, by code point and pixel size.
class GlyphLru {
 public:
  explicit GlyphLru(size_t capacity) : capacity_(capacity) {}
  const Bitmap* Find(uint64_t key);
  void Insert(uint64_t key, Bitmap bitmap);

 private:
  using Entry = std::pair<uint64_t, Bitmap>;
  size_t capacity_;
  std::list<Entry> order_;
  std::unordered_map<uint64_t, std::list<Entry>::iterator> index_;
};

bool ShelfPacker::Place(int w, int h, int* x, int* y) {
  for (Shelf& s : shelves_) {
    if (h <= s.height && s.used + w <= width_) {
      *x = s.used;
      *y = s.y;
      s.used += w;
      return true;
    }
  }
  int top = shelves_.empty() ? 0 : shelves_.back().y + shelves_.back().height;
  if (w > width_ || top + h > height_) return false;
  shelves_.push_back({top, h, w});
  *x = 0;
  *y = top;
  return true;
}

const Bitmap* GlyphLru::Find(uint64_t key) {
  auto it = index_.find(key);
  if (it == index_.end()) return nullptr;
  order_.splice(order_.begin(), order_, it->second);
  return &it->second->second;
}

void GlyphLru::Insert(uint64_t key, Bitmap bitmap) {
  order_.emplace_front(key, std::move(bitmap));
  index_[key] = order_.begin();
  if (order_.size() > capacity_) {
    index_.erase(order_.back().first);
    order_.pop_back();
  }
}

GlyphPainter::GlyphPainter(std::string font_path)
    : font_path_(std::move(font_path)),
      packer_(std::make_unique<ShelfPacker>(1024, 1024)),
      lru_(std::make_unique<GlyphLru>(512)) {}

GlyphPainter::~GlyphPainter() = default;

Bitmap GlyphPainter::Paint(uint32_t codepoint, int pixel_size) {
  uint64_t key = (uint64_t{codepoint} << 16) | static_cast<uint16_t>(pixel_size);
  if (const Bitmap* hit = lru_->Find(key)) return *hit;
  int x = 0, y = 0;
  if (!packer_->Place(pixel_size, pixel_size, &x, &y)) packer_->Reset();
  Bitmap b;
  b.width = b.height = pixel_size;
  b.alpha.assign(static_cast<size_t>(pixel_size) * pixel_size, 0xff);
  lru_->Insert(key, b);
  return b;
}

}  // namespace text
