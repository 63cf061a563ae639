#define PY_SSIZE_T_CLEAN
#include <Python.h>

typedef struct {
    PyObject *write; /* bound method of the sink */
    size_t total;
} sink_t;

static int sink_open(sink_t *sink, PyObject *file)
{
    sink->total = 0;
    sink->write = PyObject_GetAttrString(file, "write");
    return sink->write == NULL ? -1 : 0;
}

static void sink_close(sink_t *sink)
{
    Py_CLEAR(sink->write);
}

/* Hands one chunk to the Python sink, which must take all of it. */
static int write_all(sink_t *sink, const char *data, Py_ssize_t size)
{
    PyObject *result;
    Py_ssize_t written;

    result = PyObject_CallFunction(sink->write, "y#", data, size);
    if (result == NULL)
        return -1;
    written = PyNumber_AsSsize_t(result, PyExc_OverflowError);
    if (written == -1 && PyErr_Occurred()) {
        Py_DECREF(result);
        return -1;
    }
    if (written != size) {
        PyErr_Format(PyExc_OSError, "write() returned %R instead of %zd", result,
                     size);
        Py_DECREF(result);
        return -1;
    }
    Py_DECREF(result);
    sink->total += (size_t)size;
    return 0;
}

static PyObject *py_dump(PyObject *self, PyObject *args)
{
    Py_buffer view;
    PyObject *file;
    Py_ssize_t chunk = 1 << 16;
    sink_t sink;
    int rc = 0;

    (void)self;
    if (!PyArg_ParseTuple(args, "y*O|n:dump", &view, &file, &chunk))
        return NULL;
    if (chunk <= 0) {
        PyErr_SetString(PyExc_ValueError, "chunk must be positive");
        PyBuffer_Release(&view);
        return NULL;
    }
    if (sink_open(&sink, file) < 0) {
        PyBuffer_Release(&view);
        return NULL;
    }
    for (Py_ssize_t at = 0; rc == 0 && at < view.len; at += chunk) {
        Py_ssize_t size = view.len - at < chunk ? view.len - at : chunk;
        rc = write_all(&sink, (const char *)view.buf + at, size);
    }
    sink_close(&sink);
    PyBuffer_Release(&view);
    return rc < 0 ? NULL : PyLong_FromSize_t(sink.total);
}

static PyMethodDef methods[] = {
    {"dump", py_dump, METH_VARARGS, "dump(data, file, chunk=65536)"},
    {NULL, NULL, 0, NULL},
};

static struct PyModuleDef module = {
    PyModuleDef_HEAD_INIT, "_dump", NULL, 0, methods, NULL, NULL, NULL, NULL,
};

PyMODINIT_FUNC PyInit__dump(void)
{
    return PyModule_Create(&module);
}
