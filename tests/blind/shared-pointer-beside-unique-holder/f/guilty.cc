#include <pybind11/pybind11.h>

#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <utility>

namespace py = pybind11;

namespace db {

struct Options {
  std::string path = ":memory:";
  std::uint32_t timeout_ms = 1000;
};

class Session {
 public:
  explicit Session(Options options) : options_(std::move(options)) {}
  Session(std::string path, std::uint32_t timeout_ms)
      : options_{std::move(path), timeout_ms} {}

  std::uint32_t timeout_ms() const { return options_.timeout_ms; }
  const std::string &path() const { return options_.path; }
  std::uint64_t Execute(const std::string &statement) {
    std::lock_guard<std::mutex> lock(mutex_);
    bytes_ += statement.size();
    return ++executed_;
  }

 private:
  const Options options_;
  std::mutex mutex_;
  std::uint64_t executed_ = 0;
  std::uint64_t bytes_ = 0;
};

class Environment {
 public:
  std::shared_ptr<Session> Current() {
    std::lock_guard<std::mutex> lock(mutex_);
    if (!current_) current_ = std::make_shared<Session>(Options{});
    return current_;
  }

  void Reset() {
    std::shared_ptr<Session> last;
    std::lock_guard<std::mutex> lock(mutex_);
    last.swap(current_);
  }

 private:
  std::mutex mutex_;
  std::shared_ptr<Session> current_;
};

void BindSession(py::module_ &m) {
  py::class_<Session>(m, "Session")
      .def(py::init<std::string, std::uint32_t>(), py::arg("path"),
           py::arg("timeout_ms") = 1000)
      .def_property_readonly("path", &Session::path)
      .def_property_readonly("timeout_ms", &Session::timeout_ms)
      .def("execute", &Session::Execute, py::arg("statement"));

  py::class_<Environment>(m, "Environment")
      .def(py::init<>())
      .def("current", &Environment::Current)
      .def("reset", &Environment::Reset);
}

}  // namespace db

PYBIND11_MODULE(_db, m) {
  m.doc() = "Embedded database sessions.";
  db::BindSession(m);
}
