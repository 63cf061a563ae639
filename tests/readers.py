"""The processes that read files, many times: each `ownlint check` starts some, and most of what one costs is Python
importing the parsers once more.

So only the first of each process that tests is a real one, and so is each that a test has given a start of its own.
Those that follow are copies of a process that has imported the parsers (`readers_copied`); they lead a process group
and end with whoever asked for them, as real ones do. `OWNLINT_STARTS=real` makes all of them real.
"""

from __future__ import annotations

import atexit
import functools
import json
import os
import resource
import select
import socket
import subprocess
import sys
import uuid
from io import FileIO
from pathlib import Path

from ownlint.frontends import extract

REAL = os.environ.get("OWNLINT_STARTS") == "real"
_COPIED = Path(__file__).with_name("readers_copied.py")
_START = extract._START
_really = extract._started


class _Copy:
    """What `extract` needs of a `subprocess.Popen`."""

    def __init__(self, connection: socket.socket, folder: str) -> None:
        (theirs_in, ours_in), (ours_out, theirs_out) = os.pipe(), os.pipe()
        self.stdin, self.stdout = FileIO(ours_in, "wb"), FileIO(ours_out, "rb")
        request = (folder, extract._environment(folder), resource.getrlimit(resource.RLIMIT_AS))
        data = json.dumps(request).encode()
        try:
            socket.send_fds(connection, [len(data).to_bytes(4, "big")], [theirs_in, theirs_out])
            connection.sendall(data)
        finally:
            os.close(theirs_in)
            os.close(theirs_out)
        self._connection = connection
        self._said = b""
        self._heard(1, None)
        self.pid = int(self._said.split()[0])

    def _heard(self, lines: int, seconds: float | None) -> bool:
        """Whether so many lines are there, after so many seconds at most."""
        while self._said.count(b"\n") < lines:
            if not select.select([self._connection], [], [], seconds)[0]:
                return False
            piece = self._connection.recv(64)
            if not piece:
                raise RuntimeError("the process that is copied has ended")
            self._said += piece
        return True

    def poll(self) -> int | None:
        return int(self._said.split()[1]) if self._heard(2, 0) else None

    def wait(self, timeout: float | None = None) -> int:
        if not self._heard(2, timeout):
            raise subprocess.TimeoutExpired("a reader", timeout or 0)
        return int(self._said.split()[1])

    def __del__(self) -> None:
        self._connection.close()


def copied_from(name: str) -> None:
    """From now on readers of this process are copies of the one of that name."""

    def started(folder: str) -> subprocess.Popen[bytes] | _Copy:
        if extract._START != _START or _named(name) != name:
            return _really(folder)
        connection = socket.socket(socket.AF_UNIX)
        connection.connect("\0" + name)
        return _Copy(connection, folder)

    extract._started = started  # type: ignore[assignment]


def _named(name: str) -> str:
    """That of the process which has what would be started here."""
    return f"{name.rpartition('-')[0]}-{_what()}"


def _what() -> str:
    return uuid.uuid5(uuid.NAMESPACE_OID, "\n".join(extract._command())).hex


def copied() -> None:
    """As `copied_from`, of a process of our own; the first is a real one."""
    if REAL:
        return

    def started(folder: str) -> subprocess.Popen[bytes]:
        if extract._START == _START:
            copied_from(source())
        return _really(folder)

    extract._started = started


@functools.cache
def source() -> str:
    """The name of a process that is copied, and ends with us."""
    name = f"ownlint-{uuid.uuid4().hex}-{_what()}"
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind("\0" + name)
        listener.listen(64)
        process = subprocess.Popen(
            [sys.executable, "-I", "-S", str(_COPIED), str(listener.fileno()), *extract._folders()],
            env=extract._environment("/"),
            stdin=subprocess.PIPE,
            stdout=subprocess.DEVNULL,
            pass_fds=[listener.fileno()],
        )
    atexit.register(process.wait)
    assert process.stdin is not None
    atexit.register(process.stdin.close)  # which is called first, and tells it
    return name
