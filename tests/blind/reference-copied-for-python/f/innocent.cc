#include <nanobind/nanobind.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>

#include <array>
#include <cmath>
#include <cstddef>
#include <stdexcept>
#include <string>
#include <utility>

namespace nb = nanobind;
using namespace nb::literals;

namespace kinematics {

struct Joint {
  std::string name;
  double length = 0.3;
  double angle = 0.0;
  double limit = 3.1;

  void set_angle(double value) {
    if (std::abs(value) > limit) throw std::out_of_range(name + ": angle out of range");
    angle = value;
  }
  double get_angle() const { return angle; }
};

// Planar arm with a fixed number of joints.
class Arm {
 public:
  static constexpr std::size_t kJoints = 4;

  explicit Arm(const std::string& prefix) {
    for (std::size_t i = 0; i < kJoints; ++i) joints_[i].name = prefix + std::to_string(i);
  }

  std::size_t size() const { return joints_.size(); }

  Joint& joint(std::ptrdiff_t index) {
    const auto count = static_cast<std::ptrdiff_t>(joints_.size());
    if (index < 0) index += count;
    if (index < 0 || index >= count) throw nb::index_error();
    return joints_[static_cast<std::size_t>(index)];
  }

  std::pair<double, double> tip() const {
    double x = 0, y = 0, heading = 0;
    for (const Joint& joint : joints_) {
      heading += joint.angle;
      x += joint.length * std::cos(heading);
      y += joint.length * std::sin(heading);
    }
    return {x, y};
  }

  double reach() const {
    double total = 0;
    for (const Joint& joint : joints_) total += joint.length;
    return total;
  }

 private:
  std::array<Joint, kJoints> joints_;
};

}  // namespace kinematics

NB_MODULE(_kinematics, m) {
  using kinematics::Arm;
  using kinematics::Joint;

  nb::class_<Joint>(m, "Joint")
      .def_ro("name", &Joint::name)
      .def_rw("length", &Joint::length)
      .def_rw("limit", &Joint::limit)
      .def_prop_rw("angle", &Joint::get_angle, &Joint::set_angle);

  nb::class_<Arm>(m, "Arm")
      .def(nb::init<const std::string&>(), "prefix"_a = "j")
      .def("__len__", &Arm::size)
      .def("__getitem__", &Arm::joint, "index"_a, nb::rv_policy::reference_internal)
      .def_prop_ro("tip", &Arm::tip)
      .def_prop_ro("reach", &Arm::reach);
}
