"""Child processes that may crash, hang or eat memory: how they are bounded, heard and killed.

Files are read in some (`frontends.extract`), rules are run in others (`analysis`), and what is a single answer is
worked out in one of its own (`answered`). Messages are four bytes of length, big endian, and then so many bytes. A
child leads a process group, which is killed as a whole, and ends when its parent has gone.
"""

from __future__ import annotations

import math
import mmap
import os
import resource
import select
import signal
import struct
import sys
import threading
import time
import traceback
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from typing import BinaryIO, NoReturn, Protocol

STACK = 512 * 1024 * 1024
"""Bytes. Enough for 100,000 terms in one expression; only the pages that are used count."""

RECURSION = 50_000

MEMORY = 64 << 30
"""Bytes of address space that a child which analyses may have where nobody knows how much there is."""

_LOOKS_AFTER_PARENT = 1.0
"""Seconds between two looks at whether the parent is still there."""


class LostError(Exception):
    """The child crashed, hung or never began. `limit`: it ran out of time."""

    def __init__(self, reason: str, *, limit: bool = False) -> None:
        super().__init__(reason)
        self.reason = reason
        self.limit = limit


class RunEnd:
    """When a run has to say what it has: at a moment, or at once when it is asked to. Children share it."""

    _LAYOUT = struct.Struct("d")

    def __init__(self, seconds: float | None = None) -> None:
        """In so many seconds; None: when it has come to its end."""
        self._memory = mmap.mmap(-1, self._LAYOUT.size)
        self._put(math.inf if seconds is None else time.monotonic() + seconds)

    def _put(self, at: float) -> None:
        self._LAYOUT.pack_into(self._memory, 0, at)

    @property
    def left(self) -> float:
        """Seconds; 0 and less where it is due."""
        return float(self._LAYOUT.unpack_from(self._memory)[0]) - time.monotonic()

    @contextmanager
    def on_signals(self) -> Iterator[None]:
        """While this lasts, the first signal that asks us to end asks for what there is; the next ends us as before."""
        if threading.current_thread() is not threading.main_thread():
            yield
            return
        before = {number: signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)}

        def ends(number: int, _frame: object) -> None:
            self._put(time.monotonic())
            for each, handler in before.items():
                signal.signal(each, handler)

        for number, handler in before.items():
            if callable(handler):  # not where it is to be ignored, or ends us at once
                signal.signal(number, ends)
        try:
            yield
        finally:
            for number, handler in before.items():
                signal.signal(number, handler)


# --- messages --------------------------------------------------------------------------------------


def frame(data: bytes) -> bytes:
    return len(data).to_bytes(4, "big") + data


def receive(stream: BinaryIO) -> bytes | None:
    """The next message; None at the end of the stream, also when it ends in the middle of one."""
    head = stream.read(4)
    if len(head) < 4:
        return None
    size = int.from_bytes(head, "big")
    data = stream.read(size)
    return data if len(data) == size else None


class Messages:
    """What a child says, read from a descriptor that it writes to."""

    def __init__(self, descriptor: int) -> None:
        self._descriptor = descriptor
        self._buffer = bytearray()
        self._poll = select.poll()
        self._poll.register(descriptor, select.POLLIN)

    def next(self, seconds: float) -> bytes | None:
        """The next message; None when there is none within so many seconds, and what came of one is kept. Raises
        `EOFError` when the child has closed its end."""
        until = time.monotonic() + seconds
        if not self._fill(4, until):
            return None
        size = 4 + int.from_bytes(self._buffer[:4], "big")
        if not self._fill(size, until):
            return None
        message = bytes(self._buffer[4:size])
        del self._buffer[:size]
        return message

    def _fill(self, size: int, until: float) -> bool:
        while len(self._buffer) < size:
            left = until - time.monotonic()
            if not self._poll.poll(max(0.0, left * 1000)):
                return False
            piece = os.read(self._descriptor, 1 << 20)
            if not piece:
                raise EOFError
            self._buffer += piece
        return True


# --- processes -------------------------------------------------------------------------------------


class Process(Protocol):
    """What is needed of a `subprocess.Popen`, or of what was forked."""

    @property
    def pid(self) -> int: ...

    def poll(self) -> int | None: ...


class Forked:
    """A child that is a copy of this process. `work` runs in it, and its end is the child's: it never returns here."""

    def __init__(self, work: Callable[[], object], *, group: bool) -> None:
        """`group`: it leads a process group of its own, apart from the terminal."""
        parent = os.getpid()
        self._group = group
        self._status: int | None = None
        self.pid = os.fork()
        if self.pid == 0:
            _become(work, parent, group=group)

    def ended(self, seconds: float) -> int | None:
        """How it ended, as `subprocess` counts; None when it still runs after so many seconds."""
        until = time.monotonic() + seconds
        while self._status is None:
            pid, status = os.waitpid(self.pid, os.WNOHANG)
            if pid:
                self._status = os.waitstatus_to_exitcode(status)
            elif time.monotonic() > until:
                return None
            else:
                time.sleep(0.005)
        return self._status

    def death(self) -> str:
        """Why it has closed its output without a word."""
        status = self.ended(5)
        if status is None:
            return "its process closed its output"
        return f"its process crashed ({signal_name(-status)})" if status < 0 else "its process exited early"

    def close(self) -> None:
        """Kills it at once, with its group where it leads one, and waits for its end."""
        with suppress(ProcessLookupError, PermissionError):  # it has not come so far as to lead one, or all have gone
            if self._group:
                os.killpg(self.pid, signal.SIGKILL)
        if self._status is None:
            with suppress(ProcessLookupError):
                os.kill(self.pid, signal.SIGKILL)
            _, status = os.waitpid(self.pid, 0)
            self._status = os.waitstatus_to_exitcode(status)


def _become(work: Callable[[], object], parent: int, *, group: bool) -> NoReturn:
    """Nothing of the parent's is flushed, closed or caught: what is inherited of its state belongs to it."""
    try:
        if group:
            os.setsid()
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            signal.signal(number, signal.SIG_DFL)
        nothing = os.open(os.devnull, os.O_RDWR)
        for stream in (0, 1, 2):
            os.dup2(nothing, stream)
        sys.stdin, sys.stdout, sys.stderr = (open(os.devnull, mode) for mode in ("r", "w", "w"))  # noqa: PTH123, SIM115
        if group:
            watched(work, parent)
        threading.stack_size(1 << 20)
        threading.Thread(target=_leave_after, args=(parent,), daemon=True).start()
        work()
    finally:
        os._exit(0)


def _leave_after(parent: int) -> None:
    while os.getppid() == parent:
        time.sleep(_LOOKS_AFTER_PARENT)
    os._exit(1)


def watched(work: Callable[[], object], parent: int) -> NoReturn:
    """Does `work` in a thread with a large stack, and ends the process with it, or when `parent` has gone: killed
    without a chance to stop us, maybe in the middle of a hang. Then what else is in our process group ends, too."""
    sys.setrecursionlimit(RECURSION)
    threading.stack_size(STACK)
    thread = threading.Thread(target=work, daemon=True)
    thread.start()
    while thread.is_alive():
        thread.join(timeout=_LOOKS_AFTER_PARENT)
        if os.getppid() != parent:
            if os.getpgrp() == os.getpid():
                os.killpg(os.getpid(), signal.SIGKILL)
            os._exit(1)
    # Parsers hold large trees; tearing them down politely would take longer than the last file did.
    os._exit(0)  # the parent asks for no status: a child that leaves too early has crashed


def answered(work: Callable[[], bytes], seconds: float, memory: int) -> bytes:
    """What `work` answers in a child that may use so many bytes of memory. Raises `LostError` when it raises, crashes,
    or is not done within so many seconds."""
    output, theirs = os.pipe()
    try:
        child = Forked(lambda: _answer(work, theirs, memory), group=True)
    finally:
        os.close(theirs)
    try:
        said = Messages(output).next(seconds)
    except EOFError:
        raise LostError(child.death()) from None
    finally:
        child.close()
        os.close(output)
    if said is None:
        raise LostError(f"not finished within {seconds:g} s", limit=True)
    if not said.startswith(_WORKED):
        raise LostError(said[1:].decode())
    return said[1:]


_WORKED, _RAISED = b"+", b"-"


def _answer(work: Callable[[], bytes], output: int, memory: int) -> None:
    bound(memory)
    try:
        said = _WORKED + work()
    except MemoryError:
        said = _RAISED + b"it takes too much memory"
    except BaseException as error:  # noqa: BLE001 - the parent says it in one line
        said = _RAISED + described(error).encode("utf-8", "replace")
    tell(output, said)


def tell(descriptor: int, message: bytes) -> None:
    """Writes one message, whole."""
    data = memoryview(frame(message))
    while data:
        data = data[os.write(descriptor, data) :]


def described(error: BaseException) -> str:
    """In one line, with the place in the code where it was raised."""
    where = traceback.extract_tb(error.__traceback__)[-1:]
    place = "".join(f" ({os.path.basename(frame.filename)}:{frame.lineno})" for frame in where)  # noqa: PTH119
    return " ".join(f"{type(error).__name__}: {error}{place}".split())


def kill_group(process: Process) -> None:
    """At once, with everything it may have started."""
    if process.poll() is None:
        with suppress(ProcessLookupError):
            try:
                os.killpg(process.pid, signal.SIGKILL)
            except (ProcessLookupError, PermissionError):  # it has not come so far as to lead one
                os.kill(process.pid, signal.SIGKILL)


def signal_name(number: int) -> str:
    try:
        return signal.Signals(number).name
    except ValueError:
        return f"signal {number}"


def bound(memory: int) -> None:
    """Bounds this process: its address space to so many bytes, and no core file."""
    for what, most in ((resource.RLIMIT_CORE, 0), (resource.RLIMIT_AS, memory)):
        _soft, hard = resource.getrlimit(what)
        limit = most if hard == resource.RLIM_INFINITY else min(most, hard)
        resource.setrlimit(what, (limit, hard))


def resident() -> int:
    """Bytes of memory that this process uses now, or where that is not known, has ever used."""
    try:
        with open("/proc/self/statm", "rb") as stream:  # noqa: PTH123 - once a file; this is the fast way
            return int(stream.read().split()[1]) * resource.getpagesize()
    except (OSError, IndexError, ValueError):
        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
