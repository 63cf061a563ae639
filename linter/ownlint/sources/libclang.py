"""Which libclang reads C++, where the user names one.

It is code that runs, so that only the environment of the run can name it, never a file of the tree under analysis.
"""

from __future__ import annotations

import os
from pathlib import Path

from ownlint.config import ConfigError
from ownlint.facts.base import LIBCLANG


def named() -> Path | None:
    """The shared library that is named; None for the installed one. Raises `ConfigError` where it is no file, and where
    its path is relative: it would be another one in each folder, and might be one of the tree."""
    name = os.environ.get(LIBCLANG)
    if not name:
        return None
    path = Path(name)
    if not path.is_absolute():
        raise ConfigError(f"{LIBCLANG}: `{name}` is not an absolute path")
    if not path.is_file():
        raise ConfigError(f"{LIBCLANG}: {name}: {'is a folder' if path.is_dir() else 'no such file'}")
    return path


def own_headers() -> Path | None:
    """The folder of the compiler's own headers that are installed with the one that is named: `lib/clang/19` beside
    `lib/libclang.so`. None for the installed one, which has none."""
    library = named()
    if library is None:
        return None
    for place in dict.fromkeys((library.parent, library.resolve().parent)):
        found = sorted(place.glob("clang/*/include/stddef.h"))
        if found:
            return found[-1].parents[1]
    return None
