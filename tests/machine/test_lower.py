"""Lowering: every construct as the runs it allows.

A run is what is called, from the entry to the exit, with `~x` where the life of `x` ends and `throw` where an
exception leaves. A loop goes round at most once.
"""

from __future__ import annotations

import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.machine.conftest import make

from ownlint.facts import records as r
from ownlint.flow import events as e
from ownlint.flow.graph import Flow
from ownlint.flow.lower import Surroundings, lower
from ownlint.flow.places import last_name, render


def runs(flow: Flow) -> set[str]:
    found: set[str] = set()
    stack: list[tuple[int, tuple[int, ...], tuple[str, ...]]] = [(flow.entry, (), ())]
    while stack:
        at, seen, words = stack.pop()
        words += _word(flow.events[at])
        if at == flow.exit:
            found.add(" ".join(words))
        for target, _ in flow.successors[at]:
            if seen.count(target) < 2:
                stack.append((target, (*seen, at), words))
    return found


def _word(event: e.Event) -> tuple[str, ...]:
    match event:
        case e.CallEvent(node=node):
            return (last_name(node.callee),)
        case e.End(place=place):
            return ("~" + render(place),)
        case e.LeaveEvent(kind="throw"):
            return ("throw",)
        case e.OpaqueEvent():
            return ("?",)
    return ()


def cpp(body: str, head: str = "", name: str = "f") -> Flow:
    made = make(a_cc=f"{head}\nvoid f() {{ {body} }}")
    return next(f for f in made.functions if f.name == name).flow


def python(body: str) -> Flow:
    indented = "\n".join("    " + line for line in body.splitlines())
    return next(f for f in make(a_py=f"def f():\n{indented}\n").functions if f.name == "f").flow


CPP = {
    "in order": ("a(); b();", {"a b"}),
    "if": ("if (c()) a(); b();", {"c a b", "c b"}),
    "if and else": ("if (c()) a(); else b();", {"c a", "c b"}),
    "else if": ("if (c()) a(); else if (d()) b(); else z();", {"c a", "c d b", "c d z"}),
    "if with an initialiser": ("if (T x = m(); c()) a(); b();", {"m c a ~x b", "m c ~x b"}),
    "a declaration as condition": ("if (T* p = m()) a(); b();", {"m a ~p b", "m ~p b"}),
    "if of a constant": ("if (true) a(); else b();", {"a"}),
    "while": ("while (c()) a(); b();", {"c b", "c a c b"}),
    "a declaration as a loop's condition": ("while (T* p = m()) a(); b();", {"m ~p b", "m a ~p m ~p b"}),
    "while one": ("while (1) { a(); if (c()) break; }", {"a c", "a c a c"}),
    "break and continue": (
        "while (c()) { if (d()) break; if (g()) continue; a(); } b();",
        {"c b", "c d b", "c d g c b", "c d g a c b", "c d g c d b", "c d g a c d b"},
    ),
    "while that is asked once at least": ("n = 4; while (n == 4 && a()); b();", {"a b", "a a b", "a a a b"}),
    "while that may not be asked": ("n = 4; z(); while (n == 4 && a()); b();", {"z b", "z a b", "z a a b"}),
    "while another is set": ("m = 4; while (n == 4 && a()); b();", {"b", "a b", "a a b"}),
    "do": ("do { a(); } while (c()); b();", {"a c b", "a c a c b"}),
    "do once": ("do { a(); if (c()) break; b(); } while (0); d();", {"a c d", "a c b d"}),
    "for": ("for (T i = m(); c(); s()) a(); b();", {"m c ~i b", "m c a s c ~i b"}),
    "continue runs the step": ("for (; c(); s()) { if (d()) continue; a(); }", {"c", "c d s c", "c d a s c"}),
    "range-for": ("for (T x : m()) a(); b();", {"m b", "m a ~x b"}),
    "break out of a range-for": ("for (T x : m()) { if (c()) break; }", {"m", "m c ~x", "m c ~x c ~x"}),
    "switch": (
        "switch (v()) { case 1: a(); break; case 2: b(); default: d(); } z();",
        {"v a z", "v b d z", "v d z"},
    ),
    "switch without a default": ("switch (v()) { case 1: a(); } z();", {"v a z", "v z"}),
    "continue in a switch": ("while (c()) { switch (v()) { case 1: continue; default: a(); } b(); }", None),
    "return": ("if (c()) { a(); return; } b();", {"c a", "c b"}),
    "throw": ("if (c()) throw X(); b();", {"c X throw", "c b"}),
    "throw in a conditional": ("T v = c() ? a() : throw X(); b();", {"c a b ~v", "c X throw"}),
    "goto": ("if (c()) goto out; a(); out: b();", {"c b", "c a b"}),
    "goto back": ("again: a(); if (c()) goto again; b();", {"a c b", "a c a c b"}),
    "goto out of a block": ("{ G g(m); if (c()) goto out; a(); } out: b();", {"G c ~g b", "G c a ~g b"}),
    "goto nobody knows where": ("if (c()) goto lost; a();", {"c ?", "c a"}),
    "a guard's block": ("{ G g(m); a(); } b();", {"G a ~g b"}),
    "last declared, first ended": ("{ G g(m); H h(m); a(); }", {"G H a ~h ~g"}),
    "break ends what the loop began": ("while (c()) { G g(m); if (d()) break; } b();", None),
    "conditional": ("use(c() ? a() : b());", {"c a use", "c b use"}),
    "and": ("use(a() && b());", {"a use", "a b use"}),
    "or": ("use(a() || b());", {"a use", "a b use"}),
    "and in the middle": ("use(x && a() && y);", {"use", "a use"}),
    "and under another operator": ("use((x && a()) == y);", {"use", "a use"}),
    "not": ("if (!(a() && b())) d(); else z();", {"a d", "a b d", "a b z"}),
    "comma": ("a(), b(), d();", {"a b d"}),
    "chained calls": ("a().b().d(m());", {"a b m d"}),
    "arguments first": ("a(b(d()));", {"d b a"}),
    "a lambda runs later": ("auto g = [] { a(); }; b();", {"b ~g"}),
    "new and delete": ("T* p = new T(a()); delete p;", {"a T delete ~p"}),
}


@pytest.mark.parametrize("name", CPP)
def test_a_cpp_construct_allows_these_runs(name):
    body, expected = CPP[name]
    found = runs(cpp(body))
    if name == "continue in a switch":
        assert {"c", "c v c", "c v a b c"} <= found
        assert not any("v b" in run for run in found)
    elif name == "break ends what the loop began":
        assert {"c b", "c G d ~g b", "c G d ~g c b"} <= found
        assert all(run.count("G") == run.count("~g") for run in found)
    elif name == "break and continue":
        assert expected <= found
    else:
        assert found == expected


def test_a_handler_is_reached_from_the_calls_inside_and_ends_what_they_began():
    found = runs(cpp("try { G g(m); a(); b(); } catch (E& x) { h(); } z();"))
    assert {"G a b ~g z", "G a ~g h z", "G a b ~g h z", "~g h z"} <= found
    assert "h" not in [word for run in found if "~g" not in run for word in run.split()]


def test_what_no_handler_takes_goes_to_the_try_around():
    inner = "try {{ try {{ a(); }} catch ({}) {{ h(); }} }} catch (...) {{ o(); }}"
    assert "a o" in runs(cpp(inner.format("E&")))
    assert "a o" not in runs(cpp(inner.format("...")))
    assert "a h o" in runs(cpp(inner.format("...")))  # the handler's own call can throw


def test_a_macro_that_returns_is_learned_from_its_definition():
    head = "#define TRY(x) do { auto s = (x); if (!s.ok()) return s; } while (0)\n"
    flow = cpp("TRY(a()); b();", head)
    assert runs(flow) == {"a TRY", "a TRY b"}
    assert [leave.via for leave in flow.leaves] == ["TRY", ""]


def test_a_macro_that_returns_is_known_from_a_model():
    assert runs(cpp("RETURN_IF_ERROR(a()); b();")) == {"a RETURN_IF_ERROR", "a RETURN_IF_ERROR b"}


def test_what_is_asserted_may_not_run():
    flow = cpp("assert(a() && b()); CHECK(d());")
    asserted = {last_name(call.node.callee): call.asserted for call in flow.calls}
    assert asserted == {"a": True, "b": True, "d": False}
    assert [event.asserted for event in flow if isinstance(event, e.Test)] == [True, True, False]


def test_a_coroutine_waits_and_returns():
    flow = cpp("co_await a(); auto x = co_await b(); co_return;")
    assert [(last_name(c.node.callee), c.awaited, c.dropped, c.into) for c in flow.calls] == [
        ("a", True, "statement", None),
        ("b", True, "", ("x",)),
    ]
    assert [leave.kind for leave in flow.leaves] == ["return"]


def test_a_structured_binding_writes_each_name():
    flow = cpp("auto [a, b] = m(); z();")
    assert [w.place for w in flow.writes if w.fresh] == [("a",), ("b",)]
    assert runs(flow) == {"m z ~b ~a"}


def test_references_stand_for_what_they_are_bound_to():
    flow = cpp("for (auto& [k, v] : table) { v = 1; } auto& x = owner.part; x.n = 2;")
    assert [w.place for w in flow.writes] == [("table", "[*]", "second"), ("owner", "part", "n")]


def test_a_pointer_that_is_set_again_in_a_loops_step_is_no_reference():
    flow = cpp("for (T* p = &head; p; p = p->next) { p->n = 1; }")
    assert ("p", "n") in [w.place for w in flow.writes]


def test_initialisers_write_members_before_the_body():
    made = make(a_cc="struct S { S() : x_(m()), y_(1, 2) { b(); } int x_; P y_; };")
    flow = made.functions[0].flow
    assert [w.place for w in flow.writes] == [("this", "x_"), ("this", "y_")]
    assert [c.into for c in flow.calls] == [("this", "x_"), None]


def test_bare_members_are_members_of_this_unless_hidden():
    made = make(a_cc="struct S { void f(int y_) { x_ = 1; y_ = 2; } int x_, y_; };")
    assert [w.place for w in made.functions[0].flow.writes] == [("this", "x_"), ("y_",)]


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ("a();", "statement"),
        ("(void)a();", "void cast"),
        ("static_cast<void>(a());", "void cast"),
        ("std::ignore = a();", "ignore"),
        ("x = a();", ""),
        ("c ? a() : b();", "statement"),
        ("return a();", ""),
    ],
)
def test_how_a_result_is_dropped(body, expected):
    assert cpp(body).calls[0].dropped == expected


# --- Python -----------------------------------------------------------------------------------

PYTHON = {
    "with": ("with lock:\n    a()\nb()", {"a ~lock b"}),
    "with as": ("with m() as x:\n    a()", {"m a ~x"}),
    "with two": ("with m() as x, n() as y:\n    a()", {"m n a ~y ~x"}),
    "break out of a with": ("while True:\n    with x:\n        if c():\n            break\nb()", None),
    "del": ("x = m()\ndel x\na()", {"m ~x a"}),
    "del of an element": ("del m()[k()]", {"k m"}),
    "while and else": ("while c():\n    if d(): break\nelse:\n    a()", None),
    "for and else": ("for x in m():\n    b()\nelse:\n    a()", {"m a", "m b a"}),
    "comprehension": ("use([g(x) for x in m() if c(x)])", {"m c g use"}),
    "finally": ("try:\n    a()\nfinally:\n    z()\nb()", {"a z b", "z throw", "a z throw"}),
    "return through finally": ("try:\n    return a()\nfinally:\n    z()\nb()", {"a z", "z throw", "a z throw"}),
    "else of a try": (
        "try:\n    a()\nexcept Exception:\n    h()\nelse:\n    e()\nb()",
        {"a e b", "h b", "a h b"},
    ),
    "raise through finally": (
        "try:\n    a()\nexcept Exception:\n    raise\nfinally:\n    z()",
        {"a z", "throw z throw", "a throw z throw"},
    ),
    "finally inside of a loop's loop": (
        "for x in m():\n    try:\n        for y in n():\n            return\n    finally:\n        break\nb()",
        None,
    ),
    "match": (
        "match v():\n    case 1:\n        a()\n    case _:\n        b()",
        {"v a", "v b"},
    ),
    "a guard that fails goes on": (
        "match v():\n    case 1 if c():\n        a()\n    case 2:\n        b()",
        {"v c a", "v c b", "v c", "v b", "v"},
    ),
    "conditional": ("use(a() if c() else b())", {"c a use", "c b use"}),
    "raise": ("if c():\n    raise E()\na()", {"c E throw", "c a"}),
    "a nested function runs later": ("def g():\n    a()\nb()", {"b"}),
}


@pytest.mark.parametrize("name", PYTHON)
def test_a_python_construct_allows_these_runs(name):
    body, expected = PYTHON[name]
    found = runs(python(body))
    if name == "break out of a with":
        assert {"c ~x b", "c ~x c ~x b"} <= found
        assert all(run.count("c") == run.count("~x") for run in found)
    elif name == "while and else":
        assert {"c a", "c d", "c d c a"} <= found
        assert "c d a" not in found
    elif name == "finally inside of a loop's loop":
        assert {"m b", "m n b"} <= found
        assert all(run.endswith("b") for run in found)
    else:
        assert found == expected


def test_async_blocks_are_blocks():
    made = make(a_py="async def f():\n    async with m() as x:\n        async for y in n():\n            await a()\n")
    flow = next(f for f in made.functions if f.name == "f").flow
    assert runs(flow) == {"m n ~x", "m n a ~x"}
    assert [c.awaited for c in flow.calls if last_name(c.node.callee) == "a"] == [True]


def test_rebinding_writes_and_patterns_bind():
    flow = python("x = a()\nx = b()\nmatch x:\n    case [y, *z]:\n        pass\n")
    assert [w.place for w in flow.writes] == [("x",), ("x",), ("y",), ("z",)]


def test_tuples_are_taken_apart():
    flow = python("a, b = x, y\n")
    assert [(w.place, getattr(w.value, "text", "")) for w in flow.writes] == [(("a",), "x"), (("b",), "y")]


def test_names_bound_through_objects_are_not_locals():
    made = make(a_py="def f():\n    x, g.y = m()\n    with m() as h.z:\n        pass\n    if (w := m()): pass\n")
    assert next(f for f in made.functions if f.name == "f").declared == {"x", "w"}


# --- size -------------------------------------------------------------------------------------


def _function(*body: r.Statement) -> Flow:
    function = r.FunctionRecord(0, 0, "f", "", "", "function", "", (), 0, True)
    return Flow(lower(function, body, Surroundings()))


def _call(name: str) -> r.Call:
    return r.Call(0, 0, r.Name(0, 0, name), ())


@pytest.mark.parametrize("op", ["+", "<<", "&&", "||", ","])
def test_an_operator_chain_of_any_length(op):
    value: r.Value = _call("a")
    for _ in range(20_000):
        value = r.Binary(0, 0, op, value, _call("a"))
    start = time.process_time()
    flow = _function(r.Evaluate(0, 0, value), r.Branch(0, 0, value, ()))
    assert len(flow.calls) == 40_002
    assert time.process_time() - start < 10


def test_an_else_if_chain_of_any_length():
    chain: tuple[r.Statement, ...] = ()
    for _ in range(10_000):
        chain = (r.Branch(0, 0, _call("c"), (r.Evaluate(0, 0, _call("a")),), chain),)
    flow = _function(*chain)
    assert len(flow.calls) == 20_000
    assert flow.exit in flow.reachable


@pytest.mark.parametrize("op", ["+", "<<", "&&", "||"])
def test_long_chains_from_source(op):
    flow = cpp("x = " + f" {op} ".join(["a()"] * 3000) + ";")
    assert len(flow.calls) == 3000


def test_a_call_chain_of_any_length_drops_its_last_result_alone():
    flow = cpp("return m" + ".def(1)" * 300 + ";")
    assert len(flow.calls) == 300
    assert {call.dropped for call in flow.calls} == {""}
    flow = cpp("m" + ".def(1)" * 300 + ";")
    assert [call.dropped for call in flow.calls if call.dropped] == ["statement"]
    assert not any(isinstance(event, e.Read) and "<chain>" in event.place for event in flow)


def test_nested_finally_blocks_do_not_explode():
    body: tuple[r.Statement, ...] = (r.Evaluate(0, 0, _call("a")),)
    for _ in range(60):
        body = (r.Try(0, 0, (r.Evaluate(0, 0, _call("b")),), (), (), body),)
    assert len(_function(*body).events) < 100_000


# --- anything at all --------------------------------------------------------------------------

CPP_SOUP = """
if else for while do switch case default break continue return try catch throw goto { } ( ) [ ] ; : , = == && || ! * &
-> . < > a b x 1 0 auto int [&] new delete co_await template class struct namespace operator ~ " ' # \\
"""
PYTHON_SOUP = """
if else elif for while try except finally with as match case del return raise yield await async def class lambda in is
not and or : , = := ( ) [ ] { } . * ** a b x 1 None True \\ ' " pass break continue
"""
CPP_WORDS = CPP_SOUP.split()
PYTHON_WORDS = [*PYTHON_SOUP.split(), "\n", "\n    ", "\n        "]

FUZZ = settings(max_examples=60)


@FUZZ
@given(st.lists(st.sampled_from(CPP_WORDS), max_size=60))
def test_cpp_soup_is_lowered(words):
    _well_formed(make(a_cc="void f() {" + " ".join(words) + "}\n" + " ".join(words)))


@FUZZ
@given(st.lists(st.sampled_from(PYTHON_WORDS), max_size=60))
def test_python_soup_is_lowered(words):
    _well_formed(make(a_py="def f():\n    " + " ".join(words)))


@FUZZ
@given(st.sampled_from([body for body, _ in CPP.values()]), st.integers(0, 80), st.integers(0, 80))
def test_cut_snippets_are_lowered(body, start, length):
    _well_formed(make(a_cc=f"void f() {{ {body[:start] + body[start + length :]} }}"))


@FUZZ
@given(st.sampled_from([body for body, _ in PYTHON.values()]), st.integers(0, 80), st.integers(0, 8))
def test_cut_python_is_lowered(body, start, length):
    lines = (body[:start] + body[start + length :]).splitlines()
    _well_formed(make(a_py="def f():\n" + "\n".join("    " + line for line in lines)))


def _well_formed(program) -> None:
    for function in program.functions:
        flow = function.flow
        assert [event.index for event in flow] == list(range(len(flow.events)))
        assert all(0 <= target < len(flow.events) for edges in flow.successors for target, _ in edges)
