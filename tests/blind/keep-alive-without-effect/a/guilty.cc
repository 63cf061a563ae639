#include <pybind11/pybind11.h>
#include <pybind11/stl.h>

#include <string>
#include <utility>
#include <vector>

namespace py = pybind11;

class Listener {
 public:
  explicit Listener(std::string topic) : topic_(std::move(topic)) {}
  void deliver(const std::string& topic, double price) {
    if (topic == topic_) prices_.push_back(price);
  }
  const std::vector<double>& prices() const { return prices_; }

 private:
  std::string topic_;
  std::vector<double> prices_;
};

class TickBus {
 public:
  explicit TickBus(std::string venue) : venue_(std::move(venue)) {}
  void add_listener(Listener* listener) { listeners_.push_back(listener); }
  void publish(const std::string& topic, double price) {
    for (Listener* l : listeners_) l->deliver(topic, price);
  }
  const std::string& venue() const { return venue_; }

 private:
  std::string venue_;
  std::vector<Listener*> listeners_;
};

PYBIND11_MODULE(_ticks, m) {
  m.doc() = "Tick distribution";

  py::class_<Listener>(m, "Listener")
      .def(py::init<std::string>(), py::arg("topic"))
      .def_property_readonly("prices", [](const Listener& self) { return self.prices(); });

  py::class_<TickBus>(m, "TickBus")
      .def(py::init<std::string>(), py::arg("venue"))
      .def("add_listener", &TickBus::add_listener, py::arg("listener").none(false),
           py::keep_alive<0, 2>())
      .def("publish", &TickBus::publish, py::arg("topic"), py::arg("price"))
      .def_property_readonly("venue", [](const TickBus& self) { return self.venue(); });
}
