"""Answers about all files as they are kept from run to run: those that are made of names, numbers and functions.

What is read back is data of a few kinds, put together here: nothing that a file holds is loaded or run.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cached_property, partial
from typing import Any

import msgspec

from ownlint.project.program import Program
from ownlint.project.questions import UNKNOWN, Gathered, Key
from ownlint.project.subjects import Function

_SCALARS = (str, int, bool, float, bytes, type(None))
_LIST, _TUPLE, _FROZENSET, _SET, _DICT, _FUNCTION = range(6)
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
    except (_OtherKindError, OverflowError, UnicodeEncodeError):
        return b""


def recall(program: Program, answers: Mapping[str, bytes]) -> None:
    """What these questions answered, encoded, they answer again, whenever they are asked."""
    known = _Functions(program)
    for name, data in answers.items():
        if data:
            program.answers.recalled[name] = partial(_decoded, data, known)


class _Functions:
    def __init__(self, program: Program) -> None:
        self._program = program

    @cached_property
    def by_key(self) -> dict[Key, Function]:
        return {function.key: function for function in self._program.functions}


def _decoded(data: bytes, known: _Functions) -> Any:
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
    if kind not in _TAGS:
        raise _OtherKindError
    parts = [_plain(part) for part in value]
    return [_TAGS[kind], *(sorted(parts, key=repr) if kind in (set, frozenset) else parts)]


def _made(value: Any, known: _Functions) -> Any:
    if not isinstance(value, list):
        return value
    tag, *rest = value
    if tag == _FUNCTION:
        return known.by_key[tuple(rest)]
    parts = [_made(part, known) for part in rest]
    if tag == _DICT:
        return dict(zip(parts[::2], parts[1::2], strict=True))
    maker = _MAKERS.get(tag)
    if maker is None:
        raise ValueError(tag)
    return maker(parts)
