// _grid: rows of a native table.
#define PY_SSIZE_T_CLEAN
#include <Python.h>

#include <memory>
#include <vector>

namespace grid {

struct Row {
  std::vector<double> values;
};

class Table {
public:
  explicit Table(size_t columns) : columns_(columns) {}
  Row *append() {
    rows_.push_back(std::make_unique<Row>(Row{std::vector<double>(columns_)}));
    return rows_.back().get();
  }
  Row *row(size_t i) const { return i < rows_.size() ? rows_[i].get() : nullptr; }
  size_t size() const { return rows_.size(); }

private:
  size_t columns_;
  std::vector<std::unique_ptr<Row>> rows_;
};

}  // namespace grid

struct TableObject {
  PyObject_HEAD
  grid::Table *table;
};

struct RowObject {
  PyObject_HEAD
  TableObject *table;
  grid::Row *row;
};

static PyTypeObject TableType = {PyVarObject_HEAD_INIT(nullptr, 0)};
static PyTypeObject RowType = {PyVarObject_HEAD_INIT(nullptr, 0)};

static PyObject *newRow(TableObject *table, grid::Row *row) {
  RowObject *self = PyObject_New(RowObject, &RowType);
  if (!self)
    return nullptr;
  self->table = table;
  self->row = row;
  return reinterpret_cast<PyObject *>(self);
}

static void Row_dealloc(RowObject *self) {
  PyObject_Free(self);
}

static Py_ssize_t Row_length(RowObject *self) {
  return static_cast<Py_ssize_t>(self->row->values.size());
}

static PyObject *Row_item(RowObject *self, Py_ssize_t i) {
  if (i < 0 || i >= Row_length(self))
    return PyErr_Format(PyExc_IndexError, "no column %zd", i);
  return PyFloat_FromDouble(self->row->values[i]);
}

static PyObject *Table_new(PyTypeObject *type, PyObject *args, PyObject *) {
  unsigned columns;
  if (!PyArg_ParseTuple(args, "I", &columns))
    return nullptr;
  auto *self = reinterpret_cast<TableObject *>(type->tp_alloc(type, 0));
  if (self)
    self->table = new grid::Table(columns);
  return reinterpret_cast<PyObject *>(self);
}

static void Table_dealloc(TableObject *self) {
  delete self->table;
  Py_TYPE(self)->tp_free(self);
}

static Py_ssize_t Table_length(TableObject *self) {
  return static_cast<Py_ssize_t>(self->table->size());
}

static PyObject *Table_item(TableObject *self, Py_ssize_t i) {
  grid::Row *row = i < 0 ? nullptr : self->table->row(static_cast<size_t>(i));
  return row ? newRow(self, row) : PyErr_Format(PyExc_IndexError, "no row %zd", i);
}

static PyObject *Table_append(TableObject *self, PyObject *) {
  return newRow(self, self->table->append());
}

static PySequenceMethods rowSequence = {(lenfunc)Row_length, nullptr, nullptr,
                                        (ssizeargfunc)Row_item};
static PySequenceMethods tableSequence = {(lenfunc)Table_length, nullptr, nullptr,
                                          (ssizeargfunc)Table_item};
static PyMethodDef tableMethods[] = {{"append", (PyCFunction)Table_append, METH_NOARGS}, {}};

int initGridTypes() {
  RowType.tp_name = "_grid.Row", RowType.tp_basicsize = sizeof(RowObject);
  RowType.tp_dealloc = (destructor)Row_dealloc, RowType.tp_as_sequence = &rowSequence;
  TableType.tp_name = "_grid.Table", TableType.tp_basicsize = sizeof(TableObject);
  TableType.tp_new = Table_new, TableType.tp_dealloc = (destructor)Table_dealloc;
  TableType.tp_as_sequence = &tableSequence, TableType.tp_methods = tableMethods;
  return PyType_Ready(&RowType) < 0 ? -1 : PyType_Ready(&TableType);
}
