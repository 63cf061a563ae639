// Window/level lookup tables for the radiology viewer.
#include <nanobind/nanobind.h>

#include <algorithm>
#include <compare>
#include <cstdint>
#include <map>
#include <mutex>
#include <shared_mutex>
#include <vector>

namespace nb = nanobind;

namespace viewer {

struct Window {
  int center;
  int width;
  auto operator<=>(const Window&) const = default;
};

struct Lut {
  uint8_t gray[1 << 16];
};

Lut* BuildLut(const Window& window) {
  Lut* lut = new Lut;
  const int low = window.center - window.width / 2;
  const int width = std::max(window.width, 1);
  for (int hu = 0; hu < (1 << 16); ++hu) {
    const int64_t scaled = int64_t{hu - 32768 - low} * 255 / width;
    lut->gray[hu] = static_cast<uint8_t>(std::clamp<int64_t>(scaled, 0, 255));
  }
  return lut;
}

class WindowLuts {
 public:
  WindowLuts() = default;
  WindowLuts(const WindowLuts&) = delete;
  WindowLuts& operator=(const WindowLuts&) = delete;

  ~WindowLuts() {
    for (const auto& [window, lut] : luts_) delete lut;
  }

  const Lut* For(const Window& window) {
    {
      std::shared_lock read(mu_);
      const auto it = luts_.find(window);
      if (it != luts_.end()) return it->second;
    }
    Lut* lut = BuildLut(window);
    std::unique_lock write(mu_);
    luts_.insert_or_assign(window, lut);
    return lut;
  }

  size_t size() const {
    std::shared_lock read(mu_);
    return luts_.size();
  }

 private:
  mutable std::shared_mutex mu_;
  std::map<Window, Lut*> luts_;
};

class Viewer {
 public:
  int Gray(int center, int width, int hu) {
    const int index = std::clamp(hu + 32768, 0, (1 << 16) - 1);
    return luts_.For({center, width})->gray[index];
  }

  size_t cached_windows() const { return luts_.size(); }

 private:
  WindowLuts luts_;
};

}  // namespace viewer

NB_MODULE(_viewer, m) {
  using viewer::Viewer;
  nb::class_<Viewer>(m, "Viewer")
      .def(nb::init<>())
      .def("gray", &Viewer::Gray, nb::arg("center"), nb::arg("width"),
           nb::arg("hu"), nb::call_guard<nb::gil_scoped_release>())
      .def_prop_ro("cached_windows", &Viewer::cached_windows);
}
