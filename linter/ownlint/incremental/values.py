"""Answers about all files as they are kept from run to run: those that are made of names, numbers and functions.

What is read back is data of a few kinds, put together here: nothing that a file holds is loaded or run.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Mapping
from functools import cached_property, partial
from typing import Any

import msgspec

from ownlint.project.program import Program
from ownlint.project.questions import UNKNOWN, Gathered, Key
from ownlint.project.subjects import Class, Function

_SCALARS = (str, int, bool, float, bytes, type(None))
_LIST, _TUPLE, _FROZENSET, _SET, _DICT, _FUNCTION, _CLASS = range(7)
_TAGS: dict[type, int] = {list: _LIST, tuple: _TUPLE, frozenset: _FROZENSET, set: _SET}
_MAKERS: dict[int, Callable[[Any], Any]] = {_LIST: list, _TUPLE: tuple, _FROZENSET: frozenset, _SET: set}
_encoder = msgspec.msgpack.Encoder()
_decoder = msgspec.msgpack.Decoder()


class _OtherKindError(Exception):
    """The answer holds something that is not kept."""


def encoded(answer: object) -> bytes:
    """Empty for an answer that holds anything else."""
    try:
        return _encoder.encode(_plain(answer))
    except (_OtherKindError, LookupError, OverflowError, UnicodeEncodeError):
        return b""


def recall(program: Program, answers: Mapping[str, bytes]) -> None:
    """What these questions answered, encoded, they answer again, whenever they are asked."""
    known = _subjects(program)
    for name, data in answers.items():
        if data:
            program.answers.recalled[name] = partial(_decoded, data, known)


def said_by(program: Program, data: bytes, functions: Collection[Key]) -> dict[Function, Any]:
    """What an answer that is by functions, encoded, says of some of them; of those alone of which it can be read."""
    found: dict[Function, Any] = {}
    if not data or not functions:
        return found
    known = _subjects(program)
    try:
        tag, *flat = _decoder.decode(data)
    except (ValueError, TypeError):
        return found
    if tag != _DICT:
        return found
    for key, said in zip(flat[::2], flat[1::2], strict=False):
        try:
            function = _made(key, known)
            if function.key in functions:
                found[function] = _made(said, known)
        except (LookupError, ValueError, TypeError, AttributeError):
            continue
    return found


class _Subjects:
    """Of a program, by their keys."""

    def __init__(self, program: Program) -> None:
        self._program = program

    @cached_property
    def functions(self) -> dict[Key, Function]:
        return {function.key: function for function in self._program.index.functions}

    @cached_property
    def classes(self) -> dict[tuple[str, str, int], Class]:
        ordinals: Counter[tuple[str, str]] = Counter()
        found: dict[tuple[str, str, int], Class] = {}
        for cls in self._program.index.classes:
            same = (cls.path, cls.symbol)
            found[*same, ordinals[same]] = cls
            ordinals[same] += 1
        return found

    @cached_property
    def classes_named(self) -> dict[Class, tuple[str, str, int]]:
        return {cls: name for name, cls in self.classes.items()}


def _subjects(program: Program) -> _Subjects:
    found: _Subjects = program.known.setdefault(_Subjects, _Subjects(program))
    return found


def _decoded(data: bytes, known: _Subjects) -> Any:
    try:
        return _made(_decoder.decode(data), known)
    except (LookupError, ValueError, TypeError):  # what was kept is not what was written
        return UNKNOWN


def _plain(value: Any) -> Any:
    kind = type(value)
    if kind in _SCALARS:
        return value
    if kind in (dict, Gathered):
        flat = [_plain(part) for pair in dict.items(value) for part in pair]
        return [_DICT, *flat]
    if kind is Function:
        return [_FUNCTION, *value.key]
    if kind is Class:
        return [_CLASS, *_subjects(value.program).classes_named[value]]
    if kind not in _TAGS:
        raise _OtherKindError
    parts = [_plain(part) for part in value]
    return [_TAGS[kind], *(sorted(parts, key=repr) if kind in (set, frozenset) else parts)]


def _made(value: Any, known: _Subjects) -> Any:
    if not isinstance(value, list):
        return value
    tag, *rest = value
    if tag == _FUNCTION:
        return known.functions[tuple(rest)]
    if tag == _CLASS:
        return known.classes[tuple(rest)]
    parts = [_made(part, known) for part in rest]
    if tag == _DICT:
        return dict(zip(parts[::2], parts[1::2], strict=True))
    maker = _MAKERS.get(tag)
    if maker is None:
        raise ValueError(tag)
    return maker(parts)
