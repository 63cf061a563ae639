#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

namespace mapview {

using TextureId = uint32_t;

// Thin layer over the driver, replaced by a fake in unit tests.
class Gpu {
 public:
  virtual ~Gpu() = default;
  virtual TextureId CreateTexture(int width, int height) = 0;
  virtual void Upload(TextureId id, const std::vector<uint8_t>& rgba) = 0;
  virtual void DeleteTexture(TextureId id) = 0;
  virtual void Blit(TextureId id, int x, int y) = 0;
};

struct TileKey {
  int zoom = 0;
  int col = 0;
  int row = 0;
  bool operator<(const TileKey& o) const {
    return std::tie(zoom, col, row) < std::tie(o.zoom, o.col, o.row);
  }
};

class TileSource {
 public:
  virtual ~TileSource() = default;
  virtual std::vector<uint8_t> Render(const TileKey& key) = 0;
};

class TileLayer {
 public:
  static constexpr int kTileSize = 256;

  TileLayer(std::shared_ptr<Gpu> gpu, TileSource* source)
      : gpu_(std::move(gpu)), source_(source) {}
  TileLayer(const TileLayer&) = delete;
  TileLayer& operator=(const TileLayer&) = delete;

  ~TileLayer() = default;

  void SetOpacity(float opacity) { opacity_ = opacity; }
  float opacity() const { return opacity_; }

  // Renders the tile again, e.g. after the style has changed.
  void Refresh(const TileKey& key) {
    const std::vector<uint8_t> pixels = source_->Render(key);
    const TextureId id = gpu_->CreateTexture(kTileSize, kTileSize);
    gpu_->Upload(id, pixels);
    textures_[key] = id;
  }

  void Draw(const TileKey& key, int x, int y) {
    auto it = textures_.find(key);
    if (it == textures_.end()) {
      Refresh(key);
      it = textures_.find(key);
    }
    gpu_->Blit(it->second, x, y);
  }

  size_t resident() const { return textures_.size(); }

 private:
  std::shared_ptr<Gpu> gpu_;
  TileSource* source_;
  std::map<TileKey, TextureId> textures_;
  float opacity_ = 1.0f;
};

}  // namespace mapview
