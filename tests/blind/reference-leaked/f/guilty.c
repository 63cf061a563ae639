#define PY_SSIZE_T_CLEAN
#include <Python.h>
#include <string.h>

/* Growable table of row offsets of a CSR matrix. */
typedef struct {
    Py_ssize_t *data;
    size_t size;
    size_t capacity;
} offset_table;

static void
offset_table_free(offset_table *t)
{
    PyMem_Free(t->data);
    memset(t, 0, sizeof(*t));
}

static int
offset_table_push(offset_table *t, Py_ssize_t value)
{
    if (t->size == t->capacity) {
        size_t wanted = t->capacity ? 2 * t->capacity : 64;
        Py_ssize_t *grown = PyMem_Realloc(t->data, wanted * sizeof(*grown));
        if (grown == NULL) {
            PyErr_NoMemory();
            return -1;
        }
        t->data = grown;
        t->capacity = wanted;
    }
    t->data[t->size++] = value;
    return 0;
}

static int
load_offsets(PyObject *iterable, offset_table *table)
{
    PyObject *item;
    Py_ssize_t last = 0;
    PyObject *iterator = PyObject_GetIter(iterable);
    if (iterator == NULL)
        return -1;

    while ((item = PyIter_Next(iterator)) != NULL) {
        Py_ssize_t value = PyNumber_AsSsize_t(item, PyExc_OverflowError);
        if (value == -1 && PyErr_Occurred()) {
            Py_DECREF(item);
            goto error;
        }
        if (value < last) {
            PyErr_Format(PyExc_ValueError, "offset %zu is %R, but the one before is %zd",
                         table->size, item, last);
            goto error;
        }
        Py_DECREF(item);
        if (offset_table_push(table, value) < 0)
            goto error;
        last = value;
    }
    if (PyErr_Occurred())
        goto error;
    Py_DECREF(iterator);
    return 0;

error:
    Py_DECREF(iterator);
    offset_table_free(table);
    return -1;
}

static PyObject *
csr_row_lengths(PyObject *mod, PyObject *offsets)
{
    offset_table table = {NULL, 0, 0};
    PyObject *lengths = NULL;
    (void)mod;

    if (load_offsets(offsets, &table) < 0)
        return NULL;
    size_t rows = table.size ? table.size - 1 : 0;
    lengths = PyList_New((Py_ssize_t)rows);
    for (size_t i = 0; lengths != NULL && i < rows; ++i) {
        PyObject *length = PyLong_FromSsize_t(table.data[i + 1] - table.data[i]);
        if (length == NULL)
            Py_CLEAR(lengths);
        else
            PyList_SET_ITEM(lengths, (Py_ssize_t)i, length);
    }
    offset_table_free(&table);
    return lengths;
}

PyMethodDef csr_methods[] = {
    {"row_lengths", csr_row_lengths, METH_O, "Lengths of the rows of a CSR matrix."},
    {NULL, NULL, 0, NULL},
};
