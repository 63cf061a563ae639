#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>

#include <cstdint>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

namespace nb = nanobind;

namespace texture {

enum class Format { Gray, Rgba };

class Image {
 public:
  Image(Format f, int w, int h) : format_(f), width_(w), height_(h), data_(size_t(w) * h * stride()) {}
  int width() const { return width_; }
  int height() const { return height_; }
  uint8_t* row(int y) { return data_.data() + size_t(y) * width_ * stride(); }
  int stride() const { return format_ == Format::Gray ? 1 : 4; }

 private:
  Format format_;
  int width_, height_;
  std::vector<uint8_t> data_;
};

nb::object checkerboard(int size, const std::string& format, int cell) {
  if (size <= 0 || cell <= 0) throw nb::value_error("sizes are positive");
  const Format f = format == "rgba" ? Format::Rgba : Format::Gray;
  auto* image = new Image(f, size, size);
  const int step = image->stride();
  for (int y = 0; y < size; ++y) {
    uint8_t* out = image->row(y);
    for (int x = 0; x < size; ++x)
      for (int c = 0; c < step; ++c) *out++ = ((x / cell + y / cell) & 1) ? 255 : 0;
  }
  return nb::cast(image, nb::rv_policy::take_ownership);
}

}  // namespace texture

NB_MODULE(_texture, m) {
  nb::class_<texture::Image>(m, "Image")
      .def_prop_ro("width", &texture::Image::width)
      .def_prop_ro("height", &texture::Image::height);
  m.def("checkerboard", &texture::checkerboard, nb::arg("size"), nb::arg("format") = "gray",
        nb::arg("cell") = 8);
}
