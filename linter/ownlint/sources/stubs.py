"""Stubs (`.pyi`) beside extension modules: which class a member gives, and the names of its arguments. Nothing runs."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import NamedTuple

from ownlint import door

_MOST_BYTES = 4 << 20
_MOST_FILES = 200
_WRAPPERS = ("Optional", "Annotated", "Final", "ClassVar", "Union")


class Stub(NamedTuple):
    """`returns` is the last part of the name of the result's class, empty where there is no one class."""

    returns: str
    names: tuple[str, ...]
    attribute: bool = False


Stubs = dict[tuple[str, str], Stub]
"""By class (empty for a function of the module) and name; an overloaded name is there when its overloads agree."""


def beside(folders: Iterable[Path]) -> tuple[Path, ...]:
    """The stubs in these folders."""
    found: list[Path] = []
    for folder in sorted(set(folders)):
        found += sorted(path for path in folder.glob("*.pyi") if path.is_file())
    return tuple(found[:_MOST_FILES])


def read(paths: Iterable[Path], within: Path | None = None) -> Stubs:
    """What all of them say; what two say differently, nobody says. One that cannot be read says nothing, nor
    does a link in `within` that leads out of it."""
    found: dict[tuple[str, str], set[Stub]] = {}
    for path in paths:
        for key, stub in _of_file(path, within):
            found.setdefault(key, set()).add(stub)
    agreed: Stubs = {}
    for key, said in sorted(found.items()):
        returns, names = {one.returns for one in said}, {one.names for one in said}
        attribute = all(one.attribute for one in said)
        agreed[key] = Stub(
            returns.pop() if len(returns) == 1 else "", names.pop() if len(names) == 1 else (), attribute
        )
    return agreed


def _of_file(path: Path, within: Path | None) -> Iterator[tuple[tuple[str, str], Stub]]:
    try:
        tree = ast.parse(door.read(path, _MOST_BYTES, within=within))
    except (door.UnreadableError, SyntaxError, ValueError, RecursionError, MemoryError):
        return
    yield from _in(tree.body, "")


def _in(body: list[ast.stmt], on: str, depth: int = 0) -> Iterator[tuple[tuple[str, str], Stub]]:
    for statement in body:
        match statement:
            case ast.ClassDef(name=name, body=inner) if depth < 8:
                yield from _in(inner, f"{on}.{name}" if on else name, depth + 1)
            case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name):
                yield (on, name), Stub(_class(statement.returns), _names(statement, bool(on)), _is_property(statement))
            case ast.AnnAssign(target=ast.Name(id=name), annotation=annotation):
                yield (on, name), Stub(_class(annotation), (), True)


def _names(function: ast.FunctionDef | ast.AsyncFunctionDef, inside: bool) -> tuple[str, ...]:
    given = [argument.arg for argument in (*function.args.posonlyargs, *function.args.args)]
    static = any(isinstance(one, ast.Name) and one.id == "staticmethod" for one in function.decorator_list)
    return tuple(given[1:] if inside and not static else given)


def _is_property(function: ast.FunctionDef | ast.AsyncFunctionDef) -> bool:
    decorators = [each.id if isinstance(each, ast.Name) else "" for each in function.decorator_list]
    return bool({"property", "cached_property"}.intersection(decorators)) or any(
        isinstance(each, ast.Attribute) and each.attr in ("setter", "deleter") for each in function.decorator_list
    )


def _class(annotation: ast.expr | None, depth: int = 0) -> str:
    """The one class of an annotation, `None` aside."""
    match annotation:
        case _ if depth > 8:
            return ""
        case ast.Name(id=name):
            return name
        case ast.Attribute(attr=name):
            return name
        case ast.Constant(value=str(text)):
            try:
                return _class(ast.parse(text[:200], mode="eval").body, depth + 1)
            except (SyntaxError, ValueError, RecursionError, MemoryError):
                return ""
        case ast.BinOp(op=ast.BitOr(), left=left, right=right):
            return _one(left, right, depth)
        case ast.Subscript(value=value, slice=inner) if _class(value, depth + 1) in _WRAPPERS:
            if not isinstance(inner, ast.Tuple):
                return _class(inner, depth + 1)
            parts = inner.elts[:2]
            if _class(value, depth + 1) == "Annotated":
                return _class(parts[0], depth + 1) if parts else ""
            return _one(parts[0], parts[1], depth) if len(inner.elts) == 2 else ""
    return ""


def _one(left: ast.expr, right: ast.expr, depth: int) -> str:
    sides = [side for side in (left, right) if not (isinstance(side, ast.Constant) and side.value is None)]
    return _class(sides[0], depth + 1) if len(sides) == 1 else ""
