#include <pybind11/functional.h>
#include <pybind11/pybind11.h>

#include <condition_variable>
#include <cstddef>
#include <deque>
#include <mutex>
#include <string>
#include <thread>
#include <utility>

namespace py = pybind11;

/* Hands the orders of a restaurant to the kitchen, one at a time. */
class TicketRail {
 public:
  explicit TicketRail(py::function cook)
      : cook_(std::move(cook)), worker_([this] { serve(); }) {}

  ~TicketRail() {
    py::gil_scoped_release nogil;
    {
      std::lock_guard<std::mutex> hold(mutex_);
      closing_ = true;
    }
    changed_.notify_all();
    worker_.join();
  }

  void order(std::string dish) {
    std::lock_guard<std::mutex> hold(mutex_);
    tickets_.push_back(std::move(dish));
    ++open_;
    changed_.notify_all();
  }

  /* Returns once everything that was ordered has been cooked. */
  void drain() {
    std::unique_lock<std::mutex> hold(mutex_);
    changed_.wait(hold, [this] { return open_ == 0; });
  }

 private:
  void serve() {
    std::unique_lock<std::mutex> hold(mutex_);
    for (;;) {
      changed_.wait(hold, [this] { return closing_ || !tickets_.empty(); });
      if (closing_) return;
      std::string dish = std::move(tickets_.front());
      tickets_.pop_front();
      hold.unlock();
      {
        py::gil_scoped_acquire gil;
        try {
          cook_(dish);
        } catch (py::error_already_set &error) {
          error.discard_as_unraisable("TicketRail.cook");
        }
      }
      hold.lock();
      --open_;
      changed_.notify_all();
    }
  }

  py::function cook_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<std::string> tickets_;
  std::size_t open_ = 0;
  bool closing_ = false;
  std::thread worker_;
};

PYBIND11_MODULE(_kitchen, m) {
  py::class_<TicketRail>(m, "TicketRail")
      .def(py::init<py::function>(), py::arg("cook"))
      .def("order", &TicketRail::order, py::arg("dish"),
           py::call_guard<py::gil_scoped_release>())
      .def("drain", &TicketRail::drain);
}
