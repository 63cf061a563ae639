"""What decides a result besides the sources: this linter, its parsers, the rule packs and the models."""

from __future__ import annotations

import functools
import importlib.util
import os
import stat
import sys
from collections.abc import Iterator, Sequence
from hashlib import blake2b
from pathlib import Path
from typing import NamedTuple

from ownlint import __version__, choices, door, steps
from ownlint.choices import PACKS
from ownlint.config import ConfigError, Settings, place_of
from ownlint.facts.base import FORMAT, Language
from ownlint.facts.cache import Cache
from ownlint.sources import distributions, libclang, sidecars, stubs
from ownlint.sources.discover import Stamp

_MOST_BYTES = 64 << 20
_PARSERS = ("libclang", "libcst", "tree-sitter", "tree-sitter-cpp", "google-re2", "msgspec")


def version_of(distribution: str) -> str:
    """Empty when it is not installed as a distribution."""
    return distributions.version(distribution, sys.path)


@functools.lru_cache(maxsize=1)
def packs() -> tuple[Path, ...]:
    """The folders of the installed rule packs."""
    folders = []
    for _, module in distributions.entry_points(PACKS, sys.path):
        spec = importlib.util.find_spec(module)
        folders += [Path(place) for place in (spec.submodule_search_locations or ())] if spec else []
    return tuple(dict.fromkeys(folders))


def model_paths(root: Path, settings: Settings) -> tuple[Path, ...]:
    """The models of the packs, then the user's own, which are heard last; no contracts."""
    return (*(pack / "models" for pack in packs() if (pack / "models").is_dir()), *own_models(root, settings))


def own_models(root: Path, settings: Settings) -> tuple[Path, ...]:
    """Those that the settings name; no contracts. Raises `ConfigError` on the first that is not there."""
    return tuple(path for path in _named(root, settings) if not path.name.endswith(sidecars.SUFFIX))


def _named(root: Path, settings: Settings) -> Iterator[Path]:
    """What the settings name, a folder by its files."""
    for name in settings.config.models:
        path = root / name
        if not path.exists():
            raise ConfigError(f"{place_of(settings, 'models', name)}: `{name}`: no such file or folder")
        for file in sorted(path.glob("*.toml")) if path.is_dir() else (path,):
            try:
                door.check_links(file, root)
            except door.UnreadableError as error:
                raise ConfigError(f"{place_of(settings, 'models', name)}: `{name}`: {error.reason}") from None
            yield file


class Contracts(NamedTuple):
    """`said` are the user's own, which are heard last; `found` lie beside installed packages."""

    found: tuple[Path, ...]
    said: tuple[Path, ...]

    @property
    def paths(self) -> tuple[Path, ...]:
        """All files that count, with the stubs of their packages."""
        named = (*self.found, *self.said)
        return (*named, *(stub for path in named for stub in stubs.beside(sidecars.homes(path))))


def contract_paths(root: Path, settings: Settings) -> Contracts:
    """Contract files, by name alone: none is read here."""
    named = settings.config.environment
    if named is not None and not (root / named).is_dir():
        raise ConfigError(f"{place_of(settings, 'environment', named)}: `{named}`: no such folder")
    folders = sidecars.places(None if named is None else root / named)
    return Contracts(sidecars.contracts(folders), own_contracts(root, settings))


def own_contracts(root: Path, settings: Settings) -> tuple[Path, ...]:
    """Those that the settings name. Raises `ConfigError` on the first that is not there."""
    return tuple(path for path in _named(root, settings) if path.name.endswith(sidecars.SUFFIX))


# --- digests ----------------------------------------------------------------------------------


@functools.lru_cache(maxsize=4)
def reader_digest(language: Language, cache: Cache) -> bytes:
    """Of the code that reads files of a language. Not of versions alone: a checkout changes without a new one. It
    imports nothing else, but for a record of how to compile a file."""
    here = Path(__file__).parent
    places = (
        here / "door.py",
        here / "patterns.py",
        here / "facts",
        *sorted((here / "frontends").glob("*.py")),
        here / "frontends" / language,
    )
    return _parsers() + _digest_of(places, cache)


@functools.lru_cache(maxsize=2)
def engine_digest(cache: Cache) -> bytes:
    """Of all the code that decides a result, but for the rules, with how many steps it may take."""
    return _parsers() + _digest_of((Path(__file__).parent,), cache) + f"{steps.BUDGET}".encode()


def knowledge_digest(models: tuple[Path, ...], cache: Cache) -> bytes:
    """Of rules and models."""
    return _packs_digest(cache) + _digest_of(models, cache, ".toml")


@functools.lru_cache(maxsize=2)
def _packs_digest(cache: Cache) -> bytes:
    told = (pack / name for pack in packs() for name in (choices.MEASURED, choices.WEIGHED))
    return _digest_of((*packs(), *(path for path in told if path.is_file())), cache)


@functools.lru_cache(maxsize=1)
def _parsers() -> bytes:
    parsers = [f"{name} {version_of(name)}" for name in _PARSERS]
    if (library := libclang.named()) is not None:
        parsers.append(f"{library} {Stamp.of(library.stat())}")
    text = f"{FORMAT} {__version__} {' '.join(parsers)}"
    return blake2b(text.encode("utf-8", "surrogateescape"), digest_size=20).digest()


def _digest_of(places: Sequence[Path], cache: Cache, suffix: str = ".py") -> bytes:
    """Of what files hold, and of their names; of a folder, of those below it with this suffix. It is remembered by the
    times and sizes of the files, but not while one of them is so new that it may change again without a new time."""
    found = [file for place in places for file in _files(place, suffix)]
    key = Cache.key(b"code", *(f"{path}\0{stamp}".encode("utf-8", "surrogateescape") for path, _, stamp in found))
    if (known := _digests.get(key) or cache.get(key)) is not None:
        return known
    digest = blake2b(digest_size=20)
    for path, name, _ in found:
        digest.update(os.fsencode(name) + b"\0")
        try:
            for piece in door.pieces(path, _MOST_BYTES):
                digest.update(piece)
        except door.UnreadableError as error:  # not the same as an empty file
            digest.update(f"\0{error.reason}".encode())
        digest.update(b"\0")
    if all(stamp.is_settled() for _, _, stamp in found):
        _digests[key] = digest.digest()
        cache.put(key, digest.digest())
    return digest.digest()


_digests: dict[str, bytes] = {}
"""Those that this process has worked out: every project has a cache of its own, and all have the same code."""


def _files(place: Path, suffix: str) -> list[tuple[str, str, Stamp]]:
    """Each with its name below the place, in order."""
    try:
        status = place.stat()
    except OSError:
        return [(str(place), place.name, Stamp(0, 0, 0, 0))]
    if not stat.S_ISDIR(status.st_mode):
        return [(str(place), place.name, Stamp.of(status))]
    found, folders = [], [(str(place), "")]
    while folders:
        folder, below = folders.pop()
        with os.scandir(folder) as entries:
            for entry in entries:
                if entry.name.endswith(suffix):
                    found.append((entry.path, below + entry.name, Stamp.of(entry.stat())))
                elif "." not in entry.name and entry.name != "__pycache__" and entry.is_dir(follow_symlinks=False):
                    folders.append((entry.path, f"{below}{entry.name}/"))
    return sorted(found)
