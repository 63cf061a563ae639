#include <pybind11/pybind11.h>
#include <pybind11/stl.h>

#include <cstdint>
#include <map>
#include <mutex>
#include <string>
#include <utility>

namespace py = pybind11;

class TypeRegistry {
 public:
  static TypeRegistry& shared() {
    static TypeRegistry registry;
    return registry;
  }

  int32_t add(const std::string& name, int32_t width) {
    std::lock_guard<std::mutex> hold(types_mutex_);
    auto result = types_.emplace(name, Entry{static_cast<int32_t>(types_.size()), width});
    if (!result.second) throw py::value_error("type exists: " + name);
    return result.first->second.oid;
  }

  void alias(std::string from, std::string to) {
    if (from == to) throw py::value_error("a type cannot be its own alias");
    std::lock_guard<std::mutex> hold(aliases_mutex_);
    aliases_[std::move(from)] = std::move(to);
  }

  int32_t width(const std::string& name) {
    const std::string known = resolve(name);
    std::lock_guard<std::mutex> hold(types_mutex_);
    auto it = types_.find(known);
    if (it == types_.end()) throw py::key_error(name);
    return it->second.width;
  }

 private:
  struct Entry {
    int32_t oid;
    int32_t width;
  };

  std::string resolve(const std::string& name) {
    std::lock_guard<std::mutex> hold(aliases_mutex_);
    auto it = aliases_.find(name);
    return it == aliases_.end() ? name : it->second;
  }

  std::mutex types_mutex_;
  std::map<std::string, Entry> types_;
  std::mutex aliases_mutex_;
  std::map<std::string, std::string> aliases_;
};

PYBIND11_MODULE(_sqltypes, m, py::mod_gil_not_used()) {
  m.def("add", [](const std::string& name, int32_t width) {
    return TypeRegistry::shared().add(name, width);
  });
  m.def("alias", [](std::string from, std::string to) {
    TypeRegistry::shared().alias(std::move(from), std::move(to));
  });
  m.def("width", [](const std::string& name) { return TypeRegistry::shared().width(name); });
}
