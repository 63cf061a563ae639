#include <pybind11/pybind11.h>
#include <pybind11/stl.h>

#include <array>
#include <cstddef>
#include <string>
#include <vector>

namespace py = pybind11;
using namespace py::literals;

using Point = std::array<double, 3>;

class VertexView {
 public:
  VertexView(const std::vector<Point>* points, std::size_t stride)
      : points_(points), stride_(stride) {}
  std::size_t size() const { return points_->size() / stride_; }
  Point at(std::size_t i) const { return points_->at(i * stride_); }

 private:
  const std::vector<Point>* points_;
  std::size_t stride_;
};

class Mesh {
 public:
  void add(const Point& p) { points_.push_back(p); }
  VertexView vertices() const { return VertexView(&points_, 1); }
  VertexView decimated(std::size_t stride) const { return VertexView(&points_, stride ? stride : 1); }

 private:
  std::vector<Point> points_;
};

static void bind_view(py::module_& m) {
  py::class_<VertexView>(m, "VertexView")
      .def("__len__", &VertexView::size)
      .def("__getitem__", [](const VertexView& v, std::size_t i) {
        if (i >= v.size()) throw py::index_error();
        return v.at(i);
      });
}

static void bind_mesh(py::module_& m) {
  py::class_<Mesh>(m, "Mesh")
      .def(py::init<>())
      .def("add", &Mesh::add, "point"_a)
      .def("decimated", &Mesh::decimated, "stride"_a, py::keep_alive<0, 1>())
      .def_property_readonly("vertices", &Mesh::vertices,
                             py::keep_alive<0, 1>(), "View of the vertices");
}

PYBIND11_MODULE(_mesh, m) {
  bind_view(m);
  bind_mesh(m);
}
