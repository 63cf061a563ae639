// CPython extension type: an index of map tiles with packed geographic bounds.

#define PY_SSIZE_T_CLEAN
#include <Python.h>

#include <cmath>
#include <cstdint>
#include <new>
#include <unordered_map>

namespace {

constexpr double kPi = 3.14159265358979323846;

struct TileIndexObject {
  PyObject_HEAD
  std::unordered_map<uint64_t, PyObject*>* bounds;  // Packed west, north, east, south.
  uint8_t* coverage;
  Py_ssize_t coverage_size;
};

uint64_t PackKey(unsigned zoom, unsigned x, unsigned y) {
  return (uint64_t{zoom} << 58) | (uint64_t{x & 0x1fffffff} << 29) |
         uint64_t{y & 0x1fffffff};
}

PyObject* TileIndex_new(PyTypeObject* type, PyObject* args, PyObject* kwargs) {
  static const char* kNames[] = {"max_zoom", nullptr};
  int max_zoom = 0;
  if (!PyArg_ParseTupleAndKeywords(args, kwargs, "i",
                                   const_cast<char**>(kNames), &max_zoom)) {
    return nullptr;
  }
  if (max_zoom < 0 || max_zoom > 12) {
    PyErr_SetString(PyExc_ValueError, "max_zoom must be between 0 and 12");
    return nullptr;
  }

  auto* self = reinterpret_cast<TileIndexObject*>(type->tp_alloc(type, 0));
  if (self == nullptr) return nullptr;
  self->coverage_size = Py_ssize_t{1} << (2 * max_zoom);
  self->coverage = static_cast<uint8_t*>(PyMem_Calloc(self->coverage_size, 1));
  self->bounds = new (std::nothrow) std::unordered_map<uint64_t, PyObject*>();
  if (self->coverage == nullptr || self->bounds == nullptr) {
    Py_DECREF(self);
    return PyErr_NoMemory();
  }
  return reinterpret_cast<PyObject*>(self);
}

void TileIndex_dealloc(PyObject* obj) {
  auto* self = reinterpret_cast<TileIndexObject*>(obj);
  PyTypeObject* type = Py_TYPE(obj);
  PyMem_Free(self->coverage);
  delete self->bounds;
  type->tp_free(obj);
  Py_DECREF(type);
}

double NorthEdge(unsigned zoom, unsigned y) {
  const double n = kPi * (1.0 - 2.0 * y / std::ldexp(1.0, static_cast<int>(zoom)));
  return std::atan(std::sinh(n)) * 180.0 / kPi;
}

double WestEdge(unsigned zoom, unsigned x) {
  return 360.0 * x / std::ldexp(1.0, static_cast<int>(zoom)) - 180.0;
}

PyObject* TileIndex_packed_bounds(PyObject* obj, PyObject* args) {
  auto* self = reinterpret_cast<TileIndexObject*>(obj);
  unsigned zoom = 0, x = 0, y = 0;
  if (!PyArg_ParseTuple(args, "III", &zoom, &x, &y)) return nullptr;
  if (zoom > 29 || (x >> zoom) != 0 || (y >> zoom) != 0) {
    PyErr_SetString(PyExc_ValueError, "no such tile");
    return nullptr;
  }

  const uint64_t key = PackKey(zoom, x, y);
  auto it = self->bounds->find(key);
  if (it != self->bounds->end()) {
    Py_INCREF(it->second);
    return it->second;
  }

  const double box[4] = {WestEdge(zoom, x), NorthEdge(zoom, y),
                         WestEdge(zoom, x + 1), NorthEdge(zoom, y + 1)};
  PyObject* packed =
      PyBytes_FromStringAndSize(reinterpret_cast<const char*>(box), sizeof(box));
  if (packed == nullptr) return nullptr;
  try {
    self->bounds->emplace(key, packed);
  } catch (const std::bad_alloc&) {
    Py_DECREF(packed);
    return PyErr_NoMemory();
  }
  Py_INCREF(packed);
  return packed;
}

PyObject* TileIndex_mark(PyObject* obj, PyObject* arg) {
  auto* self = reinterpret_cast<TileIndexObject*>(obj);
  const Py_ssize_t cell = PyLong_AsSsize_t(arg);
  if (cell == -1 && PyErr_Occurred()) return nullptr;
  if (cell < 0 || cell >= self->coverage_size) {
    PyErr_SetString(PyExc_IndexError, "cell out of range");
    return nullptr;
  }
  self->coverage[cell] = 1;
  Py_RETURN_NONE;
}

PyMethodDef kMethods[] = {
    {"packed_bounds", TileIndex_packed_bounds, METH_VARARGS,
     "West, north, east and south of a tile as four packed doubles."},
    {"mark", TileIndex_mark, METH_O, "Mark a coverage cell."},
    {nullptr, nullptr, 0, nullptr}};

PyType_Slot kSlots[] = {{Py_tp_new, reinterpret_cast<void*>(TileIndex_new)},
                        {Py_tp_dealloc, reinterpret_cast<void*>(TileIndex_dealloc)},
                        {Py_tp_methods, kMethods},
                        {0, nullptr}};

PyType_Spec kSpec = {"tileindex.TileIndex", sizeof(TileIndexObject), 0,
                     Py_TPFLAGS_DEFAULT, kSlots};

PyModuleDef kModule = {PyModuleDef_HEAD_INIT, "tileindex", nullptr, -1,
                       nullptr, nullptr, nullptr, nullptr, nullptr};

}  // namespace

PyMODINIT_FUNC PyInit_tileindex() {
  PyObject* module = PyModule_Create(&kModule);
  if (module == nullptr) return nullptr;
  PyObject* type = PyType_FromSpec(&kSpec);
  if (type == nullptr || PyModule_AddObject(module, "TileIndex", type) < 0) {
    Py_XDECREF(type);
    Py_DECREF(module);
    return nullptr;
  }
  return module;
}
