"""What a person reads in a terminal beside the findings, and what is left out since nothing can be done about it."""

from __future__ import annotations

import os
import pty
import subprocess
import sys
from pathlib import Path

import pytest
from tests.consoles import read_all
from tests.stories.repositories import SESSION, Project

LEAK = """\
#include <cstdlib>

struct tile;
tile* tile_create(int side);
void tile_destroy(tile* made);
int tile_fill(tile* made);

int Draw(int side) {
  tile* made = tile_create(side);
  if (tile_fill(made) < 0) return -1;
  tile_destroy(made);
  return 0;
}

int Copied(int n) {
  char* data = new char[n];
  if (n > 3) return -1;
  delete[] data;
  return 0;
}
"""
BROKEN = "class A { void f( {{{ )\n" * 20


def check(where: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "ownlint", "check", "--no-cache", *arguments]
    return subprocess.run(command, cwd=where, capture_output=True, text=True, check=False)


@pytest.mark.parametrize("form", ["concise", "full"])
def test_the_first_line_says_how_sure_a_finding_is(tmp_path: Path, form: str) -> None:
    (tmp_path / "a.cc").write_text(LEAK)
    said = check(tmp_path, "--isolated", "--output-format", form).stdout.splitlines()
    first = [line for line in said if "[handle-leaked]" in line or "[handle-leaked]" in line]
    assert [line.endswith(" (likely)") for line in first] == [True, False], said


def test_a_change_says_nothing_of_files_that_it_does_not_touch(tmp_path: Path) -> None:
    project = Project(tmp_path / "project")
    project.write("old.cc", BROKEN)
    project.commit()
    project.write("session.cc", SESSION.format("Old") + SESSION.format("New"))
    said = project.check("--diff-base", "HEAD", form="full", quiet=False)
    assert "old.cc" not in said.err
    assert "1 partially analysed" in said.out
    assert "warning: old.cc" in project.check("--diff-base", "HEAD", "-v", quiet=False).err
    assert "warning: old.cc" in project.check(quiet=False).err
    project.write("old.cc", BROKEN + "\n")
    assert "warning: old.cc" in project.check("--diff-base", "HEAD", quiet=False).err


def test_a_table_of_settings_with_a_slip_in_its_name(tmp_path: Path) -> None:
    (tmp_path / "pyproject.toml").write_text('[project]\nname = "x"\n\n[tool.ownlnt]\nselect = ["two-owners"]\n')
    (tmp_path / "src").mkdir()
    (tmp_path / "src" / "a.py").write_text("x = 1\n")
    (tmp_path / "src" / "b.py").write_text("x = 1\n")
    said = "pyproject.toml:4: unknown table [tool.ownlnt]; did you mean [tool.ownlint]?"
    for paths in ((), ("src",), ("src/a.py", "src/b.py")):
        done = check(tmp_path, *paths)
        assert done.returncode == 0
        assert done.stderr.count(said) == 1, done.stderr
    assert said not in check(tmp_path, "--isolated").stderr
    assert said not in check(tmp_path, "-q").stderr


def test_what_could_not_be_silenced_is_said_to_those_who_want_quiet(tmp_path: Path) -> None:
    text = 'const char *a = R"(\n)"; int f(int n) { char* d = new char[n]; if (n > 3) return 1; delete[] d; '
    (tmp_path / "a.cc").write_text(text + 'return 0; } const char *b = R"(\n)";\n')
    done = check(tmp_path, "--isolated", "--add-suppressions", "kept", "-q", "--output-format", "concise")
    assert done.returncode == 1
    assert done.stdout.startswith("a.cc:2:")
    assert done.stderr.startswith("warning: a.cc:2: handle-leaked: not suppressed"), done
    assert done.stderr.count("\n") == 1


@pytest.mark.parametrize(("rule", "paged"), [("two-owners", True), ("--help", False)])
def test_a_long_page_goes_through_the_pager(rule: str, paged: bool) -> None:
    ours, theirs = pty.openpty()
    environment = {**os.environ, "PAGER": "tr a-z A-Z", "TERM": "xterm", "COLUMNS": "100", "LINES": "20"}
    command = [sys.executable, "-m", "ownlint", "explain", rule]
    with subprocess.Popen(command, stdin=theirs, stdout=theirs, stderr=theirs, env=environment):
        os.close(theirs)
        said = read_all(ours).decode()
    os.close(ours)
    assert ("REPORTED" in said and "Reported" not in said) is paged, said


def test_a_page_in_a_pipe_is_written_as_it_is() -> None:
    environment = {**os.environ, "PAGER": "tr a-z A-Z"}
    command = [sys.executable, "-m", "ownlint", "explain", "two-owners"]
    done = subprocess.run(command, capture_output=True, text=True, env=environment, check=True)
    assert "Reported" in done.stdout or "reported" in done.stdout
