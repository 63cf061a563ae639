#include <Python.h>

/* _router: topic -> handler table, shared by all threads of the process. */

typedef struct {
    PyObject *handlers; /* dict: str -> callable */
} router_state;

static inline router_state *
get_state(PyObject *mod)
{
    return (router_state *)PyModule_GetState(mod);
}

static PyObject *
router_register(PyObject *mod, PyObject *args)
{
    PyObject *topic, *handler;
    if (!PyArg_ParseTuple(args, "UO:register", &topic, &handler))
        return NULL;
    if (!PyCallable_Check(handler)) {
        PyErr_SetString(PyExc_TypeError, "handler must be callable");
        return NULL;
    }
    if (PyDict_SetItem(get_state(mod)->handlers, topic, handler) < 0)
        return NULL;
    Py_RETURN_NONE;
}

static PyObject *
router_unregister(PyObject *mod, PyObject *topic)
{
    if (PyDict_DelItem(get_state(mod)->handlers, topic) < 0)
        return NULL;
    Py_RETURN_NONE;
}

static PyObject *
router_dispatch(PyObject *mod, PyObject *args)
{
    router_state *st = get_state(mod);
    PyObject *topic, *payload, *handler;

    if (!PyArg_ParseTuple(args, "UO:dispatch", &topic, &payload))
        return NULL;
    handler = PyDict_GetItemWithError(st->handlers, topic);
    if (handler == NULL) {
        if (!PyErr_Occurred())
            PyErr_SetObject(PyExc_KeyError, topic);
        return NULL;
    }
    Py_INCREF(handler);
    PyObject *result = PyObject_CallOneArg(handler, payload);
    Py_DECREF(handler);
    return result;
}

static PyMethodDef router_methods[] = {
    {"register", router_register, METH_VARARGS, NULL},
    {"unregister", router_unregister, METH_O, NULL},
    {"dispatch", router_dispatch, METH_VARARGS, NULL},
    {NULL, NULL, 0, NULL},
};

static int
router_exec(PyObject *mod)
{
    router_state *st = get_state(mod);
    st->handlers = PyDict_New();
    return st->handlers == NULL ? -1 : 0;
}

static int
router_traverse(PyObject *mod, visitproc visit, void *arg)
{
    Py_VISIT(get_state(mod)->handlers);
    return 0;
}

static int
router_clear(PyObject *mod)
{
    Py_CLEAR(get_state(mod)->handlers);
    return 0;
}

static PyModuleDef_Slot router_slots[] = {
    {Py_mod_exec, (void *)router_exec},
    {Py_mod_gil, Py_MOD_GIL_NOT_USED},
    {0, NULL},
};

static struct PyModuleDef router_module = {
    .m_base = PyModuleDef_HEAD_INIT, .m_name = "_router",
    .m_size = sizeof(router_state),  .m_methods = router_methods,
    .m_slots = router_slots,         .m_traverse = router_traverse,
    .m_clear = router_clear,
};

PyMODINIT_FUNC
PyInit__router(void)
{
    return PyModuleDef_Init(&router_module);
}
