#include <pybind11/pybind11.h>

#include <atomic>
#include <cstddef>
#include <stdexcept>

namespace py = pybind11;

namespace telemetry {

// The last samples of a sensor. Readers and one writer may be different threads.
class SampleRing {
public:
    explicit SampleRing(std::size_t capacity) : capacity_(capacity), slots_(capacity)
    {
        if (capacity == 0)
            throw std::invalid_argument("capacity must be positive");
        for (std::size_t i = 0; i < capacity; ++i)
            slots_[i] = py::none();
    }

    void push(py::object sample)
    {
        const std::size_t at = head_.load(std::memory_order_relaxed);
        if (PyList_SetItem(slots_.ptr(), static_cast<Py_ssize_t>(at % capacity_), sample.release().ptr()) != 0)
            throw py::error_already_set();
        head_.store(at + 1, std::memory_order_release);
    }

    py::object peek(std::size_t age) const
    {
        if (age >= capacity_)
            throw py::index_error("older than the ring");
        PyObject *item = PyList_GetItemRef(slots_.ptr(), index(age));
        if (!item)
            throw py::error_already_set();
        return py::reinterpret_steal<py::object>(item);
    }

    std::size_t written() const { return head_.load(std::memory_order_acquire); }

private:
    Py_ssize_t index(std::size_t age) const
    {
        const std::size_t newest = head_.load(std::memory_order_acquire) + capacity_ - 1;
        return static_cast<Py_ssize_t>((newest - age) % capacity_);
    }

    std::size_t capacity_;
    std::atomic<std::size_t> head_{0};
    py::list slots_;
};

} // namespace telemetry

PYBIND11_MODULE(_telemetry, m, py::mod_gil_not_used())
{
    using telemetry::SampleRing;
    py::class_<SampleRing>(m, "SampleRing")
        .def(py::init<std::size_t>(), py::arg("capacity"))
        .def("push", &SampleRing::push, py::arg("sample"))
        .def("peek", &SampleRing::peek, py::arg("age") = 0)
        .def_property_readonly("written", &SampleRing::written);
}
