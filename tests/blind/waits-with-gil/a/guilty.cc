#include <pybind11/functional.h>
#include <pybind11/pybind11.h>

#include <atomic>
#include <chrono>
#include <functional>
#include <thread>

namespace py = pybind11;

class Watcher {
 public:
  Watcher(std::function<void(int)> on_tick, int period_ms)
      : on_tick_(std::move(on_tick)), period_(period_ms) {}

  ~Watcher() { stop(); }

  void start() {
    if (running_.exchange(true)) return;
    thread_ = std::thread([this] {
      int tick = 0;
      while (running_) {
        std::this_thread::sleep_for(period_);
        on_tick_(tick++);
      }
    });
  }

  void stop() {
    running_ = false;
    if (thread_.joinable()) {
      thread_.join();
    }
  }

  bool running() const { return running_; }

 private:
  std::function<void(int)> on_tick_;
  std::chrono::milliseconds period_;
  std::atomic<bool> running_{false};
  std::thread thread_;
};

PYBIND11_MODULE(_watch, m) {
  py::class_<Watcher>(m, "Watcher")
      .def(py::init<std::function<void(int)>, int>(), py::arg("on_tick"), py::arg("period_ms") = 100)
      .def("start", &Watcher::start)
      .def("stop", &Watcher::stop)
      .def_property_readonly("running", &Watcher::running)
      .def("__enter__", [](Watcher& w) -> Watcher& {
        w.start();
        return w;
      }, py::return_value_policy::reference_internal)
      .def("__exit__", [](Watcher& w, py::args) { w.stop(); });
}
