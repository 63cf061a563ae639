#define PY_SSIZE_T_CLEAN
#include <Python.h>

#include <pthread.h>

typedef struct {
    pthread_mutex_t lock;
    pthread_cond_t done;
    int finished;
    PyObject *key;      /* callable that ranks a row */
    Py_ssize_t rows;
    double best;
} Scan;

static void *scan_main(void *arg)
{
    Scan *scan = arg;
    double best = 0.0;
    for (Py_ssize_t i = 0; i < scan->rows; i++) {
        PyGILState_STATE gil = PyGILState_Ensure();
        PyObject *r = PyObject_CallFunction(scan->key, "n", i);
        double v = r ? PyFloat_AsDouble(r) : -1.0;
        if (PyErr_Occurred()) {
            PyErr_WriteUnraisable(scan->key);
        }
        Py_XDECREF(r);
        PyGILState_Release(gil);
        if (v > best) {
            best = v;
        }
    }
    pthread_mutex_lock(&scan->lock);
    scan->best = best;
    scan->finished = 1;
    pthread_cond_signal(&scan->done);
    pthread_mutex_unlock(&scan->lock);
    return NULL;
}

static void await_scan(Scan *scan)
{
    pthread_mutex_lock(&scan->lock);
    while (!scan->finished) {
        pthread_cond_wait(&scan->done, &scan->lock);
    }
    pthread_mutex_unlock(&scan->lock);
}

static PyObject *best_row(PyObject *Py_UNUSED(self), PyObject *args)
{
    Scan scan = {.lock = PTHREAD_MUTEX_INITIALIZER, .done = PTHREAD_COND_INITIALIZER};
    pthread_t worker;
    if (!PyArg_ParseTuple(args, "On", &scan.key, &scan.rows)) {
        return NULL;
    }
    if (pthread_create(&worker, NULL, scan_main, &scan) != 0) {
        PyErr_SetString(PyExc_RuntimeError, "cannot start the scan");
        return NULL;
    }
    Py_BEGIN_ALLOW_THREADS
    await_scan(&scan);
    pthread_join(worker, NULL);
    Py_END_ALLOW_THREADS
    return PyFloat_FromDouble(scan.best);
}

static PyMethodDef methods[] = {
    {"best_row", best_row, METH_VARARGS, "Scan the rows in the background."},
    {NULL, NULL, 0, NULL},
};
static struct PyModuleDef def = {PyModuleDef_HEAD_INIT, "_scan", NULL, -1, methods};

PyMODINIT_FUNC PyInit__scan(void)
{
    return PyModule_Create(&def);
}
