"""Each finding that is not certain says why, in the report that a user reads, or says nothing."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from tests import starting

DONATION = """\
import jax
import jax.numpy as jnp

eat = jax.jit(lambda v: v + 1, donate_argnums=0)


def straight():
    x = jnp.ones(3)
    eat(x)
    return x + 1


def on_one_path(flag):
    x = jnp.ones(3)
    if flag:
        eat(x)
    return x + 1


def fails():
    x = jnp.ones(3)
    try:
        x = eat(x)
    except RuntimeError:
        x = eat(x)
    return x


def unknown(x):
    eat(x)
    return x + 1
"""
PAIR = """\
struct tile;
tile* tile_create(int side);
void tile_destroy(tile* made);
int tile_fill(tile* made);

int Draw(int side) {
  tile* made = tile_create(side);
  if (tile_fill(made) < 0) return -1;
  tile_destroy(made);
  return 0;
}
"""


def findings(root: Path, *options: str) -> dict[str, tuple[str, str]]:
    words = ["--isolated", "--no-cache", "--exit-zero", *options, "--output-format", "json", "."]
    done = starting.text("check", *words, cwd=root)
    done.check_returncode()
    told = json.loads(done.stdout)["findings"]
    return {each["symbol"]: (each["certainty"], each["reason"]) for each in told}


def test_python(tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text(DONATION)
    assert findings(tmp_path) == {
        "straight": ("certain", ""),
        "on_one_path": ("likely", "this happens only on some of the paths that lead here"),
        "fails": ("likely", "this happens only if `eat` fails"),
        "unknown": ("likely", "it is not known whether `x` has storage that can be donated"),
    }


@pytest.mark.parametrize("jobs", ["1", "2"])
def test_cpp(tmp_path: Path, jobs: str) -> None:
    (tmp_path / "a.cc").write_text(PAIR)
    why = "harmless if it need not be released; other paths call `tile_destroy`"
    assert findings(tmp_path, "--jobs", jobs) == {"Draw": ("likely", why)}


BORROWED = """\
#include <Python.h>

static PyObject* Drop(PyObject* self, PyObject* args) {
  PyObject* found = PyDict_GetItemString(self, "found");
  if (found == NULL) return NULL;
  Py_DECREF(found);
  Py_RETURN_NONE;
}

static const char* Shown(PyObject* thing) {
  PyObject* name = PyObject_Str(thing);
  if (name == NULL) return NULL;
  const char* chars = PyUnicode_AsUTF8(name);
  Py_DECREF(name);
  return chars;
}

static int Filled(PyObject* table) {
  PyObject* one = PyLong_FromLong(1);
  if (one == NULL) return -1;
  if (PyDict_SetItemString(table, "one", one) < 0) return -1;
  Py_DECREF(one);
  return 0;
}
"""


def test_references(tmp_path: Path) -> None:
    (tmp_path / "a.cc").write_text(BORROWED)
    assert findings(tmp_path) == {
        "Drop": ("likely", "harmless if this releases a reference to `found` that was acquired elsewhere"),
        "Shown": ("likely", "harmless if something else still owns a reference to it"),
        "Filled": ("likely", "this happens only if `PyDict_SetItemString` fails"),
    }


CALLBACK = """\
import ctypes

HANDLER = ctypes.CFUNCTYPE(None, ctypes.c_int)
lib = ctypes.CDLL("libevents.so")


def listen(on_event):
    lib.set_event_handler(HANDLER(on_event))


def start(on_event):
    lib.start(HANDLER(on_event))
"""


def test_what_is_inferred_from_a_name(tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text(CALLBACK)
    assert findings(tmp_path, "--certainty", "possible") == {
        "listen": (
            "likely",
            "that `lib.set_event_handler` keeps the pointer after it returns is inferred from its name",
        ),
        "start": ("possible", "it is not known whether `lib.start` keeps it alive"),
    }


def test_it_is_a_note_of_the_finding(tmp_path: Path) -> None:
    (tmp_path / "a.cc").write_text(PAIR)
    said = starting.text("check", "--isolated", "--no-cache", ".", cwd=tmp_path).stdout
    assert "= note: likely: harmless if it need not be released; other paths call `tile_destroy`" in said


BOTH = (
    PAIR
    + """
#include <cstdlib>

int Copied(int n) {
  char* data = new char[n];
  if (n > 3) return -1;
  delete[] data;
  return 0;
}
"""
)


def test_code_scanning_is_told_how_right_a_rule_is_and_how_sure_each_result(tmp_path: Path) -> None:
    """`precision` is a property of rules alone there; a result has a rank. Here all rules are in one suite."""
    (tmp_path / "a.cc").write_text(BOTH)
    (tmp_path / "b.py").write_text(DONATION)
    done = starting.text("check", "--isolated", "--no-cache", "--output-format", "sarif", ".", cwd=tmp_path)
    (run,) = json.loads(done.stdout)["runs"]
    precision = {rule["id"]: rule["properties"]["precision"] for rule in run["tool"]["driver"]["rules"]}
    assert precision["use-after-donation"] == precision["handle-leaked"] == "high"
    ranks = {(each["properties"]["certainty"], each["rank"]) for each in run["results"]}
    assert ranks == {("certain", 90.0), ("likely", 60.0)}
    assert all("precision" not in each["properties"] for each in run["results"])
