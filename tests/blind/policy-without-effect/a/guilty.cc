#include <pybind11/pybind11.h>
#include <pybind11/stl.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <stdexcept>

namespace py = pybind11;

struct JointLimits {
  double max_velocity = 2.0;
  double max_torque = 40.0;
};

class MotionController {
 public:
  static constexpr std::size_t kJoints = 6;

  JointLimits& limits(std::size_t joint) {
    if (joint >= kJoints) throw std::out_of_range("no such joint");
    return limits_[joint];
  }

  double clamp_velocity(std::size_t joint, double wanted) {
    const double bound = limits(joint).max_velocity;
    return std::clamp(wanted, -bound, bound);
  }

 private:
  std::array<JointLimits, kJoints> limits_;
};

PYBIND11_MODULE(_motion, m) {
  py::class_<JointLimits>(m, "JointLimits")
      .def(py::init<>())
      .def_readwrite("max_velocity", &JointLimits::max_velocity)
      .def_readwrite("max_torque", &JointLimits::max_torque);

  py::class_<MotionController>(m, "MotionController")
      .def(py::init<>())
      .def("limits", [](MotionController& self, std::size_t joint) {
            return self.limits(joint);
          },
          py::arg("joint"), py::return_value_policy::reference_internal)
      .def("clamp_velocity", &MotionController::clamp_velocity, py::arg("joint"),
           py::arg("wanted"));
}
