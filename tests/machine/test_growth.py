"""What grew faster than the code, in numbers that do not depend on the machine."""

from __future__ import annotations

import pytest
from tests.machine.conftest import make

from ownlint import steps
from ownlint.domains.counted.counts import CountDraft, HeldReference
from ownlint.domains.counted.counts import CountState as CountedState
from ownlint.domains.handles.handle_values import HandleValues
from ownlint.domains.handles.handles import NOTHING, Handle, HandleState
from ownlint.domains.memory import leaks, owed
from ownlint.facts.records import Span
from ownlint.project.program import Program
from ownlint.project.questions import flow_question
from ownlint.project.subjects import Function
from ownlint_rules.donation._donation_modules import Modules
from ownlint_rules.donation._donations import of
from ownlint_rules.donation._reaching import bits, components, reached

AT = Span(1, 2)


def starred(count: int) -> Program:
    """Modules in a circle, each of which takes all names of the next and of one that takes all names of all."""
    stars = [f"from m{(number + 1) % count} import *\nfrom whole import *" for number in range(count)]
    files = {
        f"m{number}_py": f"import jax\n{star}\ndef f{number}(x):\n    return x\n" for number, star in enumerate(stars)
    }
    whole = "".join(f"from m{number} import *\n" for number in range(count))
    return make(**files, whole_py=f"import jax\n{whole}def f(x):\n    return x\n")


def test_a_name_is_found_across_three_hundred_star_imports() -> None:
    modules = Modules(starred(300))
    found = modules.find("m0.f299")
    assert found is not None
    assert (found[0].path, found[1]) == ("m299.py", ["f299"])


def test_a_name_that_nobody_has_is_looked_for_once_in_modules_that_import_each_other() -> None:
    modules = Modules(starred(300))
    assert modules.find("m0.missing") is None
    assert modules._found.size == 1


def test_what_is_reached_in_a_circle_is_reached_by_all_of_it() -> None:
    edges = {"a": ["b"], "b": ["c", "d"], "c": ["a"], "d": ["e"], "e": []}
    bit = bits(edges)
    found = {node: {other for other in edges if bit[other] & known} for node, known in reached(edges, bit).items()}
    assert found == {"a": set("abcde"), "b": set("abcde"), "c": set("abcde"), "d": {"e"}, "e": set()}
    assert sorted(map(sorted, components(edges))) == [["a", "b", "c"], ["d"], ["e"]]


def test_a_chain_of_ten_thousand_nodes_needs_no_recursion() -> None:
    edges = {str(number): [str(number + 1)] for number in range(10_000)} | {"10000": []}
    assert len(list(components(edges))) == 10_001


def test_a_comprehension_in_a_comprehension_is_run_as_often_as_it_is_deep(monkeypatch: pytest.MonkeyPatch) -> None:
    runs = 0
    run = HandleValues.comprehension

    def counted(self: HandleValues, value: object) -> object:
        nonlocal runs
        runs += 1
        return run(self, value)  # type: ignore[arg-type]

    monkeypatch.setattr(HandleValues, "comprehension", counted)
    depth = 12
    inner = "[" * depth + "x" + "".join(f" for o{number} in x]" for number in range(depth))
    source = (
        f"import jax\nstep = jax.jit(lambda v: v, donate_argnums=0)\ndef f(x):\n    y = step(x)\n    return {inner}\n"
    )
    program = make(a_py=source)
    assert any(of(program).misuses_in(function) for function in program.functions)
    assert 0 < runs <= 4 * depth * depth


def test_a_state_of_many_names_is_changed_where_its_change_is() -> None:
    state = HandleState()
    for number in range(5000):
        state = state.bind(f"m{number}", frozenset({Handle("Module", (number, 0), True, AT, "made")}), AT, "")
    after = state.bind("m7", NOTHING, AT, "gone")
    same = zip(state.names.entries._tree, after.names.entries._tree, strict=True)
    assert sum(one is not other for one, other in same) <= 1
    assert not after.alive((7, 0))
    assert after.end_of((7, 0)) == (AT, "gone")
    assert state.alive((7, 0))
    assert state.alive((8, 0))


def test_what_lies_in_a_container_of_very_many_is_nobodys_to_know() -> None:
    many = frozenset(Handle("Module", (number, 0), True, AT, "made", path=("*",)) for number in range(1000))
    state = HandleState().bind("all", many, AT, "")
    assert state.get("all") == NOTHING
    assert state.alive((3, 0))


def handles(count: int) -> Program:
    held = "\n".join(f"  Buffer* b{number} = buffer_create({number});" for number in range(count))
    return make(
        a_cc=f"Buffer* buffer_create(int n);\nvoid buffer_destroy(Buffer* b);\nvoid run() {{\n{held}\n  done();\n}}\n"
    )


def steps_of(program: Program, monkeypatch: pytest.MonkeyPatch) -> int:
    """What the walks over the handles of all functions spend; each loses all of its handles."""
    spent = 0

    def counted(count: int = 1) -> None:
        nonlocal spent
        spent += count

    monkeypatch.setattr(owed, "spend", counted)
    lost = [loss for function in program.functions for loss in leaks.losses(function)]
    assert lost
    assert {loss.kind for loss in lost} == {"never"}
    return spent


def test_handles_of_one_block_are_walked_once_each(monkeypatch: pytest.MonkeyPatch) -> None:
    few, many = steps_of(handles(50), monkeypatch), steps_of(handles(200), monkeypatch)
    assert 0 < many <= 4 * few


def test_what_is_said_of_a_handle_holds_inside_of_a_stretch_that_is_passed() -> None:
    source = """
Buffer* buffer_create(int n);
void buffer_destroy(Buffer* b);
bool work(int n);
int run(int n) {
  Buffer* b = buffer_create(n);
  int x = n + 1;
  int y = x + 1;
  if (work(y)) return 1;
  int z = y;
  buffer_destroy(b);
  return z;
}
"""
    function = next(one for one in make(a_cc=source).functions if one.name == "run" and one.body)
    found = leaks.losses(function)
    assert [(loss.kind, loss.name, len(loss.ways)) for loss in found] == [("failure", "b", 1)]


def test_a_counted_reference_is_found_among_thousands_by_its_name() -> None:
    draft = CountDraft(CountedState())
    for number in range(5000):
        draft.places[(f"o{number}",)] = draft.begin(number, HeldReference("new", 1, "no"))
    before = draft.state()
    draft.forget((7, 0))
    after = draft.state()
    assert draft.holders((7, 0)) == []
    assert draft.holders((8, 0)) == [("o8",)]
    pairs = zip(before.objects.entries._tree, after.objects.entries._tree, strict=True)
    assert sum(one is not other for one, other in pairs) <= 1


def test_what_a_lender_keeps_goes_with_the_event_after_the_loan() -> None:
    draft = CountDraft(CountedState())
    owner = draft.begin(1, HeldReference("kept", 0, "no"))
    draft.places[("x",)] = draft.begin(2, HeldReference("borrowed", 0, "no", owner))
    state = draft.state()
    assert owner in state.objects.entries
    draft = CountDraft(state)
    del draft.places[("x",)]
    state = draft.state()
    assert list(state.objects.entries) == [owner]
    assert not list(CountDraft(state).state().objects.entries)


def test_an_answer_that_was_given_up_is_not_begun_again(monkeypatch: pytest.MonkeyPatch) -> None:
    asked = 0

    @flow_question
    def long(function: Function) -> int:
        nonlocal asked
        asked += 1
        steps.spend(1_000_000)
        return asked

    program = make(a_cc="void f() { g(); }\n")
    function = next(iter(program.functions))
    assert function.flow.known == {}
    monkeypatch.setattr(steps, "BUDGET", 10)
    for _ in range(3):
        with pytest.raises(steps.LimitError):
            long(function)
    assert asked == 1
