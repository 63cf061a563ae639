// Channel strips and effect buses of the mixing desk.
#include <cmath>
#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include <pybind11/pybind11.h>
#include <pybind11/stl.h>

namespace py = pybind11;

namespace desk {

class Bus {
 public:
  explicit Bus(std::string name) : name_(std::move(name)), sum_(512, 0.0f) {}
  const std::string &name() const { return name_; }
  void mix(std::size_t frame, float value) { sum_[frame % sum_.size()] += value; }
  const std::vector<float> &sum() const { return sum_; }

 private:
  std::string name_;
  std::vector<float> sum_;
};

struct Send {
  Bus *bus;
  float gain;
};

class Strip {
 public:
  explicit Strip(Bus &output) : output_(&output) {}

  std::vector<Send> &sends() { return sends_; }

  void render(const std::vector<float> &frames) {
    for (std::size_t i = 0; i < frames.size(); ++i) {
      output_->mix(i, frames[i]);
      for (const Send &send : sends_) send.bus->mix(i, frames[i] * send.gain);
    }
  }

 private:
  Bus *output_;
  std::vector<Send> sends_;
};

float db_to_gain(float db) { return std::pow(10.0f, db / 20.0f); }

void bind_strip(py::module_ &m) {
  py::class_<Bus>(m, "Bus")
      .def(py::init<std::string>(), py::arg("name"))
      .def_property_readonly("name", &Bus::name)
      .def("sum", &Bus::sum, py::return_value_policy::copy);

  py::class_<Strip>(m, "Strip")
      .def(py::init<Bus &>(), py::arg("output"), py::keep_alive<1, 2>())
      .def(
          "add_send",
          [](Strip &self, Bus &target, float level_db) {
            self.sends().emplace_back(Send{&target, db_to_gain(level_db)});
          },
          py::arg("target"), py::arg("level_db") = 0.0f)
      .def("clear_sends", [](Strip &self) { self.sends().clear(); })
      .def("render", &Strip::render, py::arg("frames"));
}

}  // namespace desk

PYBIND11_MODULE(_desk, m) { desk::bind_strip(m); }
