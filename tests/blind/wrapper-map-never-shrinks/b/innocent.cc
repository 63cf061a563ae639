#include <Python.h>

#include <memory>
#include <string>
#include <vector>

struct Widget {
  int width = 0;
  int height = 0;
};

struct WrapperObject {
  PyObject_HEAD
  Widget* widget;
};

static PyTypeObject WrapperType = {PyVarObject_HEAD_INIT(nullptr, 0) "_ui.Widget"};
static PyObject* g_wrappers = nullptr;
static std::vector<std::unique_ptr<Widget>> g_widgets;

static PyObject* widget_to_python(Widget* widget) {
  PyObject* key = PyLong_FromVoidPtr(widget);
  if (!key) return nullptr;
  PyObject* wrapper = PyDict_GetItemWithError(g_wrappers, key);
  if (wrapper) {
    Py_INCREF(wrapper);
  } else if (!PyErr_Occurred()) {
    wrapper = WrapperType.tp_alloc(&WrapperType, 0);
    if (wrapper) {
      reinterpret_cast<WrapperObject*>(wrapper)->widget = widget;
      if (PyDict_SetItem(g_wrappers, key, wrapper) < 0) Py_CLEAR(wrapper);
    }
  }
  Py_DECREF(key);
  return wrapper;
}

static PyObject* ui_open(PyObject*, PyObject* args) {
  int width, height;
  if (!PyArg_ParseTuple(args, "ii", &width, &height)) return nullptr;
  g_widgets.push_back(std::make_unique<Widget>(Widget{width, height}));
  return widget_to_python(g_widgets.back().get());
}

static PyObject* ui_close(PyObject*, PyObject* arg) {
  if (!PyObject_TypeCheck(arg, &WrapperType)) {
    PyErr_SetString(PyExc_TypeError, "expected a Widget");
    return nullptr;
  }
  Widget*& widget = reinterpret_cast<WrapperObject*>(arg)->widget;
  if (!widget) Py_RETURN_NONE;
  PyObject* key = PyLong_FromVoidPtr(widget);
  if (!key) return nullptr;
  const int rc = PyDict_DelItem(g_wrappers, key);
  Py_DECREF(key);
  if (rc < 0) return nullptr;
  for (auto it = g_widgets.begin(); widget && it != g_widgets.end(); ++it) {
    if (it->get() == widget) {
      g_widgets.erase(it);
      break;
    }
  }
  widget = nullptr;
  Py_RETURN_NONE;
}

static PyMethodDef kMethods[] = {
    {"open", ui_open, METH_VARARGS, nullptr},
    {"close", ui_close, METH_O, nullptr},
    {nullptr, nullptr, 0, nullptr},
};

static PyModuleDef kModule = {PyModuleDef_HEAD_INIT, "_ui", nullptr, -1, kMethods};

PyMODINIT_FUNC PyInit__ui() {
  WrapperType.tp_basicsize = sizeof(WrapperObject);
  WrapperType.tp_flags = Py_TPFLAGS_DEFAULT;
  if (PyType_Ready(&WrapperType) < 0) return nullptr;
  if (!g_wrappers && !(g_wrappers = PyDict_New())) return nullptr;
  return PyModule_Create(&kModule);
}
