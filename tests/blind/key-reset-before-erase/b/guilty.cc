#include <nanobind/nanobind.h>

#include <map>
#include <memory>
#include <utility>
#include <vector>

namespace nb = nanobind;

struct Surface {
  int width = 0;
  int height = 0;
};

class SurfaceHandle;

struct Registry {
  std::map<const Surface*, SurfaceHandle*> handles;

  static Registry& instance() {
    static Registry registry;
    return registry;
  }
};

class SurfaceHandle {
 public:
  explicit SurfaceHandle(Surface* surface) : surface_(surface) {
    Registry::instance().handles.emplace(surface_, this);
  }
  SurfaceHandle(const SurfaceHandle&) = delete;

  ~SurfaceHandle() {
    Registry::instance().handles.erase(surface_);
    delete surface_;
  }

  int area() const { return surface_ ? surface_->width * surface_->height : 0; }

  Surface* Detach() {
    if (!surface_) throw nb::value_error("surface is detached already");
    return std::exchange(surface_, nullptr);
  }

 private:
  Surface* surface_;
};

class Swapchain {
 public:
  void adopt(SurfaceHandle& handle) {
    std::unique_ptr<Surface> surface(handle.Detach());
    images_.push_back(std::move(surface));
  }
  int area(std::size_t i) const {
    const Surface* s = images_.at(i).get();
    auto it = Registry::instance().handles.find(s);
    return it == Registry::instance().handles.end() ? s->width * s->height : it->second->area();
  }

 private:
  std::vector<std::unique_ptr<Surface>> images_;
};

NB_MODULE(_swapchain, m) {
  nb::class_<SurfaceHandle>(m, "Surface")
      .def("__init__", [](SurfaceHandle* self, int w, int h) {
        auto surface = std::make_unique<Surface>(Surface{w, h});
        new (self) SurfaceHandle(surface.get());
        surface.release();
      })
      .def("area", &SurfaceHandle::area);
  nb::class_<Swapchain>(m, "Swapchain")
      .def(nb::init<>())
      .def("adopt", &Swapchain::adopt, nb::arg("surface"))
      .def("area", &Swapchain::area, nb::arg("index"));
}
