"""Who else looks at a Python function's names: functions inside it, and other functions of its file."""

from __future__ import annotations

from collections.abc import Iterator

from ownlint.facts import records as r
from ownlint.flow.bodies import values
from ownlint.flow.lower import declared_names
from ownlint.flow.places import walk
from ownlint.project.subjects import Function


def captured(function: Function, index: int) -> frozenset[str]:
    """The names of `function` that the function of that index, defined inside it, looks at or is given as defaults."""
    inner = function.program.index.function_at(function.file, index)
    if inner is None:
        return frozenset()
    defaults = {name for p in inner.record.parameters if p.default is not None for name in _names(p.default)}
    own = declared_names(inner.record, inner.body, True) - outside_names(inner)
    return frozenset(defaults | (_read_in(inner) - own))


def _read_in(function: Function) -> set[str]:
    """Names that a function reads, those inside it included; what it binds itself is not among the outer ones."""
    read: set[str] = set()
    for statement in function.statements:
        for value in values(statement):
            read.update(_names(value))
            for part in walk(value):
                if isinstance(part, r.Lambda):
                    read |= captured(function, part.function)
        if isinstance(statement, r.Nested) and statement.function >= 0:
            read |= captured(function, statement.function)
    return read


def _names(value: r.Value) -> Iterator[str]:
    for part in walk(value):
        match part:
            case r.Name(text=name):
                yield name
            case r.Aggregate(items=items):
                yield from (
                    key.text for item in items if isinstance(item, r.Pair) and isinstance(key := item.key, r.Name)
                )
            case r.OpaqueValue(names=names):
                yield from names


def kept_out_of_sight(function: Function) -> frozenset[str]:
    """Names whose values somebody may keep without our seeing it: a class inside the function looks at them, or a
    nested function does and they are bound more than once, so that nobody knows which value it sees."""
    inner = function.program.index.nested(function)
    if not inner:
        return frozenset()
    bound: dict[str, int] = {}
    for statement in function.statements:
        for name in _binds(statement):
            bound[name] = bound.get(name, 0) + 1
    hidden: set[str] = set()
    for one in inner:
        looked_at = captured(function, one.index)
        direct = one.record.kind in ("function", "lambda")
        hidden |= {name for name in looked_at if not direct or bound.get(name, 0) > 1}
        hidden |= _nonlocals(one)
    return frozenset(hidden)


def _binds(statement: r.Statement) -> Iterator[str]:
    targets: list[r.Value | None] = []
    match statement:
        case r.Evaluate(value=value):
            targets = [part.target for part in walk(value) if isinstance(part, r.Assign)]
        case r.Loop(target=target):
            targets = [target, target]  # in each round anew
        case r.With(items=items):
            targets = [item.target for item in items]
        case r.Delete(targets=deleted):
            targets = list(deleted)
    for target in targets:
        yield from (part.text for part in walk(target) if isinstance(part, r.Name))


def _nonlocals(inner: Function) -> set[str]:
    return {name for part in inner.body if isinstance(part, r.Scope) and part.kind == "nonlocal" for name in part.names}


def outside_names(function: Function) -> frozenset[str]:
    """Names that the function declares `global` or `nonlocal`."""
    return frozenset(name for part in function.statements if isinstance(part, r.Scope) for name in part.names)


def read_by_functions(file_module: Function, after: int = 0) -> frozenset[str]:
    """Names that some function of the file reads, one that is defined after that byte; `file_module` is the file's
    module body."""
    read: set[str] = set()
    for index, record in enumerate(file_module.file.functions):
        inner = file_module.program.index.function_at(file_module.file, index)
        if inner is not None and record.kind not in ("module", "class") and record.start >= after:
            own = inner.declared - outside_names(inner)
            for statement in inner.statements:
                for value in values(statement):
                    read.update(name for name in _names(value) if name not in own)
    return frozenset(read)


def neighbours(function: Function, place: r.Value) -> Iterator[Function]:
    scope = function.record.owner or function.record.scope
    for index, record in enumerate(function.file.functions):
        same = record.owner == scope and bool(scope) if isinstance(place, r.Member) else record.kind == "module"
        found = function.program.index.function_at(function.file, index) if same else None
        if found is not None:
            yield found
