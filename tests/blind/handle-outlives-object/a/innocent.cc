#include <pybind11/pybind11.h>

#include <cstdint>
#include <map>
#include <string>
#include <variant>
#include <vector>

namespace py = pybind11;

namespace config {

using Value = std::variant<bool, int64_t, double, std::string>;

struct Section {
  std::string name;
  std::map<std::string, Value> values;
};

py::str key_of(const Section& section, const std::string& key) {
  const std::string full = section.name.empty() ? key : section.name + "." + key;
  return py::str(full);
}

py::object to_python(const Value& v) {
  return std::visit([](const auto& x) -> py::object { return py::cast(x); }, v);
}

class Settings {
 public:
  void set(const std::string& section, const std::string& key, const py::object& value) {
    Section& s = sections_[section];
    s.name = section;
    if (py::isinstance<py::bool_>(value)) s.values[key] = value.cast<bool>();
    else if (py::isinstance<py::int_>(value)) s.values[key] = value.cast<int64_t>();
    else if (py::isinstance<py::float_>(value)) s.values[key] = value.cast<double>();
    else s.values[key] = py::str(value).cast<std::string>();
  }

  py::dict flatten() const {
    py::dict out;
    for (const auto& [name, section] : sections_)
      for (const auto& [key, value] : section.values) out[key_of(section, key)] = to_python(value);
    return out;
  }

 private:
  std::map<std::string, Section> sections_;
};

}  // namespace config

PYBIND11_MODULE(_config, m) {
  py::class_<config::Settings>(m, "Settings")
      .def(py::init<>())
      .def("set", &config::Settings::set)
      .def("flatten", &config::Settings::flatten);
}
