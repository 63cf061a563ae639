#define PY_SSIZE_T_CLEAN
#include <Python.h>

/* _axes: lookups in the axis tuples of labelled arrays. */

#define AXES_FOREACH(i, axes) \
    for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(axes); ++i)

/* 1 if the axis has this name, 0 if not, -1 on error. */
static int
axis_has_name(PyObject *axis, PyObject *name)
{
    PyObject *own = PyObject_GetAttrString(axis, "name");
    if (own == NULL)
        return -1;
    int equal = PyObject_RichCompareBool(own, name, Py_EQ);
    Py_DECREF(own);
    return equal;
}

static int
parse_lookup(PyObject *args, const char *format, PyObject **axes, PyObject **name)
{
    return PyArg_ParseTuple(args, format, &PyTuple_Type, axes, name);
}

static PyObject *
axes_index(PyObject *mod, PyObject *args)
{
    PyObject *axes, *name;
    (void)mod;
    if (!parse_lookup(args, "O!U:index", &axes, &name))
        return NULL;
    AXES_FOREACH(i, axes) {
        int match = axis_has_name(PyTuple_GET_ITEM(axes, i), name);
        if (match < 0)
            return NULL;
        if (match)
            return PyLong_FromSsize_t(i);
    }
    PyErr_SetObject(PyExc_KeyError, name);
    return NULL;
}

static PyObject *
axes_find(PyObject *mod, PyObject *args)
{
    PyObject *axes, *name;
    (void)mod;
    if (!parse_lookup(args, "O!U:find", &axes, &name))
        return NULL;
    AXES_FOREACH(i, axes) {
        PyObject *axis = PyTuple_GET_ITEM(axes, i);
        int match = axis_has_name(axis, name);
        if (match < 0)
            return NULL;
        if (match)
            return axis;
    }
    Py_RETURN_NONE;
}

static PyObject *
axes_names(PyObject *mod, PyObject *axes)
{
    (void)mod;
    if (!PyTuple_Check(axes)) {
        PyErr_SetString(PyExc_TypeError, "axes must be a tuple");
        return NULL;
    }
    PyObject *names = PyTuple_New(PyTuple_GET_SIZE(axes));
    if (names == NULL)
        return NULL;
    AXES_FOREACH(i, axes) {
        PyObject *name = PyObject_GetAttrString(PyTuple_GET_ITEM(axes, i), "name");
        if (name == NULL) {
            Py_DECREF(names);
            return NULL;
        }
        PyTuple_SET_ITEM(names, i, name);
    }
    return names;
}

static PyMethodDef axes_methods[] = {
    {"index", axes_index, METH_VARARGS, "Position of the axis with a name."},
    {"find", axes_find, METH_VARARGS, "The axis with a name, or None."},
    {"names", axes_names, METH_O, "Names of all axes."},
    {NULL, NULL, 0, NULL},
};

static struct PyModuleDef axes_module = {
    PyModuleDef_HEAD_INIT, "_axes", NULL, 0, axes_methods, NULL, NULL, NULL, NULL,
};

PyMODINIT_FUNC
PyInit__axes(void)
{
    return PyModuleDef_Init(&axes_module);
}
