"""How sure a rule is said to be as a whole is how sure most of the findings of its page are."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest

from ownlint import catalogue
from ownlint.finding import Certainty
from ownlint.rule import Rule
from ownlint.testing import cases
from ownlint.testing.markdown import parse

PAGES = Path(__file__).parent / "rules"


@pytest.mark.parametrize("rule", catalogue.load(), ids=lambda rule: rule.id)
def test_usually(rule: Rule) -> None:
    counts: Counter[Certainty] = Counter()
    for case in parse((PAGES / f"{rule.id}.md").read_text()):
        for mode in case.modes[:1]:  # by structure where it can be: types change few, and cost more
            found = cases.run(case, [rule], mode, PAGES / "prelude")
            counts.update(finding.certainty for finding in found.findings)
    assert counts[rule.usually] == max(counts.values()), counts
