#include <pybind11/pybind11.h>

#include <algorithm>
#include <cstdint>
#include <fstream>
#include <map>
#include <stdexcept>
#include <string>
#include <vector>

namespace py = pybind11;

namespace msgbus {

struct Message {
  std::string topic;
  std::string body;
};

class Sink {
 public:
  virtual ~Sink() = default;
  virtual void accept(const Message& message) = 0;
};

class CountingSink final : public Sink {
 public:
  void accept(const Message& message) override { ++counts_[message.topic]; }
  std::uint64_t count(const std::string& topic) const {
    auto it = counts_.find(topic);
    return it == counts_.end() ? 0 : it->second;
  }

 private:
  std::map<std::string, std::uint64_t> counts_;
};

class FileSink final : public Sink {
 public:
  explicit FileSink(const std::string& path) : out_(path, std::ios::app) {
    if (!out_) throw std::runtime_error("cannot append to " + path);
  }
  void accept(const Message& message) override {
    out_ << message.topic << '\t' << message.body << '\n';
  }

 private:
  std::ofstream out_;
};

// Forwards messages to sinks it does not own.
class Bus {
 public:
  void attach(Sink* sink) {
    if (std::find(sinks_.begin(), sinks_.end(), sink) == sinks_.end()) sinks_.push_back(sink);
  }
  void detach_all() { sinks_.clear(); }
  void publish(const std::string& topic, const std::string& body) {
    const Message message{topic, body};
    for (Sink* sink : sinks_) sink->accept(message);
    ++published_;
  }
  std::uint64_t published() const { return published_; }

 private:
  std::vector<Sink*> sinks_;
  std::uint64_t published_ = 0;
};

}  // namespace msgbus

PYBIND11_MODULE(_msgbus, m) {
  using namespace msgbus;

  py::class_<Sink>(m, "Sink");
  py::class_<CountingSink, Sink>(m, "CountingSink")
      .def(py::init<>())
      .def("count", &CountingSink::count, py::arg("topic"));
  py::class_<FileSink, Sink>(m, "FileSink").def(py::init<const std::string&>(), py::arg("path"));

  py::class_<Bus>(m, "Bus")
      .def(py::init<>())
      .def("attach", &Bus::attach, py::arg("sink").none(false), py::keep_alive<1, 2>())
      .def("detach_all", &Bus::detach_all)
      .def("publish", &Bus::publish, py::arg("topic"), py::arg("body"))
      .def_property_readonly("published", &Bus::published);
}
