#include <boost/noncopyable.hpp>
#include <boost/python.hpp>
#include <boost/python/stl_iterator.hpp>

#include <cstddef>
#include <vector>

#include "mixer.h"

namespace py = boost::python;
using namespace studio;

namespace {

py::list processBlock(Mixer &mixer, const py::object &block)
{
    py::stl_input_iterator<float> first(block), last;
    std::vector<float> samples(first, last);
    mixer.process(samples.data(), samples.size());
    py::list result;
    for (float sample : samples)
        result.append(sample);
    return result;
}

} // namespace

BOOST_PYTHON_MODULE(_studio)
{
    py::class_<Effect, boost::noncopyable>("Effect", py::no_init)
        .add_property("bypassed", &Effect::isBypassed, &Effect::setBypassed);

    py::class_<Echo, py::bases<Effect>, boost::noncopyable>(
        "Echo", py::init<std::size_t, float>((py::arg("delay"), py::arg("feedback") = 0.5f)));

    py::class_<Gain, py::bases<Effect>, boost::noncopyable>("Gain", py::init<float>())
        .add_property("factor", &Gain::factor, &Gain::setFactor);

    py::class_<Mixer, boost::noncopyable>("Mixer")
        .def("append", &Mixer::append, (py::arg("self"), py::arg("effect")))
        .def("clear", &Mixer::clear)
        .def("process", &processBlock, (py::arg("self"), py::arg("block")))
        .def("__len__", &Mixer::length);
}
