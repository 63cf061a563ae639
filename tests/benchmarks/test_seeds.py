"""What counts as found in `benchmarks/seeds.py`, and that its lists name rules and pages that exist."""

from __future__ import annotations

import dataclasses
from typing import Any

import pytest
import seeds
import seeds_mlir
import seeds_programs
import seeds_review
from seeds_mlir import Bindings, Hole
from seeds_programs import Program
from seeds_review import BASE, WHOLE, Judged, Place, Point, Review

from ownlint import catalogue

RULES = {rule.id for rule in catalogue.load()}


def finding(**fields: Any) -> dict[str, Any]:
    known = {"rule": "leaks", "path": "src/a.cc", "line": 9, "symbol": "n::A::run", "message": "`x` leaks"}
    return known | {"certainty": "likely"} | fields


PLACE = Place(paths=("src/a.cc",), functions=("run",), rules=("leaks",))
POINT = Point("leak", "it leaks", (PLACE,), ("2",), found=True)
REVIEW = Review("a review", "o/n", ("src",), ("1", "2", "3"), (POINT,), ())
SILENT: dict[str, list[dict[str, Any]]] = {WHOLE: [], "2": [], "3": [], BASE: []}


# --- the review -----------------------------------------------------------------------------------


def test_the_review_has_ten_points_of_rules_that_exist() -> None:
    review = seeds_review.read_review(seeds.HERE / "review.toml")
    assert len(review.points) == 10
    assert {rule for point in review.points for place in point.places for rule in place.rules} <= RULES
    assert all(point.commits and set(point.commits) <= set(review.commits[1:]) for point in review.points)
    assert all(judged.rule in RULES and judged.fact for judged in review.judged)
    assert {judged.verdict for judged in review.judged} <= {"true", "doubtful", "false"}


@pytest.mark.parametrize(
    ("fields", "held"),
    [
        ({}, True),
        ({"symbol": "run"}, True),
        ({"symbol": "n::A::rerun"}, False),
        ({"path": "src/b.cc"}, False),
        ({"rule": "races"}, False),
    ],
)
def test_a_place_is_a_rule_a_file_and_a_function(fields: dict[str, Any], held: bool) -> None:
    assert PLACE.holds(finding(**fields)) is held


def test_a_point_is_found_when_each_of_its_places_is() -> None:
    two = dataclasses.replace(POINT, places=(PLACE, dataclasses.replace(PLACE, functions=("stop",))))
    assert two.told([finding()]) == []
    both = [finding(), finding(symbol="A::stop", certainty="certain")]
    assert two.told(both) == both
    assert seeds_review.cell(two, both) == "likely"
    assert seeds_review.cell(two, both[1:]) == "missed"


def test_what_is_written_down_as_found_is_found_on_each_stretch() -> None:
    here = SILENT | {WHOLE: [finding()], "2": [finding()]}
    assert seeds_review.lost(REVIEW, here) == []
    assert seeds_review.lost(REVIEW, here | {"2": []}) == ["leak, 2: written down as found, and missed"]
    assert seeds_review.lost(REVIEW, here | {BASE: [finding()]}) == ["leak: told on the base, too"]
    missed = dataclasses.replace(REVIEW, points=(dataclasses.replace(POINT, found=False),))
    assert seeds_review.lost(missed, SILENT) == []


def test_what_is_no_point_has_a_verdict() -> None:
    other, new = finding(rule="races"), finding(rule="casts")
    judged = Judged("races", "src/a.cc", "run", "true", "two threads run it")
    review = dataclasses.replace(REVIEW, judged=(judged,))
    said = SILENT | {WHOLE: [finding(), other], "3": [other, new], BASE: [finding(rule="old")]}
    assert seeds_review.beside(review, said) == [
        (new, ["3"], "unjudged", ""),
        (other, [WHOLE, "3"], "true", "two threads run it"),
    ]


def test_the_table_of_the_review_counts() -> None:
    lines = list(seeds_review.table(REVIEW, SILENT | {WHOLE: [finding()]}))
    assert "1 of 1 found on the whole change, 0 on each commit that has it, too" in lines
    assert lines[2].split() == ["leak", "likely", "missed", "-", "silent"]


# --- MLIR -----------------------------------------------------------------------------------------

HOLE = Hole("insert", "over another", ("run", "A.run"), ("leaks",), (14, 15), (14,), ("src/a.cc",))
BINDINGS = Bindings("bindings", "", ("14.0.6", "15.0.6", "16.0.6"), ("src",), (HOLE,))


def test_the_holes_are_of_rules_that_exist_and_misses_have_a_reason() -> None:
    bindings = seeds_mlir.read_bindings(seeds.HERE / "mlir.toml")
    majors = set(map(seeds_mlir.major, bindings.releases))
    for hole in bindings.holes:
        assert set(hole.rules) <= RULES
        assert set(hole.found) <= set(hole.there) <= majors, hole.says
        assert hole.reason or set(hole.found) == set(hole.there), hole.says
        assert hole.repaired or max(hole.there) == max(majors), hole.says
    assert {one.rule for one in bindings.judged} <= RULES
    assert {one.verdict for one in bindings.judged} <= {"true", "doubtful", "false"}


@pytest.mark.parametrize(
    ("fields", "said"),
    [
        ({}, "likely"),
        ({"symbol": "<lambda>", "message": "`A.run` leaks"}, "likely"),
        ({"symbol": "<lambda>"}, "missed"),
        ({"certainty": "possible"}, "possible"),
    ],
)
def test_a_hole_is_told_by_a_symbol_or_a_message(fields: dict[str, Any], said: str) -> None:
    assert seeds_mlir.cell(HOLE, "14.0.6", [finding(**fields)]) == said


def test_a_scope_tells_two_functions_of_one_name_apart() -> None:
    scoped = dataclasses.replace(HOLE, scopes=("B",))
    assert scoped.told([finding()]) == []
    assert scoped.told([finding(symbol="n::B::run")])


def test_where_there_is_no_hole_silence_is_right() -> None:
    assert seeds_mlir.cell(HOLE, "16.0.6", []) == "-"
    assert seeds_mlir.cell(HOLE, "16.0.6", [finding(certainty="possible")]) == "-"
    assert seeds_mlir.cell(HOLE, "16.0.6", [finding()]) == "FALSE"
    found = {"14.0.6": [finding()], "15.0.6": [], "16.0.6": []}
    assert seeds_mlir.lost(BINDINGS, found) == []
    assert len(seeds_mlir.lost(BINDINGS, found | {"14.0.6": []})) == 1
    assert len(seeds_mlir.lost(BINDINGS, found | {"16.0.6": [finding()]})) == 1


def test_the_table_of_holes_counts() -> None:
    lines = list(seeds_mlir.table(BINDINGS, {"14.0.6": [finding()], "15.0.6": []}))
    assert "  16.0.6: not here" in lines
    assert "    likely     missed" in lines
    [counts] = [line for line in lines if line.startswith("of ")]
    assert counts.startswith("of 2 (hole, release) 1 found at the default certainty, 0 as possible, 1 missed; 0 told")


def test_what_tells_no_hole_has_a_verdict() -> None:
    other, new = finding(rule="races"), finding(rule="casts")
    judged = seeds_mlir.Judged("races", ("run",), "true", "two threads run it")
    bindings = dataclasses.replace(BINDINGS, judged=(judged,))
    lines = list(seeds_mlir.beside(bindings, {"14.0.6": [finding(), other], "15.0.6": [new, other]}))
    assert lines == [
        "  true: races a.cc run (14:9, 15:9)",
        "    two threads run it",
        "  unjudged: casts a.cc run (15:9)",
        "    `x` leaks",
        "  2 true, 1 unjudged",
    ]


# --- the programs ---------------------------------------------------------------------------------


def test_the_programs_are_pairs() -> None:
    programs = seeds_programs.look(seeds.PROGRAMS, None)
    assert [one.guilty for one in programs] == [True, False] * (len(programs) // 2)
    assert seeds_programs.lost(programs) == []


def test_what_is_marked_is_reported_and_what_ends_well_is_not() -> None:
    guilty = Program("one", True, True, ("child-outlives-owner (certain)",), ("crashes (SIGSEGV)",))
    twin = Program("two", False, False, (), ("fine",))
    assert seeds_programs.lost([guilty, twin]) == []
    assert seeds_programs.lost([dataclasses.replace(guilty, said=())]) == ["one: missed"]
    assert seeds_programs.lost([dataclasses.replace(twin, said=guilty.said)]) == ["two: reported, and innocent"]
    assert list(seeds_programs.table([guilty, twin]))[-2:] == [
        "1 of 1 found, 0 of 1 twins reported",
        "1 of 1 end badly with this wheel",
    ]
