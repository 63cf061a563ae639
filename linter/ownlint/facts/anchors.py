"""Anchors that come from rules and from the project itself, beside those of the models.

A Python file is read when its bytes say that it can come by an owner of native memory. The models know the calls of
their libraries; the project adds the classes it binds, and its own functions that hand such an owner on.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Protocol

import msgspec

from ownlint.facts import consumers
from ownlint.facts.records import FileRecord, FunctionRecord
from ownlint.facts.vocabulary import Anchor, Vocabulary
from ownlint.patterns import AnyName, strings

MOST_PASSES = 3
"""How often files that were passed over are looked at again: a helper of a helper, and a package that hands it on."""

_RETURNS = b'"return"'
"""In the encoded body of every function that returns something."""


def with_words(vocabulary: Vocabulary, words: Iterable[str]) -> Vocabulary:
    """What rules ask for by themselves, as regular expressions."""
    return _with(vocabulary, (Anchor(word) for word in words))


def with_bound_classes(vocabulary: Vocabulary, files: Iterable[FileRecord]) -> Vocabulary:
    """A Python file that names a class which the project binds is read too."""
    names = {record.name for file in files for record in file.bound_classes if record.name.isidentifier()}
    return _with(vocabulary, (Anchor(rf"\b{name}\b") for name in names))


class AnchoringContract(Protocol):
    """A contract of a package, as far as words in files are concerned."""

    @property
    def package(self) -> str: ...

    @property
    def modules(self) -> tuple[str, ...]: ...


def of_contracts(contracts: Iterable[AnchoringContract]) -> list[str]:
    """A Python file that names one of these packages, or an extension module of one, is read."""
    names = {name for one in contracts for name in (one.package, *one.modules)}
    return [rf"\b{re.escape(name)}\b" for name in sorted(names)]


class Words(Protocol):
    @property
    def invalidators(self) -> frozenset[str]: ...


class AnchoringLibraries(Protocol):
    """What models know of Python's libraries."""

    @property
    def consuming_words(self) -> frozenset[str]: ...

    @property
    def wrappers(self) -> frozenset[str]: ...

    def makes_owner(self, dotted: str) -> bool: ...

    def makes_class(self, dotted: str) -> bool: ...

    @property
    def class_makers(self) -> frozenset[str]: ...

    def libraries_of(self, dotted: str) -> frozenset[str]: ...

    def words(self, libraries: Iterable[str]) -> Words: ...


def with_helpers(vocabulary: Vocabulary, files: Sequence[FileRecord], libraries: AnchoringLibraries) -> Vocabulary:
    """A file that names one of the project's own functions that hand out an owner, or end or consume what they are
    given, and the module it stands in. A file that hands one on is only then known: ask again when it has been read."""
    helpers: dict[str, set[str]] = {}
    for file in files:
        module = file.module.rpartition(".")[2]
        if file.language == "python" and module.isidentifier():
            for function in (*_handing_out(file, libraries.makes_owner), *_ending(file, libraries)):
                helpers.setdefault(module, set()).add(function.name)
    for module, names in consumers.by_module(files, libraries.consuming_words, libraries.wrappers).items():
        helpers.setdefault(module, set()).update(names)
    for module, names in _classes(files, libraries).items():
        helpers.setdefault(module, set()).update(names)
    return _with(vocabulary, (Anchor(m, tuple(rf"\b{n}\b" for n in sorted(helpers[m])), True) for m in helpers))


def _handing_out(file: FileRecord, makes_owner: Callable[[str], bool]) -> Iterator[FunctionRecord]:
    places = sorted(meaning.start for meaning in file.meanings if makes_owner(meaning.symbol))
    for function in file.functions if places else ():
        if function.kind not in ("function", "method") or _RETURNS not in bytes(function.body):
            continue
        following = bisect_left(places, function.start)
        if following < len(places) and places[following] < function.end:
            yield function


def _ending(file: FileRecord, libraries: AnchoringLibraries) -> Iterator[FunctionRecord]:
    """Functions with arguments that call what may end a handle, in a file that has to do with such a library."""
    spoken = {library for imported in file.imports for library in libraries.libraries_of(imported.target)}
    endings = libraries.words(spoken).invalidators
    for function in file.functions if endings else ():
        takes = function.kind in ("function", "method") and len(function.parameters) > (function.kind == "method")
        if takes and not endings.isdisjoint(function.mentions):
            yield function


def _classes(files: Iterable[FileRecord], libraries: AnchoringLibraries) -> dict[str, set[str]]:
    """By module, the names of classes that the project has a library make (`CB = FUNCTION_TYPE(...)`), where they are
    made and where they are imported."""
    out: dict[str, set[str]] = {}
    said = strings(libraries.class_makers)
    read = [file for file in files if file.language == "python" and file.functions]
    for file in read:
        names = set(_made_classes(file, libraries.makes_class, said))
        if names:
            out.setdefault(_own_name(file), set()).update(names)
    known = {name for names in out.values() for name in names}
    for file in read if known else ():
        names = set(_imported(file, known))
        if names:
            out.setdefault(_own_name(file), set()).update(names)
    return {module: names for module, names in out.items() if module.isidentifier()}


def _imported(file: FileRecord, known: set[str]) -> Iterator[str]:
    """The names that the whole file has for what is known by another name elsewhere."""
    return (i.name for i in file.imports if i.scope < 0 and i.target.rpartition(".")[2] in known)


def _made_classes(file: FileRecord, makes_class: Callable[[str], bool], said: AnyName) -> Iterator[str]:
    """Variables of the module that stand in front of such a call."""
    if not file.variables:
        return
    outer = [function for function in file.functions if function.kind in ("module", "class")]
    if not any(said.search(function.body) for function in outer):
        return
    inner = _outermost((f.start, f.end) for f in file.functions if f.kind not in ("module", "class"))
    begins = [start for start, _ in inner]
    variables = sorted(file.variables, key=lambda variable: variable.start)
    starts = [variable.start for variable in variables]
    for meaning in file.meanings:
        if makes_class(meaning.symbol):
            around = bisect_right(begins, meaning.start) - 1
            if around >= 0 and meaning.start < inner[around][1]:
                continue
            index = bisect_right(starts, meaning.start) - 1
            if index >= 0:
                yield variables[index].name


def _outermost(ranges: Iterable[tuple[int, int]]) -> list[tuple[int, int]]:
    """Those that lie in no other, in order; those that overlap are one."""
    out: list[tuple[int, int]] = []
    for start, end in sorted(ranges):
        if out and start < out[-1][1]:
            out[-1] = (out[-1][0], max(end, out[-1][1]))
        else:
            out.append((start, end))
    return out


def _own_name(file: FileRecord) -> str:
    return file.module.removesuffix(".__init__").rpartition(".")[2]


def beside_those(known: Vocabulary, wider: Vocabulary) -> Vocabulary:
    """What is new: a file that was passed over has none of the others."""
    return msgspec.structs.replace(wider, anchors=tuple(a for a in wider.anchors if a not in set(known.anchors)))


def _with(vocabulary: Vocabulary, more: Iterable[Anchor]) -> Vocabulary:
    """Without anchors every file is read already."""
    if not vocabulary.anchors:
        return vocabulary
    anchors = sorted({*vocabulary.anchors, *more}, key=lambda anchor: (anchor.word, anchor.beside))
    return msgspec.structs.replace(vocabulary, anchors=tuple(anchors))
