// _rows: cursors over a result set of the embedded database.
#define PY_SSIZE_T_CLEAN
#include <Python.h>

extern "C" {
typedef struct edb_stmt edb_stmt;
edb_stmt *edb_prepare(const char *sql);
void edb_finalize(edb_stmt *stmt);
int edb_step(edb_stmt *stmt);  // 1: a row, 0: done, <0: error
int edb_column_count(const edb_stmt *stmt);
const char *edb_column_name(const edb_stmt *stmt, int i);
const char *edb_column_text(const edb_stmt *stmt, int i);
long edb_changes(const edb_stmt *stmt);
}

namespace {

struct CursorObject {
  PyObject_HEAD
  edb_stmt *stmt;
  bool open;
  long changes;  // so far
};

// Returns from the calling method with an exception unless the cursor is open.
#define CURSOR_CHECK_OPEN(self)                                               \
  do {                                                                        \
    if (!(self)->open)                                                        \
      return PyErr_Format(PyExc_RuntimeError, "%s: cursor is closed", __func__); \
  } while (0)

#define CURSOR(obj) auto *self = reinterpret_cast<CursorObject *>(obj)

PyObject *Cursor_new(PyTypeObject *type, PyObject *args, PyObject *) {
  const char *sql;
  if (!PyArg_ParseTuple(args, "s", &sql))
    return nullptr;
  PyObject *obj = type->tp_alloc(type, 0);
  if (!obj)
    return nullptr;
  CURSOR(obj);
  self->stmt = edb_prepare(sql);
  self->open = self->stmt != nullptr;
  return obj;
}

PyObject *Cursor_close(PyObject *obj, PyObject *) {
  CURSOR(obj);
  if (self->open) {
    self->open = false;
    edb_finalize(self->stmt);
  }
  Py_RETURN_NONE;
}

void Cursor_dealloc(PyObject *obj) {
  PyTypeObject *type = Py_TYPE(obj);
  Py_XDECREF(Cursor_close(obj, nullptr));
  type->tp_free(obj);
  Py_DECREF(type);
}

PyObject *Cursor_next(PyObject *obj) {
  CURSOR(obj);
  CURSOR_CHECK_OPEN(self);
  const int rc = edb_step(self->stmt);
  self->changes = edb_changes(self->stmt);
  if (rc < 0)
    PyErr_SetString(PyExc_RuntimeError, "step failed");
  if (rc <= 0)
    return nullptr;
  const int n = edb_column_count(self->stmt);
  PyObject *row = PyTuple_New(n);
  for (int i = 0; row && i < n; ++i) {
    PyObject *text = PyUnicode_FromString(edb_column_text(self->stmt, i));
    if (!text)
      Py_CLEAR(row);
    else
      PyTuple_SET_ITEM(row, i, text);
  }
  return row;
}

PyObject *Cursor_column(PyObject *obj, PyObject *arg) {
  CURSOR(obj);
  CURSOR_CHECK_OPEN(self);
  const long i = PyLong_AsLong(arg);
  if (i == -1 && PyErr_Occurred())
    return nullptr;
  if (i < 0 || i >= edb_column_count(self->stmt))
    return PyErr_Format(PyExc_IndexError, "no column %ld", i);
  return PyUnicode_FromString(edb_column_name(self->stmt, static_cast<int>(i)));
}

PyObject *Cursor_changes(PyObject *obj, void *) {
  CURSOR(obj);
  return PyLong_FromLong(self->changes);
}

PyMethodDef methods[] = {{"close", Cursor_close, METH_NOARGS, "Finalizes the statement."},
                         {"column", Cursor_column, METH_O, "The name of a column."}, {}};
PyGetSetDef getset[] = {{"changes", Cursor_changes, nullptr, "Rows changed so far."}, {}};

PyType_Slot slots[] = {{Py_tp_new, (void *)Cursor_new},
                       {Py_tp_dealloc, (void *)Cursor_dealloc},
                       {Py_tp_iter, (void *)PyObject_SelfIter},
                       {Py_tp_iternext, (void *)Cursor_next},
                       {Py_tp_methods, methods},
                       {Py_tp_getset, getset},
                       {0, nullptr}};
PyType_Spec spec = {"_rows.Cursor", sizeof(CursorObject), 0, Py_TPFLAGS_DEFAULT, slots};

}  // namespace

PyObject *makeCursorType() { return PyType_FromSpec(&spec); }
