"""Typestate: what state a place is in, joined where paths meet."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from ownlint.engine.forward import Machine, certainty, run
from ownlint.flow import events as e
from ownlint.flow.places import last_name

DOOR = Machine("closed", {("closed", "open"): "open", ("open", "close"): "closed"})


def _words(event: e.Event) -> str | None:
    name = last_name(event.node.callee) if isinstance(event, e.CallEvent) else ""
    return name if name in ("open", "close") else None


def _before(function, name):
    states = run(function.flow, DOOR, _words)
    call = next(c for c in function.flow.calls if last_name(c.node.callee) == name)
    return states.get(call.index)


def test_a_state_on_every_path_is_certain(program, function):
    f = function(program(a_cc="void f(Door d) { d.open(); look(d); d.close(); leave(d); }"), "f")
    assert certainty(_before(f, "look"), "open") == "certain"
    assert certainty(_before(f, "leave"), "open") is None


def test_a_state_on_some_path_is_likely(program, function):
    f = function(program(a_cc="void f(Door d, bool b) { if (b) d.open(); look(d); }"), "f")
    assert _before(f, "look") == {"open", "closed"}
    assert certainty(_before(f, "look"), "open") == "likely"


def test_a_loop_carries_its_state_around(program, function):
    f = function(program(a_cc="void f(Door d) { for (;;) { look(d); d.open(); if (done()) break; } leave(d); }"), "f")
    assert _before(f, "look") == {"open", "closed"}
    assert _before(f, "leave") == {"open"}


def test_what_cannot_be_reached_has_no_state(program, function):
    f = function(program(a_cc="void f(Door d) { return; look(d); }"), "f")
    assert _before(f, "look") is None


STEPS = st.recursive(
    st.sampled_from(["d.open();", "d.close();", "other();"]),
    lambda inner: st.one_of(
        st.tuples(inner, inner).map(" ".join),
        inner.map(lambda body: f"if (c()) {{ {body} }}"),
        inner.map(lambda body: f"while (c()) {{ {body} }}"),
        st.tuples(inner, inner).map(lambda pair: f"if (c()) {{ {pair[0]} }} else {{ {pair[1]} }}"),
    ),
    max_leaves=12,
)


def _simulate(body: str, states: frozenset[str]) -> frozenset[str]:
    """The same by brute force on the text: what a body does to a set of states."""
    from ownlint.facts.records import Branch, Evaluate, Loop

    def go(statements: object, states: frozenset[str]) -> frozenset[str]:
        for statement in statements:  # type: ignore[attr-defined]
            if isinstance(statement, Evaluate):
                word = last_name(statement.value.callee)
                states = DOOR.step(states, word) if word in ("open", "close") else states
            elif isinstance(statement, Branch):
                states = go(statement.then, states) | go(statement.other, states)
            elif isinstance(statement, Loop):
                for _ in range(4):
                    states |= go(statement.body, states)
        return states

    return go(body, states)


@given(STEPS)
def test_the_worklist_agrees_with_running_every_path(program_text):
    from tests.machine.conftest import make

    f = next(iter(make(a_cc=f"void f(Door d) {{ {program_text} look(d); }}").functions))
    assert _before(f, "look") == _simulate(f.body, frozenset({"closed"}))
