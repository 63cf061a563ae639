#define PY_SSIZE_T_CLEAN
#include <Python.h>

#include <map>
#include <string>
#include <utility>

#include "absl/base/thread_annotations.h"
#include "absl/synchronization/mutex.h"

namespace {

absl::Mutex g_mu;
std::map<std::string, double> g_latest ABSL_GUARDED_BY(g_mu);
PyObject *g_watcher = nullptr;  // written with the GIL held

template <class F>
void WithPython(F &&body) {
  PyGILState_STATE state = PyGILState_Ensure();
  body();
  PyGILState_Release(state);
}

void Notify(const char *channel, double value) {
  if (g_watcher == nullptr) return;
  PyObject *watcher = Py_NewRef(g_watcher);
  PyObject *result = PyObject_CallFunction(watcher, "sd", channel, value);
  if (result == nullptr) PyErr_WriteUnraisable(watcher);
  Py_XDECREF(result);
  Py_DECREF(watcher);
}

}  // namespace

// Called by the thread of the gyroscope driver.
extern "C" void Publish(const char *channel, double value) {
  bool changed = false;
  {
    absl::MutexLock lock(&g_mu);
    auto it = g_latest.try_emplace(channel, value).first;
    changed = it->second != value;
    it->second = value;
  }
  if (changed) {
    WithPython([&] { Notify(channel, value); });
  }
}

static PyObject *Watch(PyObject *, PyObject *callable) {
  Py_XSETREF(g_watcher, Py_NewRef(callable));
  Py_RETURN_NONE;
}

static PyObject *Latest(PyObject *, PyObject *name) {
  const char *channel = PyUnicode_AsUTF8(name);
  if (channel == nullptr) return nullptr;
  double value = 0.0;
  bool known = false;
  {
    absl::MutexLock lock(&g_mu);
    if (auto it = g_latest.find(channel); it != g_latest.end()) {
      value = it->second;
      known = true;
    }
  }
  if (!known) Py_RETURN_NONE;
  return PyFloat_FromDouble(value);
}

static PyMethodDef kMethods[] = {
    {"watch", Watch, METH_O, "Set the function that is told of changes."},
    {"latest", Latest, METH_O, "The newest value of a channel, or None."},
    {nullptr, nullptr, 0, nullptr},
};

static PyModuleDef kModule = {PyModuleDef_HEAD_INIT, "_gyro", nullptr, -1, kMethods, nullptr, nullptr, nullptr, nullptr};

PyMODINIT_FUNC PyInit__gyro() { return PyModule_Create(&kModule); }
