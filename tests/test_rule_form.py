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


@every_rule
def test_messages(rule: Rule) -> None:
    page = PAGES / f"{rule.id}.md"
    if not page.is_file():
        pytest.skip("it has no page, as the test of its form says")
    told = [case for case in parse(page.read_text(encoding="utf-8")) if "structure" in case.modes]
    findings = [finding for case in told for finding in cases.run(case, [rule]).findings]
    assert findings
    assert sorted({problem for finding in findings for problem in form.message_problems(finding)}) == []
    assert rule.fixable is any(finding.fix is not None for finding in findings)


def test_every_page_has_its_rule() -> None:
    named = {page.stem for page in PAGES.glob("*.md") if page.stem.islower()}
    assert named - {rule.id for rule in catalogue.load()} == set()
