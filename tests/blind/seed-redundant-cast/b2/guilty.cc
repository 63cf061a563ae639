// Hands instruments of the static data catalog to Python as capsules.
#define PY_SSIZE_T_CLEAN
#include <Python.h>

#include <cstdint>
#include <memory>
#include <string>
#include <unordered_map>

namespace {

constexpr char kCapsule[] = "refdata.Instrument";

struct Audited {
  virtual ~Audited() = default;
  uint64_t revision = 0;
  std::string changed_by;
};

struct Instrument {
  virtual ~Instrument() = default;
  std::string symbol;
  double tick_size = 0.01;
};

struct ListedInstrument final : Audited, Instrument {
  std::string exchange;
};

using Catalog = std::unordered_map<std::string, std::unique_ptr<Instrument>>;
Catalog* g_catalog = nullptr;

PyObject* catalog_add(PyObject*, PyObject* args) {
  const char* symbol;
  const char* exchange;
  double tick_size;
  if (!PyArg_ParseTuple(args, "ssd", &symbol, &exchange, &tick_size)) {
    return nullptr;
  }
  auto instrument = std::make_unique<ListedInstrument>();
  instrument->symbol = symbol;
  instrument->exchange = exchange;
  instrument->tick_size = tick_size;
  if (!g_catalog->emplace(symbol, std::move(instrument)).second) {
    return PyErr_Format(PyExc_KeyError, "%s is already listed", symbol);
  }
  Py_RETURN_NONE;
}

PyObject* catalog_find(PyObject*, PyObject* arg) {
  const char* symbol = PyUnicode_AsUTF8(arg);
  if (symbol == nullptr) return nullptr;
  const auto it = g_catalog->find(symbol);
  if (it == g_catalog->end()) Py_RETURN_NONE;
  return PyCapsule_New(static_cast<Instrument*>(it->second.get()), kCapsule,
                       nullptr);
}

PyObject* tick_size(PyObject*, PyObject* capsule) {
  void* data = PyCapsule_GetPointer(capsule, kCapsule);
  if (data == nullptr) return nullptr;
  return PyFloat_FromDouble(static_cast<Instrument*>(data)->tick_size);
}

PyMethodDef kMethods[] = {
    {"add", catalog_add, METH_VARARGS, "add(symbol, exchange, tick_size)"},
    {"find", catalog_find, METH_O, "Capsule of an instrument, or None."},
    {"tick_size", tick_size, METH_O, "Tick size of a capsule from find()."},
    {nullptr, nullptr, 0, nullptr}};

PyModuleDef kModule = {PyModuleDef_HEAD_INIT, "refdata", nullptr, -1, kMethods};

}  // namespace

PyMODINIT_FUNC PyInit_refdata() {
  if (g_catalog == nullptr) g_catalog = new Catalog;
  return PyModule_Create(&kModule);
}
