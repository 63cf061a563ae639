"""Names and source text that would forge a line or rewrite a terminal, on every way to show them."""

from __future__ import annotations

import os
import pty
import subprocess
import sys
from pathlib import Path

import pytest
from tests import starting
from tests.consoles import read_all

EVIL = "a\n::error file=x::pwn\x1b[31m\u202e<script>`b`|x&.py"
OTHER = "e\x1b]0;pwn\x07\u2066.cc"
HARMFUL = "".join(map(chr, (*range(9), 11, 12, *range(14, 32), 127, 0x85, 0x2028, 0x2029, 0x202E, 0x2066)))

PYTHON = """\
from mlir.ir import Module


def entry(source):
    return Module.parse(source).operations['\x1b[31m\u202e|`']
"""
CPP = """\
#include <pybind11/pybind11.h>
int f() {
  char* data\u202e = new char[3]; // \x1b[2J
  if (g()) return 1;
  delete[] data;
  return 0;
}
class P {};
class E { public: P* p() { return &p_; } P p_; };
PYBIND11_MODULE(e, m) { py::class_<P>(m, "P\x1b"); py::class_<E>(m, "E\x1b[31m").def("p\u202e", &E::p); }
"""

COMMANDS = [
    *(
        ("check", "--output-format", form)
        for form in ["full", "concise", "json", "json-lines", "sarif", "github", "gitlab"]
    ),
    *(("check", "--output-format", form) for form in ["github", "gitlab", "junit", "rdjson", "markdown", "html"]),
    ("check", "--statistics"),
    ("check", "--verbose"),
    ("check", "--export-fixes", "/dev/stdout"),
    ("check", EVIL),
    ("check", "--config", EVIL),
    ("check", "--baseline", EVIL),
    ("check", "--select", EVIL),
    ("check", "--output", EVIL),
    ("check", "--output-format", EVIL),
    ("check", "--diff-base", EVIL),
    ("check", "--build-path", EVIL + "no"),
    ("check", "--cache-dir", EVIL),
    ("check", "--stdin-filename", EVIL + "no"),
    ("baseline", "write", "--baseline", "known\x1b[31m.json"),
    ("baseline", "show"),
    ("baseline", "show", OTHER),
    ("facts", EVIL),
    ("facts", OTHER),
    ("doctor", EVIL),
    ("config", EVIL),
    ("config", "verify", "x\x1b.toml"),
    ("clean", "--cache-dir", EVIL),
    ("explain", EVIL),
    ("new-rule", EVIL),
    ("completion", EVIL),
    ("model", "extract", "--package", "p"),
    ("model", "show", OTHER),
    ("model", "check", EVIL),
    (EVIL,),
    ("check", f"--{EVIL}"),
]


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = tmp_path_factory.mktemp("project")
    for name, text in {EVIL.replace("/", ""): PYTHON, OTHER: CPP, "broken\x1b[31m.py": "def (\n"}.items():
        (root / name).write_text(text)
    (root / "ownlint.toml").write_text("")
    (root / "x\x1b.toml").write_text('selct = "\x1b[31m"\n')
    return root


@pytest.mark.parametrize("arguments", COMMANDS, ids=lambda arguments: ascii(" ".join(arguments))[1:60])
def test_nothing_harmful_is_shown(project: Path, arguments: tuple[str, ...]) -> None:
    kept = {name: value for name, value in os.environ.items() if name not in ("FORCE_COLOR", "GITHUB_WORKSPACE")}
    if arguments == ("baseline", "show"):
        starting.run("baseline", "write", cwd=project, env=kept).check_returncode()
    done = starting.run(*arguments, cwd=project, env=kept)
    (project / "ownlint-baseline.json").unlink(missing_ok=True)
    assert done.returncode in (0, 1, 2)
    for shown in (done.stdout.decode(), done.stderr.decode()):
        assert [char for char in HARMFUL if char in shown] == []
        assert [line for line in shown.split("\n") if line.startswith("::error file=x")] == []
        assert "Traceback" not in shown
        assert (
            "<script>`b`" not in shown or "--output-format" not in arguments or arguments[-1] not in ("html", "junit")
        )


def test_a_diff_on_a_terminal_is_harmless(project: Path) -> None:
    """In a pipe it is what `git apply` takes, to the byte; a terminal would obey it."""
    terminal, theirs = pty.openpty()
    environment = {**os.environ, "TERM": "dumb", "NO_COLOR": "1"}
    command = [sys.executable, "-m", "ownlint", "check", "--diff", "--unsafe-fixes"]
    with subprocess.Popen(
        command, cwd=project, env=environment, stdin=subprocess.DEVNULL, stdout=theirs, stderr=theirs
    ) as running:
        os.close(theirs)
        shown = read_all(terminal).decode()
    assert running.returncode == 1
    assert "@@" in shown
    assert [char for char in HARMFUL if char in shown] == []
