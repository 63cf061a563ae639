// nanobind module of the audio mixer.
#include <algorithm>
#include <cmath>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>

namespace nb = nanobind;
using namespace nb::literals;

namespace mix {

// Gets each block after it has been mixed.
class Meter {
public:
  void feed(const std::vector<float> &block) {
    for (float s : block)
      peak_ = std::max(peak_, std::fabs(s));
  }
  float peak() const { return peak_; }
  void reset() { peak_ = 0; }

private:
  float peak_ = 0;
};

class Source {
public:
  explicit Source(float level) : level_(level) {}
  float next() { return level_; }

private:
  float level_;
};

class Bus {
public:
  explicit Bus(std::string name) : name_(std::move(name)) {}

  const std::string &name() const { return name_; }
  void connect(Source &source) { sources_.push_back(&source); }
  void setMeter(Meter *meter) { meter_ = meter; }

  void render(size_t frames) {
    block_.assign(frames, 0.0f);
    for (Source *source : sources_) {
      for (float &sample : block_)
        sample += source->next();
    }
    if (meter_)
      meter_->feed(block_);
  }

private:
  std::string name_;
  std::vector<Source *> sources_;
  std::vector<float> block_;
  Meter *meter_ = nullptr;
};

}  // namespace mix

static void bindNodes(nb::module_ &m) {
  nb::class_<mix::Source>(m, "Source").def(nb::init<float>(), "level"_a);
  nb::class_<mix::Meter>(m, "Meter")
      .def(nb::init<>())
      .def("reset", &mix::Meter::reset)
      .def_prop_ro("peak", &mix::Meter::peak);
}

static void bindBus(nb::module_ &m) {
  nb::class_<mix::Bus>(m, "Bus")
      .def(nb::init<std::string>(), "name"_a)
      .def_prop_ro("name", &mix::Bus::name)
      .def("connect", &mix::Bus::connect, "source"_a, nb::keep_alive<1, 2>())
      .def("set_meter", &mix::Bus::setMeter, "meter"_a.none(), nb::keep_alive<1, 2>())
      .def("render", &mix::Bus::render, "frames"_a);
}

NB_MODULE(_mix, m) {
  bindNodes(m);
  bindBus(m);
}
