"""Feeds each frontend inputs that nobody would write, and reports what none of them may do: raise, hang, eat memory.

    python benchmarks/fuzz.py [--target NAME ...] [--count N] [--seed N] [--jobs N]
    python benchmarks/fuzz.py --target NAME --index N        # one input again, with its traceback

An input is a function of target, seed and number. A hang is more than 5 s of processor time for each 100 kB; memory is
bounded at 1 GB. A parser that kills its process (libclang does) is counted as lost: the program names the file and goes
on, so it is not a failure, unlike an error of ours. Every kind of failure is cut down to the smallest input that shows
it. The exit code is 1 when there is one.
"""

from __future__ import annotations

import argparse
import json
import mmap
import os
import resource
import select
import shutil
import signal
import struct
import subprocess
import sys
import tempfile
import threading
import time
import traceback
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path
from random import Random
from types import FrameType
from typing import Any, BinaryIO

SECONDS = 5.0
"""Of processor time for each 100 kB of an input, and for a smaller one."""

MEMORY = 1 << 30
PATIENCE = 12
"""So many times the processor time may pass on the clock before a child that says nothing is killed: the machine may
be busy, and a signal is only heard between two steps of Python."""

BATCH = 500
RETIRE = 600 << 20
"""Resident bytes after which a child is replaced."""

_NOW = struct.Struct("<qdd")
"""Number of the input, when it began, and its seconds: shared with the parent, which may have to kill."""


def deadline(size: int) -> float:
    return SECONDS * max(1.0, size / 100_000)


# --- the child --------------------------------------------------------------------------------


class HangError(BaseException):
    """No `except Exception` hears it."""


def _alarm(number: int, frame: FrameType | None) -> None:
    raise HangError


class Inside:
    """What the child does: makes inputs and runs them."""

    def __init__(self, target: str, seed: int, shared: mmap.mmap | None = None) -> None:
        from fuzz_targets import TARGETS

        self.name, self.seed, self.shared = target, seed, shared
        self.folder = Path(os.environ.get("OWNLINT_FUZZ_FOLDER") or tempfile.mkdtemp(prefix="ownlint-fuzz-"))
        self.target = TARGETS[target](self.folder)

    def input(self, index: int) -> bytes:
        return self.target.make(Random(f"{self.name}/{self.seed}/{index}"))

    def attempt(self, data: bytes, index: int) -> dict[str, Any] | None:
        """What went wrong, if anything."""
        seconds = deadline(len(data))
        if self.shared is not None:
            self.shared[: _NOW.size] = _NOW.pack(index, time.monotonic(), seconds)
        signal.setitimer(signal.ITIMER_PROF, seconds)
        try:
            self.target.run(data, Random(f"run/{len(data)}/{data[:4000]!r}"))
        except HangError:
            return {"kind": "hang", "error": f"more than {seconds:g} s", "trace": traceback.format_exc(limit=-8)}
        except Exception as error:  # noqa: BLE001 - this is what is looked for
            signal.setitimer(signal.ITIMER_PROF, 0)
            kind = f"{type(error).__name__} at {_place(error)}"
            return {"kind": kind, "error": str(error)[:300], "trace": traceback.format_exc(limit=-10)}
        finally:
            signal.setitimer(signal.ITIMER_PROF, 0)
        if resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024 > MEMORY:
            return {"kind": "memory", "error": f"more than {MEMORY >> 20} MB", "trace": ""}
        return None

    def spend(self, first: int, last: int) -> dict[str, Any]:
        slowest, slow = 0.0, first
        failures = []
        for index in range(first, last):
            data = self.input(index)
            started = time.process_time()
            if (wrong := self.attempt(data, index)) is not None:
                failures.append({**wrong, "index": index})
            if (spent := time.process_time() - started) > slowest:
                slowest, slow = spent, index
        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
        return {"failures": failures, "slowest": slowest, "slow": slow, "peak": peak}


def _place(error: BaseException) -> str:
    """The innermost line of ours, and what was wrong in words without numbers: failures of one kind are one."""
    frames = [f for f in traceback.extract_tb(error.__traceback__) if "/ownlint" in f.filename]
    if not frames or type(error).__name__ == "WrongError":
        return str(error)[:90]
    return f"{Path(frames[-1].filename).name}:{frames[-1].lineno}"


def _child(target: str, seed: int, shared_at: str) -> None:
    """Commands come on stdin: `range A B`, or `try` with a path; each is answered by a line of JSON."""
    answers = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)
    sys.setrecursionlimit(50_000)
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    resource.setrlimit(resource.RLIMIT_AS, (4 * MEMORY, 4 * MEMORY))
    signal.signal(signal.SIGPROF, _alarm)
    with Path(shared_at).open("r+b") as stream:
        inside = Inside(target, seed, mmap.mmap(stream.fileno(), _NOW.size))
    answers.write(b"{}\n")
    answers.flush()
    for line in sys.stdin:
        command, *words = line.split()
        if command == "range":
            answer = inside.spend(int(words[0]), int(words[1]))
        else:
            answer = inside.attempt(Path(words[0]).read_bytes(), -1) or {}
        answers.write(json.dumps(answer).encode() + b"\n")
        answers.flush()


# --- the parent -------------------------------------------------------------------------------


class LostError(Exception):
    """The child is gone: `index` is where, `reason` why."""

    def __init__(self, index: int, reason: str) -> None:
        super().__init__(reason)
        self.index, self.reason = index, reason


class Child:
    def __init__(self, target: str, seed: int) -> None:
        self.folder = Path(tempfile.mkdtemp(prefix="ownlint-fuzz-"))
        shared = self.folder / "now"
        shared.write_bytes(_NOW.pack(-1, time.monotonic(), 60.0))
        with shared.open("r+b") as stream:
            self.shared = mmap.mmap(stream.fileno(), _NOW.size)
        (self.folder / "in").mkdir()
        command = [sys.executable, __file__, "--child", str(shared), "--target", target, "--seed", str(seed)]
        self.process = subprocess.Popen(
            command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            env={**os.environ, "OWNLINT_FUZZ_FOLDER": str(self.folder / "in"), "LIBCLANG_NOTHREADS": "1"},
            preexec_fn=_deep,
        )
        self._buffer = b""
        self._answer()

    def ask(self, words: str) -> dict[str, Any]:
        assert self.process.stdin is not None
        self.shared[: _NOW.size] = _NOW.pack(-1, time.monotonic(), 30.0)
        try:
            self.process.stdin.write(f"{words}\n".encode())
            self.process.stdin.flush()
        except BrokenPipeError:
            pass
        return self._answer()

    def _answer(self) -> dict[str, Any]:
        assert self.process.stdout is not None
        while b"\n" not in self._buffer:
            if select.select([self.process.stdout], [], [], 1.0)[0]:
                piece = os.read(self.process.stdout.fileno(), 1 << 20)
                if not piece:
                    index, _, _ = _NOW.unpack(self.shared[: _NOW.size])
                    status = self.process.wait()
                    name = signal.Signals(-status).name if status < 0 else f"status {status}"
                    raise LostError(index, f"killed by {name}" if status < 0 else f"ended with {name}")
                self._buffer += piece
                continue
            index, began, seconds = _NOW.unpack(self.shared[: _NOW.size])
            if time.monotonic() - began > seconds * PATIENCE:
                self.process.kill()
                self.process.wait()
                raise LostError(index, "hang")
        line, _, self._buffer = self._buffer.partition(b"\n")
        return dict(json.loads(line))

    def close(self) -> None:
        self.process.kill()
        self.process.wait()
        for stream in (self.process.stdin, self.process.stdout):
            if stream is not None:
                stream.close()
        shutil.rmtree(self.folder, ignore_errors=True)


def _deep() -> None:
    """A stack as deep as the worker's."""
    _, hard = resource.getrlimit(resource.RLIMIT_STACK)
    most = 512 << 20
    resource.setrlimit(resource.RLIMIT_STACK, (most if hard == resource.RLIM_INFINITY else min(most, hard), hard))
    os.nice(5)


@dataclass
class Kind:
    """Failures that are one bug."""

    first: dict[str, Any]
    count: int = 1
    smallest: bytes = b""


@dataclass
class Result:
    target: str
    count: int = 0
    seconds: float = 0.0
    slowest: float = 0.0
    slow: int = 0
    peak: int = 0
    lost: int = 0
    kinds: dict[str, Kind] = field(default_factory=dict)

    def failed(self, wrong: dict[str, Any]) -> None:
        if wrong["kind"].startswith("killed by") and self.target == "cpp-typed":
            self.lost += 1
        elif (kind := self.kinds.get(wrong["kind"])) is not None:
            kind.count += 1
            if wrong["index"] < kind.first["index"]:
                kind.first = wrong
        else:
            self.kinds[wrong["kind"]] = Kind(wrong)


def run(target: str, seed: int, first: int, count: int, jobs: int) -> Result:
    result = Result(target)
    lock = threading.Lock()
    ranges: Iterator[int] = iter(range(first, first + count, BATCH))
    started = time.monotonic()

    def work() -> None:
        child: Child | None = None
        while True:
            with lock:
                at = next(ranges, None)
            if at is None:
                break
            last = min(at + BATCH, first + count)
            while at < last:
                child = child or Child(target, seed)
                try:
                    done = child.ask(f"range {at} {last}")
                    at = last
                except LostError as lost:
                    # What the child found in this batch before is lost with it: those are done again, without this one.
                    child.close()
                    child = None
                    with lock:
                        result.failed({"kind": lost.reason, "error": lost.reason, "trace": "", "index": lost.index})
                    if lost.index < at:
                        break
                    last_before, at_after = lost.index, lost.index + 1
                    done = _again(target, seed, at, last_before)
                    at = at_after
                with lock:
                    for wrong in done["failures"]:
                        result.failed(wrong)
                    if done["slowest"] > result.slowest:
                        result.slowest, result.slow = done["slowest"], done["slow"]
                    result.peak = max(result.peak, done["peak"])
                if done["peak"] > RETIRE and child is not None:
                    child.close()
                    child = None
        if child is not None:
            child.close()

    with ThreadPoolExecutor(jobs) as pool:
        for working in [pool.submit(work) for _ in range(jobs)]:
            working.result()
    result.count, result.seconds = count, time.monotonic() - started
    return result


def _again(target: str, seed: int, first: int, last: int) -> dict[str, Any]:
    child = Child(target, seed)
    try:
        return child.ask(f"range {first} {last}")
    except LostError as lost:
        wrong = {"kind": lost.reason, "error": lost.reason, "trace": "", "index": lost.index}
        return {"failures": [wrong], "slowest": 0.0, "slow": first, "peak": 0}
    finally:
        child.close()


# --- cutting down -----------------------------------------------------------------------------


def cut_down(target: str, seed: int, data: bytes, kind: str, tries: int = 300, seconds: float = 60) -> bytes:
    """The smallest input found that fails in the same way: pieces are left out, halves first (Zeller's ddmin)."""
    child: Child | None = None
    place = Path(tempfile.mkdtemp(prefix="ownlint-fuzz-")) / "input"
    until = time.monotonic() + seconds

    def fails(pieces: list[bytes]) -> bool:
        nonlocal child, tries
        tries -= 1
        place.write_bytes(b"".join(pieces))
        child = child or Child(target, seed)
        try:
            said = child.ask(f"try {place}").get("kind")
        except LostError as lost:
            child.close()
            child, said = None, lost.reason
        return said == kind

    def over() -> bool:
        return tries <= 0 or time.monotonic() > until

    try:
        for split in (_lines, _tokens):
            data = b"".join(_smaller(split(data), fails, over))
    finally:
        if child is not None:
            child.close()
        shutil.rmtree(place.parent, ignore_errors=True)
    return data


def _lines(data: bytes) -> list[bytes]:
    return data.splitlines(keepends=True)


def _tokens(data: bytes) -> list[bytes]:
    import re

    return re.findall(rb"\w+|\s+|[^\w\s]", data)


def _smaller(pieces: list[bytes], fails: Callable[[list[bytes]], bool], over: Callable[[], bool]) -> list[bytes]:
    size = len(pieces) // 2
    while size and not over():
        at = 0
        while at < len(pieces) and not over():
            without = pieces[:at] + pieces[at + size :]
            if without and fails(without):
                pieces = without
            else:
                at += size
        size //= 2
    return pieces


# --- the command ------------------------------------------------------------------------------


def _say(result: Result, seed: int, out: BinaryIO) -> None:
    for kind, found in sorted(result.kinds.items()):
        first = found.first
        print(f"\n{result.target}: {found.count} x {kind}: {first['error']}")
        print(f"  again: python benchmarks/fuzz.py --target {result.target} --seed {seed} --index {first['index']}")
        print("".join(f"  {line}\n" for line in first["trace"].splitlines()[-8:]), end="")
        print(f"  smallest: {found.smallest[:1500]!r}", flush=True)


def _cut_all_down(result: Result, seed: int, *, whole: bool) -> None:
    inside = Inside(result.target, seed)
    for kind, found in result.kinds.items():
        data = inside.input(found.first["index"])
        found.smallest = data if whole else cut_down(result.target, seed, data, kind)
    shutil.rmtree(inside.folder, ignore_errors=True)


def _row(result: Result) -> str:
    rate = result.count / result.seconds if result.seconds else 0
    kinds = sum(kind.count for kind in result.kinds.values())
    return (
        f"{result.target:<14} {result.count:>8,} {kinds:>8} {len(result.kinds):>6} {result.lost:>5} {rate:>9,.0f} "
        f"{result.slowest:>8.2f} s (#{result.slow}) {result.peak / 1e6:>7,.0f}"
    )


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--target", action="append", default=[])
    parser.add_argument("--count", type=int, default=20_000)
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--index", type=int)
    parser.add_argument("--no-smallest", action="store_true", help="do not cut failures down")
    parser.add_argument("--child", help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.child:
        _child(given.target[0], given.seed, given.child)
        return 0
    from fuzz_targets import TARGETS

    if unknown := [name for name in given.target if name not in TARGETS]:
        parser.error(f"no such target: {', '.join(unknown)}; there are {', '.join(TARGETS)}")
    if given.index is not None:
        return _one(given.target[0], given.seed, given.index)
    results = []
    head = f"{'target':<14} {'inputs':>8} {'failures':>8} {'kinds':>6} {'lost':>5} {'inputs/s':>9} "
    head += f"{'slowest':>10} {'':>9} {'peak MB':>7}"
    for name in given.target or TARGETS:
        result = run(name, given.seed, given.first, given.count, given.jobs)
        if result.kinds:
            _cut_all_down(result, given.seed, whole=given.no_smallest or name == "renderers")
        _say(result, given.seed, sys.stdout.buffer)
        print(f"{head}\n{_row(result)}", flush=True)
        results.append(result)
    print(f"\nseed {given.seed}\n{head}")
    for result in results:
        print(_row(result))
    return 1 if any(result.kinds for result in results) else 0


def _one(target: str, seed: int, index: int) -> int:
    """One input, in this process."""
    sys.setrecursionlimit(50_000)
    signal.signal(signal.SIGPROF, _alarm)
    inside = Inside(target, seed)
    data = inside.input(index)
    sys.stdout.buffer.write(data + b"\n")
    sys.stdout.flush()
    wrong = inside.attempt(data, index)
    shutil.rmtree(inside.folder, ignore_errors=True)
    if wrong is not None:
        print(f"{wrong['kind']}: {wrong['error']}\n{wrong['trace']}")
    return 1 if wrong is not None else 0


if __name__ == "__main__":
    sys.exit(main())
