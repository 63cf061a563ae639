"""A failing call changes nothing where nothing reads what it fills in, or where nothing runs it."""

from __future__ import annotations

from collections.abc import Iterator

from ownlint import Function, glance, pairs, patterns, places
from ownlint import records as r
from ownlint_rules.status import _stored_results as results

_QUERIES = frozenset({"get", "query"})
"""Words of what only looks something up: that it fills in its arguments is all that it does."""


def finds_out_unread(function: Function, node: r.Call) -> bool:
    """`int device; cudaGetDevice(&device);`: a query of which nothing reads what it has found."""
    if _QUERIES.isdisjoint(pairs.words(places.last_name(node.callee))):
        return False
    filled = [
        places.strip(given.value)
        for given in map(places.strip, node.args)
        if isinstance(given, r.Unary) and given.op == "&"
    ]
    return bool(filled) and all(_is_unread(function, _own_name(one)) for one in filled)


def _own_name(value: r.Value | None) -> str:
    """`device`, `this->device`."""
    match value:
        case r.Name(text=name) | r.Member(base=r.Name(text=places.THIS), name=name):
            return name
    return ""


def _is_unread(function: Function, name: str) -> bool:
    """Whether nothing but one call names a local of the function, or a member of its class in the whole program."""
    if not name or any(isinstance(statement, r.Opaque) for statement in function.statements):
        return False
    said = (one for one in function.values if isinstance(one, r.Name | r.Member))
    if sum(places.last_name(one) == name for one in said) != 1:
        return False
    if name in function.locals:
        return name not in results.captured(function)
    return (
        function.home is not None
        and function.home.field(name) is not None
        and all(other is function for other in function.program.saying(patterns.Quoted(name)))
    )


def is_never_run(function: Function) -> bool:
    """Whether it is a plain function in the file of a program's `main`, which nothing calls or names."""
    record = function.record
    if record.kind != "function" or record.scope or function.home is not None or record.name == "main":
        return False
    if not any(one.name == "main" and not one.scope and one.defined for one in function.file.functions):
        return False
    if function.program.index.is_called(function.name):
        return False
    return not any(glance.says(other, function.name) for other in _of_its_file(function)) and not any(
        isinstance(inner, r.Name) and inner.text == function.name
        for variable in function.file.variables
        for inner in places.walk(variable.value)
    )


def _of_its_file(function: Function) -> Iterator[Function]:
    return (other for other in function.program.functions_in(function.path) if other is not function)
