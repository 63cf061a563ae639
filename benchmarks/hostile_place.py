"""Where an attack of `hostile.py` takes place: folders, a command line under limits, and what must hold in any case."""

# Names of files are bytes here, some of them no text.
# ruff: noqa: PTH115, PTH118, PTH123

from __future__ import annotations

import contextlib
import ctypes
import json
import os
import re
import resource
import shutil
import signal
import stat
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from types import TracebackType
from typing import Any, NamedTuple, Self

COMMAND = (sys.executable, "-P", "-m", "ownlint")
SECRET = "ghp_Secret7Q2x"
"""Stands in files outside of the project; it must come out nowhere."""

GOOD_CPP = """\
class Session {
 public:
  Status Connect() {
    if (connected_) return OkStatus();
    connected_ = true;
    RETURN_IF_ERROR(Handshake());
    return OkStatus();
  }
  Status Handshake();
  bool connected_ = false;
};
"""
GOOD_PYTHON = """\
from mlir.ir import Module


def entry(source):
    return Module.parse(source).body.operations[0].name
"""
IN_CPP = ("good.cc", 5, "flag-set-before-success")
IN_PYTHON = ("good.py", 5, "child-outlives-owner")
GOOD = {IN_CPP, IN_PYTHON}

MENDABLE = """\
class Table {
 public:
  void Put(int key) {
    absl::MutexLock(&mu_);
    size_ = key;
  }
  absl::Mutex mu_;
  int size_ = 0;
};
"""
MENDED = MENDABLE.replace("MutexLock(", "MutexLock lock(")

_GRACE = 10.0
"""Seconds in which a process whose parent was killed must be gone."""

_HARMFUL = re.compile("\r(?!\n)|[\x00-\x08\x0b\x0c\x0e-\x1f\x7f\u202a-\u202e\u2066-\u2069]")


_BESIDE = re.compile(r"\.new-.*|\..+\.[0-9a-f]{12}")
"""Names of files that are written beside their place."""


class FailedError(Exception):
    """What should hold does not."""


def must(holds: object, said: str) -> None:
    if not holds:
        raise FailedError(said)


class Done(NamedTuple):
    code: int
    out: str
    err: str
    seconds: float
    peak: int

    @property
    def report(self) -> Any:
        try:
            return json.loads(self.out)
        except ValueError:
            raise FailedError(f"exit code {self.code}, no report: {(self.out + self.err)[-600:]}") from None

    @property
    def found(self) -> set[tuple[str, int, str]]:
        return {(each["path"], each["line"], each["rule"]) for each in self.report["findings"]}

    @property
    def incomplete(self) -> dict[str, str]:
        return {each["path"]: each["reason"] for each in self.report["incomplete"]}


class Place:
    """`root` is the project, `outside` lies beside it with a file of secrets and one that must stay as it is."""

    def __init__(self) -> None:
        self._folder = Path(tempfile.mkdtemp(prefix="ownlint-hostile-")).resolve()
        self.root, self.outside = self._folder / "project", self._folder / "outside"
        self.home, self.tmp = self._folder / "home", self._folder / "tmp"
        for folder in (self.root, self.outside, self.home, self.tmp):
            folder.mkdir()
        self.peak = 0
        self.canary = self._folder / "canary"
        """Whatever makes this file has run."""
        self.victim = self.outside / "victim.txt"
        self.victim.write_text("untouched\n")
        self.secret = self.outside / "secret.h"
        self.secret.write_text(f"enum class E {{ {SECRET} }};\n")
        self.good()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, tb: TracebackType | None) -> None:
        for folder, _, _ in os.walk(self._folder):
            with contextlib.suppress(OSError):
                Path(folder).chmod(0o700)
        shutil.rmtree(os.fsencode(self._folder), ignore_errors=True)

    # --- files ---

    def good(self) -> None:
        self.write("good.cc", GOOD_CPP)
        self.write("good.py", GOOD_PYTHON)

    def write(self, name: str, text: str | bytes) -> Path:
        path = self.root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(text.encode("utf-8", "surrogateescape") if isinstance(text, str) else text)
        return path

    def settings(self, text: str) -> None:
        self.write("ownlint.toml", text)

    def compiled(self, *names: str, arguments: Sequence[str] = ("c++", "-std=c++17")) -> None:
        entries = [{"file": n, "directory": str(self.root), "arguments": [*arguments, n]} for n in names]
        self.write("compile_commands.json", json.dumps(entries))

    def script(self, name: str = "evil.sh") -> Path:
        """Leaves its mark when it is run."""
        path = self.write(name, f"#!/bin/sh\ntouch {self.canary}\nexit 1\n")
        path.chmod(0o755)
        return path

    def tree(self) -> dict[str, tuple[int, bytes]]:
        """Everything in the project but its cache and `.git`: mode and content, or where a link leads."""
        found = {}
        for folder, folders, names in os.walk(os.fsencode(self.root)):
            folders[:] = sorted(name for name in folders if name not in (b".ownlint_cache", b".git"))
            for name in sorted((*names, *folders)):
                path = os.path.join(folder, name)
                status = os.lstat(path)
                content = b""
                if stat.S_ISREG(status.st_mode) and status.st_size < 1 << 22 and os.access(path, os.R_OK):
                    with open(path, "rb") as stream:
                        content = stream.read()
                elif stat.S_ISLNK(status.st_mode):
                    content = os.readlink(path)
                found[os.fsdecode(path)] = (status.st_mode, content)
        return found

    # --- running ---

    def environment(self, **variables: str) -> dict[str, str]:
        kept = ("PATH", "PYTHONPATH", "LANG", "VIRTUAL_ENV", "LD_LIBRARY_PATH", "PYENV_VERSION")
        ours = {name: os.environ[name] for name in kept if name in os.environ}
        # Where the disk is full, Python leaves half of a `.pyc` behind, which whoever comes next cannot load.
        ours["PYTHONDONTWRITEBYTECODE"] = "1"
        return {**ours, "HOME": str(self.home), "TMPDIR": str(self.tmp), **variables}

    def start(self, *arguments: str, cwd: Path | None = None, **options: Any) -> subprocess.Popen[bytes]:
        options.setdefault("env", self.environment())
        options.setdefault("stdin", subprocess.DEVNULL)
        options.setdefault("stdout", subprocess.PIPE)
        options.setdefault("stderr", subprocess.PIPE)
        return subprocess.Popen([*COMMAND, *arguments], cwd=cwd or self.root, start_new_session=True, **options)

    def ended(self, process: subprocess.Popen[bytes], seconds: float = 60) -> tuple[bytes, bytes]:
        """What it wrote. Fails where it takes longer than `seconds` on an idle machine, and ends it."""
        try:
            return process.communicate(timeout=seconds * _busy())
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            process.communicate()
            raise FailedError(f"took longer than {seconds * _busy():g} s: {process.args!r:.300}") from None

    def ownlint(
        self,
        *arguments: str,
        cwd: Path | None = None,
        seconds: float = 60,
        megabytes: int = 1500,
        setup: Callable[[], None] | None = None,
        command: Sequence[str] = COMMAND,
        changes: bool = False,
        given: bytes | None = None,
        **variables: str,
    ) -> Done:
        """One run. Fails where it takes longer than `seconds` (of wall time on an idle machine), or one of its
        processes more memory than `megabytes`. Nothing in the tree may change, unless `changes`."""
        before = None if changes else self.tree()
        seconds *= _busy()

        def limit() -> None:
            most = 24 * 1024**3
            resource.setrlimit(resource.RLIMIT_AS, (most, most))
            if setup is not None:
                setup()

        with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err, tempfile.TemporaryFile() as stdin:
            stdin.write(given or b"")
            stdin.seek(0)
            began = time.monotonic()
            process = subprocess.Popen(
                [*command, *arguments], cwd=cwd or self.root, stdin=stdin, stdout=out, stderr=err,
                env=self.environment(**variables), preexec_fn=limit, start_new_session=True,
            )  # fmt: skip
            status, peak = self._waited(process, began + seconds)
            spent = time.monotonic() - began
            out.seek(0)
            err.seek(0)
            done = Done(status, out.read().decode(), err.read().decode(), spent, peak)
        self.peak = max(self.peak, done.peak)
        must(spent < seconds, f"took longer than {seconds:g} s: {' '.join(arguments)}; {done.err[-300:]}")
        must(done.peak < megabytes * 1e6, f"needed {done.peak / 1e6:,.0f} MB")
        must("Traceback" not in done.err, done.err[-1500:])
        must(_HARMFUL.search(done.out + done.err) is None, f"a control character: {(done.out + done.err)[-300:]!r}")
        must(SECRET not in done.out + done.err, f"the secret is shown: {_around(done.out + done.err)}")
        must(before is None or self.tree() == before, f"the tree was changed: {self._changed(before or {})}")
        return done

    def _waited(self, process: subprocess.Popen[bytes], until: float) -> tuple[int, int]:
        """Its exit code, and the largest peak among it and its children."""
        pause = 0.01
        while True:
            pid, status, usage = os.wait4(process.pid, os.WNOHANG)
            if pid:
                process.returncode = os.waitstatus_to_exitcode(status)
                return process.returncode, usage.ru_maxrss * 1024
            if time.monotonic() > until:
                with contextlib.suppress(ProcessLookupError):
                    os.killpg(process.pid, signal.SIGKILL)
            time.sleep(pause)
            pause = min(pause * 1.2, 0.1)

    def _changed(self, before: dict[str, tuple[int, bytes]]) -> list[str]:
        after = self.tree()
        return sorted(path for path in before.keys() | after.keys() if before.get(path) != after.get(path))[:5]

    def check(self, *arguments: str, **options: Any) -> Done:
        """By all rules, as JSON; without types where nothing else is said."""
        types = () if "--types" in arguments or "-p" in arguments else ("--types", "never")
        all_rules = ("--suite", "audit", "--certainty", "likely")
        return self.ownlint("check", "--output-format", "json", *all_rules, *types, *arguments, **options)

    def finds_the_good(self, *arguments: str, **options: Any) -> Done:
        """A check that reports the two known bugs, whatever lies beside them, and fails in nothing."""
        done = self.check(*arguments, **options)
        must(done.found >= GOOD, f"missing: {sorted(GOOD - done.found)}; {done.err[-400:]}")
        must(done.code == 1, f"exit code {done.code}: {done.err[-400:]}")
        return done

    def refuses(self, *said: str, arguments: Sequence[str] = (), **options: Any) -> Done:
        """2, and one line that says all of this."""
        done = self.check(*arguments, **options)
        one = done.code == 2 and done.err.startswith("error: ") and done.err.count("\n") == 1
        must(
            one and all(words in done.err for words in said), f"not refused in a line: {done.code} {done.err[-400:]!r}"
        )
        return done

    # --- afterwards ---

    def check_all(self) -> None:
        must(not self.canary.exists(), "something of the tree was run")
        must(self.victim.read_text() == "untouched\n", "a file outside of the project was overwritten")
        names = sorted(path.name for path in self.outside.iterdir())
        must(names == ["secret.h", "victim.txt"] or self._expected(names), f"files appeared outside: {names}")
        until = time.monotonic() + _GRACE
        while (left := orphans()) and time.monotonic() < until:
            time.sleep(0.1)
        for pid in left:
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        must(not left, f"{len(left)} processes were left behind")

    expected_outside: frozenset[str] = frozenset()

    def _expected(self, names: Iterable[str]) -> bool:
        return set(names) <= {"secret.h", "victim.txt", *self.expected_outside}

    def leaves_nothing(self) -> None:
        """No half-written file in the tree."""
        left = [path.name for path in self.root.rglob(".*") if _BESIDE.fullmatch(path.name)]
        must(not left, f"left behind in the tree: {left}")


def _busy() -> float:
    """How much longer things take here than on a machine that has nothing else to do; at most six times."""
    return min(6.0, max(1.0, os.getloadavg()[0] / (os.cpu_count() or 1)))


def _around(text: str) -> str:
    at = text.find(SECRET)
    return text[max(0, at - 120) : at + 60]


def adopt_orphans() -> None:
    """Processes whose parents end become ours, so that they are seen (PR_SET_CHILD_SUBREAPER)."""
    ctypes.CDLL(None).prctl(36, 1, 0, 0, 0)


def orphans() -> list[int]:
    """Processes whose parent we are now, that still run; those that ended are reaped."""
    with contextlib.suppress(ChildProcessError):
        while os.waitpid(-1, os.WNOHANG)[0]:
            pass
    return children(os.getpid())


def children(parent: int) -> list[int]:
    found = []
    for status in Path("/proc").glob("[0-9]*/stat"):
        try:
            fields = status.read_text().rpartition(")")[2].split()
        except OSError:
            continue
        if int(fields[1]) == parent and fields[0] != "Z":
            found.append(int(status.parent.name))
    return found
