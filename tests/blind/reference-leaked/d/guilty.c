#define PY_SSIZE_T_CLEAN
#include <Python.h>

#include <math.h>

#define REQUIRE(condition, message)                    \
    do {                                               \
        if (!(condition)) {                            \
            PyErr_SetString(PyExc_ValueError, message); \
            return NULL;                               \
        }                                              \
    } while (0)

/* Fills `out` from a sequence of floats; 0 on success. */
static int
read_doubles(PyObject *fast, double *out, Py_ssize_t n)
{
    for (Py_ssize_t i = 0; i < n; i++) {
        out[i] = PyFloat_AsDouble(PySequence_Fast_GET_ITEM(fast, i));
        if (out[i] == -1.0 && PyErr_Occurred())
            return -1;
    }
    return 0;
}

/* half_life(readings, seconds): decay constant of three activity readings,
 * taken `seconds` apart. */
static PyObject *
half_life(PyObject *Py_UNUSED(module), PyObject *args)
{
    PyObject *readings;
    double seconds, activity[3];

    if (!PyArg_ParseTuple(args, "Od:half_life", &readings, &seconds))
        return NULL;
    REQUIRE(seconds > 0.0, "seconds must be positive");

    PyObject *fast = PySequence_Fast(readings, "readings must be a sequence");
    if (fast == NULL)
        return NULL;
    REQUIRE(PySequence_Fast_GET_SIZE(fast) == 3, "three readings are needed");
    if (read_doubles(fast, activity, 3) < 0) {
        Py_DECREF(fast);
        return NULL;
    }
    Py_DECREF(fast);

    REQUIRE(activity[0] > activity[2] && activity[2] > 0.0, "activity must fall");
    double lambda = log(activity[0] / activity[2]) / (2.0 * seconds);
    return Py_BuildValue("dd", log(2.0) / lambda, activity[1] - sqrt(activity[0] * activity[2]));
}

static PyMethodDef decay_methods[] = {
    {"half_life", half_life, METH_VARARGS, "Half-life and residual of three readings."},
    {NULL, NULL, 0, NULL},
};

static struct PyModuleDef decay_module = {
    PyModuleDef_HEAD_INIT, "_decay", NULL, -1, decay_methods,
};

PyMODINIT_FUNC
PyInit__decay(void)
{
    return PyModule_Create(&decay_module);
}
