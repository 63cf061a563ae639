from __future__ import annotations

from pathlib import Path

import pytest

from ownlint.facts.records import Span
from ownlint.finding import Finding
from ownlint.report.model import Lines, Sources, locate
from ownlint.report.sanitise import sanitise


def test_columns_count_code_points() -> None:
    data = "é😀x = 1\nsecond\n".encode()
    lines = Lines(data)
    region = lines.region(Span(data.index(b"x"), data.index(b"x") + 1))
    assert (region.line, region.column, region.end_line, region.end_column) == (1, 3, 1, 4)


@pytest.mark.parametrize(
    ("data", "start", "end", "place"),
    [
        (b"ab\r\ncd\r\n", 4, 6, (2, 1, 2, 3)),
        (b"\xef\xbb\xbfab\n", 3, 5, (1, 1, 1, 3)),  # a byte order mark is no column
        (b"\xff\xfeab\n", 2, 4, (1, 3, 1, 5)),  # each bad byte is one
        (b"ab\ncd\n", 0, 3, (1, 1, 1, 3)),  # the end of the line is no part of it
        (b"ab\ncd", 3, 99, (2, 1, 2, 3)),  # beyond the file
        (b"", 5, 9, (1, 1, 1, 1)),
    ],
)
def test_a_region_stays_inside_of_the_file(data: bytes, start: int, end: int, place: tuple[int, ...]) -> None:
    region = Lines(data).region(Span(start, end))
    assert (region.line, region.column, region.end_line, region.end_column) == place


def fingerprints(root: Path, text: str, *marked: str) -> list[str]:
    (root / "a.cc").write_text(text)
    spans = []
    at = 0
    for mark in marked:
        at = text.index(mark, at)
        spans.append(Span(at, at + len(mark)))
        at += len(mark)
    found = [Finding("a.cc", span, "m", rule="r", symbol="s") for span in spans]
    return [each.fingerprint for each in locate(found, Sources(root))]


def test_a_fingerprint_survives_moves_and_blanks(tmp_path: Path) -> None:
    before = fingerprints(tmp_path, "f(x);\n", "f(x)")
    assert fingerprints(tmp_path, "\n\n   f(x);\n", "f(x)") == before
    assert fingerprints(tmp_path, "f(y);\n", "f(y)") != before


def test_equal_lines_have_fingerprints_of_their_own(tmp_path: Path) -> None:
    first, second = fingerprints(tmp_path, "f(x);\nf(x);\n", "f(x)", "f(x)")
    assert first != second


def test_findings_are_sorted_and_said_once(tmp_path: Path) -> None:
    (tmp_path / "a.cc").write_text("abc\n")
    (tmp_path / "b.cc").write_text("abc\n")
    one = Finding("b.cc", Span(0, 1), "m", rule="r")
    two = Finding("a.cc", Span(1, 2), "m", rule="r")
    three = Finding("a.cc", Span(1, 2), "m", rule="q")
    located = locate([one, two, three, one], Sources(tmp_path))
    assert [(each.path, each.rule) for each in located] == [("a.cc", "q"), ("a.cc", "r"), ("b.cc", "r")]


def test_a_file_outside_of_the_project_has_no_text(tmp_path: Path) -> None:
    (tmp_path / "in").mkdir()
    (tmp_path / "secret").write_text("secret")
    (tmp_path / "in/link").symlink_to("../secret")
    sources = Sources(tmp_path / "in")
    assert [sources.lines(path).data for path in ("../secret", "link", str(tmp_path / "secret"), "none")] == [b""] * 4


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("plain é 漢 😀", "plain é 漢 😀"),
        ("\x1b[2J\x07", "\\u{1b}[2J\\u{7}"),
        ("a\n::error::b\r", "a\\u{a}::error::b\\u{d}"),
        ("\x9b31m\x7f", "\\u{9b}31m\\u{7f}"),
        ("\u202eevil\u2066\u200f", "\\u{202e}evil\\u{2066}\\u{200f}"),
        ("\u2028\udcff\ufeff", "\\u{2028}\\u{dcff}\\u{feff}"),
    ],
)
def test_control_characters_are_spelled_out(text: str, shown: str) -> None:
    assert sanitise(text) == shown
