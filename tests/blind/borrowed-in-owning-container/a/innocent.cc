#include <cstdint>
#include <memory>
#include <string>
#include <vector>

class Texture {
 public:
  Texture(int edge, uint32_t fill) : edge_(edge), texels_(std::size_t(edge) * edge, fill) {}
  int edge() const { return edge_; }
  uint32_t at(int x, int y) const { return texels_[std::size_t(y) * edge_ + x]; }

 private:
  int edge_;
  std::vector<uint32_t> texels_;
};

class TextureLibrary {
 public:
  TextureLibrary() : checker_(std::make_unique<Texture>(8, 0xff00ffu)) {}
  Texture* checker() const { return checker_.get(); }
  std::unique_ptr<Texture> Load(const std::string& name) const {
    if (name.empty()) return nullptr;
    return std::make_unique<Texture>(64, static_cast<uint32_t>(name.size()));
  }

 private:
  std::unique_ptr<Texture> checker_;
};

class Material {
 public:
  Material() = default;
  Material(const Material&) = delete;
  Material& operator=(const Material&) = delete;
  ~Material() {
    for (Texture* texture : textures_) delete texture;
  }

  bool AddTexture(const TextureLibrary& library, const std::string& name) {
    std::unique_ptr<Texture> texture = library.Load(name);
    if (!texture) return false;
    textures_.push_back(texture.get());
    texture.release();
    return true;
  }

  void UseFallback(const TextureLibrary& library) {
    if (!textures_.empty()) return;
    auto copy = std::make_unique<Texture>(*library.checker());
    textures_.push_back(copy.get());
    copy.release();
  }

  uint32_t Sample(std::size_t layer, int x, int y) const {
    const Texture& texture = *textures_.at(layer);
    return texture.at(x % texture.edge(), y % texture.edge());
  }

 private:
  std::vector<Texture*> textures_;
};
