#define PY_SSIZE_T_CLEAN
#include <Python.h>

#include <fcntl.h>
#include <string.h>
#include <unistd.h>

typedef struct {
    int port;
    PyObject *decode_error;
} serial_state;

static serial_state *get_state(PyObject *module)
{
    return (serial_state *)PyModule_GetState(module);
}

static void release_port(serial_state *st)
{
    if (st->port >= 0) {
        close(st->port);
        st->port = -1;
    }
    if (Py_IsInitialized()) {
        Py_FinalizeEx();
    }
}

static PyObject *serial_open(PyObject *module, PyObject *args)
{
    serial_state *st = get_state(module);
    const char *path;
    if (!PyArg_ParseTuple(args, "s", &path)) {
        return NULL;
    }
    int fd = open(path, O_RDWR | O_NOCTTY);
    if (fd < 0) {
        return PyErr_SetFromErrnoWithFilename(PyExc_OSError, path);
    }
    if (st->port >= 0) {
        close(st->port);
    }
    st->port = fd;
    Py_RETURN_NONE;
}

static PyObject *serial_shutdown(PyObject *module, PyObject *Py_UNUSED(ignored))
{
    release_port(get_state(module));
    Py_RETURN_NONE;
}

static PyMethodDef serial_methods[] = {
    {"open", serial_open, METH_VARARGS, "Open the port."},
    {"shutdown", serial_shutdown, METH_NOARGS, "Let the port go."},
    {NULL, NULL, 0, NULL},
};

static int serial_exec(PyObject *module)
{
    serial_state *st = get_state(module);
    st->port = -1;
    st->decode_error = PyErr_NewException("_serial.DecodeError", NULL, NULL);
    return PyModule_AddObjectRef(module, "DecodeError", st->decode_error);
}

static PyModuleDef_Slot serial_slots[] = {
    {Py_mod_exec, (void *)serial_exec},
    {0, NULL},
};

static struct PyModuleDef serial_module = {
    PyModuleDef_HEAD_INIT,
    .m_name = "_serial",
    .m_size = sizeof(serial_state),
    .m_methods = serial_methods,
    .m_slots = serial_slots,
};

PyMODINIT_FUNC PyInit__serial(void)
{
    return PyModuleDef_Init(&serial_module);
}
