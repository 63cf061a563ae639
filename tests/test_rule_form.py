"""Every rule has the form of a rule, its examples do what they say, and its messages keep the conventions."""

from __future__ import annotations

from pathlib import Path

import pytest

from ownlint import catalogue
from ownlint.rule import Rule
from ownlint.testing import cases, docstrings, form
from ownlint.testing.markdown import parse

PAGES = Path(__file__).parent / "rules"

every_rule = pytest.mark.parametrize("rule", catalogue.load(), ids=lambda rule: rule.id)


@every_rule
def test_form(rule: Rule) -> None:
    assert list(form.problems(rule, PAGES)) == []


@every_rule
def test_docstring_examples(rule: Rule) -> None:
    assert list(docstrings.check(rule)) == []


@pytest.mark.parametrize("rule", [rule for rule in catalogue.load() if rule.fixable], ids=lambda rule: rule.id)
def test_a_fix_is_shown(rule: Rule) -> None:
    told = parse((PAGES / f"{rule.id}.md").read_text(encoding="utf-8"))
    found = (cases.run(case, [rule]).findings for case in told if "structure" in case.modes)
    assert any(finding.fix is not None for findings in found for finding in findings)


def test_every_page_has_its_rule() -> None:
    named = {page.stem for page in PAGES.glob("*.md") if page.stem.islower()}
    assert named - {rule.id for rule in catalogue.load()} == set()
