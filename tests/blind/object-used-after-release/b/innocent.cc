#define PY_SSIZE_T_CLEAN
#include <Python.h>

#include <utility>

namespace book {

class Owned {
public:
    explicit Owned(PyObject *p) noexcept : p_(p) {}
    Owned(Owned &&other) noexcept : p_(std::exchange(other.p_, nullptr)) {}
    Owned &operator=(Owned &&other) noexcept
    {
        std::swap(p_, other.p_);
        return *this;
    }
    ~Owned() { Py_XDECREF(p_); }

    explicit operator bool() const noexcept { return p_ != nullptr; }
    PyObject *get() const noexcept { return p_; }
    PyObject *release() noexcept { return std::exchange(p_, nullptr); }

private:
    PyObject *p_;
};

// Price of the newest entry of a mapping of timestamps to prices
PyObject *latest_quote(PyObject *, PyObject *series)
{
    Owned pair(nullptr);
    {
        Owned items(PyMapping_Items(series));
        if (!items)
            return nullptr;
        if (PyList_GET_SIZE(items.get()) == 0) {
            PyErr_SetString(PyExc_LookupError, "empty series");
            return nullptr;
        }
        if (PyList_Sort(items.get()) != 0)
            return nullptr;
        PyObject *quote = PyList_GET_ITEM(items.get(), PyList_GET_SIZE(items.get()) - 1);
        if (!PyTuple_Check(quote) || PyTuple_GET_SIZE(quote) != 2) {
            PyErr_SetString(PyExc_TypeError, "items() must yield pairs");
            return nullptr;
        }
        pair = Owned(Py_NewRef(quote));
    }
    Owned price(PyNumber_Float(PyTuple_GET_ITEM(pair.get(), 1)));
    if (!price)
        return nullptr;
    return price.release();
}

PyObject *count(PyObject *, PyObject *series)
{
    const Py_ssize_t n = PyMapping_Size(series);
    return n < 0 ? nullptr : PyLong_FromSsize_t(n);
}

} // namespace book

PyMethodDef book_methods[] = {
    {"latest_quote", book::latest_quote, METH_O, "Price of the newest quote."},
    {"count", book::count, METH_O, "Number of quotes."},
    {nullptr, nullptr, 0, nullptr},
};
