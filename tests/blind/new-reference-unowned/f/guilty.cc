#define PY_SSIZE_T_CLEAN
#include <Python.h>

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace rt {

struct Buffer {
  std::string label;
  std::uint64_t bytes = 0;
  bool pinned = false;
};

// Owns one reference.
struct PyRefDeleter {
  void operator()(PyObject *obj) const { Py_DECREF(obj); }
};
using PyRef = std::unique_ptr<PyObject, PyRefDeleter>;

class Heap {
 public:
  static Heap &Get() {
    static Heap *heap = new Heap;
    return *heap;
  }
  void Add(Buffer buffer) { buffers_.push_back(std::move(buffer)); }
  const std::vector<Buffer> &buffers() const { return buffers_; }

 private:
  std::vector<Buffer> buffers_;
};

PyObject *MakeRow(const Buffer &buffer) {
  const unsigned long long bytes = buffer.bytes;
  return Py_BuildValue("(sK)", buffer.label.c_str(), bytes);
}

// Returns [(label, bytes), ...] for all pinned buffers.
PyObject *DescribeBuffers(PyObject *, PyObject *) {
  PyRef out(PyList_New(0));
  if (!out) return nullptr;
  for (const Buffer &buffer : Heap::Get().buffers()) {
    if (!buffer.pinned) continue;
    if (PyList_Append(out.get(), MakeRow(buffer)) < 0) return nullptr;
  }
  return out.release();
}

PyObject *AddBuffer(PyObject *, PyObject *args) {
  const char *label = nullptr;
  unsigned long long bytes = 0;
  int pinned = 0;
  if (!PyArg_ParseTuple(args, "sKp", &label, &bytes, &pinned)) return nullptr;
  Heap::Get().Add(Buffer{label, bytes, pinned != 0});
  Py_RETURN_NONE;
}

PyMethodDef kMethods[] = {
    {"describe_buffers", DescribeBuffers, METH_NOARGS, "Lists the buffers."},
    {"add_buffer", AddBuffer, METH_VARARGS, "Records a buffer."},
    {nullptr, nullptr, 0, nullptr},
};

PyModuleDef kModule = {
    PyModuleDef_HEAD_INIT, "_heap", nullptr, 0, kMethods,
    nullptr, nullptr, nullptr, nullptr,
};

}  // namespace rt

PyMODINIT_FUNC PyInit__heap() { return PyModule_Create(&rt::kModule); }
