// orderbookmodule.cc -- a limit order book, iterable from the best price down.
#define PY_SSIZE_T_CLEAN
#include <Python.h>

#include <cstdint>
#include <functional>
#include <map>
#include <new>

namespace {

using Side = std::map<std::int64_t, std::int64_t, std::greater<std::int64_t>>;  // price -> size
using LevelPos = Side::const_iterator;

struct BookObject {
  PyObject_HEAD
  Side bids;
  unsigned long revision;
};

struct LevelIterObject {
  PyObject_HEAD
  BookObject* book;
  LevelPos next;
  unsigned long revision;
};

PyTypeObject BookType = {PyVarObject_HEAD_INIT(nullptr, 0)};
PyTypeObject LevelIterType = {PyVarObject_HEAD_INIT(nullptr, 0)};

BookObject* AsBook(PyObject* op) { return reinterpret_cast<BookObject*>(op); }
LevelIterObject* AsIter(PyObject* op) { return reinterpret_cast<LevelIterObject*>(op); }

PyObject* LevelIterNext(PyObject* op) {
  LevelIterObject* self = AsIter(op);
  if (self->revision != self->book->revision) {
    PyErr_SetString(PyExc_RuntimeError, "order book changed during iteration");
    return nullptr;
  }
  if (self->next == self->book->bids.end()) return nullptr;
  const auto level = *self->next++;
  return Py_BuildValue("(LL)", static_cast<long long>(level.first),
                       static_cast<long long>(level.second));
}

void LevelIterDealloc(PyObject* op) {
  LevelIterObject* self = AsIter(op);
  self->next.~LevelPos();
  Py_DECREF(reinterpret_cast<PyObject*>(self->book));
  PyObject_Free(op);
}

PyObject* BookNew(PyTypeObject* type, PyObject*, PyObject*) {
  PyObject* op = type->tp_alloc(type, 0);
  if (op == nullptr) return nullptr;
  new (&AsBook(op)->bids) Side();
  AsBook(op)->revision = 0;
  return op;
}

void BookDealloc(PyObject* op) {
  AsBook(op)->bids.~Side();
  Py_TYPE(op)->tp_free(op);
}

PyObject* BookBid(PyObject* op, PyObject* args) {
  long long price = 0, size = 0;
  if (!PyArg_ParseTuple(args, "LL", &price, &size)) return nullptr;
  if (size < 0) {
    PyErr_SetString(PyExc_ValueError, "negative size");
    return nullptr;
  }
  BookObject* self = AsBook(op);
  try {
    if (size == 0) {
      self->bids.erase(price);
    } else {
      self->bids[price] = size;
    }
  } catch (const std::bad_alloc&) {
    return PyErr_NoMemory();
  }
  ++self->revision;
  Py_RETURN_NONE;
}

PyObject* BookBest(PyObject* op, PyObject*) {
  const Side& bids = AsBook(op)->bids;
  if (bids.empty()) Py_RETURN_NONE;
  return PyLong_FromLongLong(bids.begin()->first);
}

PyObject* BookLevels(PyObject* op) {
  LevelIterObject* iter = PyObject_New(LevelIterObject, &LevelIterType);
  if (iter == nullptr) return nullptr;
  Py_INCREF(op);
  iter->book = AsBook(op);
  new (&iter->next) LevelPos(iter->book->bids.begin());
  iter->revision = iter->book->revision;
  return reinterpret_cast<PyObject*>(iter);
}

PyMethodDef book_methods[] = {{"bid", BookBid, METH_VARARGS, "Set the size at a price."},
                              {"best", BookBest, METH_NOARGS, "The best price, or None."},
                              {nullptr, nullptr, 0, nullptr}};

PyModuleDef orderbook_module = {PyModuleDef_HEAD_INIT, "_orderbook", nullptr, -1, nullptr};

}  // namespace

PyMODINIT_FUNC PyInit__orderbook() {
  BookType.tp_name = "_orderbook.Book";
  BookType.tp_basicsize = sizeof(BookObject);
  BookType.tp_flags = Py_TPFLAGS_DEFAULT;
  BookType.tp_new = BookNew;
  BookType.tp_dealloc = BookDealloc;
  BookType.tp_iter = BookLevels;
  BookType.tp_methods = book_methods;
  LevelIterType.tp_name = "_orderbook.LevelIter";
  LevelIterType.tp_basicsize = sizeof(LevelIterObject);
  LevelIterType.tp_flags = Py_TPFLAGS_DEFAULT;
  LevelIterType.tp_dealloc = LevelIterDealloc;
  LevelIterType.tp_iter = PyObject_SelfIter;
  LevelIterType.tp_iternext = LevelIterNext;
  if (PyType_Ready(&BookType) < 0 || PyType_Ready(&LevelIterType) < 0) return nullptr;
  PyObject* module = PyModule_Create(&orderbook_module);
  if (module == nullptr) return nullptr;
  Py_INCREF(reinterpret_cast<PyObject*>(&BookType));
  if (PyModule_AddObject(module, "Book", reinterpret_cast<PyObject*>(&BookType)) < 0) {
    Py_DECREF(reinterpret_cast<PyObject*>(&BookType));
    Py_DECREF(module);
    return nullptr;
  }
  return module;
}
