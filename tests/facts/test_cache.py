from __future__ import annotations

import os
import threading
from pathlib import Path

import pytest

from ownlint.facts.cache import Cache
from ownlint.sources.digests import Digests


def entries(folder: Path) -> list[Path]:
    return sorted(path for path in folder.glob("??/*"))


def test_what_is_put_is_had(tmp_path: Path) -> None:
    cache = Cache(tmp_path / "c")
    key = Cache.key(b"a", b"b")
    assert cache.get(key) is None
    cache.put(key, b"data")
    assert Cache(tmp_path / "c").get(key) == b"data"
    assert (tmp_path / "c/.gitignore").read_text() == "*\n"
    assert (tmp_path / "c/CACHEDIR.TAG").read_bytes().startswith(b"Signature: 8a477f597d28d172789f06886806bc55")


def test_a_key_knows_where_its_parts_end() -> None:
    assert Cache.key(b"ab", b"c") != Cache.key(b"a", b"bc") != Cache.key(b"abc")


@pytest.mark.parametrize("damage", [b"", b"x", b"x" * 200])
def test_a_damaged_entry_is_a_miss(tmp_path: Path, damage: bytes) -> None:
    cache = Cache(tmp_path)
    key = Cache.key(b"k")
    cache.put(key, b"data" * 20)
    entries(tmp_path)[0].write_bytes(damage)
    assert cache.get(key) is None
    cache.put(key, b"new")
    assert cache.get(key) == b"new"


def test_what_is_no_file_is_a_miss(tmp_path: Path) -> None:
    cache, key = Cache(tmp_path), Cache.key(b"k")
    (tmp_path / key[:2]).mkdir()
    place = tmp_path / key[:2] / key[2:]
    os.mkfifo(place)
    assert cache.get(key) is None  # and does not wait for a writer
    place.unlink()
    place.mkdir()
    assert cache.get(key) is None
    cache.put(key, b"data")
    assert cache.get(key) is None


def test_what_a_killed_run_left_is_swept_too(tmp_path: Path) -> None:
    cache, key = Cache(tmp_path), Cache.key(b"k")
    cache.put(key, bytes(100))
    left = tmp_path / key[:2] / ".new-abc"
    left.write_bytes(bytes(9000))
    os.utime(left, (1, 1))
    cache.sweep(limit=5000)
    assert (left.exists(), cache.get(key)) == (False, bytes(100))


def test_a_folder_that_cannot_be_made_is_no_cache(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    cache = Cache(tmp_path / "file/c")
    cache.put(Cache.key(b"k"), b"data")
    assert cache.get(Cache.key(b"k")) is None


def test_a_link_in_the_place_of_the_folder_is_not_written_through(tmp_path: Path) -> None:
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "c").symlink_to("elsewhere")
    Cache(tmp_path / "c").put(Cache.key(b"k"), b"data")
    assert list((tmp_path / "elsewhere").iterdir()) == []


def test_no_folder_is_no_cache() -> None:
    cache = Cache(None)
    cache.put(Cache.key(b"k"), b"data")
    assert cache.get(Cache.key(b"k")) is None


def test_writers_do_not_disturb_each_other(tmp_path: Path) -> None:
    keys = [Cache.key(b"%d" % n) for n in range(30)]

    def work() -> None:
        cache = Cache(tmp_path)
        for key in keys:
            cache.put(key, key.encode() * 50)
            assert cache.get(key) == key.encode() * 50

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(entries(tmp_path)) == 30


def test_the_oldest_are_swept(tmp_path: Path) -> None:
    cache = Cache(tmp_path)
    for n in range(10):
        cache.put(Cache.key(b"%d" % n), bytes(1000))
        os.utime(tmp_path / Cache.key(b"%d" % n)[:2] / Cache.key(b"%d" % n)[2:], (n, n))
    cache.sweep(limit=5000)
    assert [n for n in range(10) if cache.get(Cache.key(b"%d" % n)) is not None] == [7, 8, 9]


def test_a_file_that_did_not_change_is_not_read_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    cache, path = Cache(tmp_path / "c"), tmp_path / "a.h"
    path.write_bytes(b"one")
    os.utime(path, (1, 1))
    first = Digests(cache, tmp_path)
    digest = first.of(str(path))
    first.save()
    # The time of change cannot be set back, so the memo rightly does not trust a file this young.
    monkeypatch.setattr("ownlint.sources.discover._RACY_NS", -(10**12))
    second = Digests(cache, tmp_path)
    assert second.of(str(path)) == digest
    second.save()
    monkeypatch.setattr("ownlint.sources.digests._read", lambda path: pytest.fail("was read"))
    assert Digests(cache, tmp_path).of(str(path)) == digest


def test_a_file_that_changed_within_its_time_stamp_is_read_again(tmp_path: Path) -> None:
    cache, path = Cache(tmp_path / "c"), tmp_path / "a.h"
    path.write_bytes(b"one")
    digests = Digests(cache, tmp_path)
    one = digests.of(str(path))
    digests.save()
    path.write_bytes(b"two")
    assert Digests(cache, tmp_path).of(str(path)) != one


def test_a_file_that_cannot_be_read_has_no_digest(tmp_path: Path) -> None:
    digests = Digests(Cache(None), tmp_path)
    os.mkfifo(tmp_path / "pipe")
    assert (digests.of(str(tmp_path / "none")), digests.of(str(tmp_path / "pipe"))) == ("", "")
