"""What a body says, statement by statement."""

from __future__ import annotations

import msgspec
import pytest
from python_facts import body, file_of, function, plain, written

from ownlint.facts import records as r

CASES = {
    "an expression drops its value": ("f(x)", "Evaluate(Call(f, [x]))"),
    "docstrings, pass and ... say nothing": ('"doc"\npass\n...', ""),
    "assignment": ("a.b = c", "Evaluate(Assign(a.b, =, c))"),
    "a chained value is evaluated once": ("a = b = f()", "Evaluate(Assign(a, =, Assign(b, =, Call(f, []))))"),
    "unpacking": ("a, *b = v", "Evaluate(Assign(Aggregate(tuple, [a Unary(spread, b)]), =, v))"),
    "annotated": ("a: T = v", "Evaluate(Assign(a, =, v))"),
    "declared only": ("a: T", ""),
    "augmented": ("a[i] //= v", "Evaluate(Assign(Index(a, [i]), //=, v))"),
    "if, elif, else": (
        "if a: b()\nelif c: d()\nelse: e()",
        "Branch(a, [Evaluate(Call(b, []))], [Branch(c, [Evaluate(Call(d, []))], [Evaluate(Call(e, []))])])",
    ),
    "for with else": (
        "for i, j in x: break\nelse: f()",
        "Loop(range, [Leave(break)], Aggregate(tuple, [i j]), x, [Evaluate(Call(f, []))])",
    ),
    "while": ("while a: continue", "Loop(while, [Leave(continue)], a)"),
    "with": (
        "with a() as b, c: d()",
        "With([WithItem(Call(a, []), b) WithItem(c)], [Evaluate(Call(d, []))])",
    ),
    "try": (
        "try: a()\nexcept (E, F) as e: raise\nexcept: b()\nelse: c()\nfinally: d()",
        (
            "Try([Evaluate(Call(a, []))], [Handler((E, F), e, [Leave(throw)]) Handler(, , [Evaluate(Call(b, []))])], "
            "[Evaluate(Call(c, []))], [Evaluate(Call(d, []))])"
        ),
    ),
    "except star": ("try: a\nexcept* E: pass", "Try([Evaluate(a)], [Handler(E, , [])])"),
    "raise from": ("raise X from e", "Leave(throw, Binary(from, X, e))"),
    "assert is a call": ("assert a, b", "Evaluate(Call(assert, [a b]))"),
    "del": ("del a, b[i]", "Delete([a Index(b, [i])])"),
    "global": ("global a, b", "Scope(global, [a b])"),
    "an import is no statement": ("import a", ""),
    "a star import is opaque": ("from a import *", "Opaque(from a import *)"),
    "exec is opaque": ("exec(code)", "Opaque(exec(code), [code exec])"),
    "match": (
        "match a.b:\n case 1 | 2: f()\n case C(x=[p, *q]): g()\n case {'k': v, **w}: pass\n case y: pass\n case _: h()",
        (
            "Switch(a.b, [Case([1 2], [Evaluate(Call(f, []))]) "
            "Case([Aggregate(tuple, [C Pair(x, Aggregate(list, [Assign(p, :=, OpaqueValue(p)) "
            "Unary(spread, Assign(q, :=, OpaqueValue(q)))]))])], [Evaluate(Call(g, []))]) "
            "Case([Aggregate(dict, [Pair('k', Assign(v, :=, OpaqueValue(v))) "
            "Unary(spread2, Assign(w, :=, OpaqueValue(w)))])], []) "
            "Case([], [Evaluate(Assign(y, =, a.b))]) Case([], [Evaluate(Call(h, []))])], False)"
        ),
    ),
    "a guarded case is not the default": (
        "match a:\n case _ if b: f()",
        "Switch(a, [Case([_], [Branch(b, [Evaluate(Call(f, []))])])], False)",
    ),
    "a definition binds its name": ("def f(): pass", "Nested(f, 1)"),
    "a class has no function of its own name": ("class C: pass", "Nested(C)"),
    "a walrus alone is an assignment": ("(a := f())", "Evaluate(Assign(a, =, Call(f, [])))"),
    "decorators are calls, innermost first": (
        "@a(1)\n@b.c\ndef f(): pass",
        "Nested(f, 1); Evaluate(Assign(f, =, Call(b.c, [f]))); Evaluate(Assign(f, =, Call(Call(a, [1]), [f])))",
    ),
}

VALUES = {
    "keywords of a dict": ("f(**{'a': b}, **dict(c=d))", "Call(f, [Pair(a, b) Pair(c, d)])"),
    "keys of any kind": ("f(**{a: b})", "Call(f, [Unary(spread2, Aggregate(dict, [Pair(a, b)]))])"),
    "arguments": ("f(a, *b, k=c, **d)", "Call(f, [a Unary(spread, b) Pair(k, c) Unary(spread2, d)])"),
    "slices": ("a[1:, ::s, ...]", "Index(a, [Aggregate(slice, [1  ]) Aggregate(slice, [  s]) ...])"),
    "a tuple in parentheses is one index": ("a[(i, j)]", "Index(a, [Aggregate(tuple, [i j])])"),
    "boolean chains": ("a and b or c", "Binary(||, Binary(&&, a, b, python), c, python)"),
    "chained comparison": ("a < b is not c", "Binary(&&, Binary(<, a, b), Binary(is not, b, c), python)"),
    "unary": ("not -a", "Unary(not, Unary(-, a))"),
    "conditional": ("a if b else c", "Conditional(b, a, c, python)"),
    "walrus": ("f(a := b)", "Call(f, [Assign(a, :=, b)])"),
    "a prefix that changes nothing": ("f(r'a', u'b', b'c', r'\\d')", "Call(f, ['a' 'b' b'c' r'\\d'])"),
    "dict": ("{a: b, **c}", "Aggregate(dict, [Pair(a, b) Unary(spread2, c)])"),
    "list comprehension": (
        "[a for b in c if d for e in b]",
        "Comprehension(list, a, [Clause(b, c, [d]) Clause(e, b)])",
    ),
    "dict comprehension": (
        "{a: b for a, b in c}",
        "Comprehension(dict, Pair(a, b), [Clause(Aggregate(tuple, [a b]), c)])",
    ),
    "f-string": ("f'x{a.b!r:>{w}}y{c}'", "Aggregate(fstring, [a.b Aggregate(fstring, [w]) c])"),
    "lambda": ("lambda: a", "Lambda(1, python)"),
    "matrix product": ("a @ b", "Binary(@, a, b)"),
}


@pytest.mark.parametrize("claim", CASES)
def test_statements(claim: str) -> None:
    source, expected = CASES[claim]
    assert written(source) == expected


@pytest.mark.parametrize("claim", VALUES)
def test_values(claim: str) -> None:
    source, expected = VALUES[claim]
    assert written(source) == f"Evaluate({expected})"


def test_await_and_yield_are_unary() -> None:
    source = "async def f():\n    x = await a()\n    yield x\n    async with b as c: pass\n    async for d in e: pass"
    assert written(source, "f") == (
        "Evaluate(Assign(x, =, Unary(await, Call(a, [])))); Evaluate(Unary(yield, x)); "
        "With([WithItem(b, c)], []); Loop(range, [], d, e)"
    )
    assert function(file_of(source), "f").qualifiers == ("async", "generator")


def test_a_long_display_is_cut_and_says_so() -> None:
    (statement,) = body(f"x = [{'a, ' * 65}]")
    assert isinstance(statement, r.Evaluate)
    assert isinstance(statement.value, r.Assign)
    aggregate = statement.value.value
    assert isinstance(aggregate, r.Aggregate)
    assert len(aggregate.items) == 64
    assert aggregate.cut


@pytest.mark.parametrize(
    ("source", "name"),
    [
        ("x = " + " + ".join(["first"] + ["b"] * 900), "first"),
        ("x = first" + ".b" * 900, "first"),
        ("x = first" + ".b()" * 400, "first"),
        ("if a: pass\n" + "elif first: pass\n" * 900, "first"),
        ("a = " * 900 + "first", "first"),
    ],
)
def test_what_is_too_deep_is_opaque_and_keeps_names(source: str, name: str) -> None:
    file = file_of(source)
    assert not file.problems
    assert file.functions[0].opaque
    assert name in plain(r.decode_body(file.functions[0]))


def test_a_long_boolean_chain_stays_flat() -> None:
    file = file_of("x = " + " and ".join(["a"] * 5000))
    assert not file.functions[0].opaque


def test_comparisons_in_comparisons_are_as_long_as_they_are_written() -> None:
    def size(count: int) -> int:
        return len(msgspec.msgpack.encode(file_of(f"import a\na.f({'0 < (' * count}x{') < 9' * count})\n")))

    assert size(16) < 16 * 400
    assert size(80) < 80 * 400


def test_what_stands_between_two_comparisons_is_compared_twice() -> None:
    assert plain(body("f(a) < b < c")) == plain(body("f(a) < b and b < c"))
