"""The line that tells how far a long run has come, as a terminal gets it."""

from __future__ import annotations

import os
import pty
import re
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from tests.consoles import read_all

SLOW = """\
import signal, sys, time
from ownlint.report import progress
signal.signal(signal.SIGINT, signal.default_int_handler)  # a shell's background job is born deaf to it
progress._SOON = 0.1
try:
    with progress.shown({quiet}) as told:
        told("reading files", 0, 1200)
        print("begun", flush=True)
        time.sleep({seconds})
        told("reading files", 600, 1200)
        time.sleep({seconds})
except KeyboardInterrupt:
    print("stopped", flush=True)
"""
RUN = """\
import sys
from ownlint.report import progress
progress._SOON = 0
sys.argv = ["ownlint", *{arguments!r}]
from ownlint.cli.main import main
main()
"""
ESCAPE = re.compile(r"\x1b\[[\d;?]*[A-Za-z]")
GONE = "\x1b[?25h\r\x1b[1A\x1b[2K"
"""The cursor is back, and the line is empty."""


class Told:
    def __init__(self, out: str, terminal: str, code: int) -> None:
        self.out, self.terminal, self.code = out, terminal, code

    @property
    def words(self) -> str:
        return ESCAPE.sub("", self.terminal)


def on_a_terminal(script: str, where: Path, interrupt: bool = False, **variables: str) -> Told:
    """Standard error is a terminal; standard output is not."""
    kept = {name: value for name, value in os.environ.items() if name not in ("NO_COLOR", "FORCE_COLOR")}
    ours, theirs = pty.openpty()
    with subprocess.Popen(
        [sys.executable, "-c", script],
        cwd=where,
        env={**kept, "TERM": "xterm", **variables},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=theirs,
    ) as process:
        os.close(theirs)
        assert process.stdout is not None
        out = process.stdout.readline() if interrupt else b""
        if interrupt:
            time.sleep(1)
            process.send_signal(signal.SIGINT)
        seen = read_all(ours)
        out += process.stdout.read()
    os.close(ours)
    return Told(out.decode(), seen.decode(), process.returncode)


def test_a_long_run_tells_how_far_it_is_and_leaves_nothing_behind(tmp_path: Path) -> None:
    told = on_a_terminal(SLOW.format(quiet=False, seconds=1), tmp_path)
    assert "reading files" in told.words
    assert "0/1,200" in told.words
    assert "600/1,200" in told.words
    assert told.terminal.endswith(GONE)
    assert told.out == "begun\n"


def test_a_run_that_is_over_soon_tells_nothing(tmp_path: Path) -> None:
    assert on_a_terminal(SLOW.format(quiet=False, seconds=0), tmp_path).terminal == ""


def test_an_interrupt_gives_the_cursor_back(tmp_path: Path) -> None:
    told = on_a_terminal(SLOW.format(quiet=False, seconds=30), tmp_path, interrupt=True)
    assert told.out == "begun\nstopped\n"
    assert told.terminal.endswith(GONE)


@pytest.mark.parametrize(("quiet", "terminal"), [(True, "xterm"), (False, "dumb")])
def test_nothing_is_shown_where_it_is_not_wanted(tmp_path: Path, quiet: bool, terminal: str) -> None:
    assert on_a_terminal(SLOW.format(quiet=quiet, seconds=0.5), tmp_path, TERM=terminal).terminal == ""


@pytest.fixture
def project(tmp_path: Path) -> Path:
    (tmp_path / "ownlint.toml").write_text("")
    text = "from mlir.ir import Module\n\n\ndef entry(source):\n    return Module.parse(source).body.operations[0]\n"
    for number in range(40):
        (tmp_path / f"[red]{number}.py").write_text(text)
    return tmp_path


def test_the_report_is_the_same_with_it(project: Path) -> None:
    arguments = ["check", "--no-cache", "--output-format", "json"]
    told = on_a_terminal(RUN.format(arguments=arguments), project)
    plain = subprocess.run(
        [sys.executable, "-c", RUN.format(arguments=arguments)],
        cwd=project,
        capture_output=True,
        text=True,
        check=False,
    )
    assert (told.code, plain.returncode) == (1, 1)
    assert told.out == plain.stdout
    assert "\x1b" not in plain.stdout + plain.stderr
    assert told.terminal.replace("\r\n", "\n").endswith(plain.stderr)
    assert "[red]" not in told.words


def test_a_quiet_run_says_nothing_on_a_terminal(project: Path) -> None:
    told = on_a_terminal(RUN.format(arguments=["check", "--no-cache", "--quiet"]), project)
    assert (told.code, told.terminal) == (1, "")


COPIED = """\
import os, sys, threading
running = []
os.register_at_fork(before=lambda: running.append(threading.active_count()))  # asked last: those before are the newest
from ownlint import children
from ownlint.report import progress
progress._SOON = 0
progress._BETWEEN = 0.001

def work():
    import fractions, xml.dom.minidom, rich.table
    print("drawn", file=sys.stderr, flush=True)
    return b"%d" % threading.main_thread().is_alive()

with progress.shown(False) as told:
    for number in range(30):
        told("running rules", number, 30)
        children.answered(work, 20, 4 << 30)
print(set(running))
"""


def test_nothing_is_drawn_while_a_child_is_made(tmp_path: Path) -> None:
    told = on_a_terminal(COPIED, tmp_path)
    assert told.out == "{1}\n"
    assert "running rules" in told.words
    assert "drawn" not in told.words
    assert told.terminal.endswith(GONE)
