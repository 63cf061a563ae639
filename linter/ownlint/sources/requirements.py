"""Which versions of other packages a project is built with, as far as its own files say. Nothing is executed.

Asked are `pyproject.toml`, `setup.cfg`, `setup.py` and `requirements*.txt`, and of CMake what `find_package` and a
fetched tag say. The first that names a version of a package is believed.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from ownlint import door, toml

_MOST_BYTES = 1 << 20
_REQUIREMENT = re.compile(
    r"""(?P<name>[A-Za-z][\w.-]*)\s*(?:\[[\w,\s.-]*\])?\s*(?P<spec>(?:(?:[<>=!~]=|[<>])\s*[\w.*+!-]+\s*,?\s*)*)"""
)
_QUOTED = re.compile(r"""["']([A-Za-z][\w.-]*(?:\[[\w,\s.-]*\])?\s*(?:[<>=!~]=|[<>])[^"';]*)["']""")
_FOUND = re.compile(r"\bfind_package\s*\(\s*(\w+)\s+(\d+(?:\.\d+)*)", re.IGNORECASE)
_FETCHED = re.compile(r"\b(?:FetchContent_Declare|ExternalProject_Add|CPMAddPackage)\s*\(([^)]*)", re.IGNORECASE)
_NAMED = re.compile(r"\s*(?:NAME\s+)?(\w+)", re.IGNORECASE)
_TAGGED = re.compile(r"(?:GIT_TAG|VERSION)\s+[\"']?v?(\d+(?:\.\d+)+)", re.IGNORECASE)


def stated(root: Path) -> dict[str, str]:
    """Package, in lower case with dashes -> what its version must be, such as `>=2.11,<3`."""
    found: dict[str, str] = {}
    for name, spec in _all(root):
        key = normal(name)
        if spec and not found.get(key):
            found[key] = spec
    return dict(sorted(found.items()))


def normal(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()


def split(requirement: str) -> tuple[str, str]:
    """`pybind11[global]>=2.6, <3; python_version > "3"` -> the name and the bounds."""
    match = _REQUIREMENT.match(requirement.partition(";")[0].strip())
    return (match["name"], re.sub(r"\s", "", match["spec"]).rstrip(",")) if match else ("", "")


def _all(root: Path) -> Iterator[tuple[str, str]]:
    for each in _project(_read(root, root / "pyproject.toml")):
        yield split(each)
    for name in ("setup.cfg", "setup.py"):
        for quoted in _QUOTED.findall(_read(root, root / name)):
            yield split(quoted)
    for path in sorted(root.glob("*requirements*.txt")):
        for line in _read(root, path).splitlines():
            if line.strip() and not line.lstrip().startswith(("#", "-")):
                yield split(line.partition("#")[0])
    for path in _cmake(root):
        written = _read(root, path)
        yield from ((name, f">={version}") for name, version in _FOUND.findall(written))
        for fetched in _FETCHED.finditer(written):
            named, tagged = _NAMED.match(fetched[1]), _TAGGED.search(fetched[1])
            if named is not None and tagged is not None:
                yield named[1], f"=={tagged[1]}"


def _project(written: str) -> Iterator[str]:
    try:
        data = toml.parse(written)
    except toml.TomlError:
        return
    build, project = data.get("build-system"), data.get("project")
    for table, key in ((build, "requires"), (project, "dependencies")):
        listed = table.get(key) if isinstance(table, dict) else None
        yield from (each for each in listed if isinstance(each, str)) if isinstance(listed, list) else ()


def _cmake(root: Path) -> list[Path]:
    """The project's own, not those of what it brings along deeper down."""
    places = [*root.glob("CMakeLists.txt"), *root.glob("*/CMakeLists.txt"), *root.glob("cmake/*.cmake")]
    return sorted(places, key=lambda path: (len(path.parts), path))


def _read(root: Path, path: Path) -> str:
    try:
        return door.read(path, _MOST_BYTES, within=root).decode("utf-8", "replace")
    except door.UnreadableError:
        return ""
