"""Fixes in files: to the byte, together or not at all."""

from __future__ import annotations

import itertools
import os
import stat
import subprocess
from pathlib import Path

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ownlint import mending
from ownlint.facts.records import Span
from ownlint.finding import Edit, Finding, Fix
from ownlint.report.model import Located, Sources, locate


def located(root: Path, *fixes: Fix) -> list[Located]:
    findings = []
    for number, fix in enumerate(fixes):
        edit = fix.edits[0]
        findings.append(Finding(edit.path, edit.span, f"finding {number}", rule=f"rule-{number}", fix=fix))
    return locate(findings, Sources(root))


def one(path: str, start: int, end: int, text: str, *, safe: bool = True) -> Fix:
    return Fix("mend", (Edit(path, Span(start, end), text),), safe=safe)


def test_bytes_around_a_fix_stay_as_they_are(tmp_path: Path) -> None:
    data = b"\xef\xbb\xbfint \xff a;\r\n\tbad();\r\nlast"
    (tmp_path / "a.cc").write_bytes(data)
    at = data.index(b"bad")
    planned = mending.plan(tmp_path, located(tmp_path, one("a.cc", at, at + 3, "good")), unsafe=False)
    mending.write(tmp_path, planned)
    assert (tmp_path / "a.cc").read_bytes() == data.replace(b"bad", b"good")


def test_the_mode_is_kept_and_no_file_is_left_behind(tmp_path: Path) -> None:
    (tmp_path / "a.cc").write_bytes(b"bad();\n")
    (tmp_path / "a.cc").chmod(0o751)
    mending.write(tmp_path, mending.plan(tmp_path, located(tmp_path, one("a.cc", 0, 3, "good")), unsafe=False))
    assert stat.S_IMODE((tmp_path / "a.cc").stat().st_mode) == 0o751
    assert os.listdir(tmp_path) == ["a.cc"]  # noqa: PTH208


def test_what_is_not_safe_is_made_when_it_is_asked_for(tmp_path: Path) -> None:
    (tmp_path / "a.cc").write_bytes(b"bad();\n")
    findings = located(tmp_path, one("a.cc", 0, 3, "good", safe=False))
    assert not mending.plan(tmp_path, findings, unsafe=False).after
    assert mending.plan(tmp_path, findings, unsafe=True).after == {"a.cc": b"good();\n"}


def test_of_two_that_touch_the_first_is_made_whole(tmp_path: Path) -> None:
    (tmp_path / "a.cc").write_bytes(b"0123456789")
    (tmp_path / "b.cc").write_bytes(b"0123456789")
    across = Fix("mend", (Edit("a.cc", Span(2, 4), "x"), Edit("b.cc", Span(0, 1), "y")), safe=True)
    findings = located(tmp_path, one("a.cc", 0, 3, "A"), across)
    planned = mending.plan(tmp_path, findings, unsafe=False)
    assert planned.after == {"a.cc": b"A3456789"}
    assert [each.rule for each in planned.made] == ["rule-0"]
    assert [each.rule for each in planned.left] == ["rule-1"]


def test_two_findings_with_one_edit_are_both_mended(tmp_path: Path) -> None:
    (tmp_path / "a.cc").write_bytes(b"0123456789")
    planned = mending.plan(tmp_path, located(tmp_path, one("a.cc", 2, 3, "x"), one("a.cc", 2, 3, "x")), unsafe=False)
    assert planned.after == {"a.cc": b"01x3456789"}
    assert len(planned.made) == 2


@pytest.mark.parametrize("path", ["../out.cc", "/etc/passwd", "link.cc", "gone.cc"])
def test_nothing_outside_of_the_project_is_written(tmp_path: Path, path: str) -> None:
    root = tmp_path / "project"
    root.mkdir()
    (tmp_path / "out.cc").write_bytes(b"bad")
    (root / "link.cc").symlink_to(tmp_path / "out.cc")
    planned = mending.plan(root, located(root, one(path, 0, 1, "x")), unsafe=True)
    assert not planned.after
    assert len(planned.left) == 1


def test_a_file_that_changed_meanwhile_is_left_alone(tmp_path: Path) -> None:
    (tmp_path / "a.cc").write_bytes(b"bad")
    planned = mending.plan(tmp_path, located(tmp_path, one("a.cc", 0, 3, "good")), unsafe=False)
    (tmp_path / "a.cc").write_bytes(b"mine")
    with pytest.raises(mending.MendError, match=r"a\.cc: changed while it was checked"):
        mending.write(tmp_path, planned)
    assert (tmp_path / "a.cc").read_bytes() == b"mine"


def test_a_diff_can_be_applied(tmp_path: Path) -> None:
    (tmp_path / "a.cc").write_bytes(b"first\n\tbad();\nlast")
    planned = mending.plan(tmp_path, located(tmp_path, one("a.cc", 7, 10, "good")), unsafe=False)
    said = mending.diff(planned)
    assert "-\tbad();\n+\tgood();\n" in said
    subprocess.run(["git", "apply", "-"], input=said.encode(), cwd=tmp_path, check=True)
    assert (tmp_path / "a.cc").read_bytes() == planned.after["a.cc"]


def test_a_diff_shows_no_control_characters(tmp_path: Path) -> None:
    (tmp_path / "a.cc").write_bytes(b"\x1b[31m\xe2\x80\xae bad \r\n")
    planned = mending.plan(tmp_path, located(tmp_path, one("a.cc", 9, 12, "good")), unsafe=False)
    assert not {"\x1b", "\u202e", "\r"} & set(mending.diff(planned))


def test_clang_s_tools_get_offsets_and_texts(tmp_path: Path) -> None:
    (tmp_path / "a.cc").write_bytes(b"bad();\n")
    (tmp_path / "b.py").write_bytes(b"bad()\n")
    findings = located(tmp_path, one("a.cc", 0, 3, "good"), one("b.py", 0, 3, "good"))
    document = msgspec.json.decode(mending.exported(tmp_path, findings))
    (diagnostic,) = document["Diagnostics"]
    (replacement,) = diagnostic["DiagnosticMessage"]["Replacements"]
    assert replacement == {
        "FilePath": str(tmp_path / "a.cc"),
        "Offset": 0,
        "Length": 3,
        "ReplacementText": "good",
    }


spans = st.tuples(st.integers(0, 30), st.integers(0, 6)).map(lambda pair: Span(pair[0], pair[0] + pair[1]))


@given(
    data=st.binary(max_size=30),
    many=st.lists(st.tuples(spans, st.text("ab\n", max_size=3)), max_size=8),
)
def test_what_is_planned_is_every_fix_or_none_of_it(
    tmp_path_factory: pytest.TempPathFactory, data: bytes, many: list[tuple[Span, str]]
) -> None:
    root = tmp_path_factory.mktemp("p")
    (root / "a.cc").write_bytes(data)
    fixes = [Fix("mend", (Edit("a.cc", span, text),), safe=True) for span, text in many]
    planned = mending.plan(root, located(root, *fixes), unsafe=False)
    edits = sorted({edit for each in planned.made if each.fix for edit in each.fix.edits}, key=lambda edit: edit.span)
    assert all(one.span.end <= other.span.start for one, other in itertools.pairwise(edits))
    expected = data
    for edit in reversed(edits):
        expected = expected[: edit.span.start] + edit.text.encode() + expected[edit.span.end :]
    assert planned.after.get("a.cc", data) == expected
