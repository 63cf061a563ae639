"""Fingerprints of answers about the whole program: two that are told apart by nobody have the same one.

An answer can be data (names, maps, sets of functions) or an object that looks things up in what it has gathered. Of the
latter, what it has gathered counts; the answers that it keeps note themselves what they were derived from, and so do
the memories that its class names in `NOTED`.
"""

from __future__ import annotations

import hashlib
import re
from bisect import bisect_right
from collections.abc import Iterator, Mapping, Set
from types import FunctionType, MethodType
from typing import TYPE_CHECKING, Any

import msgspec

from ownlint.facts import records as r
from ownlint.incremental import changes
from ownlint.project.files import File, Files
from ownlint.project.questions import Answers, Gathered, GrowingNotes, Key, noting
from ownlint.project.recursion import Circular
from ownlint.project.subjects import Binding, Class, Function

if TYPE_CHECKING:
    from ownlint.project.program import Program

_DIGEST = 16
_NAMED = (str, bytes, int, float, bool, type(None), FunctionType, MethodType, type)


def answers(program: Program) -> dict[Key, bytes]:
    """The fingerprints of all that was asked about the whole program, under the keys by which it was noted."""
    found: dict[Key, bytes] = {}
    with noting():
        for name in sorted(program.answers):
            found.update(answer(program, name))
    return found


def answer(program: Program, name: str) -> dict[Key, bytes]:
    """Those of one answer: of the whole, and of what it says of each thing where it is by things."""
    if name not in program.prints:
        program.prints[name] = _answer(program, name)
    return program.prints[name]


def _answer(program: Program, name: str) -> dict[Key, bytes]:
    said = program.answers[name].answer
    found: dict[Key, bytes] = {("answer", name): of(said, program)}
    if isinstance(said, Gathered):
        with noting():
            for about, one in said.items():
                key = said.key(about)
                found[key] = found.get(key, b"") + of(one, program)
    return found


def of(answer: object, program: Program) -> bytes:
    """The fingerprint of one answer.

    Raises:
        TypeError: it holds something that nobody can tell apart.
    """
    found = hashlib.blake2b(digest_size=_DIGEST)
    for part in _Writer(program).parts(answer):
        found.update(part)
    return found.digest()


class _Writer:
    """Writes one answer. Parts of the program count as one: what is asked of them is noted."""

    def __init__(self, program: Program) -> None:
        self._program = program
        self._apart = {id(program), id(program.models)}
        self._apart |= {id(part) for part in vars(program).values() if not isinstance(part, _NAMED)}
        self._seen: set[int] = set()
        self._placed: dict[str, list[tuple[int, int, str]]] = {}

    def parts(self, value: Any, path: str = "") -> Iterator[bytes]:
        """`path` is the file that places stand in, where that is known."""
        match value:
            case bool() | int() | float() | None:
                yield b"%b;" % repr(value).encode()
            case str():
                yield b"%d:%b;" % (len(value), value.encode("utf-8", "surrogatepass"))
            case bytes():
                yield b"%d:%b;" % (len(value), value)
            case Function():
                yield b"function %b;" % repr(value.key).encode()
            case Class() | Binding():
                yield b"%b %b %b;" % (type(value).__name__.encode(), value.path.encode(), value.symbol.encode())
            case r.FunctionRecord():
                yield b"record %b;" % changes.head(value)
            case r.Node():
                yield b"record %b;" % changes.encoded(value)
            case r.Span():
                yield self._place(value, path)
            case File():
                yield b"file %b;" % value.path.encode()
            case re.Pattern():
                yield b"pattern %b;" % repr((value.pattern, value.flags)).encode()
            case type() | FunctionType() | MethodType():
                yield b"%b;" % value.__qualname__.encode()
            case Answers() | Files() | GrowingNotes() | Circular():
                yield b"-;"
            case _:
                yield from self._composed(value, self._path_of(value) or path)

    def _path_of(self, value: Any) -> str:
        """The file that something speaks of; empty where that is not known."""
        if isinstance(value, tuple | msgspec.Struct) and not hasattr(value, "path"):
            parts = value if isinstance(value, tuple) else [getattr(value, name) for name in value.__struct_fields__]
            for part in parts:
                if isinstance(part, str) and part in self._program.said:
                    return part
                if isinstance(part, Function | Class | Binding | File):
                    return part.path
            return ""
        path = getattr(value, "path", "")
        return path if isinstance(path, str) else ""

    def _place(self, span: r.Span, path: str) -> bytes:
        """From the start of what is declared around it: what moves as a whole stays the same."""
        said = self._program.said.get(path)
        if said is None:
            return b"%d %d;" % (span.start, span.end)
        if path not in self._placed:
            fields = (field for cls in said.classes for field in cls.fields)
            declared = (*said.functions, *said.classes, *said.variables, *said.aliases, *fields)
            self._placed[path] = sorted((one.start, one.end, getattr(one, "name", "")) for one in declared)
        around = self._placed[path]
        at = bisect_right(around, (span.start, 1 << 62, "")) - 1
        while at >= 0 and around[at][1] < span.end:
            at -= 1
        start, _, name = around[at] if at >= 0 else (0, 0, "")
        return b"%b %d %d;" % (name.encode(), span.start - start, span.end - start)

    def _composed(self, value: Any, path: str) -> Iterator[bytes]:
        if id(value) in self._apart:
            yield b"-;"
            return
        yield b"("
        match value:
            case tuple() | list():
                for one in value:
                    yield from self.parts(one, path)
            case Mapping():
                for key, held in value.items():
                    yield from self.parts(key, path)
                    yield from self.parts(held, path)
            case Set():
                yield from sorted(b"".join(self.parts(one, path)) for one in value)
            case msgspec.Struct():
                yield type(value).__name__.encode()
                for name in value.__struct_fields__:
                    yield from self.parts(getattr(value, name), path)
            case _:
                yield from self._object(value, path)
        yield b")"

    def _object(self, value: Any, path: str) -> Iterator[bytes]:
        if id(value) in self._seen:
            yield b"again"
            return
        self._seen.add(id(value))
        yield type(value).__qualname__.encode()
        held = getattr(value, "__dict__", None)
        if held is None:
            held = {name: getattr(value, name, None) for name in getattr(type(value), "__slots__", ())}
        noted = getattr(type(value), "NOTED", ())
        for name, part in held.items():
            if name not in noted and not name.startswith("=") and not self._is_derived(value, name):
                yield from self.parts(part, path)

    @staticmethod
    def _is_derived(value: object, name: str) -> bool:
        """Whether an attribute keeps an answer that notes by itself what it was derived from."""
        return hasattr(getattr(type(value), name, None), "__get__")
