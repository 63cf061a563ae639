"""What an edit changes: the keys under which something was read, see `questions`, that say something else now.

    ("body", PATH, SYMBOL#N)   a function's body, its own signature and those of the lambdas in it
    ("name", NAME)             what the project declares under a last name: signatures, classes with what is declared
                               in them, aliases, variables, bound classes
    ("callers", NAME)          the functions whose bodies call something of that last name
    ("calling", NAME, ...)     the functions whose bodies mention one of these last names
    ("saying", PATTERN...)     the functions whose encoded bodies match, see `patterns.spelled`
    ("macro", NAME)            the macros of that name
    ("file", PATH, PART)       one part of a file: its imports, its comments, its bindings
    ("files",) ("files", PATH) which files there are
    ("all", KIND)              all functions, classes, bindings, aliases, called names, included sources
    ("all", "functions", LANGUAGE)  those of one language
    ("answer", QUESTION)       the answer to a question about all files
    ("earlier", PATH)          what a file was before the change under review
    ("earlier", PATH, SYMBOL#N)  whether that change touches a function
    ("large", PATH, SYMBOL#N)  a function that was given up; never changed by itself

Where in its file something stands is no part of it: what moves stays the same.
"""

from __future__ import annotations

import hashlib
import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator, Mapping
from functools import cached_property

import msgspec

from ownlint import patterns
from ownlint.facts import records as r
from ownlint.project import types
from ownlint.project.files import is_compiled_alone
from ownlint.project.questions import Key

_NUMBER = re.compile(rb"(?<=[\[,])\d+(?=[,\]])")
_encode = msgspec.json.Encoder().encode
_NO_BODY = msgspec.Raw(b"[]")
_DIGEST = 16
_PARTS = tuple(name for name in r.FileRecord.__struct_fields__ if name not in ("path", "language", "size", "functions"))
_PLACED = frozenset(
    {"comments", "comment_lines", "excuses", "forgiven", "replacing", "meanings", "suppressions", "problems"}
)
"""Parts that say where something stands in the file."""
_AROUND = frozenset({"debug", "conditional", "defined"})
"""Parts that say what of the file's code stands where: comments between it are no part of that."""


class ChangedKeys:
    """The keys that say something else in the files of `after`; answers are not looked at."""

    def __init__(self, before: Mapping[str, r.FileRecord], after: Mapping[str, r.FileRecord]) -> None:
        paths = [path for path in sorted(before.keys() | after.keys()) if before.get(path) != after.get(path)]
        self._files = tuple([files[path] for path in paths if path in files] for files in (before, after))
        old, new = (_together(files) for files in self._files)
        self.keys = frozenset(key for key in old.keys() | new.keys() if old.get(key) != new.get(key))
        """Those that a file says by themselves: without what is asked of all bodies."""
        self._called = {key[1] for key in self.keys if key[0] == "callers"}

    def __contains__(self, key: Key) -> bool:
        if key[0] == "calling":
            return not self._called.isdisjoint(key[1:])
        if key[0] == "saying":
            return self._says_another(key[1:])
        return key in self.keys

    def _says_another(self, spelled: Key) -> bool:
        """Whether other functions match, or in another order."""
        if self._is_reordered:
            return True
        old, new = self._bodies
        if not old and not new:
            return False
        pattern = patterns.as_spelled(spelled)
        if pattern is None:
            return True
        then, now = ([name for name, body in bodies if pattern.search(body)] for bodies in (old, new))
        return then != now

    @cached_property
    def _bodies(self) -> tuple[list[tuple[bytes, bytes]], list[tuple[bytes, bytes]]]:
        """What the functions that were changed are called and declared, and their bodies, before and now."""
        found: tuple[list[tuple[bytes, bytes]], list[tuple[bytes, bytes]]] = ([], [])
        for files, bodies in zip(self._files, found, strict=True):
            for file in files:
                for name, record in zip(_names(file), file.functions, strict=True):
                    if record.defined and ("body", file.path, name) in self.keys:
                        bodies.append((_signature(file, name, head(record)), bytes(record.body)))
        return found

    @cached_property
    def _is_reordered(self) -> bool:
        """Whether functions that are there before and now stand in another order."""
        old, new = ([(f.path, name) for f in files for name in _names(f)] for files in self._files)
        both = {*old} & {*new}
        return [one for one in old if one in both] != [one for one in new if one in both]


def touched(before: Iterable[r.FileRecord], now: Iterable[r.FileRecord], renamed: Mapping[str, str]) -> frozenset[Key]:
    """The functions, by the keys of their bodies, that a change gives another body or signature, or brings; all of a
    file that is new or goes by another name. `renamed` maps each changed path to what it was called before."""
    then = {file.path: file for file in before if renamed.get(file.path) == file.path}
    changed = ChangedKeys(then, {file.path: file for file in now if file.path in renamed})
    return frozenset(key for key in changed.keys if key[0] == "body")


def _together(files: Iterable[r.FileRecord]) -> dict[Key, list[bytes]]:
    said: dict[Key, list[bytes]] = {}
    for file in files:
        for key, text in _said(file):
            said.setdefault(key, []).append(hashlib.blake2b(text, digest_size=_DIGEST).digest())
    return said


def _said(file: r.FileRecord) -> Iterator[tuple[Key, bytes]]:
    """Everything that a file says, each under the keys by which it is found."""
    path = file.path.encode()
    yield ("files",), path
    yield ("files", file.path), path
    yield from _functions(file)
    classes = [_placeless(_encode(cls), _whole(cls, *cls.annotations)) for cls in file.classes]
    for cls, said in zip(file.classes, classes, strict=True):
        text = b"class %b %b" % (path, said)
        yield ("name", cls.name), text
        yield ("all", "classes"), text
    for alias in file.aliases:
        yield ("name", alias.name), b"alias %b %b" % (path, encoded(alias))
        yield ("all", "aliases"), b"%b %b" % (path, encoded(alias))
    for variable in file.variables:
        yield ("name", variable.name), b"variable %b %b" % (path, _variable(variable))
    for bound in file.bound_classes:
        yield ("name", types.parse(bound.type).last), b"bound %b %b" % (path, encoded(bound))
    for binding in file.bindings:
        yield ("all", "bindings"), b"%b %b" % (path, encoded(binding))
    for macro in file.macros:
        yield ("macro", macro.name), b"%b %b" % (path, encoded(macro))
    for imported in file.imports:
        if is_compiled_alone(imported.target):
            yield ("all", "included sources"), imported.target.encode()
    for part in _PARTS:
        held = getattr(file, part)
        if part in _PLACED or not isinstance(held, tuple):
            yield ("file", file.path, part), _encode(held)
        elif part == "classes":
            yield ("file", file.path, part), b"\n".join(classes)
        elif part in _AROUND:
            yield ("file", file.path, part), _encode(list(_by_code(file, held)) if held else ())
        else:
            encode = _variable if part == "variables" else encoded
            yield ("file", file.path, part), b"\n".join(map(encode, held))


def _functions(file: r.FileRecord) -> Iterator[tuple[Key, bytes]]:
    heads = [head(record) for record in file.functions]
    names = list(_names(file))
    inner: dict[int, list[bytes]] = {}
    for record, declared in zip(file.functions, heads, strict=True):
        inner.setdefault(record.parent, []).append(declared)
    for index, record in enumerate(file.functions):
        signature = _signature(file, names[index], heads[index])
        yield ("name", record.name), signature
        if record.owner:
            yield ("name", record.owner.replace(".", "::").rpartition("::")[2]), signature
        yield ("all", "functions"), signature
        yield ("all", "functions", file.language), signature
        yield ("file", file.path, "functions"), signature + b"%d" % record.parent
        if not record.defined:
            continue
        body = _placeless(bytes(record.body), record)
        key = ("body", file.path, names[index])
        yield key, b"\n".join((signature, body, *inner.get(index, ())))
        for name in record.mentions:
            yield ("callers", name), signature
            yield ("all", "called names"), b"%b %b" % (file.language.encode(), name.encode())


def _signature(file: r.FileRecord, name: str, declared: bytes) -> bytes:
    return b"function %b %b %b" % (file.path.encode(), name.encode(), declared)


def _by_code(file: r.FileRecord, placed: Iterable[int | tuple[int | str, ...]]) -> Iterator[object]:
    """Offsets as they stand to the file's code: behind the start of which declaration, and how many of the places in it
    stand before them."""
    declared: list[r.Node] = [*file.functions, *file.classes, *file.variables, *file.aliases, *file.macros]
    starts = sorted({(one.start, getattr(one, "name", "")) for one in declared})
    code = sorted({number for one in declared for number in _places_in(one)})

    def by_code(offset: int) -> tuple[str, int]:
        behind = bisect_right(starts, (offset, "\U0010ffff")) - 1
        start, name = starts[behind] if behind >= 0 else (0, "")
        return name, bisect_left(code, offset) - bisect_left(code, start)

    for one in placed:
        yield by_code(one) if isinstance(one, int) else [by_code(p) if isinstance(p, int) else p for p in one]


def _places_in(record: r.Node) -> Iterator[int]:
    """All that its encoded form says of places, from its start to its end."""
    yield from (record.start, record.end)
    for found in _NUMBER.finditer(_encode(record)):
        if record.start <= int(found[0]) <= record.end:
            yield int(found[0])


def _names(file: r.FileRecord) -> Iterator[str]:
    """What tells the functions of a file apart; see `Function.key`."""
    ordinals: dict[tuple[str, str], int] = {}
    separator = "::" if file.language == "cpp" else "."
    for record in file.functions:
        same = (record.scope, record.name)
        number = ordinals.get(same, -1) + 1 if record.defined else ordinals.get(same, -1)
        ordinals[same] = number
        yield f"{record.scope}{separator if record.scope else ''}{record.name}#{number}"


def head(record: r.FunctionRecord) -> bytes:
    """What a function's declaration says."""
    bare = msgspec.structs.replace(record, body=_NO_BODY, mentions=(), parent=-1)
    return _placeless(_encode(bare), _whole(record, *record.annotations))


def _variable(record: r.Variable) -> bytes:
    """Its value stands behind it."""
    value = () if record.value is None else (record.value,)
    return _shifted(_encode(record), _whole(record, *record.annotations, *value))


def _whole(*parts: r.Node) -> r.Span:
    """From the first to the last: annotations stand before what they are of."""
    return r.Span(min(one.start for one in parts), max(one.end for one in parts))


def encoded(record: r.Node) -> bytes:
    """A record as bytes, wherever in its file it stands."""
    return _shifted(_encode(record), _whole(record, *getattr(record, "annotations", ())))


def _placeless(text: bytes, around: r.Node | r.Span) -> bytes:
    """Without positions: what stands between two members may grow."""
    start, end = around.start, around.end
    return _NUMBER.sub(lambda found: b"+" if start <= int(found[0]) <= end else found[0], text)


def _shifted(text: bytes, around: r.Node | r.Span) -> bytes:
    """Positions inside the record as they are from its start on."""
    start, end = around.start, around.end

    def shifted(found: re.Match[bytes]) -> bytes:
        number = int(found[0])
        return b"+%d" % (number - start) if start <= number <= end else found[0]

    return _NUMBER.sub(shifted, text)
