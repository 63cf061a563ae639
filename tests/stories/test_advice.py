"""The help says what can be typed at the place that is shown."""

from __future__ import annotations

import json
from pathlib import Path

from tests import starting


def helps(root: Path, *options: str) -> dict[str, str]:
    """By function, what the finding in it advises."""
    done = starting.text("check", "--isolated", "--no-cache", "--output-format", "json", *options, ".", cwd=root)
    return {each["symbol"]: each["help"] for each in json.loads(done.stdout)["findings"]}


LEAKS = """\
#include <Python.h>

PyObject *lent(int sec, long n) {
  PyObject *val = PyLong_FromLong(n);
  return Py_BuildValue("iO", sec, val);
}

PyObject *used(long n) {
  PyObject *val = PyLong_FromLong(n);
  if (!val) return NULL;
  return PyNumber_Absolute(val);
}

PyObject *failing(void) {
  PyObject *list = PyList_New(0);
  if (list == NULL) return NULL;
  PyObject *name = PyUnicode_FromString("first");
  if (name == NULL) return NULL;
  Py_DECREF(name);
  return list;
}

PyObject *another(PyObject *self) {
  PyObject *list = PyList_New(0);
  if (list == NULL) return NULL;
  Py_INCREF(self);
  return self;
}
"""


def test_a_leaked_reference_is_not_returned_where_a_failure_is(tmp_path: Path) -> None:
    (tmp_path / "a.c").write_text(LEAKS)
    stored = "store the result in a variable, call `{}(val)`, then return it"
    assert helps(tmp_path) == {
        "lent": f"use `N` instead of `O` for `val`, or {stored.format('Py_XDECREF')}",
        "used": stored.format("Py_DECREF"),
        "failing": "call `Py_DECREF(list)` before this return",
        "another": "call `Py_DECREF(list)` before this return, or return `list`",
    }


SHARED = """\
#include <Python.h>

int asked_at_once(void) {
  PyObject *list = PyList_New(0);
  if (list == NULL || PyErr_CheckSignals()) return -1;
  Py_DECREF(list);
  return 0;
}

int asked_before(void) {
  PyObject *list = PyList_New(0);
  if (list == NULL) return -1;
  if (PyErr_CheckSignals()) return -1;
  Py_DECREF(list);
  return 0;
}

int of_one_version(void) {
  PyObject *m;
#if PY_MAJOR_VERSION >= 3
  m = PyModule_New("shown");
#else
  m = Py_InitModule3("shown", NULL, NULL);
#endif
  if (m == NULL) return -1;
  if (PyModule_AddStringConstant(m, "name", "value") < 0) return -1;
#if PY_MAJOR_VERSION >= 3
  Py_DECREF(m);
#endif
  return 0;
}
"""


def test_what_can_be_null_at_the_exit_is_released_by_what_accepts_that(tmp_path: Path) -> None:
    (tmp_path / "a.c").write_text(SHARED)
    assert helps(tmp_path) == {
        "asked_at_once": "call `Py_XDECREF(list)` before this return",
        "asked_before": "call `Py_DECREF(list)` before this return",
        "of_one_version": "call `Py_DECREF(m)` before this return"
        ", within the same `#if` if the other branch borrows it",
    }


TAKEN = """\
#include <Python.h>

int put(PyObject *dict) {
  PyObject *made = PyList_New(0);
  if (made == NULL) return -1;
  Py_INCREF(made);
  if (PyDict_SetItemString(dict, "made", made) < 0) {
    Py_DECREF(made);
    return -1;
  }
  Py_DECREF(made);
  return 0;
}

PyObject *given(void) {
  PyObject *made = PyList_New(0);
  if (made == NULL) return NULL;
  PyObject *both = PyTuple_New(1);
  if (both == NULL) { Py_DECREF(made); return NULL; }
  Py_INCREF(made);
  if (PyErr_CheckSignals()) { Py_DECREF(made); Py_DECREF(both); return NULL; }
  PyTuple_SET_ITEM(both, 0, made);
  Py_DECREF(made);
  return both;
}
"""


def test_an_increment_that_is_given_to_none_is_removed(tmp_path: Path) -> None:
    (tmp_path / "a.c").write_text(TAKEN)
    assert helps(tmp_path) == {
        "put": "remove this `Py_INCREF`: the function already owns a reference",
        "given": "call `Py_DECREF(made)` before this return",
    }


UNCHECKED = """\
#include <Python.h>

PyObject *alone(PyObject *item) {
  PyObject *pair = PyTuple_New(1);
  Py_INCREF(item);
  PyTuple_SET_ITEM(pair, 0, item);
  return pair;
}

PyObject *beside(PyObject *item) {
  PyObject *list = PyList_New(0);
  if (list == NULL) return NULL;
  PyObject *pair = PyTuple_New(1);
  Py_INCREF(item);
  PyTuple_SET_ITEM(pair, 0, item);
  if (PyList_Append(list, pair) < 0) {
    Py_DECREF(pair);
    Py_DECREF(list);
    return NULL;
  }
  Py_DECREF(pair);
  return list;
}

PyObject *jumping(PyObject *item) {
  PyObject *list = PyList_New(0);
  if (list == NULL) return NULL;
  PyObject *pair = PyTuple_New(1);
  Py_INCREF(item);
  PyTuple_SET_ITEM(pair, 0, item);
  if (PyList_Append(list, pair) < 0) goto fail;
  Py_DECREF(pair);
  return list;
fail:
  Py_XDECREF(pair);
  Py_DECREF(list);
  return NULL;
}

int compared(PyObject *one) {
  return PyObject_Type(one) == (PyObject *)&PyLong_Type ? 1 : 0;
}
"""


def test_an_unchecked_result_leaves_as_the_other_errors_do(tmp_path: Path) -> None:
    (tmp_path / "a.c").write_text(UNCHECKED)
    stored = "store it in a variable, test that, and call `Py_DECREF` on it afterwards"
    assert helps(tmp_path) == {
        "alone": "check it after the call of `PyTuple_New`: `if (pair == NULL) return NULL;`",
        "beside": "check it after the call of `PyTuple_New`: `if (pair == NULL) { Py_DECREF(list); return NULL; }`",
        "jumping": "check it after the call of `PyTuple_New`, and exit as the other errors here do: "
        "`if (pair == NULL) goto fail;`",
        "compared": f"use `Py_TYPE(one)`, which is borrowed, or {stored}",
    }


CASTS = """\
struct Item { int size; };

int outer(const Item* item) { return static_cast<Item*>(const_cast<Item*>(item))->size; }

int in_brackets(const Item* item) { return ((Item*)const_cast<Item*>(item))->size; }

int one(Item* item) { return static_cast<Item*>(item)->size; }
"""


def test_of_two_casts_the_one_to_keep_is_written_out(tmp_path: Path) -> None:
    (tmp_path / "a.cc").write_text(CASTS)
    assert helps(tmp_path) == {
        "outer": "replace with `const_cast<Item*>(item)`",
        "in_brackets": "replace with `const_cast<Item*>(item)`",
        "one": "remove the cast",
    }


STATUS = """\
#include "absl/status/status.h"

absl::Status Flush(int fd);

void Closed(int fd) { Flush(fd); }

void OnPurpose(int fd) {
  (void)Flush(fd);  // the reader notices a failure by the missing end
}
"""
OTHERS = """\
#include "absl/status/status.h"

absl::Status Flush(int fd);

int Counted(int fd) {
  Flush(fd);
  return 1;
}

absl::Status Passed(int fd) {
  Flush(fd);
  return absl::OkStatus();
}
"""


def test_a_status_is_returned_where_the_function_returns_one(tmp_path: Path) -> None:
    (tmp_path / "a.cc").write_text(OTHERS)
    silenced = "write `(void)Flush(...)` with a comment that says why it can be ignored"
    assert helps(tmp_path) == {
        "Counted": f"`Counted` returns `int`, so check `.ok()` here, or {silenced}",
        "Passed": f"return it, check `.ok()`, or {silenced}",
    }


RAISING = """
#include <Python.h>

PyObject* Raised(PyObject* self, PyObject* args) {
  PyErr_SetString(PyExc_ValueError, "closed");
  return NULL;
}
"""


def test_what_returns_void_reports_a_failure_where_it_is(tmp_path: Path) -> None:
    (tmp_path / "a.cc").write_text(STATUS)
    purpose = "or write `(void)Flush(...)` with a comment that says why it can be ignored"
    assert helps(tmp_path) == {
        "Closed": f"`Closed` returns `void`, so check `.ok()` and report a failure here, {purpose}",
    }
    (tmp_path / "a.cc").write_text(STATUS + RAISING)
    way = "for example with `PyErr_WriteUnraisable`"
    assert helps(tmp_path) == {
        "Closed": f"`Closed` returns `void`, so check `.ok()` and report a failure here, {way}, {purpose}",
    }


MADE = """\
struct Shape { virtual ~Shape(); };
struct Circle : Shape { int r; };
struct Square : Shape { int a; };

class Canvas {
 public:
  void Fill() { only_ = new Circle(); }
  void Add() { all_.push_back(new Square()); }
  void Either(bool round) {
    if (round) some_ = new Circle();
    else some_ = new Square();
  }

 private:
  Shape *only_ = nullptr;
  Shape *some_ = nullptr;
  std::vector<Shape *> all_;
};

int one(bool early) {
  Shape *shape = new Circle();
  if (early) return 1;
  delete shape;
  return 0;
}

int either(bool early, bool round) {
  Shape *shape = nullptr;
  if (round) shape = new Circle();
  else shape = new Square();
  if (early) return 1;
  delete shape;
  return 0;
}
"""


def test_an_owner_is_of_the_type_that_is_allocated(tmp_path: Path) -> None:
    (tmp_path / "a.cc").write_text(MADE)
    deleted = "write `delete shape;` before this return, or hold it in a `std::unique_ptr<{}>`"
    assert helps(tmp_path, "--certainty", "possible") == {
        "Canvas::Fill": "declare it as `std::unique_ptr<Circle>`, or delete it in the destructor",
        "Canvas::Add": "hold each element in a `std::unique_ptr<Square>`, or delete each in the destructor",
        "Canvas::Either": "declare it as `std::unique_ptr`, or delete it in the destructor",
        "one": deleted.format("Circle"),
        "either": deleted.format("Shape"),
    }
