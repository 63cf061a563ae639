"""Tables by which C makes things visible to Python: arrays of methods, attributes and slots, and records of types.

Which structs these are, the models say (`Vocabulary.tables`). A table that a function builds inside itself counts like
one outside.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from ownlint.facts import records as r
from ownlint.facts.show import text as written
from ownlint.facts.vocabulary import Vocabulary

_STRING = re.compile(r'(?:u8|[uUL])?"((?:[^"\\]|\\.)*)"')
_PLACES = {"name": 0, "slot": 0, "meth": 1, "get": 1, "pfunc": 1, "func": 1, "type": 1, "flags": 2, "set": 2}
"""The last word of a designator (`.ml_meth = `) -> the place of what it names."""


def extract(file: r.FileRecord, vocabulary: Vocabulary) -> tuple[r.Table, ...]:
    """The tables of the file, in the order in which they stand."""
    if not vocabulary.tables:
        return ()
    reader = _TableReader(vocabulary.tables)
    found = [reader.table(one.name, one.type, one.value, one, -1) for one in file.variables]
    names = [name.encode() for name in vocabulary.tables]
    for index, function in enumerate(file.functions):
        body = bytes(function.body)
        if any(name in body for name in names):
            inside = _declared(r.decode_body(function))
            found.extend(reader.table(one.names[0], one.type, one.value, one, index) for one in inside)
    return tuple(sorted((table for table in found if table is not None), key=lambda table: (table.start, table.end)))


def _declared(body: tuple[object, ...]) -> Iterator[r.Declare]:
    pending: list[object] = list(reversed(body))
    while pending:
        node = pending.pop()
        if isinstance(node, r.Declare) and len(node.names) == 1:
            yield node
        elif isinstance(node, tuple):
            pending.extend(reversed(node))
        elif isinstance(node, r.Node):
            pending.extend(getattr(node, field) for field in reversed(type(node).__struct_fields__))


class _TableReader:
    def __init__(self, kinds: dict[str, str]) -> None:
        self.kinds = kinds

    def table(self, name: str, type: str, value: r.Value | None, at: r.Node, function: int) -> r.Table | None:
        """None when the variable is none, or is declared here and filled elsewhere."""
        said = next((word for word in _WORDS.findall(type) if word in self.kinds), None)
        if said is None or "*" in type or value is None:
            return None
        kind = self.kinds[said]
        items = _items(value)
        if kind in ("type", "module"):
            entries = tuple(_entry(item, index, kind) for index, item in enumerate(items))
            title = next((text for item in items[:3] if (text := _text(_inner(item))) is not None), "")
        else:
            title = ""
            entries = tuple(_line(item, kind) for item in items if not _ends(item))
        return r.Table(at.start, at.end, name, kind, title, entries, function)  # type: ignore[arg-type]


def _items(value: r.Value) -> tuple[r.Value, ...]:
    match value:
        case r.Aggregate(items=items):
            return items
        case r.Call(args=args, kind="construct"):
            return args
    return ()


def _inner(item: r.Value) -> r.Value:
    """What a designator gives a value to."""
    match item:
        case r.Pair(value=value) | r.Assign(value=value):
            return value
    return item


def _designator(item: r.Value) -> str:
    match item:
        case r.Pair(key=r.Name(text=name)) | r.Assign(target=r.Name(text=name) | r.Member(name=name)):
            return name
    return ""


def _ends(item: r.Value) -> bool:
    """`{NULL}`, `{0, NULL}`, `{}`: the end of a table."""
    parts = _items(item)
    first = _bare(_inner(parts[0])) if parts else None
    return first is None or (isinstance(first, r.Literal) and first.kind != "str")


def _line(item: r.Value, kind: str) -> r.Entry:
    places: dict[int, r.Value] = {}
    for index, part in enumerate(_items(item)):
        said = _designator(part).rpartition("_")[2]
        place = _PLACES.get(said, -1 - index) if _designator(part) else index
        places[place] = _inner(part)
    name = places.get(0)
    flags = places.get(2) if kind == "method" else places.get(3) if kind == "field" else None
    return r.Entry(
        item.start,
        item.end,
        ((_text(name) if _text(name) is not None else written(name)) or "") if name is not None else "",
        _function(places.get(1)) if kind != "field" else None,
        _function(places.get(2)) if kind == "property" else None,
        written(flags) if flags is not None else "",
        tuple(_names(item)),
    )


def _entry(item: r.Value, index: int, kind: str) -> r.Entry:
    """A field of a type's or module's record; by position it has a number."""
    name = _designator(item) or str(index)
    value = _inner(item)
    return r.Entry(item.start, item.end, name, _function(value), None, "", tuple(_names(value)))


def _function(value: r.Value | None) -> r.Value | None:
    """A function without the casts around it, written as such or as a call: `(PyCFunction)f`, `void_cast(f)`."""
    inner = _bare(value) if value is not None else None
    if isinstance(inner, r.Call) and len(inner.args) == 1:
        inner = _bare(inner.args[0])
    if isinstance(inner, r.Unary) and inner.op == "&":
        inner = inner.value
    return inner if isinstance(inner, r.Name | r.Lambda | r.Member) else None


def _bare(value: r.Value) -> r.Value:
    while True:
        match value:
            case r.Cast(value=inner) if inner is not None:
                value = inner
            case r.Unary(op="+" | "&", value=inner):
                value = inner
            case r.Aggregate(kind="paren", items=(inner,)):
                value = inner
            case _:
                return value


def _text(value: r.Value) -> str | None:
    inner = _bare(value)
    if isinstance(inner, r.Literal) and inner.kind == "str" and (match := _STRING.match(inner.text)):
        return match[1]
    return None


def _names(value: r.Value) -> Iterator[str]:
    pending: list[object] = [value]
    while pending:
        node = pending.pop()
        if isinstance(node, r.Name):
            yield node.text
        elif isinstance(node, r.OpaqueValue):
            yield from node.names
        elif isinstance(node, tuple):
            pending.extend(reversed(node))
        elif isinstance(node, r.Node):
            pending.extend(getattr(node, field) for field in reversed(type(node).__struct_fields__))


_WORDS = re.compile(r"\w++")
