"""What is put where, and what conditions come to because of it."""

from __future__ import annotations

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as some

from ownlint.engine import assignments, conditions
from ownlint.flow import events

FIELDS = """
  bool ready_ = false;
  bool other_ = false;
  int users_ = 0;
  unsigned bits_ = 0;
  State state_;
  std::atomic<bool> done_;
  std::set<int> seen_;
  std::optional<Part> part_;
  std::unique_ptr<Part> owner_;
  std::bitset<8> lanes_;
  bool IsReady() const { return ready_; }
  void MarkReady() { ready_ = true; }
"""


def subject(program, body: str, parameters: str = "int key"):
    linked = program(case_cc=f"class Subject {{ {FIELDS} void Run({parameters}) {{ {body} }} }};")
    return next(function for function in linked.functions if function.name == "Run")


@pytest.mark.parametrize(
    ("body", "place", "kind"),
    [
        ("ready_ = true;", ("this", "ready_"), "flag"),
        ("ready_ = false;", ("this", "ready_"), "cleared"),
        ("state_ = State::kReady;", ("this", "state_"), "state"),
        ("owner_ = nullptr;", ("this", "owner_"), "emptied"),
        ("bits_ |= kUp;", ("this", "bits_"), "bit"),
        ("++users_;", ("this", "users_"), "count"),
        ("users_ += 1;", ("this", "users_"), "count"),
        ("users_ = key;", ("this", "users_"), "copy"),
        ("done_.store(true);", ("this", "done_"), "flag"),
        ("done_.exchange(true);", ("this", "done_"), "flag"),
        ("bool no = false; done_.compare_exchange_strong(no, true);", ("this", "done_"), "flag"),
        ("std::exchange(ready_, true);", ("this", "ready_"), "flag"),
        ("std::atomic_store(&done_, true);", ("this", "done_"), "flag"),
        ("bits_.fetch_or(kUp);", ("this", "bits_"), "bit"),
        ("seen_.insert(key);", ("this", "seen_", "[key]"), "entry"),
        ("lanes_.set(key);", ("this", "lanes_", "[key]"), "flag"),
        ("part_.emplace();", ("this", "part_"), "object"),
        ("owner_.reset(new Part());", ("this", "owner_"), "object"),
        ("owner_ = std::make_unique<Part>();", ("this", "owner_"), "object"),
        ("MarkReady();", ("this", "ready_"), "flag"),
    ],
)
def test_what_is_put_where(program, body, place, kind):
    found = [(made.place, made.held.kind) for made in assignments.assignments(subject(program, body))]
    assert (place, kind) in found


FLAG = assignments.Held("flag", True, "true")


@pytest.mark.parametrize(
    ("condition", "comes_to"),
    [
        ("ready_", True),
        ("!ready_", False),
        ("ready_ == true", True),
        ("ready_ != true", False),
        ("IsReady()", True),
        ("!IsReady()", False),
        ("ready_ || other_", True),
        ("ready_ && other_", None),
        ("!ready_ && other_", False),
        ("other_", None),
        ("std::exchange(ready_, true)", True),
        ("__builtin_expect(ready_, 1)", True),
    ],
)
def test_a_condition_given_a_flag(program, condition, comes_to):
    function = subject(program, f"bool asked = {condition};")
    value = function.locals["asked"][1]
    assert conditions.comes_to(function, value, conditions.Given(("this", "ready_"), FLAG)) is comes_to


@pytest.mark.parametrize(
    ("place", "held", "condition", "comes_to"),
    [
        ("state_", assignments.Held("state", None, "State::kReady"), "state_ == State::kReady", True),
        ("state_", assignments.Held("state", None, "State::kReady"), "state_ != State::kIdle", True),
        ("bits_", assignments.Held("bit", True, "kUp"), "bits_ & kUp", True),
        ("bits_", assignments.Held("bit", True, "kUp"), "(bits_ & kUp) == 0", False),
        ("bits_", assignments.Held("bit", True, "kUp"), "bits_ & kDown", None),
        ("users_", assignments.Held("count", True), "users_++ == 0", False),
        ("users_", assignments.Held("count", True), "users_ > 0", True),
        ("users_", assignments.Held("copy", None, "key"), "users_ == key", True),
        ("users_", assignments.Held("copy", None, "key"), "users_ == 7", None),
    ],
)
def test_a_condition_given_something_else(program, place, held, condition, comes_to):
    function = subject(program, f"bool asked = {condition};")
    value = function.locals["asked"][1]
    assert conditions.comes_to(function, value, conditions.Given(("this", place), held)) is comes_to


@pytest.mark.parametrize(
    ("condition", "comes_to"),
    [("seen_.contains(key)", True), ("seen_.find(key) == seen_.end()", False), ("seen_.insert(key).second", False)],
)
def test_a_key_that_is_there(program, condition, comes_to):
    function = subject(program, f"bool asked = {condition};")
    present = conditions.Given(("this", "seen_", "[key]"), assignments.Held("entry", None))
    assert conditions.comes_to(function, function.locals["asked"][1], present) is comes_to


def test_other_parts_may_let_the_flag_decide_but_not_a_settled_one(program):
    function = subject(program, "const bool must = other_ || !ready_; if (must) Work();")
    test = next(event for event in function.flow if isinstance(event, events.Test))
    ready = conditions.Given(("this", "ready_"), FLAG)
    assert conditions.comes_to(function, test.value, ready) is None
    assert conditions.can_come_to(function, test.value, ready) is False
    assert conditions.can_come_to(function, test.value, ready, frozenset({("this", "other_")})) is None


def test_a_local_that_is_assigned_again_says_nothing(program):
    function = subject(program, "bool must = !ready_; must = other_; if (must) Work();")
    assert conditions.computed_once(function, "must") is None


CONDITIONS = some.recursive(
    some.sampled_from(["ready_", "other_", "true", "false"]),
    lambda inner: some.one_of(
        inner.map(lambda one: f"!({one})"),
        some.tuples(inner, some.sampled_from(["&&", "||"]), inner).map(lambda three: f"({' '.join(three)})"),
    ),
    max_leaves=6,
)


@settings(max_examples=60)
@example(condition="((ready_ && (ready_ && other_)) && ready_)")  # which a parser may take for a cast of `&&ready_`
@given(condition=CONDITIONS)
def test_what_is_known_holds_whatever_the_rest_is(condition):
    """An answer must be right for both values of the flag nobody assumes anything about."""
    from tests.machine.conftest import make

    function = subject(make, f"bool asked = {condition};")
    known = conditions.comes_to(function, function.locals["asked"][1], conditions.Given(("this", "ready_"), FLAG))
    python = condition.replace("!", " not ").replace("&&", " and ").replace("||", " or ")
    python = python.replace("true", "True").replace("false", "False")
    if known is not None:
        assert {bool(eval(python, {"ready_": True, "other_": other})) for other in (True, False)} == {known}  # noqa: S307 - of our own making
