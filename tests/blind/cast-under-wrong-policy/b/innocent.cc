#include <pybind11/pybind11.h>

#include <deque>
#include <string>

namespace py = pybind11;

namespace dsp {

class Filter {
 public:
  Filter(std::string name, double cutoff) : name_(std::move(name)), cutoff_(cutoff) {}
  const std::string& name() const { return name_; }
  double cutoff() const { return cutoff_; }
  void set_cutoff(double hz) { cutoff_ = hz; }

 private:
  std::string name_;
  double cutoff_;
};

class Chain {
 public:
  Chain() {
    for (int i = 0; i < 4; ++i) stages_.emplace_back("band" + std::to_string(i), 200.0 * (1 << i));
  }
  std::deque<Filter>& stages() { return stages_; }
  double process(double sample) const {
    for (const Filter& f : stages_) sample *= f.cutoff() / (f.cutoff() + 1.0);
    return sample;
  }

 private:
  std::deque<Filter> stages_;
};

py::tuple all_stages(py::object self) {
  auto& chain = self.cast<Chain&>();
  py::tuple out(chain.stages().size());
  size_t i = 0;
  for (Filter& f : chain.stages()) {
    out[i++] = py::cast(&f, py::return_value_policy::reference_internal, self);
  }
  return out;
}

}  // namespace dsp

PYBIND11_MODULE(_dsp, m) {
  using namespace dsp;
  py::class_<Filter>(m, "Filter")
      .def_property_readonly("name", &Filter::name)
      .def_property("cutoff", &Filter::cutoff, &Filter::set_cutoff);
  py::class_<Chain>(m, "Chain")
      .def(py::init<>())
      .def("process", &Chain::process)
      .def_property_readonly("stages", &all_stages);
}
