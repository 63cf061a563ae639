#include <pybind11/pybind11.h>
#include <pybind11/stl.h>

#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace py = pybind11;

namespace cartography {

struct Layer {
  std::string title;
  int zoom_min = 0;
  int zoom_max = 18;
  std::vector<std::pair<double, double>> outline;

  double span() const { return static_cast<double>(zoom_max - zoom_min); }
};

class Atlas {
 public:
  explicit Atlas(std::string region) : region_(std::move(region)) {}

  Layer &add(const std::string &title, int zoom_min, int zoom_max) {
    layers_.push_back(std::make_unique<Layer>());
    Layer &layer = *layers_.back();
    layer.title = title;
    layer.zoom_min = zoom_min;
    layer.zoom_max = zoom_max;
    return layer;
  }

  template <typename Visit>
  void each_at(int zoom, Visit &&visit) {
    for (auto &layer : layers_) {
      if (zoom >= layer->zoom_min && zoom <= layer->zoom_max) visit(*layer);
    }
  }

  const std::string &region() const { return region_; }
  size_t size() const { return layers_.size(); }

 private:
  std::string region_;
  std::vector<std::unique_ptr<Layer>> layers_;
};

}  // namespace cartography

using cartography::Atlas;
using cartography::Layer;

PYBIND11_MODULE(_atlas, m) {
  py::class_<Layer>(m, "Layer")
      .def_readwrite("title", &Layer::title)
      .def_readonly("zoom_min", &Layer::zoom_min)
      .def_readonly("zoom_max", &Layer::zoom_max)
      .def_readwrite("outline", &Layer::outline)
      .def("span", &Layer::span);

  py::class_<Atlas>(m, "Atlas")
      .def(py::init<std::string>(), py::arg("region"))
      .def("add", &Atlas::add, py::arg("title"), py::arg("zoom_min") = 0,
           py::arg("zoom_max") = 18, py::return_value_policy::reference_internal)
      .def("layers_at",
           [](py::object self, int zoom) {
             py::list found;
             self.cast<Atlas &>().each_at(zoom, [&](Layer &layer) {
               found.append(py::cast(&layer, py::return_value_policy::reference));
             });
             return found;
           },
           py::arg("zoom"))
      .def_property_readonly("region", &Atlas::region)
      .def("__len__", &Atlas::size);
}
