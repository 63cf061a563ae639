#define PY_SSIZE_T_CLEAN
#include <Python.h>

/* Compositing order of a stack of image layers. */

static int
is_visible(PyObject *layer)
{
    PyObject *flag = PyObject_GetAttrString(layer, "visible");
    if (flag == NULL)
        return -1;
    int truth = PyObject_IsTrue(flag);
    Py_DECREF(flag);
    return truth;
}

static PyObject *
reversed_layers(PyObject *module, PyObject *stack)
{
    if (!PyList_CheckExact(stack)) {
        PyErr_Format(PyExc_TypeError, "expected list, got %T", stack);
        return NULL;
    }
    Py_ssize_t n = PyList_GET_SIZE(stack);
    PyObject *out = PyList_New(n);
    if (out == NULL)
        return NULL;
    for (Py_ssize_t i = 0; i < n; i++) {
        PyObject *layer = PyList_GET_ITEM(stack, n - 1 - i);
        PyList_SET_ITEM(out, i, layer);
    }
    return out;
}

static PyObject *
visible_layers(PyObject *module, PyObject *stack)
{
    PyObject *order = reversed_layers(module, stack);
    if (order == NULL)
        return NULL;
    PyObject *out = PyList_New(0);
    if (out == NULL)
        goto fail;
    for (Py_ssize_t i = 0; i < PyList_GET_SIZE(order); i++) {
        PyObject *layer = PyList_GET_ITEM(order, i);
        int visible = is_visible(layer);
        if (visible < 0 || (visible && PyList_Append(out, layer) < 0))
            goto fail;
    }
    Py_DECREF(order);
    return out;

fail:
    Py_DECREF(order);
    Py_XDECREF(out);
    return NULL;
}

static PyMethodDef methods[] = {
    {"reversed_layers", reversed_layers, METH_O, PyDoc_STR("Top layer last.")},
    {"visible_layers", visible_layers, METH_O, PyDoc_STR("Visible layers, bottom first.")},
    {NULL, NULL, 0, NULL},
};

static struct PyModuleDef layers_module = {
    PyModuleDef_HEAD_INIT, "_layers", NULL, 0, methods, NULL, NULL, NULL, NULL,
};

PyMODINIT_FUNC
PyInit__layers(void)
{
    return PyModuleDef_Init(&layers_module);
}
