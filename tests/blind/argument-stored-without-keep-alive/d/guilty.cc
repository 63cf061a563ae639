#include <algorithm>
#include <string>
#include <vector>

#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

namespace nb = nanobind;

struct Envelope {
    float attack = 0.01f;
    float release = 0.2f;

    float gain_at(float t, float length) const {
        if (t < attack)
            return t / attack;
        if (t > length - release)
            return std::max(0.0f, (length - t) / release);
        return 1.0f;
    }
};

class Voice {
public:
    explicit Voice(const Envelope &shape) : shape_(&shape) {}
    virtual ~Voice() = default;
    virtual float sample(float t) const = 0;

    std::vector<float> render(float seconds, int rate) const {
        std::vector<float> out;
        const int frames = static_cast<int>(seconds * rate);
        out.reserve(frames);
        for (int i = 0; i < frames; ++i) {
            const float t = static_cast<float>(i) / rate;
            out.push_back(sample(t) * shape_->gain_at(t, seconds));
        }
        return out;
    }

private:
    const Envelope *shape_;
};

class SawVoice : public Voice {
public:
    SawVoice(float hertz, const Envelope &shape) : Voice(shape), hertz_(hertz) {}

    float sample(float t) const override {
        const float phase = t * hertz_;
        return 2.0f * (phase - static_cast<int>(phase)) - 1.0f;
    }

private:
    float hertz_;
};

NB_MODULE(synth_ext, m) {
    nb::class_<Envelope>(m, "Envelope")
        .def(nb::init<>())
        .def_rw("attack", &Envelope::attack)
        .def_rw("release", &Envelope::release);

    nb::class_<Voice>(m, "Voice")
        .def("render", &Voice::render, nb::arg("seconds"), nb::arg("rate") = 48000);

    nb::class_<SawVoice, Voice>(m, "SawVoice")
        .def(nb::init<float, const Envelope &>(), nb::arg("hertz"), nb::arg("shape"),
             nb::keep_alive<1, 2>());
}
