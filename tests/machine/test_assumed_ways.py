"""What is taken for granted of the way on which something goes wrong: that it can be taken, or that conditions on it
can hold together."""

from __future__ import annotations

import pytest

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
