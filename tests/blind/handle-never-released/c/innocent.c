#define PY_SSIZE_T_CLEAN
#include <Python.h>
#include <sqlite3.h>

typedef struct {
    PyObject_HEAD
    sqlite3 *db;
    sqlite3_stmt *weigh;    /* prepared by the first call of record() */
} HiveLog;

static int
hive_init(HiveLog *self, PyObject *args, PyObject *Py_UNUSED(kwds))
{
    const char *path;
    sqlite3 *db = NULL;

    if (!PyArg_ParseTuple(args, "s", &path))
        return -1;
    if (self->db != NULL) {
        PyErr_SetString(PyExc_RuntimeError, "the log is already open");
        return -1;
    }
    if (sqlite3_open(path, &db) != SQLITE_OK) {
        PyErr_SetString(PyExc_OSError, sqlite3_errmsg(db));
        sqlite3_close_v2(db);
        return -1;
    }
    self->db = db;
    return 0;
}

static void
hive_dealloc(HiveLog *self)
{
    sqlite3_finalize(self->weigh);
    sqlite3_close_v2(self->db);
    Py_TYPE(self)->tp_free((PyObject *)self);
}

static int
hive_prepare(HiveLog *self, const char *sql, sqlite3_stmt **slot)
{
    if (*slot != NULL)
        return 0;
    if (sqlite3_prepare_v2(self->db, sql, -1, slot, NULL) == SQLITE_OK)
        return 0;
    PyErr_SetString(PyExc_RuntimeError, sqlite3_errmsg(self->db));
    return -1;
}

static PyObject *
hive_record(HiveLog *self, PyObject *args)
{
    int hive;
    double grams;

    if (!PyArg_ParseTuple(args, "id", &hive, &grams))
        return NULL;
    if (hive_prepare(self, "INSERT INTO weights VALUES (?1, ?2)", &self->weigh) < 0)
        return NULL;
    sqlite3_bind_int(self->weigh, 1, hive);
    sqlite3_bind_double(self->weigh, 2, grams);
    int rc = sqlite3_step(self->weigh);
    sqlite3_reset(self->weigh);
    if (rc != SQLITE_DONE)
        return PyErr_Format(PyExc_RuntimeError, "sqlite error %d", rc);
    Py_RETURN_NONE;
}

static PyMethodDef hive_methods[] = {
    {"record", (PyCFunction)hive_record, METH_VARARGS, "record(hive, grams)"},
    {NULL, NULL, 0, NULL},
};

PyTypeObject HiveLogType = {
    PyVarObject_HEAD_INIT(NULL, 0)
    .tp_name = "apiary.HiveLog", .tp_basicsize = sizeof(HiveLog),
    .tp_flags = Py_TPFLAGS_DEFAULT, .tp_new = PyType_GenericNew,
    .tp_init = (initproc)hive_init, .tp_dealloc = (destructor)hive_dealloc,
    .tp_methods = hive_methods,
};
