#define PY_SSIZE_T_CLEAN
#include <Python.h>
#include <structmember.h>

#include <string.h>

typedef struct {
    PyObject_HEAD
    PyObject *name;      /* str */
    Py_ssize_t rank;
    Py_ssize_t *strides; /* PyMem, `rank` entries */
    PyObject *dtype;     /* anything with an itemsize */
} LayoutObject;

static PyObject *layout_new(PyTypeObject *type, PyObject *args, PyObject *kwds)
{
    static char *kwlist[] = {"name", "strides", "dtype", NULL};
    PyObject *name, *strides, *dtype, *seq = NULL;
    LayoutObject *self = NULL;

    if (!PyArg_ParseTupleAndKeywords(args, kwds, "UOO:Layout", kwlist, &name,
                                     &strides, &dtype))
        return NULL;
    seq = PySequence_Tuple(strides);
    if (seq == NULL)
        return NULL;
    self = (LayoutObject *)type->tp_alloc(type, 0);
    if (self == NULL)
        goto fail;
    self->name = Py_NewRef(name);
    self->dtype = Py_NewRef(dtype);
    self->rank = PyTuple_GET_SIZE(seq);
    self->strides = PyMem_New(Py_ssize_t, self->rank);
    if (self->strides == NULL) {
        PyErr_NoMemory();
        goto fail;
    }
    for (Py_ssize_t i = 0; i < self->rank; i++) {
        self->strides[i] =
            PyNumber_AsSsize_t(PyTuple_GET_ITEM(seq, i), PyExc_OverflowError);
        if (self->strides[i] == -1 && PyErr_Occurred())
            goto fail;
    }
    Py_DECREF(seq);
    return (PyObject *)self;

fail:
    Py_DECREF(seq);
    Py_XDECREF(self);
    return NULL;
}

static void layout_dealloc(LayoutObject *self)
{
    PyMem_Free(self->strides);
    Py_XDECREF(self->name);
    Py_XDECREF(self->dtype);
    Py_TYPE(self)->tp_free((PyObject *)self);
}

static PyObject *layout_stride(LayoutObject *self, PyObject *arg)
{
    Py_ssize_t axis = PyNumber_AsSsize_t(arg, PyExc_IndexError);
    if (axis == -1 && PyErr_Occurred())
        return NULL;
    if (axis < 0 || axis >= self->rank)
        return PyErr_Format(PyExc_IndexError, "no axis %zd", axis);
    return PyLong_FromSsize_t(self->strides[axis]);
}

static PyMethodDef layout_methods[] = {
    {"stride", (PyCFunction)layout_stride, METH_O, "Stride of one axis."},
    {NULL, NULL, 0, NULL},
};

static PyMemberDef layout_members[] = {
    {"name", T_OBJECT_EX, offsetof(LayoutObject, name), READONLY, NULL},
    {"dtype", T_OBJECT_EX, offsetof(LayoutObject, dtype), READONLY, NULL},
    {NULL, 0, 0, 0, NULL},
};

PyTypeObject Layout_Type = {
    PyVarObject_HEAD_INIT(NULL, 0)
    .tp_name = "_layout.Layout",
    .tp_basicsize = sizeof(LayoutObject),
    .tp_dealloc = (destructor)layout_dealloc,
    .tp_flags = Py_TPFLAGS_DEFAULT,
    .tp_methods = layout_methods,
    .tp_members = layout_members,
    .tp_new = layout_new,
};
