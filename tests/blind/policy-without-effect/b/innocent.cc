#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace nb = nanobind;

namespace canvas {

class Style {
 public:
  float opacity() const { return opacity_; }
  void set_opacity(float v) { opacity_ = v < 0.f ? 0.f : v > 1.f ? 1.f : v; }
  const std::string& blend() const { return blend_; }
  void set_blend(std::string v) { blend_ = std::move(v); }

 private:
  float opacity_ = 1.f;
  std::string blend_ = "normal";
};

class Layer {
 public:
  Layer(int width, int height) : pixels_(static_cast<size_t>(width) * height, 0xff) {}

  Style& style() { return style_; }
  void set_style(const Style& style) { style_ = style; }

  uint32_t coverage() const {
    double sum = 0;
    for (uint8_t p : pixels_) sum += p * style_.opacity();
    return static_cast<uint32_t>(sum / 255.0);
  }

 private:
  std::vector<uint8_t> pixels_;
  Style style_;
};

}  // namespace canvas

static void register_style(nb::module_& m) {
  nb::class_<canvas::Style>(m, "Style")
      .def(nb::init<>())
      .def_prop_rw("opacity", &canvas::Style::opacity, &canvas::Style::set_opacity)
      .def_prop_rw("blend", &canvas::Style::blend, &canvas::Style::set_blend);
}

static void register_layer(nb::module_& m) {
  nb::class_<canvas::Layer>(m, "Layer")
      .def(nb::init<int, int>(), nb::arg("width"), nb::arg("height"))
      .def_prop_ro("style", &canvas::Layer::style, nb::rv_policy::reference_internal)
      .def("set_style", &canvas::Layer::set_style, nb::arg("style"))
      .def("coverage", &canvas::Layer::coverage);
}

NB_MODULE(_canvas, m) {
  register_style(m);
  register_layer(m);
}
