#define PY_SSIZE_T_CLEAN
#include <Python.h>

#include <string>
#include <unordered_map>

struct Settings {
    PyObject_HEAD
    std::unordered_map<std::string, PyObject *> *table;
};

static PyObject *find_scoped(const Settings *self, std::string key)
{
    for (;;) {
        auto hit = self->table->find(key);
        if (hit != self->table->end())
            return hit->second;
        const auto dot = key.find('.');
        if (dot == std::string::npos)
            return nullptr;
        key.erase(0, dot + 1);
    }
}

static PyObject *Settings_lookup(PyObject *op, PyObject *const *args, Py_ssize_t nargs)
{
    auto *self = reinterpret_cast<Settings *>(op);
    if (nargs < 1 || nargs > 2) {
        PyErr_SetString(PyExc_TypeError, "lookup(key, default=None)");
        return nullptr;
    }
    Py_ssize_t size = 0;
    const char *text = PyUnicode_AsUTF8AndSize(args[0], &size);
    if (!text)
        return nullptr;

    PyObject *fallback = nargs == 2 ? args[1] : Py_None;
    PyObject *value = find_scoped(self, std::string(text, size));
    if (!value)
        return fallback;
    return Py_NewRef(value);
}

static PyObject *Settings_store(PyObject *op, PyObject *const *args, Py_ssize_t nargs)
{
    auto *self = reinterpret_cast<Settings *>(op);
    if (nargs != 2) {
        PyErr_SetString(PyExc_TypeError, "store(key, value)");
        return nullptr;
    }
    const char *text = PyUnicode_AsUTF8(args[0]);
    if (!text)
        return nullptr;
    PyObject *&slot = (*self->table)[text];
    PyObject *old = slot;
    slot = Py_NewRef(args[1]);
    Py_XDECREF(old);
    Py_RETURN_NONE;
}

static PyMethodDef Settings_methods[] = {
    {"lookup", reinterpret_cast<PyCFunction>(reinterpret_cast<void (*)()>(Settings_lookup)), METH_FASTCALL, nullptr},
    {"store", reinterpret_cast<PyCFunction>(reinterpret_cast<void (*)()>(Settings_store)), METH_FASTCALL, nullptr},
    {nullptr, nullptr, 0, nullptr},
};

static void Settings_dealloc(PyObject *op)
{
    PyTypeObject *type = Py_TYPE(op);
    auto *table = reinterpret_cast<Settings *>(op)->table;
    if (table)
        for (auto &entry : *table)
            Py_DECREF(entry.second);
    delete table;
    type->tp_free(op);
    Py_DECREF(type);
}
