#include <pybind11/pybind11.h>

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

namespace py = pybind11;

namespace paint {

class Document;

class Layer {
 public:
  Layer(const std::shared_ptr<Document>& document, std::string name)
      : document_(document), name_(std::move(name)) {}
  std::shared_ptr<Document> document() const { return document_.lock(); }
  const std::string& name() const { return name_; }
  double opacity = 1.0;

 private:
  std::weak_ptr<Document> document_;
  std::string name_;
};

class Document {
 public:
  Document(int width, int height) : width_(width), height_(height) {}
  void add_layer(Layer* layer) {
    if (std::find(layers_.begin(), layers_.end(), layer) == layers_.end()) layers_.push_back(layer);
  }
  double coverage() const {
    double rest = 1.0;
    for (const Layer* l : layers_) rest *= 1.0 - l->opacity;
    return 1.0 - rest;
  }
  int width() const { return width_; }
  int height() const { return height_; }

 private:
  int width_, height_;
  std::vector<Layer*> layers_;
};

}  // namespace paint

PYBIND11_MODULE(_paint, m) {
  using namespace paint;
  py::class_<Document, std::shared_ptr<Document>> document(m, "Document");
  py::class_<Layer>(m, "Layer")
      .def(py::init<const std::shared_ptr<Document>&, std::string>(), py::arg("document"),
           py::arg("name"), py::keep_alive<1, 2>())
      .def_property_readonly("document", &Layer::document)
      .def_property_readonly("name", &Layer::name)
      .def_readwrite("opacity", &Layer::opacity);
  document.def(py::init<int, int>())
      .def("add_layer", &Document::add_layer, py::arg("layer"), py::keep_alive<1, 2>())
      .def("coverage", &Document::coverage)
      .def_property_readonly("width", &Document::width)
      .def_property_readonly("height", &Document::height);
}
