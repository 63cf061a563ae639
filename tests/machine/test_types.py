"""Types as text."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ownlint.project.types import Type, element, parse


@pytest.mark.parametrize(
    ("written", "expected"),
    [
        ("int", Type("int")),
        ("const Foo &", Type("Foo", (), 0, True, True)),
        ("a::B**", Type("a::B", (), 2, stars="**")),
        ("const B *const* const", Type("B", (), 2, False, True, "* const*")),
        ("List<B const*>* const *", Type("List", ("B const*",), 2, stars="* const*")),
        ("::a::B", Type("a::B")),
        ("unsigned long", Type("unsigned long")),
        ("struct T *", Type("T", (), 1, stars="*")),
        ("auto&", Type("auto", (), 0, True)),
        ("std::map<K, std::pair<A, B>> const&", Type("std::map", ("K", "std::pair<A, B>"), 0, True, False)),
        ("std::function<void(int, char)>", Type("std::function", ("void(int, char)",))),
        ("Foo<(a->b), 1>", Type("Foo", ("(a->b)", "1"))),
        ("std::vector<int>::iterator", Type("std::vector::iterator")),
    ],
)
def test_a_type_is_read(written, expected):
    assert parse(written) == expected


@pytest.mark.parametrize(
    ("written", "inner"),
    [
        ("T*", "T"),
        ("std::unique_ptr<T>", "T"),
        ("std::map<K, V>", "V"),
        ("std::vector<std::pair<A, B>>&", "std::pair<A, B>"),
        ("int", ""),
    ],
)
def test_what_a_type_leads_to(written, inner):
    assert element(written) == inner


@given(st.text(alphabet="ab:<>,*& ()[]{}-const", max_size=40))
def test_any_text_is_some_type(written):
    kind = parse(written)
    assert kind.pointers >= 0
    assert isinstance(element(written), str)


NAMES = st.sampled_from(["int", "Foo", "a::B", "std::vector"])
TYPES = st.recursive(
    NAMES,
    lambda inner: st.tuples(NAMES, st.lists(inner, min_size=1, max_size=3)).map(
        lambda pair: f"{pair[0]}<{', '.join(pair[1])}>"
    ),
    max_leaves=5,
)


@given(NAMES, st.lists(TYPES, max_size=3), st.integers(0, 3), st.booleans())
def test_a_type_comes_back_as_it_was_written(name, arguments, pointers, reference):
    template = f"<{', '.join(arguments)}>" if arguments else ""
    written = name + template + "*" * pointers + "&" * reference
    assert parse(written) == Type(name, tuple(arguments), pointers, reference, stars="*" * pointers)
