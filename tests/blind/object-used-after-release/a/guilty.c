#define PY_SSIZE_T_CLEAN
#include <Python.h>

#include <stdio.h>

#define MAX_WARNINGS 20

static unsigned warnings_shown;

static void
warn_about(PyObject *node, const char *what)
{
    PyObject *repr;
    const char *text;

    if (warnings_shown >= MAX_WARNINGS)
        return;
    repr = PyObject_Repr(node);
    if (repr == NULL) {
        PyErr_Clear();
        return;
    }
    text = PyUnicode_AsUTF8(repr);
    Py_DECREF(repr);
    if (text == NULL) {
        PyErr_Clear();
        return;
    }
    fprintf(stderr, "constfold: %s: %s\n", what, text);
    warnings_shown++;
}

static PyObject *
fold_binary(PyObject *self, PyObject *args)
{
    const char *op;
    PyObject *left, *right, *folded = NULL;

    if (!PyArg_ParseTuple(args, "sOO:fold_binary", &op, &left, &right))
        return NULL;
    switch (op[0]) {
    case '+':
        folded = PyNumber_Add(left, right);
        break;
    case '-':
        folded = PyNumber_Subtract(left, right);
        break;
    case '*':
        folded = PyNumber_Multiply(left, right);
        break;
    case '/':
        folded = PyNumber_TrueDivide(left, right);
        break;
    default:
        return PyErr_Format(PyExc_ValueError, "unknown operator %s", op);
    }
    if (folded == NULL && PyErr_ExceptionMatches(PyExc_ArithmeticError)) {
        PyErr_Clear();
        warn_about(args, "not folded");
        Py_RETURN_NONE;
    }
    return folded;
}

PyMethodDef constfold_methods[] = {
    {"fold_binary", fold_binary, METH_VARARGS, "Fold two constants, or answer None."},
    {NULL, NULL, 0, NULL},
};
