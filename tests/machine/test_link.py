"""Linking: what belongs together across files."""

from __future__ import annotations

import pytest

from ownlint.flow.places import last_name


def _callee(function, name):
    call = next(c for c in function.flow.calls if last_name(c.node.callee) == name)
    return function.program.calls.callee(call.node, function)


def test_header_and_source_are_one_class(program):
    made = program(
        t_h="namespace n { class T { public: int Get(); void Set(int v); int v_; }; }",
        t_cc='#include "t.h"\nnamespace n { int T::Get() { return v_; } }\nvoid n::T::Set(int v) { v_ = v; }',
    )
    (cls,) = made.classes
    assert [method.name for method in cls.methods] == ["Get", "Set"]
    assert [record.name for record in cls.declarations] == ["Get", "Set"]
    assert [w.place for w in cls.methods[1].flow.writes] == [("this", "v_")]


def test_the_same_name_in_two_files_is_two_classes(program, function):
    made = program(
        a_cc="namespace { class T { void F() { a_ = 1; } int a_; }; }",
        b_cc="namespace { class T { void G() { b_ = 1; } int b_; }; }",
    )
    assert [[m.name for m in cls.methods] for cls in made.classes] == [["F"], ["G"]]
    assert [w.place for w in function(made, "G").flow.writes] == [("this", "b_")]


def test_the_header_of_the_same_name_wins(program, function):
    made = program(
        a_h="class T { void F(); int a_; };",
        b_h="class T { void F(); int b_; };",
        b_cc='#include "b.h"\nvoid T::F() { b_ = 1; }',
    )
    assert function(made, "T::F").cls.path == "b.h"


def test_templates_are_classes(program, function):
    made = program(
        a_h="template <class K> class T { void F(); int n_; };\ntemplate <class K> void T<K>::F() { n_ = 1; }"
    )
    assert function(made, "F").cls is made.classes[0]


def test_nested_classes_and_namespaces(program, function):
    made = program(
        a_h="namespace a { namespace b { class Out { class In { void F(); int i_; }; }; } }",
        a_cc='#include "a.h"\nnamespace a::b { void Out::In::F() { i_ = 1; } }',
    )
    assert function(made, "F").cls.symbol == "a::b::Out::In"


def test_overloads_by_arity(program, function):
    made = program(a_cc="int f(int a) { return 1; }\nvoid f(int a, int b) {}\nvoid g() { f(1); f(1, 2); }")
    g = function(made, "g")
    found = [made.calls.callee(call.node, g) for call in g.flow.calls]
    assert [callee.result for callee in found] == ["int", "void"]
    assert [len(callee.functions) for callee in found] == [1, 1]


def test_a_declaration_leads_to_its_definition(program, function):
    made = program(a_h="int f(int a);", b_cc='#include "a.h"\nint f(int a) { return a; }', c_cc="void g() { f(1); }")
    callee = _callee(function(made, "g"), "f")
    assert [found.path for found in callee.functions] == ["b.cc"]


def test_aliases_are_followed(program, function):
    made = program(
        a_h="namespace n { class T { public: int F(); }; using U = T; typedef U* P; }",
        a_cc='#include "a.h"\nnamespace n { void g(U& u, P p) { u.F(); p->F(); } }',
    )
    g = function(made, "g")
    assert {made.calls.callee(call.node, g).symbol for call in g.flow.calls} == {"n::T::F"}


def test_methods_and_members_are_inherited(program, function):
    made = program(
        a_h="class B { public: virtual int F(); int b_; };\nclass D : public B { public: int F() override; int G(); };",
        a_cc='#include "a.h"\nint B::F() { return 1; }\nint D::F() { return 2; }\nint D::G() { b_ = 1; return F(); }',
    )
    g = function(made, "G")
    assert [w.place for w in g.flow.writes] == [("this", "b_")]
    assert [cls.name for cls in g.cls.ancestry] == ["D", "B"]
    callee = _callee(g, "F")
    assert callee.owner is g.cls
    assert [f.symbol for f in callee.functions] == ["D::F"]


def test_a_class_that_is_its_own_base_ends_the_search(program):
    made = program(a_cc="class A : public B {};\nclass B : public A { int b_; };")
    assert [cls.name for cls in made.classes[0].ancestry] == ["A", "B"]
    assert made.classes[0].members == {"b_"}


def test_a_lambda_knows_the_class_around_it(program, function):
    made = program(a_cc="class A { void F() { auto g = [this] { n_ = 1; }; g(); } int n_; };")
    inner = function(made, "<lambda>")
    assert inner.home is made.classes[0]
    assert [w.place for w in inner.flow.writes] == [("this", "n_")]
    assert _callee(function(made, "F"), "g").functions == (inner,)


def test_the_order_of_files_does_not_matter(program):
    source = {"a_h": "class T { void F(); };", "b_cc": "void T::F() {}", "c_cc": "class U {};"}
    one, other = program(**source), program(**dict(reversed(source.items())))
    assert [f.symbol for f in one.functions] == [f.symbol for f in other.functions]
    assert [c.symbol for c in one.classes] == [c.symbol for c in other.classes]


def test_a_python_stub_is_not_the_class_of_a_method_in_cpp(program, function):
    made = program(
        t_h="namespace n { class T { public: int Get(); int v_; }; }",
        t_cc="using namespace n;\nint T::Get() { return v_; }",
        stub_py="class T:\n    def Get(self) -> int: ...\n",
    )
    assert function(made, "T::Get").cls.path == "t.h"


@pytest.mark.parametrize(
    ("argument", "taken", "certainty"),
    [
        ("t.length", "Stream& out", "possible"),
        ("t.length", "Index at", "likely"),
        ("t.length", "const Number& at", "likely"),
        ("t.data", "Node* at", "possible"),
        ("t.data", "Text at", "likely"),
        ("t.unknown", "Node* at", "likely"),
    ],
)
def test_a_number_is_no_object_of_a_method_that_is_guessed_by_its_name(program, function, argument, taken, certainty):
    made = program(
        a_cc="using Index = long;\n"
        "struct Slice { const char* data; size_t length; };\n"
        f"struct T {{ Status Write({taken}); }};\n"
        f"void g(Slice t) {{ somewhere()->Write({argument}); }}\n"
    )
    assert _callee(function(made, "g"), "Write").certainty == certainty


@pytest.mark.parametrize(
    ("declared", "call", "counts"),
    [
        ("void Update(const Status& other);", "Update(t)", True),
        ("void Update(...);", "Update(t)", True),
        ("template <class... T> void Update(T&&... all);", "Update(t)", True),
        ("void Update();", "Update()", False),
        ("void Update(); void Update(const Status& other);", "Update(t)", True),
    ],
)
def test_a_model_that_contradicts_the_declaration_of_its_function_is_left_out(
    program, function, declared, call, counts
):
    made = program(
        a_h=f"namespace absl {{ class Status {{ public: {declared} }}; }}",
        a_cc=f'#include "a.h"\nvoid g(absl::Status& s, absl::Status& t) {{ s.{call}; }}',
    )
    assert bool(_callee(function(made, "g"), "Update").models) is counts


def test_an_alias_in_another_namespace_is_not_the_class_beside(program):
    made = program(
        raw_h="struct plan { int n; };\nnamespace a::raw { using Plan = ::plan; using Step = ::step; }",
        wrapper_h="namespace a::python { struct Plan { raw::Plan* plan; }; }",
        use_cc='#include "raw.h"\n#include "wrapper.h"\nnamespace a::python { void f(); }',
    )
    file = made.files["use.cc"]
    assert made.names.expand("Plan", file, "a::python") == "Plan"
    assert made.names.expand("raw::Plan", file, "a::python") == "::plan"
    assert made.names.expand("Plan", file, "a::raw") == "::plan"
    assert made.names.expand("Step", file, "a::python") == "::step"  # nothing else is called so: a `using` was not seen


def test_an_alias_that_leads_to_its_own_name_is_not_opened(program):
    made = program(
        a_h="namespace a { struct Kind {};"
        " template <class T> using kind_t = std::conditional_t<T::fixed, Kind, Fixed<T>>;"
        " template <class T> struct Held {"
        " using Kind = kind_t<T>; using Box = std::unique_ptr<a::Box>;"
        " Kind kind; Box box; }; }"
    )
    file = made.files["a.h"]
    assert made.names.expand("Kind", file, "a::Held") == "Kind"
    assert made.names.expand("kind_t<int>", file, "a").startswith("std::conditional_t<")
    assert made.names.expand("Box", file, "a::Held") == "std::unique_ptr<a::Box>"
