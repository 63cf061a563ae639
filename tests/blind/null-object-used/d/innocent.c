/* Weather stations: load a sequence of readings into a plain array of doubles. */
#define PY_SSIZE_T_CLEAN
#include <Python.h>

typedef struct {
    PyObject_HEAD
    double *readings;
    Py_ssize_t count;
} Station;

static PyObject *
Station_load(PyObject *op, PyObject *arg)
{
    Station *self = (Station *)op;
    PyObject *source = PySequence_Tuple(arg);
    if (source == NULL)
        return NULL;

    Py_ssize_t count = PyTuple_GET_SIZE(source);
    double *readings = PyMem_New(double, count);
    if (readings == NULL) {
        Py_DECREF(source);
        return PyErr_NoMemory();
    }
    for (Py_ssize_t i = 0; i < count; i++) {
        PyObject *item = PyTuple_GET_ITEM(source, i);
        PyObject *number = PyFloat_CheckExact(item) ? Py_NewRef(item) : PyNumber_Float(item);
        if (number == NULL) {
            Py_DECREF(source);
            PyMem_Free(readings);
            return NULL;
        }
        readings[i] = PyFloat_AS_DOUBLE(number);
        Py_DECREF(number);
    }
    Py_DECREF(source);
    PyMem_Free(self->readings);
    self->readings = readings;
    self->count = count;
    Py_RETURN_NONE;
}

static PyObject *
Station_mean(PyObject *op, PyObject *Py_UNUSED(ignored))
{
    Station *self = (Station *)op;
    if (self->count == 0)
        Py_RETURN_NONE;
    double total = 0.0;
    for (Py_ssize_t i = 0; i < self->count; i++)
        total += self->readings[i];
    return PyFloat_FromDouble(total / (double)self->count);
}

static void
Station_dealloc(PyObject *op)
{
    PyMem_Free(((Station *)op)->readings);
    Py_TYPE(op)->tp_free(op);
}

static PyMethodDef Station_methods[] = {
    {"load", Station_load, METH_O, "Replaces the readings."},
    {"mean", Station_mean, METH_NOARGS, "The mean of the readings, or None."},
    {NULL, NULL, 0, NULL},
};

PyTypeObject Station_Type = {
    PyVarObject_HEAD_INIT(NULL, 0)
    .tp_name = "weather.Station",
    .tp_basicsize = sizeof(Station),
    .tp_flags = Py_TPFLAGS_DEFAULT,
    .tp_new = PyType_GenericNew,
    .tp_dealloc = Station_dealloc,
    .tp_methods = Station_methods,
};
