#include <nanobind/nanobind.h>
#include <nanobind/stl/function.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>

#include "world.h"

namespace nb = nanobind;
using warehouse::BodyView;
using warehouse::World;

NB_MODULE(_warehouse, m) {
  nb::class_<BodyView>(m, "Body")
      .def_ro("name", &BodyView::name)
      .def_prop_ro("x", [](const BodyView& self) { return self.Get().x; })
      .def_prop_ro("y", [](const BodyView& self) { return self.Get().y; })
      .def("push", [](const BodyView& self, double fx, double fy) { self.Get().Push(fx, fy); });
  nb::class_<World>(m, "World")
      .def(nb::init<>())
      .def("add", &World::Add, nb::arg("name"), nb::arg("group") = 0, nb::arg("mass") = 1.0)
      .def("remove", &World::Remove)
      .def("remove_group", &World::RemoveGroup)
      .def("step", &World::Step);
}
