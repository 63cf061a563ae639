from __future__ import annotations

import pytest

from ownlint.facts import records as r
from ownlint.facts.show import file, text


def name(written: str) -> r.Name:
    return r.Name(0, 0, written)


def call(callee: r.Value, *args: r.Value, **rest: str) -> r.Call:
    return r.Call(0, 0, callee, args, **rest)  # type: ignore[arg-type]


def member(base: r.Value, last: str, arrow: bool = False) -> r.Member:
    return r.Member(0, 0, base, last, arrow)


@pytest.mark.parametrize(
    ("value", "written"),
    [
        (r.Index(0, 0, name("cache"), (name("k"),)), "cache[k]"),
        (member(name("it"), "second", arrow=True), "it->second"),
        (call(name("f"), name("a"), name("b")), "f(a, b)"),
        (call(name("Foo"), name("a"), kind="new"), "new Foo(a)"),
        (call(name("p"), kind="delete"), "delete p"),
        (call(name("py::cast"), name("x"), template="int"), "py::cast<int>(x)"),
        (r.Unary(0, 0, "*", name("p")), "*p"),
        (member(r.Unary(0, 0, "*", name("p")), "x"), "(*p).x"),
        (r.Unary(0, 0, "not", name("p")), "not p"),
        (r.Unary(0, 0, "spread2", name("kw")), "**kw"),
        (r.Assign(0, 0, name("i"), "++", name("i")), "i++"),
        (r.Binary(0, 0, "&&", name("a"), r.Binary(0, 0, "||", name("b"), name("c"))), "a && (b || c)"),
        (r.Cast(0, 0, "T*", "static_cast", name("v")), "static_cast<T*>(v)"),
        (r.Cast(0, 0, "void", "c", name("v")), "(void)v"),
        (r.Lambda(0, 0, 3, (), "python"), "lambda: …"),
        (r.Lambda(0, 0, 3, (), "python", ("x", "*args")), "lambda x, *args: …"),
        (r.Conditional(0, 0, name("x"), name("x"), name("x"), "python"), "x if x else x"),
        (r.Binary(0, 0, "||", name("x"), name("x"), "python"), "x or x"),
        (r.Binary(0, 0, "&&", name("x"), name("x")), "x && x"),
        (r.Lambda(0, 0, 3, (r.Capture(0, 0, "this", False), r.Capture(0, 0, "x", True))), "[this, &x](…) {…}"),
        (r.Aggregate(0, 0, "tuple", (name("a"),)), "(a,)"),
        (r.Pair(0, 0, name("copy"), name("True")), "copy=True"),
        (r.Comprehension(0, 0, "list", name("x"), (r.Clause(0, 0, name("x"), name("xs")),)), "[x for x in xs]"),
        (r.OpaqueValue(0, 0, "a\n   <=> b"), "a <=> b"),
    ],
)
def test_a_value_reads_like_its_source(value: r.Value, written: str) -> None:
    assert text(value) == written


def test_a_long_value_loses_its_arguments_before_its_name() -> None:
    value = call(member(name("registry"), "emplace"), *(name(f"argument_number_{i}") for i in range(9)))
    assert text(value) == "registry.emplace(…)"


def test_a_long_name_is_cut_with_a_mark() -> None:
    assert text(name("x" * 100)) == "x" * 59 + "…"


def test_a_file_is_printed_with_its_statements_indented() -> None:
    body = (r.Branch(0, 0, name("ok"), (r.Leave(0, 0, "return", name("x")),)),)
    function = r.FunctionRecord(0, 0, "f", "N", "", "function", "int", (), 0, True, body=r.encode_body(body))
    lines = list(file(r.FileRecord("a.cc", "cpp", 10, functions=(function,))))
    assert lines == ["a.cc: cpp, 10 bytes, structure only", "#0 function N::f() -> int", "  if ok", "    return x"]
