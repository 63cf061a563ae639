#include <pybind11/pybind11.h>

#include <cstddef>
#include <list>
#include <map>
#include <memory>
#include <string>

namespace py = pybind11;

namespace native {
struct Region {
  std::size_t begin = 0;
  std::size_t end = 0;
};

struct Module {
  std::list<Region> regions;
  bool contains(const Region* region) const {
    for (const Region& r : regions) {
      if (&r == region) return true;
    }
    return false;
  }
  void canonicalize() {
    regions.remove_if([](const Region& r) { return r.begin == r.end; });
  }
};
}  // namespace native

class PyRegion {
 public:
  PyRegion(std::shared_ptr<native::Module> module, native::Region* region)
      : module_(std::move(module)), region_(region) {
    auto old = live().find(region_);
    if (old != live().end()) old->second->invalidate();
    live().emplace(region_, this);
  }
  PyRegion(const PyRegion&) = delete;
  PyRegion& operator=(const PyRegion&) = delete;
  ~PyRegion() {
    if (valid_) live().erase(region_);
  }

  std::size_t length() const {
    if (!valid_ || !module_->contains(region_)) throw py::value_error("region was erased");
    return region_->end - region_->begin;
  }

  void invalidate() {
    if (!valid_) return;
    live().erase(region_);
    valid_ = false;
  }

 private:
  static std::map<native::Region*, PyRegion*>& live() {
    static std::map<native::Region*, PyRegion*> regions;
    return regions;
  }

  std::shared_ptr<native::Module> module_;
  native::Region* region_;
  bool valid_ = true;
};

PYBIND11_MODULE(_regions, m) {
  using native::Module;
  py::class_<PyRegion>(m, "Region")
      .def("__len__", &PyRegion::length)
      .def("invalidate", &PyRegion::invalidate);
  py::class_<Module, std::shared_ptr<Module>>(m, "Module")
      .def(py::init<>())
      .def("canonicalize", &Module::canonicalize)
      .def("add", [](std::shared_ptr<Module> self, std::size_t begin, std::size_t end) {
        if (end < begin) throw py::value_error("negative region");
        self->regions.push_back({begin, end});
        native::Region* region = &self->regions.back();
        return std::make_unique<PyRegion>(std::move(self), region);
      });
}
