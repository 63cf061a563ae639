"""Macros that declare a local, which is what they are given under another type: `#define SELF(obj) auto *self =
reinterpret_cast<Cursor *>(obj)`. What follows in their body stays a call of the macro.

A source is its own text: the beginning of the body of a `#define`.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

from ownlint.facts import records as r

Named = Callable[[str], Sequence[r.Macro]]
"""The `#define`s of a name."""

_POINTER = r"(?:const\s+)?(?:struct\s+)?([A-Za-z_][\w:]*)\s*(?:const\s*)?\*\s*(?:const\s+)?"
_DECLARES = re.compile(
    rf"\s*(?:const\s+)?(?:struct\s+)?([A-Za-z_][\w:]*)\s*(?:const\s*)?\*\s*(?:const\s+)?(\w+)\s*=\s*"
    rf"(?:[\s(]*\(\s*{_POINTER}\)|(?:reinterpret|static)_cast\s*<\s*{_POINTER}>)?[\s(]*(\w+)[\s)]*(?:;|$)"
)


def declared(named: Named, body: r.Body) -> r.Body:
    """The same with a declaration before each such macro that stands for itself in the function."""
    found: list[r.Statement] = []
    for statement in body:
        local = _local(named, statement)
        if local is not None:
            found.append(local)
        found.append(statement)
    return tuple(found) if len(found) > len(body) else body


def _local(named: Named, statement: r.Statement) -> r.Declare | None:
    call = statement.value if isinstance(statement, r.Evaluate) else None
    if isinstance(call, r.Call) and isinstance(call.callee, r.Name):
        name, args = call.callee.text, call.args
    elif isinstance(call, r.Name):
        name, args = call.text, ()
    else:
        return None
    if not name.isupper():
        return None
    for macro in named(name):
        begins = _DECLARES.match(macro.body)
        parameters = macro.parameters or ()
        if begins is None or len(parameters) != len(args):
            continue
        given = dict(zip(parameters, args, strict=True))
        written, local, c_cast, cast, value = begins.groups()
        kind, said = c_cast or cast or written, given.get(local)
        if said is not None and not isinstance(said, r.Name):
            continue
        inner = given.get(value, r.Name(call.start, call.end, value))
        style = "c" if c_cast else "reinterpret_cast"
        made = r.Cast(call.start, call.end, f"{kind} *", style, inner) if c_cast or cast else inner
        known = kind if written == "auto" else written
        return r.Declare(call.start, call.end, (said.text if said is not None else local,), f"{known} *", made)
    return None
