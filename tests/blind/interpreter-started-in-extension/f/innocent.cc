#include <pybind11/pybind11.h>
#include <pybind11/eval.h>
#include <pybind11/stl.h>

#include <fstream>
#include <map>
#include <sstream>
#include <stdexcept>
#include <string>

namespace py = pybind11;

namespace launcher {

struct Settings {
  std::string cluster = "local";
  int replicas = 1;
  double timeout_s = 30.0;
  std::map<std::string, std::string> environment;
};

std::string read_text(const std::string& path) {
  std::ifstream in(path);
  if (!in) throw std::runtime_error("cannot open " + path);
  std::ostringstream text;
  text << in.rdbuf();
  return text.str();
}

template <typename T>
void assign(const py::dict& scope, const char* name, T& target) {
  if (scope.contains(name)) target = scope[name].cast<T>();
}

void validate(const Settings& settings) {
  if (settings.replicas < 1) throw std::invalid_argument("replicas must be positive");
  if (!(settings.timeout_s > 0)) throw std::invalid_argument("timeout must be positive");
}

// Settings files are Python scripts; each recognized global becomes a setting.
Settings load_settings(const std::string& path) {
  const std::string text = read_text(path);
  py::dict scope;
  scope["__builtins__"] = py::module_::import("builtins");
  scope["__file__"] = path;
  py::exec(text, scope);

  Settings settings;
  assign(scope, "cluster", settings.cluster);
  assign(scope, "replicas", settings.replicas);
  assign(scope, "timeout", settings.timeout_s);
  assign(scope, "environment", settings.environment);
  validate(settings);
  return settings;
}

std::string command_line(const Settings& settings, const std::string& program) {
  std::ostringstream out;
  out << "launch --cluster=" << settings.cluster << " --replicas=" << settings.replicas
      << " --timeout=" << settings.timeout_s;
  for (const auto& [key, value] : settings.environment) out << " -e " << key << '=' << value;
  out << " -- " << program;
  return out.str();
}

}  // namespace launcher

PYBIND11_MODULE(_launcher, m) {
  using launcher::Settings;
  py::class_<Settings>(m, "Settings")
      .def(py::init<>())
      .def_readwrite("cluster", &Settings::cluster)
      .def_readwrite("replicas", &Settings::replicas)
      .def_readwrite("timeout", &Settings::timeout_s);
  m.def("load_settings", &launcher::load_settings, py::arg("path"));
  m.def("command_line", &launcher::command_line, py::arg("settings"), py::arg("program"));
}
