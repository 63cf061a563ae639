"""Keywords that a call spells as a dict: `options = {"donate": True}`, and further down `f(**options)`."""

from __future__ import annotations

import ast
from collections.abc import Iterator

Keywords = list[tuple[str, ast.expr]]


def shown(node: ast.expr) -> Keywords | None:
    """The keywords of a dict that is written out, `{"a": 1}` or `dict(a=1)`; None for anything else."""
    match node:
        case ast.Dict(keys=keys, values=values):
            named = [
                (key.value, value) for key, value in zip(keys, values, strict=True) if isinstance(key, ast.Constant)
            ]
            words = [(key, value) for key, value in named if isinstance(key, str) and key.isidentifier()]
            return words if len(words) == len(keys) else None
        case ast.Call(func=ast.Name(id="dict"), args=[], keywords=given):
            words = [(one.arg, one.value) for one in given if one.arg is not None]
            return words if len(words) == len(given) else None
    return None


def constant(function: ast.AST) -> dict[str, Keywords]:
    """The local dicts of constants that are set once and do nothing but give a call its keywords."""
    nodes = list(ast.walk(function))
    spread = {id(one.value) for one in nodes if isinstance(one, ast.keyword) and one.arg is None}
    found: dict[str, Keywords] = {}
    stores: set[int] = set()
    for target, value in _assigned(nodes):
        keywords = shown(value)
        if target.id not in found and keywords and all(isinstance(each, ast.Constant) for _, each in keywords):
            found[target.id] = keywords
            stores.add(id(target))
    for node in nodes if found else ():
        for name in _otherwise(node, spread | stores):
            found.pop(name, None)
    return found


def _assigned(nodes: list[ast.AST]) -> Iterator[tuple[ast.Name, ast.expr]]:
    for node in nodes:
        match node:
            case ast.Assign(targets=[ast.Name() as target], value=value):
                yield target, value
            case ast.AnnAssign(target=ast.Name() as target, value=ast.expr() as value):
                yield target, value


def _otherwise(node: ast.AST, known: set[int]) -> list[str]:
    """The names that something else is done with."""
    match node:
        case ast.Name(id=name) if id(node) not in known:
            return [name]
        case ast.arg(arg=name):
            return [name]
        case ast.Global(names=names) | ast.Nonlocal(names=names):
            return names
    return []
