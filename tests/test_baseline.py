"""The file of findings that a project has put up with."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ownlint import baseline
from ownlint.facts.records import Span
from ownlint.finding import Finding
from ownlint.report.model import Report, Sources, locate


def report(root: Path, *texts: tuple[str, str]) -> Report:
    """One finding wherever `bad()` stands in a file."""
    findings = []
    for path, text in texts:
        (root / path).write_text(text)
        at = -1
        while (at := text.find("bad()", at + 1)) >= 0:
            findings.append(Finding(path, Span(at, at + 5), "bad", rule="a-rule", symbol="work"))
    return Report(findings=tuple(locate(findings, Sources(root))), files=len(texts))


def standing(root: Path, known: list[baseline.BaselineEntry], *texts: tuple[str, str]) -> baseline.Split:
    return baseline.split(report(root, *texts), known, [path for path, _ in texts], ["a-rule"])


def test_what_is_known_is_left_out_wherever_it_goes(tmp_path: Path) -> None:
    known = baseline.entries(report(tmp_path, ("a.cc", "one();\nbad();\n")))
    for text in ("one();\nbad();\n", "\n\n\n// more\nbad();\n", "  bad();  \n"):
        split = standing(tmp_path, known, ("a.cc", text))
        assert not split.report.findings
        assert not split.stale
    moved = standing(tmp_path, known, ("b.cc", "bad();\n"))
    assert not moved.report.findings


def test_what_is_new_stands(tmp_path: Path) -> None:
    known = baseline.entries(report(tmp_path, ("a.cc", "bad();\n")))
    assert len(standing(tmp_path, known, ("a.cc", "bad();\nbad();\n")).report.findings) == 1
    assert len(standing(tmp_path, known, ("a.cc", "x = bad();\n")).report.findings) == 1


def test_what_matches_nothing_any_more_is_named(tmp_path: Path) -> None:
    known = baseline.entries(report(tmp_path, ("a.cc", "bad();\nx = bad();\n")))
    split = standing(tmp_path, known, ("a.cc", "bad();\n"))
    assert [entry.path for entry in split.stale] == ["a.cc"]
    assert len(split.known) == 1


def test_of_files_and_rules_that_were_not_asked_nothing_is_said(tmp_path: Path) -> None:
    known = baseline.entries(report(tmp_path, ("a.cc", "bad();\n")))
    assert not standing(tmp_path, known, ("b.cc", "fine();\n")).stale
    split = baseline.split(report(tmp_path, ("a.cc", "fine();\n")), known, ["a.cc"], ["other-rule"])
    assert not split.stale


names = st.text('ab/.\u202e\n"\\', min_size=1, max_size=6)
made = st.builds(baseline.BaselineEntry, names, names, names, names, names)


@given(st.lists(made, max_size=6))
def test_what_is_written_is_read_back_sorted_one_a_line(
    tmp_path_factory: pytest.TempPathFactory, found: list[baseline.BaselineEntry]
) -> None:
    path = tmp_path_factory.mktemp("b") / "b.json"
    text = baseline.text(found)
    path.write_text(text)
    assert baseline.read(path, path.parent) == sorted(found)
    assert text == baseline.text(reversed(found))
    assert sum(line.lstrip().startswith('{"path"') for line in text.splitlines()) == len(found)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", ":1: "),
        ("[]", ":1: "),
        ('{"version": 2, "findings": []}', ":1: written in version 2"),
        ('{\n  "version": 1,\n  "findings": [\n<<<<<<< ours\n', ":4: merge conflict marker"),
        (
            '{\n  "version": 1,\n  "findings": [\n    {"path": "a", "rule": 3}\n  ]\n}\n',
            ":4: Expected `str`, got `int`",
        ),
        ('{\n  "version": 1,\n  "findings": [\n    {"path": \n', ":5: "),
        ('{\n  "version": 1,\n  "findings": [\n    {"path": "\udced\udca0"}\n', ":4: not valid UTF-8"),
        ('{"version": 1, "x": ' + "[" * 100_000, ":1: "),
    ],
)
def test_a_file_that_is_none_is_told_with_its_line(tmp_path: Path, text: str, said: str) -> None:
    path = tmp_path / "b.json"
    path.write_bytes(text.encode("utf-8", "surrogateescape"))
    with pytest.raises(baseline.BaselineError) as error:
        baseline.read(path, tmp_path)
    assert said in str(error.value)
    assert "\n" not in str(error.value)


def test_entries_of_a_rule_that_had_another_name_are_known_still(tmp_path: Path) -> None:
    now = report(tmp_path, ("a.cc", "bad();\nx = bad();\n"))
    old = [
        baseline.BaselineEntry(one.path, "old-rule", one.symbol, one.message, f"f{number}")
        for number, one in enumerate(now.findings)
    ]
    known = baseline.renamed([*old, *old[:1]], now, {"old-rule": "a-rule"})
    split = baseline.split(now, known, ["a.cc"], ["a-rule"])
    assert not split.report.findings
    assert [entry.rule for entry in split.stale] == ["a-rule"]
    assert baseline.renamed(old, now, {}) == old
