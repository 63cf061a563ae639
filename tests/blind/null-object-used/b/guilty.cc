#define PY_SSIZE_T_CLEAN
#include <Python.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>

namespace {

struct Histogram {
    static constexpr int kBins = 32;
    std::uint64_t bins[kBins] = {};
    double low = std::numeric_limits<double>::infinity();
    double high = -std::numeric_limits<double>::infinity();

    void scan(const float *pixels, std::size_t n)
    {
        for (std::size_t i = 0; i < n; ++i) {
            if (!std::isfinite(pixels[i]))
                continue;
            low = std::min(low, static_cast<double>(pixels[i]));
            high = std::max(high, static_cast<double>(pixels[i]));
        }
        const double width = high > low ? (high - low) / kBins : 1.0;
        for (std::size_t i = 0; i < n; ++i) {
            if (!std::isfinite(pixels[i]))
                continue;
            const int bin = static_cast<int>((pixels[i] - low) / width);
            ++bins[std::clamp(bin, 0, kBins - 1)];
        }
    }
    double edge(int i) const { return low + (high - low) * i / kBins; }
};

template <class Make>
PyObject *build_list(Py_ssize_t n, Make make)
{
    PyObject *list = PyList_New(n);
    for (Py_ssize_t i = 0; list && i < n; ++i) {
        PyObject *item = make(static_cast<int>(i));
        if (item)
            PyList_SET_ITEM(list, i, item);
        else
            Py_CLEAR(list);
    }
    return list;
}

PyObject *to_histogram(PyObject *, PyObject *source)
{
    Py_buffer view;
    if (PyObject_GetBuffer(source, &view, PyBUF_C_CONTIGUOUS | PyBUF_FORMAT) != 0)
        return nullptr;
    Histogram h;
    PyObject *counts = nullptr, *edges = nullptr, *result = nullptr;
    if (!view.format || view.format[0] != 'f' || view.format[1] != 0 || view.len == 0) {
        PyErr_SetString(PyExc_TypeError, "expected float32 pixels");
        PyBuffer_Release(&view);
        return nullptr;
    }
    h.scan(static_cast<const float *>(view.buf), static_cast<std::size_t>(view.len) / sizeof(float));

    counts = build_list(Histogram::kBins, [&](int i) { return PyLong_FromUnsignedLongLong(h.bins[i]); });
    if (!counts)
        goto done;
    edges = build_list(Histogram::kBins + 1, [&](int i) { return PyFloat_FromDouble(h.edge(i)); });
    if (!edges)
        goto done;
    result = PyTuple_Pack(2, counts, edges);

done:
    Py_XDECREF(counts);
    Py_DECREF(edges);
    PyBuffer_Release(&view);
    return result;
}

} // namespace

PyMethodDef imaging_methods[] = {{"histogram", to_histogram, METH_O, nullptr}, {nullptr, nullptr, 0, nullptr}};
