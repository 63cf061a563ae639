#include <pybind11/pybind11.h>
#include <pybind11/stl.h>

#include <sstream>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace py = pybind11;

namespace toyc {

struct Options {
  int level = 1;
  bool fast_math = false;
  bool debug_info = false;
  std::vector<std::string> passes;
};

struct Target {
  std::string triple = "x86_64-unknown-linux-gnu";
  std::string cpu = "generic";
};

std::string to_flags(const Options& options) {
  std::ostringstream out;
  out << "-O" << options.level;
  if (options.fast_math) out << " -ffast-math";
  if (options.debug_info) out << " -g";
  for (const std::string& pass : options.passes) out << " --pass=" << pass;
  return out.str();
}

class Compiler {
 public:
  explicit Compiler(std::string cpu) { target_.cpu = std::move(cpu); }

  Options options() { return options_; }
  const Target& target() const { return target_; }

  std::string command(const std::string& source) const {
    if (source.empty()) throw std::invalid_argument("no source given");
    std::ostringstream out;
    out << "toyc --target=" << target_.triple << " --cpu=" << target_.cpu << ' '
        << to_flags(options_) << ' ' << source;
    return out.str();
  }

 private:
  Options options_;
  Target target_;
};

void bind_records(py::module_& m) {
  py::class_<Options>(m, "Options")
      .def_readwrite("level", &Options::level)
      .def_readwrite("fast_math", &Options::fast_math)
      .def_readwrite("debug_info", &Options::debug_info)
      .def_readwrite("passes", &Options::passes)
      .def("__str__", &to_flags);
  py::class_<Target>(m, "Target")
      .def_readonly("triple", &Target::triple)
      .def_readonly("cpu", &Target::cpu);
}

void bind_compiler(py::module_& m) {
  py::class_<Compiler>(m, "Compiler")
      .def(py::init<std::string>(), py::arg("cpu") = "generic")
      .def_property_readonly("options", &Compiler::options,
                             py::return_value_policy::reference_internal)
      .def_property_readonly("target", &Compiler::target,
                             py::return_value_policy::reference_internal)
      .def("command", &Compiler::command, py::arg("source"));
}

}  // namespace toyc

PYBIND11_MODULE(_toyc, m) {
  toyc::bind_records(m);
  toyc::bind_compiler(m);
}
