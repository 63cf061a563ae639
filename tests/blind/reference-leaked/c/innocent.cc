// Chess club standings: (name, rating) rows from the players of a roster.
#define PY_SSIZE_T_CLEAN
#include <Python.h>

namespace {

PyObject *attribute(PyObject *player, const char *name) {
  PyObject *value = PyObject_GetAttrString(player, name);
  if (value == nullptr && PyErr_ExceptionMatches(PyExc_AttributeError)) {
    PyErr_Format(PyExc_ValueError, "player has no %s", name);
  }
  return value;
}

PyObject *roster_standings(PyObject *, PyObject *roster) {
  PyObject *players = PySequence_Fast(roster, "roster must be a sequence");
  if (players == nullptr) return nullptr;
  const Py_ssize_t count = PySequence_Fast_GET_SIZE(players);
  PyObject *rows = PyList_New(0);

  auto fail = [&]() -> PyObject * {
    Py_DECREF(players);
    Py_XDECREF(rows);
    return nullptr;
  };
  if (rows == nullptr) return fail();

  for (Py_ssize_t i = 0; i < count; ++i) {
    PyObject *player = PySequence_Fast_GET_ITEM(players, i);
    PyObject *entry = PyTuple_New(2);
    if (entry == nullptr) return fail();

    PyObject *name = attribute(player, "name");
    if (name == nullptr) {
      Py_DECREF(entry);
      return fail();
    }
    PyTuple_SET_ITEM(entry, 0, name);

    PyObject *rating = attribute(player, "rating");
    if (rating == nullptr) {
      Py_DECREF(entry);
      return fail();  // a player without a rating
    }
    PyTuple_SET_ITEM(entry, 1, rating);

    const int status = PyList_Append(rows, entry);
    Py_DECREF(entry);
    if (status < 0) return fail();
  }

  Py_DECREF(players);
  return rows;
}

PyMethodDef methods[] = {
    {"standings", roster_standings, METH_O, "Rows of name and rating."},
    {nullptr, nullptr, 0, nullptr},
};

PyModuleDef module_def = {PyModuleDef_HEAD_INIT, "_chess", nullptr, -1, methods,
                          nullptr, nullptr, nullptr, nullptr};

}  // namespace

PyMODINIT_FUNC PyInit__chess() { return PyModule_Create(&module_def); }
