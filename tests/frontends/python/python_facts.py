"""Short ways to read a piece of Python and to look at what came out."""

from __future__ import annotations

import textwrap

import msgspec

from ownlint.facts import records as r
from ownlint.facts.vocabulary import Anchor, Vocabulary
from ownlint.frontends.python.read import read


def file_of(
    source: str | bytes, module: str = "pkg.mod", path: str = "pkg/mod.py", anchors: tuple[str, ...] = ()
) -> r.FileRecord:
    data = source if isinstance(source, bytes) else textwrap.dedent(source).encode()
    return read(path, data, Vocabulary(anchors=tuple(Anchor(word) for word in anchors)), module)


def function(file: r.FileRecord, name: str) -> r.FunctionRecord:
    (found,) = [function for function in file.functions if function.name == name]
    return found


def body(source: str, name: str = "<module>") -> r.Body:
    return r.decode_body(function(file_of(source), name))


def plain(record: object) -> str:
    """A record without its positions and without what is left at its default: names and members as written."""
    match record:
        case r.Name(text=text) | r.Literal(text=text):
            return text
        case r.Member(base=base, name=name):
            return f"{plain(base)}.{name}"
        case r.Node():
            fields = msgspec.structs.fields(record)
            values = ((f, getattr(record, f.name)) for f in fields if f.name not in ("start", "end", "at"))
            return f"{type(record).__name__}({', '.join(plain(value) for f, value in values if value != f.default)})"
        case tuple():
            return f"[{' '.join(plain(part) for part in record)}]"
    return str(record)


def written(source: str, name: str = "<module>") -> str:
    return "; ".join(plain(statement) for statement in body(source, name))


def expression(source: str) -> r.Value:
    (statement,) = body(source)
    assert isinstance(statement, r.Evaluate)
    return statement.value


def meanings(source: str, module: str = "pkg.mod", path: str = "pkg/mod.py") -> list[tuple[str, str]]:
    """The written names and their symbols, in order; without builtins."""
    source = textwrap.dedent(source)
    file = file_of(source, module, path)
    data = source.encode()
    return [
        (data[meaning.start : meaning.end].decode(), meaning.symbol)
        for meaning in file.meanings
        if meaning.symbol and not meaning.symbol.startswith("builtins.")
    ]


def types(source: str) -> dict[str, str]:
    """Declared names and the dotted name of what they are declared to be."""
    data = textwrap.dedent(source).encode()
    return {data[m.start : m.end].decode(): m.type for m in file_of(data).meanings if m.type}
