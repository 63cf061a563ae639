"""A certainty carries why it is no higher, from where the doubt is made to the finding."""

from __future__ import annotations

import msgspec

from ownlint.finding import CERTAINTIES, Certainty, because, reason_of, weaker, word_of

LIKELY = because("likely", "on the path where `f` fails")
POSSIBLE = because("possible", "`g` is not defined in what was read")


def test_it_is_the_same_certainty() -> None:
    assert LIKELY == "likely"
    assert hash(LIKELY) == hash("likely")
    assert CERTAINTIES.index(LIKELY) == 1
    assert reason_of(LIKELY) == "on the path where `f` fails"
    assert reason_of("likely") == ""


def test_the_weakest_link_hands_its_reason_on() -> None:
    assert reason_of(weaker("certain", LIKELY)) == reason_of(LIKELY)
    assert reason_of(weaker(LIKELY, POSSIBLE)) == reason_of(POSSIBLE)
    assert reason_of(weaker(LIKELY, "possible")) == ""
    assert reason_of(weaker("likely", LIKELY)) == reason_of(LIKELY)
    other = because("likely", "for another reason")
    assert reason_of(weaker(LIKELY, other)) == reason_of(LIKELY)
    assert weaker() == "certain"


def test_what_is_certain_has_no_reason_and_the_first_reason_stays() -> None:
    assert reason_of(because("certain", "whatever")) == ""
    assert reason_of(because(LIKELY, "later")) == reason_of(LIKELY)
    assert reason_of(because("likely", "")) == ""


def test_its_word_is_written_as_it_always_was() -> None:
    written: list[Certainty] = [word_of(one) for one in (LIKELY, POSSIBLE, "certain")]
    assert msgspec.json.encode(written) == b'["likely","possible","certain"]'
