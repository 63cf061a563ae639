"""Who names what is neither C++ nor Python is told so, and is not told that it is sound."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from command import Run

FOREIGN = "skipped: not a C++ or Python file name; add further files with `include` in the settings"
LEAK = "void f() {\n  char* data = new char[3];\n}\n"


@pytest.fixture(autouse=True)
def _project(run: Run) -> None:
    Path("sub").mkdir()
    Path("sub/empty").mkdir()
    Path("ownlint.toml").write_text("")
    for name in ("README.md", "sub/kernel.tmpl", "sub/leak.cc"):
        Path(name).write_text(LEAK)


def test_a_file_of_another_kind_is_no_cpp(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    for _ in range(2):  # from the cache, too
        done = run("check", "README.md")
        assert (done.code, done.out, done.err) == (0, "No problems found in 0 files\n", f"note: README.md: {FOREIGN}\n")
    together = run("check", "README.md", "sub/leak.cc", "--types", "never")
    assert together.code == 1
    assert together.err.splitlines()[0] == f"note: README.md: {FOREIGN}"
    assert run("check", "README.md", "--fail-on-incomplete").code == 0
    monkeypatch.chdir("sub")
    assert run("check", "../README.md").err == f"note: ../README.md: {FOREIGN}\n"


def test_a_file_that_the_settings_include_is_checked_by_name_too(run: Run) -> None:
    assert run("check", "sub/kernel.tmpl").err == f"note: sub/kernel.tmpl: {FOREIGN}\n"
    Path("ownlint.toml").write_text('include = ["*.tmpl"]\n')
    assert run("check", "sub/kernel.tmpl", "--types", "never").code == 1


def test_a_folder_with_nothing_to_check_is_told(run: Run) -> None:
    for arguments in (("sub/empty",), ("sub/empty", "sub/empty"), (".", "--config", "ownlint.toml", "--ignore", "all")):
        done = run("check", *arguments)
        nothing = "note: no C++ or Python files found\n"
        assert (done.code, done.err == nothing) == (0, arguments[0] != "."), done.err
    assert run("check", "sub/empty", "-q").err == ""


def test_notices_stand_in_json_and_on_the_page(run: Run) -> None:
    done = run("check", "README.md", "sub/empty", "sub/leak.cc", "--output-format", "json", "--types", "never")
    structure = "1 of 1 C++ files were parsed without type information (`--types never`)"
    assert json.loads(done.out)["notices"] == [
        {"path": "README.md", "message": FOREIGN},
        {"path": "", "message": structure},
    ]
    run("check", "README.md", "sub/leak.cc", "--output", "html=report.html")
    page = Path("report.html").read_text()
    assert re.search(r'<p class="notice">README\.md: skipped: not a C\+\+ or Python file name', page)
    empty = run("check", "sub/empty", "--output-format", "json")
    assert json.loads(empty.out)["notices"] == [{"path": "", "message": "no C++ or Python files found"}]
