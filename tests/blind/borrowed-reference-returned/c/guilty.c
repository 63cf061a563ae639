#define PY_SSIZE_T_CLEAN
#include <Python.h>
#include <stddef.h>

typedef struct {
    PyObject_HEAD
    PyObject *name;      /* str */
    PyObject *aliases;   /* list of str */
    Py_ssize_t length;
} Contig;

static int
contig_init(Contig *self, PyObject *args, PyObject *kwds)
{
    static char *kwlist[] = {"name", "length", NULL};
    PyObject *name;
    Py_ssize_t length;

    if (!PyArg_ParseTupleAndKeywords(args, kwds, "Un", kwlist, &name, &length))
        return -1;
    PyObject *aliases = PyList_New(0);
    if (aliases == NULL)
        return -1;
    Py_INCREF(name);
    Py_XSETREF(self->name, name);
    Py_XSETREF(self->aliases, aliases);
    self->length = length;
    return 0;
}

static void
contig_dealloc(Contig *self)
{
    Py_XDECREF(self->name);
    Py_XDECREF(self->aliases);
    Py_TYPE(self)->tp_free((PyObject *)self);
}

static PyObject *
newest_alias(Contig *self)
{
    Py_ssize_t n = PyList_GET_SIZE(self->aliases);
    return n > 0 ? PyList_GET_ITEM(self->aliases, n - 1) : NULL;
}

static PyObject *
contig_get_label(Contig *self, void *Py_UNUSED(closure))
{
    PyObject *label = newest_alias(self);
    if (label == NULL)
        label = PyUnicode_FromFormat("%U:%zd", self->name, self->length);
    return label;
}

static PyObject *
contig_add_alias(Contig *self, PyObject *alias)
{
    if (!PyUnicode_Check(alias)) {
        PyErr_SetString(PyExc_TypeError, "alias must be a str");
        return NULL;
    }
    if (PyList_Append(self->aliases, alias) < 0)
        return NULL;
    Py_RETURN_NONE;
}

static PyMethodDef contig_methods[] = {
    {"add_alias", (PyCFunction)contig_add_alias, METH_O, NULL},
    {NULL, NULL, 0, NULL},
};

static PyGetSetDef contig_getset[] = {
    {"label", (getter)contig_get_label, NULL, NULL, NULL},
    {NULL, NULL, NULL, NULL, NULL},
};

PyTypeObject ContigType = {
    PyVarObject_HEAD_INIT(NULL, 0)
    .tp_name = "genomics.Contig", .tp_basicsize = sizeof(Contig),
    .tp_flags = Py_TPFLAGS_DEFAULT, .tp_new = PyType_GenericNew,
    .tp_init = (initproc)contig_init, .tp_dealloc = (destructor)contig_dealloc,
    .tp_methods = contig_methods, .tp_getset = contig_getset,
};
