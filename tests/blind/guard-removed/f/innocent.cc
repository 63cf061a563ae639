#include <pybind11/pybind11.h>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <stdexcept>
#include <string>
#include <vector>

namespace py = pybind11;

namespace video {

struct Plane {
  std::size_t width = 0;
  std::size_t height = 0;
  std::vector<std::uint8_t> data;

  std::size_t bytes() const { return data.size(); }
};

enum class Layout { kGray, kYuv420 };

// Planar 8-bit frame; planes keep their size for the life of the frame.
class FrameBuffer {
 public:
  FrameBuffer(std::size_t width, std::size_t height, Layout layout) {
    if (width == 0 || height == 0) throw std::invalid_argument("empty frame");
    add_plane(width, height);
    if (layout == Layout::kYuv420) {
      add_plane((width + 1) / 2, (height + 1) / 2);
      add_plane((width + 1) / 2, (height + 1) / 2);
    }
  }

  std::size_t planes() const { return planes_.size(); }

  void load_plane(std::size_t index, const py::buffer& source) {
    Plane& plane = checked(index);
    const py::buffer_info info = source.request();
    if (!PyBuffer_IsContiguous(info.view(), 'C')) {
      throw std::invalid_argument("the buffer must be C-contiguous");
    }
    if (static_cast<std::size_t>(info.size * info.itemsize) != plane.bytes()) {
      throw std::invalid_argument("the buffer must have " + std::to_string(plane.bytes()) +
                                  " bytes");
    }
    std::memcpy(plane.data.data(), info.ptr, plane.bytes());
  }

  void fill_plane(std::size_t index, std::uint8_t value) {
    Plane& plane = checked(index);
    std::memset(plane.data.data(), value, plane.bytes());
  }

  py::bytes plane_bytes(std::size_t index) {
    const Plane& plane = checked(index);
    return py::bytes(reinterpret_cast<const char*>(plane.data.data()), plane.bytes());
  }

  double mean(std::size_t index) {
    const Plane& plane = checked(index);
    double total = 0;
    for (std::uint8_t value : plane.data) total += value;
    return total / static_cast<double>(plane.bytes());
  }

 private:
  void add_plane(std::size_t width, std::size_t height) {
    if (width > SIZE_MAX / height) throw std::length_error("frame too large");
    planes_.push_back({width, height, std::vector<std::uint8_t>(width * height)});
  }

  Plane& checked(std::size_t index) {
    if (index >= planes_.size()) throw py::index_error("no plane " + std::to_string(index));
    return planes_[index];
  }

  std::vector<Plane> planes_;
};

}  // namespace video

PYBIND11_MODULE(_video, m) {
  using video::FrameBuffer;
  py::enum_<video::Layout>(m, "Layout")
      .value("GRAY", video::Layout::kGray)
      .value("YUV420", video::Layout::kYuv420);
  py::class_<FrameBuffer>(m, "FrameBuffer")
      .def(py::init<std::size_t, std::size_t, video::Layout>())
      .def_property_readonly("planes", &FrameBuffer::planes)
      .def("load_plane", &FrameBuffer::load_plane)
      .def("fill_plane", &FrameBuffer::fill_plane)
      .def("plane_bytes", &FrameBuffer::plane_bytes)
      .def("mean", &FrameBuffer::mean);
}
