#define PY_SSIZE_T_CLEAN
#include <Python.h>

#include <stdint.h>
#include <stdio.h>
#include <time.h>

/* Audit log of the payment gateway: one JSON document a line. */

struct record {
    uint64_t id;
    int64_t cents;
    char currency[4];
    char account[35];
};

static PyObject *
record_as_dict(const struct record *r)
{
    return Py_BuildValue("{s:K, s:L, s:s, s:s}", "id", (unsigned long long)r->id, "cents", (long long)r->cents,
                         "currency", r->currency, "account", r->account);
}

static PyObject *
dump_record(const struct record *r)
{
    PyObject *json = PyImport_ImportModule("json");
    PyObject *text = NULL;
    PyObject *body = record_as_dict(r);
    if (body != NULL) {
        text = PyObject_CallMethod(json, "dumps", "(O)", body);
        Py_DECREF(body);
    }
    Py_DECREF(json);
    return text;
}

int
audit_write(FILE *out, const struct record *r)
{
    int rc = -1;
    PyGILState_STATE gil = PyGILState_Ensure();
    PyObject *text = dump_record(r);
    if (text != NULL) {
        Py_ssize_t size;
        const char *utf8 = PyUnicode_AsUTF8AndSize(text, &size);
        if (utf8 != NULL && fprintf(out, "%lld %.*s\n", (long long)time(NULL), (int)size, utf8) > 0)
            rc = 0;
        Py_DECREF(text);
    }
    if (PyErr_Occurred())
        PyErr_WriteUnraisable(NULL);
    PyGILState_Release(gil);
    return rc;
}
