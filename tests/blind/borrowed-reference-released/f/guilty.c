#define PY_SSIZE_T_CLEAN
#include <Python.h>

#include <stdint.h>

#define MAX_RANK 16

typedef struct {
    int rank;
    int64_t dims[MAX_RANK];
} shape_t;

/* Reads one dimension; -1 with an exception set on failure. */
static int dim_from_object(PyObject *obj, int64_t *out)
{
    long long value = PyLong_AsLongLong(obj);
    if (value == -1 && PyErr_Occurred())
        return -1;
    if (value < 0) {
        PyErr_Format(PyExc_ValueError, "negative dimension %lld", value);
        return -1;
    }
    *out = (int64_t)value;
    return 0;
}

static int shape_from_object(PyObject *obj, shape_t *shape)
{
    int rc = -1;
    Py_ssize_t n;
    PyObject *dims = PySequence_Tuple(obj);
    if (dims == NULL)
        return -1;

    n = PyTuple_GET_SIZE(dims);
    if (n > MAX_RANK) {
        PyErr_Format(PyExc_ValueError, "rank %zd exceeds %d", n, MAX_RANK);
        goto done;
    }
    for (Py_ssize_t i = 0; i < n; i++) {
        PyObject *dim = PyTuple_GET_ITEM(dims, i);
        int status = dim_from_object(dim, &shape->dims[i]);
        Py_DECREF(dim);
        if (status < 0)
            goto done;
    }
    shape->rank = (int)n;
    rc = 0;

done:
    Py_DECREF(dims);
    return rc;
}

static PyObject *py_num_elements(PyObject *self, PyObject *arg)
{
    shape_t shape = {0};
    int64_t total = 1;

    (void)self;
    if (shape_from_object(arg, &shape) < 0)
        return NULL;
    for (int i = 0; i < shape.rank; i++) {
        if (__builtin_mul_overflow(total, shape.dims[i], &total)) {
            PyErr_SetString(PyExc_OverflowError, "shape is too large");
            return NULL;
        }
    }
    return PyLong_FromLongLong(total);
}

static PyMethodDef methods[] = {
    {"num_elements", py_num_elements, METH_O, "Number of elements of a shape."},
    {NULL, NULL, 0, NULL},
};

static struct PyModuleDef module = {
    PyModuleDef_HEAD_INIT, "_shape", NULL, 0, methods, NULL, NULL, NULL, NULL,
};

PyMODINIT_FUNC PyInit__shape(void)
{
    return PyModule_Create(&module);
}
