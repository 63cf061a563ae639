// _sheet: a thin extension module over libss.
#define PY_SSIZE_T_CLEAN
#include <Python.h>

#include <cassert>
#include <unordered_map>

extern "C" {
typedef struct ss_book ss_book;
typedef struct ss_cell ss_cell;
ss_book *ss_book_new(void);
void ss_book_free(ss_book *book);
// `fn` hears of each cell right before it is freed, for whatever reason.
void ss_book_on_cell_free(ss_book *book, void (*fn)(ss_cell *, void *), void *user);
ss_cell *ss_book_add_cell(ss_book *book, int row, int col);
ss_cell *ss_book_cell_at(ss_book *book, int row, int col);
void ss_book_delete_row(ss_book *book, int row);
double ss_cell_value(const ss_cell *cell);
}

struct CellObject;

struct BookObject {
  PyObject_HEAD
  ss_book *book;
  std::unordered_map<ss_cell *, CellObject *> *cells;  // borrowed wrappers
};

struct CellObject {
  PyObject_HEAD
  BookObject *owner;
  ss_cell *cell;
};

static PyTypeObject BookType = {PyVarObject_HEAD_INIT(nullptr, 0)};
static PyTypeObject CellType = {PyVarObject_HEAD_INIT(nullptr, 0)};

static PyObject *internCell(BookObject *owner, ss_cell *cell) {
  CellObject *self = PyObject_New(CellObject, &CellType);
  if (!self)
    return nullptr;
  Py_INCREF(owner);
  self->owner = owner;
  self->cell = cell;
  [[maybe_unused]] const bool fresh = owner->cells->emplace(cell, self).second;
  assert(fresh);
  return reinterpret_cast<PyObject *>(self);
}

static void Cell_dealloc(CellObject *self) {
  if (self->cell)
    self->owner->cells->erase(self->cell);
  Py_DECREF(self->owner);
  PyObject_Free(self);
}

static PyObject *Cell_value(CellObject *self, void *) {
  if (!self->cell) {
    PyErr_SetString(PyExc_ReferenceError, "the cell has been deleted");
    return nullptr;
  }
  return PyFloat_FromDouble(ss_cell_value(self->cell));
}

static void forgetCell(ss_cell *cell, void *user) {
  auto *cells = static_cast<BookObject *>(user)->cells;
  auto it = cells->find(cell);
  if (it == cells->end())
    return;
  it->second->cell = nullptr;
  cells->erase(it);
}

static PyObject *Book_new(PyTypeObject *type, PyObject *, PyObject *) {
  auto *self = reinterpret_cast<BookObject *>(type->tp_alloc(type, 0));
  if (!self)
    return nullptr;
  self->cells = new std::unordered_map<ss_cell *, CellObject *>();
  self->book = ss_book_new();
  ss_book_on_cell_free(self->book, forgetCell, self);
  return reinterpret_cast<PyObject *>(self);
}

static void Book_dealloc(BookObject *self) {
  ss_book_free(self->book);
  delete self->cells;
  Py_TYPE(self)->tp_free(self);
}

static PyObject *Book_add(BookObject *self, PyObject *args) {
  int row, col;
  if (!PyArg_ParseTuple(args, "ii", &row, &col))
    return nullptr;
  if (ss_book_cell_at(self->book, row, col))
    return PyErr_Format(PyExc_ValueError, "cell (%d, %d) exists", row, col);
  return internCell(self, ss_book_add_cell(self->book, row, col));
}

static PyObject *Book_delete_row(BookObject *self, PyObject *arg) {
  const long row = PyLong_AsLong(arg);
  if (row == -1 && PyErr_Occurred())
    return nullptr;
  ss_book_delete_row(self->book, static_cast<int>(row));
  Py_RETURN_NONE;
}

static PyGetSetDef Cell_getset[] = {{"value", (getter)Cell_value}, {}};
static PyMethodDef Book_methods[] = {{"add", (PyCFunction)Book_add, METH_VARARGS},
                                     {"delete_row", (PyCFunction)Book_delete_row, METH_O}, {}};
static PyModuleDef sheetModule = {PyModuleDef_HEAD_INIT, "_sheet", nullptr, -1};

PyMODINIT_FUNC PyInit__sheet(void) {
  CellType.tp_name = "_sheet.Cell", CellType.tp_basicsize = sizeof(CellObject);
  CellType.tp_dealloc = (destructor)Cell_dealloc, CellType.tp_getset = Cell_getset;
  BookType.tp_name = "_sheet.Book", BookType.tp_basicsize = sizeof(BookObject);
  BookType.tp_dealloc = (destructor)Book_dealloc, BookType.tp_methods = Book_methods;
  BookType.tp_new = Book_new;
  if (PyType_Ready(&CellType) < 0 || PyType_Ready(&BookType) < 0)
    return nullptr;
  PyObject *m = PyModule_Create(&sheetModule);
  if (m && PyModule_AddObjectRef(m, "Book", (PyObject *)&BookType) < 0)
    Py_CLEAR(m);
  return m;
}
