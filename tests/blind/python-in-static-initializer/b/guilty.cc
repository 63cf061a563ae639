#define PY_SSIZE_T_CLEAN
#include <Python.h>

#include <stdexcept>

namespace {

class JsonEncoder {
 public:
  JsonEncoder() {
    PyObject* json = PyImport_ImportModule("json");
    if (!json) return;
    PyObject* cls = PyObject_GetAttrString(json, "JSONEncoder");
    Py_DECREF(json);
    if (!cls) return;
    PyObject* instance = PyObject_CallNoArgs(cls);
    Py_DECREF(cls);
    if (!instance) return;
    encode_ = PyObject_GetAttrString(instance, "encode");
    Py_DECREF(instance);
  }

  bool ok() const { return encode_ != nullptr; }
  PyObject* encode(PyObject* value) const { return PyObject_CallOneArg(encode_, value); }

 private:
  PyObject* encode_ = nullptr;
};

const JsonEncoder& shared_encoder() {
  static const JsonEncoder& encoder = *new JsonEncoder;
  return encoder;
}

PyObject* dump_header(PyObject*, PyObject* args) {
  PyObject *headers, *body;
  if (!PyArg_ParseTuple(args, "O!S", &PyDict_Type, &headers, &body)) return nullptr;
  const JsonEncoder& encoder = shared_encoder();
  if (!encoder.ok()) {
    if (!PyErr_Occurred()) PyErr_SetString(PyExc_RuntimeError, "no JSON encoder");
    return nullptr;
  }
  PyObject* text = encoder.encode(headers);
  if (!text) return nullptr;
  PyObject* framed = PyUnicode_FromFormat("%zd:%U\n", PyBytes_GET_SIZE(body), text);
  Py_DECREF(text);
  return framed;
}

PyMethodDef methods[] = {
    {"dump_header", dump_header, METH_VARARGS, "Frame the headers of a message."},
    {nullptr, nullptr, 0, nullptr},
};

PyModuleDef def = {PyModuleDef_HEAD_INIT, "_framing", nullptr, -1, methods};

}  // namespace

PyMODINIT_FUNC PyInit__framing() { return PyModule_Create(&def); }
