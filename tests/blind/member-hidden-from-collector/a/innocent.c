#define PY_SSIZE_T_CLEAN
#include <Python.h>

typedef struct {
    PyObject_HEAD
    PyObject *cookies;
    PyObject *transport;
    PyObject *on_close;
    int closed;
} Session;

static int
Session_init(Session *self, PyObject *args, PyObject *kwds)
{
    static char *kwlist[] = {"transport", "on_close", NULL};
    PyObject *transport, *on_close = Py_None, *cookies;

    if (!PyArg_ParseTupleAndKeywords(args, kwds, "O|O", kwlist, &transport, &on_close))
        return -1;
    cookies = PyDict_New();
    if (cookies == NULL)
        return -1;
    Py_XSETREF(self->cookies, cookies);
    Py_XSETREF(self->transport, Py_NewRef(transport));
    Py_XSETREF(self->on_close, Py_NewRef(on_close));
    return 0;
}

static int
Session_traverse(Session *self, visitproc visit, void *arg)
{
    Py_VISIT(self->cookies);
    Py_VISIT(self->transport);
    Py_VISIT(self->on_close);
    return 0;
}

static int
Session_clear(Session *self)
{
    Py_CLEAR(self->cookies);
    Py_CLEAR(self->transport);
    Py_CLEAR(self->on_close);
    return 0;
}

static void
Session_dealloc(Session *self)
{
    PyObject_GC_UnTrack(self);
    Session_clear(self);
    Py_TYPE(self)->tp_free((PyObject *)self);
}

static PyObject *
Session_close(Session *self, PyObject *unused)
{
    if (self->closed || self->on_close == NULL || self->on_close == Py_None)
        Py_RETURN_NONE;
    self->closed = 1;
    PyObject *hook = Py_NewRef(self->on_close);
    PyObject *result = PyObject_CallOneArg(hook, (PyObject *)self);
    Py_DECREF(hook);
    return result;
}

static PyMethodDef Session_methods[] = {
    {"close", (PyCFunction)Session_close, METH_NOARGS, NULL},
    {NULL, NULL, 0, NULL},
};

PyTypeObject Session_Type = {
    PyVarObject_HEAD_INIT(NULL, 0)
    .tp_name = "fasthttp.Session",
    .tp_basicsize = sizeof(Session),
    .tp_flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC,
    .tp_new = PyType_GenericNew,
    .tp_init = (initproc)Session_init,
    .tp_dealloc = (destructor)Session_dealloc,
    .tp_traverse = (traverseproc)Session_traverse,
    .tp_clear = (inquiry)Session_clear,
    .tp_methods = Session_methods,
};
