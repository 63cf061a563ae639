#define PY_SSIZE_T_CLEAN
#include <Python.h>

#include <stdlib.h>

#define MAX_PENDING 64

static PyObject *sink;
static long pending[MAX_PENDING];
static int pending_count;

static int emit_all(void)
{
    for (int i = 0; i < pending_count; i++) {
        PyObject *r = PyObject_CallFunction(sink, "l", pending[i]);
        if (r == NULL) {
            return -1;
        }
        Py_DECREF(r);
    }
    pending_count = 0;
    return 0;
}

static PyObject *flush(PyObject *Py_UNUSED(self), PyObject *Py_UNUSED(ignored))
{
    if (sink != NULL && emit_all() < 0) {
        return NULL;
    }
    Py_RETURN_NONE;
}

static void flush_at_exit(void)
{
    PyGILState_STATE gil = PyGILState_Ensure();
    if (sink != NULL && emit_all() < 0) {
        PyErr_WriteUnraisable(sink);
    }
    PyGILState_Release(gil);
}

static PyObject *set_sink(PyObject *Py_UNUSED(self), PyObject *callable)
{
    Py_XSETREF(sink, Py_NewRef(callable));
    Py_RETURN_NONE;
}

static PyObject *record(PyObject *self, PyObject *value)
{
    long v = PyLong_AsLong(value);
    if (v == -1 && PyErr_Occurred()) {
        return NULL;
    }
    if (pending_count == MAX_PENDING) {
        PyErr_SetString(PyExc_BufferError, "too many samples, call flush()");
        return NULL;
    }
    pending[pending_count++] = v;
    Py_RETURN_NONE;
}

static PyMethodDef methods[] = {
    {"set_sink", set_sink, METH_O, NULL},
    {"record", record, METH_O, NULL},
    {"flush", flush, METH_NOARGS, NULL},
    {NULL, NULL, 0, NULL},
};

static struct PyModuleDef def = {PyModuleDef_HEAD_INIT, "_metrics", NULL, -1, methods};

PyMODINIT_FUNC PyInit__metrics(void)
{
    PyObject *m = PyModule_Create(&def);
    if (m == NULL) {
        return NULL;
    }
    atexit(flush_at_exit);
    return m;
}
