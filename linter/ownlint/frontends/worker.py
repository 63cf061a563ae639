"""A child that reads files: `python -m ownlint.frontends.worker`.

Parsers crash and hang on hostile input, so they run here and nowhere else. Requests come on stdin,
responses leave on the stdout the child was started with (fd 1 is pointed at fd 2 at once, since
libclang prints). Every message is four bytes of length, big endian, and then so many bytes:

    parent                      child
    Handshake (JSON)       ->
                           <-   an empty message: it is there
    Request (JSON)         ->
                           <-   Response (JSON), then the encoded `FileRecord`

Requests are answered in order, one at a time; several may wait in the pipe. A `meaning` request
answers with the whole file again, types and symbols joined in.
"""

from __future__ import annotations

import gc
import os
import sys
import tempfile
from typing import TYPE_CHECKING, BinaryIO, Literal

import msgspec

from ownlint import door
from ownlint.children import bound, frame, receive, resident, watched
from ownlint.facts.digest import digest_of
from ownlint.facts.records import FileRecord, Problem, encode_file
from ownlint.facts.vocabulary import Vocabulary

if TYPE_CHECKING:
    from ownlint.frontends.cpp.meaning import Precompiled


RETIRE = 400 * 1024**2


class Handshake(msgspec.Struct, frozen=True):
    """`memory` bounds the address space, `retire` is the resident size after which the child asks
    to be replaced; all in bytes."""

    vocabulary: Vocabulary
    cpp_limit: int = 8_000_000
    python_limit: int = 1_000_000
    memory: int = 4 * 1024**3
    retire: int = RETIRE


class Request(msgspec.Struct, frozen=True):
    """`path` is what the records say, `absolute` what is opened."""

    kind: Literal["structure", "meaning", "python"]
    path: str
    absolute: str
    arguments: tuple[str, ...] = ()
    directory: str = ""
    module: str = ""
    ahead: tuple[str, ...] = ()
    """Lines of a header to parse ahead, once for all requests that have the same."""
    project: str = ""
    """The folder whose files may all be read for types; `directory` where it is empty."""


class Response(msgspec.Struct, frozen=True):
    """`digest` is the blake2b of the bytes that were read, empty when they were not."""

    digest: str = ""
    dependencies: tuple[str, ...] = ()
    retire: bool = False


class WorkerReader:
    """Answers requests. Parsers are imported when the first request needs them."""

    def __init__(self, handshake: Handshake) -> None:
        self._handshake = handshake
        self._last: tuple[str, bytes, FileRecord] | None = None
        self._ahead: dict[tuple[tuple[str, ...], tuple[str, ...], str], Precompiled | None] = {}

    def answer(self, request: Request) -> tuple[Response, bytes]:
        language: Literal["cpp", "python"] = "python" if request.kind == "python" else "cpp"
        limit = self._handshake.python_limit if language == "python" else self._handshake.cpp_limit
        try:
            data = door.read(request.absolute, limit)
        except door.UnreadableError as error:
            problem = Problem(0, 0, "limit" if error.size > limit else "unread", error.reason)
            return Response(), encode_file(FileRecord(request.path, language, error.size, problems=(problem,)))
        digest = digest_of(data)
        dependencies: tuple[str, ...] = ()
        try:
            match request.kind:
                case "structure":
                    file = self._structure(request, data)
                case "meaning":
                    file, dependencies = self._meaning(request, data)
                case "python":
                    file = self._python(request, data)
            encoded = encode_file(file)
        except Exception as error:  # noqa: BLE001 - a parser's bug costs one file, never the run
            kind: Literal["types", "unread"] = "types" if request.kind == "meaning" else "unread"
            out = isinstance(error, MemoryError)
            problem = Problem(
                0, 0, "limit" if out else kind, f"internal error: {type(error).__name__}: {str(error)[:200]}"
            )
            encoded = encode_file(self._fallback(request, language, data, problem))
        return Response(digest, dependencies, self._tired()), encoded

    def _structure(self, request: Request, data: bytes) -> FileRecord:
        from ownlint.facts import binding_reader
        from ownlint.frontends.cpp import structure, tables

        file = structure.read(request.path, data, self._handshake.vocabulary)
        classes, bound = binding_reader.extract(file, self._handshake.vocabulary)
        listed = tables.extract(file, self._handshake.vocabulary)
        file = msgspec.structs.replace(file, bound_classes=classes, bindings=bound, tables=listed)
        self._last = (request.absolute, data, file)
        return file

    def _meaning(self, request: Request, data: bytes) -> tuple[FileRecord, tuple[str, ...]]:
        from ownlint.frontends.cpp import meaning

        file = self._structured(request, data)
        ahead = self._precompiled(request)
        found = meaning.read(
            request.path, data, request.arguments, request.directory, request.absolute, ahead, request.project
        )
        problems = file.problems + found.problems
        file = msgspec.structs.replace(file, meanings=found.meanings, typed=found.typed, problems=problems)
        return file, found.dependencies

    def _precompiled(self, request: Request) -> Precompiled | None:
        from ownlint.frontends.cpp import meaning

        if not request.ahead:
            return None
        key = (request.ahead, request.arguments, request.directory)
        if key not in self._ahead:
            # The parent removes the folder, whatever becomes of us.
            path = os.path.join(tempfile.gettempdir(), f"ownlint-{os.getpid()}-{len(self._ahead)}.pch")  # noqa: PTH118
            self._ahead[key] = meaning.precompile(request.ahead, request.arguments, request.directory, path)
        return self._ahead[key]

    def _structured(self, request: Request, data: bytes) -> FileRecord:
        """The structure of this very file, usually still at hand from the request before."""
        if self._last is not None and self._last[:2] == (request.absolute, data):
            return self._last[2]
        return self._structure(request, data)

    def _python(self, request: Request, data: bytes) -> FileRecord:
        from ownlint.frontends.python import read

        return read.read(request.path, data, self._handshake.vocabulary, request.module)

    def _fallback(
        self, request: Request, language: Literal["cpp", "python"], data: bytes, problem: Problem
    ) -> FileRecord:
        """What is known of a file when reading it raised: its structure, if only meaning was lost."""
        if request.kind == "meaning" and self._last is not None and self._last[:2] == (request.absolute, data):
            file = self._last[2]
            return msgspec.structs.replace(file, problems=(*file.problems, problem))
        return FileRecord(request.path, language, len(data), problems=(problem,))

    def _tired(self) -> bool:
        """Cycles are collected only when memory is short: parsing makes few."""
        if resident() < self._handshake.retire:
            return False
        gc.collect()
        return resident() > self._handshake.retire


def serve(requests: BinaryIO, responses: BinaryIO) -> None:
    """Answers until `requests` ends."""
    first = receive(requests)
    if first is None:
        return
    handshake = msgspec.json.decode(first, type=Handshake)
    bound(handshake.memory)
    reader = WorkerReader(handshake)
    decoder = msgspec.json.Decoder(Request)
    encoder = msgspec.json.Encoder()
    gc.collect()
    gc.freeze()
    gc.disable()
    responses.write(frame(b""))
    responses.flush()
    while (message := receive(requests)) is not None:
        response, encoded = reader.answer(decoder.decode(message))
        responses.write(frame(encoder.encode(response)) + frame(encoded))
        responses.flush()


def main() -> None:
    responses = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)
    watched(lambda: serve(sys.stdin.buffer, responses), os.getppid())


if __name__ == "__main__":
    main()
