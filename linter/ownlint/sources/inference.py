"""Arguments for a project that has no compile database.

An include root is a folder in which an `#include` of the file is found: `#include "a/b/c.h"` and a
file `src/a/b/c.h` of the project make `src` one. Folders are not added on suspicion: a `time.h`
in one of them would hide the system's.
"""

from __future__ import annotations

import contextlib
import os
import re
from collections.abc import Iterator, Sequence
from functools import cached_property, lru_cache
from pathlib import Path

from ownlint import door
from ownlint.sources import packages

DEEPEST = 400
"""Headers of the project that are followed from one file, at most."""

_MOST_BYTES = 1 << 20
_INCLUDE = re.compile(rb"^[ \t]*#[ \t]*include(?:_next)?[ \t]*([\"<])([^\">\n]+)[\">]", re.MULTILINE)
_STANDARD = re.compile(r"(?:\bc\+\+|\bgnu\+\+|CXX_STANDARD[\s=]+|cxx_std_|cpp_std=)(17|20|2a|23|2b)\b", re.IGNORECASE)
_BUILD_FILES = ("pyproject.toml", "CMakeLists.txt", "meson.build", "setup.py", "setup.cfg", ".bazelrc", "SConstruct")
# fmt: off
_SYSTEM_NAMES = frozenset((
    "assert.h", "ctype.h", "errno.h", "fenv.h", "float.h", "inttypes.h", "iso646.h", "limits.h",
    "locale.h", "math.h", "memory.h", "setjmp.h", "signal.h", "stdarg.h", "stdbool.h", "stddef.h",
    "stdint.h", "stdio.h", "stdlib.h", "string.h", "tgmath.h", "time.h", "uchar.h", "wchar.h",
    "wctype.h", "unistd.h", "pthread.h", "semaphore.h", "sched.h", "poll.h", "version", "memory",
    "string", "vector", "map", "set", "list", "array", "span", "any",
))
# fmt: on


class Inference:
    def __init__(self, root: Path, files: Sequence[Path]) -> None:
        self._root = str(root)
        self._names: dict[str, list[str]] = {}
        for file in sorted(os.path.join(root, file) for file in files):  # noqa: PTH118
            self._names.setdefault(file.rsplit("/", 1)[-1], []).append(file)
        self._includes: dict[str, tuple[tuple[bool, str], ...]] = {}

    def arguments(self, path: Path) -> tuple[str, ...]:
        arguments = [] if path.suffix == ".c" else [f"-std=c++{self._standard}"]  # refused of a file in C
        for root in self._roots(str(path)):
            arguments += _option(root)
        for folder in self._outside:
            arguments += ["-isystem", folder]
        return tuple(arguments)

    @cached_property
    def _outside(self) -> tuple[str, ...]:
        """The same for all files: those that are compiled alike share the work of reading headers."""
        sources = (file for files in self._names.values() for file in files if not file.endswith((".py", ".pyi")))
        return packages.folders({name for file in sources for _quoted, name in self._of(file)})

    @cached_property
    def _standard(self) -> str:
        """The newest one the build files speak of, 17 at least."""
        found = {"17"}
        for name in _BUILD_FILES:
            with contextlib.suppress(door.UnreadableError):
                text = door.read(f"{self._root}/{name}", _MOST_BYTES, within=self._root).decode("utf-8", "replace")
                found |= {m[1].lower() for m in _STANDARD.finditer(text)}
        return max(found, key=lambda standard: {"2a": "20", "2b": "23"}.get(standard, standard))

    def _roots(self, path: str) -> list[str]:
        """In the order in which the includes ask for them, the project's usual ones last."""
        roots: dict[str, None] = {}
        queue, seen = [path], {path}
        for file in queue:
            for root, header in self._resolved(file, list(roots)):
                if root:
                    roots[root] = None
                if header not in seen and len(queue) < DEEPEST:
                    seen.add(header)
                    queue.append(header)
        for usual in ("include", "src"):
            folder = os.path.join(self._root, usual)  # noqa: PTH118
            if os.path.isdir(folder):  # noqa: PTH112
                roots[folder] = None
        return list(roots)

    def _resolved(self, file: str, roots: list[str]) -> Iterator[tuple[str, str]]:
        """Root (empty where none is needed) and header of each include that is a file of the project."""
        folder = file.rpartition("/")[0]
        for quoted, name in self._of(file):
            beside = os.path.normpath(f"{folder}/{name}")
            if quoted and beside in self._names.get(name.rsplit("/", 1)[-1], ()):
                yield "", beside
                continue
            if not quoted and "/" not in name:  # `<string.h>` is not ours
                continue
            tail = "/" + name
            fitting = [other for other in self._names.get(name.rsplit("/", 1)[-1], ()) if other.endswith(tail)]
            if fitting:
                best = min(fitting, key=lambda other: (other[: -len(tail)] not in roots, -_shared(file, other), other))
                yield best[: -len(tail)] or "/", best

    def _of(self, file: str) -> tuple[tuple[bool, str], ...]:
        known = self._includes.get(file)
        if known is None:
            known = self._includes[file] = tuple(
                (m[1] == b'"', os.fsdecode(m[2])) for m in _INCLUDE.finditer(_head(file)) if b".." not in m[2]
            )
        return known


def _head(file: str) -> bytes:
    """The part of a file in which includes stand."""
    try:
        return door.read(file, 200_000, cut=True)
    except door.UnreadableError:
        return b""


def _shared(one: str, other: str) -> int:
    return len(os.path.commonpath((one, other)))


@lru_cache(maxsize=4096)
def _option(root: str) -> tuple[str, ...]:
    """A folder with a header of the system's name comes last for `<...>`."""
    try:
        names = _SYSTEM_NAMES.intersection(entry.name for entry in os.scandir(root) if entry.is_file())
    except OSError:
        names = frozenset()
    return ("-iquote", root, "-idirafter", root) if names else (f"-I{root}",)
