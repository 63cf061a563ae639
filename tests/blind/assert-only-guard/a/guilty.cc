#include <pybind11/pybind11.h>
#include <pybind11/stl.h>

#include <cassert>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace py = pybind11;

class Histogram {
 public:
  Histogram(double lo, double hi, std::size_t bins) : lo_(lo), hi_(hi), counts_(bins, 0) {
    if (!(lo < hi) || bins == 0) throw py::value_error("empty histogram range");
  }

  void fill(double value) {
    if (!(value >= lo_) || value >= hi_) {
      ++overflow_;
      return;
    }
    const double position = (value - lo_) / (hi_ - lo_) * static_cast<double>(counts_.size());
    std::size_t bin = static_cast<std::size_t>(position);
    if (bin >= counts_.size()) bin = counts_.size() - 1;
    ++counts_[bin];
  }

  std::size_t size() const { return counts_.size(); }
  uint64_t& operator[](std::size_t bin) { return counts_[bin]; }
  uint64_t overflow() const { return overflow_; }

 private:
  double lo_;
  double hi_;
  std::vector<uint64_t> counts_;
  uint64_t overflow_ = 0;
};

PYBIND11_MODULE(_histogram, m) {
  py::class_<Histogram>(m, "Histogram")
      .def(py::init<double, double, std::size_t>(), py::arg("lo"), py::arg("hi"), py::arg("bins"))
      .def("fill", &Histogram::fill, py::arg("value"))
      .def("__len__", &Histogram::size)
      .def("__getitem__",
           [](Histogram& self, std::size_t index) {
             assert(index < self.size());
             return self[index];
           })
      .def_property_readonly("overflow", &Histogram::overflow);
}
