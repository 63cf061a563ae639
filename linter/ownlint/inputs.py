"""What decides a result besides the sources: this linter, its parsers, the rule packs and the models."""

from __future__ import annotations

import functools
import importlib.util
from collections.abc import Iterator
from hashlib import blake2b
from importlib.metadata import PackageNotFoundError, entry_points, version
from pathlib import Path
from typing import NamedTuple

from ownlint import __version__
from ownlint.catalogue import GROUP
from ownlint.config import ConfigError, Settings, place_of
from ownlint.facts.records import FORMAT, Language
from ownlint.sources import sidecars, stubs

_PARSERS = ("libclang", "libcst", "tree-sitter", "tree-sitter-cpp", "msgspec")


def version_of(distribution: str) -> str:
    """Empty when it is not installed as a distribution."""
    try:
        return version(distribution)
    except PackageNotFoundError:
        return ""


@functools.lru_cache(maxsize=1)
def packs() -> tuple[Path, ...]:
    """The folders of the installed rule packs."""
    folders = []
    for point in sorted(entry_points(group=GROUP), key=lambda point: (point.name, point.value)):
        spec = importlib.util.find_spec(point.module)
        folders += [Path(place) for place in (spec.submodule_search_locations or ())] if spec else []
    return tuple(dict.fromkeys(folders))


def model_paths(root: Path, settings: Settings) -> tuple[Path, ...]:
    """The models of the packs, then the user's own, which are heard last; no contracts."""
    own = (path for path in _named(root, settings) if not path.name.endswith(sidecars.SUFFIX))
    return (*(pack / "models" for pack in packs() if (pack / "models").is_dir()), *own)


def _named(root: Path, settings: Settings) -> Iterator[Path]:
    """What the settings name, a folder by its files."""
    for name in settings.config.models:
        path = root / name
        if not path.exists():
            raise ConfigError(f"{place_of(settings, 'models', name)}: `{name}`: no such file or folder")
        yield from sorted(path.glob("*.toml")) if path.is_dir() else (path,)


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
    said = tuple(path for path in _named(root, settings) if path.name.endswith(sidecars.SUFFIX))
    return Contracts(sidecars.contracts(folders), said)


@functools.lru_cache(maxsize=2)
def reader_digest(language: Language) -> bytes:
    """Of the code that reads files of a language. Not of versions alone: a checkout changes without a new one. It
    imports nothing else, but for a record of how to compile a file."""
    here = Path(__file__).parent
    return _digest_of(here / "facts", *(here / "frontends").glob("*.py"), here / "frontends" / language)


@functools.lru_cache(maxsize=1)
def engine_digest() -> bytes:
    """Of all the code that decides a result, but for the rules."""
    return _digest_of(Path(__file__).parent)


def _digest_of(*places: Path) -> bytes:
    parsers = " ".join(f"{name} {version_of(name)}" for name in _PARSERS)
    digest = blake2b(f"{FORMAT} {__version__} {parsers}".encode(), digest_size=20)
    for place in sorted(places):
        for path in _python_files(place) if place.is_dir() else (place,):
            digest.update(path.name.encode() + b"\0" + path.read_bytes())
    return digest.digest()


def knowledge_digest(models: tuple[Path, ...]) -> bytes:
    """Of rules and models."""
    digest = blake2b(digest_size=20)
    for pack in packs():
        for path in _python_files(pack):
            digest.update(path.name.encode() + b"\0" + path.read_bytes())
    for place in models:
        for path in sorted(place.glob("*.toml")) if place.is_dir() else (place,):
            digest.update(path.name.encode() + b"\0" + (path.read_bytes() if path.is_file() else b""))
    return digest.digest()


def _python_files(folder: Path) -> Iterator[Path]:
    return iter(sorted(folder.rglob("*.py")))
