"""`--stdin-filename`: what an editor has of a file, before it is saved."""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path

import pytest
from tests import starting

GUILTY = """\
from mlir.ir import Module


def entry(source):
    module = Module.parse(source)
    return module.body.operations[0]
"""

INNOCENT = GUILTY.replace("return module.body", "return module, module.body")


@pytest.fixture
def project(tmp_path: Path) -> Path:
    (tmp_path / "ownlint.toml").write_text("")
    (tmp_path / "sub").mkdir()
    (tmp_path / "sub" / "lowering.py").write_text(INNOCENT)
    (tmp_path / "other.py").write_text(GUILTY)
    return tmp_path


def check(where: Path, text: bytes, *arguments: str) -> subprocess.CompletedProcess[bytes]:
    return starting.run("check", *arguments, cwd=where, given=text, env={**os.environ, "LC_ALL": "C"})


def test_what_is_typed_counts_and_not_what_is_saved(project: Path) -> None:
    name = ("--stdin-filename", "sub/lowering.py")
    for _ in range(2):  # without a cache, and with one
        done = check(project, b"# typed\n" + GUILTY.encode(), *name)
        assert done.returncode == 1, done.stderr
        assert b"--> sub/lowering.py:7:12" in done.stdout
        assert b"7 |     return module.body.operations[0]" in done.stdout
        assert b"other.py" not in done.stdout
        assert check(project, INNOCENT.encode(), *name).returncode == 0
    assert (project / "sub" / "lowering.py").read_text() == INNOCENT
    assert check(project, b"", "sub").returncode == 0


def test_every_format_speaks_of_the_file_that_is_meant(project: Path) -> None:
    for form in ("json", "sarif", "concise", "rdjson"):
        done = check(project, GUILTY.encode(), "--stdin-filename", "sub/lowering.py", "-", "--output-format", form)
        assert done.returncode == 1
        assert b"sub/lowering.py" in done.stdout
        assert b"unsaved" not in done.stdout
        if form != "concise":
            json.loads(done.stdout)


def test_it_is_read_as_a_part_of_its_project(project: Path) -> None:
    """A suppression, a C++ file, text that is no UTF-8."""
    silenced = GUILTY.replace("operations[0]", "operations[0]  # ownlint: ignore[child-outlives-owner]: kept")
    assert check(project, silenced.encode(), "--stdin-filename", "sub/lowering.py").returncode == 0
    (project / "a.cc").write_text("int x;\n")
    typed = b"struct S {\n  ~S() { (void)Flush(); }\n  absl::Status Flush();\n};\n"
    done = check(project, typed, "--stdin-filename", "a.cc", "--output-format", "concise", "--types", "always")
    assert done.stdout.startswith(b"a.cc:2:16: error[discarded-status]"), done.stderr
    odd = check(project, b"\xff\xfe\x00", "--stdin-filename", "sub/lowering.py")
    assert b"sub/lowering.py" in odd.stderr


def test_a_file_that_is_not_saved_yet_is_read_as_though_it_stood_there(project: Path) -> None:
    """A new buffer: with the settings and the other files of its project, in a folder that is there or not."""
    (project / "ownlint.toml").write_text('[per-file-ignores]\n"generated/" = ["all"]\n')
    (project / "flush.h").write_text("absl::Status Flush();\n")
    typed = {"new.py": GUILTY, "new.cc": '#include "flush.h"\n\nstruct S {\n  ~S() { (void)Flush(); }\n};\n'}
    before = sorted(project.rglob("*"))
    for _ in range(2):  # without a cache, and with one
        for folder in ("sub", "more/than/that"):
            for name, text in typed.items():
                place = f"{folder}/{name}"
                done = check(project, text.encode(), "--stdin-filename", place, "--output-format", "json", "-q")
                assert [each["path"] for each in json.loads(done.stdout)["findings"]] == [place]
                assert (done.returncode, done.stderr) == (1, b"")
        assert check(project, INNOCENT.encode(), "--stdin-filename", "sub/new.py").returncode == 0
        assert check(project, GUILTY.encode(), "--stdin-filename", "generated/new.py").returncode == 0
    cache = project / ".ownlint_cache"
    assert [path for path in sorted(project.rglob("*")) if path != cache and cache not in path.parents] == before


def test_without_settings_and_git_nothing_is_made_where_a_new_file_would_stand(tmp_path: Path) -> None:
    (tmp_path / "here").mkdir()
    done = check(tmp_path / "here", GUILTY.encode(), "--stdin-filename", "a/b/new.py")
    assert b"--> a/b/new.py:6:12" in done.stdout
    assert [path.name for path in (tmp_path / "here").iterdir()] == [".ownlint_cache"]


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (("--stdin-filename", "sub"), b"sub: is a folder, not a file"),
        (("-",), b"`-` is standard input: name the file it stands for with --stdin-filename"),
        (("-", "other.py"), b"`-` is standard input: name the file it stands for with --stdin-filename"),
        (("--stdin-filename", "sub/lowering.py", "other.py"), b"do not give PATHS"),
        (("--stdin-filename", "sub/lowering.py", "--fix"), b"only reports"),
        (("--stdin-filename", "sub/lowering.py", "--diff-base", "HEAD"), b"only reports"),
        (("--stdin-filename", "sub/lowering.py", "--changed"), b"only reports"),
    ],
)
def test_what_makes_no_sense_is_refused(project: Path, arguments: tuple[str, ...], told: bytes) -> None:
    done = check(project, GUILTY.encode(), *arguments)
    assert done.returncode == 2
    assert told in done.stderr
    assert done.stderr.count(b"\n") == 1
