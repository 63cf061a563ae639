"""The pure parts of `benchmarks/first_contact/`: what is drawn, of what kind, and what is given to a judge."""

from __future__ import annotations

import importlib.util
import random
import sys
import tomllib
from collections import Counter
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

FOLDER = Path(__file__).parents[2] / "benchmarks/first_contact"


def _load(name: str) -> ModuleType:
    spec = importlib.util.spec_from_file_location(f"first_contact_{name}", FOLDER / f"{name}.py")
    assert spec
    assert spec.loader
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module  # dataclasses look their module up
    spec.loader.exec_module(module)
    return module


draw, run = _load("draw"), _load("run")

SOURCES = """\
Package: foo
Binary: python3-foo
Version: 2:1.2.0-3
Architecture: any
Build-Depends: debhelper-compat (= 13), pybind11-dev,
 python3-all-dev
Checksums-Sha256:
 {one} 2000 foo_1.2.0-3.dsc
 {two} 90000 foo_1.2.0.orig.tar.xz
 {one} 4000 foo_1.2.0-3.debian.tar.xz
Section: python

Package: native
Version: 1.0
Checksums-Sha256:
 {one} 2000 native_1.0.tar.xz
Section: libs

Package: bar
Version: 3-1
Architecture: any
Build-Depends: cmake
Checksums-Sha256:
 {two} 70000 bar_3.orig.tar.gz
Section: libs
""".format(one="1" * 64, two="2" * 64)

BINARIES = """\
Package: python3-foo
Source: foo (1.2.0-3)
Description: Things

Package: libbar-dev
Source: bar
Description: Bars, wrapped with ctypes nowhere

Package: libbar3
Source: bar
Depends: libc6, libstdc++6 (>= 11)
Description: Bars
"""


def package(**fields: Any) -> Any:
    known = {"name": "x", "version": "1", "sha256": "0" * 64, "size": 100_000, "section": "python", "built_with": ""}
    return draw.Package(**(known | fields))


def test_a_package_is_what_the_lists_say_of_it() -> None:
    bar, foo = draw.packages(SOURCES, BINARIES)
    assert (foo.name, foo.version, foo.sha256, foo.size) == ("foo", "1.2.0", "2" * 64, 90_000)
    assert (bar.section, bar.develops, "libstdc++6" in bar.needs) == ("libs", True, True)


@pytest.mark.parametrize(
    ("fields", "kind"),
    [
        ({"built_with": "cmake, nanobind-dev, pybind11-dev"}, "nanobind"),
        ({"built_with": "python3-nanobind"}, "nanobind"),
        ({"built_with": "pybind11-dev (>= 2), python3-dev"}, "pybind11"),
        ({"built_with": "libboost-python-dev, python3-dev"}, "boost-python"),
        ({"built_with": "python3-cffi, python3-dev"}, "python-users"),
        ({"built_with": "python3", "described": "binds it by ctypes"}, "python-users"),
        ({"built_with": "debhelper, python3-all-dev"}, "c-api"),
        ({"built_with": "cython3, python3-all-dev"}, ""),
        ({"built_with": "python3-all-dev", "compiled": False}, ""),
        ({"section": "libs", "built_with": "cmake", "needs": "libstdc++6", "develops": True}, "runtime"),
        ({"section": "libs", "built_with": "cmake", "needs": "libc6", "develops": True}, ""),
        ({"section": "libs", "built_with": "qt6-base-dev", "needs": "libstdc++6", "develops": True}, ""),
        ({"section": "libs", "built_with": "not-pybind11-like"}, ""),
    ],
)
def test_a_kind_is_known_by_what_a_package_is_built_with(fields: dict[str, Any], kind: str) -> None:
    assert draw.kind_of(package(**fields)) == kind


def test_a_name_that_is_mentioned_is_known_in_any_spelling() -> None:
    mentioned = draw.mentioner(["as in Mapbox_Earcut, lz4.", "see dolfinx"])
    for name in ("python-mapbox-earcut", "mapbox.earcut", "python3-lz4", "fenics-dolfinx", "libdolfinx"):
        assert mentioned(name), name
    for name in ("lz", "dolfin", "python-lz44", "cut"):
        assert not mentioned(name), name


def test_the_same_seed_draws_the_same_and_nothing_mentioned_large_or_absent() -> None:
    known = [package(name=f"p{number}", built_with="pybind11-dev") for number in range(20)]
    known += [package(name="large", size=draw.LARGEST + 1, built_with="pybind11-dev")]

    def drawn(seed: int) -> list[str]:
        chance = random.Random(seed)
        taken = draw.draw(known, {"pybind11": 18}, lambda name: name == "p3", lambda one: one.name != "p4", chance)
        return [one.name for _, one in taken]

    assert drawn(1) == drawn(1)
    assert drawn(1) != drawn(2)
    assert set(drawn(1)) == {f"p{number}" for number in range(20)} - {"p3", "p4"}


def test_a_sample_is_bounded_by_project_and_by_rule_and_independent_of_order() -> None:
    findings = [
        {"path": "a.c", "line": number, "column": 1, "rule": "often" if number % 3 else f"r{number % 4}", "message": ""}
        for number in range(200)
    ]
    taken = run.sample(findings, "1:x")
    assert taken == run.sample(findings[::-1], "1:x")
    assert taken != run.sample(findings, "2:x")
    assert len(taken) == 40
    assert Counter(one["rule"] for one in taken).most_common(1)[0][1] <= 15
    assert [one["line"] for one in taken] == sorted(one["line"] for one in taken)
    assert len(run.sample(findings[:3], "1:x")) == 3


def test_a_sheet_tells_a_judge_all_but_the_rules_code() -> None:
    release = run.Release("x", "1", "0" * 64)
    finding = {
        "rule": "reference-leaked",
        "severity": "error",
        "certainty": "likely",
        "path": "a.c",
        "line": 3,
        "column": 2,
        "symbol": "f",
        "fingerprint": "abc",
        "message": "it leaks",
        "help": "release it",
        "reason": "if g fails",
        "steps": [{"path": "b.h", "line": 9, "message": "created here"}],
    }
    found = {"findings": [finding, finding], "lines": {"cpp": 1200, "python": 3}}
    page = run.sheet(release, Path("/src"), found, [finding])
    for part in (
        "reference-leaked",
        "likely",
        "a.c:3",
        "abc",
        "it leaks",
        "b.h:9",
        "created here",
        "release it",
        "1 of 2",
    ):
        assert part in page


@pytest.mark.parametrize("path", sorted((FOLDER / "rounds").glob("*.toml")), ids=lambda path: path.stem)
def test_a_round_names_at_least_twenty_releases_of_unlike_kinds(path: Path) -> None:
    _, releases = run.read_round(path)
    assert len({release.folder for release, _ in releases}) >= 20
    assert len({kind for _, kind in releases}) >= 5
    assert all(len(release.digest) == (40 if release.repository else 64) for release, _ in releases)  # git: SHA-1
    assert tomllib.loads(path.read_text(encoding="utf-8"))["round"] == int(path.stem)
