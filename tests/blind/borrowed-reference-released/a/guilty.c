#define PY_SSIZE_T_CLEAN
#include <Python.h>

#include <math.h>

static int
as_point(PyObject *pair, double *x, double *y)
{
    if (!PyTuple_Check(pair) || PyTuple_GET_SIZE(pair) != 2) {
        PyErr_SetString(PyExc_TypeError, "a vertex is a pair of numbers");
        return -1;
    }
    PyObject *px = PyTuple_GET_ITEM(pair, 0);
    PyObject *py = PyTuple_GET_ITEM(pair, 1);
    if (!PyFloat_Check(px) || !PyFloat_Check(py)) {
        PyErr_SetString(PyExc_TypeError, "a coordinate is a float");
        return -1;
    }
    *x = PyFloat_AS_DOUBLE(px);
    *y = PyFloat_AS_DOUBLE(py);
    return 0;
}

static PyObject *
polygon_area(PyObject *self, PyObject *ring)
{
    double first_x = 0, first_y = 0, last_x = 0, last_y = 0, twice = 0;

    if (!PyList_Check(ring)) {
        PyErr_SetString(PyExc_TypeError, "expected a list of vertices");
        return NULL;
    }
    for (Py_ssize_t i = 0; i < PyList_Size(ring); i++) {
        double x, y;
        PyObject *vertex = PyList_GetItem(ring, i);
        if (vertex == NULL)
            return NULL;
        if (as_point(vertex, &x, &y) < 0)
            return NULL;
        if (i == 0) {
            first_x = x;
            first_y = y;
        }
        else {
            twice += last_x * y - x * last_y;
        }
        last_x = x;
        last_y = y;
        Py_DECREF(vertex);
    }
    twice += last_x * first_y - first_x * last_y;
    return PyFloat_FromDouble(fabs(twice) / 2);
}

static PyMethodDef planar_methods[] = {
    {"polygon_area", polygon_area, METH_O, "Area of a simple polygon."},
    {NULL, NULL, 0, NULL},
};

static struct PyModuleDef planar = {
    PyModuleDef_HEAD_INIT,
    .m_name = "_planar",
    .m_size = -1,
    .m_methods = planar_methods,
};

PyMODINIT_FUNC
PyInit__planar(void)
{
    return PyModule_Create(&planar);
}
