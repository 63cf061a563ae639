#define PY_SSIZE_T_CLEAN
#include <Python.h>

/* _signals: a table of handlers, one for each topic. */

typedef struct {
    PyObject *handlers; /* dict: topic -> callable */
} signals_state;

static signals_state *get_state(PyObject *module)
{
    return (signals_state *)PyModule_GetState(module);
}

static PyObject *on(PyObject *module, PyObject *args)
{
    PyObject *topic, *handler;
    if (!PyArg_ParseTuple(args, "UO", &topic, &handler))
        return NULL;
    if (!PyCallable_Check(handler)) {
        PyErr_SetString(PyExc_TypeError, "handler must be callable");
        return NULL;
    }
    if (PyDict_SetItem(get_state(module)->handlers, topic, handler) < 0)
        return NULL;
    Py_RETURN_NONE;
}

static PyObject *dispatch(PyObject *module, PyObject *args)
{
    PyObject *topic, *payload;
    signals_state *st = get_state(module);
    if (!PyArg_ParseTuple(args, "UO", &topic, &payload))
        return NULL;
    PyObject *handler = PyDict_GetItemWithError(st->handlers, topic);
    if (handler == NULL) {
        if (PyErr_Occurred())
            return NULL;
        Py_RETURN_FALSE;
    }
    Py_INCREF(handler);
    PyObject *result = PyObject_CallOneArg(handler, payload);
    Py_DECREF(handler);
    if (result == NULL)
        return NULL;
    Py_DECREF(result);
    Py_RETURN_TRUE;
}

static int signals_exec(PyObject *module)
{
    signals_state *st = get_state(module);
    st->handlers = PyDict_New();
    return st->handlers == NULL ? -1 : 0;
}

static int signals_traverse(PyObject *module, visitproc visit, void *arg)
{
    Py_VISIT(get_state(module)->handlers);
    return 0;
}

static int signals_clear(PyObject *module)
{
    Py_CLEAR(get_state(module)->handlers);
    return 0;
}

static PyMethodDef methods[] = {{"on", on, METH_VARARGS, "Set the handler of a topic."},
                                {"dispatch", dispatch, METH_VARARGS, "Call the handler of a topic."},
                                {NULL, NULL, 0, NULL}};

static PyModuleDef_Slot slots[] = {{Py_mod_exec, (void *)signals_exec},
                                   {Py_mod_gil, Py_MOD_GIL_NOT_USED},
                                   {0, NULL}};

static struct PyModuleDef def = {PyModuleDef_HEAD_INIT, "_signals",       NULL,          sizeof(signals_state), methods,
                                 slots,                 signals_traverse, signals_clear, NULL};

PyMODINIT_FUNC PyInit__signals(void) { return PyModuleDef_Init(&def); }
