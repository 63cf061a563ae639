#include <pybind11/pybind11.h>
#include <pybind11/stl.h>

#include <algorithm>
#include <cstddef>
#include <vector>

namespace py = pybind11;

struct SampleBank {
  std::vector<float> frames;
  int rate = 48000;
};

struct Envelope {
  float attack = 0.01f;
  float release = 0.2f;
};

class SamplerVoice {
 public:
  void SetEnvelope(Envelope* env, py::object env_obj) {
    envelope_ = env;
    envelope_ref_ = std::move(env_obj);
  }

  void SetBank(SampleBank* bank, py::object bank_obj) {
    if (bank == nullptr) throw py::value_error("bank must not be None");
    bank_ = bank;
    bank_ref_ = std::move(bank_obj);
    cursor_ = 0;
  }

  std::vector<float> Render(std::size_t count) {
    std::vector<float> out(count, 0.0f);
    if (bank_ == nullptr) return out;
    const float gain = envelope_ ? std::min(1.0f, envelope_->attack * 100.0f) : 1.0f;
    for (std::size_t i = 0; i < count && cursor_ < bank_->frames.size(); ++i) {
      out[i] = gain * bank_->frames[cursor_++];
    }
    return out;
  }

 private:
  SampleBank* bank_ = nullptr;
  py::object bank_ref_;
  Envelope* envelope_ = nullptr;
  py::object envelope_ref_;
  std::size_t cursor_ = 0;
};

PYBIND11_MODULE(_sampler, m) {
  py::class_<SampleBank>(m, "SampleBank")
      .def(py::init<>())
      .def_readwrite("frames", &SampleBank::frames)
      .def_readwrite("rate", &SampleBank::rate);
  py::class_<Envelope>(m, "Envelope")
      .def(py::init<>())
      .def_readwrite("attack", &Envelope::attack)
      .def_readwrite("release", &Envelope::release);
  py::class_<SamplerVoice>(m, "SamplerVoice")
      .def(py::init<>())
      .def("set_envelope",
           [](SamplerVoice& self, py::object env) { self.SetEnvelope(env.cast<Envelope*>(), env); })
      .def("set_bank",
           [](SamplerVoice& self, py::object bank) { self.SetBank(bank.cast<SampleBank*>(), bank); })
      .def("render", &SamplerVoice::Render);
}
