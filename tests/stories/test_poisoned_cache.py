"""A cache that comes with a pull request says nothing about its findings."""

from __future__ import annotations

import json
from collections.abc import Callable
from hashlib import blake2b
from os import environ
from pathlib import Path

import pytest
from tests import starting

from ownlint.facts.cache import Cache

GUILTY = """\
#include <pybind11/pybind11.h>
struct Part {};
struct Engine { Part& part() { return p; } Part p; };
PYBIND11_MODULE(m, mod) {
  pybind11::class_<Part>(mod, "Part");
  pybind11::class_<Engine>(mod, "Engine").def("part", &Engine::part, pybind11::return_value_policy::reference);
}
"""


@pytest.fixture
def project(tmp_path: Path) -> Path:
    root = tmp_path / "project"
    root.mkdir()
    (root / "a.cc").write_text(GUILTY)
    return root


def found(root: Path, home: str, *arguments: str) -> int:
    """How many findings are reported to the user with this home."""
    options = ["--types", "never", "--output-format", "json", *arguments]
    done = starting.text("check", *options, cwd=root, env={**environ, "XDG_CACHE_HOME": str(root.parent / home)})
    assert done.returncode in (0, 1), done.stderr
    return len(json.loads(done.stdout)["findings"])


def emptied(content: bytes) -> bytes:
    """An entry, without any finding."""
    try:
        entry = json.loads(content)
    except ValueError:
        return content
    return json.dumps(_without_findings(entry)).encode()


def _without_findings(value: object) -> object:
    """Findings are told by their certainty, wherever they stand."""
    match value:
        case dict():
            return {key: _without_findings(inner) for key, inner in value.items()}
        case list():
            return [
                _without_findings(inner) for inner in value if not (isinstance(inner, dict) and "certainty" in inner)
            ]
    return value


def entries(folder: Path) -> list[tuple[str, Path]]:
    return [(f"{path.parent.name}{path.name}", path) for path in sorted(folder.glob("??/*"))]


def sign_again(folder: Path) -> None:
    """As whoever has the key does."""
    cache = Cache(folder, folder.parent)
    for key, _ in entries(folder):
        if (content := cache.get(key)) is not None:
            cache.put(key, emptied(content))


def without_key(folder: Path) -> None:
    for _, path in entries(folder):
        content = emptied(path.read_bytes()[32:])
        path.write_bytes(blake2b(content, digest_size=32).digest() + content)


def untouched(folder: Path) -> None:
    for _, path in entries(folder):
        data = path.read_bytes()
        path.write_bytes(data[:32] + emptied(data[32:]))


def swapped(folder: Path) -> None:
    """Every entry under every name in turn."""
    held = [path.read_bytes() for _, path in entries(folder)]
    for (_, path), data in zip(entries(folder), held[1:] + held[:1], strict=True):
        path.write_bytes(data)


def test_whoever_has_the_key_may_say_what_they_like(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """So that the tests below mean something."""
    assert found(project, "attacker") == 1
    monkeypatch.setenv("XDG_CACHE_HOME", str(project.parent / "attacker"))
    sign_again(project / ".ownlint_cache")
    assert found(project, "attacker") == 0
    assert found(project, "victim") == 1


@pytest.mark.parametrize("poison", [without_key, untouched, swapped], ids=lambda poison: poison.__name__)
def test_poisoned_entries_are_misses_for_their_own_user_too(project: Path, poison: Callable[[Path], None]) -> None:
    assert found(project, "user") == 1
    poison(project / ".ownlint_cache")
    assert found(project, "user") == 1


def test_a_key_that_comes_with_the_tree_is_none(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Neither beside the entries nor where a home in the checkout would be."""
    (project / ".git").mkdir()
    assert found(project, "project/home") == 1
    assert found(project, "attacker") == 1
    monkeypatch.setenv("XDG_CACHE_HOME", str(project.parent / "attacker"))
    sign_again(project / ".ownlint_cache")
    key = (project.parent / "attacker/ownlint/key").read_bytes()
    for place in (".ownlint_cache", "home/ownlint"):
        (project / place).mkdir(parents=True, exist_ok=True)
        (project / place / "key").write_bytes(key)
        (project / place / "key").chmod(0o600)
    assert found(project, "project/home") == 1
    assert found(project, "victim", "--cache-dir", ".ownlint_cache") == 1
