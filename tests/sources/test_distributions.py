"""What is installed, told as `importlib.metadata` tells it."""

from __future__ import annotations

import sys
import zipfile
from importlib import metadata
from pathlib import Path

import pytest

from ownlint.choices import PACKS
from ownlint.sources.distributions import entry_points, version


def test_everything_here_has_the_version_that_the_standard_library_tells() -> None:
    told = {found.metadata["Name"]: found.version for found in metadata.distributions()}
    assert told
    for name in told:
        assert version(name, sys.path) == metadata.version(name)


@pytest.mark.parametrize("group", [PACKS, "console_scripts", "pytest11", "no.such.group"])
def test_the_entry_points_are_those_that_the_standard_library_tells(group: str) -> None:
    told = {(point.name, point.module) for point in metadata.entry_points(group=group)}
    assert entry_points(group, sys.path) == tuple(sorted(told))


def distribution(place: Path, folder: str, told: str, text: str, points: str = "") -> None:
    (place / folder).mkdir(parents=True)
    (place / folder / told).write_text(text)
    if points:
        (place / folder / "entry_points.txt").write_text(points)


def test_a_name_may_be_written_in_several_ways(tmp_path: Path) -> None:
    distribution(tmp_path, "Frame_Works-2.1.dist-info", "METADATA", "Name: Frame.Works\nVersion: 2.1\n")
    assert {version(name, [str(tmp_path)]) for name in ("frame-works", "Frame.Works", "frame_works")} == {"2.1"}
    assert version("frame", [str(tmp_path)]) == ""


def test_an_egg_is_asked_for_its_version(tmp_path: Path) -> None:
    distribution(tmp_path, "frame.egg-info", "PKG-INFO", "Metadata-Version: 2.1\nName: frame\nVersion: 0.3\n")
    assert version("frame", [str(tmp_path)]) == "0.3"


def test_a_zip_file_on_the_path_is_looked_into(tmp_path: Path) -> None:
    path = tmp_path / "all.zip"
    with zipfile.ZipFile(path, "w") as packed:
        packed.writestr("frame-1.5.dist-info/METADATA", "Metadata-Version: 2.1\nName: frame\nVersion: 1.5\n")
        packed.writestr("frame-1.5.dist-info/entry_points.txt", "[ownlint.rules]\nframe = frame_rules\n")
    assert version("frame", [str(tmp_path), str(path)]) == "1.5"
    assert entry_points(PACKS, [str(path)]) == (("frame", "frame_rules"),)


def test_the_first_place_counts(tmp_path: Path) -> None:
    for place, number in (("near", "2"), ("far", "1")):
        points = f"[ownlint.rules]\nframe = frame_{place}:rules [extra]\n# none = at_all\n\n[other]\nframe = other\n"
        distribution(tmp_path / place, f"frame-{number}.dist-info", "METADATA", "", points)
    places = [str(tmp_path / place) for place in ("missing", "near", "far")]
    assert version("frame", places) == "2"
    assert entry_points(PACKS, places) == (("frame", "frame_near"),)


def test_what_cannot_be_read_is_none(tmp_path: Path) -> None:
    (tmp_path / "frame-1.dist-info").mkdir()
    (tmp_path / "frame-1.dist-info" / "entry_points.txt").write_bytes(b"[ownlint.rules]\nframe = \xff\n")
    assert entry_points(PACKS, [str(tmp_path)]) == ()
