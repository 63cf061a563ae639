#define PY_SSIZE_T_CLEAN
#include <Python.h>

#include <utility>

class PyRef {
public:
    PyRef() = default;
    PyRef(PyRef &&other) noexcept : obj_(std::exchange(other.obj_, nullptr)) {}
    PyRef &operator=(PyRef &&other) noexcept {
        PyObject *old = std::exchange(obj_, std::exchange(other.obj_, nullptr));
        Py_XDECREF(old);
        return *this;
    }
    ~PyRef() { Py_XDECREF(obj_); }

    static PyRef steal(PyObject *obj) { return PyRef(obj); }
    static PyRef share(PyObject *obj) {
        Py_XINCREF(obj);
        return PyRef(obj);
    }

    PyObject *get() const { return obj_; }
    explicit operator bool() const { return obj_ != nullptr; }

private:
    explicit PyRef(PyObject *obj) : obj_(obj) {}
    PyObject *obj_ = nullptr;
};

class Strategy {
public:
    bool configure(PyObject *settings) {
        PyRef quote = PyRef::steal(PyObject_GetAttrString(settings, "quote"));
        PyRef limits = PyRef::steal(PyObject_GetAttrString(settings, "limits"));
        if (!quote || !limits)
            return false;
        if (!PyCallable_Check(quote.get()) || !PyDict_Check(limits.get())) {
            PyErr_SetString(PyExc_TypeError, "quote: callable, limits: dict");
            return false;
        }
        PyRef lot = PyRef::share(PyDict_GetItemString(limits.get(), "lot"));
        if (!lot) {
            PyErr_SetString(PyExc_KeyError, "lot");
            return false;
        }
        quote_ = std::move(quote);
        lot_ = std::move(lot);
        return true;
    }

    PyObject *price(PyObject *symbol) const {
        if (!quote_) {
            PyErr_SetString(PyExc_RuntimeError, "strategy not configured");
            return nullptr;
        }
        return PyObject_CallFunctionObjArgs(quote_.get(), symbol, lot_.get(), nullptr);
    }

private:
    PyRef quote_;
    PyRef lot_;
};

static Strategy *desk = new Strategy;

static PyObject *py_configure(PyObject *, PyObject *settings) {
    if (!desk->configure(settings))
        return nullptr;
    Py_RETURN_NONE;
}

static PyObject *py_price(PyObject *, PyObject *symbol) { return desk->price(symbol); }

static PyMethodDef desk_methods[] = {
    {"configure", py_configure, METH_O, nullptr},
    {"price", py_price, METH_O, nullptr},
    {nullptr, nullptr, 0, nullptr},
};

static PyModuleDef desk_module = {PyModuleDef_HEAD_INIT, "_desk", nullptr, -1, desk_methods};

PyMODINIT_FUNC PyInit__desk() { return PyModule_Create(&desk_module); }
