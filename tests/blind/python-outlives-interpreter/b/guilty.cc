#define PY_SSIZE_T_CLEAN
#include <Python.h>

#include <array>
#include <cstdint>
#include <utility>

namespace mesh {

class Ref {
 public:
  Ref() = default;
  explicit Ref(PyObject* stolen) : p_(stolen) {}
  Ref(Ref&& o) noexcept : p_(std::exchange(o.p_, nullptr)) {}
  Ref& operator=(Ref&& o) noexcept {
    std::swap(p_, o.p_);
    return *this;
  }
  ~Ref() { Py_XDECREF(p_); }
  PyObject* get() const { return p_; }
  explicit operator bool() const { return p_ != nullptr; }

 private:
  PyObject* p_ = nullptr;
};

struct AxisNames {
  std::array<Ref, 3> names;
  AxisNames() {
    static constexpr const char* kText[] = {"x", "y", "z"};
    for (size_t i = 0; i < names.size(); ++i) names[i] = Ref(PyUnicode_InternFromString(kText[i]));
  }
  bool complete() const { return names[0] && names[1] && names[2]; }
};

const AxisNames& axis_names() {
  static const AxisNames table;
  return table;
}

PyObject* vertex_as_dict(PyObject*, PyObject* args) {
  double v[3];
  if (!PyArg_ParseTuple(args, "ddd", &v[0], &v[1], &v[2])) return nullptr;
  const AxisNames& axes = axis_names();
  if (!axes.complete()) return PyErr_NoMemory();
  Ref out(PyDict_New());
  if (!out) return nullptr;
  for (size_t i = 0; i < 3; ++i) {
    Ref number(PyFloat_FromDouble(v[i]));
    if (!number) return nullptr;
    if (PyDict_SetItem(out.get(), axes.names[i].get(), number.get()) < 0) return nullptr;
  }
  return Py_NewRef(out.get());
}

PyMethodDef methods[] = {
    {"vertex_as_dict", vertex_as_dict, METH_VARARGS, nullptr},
    {nullptr, nullptr, 0, nullptr},
};
PyModuleDef def = {PyModuleDef_HEAD_INIT, "_mesh", nullptr, -1, methods};

}  // namespace mesh

PyMODINIT_FUNC PyInit__mesh() { return PyModule_Create(&mesh::def); }
