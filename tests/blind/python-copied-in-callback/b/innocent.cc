#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>

#include <condition_variable>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <thread>

namespace nb = nanobind;

struct QueryDone {
  std::shared_ptr<nb::callable> fn;
  std::string sql;
  void operator()(int rows) const {
    nb::gil_scoped_acquire gil;
    try {
      (*fn)(sql, rows);
    } catch (nb::python_error& e) {
      e.discard_as_unraisable("QueryDone");
    }
  }
};

class Executor {
 public:
  Executor() : worker_([this] { run(); }) {}
  ~Executor() {
    nb::gil_scoped_release release;
    post(nullptr);
    worker_.join();
  }
  void post(std::function<void(int)> job) {
    std::lock_guard<std::mutex> lock(mutex_);
    jobs_.push_back(std::move(job));
    wake_.notify_one();
  }

 private:
  void run() {
    for (;;) {
      std::function<void(int)> job;
      {
        std::unique_lock<std::mutex> lock(mutex_);
        wake_.wait(lock, [this] { return !jobs_.empty(); });
        job = std::move(jobs_.front());
        jobs_.pop_front();
      }
      if (!job) return;
      job(static_cast<int>(++served_));
    }
  }
  std::mutex mutex_;
  std::condition_variable wake_;
  std::deque<std::function<void(int)>> jobs_;
  size_t served_ = 0;
  std::thread worker_;
};

NB_MODULE(_sqlpool, m) {
  nb::class_<Executor>(m, "Executor")
      .def(nb::init<>())
      .def("submit", [](Executor& self, std::string sql, nb::callable done) {
        std::shared_ptr<nb::callable> fn(new nb::callable(std::move(done)), [](nb::callable* p) {
          nb::gil_scoped_acquire gil;
          delete p;
        });
        QueryDone job{std::move(fn), std::move(sql)};
        std::function<void(int)> wrapped(std::move(job));
        nb::gil_scoped_release release;
        self.post(std::move(wrapped));
      });
}
