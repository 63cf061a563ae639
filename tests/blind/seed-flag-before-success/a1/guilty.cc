// _dicomfast: decoding of compressed DICOM slices through a Python codec.
#define PY_SSIZE_T_CLEAN
#include <Python.h>

#include <string.h>

namespace {

bool g_bridge_up = false;
PyObject* g_decode = nullptr;

// Run-length decoder (PackBits), one segment.
PyObject* decode_rle(const char* src, Py_ssize_t len, Py_ssize_t expected) {
  PyObject* out = PyBytes_FromStringAndSize(nullptr, expected);
  if (!out) return nullptr;
  char* dst = PyBytes_AS_STRING(out);
  Py_ssize_t i = 0, o = 0;
  while (i < len && o < expected) {
    const signed char n = static_cast<signed char>(src[i++]);
    const Py_ssize_t count = n >= 0 ? n + 1 : 1 - n;
    if (n == -128) continue;
    if (o + count > expected || i + (n >= 0 ? count : 1) > len) break;
    if (n >= 0) {
      memcpy(dst + o, src + i, count);
      i += count;
    } else {
      memset(dst + o, src[i++], count);
    }
    o += count;
  }
  if (o != expected) {
    Py_DECREF(out);
    PyErr_SetString(PyExc_ValueError, "RLE segment is truncated");
    return nullptr;
  }
  return out;
}

int ensure_bridge() {
  if (g_bridge_up) return 0;
  g_bridge_up = true;

  PyObject* mod = PyImport_ImportModule("pydicom.encaps");
  if (!mod) return -1;
  PyObject* fn = PyObject_GetAttrString(mod, "decode_frame");
  Py_DECREF(mod);
  if (!fn) return -1;
  g_decode = fn;
  return 0;
}

PyObject* decode_slice(PyObject*, PyObject* args) {
  const char* uid = nullptr;
  Py_buffer raw;
  Py_ssize_t expected = 0;
  if (!PyArg_ParseTuple(args, "sy*n", &uid, &raw, &expected)) return nullptr;

  PyObject* result = nullptr;
  if (strcmp(uid, "1.2.840.10008.1.2.5") == 0) {
    result = decode_rle(static_cast<const char*>(raw.buf), raw.len, expected);
  } else if (ensure_bridge() == 0) {
    PyObject* view = PyMemoryView_FromBuffer(&raw);
    if (view) {
      result = PyObject_CallFunction(g_decode, "sOn", uid, view, expected);
      Py_DECREF(view);
    }
  }
  PyBuffer_Release(&raw);
  return result;
}

PyMethodDef kMethods[] = {
    {"decode_slice", decode_slice, METH_VARARGS, "decode_slice(uid, data, size) -> bytes"},
    {nullptr, nullptr, 0, nullptr},
};

PyModuleDef kModule = {PyModuleDef_HEAD_INIT, "_dicomfast", nullptr, -1, kMethods,
                       nullptr, nullptr, nullptr, nullptr};

}  // namespace

PyMODINIT_FUNC PyInit__dicomfast(void) { return PyModule_Create(&kModule); }
