from __future__ import annotations

import os
import stat
from collections.abc import Iterator
from hashlib import blake2b
from pathlib import Path

import pytest

from ownlint.facts import cache_secret
from ownlint.facts.cache import Cache, remove

KEY, OTHER = Cache.key(b"k"), Cache.key(b"other")


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """The user's folder for caches, and beside it a project `p`."""
    (tmp_path / "p").mkdir()
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "home"))
    yield tmp_path / "home"
    for folder in (tmp_path, tmp_path / "home"):
        if folder.exists():
            folder.chmod(0o700)


def put(folder: Path, root: Path, content: bytes = b"data", key: str = KEY) -> Path:
    Cache(folder, root).put(key, content)
    return folder / key[:2] / key[2:]


def test_a_cache_in_the_project_is_signed_with_the_secret_of_the_user(home: Path, tmp_path: Path) -> None:
    root = tmp_path / "p"
    put(root / "c", root)
    secret = home / "ownlint" / "key"
    assert (len(secret.read_bytes()), stat.S_IMODE(secret.stat().st_mode)) == (32, 0o600)
    assert Cache(root / "c", root).get(KEY) == b"data"
    secret.unlink()  # another machine, to which the folder alone was brought
    assert Cache(root / "c", root).get(KEY) is None


def test_one_outside_of_the_project_has_its_secret_beside_it(home: Path, tmp_path: Path) -> None:
    put(tmp_path / "c", tmp_path / "p")
    assert (tmp_path / "c/key").is_file()
    assert not home.exists()
    (tmp_path / "c").rename(tmp_path / "restored")
    assert Cache(tmp_path / "restored", tmp_path / "p").get(KEY) == b"data"
    remove(tmp_path / "restored")
    assert not (tmp_path / "restored").exists()


@pytest.mark.parametrize("where", ["p/sub/../c", "p/c", "c"])
def test_no_secret_of_the_tree_counts(home: Path, tmp_path: Path, where: str) -> None:
    """A project below the top of a git tree: what is beside it comes with the same pull request."""
    (tmp_path / ".git").mkdir()
    (tmp_path / "p/sub").mkdir()
    folder = tmp_path / where
    put(folder, tmp_path / "p")
    assert not (folder / "key").exists()
    assert (home / "ownlint/key").exists()


def test_a_link_into_the_project_is_inside(home: Path, tmp_path: Path) -> None:
    (tmp_path / "p/c").mkdir()
    (tmp_path / "link").symlink_to("p/c")
    assert put(tmp_path / "link", tmp_path / "p").parent.exists() is False
    assert not (tmp_path / "p/c/key").exists()


@pytest.mark.parametrize("sign", ["no key", "another key", "another entry"])
def test_what_a_stranger_puts_there_is_a_miss(home: Path, tmp_path: Path, sign: str) -> None:
    root = tmp_path / "p"
    place = put(root / "c", root)
    poison = b"[]"
    match sign:
        case "no key":
            place.write_bytes(blake2b(poison, digest_size=32).digest() + poison)
        case "another key":
            name = KEY.encode() + b"\0" + poison
            place.write_bytes(blake2b(name, key=bytes(32), digest_size=32).digest() + poison)
        case _:
            place.write_bytes(put(root / "c", root, poison, OTHER).read_bytes())
    assert Cache(root / "c", root).get(KEY) is None
    put(root / "c", root)
    assert Cache(root / "c", root).get(KEY) == b"data"


@pytest.mark.parametrize("how", ["mode", "fifo", "link", "folder", "home in the project", "no home"])
def test_without_a_secret_that_is_the_users_own_nothing_is_believed(
    home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, how: str
) -> None:
    root = tmp_path / "p"
    put(root / "c", root)
    secret = home / "ownlint" / "key"
    match how:
        case "mode":
            secret.chmod(0o644)
        case "fifo":
            secret.unlink()
            os.mkfifo(secret)
        case "link":
            secret.rename(tmp_path / "moved")
            secret.symlink_to(tmp_path / "moved")
        case "folder":
            secret.unlink()
            secret.mkdir()
        case "home in the project":
            home.rename(root / "home")
            monkeypatch.setenv("XDG_CACHE_HOME", str(root / "home"))
        case _:
            monkeypatch.setenv("XDG_CACHE_HOME", "relative")
            monkeypatch.delenv("HOME")
    cache = Cache(root / "c", root)
    cache.put(KEY, b"new")
    assert cache.get(KEY) is None
    assert cache.distrust


def test_a_secret_that_was_not_written_to_its_end_is_made_again(home: Path, tmp_path: Path) -> None:
    root = tmp_path / "p"
    put(root / "c", root)
    (home / "ownlint/key").write_bytes(b"short")
    assert Cache(root / "c", root).get(KEY) is None
    put(root / "c", root)
    assert Cache(root / "c", root).get(KEY) == b"data"


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write everywhere")
def test_a_home_that_cannot_be_written_is_no_cache(home: Path, tmp_path: Path) -> None:
    home.mkdir()
    home.chmod(0o500)
    cache = Cache(tmp_path / "p/c", tmp_path / "p")
    cache.put(KEY, b"data")
    assert "cannot be written" in cache.distrust
    assert not (tmp_path / "p/c").exists()


def test_the_secret_of_another_user_is_none(home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    put(tmp_path / "p/c", tmp_path / "p")
    mine = os.geteuid()
    monkeypatch.setattr(cache_secret.os, "geteuid", lambda: mine + 1)
    assert "another user" in Cache(tmp_path / "p/c", tmp_path / "p").distrust
