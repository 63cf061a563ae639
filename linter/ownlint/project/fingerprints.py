"""Fingerprints of answers about the whole program: two that are told apart by nobody have the same one.

An answer can be data (names, maps, sets of functions) or an object that looks things up in what it has gathered. Of the
latter, what it has gathered counts; the answers that it keeps note themselves what they were derived from, and so do
the memories that its class names in `NOTED`.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator, Mapping, Set
from types import FunctionType, MethodType
from typing import TYPE_CHECKING, Any

import msgspec

from ownlint.facts import records as r
from ownlint.project import changes
from ownlint.project.files import File, Files
from ownlint.project.questions import Answers, Derived, Gathered, Key, noting
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
        for name, answer in sorted(program.answers.items()):
            found["answer", name] = of(answer, program)
            if isinstance(answer, Gathered):
                for about, said in answer.items():
                    key = answer.key(about)
                    found[key] = found.get(key, b"") + of(said, program)
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
        self._apart = {id(program), id(program.models)}
        self._apart |= {id(part) for part in vars(program).values() if not isinstance(part, _NAMED)}
        self._seen: set[int] = set()

    def parts(self, value: Any) -> Iterator[bytes]:
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
            case File():
                yield b"file %b;" % value.path.encode()
            case re.Pattern():
                yield b"pattern %b;" % repr((value.pattern, value.flags)).encode()
            case type() | FunctionType() | MethodType():
                yield b"%b;" % value.__qualname__.encode()
            case Answers() | Files() | Derived() | Circular():
                yield b"-;"
            case _:
                yield from self._composed(value)

    def _composed(self, value: Any) -> Iterator[bytes]:
        if id(value) in self._apart:
            yield b"-;"
            return
        yield b"("
        match value:
            case tuple() | list():
                for one in value:
                    yield from self.parts(one)
            case Mapping():
                for key, held in value.items():
                    yield from self.parts(key)
                    yield from self.parts(held)
            case Set():
                yield from sorted(b"".join(self.parts(one)) for one in value)
            case msgspec.Struct():
                yield type(value).__name__.encode()
                for name in value.__struct_fields__:
                    yield from self.parts(getattr(value, name))
            case _:
                yield from self._object(value)
        yield b")"

    def _object(self, value: Any) -> Iterator[bytes]:
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
                yield from self.parts(part)

    @staticmethod
    def _is_derived(value: object, name: str) -> bool:
        """Whether an attribute keeps an answer that notes by itself what it was derived from."""
        return hasattr(getattr(type(value), name, None), "__get__")
