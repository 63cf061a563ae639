#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>

#include <cmath>
#include <optional>
#include <string>
#include <vector>

namespace nb = nanobind;
using namespace nb::literals;

namespace synth {

struct Voice {
    std::string wave = "sine";
    double frequency = 440.0;
    double gain = 0.5;
};

nb::object option(const nb::dict &options, const char *name, nb::object fallback)
{
    nb::str key(name);
    PyObject *value = PyDict_GetItemWithError(options.ptr(), key.ptr());
    if (!value) {
        if (PyErr_Occurred())
            throw nb::python_error();
        return fallback;
    }
    return nb::borrow<nb::object>(value);
}

Voice make_voice(nb::kwargs options)
{
    Voice v;
    v.wave = nb::cast<std::string>(option(options, "wave", nb::cast(v.wave)));
    v.frequency = nb::cast<double>(option(options, "frequency", nb::cast(v.frequency)));
    v.gain = nb::cast<double>(option(options, "gain", nb::cast(v.gain)));
    if (v.frequency <= 0.0)
        throw nb::value_error("frequency must be positive");
    return v;
}

double sample(const Voice &v, double t)
{
    const double phase = t * v.frequency - std::floor(t * v.frequency);
    if (v.wave == "square")
        return phase < 0.5 ? v.gain : -v.gain;
    if (v.wave == "saw")
        return v.gain * (2.0 * phase - 1.0);
    return v.gain * std::sin(2.0 * 3.14159265358979323846 * phase);
}

} // namespace synth

NB_MODULE(_synth, m)
{
    nb::class_<synth::Voice>(m, "Voice")
        .def_rw("wave", &synth::Voice::wave)
        .def_rw("frequency", &synth::Voice::frequency)
        .def_rw("gain", &synth::Voice::gain);
    m.def("voice", &synth::make_voice, "options"_a);
    m.def("sample", &synth::sample, "voice"_a, "t"_a);
}
