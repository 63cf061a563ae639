#define PY_SSIZE_T_CLEAN
#include <Python.h>

#include <stdlib.h>

typedef struct {
    Py_ssize_t refs;
    Py_ssize_t length;
    double values[1];
} series_t;

typedef struct {
    PyObject_HEAD
    series_t *series;
} SeriesObject;

typedef struct {
    PyObject_HEAD
    series_t *series;
    Py_ssize_t pos;
} SeriesIterObject;

static void series_unref(series_t *s)
{
    if (s != NULL && --s->refs == 0)
        free(s);
}

static PyTypeObject SeriesIterType;

static PyObject *Series_new(PyTypeObject *type, PyObject *args, PyObject *kwargs)
{
    PyObject *seq, *fast;
    Py_ssize_t n, i;
    SeriesObject *self;
    series_t *s;

    if (!PyArg_ParseTuple(args, "O", &seq))
        return NULL;
    fast = PySequence_Tuple(seq);
    if (fast == NULL)
        return NULL;
    n = PyTuple_GET_SIZE(fast);
    s = malloc(sizeof *s + (size_t)n * sizeof(double));
    if (s == NULL) {
        Py_DECREF(fast);
        return PyErr_NoMemory();
    }
    s->refs = 1;
    s->length = n;
    for (i = 0; i < n; i++) {
        s->values[i] = PyFloat_AsDouble(PyTuple_GET_ITEM(fast, i));
        if (PyErr_Occurred())
            break;
    }
    Py_DECREF(fast);
    self = PyErr_Occurred() ? NULL : (SeriesObject *)type->tp_alloc(type, 0);
    if (self == NULL) {
        series_unref(s);
        return NULL;
    }
    self->series = s;
    return (PyObject *)self;
}

static void Series_dealloc(SeriesObject *self)
{
    series_unref(self->series);
    Py_TYPE(self)->tp_free((PyObject *)self);
}

static PyObject *Series_iter(SeriesObject *self)
{
    SeriesIterObject *it = PyObject_New(SeriesIterObject, &SeriesIterType);
    if (it == NULL)
        return NULL;
    it->series = self->series;
    it->pos = 0;
    return (PyObject *)it;
}

static void SeriesIter_dealloc(SeriesIterObject *it)
{
    PyObject_Free(it);
}

static PyObject *SeriesIter_next(SeriesIterObject *it)
{
    if (it->pos >= it->series->length)
        return NULL;
    return PyFloat_FromDouble(it->series->values[it->pos++]);
}

static PyTypeObject SeriesIterType = {
    PyVarObject_HEAD_INIT(NULL, 0)
    .tp_name = "finance.SeriesIterator",
    .tp_basicsize = sizeof(SeriesIterObject),
    .tp_dealloc = (destructor)SeriesIter_dealloc,
    .tp_iter = PyObject_SelfIter,
    .tp_iternext = (iternextfunc)SeriesIter_next,
    .tp_flags = Py_TPFLAGS_DEFAULT,
};

PyTypeObject SeriesType = {
    PyVarObject_HEAD_INIT(NULL, 0)
    .tp_name = "finance.Series",
    .tp_basicsize = sizeof(SeriesObject),
    .tp_dealloc = (destructor)Series_dealloc,
    .tp_iter = (getiterfunc)Series_iter,
    .tp_new = Series_new,
    .tp_flags = Py_TPFLAGS_DEFAULT,
};
