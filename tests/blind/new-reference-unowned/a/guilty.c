#define PY_SSIZE_T_CLEAN
#include <Python.h>

#include <math.h>

typedef struct {
    Py_ssize_t count;
    double mean;
    double m2;
} moments;

static void
moments_push(moments *m, double x)
{
    double delta = x - m->mean;
    m->count++;
    m->mean += delta / (double)m->count;
    m->m2 += delta * (x - m->mean);
}

static int
set_steal(PyObject *dict, const char *key, PyObject *value)
{
    if (value == NULL)
        return -1;
    int rc = PyDict_SetItemString(dict, key, value);
    Py_DECREF(value);
    return rc;
}

static PyObject *
stat_report(PyObject *self, PyObject *iterable)
{
    moments m = {0, 0.0, 0.0};
    PyObject *item, *report, *it = PyObject_GetIter(iterable);
    if (it == NULL)
        return NULL;
    while ((item = PyIter_Next(it)) != NULL) {
        double x = PyFloat_AsDouble(item);
        Py_DECREF(item);
        if (x == -1.0 && PyErr_Occurred())
            break;
        moments_push(&m, x);
    }
    Py_DECREF(it);
    if (PyErr_Occurred())
        return NULL;

    report = PyDict_New();
    if (report == NULL)
        return NULL;
    if (set_steal(report, "count", PyLong_FromSsize_t(m.count)) < 0)
        goto fail;
    if (m.count > 0) {
        if (PyDict_SetItemString(report, "mean", PyFloat_FromDouble(m.mean)) < 0)
            goto fail;
        if (set_steal(report, "std", PyFloat_FromDouble(sqrt(m.m2 / (double)m.count))) < 0)
            goto fail;
    }
    return report;

fail:
    Py_DECREF(report);
    return NULL;
}

static PyMethodDef stat_methods[] = {
    {"report", stat_report, METH_O, "Count, mean and deviation of an iterable."},
    {NULL, NULL, 0, NULL},
};

static struct PyModuleDef stat_def = {PyModuleDef_HEAD_INIT, "_stat", NULL, -1, stat_methods, NULL, NULL, NULL, NULL};

PyMODINIT_FUNC
PyInit__stat(void)
{
    return PyModule_Create(&stat_def);
}
