#include <cmath>
#include <cstddef>
#include <cstring>
#include <fstream>
#include <iterator>
#include <stdexcept>
#include <string>
#include <vector>

extern "C" {
float *hm_alloc(std::size_t count);
void hm_free(float *heights);  // accepts NULL
}

namespace flight {

namespace {

float *read_tile(const std::string &path, int *side) {
    std::ifstream in(path, std::ios::binary);
    if (!in)
        throw std::runtime_error("no tile " + path);
    const std::vector<char> raw{std::istreambuf_iterator<char>(in), {}};
    const std::size_t count = raw.size() / sizeof(float);
    const int edge = static_cast<int>(std::lround(std::sqrt(static_cast<double>(count))));
    if (edge == 0 || static_cast<std::size_t>(edge) * edge != count)
        throw std::runtime_error("tile is not square: " + path);
    float *heights = hm_alloc(count);
    if (!heights)
        throw std::runtime_error("no memory for " + path);
    std::memcpy(heights, raw.data(), count * sizeof(float));
    *side = edge;
    return heights;
}

}  // namespace

class Terrain {
public:
    Terrain() = default;
    Terrain(const Terrain &) = delete;
    Terrain &operator=(const Terrain &) = delete;
    ~Terrain() { hm_free(heights_); }

    // Tiles are large: the old one goes before the next one is read.
    void enter(int east, int north) {
        const std::string path =
            "terrain/" + std::to_string(east) + "_" + std::to_string(north) + ".hgt";
        hm_free(heights_);
        heights_ = nullptr;
        heights_ = read_tile(path, &side_);
        east_ = east;
        north_ = north;
    }

    float height(int column, int row) const {
        if (!heights_ || column < 0 || row < 0 || column >= side_ || row >= side_)
            return 0.0f;
        return heights_[static_cast<std::size_t>(row) * side_ + column];
    }

    bool covers(int east, int north) const {
        return heights_ && east == east_ && north == north_;
    }

private:
    float *heights_ = nullptr;
    int side_ = 0;
    int east_ = 0;
    int north_ = 0;
};

}  // namespace flight
