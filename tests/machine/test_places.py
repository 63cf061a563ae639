"""Places: what an expression stands for."""

from __future__ import annotations

import pytest
from tests.machine.conftest import make

from ownlint.facts import records as r
from ownlint.flow.places import children, covers, last_name, place_of, render, strip, walk


def value(written: str) -> r.Value:
    body = make(a_cc=f"void f() {{ use({written}); }}").functions[0].body
    return body[0].value.args[0]


@pytest.mark.parametrize(
    ("written", "expected"),
    [
        ("x", ("x",)),
        ("this->x_", ("this", "x_")),
        ("member_", ("this", "member_")),
        ("(*p).x", ("p", "x")),
        ("p->x.y", ("p", "x", "y")),
        ("&x", ("x",)),
        ("m[k]", ("m", "[k]")),
        ("m.at(k)", ("m", "[k]")),
        ("p.get()", ("p",)),
        ("std::move(x)", ("x",)),
        ("static_cast<T*>(x)", ("x",)),
        ("flag.load(std::memory_order_acquire)", ("flag",)),
        ("alias.x", ("owner", "part", "x")),
        ("f()", None),
        ("f().x", None),
        ("a + b", None),
        ("!x", None),
        ("-x", None),
        ("1", None),
    ],
)
def test_the_place_of_a_value(written, expected):
    assert place_of(value(written), {"alias": ("owner", "part")}, frozenset({"member_"})) == expected


@pytest.mark.parametrize(
    ("written", "name"), [("f()", "f"), ("a::b::f()", "f"), ("x.y->f()", "f"), ("fs[0]()", ""), ("new a::T()", "T")]
)
def test_the_last_name_of_what_is_called(written, name):
    assert last_name(value(written).callee) == name


def test_walking_meets_everything_outermost_first():
    whole = value("f(a.b, c[d], x ? y : -z, g = h)")
    found = [inner.text for inner in walk(whole) if isinstance(inner, r.Name)]
    assert found == ["f", "a", "c", "d", "x", "y", "z", "h", "g"]
    assert next(walk(whole)) is whole
    assert list(walk(None)) == []
    assert children(value("x")) == ()


def test_a_step_of_an_assignment_is_met_once():
    assert [type(inner) for inner in walk(value("i++"))] == [r.Assign, r.Name]


def test_casts_and_moves_come_off():
    assert strip(value("std::move(static_cast<T>(std::forward<T>(x)))")).text == "x"
    assert strip(None) is None


def test_covering_and_showing():
    assert covers(("this", "m"), ("this", "m", "[k]"))
    assert not covers(("this", "m", "[k]"), ("this", "m"))
    assert render(("this", "m", "[k]", "second")) == "m[k].second"
    assert render(("this",)) == "this"
