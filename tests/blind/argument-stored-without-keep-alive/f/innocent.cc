#include <pybind11/pybind11.h>
#include <pybind11/stl.h>

#include <string>
#include <utility>
#include <vector>

namespace py = pybind11;

namespace audio {

class Logger {
 public:
  explicit Logger(std::string prefix) : prefix_(std::move(prefix)) {}
  void Log(const std::string &text) { lines_.push_back(prefix_ + text); }
  const std::vector<std::string> &lines() const { return lines_; }

 private:
  std::string prefix_;
  std::vector<std::string> lines_;
};

class Stage {
 public:
  Stage(std::string name, double gain) : name_(std::move(name)), gain_(gain) {}
  void Process(std::vector<double> &samples) const {
    for (double &sample : samples) sample *= gain_;
  }
  const std::string &name() const { return name_; }

 private:
  std::string name_;
  double gain_;
};

class Pipeline {
 public:
  explicit Pipeline(Logger &logger) : logger_(&logger) {}

  Pipeline &Append(const Stage &stage) {
    stages_.push_back(&stage);
    return *this;
  }

  std::vector<double> Run(std::vector<double> samples) const {
    for (const Stage *stage : stages_) {
      logger_->Log("running " + stage->name());
      stage->Process(samples);
    }
    return samples;
  }

 private:
  Logger *logger_;
  std::vector<const Stage *> stages_;
};

void BindPipeline(py::module_ &m) {
  py::class_<Pipeline>(m, "Pipeline")
      .def(py::init<Logger &>(), py::arg("logger"), py::keep_alive<1, 2>())
      .def("append", &Pipeline::Append, py::arg("stage"),
           py::return_value_policy::reference_internal,
           py::keep_alive<1, 2>())
      .def("run", &Pipeline::Run, py::arg("samples"));
}

void BindParts(py::module_ &m) {
  py::class_<Logger>(m, "Logger")
      .def(py::init<std::string>(), py::arg("prefix") = "")
      .def_property_readonly("lines", &Logger::lines);
  py::class_<Stage>(m, "Stage")
      .def(py::init<std::string, double>(), py::arg("name"), py::arg("gain"))
      .def_property_readonly("name", &Stage::name);
}

}  // namespace audio

PYBIND11_MODULE(_audio, m) {
  audio::BindParts(m);
  audio::BindPipeline(m);
}
