#include <pybind11/numpy.h>
#include <pybind11/pybind11.h>
#include <pybind11/stl.h>

#include <stdexcept>
#include <vector>

namespace py = pybind11;

namespace {

struct Bezier {
  double x[4];
  double y[4];
};

void eval(const Bezier& c, double t, double* out) {
  const double u = 1.0 - t;
  const double b0 = u * u * u, b1 = 3 * u * u * t, b2 = 3 * u * t * t, b3 = t * t * t;
  out[0] = b0 * c.x[0] + b1 * c.x[1] + b2 * c.x[2] + b3 * c.x[3];
  out[1] = b0 * c.y[0] + b1 * c.y[1] + b2 * c.y[2] + b3 * c.y[3];
}

py::array_t<double> flatten(const Bezier& curve, int steps) {
  if (steps < 2) throw std::invalid_argument("steps must be at least 2");
  std::vector<double> samples(static_cast<size_t>(steps) * 2);
  for (int i = 0; i < steps; ++i) {
    eval(curve, double(i) / (steps - 1), &samples[static_cast<size_t>(i) * 2]);
  }
  py::capsule base(samples.data(), [](void*) {});
  return py::array_t<double>({samples.size() / 2, size_t{2}}, samples.data(), base);
}

}  // namespace

PYBIND11_MODULE(_bezier, m) {
  py::class_<Bezier>(m, "Bezier")
      .def(py::init([](std::vector<double> x, std::vector<double> y) {
        if (x.size() != 4 || y.size() != 4) throw py::value_error("four control points expected");
        Bezier b;
        for (int i = 0; i < 4; ++i) {
          b.x[i] = x[i];
          b.y[i] = y[i];
        }
        return b;
      }))
      .def("flatten", &flatten, py::arg("steps") = 32);
}
