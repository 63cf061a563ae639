"""Which distributions of Python packages are installed: their versions, and the entry points they have.

`importlib.metadata` says the same, and loads a parser of mail for it: a third of the time that an answer from the
cache takes. It is asked where a folder's name does not tell, as for eggs and zip files.
"""

# os.path is several times as fast, and this is done in every run.
# ruff: noqa: PTH118, PTH208

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator
from functools import lru_cache

from ownlint import door

_MOST_BYTES = 1 << 20

Point = tuple[str, str]
"""The name of an entry point, and the module it names."""


def version(distribution: str, places: Iterable[str]) -> str:
    """Of the first in these folders; empty when it is in none."""
    name = _normal(distribution)
    for place in places:
        if (folder := _told(place).get(name)) is not None:
            bare, _, version = folder.removesuffix(".dist-info").partition("-")
            return version if folder.endswith(".dist-info") and bare else _asked(distribution, place)
        if os.path.isfile(place) and (found := _asked(distribution, place)):  # noqa: PTH113
            return found
    return ""


def headers(distribution: str, places: Iterable[str], header: str) -> tuple[str, ...]:
    """The values of one header of its metadata, of the first of these folders that has it."""
    for place in places:
        if (folder := _told(place).get(_normal(distribution))) is not None:
            return tuple(_headers_in(f"{place}/{folder}/METADATA", header))
    return ()


def entry_points(group: str, places: Iterable[str]) -> tuple[Point, ...]:
    """Sorted; of two distributions with one name the first counts."""
    seen: set[str] = set()
    points: list[Point] = []
    for place in places:
        if os.path.isfile(place):  # noqa: PTH113
            points += _asked_points(group, place)
        told = _told(place)
        for name in told.keys() - seen:
            points += _points(os.path.join(place, told[name], "entry_points.txt"), group)
        seen |= told.keys()
    return tuple(sorted(set(points)))


def _normal(name: str) -> str:
    return re.sub(r"[-_.]+", "_", name).lower()


def _told(place: str) -> dict[str, str]:
    """Normal name to the folder that tells of it."""
    try:
        return _listed(place, os.stat(place or ".").st_mtime_ns)  # noqa: PTH116
    except OSError:
        return {}


@lru_cache(maxsize=64)
def _listed(place: str, changed: int) -> dict[str, str]:
    found: dict[str, str] = {}
    for entry in os.listdir(place or "."):
        bare, dot, kind = entry.rpartition(".")
        if dot and kind.lower() in ("dist-info", "egg-info"):
            found.setdefault(_normal(bare.partition("-")[0]), entry)
    return found


def _points(path: str, group: str) -> Iterator[Point]:
    try:
        text = door.read(path, _MOST_BYTES).decode()
    except (door.UnreadableError, UnicodeDecodeError):
        return
    section = ""
    for line in text.splitlines() if group in text else ():
        line = line.strip()
        if line.startswith("[") and line.endswith("]"):
            section = line[1:-1]
        elif section == group and "=" in line and not line.startswith("#"):
            name, _, value = line.partition("=")
            yield name.strip(), value.partition(":")[0].partition("[")[0].strip()


def _asked(distribution: str, place: str) -> str:
    """What the metadata of an egg say, and what is packed in a file on the path."""
    if os.path.isdir(place):  # noqa: PTH112
        folder = os.path.join(place, _told(place)[_normal(distribution)])
        return next(filter(None, map(_version_in, (f"{folder}/PKG-INFO", f"{folder}/METADATA", folder))), "")
    from importlib.metadata import Distribution, DistributionFinder

    context = DistributionFinder.Context(name=distribution, path=[place])
    return next((found.version for found in Distribution.discover(context=context)), "")


def _version_in(path: str) -> str:
    return next(_headers_in(path, "Version"), "")


def _headers_in(path: str, header: str) -> Iterator[str]:
    try:
        head = door.read(path, _MOST_BYTES, cut=True).decode("utf-8", "replace").partition("\n\n")[0]
    except door.UnreadableError:
        return
    for line in head.splitlines():
        if line.startswith(f"{header}:"):
            yield line.partition(":")[2].strip()


def _asked_points(group: str, place: str) -> Iterator[Point]:
    from importlib.metadata import Distribution, DistributionFinder

    for found in Distribution.discover(context=DistributionFinder.Context(path=[place])):
        yield from ((point.name, point.module) for point in found.entry_points.select(group=group))
