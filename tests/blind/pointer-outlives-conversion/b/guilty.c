#define PY_SSIZE_T_CLEAN
#include <Python.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
    PyObject_HEAD
    FILE *stream;
    char *prefix;
    unsigned long lines;
} Journal;

static int journal_init(Journal *self, PyObject *args, PyObject *kwargs) {
    (void)args;
    (void)kwargs;
    self->stream = stderr;
    self->lines = 0;
    return 0;
}

static void journal_dealloc(Journal *self) {
    Py_TYPE(self)->tp_free((PyObject *)self);
}

static PyObject *journal_set_prefix(Journal *self, PyObject *args) {
    char *prefix;
    if (!PyArg_ParseTuple(args, "s", &prefix)) return NULL;
    if (strlen(prefix) > 64) {
        PyErr_SetString(PyExc_ValueError, "prefix is too long");
        return NULL;
    }
    self->prefix = prefix;
    Py_RETURN_NONE;
}

static PyObject *journal_write(Journal *self, PyObject *args) {
    const char *line;
    if (!PyArg_ParseTuple(args, "s", &line)) return NULL;
    fprintf(self->stream, "%s%s\n", self->prefix ? self->prefix : "", line);
    self->lines++;
    Py_RETURN_NONE;
}

static PyMethodDef journal_methods[] = {
    {"set_prefix", (PyCFunction)journal_set_prefix, METH_VARARGS, "Text put before each line."},
    {"write", (PyCFunction)journal_write, METH_VARARGS, "Write one line."},
    {NULL, NULL, 0, NULL},
};

static PyTypeObject JournalType = {
    PyVarObject_HEAD_INIT(NULL, 0)
    .tp_name = "_journal.Journal",
    .tp_basicsize = sizeof(Journal),
    .tp_flags = Py_TPFLAGS_DEFAULT,
    .tp_new = PyType_GenericNew,
    .tp_init = (initproc)journal_init,
    .tp_dealloc = (destructor)journal_dealloc,
    .tp_methods = journal_methods,
};

static struct PyModuleDef journal_module = {PyModuleDef_HEAD_INIT, "_journal", NULL, -1, NULL};

PyMODINIT_FUNC PyInit__journal(void) {
    PyObject *m = PyModule_Create(&journal_module);
    if (m == NULL) return NULL;
    if (PyType_Ready(&JournalType) < 0 ||
        PyModule_AddObjectRef(m, "Journal", (PyObject *)&JournalType) < 0) {
        Py_DECREF(m);
        return NULL;
    }
    return m;
}
