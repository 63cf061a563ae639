// volume_ext.cpp - scan volumes as numpy arrays
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <stdexcept>
#include <vector>

namespace nb = nanobind;
using namespace nb::literals;

namespace scan {

using Plane = nb::ndarray<nb::numpy, float, nb::ndim<2>>;
using Table = nb::ndarray<nb::numpy, const std::uint8_t, nb::ndim<1>>;

class Volume {
public:
    Volume(size_t depth, size_t height, size_t width)
        : depth_(depth), height_(height), width_(width),
          voxels_(depth * height * width, 0.0f), projection_(height * width, 0.0f) {
        if (voxels_.empty())
            throw std::invalid_argument("a volume needs at least one voxel");
    }

    size_t depth() const { return depth_; }
    size_t height() const { return height_; }
    size_t width() const { return width_; }

    float *axial(size_t z) {
        if (z >= depth_)
            throw nb::index_error("no such slice");
        return voxels_.data() + z * height_ * width_;
    }

    // Maximum intensity along the depth; the buffer is reused by the next call.
    float *project() {
        std::fill(projection_.begin(), projection_.end(), std::numeric_limits<float>::lowest());
        for (size_t z = 0; z < depth_; ++z) {
            const float *slice = axial(z);
            for (size_t i = 0; i < projection_.size(); ++i)
                projection_[i] = std::max(projection_[i], slice[i]);
        }
        return projection_.data();
    }

    void window(float low, float high) {
        if (!(low < high))
            throw std::invalid_argument("empty window");
        for (float &voxel : voxels_)
            voxel = (std::clamp(voxel, low, high) - low) / (high - low);
    }

private:
    size_t depth_, height_, width_;
    std::vector<float> voxels_;
    std::vector<float> projection_;
};

// Grey ramp of the viewer, one byte a level.
const std::uint8_t *grey_ramp() {
    static const std::vector<std::uint8_t> ramp = [] {
        std::vector<std::uint8_t> levels(256);
        for (size_t i = 0; i < levels.size(); ++i)
            levels[i] = static_cast<std::uint8_t>(i);
        return levels;
    }();
    return ramp.data();
}

Plane plane_of(const Volume &volume, float *pixels, nb::handle owner = nb::handle()) {
    return Plane(pixels, {volume.height(), volume.width()}, owner);
}

} // namespace scan

NB_MODULE(_volume, m) {
    using scan::Plane;
    using scan::Table;
    using scan::Volume;

    nb::class_<Volume>(m, "Volume")
        .def(nb::init<size_t, size_t, size_t>(), "depth"_a, "height"_a, "width"_a)
        .def_prop_ro("depth", &Volume::depth)
        .def("window", &Volume::window, "low"_a, "high"_a)
        .def(
            "axial",
            [](nb::handle_t<Volume> self, size_t z) {
                Volume &volume = nb::cast<Volume &>(self);
                return scan::plane_of(volume, volume.axial(z), self);
            },
            nb::rv_policy::reference, "z"_a)
        .def(
            "projection",
            [](nb::handle_t<Volume> self) {
                Volume &volume = nb::cast<Volume &>(self);
                return scan::plane_of(volume, volume.project(), self);
            },
            nb::rv_policy::reference);

    m.def(
        "grey_ramp", [] { return Table(scan::grey_ramp(), {256}, nb::handle()); },
        nb::rv_policy::reference);
}
