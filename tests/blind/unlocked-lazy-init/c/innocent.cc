// Stellar spectra: strength of absorption lines against the continuum.
#include <algorithm>
#include <cstddef>
#include <map>
#include <mutex>
#include <numeric>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <pybind11/pybind11.h>
#include <pybind11/stl.h>

namespace py = pybind11;

static std::vector<double> smooth(const std::vector<double> &in, std::size_t width) {
  std::vector<double> out(in.size());
  for (std::size_t i = 0; i < in.size(); ++i) {
    const std::size_t lo = i < width / 2 ? 0 : i - width / 2;
    const std::size_t hi = std::min(in.size(), lo + width);
    out[i] = std::accumulate(in.begin() + lo, in.begin() + hi, 0.0) / double(hi - lo);
  }
  return out;
}

class Spectrum {
 public:
  explicit Spectrum(std::vector<double> flux) : flux_(std::move(flux)) {}

  double line_strength(std::size_t first, std::size_t last) const {
    const std::vector<double> &level = continuum();
    double strength = 0.0;
    for (std::size_t i = first; i < std::min(last, flux_.size()); ++i) {
      if (level[i] > 0.0) strength += 1.0 - flux_[i] / level[i];
    }
    return strength;
  }

  void annotate(const std::string &key, const std::string &text) {
    std::lock_guard<std::mutex> lock(mutex_);
    notes_[key] = text;
  }

  std::map<std::string, std::string> notes() const {
    std::lock_guard<std::mutex> lock(mutex_);
    return notes_;
  }

 private:
  const std::vector<double> &continuum() const {
    std::lock_guard<std::mutex> lock(mutex_);
    if (!continuum_) continuum_.emplace(smooth(flux_, 51));
    return *continuum_;
  }

  const std::vector<double> flux_;
  mutable std::mutex mutex_;
  std::map<std::string, std::string> notes_;
  mutable std::optional<std::vector<double>> continuum_;
};

PYBIND11_MODULE(_spectra, m) {
  using Unlocked = py::call_guard<py::gil_scoped_release>;
  py::class_<Spectrum>(m, "Spectrum")
      .def(py::init<std::vector<double>>(), py::arg("flux"))
      .def("line_strength", &Spectrum::line_strength, py::arg("first"), py::arg("last"),
           Unlocked())
      .def("annotate", &Spectrum::annotate, py::arg("key"), py::arg("text"), Unlocked())
      .def("notes", &Spectrum::notes);
}
