"""What is taken for granted of the way on which something goes wrong: that it can be taken, or that conditions on it
can hold together."""

from __future__ import annotations

import pytest

from ownlint.domains.counted import counting
from ownlint.domains.memory import leaks
from ownlint.finding import assumptions_of

LEAKS = {
    "an early return": ("void* block = malloc(8); if (!start()) return; free(block);", "path"),
    "a release under a condition before the same exit": (
        "void* block = malloc(8); bool all = start(); if (all) free(block); finish();",
        "conditions",
    ),
    "the next round of a loop comes there from a release": (
        "while (true) { void* block = malloc(8); if (!start()) return; free(block); }",
        "path",
    ),
    "a release under a condition in the same round": (
        "while (true) { void* block = malloc(8); if (start()) free(block); if (!finish()) return; }",
        "conditions",
    ),
    "another is acquired after the release": (
        "void* p = malloc(8); while (!start()) { free(p); p = malloc(9); } if (finish()) return; free(p);",
        "path",
    ),
}


@pytest.mark.parametrize("name", LEAKS)
def test_a_leak_assumes_conditions_only_where_others_release_it_on_the_way(program, name):
    body, assumed = LEAKS[name]
    linked = program(case_cc=f"bool start(); bool finish(); void run() {{ {body} }}")
    run = next(function for function in linked.functions if function.name == "run")
    assumptions = {one for loss in leaks.losses(run) for one in assumptions_of(loss.certainty)}
    assert assumptions & {"path", "conditions"} == {assumed}


RELEASES = {
    "a jump before the reference is taken": (
        "if (start()) goto done; Py_INCREF(item); if (finish()) goto done; done: Py_DECREF(item);",
        False,
    ),
    "a condition that the release asks for in other words": (
        "if (start()) Py_INCREF(item); if (finish()) return; if (begun()) Py_DECREF(item);",
        True,
    ),
    "every way": ("finish(); Py_DECREF(item);", False),
    "a round of a loop that may take one": ("while (start()) if (finish()) Py_INCREF(item); Py_DECREF(item);", True),
}


@pytest.mark.parametrize("name", RELEASES)
def test_a_release_assumes_conditions_only_where_no_event_leads_there_in_any_case(program, name):
    body, merged = RELEASES[name]
    declared = "struct PyObject; bool start(); bool begun(); bool finish(); void Py_INCREF(PyObject*);"
    begun = 'PyObject* item = NULL; if (!PyArg_ParseTuple(all, "O", &item)) return;'
    linked = program(case_cc=f"{declared} void run(PyObject* all) {{ {begun} {body} }}")
    run = next(function for function in linked.functions if function.name == "run")
    found = [one for one in counting.troubles(run) if one.what == "released borrowed"]
    assert [one.merged for one in found] == [merged]
