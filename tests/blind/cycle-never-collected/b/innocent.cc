#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>

#include <string>
#include <utility>
#include <vector>

namespace nb = nanobind;

namespace bus {

class Observable {
 public:
  void subscribe(nb::callable fn) { listeners_.push_back(std::move(fn)); }
  void unsubscribe_all() { std::exchange(listeners_, {}); }
  size_t listeners() const { return listeners_.size(); }
  const std::vector<nb::callable>& all() const { return listeners_; }

 protected:
  template <typename... Args>
  void notify(Args&&... args) {
    const auto now = listeners_;
    for (const auto& fn : now) fn(args...);
  }

 private:
  std::vector<nb::callable> listeners_;
};

class Sensor : public Observable {
 public:
  explicit Sensor(std::string unit) : unit_(std::move(unit)) {}
  void push(double value) {
    last_ = value;
    notify(value, unit_);
  }
  double last() const { return last_; }

 private:
  std::string unit_;
  double last_ = 0;
};

int sensor_traverse(PyObject* self, visitproc visit, void* arg) {
#if PY_VERSION_HEX >= 0x03090000
  Py_VISIT(Py_TYPE(self));
#endif
  if (!nb::inst_ready(self)) return 0;
  for (const auto& fn : nb::inst_ptr<Sensor>(self)->all()) Py_VISIT(fn.ptr());
  return 0;
}

int sensor_clear(PyObject* self) {
  if (nb::inst_ready(self)) nb::inst_ptr<Sensor>(self)->unsubscribe_all();
  return 0;
}

PyType_Slot sensor_slots[] = {
    {Py_tp_traverse, (void*)sensor_traverse},
    {Py_tp_clear, (void*)sensor_clear},
    {0, nullptr},
};

}  // namespace bus

NB_MODULE(_bus, m) {
  using bus::Sensor;
  nb::class_<Sensor>(m, "Sensor", nb::type_slots(bus::sensor_slots))
      .def(nb::init<std::string>(), nb::arg("unit"))
      .def("subscribe", [](Sensor& s, nb::callable fn) { s.subscribe(std::move(fn)); })
      .def("unsubscribe_all", [](Sensor& s) { s.unsubscribe_all(); })
      .def("push", &Sensor::push, nb::arg("value"))
      .def_prop_ro("last", &Sensor::last)
      .def("__len__", [](const Sensor& s) { return s.listeners(); });
}
