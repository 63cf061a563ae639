// Python access to raw 16-bit CT volumes.
#define PY_SSIZE_T_CLEAN
#include <Python.h>

#include <cstdint>
#include <cstdio>
#include <memory>
#include <unordered_map>

namespace {

struct FileCloser {
  void operator()(std::FILE* f) const { std::fclose(f); }
};

struct Slice {
  uint16_t* pixels;
  Py_ssize_t bytes;
};

struct VolumeState {
  std::unique_ptr<std::FILE, FileCloser> file;
  int rows = 0;
  int cols = 0;
  std::unordered_map<int, Slice> slices;
};

struct PyVolume {
  PyObject_HEAD
  VolumeState* state;
};

int Volume_init(PyObject* obj, PyObject* args, PyObject*) {
  auto* self = reinterpret_cast<PyVolume*>(obj);
  const char* path;
  int rows, cols;
  if (!PyArg_ParseTuple(args, "sii", &path, &rows, &cols)) return -1;
  if (self->state != nullptr) {
    PyErr_SetString(PyExc_RuntimeError, "volume is already open");
    return -1;
  }
  std::FILE* f = std::fopen(path, "rb");
  if (f == nullptr) {
    PyErr_SetFromErrnoWithFilename(PyExc_OSError, path);
    return -1;
  }
  self->state = new VolumeState;
  self->state->file.reset(f);
  self->state->rows = rows;
  self->state->cols = cols;
  return 0;
}

void Volume_dealloc(PyObject* obj) {
  auto* self = reinterpret_cast<PyVolume*>(obj);
  if (self->state != nullptr) {
    for (auto& entry : self->state->slices) PyMem_Free(entry.second.pixels);
  }
  delete self->state;
  PyTypeObject* type = Py_TYPE(obj);
  type->tp_free(obj);
  Py_DECREF(type);
}

PyObject* Volume_slice(PyObject* obj, PyObject* arg) {
  VolumeState* state = reinterpret_cast<PyVolume*>(obj)->state;
  if (state == nullptr) return PyErr_Format(PyExc_ValueError, "not open");
  const long index = PyLong_AsLong(arg);
  if (index == -1 && PyErr_Occurred()) return nullptr;
  auto it = state->slices.find(static_cast<int>(index));
  if (it == state->slices.end()) {
    Slice slice;
    slice.bytes = Py_ssize_t{2} * state->rows * state->cols;
    slice.pixels = static_cast<uint16_t*>(PyMem_Malloc(slice.bytes));
    if (slice.pixels == nullptr) return PyErr_NoMemory();
    std::FILE* f = state->file.get();
    if (std::fseek(f, index * slice.bytes, SEEK_SET) != 0 ||
        std::fread(slice.pixels, 1, slice.bytes, f) != size_t(slice.bytes)) {
      PyMem_Free(slice.pixels);
      return PyErr_Format(PyExc_IndexError, "no slice %ld", index);
    }
    it = state->slices.emplace(static_cast<int>(index), slice).first;
  }
  return PyBytes_FromStringAndSize(
      reinterpret_cast<const char*>(it->second.pixels), it->second.bytes);
}

PyMethodDef kVolumeMethods[] = {
    {"slice", Volume_slice, METH_O, "Pixels of one slice."},
    {nullptr, nullptr, 0, nullptr}};

PyType_Slot kVolumeSlots[] = {
    {Py_tp_new, reinterpret_cast<void*>(PyType_GenericNew)},
    {Py_tp_init, reinterpret_cast<void*>(Volume_init)},
    {Py_tp_dealloc, reinterpret_cast<void*>(Volume_dealloc)},
    {Py_tp_methods, kVolumeMethods},
    {0, nullptr}};

PyType_Spec kVolumeSpec = {"ctvol.Volume", sizeof(PyVolume), 0,
                           Py_TPFLAGS_DEFAULT, kVolumeSlots};
PyModuleDef kModule = {PyModuleDef_HEAD_INIT, "ctvol", nullptr, -1};

}  // namespace

PyMODINIT_FUNC PyInit_ctvol() {
  PyObject* module = PyModule_Create(&kModule);
  if (module == nullptr) return nullptr;
  PyObject* type = PyType_FromSpec(&kVolumeSpec);
  if (type == nullptr || PyModule_AddObject(module, "Volume", type) < 0) {
    Py_XDECREF(type);
    Py_DECREF(module);
    return nullptr;
  }
  return module;
}
