"""The help says what can be typed at the place that is shown."""

from __future__ import annotations

import json
from pathlib import Path

from tests import starting


def helps(root: Path) -> dict[str, str]:
    """By function, what the finding in it advises."""
    done = starting.text("check", "--isolated", "--no-cache", "--output-format", "json", ".", cwd=root)
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
    stored = "store the result in a variable, call `Py_DECREF(val)`, then return it"
    assert helps(tmp_path) == {
        "lent": f"use `N` instead of `O` for `val`, or {stored}",
        "used": stored,
        "failing": "call `Py_DECREF(list)` before this return",
        "another": "call `Py_DECREF(list)` before this return, or return `list`",
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
