#include <pybind11/pybind11.h>

#include <atomic>
#include <chrono>
#include <functional>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

namespace py = pybind11;

class MidiInput {
 public:
  using Handler = std::function<void(int, int)>;

  void start() {
    running_ = true;
    worker_ = std::thread([this] { loop(); });
  }

  void stop() {
    running_ = false;
    if (worker_.joinable()) worker_.join();
  }

  ~MidiInput() {
    py::gil_scoped_release release;
    stop();
  }

  void on_note(Handler handler) {
    std::lock_guard<std::mutex> lock(mutex_);
    handlers_.push_back(std::move(handler));
  }

 private:
  void loop() {
    while (running_) {
      std::vector<Handler> handlers;
      {
        std::lock_guard<std::mutex> lock(mutex_);
        handlers = handlers_;
      }
      for (auto& h : handlers) h(60, 127);
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
    }
  }

  std::atomic<bool> running_{false};
  std::mutex mutex_;
  std::vector<Handler> handlers_;
  std::thread worker_;
};

static MidiInput::Handler wrap(py::function fn) {
  return [fn](int note, int velocity) {
    py::gil_scoped_acquire gil;
    try {
      fn(note, velocity);
    } catch (py::error_already_set& e) {
      e.discard_as_unraisable("MidiInput handler");
    }
  };
}

PYBIND11_MODULE(_midi, m) {
  py::class_<MidiInput>(m, "MidiInput")
      .def(py::init<>())
      .def("start", &MidiInput::start)
      .def("stop", &MidiInput::stop, py::call_guard<py::gil_scoped_release>())
      .def("on_note", [](MidiInput& self, py::function fn) {
        MidiInput::Handler handler = wrap(std::move(fn));
        py::gil_scoped_release release;
        self.on_note(std::move(handler));
      });
}
