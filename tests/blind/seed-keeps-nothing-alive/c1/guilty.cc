// Python bindings of the offline map tiles.
#include <pybind11/pybind11.h>
#include <pybind11/stl.h>

#include <cstdint>
#include <map>
#include <memory>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace py = pybind11;

namespace maps {

struct LatLngBox {
  double south = 0, west = 0, north = 0, east = 0;
  bool Contains(double lat, double lng) const {
    return lat >= south && lat < north && lng >= west && lng < east;
  }
};

class Layer {
 public:
  Layer(std::string name, LatLngBox box) : name_(std::move(name)), box_(box) {}

  const std::string& name() const { return name_; }
  const LatLngBox& box() const { return box_; }
  bool visible() const { return visible_; }
  void set_visible(bool visible) { visible_ = visible; }

  void PutTile(int zoom, int column, int row, const std::string& png) {
    tiles_[Key(zoom, column, row)] = png;
  }

  // The PNG of the tile; empty when the layer has none there.
  std::string GetTile(int zoom, int column, int row) const {
    auto it = tiles_.find(Key(zoom, column, row));
    return it == tiles_.end() ? std::string() : it->second;
  }

 private:
  static uint64_t Key(int zoom, int column, int row) {
    return static_cast<uint64_t>(zoom) << 56 | static_cast<uint64_t>(column & 0xfffffff) << 28 |
           static_cast<uint64_t>(row & 0xfffffff);
  }

  std::string name_;
  LatLngBox box_;
  bool visible_ = true;
  std::map<uint64_t, std::string> tiles_;
};

class Atlas {
 public:
  Atlas() = default;
  Atlas(const Atlas&) = delete;
  Atlas& operator=(const Atlas&) = delete;

  Layer* AddLayer(const std::string& name, const LatLngBox& box) {
    if (Find(name) != nullptr) throw std::invalid_argument("layer exists: " + name);
    layers_.push_back(std::make_unique<Layer>(name, box));
    return layers_.back().get();
  }

  Layer* Find(const std::string& name) const {
    for (const auto& layer : layers_) {
      if (layer->name() == name) return layer.get();
    }
    return nullptr;
  }

  Layer* TopAt(double lat, double lng) const {
    for (auto it = layers_.rbegin(); it != layers_.rend(); ++it) {
      if ((*it)->visible() && (*it)->box().Contains(lat, lng)) return it->get();
    }
    return nullptr;
  }

  size_t size() const { return layers_.size(); }

 private:
  std::vector<std::unique_ptr<Layer>> layers_;
};

}  // namespace maps

PYBIND11_MODULE(_atlas, m) {
  using maps::Atlas;
  using maps::LatLngBox;
  using maps::Layer;

  py::class_<LatLngBox>(m, "LatLngBox")
      .def(py::init<>())
      .def_readwrite("south", &LatLngBox::south)
      .def_readwrite("west", &LatLngBox::west)
      .def_readwrite("north", &LatLngBox::north)
      .def_readwrite("east", &LatLngBox::east)
      .def("__contains__", [](const LatLngBox& box, const std::pair<double, double>& where) {
        return box.Contains(where.first, where.second);
      });

  py::class_<Layer>(m, "Layer")
      .def_property_readonly("name", &Layer::name)
      .def_property_readonly("box", &Layer::box)
      .def_property("visible", &Layer::visible, &Layer::set_visible)
      .def("put_tile",
           [](Layer& layer, int zoom, int column, int row, const py::bytes& png) {
             layer.PutTile(zoom, column, row, png);
           })
      .def("get_tile", [](const Layer& layer, int zoom, int column, int row) {
        return py::bytes(layer.GetTile(zoom, column, row));
      });

  py::class_<Atlas>(m, "Atlas")
      .def(py::init<>())
      .def("add_layer", &Atlas::AddLayer, py::arg("name"), py::arg("box"),
           py::return_value_policy::reference_internal)
      .def(
          "__getitem__",
          [](const Atlas& atlas, const std::string& name) {
            Layer* layer = atlas.Find(name);
            if (layer == nullptr) throw py::key_error(name);
            return layer;
          },
          py::return_value_policy::reference_internal)
      .def("top_at", &Atlas::TopAt, py::arg("lat"), py::arg("lng"),
           py::return_value_policy::reference)
      .def("__len__", &Atlas::size);
}
