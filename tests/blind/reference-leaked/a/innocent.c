#define PY_SSIZE_T_CLEAN
#include <Python.h>

#define HOST_API 7L

struct plugin {
    PyObject *module;
    PyObject *entry;
    long api;
};

static void plugin_reset(struct plugin *p)
{
    Py_CLEAR(p->entry);
    Py_CLEAR(p->module);
    p->api = 0;
}

/* Fill in p; -1 with an exception set if the plugin cannot be used. */
static int load_plugin(const char *name, struct plugin *p)
{
    PyObject *module = PyImport_ImportModule(name);
    if (module == NULL)
        return -1;

    PyObject *version = PyObject_GetAttrString(module, "API_VERSION");
    if (version == NULL) {
        Py_DECREF(module);
        return -1;
    }
    long api = PyLong_AsLong(version);
    if (api == -1 && PyErr_Occurred()) {
        Py_DECREF(version);
        Py_DECREF(module);
        return -1;
    }
    if (api < HOST_API) {
        PyErr_Format(PyExc_ImportError, "%s: API %R is older than %ld", name, version, HOST_API);
        Py_DECREF(version);
        Py_DECREF(module);
        return -1; /* too old */
    }
    Py_DECREF(version);

    PyObject *entry = PyObject_GetAttrString(module, "register");
    if (entry == NULL) {
        Py_DECREF(module);
        return -1;
    }
    p->module = module;
    p->entry = entry;
    p->api = api;
    return 0;
}

int plugin_run(const char *name, PyObject *host)
{
    struct plugin p = {NULL, NULL, 0};
    if (load_plugin(name, &p) < 0)
        return -1;
    PyObject *result = PyObject_CallFunction(p.entry, "(Ol)", host, p.api);
    plugin_reset(&p);
    if (result == NULL)
        return -1;
    Py_DECREF(result);
    return 0;
}
