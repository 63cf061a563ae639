"""A certainty carries what it assumes and why, from where that is assumed to the finding."""

from __future__ import annotations

from collections.abc import Iterator
from typing import get_args

from ownlint import Finding, Function, catalogue, rule
from ownlint.choices import ASSUMPTIONS, Assumption
from ownlint.finding import (
    CERTAINTIES,
    assumptions_of,
    because,
    certainty_of,
    reason_of,
    tempered,
    weaker,
)
from ownlint.rule import rule_of
from ownlint.testing import cases
from ownlint.testing.markdown import parse

LIKELY = because("path", "this happens only if `f` fails")
NAMED = because("name", "`f` is taken for what its name says")
OTHER = because("threads", "two threads run this")
POSSIBLE = because("guess", "`g` is not defined in the analysed files")


def test_it_is_the_same_certainty() -> None:
    assert LIKELY == "likely"
    assert hash(LIKELY) == hash("likely")
    assert CERTAINTIES.index(LIKELY) == 1
    assert reason_of(LIKELY) == "this happens only if `f` fails"
    assert reason_of("likely") == ""


def test_each_assumption_has_a_clause_for_people() -> None:
    assert set(ASSUMPTIONS) == set(get_args(Assumption))


def test_it_follows_from_what_is_assumed() -> None:
    assert certainty_of(()) == "certain"
    assert certainty_of(("path",)) == "likely"
    assert certainty_of(("caller", "threads")) == "possible"
    assert certainty_of(("caller", "path", "threads")) == "possible"
    assert certainty_of(("guess",)) == "possible"
    assert certainty_of(("path",), weak=("path",)) == "possible"
    assert certainty_of(("threads",), weak=("path",)) == "likely"


def test_a_chain_assumes_what_its_links_assume() -> None:
    assert assumptions_of(weaker("certain", LIKELY)) == {"path"}
    assert weaker(LIKELY, because("path", "the same kind")) == "likely"
    both = weaker(NAMED, OTHER)
    assert both == "possible"
    assert assumptions_of(both) == {"name", "threads"}
    assert reason_of(both) == "`f` is taken for what its name says; two threads run this"
    assert assumptions_of(weaker("likely", NAMED)) == {"name", "other"}
    assert weaker() == "certain"


def test_a_path_weighs_nothing_beside_another_assumption() -> None:
    both = weaker(OTHER, LIKELY)
    assert both == "likely"
    assert assumptions_of(both) == {"path", "threads"}
    assert reason_of(both) == reason_of(OTHER)


def test_what_stands_for_all_is_said_where_nothing_nearer_is() -> None:
    assert tempered("certain", OTHER) is OTHER
    assert tempered(LIKELY, OTHER) is LIKELY
    assert reason_of(tempered(because("name", ""), OTHER)) == reason_of(OTHER)


def test_the_weakest_link_hands_its_reason_on() -> None:
    assert reason_of(weaker("certain", LIKELY)) == reason_of(LIKELY)
    assert reason_of(weaker(LIKELY, POSSIBLE)) == reason_of(POSSIBLE)
    assert reason_of(weaker(LIKELY, "possible")) == ""


def test_what_is_certain_has_no_reason_and_the_first_reason_stays() -> None:
    assert reason_of(because("certain", "whatever")) == ""
    assert reason_of(because(LIKELY, "later")) == reason_of(LIKELY)
    unsaid = because("path", "")
    assert reason_of(unsaid) == ""
    assert reason_of(because(unsaid, "later")) == "later"
    assert assumptions_of(because(unsaid, "later")) == {"path"}


def test_a_rule_that_gives_no_reason_is_reported_with_what_it_takes_for_granted() -> None:
    program = cases.read(parse("# x\n\n## Innocent\n\n```cpp a.cc\nvoid f() {}\n```\n")[0], ())[0]

    @rule(severity="error")
    def test_finding(function: Function) -> Iterator[Finding]:
        for doubt in ("likely", because("caller", ""), because("caller", "`g` does not")):
            yield function.finding(function.record, "it may be wrong", certainty=doubt)

    made = rule_of(test_finding)
    assert made is not None
    said = catalogue.judge(catalogue.Judgement(made, program.functions[0], "a.cc", 1), program)
    assert isinstance(said, list)
    assert [one.reason for one in said] == [
        "the rule does not say what it takes for granted",
        "this takes for granted that callers do not handle it themselves",
        "`g` does not",
    ]
