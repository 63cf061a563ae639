#define PY_SSIZE_T_CLEAN
#include <Python.h>

#include <vector>

namespace {

struct RefList {
  RefList() = default;
  RefList(const RefList&) = delete;
  RefList& operator=(const RefList&) = delete;
  ~RefList() {
    for (PyObject* item : items) Py_DECREF(item);
  }
  std::vector<PyObject*> items;
};

bool collect_columns(PyObject* frame, PyObject* names, RefList& columns) {
  const Py_ssize_t count = PyTuple_GET_SIZE(names);
  columns.items.reserve(static_cast<std::size_t>(count));
  for (Py_ssize_t i = 0; i < count; ++i) {
    PyObject* name = PyTuple_GET_ITEM(names, i);
    PyObject* column = PyDict_GetItemWithError(frame, name);
    if (column == nullptr) {
      if (!PyErr_Occurred()) PyErr_SetObject(PyExc_KeyError, name);
      return false;
    }
    columns.items.push_back(column);
  }
  return true;
}

PyObject* frame_row(PyObject*, PyObject* args) {
  PyObject* frame = nullptr;
  PyObject* names = nullptr;
  Py_ssize_t index = 0;
  if (!PyArg_ParseTuple(args, "O!O!n", &PyDict_Type, &frame, &PyTuple_Type, &names, &index)) {
    return nullptr;
  }
  RefList columns;
  if (!collect_columns(frame, names, columns)) return nullptr;

  PyObject* row = PyTuple_New(static_cast<Py_ssize_t>(columns.items.size()));
  if (row == nullptr) return nullptr;
  for (std::size_t i = 0; i < columns.items.size(); ++i) {
    PyObject* cell = PySequence_GetItem(columns.items[i], index);
    if (cell == nullptr) {
      Py_DECREF(row);
      return nullptr;
    }
    PyTuple_SET_ITEM(row, static_cast<Py_ssize_t>(i), cell);
  }
  return row;
}

PyMethodDef kMethods[] = {
    {"row", frame_row, METH_VARARGS, "row(frame, names, index) -> tuple"},
    {nullptr, nullptr, 0, nullptr},
};
PyModuleDef kModule = {PyModuleDef_HEAD_INIT, "_frame", nullptr, -1, kMethods};

}  // namespace

PyMODINIT_FUNC PyInit__frame() { return PyModule_Create(&kModule); }
