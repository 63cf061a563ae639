#define PY_SSIZE_T_CLEAN
#include <Python.h>

#include <sqlite3.h>

namespace {

PyObject *cell_value(sqlite3_stmt *stmt, int col)
{
    switch (sqlite3_column_type(stmt, col)) {
    case SQLITE_NULL:
        return Py_NewRef(Py_None);
    case SQLITE_INTEGER:
        return PyLong_FromLongLong(sqlite3_column_int64(stmt, col));
    case SQLITE_FLOAT:
        return PyFloat_FromDouble(sqlite3_column_double(stmt, col));
    case SQLITE_TEXT: {
        const char *text = reinterpret_cast<const char *>(sqlite3_column_text(stmt, col));
        return PyUnicode_DecodeUTF8(text, sqlite3_column_bytes(stmt, col), "strict");
    }
    default:
        return PyBytes_FromStringAndSize(static_cast<const char *>(sqlite3_column_blob(stmt, col)),
                                         sqlite3_column_bytes(stmt, col));
    }
}

PyObject *row_to_tuple(sqlite3_stmt *stmt, PyObject *const *converters)
{
    const int width = sqlite3_column_count(stmt);
    PyObject *cell = nullptr, *raw = nullptr, *row = PyTuple_New(width);
    if (!row)
        return nullptr;

    for (int col = 0; col < width; ++col) {
        raw = cell_value(stmt, col);
        if (!raw)
            goto fail;
        if (converters[col] != Py_None && raw != Py_None) {
            PyObject *converted = PyObject_CallOneArg(converters[col], raw);
            if (!converted)
                goto fail;
            Py_SETREF(raw, converted);
        }
        cell = raw;
        raw = nullptr;
        PyTuple_SET_ITEM(row, col, cell);
    }
    return row;

fail:
    Py_XDECREF(raw);
    Py_XDECREF(cell);
    Py_DECREF(row);
    return nullptr;
}

} // namespace

PyObject *fetch_all(sqlite3_stmt *stmt, PyObject *const *converters)
{
    PyObject *rows = PyList_New(0);
    int rc = SQLITE_DONE;
    while (rows && (rc = sqlite3_step(stmt)) == SQLITE_ROW) {
        PyObject *row = row_to_tuple(stmt, converters);
        if (!row || PyList_Append(rows, row) < 0)
            Py_CLEAR(rows);
        Py_XDECREF(row);
    }
    if (rows && rc != SQLITE_DONE) {
        PyErr_SetString(PyExc_RuntimeError, sqlite3_errmsg(sqlite3_db_handle(stmt)));
        Py_CLEAR(rows);
    }
    return rows;
}
