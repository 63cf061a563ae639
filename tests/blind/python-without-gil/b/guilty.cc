#include <pybind11/numpy.h>
#include <pybind11/pybind11.h>

#include <cmath>
#include <string>
#include <vector>

namespace py = pybind11;

struct Peak {
  size_t index;
  float height;
};

class Analyzer {
 public:
  explicit Analyzer(float threshold) : threshold_(threshold) {}

  void feed(const std::string& pcm) {
    for (unsigned char c : pcm) samples_.push_back((static_cast<int>(c) - 128) / 128.0f);
  }

  std::vector<Peak> peaks() const {
    std::vector<Peak> out;
    for (size_t i = 1; i + 1 < samples_.size(); ++i) {
      const float a = std::fabs(samples_[i]);
      if (a > threshold_ && a >= std::fabs(samples_[i - 1]) && a > std::fabs(samples_[i + 1]))
        out.push_back({i, a});
    }
    return out;
  }

  py::dict summary() const {
    const std::vector<Peak> found = peaks();
    double sum = 0;
    for (const Peak& p : found) sum += p.height;
    return describe(found.size(), found.empty() ? 0.0 : sum / found.size());
  }

 private:
  static py::dict describe(size_t count, double mean) {
    py::dict d;
    d["count"] = count;
    d["mean_height"] = mean;
    return d;
  }

  float threshold_;
  std::vector<float> samples_;
};

using NoGil = py::call_guard<py::gil_scoped_release>;

PYBIND11_MODULE(_peaks, m) {
  py::class_<Analyzer>(m, "Analyzer")
      .def(py::init<float>(), py::arg("threshold") = 0.5f)
      .def("feed", &Analyzer::feed, NoGil())
      .def("count", [](const Analyzer& a) { return a.peaks().size(); }, NoGil())
      .def("summary", &Analyzer::summary, NoGil());
}
