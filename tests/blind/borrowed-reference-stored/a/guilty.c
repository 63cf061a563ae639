#define PY_SSIZE_T_CLEAN
#include <Python.h>

typedef struct {
    PyObject_HEAD
    PyObject *callback;
    double interval;
    unsigned long fired;
} Timer;

static int
Timer_init(Timer *self, PyObject *args, PyObject *kwargs)
{
    static char *kwlist[] = {"interval", "callback", NULL};
    double interval;
    PyObject *callback;

    if (self->callback != NULL) {
        PyErr_SetString(PyExc_RuntimeError, "timer is already initialised");
        return -1;
    }
    if (!PyArg_ParseTupleAndKeywords(args, kwargs, "dO", kwlist, &interval, &callback))
        return -1;
    if (!PyCallable_Check(callback)) {
        PyErr_SetString(PyExc_TypeError, "callback must be callable");
        return -1;
    }
    if (interval <= 0) {
        PyErr_SetString(PyExc_ValueError, "interval must be positive");
        return -1;
    }
    self->interval = interval;
    self->callback = callback;
    return 0;
}

static int
Timer_traverse(Timer *self, visitproc visit, void *arg)
{
    Py_VISIT(self->callback);
    return 0;
}

static int
Timer_clear(Timer *self)
{
    Py_CLEAR(self->callback);
    return 0;
}

static void
Timer_dealloc(Timer *self)
{
    PyObject_GC_UnTrack(self);
    Timer_clear(self);
    Py_TYPE(self)->tp_free((PyObject *)self);
}

static PyObject *
Timer_fire(Timer *self, PyObject *ignored)
{
    if (self->callback == NULL) {
        PyErr_SetString(PyExc_RuntimeError, "timer is not initialised");
        return NULL;
    }
    self->fired++;
    return PyObject_CallFunction(self->callback, "k", self->fired);
}

static PyMethodDef Timer_methods[] = {
    {"fire", (PyCFunction)Timer_fire, METH_NOARGS, "Run the callback now."},
    {NULL, NULL, 0, NULL},
};

PyTypeObject Timer_Type = {
    PyVarObject_HEAD_INIT(NULL, 0)
    .tp_name = "evloop.Timer",
    .tp_basicsize = sizeof(Timer),
    .tp_flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC,
    .tp_new = PyType_GenericNew,
    .tp_init = (initproc)Timer_init,
    .tp_dealloc = (destructor)Timer_dealloc,
    .tp_traverse = (traverseproc)Timer_traverse,
    .tp_clear = (inquiry)Timer_clear,
    .tp_methods = Timer_methods,
};
