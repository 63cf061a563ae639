#include <pybind11/pybind11.h>
#include <pybind11/stl.h>

#include <algorithm>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace py = pybind11;

namespace xrt {

class Device {
 public:
  Device(int ordinal, std::string kind)
      : ordinal_(ordinal), kind_(std::move(kind)) {}
  int ordinal() const { return ordinal_; }
  const std::string &kind() const { return kind_; }
  std::uint64_t allocated() const { return allocated_; }
  void Charge(std::uint64_t bytes) { allocated_ += bytes; }

 private:
  int ordinal_;
  std::string kind_;
  std::uint64_t allocated_ = 0;
};

class Topology {
 public:
  explicit Topology(const std::vector<std::string> &kinds) {
    for (const std::string &kind : kinds) {
      int ordinal = static_cast<int>(devices_.size());
      devices_.push_back(std::make_unique<Device>(ordinal, kind));
    }
  }

  std::size_t size() const { return devices_.size(); }

  Device &at(std::size_t ordinal) { return *devices_.at(ordinal); }

  // The device with the least memory in use; null without devices.
  Device *LeastLoaded() {
    auto it = std::min_element(devices_.begin(), devices_.end(),
                               [](const auto &a, const auto &b) {
                                 return a->allocated() < b->allocated();
                               });
    return it == devices_.end() ? nullptr : it->get();
  }

 private:
  std::vector<std::unique_ptr<Device>> devices_;
};

void BindTopology(py::module_ &m) {
  py::class_<Device>(m, "Device")
      .def_property_readonly("ordinal", &Device::ordinal)
      .def_property_readonly("kind", &Device::kind)
      .def_property_readonly("allocated", &Device::allocated)
      .def("charge", &Device::Charge, py::arg("bytes"));

  py::class_<Topology>(m, "Topology")
      .def(py::init<const std::vector<std::string> &>(), py::arg("kinds"))
      .def("__len__", &Topology::size)
      .def("__getitem__", &Topology::at, py::arg("ordinal"),
           py::return_value_policy::reference_internal)
      .def("least_loaded", &Topology::LeastLoaded,
           py::return_value_policy::reference_internal);
}

}  // namespace xrt

PYBIND11_MODULE(_xrt, m) { xrt::BindTopology(m); }
