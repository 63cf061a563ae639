"""The suites of rules: that the file which the catalogue reads is what was judged, and how a suite is computed."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import date
from pathlib import Path
from typing import Any

import msgspec
import pytest
import verdict_suites
from verdict_matching import Finding, Report
from verdict_records import Judged as Verdicted
from verdict_records import Place, Round, Verdict, VerdictError, judged
from verdict_suites import (
    LATEST,
    Quiet,
    Standing,
    certain_now,
    latest_unassuming,
    makes,
    measure,
    read_standing,
    suite_of,
    surest,
    weigh,
)
from verdicts import options

from ownlint import catalogue, choices
from ownlint.choices import Certainty, Suite
from ownlint.measured import Counts, Judged, Measured, Weighed

RELEASE = "engine-1.0"


def counts(standing: tuple[int, int, int] = (0, 0, 0), **more: int) -> Counts:
    return Counts(standing=Judged(*standing), **more)


@pytest.mark.parametrize(
    ("told", "suite"),
    [
        (counts((8, 0, 2)), "default"),
        (counts((6, 4, 0)), "default"),
        (counts((5, 5, 0)), "extended"),  # half of them are doubtful
        (counts((7, 0, 3)), "extended"),
        (counts((7, 0, 3), history=5, live=5), "extended"),  # what was measured counts more than what was found
        (counts((4, 0, 6)), "audit"),
        (counts((0, 15, 0)), "audit"),
        (counts((0, 15, 0), live=1), "extended"),
        (counts((0, 15, 0), live=1, live_false=2), "audit"),
        (counts((1, 8, 0)), "default"),
        (counts((8, 0, 1)), "extended"),  # of few, none may be false
        (counts((0, 2, 0)), "audit"),
        (counts((0, 2, 0), history=1), "default"),
        (counts((0, 0, 1), history=1), "audit"),
        (counts(history=1), "default"),
        (counts(live=3), "default"),
        (counts(live=3, live_false=1), "extended"),
        (counts(live=1, live_false=2), "audit"),
        (counts(live_false=1), "audit"),
        (Counts(), "audit"),
        (Counts(first_contact=Judged(0, 0, 5), standing=Judged(1, 0, 0)), "default"),  # what is mended does not count
    ],
)
def test_the_formula(told: Counts, suite: Suite) -> None:
    assert suite_of(told) == suite


def test_the_file_of_the_pack_is_what_was_judged(rounds: Mapping[str, Round]) -> None:
    """`python benchmarks/verdicts.py suites` writes it anew."""
    told = measure((rule.id for rule in catalogue.load()), rounds, read_standing())
    assert verdict_suites.MEASURED.read_text(encoding="utf-8") == verdict_suites.text_of(told)


def test_what_is_quiet_was_judged(rounds: Mapping[str, Round]) -> None:
    standing = read_standing()
    places = {
        (verdict.release, verdict_suites.key_of(verdict, place))
        for _, verdict in judged(rounds)
        for place in verdict.places
    }
    quiet = {(name, key) for name, one in standing.releases.items() for key in (*one.possible, *one.silent)}
    assert quiet <= places
    assert verdict_suites.STANDING.read_text(encoding="utf-8") == standing.text()


def test_the_catalogue_reads_it(monkeypatch: pytest.MonkeyPatch) -> None:
    told = msgspec.json.decode(verdict_suites.MEASURED.read_bytes(), type=dict[str, Measured])
    monkeypatch.setattr(choices, "MEASURED", verdict_suites.MEASURED.name)
    rules = catalogue.load.__wrapped__()
    assert told.keys() <= {rule.id for rule in rules}
    for rule in rules:
        said = told.get(rule.id, Measured("audit", surest="likely"))
        assert (rule.suite, rule.counts, rule.surest) == msgspec.structs.astuple(said)


def test_what_a_rule_about_changes_said_of_a_tree_counts_where_a_run_says_so() -> None:
    one = Verdict(release=RELEASE, rule="guard-gone", verdict="false", reason="", places=(Place(path="a.h", line=1),))
    assert Standing({}).number(one) == 1
    assert Standing({}, frozenset({"guard-gone"})).number(one) == 0
    assert Standing({RELEASE: Quiet()}, frozenset({"guard-gone"})).number(one) == 1  # a run says that it is reported


# --- what is assumed ----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("told", "certainty"),
    [
        (Judged(9, 0, 1), "likely"),
        (Judged(8, 0, 2), "possible"),
        (Judged(8, 5, 1), "possible"),  # 8 of the 9 that could be decided
        (Judged(9, 30, 1), "likely"),  # what could not be decided does not count
        (Judged(1, 0, 8), "likely"),  # too few to tell
    ],
)
def test_what_an_assumption_makes(told: Judged, certainty: str) -> None:
    assert makes(told) == certainty


def test_the_file_of_assumptions_is_what_was_judged(
    rounds: Mapping[str, Round], monkeypatch: pytest.MonkeyPatch
) -> None:
    """`python benchmarks/verdicts.py suites` writes it anew."""
    told = weigh(rounds, read_standing())
    assert verdict_suites.WEIGHED.read_text(encoding="utf-8") == verdict_suites.text_of(told)
    monkeypatch.setattr(choices, "WEIGHED", verdict_suites.WEIGHED.name)
    weak = tuple(sorted(one for one, weighed in told.items() if weighed.makes == "possible"))
    assert {rule.weak for rule in catalogue.load.__wrapped__()} == {weak}


@pytest.mark.parametrize(
    ("told", "certainty"),
    [
        (Judged(10, 0, 0), "certain"),
        (Judged(9, 5, 0), "likely"),  # too few to promise anything
        (Judged(39, 0, 1), "certain"),
        (Judged(38, 9, 1), "likely"),
    ],
)
def test_certain_is_what_was_right(told: Judged, certainty: str) -> None:
    assert surest(told) == certainty


def test_the_latest_that_assumed_nothing_count() -> None:
    def a_place(line: int, certainty: Certainty, *, unassuming: bool = False) -> Place:
        return Place(path="a.cc", line=line, certainty=certainty, unassuming=unassuming)

    def of(word: Verdicted, *places: Place) -> Verdict:
        return Verdict(release=RELEASE, rule="r", verdict=word, reason="why", places=places)

    many = [a_place(line, "certain") for line in range(1, LATEST + 1)]
    rounds = {
        "first-contact-2": a_round(of("false", a_place(1, "certain"))),
        "first-contact-10": a_round(of("true", *many)),
        "first-contact-11": a_round(of("true", a_place(7, "likely"), a_place(8, "likely", unassuming=True))),
    }
    assert latest_unassuming(rounds) == {"r": Judged(true=LATEST + 1)}
    assert measure(["r"], rounds, Standing({}))["r"].surest == "certain"
    assert certain_now(rounds, Standing({})) == {"true": LATEST + 1, "false": 1}
    rounds["first-contact-12"] = a_round(of("false", a_place(1, "likely", unassuming=True), a_place(2, "certain")))
    assert measure(["r"], rounds, Standing({}))["r"].surest == "likely"


def test_certain_is_right(rounds: Mapping[str, Round]) -> None:
    """Of what first contact found to be certain and is certain today, at most one in 40 is false."""
    found = certain_now(rounds, read_standing())
    assert found["true"]
    assert 40 * found["false"] <= found.total()


def test_one_assumption_alone_is_weighed() -> None:
    places = tuple(Place(path="a.cc", line=line, certainty="certain") for line in (10, 20, 30))
    judgement = Verdict(release=RELEASE, rule="r", verdict="false", reason="why", places=places)
    findings = tuple(
        Finding("r", "a.cc", line, 1, "likely", "m", assumed=assumed)
        for line, assumed in ((10, ()), (20, ("path",)), (30, ("name", "value")))
    )
    rounds = {"first-contact-1": a_round(judgement)}
    standing = Standing({}).after([judgement], {RELEASE: Report(findings)})
    assert weigh(rounds, standing) == {"path": Weighed("likely", Judged(false=1))}
    assert certain_now(rounds, standing) == {}


# --- what still stands --------------------------------------------------------------------------------


def verdict(word: str, *lines: int, **more: Any) -> Verdict:
    places = tuple(Place(path="a.cc", line=line) for line in lines)
    return Verdict(release=RELEASE, rule="r", verdict=word, reason="why", places=places, **more)  # type: ignore[arg-type]


def a_round(*verdicts: Verdict, counted: bool = True) -> Round:
    return Round(title="t", day=date(2026, 11, 24), about="a", counted=counted, verdict=verdicts)


def found(line: int, certainty: str = "likely") -> Finding:
    return Finding("r", "a.cc", line, 1, certainty, "m")  # type: ignore[arg-type]


def of_r(rounds: dict[str, Round], standing: Standing) -> Counts:
    return measure(["r"], rounds, standing)["r"].counts


def test_what_a_run_no_longer_reports_does_not_stand() -> None:
    rounds = {"first-contact-1": a_round(verdict("true", 10, 30), verdict("false", 50))}
    before = Standing({"other-1": Quiet(silent=("r b.cc:1",))})
    after = before.after(
        (one for _, one in judged(rounds)), {RELEASE: Report(findings=(found(10), found(30, "possible")))}
    )
    assert after.releases == {**before.releases, RELEASE: Quiet(possible=("r a.cc:30",), silent=("r a.cc:50",))}
    assert of_r(rounds, before).standing == Judged(2, 0, 1)  # nobody ran it: as it was judged
    assert of_r(rounds, after) == Counts(first_contact=Judged(2, 0, 1), standing=Judged(1, 0, 0))


def test_other_rounds_count_as_found_elsewhere() -> None:
    rounds = {
        "earlier": a_round(verdict("true", 10), verdict("false", 20), counted=False),
        "pinned": a_round(verdict("true", 10, 40), verdict("false", 60), verdict("false", 80, gone=True)),
    }
    unknown = of_r(rounds, Standing({}))
    assert (unknown.first_contact, unknown.live, unknown.live_false) == (Judged(), 2, 1)  # line 10 is one bug
    known = of_r(rounds, Standing({RELEASE: Quiet(silent=("r a.cc:40",))}))
    assert (known.live, known.live_false) == (1, 2)  # line 20 is still reported


def test_rules_without_any_count_are_left_out() -> None:
    assert measure(["r", "s"], {"pinned": a_round(verdict("doubtful", 1))}, Standing({})) == {}


def test_a_file_that_cannot_be_read_is_named(tmp_path: Path) -> None:
    (tmp_path / "standing.json").write_text('{"engine-1.0": {"loud": []}}')
    with pytest.raises(VerdictError, match="unknown field `loud`"):
        read_standing(tmp_path / "standing.json")


def test_a_former_revision_is_asked_in_its_own_words(tmp_path: Path) -> None:
    assert options(Path(__file__).parents[2])[-2:] == ("--suite", "audit")
    choices = tmp_path / "linter/ownlint/choices.py"
    choices.parent.mkdir(parents=True)
    choices.write_text('Preset = Literal["hook", "ci", "audit"]\n')
    assert options(tmp_path)[-3:] == ("--preview", "--preset", "audit")


def test_a_run_of_some_rules_says_nothing_of_others(rounds: Mapping[str, Round]) -> None:
    every = [verdict for _, verdict in judged(rounds) if verdict.release == "cvxopt-1.3.3" and verdict.places]
    rules = {verdict.rule for verdict in every}
    assert len(rules) > 1
    one = min(rules)
    before = Standing({"cvxopt-1.3.3": Quiet()})
    after = before.after(every, {"cvxopt-1.3.3": Report()}, frozenset({one}))
    states = {(verdict.rule, after.state(verdict, place)) for verdict in every for place in verdict.places}
    assert states == {(rule, "silent" if rule == one else "reported") for rule in rules}
