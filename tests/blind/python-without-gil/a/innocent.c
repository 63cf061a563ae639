#define PY_SSIZE_T_CLEAN
#include <Python.h>

#include <errno.h>
#include <string.h>
#include <sys/socket.h>

typedef struct {
    PyObject_HEAD
    int fd;
    unsigned long long received;
} ChannelObject;

static PyObject *channel_recv_exact(ChannelObject *self, PyObject *arg)
{
    Py_ssize_t want = PyLong_AsSsize_t(arg);
    if (want == -1 && PyErr_Occurred()) {
        return NULL;
    }
    if (want < 0) {
        PyErr_SetString(PyExc_ValueError, "negative size");
        return NULL;
    }
    PyObject *out = PyBytes_FromStringAndSize(NULL, want);
    if (out == NULL) {
        return NULL;
    }
    char *dst = PyBytes_AS_STRING(out);
    Py_ssize_t got = 0;
    int failed = 0, closed = 0;

    Py_BEGIN_ALLOW_THREADS
    while (got < want) {
        ssize_t n = recv(self->fd, dst + got, (size_t)(want - got), 0);
        if (n < 0) {
            if (errno == EINTR) {
                continue;
            }
            failed = errno;
            break;
        }
        if (n == 0) {
            closed = 1;
            break;
        }
        got += n;
    }
    Py_END_ALLOW_THREADS

    self->received += (unsigned long long)got;
    if (closed) {
        PyErr_Format(PyExc_EOFError, "peer closed after %zd of %zd bytes", got, want);
        Py_DECREF(out);
        return NULL;
    }
    if (failed) {
        Py_DECREF(out);
        errno = failed;
        return PyErr_SetFromErrno(PyExc_OSError);
    }
    return out;
}

static PyMethodDef channel_methods[] = {
    {"recv_exact", (PyCFunction)channel_recv_exact, METH_O, "Read n bytes."},
    {NULL, NULL, 0, NULL},
};

PyTypeObject Channel_Type = {
    PyVarObject_HEAD_INIT(NULL, 0)
    .tp_name = "wire.Channel",
    .tp_basicsize = sizeof(ChannelObject),
    .tp_flags = Py_TPFLAGS_DEFAULT,
    .tp_methods = channel_methods,
};
