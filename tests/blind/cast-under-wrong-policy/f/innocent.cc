#include <pybind11/pybind11.h>

#include <cstdint>
#include <memory>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace py = pybind11;

namespace pjx {

class Device {
 public:
  Device(int id, std::string kind, std::uint64_t memory)
      : id_(id), kind_(std::move(kind)), memory_(memory) {}

  int id() const { return id_; }
  const std::string& kind() const { return kind_; }
  std::uint64_t memory() const { return memory_; }
  std::uint64_t in_use() const { return in_use_; }

  void reserve(std::uint64_t bytes) {
    if (bytes > memory_ - in_use_) throw std::runtime_error("out of device memory");
    in_use_ += bytes;
  }

  std::string repr() const { return "<" + kind_ + ":" + std::to_string(id_) + ">"; }

 private:
  int id_;
  std::string kind_;
  std::uint64_t memory_;
  std::uint64_t in_use_ = 0;
};

class Client {
 public:
  Client(const std::string& platform, int count) : platform_(platform) {
    for (int id = 0; id < count; ++id) {
      devices_.push_back(std::make_unique<Device>(id, platform, std::uint64_t{16} << 30));
    }
  }

  const std::string& platform() const { return platform_; }
  const std::vector<std::unique_ptr<Device>>& devices() const { return devices_; }

  Device* lookup(int id) const {
    for (const auto& device : devices_) {
      if (device->id() == id) return device.get();
    }
    return nullptr;
  }

 private:
  std::string platform_;
  std::vector<std::unique_ptr<Device>> devices_;
};

// Devices of the client in order of their ids; `self` is the wrapper of a Client.
py::list list_devices(const py::object& self) {
  const auto& client = self.cast<const Client&>();
  py::list result;
  for (const auto& device : client.devices()) {
    result.append(py::cast(device.get(), py::return_value_policy::reference_internal, self));
  }
  return result;
}

}  // namespace pjx

PYBIND11_MODULE(_pjx, m) {
  using pjx::Client;
  using pjx::Device;

  py::class_<Device>(m, "Device")
      .def_property_readonly("id", &Device::id)
      .def_property_readonly("kind", &Device::kind)
      .def_property_readonly("memory", &Device::memory)
      .def_property_readonly("in_use", &Device::in_use)
      .def("reserve", &Device::reserve, py::arg("bytes"))
      .def("__repr__", &Device::repr);

  py::class_<Client>(m, "Client")
      .def(py::init<const std::string&, int>(), py::arg("platform"), py::arg("count") = 1)
      .def_property_readonly("platform", &Client::platform)
      .def("devices", &pjx::list_devices)
      .def("lookup", &Client::lookup, py::arg("id"),
           py::return_value_policy::reference_internal);
}
