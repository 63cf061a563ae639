#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>

#include <algorithm>
#include <cstddef>
#include <string>
#include <utility>
#include <vector>

namespace nb = nanobind;

namespace synth {

struct Range {
  double low = 0.0;
  double high = 1.0;
  double clamp(double value) const { return std::clamp(value, low, high); }
};

// A named number that reports its changes to Python observers.
class Parameter {
 public:
  Parameter(std::string name, Range range) : name_(std::move(name)), range_(range) {}

  const std::string& name() const { return name_; }
  double value() const { return value_; }
  std::size_t observer_count() const { return observers_.size(); }

  void observe(nb::callable observer) { observers_.push_back(std::move(observer)); }

  void set(double value) {
    value = range_.clamp(value);
    if (value == value_) return;
    value_ = value;
    const std::vector<nb::callable> current = observers_;
    for (const nb::callable& observer : current) observer(name_, value_);
  }

  const std::vector<nb::callable>& observers() const { return observers_; }
  void unobserve_all() { const auto dropped = std::exchange(observers_, {}); }

 private:
  std::string name_;
  Range range_;
  double value_ = 0.0;
  std::vector<nb::callable> observers_;
};

int parameter_traverse(PyObject* self, visitproc visit, void* arg) {
  Py_VISIT(Py_TYPE(self));
  if (!nb::inst_ready(self)) return 0;
  for (const nb::callable& observer : nb::inst_ptr<Parameter>(self)->observers()) {
    Py_VISIT(observer.ptr());
  }
  return 0;
}

int parameter_clear(PyObject* self) {
  if (nb::inst_ready(self)) nb::inst_ptr<Parameter>(self)->unobserve_all();
  return 0;
}

PyType_Slot parameter_slots[] = {
    {Py_tp_traverse, (void*)parameter_traverse},
    {Py_tp_clear, (void*)parameter_clear},
    {0, nullptr},
};

void bind_range(nb::module_& m) {
  nb::class_<Range>(m, "Range")
      .def(nb::init<>())
      .def_rw("low", &Range::low)
      .def_rw("high", &Range::high)
      .def("clamp", &Range::clamp);
}

void bind_parameter(nb::module_& m) {
  nb::class_<Parameter>(m, "Parameter", nb::type_slots(parameter_slots))
      .def(nb::init<std::string, Range>(), nb::arg("name"), nb::arg("range"))
      .def_prop_ro("name", &Parameter::name)
      .def_prop_rw("value", &Parameter::value, &Parameter::set)
      .def_prop_ro("observer_count", &Parameter::observer_count)
      .def("observe", &Parameter::observe, nb::arg("observer"))
      .def("unobserve_all", &Parameter::unobserve_all);
}

}  // namespace synth

NB_MODULE(_synth, m) {
  synth::bind_range(m);
  synth::bind_parameter(m);
}
