#define PY_SSIZE_T_CLEAN
#include <Python.h>

#include <cstdint>
#include <string>

namespace {

void PutVarint(std::string& out, uint64_t value) {
  while (value >= 0x80) {
    out.push_back(static_cast<char>(value | 0x80));
    value >>= 7;
  }
  out.push_back(static_cast<char>(value));
}

uint8_t Checksum(const std::string& bytes) {
  uint8_t sum = 0;
  for (unsigned char c : bytes) sum = static_cast<uint8_t>(sum * 31 + c);
  return sum;
}

PyObject* ExposeBytes(std::string& bytes) {
  return PyMemoryView_FromMemory(bytes.data(), static_cast<Py_ssize_t>(bytes.size()), PyBUF_READ);
}

PyObject* packet_encode(PyObject*, PyObject* args) {
  unsigned long long stream = 0;
  const char* payload = nullptr;
  Py_ssize_t length = 0;
  if (!PyArg_ParseTuple(args, "Ky#", &stream, &payload, &length)) return nullptr;

  std::string frame;
  frame.reserve(static_cast<size_t>(length) + 16);
  PutVarint(frame, stream);
  PutVarint(frame, static_cast<uint64_t>(length));
  frame.append(payload, static_cast<size_t>(length));
  frame.push_back(static_cast<char>(Checksum(frame)));
  return ExposeBytes(frame);
}

PyMethodDef kMethods[] = {
    {"encode", packet_encode, METH_VARARGS, "encode(stream, payload) -> buffer"},
    {nullptr, nullptr, 0, nullptr},
};

PyModuleDef kModule = {PyModuleDef_HEAD_INIT, "_packet", nullptr, -1, kMethods};

}  // namespace

PyMODINIT_FUNC PyInit__packet() { return PyModule_Create(&kModule); }
