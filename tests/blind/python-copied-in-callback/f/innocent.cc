#include <pybind11/pybind11.h>

#include <functional>
#include <memory>
#include <mutex>
#include <thread>
#include <utility>
#include <vector>

namespace py = pybind11;

namespace sched {

using StepFn = std::function<void(int)>;

// Runs each registered hook on its own native thread; knows nothing of Python.
class Scheduler {
 public:
  void AddHook(StepFn hook) {
    std::lock_guard<std::mutex> lock(mutex_);
    hooks_.push_back(std::move(hook));
  }

  void RunStep(int step) {
    std::vector<std::thread> threads;
    {
      std::lock_guard<std::mutex> lock(mutex_);
      for (const StepFn &hook : hooks_) {
        threads.emplace_back([hook, step] { hook(step); });
      }
    }
    for (std::thread &thread : threads) thread.join();
  }

 private:
  std::mutex mutex_;
  std::vector<StepFn> hooks_;
};

// Drops its reference with the GIL held, wherever the last copy dies.
std::shared_ptr<py::function> ShareFunction(py::function fn) {
  return std::shared_ptr<py::function>(
      new py::function(std::move(fn)), [](py::function *owned) {
        py::gil_scoped_acquire gil;
        delete owned;
      });
}

// Python exceptions cannot leave a native thread: print them there.
void CallHook(const py::function &fn, int step) {
  try {
    fn(step);
  } catch (py::error_already_set &error) {
    error.restore();
    PyErr_WriteUnraisable(fn.ptr());
  }
}

void BindScheduler(py::module_ &m) {
  py::class_<Scheduler>(m, "Scheduler")
      .def(py::init<>())
      .def(
          "add_hook",
          [](Scheduler &self, py::function fn) {
            auto shared = ShareFunction(std::move(fn));
            self.AddHook([shared = std::move(shared)](int step) {
              py::gil_scoped_acquire gil;
              CallHook(*shared, step);
            });
          },
          py::arg("hook"))
      .def("run_step", &Scheduler::RunStep, py::arg("step"),
           py::call_guard<py::gil_scoped_release>());
}

}  // namespace sched

PYBIND11_MODULE(_sched, m) {
  m.doc() = "Step hooks for the native scheduler.";
  sched::BindScheduler(m);
}
