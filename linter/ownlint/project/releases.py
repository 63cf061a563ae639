"""Which release of a framework the project is built with: what its requirements say, or the headers it brings along."""

from __future__ import annotations

import re

from ownlint.models.records import FrameworkModel
from ownlint.project.program import Program

_BOUND = re.compile(r"(?P<how>[<>=!~]=|[<>])(?P<version>\d+(?:\.\d+)*)")
Release = tuple[int, ...]


def is_before(program: Program, framework: FrameworkModel, release: str) -> bool | None:
    """Whether the framework is older than that release; None when nobody can tell."""
    limit = _numbers(release)
    brought = _brought_along(program, framework)
    if brought:
        return brought < limit
    for how, version in _bounds(program, framework):
        if how in (">=", ">", "~=", "==") and version >= limit:
            return False
        if (how in ("==", "<=") and version < limit) or (how == "<" and version <= limit):
            return True
        if how == "~=" and (*version[:-2], version[-2] + 1 if len(version) > 1 else 0) <= limit:
            return True
    return None


def _bounds(program: Program, framework: FrameworkModel) -> list[tuple[str, Release]]:
    package = framework.library.replace("_", "-").lower()
    spec = program.requirements.get(package, "")
    return [(each["how"], _numbers(each["version"])) for each in _BOUND.finditer(spec)]


def _brought_along(program: Program, framework: FrameworkModel) -> Release:
    """The release that a header among the sources defines: `#define LIBRARY_VERSION_MAJOR 3`."""
    prefix = f"{framework.library.upper()}_VERSION"
    found: list[int] = []
    for part in ("MAJOR", "MINOR", "PATCH"):
        bodies = {macro.body.strip() for macro in program.macros.named(f"{prefix}_{part}")}
        number = re.match(r"\d+", bodies.pop()) if len(bodies) == 1 else None
        if number is None:
            break
        found.append(int(number.group()))
    return tuple(found)


def _numbers(version: str) -> Release:
    return tuple(int(part) for part in version.split("."))
