"""How many files were read without types is said in one line, with the reason the user can do something about."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from tests import starting

from ownlint.sources import headers

pytestmark = pytest.mark.skipif(not headers.find().source, reason="no C++ headers here")

STRUCTURE = "C++ files were parsed without type information"


@pytest.fixture
def project(tmp_path: Path) -> Path:
    (tmp_path / "one.cc").write_text("int one() { return 1; }\n")
    (tmp_path / "two.cc").write_text("int two() { return 2; }\n")
    return tmp_path


def database(folder: Path, *files: str) -> None:
    folder.mkdir(exist_ok=True)
    entries = [{"file": file, "directory": str(folder), "command": f"c++ -c {file}"} for file in files]
    (folder / "compile_commands.json").write_text(json.dumps(entries))


def notes(where: Path, *arguments: str) -> list[str]:
    done = starting.text("check", "--isolated", "--no-cache", *arguments, cwd=where)
    done.check_returncode()
    return [line.removeprefix("note: ") for line in done.stderr.splitlines()]


def test_without_a_database(project: Path) -> None:
    """Nothing that was asked for is missing: it is said to those who want to know more."""
    assert notes(project) == notes(project, "--types", "never") == []
    assert f"2 of 2 {STRUCTURE} (no compile_commands.json; see `--build-path`)" in notes(project, "-v")
    assert f"2 of 2 {STRUCTURE} (`--types never`)" in notes(project, "--types", "never", "-v")
    assert notes(project, "--types", "always") == []


def test_with_a_whole_and_with_a_partial_database(project: Path) -> None:
    database(project, "one.cc", "two.cc")
    assert notes(project) == []
    database(project, "one.cc")
    assert notes(project) == [f"1 of 2 {STRUCTURE} (not in the compile database; see `--types always`)"]
    assert notes(project, "--types", "always") == []


def test_with_a_broken_database(project: Path) -> None:
    (project / "compile_commands.json").write_text("[")
    (said,) = notes(project)
    assert said.startswith(f"2 of 2 {STRUCTURE} (compile_commands.json:1: not a compile database")
    assert said.endswith("; ignored; see `--build-path`)")
    (said,) = notes(project, "--types", "always")
    assert said.startswith("compile_commands.json:1: not a compile database")


def test_with_a_header_that_is_missing(project: Path) -> None:
    (project / "one.cc").write_text('#include "missing.h"\nint one() { return 1; }\n')
    database(project, "one.cc", "two.cc")
    assert notes(project) == ["1 of 2 C++ files were parsed with some errors"]
    assert "warning: one.cc: parsed without all headers: 1 header not found: missing.h" in notes(project, "-v")
