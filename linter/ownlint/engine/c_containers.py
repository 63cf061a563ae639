"""Containers of C: calls of functions that put something into what they are given first, look into it, or take
something out. Which of these a function does is said by its name: `g_hash_table_insert`, `map_put`, `HASH_ADD_PTR`.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Literal as OneOf
from typing import NamedTuple

from ownlint.facts import records as r
from ownlint.flow.places import last_name
from ownlint.models import habits
from ownlint.project import pairs, types
from ownlint.project.program import Program
from ownlint.project.questions import program_question
from ownlint.project.subjects import Function

_ADDS_BY_FIELD = re.compile(r"HASH_(?:ADD|REPLACE)(?:_\w+)?")
"""A macro that is given the table, the name of the member that is the key, and the entry."""

Does = OneOf["put", "find", "take"]


class TableCall(NamedTuple):
    """`key` is None where the call gives none; `value` where it gives a key alone."""

    does: Does
    table: r.Value
    key: r.Value | None
    value: r.Value | None


def table_call(function: Function, call: r.Call) -> TableCall | None:
    """What the call does to a container that it is given first; None for any other call."""
    if not isinstance(call.callee, r.Name) or not call.args or call.kind not in ("call", "macro"):
        return None
    name = last_name(call.callee)
    said = verb_of(name)
    if said is None:
        return None
    does, before = said
    table, rest = call.args[0], call.args[1:]
    if isinstance(table, r.Name) and not _is_value(function, table.text):
        return None  # klib's `kh_put(kind, table, key, &is_new)`: a kind of table, which keeps what is there
    if before not in habits.TABLES:
        kind = types.parse(function.program.types.of(table, function))
        named = [word for word in pairs.words(kind.last) if word not in ("t", "s", "ref", "ptr", "impl")]
        if (
            kind.arguments
            or not named
            or (named[-1] not in habits.TABLES and kind.last not in _tables(function.program))
        ):
            return None
    if _ADDS_BY_FIELD.fullmatch(name) and len(rest) > 1 and isinstance(rest[0], r.Name):
        item = rest[-1]
        return TableCall(does, table, r.Member(item.start, item.end, item, rest[0].text, True), item)
    if does == "put" and len(rest) == 1:
        return TableCall(does, table, None, rest[0])
    return TableCall(does, table, rest[0] if rest else None, rest[1] if len(rest) > 1 else None)


def _is_value(function: Function, name: str) -> bool:
    """Whether something is declared under that name, and it is not that of a type which a macro is given."""
    if name in function.declared or function.program.index.is_variable(name):
        return True
    return function.home is not None and function.home.field(name) is not None


@program_question
def _tables(program: Program) -> frozenset[str]:
    """The types that are containers by the functions that the project declares for them, and names after them: one is
    given a key and a value, another one the key alone and answers with a pointer."""
    puts: set[str] = set()
    finds: set[str] = set()
    for name, record in program.index.declared_functions():
        said = verb_of(name)
        if said is None or len(record.parameters) < 2:
            continue
        table, *rest = (types.parse(parameter.type) for parameter in record.parameters)
        if table.pointers != 1 or not rest[0].pointers or not _speaks_of(said[1], table.last):
            continue
        if said[0] == "put" and not table.const and len(rest) == 2 and rest[1].pointers == 1:
            puts.add(table.last)
        if said[0] == "find" and len(rest) == 1 and types.parse(record.result).pointers == 1:
            finds.add(table.last)
    return frozenset(puts & finds)


def _speaks_of(word: str, kind: str) -> bool:
    """Whether the word before the verb is one of the type's, also cut short: `reg_put` of a `struct registry`."""
    return any(len(word) > 1 and (own.startswith(word) or word.startswith(own)) for own in pairs.words(kind))


@lru_cache(maxsize=8192)
def verb_of(name: str) -> tuple[Does, str] | None:
    """What a function of that name does to a container, if it works on one, and the word before the one that says
    so."""
    words = pairs.words(name)
    for at, word in enumerate(words):
        does = _VERBS.get(word)
        if does is not None and at:
            return does, words[at - 1]
    return None


def takes_in_c(function: Function) -> bool:
    """Whether the function calls one that may take something out of a container of C. Needs no decoding."""
    return any((said := verb_of(name)) is not None and said[0] == "take" for name in function.mentioned)


_VERBS: dict[str, Does] = {
    **dict.fromkeys(sorted(habits.TABLE_PUTS), "put"),
    **dict.fromkeys(sorted(habits.TABLE_FINDS), "find"),
    **dict.fromkeys(sorted(habits.TABLE_TAKES), "take"),
}
