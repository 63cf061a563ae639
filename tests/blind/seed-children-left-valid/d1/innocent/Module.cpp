#include "LinkHandles.h"

#include <nanobind/nanobind.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>

namespace nb = nanobind;
using namespace armkit::python;

NB_MODULE(_armkit, M) {
  nb::class_<LinkHandle>(M, "Link")
      .def_prop_ro("name", [](LinkHandle &Self) { return Self.get()->Name; })
      .def_prop_rw(
          "joint_angle", [](LinkHandle &Self) { return Self.get()->JointAngle; },
          [](LinkHandle &Self, double Angle) { Self.get()->JointAngle = Angle; });

  nb::class_<KinematicTree>(M, "KinematicTree")
      .def(nb::init<std::string>(), nb::arg("base_name"))
      .def_prop_ro("base", &KinematicTree::base)
      .def("mount", &KinematicTree::mount, nb::arg("on"), nb::arg("name"))
      .def("unmount", &KinematicTree::unmount, nb::arg("link"));
}
