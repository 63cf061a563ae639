#include <nanobind/nanobind.h>

#include <array>
#include <cstddef>
#include <cstdint>

namespace nb = nanobind;

namespace {

struct Color {
  uint8_t r = 0, g = 0, b = 0;
  uint32_t packed() const { return (uint32_t(r) << 16) | (uint32_t(g) << 8) | b; }
};

template <std::size_t N>
class Palette {
 public:
  Color& entry(std::ptrdiff_t index) {
    if (index < 0) index += static_cast<std::ptrdiff_t>(N);
    if (index < 0 || index >= static_cast<std::ptrdiff_t>(N)) throw nb::index_error();
    return entries_[static_cast<std::size_t>(index)];
  }
  uint64_t digest() const {
    uint64_t h = 1469598103934665603ull;
    for (const Color& c : entries_) h = (h ^ c.packed()) * 1099511628211ull;
    return h;
  }

 private:
  std::array<Color, N> entries_{};
};

template <std::size_t N>
void bind_palette(nb::module_& m, const char* name) {
  using P = Palette<N>;
  nb::class_<P>(m, name)
      .def(nb::init<>())
      .def("__len__", [](const P&) { return N; })
      .def("__getitem__", [](P& self, std::ptrdiff_t i) -> Color& { return self.entry(i); })
      .def("digest", &P::digest);
}

}  // namespace

NB_MODULE(_palette, m) {
  nb::class_<Color>(m, "Color")
      .def(nb::init<>())
      .def_rw("r", &Color::r)
      .def_rw("g", &Color::g)
      .def_rw("b", &Color::b)
      .def("packed", &Color::packed);
  bind_palette<16>(m, "Palette16");
  bind_palette<256>(m, "Palette256");
}
