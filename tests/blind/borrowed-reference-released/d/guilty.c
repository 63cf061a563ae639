#define PY_SSIZE_T_CLEAN
#include <Python.h>

#define KEY_PARTS 3

static PyObject *
strand_symbol(int strand)
{
    if (strand > 0)
        return PyUnicode_FromString("+");
    if (strand < 0)
        return PyUnicode_FromString("-");
    return PyUnicode_FromString(".");
}

/* locus_key(aliases, chrom, start, strand) -> (chrom, start, symbol)
 *
 * Contig names come in several dialects ("chr1", "1", "NC_000001.11"); the
 * alias table maps them to the name of the loaded assembly. */
static PyObject *
locus_key(PyObject *Py_UNUSED(module), PyObject *args)
{
    PyObject *aliases, *chrom;
    PyObject *part[KEY_PARTS] = {NULL, NULL, NULL};
    PyObject *key = NULL;
    long long start;
    int strand;

    if (!PyArg_ParseTuple(args, "O!OLi:locus_key", &PyDict_Type, &aliases,
                          &chrom, &start, &strand))
        return NULL;
    if (start < 0) {
        PyErr_SetString(PyExc_ValueError, "start must not be negative");
        return NULL;
    }

    part[0] = PyDict_GetItemWithError(aliases, chrom);
    if (part[0] == NULL) {
        if (PyErr_Occurred())
            return NULL;
        part[0] = PyObject_Str(chrom);
        if (part[0] == NULL)
            return NULL;
    }

    part[1] = PyLong_FromLongLong(start);
    if (part[1] == NULL)
        goto done;
    part[2] = strand_symbol(strand);
    if (part[2] == NULL)
        goto done;
    key = PyTuple_Pack(KEY_PARTS, part[0], part[1], part[2]);

done:
    for (int i = 0; i < KEY_PARTS; i++)
        Py_XDECREF(part[i]);
    return key;
}

static PyMethodDef locus_methods[] = {
    {"locus_key", locus_key, METH_VARARGS, "Key of a genomic position."},
    {NULL, NULL, 0, NULL},
};

static struct PyModuleDef locus_module = {
    PyModuleDef_HEAD_INIT, "_locus", NULL, -1, locus_methods,
};

PyMODINIT_FUNC
PyInit__locus(void)
{
    return PyModule_Create(&locus_module);
}
