"""What a finding's sentences say about who owns, borrows, ends and uses."""

from __future__ import annotations

from pathlib import Path

import pytest
import sample

from ownlint.facts.records import Span
from ownlint.finding import Finding, Step
from ownlint.report.model import Located, Sources, locate
from ownlint.report.story import Lane, role_of, stops, story


@pytest.mark.parametrize(
    ("role", "message"),
    [
        ("owns", "`Turbine(name)` is created here, and no variable holds it"),
        ("owns", "a constructor acquires `handle_`"),
        ("owns", "owned from here on"),
        ("borrows", "`turbine.blades()` is borrowed from it here without keeping it alive"),
        ("lends", "`Turbine.rotor` is bound here and does not keep its owner alive"),
        ("lends", "the binding returns a borrowed reference"),
        ("borrows", "the result is created here from the object that it borrows from"),
        ("borrows", "`view_` is a reference"),
        ("lends", "`Turbine.blades` returns an iterator over `self` without keeping it alive"),
        ("ends", "`turbine` is deleted here"),
        ("ends", "`op` is erased here"),
        ("ends", "released here"),
        ("uses", "used from Python here after `Turbine(name)` was freed"),
        ("uses", "`rotor` is used after its owner `turbine` was freed"),
        ("uses", "`first` is returned, but its owner `module` is freed when the function returns"),
        ("uses", "also read here"),
        ("turn", "this can still fail"),
        ("turn", "`fd` is never released"),
        ("turn", "`list` is not released on every exit path"),
        ("turn", "only an assertion checks for an existing entry"),
        ("turn", "`is deleted here` is the name of something"),
    ],
)
def test_a_role_is_read_from_the_words_outside_of_names(role: str, message: str) -> None:
    assert role_of(message) == role


def test_what_a_rule_says_is_stronger_than_the_words(sources: Sources) -> None:
    steps = (Step("src/a.cc", Span(0, 3), "created here", "ends"), Step("src/a.cc", Span(4, 9), "created here"))
    told = stops(one(Finding("src/a.cc", Span(20, 30), "it is used", steps=steps), sources))
    assert [stop.role for stop in told] == ["ends", "owns", "uses"]


def one(finding: Finding, sources: Sources) -> Located:
    return locate([finding], sources)[0]


@pytest.fixture
def sources(tmp_path: Path) -> Sources:
    return sample.write(tmp_path)


def test_a_step_at_the_place_of_the_finding_stands_for_it(sources: Sources) -> None:
    told = stops(one(sample.flag(), sources))
    assert [(stop.message, stop.main) for stop in told] == [
        ("set here", True),
        ("this can still fail", False),
        ("and leaves it set", False),
    ]


def test_the_finding_stands_where_it_happens() -> None:
    text = "def go():\n    a = make()\n    b = a.part()\n    use(b)\n    later()\n"
    lines = {part: sample.span(text, part) for part in ("make()", "a.part()", "use(b)", "later()")}
    steps = tuple(Step("a.py", lines[part], part) for part in ("make()", "a.part()", "later()"))
    # Its file cannot be read, so its lines are unknown; the bytes are what counts.
    found = Finding("a.py", lines["use(b)"], "used", steps=steps)
    located = Located(
        "r", "error", "certain", "used", "a.py", _region(found.span), steps=tuple(_located(s) for s in steps)
    )
    assert [stop.message for stop in stops(located)] == ["make()", "a.part()", "used", "later()"]


def test_a_finding_in_a_file_without_steps_stands_behind_those_of_its_language() -> None:
    steps = (Step("a.h", Span(0, 1), "created"), Step("b.py", Span(0, 1), "uses it"))
    located = Located(
        "r", "error", "certain", "lent", "a.cc", _region(Span(0, 1)), steps=tuple(_located(s) for s in steps)
    )
    assert [stop.message for stop in stops(located)] == ["created", "lent", "uses it"]


def _region(span: Span):  # type: ignore[no-untyped-def]
    from ownlint.report.model import Lines

    return Lines(b"x" * 200).region(span)


def _located(step: Step):  # type: ignore[no-untyped-def]
    from ownlint.report.model import LocatedStep

    return LocatedStep(step.path, _region(step.span), step.message)


def test_the_story_of_a_borrow_across_the_border(sources: Sources) -> None:
    finding = one(sample.border(), sources)
    told = stops(finding)
    assert [stop.role for stop in told] == ["lends", "borrows", "ends", "uses"]
    picture = story(finding, told)
    assert picture.lanes == (Lane("owner", "block"), Lane("borrower", "ops[0]"))
    assert picture.lane_of == (1, 1, 0, 1)
    assert picture.end == 2


def test_an_end_that_has_no_step_lies_before_the_use_or_behind_it() -> None:
    def end(message: str) -> float | None:
        finding = Located("r", "error", "certain", message, "a.py", _region(Span(5, 6)))
        finding = _with_step(finding, "`a` is created here")
        return story(finding, stops(finding)).end

    assert end("`b` is used after its owner `a` was freed") == 0.5
    assert end("`b` is returned, but its owner `a` is freed when the function returns") == 1.5
    assert end("`b` is used, and that is all") is None


def _with_step(finding: Located, message: str) -> Located:
    import msgspec

    return msgspec.structs.replace(finding, steps=(_located(Step("a.py", Span(0, 1), message)),))


def test_a_thing_that_is_used_after_its_own_end_has_one_lane() -> None:
    finding = Located("r", "error", "certain", "`a` is used after it was freed", "a.py", _region(Span(5, 6)))
    finding = _with_step(finding, "`a` is freed here")
    picture = story(finding, stops(finding))
    assert (picture.lanes, picture.lane_of, picture.end) == ((Lane("owner", "a"),), (0, 0), 0)


def told_in_steps(message: str, *steps: str, symbol: str = "") -> Located:
    places = [Step("a.py", Span(10 * at, 10 * at + 5), said) for at, said in enumerate(steps)]
    at = _region(Span(10 * len(steps), 10 * len(steps) + 5))
    located = tuple(_located(step) for step in places)
    return Located("r", "error", "certain", message, "src/a.py", at, steps=located, symbol=symbol)


@pytest.mark.parametrize(
    ("message", "step"),
    [
        ("the status of `Record` is dropped", "`Record` returns `Status`"),  # about no owner at all
        (
            "`it->value()` is used without a check",
            "`status` fails when the handle is no longer valid",
        ),  # borrowed, of whom?
        ("this is used after it was freed", "freed here"),  # of what?
    ],
)
def test_where_no_owner_is_known_nothing_is_drawn(message: str, step: str) -> None:
    finding = told_in_steps(message, step)
    picture = story(finding, stops(finding))
    assert (picture.lanes, picture.lane_of, picture.end) == ((), (0, 0), None)


def test_one_stop_is_no_story() -> None:
    finding = told_in_steps("`a` is deleted here")
    assert story(finding, stops(finding)).lanes == ()


def test_what_is_neither_the_owner_nor_borrowed_happens_on_the_path() -> None:
    finding = told_in_steps("`a` is returned", "`a` is created here", "this can fail", "`a` is freed here", symbol="go")
    picture = story(finding, stops(finding))
    assert picture.lanes == (Lane("owner", "a"), Lane("way", "go"))
    assert picture.lane_of == (0, 1, 0, 0)
    unnamed = told_in_steps("`a` is returned", "`a` is created here", "this can fail", "`a` is freed here")
    assert story(unnamed, stops(unnamed)).lanes[1] == Lane("way", "a.py")


@pytest.mark.parametrize("claim", ["`p` leaks on some paths", "`A` can be copied, but each copy releases `h`"])
def test_a_claim_about_the_whole_is_no_end_of_a_life(claim: str) -> None:
    assert role_of(claim) == "turn"
