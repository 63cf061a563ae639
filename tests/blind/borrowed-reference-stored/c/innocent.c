/* Order book: the tick table follows the venue. */
#define PY_SSIZE_T_CLEAN
#include <Python.h>
#include <structmember.h>

typedef struct {
    PyObject_HEAD
    PyObject *venues;   /* dict: name -> tick table */
    PyObject *ticks;    /* tick table of the current venue */
} Book;

static int
lookup_ticks(PyObject *venues, PyObject *name, PyObject **out)
{
    *out = PyDict_GetItemWithError(venues, name);
    if (*out == NULL) {
        if (!PyErr_Occurred())
            PyErr_SetObject(PyExc_KeyError, name);
        return -1;
    }
    return 0;
}

static int
Book_init(Book *self, PyObject *args, PyObject *Py_UNUSED(kwargs))
{
    PyObject *venues;
    if (!PyArg_ParseTuple(args, "O!:Book", &PyDict_Type, &venues))
        return -1;
    Py_XSETREF(self->venues, Py_NewRef(venues));
    return 0;
}

static void
Book_dealloc(Book *self)
{
    Py_CLEAR(self->venues);
    Py_CLEAR(self->ticks);
    Py_TYPE(self)->tp_free((PyObject *)self);
}

static PyObject *
Book_set_venue(Book *self, PyObject *name)
{
    PyObject *ticks;
    if (self->venues == NULL || lookup_ticks(self->venues, name, &ticks) < 0)
        return PyErr_Occurred() ? NULL : PyErr_Format(PyExc_RuntimeError, "no venues");
    Py_XSETREF(self->ticks, Py_NewRef(ticks));
    Py_RETURN_NONE;
}

static PyMethodDef Book_methods[] = {
    {"set_venue", (PyCFunction)Book_set_venue, METH_O, "Switch to a venue."},
    {NULL, NULL, 0, NULL},
};

static PyMemberDef Book_members[] = {
    {"ticks", T_OBJECT, offsetof(Book, ticks), READONLY, "Current tick table."},
    {NULL, 0, 0, 0, NULL},
};

PyTypeObject Book_Type = {
    PyVarObject_HEAD_INIT(NULL, 0)
    .tp_name = "_trading.Book",
    .tp_basicsize = sizeof(Book),
    .tp_flags = Py_TPFLAGS_DEFAULT,
    .tp_new = PyType_GenericNew,
    .tp_init = (initproc)Book_init,
    .tp_dealloc = (destructor)Book_dealloc,
    .tp_methods = Book_methods,
    .tp_members = Book_members,
};
