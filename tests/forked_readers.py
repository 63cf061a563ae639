"""Readers of files that are copies of the process which starts them, in the place of interpreters of their own.

Most of what a reader of a small project costs is Python importing the parsers once more, which few tests are about: the
others put a `Reader` in the place of `subprocess.Popen`. `tests/frontends/test_worker.py` and the first run of each
file of tests start readers as users have them, and `OWNLINT_STARTS=real` all.
"""

from __future__ import annotations

import importlib
import io
import os
import resource
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, NoReturn

from ownlint.frontends import extract

if TYPE_CHECKING:
    import pytest

REAL = os.environ.get("OWNLINT_STARTS") == "real"
LOADED = (
    "ownlint.facts.binding_reader",
    "ownlint.frontends.cpp.meaning",
    "ownlint.frontends.cpp.structure",
    "ownlint.frontends.cpp.tables",
    "ownlint.frontends.python.read",
    "ownlint.frontends.worker",
)


class Reader:
    """What is asked of the `Popen` of a reader."""

    def __init__(self, command: Sequence[str], cwd: str, env: Mapping[str, str], **_given: object) -> None:
        in_theirs, in_ours = os.pipe()
        out_ours, out_theirs = os.pipe()
        self._status: int | None = None
        self.pid = os.fork()
        if self.pid == 0:
            _read(in_theirs, out_theirs, cwd, env)
        os.close(in_theirs)
        os.close(out_theirs)
        self.stdin, self.stdout = os.fdopen(in_ours, "wb", buffering=0), os.fdopen(out_ours, "rb", buffering=0)

    def poll(self) -> int | None:
        if self._status is None:
            pid, status = os.waitpid(self.pid, os.WNOHANG)
            if pid:
                self._status = os.waitstatus_to_exitcode(status)
        return self._status

    def wait(self, timeout: float | None = None) -> int:
        if timeout is None and self._status is None:
            self._status = os.waitstatus_to_exitcode(os.waitpid(self.pid, 0)[1])
        until = time.monotonic() + (timeout or 0)
        while (status := self.poll()) is None:
            if time.monotonic() > until:
                raise subprocess.TimeoutExpired("a reader", timeout or 0)
            time.sleep(0.002)
        return status


def _read(given: int, answers: int, folder: str, environment: Mapping[str, str]) -> NoReturn:
    """As in a new interpreter: nothing of the parent's is open, handled or counted."""
    try:
        os.setsid()
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGPIPE):
            signal.signal(number, signal.SIG_DFL)
        nothing = os.open(os.devnull, os.O_RDWR)
        for number, descriptor in enumerate((given, answers, nothing)):
            os.dup2(descriptor, number)
        os.closerange(3, min(resource.getrlimit(resource.RLIMIT_NOFILE)[0], 1 << 16))
        os.chdir(folder)
        os.environ.clear()
        os.environ.update(environment)
        tempfile.tempdir = None
        sys.stdin = io.TextIOWrapper(os.fdopen(0, "rb"))
        worker: Any = importlib.import_module("ownlint.frontends.worker")
        resident, bound = worker.resident, worker.bound
        with open("/proc/self/statm", "rb") as stream:  # noqa: PTH123
            inherited = [int(pages) * resource.getpagesize() for pages in stream.read().split()[:2]]
        worker.resident = lambda: resident() - inherited[1]
        worker.bound = lambda memory: bound(memory + inherited[0])
        worker.main()
    finally:
        os._exit(1)


class Subprocess:
    """Stands for the module where readers are started."""

    Popen = Reader
    PIPE = subprocess.PIPE
    DEVNULL = subprocess.DEVNULL
    TimeoutExpired = subprocess.TimeoutExpired


_begun: set[str] = set()
"""The files of tests that have run something, with readers as users have them."""


def load() -> None:
    """What a copy needs is imported once, in what is copied."""
    for name in LOADED:
        importlib.import_module(name)


def of_later_runs(patch: pytest.MonkeyPatch) -> None:
    """To be called before each run in this process."""
    here = os.environ.get("PYTEST_CURRENT_TEST", "").partition("::")[0]
    if here in _begun and not REAL:
        load()
        patch.setattr(extract, "subprocess", Subprocess)
    _begun.add(here)
