"""How each C++ file is compiled: from a compile database, else by inference."""

from __future__ import annotations

import bisect
import os
import re
import stat
from collections.abc import Iterable, Sequence
from functools import cached_property
from pathlib import Path, PurePosixPath
from typing import Protocol

import msgspec

from ownlint import door, json_reading
from ownlint.facts.errors import RefusalError
from ownlint.sources import headers, libclang
from ownlint.sources.arguments import allowed, split
from ownlint.sources.inference import Inference

DATABASE = "compile_commands.json"
LARGEST = 200_000_000
"""Bytes of a database; Chromium's has some 100 MB."""

_LONGEST_PATH = 4096

BUILD_FOLDERS = ("build", "out", "builddir", "cmake-build-*", "build/*")

SOURCES = (".cc", ".cpp", ".cxx", ".c++", ".c", ".C", ".cp")
C = ".c"
"""The suffix whose files a compiler takes for C: it refuses them where the arguments name a standard of C++."""


class Command(msgspec.Struct, frozen=True):
    """Arguments that passed the allow-list, all paths absolute; `inferred` when no database had them
    for this very file."""

    arguments: tuple[str, ...]
    directory: str
    inferred: bool
    project: str = ""
    """The folder of the project: what lies there may be read whatever it is called. Else that is `directory`, which a
    database says."""


class CompilationError(RefusalError):
    """A compile database somebody named cannot be used. `line` is None where no line is to blame."""

    def __init__(self, path: Path, line: int | None, message: str) -> None:
        super().__init__(f"{path}:{line}: {message}" if line is not None else f"{path}: {message}")
        self.path = path
        self.line = line
        self.message = message


class LocatedSource(Protocol):
    """What is needed of a source: where it is."""

    @property
    def path(self) -> Path: ...


class CompileCommand(msgspec.Struct, frozen=True):
    """One command of a database. The keys we do not know are skipped."""

    file: str
    directory: str = ""
    command: str = ""
    arguments: tuple[str, ...] = ()

    def words(self) -> Sequence[str]:
        """The command without the compiler. Raises `ValueError` when it cannot be split."""
        return (self.arguments or split(self.command))[1:]


class Compilation:
    """`notice` is a line for the user, or empty."""

    def __init__(self, root: Path, sources: Sequence[LocatedSource], found: Database | None, notice: str) -> None:
        self._root = root
        self._sources = sources
        self._database = found
        self._headers = headers.find(own=libclang.own_headers())
        self.notice = "; ".join(part for part in (notice, self._headers.notice) if part)

    @classmethod
    def find(cls, root: Path, build_path: Path | None, sources: Sequence[LocatedSource]) -> Compilation:
        """`build_path` is a database or the folder that holds it, and raises `CompilationError` when it
        cannot be read; a broken one that we came across ourselves is a notice."""
        root = root.resolve()
        if build_path is not None:
            given = root / build_path
            path = given / DATABASE if given.is_dir() else given
            return cls(root, sources, read(path), "")
        candidates = _candidates(root)
        notice = ""
        for path in candidates[:1]:
            if len(candidates) > 1:
                notice = f"using {_shown(path, root)}, the newest of {len(candidates)} compile databases"
            try:
                return cls(root, sources, read(path), notice)
            except CompilationError as error:
                place = _shown(error.path, root) + (f":{error.line}" if error.line is not None else "")
                notice = f"{place}: {error.message}; ignored"
        return cls(root, sources, None, notice)

    @property
    def database(self) -> Database | None:
        return self._database

    @property
    def from_database(self) -> bool:
        """A database was found: not every command is inferred."""
        return self._database is not None

    def command(self, source: LocatedSource) -> Command | None:
        """None where nothing is known that would make a parser understand the file."""
        if not self._headers.source:
            return None
        path = Path(os.path.abspath(source.path))  # noqa: PTH100 - a link keeps its name, as in the database
        if self._database is not None:
            found = self._database.command(path, self._root)
            if found is not None:
                return msgspec.structs.replace(found, arguments=_named(path, found.arguments) + self._headers.arguments)
        arguments = _named(path, self._inference.arguments(path))
        return Command(arguments + self._headers.arguments, str(self._root), True, str(self._root))

    @cached_property
    def _inference(self) -> Inference:
        return Inference(self._root, tuple(source.path for source in self._sources))


def _named(path: Path, arguments: tuple[str, ...]) -> tuple[str, ...]:
    """A header's language does not follow from its name, nor that of a `.c` which is compiled as C++."""
    if "-x" in arguments or (path.suffix in SOURCES and not (path.suffix == C and any(map(_OF_CXX, arguments)))):
        return arguments
    return ("-x", "c++", *arguments)


def _lent_to_c(arguments: tuple[str, ...]) -> tuple[str, ...]:
    """The arguments of a C++ source without the words that make them C++."""
    words = iter(arguments)
    kept: list[str] = []
    for word in words:
        if word == "-x":
            next(words, None)
        elif not _OF_CXX(word):
            kept.append(word)
    return tuple(kept)


_OF_CXX = re.compile(r"-std=\w+\+\+").match


def _shown(path: Path, root: Path) -> str:
    return path.relative_to(root).as_posix() if path.is_relative_to(root) else str(path)


def _candidates(root: Path) -> list[Path]:
    """The databases of the nearest folder that has any, itself or in a build folder; newest first."""
    for folder in (root, *root.parents):
        places = [folder / DATABASE]
        for pattern in BUILD_FOLDERS:
            places += sorted(folder.glob(f"{pattern}/{DATABASE}"))
        found = [(_changed(place), str(place)) for place in places if os.path.lexists(place)]
        if found:
            return [Path(place) for _time, place in sorted(found, key=lambda item: (-item[0], item[1]))]
    return []


def _changed(place: Path) -> float:
    """When a file was changed; what is no file comes behind all that are."""
    try:
        status = place.stat()
    except OSError:
        return -1.0
    return status.st_mtime if stat.S_ISREG(status.st_mode) else -1.0


# --- the database ------------------------------------------------------------------------------


class Database:
    """The commands of a `compile_commands.json`, looked up by file, stem and folder."""

    def __init__(self, path: Path, entries: Sequence[CompileCommand]) -> None:
        self.path = path
        self._files: dict[str, CompileCommand] = {}
        for entry in entries:
            if len(entry.directory) + len(entry.file) > _LONGEST_PATH:  # no file has such a name
                continue
            directory = os.path.join(path.parent, entry.directory)  # noqa: PTH118
            file = os.path.normpath(os.path.join(directory, entry.file))  # noqa: PTH118
            self._files.setdefault(file, entry)
        of_c = [file for file in self._files if file.endswith(C)]
        others = _Lenders(file for file in self._files if not file.endswith(C))
        self._lenders = {True: _Lenders(of_c) if of_c else others, False: others}  # arguments of C make no C++

    def __len__(self) -> int:
        return len(self._files)

    def command(self, path: Path, root: Path) -> Command | None:
        """The file's own, or that of a source beside it: of the same stem, else the nearest one. A C file has that of
        another C file, or of a C++ source what is not about its language."""
        own = str(path) if str(path) in self._files else os.path.realpath(path)
        in_c = path.suffix == C
        name = own if own in self._files else self._lenders[in_c].of(str(path))
        entry = self._files.get(name)
        if entry is None:
            return None
        directory = os.path.normpath(os.path.join(self.path.parent, entry.directory))  # noqa: PTH118
        try:
            words = entry.words()
        except ValueError:
            return None
        arguments = allowed(words, directory, (root, self.path.parent))
        if in_c and name != own:
            arguments = _lent_to_c(arguments)
        return Command(arguments, directory, name != own, str(root))


class _Lenders:
    """Sources whose command another file can have."""

    def __init__(self, files: Iterable[str]) -> None:
        self._files = sorted(files)
        self._stems: dict[str, list[str]] = {}
        for file in self._files:
            self._stems.setdefault(PurePosixPath(file).stem, []).append(file)

    def of(self, path: str) -> str:
        """Empty where there is none."""
        pure = PurePosixPath(path)
        alike = self._stems.get(pure.stem, ())
        if alike:
            return max(alike, key=lambda other: (_shared(path, other), other))
        return next(filter(None, (self._first_below(str(folder)) for folder in pure.parents)), "")

    def _first_below(self, folder: str) -> str:
        start = folder.rstrip("/") + "/"
        at = bisect.bisect_left(self._files, start)
        found = self._files[at] if at < len(self._files) else ""
        return found if found.startswith(start) else ""


def _shared(one: str, other: str) -> int:
    return len(os.path.commonpath((one, other)).split("/"))


def read(path: Path) -> Database:
    """Raises `CompilationError`. Response files (`@file`) stay unread."""
    try:
        data = door.read(path, LARGEST)
    except door.UnreadableError as error:
        raise CompilationError(path, None, "no such compile database" if error.missing else error.reason) from error
    try:
        entries = json_reading.decode(data, list[CompileCommand])
    except msgspec.DecodeError as error:
        line, message = _mistake(data, error)
        raise CompilationError(path, line, message) from error
    return Database(path, entries)


def _mistake(data: bytes, error: msgspec.DecodeError) -> tuple[int, str]:
    if isinstance(error, msgspec.ValidationError):
        try:
            return _line_of_entry(data, str(error)), _plain(str(error))
        except msgspec.DecodeError as worse:  # further on it is not even JSON
            error = worse
    return _line_of_byte(data, str(error)), _plain(str(error))


def _plain(message: str) -> str:
    """msgspec's words, without the place we say better."""
    text = re.sub(r" - at `\$\[(\d+|\.\.\.)\]\.?(\w*).*`", lambda m: f" (`{m[2]}`)" if m[2] else "", message)
    text = re.sub(r" - at `\$`|(?<!\s)\s*+\(byte \d+\)", "", text)
    acronym = text[:2].isupper()
    return "not a compile database: " + (text if acronym else text[:1].lower() + text[1:])


def _line_of_byte(data: bytes, message: str) -> int:
    found = re.search(r"\(byte (\d+)\)", message)
    return data.count(b"\n", 0, int(found[1]) if found else len(data)) + 1


def _line_of_entry(data: bytes, message: str) -> int:
    """Items are counted again, as raw text: the error knows its item's number, not its place. Raises when that
    fails."""
    found = re.search(r"at `\$\[(\d+)\]", message)
    if found is None:
        return 1
    items = json_reading.decode(data, list[msgspec.Raw])
    at = 0
    for item in items[: int(found[1]) + 1]:
        at = data.find(bytes(item), at) + len(bytes(item))
    return data.count(b"\n", 0, at - len(bytes(item))) + 1
