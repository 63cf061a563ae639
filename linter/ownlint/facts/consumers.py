"""Names of a project's own callables that may consume what they are given, by the module in which they are found.

Only words are compared: a function that says a consuming keyword, that mentions such a name, or a variable that is made
of either. It decides which other files are worth reading, nothing else.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

import msgspec

from ownlint.facts import records as r
from ownlint.facts.records import FileRecord

_MOST_ROUNDS = 5
_WORD = re.compile(rb"[A-Za-z_]\w*")


def by_module(files: Sequence[FileRecord], keywords: frozenset[str], wrappers: frozenset[str]) -> dict[str, set[str]]:
    """Last names of modules, each with the names that it defines or hands on. `wrappers` are the library's own, which
    need no looking for."""
    read = [file for file in files if file.language == "python" and file.functions]
    if not keywords or not read:
        return {}
    words = {file.path: [_words(function.body) for function in file.functions] for file in read}
    if all(keywords.isdisjoint(found) for many in words.values() for found in many):
        return {}
    return _by_last_name(_known(read, words, keywords, wrappers), read)


def _by_last_name(known: dict[str, set[str]], read: list[FileRecord]) -> dict[str, set[str]]:
    out: dict[str, set[str]] = {}
    modules = {file.path: _module(file) for file in read}
    for path, names in known.items():
        module = modules[path]
        if module.isidentifier():
            out.setdefault(module, set()).update(name for name in names if name.isidentifier())
    return out


def _known(
    read: list[FileRecord],
    words: dict[str, list[frozenset[str]]],
    keywords: frozenset[str],
    wrappers: frozenset[str],
) -> dict[str, set[str]]:
    """By path, the names that the file defines or hands on; what one adds is asked of the others again."""
    known: dict[str, set[str]] = {}
    for _ in range(_MOST_ROUNDS):
        before = sum(map(len, known.values()))
        every = {name for names in known.values() for name in names}
        for file in read:
            names = set(_names(file, words[file.path], keywords, every, known.get(file.path, set()))) - wrappers
            if names:
                known.setdefault(file.path, set()).update(names)
        if sum(map(len, known.values())) == before:
            break
    return known


def _module(file: FileRecord) -> str:
    return (file.module.removesuffix(".__init__") or file.path.removesuffix(".py").replace("/", ".")).rpartition(".")[2]


def _words(body: bytes | msgspec.Raw) -> frozenset[str]:
    """Every name in an encoded body."""
    return frozenset(word.decode() for word in set(_WORD.findall(bytes(body))))


def _names(
    file: FileRecord, words: list[frozenset[str]], keywords: frozenset[str], every: set[str], own: set[str]
) -> Iterator[str]:
    """What the file adds, given what is known of others (`every`) and of itself; `words` are those of its functions."""
    handed = {imported.name for imported in file.imports if imported.target.rpartition(".")[2] in every}
    yield from (i.name for i in file.imports if i.scope == -1 and i.name in handed and i.name != "*")
    stars = every if any(imported.name == "*" for imported in file.imports) else set[str]()
    said = keywords | handed | own | stars
    for function, found in zip(file.functions, words, strict=True):
        if not said.isdisjoint(found):
            yield from _named_by(function, said)


def _named_by(function: r.FunctionRecord, said: set[str] | frozenset[str]) -> Iterator[str]:
    """The name under which others reach what the body says: its own, that of its class, or those it assigns to."""
    if function.kind == "module":
        yield from _assigned(r.decode_body(function), said)
    elif function.kind == "class":
        yield function.name.removeprefix("<class ").removesuffix(">")
    elif function.owner:
        yield function.owner.rpartition(".")[2]
    elif function.kind == "function" and function.parent < 0:
        yield function.name


def _assigned(body: r.Body, said: set[str] | frozenset[str]) -> Iterator[str]:
    """Names that the statements bind to what says it."""
    for statement in body:
        match statement:
            case r.Evaluate(value=r.Assign(target=target)):
                if not said.isdisjoint(_words(msgspec.json.encode(statement))):
                    yield from _targets(target)
            case r.Branch(then=then, other=other):
                yield from _assigned((*then, *other), said)
            case r.Try(body=inner, handlers=handlers, otherwise=otherwise):
                yield from _assigned((*inner, *(s for h in handlers for s in h.body), *otherwise), said)
            case r.With(body=inner):
                yield from _assigned(inner, said)


def _targets(target: r.Value) -> Iterator[str]:
    match target:
        case r.Name(text=name):
            yield name
        case r.Aggregate(items=items):
            for item in items:
                yield from _targets(item)
