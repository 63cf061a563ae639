"""Arenas: what ends everything that was made of it at once, so that nobody has to end the single thing.

A model names the arenas of a library. A class of the project is one when it derives from such, or when it hands out
bare memory, takes none of it back, and has a destructor.
"""

from __future__ import annotations

from ownlint import Class, Function, pairs, types
from ownlint import records as r

_BYTES = frozenset({"void", "char", "byte", "uint8_t"})


def is_arena(written: str, function: Function) -> bool:
    """Whether a value of that type, or what it points to, is an arena."""
    if not written:
        return False
    program = function.program
    bare = written.rstrip("&* ")
    if "arena" in program.types.roles(bare, function):
        return True
    cls = program.names.find_class(types.parse(bare).name, function.record.scope, function.file)
    return cls is not None and any(_is_modelled(one) or _hands_out_for_good(one) for one in cls.ancestry)


def _is_modelled(cls: Class) -> bool:
    named = (cls.symbol, *(base.name for base in cls.record.bases))
    return any("arena" in cls.program.types.roles_at(name, cls.file, cls.symbol) for name in named)


def _hands_out_for_good(cls: Class) -> bool:
    """Whether it has a destructor, a method that answers bare memory of a size, and none that is named after taking
    something back."""
    if cls.record.destructor not in ("declared", "defined"):
        return False
    methods = [one for one in cls.declarations if one.kind == "method"]
    return any(_allocates(one) for one in methods) and not any(pairs.releasing_verb(one.name) for one in methods)


def _allocates(record: r.FunctionRecord) -> bool:
    kind = types.parse(record.result)
    if kind.pointers != 1 or kind.last not in _BYTES or not record.parameters or "static" in record.qualifiers:
        return False
    return all(not types.parse(one.type).pointers for one in record.parameters) and "const" not in record.qualifiers
