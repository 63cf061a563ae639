// Rasterised glyphs for the HUD and chat text.
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

namespace hud {

struct GlyphKey {
  uint16_t font;
  uint16_t pixel_size;
  char32_t codepoint;
  bool operator==(const GlyphKey&) const = default;
};

struct GlyphKeyHash {
  size_t operator()(const GlyphKey& k) const noexcept {
    return (size_t{k.font} << 48) ^ (size_t{k.pixel_size} << 32) ^ k.codepoint;
  }
};

struct Glyph {
  int atlas_cell = -1;
  int advance = 0;
  std::vector<uint8_t> coverage;
};

class FontFile {
 public:
  virtual ~FontFile() = default;
  virtual std::vector<uint8_t> Rasterise(char32_t cp, int size) const = 0;
  virtual int Advance(char32_t cp, int size) const = 0;
};

class Atlas {
 public:
  int ReserveCell() {
    std::lock_guard<std::mutex> lock(mu_);
    return next_cell_++;
  }

 private:
  std::mutex mu_;
  int next_cell_ = 0;
};

class GlyphCache {
 public:
  GlyphCache(std::vector<std::shared_ptr<const FontFile>> fonts, Atlas* atlas)
      : fonts_(std::move(fonts)), atlas_(atlas) {}

  // The result stays valid as long as the cache.
  const Glyph* Get(const GlyphKey& key) {
    {
      std::scoped_lock lock(mu_);
      if (auto it = glyphs_.find(key); it != glyphs_.end()) {
        return it->second.get();
      }
    }

    std::unique_ptr<Glyph> glyph = Render(key);
    const Glyph* result = glyph.get();

    std::scoped_lock lock(mu_);
    glyphs_[key] = std::move(glyph);
    return result;
  }

  int Measure(uint16_t font, uint16_t size, std::u32string_view text) {
    int width = 0;
    for (char32_t cp : text) width += Get({font, size, cp})->advance;
    return width;
  }

 private:
  std::unique_ptr<Glyph> Render(const GlyphKey& key) const {
    const FontFile& font = *fonts_.at(key.font);
    auto glyph = std::make_unique<Glyph>();
    glyph->coverage = font.Rasterise(key.codepoint, key.pixel_size);
    glyph->advance = font.Advance(key.codepoint, key.pixel_size);
    glyph->atlas_cell = atlas_->ReserveCell();
    return glyph;
  }

  const std::vector<std::shared_ptr<const FontFile>> fonts_;
  Atlas* const atlas_;
  std::mutex mu_;
  std::unordered_map<GlyphKey, std::unique_ptr<Glyph>, GlyphKeyHash> glyphs_;
};

}  // namespace hud
