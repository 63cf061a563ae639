#pragma once

#include <cstdint>
#include <list>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

namespace text {

struct Bitmap {
  int width = 0;
  int height = 0;
  std::vector<uint8_t> alpha;
};

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

// Draws the glyphs of one font.
class GlyphPainter {
 public:
  explicit GlyphPainter(std::string font_path);
  ~GlyphPainter();

  Bitmap Paint(uint32_t codepoint, int pixel_size);
  const std::string& font_path() const { return font_path_; }

 private:
  std::string font_path_;
  std::unique_ptr<ShelfPacker> packer_;
  std::unique_ptr<GlyphLru> lru_;
};

}  // namespace text
