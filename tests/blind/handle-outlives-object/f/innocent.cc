#include <pybind11/pybind11.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace py = pybind11;

namespace bridge {

using Scalar = std::variant<std::int64_t, double, std::string>;

// A call of a Python function as it is described by the native graph.
struct CallSpec {
  std::string module;
  std::string function;
  std::vector<Scalar> positional;
  std::vector<std::pair<std::string, Scalar>> named;
};

// Collects the arguments of one call. Must be used with the GIL held.
class CallBuilder {
 public:
  explicit CallBuilder(py::object callee) : callee_(std::move(callee)) {}

  template <typename T>
  CallBuilder& add(const T& value) {
    arguments_.push_back(py::cast(value));
    return *this;
  }

  template <typename T>
  CallBuilder& add(const std::string& name, const T& value) {
    keywords_[py::str(name)] = value;
    return *this;
  }

  py::object call() const {
    py::tuple packed(arguments_.size());
    for (std::size_t i = 0; i < arguments_.size(); ++i) {
      packed[i] = arguments_[i];
    }
    return callee_(*packed, **keywords_);
  }

 private:
  py::object callee_;
  std::vector<py::object> arguments_;
  py::dict keywords_;
};

py::object resolve(const CallSpec& spec) {
  py::object callee = py::module_::import(spec.module.c_str());
  std::size_t begin = 0;
  while (begin <= spec.function.size()) {
    const std::size_t dot = std::min(spec.function.find('.', begin), spec.function.size());
    callee = callee.attr(spec.function.substr(begin, dot - begin).c_str());
    begin = dot + 1;
  }
  return callee;
}

py::object invoke(const CallSpec& spec) {
  CallBuilder builder(resolve(spec));
  for (const Scalar& argument : spec.positional) {
    std::visit([&builder](const auto& value) { builder.add(value); }, argument);
  }
  for (const auto& [name, argument] : spec.named) {
    const std::string& key = name;
    std::visit([&builder, &key](const auto& value) { builder.add(key, value); }, argument);
  }
  return builder.call();
}

}  // namespace bridge

PYBIND11_MODULE(_bridge, m) {
  using bridge::CallSpec;
  py::class_<CallSpec>(m, "CallSpec")
      .def(py::init([](std::string module, std::string function) {
        return CallSpec{std::move(module), std::move(function), {}, {}};
      }))
      .def("add_int", [](CallSpec& s, std::int64_t v) { s.positional.emplace_back(v); })
      .def("add_float", [](CallSpec& s, double v) { s.positional.emplace_back(v); })
      .def("add_str", [](CallSpec& s, std::string v) { s.positional.emplace_back(std::move(v)); });
  m.def("invoke", &bridge::invoke);
}
