#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace text {

struct Bitmap {
  int width = 0;
  int height = 0;
  std::vector<uint8_t> alpha;
};

class GlyphLru;
class ShelfPacker;

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
