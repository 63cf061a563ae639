"""`ownlint` as its user starts it, many times: a process of its own with its own folder, environment and streams.

Most of what a start costs is Python importing the same modules once more, which is not what these tests are about. So
the first start of each worker, for each environment that Python is given, is a real one (`python -m ownlint`). Those
that follow are copies of a process that has imported them: `ownlint`'s `__main__` runs in a fork, and ends as an
interpreter ends. `OWNLINT_STARTS=real` makes all of them real. Who kills, watches or replaces the process, or wants a
terminal, starts one by `subprocess`.
"""

from __future__ import annotations

import atexit
import functools
import json
import os
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import IO, Any

from tests import readers

REAL = os.environ.get("OWNLINT_STARTS") == "real"
_SERVER = Path(__file__).with_name("started.py")
_SECONDS = 300.0
_OF_INTERPRETER = ("PYTHON", "LC_", "LANG", "MALLOC", "LD_")
"""Variables that are read when Python starts."""

MAIN = "\nfrom ownlint.__main__ import main\nmain()\n"
"""The program, after what is to be run before it."""

_begun: set[tuple[tuple[str, str], ...]] = set()


def run(
    *arguments: str,
    cwd: Path,
    env: Mapping[str, str] | None = None,
    given: bytes = b"",
    safe_path: bool = False,
    memory: int | None = None,
    site: Path | None = None,
    before: str = "",
    timeout: float = _SECONDS,
) -> subprocess.CompletedProcess[bytes]:
    """`safe_path`: with Python's `-P`. `memory` bounds the address space, in bytes. `site` is a folder of packages that
    is looked into first; `before` is run before all else. Raises `subprocess.TimeoutExpired` after so many seconds, the
    process ended."""
    environment = dict(os.environ if env is None else env)
    told = ["-c", before + MAIN] if before else ["-m", "ownlint"]
    command = [sys.executable, *(["-P"] if safe_path else []), *told, *arguments]
    of_interpreter = tuple(
        (name, environment[name]) for name in sorted(environment) if name.startswith(_OF_INTERPRETER)
    )
    if REAL or of_interpreter not in _begun:
        _begun.add(of_interpreter)
        if site is not None:
            environment["PYTHONPATH"] = os.pathsep.join(filter(None, (str(site), environment.get("PYTHONPATH"))))
        return _real(command, cwd, environment, given, memory, timeout)
    request = (arguments, os.fspath(cwd), environment, safe_path, memory, None if site is None else str(site), before)
    return _server(of_interpreter).run(command, request, given, timeout)


def text(*arguments: str, cwd: Path, **options: Any) -> subprocess.CompletedProcess[str]:
    """As `run`; both streams are UTF-8, and a line ends as Python reads it."""
    done = run(*arguments, cwd=cwd, **options)
    out, err = (_lines(stream) for stream in (done.stdout, done.stderr))
    return subprocess.CompletedProcess(done.args, done.returncode, out, err)


def _lines(stream: bytes) -> str:
    return stream.decode().replace("\r\n", "\n").replace("\r", "\n")


def _real(
    command: list[str], cwd: Path, env: dict[str, str], given: bytes, memory: int | None, timeout: float
) -> subprocess.CompletedProcess[bytes]:
    return subprocess.run(
        command,
        cwd=cwd,
        env=env,
        input=given,
        capture_output=True,
        timeout=timeout,
        check=False,
        preexec_fn=None if memory is None else functools.partial(_bound, memory),
    )


def _bound(memory: int) -> None:
    import resource

    resource.setrlimit(resource.RLIMIT_AS, (memory, memory))


@functools.cache
def _server(of_interpreter: tuple[tuple[str, str], ...]) -> _Server:
    return _Server(dict(of_interpreter))


class _Server:
    """The process that is copied; it ends with us."""

    def __init__(self, env: Mapping[str, str]) -> None:
        self._socket, theirs = socket.socketpair()
        with theirs:
            self._process = subprocess.Popen(
                [sys.executable, "-P", str(_SERVER), str(theirs.fileno()), readers.source()],
                env={"PATH": os.environ["PATH"], **env},
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                pass_fds=[theirs.fileno()],
            )
        self._answers: IO[str] = self._socket.makefile("r", encoding="utf-8")
        atexit.register(self.close)

    def close(self) -> None:
        self._answers.close()
        self._socket.close()
        self._process.wait()

    def run(
        self,
        command: list[str],
        request: tuple[object, ...],
        given: bytes,
        timeout: float,
    ) -> subprocess.CompletedProcess[bytes]:
        (in_theirs, in_ours), (out_ours, out_theirs), (err_ours, err_theirs) = os.pipe(), os.pipe(), os.pipe()
        theirs = [in_theirs, out_theirs, err_theirs]
        data = json.dumps(request).encode()
        try:
            socket.send_fds(self._socket, [len(data).to_bytes(4, "big")], theirs)
            self._socket.sendall(data)
        finally:
            for each in theirs:
                os.close(each)
        pid = int(self._answers.readline())
        streams: dict[str, bytes] = {}
        work: list[Callable[[], None]] = [
            functools.partial(_give, in_ours, given),
            functools.partial(_take, out_ours, streams, "out"),
            functools.partial(_take, err_ours, streams, "err"),
        ]
        threads = [threading.Thread(target=each, daemon=True) for each in work]
        until = time.monotonic() + timeout
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join(max(0.0, until - time.monotonic()))
        late = any(thread.is_alive() for thread in threads)
        if late:
            os.kill(pid, 9)
        code = int(self._answers.readline())
        if late:
            raise subprocess.TimeoutExpired(command, timeout)
        return subprocess.CompletedProcess(command, code, streams["out"], streams["err"])


def _give(descriptor: int, given: bytes) -> None:
    try:
        with os.fdopen(descriptor, "wb") as stream:
            stream.write(given)
    except BrokenPipeError:
        pass


def _take(descriptor: int, streams: dict[str, bytes], name: str) -> None:
    with os.fdopen(descriptor, "rb") as stream:
        streams[name] = stream.read()
