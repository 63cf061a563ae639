#define PY_SSIZE_T_CLEAN
#include <Python.h>
#include <errno.h>
#include <string.h>
#include <unistd.h>

#define REEL_BLOCK 65536

typedef struct {
    PyObject_HEAD
    int fd;
    unsigned long long blocks;
} Reel;

static void
reel_fail(Reel *self, int code)
{
    PyErr_Format(PyExc_OSError, "tape block %llu: %s", self->blocks,
                 strerror(code));
}

static PyObject *
reel_rewind(Reel *self, PyObject *Py_UNUSED(ignored))
{
    if (lseek(self->fd, 0, SEEK_SET) < 0) {
        reel_fail(self, errno);
        return NULL;
    }
    self->blocks = 0;
    Py_RETURN_NONE;
}

/* copy(fd): copies the rest of the tape to a file, returns the byte count. */
static PyObject *
reel_copy(Reel *self, PyObject *args)
{
    int target;
    int failed = 0;
    long long total = 0;

    if (!PyArg_ParseTuple(args, "i", &target))
        return NULL;
    char *block = PyMem_RawMalloc(REEL_BLOCK);
    if (block == NULL)
        return PyErr_NoMemory();

    Py_BEGIN_ALLOW_THREADS
    for (;;) {
        ssize_t got = read(self->fd, block, REEL_BLOCK);
        if (got == 0)
            break;
        if (got < 0 || write(target, block, (size_t)got) != got) {
            failed = errno ? errno : EIO;
            break;
        }
        self->blocks++;
        total += got;
    }
    Py_END_ALLOW_THREADS

    PyMem_RawFree(block);
    if (failed) {
        reel_fail(self, failed);
        return NULL;
    }
    return PyLong_FromLongLong(total);
}

PyMethodDef reel_methods[] = {
    {"rewind", (PyCFunction)reel_rewind, METH_NOARGS, NULL},
    {"copy", (PyCFunction)reel_copy, METH_VARARGS, NULL},
    {NULL, NULL, 0, NULL},
};
