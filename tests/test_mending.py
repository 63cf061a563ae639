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

from ownlint.cli import mending
from ownlint.cli.delivery import shown
from ownlint.facts.digest import digest_of
from ownlint.facts.records import Span
from ownlint.files import HeldError, held
from ownlint.finding import Edit, Finding, Fix
from ownlint.report.model import Report, Sources, locate


def located(root: Path, *fixes: Fix) -> Report:
    findings = []
    for number, fix in enumerate(fixes):
        edit = fix.edits[0]
        findings.append(Finding(edit.path, edit.span, f"finding {number}", rule=f"rule-{number}", fix=fix))
    touched = {edit.path for fix in fixes for edit in fix.edits}
    held = {path: digest_of((root / path).read_bytes()) for path in touched if (root / path).is_file()}
    return Report(findings=tuple(locate(findings, Sources(root))), digests=held)


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
    written = mending.write(tmp_path, planned)
    assert (tmp_path / "a.cc").read_bytes() == b"mine"
    assert (written.after, written.made, len(written.left)) == ({}, (), 1)
    assert written.alone == {"a.cc": "changed after it was analysed"}


def test_what_was_not_analysed_is_not_planned_for(tmp_path: Path) -> None:
    (tmp_path / "a.cc").write_bytes(b"bad();\n")
    (tmp_path / "b.cc").write_bytes(b"bad();\n")
    report = located(tmp_path, one("a.cc", 0, 3, "good"), one("b.cc", 0, 3, "good"))
    (tmp_path / "a.cc").write_bytes(b"x bad();\n")
    planned = mending.plan(tmp_path, report, unsafe=False)
    assert planned.after == {"b.cc": b"good();\n"}
    assert planned.alone == {"a.cc": "changed after it was analysed"}
    exported, alone = mending.exported(tmp_path, report)
    assert [each["DiagnosticName"] for each in msgspec.json.decode(exported)["Diagnostics"]] == ["rule-1"]
    assert alone == planned.alone


def across(*paths: str) -> Fix:
    return Fix("mend", tuple(Edit(path, Span(0, 3), "good") for path in paths), safe=True)


def test_a_fix_of_several_files_is_made_in_all_or_in_none(tmp_path: Path) -> None:
    for name in ("a.cc", "b.cc", "c.cc"):
        (tmp_path / name).write_bytes(b"bad();\n")
    report = located(tmp_path, across("a.cc", "c.cc"), one("b.cc", 0, 3, "good"))
    planned = mending.plan(tmp_path, report, unsafe=False)
    (tmp_path / "c.cc").write_bytes(b"mine")
    written = mending.write(tmp_path, planned)
    assert [(tmp_path / name).read_bytes() for name in ("a.cc", "b.cc", "c.cc")] == [b"bad();\n", b"good();\n", b"mine"]
    assert [each.rule for each in written.made] == ["rule-1"]


@pytest.mark.parametrize("fault", [OSError(28, "No space left on device"), None], ids=["full", "changed"])
def test_what_fails_half_way_is_put_back(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, fault: OSError | None
) -> None:
    """The last file cannot be renamed, or is saved by somebody in the moment before."""
    for name in ("a.cc", "b.cc", "c.cc"):
        (tmp_path / name).write_bytes(b"bad();\n")
    planned = mending.plan(tmp_path, located(tmp_path, across("a.cc", "b.cc", "c.cc")), unsafe=False)
    rename = os.rename
    done = []

    def failing(source: str, target: str, **folders: int) -> None:
        done.append(target)
        if done == ["a.cc", "b.cc", "c.cc"]:
            if fault is not None:
                raise fault
            (tmp_path / "c.cc").write_bytes(b"mine, and longer")
        rename(source, target, **folders)

    monkeypatch.setattr(os, "rename", failing)
    if fault is not None:
        with pytest.raises(mending.MendError, match=r"c\.cc: No space left on device"):
            mending.write(tmp_path, planned)
    else:
        assert mending.write(tmp_path, planned).alone == {"c.cc": "changed after it was analysed"}
    last = b"bad();\n" if fault is not None else b"mine, and longer"
    assert [(tmp_path / name).read_bytes() for name in ("a.cc", "b.cc", "c.cc")] == [b"bad();\n", b"bad();\n", last]
    assert sorted(os.listdir(tmp_path)) == ["a.cc", "b.cc", "c.cc"]  # noqa: PTH208


def test_a_file_that_another_was_put_in_the_place_of_is_left_alone(tmp_path: Path) -> None:
    """Editors save by renaming: the bytes may be the same, the file is another."""
    (tmp_path / "a.cc").write_bytes(b"bad();\n")
    with held(tmp_path, "a.cc") as file:
        (tmp_path / "new").write_bytes(b"bad();\n")
        (tmp_path / "new").replace(tmp_path / "a.cc")
        with pytest.raises(HeldError):
            file.replace(b"bad();\n", b"good();\n")
    assert (tmp_path / "a.cc").read_bytes() == b"bad();\n"


def test_no_link_is_written_through(tmp_path: Path) -> None:
    (tmp_path / "out").mkdir()
    root = tmp_path / "project"
    (root / "in").mkdir(parents=True)
    for folder in (tmp_path / "out", root / "in"):
        (folder / "a.cc").write_bytes(b"bad();\n")
    (root / "out").symlink_to(tmp_path / "out")
    (root / "link.cc").symlink_to("in/a.cc")
    report = located(root, one("out/a.cc", 0, 3, "good"), one("link.cc", 0, 3, "good"), one("in/a.cc", 0, 3, "good"))
    planned = mending.plan(root, report, unsafe=False)
    assert list(planned.after) == ["in/a.cc"]
    assert planned.alone["link.cc"] == "is a symlink, which is never written through"
    (root / "in").rename(root / "was")  # and none that takes the place of a folder meanwhile
    (root / "in").symlink_to(tmp_path / "out")
    assert "in/a.cc" in mending.write(root, planned).alone
    assert (tmp_path / "out/a.cc").read_bytes() == b"bad();\n"


def test_what_is_undone_takes_with_it_what_was_fixed_together(tmp_path: Path) -> None:
    for name in ("a.cc", "b.cc", "c.cc", "d.cc"):
        (tmp_path / name).write_bytes(b"bad();\n")
    report = located(tmp_path, across("a.cc", "b.cc"), one("b.cc", 4, 5, ""), one("d.cc", 0, 3, "good"))
    written = mending.write(tmp_path, mending.plan(tmp_path, report, unsafe=False))
    assert mending.together(written, ["b.cc"]) == ["a.cc", "b.cc"]
    (tmp_path / "a.cc").write_bytes(b"mine")
    assert [mending.undo(tmp_path, written, path) for path in ("a.cc", "b.cc")] == [False, True]
    assert [(tmp_path / name).read_bytes() for name in ("a.cc", "b.cc")] == [b"mine", b"bad();\n"]


def test_a_diff_can_be_applied(tmp_path: Path) -> None:
    (tmp_path / "a.cc").write_bytes(b"first\n\tbad();\nlast")
    planned = mending.plan(tmp_path, located(tmp_path, one("a.cc", 7, 10, "good")), unsafe=False)
    said = mending.diff(planned, str)
    assert b"-\tbad();\n+\tgood();\n" in said
    subprocess.run(["git", "apply", "-"], input=said, cwd=tmp_path, check=True)
    assert (tmp_path / "a.cc").read_bytes() == planned.after["a.cc"]


CONTENTS = {
    "unix": b"first\n\n\tbad();\nlast\n",
    "windows": b"first\r\n\r\n\tbad();\r\nlast\r\n",
    "mixed": b"first\r\n\n\tbad();\r\nlast\n",
    "no end": b"first\n\tbad();",
    "windows, no end": b"first\r\n\tbad();\r\nlast",
    "old Mac": b"first\r\tbad();\rlast\r",
    "Latin-1": b"// \xe9\xff\xfe\n\tbad(); // \xe9\nlast\n",
    "marked": b"\xef\xbb\xbfbad();\nlast\n",
    "controls": b"\x1b[31m\x0c\x0b\xc2\x85 bad();\x00\nlast\n",
}
NAMES = ("a.cc", "with blank.cc", "\u00e9.cc", 'quote"d.cc', "back\\slash.cc", "tab\tline\n.cc", "b/c.cc")


@pytest.mark.parametrize("content", CONTENTS.values(), ids=CONTENTS)
@pytest.mark.parametrize("below", ["", "sub folder/deep"])
def test_a_diff_can_be_applied_where_it_was_made(tmp_path: Path, content: bytes, below: str) -> None:
    """At the top of the work tree and in a folder of it, and whatever the file looks like."""
    subprocess.run(["git", "init", "-q"], cwd=tmp_path, check=True)
    here = tmp_path / below
    paths = [f"{below}/{name}".strip("/") for name in NAMES]
    for path in paths:
        (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / path).write_bytes(content)
    at = content.index(b"bad")
    report = located(tmp_path, *(one(path, at, at + 3, "good") for path in paths))
    planned = mending.plan(tmp_path, report, unsafe=False)
    said = mending.diff(planned, shown(tmp_path, here))
    command = ["git", "-c", "core.autocrlf=false", "apply", "-"]
    done = subprocess.run(command, input=said, cwd=here, capture_output=True, check=False)
    assert done.returncode == 0, (done.stderr, said)
    assert [(tmp_path / path).read_bytes() for path in paths] == [content.replace(b"bad", b"good")] * len(paths)


def test_a_diff_on_a_terminal_shows_no_control_characters(tmp_path: Path) -> None:
    (tmp_path / "a.cc").write_bytes(b"\x1b[31m\xe2\x80\xae bad \r\n")
    planned = mending.plan(tmp_path, located(tmp_path, one("a.cc", 9, 12, "good")), unsafe=False)
    assert not {"\x1b", "\u202e", "\r"} & set(mending.harmless(mending.diff(planned, str)))


def test_clang_s_tools_get_offsets_and_texts(tmp_path: Path) -> None:
    (tmp_path / "a.cc").write_bytes(b"bad();\n")
    (tmp_path / "b.py").write_bytes(b"bad()\n")
    findings = located(tmp_path, one("a.cc", 0, 3, "good"), one("b.py", 0, 3, "good"))
    document = msgspec.json.decode(mending.exported(tmp_path, findings)[0])
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
