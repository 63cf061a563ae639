from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path

import pytest

from ownlint.config import Config
from ownlint.facts.comments import parse_suppression
from ownlint.facts.records import FileRecord, Meaning, Problem, Span, Suppression
from ownlint.finding import Certainty, Crash, Finding
from ownlint.report.compose import compose
from ownlint.report.model import Report, RuleInfo, Sources
from ownlint.selection import RuleNames

KNOWN = ("a-rule", "b-rule", "unused-suppression", "invalid-suppression")
GROUPS = ("letters", "letters", "suppressions", "suppressions")
FORMER = {"a-rule": ("old-rule",)}
NAMES = RuleNames(
    RuleInfo(rule, "error", "", "", group=group, formerly=FORMER.get(rule, ()))
    for rule, group in zip(KNOWN, GROUPS, strict=True)
)


def facts(path: str, text: str, problems: tuple[Problem, ...] = ()) -> FileRecord:
    """What a frontend says of the comments of a text."""
    comments: list[int] = []
    suppressions: list[Suppression] = []
    for found in re.finditer(r"//[^\n]*|/\*.*?\*/", text, re.DOTALL):
        comments += found.span()
        line = text[: found.start()].rpartition("\n")[2]
        said = parse_suppression(found[0], *found.span(), code_before=bool(line.strip()))
        suppressions += [said] if said is not None else []
    return FileRecord(
        path, "cpp", len(text), comments=tuple(comments), suppressions=tuple(suppressions), problems=problems
    )


def report(
    root: Path,
    text: str,
    config: Config | None = None,
    ran: Sequence[str] = KNOWN,
    certainty: Certainty = "certain",
    problems: tuple[Problem, ...] = (),
) -> Report:
    """A rule `a-rule` finds every `bug`; `b-rule` every `flaw`."""
    (root / "a.cc").write_text(text)
    said = [
        Finding("a.cc", Span(*found.span()), found[0], certainty, rule="a-rule" if found[0] == "bug" else "b-rule")
        for found in re.finditer(r"\bbug\b|\bflaw\b", re.sub(r"//.*", lambda m: "/" * len(m[0]), text))
    ]
    files = [facts("a.cc", text, problems)]
    return compose(said, files, Sources(root), config or Config(), known=NAMES, ran=ran)


def heard(found: Report) -> list[tuple[int, str]]:
    return [(finding.region.line, finding.rule) for finding in found.findings]


@pytest.mark.parametrize(
    "text",
    [
        "bug;  // ownlint: ignore[a-rule]: why\n",
        "// ownlint: ignore[a-rule]: why\nbug;\n",
        "// ownlint: ignore-next[a-rule]: why\nbug;\n",
        "// ownlint: ignore-next[letters]: why\nbug;\n",
        "bug;  // ownlint: ignore[a-*]: why\n",
        "// ownlint: ignore-next[a-rule]: why\n\n// more about it\n/* and\nmore */ bug;\n",
        "// ownlint: begin-ignore[a-rule]: why\nx;\nbug;\n// ownlint: end-ignore[a-rule]\n",
        "x;\nbug;\n// ownlint: file-ignore[a-rule]: why\n",
        "bug;  /* ownlint: ignore[a-rule, b-rule]: why */ flaw;\n",
    ],
)
def test_a_comment_silences_the_rule_it_names(tmp_path: Path, text: str) -> None:
    found = report(tmp_path, text)
    assert heard(found) == []
    assert len(found.suppressed) == text.count("bug;") + text.count("flaw;")


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("flaw;  // ownlint: ignore[a-rule]: why\n", [(1, "b-rule"), (1, "unused-suppression")]),
        ("// ownlint: ignore-next[a-rule]: why\nx;\nbug;\n", [(1, "unused-suppression"), (3, "a-rule")]),
        (
            "// ownlint: begin-ignore[a-rule]: why\nbug;\n// ownlint: end-ignore[a-rule]\nbug;\n",
            [(4, "a-rule")],
        ),
        ("// ownlint: begin-ignore[a-rule]: why\nbug;\n", [(1, "invalid-suppression"), (2, "a-rule")]),
        ("bug;\n// ownlint: end-ignore[a-rule]\n", [(1, "a-rule"), (2, "invalid-suppression")]),
        ("bug;  // ownlint: ignore\n", [(1, "a-rule"), (1, "invalid-suppression")]),
        ("bug;  // ownlint: ignore[a-rul]: why\n", [(1, "a-rule"), (1, "invalid-suppression")]),
        ("bug;  // ownlint: ignore[a-rule]\n", [(1, "a-rule"), (1, "invalid-suppression")]),
        (
            "// ownlint: begin-ignore[a-rule]\nbug;\n// ownlint: end-ignore[a-rule]\n",
            [(1, "invalid-suppression"), (2, "a-rule")],
        ),
        ("bug;  // ownlint: ignore[*]: why\n", [(1, "a-rule"), (1, "invalid-suppression")]),
        ("bug;  // NOLINT\n", [(1, "a-rule")]),
        ("bug;  // ownlint: ignore[a-rule, b-rule]: why\n", [(1, "unused-suppression")]),
    ],
)
def test_what_it_does_not_silence_and_what_is_wrong_with_it(
    tmp_path: Path, text: str, expected: list[tuple[int, str]]
) -> None:
    assert heard(report(tmp_path, text)) == expected


def test_an_unknown_rule_comes_with_a_suggestion(tmp_path: Path) -> None:
    found = report(tmp_path, "x;  // ownlint: ignore[a-rul]: why\n")
    assert [each.message for each in found.findings] == ["unknown rule `a-rul`; did you mean `a-rule`?"]


def test_nothing_is_unused_that_was_not_run(tmp_path: Path) -> None:
    text = "x;  // ownlint: ignore[a-rule]: why\n"
    assert heard(report(tmp_path, text, ran=("b-rule", "unused-suppression"))) == []
    assert heard(report(tmp_path, text, ran=("a-rule",))) == []


def test_nothing_is_unused_in_a_file_that_was_not_read_in_full(tmp_path: Path) -> None:
    text = "x;  // ownlint: ignore[a-rule]: why\n"
    assert heard(report(tmp_path, text, problems=(Problem(0, 0, "partial", "crash"),))) == []


def test_silence_about_silence(tmp_path: Path) -> None:
    text = "// ownlint: file-ignore[unused-suppression]: it differs by platform\nx;  // ownlint: ignore[a-rule]: why\n"
    found = report(tmp_path, text)
    assert (heard(found), len(found.suppressed)) == ([], 1)


def test_what_is_not_sure_enough_is_neither_shown_nor_counted_but_used(tmp_path: Path) -> None:
    found = report(tmp_path, "bug;  // ownlint: ignore[a-rule]: why\nbug;\n", certainty="possible")
    assert (heard(found), len(found.suppressed)) == ([], 0)
    assert heard(report(tmp_path, "bug;\n", Config(certainty="possible"), certainty="possible")) == [(1, "a-rule")]


def test_settings_silence_by_path_and_grade(tmp_path: Path) -> None:
    config = Config(per_file_ignores={"*.cc": ("a-rule",)}, severity={"b-rule": "note"})
    found = report(tmp_path, "bug; flaw;\n", config)
    assert [(each.rule, each.severity) for each in found.findings] == [("b-rule", "note")]


def test_only_files_that_were_asked_for_are_reported(tmp_path: Path) -> None:
    said = [Finding("known.cc", Span(0, 1), "m", rule="a-rule")]
    assert compose(said, [], Sources(tmp_path), Config(), known=NAMES, ran=KNOWN).findings == ()


def test_a_crash_is_kept_beside_the_findings(tmp_path: Path) -> None:
    (tmp_path / "a.cc").write_text("bug;")
    said = [Crash("b-rule", "a.cc", "KeyError: 1"), Finding("a.cc", Span(0, 3), "m", rule="a-rule")]
    found = compose(said, [facts("a.cc", "bug;")], Sources(tmp_path), Config(), known=NAMES, ran=KNOWN)
    assert found.failed
    assert [each.reason for each in found.incomplete] == ["rule `b-rule` failed: KeyError: 1"]
    assert len(found.findings) == 1


def test_the_notice_counts_what_was_read_by_structure_only(tmp_path: Path) -> None:
    files = [FileRecord("a.cc", "cpp", 0), FileRecord("b.cc", "cpp", 0), FileRecord("c.py", "python", 0)]

    def notice(files: list[FileRecord], hint: str = "") -> str:
        report = compose([], files, Sources(tmp_path), Config(), known=NAMES, ran=KNOWN, hint=hint)
        return "".join(notice.message for notice in report.notices)

    start = "2 of 2 C++ files were parsed without type information"
    assert notice(files) == start
    assert notice(files, "no compile_commands.json") == f"{start} (no compile_commands.json)"
    typed, part = FileRecord("a.cc", "cpp", 0, typed=True), FileRecord("d.cc", "cpp", 0, meanings=(Meaning(0, 1, "a"),))
    assert notice([typed, files[2]]) == ""
    assert notice([typed], "a database is broken") == "a database is broken"
    assert notice([typed, part], "why") == "1 of 2 C++ files were parsed with some errors (why)"
    assert (
        notice([typed, part, files[0]]) == "1 of 3 C++ files were parsed without type information, 1 with some errors"
    )


def test_a_name_of_an_earlier_version_silences_the_rule_and_is_told(tmp_path: Path) -> None:
    found = report(tmp_path, "bug;  // ownlint: ignore[old-rule]: why\nbug;  // ownlint: ignore[old-rule]: why\n")
    assert heard(found) == []
    told = [(notice.path, notice.message) for notice in found.notices if "old-rule" in notice.message]
    assert told == [("a.cc", "`old-rule` was renamed to `a-rule`")]
