"""Files in, facts out, in the order they were asked for.

Work goes through a `concurrent.futures.Executor` and nothing else. Every thread (or process, or
cluster worker) that runs a piece of it owns one child process that does the reading: a crash or a
hang costs one file, and the child is replaced.
"""

from __future__ import annotations

import importlib.machinery
import os
import shutil
import subprocess
import sys
import tempfile
import threading
import time
import uuid
from collections import deque
from collections.abc import Iterator, Sequence
from concurrent.futures import Executor, Future, ThreadPoolExecutor, wait
from pathlib import Path

import msgspec

from ownlint.children import LostError, Messages, frame, kill_group, signal_name
from ownlint.facts.base import LIBCLANG
from ownlint.facts.records import FileRecord, Language, Problem, decode_file, encode_file
from ownlint.facts.vocabulary import Vocabulary
from ownlint.frontends.worker import Handshake, Request, Response
from ownlint.sources.compilation import Command

CHUNK = 16
"""Files a thread takes at a time; those with types are taken one by one."""

WINDOW = 32_000
"""Bytes of requests that may wait in the pipe: below its capacity, so that writing never blocks."""


class Task(msgspec.Struct, frozen=True):
    """One file to read. `types` asks for meaning too, which needs a `command`."""

    language: Language
    path: str
    absolute: str
    command: Command | None = None
    types: bool = False
    module: str = ""
    ahead: tuple[str, ...] = ()
    """Filled in by `extract`: lines of a header that is parsed once for several files."""


class Extracted(msgspec.Struct, frozen=True):
    """`encoded` is a `FileRecord`. `dependencies` are the headers that were read for its meaning, absolute
    paths; `digest` is the blake2b of the file's bytes, empty when they could not be read. `lost` is a file whose
    reader gave no answer: another attempt may have one."""

    path: str
    encoded: bytes
    dependencies: tuple[str, ...] = ()
    digest: str = ""
    lost: bool = False


class ExtractorSettings(msgspec.Struct, frozen=True):
    """What a child is started with. `run` tells the children of one call from those of another."""

    run: str
    handshake: bytes
    deadline: float


def extract(
    tasks: Sequence[Task],
    vocabulary: Vocabulary,
    jobs: int,
    deadline: float,
    executor: Executor | None = None,
    limits: Handshake | None = None,
) -> Iterator[Extracted]:
    """Reads `tasks`; `deadline` is in seconds of wall time for each file, for structure and meaning
    each. `limits` changes the sizes of `Handshake`; its vocabulary is not looked at."""
    if not tasks:
        return
    handshake = msgspec.structs.replace(limits or Handshake(vocabulary), vocabulary=vocabulary)
    settings = ExtractorSettings(uuid.uuid4().hex, msgspec.json.encode(handshake), deadline)
    pool = executor or ThreadPoolExecutor(max(1, jobs), thread_name_prefix="ownlint")
    waiting: deque[Future[list[Extracted]]] = deque()
    try:
        for chunk in _chunks(_sharing(tasks), max(1, min(CHUNK, len(tasks) // (4 * max(1, jobs))))):
            waiting.append(pool.submit(run_chunk, settings, chunk))
            if len(waiting) > 4 * max(1, jobs):
                yield from waiting.popleft().result()
        while waiting:
            yield from waiting.popleft().result()
    finally:
        for future in waiting:
            future.cancel()
        _kill_all(settings.run)
        wait(waiting)
        _close_all(settings.run)
        if executor is None:
            pool.shutdown(wait=True, cancel_futures=True)


def _sharing(tasks: Sequence[Task]) -> Sequence[Task]:
    from ownlint.frontends.cpp.shared import FEWEST, Unit, shared

    units = [
        Unit(task.absolute, task.command.arguments, task.command.directory)
        for task in tasks
        if task.types and task.command is not None
    ]
    if len(units) < FEWEST:
        return tasks
    ahead = shared(units)
    return [msgspec.structs.replace(task, ahead=ahead.get(task.absolute, ())) for task in tasks]


def _chunks(tasks: Sequence[Task], size: int) -> Iterator[tuple[Task, ...]]:
    chunk: list[Task] = []
    for task in tasks:
        alone = task.types and task.command is not None
        if chunk and (alone or len(chunk) == size):
            yield tuple(chunk)
            chunk.clear()
        if alone:
            yield (task,)
        else:
            chunk.append(task)
    if chunk:
        yield tuple(chunk)


# --- one piece of work -------------------------------------------------------------------------


def run_chunk(settings: ExtractorSettings, tasks: Sequence[Task]) -> list[Extracted]:
    """Reads `tasks` with the child of this thread. A module-level function, so that an executor
    may carry it to another process."""
    done: dict[int, Extracted] = {}
    todo = deque((index, request) for index, task in enumerate(tasks) for request in _requests(task))
    while todo and settings.run not in _stopped:
        child = _child(settings)
        try:
            for index, (response, encoded) in child.converse(todo, settings.deadline):
                done[index] = Extracted(tasks[index].path, encoded, response.dependencies, response.digest)
        except LostError as lost:
            _drop_child()
            index, request = todo.popleft()
            done[index] = _damaged(tasks[index], request, done.get(index), lost)
            if request.kind == "structure" and todo and todo[0][0] == index:
                todo.popleft()  # no meaning without a structure
        else:
            if child.tired:
                _drop_child()
    return [done[index] for index in sorted(done)]


def _requests(task: Task) -> Iterator[Request]:
    if task.language == "python":
        yield Request("python", task.path, task.absolute, module=task.module)
        return
    yield Request("structure", task.path, task.absolute)
    if task.types and task.command is not None:
        command = task.command
        how = (command.arguments, command.directory)
        yield Request("meaning", task.path, task.absolute, *how, ahead=task.ahead, project=command.project)


def _damaged(task: Task, request: Request, before: Extracted | None, lost: LostError) -> Extracted:
    """What is left of a file when its child was lost."""
    problem = Problem(0, 0, "limit" if lost.limit else "types" if request.kind == "meaning" else "unread", lost.reason)
    if before is None:
        bare = FileRecord(task.path, task.language, 0, problems=(problem,))
        return Extracted(task.path, encode_file(bare), lost=True)
    file = decode_file(before.encoded)
    file = msgspec.structs.replace(file, problems=(*file.problems, problem))
    return msgspec.structs.replace(before, encoded=encode_file(file), lost=True)


# --- the children ------------------------------------------------------------------------------


class Child:
    """A running worker, its pipes and its private folder for temporary files."""

    def __init__(self, settings: ExtractorSettings) -> None:
        self.run = settings.run
        self.tired = False
        self._folder = tempfile.mkdtemp(prefix="ownlint-")
        self._process = _started(self._folder)
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._input = self._process.stdin
        self._messages = Messages(self._process.stdout.fileno())
        self._greeted = False
        self._send(settings.handshake)

    def converse(
        self, todo: deque[tuple[int, Request]], deadline: float
    ) -> Iterator[tuple[int, tuple[Response, bytes]]]:
        """Answers to `todo`, whose entries leave it as they are answered; ends early when the child
        wants to be replaced. Requests are sent ahead, as far as the pipe takes them."""
        waiting: deque[int] = deque()
        ahead = 0
        while todo:
            while len(waiting) < len(todo) and not self.tired:
                message = msgspec.json.encode(todo[len(waiting)][1])
                if waiting and ahead + len(message) > WINDOW:
                    break
                self._send(message)
                waiting.append(len(message))
                ahead += len(message)
            if not waiting:
                return
            response, encoded = self._receive(deadline)
            ahead -= waiting.popleft()
            self.tired = self.tired or response.retire
            index, _request = todo.popleft()
            yield index, (response, encoded)

    def _send(self, message: bytes) -> None:
        try:
            data = memoryview(frame(message))
            while data:
                data = data[self._input.write(data) :]
        except BrokenPipeError:
            pass  # it is gone; the next attempt to read says how

    def _receive(self, deadline: float) -> tuple[Response, bytes]:
        if not self._greeted:
            self._message(time.monotonic() + START_UP)
            self._greeted = True
        until = time.monotonic() + deadline
        response = _response_decoder.decode(self._message(until, deadline))
        return response, self._message(until, deadline)

    def _message(self, until: float, deadline: float = 0) -> bytes:
        try:
            message = self._messages.next(until - time.monotonic())
        except EOFError:
            raise LostError(self._death()) from None
        if message is None:
            reason = f"not read within {deadline:g} s" if deadline else "the reader did not start"
            raise LostError(reason, limit=bool(deadline))
        return message

    def _death(self) -> str:
        try:
            status = self._process.wait(timeout=5)
        except subprocess.TimeoutExpired:
            return "the reader closed its output"
        if not self._greeted:
            return "the reader did not start"
        if status < 0:
            return f"the parser crashed ({signal_name(-status)})"
        return f"the reader exited with status {status}"

    def kill(self) -> None:
        """At once, with everything it may have started."""
        kill_group(self._process)

    def close(self) -> None:
        """Kills it and cleans up after it. Nothing is lost: every answer that counts has been read."""
        self.kill()
        self._process.wait()
        self._input.close()
        if self._process.stdout is not None:
            self._process.stdout.close()
        shutil.rmtree(self._folder, ignore_errors=True)


START_UP = 30.0
"""Seconds a child may take to say that it is there, on a busy machine."""

_response_decoder = msgspec.json.Decoder(Response)
_own = threading.local()
_lock = threading.Lock()
_living: dict[str, list[Child]] = {}
_stopped: set[str] = set()


def _child(settings: ExtractorSettings) -> Child:
    """The child of this thread, a new one where there is none."""
    child: Child | None = getattr(_own, "child", None)
    if child is not None and child.run == settings.run:
        return child
    if child is not None:
        _drop_child()
    child = Child(settings)
    with _lock:
        _living.setdefault(settings.run, []).append(child)
        stopped = settings.run in _stopped
    if stopped:  # while it was starting
        child.kill()
    _own.child = child
    return child


def _drop_child() -> None:
    child: Child = _own.child
    _own.child = None
    child.close()
    with _lock:
        children = _living.get(child.run, [])
        if child in children:
            children.remove(child)


def _kill_all(run: str) -> None:
    """Whoever waits for one of them wakes up, and leaves."""
    with _lock:
        _stopped.add(run)
        for child in _living.get(run, ()):
            child.kill()


def _close_all(run: str) -> None:
    """Only when nobody waits for them any more: a closed descriptor may be somebody else's soon."""
    with _lock:
        children = _living.pop(run, [])
    for child in children:
        child.close()


# --- how a child is started --------------------------------------------------------------------

_START = """\
import gc, sys
gc.disable()  # what is imported stays
sys.path += sys.argv[1:]
from ownlint.frontends.worker import main
main()
"""


def _started(folder: str) -> subprocess.Popen[bytes]:
    """A child that stands in this folder of its own."""
    return subprocess.Popen(
        _command(),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        cwd=folder,
        env=_environment(folder),
        start_new_session=True,
        bufsize=0,
    )


def _command() -> list[str]:
    """Isolated, without site-packages and the folder we stand in: a `msgspec.py` that lies in the
    analysed project must not be imported. What is needed is named."""
    return [sys.executable, "-I", "-S", "-c", _START, *_folders()]


def _folders() -> tuple[str, ...]:
    """Where ownlint and what it reads with are installed, ours first."""
    ours = str(Path(__file__).resolve().parents[2])
    home = str(Path(msgspec.__file__).resolve().parents[1])
    here = Path.cwd()
    path = [home, *(entry for entry in sys.path if entry and Path(entry).is_absolute() and Path(entry) != here)]
    found = {ours: None, home: None}
    for name in ("libcst", "clang", "tree_sitter", "tree_sitter_cpp", "re2", "yaml"):
        spec = importlib.machinery.PathFinder.find_spec(name, path)
        if spec is not None and spec.origin is not None:
            found[str(Path(spec.origin).resolve().parents[1])] = None
    return tuple(found)


def _environment(folder: str) -> dict[str, str]:
    """Nothing that changes how headers are found (`CPATH`) or how Python starts."""
    kept = ("LD_LIBRARY_PATH", "DYLD_LIBRARY_PATH", "SYSTEMROOT", LIBCLANG)
    environment = {name: os.environ[name] for name in kept if name in os.environ}
    return environment | {"LIBCLANG_NOTHREADS": "1", "TMPDIR": folder, "LC_ALL": "C.UTF-8", "PATH": os.defpath}
