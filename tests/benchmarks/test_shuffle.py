"""What is found does not depend on the order in which subjects are asked, nor on what was asked before.

The projects are our own: of the cases of the pages of one group of rules every sixth one, put together.
`OWNLINT_SHUFFLE=all` takes all of them, more orders, and every subject alone. `benchmarks/shuffle.py` does the same
with releases.
"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
import shuffle

from ownlint import catalogue
from ownlint.project.program import Program
from ownlint.rule import Rule
from ownlint.testing import cases
from ownlint.testing.markdown import PageBlock, parse

PAGES = Path(__file__).parents[1] / "rules"
ALL = os.environ.get("OWNLINT_SHUFFLE") == "all"
SEEDS = range(10 if ALL else 1)
ALONE = None if ALL else 1

KNOWN_GAPS: dict[tuple[str, str], int] = {}
"""By group and rule, how many distinct findings an order changes. Exact: one that is gone is to be taken out, and none
is to be put in."""

RULES = catalogue.load()
GROUPS = sorted({rule.group for rule in RULES})


def project(group: str) -> Program:
    """The cases of the pages of the group, each in a folder of its own."""
    blocks = [block for rule in RULES if rule.group == group for block in _blocks(rule)]
    first = parse((PAGES / f"{next(rule.id for rule in RULES if rule.group == group)}.md").read_text(encoding="utf-8"))
    return cases.read(replace(first[0], blocks=tuple(blocks), before=()), RULES)[0]


def _blocks(rule: Rule) -> Iterator[PageBlock]:
    for number, case in enumerate(parse((PAGES / f"{rule.id}.md").read_text(encoding="utf-8"))):
        if number % 6 and not ALL:
            continue
        for block in case.blocks:
            yield replace(block, name=f"{rule.id}/case_{number}/{block.name}")


@pytest.mark.parametrize("group", GROUPS)
def test_order_changes_nothing(group: str) -> None:
    found = list(shuffle.differences(RULES, project(group), SEEDS, ALONE))
    changed = {one for difference in found for one in (*difference.lost, *difference.new)}
    known = {rule: number for (where, rule), number in KNOWN_GAPS.items() if where == group}
    assert Counter(one.rule for one in changed) == known, "\n".join(map(str, found))


DEEP = """\
import ctypes

CB = ctypes.CFUNCTYPE(None)
lib = ctypes.CDLL("libfoo.so")


def _install(callback):
    lib.foo_set_callback(callback)


def _deeper(callback):
    _install(callback)


def _deepest(callback):
    _deeper(callback)


def start(fn):
    _install(CB(fn))


def start_deeper(fn):
    made = CB(fn)
    _deepest(callback=made)
"""


@pytest.mark.parametrize("seed", range(6))
def test_functions_far_below_one_another(seed: int) -> None:
    """Both are found, whoever is asked first."""
    found = shuffle.asked(RULES, _of(DEEP), shuffle.shuffled(seed))
    assert [one.rule for one in sorted(found)] == ["callback-not-kept", "callback-not-kept"]


def test_a_difference_is_seen_and_named() -> None:
    program = _of(DEEP)
    judgements = list(catalogue.judgements(RULES, program))
    numbers = {one.number for one in shuffle.shuffled(1)(judgements)}
    assert numbers == {one.number for one in judgements}
    assert {one.number for one in shuffle.alone(2)(judgements)} == {2}
    said = shuffle.Said(1, "a.c", 7, "reference-leaked", "likely", "m")
    assert str(shuffle.Difference("order 1", (said,), ())) == "order 1: - a.c@7: reference-leaked [likely] m"


def _of(text: str) -> Program:
    case = parse(f"## A case\n\n```python\n{text}```\n")[0]
    return cases.read(case, RULES)[0]
