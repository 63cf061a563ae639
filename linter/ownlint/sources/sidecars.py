"""Contract files that stand beside installed packages. Folders are looked at; nothing is imported, nothing runs."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from pathlib import Path

SUFFIX = ".own.toml"
_MOST = 500
"""More files than this are not meant for us."""


def places(environment: Path | None) -> tuple[Path, ...]:
    """Where packages are installed: in the environment that is named, else in the one that is active, and with us."""
    if environment is not None:
        return tuple(_inside(environment))
    found: list[Path] = []
    for variable in ("VIRTUAL_ENV", "CONDA_PREFIX"):
        if os.environ.get(variable):
            found += _inside(Path(os.environ[variable]))
    found += [Path(place) for place in sys.path if Path(place).name in ("site-packages", "dist-packages")]
    return tuple(place for place in dict.fromkeys(found) if place.is_dir())


def _inside(environment: Path) -> Iterator[Path]:
    for pattern in ("lib/python3*/site-packages", "Lib/site-packages"):
        yield from (place for place in sorted(environment.glob(pattern)) if place.is_dir())


def contracts(folders: tuple[Path, ...]) -> tuple[Path, ...]:
    """`pkg.own.toml` beside the package `pkg`, or inside it; of two with one name the first is meant."""
    found: dict[str, Path] = {}
    for folder in folders:
        for path in sorted(_listed(folder)):
            found.setdefault(path.relative_to(folder).as_posix(), path)
    return tuple(list(found.values())[:_MOST])


def _listed(folder: Path) -> Iterator[Path]:
    inner: list[str] = []
    try:
        with os.scandir(folder) as entries:
            for entry in entries:
                if entry.name.endswith(SUFFIX):
                    yield Path(entry.path)
                elif entry.name.isidentifier() and entry.is_dir():
                    inner.append(entry.path)
    except OSError:
        return
    for package in inner:
        try:
            with os.scandir(package) as entries:
                yield from (Path(entry.path) for entry in entries if entry.name.endswith(SUFFIX))
        except OSError:
            continue


def homes(contract: Path) -> tuple[Path, ...]:
    """The folders in which the stubs of a contract's package can lie."""
    package = contract.parent / contract.name.removesuffix(SUFFIX)
    return (package,) if package.is_dir() else (contract.parent,) if (contract.parent / "__init__.py").exists() else ()


def of_package(name: str, folders: tuple[Path, ...]) -> tuple[Path, ...]:
    """The contract files of one package, beside it or inside it."""
    bare = name.replace("-", "_")
    return tuple(
        path
        for path in contracts(folders)
        if path.name.removesuffix(SUFFIX) in (name, bare) or path.parent.name in (name, bare)
    )
