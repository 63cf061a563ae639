#define PY_SSIZE_T_CLEAN
#include <Python.h>

#define RETURN_IF_NULL(expr) \
    do {                     \
        if ((expr) == NULL)  \
            return NULL;     \
    } while (0)

/* "compile.opt-level" -> "opt_level", as a new reference. */
static PyObject *option_key(PyObject *name)
{
    PyObject *key, *tail;
    Py_ssize_t dot, len;

    if (!PyUnicode_Check(name)) {
        PyErr_Format(PyExc_TypeError, "option names are str, not %.80s",
                     Py_TYPE(name)->tp_name);
        return NULL;
    }
    len = PyUnicode_GET_LENGTH(name);
    dot = PyUnicode_FindChar(name, '.', 0, len, -1);
    if (dot == -2)
        return NULL;
    RETURN_IF_NULL(tail = PyUnicode_Substring(name, dot + 1, len));
    key = PyObject_CallMethod(tail, "replace", "ss", "-", "_");
    Py_DECREF(tail);
    return key;
}

/* Turns {name: value} into (key, value, key, value, ...). */
static PyObject *flatten_options(PyObject *self, PyObject *options)
{
    PyObject *flat, *snapshot, *name, *value;
    Py_ssize_t pos = 0, slot = 0;

    (void)self;
    if (!PyDict_Check(options)) {
        PyErr_SetString(PyExc_TypeError, "options must be a dict");
        return NULL;
    }
    RETURN_IF_NULL(snapshot = PyDict_Copy(options));
    flat = PyTuple_New(2 * PyDict_GET_SIZE(snapshot));
    if (flat == NULL)
        goto fail;

    while (PyDict_Next(snapshot, &pos, &name, &value)) {
        PyObject *key = option_key(name);
        if (key == NULL)
            goto fail;
        PyTuple_SET_ITEM(flat, slot++, key);
        PyTuple_SET_ITEM(flat, slot++, Py_NewRef(value));
    }
    Py_DECREF(snapshot);
    return flat;

fail:
    Py_XDECREF(flat);
    Py_DECREF(snapshot);
    return NULL;
}

static PyMethodDef methods[] = {
    {"flatten_options", flatten_options, METH_O, "Flattens compile options."},
    {NULL, NULL, 0, NULL},
};

static struct PyModuleDef module = {
    PyModuleDef_HEAD_INIT, "_options", NULL, 0, methods, NULL, NULL, NULL, NULL,
};

PyMODINIT_FUNC PyInit__options(void)
{
    return PyModule_Create(&module);
}
