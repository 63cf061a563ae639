#include <pybind11/pybind11.h>
#include <pybind11/stl.h>


#include <map>
#include <string>
#include <utility>

namespace py = pybind11;

struct Config {
  std::string host = "127.0.0.1";
  int port = 8080;
  int backlog = 128;
  std::map<std::string, std::string> headers;
};

class Server {
 public:
  Server() = default;
  explicit Server(Config config) : config_(std::move(config)) {}

  Config& config() { return config_; }

  std::string address() const { return config_.host + ":" + std::to_string(config_.port); }

  std::string banner() const {
    std::string text = "listening on " + address();
    for (const auto& [name, value] : config_.headers) text += "\n" + name + ": " + value;
    return text;
  }

 private:
  Config config_;
};

PYBIND11_MODULE(_server, m) {
  py::class_<Config>(m, "Config")
      .def(py::init<>())
      .def_readwrite("host", &Config::host)
      .def_readwrite("port", &Config::port)
      .def_readwrite("backlog", &Config::backlog)
      .def_readwrite("headers", &Config::headers);

  py::class_<Server>(m, "Server")
      .def(py::init<>())
      .def(py::init<Config>(), py::arg("config"))
      .def("config", &Server::config, py::return_value_policy::reference_internal)
      .def("address", &Server::address)
      .def("banner", &Server::banner);
}
