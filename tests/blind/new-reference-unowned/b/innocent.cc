#include <pybind11/pybind11.h>
#include <pybind11/stl.h>

#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

namespace py = pybind11;

namespace etl {

template <class T>
T call_checked(const py::object &fn, const py::tuple &args, const py::dict &kwargs)
{
    PyObject *result = PyObject_Call(fn.ptr(), args.ptr(), kwargs.ptr());
    if (!result)
        throw py::error_already_set();
    if (!T::check_(py::handle(result))) {
        std::string got = Py_TYPE(result)->tp_name;
        Py_DECREF(result);
        throw py::type_error("step returned " + got);
    }
    return py::reinterpret_steal<T>(result);
}

class Plan {
public:
    Plan &then(std::string name, py::object fn, py::dict options)
    {
        steps_.push_back({std::move(name), std::move(fn), std::move(options)});
        return *this;
    }

    py::list run(py::iterable rows)
    {
        const std::vector<Step> steps = steps_;
        py::list out;
        for (py::handle row : rows) {
            auto current = row.cast<py::dict>();
            for (const Step &step : steps) {
                current = call_checked<py::dict>(step.fn, py::make_tuple(current), step.options);
                ++counts_[step.name];
            }
            out.append(current);
        }
        return out;
    }

    const std::unordered_map<std::string, std::size_t> &counts() const { return counts_; }

private:
    struct Step {
        std::string name;
        py::object fn;
        py::dict options;
    };

    std::vector<Step> steps_;
    std::unordered_map<std::string, std::size_t> counts_;
};

} // namespace etl

PYBIND11_MODULE(_etl, m)
{
    py::class_<etl::Plan>(m, "Plan")
        .def(py::init<>())
        .def("then", &etl::Plan::then, py::arg("name"), py::arg("fn"), py::arg("options") = py::dict(),
             py::return_value_policy::reference_internal)
        .def("run", &etl::Plan::run, py::arg("rows"))
        .def_property_readonly("counts", &etl::Plan::counts);
}
