#define PY_SSIZE_T_CLEAN
#include <Python.h>

/* Short descriptions of array-like objects for error messages: "float32[8x3]". */

static const char kDimSeparator[] = "x";

/* List of the decimal spellings of the dimensions. */
static PyObject *
dim_strings(PyObject *shape)
{
    PyObject *fast = PySequence_Fast(shape, "shape must be a sequence");
    if (fast == NULL)
        return NULL;

    Py_ssize_t rank = PySequence_Fast_GET_SIZE(fast);
    PyObject *parts = PyList_New(rank);
    if (parts == NULL)
        goto done;
    for (Py_ssize_t i = 0; i < rank; ++i) {
        PyObject *text = PyObject_Str(PySequence_Fast_GET_ITEM(fast, i));
        if (text == NULL) {
            Py_CLEAR(parts);
            goto done;
        }
        PyList_SET_ITEM(parts, i, text);
    }
done:
    Py_DECREF(fast);
    return parts;
}

static PyObject *
join_dims(PyObject *parts)
{
    PyObject *separator = PyUnicode_FromString(kDimSeparator);
    if (separator == NULL)
        return NULL;
    PyObject *joined = PyUnicode_Join(separator, parts);
    Py_DECREF(separator);
    return joined;
}

static PyObject *
describe(PyObject *mod, PyObject *array)
{
    PyObject *shape = NULL, *parts = NULL, *dims = NULL;
    PyObject *dtype = NULL, *name = NULL, *result = NULL;
    (void)mod;

    shape = PyObject_GetAttrString(array, "shape");
    if (shape == NULL)
        goto done;
    parts = dim_strings(shape);
    if (parts == NULL)
        goto done;
    dims = join_dims(parts);
    if (dims == NULL)
        goto done;
    dtype = PyObject_GetAttrString(array, "dtype");
    name = PyObject_GetAttrString(dtype, "name");
    if (name == NULL)
        goto done;
    result = PyUnicode_FromFormat("%S[%U]", name, dims);

done:
    Py_XDECREF(shape);
    Py_XDECREF(parts);
    Py_XDECREF(dims);
    Py_XDECREF(dtype);
    Py_XDECREF(name);
    return result;
}

static PyObject *
rank(PyObject *mod, PyObject *array)
{
    (void)mod;
    PyObject *shape = PyObject_GetAttrString(array, "shape");
    if (shape == NULL)
        return NULL;
    Py_ssize_t n = PyObject_Length(shape);
    Py_DECREF(shape);
    return n < 0 ? NULL : PyLong_FromSsize_t(n);
}

static PyMethodDef describe_methods[] = {
    {"describe", describe, METH_O, "Dtype and shape in one word."},
    {"rank", rank, METH_O, "Number of dimensions."},
    {NULL, NULL, 0, NULL},
};

static struct PyModuleDef describe_module = {
    PyModuleDef_HEAD_INIT, "_describe", NULL, 0, describe_methods, NULL, NULL, NULL, NULL,
};

PyMODINIT_FUNC
PyInit__describe(void)
{
    return PyModuleDef_Init(&describe_module);
}
