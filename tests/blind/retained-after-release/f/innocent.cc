#include <pybind11/pybind11.h>

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <stdexcept>
#include <string>
#include <utility>
#include <variant>

namespace py = pybind11;

namespace conf {

struct Group;
using Value = std::variant<bool, std::int64_t, double, std::string, std::shared_ptr<Group>>;

// Nested configuration, as parsed by the native reader.
struct Group {
  std::map<std::string, Value> entries;

  void set(const std::string& path, Value value) {
    const std::size_t dot = path.find('.');
    if (dot == std::string::npos) {
      entries[path] = std::move(value);
      return;
    }
    child(path.substr(0, dot))->set(path.substr(dot + 1), std::move(value));
  }

  std::shared_ptr<Group> child(const std::string& name) {
    Value& slot = entries.try_emplace(name, std::make_shared<Group>()).first->second;
    auto* group = std::get_if<std::shared_ptr<Group>>(&slot);
    if (group == nullptr) throw std::invalid_argument(name + " is not a group");
    return *group;
  }
};

py::object to_python(const Group& group);

struct ToPython {
  py::object operator()(const std::shared_ptr<Group>& group) const { return to_python(*group); }
  template <typename T>
  py::object operator()(const T& scalar) const {
    return py::cast(scalar);
  }
};

py::object to_python(const Group& group) {
  py::dict values;
  for (const auto& [name, value] : group.entries) {
    values[py::str(name)] = std::visit(ToPython{}, value);
  }
  if (values.empty()) return py::none();
  return py::reinterpret_steal<py::object>(values.release());
}

py::list keys(const Group& group) {
  py::list names;
  for (const auto& entry : group.entries) names.append(entry.first);
  return names;
}

class Reader {
 public:
  void set(const std::string& path, Value value) { root_.set(path, std::move(value)); }
  py::object read() const { return to_python(root_); }
  py::list names() const { return keys(root_); }

 private:
  Group root_;
};

}  // namespace conf

PYBIND11_MODULE(_conf, m) {
  using conf::Reader;
  py::class_<Reader>(m, "Reader")
      .def(py::init<>())
      .def("set_bool", [](Reader& r, const std::string& path, bool v) { r.set(path, v); })
      .def("set_int", [](Reader& r, const std::string& path, std::int64_t v) { r.set(path, v); })
      .def("set_str",
           [](Reader& r, const std::string& path, std::string v) { r.set(path, std::move(v)); })
      .def("read", &Reader::read)
      .def("names", &Reader::names);
}
