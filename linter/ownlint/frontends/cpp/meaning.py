"""What a C++ file means: types and symbols from libclang, by the offset of the name they belong to.

Call this in a child process only: libclang crashes and hangs on hostile input, and prints.
"""

from __future__ import annotations

import ctypes
import itertools
import os
import re
import stat
import tempfile
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from ctypes import byref, c_char_p, c_uint, c_void_p
from typing import NamedTuple

import msgspec

from ownlint import door
from ownlint.facts.records import Meaning, Problem
from ownlint.frontends.cpp import libclang
from ownlint.frontends.cpp.libclang import BREAK, CONTINUE, RECURSE, Cursor
from ownlint.frontends.cpp.redeclared import declared_too_often, nested_too_deep
from ownlint.frontends.cpp.territory import Territory

FLAGS = (
    libclang.KEEP_GOING
    | libclang.SKIP_FUNCTION_BODIES
    | libclang.SKIP_IN_PREAMBLE_ONLY
    | libclang.PRECOMPILED_PREAMBLE
    | libclang.PREAMBLE_ON_FIRST_PARSE
)

ALWAYS = ("-w", "-ferror-limit=0", "-fno-spell-checking", "-fno-caret-diagnostics")
"""Looking for what was misspelled costs more than all else in a file whose headers are missing, and
twenty errors would make clang stop."""


class FoundMeanings(NamedTuple):
    """`meanings` are sorted by start, one each. `typed` as in `FileRecord`; a file whose headers
    are missing is not, though what was understood of it is still here."""

    meanings: tuple[Meaning, ...] = ()
    problems: tuple[Problem, ...] = ()
    typed: bool = False
    dependencies: tuple[str, ...] = ()


class Precompiled(NamedTuple):
    """Headers that were parsed ahead, and every file that was read for them."""

    path: str
    dependencies: tuple[str, ...]


def precompile(lines: tuple[str, ...], arguments: tuple[str, ...], directory: str, path: str) -> Precompiled | None:
    """Parses a header of these `lines` into the file `path`. None when it has an error of its own, or is not read."""
    try:
        library = libclang.load()
    except OSError:  # told of each file
        return None
    flags = (
        libclang.KEEP_GOING | libclang.SKIP_FUNCTION_BODIES | libclang.INCOMPLETE | libclang.FOR_SERIALIZATION
    )  # and no preamble: all of it is one
    words = [word for word in arguments if word not in ("-x", "c++")]
    with _unit(
        library,
        "".join(f"{line}\n" for line in lines).encode(),
        ("-x", "c++-header", *words),
        directory,
        f"{path}.h",
        flags,
    ) as (unit, code):
        if code or _diagnostics(library, unit, 0, b"") or library.clang_saveTranslationUnit(unit, os.fsencode(path), 0):
            return None
        return Precompiled(path, _inclusions(library, unit, directory, f"{path}.h"))


def read(
    path: str,
    data: bytes,
    arguments: tuple[str, ...],
    directory: str,
    absolute: str,
    ahead: Precompiled | None = None,
    project: str = "",
) -> FoundMeanings:
    """`data` is what the file holds; `absolute` is where it lies, for its relative includes. A file that
    does not go well with what was parsed `ahead` is read again without. Nothing is said of types where a file was read
    that is neither below `project` (else below `directory`) nor a header of a folder that `arguments` name."""
    special = _special_include(data, arguments, absolute)
    if special:
        return _nothing(f"{special} is not a regular file")
    often = declared_too_often(data)
    if often is not None:
        return _nothing(f"{often[0]} is declared {often[1]} times, which would take libclang too long")
    if nested_too_deep(data):
        return _nothing("template arguments are nested too deeply for libclang")
    try:
        library = libclang.load()
    except OSError as error:
        return _nothing(f"libclang cannot be loaded: {error}")
    territory = Territory(project or directory, arguments)
    if ahead is not None:
        found = _read(library, data, (*arguments, "-include-pch", ahead.path), directory, absolute)
        if found.typed:
            dependencies = {*found.dependencies, *ahead.dependencies} - {ahead.path, f"{ahead.path}.h"}
            return _without_strangers(found._replace(dependencies=tuple(sorted(dependencies))), territory)
    return _without_strangers(_read(library, data, arguments, directory, absolute), territory)


def _without_strangers(found: FoundMeanings, territory: Territory) -> FoundMeanings:
    stranger = territory.stranger(found.dependencies)
    if not stranger:
        return found
    reason = f"includes {stranger}, which is outside the project and its include folders"
    return _nothing(reason)._replace(dependencies=found.dependencies)


def _read(
    library: ctypes.CDLL, data: bytes, arguments: tuple[str, ...], directory: str, absolute: str
) -> FoundMeanings:
    with (
        tempfile.NamedTemporaryFile(prefix="ownlint-", suffix=".headers") as listed,
        _unit(library, data, (*arguments, *_listing(listed.name)), directory, absolute, FLAGS) as (unit, code),
    ):
        if code:
            return _nothing(_FAILURES.get(code, f"libclang failed with code {code}"))
        main = library.clang_getFile(unit, os.fsencode(absolute))
        if not main:
            return _nothing("libclang does not find the file")
        meanings = _Walk(library, main, data).meanings(library.clang_getTranslationUnitCursor(unit))
        problems = _diagnostics(library, unit, main, data)
        # libclang leaves out what the file itself includes behind its first declaration.
        more = _real(_listed(listed.name), directory, absolute)
        dependencies = {*_inclusions(library, unit, directory, absolute), *more}
        return FoundMeanings(meanings, problems, not problems, tuple(sorted(dependencies)))


def _listing(path: str) -> tuple[str, ...]:
    """Arguments that make clang append to a file the name of every header that it enters."""
    words = ("-header-include-file", path, "-sys-header-deps")
    return tuple(word for each in words for word in ("-Xclang", each))


def _listed(path: str) -> Iterator[str]:
    """One a line, as in a string of C."""
    for line in door.read(path, _MOST_LISTED).decode(errors="surrogateescape").split("\n"):
        if line:
            yield _ESCAPED.sub(lambda found: "\n" if found[1] == "n" else found[1], line)


_MOST_LISTED = 1 << 28
_ESCAPED = re.compile(r"\\(.)")


def _nothing(reason: str) -> FoundMeanings:
    return FoundMeanings(problems=(Problem(0, 0, "types", reason),))


_FAILURES = {2: "libclang crashed", 3: "libclang refused the arguments", 4: "libclang could not read the file"}


@contextmanager
def _unit(
    library: ctypes.CDLL, data: bytes, arguments: tuple[str, ...], directory: str, absolute: str, flags: int
) -> Iterator[tuple[c_void_p, int]]:
    """A parsed translation unit and 0, or why there is none."""
    # The driver looks for gcc's headers beside itself, so it is told where a compiler would be.
    words = ["/usr/bin/clang", *arguments, f"-working-directory={directory}", *ALWAYS]
    array = (c_char_p * len(words))(*map(os.fsencode, words))
    name = os.fsencode(absolute)
    unsaved = libclang.UnsavedFile(name, data, len(data))
    index, unit = library.clang_createIndex(0, 0), c_void_p()
    try:
        code = library.clang_parseTranslationUnit2FullArgv(
            index, name, array, len(words), byref(unsaved), 1, flags, byref(unit)
        )
        yield unit, code or (1 if unit.value is None else 0)
    finally:
        if unit.value is not None:
            library.clang_disposeTranslationUnit(unit)
        library.clang_disposeIndex(index)


# --- the walk ----------------------------------------------------------------------------------

# Kinds of cursors, as in clang-c/Index.h of version 18.
_FIELD, _VARIABLE, _PARAMETER = 6, 9, 10
_METHOD, _CONSTRUCTOR, _DESTRUCTOR, _CONVERSION, _FUNCTION, _FUNCTION_TEMPLATE = 21, 24, 25, 26, 8, 30
_NAMESPACE, _LINKAGE = 22, 23
_TYPE_REF, _TEMPLATE_REF, _MEMBER_REF_IN_LIST = 43, 45, 47
_REFERENCE, _MEMBER_REFERENCE, _CALL, _LAMBDA = 101, 102, 103, 144
_UNIT = 350
_STRUCT = 2
_TYPEDEF, _ELABORATED = 107, 119  # kinds of types
_INVALID = range(70, 74)

_FUNCTIONS = frozenset({_METHOD, _CONSTRUCTOR, _DESTRUCTOR, _CONVERSION, _FUNCTION, _FUNCTION_TEMPLATE})
_DECLARATIONS = _FUNCTIONS | {_FIELD, _VARIABLE, _PARAMETER}
_REFERENCES = frozenset({_REFERENCE, _MEMBER_REFERENCE, _MEMBER_REF_IN_LIST})
_TYPE_NAMES = frozenset({_TYPE_REF, _TEMPLATE_REF})
_CLASSES = frozenset({2, 3, 4, 5, 31, 32})  # struct, union, class, enum, class template, partial specialisation


class _Declared(NamedTuple):
    """What every reference to one declaration shares."""

    name: bytes
    symbol: str
    type: str
    owner: str


class _Walk:
    """One pass over the cursors of the main file.

    A call is recorded where its callee is named, since that is the one reference to a function both
    `f(x)` and `.def("x", &f)` have. A constructor has no name of its own there: it is recorded at the
    type's name, which is the call's child or stands beside it.
    """

    def __init__(self, library: ctypes.CDLL, main: int, data: bytes) -> None:
        self._library = library
        self._data = data
        self._files = {main: True}
        self._main = main
        self._declared: dict[int, _Declared] = {}
        self._scopes: dict[int, str] = {}
        self._types: dict[int, str] = {}
        self._inline: dict[str, str] = {}
        self._known_as: dict[str, str] = {}
        self._constructed: dict[int, _Declared] = {}
        self._type_names: dict[int, list[int]] = {}
        self._found: dict[int, Meaning] = {}
        self._file = c_void_p()
        self._offset = c_uint()

    def meanings(self, unit: Cursor) -> tuple[Meaning, ...]:
        visitor = libclang.VISITOR(self._visit)
        self._library.clang_visitChildren(unit, visitor, None)
        return tuple(self._outward(self._found[start]) for start in sorted(self._found))

    def _outward(self, meaning: Meaning) -> Meaning:
        """Types without inline namespaces, as `symbol` and `owner` are, and under the names C gives them. They
        are all known by now."""
        type_ = meaning.type
        for inner, outer in self._inline.items():
            if inner in type_:
                type_ = type_.replace(inner, outer)
        for struct, known_as in self._known_as.items():
            if struct in type_:
                type_ = _renamed(type_, struct, known_as)
        return meaning if type_ is meaning.type else msgspec.structs.replace(meaning, type=type_)

    def _visit(self, cursor: Cursor, parent: Cursor, _data: object) -> int:
        kind = cursor.kind
        if kind in _REFERENCES:
            self._reference(cursor)
        elif kind == _CALL:
            self._construction(cursor, parent)
        elif kind in _DECLARATIONS:
            if not self._declaration(cursor):
                return CONTINUE
        elif kind in _TYPE_NAMES:
            self._type_name(cursor, parent)
        elif kind == _LAMBDA:
            self._lambda(cursor)
        elif parent.kind == _UNIT and self._start(cursor) < 0:
            return CONTINUE
        return RECURSE

    def _start(self, cursor: Cursor) -> int:
        """The offset in the main file; -1 where it is in another. Inside a macro's argument it is
        where the argument was written, inside its body where the macro was used."""
        library = self._library
        library.clang_getFileLocation(
            library.clang_getCursorLocation(cursor), byref(self._file), None, None, byref(self._offset)
        )
        file = self._file.value
        if file is None:
            return -1
        ours = self._files.get(file)
        if ours is None:
            ours = self._files[file] = bool(library.clang_File_isEqual(file, self._main))
        return self._offset.value if ours else -1

    def _reference(self, cursor: Cursor) -> None:
        target = self._library.clang_getCursorReferenced(cursor)
        if not target.first or target.kind in _INVALID:
            return
        declared = self._declared.get(target.first) or self._declare(target)
        start = self._start(cursor)
        if start >= 0:
            self._record(start, declared)

    def _declaration(self, cursor: Cursor) -> bool:
        start = self._start(cursor)
        if start < 0:
            return False
        declared = self._declared.get(cursor.first) or self._declare(cursor)
        if declared.name:
            self._record(start, declared)
        return True

    def _record(self, start: int, declared: _Declared) -> None:
        """Only where the name really stands: inside a macro's body all offsets are the macro's own."""
        name, symbol, type_, owner = declared
        if self._data.startswith(name, start) and start not in self._found:
            self._found[start] = Meaning(start, start + len(name), symbol, type_, owner)

    def _construction(self, cursor: Cursor, parent: Cursor) -> None:
        target = self._library.clang_getCursorReferenced(cursor)
        if target.kind != _CONSTRUCTOR and not (target.kind == _FUNCTION_TEMPLATE and self._is_constructor(target)):
            return
        declared = self._declared.get(target.first) or self._declare(target)
        self._constructed[cursor.first] = declared
        for start in self._type_names.get(parent.first, ()):
            self._record(start, declared)

    def _is_constructor(self, function: Cursor) -> bool:
        parent = self._library.clang_getCursorSemanticParent(function)
        spelling = libclang.text(self._library.clang_getCursorSpelling(function))
        return parent.kind in _CLASSES and self._name(parent) == spelling.split("<", 1)[0]

    def _type_name(self, cursor: Cursor, parent: Cursor) -> None:
        start = self._start(cursor)
        if start < 0:
            return
        declared = self._constructed.get(parent.first) if parent.kind == _CALL else None
        if declared is not None:
            self._record(start, declared)
        else:
            self._type_names.setdefault(parent.first, []).append(start)

    def _lambda(self, cursor: Cursor) -> None:
        start = self._start(cursor)
        if start < 0 or not self._data.startswith(b"[", start):
            return
        library = self._library
        closure = library.clang_getTypeDeclaration(library.clang_getCursorType(cursor))
        result: list[str] = []

        def visit(child: Cursor, _parent: Cursor, _data: object) -> int:
            if child.kind not in (_METHOD, _FUNCTION_TEMPLATE):
                return CONTINUE
            result.append(self._type(library.clang_getCursorResultType(child)))
            return BREAK

        library.clang_visitChildren(closure, libclang.VISITOR(visit), None)
        if result:
            self._found[start] = Meaning(start, start + 1, "", result[0])

    # --- what a declaration says ---

    def _declare(self, cursor: Cursor) -> _Declared:
        library = self._library
        name = self._name(cursor)
        parent = library.clang_getCursorSemanticParent(cursor)
        owner = self._scope(parent) if parent.kind in _CLASSES else ""
        if cursor.kind in _FUNCTIONS:
            scope = self._scope(parent)
            constructs = cursor.kind == _CONSTRUCTOR
            type_ = library.clang_getCursorType(library.clang_getCursorSemanticParent(cursor)) if constructs else None
            type_text = self._type(type_ or library.clang_getCursorResultType(cursor))
            name = name.split("<", 1)[0] if not name.startswith("operator") else "operator"
            full = libclang.text(library.clang_getCursorSpelling(cursor)) if name == "operator" else name
        else:
            scope = owner or ("" if parent.kind in _FUNCTIONS else self._scope(parent))
            type_text = self._type(library.clang_getCursorType(cursor))
            full = name
        symbol = f"{scope}::{full}" if scope else full
        declared = self._declared[cursor.first] = _Declared(name.encode(), symbol, type_text, owner)
        return declared

    def _name(self, cursor: Cursor) -> str:
        return libclang.text(self._library.clang_getCursorSpelling(cursor))

    def _scope(self, cursor: Cursor) -> str:
        """The qualified name of a namespace or class; empty for what is local or at the top."""
        if cursor.kind not in _CLASSES and cursor.kind not in (_NAMESPACE, _LINKAGE):
            return ""
        known = self._scopes.get(cursor.first)
        if known is not None:
            return known
        library = self._library
        outer = self._scope(library.clang_getCursorSemanticParent(cursor))
        hidden = cursor.kind == _LINKAGE or library.clang_Cursor_isInlineNamespace(cursor)
        if hidden and cursor.kind == _NAMESPACE and outer:
            self._inline[f"{outer}::{self._name(cursor)}::"] = f"{outer}::"
        name = "" if hidden or library.clang_Cursor_isAnonymous(cursor) else self._name(cursor).split("<", 1)[0]
        scope = self._scopes[cursor.first] = "::".join(part for part in (outer, name) if part)
        return scope

    def _type(self, type_: libclang.CXType) -> str:
        known = self._types.get(type_.first)
        if known is None:
            canonical = self._library.clang_getCanonicalType(type_)
            known = _tidy(self._text(canonical)) if canonical.first else ""
            self._types[type_.first] = known
            self._scope(self._library.clang_getTypeDeclaration(self._pointee(canonical)))
            self._learn(self._pointee(type_))
        return known

    def _pointee(self, type_: libclang.CXType) -> libclang.CXType:
        """What stands behind all pointers and references."""
        inner = self._library.clang_getPointeeType(type_)
        while inner.first not in (None, type_.first):  # an `auto` not yet deduced is its own pointee
            type_, inner = inner, self._library.clang_getPointeeType(inner)
        return type_

    def _learn(self, type_: libclang.CXType) -> None:
        """A C interface is written with its typedefs: `typedef struct _file FILE`, and the handle
        `typedef struct stream_st* stream_t`, whose struct is defined nowhere."""
        library = self._library
        if type_.kind == _ELABORATED:
            type_ = library.clang_Type_getNamedType(type_)
        if type_.kind != _TYPEDEF:
            return
        canonical = library.clang_getCanonicalType(type_)
        struct = library.clang_getTypeDeclaration(self._pointee(canonical))
        tag, spelling = self._name(struct), self._text(canonical)
        if struct.kind != _STRUCT or not _TAG.fullmatch(spelling):
            return
        opaque = spelling != tag and library.clang_getCursorDefinition(struct).kind in _INVALID
        if opaque or (spelling == tag and tag.startswith("_")):
            self._known_as.setdefault(spelling, self._name(library.clang_getTypeDeclaration(type_)))

    def _text(self, type_: libclang.CXType) -> str:
        return libclang.text(self._library.clang_getTypeSpelling(type_))


_TAG = re.compile(r"[A-Za-z_]\w*(?: \*)?")
"""A struct of C, or a pointer to one."""


def _renamed(type_: str, struct: str, known_as: str) -> str:
    """Whole words only; a `*` or a `const` that stood right behind the old name's `*` gets its blank."""

    def other(found: re.Match[str]) -> str:
        if found[1] != struct:
            return found[0]
        return known_as + (" " if found[2] else "")

    return (_POINTED if struct.endswith("*") else _NAMED_TYPE).sub(other, type_)


_POINTED = re.compile(r"(?<![\w:])([A-Za-z_]\w*+ \*)(?=([*&\w]?))")
_NAMED_TYPE = re.compile(r"(?<![\w:])([A-Za-z_]\w*+)(?![\w:])()")


_UNNAMED = re.compile(r"\((lambda|(?:unnamed|anonymous)(?: \w+)?) at [^()]*\)")
_INLINE = re.compile(r"\bstd::__(?:cxx11|1|ndk1)::")
LONGEST = 2_000


def _tidy(spelling: str) -> str:
    """Without places on this machine, and without namespaces nobody writes. A type of more than
    2,000 characters (an expression template) is not worth keeping."""
    if len(spelling) > LONGEST:
        return ""
    if "(" in spelling:
        spelling = spelling.replace("(anonymous namespace)::", "")
        spelling = _UNNAMED.sub(r"(\1)", spelling)
    return _INLINE.sub("std::", spelling)


# --- what went wrong, and what was read --------------------------------------------------------

_MISSING = re.compile(r"'([^']*)' file not found")
_LINKERS = "is used but not defined in this translation unit"
"""The linker's complaint, made early: all types are known, and a header may well leave a body out."""
_NAMED = 4


def _diagnostics(library: ctypes.CDLL, unit: c_void_p, main: int, data: bytes) -> tuple[Problem, ...]:
    """At most two: headers that are not there, and errors beside them. The text of an error in
    another file is not shown: it may quote a file that is none of ours."""
    missing: dict[str, None] = {}
    first: tuple[int, str] | None = None
    errors = 0
    file, offset = c_void_p(), c_uint()
    for number in range(library.clang_getNumDiagnostics(unit)):
        diagnostic = library.clang_getDiagnostic(unit, number)
        severity = library.clang_getDiagnosticSeverity(diagnostic)
        location = library.clang_getDiagnosticLocation(diagnostic)
        message = libclang.text(library.clang_getDiagnosticSpelling(diagnostic)) if severity >= libclang.ERROR else ""
        library.clang_disposeDiagnostic(diagnostic)
        if not message or _LINKERS in message:
            continue
        if found := _MISSING.search(message):
            missing[found[1]] = None
        elif severity > libclang.ERROR or not library.clang_Location_isInSystemHeader(location):
            errors += 1
            library.clang_getFileLocation(location, byref(file), None, None, byref(offset))
            if first is None and main and file.value and library.clang_File_isEqual(file, main):
                first = (offset.value, message)
    return (*_missing(tuple(missing)), *_errors(errors, first, data))


def _missing(names: tuple[str, ...]) -> tuple[Problem, ...]:
    if not names:
        return ()
    shown = ", ".join(names[:_NAMED]) + (", …" if len(names) > _NAMED else "")
    count = "1 header" if len(names) == 1 else f"{len(names)} headers"
    return (Problem(0, 0, "headers", f"{count} not found: {shown}"),)


def _errors(count: int, first: tuple[int, str] | None, data: bytes) -> tuple[Problem, ...]:
    if not count:
        return ()
    errors = "1 error" if count == 1 else f"{count} errors"
    if first is None:
        return (Problem(0, 0, "types", f"{errors} in headers"),)
    start, message = first
    line = data.count(b"\n", 0, start) + 1
    return (Problem(start, start, "types", f"{errors}, the first in line {line}: {message[:200]}"),)


def _inclusions(library: ctypes.CDLL, unit: c_void_p, directory: str, absolute: str) -> tuple[str, ...]:
    """Files that were read for it, as real paths: clang's hold many a `../..`."""
    found: list[str] = []

    def visit(file: int, _stack: object, _length: int, _data: object) -> None:
        found.append(libclang.text(library.clang_getFileName(file)))

    library.clang_getInclusions(unit, libclang.INCLUSION_VISITOR(visit), None)
    return _real(found, directory, absolute)


def _real(paths: Iterable[str], directory: str, absolute: str) -> tuple[str, ...]:
    """The paths with real folders, sorted, without that of the file itself."""
    folders: dict[str, str] = {}
    found: set[str] = set()
    for path in paths:
        folder, _, name = path.rpartition("/")
        real = folders.get(folder)
        if real is None:
            real = folders[folder] = os.path.realpath(os.path.join(directory, folder))  # noqa: PTH118
        found.add(f"{real}/{name}")
    folder, _, name = absolute.rpartition("/")
    found.discard(f"{os.path.realpath(folder)}/{name}")
    return tuple(sorted(found))


# --- what must not be opened -------------------------------------------------------------------

_INCLUDE = re.compile(
    rb"^[ \t]*(?:#|%:|\?\?=)[ \t]*(?:include|include_next|import)[ \t]*[\"<]([^\">\n]+)[\">]", re.MULTILINE
)


def _special_include(data: bytes, arguments: tuple[str, ...], absolute: str) -> str:
    """The first include of the file itself that names a device, a FIFO or a socket: reading one never
    ends. One hidden behind a macro or in a header meets the deadline instead."""
    folders = [os.path.dirname(absolute)]  # noqa: PTH120
    folders += [argument[2:] for argument in arguments if argument.startswith("-I")]
    folders += [value for flag, value in itertools.pairwise(arguments) if flag in ("-isystem", "-iquote")]
    for match in _INCLUDE.finditer(data):
        name = os.fsdecode(match[1])
        for folder in folders:
            try:
                mode = os.stat(os.path.join(folder, name)).st_mode  # noqa: PTH116, PTH118
            except (OSError, ValueError):
                continue
            if not (stat.S_ISREG(mode) or stat.S_ISDIR(mode)):
                return name
            break
    return ""
