#include <pybind11/pybind11.h>

#include <cmath>
#include <cstddef>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace py = pybind11;

namespace telemetry {

struct Sample {
  double time;
  double value;
};

struct Mark {
  double time;
  std::string label;
};

// Immutable sequence of timed items.
template <typename T>
class Series {
 public:
  using const_iterator = typename std::vector<T>::const_iterator;

  explicit Series(std::vector<T> items) : items_(std::move(items)) {}

  const_iterator begin() const { return items_.begin(); }
  const_iterator end() const { return items_.end(); }
  std::size_t size() const { return items_.size(); }

  T at(std::ptrdiff_t index) const {
    const auto count = static_cast<std::ptrdiff_t>(items_.size());
    if (index < 0) index += count;
    if (index < 0 || index >= count) throw py::index_error();
    return items_[static_cast<std::size_t>(index)];
  }

  Series between(double first, double last) const {
    std::vector<T> kept;
    for (const T& item : items_) {
      if (item.time >= first && item.time < last) kept.push_back(item);
    }
    return Series(std::move(kept));
  }

 private:
  std::vector<T> items_;
};

Series<Sample> sine(std::size_t count, double rate) {
  if (!(rate > 0)) throw std::invalid_argument("rate must be positive");
  std::vector<Sample> samples;
  samples.reserve(count);
  for (std::size_t i = 0; i < count; ++i) {
    const double time = static_cast<double>(i) / rate;
    samples.push_back({time, std::sin(time)});
  }
  return Series<Sample>(std::move(samples));
}

template <typename T>
void bind_series(py::module_& m, const char* name) {
  using S = Series<T>;
  py::class_<S>(m, name)
      .def("__len__", &S::size)
      .def("__getitem__", &S::at, py::arg("index"))
      .def("between", &S::between, py::arg("first"), py::arg("last"))
      .def("__iter__",
           [](const S& self) { return py::make_iterator(self.begin(), self.end()); },
           py::keep_alive<0, 1>());
}

}  // namespace telemetry

PYBIND11_MODULE(_telemetry, m) {
  using namespace telemetry;
  py::class_<Sample>(m, "Sample")
      .def_readonly("time", &Sample::time)
      .def_readonly("value", &Sample::value);
  py::class_<Mark>(m, "Mark")
      .def_readonly("time", &Mark::time)
      .def_readonly("label", &Mark::label);
  bind_series<Sample>(m, "SampleSeries");
  bind_series<Mark>(m, "MarkSeries");
  m.def("sine", &sine, py::arg("count"), py::arg("rate"));
}
