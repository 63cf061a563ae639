"""Which files may be read for the types of a source: the project's own, and headers where headers are expected.

A source can include any file of this machine. What such a file holds comes back in many shapes: as the name of a type
or an enumerator, as a number in a template's argument, in the text of an error. So it is the file that is judged, and
not what was made of it: where one that is none of ours was read, nothing is said of types.
"""

from __future__ import annotations

import itertools
import os
import re
from collections.abc import Iterable
from functools import lru_cache

from ownlint import door

SYSTEM = (
    "/usr/include",
    "/usr/lib",
    "/usr/local",
    "/opt",
    "/nix/store",
    "/gnu/store",
    "/Applications/Xcode.app",
    "/Library/Developer",
)
"""Folders of packages, by whatever name the headers in them are reached."""

_SUFFIXES = frozenset(".h .hh .hpp .hxx .h++ .inc .inl .ipp .tpp .tcc .txx .def .cuh .modulemap".split())  # noqa: SIM905
_MOST = 1 << 20
_LOOKED_AT = 1 << 16
_DIRECTIVE = re.compile(
    rb"^[ \t]*+#[ \t]*+(?:pragma[ \t]++once\b|ifndef[ \t]|include(?:_next)?[ \t]*+[\"<])", re.MULTILINE
)


class Territory:
    """`project` is the folder of the project; `arguments` name the folders of headers beside it."""

    def __init__(self, project: str, arguments: tuple[str, ...]) -> None:
        self._project = _folder(project)
        self._include = tuple(dict.fromkeys(map(_folder, (*SYSTEM, *_include_folders(arguments)))))

    def stranger(self, paths: Iterable[str]) -> str:
        """The first of these files that is neither the project's own nor a header in a folder of headers, by its last
        name; empty where there is none. Links count for where they lead."""
        found = (path for path in paths if not self._is_known(os.path.realpath(path)))
        return os.path.basename(min(found, default=""))  # noqa: PTH119

    def _is_known(self, real: str) -> bool:
        if real.startswith(self._project):
            return True
        return real.startswith(self._include) and is_header(real)


def _folder(path: str) -> str:
    return os.path.realpath(path).rstrip("/") + "/"


def _include_folders(arguments: tuple[str, ...]) -> Iterable[str]:
    for argument in arguments:
        if argument.startswith("-I"):
            yield argument[2:]
    for flag, value in itertools.pairwise(arguments):
        if flag in ("-isystem", "-iquote", "-idirafter", "-resource-dir"):
            yield value


@lru_cache(maxsize=1 << 14)
def is_header(path: str) -> bool:
    """By its suffix; a file without one (`vector`, `Eigen/Dense`) by a directive that headers have."""
    suffix = os.path.splitext(path)[1].lower()  # noqa: PTH122
    if suffix:
        return suffix in _SUFFIXES
    try:
        return _DIRECTIVE.search(door.read(path, _MOST)[:_LOOKED_AT]) is not None
    except door.UnreadableError:
        return False
