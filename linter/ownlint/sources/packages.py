"""Python packages that are installed: their versions, and headers that come with them and with Python.

Folders are looked at, nothing is imported. Which packages are asked is up to the includes: for
`#include <frame/frame.h>` it is the package `frame`, when it has that header.
"""

from __future__ import annotations

import os
import sys
import sysconfig
from collections.abc import Iterable, Iterator
from functools import lru_cache
from importlib.machinery import PathFinder
from pathlib import Path

from ownlint.sources import distributions

_PLACES = ("include", "*/include", "*/*/include")
"""Where packages keep headers. With one of these folders come the others: they need each other."""


def folders(includes: Iterable[str]) -> tuple[str, ...]:
    """Python's own headers first, then those of each package that an include is found in, sorted."""
    asked: dict[str, set[str]] = {}
    for include in includes:
        package, slash, _ = include.partition("/")
        if slash and package.isidentifier():
            asked.setdefault(package, set()).add(include)
    found = dict.fromkeys(_python())
    for package in sorted(asked):
        places = _places(package)
        if any(os.path.isfile(f"{place}/{include}") for place in places for include in asked[package]):  # noqa: PTH113
            found |= dict.fromkeys(places)
    return tuple(found)


@lru_cache(maxsize=1)
def _python() -> tuple[str, ...]:
    places = [sysconfig.get_path("include"), *sorted(map(str, Path("/usr/include").glob("python3*")), reverse=True)]
    return tuple(place for place in places if Path(place, "Python.h").is_file())[:1]


@lru_cache(maxsize=512)
def _places(package: str) -> tuple[str, ...]:
    """Of a package that is installed with us, or in the environment somebody has activated."""
    spec = PathFinder.find_spec(package, [*_activated(), *filter(None, sys.path)])
    if spec is None or spec.origin is None:
        return ()
    home = Path(spec.origin).parent
    return tuple(str(place) for pattern in _PLACES for place in sorted(home.glob(pattern)) if place.is_dir())


def installed(package: str) -> str:
    """The version of a Python package that is installed with us, or in the environment somebody has activated; or
    nothing."""
    return distributions.version(package, (*_activated(), *filter(None, sys.path)))


def _activated() -> Iterator[str]:
    for variable in ("VIRTUAL_ENV", "CONDA_PREFIX"):
        if os.environ.get(variable):
            yield from map(str, sorted(Path(os.environ[variable]).glob("lib/python3*/site-packages")))
