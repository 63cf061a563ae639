"""An edit leads to all that rests on it: what it does not lead to says the same as in a run from nothing.

The projects are our own: of the cases of the pages of one group of rules every fourth one, put together.
`OWNLINT_EDITS=all` takes all of them, all groups and more edits. `benchmarks/edits.py` does the same with releases.
"""

from __future__ import annotations

import os
import random
from dataclasses import replace
from pathlib import Path

import edits
import pytest

from ownlint import catalogue
from ownlint.project.program import Program
from ownlint.testing import cases
from ownlint.testing.markdown import PageBlock, parse

PAGES = Path(__file__).parents[1] / "rules"
ALL = os.environ.get("OWNLINT_EDITS") == "all"
RULES = catalogue.load()
GROUPS = sorted({rule.group for rule in RULES}) if ALL else ["status"]
EDITS = 40 if ALL else 6
ALONE = 200 if ALL else 6


class Pages:
    """The cases of all pages of the group, each in a folder of its own."""

    def __init__(self, group: str) -> None:
        self.rules = [rule for rule in RULES if rule.group == group]
        parsed = {rule.id: parse((PAGES / f"{rule.id}.md").read_text(encoding="utf-8")) for rule in self.rules}
        self._case = parsed[self.rules[0].id][0]
        self._blocks: dict[str, PageBlock] = {}
        for rule, found in parsed.items():
            for number, case in enumerate(found):
                if number % 4 and not ALL:
                    continue
                for block in case.blocks:
                    name = f"{rule}/case_{number}/{block.name}"
                    self._blocks[name] = replace(block, name=name)
        self.texts = {name: block.text.encode() for name, block in self._blocks.items()}
        self._last = dict(self.texts)

    def program(self) -> Program:
        """Of the texts, or of those before where one cannot be read now."""
        try:
            made = self._read()
        except cases.CaseError:
            self.texts.update(self._last)
            made = self._read()
        self._last = dict(self.texts)
        return made

    def _read(self) -> Program:
        blocks = tuple(replace(block, text=self.texts[name].decode()) for name, block in self._blocks.items())
        return cases.read(replace(self._case, blocks=blocks, before=()), RULES)[0]


@pytest.mark.parametrize("group", GROUPS)
def test_an_edit_leads_to_all_that_rests_on_it(group: str, capsys: pytest.CaptureFixture[str]) -> None:
    tally = edits.trial(Pages(group), RULES, EDITS, random.Random(group))
    assert tally.wrong == 0, capsys.readouterr().out
    assert tally.again < tally.subjects / 2, tally


@pytest.mark.parametrize("group", GROUPS)
def test_who_is_told_what_is_known_rests_on_what_it_was_derived_from(group: str) -> None:
    found = list(edits.unnoted(RULES, Pages(group).program(), ALONE, random.Random(group)))
    assert not found, "\n".join(found)
