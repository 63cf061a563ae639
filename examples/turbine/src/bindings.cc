#include <pybind11/pybind11.h>
#include <pybind11/stl.h>

#include "turbine.h"

namespace py = pybind11;

namespace turbine {

PYBIND11_MODULE(turbine_native, m) {
  py::class_<Blade>(m, "Blade").def_property_readonly("length", &Blade::length);
  py::class_<Rotor>(m, "Rotor").def("speed", &Rotor::speed);
  py::class_<Nacelle>(m, "Nacelle").def("tilt", &Nacelle::tilt);
  py::class_<BladeView>(m, "BladeView").def("__len__", &BladeView::size);
  py::class_<Snapshot>(m, "Snapshot").def("name", &Snapshot::name);

  py::class_<Turbine>(m, "Turbine")
      .def(py::init<std::string>())
      // The rotor is a part of the turbine, and `reference` keeps nothing alive.
      .def("rotor", &Turbine::rotor, py::return_value_policy::reference)
      // Innocent: the nacelle keeps its turbine alive.
      .def("nacelle", &Turbine::nacelle, py::return_value_policy::reference_internal)
      // The iterator walks the turbine's own vector.
      .def("blades", [](Turbine& self) { return py::make_iterator(self.blades().begin(), self.blades().end()); })
      // Innocent: the iterator keeps its turbine alive.
      .def(
          "__iter__", [](Turbine& self) { return py::make_iterator(self.blades().begin(), self.blades().end()); },
          py::keep_alive<0, 1>())
      // The view is moved into Python; the turbine that it refers to is not.
      .def("view", [](Turbine& self) { return BladeView(self); })
      // Innocent: a snapshot owns all it says.
      .def("snapshot", [](Turbine& self) { return Snapshot(self); });
}

}  // namespace turbine
