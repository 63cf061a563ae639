#define PY_SSIZE_T_CLEAN
#include <Python.h>

typedef struct {
    double sugar;      /* Brix, summed */
    double heaviest;   /* kg */
    Py_ssize_t crates;
} Harvest;

static int
crate_number(PyObject *crate, const char *attribute, double *out)
{
    PyObject *value = PyObject_GetAttrString(crate, attribute);
    if (value == NULL)
        return -1;
    *out = PyFloat_AsDouble(value);
    Py_DECREF(value);
    return PyErr_Occurred() ? -1 : 0;
}

static int
harvest_add(Harvest *harvest, PyObject *crate)
{
    double brix, weight;

    if (crate_number(crate, "brix", &brix) < 0 ||
        crate_number(crate, "weight", &weight) < 0)
        return -1;
    harvest->sugar += brix;
    if (weight > harvest->heaviest)
        harvest->heaviest = weight;
    harvest->crates++;
    return 0;
}

static PyObject *
vineyard_summarize(PyObject *Py_UNUSED(module), PyObject *crates)
{
    Harvest harvest = {0.0, 0.0, 0};
    PyObject *it = PyObject_GetIter(crates);

    for (PyObject *crate; (crate = PyIter_Next(it)) != NULL;) {
        int rc = harvest_add(&harvest, crate);
        Py_DECREF(crate);
        if (rc < 0)
            break;
    }
    Py_DECREF(it);
    if (PyErr_Occurred())
        return NULL;
    if (harvest.crates == 0)
        Py_RETURN_NONE;
    return Py_BuildValue("(ddn)", harvest.sugar / (double)harvest.crates,
                         harvest.heaviest, harvest.crates);
}

static PyMethodDef vineyard_methods[] = {
    {"summarize", vineyard_summarize, METH_O, "summarize(crates)"},
    {NULL, NULL, 0, NULL},
};

static struct PyModuleDef vineyard_module = {
    PyModuleDef_HEAD_INIT,
    .m_name = "_vineyard",
    .m_size = 0,
    .m_methods = vineyard_methods,
};

PyMODINIT_FUNC
PyInit__vineyard(void)
{
    return PyModuleDef_Init(&vineyard_module);
}
