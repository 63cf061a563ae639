#include <pybind11/numpy.h>
#include <pybind11/pybind11.h>

#include <cstddef>
#include <vector>

namespace py = pybind11;

namespace geo {

class PointCloud {
 public:
  void add(double x, double y) { xy_.push_back(x); xy_.push_back(y); }
  size_t size() const { return xy_.size() / 2; }
  double x(size_t i) const { return xy_[2 * i]; }
  double y(size_t i) const { return xy_[2 * i + 1]; }

 private:
  std::vector<double> xy_;
};

class NearestIndex {
 public:
  NearestIndex(const PointCloud& cloud, size_t leaf_size) : cloud_(cloud), leaf_(leaf_size) {}

  ptrdiff_t query(double x, double y) const {
    ptrdiff_t best = -1;
    double distance = 0;
    for (size_t i = 0; i < cloud_.size(); ++i) {
      const double dx = cloud_.x(i) - x, dy = cloud_.y(i) - y;
      const double d = dx * dx + dy * dy;
      if (best < 0 || d < distance) {
        best = static_cast<ptrdiff_t>(i);
        distance = d;
      }
    }
    return best;
  }
  size_t leaf_size() const { return leaf_; }

 private:
  const PointCloud& cloud_;
  size_t leaf_;
};

}  // namespace geo

PYBIND11_MODULE(_nearest, m) {
  using namespace geo;
  py::class_<PointCloud>(m, "PointCloud")
      .def(py::init<>())
      .def("add", &PointCloud::add)
      .def("__len__", &PointCloud::size);
  py::class_<NearestIndex>(m, "NearestIndex")
      .def(py::init<const PointCloud&, size_t>(), py::arg("cloud"), py::arg("leaf_size") = 16,
           py::keep_alive<1, 2>())
      .def("query", &NearestIndex::query)
      .def_property_readonly("leaf_size", &NearestIndex::leaf_size);
}
