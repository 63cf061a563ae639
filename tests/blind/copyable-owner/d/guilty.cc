#include <array>
#include <cstdint>
#include <memory>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

extern "C" {
typedef struct tx_image tx_image;
tx_image *tx_load(const char *path, int mipmaps);
void tx_unload(tx_image *image);
int tx_width(const tx_image *image);
int tx_height(const tx_image *image);
void tx_blit(const tx_image *image, int x, int y);
}

namespace arcade {

class Texture {
public:
    Texture() = default;
    explicit Texture(const std::string &path) : image_(tx_load(path.c_str(), 1)) {
        if (!image_)
            throw std::runtime_error("cannot load " + path);
    }
    Texture(const Texture &) = delete;
    ~Texture() {
        if (image_)
            tx_unload(image_);
    }

    void open(const std::string &path) {
        tx_image *next = tx_load(path.c_str(), 1);
        if (!next)
            throw std::runtime_error("cannot load " + path);
        if (image_)
            tx_unload(image_);
        image_ = next;
    }

    int width() const { return image_ ? tx_width(image_) : 0; }
    int height() const { return image_ ? tx_height(image_) : 0; }
    void draw(int x, int y) const {
        if (image_)
            tx_blit(image_, x, y);
    }

private:
    tx_image *image_ = nullptr;
};

class TileSheet {
public:
    void load(std::uint8_t slot, const std::string &path) { tiles_.at(slot).open(path); }

    void draw_row(const std::vector<std::uint8_t> &row, int y) const {
        int x = 0;
        for (std::uint8_t slot : row) {
            const Texture &tile = tiles_.at(slot);
            tile.draw(x, y);
            x += tile.width();
        }
    }

private:
    std::array<Texture, 64> tiles_;
};

std::unique_ptr<TileSheet> forest_tiles() {
    auto sheet = std::make_unique<TileSheet>();
    sheet->load(0, "tiles/grass.png");
    sheet->load(1, "tiles/oak.png");
    sheet->load(2, "tiles/brook.png");
    return sheet;
}

}  // namespace arcade
