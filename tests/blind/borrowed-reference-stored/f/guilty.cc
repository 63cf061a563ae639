#define PY_SSIZE_T_CLEAN
#include <Python.h>

#include <memory>
#include <new>
#include <utility>

namespace {

// Owning smart pointer for PyObject*.
class Ref {
 public:
  Ref() = default;
  Ref(Ref&& other) noexcept : ptr_(std::exchange(other.ptr_, nullptr)) {}
  Ref& operator=(Ref&& other) noexcept {
    PyObject* old = std::exchange(ptr_, std::exchange(other.ptr_, nullptr));
    Py_XDECREF(old);
    return *this;
  }
  ~Ref() { Py_XDECREF(ptr_); }

  static Ref steal(PyObject* ptr) { return Ref(ptr); }
  static Ref borrow(PyObject* ptr) {
    Py_XINCREF(ptr);
    return Ref(ptr);
  }

  PyObject* get() const { return ptr_; }
  PyObject* release() { return std::exchange(ptr_, nullptr); }
  explicit operator bool() const { return ptr_ != nullptr; }

 private:
  explicit Ref(PyObject* ptr) : ptr_(ptr) {}
  PyObject* ptr_ = nullptr;
};

// One stage of an output pipeline: encodes an object and writes it to a sink.
class Stage {
 public:
  // spec is (sink, encoder).
  bool configure(PyObject* spec) {
    PyObject* sink = PyTuple_GetItem(spec, 0);
    if (sink == nullptr) return false;
    write_ = Ref::steal(PyObject_GetAttrString(sink, "write"));
    if (!write_) return false;
    encoder_ = Ref::steal(PyTuple_GetItem(spec, 1));
    return static_cast<bool>(encoder_);
  }

  Ref run(PyObject* value) const {
    Ref encoded = Ref::steal(PyObject_CallOneArg(encoder_.get(), value));
    if (!encoded) return Ref();
    return Ref::steal(PyObject_CallOneArg(write_.get(), encoded.get()));
  }

 private:
  Ref write_;
  Ref encoder_;
};

constexpr const char* kCapsuleName = "_stages.Stage";

void destroy_stage(PyObject* capsule) {
  delete static_cast<Stage*>(PyCapsule_GetPointer(capsule, kCapsuleName));
}

PyObject* make_stage(PyObject*, PyObject* args) {
  PyObject* spec;
  if (!PyArg_ParseTuple(args, "O!:make_stage", &PyTuple_Type, &spec)) return nullptr;
  std::unique_ptr<Stage> stage(new (std::nothrow) Stage());
  if (!stage) return PyErr_NoMemory();
  if (!stage->configure(spec)) return nullptr;
  PyObject* capsule = PyCapsule_New(stage.get(), kCapsuleName, destroy_stage);
  if (capsule != nullptr) stage.release();
  return capsule;
}

PyObject* run_stage(PyObject*, PyObject* args) {
  PyObject *capsule, *value;
  if (!PyArg_ParseTuple(args, "OO:run_stage", &capsule, &value)) return nullptr;
  auto* stage = static_cast<Stage*>(PyCapsule_GetPointer(capsule, kCapsuleName));
  return stage == nullptr ? nullptr : stage->run(value).release();
}

PyMethodDef methods[] = {
    {"make_stage", make_stage, METH_VARARGS, nullptr},
    {"run_stage", run_stage, METH_VARARGS, nullptr},
    {nullptr, nullptr, 0, nullptr},
};

PyModuleDef module_def = {PyModuleDef_HEAD_INIT, "_stages", nullptr, 0, methods,
                          nullptr, nullptr, nullptr, nullptr};

}  // namespace

PyMODINIT_FUNC PyInit__stages() { return PyModuleDef_Init(&module_def); }
