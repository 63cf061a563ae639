#include <pybind11/functional.h>
#include <pybind11/pybind11.h>
#include <pybind11/stl.h>

#include <atomic>
#include <condition_variable>
#include <deque>
#include <mutex>
#include <string>
#include <thread>
#include <utility>

namespace py = pybind11;

namespace telemetry {

struct Event {
  std::string topic;
  double value;
};

// Hands events that native threads post to one Python list-like sink.
class EventPump {
 public:
  EventPump() = default;
  EventPump(const EventPump &) = delete;
  EventPump &operator=(const EventPump &) = delete;
  ~EventPump() { Stop(); }

  // Called from Python.
  void Subscribe(std::string topic) {
    std::lock_guard<std::mutex> lock(mutex_);
    topic_ = std::move(topic);
  }

  // Called from native threads, without the GIL.
  void Post(Event event) {
    {
      std::lock_guard<std::mutex> lock(mutex_);
      if (event.topic != topic_) return;
      queue_.push_back(std::move(event));
    }
    ready_.notify_one();
  }

  // Appends the next event to `sink`; false after Stop(). Runs without the GIL.
  bool PumpOnce(py::handle sink) {
    std::unique_lock<std::mutex> lock(mutex_);
    ready_.wait(lock, [this] { return stopped_ || !queue_.empty(); });
    if (queue_.empty()) return false;
    Event event = std::move(queue_.front());
    queue_.pop_front();
    lock.unlock();
    py::gil_scoped_acquire gil;
    sink.attr("append")(py::make_tuple(event.topic, event.value));
    return true;
  }

  void Stop() {
    {
      std::lock_guard<std::mutex> lock(mutex_);
      stopped_ = true;
    }
    ready_.notify_all();
  }

 private:
  std::mutex mutex_;
  std::condition_variable ready_;
  std::deque<Event> queue_;
  std::string topic_;
  bool stopped_ = false;
};

}  // namespace telemetry

PYBIND11_MODULE(_telemetry, m) {
  using telemetry::EventPump;
  py::class_<EventPump>(m, "EventPump")
      .def(py::init<>())
      .def("subscribe", &EventPump::Subscribe)
      .def("stop", &EventPump::Stop, py::call_guard<py::gil_scoped_release>())
      .def("run", [](EventPump &self, py::object sink) {
        py::gil_scoped_release nogil;
        while (self.PumpOnce(sink)) {
        }
      });
}
