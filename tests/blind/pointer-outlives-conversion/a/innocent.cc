#include <pybind11/numpy.h>
#include <pybind11/pybind11.h>

#include <cstddef>
#include <vector>

namespace py = pybind11;

using FloatArray = py::array_t<float, py::array::c_style | py::array::forcecast>;

class Kernel {
 public:
  explicit Kernel(float gain) : gain_(gain) {}

  py::array_t<float> convolve(FloatArray signal, py::object kernel) const {
    const FloatArray tap_array(kernel);
    const py::ssize_t tap_count = tap_array.size();
    if (tap_count == 0) throw py::value_error("kernel must not be empty");
    if (signal.ndim() != 1) throw py::value_error("signal must be one-dimensional");

    const float* taps = tap_array.data();
    const float* in = signal.data();
    const py::ssize_t count = signal.size();

    py::array_t<float> result(count);
    float* out = result.mutable_data();
    for (py::ssize_t i = 0; i < count; ++i) {
      float acc = 0.0f;
      for (py::ssize_t k = 0; k < tap_count && k <= i; ++k) {
        acc += taps[k] * in[i - k];
      }
      out[i] = gain_ * acc;
    }
    return result;
  }

  float gain() const { return gain_; }

 private:
  float gain_;
};

PYBIND11_MODULE(_fir, m) {
  py::class_<Kernel>(m, "Kernel")
      .def(py::init<float>(), py::arg("gain") = 1.0f)
      .def("convolve", &Kernel::convolve, py::arg("signal"), py::arg("kernel"))
      .def_property_readonly("gain", &Kernel::gain);
}
