#define PY_SSIZE_T_CLEAN
#include <Python.h>

#include <errno.h>
#include <unistd.h>

typedef struct {
    PyObject_HEAD
    int fd;
    unsigned long long received;
} PortObject;

static void raise_port_error(PortObject *port, const char *what)
{
    int code = errno;
    PyErr_Format(PyExc_OSError, "port %d: %s failed (errno %d)", port->fd, what,
                 code);
}

static int port_check(PortObject *port)
{
    if (port->fd >= 0)
        return 0;
    PyErr_SetString(PyExc_ValueError, "port is closed");
    return -1;
}

/* read(n) -> bytes of length n, or fewer at the end of the stream */
static PyObject *port_read(PortObject *self, PyObject *arg)
{
    PyObject *out;
    char *dst;
    Py_ssize_t want, got = 0;
    ssize_t n = 0;
    int fd;

    want = PyNumber_AsSsize_t(arg, PyExc_OverflowError);
    if (want == -1 && PyErr_Occurred())
        return NULL;
    if (want < 0) {
        PyErr_SetString(PyExc_ValueError, "n must not be negative");
        return NULL;
    }
    if (port_check(self) < 0)
        return NULL;
    out = PyBytes_FromStringAndSize(NULL, want);
    if (out == NULL)
        return NULL;
    dst = PyBytes_AS_STRING(out);
    fd = self->fd;

    Py_BEGIN_ALLOW_THREADS
    while (got < want) {
        do {
            n = read(fd, dst + got, (size_t)(want - got));
        } while (n < 0 && errno == EINTR);
        if (n < 0)
            raise_port_error(self, "read");
        if (n <= 0)
            break;
        got += n;
    }
    Py_END_ALLOW_THREADS

    if (n < 0) {
        Py_DECREF(out);
        return NULL;
    }
    self->received += (unsigned long long)got;
    if (got < want && _PyBytes_Resize(&out, got) < 0)
        return NULL;
    return out;
}

static PyObject *port_received(PortObject *self, PyObject *noargs)
{
    (void)noargs;
    return PyLong_FromUnsignedLongLong(self->received);
}

PyMethodDef port_methods[] = {
    {"read", (PyCFunction)port_read, METH_O, "Reads bytes from the port."},
    {"received", (PyCFunction)port_received, METH_NOARGS, "Bytes read so far."},
    {NULL, NULL, 0, NULL},
};
