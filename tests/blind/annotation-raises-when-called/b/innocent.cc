#include <pybind11/pybind11.h>

#include <chrono>
#include <cstdint>
#include <mutex>
#include <string>

namespace py = pybind11;

namespace sim {

class Clock {
 public:
  static Clock& global() {
    static Clock clock;
    return clock;
  }

  void advance(int64_t micros) {
    std::lock_guard<std::mutex> lock(mutex_);
    now_ += std::chrono::microseconds(micros);
  }

  int64_t micros() const {
    std::lock_guard<std::mutex> lock(mutex_);
    return now_.count();
  }

  std::string text() const {
    const int64_t us = micros();
    return std::to_string(us / 1000000) + "." + std::to_string(us % 1000000) + "s";
  }

 private:
  Clock() = default;
  mutable std::mutex mutex_;
  std::chrono::microseconds now_{0};
};

class World {
 public:
  explicit World(double dt) : dt_(dt) {}
  void step() { Clock::global().advance(static_cast<int64_t>(dt_ * 1e6)); }
  Clock& clock() { return Clock::global(); }

 private:
  double dt_;
};

}  // namespace sim

template <typename Class>
void bind_clock_access(Class& cls) {
  cls.def_static("global_clock", [] { return &sim::Clock::global(); },
                 py::return_value_policy::reference);
}

PYBIND11_MODULE(_sim, m) {
  py::class_<sim::Clock, std::unique_ptr<sim::Clock, py::nodelete>>(m, "Clock")
      .def("advance", &sim::Clock::advance)
      .def_property_readonly("micros", &sim::Clock::micros)
      .def("__str__", &sim::Clock::text);
  py::class_<sim::World> world(m, "World");
  world.def(py::init<double>(), py::arg("dt"))
      .def("step", &sim::World::step)
      .def_property_readonly("clock", &sim::World::clock, py::return_value_policy::reference);
  bind_clock_access(world);
}
