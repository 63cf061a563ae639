"""What C++ says, construct by construct: the source on one side, the facts on the other."""

from __future__ import annotations

import msgspec
import pytest

from ownlint.facts import records as r
from ownlint.facts.show import text
from ownlint.facts.vocabulary import Framework, Vocabulary
from ownlint.flow.bodies import statements
from ownlint.frontends.cpp.structure import MAX_SIZE, lost, read

VOCABULARY = Vocabulary(
    annotations=(r"\w*GUARDED_BY", r"\w*LOCKS_REQUIRED", r"[A-Z]\w*_EXPORT(ED)?"), declaring=(r"\w*ASSIGN_OR_RETURN",)
)


def facts(source: str) -> r.FileRecord:
    return read("a.cc", source.encode(), VOCABULARY)


def body(statements: str) -> r.Body:
    """The statements of a function's body."""
    file = facts("void f() {\n" + statements + "\n}\n")
    assert file.functions[0].name == "f"
    return r.decode_body(file.functions[0])


def value(expression: str) -> r.Value:
    (statement,) = body(expression + ";")
    assert isinstance(statement, r.Evaluate)
    return statement.value


def function(source: str, name: str = "f") -> r.FunctionRecord:
    return next(each for each in facts(source).functions if each.name == name)


# --- declarations in a body ---


@pytest.mark.parametrize(
    ("source", "name", "type_", "callee", "args", "template"),
    [
        ("absl::MutexLock lock(&mu_);", "lock", "absl::MutexLock", "absl::MutexLock", ["&mu_"], ""),
        ("std::lock_guard<M> l(mu_);", "l", "std::lock_guard<M>", "std::lock_guard", ["mu_"], "M"),
        ("MutexLock lock(mu_);", "lock", "MutexLock", "MutexLock", ["mu_"], ""),
        ("T x(a, b.c);", "x", "T", "T", ["a", "b.c"], ""),
        ("T x{a, 1};", "x", "T", "T", ["a", "1"], ""),
        ("T x(f());", "x", "T", "T", ["f()"], ""),
        ("T x(std::move(y));", "x", "T", "T", ["std::move(y)"], ""),
        ("T x(a * b);", "x", "T", "T", ["a * b"], ""),
        ("T x(a * f(b));", "x", "T", "T", ["a * f(b)"], ""),
        ("T x(a * n::f(b * g()), c);", "x", "T", "T", ["a * n::f(b * g())", "c"], ""),
        ("T<U> x(a, b * sizeof(U));", "x", "T<U>", "T", ["a", "b * sizeof(U)"], "U"),
        ("T x(a * sizeof(const U&));", "x", "T", "T", ["a * sizeof(const U&)"], ""),
        ("T x(a * n::b);", "x", "T", "T", ["a * n::b"], ""),
        ("T x(a & b[i]);", "x", "T", "T", ["a & b[i]"], ""),
        ("T x(a[i]);", "x", "T", "T", ["a[i]"], ""),
    ],
)  # fmt: skip
def test_a_variable_is_constructed(
    source: str, name: str, type_: str, callee: str, args: list[str], template: str
) -> None:
    (declare,) = body(source)
    assert isinstance(declare, r.Declare)
    assert (declare.names, declare.type) == ((name,), type_)
    made = declare.value
    assert isinstance(made, r.Call)
    assert made.kind == "construct"
    assert isinstance(made.callee, r.Name)
    assert (made.callee.text, made.template) == (callee, template)
    assert [text(arg) for arg in made.args] == args


@pytest.mark.parametrize(
    ("source", "names", "types", "values"),
    [
        ("T x;", ["x"], ["T"], [None]),
        ("const auto& x = f();", ["x"], ["const auto&"], ["f()"]),
        ("int a = 1, *p, &q = z;", ["a", "p", "q"], ["int", "int*", "int&"], ["1", None, "z"]),
        ("char const* const s = g;", ["s"], ["const char* const"], ["g"]),
        ("int m[3][4];", ["m"], ["int[3][4]"], [None]),
        ("unsigned long n = 3;", ["n"], ["unsigned long"], ["3"]),
        ("std::unique_ptr<T> p = std::make_unique<T>(1);", ["p"], ["std::unique_ptr<T>"], ["std::make_unique<T>(1)"]),
        ("auto* p = static_cast<T*>(q);", ["p"], ["auto*"], ["static_cast<T*>(q)"]),
    ],
)
def test_locals(source: str, names: list[str], types: list[str], values: list[str | None]) -> None:
    declared = [s for s in body(source) if isinstance(s, r.Declare)]
    assert [d.names[0] for d in declared] == names
    assert [d.type for d in declared] == types
    assert [d.value and text(d.value) for d in declared] == values


@pytest.mark.parametrize("source", ["T x(U *f(V));", "T x(U *a, V &b);", "T x(a * f(int b));", "T x(U *a[3]);"])
def test_a_function_is_declared(source: str) -> None:
    assert body(source) == ()


def test_structured_bindings_and_statics() -> None:
    pair, static = body("auto& [a, b] = f(); static T t;")
    assert isinstance(pair, r.Declare)
    assert isinstance(static, r.Declare)
    assert (pair.names, pair.type, pair.static) == (("a", "b"), "auto&", False)
    assert static.static


def test_a_discarded_temporary_is_a_call_not_a_variable() -> None:
    guard = value("std::lock_guard<std::mutex>(mu_)")
    assert isinstance(guard, r.Call)
    assert (text(guard.callee), guard.template) == ("std::lock_guard", "std::mutex")


# --- locals that hide another ---


@pytest.mark.parametrize(
    ("source", "shown"),
    [
        ("T a; { T a; g(a); } g(a);", ["a", "a'", "g(a')", "g(a)"]),
        ("T a; if (T a = f()) g(a); g(a);", ["a", "a'", "g(a')", "g(a)"]),
        ("T a; for (auto& a : all) { T a; g(a); }", ["a", "a''", "g(a'')"]),
        ("T a; try { } catch (E& a) { g(a); }", ["a", "g(a')"]),
        ("{ T a; g(a); } { T a; g(a); }", ["a", "g(a)", "a", "g(a)"]),
        ("T a; { T a; auto run = [&] { g(a); }; g(a); }", ["a", "a", "run", "g(a)"]),
        ("#if A\nT a;\n#else\nT a;\n#endif\ng(a);", ["a", "a", "g(a)"]),
        ("#if A\nT a;\n#elif B\nT a;\n#endif\ng(a);", ["a", "a", "g(a)"]),
        ("T a; { { { { { { T a; { T a; { T a; { T a; { T a; } } } } } } } } } }",
         ["a", "a'", "a''", "a'''", "a''''", "a''''"]),
    ],
)  # fmt: skip
def test_an_inner_local_has_a_name_of_its_own(source: str, shown: list[str]) -> None:
    told = []
    for statement in statements(body(source)):
        if isinstance(statement, r.Declare):
            told.append(statement.names[0])
        elif isinstance(statement, r.Evaluate):
            told.append(text(statement.value))
    assert [one.replace(r.INNER, "'") for one in told] == shown


# --- values ---


@pytest.mark.parametrize(
    ("source", "kind", "shown"),
    [
        ("(void)f()", r.Cast, "(void)f()"),
        ("(void)real->Dealloc(a, b)", r.Cast, "(void)real->Dealloc(a, b)"),
        ("(x)", r.Name, "x"),
        ("a->b.c", r.Member, "a->b.c"),
        ("p->~T()", r.Call, "p->~T()"),
        ("x = y = z", r.Assign, "x = y = z"),
        ("m[k] += v", r.Assign, "m[k] += v"),
        ("a and not b", r.Binary, "a && !b"),
        ("a, b", r.Binary, "a, b"),
        ("c ? a : b", r.Conditional, "c ? a : b"),
        ("c ? a : throw b", r.Conditional, "c ? a : throw b"),
        ("co_await x", r.Unary, "co_await x"),
        ("delete p", r.Call, "delete p"),
        ("new ns::T(1)", r.Call, "new ns::T(1)"),
        ("dynamic_cast<T&>(x)", r.Cast, "dynamic_cast<T&>(x)"),
        ('"a" "b"', r.Literal, '"a" "b"'),
        ("nullptr", r.Literal, "nullptr"),
        ("::f()", r.Call, "::f()"),
    ],
)
def test_values(source: str, kind: type, shown: str) -> None:
    read_ = value(source)
    assert isinstance(read_, kind)
    assert text(read_) == shown


def test_a_kernel_is_launched_with_what_is_evaluated_before() -> None:
    launched = body("kernel<float><<<grid(n), block>>>(a);")
    shown = [text(one.value) for one in launched if isinstance(one, r.Evaluate)]
    assert shown == ["grid(n)", "block", "kernel<float>(a)"]


def test_a_qualified_template_call_keeps_its_last_arguments() -> None:
    call = value("Foo<T>::bar<U, 1>(x)")
    assert isinstance(call, r.Call)
    assert isinstance(call.callee, r.Name)
    assert (call.callee.text, call.template) == ("Foo::bar", "U, 1")
    method = value("x.template get<T>()")
    assert isinstance(method, r.Call)
    assert isinstance(method.callee, r.Member)
    assert (method.callee.name, method.template) == ("get", "T")


def test_names_are_found_by_their_last_token() -> None:
    source = "void f() { a::b<T>::c<U>(x); y->d(); z.e<V>(); }"
    for statement in r.decode_body(function(source)):
        assert isinstance(statement, r.Evaluate)
        assert isinstance(statement.value, r.Call)
        match statement.value.callee:
            case r.Name(end=end):
                assert source[end - 1] == "c"
            case r.Member(name=name) as member:
                assert source[member.name_start : member.end] == name


def test_new_and_delete() -> None:
    array, placed, nothrow, deleted = body("new T[n]; new (buf) T(a); new (std::nothrow) T; delete[] p;")
    shown = []
    for statement in (array, placed, nothrow, deleted):
        assert isinstance(statement, r.Evaluate)
        call = statement.value
        assert isinstance(call, r.Call)
        shown.append((call.kind, text(call.callee), [text(arg) for arg in call.args]))
    assert shown[0] == ("new", "T[]", ["n"])
    assert shown[1] == ("construct", "T", ["<placement>=buf", "a"])
    assert shown[2] == ("new", "T", [])
    assert shown[3] == ("delete", "delete[]", ["p"])


def test_lists_are_cut_after_64_items() -> None:
    (declare,) = body("int x[] = {" + "1, " * 500 + "};")
    assert isinstance(declare, r.Declare)
    assert isinstance(declare.value, r.Aggregate)
    assert declare.value.cut
    assert len(declare.value.items) == 64
    (short,) = body("int x[] = {1, 2};")
    assert isinstance(short, r.Declare)
    assert isinstance(short.value, r.Aggregate)
    assert not short.value.cut


def test_designated_initialisers() -> None:
    (assign,) = body("x = {.a = 1, .b = {2}};")
    assert isinstance(assign, r.Evaluate)
    assert isinstance(assign.value, r.Assign)
    assert text(assign.value.value) == "{a=1, b={2}}"


# --- lambdas ---


def test_a_lambda_is_a_function_of_its_own() -> None:
    file = facts("void f() { g([this, &x, y = h(), *this](int a) mutable -> int { return inner(a); }); }")
    outer, inner = file.functions
    assert (inner.name, inner.kind, inner.parent, inner.result) == ("<lambda>", "lambda", 0, "int")
    assert outer.mentions == ("g", "h")
    assert inner.mentions == ("inner",)
    (statement,) = r.decode_body(outer)
    assert isinstance(statement, r.Evaluate)
    assert isinstance(statement.value, r.Call)
    (lambda_,) = statement.value.args
    assert isinstance(lambda_, r.Lambda)
    assert file.functions[lambda_.function] is inner
    assert [(c.name, c.by_reference) for c in lambda_.captures] == [
        ("this", True), ("x", True), ("y", False), ("*this", False)
    ]  # fmt: skip


def test_lambdas_among_declarations_are_functions_too() -> None:
    file = facts("REGISTER(x, [](int a) { go(a); });\nauto g = [] { stop(); };\n")
    assert [f.mentions for f in file.functions] == [("go",), ("stop",)]
    assert {f.parent for f in file.functions} == {-1}


# --- control ---


def test_branches() -> None:
    first, second, third = body(
        "if (auto* p = g()) a(); else if (x) b();  if (int i = 0; i < 3) c();  if constexpr (x) {}"
    )
    assert isinstance(first, r.Branch)
    (declare,) = first.before
    assert isinstance(declare, r.Declare)
    assert declare.names == ("p",)
    assert text(first.condition) == "p"
    assert isinstance(first.other[0], r.Branch)
    assert isinstance(second, r.Branch)
    assert text(second.condition) == "i < 3"
    assert isinstance(third, r.Branch)
    assert third.constant


def test_loops() -> None:
    loops = body(
        "for (int i = 0, j = 1; i < 2; ++i) a(); for (auto& [k, v] : m) b(); for (T t = g(); auto x : t) c();"
        "while (p) d(); do e(); while (q); for (;;) {}"
    )
    kinds = []
    for loop in loops:
        assert isinstance(loop, r.Loop)
        kinds.append(loop.kind)
    assert kinds == ["for", "range", "range", "while", "do", "for"]
    three, pairs, initialised = loops[:3]
    assert isinstance(three, r.Loop)
    assert isinstance(pairs, r.Loop)
    assert isinstance(initialised, r.Loop)
    assert len(three.before) == 2
    assert isinstance(three.step, r.Assign)
    assert isinstance(pairs.target, r.Aggregate)
    assert pairs.type == "auto&"
    assert len(initialised.before) == 1


def test_a_switch_keeps_its_cases_in_order() -> None:
    (switch,) = body("switch (x) { case 1: case A::b: a(); break; case 2 ... 4: { c(); } default: d(); }")
    assert isinstance(switch, r.Switch)
    assert [[text(v) for v in case.values] for case in switch.cases] == [["1"], ["A::b"], ["2", "4"], []]
    assert [len(case.body) for case in switch.cases] == [0, 2, 1, 1]


def test_exceptions() -> None:
    (attempt,) = body("try { a(); } catch (const std::exception& e) { throw; } catch (...) { throw b(); }")
    assert isinstance(attempt, r.Try)
    assert [(h.type, h.name) for h in attempt.handlers] == [("const std::exception&", "e"), ("", "")]
    whole = function("A::A() try : x_(1) { g(); } catch (...) { h(); }", "A")
    assert [i.name for i in whole.initializers] == ["x_"]
    assert isinstance(r.decode_body(whole)[0], r.Try)


def test_leaving() -> None:
    kinds = [(s.kind, s.label) for s in body("goto l; l: return; co_return x; throw y;") if isinstance(s, r.Leave)]
    assert kinds == [("goto", "l"), ("return", ""), ("return", ""), ("throw", "")]


# --- macros ---


def test_a_macro_that_declares() -> None:
    source = "ASSIGN_OR_RETURN(auto x, f({1, 2}), _ << y);"
    file = facts("void f() {" + source + "}")
    (declare,) = r.decode_body(file.functions[0])
    assert isinstance(declare, r.Declare)
    assert (declare.names, declare.type) == (("x",), "auto")
    assert isinstance(declare.value, r.Call)
    assert declare.value.kind == "macro"
    assert text(declare.value) == "ASSIGN_OR_RETURN(f({1, 2}))"
    assert (declare.start, declare.end) == (10, 10 + len(source) - 1)
    assert not file.functions[0].opaque


@pytest.mark.parametrize(
    ("source", "names", "type_"),
    [
        ("ANY_MACRO(const auto [a, b], f());", ("a", "b"), "const auto"),
        ("ANY_MACRO(std::vector<int> v, f());", ("v",), "std::vector<int>"),
        ("ANY_MACRO(T& t, f());", ("t",), "T&"),
        ("ASSIGN_OR_RETURN((auto [a, b]), f());", ("a", "b"), "auto"),
    ],
)
def test_a_macro_is_seen_to_declare(source: str, names: tuple[str, ...], type_: str) -> None:
    (declare, *_) = body(source)
    assert isinstance(declare, r.Declare)
    assert (declare.names, declare.type) == (names, type_)


def test_a_macro_that_assigns() -> None:
    first, second = body("ASSIGN_OR_RETURN(x_, f()); ASSIGN_OR_RETURN(v.emplace_back(), f());")
    for statement, target in ((first, "x_"), (second, "v.emplace_back()")):
        assert isinstance(statement, r.Evaluate)
        assert isinstance(statement.value, r.Assign)
        assert text(statement.value.target) == target
        assert text(statement.value.value) == "ASSIGN_OR_RETURN(f())"


@pytest.mark.parametrize("source", ["EXPECT_EQ(a * b, c)", "EXPECT_EQ(a & b, c)", "CHECK(x)"])
def test_other_macros_are_calls(source: str) -> None:
    call = value(source)
    assert isinstance(call, r.Call)
    assert call.kind == "call"


def test_a_macro_before_a_block() -> None:
    macro, block, handler, inner = body("MY_TRY {\n g(); }\n MY_CATCH(const E& e) { h(); }")
    assert isinstance(macro, r.Evaluate)
    assert isinstance(block, r.Block)
    assert isinstance(handler, r.Evaluate)
    assert isinstance(inner, r.Block)
    assert function("GLOBAL_INITIALIZER {\n  g();\n}\n", "GLOBAL_INITIALIZER").mentions == ("g",)


def test_a_macro_without_a_semicolon_that_breaks_the_parse() -> None:
    first, second = body("RETURN_VECTOR(size_t, result)\n  g();")
    assert isinstance(first, r.Evaluate)
    assert isinstance(first.value, r.Call)
    assert (text(first.value.callee), first.value.kind) == ("RETURN_VECTOR", "macro")
    assert isinstance(first.value.args[0], r.OpaqueValue)
    assert first.value.args[0].names == ("result", "size_t")
    assert isinstance(second, r.Evaluate)


def test_a_macro_around_statements_becomes_a_block() -> None:
    macro, block = body("RETRY(\n  a b{c}; return f(x);\n);")[:2]
    assert isinstance(macro, r.Evaluate)
    assert text(macro.value) == "RETRY()"
    assert isinstance(block, r.Block)
    assert isinstance(block.body[1], r.Leave)


def test_a_macro_that_looks_like_a_declaration_is_opaque() -> None:
    """A known gap: `a < b, c > d` is a template to a parser that knows no names."""
    assert isinstance(body("EXPECT(a < b, c > d);")[0], r.Opaque)


def test_a_macro_with_a_block_leaves_the_rest_alone() -> None:
    file = facts("void f() { FOR_EACH(x, y) { g(); } MACRO({ h(); }); rest(); }\nvoid next() {}")
    assert [f.name for f in file.functions] == ["f", "next"]
    assert {"g", "rest", "FOR_EACH"} <= set(file.functions[0].mentions)


@pytest.mark.parametrize("before", ["CHECK_GIVEN(out)", "*out = 1;", "if (!out) return;"])
def test_a_macro_on_the_line_before_a_write_is_no_type(before: str) -> None:
    statements = body(f"{before}\n  DEVICE_MUTEX\n  *out = g();\n  return;")
    assert "*out = g()" in [text(s.value) for s in statements if isinstance(s, r.Evaluate)]


def test_a_type_before_a_pointer_declares_it() -> None:
    assert [s.names for s in body("WORD *out = g();") if isinstance(s, r.Declare)] == [("out",)]


def test_a_macro_without_a_semicolon_is_a_statement() -> None:
    statements = body("Py_BEGIN_ALLOW_THREADS\n  g();\n  Py_END_ALLOW_THREADS\n  h();")
    assert [text(s.value) for s in statements if isinstance(s, r.Evaluate)] == [
        "Py_BEGIN_ALLOW_THREADS()", "g()", "Py_END_ALLOW_THREADS()", "h()"
    ]  # fmt: skip


@pytest.mark.parametrize("macro", ["lib_RELEASE", "begin_all"])
def test_a_macro_in_small_letters_alone_on_its_line_is_a_statement(macro: str) -> None:
    """By its name, or since the file defines it as statements."""
    defined = "#define begin_all { int saved = 0; }\n"
    found = facts(f"{defined}void f(T *self) {{\n  {macro}\n  {macro} // twice\n  drop(self);\n  return;\n}}\n")
    calls = [s for s in r.decode_body(found.functions[-1]) if isinstance(s, r.Evaluate)]
    assert [text(s.value) for s in calls] == [f"{macro}()", f"{macro}()", "drop(self)"]


def test_a_type_alone_on_the_line_before_a_function_stays_one() -> None:
    (found,) = facts("int x;\nlib_RESULT\nf(int n) {\n  return n;\n}\n").functions
    assert (found.name, found.result) == ("f", "lib_RESULT")


@pytest.mark.parametrize("declared", ["state = take();", "*state = take();", "state;", "state{1};"])
def test_a_type_alone_on_the_line_before_a_variable_stays_one(declared: str) -> None:
    statements = body(f"g();\n  Lock_STATE // of the lock\n  {declared}\n  h();")
    assert [s.names for s in statements if isinstance(s, r.Declare)] == [("state",)]


@pytest.mark.parametrize(
    "source",
    [
        "FOO_NAMESPACE_BEGIN\nvoid f() {}\nFOO_NAMESPACE_END\n",
        "DEFINE_THING(x)\nvoid f() {}\n",
        "OPERATOR(+)\nvoid f() {}\n",
        "FOO_API void f() {}\n",
        "static FOO_INLINE std::vector<int> f() {}\n",
        "namespace x FOO_ATTR { void f() {} }\n",
        "void f() FOO_NOEXCEPT {}\n",
        "__attribute__((noinline)) void f() {}\n",
        "class FOO_API A { void f() {} };\n",
        "struct A { PYBIND11_CASTER(T, _(\"a[\") + _(\", \")); void f() {} };\n",
        "FLAG(size_t, n, 100, \"a\");\nvoid f() {}\n",
        'extern "C" { void f() {} }\n',
        "#ifdef __cplusplus\nextern \"C\" {\n#endif\nvoid f() {}\n#ifdef __cplusplus\n}\n#endif\n",
    ],
)  # fmt: skip
def test_a_macro_does_not_hide_the_function_behind_it(source: str) -> None:
    found = function(source)
    assert found.defined
    assert not facts(source).problems


@pytest.mark.parametrize(
    ("condition", "read"),
    [
        ("#if PY_MAJOR_VERSION < 3", ["new"]),
        ("#if PY_MAJOR_VERSION >= 3", ["old"]),
        ("#if PY_MAJOR_VERSION == 2", ["new"]),
        ("#if !defined(WITH_THREAD)", ["new"]),
        ("#if PY_VERSION_HEX < 0x03000000", ["new"]),
        ("#if PY_VERSION_HEX >= 0x03070000", ["old"]),
        ("#if PY_VERSION_HEX >= 0x030C0000", ["old", "new"]),
        ("#if PY_VERSION_HEX != 0x030C0000", ["old", "new"]),
        ("#if VERSION < 3", ["old", "new"]),
    ],
)
def test_sides_that_no_python_of_today_builds_are_not_read(condition: str, read: list[str]) -> None:
    source = f"void f() {{\n{condition}\n  old();\n#else\n  new_();\n#endif\n}}\n"
    body = str(r.decode_body(facts(source).functions[0]))
    assert [name for name in ("old", "new") if f"'{name}" in body] == read


@pytest.mark.parametrize(
    "source",
    [
        "py::tuple C::f(py::object p)\n{\n  TAKE(goal)\n}\n",
        "const std::string& f(int n) { LOOK_UP(n) }\n",
        "struct C { py::object f(int n) const override { TAKE(n) } };\n",
    ],
)
def test_a_macro_that_is_a_whole_body(source: str) -> None:
    """Without a semicolon it looks like what a variable is made of."""
    file = facts(source)
    assert [one.name for one in file.functions] == ["f"]
    assert not file.variables
    (statement,) = r.decode_body(file.functions[0])
    assert isinstance(statement, r.Evaluate)
    assert isinstance(statement.value, r.Call)
    assert statement.value.kind == "macro"


@pytest.mark.parametrize(
    "inside", ["if (n) { FREE(n) }", "if (!n) { g(); }\n  else { FREE(n) }", "do { FREE(n) } while (n);"]
)
def test_a_macro_that_is_a_whole_block(inside: str) -> None:
    file = facts(f"void f(int n) {{\n  {inside}\n}}\nint xs[] = {{ SIZE(int) }};\n")
    assert [one.name for one in file.variables] == ["xs"]
    (statement,) = r.decode_body(file.functions[0])
    assert isinstance(statement, r.Branch | r.Loop)
    block = statement.body if isinstance(statement, r.Loop) else statement.other or statement.then
    assert isinstance(call := block[0], r.Evaluate)
    assert isinstance(call.value, r.Call)
    assert text(call.value.callee) == "FREE"


@pytest.mark.parametrize(
    "broken",
    [
        "#if A\n  if (x) {\n    g();\n#else\n  {\n#endif\n  h();\n  }\n",
        "  each(^(int i) {\n    if (i) { g();\n  }\n",
        "  OPEN_BLOCK {\n  g();\n  CLOSE_BLOCK\n",
    ],
)
def test_a_function_behind_a_body_that_did_not_end(broken: str) -> None:
    """It is no call of a macro with a block behind it."""
    file = facts(
        f"void f(int x) {{\n{broken}}}\nabsl::Status C::Close(Context* cc) {{\n  rest();\n  return Ok();\n}}\n"
    )
    said = {one.name: one for one in file.functions}
    assert (said["Close"].owner, said["Close"].result, said["Close"].parent) == ("C", "absl::Status", -1)
    assert "Close" not in said["f"].mentions


@pytest.mark.parametrize("macro", ['REPORT_ERRORS("serialize")', "CATCH_AND_LOG(this, name())", "CATCH_CASTS(int)"])
def test_a_macro_that_is_the_handlers(macro: str) -> None:
    first, second = facts(
        f"struct C {{ void f() {{ try {{ T x = g(); if (x) {{ h(); }} }} {macro}\n }}\n"
        f"int rest() {{ try {{ return 1; }}\n  {macro}\n  return 0; }} }};"
    ).functions
    (tried,) = r.decode_body(first)
    assert isinstance(tried, r.Try)
    assert [len(handler.body) for handler in tried.handlers] == [1]
    assert second.name == "rest"
    assert [type(one) for one in r.decode_body(second)] == [r.Try, r.Leave]


# --- annotations ---


def test_annotations_belong_to_what_they_stand_at() -> None:
    file = facts(
        "class MY_EXPORT C {\n"
        "  int a GUARDED_BY(mu_) = 3;\n"
        "  int b;\n"
        "  FOO_API void f(int x MY_EXPORTED, int y) LOCKS_REQUIRED(mu_) { auto l = [&]() LOCKS_REQUIRED(m) {}; }\n"
        "  [[nodiscard]] int g();\n"
        "};\n"
        "int v GUARDED_BY(mu);\n"
    )
    (c,) = file.classes
    assert [a.name for a in c.annotations] == ["MY_EXPORT"]
    assert [[(a.name, a.arguments) for a in f.annotations] for f in c.fields] == [[("GUARDED_BY", "mu_")], []]
    f, inner, g = file.functions
    assert [(a.name, a.arguments) for a in f.annotations] == [("FOO_API", ""), ("LOCKS_REQUIRED", "mu_")]
    assert [[a.name for a in p.annotations] for p in f.parameters] == [["MY_EXPORTED"], []]
    assert [a.arguments for a in inner.annotations] == ["m"]
    assert [a.name for a in g.annotations] == ["nodiscard"]
    assert [a.name for a in file.variables[0].annotations] == ["GUARDED_BY"]


# --- conditionals ---


def test_where_the_preprocessor_decides() -> None:
    source = "#ifndef H\n#define H\nint f() {\n#if A\n  return 1;\n#else\n  return 2;\n#endif\n}\n#endif\n"
    offsets = facts(source).conditional
    inner, outer = [source[start:end] for start, end in zip(offsets[::2], offsets[1::2], strict=True)]
    assert inner.startswith("#if A")
    assert inner.rstrip().endswith("#endif")
    assert outer.startswith("#ifndef H")
    assert facts("int f();\n").conditional == ()


def test_both_sides_of_a_clean_conditional_are_read() -> None:
    file = facts("#if A\nvoid f() {}\n#else\nvoid g() {}\n#endif\n")
    assert [f.name for f in file.functions] == ["f", "g"]
    file = facts("WARN_ON_()\n#if A\nvoid f();\n#else\nvoid f() {}\n#endif\nWARN_OFF_()\nvoid h() {}\n")
    assert [(f.name, f.defined) for f in file.functions] == [("f", False), ("f", True), ("h", True)]


@pytest.mark.parametrize(
    ("source", "called"),
    [
        ("#ifdef A\n  if (x) {\n#else\n  if (y) {\n#endif\n  g();\n}\n", ["g"]),
        ("g(\n#ifdef A\n  a()\n#else\n  b()\n#endif\n);\n", ["a", "g"]),
        ("#if 0\n  a();\n#else\n  b();\n#endif\n", ["b"]),
        ("#if 0 && B > 1\n  a();\n#else\n  b();\n#endif\n", ["b"]),
        ("#if defined(B) && (0x00)\n  a();\n#elif !(0 || (1 && 0))\n  b();\n#else\n  c();\n#endif\n", ["b"]),
        ("#if B || 1\n  a();\n#else\n  b();\n#endif\n", ["a"]),
        ("#if B || 0\n  a();\n#endif\n#if (B && 1) == 0\n  b();\n#endif\n#if 0 ? B : 1\n  c();\n#endif\n", [*"abc"]),
        ("#define ON 1\n#if B && !ON\n  a();\n#endif\n#if B(1 || 0) && ON\n  b();\n#endif\n", ["b"]),
        ("#ifdef NDEBUG\n  a(\n#else\n  b(\n#endif\n  1);\n", ["b"]),
        ("#ifdef A\n  a();\n#else\n  b();\n#endif\n", ["a", "b"]),
        ("#ifdef A\n  *p = a();\n#else\n  ++i;\n  b();\n#endif\n", ["=i", "=p", "a", "b"]),
        ("#ifdef A\n  a();\n#elif B\n  b();\n#else\n  c();\n#endif\n", ["a", "b", "c"]),
        ("#if B(2)\n  a();\n#else\n  b();\n#endif\n#if B(1)\n  c();\n#else\n  d();\n#endif\n", ["a", "c"]),
        ("#ifdef A\n  a();\n#else\n  b();\n#endif\n#ifndef A\n  c();\n#else\n  d();\n#endif\n", ["a", "d"]),
        ("#ifdef A\n  a();\n#else\n  b();\n#endif\n#ifdef A\n  c();\n#endif\n", ["a", "c"]),
        ("#ifdef A\n  a();\n#endif\n  b();\n", ["a", "b"]),
    ],
)
def test_a_conditional_in_a_body(source: str, called: list[str]) -> None:
    file = facts("void f() {\n" + source + "}\nvoid after() {}\n")
    assert [f.name for f in file.functions] == ["f", "after"]
    assert list(file.functions[0].mentions) == called


def test_a_conditional_that_splits_a_header() -> None:
    file = facts("#ifdef A\nvoid f(int x) {\n#else\nvoid f(long x) {\n#endif\n  g();\n}\nvoid h() {}\n")
    assert [f.name for f in file.functions] == ["f", "h"]


# --- classes ---


def test_a_class() -> None:
    file = facts("""
namespace a { inline namespace v1 { namespace {
template <typename T>
class B final : public virtual X<int>, private ns::Y {
 public:
  explicit B(int x);
  ~B() = default;
  virtual void f() const override = 0;
  operator bool() const;
  B& operator=(B&&) = delete;
 private:
  // the answer
  int count_ = 3;
  std::mutex mu_;  // guards count_
  static constexpr int kSize = 1;
  int bits : 3, more : 4;
  void (*callback_)(int);
  friend class Z;
  enum class E { kOne, kTwo = 2 };
  struct Inner { int z; };
};
} } }
""")
    assert [(c.name, c.scope, c.kind) for c in file.classes] == [
        ("B", "a::v1", "class"), ("E", "a::v1::B", "enum class"), ("Inner", "a::v1::B", "struct")
    ]  # fmt: skip
    b = file.classes[0]
    assert (b.template, b.destructor) == ("typename T", "defaulted")
    assert [(base.name, base.access, base.virtual) for base in b.bases] == [
        ("X", "public", True), ("ns::Y", "private", False)
    ]  # fmt: skip
    assert [(f.name, f.type, f.static, f.comment) for f in b.fields] == [
        ("count_", "int", False, "the answer"),
        ("mu_", "std::mutex", False, "guards count_"),
        ("kSize", "int", True, ""),
        ("bits", "int", False, ""),
        ("more", "int", False, ""),
        ("callback_", "void(*)", False, ""),
    ]
    assert {f.access for f in b.fields} == {"private"}
    assert [(f.name, f.kind, f.qualifiers, f.defined) for f in file.functions] == [
        ("B", "constructor", ("explicit",), False),
        ("~B", "destructor", ("default",), True),
        ("f", "method", ("const", "override", "pure", "virtual"), False),
        ("operator bool", "conversion", ("const",), False),
        ("operator=", "method", ("delete",), False),
    ]
    assert {f.owner for f in file.functions} == {"a::v1::B"}


def test_functions_outside_their_class() -> None:
    file = facts("""
namespace n {
A::A(int x) : Base<int>(x), a_{x} {}
A::~A() { g(); }
A::operator bool() const { return true; }
template <> void Foo<int>::bar<3>() const&& {}
auto free() -> std::vector<int> {}
T* A::B::c(int x = 3, ...) noexcept {}
bool operator==(A const& a, B) {}
}
""")
    shown = [(f.name, f.scope, f.owner, f.kind, f.result) for f in file.functions]
    assert shown == [
        ("A", "n::A", "A", "constructor", ""),
        ("~A", "n::A", "A", "destructor", ""),
        ("operator bool", "n::A", "A", "conversion", ""),
        ("bar", "n::Foo", "Foo", "method", "void"),
        ("free", "n", "", "function", "std::vector<int>"),
        ("c", "n::A::B", "A::B", "method", "T*"),
        ("operator==", "n", "", "function", "bool"),
    ]
    assert [(i.name, [text(a) for a in i.args]) for i in file.functions[0].initializers] == [
        ("Base", ["x"]), ("a_", ["x"])
    ]  # fmt: skip
    c = file.functions[5]
    assert [(p.name, p.type, p.default and text(p.default)) for p in c.parameters] == [
        ("x", "int", "3"), ("", "...", None)
    ]  # fmt: skip
    assert c.qualifiers == ("noexcept",)


def test_a_class_in_a_function_belongs_to_it() -> None:
    file = facts("void f() { struct L { int x; void g() { h(); } }; }")
    assert file.classes[0].parent == 0
    assert [(f.name, f.parent) for f in file.functions] == [("f", -1), ("g", 0)]


def test_variables_aliases_macros_and_includes() -> None:
    file = facts("""
#include <vector>
#include "a/b.h"
#define TWO(x, ...) do { x; \\
  x; } while (0)
#define ONE 1
namespace n {
static const char* const kNames[] = {"a"};
int A::count = 3;
using V = std::vector<int>;
typedef struct { int x; } S;
namespace fs = std::filesystem;
using namespace std;
using std::string;
}
""")
    assert [(i.name, i.target) for i in file.imports] == [("<", "vector"), ('"', "a/b.h")]
    assert [(m.name, m.parameters, m.body) for m in file.macros] == [
        ("TWO", ("x", "..."), "do { x; x; } while (0)"),
        ("ONE", None, "1"),
    ]
    assert [(v.name, v.scope, v.type, v.static) for v in file.variables] == [
        ("kNames", "n", "const char* const[]", True),
        ("count", "n::A", "int", False),
    ]
    assert [(a.name, a.target, a.kind) for a in file.aliases] == [
        ("V", "std::vector<int>", "type"),
        ("fs", "std::filesystem", "namespace"),
        ("", "std", "open"),
        ("string", "std::string", "using"),
    ]
    assert file.classes[0].name == "S"


# --- what a body mentions ---


def test_mentions() -> None:
    assert function("void f() { a::b(c.d()); x_ = 1; this->y = 2; m[k] = v; n++; T t(u); }").mentions == (
        "=m", "=n", "=x_", "=y", "T", "b", "d"
    )  # fmt: skip


def test_opaque() -> None:
    assert function('void f() { asm volatile("x"); }').opaque
    assert function("void f() { a b c d; }").opaque
    assert not function("void f(int x = {}) { g(); }").opaque


# --- positions, encodings ---


@pytest.mark.parametrize("prefix", [b"", b"\xef\xbb\xbf", b"// \xff\xfe\r\n", "// größer\n".encode()])
@pytest.mark.parametrize("newline", [b"\n", b"\r\n"])
def test_offsets_are_those_of_the_file(prefix: bytes, newline: bytes) -> None:
    data = prefix + newline.join(
        [b"#define A(x) \\", b"  x", b"int g GUARDED_BY(m);", b"void target() { s = 1; }", b""]
    )
    found = read("a.cc", data, VOCABULARY).functions[0]
    assert data[found.start : found.end] == b"void target() { s = 1; }"
    assert data[found.name_start :].startswith(b"target")


@pytest.mark.parametrize("newline", [b"\n", b"\r\n"])
def test_a_string_goes_on_in_the_next_line(newline: bytes) -> None:
    data = newline.join(
        [b'void one() { put(L"[string] \\', b"$balloon = 'a' ; \\", b'"); }', b"void two() { s = 1; }", b""]
    )
    file = read("a.c", data, VOCABULARY)
    assert [data[one.start : one.end][:10] for one in file.functions] == [b"void one()", b"void two()"]
    assert not any(one.opaque for one in file.functions)


def test_text_is_decoded_whatever_it_is() -> None:
    (statement,) = r.decode_body(read("a.cc", b'void f() { g("\xff\xc3\xa9"); }', Vocabulary()).functions[0])
    assert isinstance(statement, r.Evaluate)
    assert text(statement.value) == 'g("\ufffdé")'


@pytest.mark.parametrize("data", [b"", b"\xef\xbb\xbf", b"\n", b"void f() { g\0(); }"])
def test_odd_files_are_read(data: bytes) -> None:
    assert not [p for p in read("a.cc", data, Vocabulary()).problems if p.kind == "unread"]


@pytest.mark.parametrize(
    ("data", "kind"),
    [
        (b"\0" * 100, "unread"),
        ("void f() {}".encode("utf-16"), "unread"),
        (b" " * (MAX_SIZE + 1), "limit"),
    ],
)
def test_what_is_no_source_is_a_problem(data: bytes, kind: str) -> None:
    file = read("a.cc", data, Vocabulary())
    assert [p.kind for p in file.problems] == [kind]
    assert not file.functions


@pytest.mark.parametrize(
    ("macro", "defined"),
    [
        ("LmdbObject_HEAD", ""),
        ("Py_LIMITED_HEAD", ""),
        ("OBJECT_HEAD", ""),
        ("object_head", "#define object_head struct object *next; int valid;\n"),
    ],
)
@pytest.mark.parametrize("members", ["", "int n;\n"])
def test_a_macro_that_opens_a_class_stands_for_members(macro: str, defined: str, members: str) -> None:
    source = f"{defined}struct S {{\n  {macro}  /* all of them */\n{members}}};\nint f(void) {{ return 1; }}\n"
    file = facts(source)
    assert lost(source.encode(), Vocabulary()) == 0
    assert [(one.name, len(one.fields)) for one in file.classes] == [("S", 1 if members else 0)]
    assert [one.name for one in file.functions] == ["f"]


@pytest.mark.parametrize("access", ["public:", "private :", "protected:  // as the library says"])
def test_a_macro_that_closes_a_class_behind_an_access_specifier_stands_for_members(access: str) -> None:
    one = f"class S%d : public Base {{\n  int n;\n  {access}\n  EIGEN_MAKE_ALIGNED_OPERATOR_NEW\n}};\n"
    source = "".join(one % number for number in range(6))
    file = facts(source)
    assert lost(source.encode(), Vocabulary()) == 0
    assert [(one.name, len(one.fields)) for one in file.classes] == [(f"S{number}", 1) for number in range(6)]


def test_a_word_behind_another_colon_is_kept() -> None:
    assert "B" in str(facts("int n[] = {c ? A : B\n};"))


def test_a_macro_that_is_all_of_a_class_stands_for_its_members() -> None:
    source = "namespace a {\ntemplate <int N> struct S<char[N]> { OBJECT_TEXT };\nint f() { return 1; }\n}\n"
    assert lost(source.encode(), Vocabulary()) == 0
    assert [(one.scope, one.name) for one in facts(source).functions] == [("a", "f")]


def test_an_enumerator_that_opens_an_enum_is_none() -> None:
    assert "Color_RED" in str(facts("enum class Color {\n  Color_RED\n};\n"))
    assert "Color_RED" in str(facts("enum class Color : int { Color_RED };\n"))


def test_of_a_gap_counts_what_yielded_nothing() -> None:
    """The grammar gives up at the start, and all functions behind it are read."""
    data = "struct S {\n  some thing else [[;\n" + "int f(int n) { return n; }\n" * 50
    file = facts(data)
    assert len(file.functions) == 50
    assert file.problems == ()


def test_a_ruined_file_says_so() -> None:
    assert [p.kind for p in facts("%%%% ((( ]]] @@@ ;;; )( ][ }{ }{ == == <<\n" * 20).problems] == ["partial"]
    assert not facts("void f() { a b c; }\n" + "void g() { h(1, 2, 3); }\n" * 9).problems


# --- depth ---


@pytest.mark.parametrize(
    "source",
    [
        "void f() { x = " + "(" * 20000 + "1" + ")" * 20000 + "; }",
        "void f() " + "{" * 20000 + "}" * 20000,
        "void f() { if (a) b(); " + "else if (a) b(); " * 20000 + "}",
        "void f() { x = " + "!" * 20000 + "a; }",
        "void f() { x = " + "a ? b : " * 20000 + "c; }",
        "void f() { x = " + "[]{ return " * 500 + "1" + "; }" * 500 + "; }",
        "struct a {" * 2000 + "};" * 2000,
        "#if A\n#else\n" * 2000 + "#endif\n" * 2000,
        "void f() { a" + "->b" * 20000 + "; }",
        "A<" * 2000,
        "(" * 20000,
        "FOO(auto x, " * 2000,
    ],
)  # fmt: skip
def test_nesting_has_no_bottom_but_the_records_have(source: str) -> None:
    file = facts(source)
    assert r.decode_file(r.encode_file(file)) == file
    for each in file.functions:
        r.decode_body(each)


def test_a_long_sum_keeps_its_operands_in_order() -> None:
    (statement,) = body("x = " + " + ".join(f"a{i}" for i in range(3000)) + ";")
    assert isinstance(statement, r.Evaluate)
    assert isinstance(statement.value, r.Assign)
    names: list[str] = []
    stack: list[r.Value] = [statement.value.value]
    while stack:
        match stack.pop():
            case r.Binary(left=left, right=right):
                stack += [right, left]
            case r.Name(text=name):
                names.append(name)
    assert names == [f"a{i}" for i in range(3000)]


def test_a_long_chain_keeps_all_its_links() -> None:
    statements = body("auto c = m" + "".join(f'.def("{i}", [] {{}})' for i in range(1000)) + ";")
    assert isinstance(statements[-1], r.Declare)
    found: list[str] = []
    for statement in statements:
        assert isinstance(statement, r.Evaluate | r.Declare)
        piece: list[str] = []
        link = statement.value
        while isinstance(link, r.Call):
            piece.append(text(link.args[0]).strip('"'))
            assert isinstance(link.callee, r.Member)
            link = link.callee.base
        assert isinstance(link, r.Name)
        assert link.text == ("<chain>" if found else "m")
        found += reversed(piece)
    assert found == [str(i) for i in range(1000)]


# --- suppressions ---


@pytest.mark.parametrize(
    ("source", "kind", "rules", "reason", "bad"),
    [
        ("int x;  // ownlint: ignore[rule-a, rule-b]: because", "line", ("rule-a", "rule-b"), "because", False),
        ("  // ownlint: ignore[rule-a]", "next", ("rule-a",), "", False),
        ("int x;  // ownlint: ignore-next[rule-a]", "next", ("rule-a",), "", False),
        ("/* ownlint: file-ignore[rule-a]: all\n of it */", "file", ("rule-a",), "all of it", False),
        ("// ownlint: begin-ignore[rule-a]: x", "begin", ("rule-a",), "x", False),
        ("// ownlint: end-ignore[rule-a]", "end", ("rule-a",), "", False),
        ("// ownlint: ignore", "next", (), "", True),
        ("// ownlint: ignore[]", "next", (), "", True),
        ("// ownlint: ignore[Rule A]", "next", (), "", True),
        ("// ownlint: forget[rule-a]", "next", (), "", True),
    ],
)
def test_suppressions(source: str, kind: str, rules: tuple[str, ...], reason: str, bad: bool) -> None:
    (found,) = facts(source + "\n").suppressions
    assert (found.kind, found.rules, found.reason, bool(found.problem)) == (kind, rules, reason, bad)


def test_prose_and_strings_suppress_nothing() -> None:
    assert not facts('// see ownlint: ignore[x]\nauto s = "// ownlint: ignore[x]";\n').suppressions


def test_reading_twice_says_the_same() -> None:
    source = "struct A { int x GUARDED_BY(m); }; void f() { g([=] { h(); }); }"
    assert r.encode_file(facts(source)) == r.encode_file(facts(source))
    assert msgspec.json.decode(r.encode_file(facts(source)))["language"] == "cpp"


@pytest.mark.parametrize(
    "written",
    [
        "int n_ HELD_BY(mu_) = 0;",
        "std::map<int, Part> n_ HELD_BY(mu_);",
        "Part* n_ HELD_BY(mu_);",
        "Part *n_ HELD_BY(mu_){};",
        "int n_[4] HELD_BY(mu_);",
        "int n_ HELD_BY(mu_) QUICK(2);",
        "int n_ __attribute__((held_by(mu_)));",
    ],
)
def test_an_unknown_macro_stands_where_an_attribute_would(written: str) -> None:
    file = facts(f"class A {{ {written} int m_; }};")
    (cls,) = file.classes
    assert [field.name for field in cls.fields] == ["n_", "m_"]
    said = [(one.name.lower(), one.arguments) for one in cls.fields[0].annotations]
    assert ("held_by", "mu_") in said


@pytest.mark.parametrize(
    "written",
    [
        "Part MAKE_IT(int n);",
        "static Part MAKE_IT(int n);",
        "unsigned MAKE_IT(int n);",
        "template <class T> void MAKE_IT(T n);",
        "template <class T> Part MAKE_IT(T n);",
        "PART_API Part MAKE_IT(int n);",
    ],
)
def test_a_function_may_have_a_name_in_capitals(written: str) -> None:
    assert [function.name for function in facts(f"struct A {{ {written} }};").functions] == ["MAKE_IT"]


def test_a_macro_stands_between_a_star_and_the_name() -> None:
    f = function("int f(Span* absl_nonnull span, const int* MY_RESTRICT xs, int n) { return n * sizeof n and xs; }")
    assert [(p.name, p.type) for p in f.parameters] == [("span", "Span*"), ("xs", "const int*"), ("n", "int")]


def test_an_unknown_macro_stands_behind_the_parameters() -> None:
    file = facts("struct A { void f() NEEDS(mu_); int g(int x) const NEEDS(mu_); void h() { if (x) CALL_IT(y); } };")
    said = {one.name: [each.name for each in one.annotations] for one in file.functions}
    assert said == {"f": ["NEEDS"], "g": ["NEEDS"], "h": []}
    assert "CALL_IT" in str(r.decode_body(file.functions[2]))


def test_a_macro_among_the_members_says_something_about_the_class() -> None:
    source = "class A {\n  A();\n  NO_COPIES(A);\n  Q_DISABLE(A)\n  int x_;\n};\n"
    (cls,) = facts(source).classes
    assert [(mark.name, mark.arguments) for mark in cls.annotations] == [("NO_COPIES", "A"), ("Q_DISABLE", "A")]
    assert [field.name for field in cls.fields] == ["x_"]


@pytest.mark.parametrize(
    ("written", "plain"),
    [
        ("{ g(); }", "g();"),
        ("do { g(); return; } while (0);", "g(); return;"),
        ("if (true) { { g(); } h(); }", "g(); h();"),
    ],
)
def test_a_block_that_declares_nothing_is_its_statements(written: str, plain: str) -> None:
    kinds = [
        [show(s) for s in r.decode_body(read("a.cc", b"void f() { %b }" % one.encode(), Vocabulary()).functions[0])]
        for one in (written, plain)
    ]
    assert kinds[0] == kinds[1]


@pytest.mark.parametrize("inside", ["int n = g();", "SCOPED_LOCK(mu);", "std::lock_guard<std::mutex>{mu};"])
def test_a_block_in_which_something_ends_stays(inside: str) -> None:
    data = b"void f() { { %b } h(); }" % inside.encode()
    first, _ = r.decode_body(read("a.cc", data, Vocabulary()).functions[0])
    assert isinstance(first, r.Block)


def show(statement: r.Statement) -> str:
    return text(statement.value) if isinstance(statement, r.Evaluate) else type(statement).__name__


def test_each_alias_of_a_namespace_has_its_usual_name() -> None:
    """Of thousands, too: the file is gone through once."""
    spaces = Vocabulary(
        frameworks=(Framework("one", ("p", "pybind11"), (), {}), Framework("two", ("n", "nanobind"), (), {}))
    )
    many = "".join(f"namespace alias{n} = {'pybind11' if n % 2 else 'nanobind'};\n" for n in range(4000))
    file = read("a.cc", f"{many}void f() {{ alias1::g(); alias2::g(); x::alias1::g(); }}".encode(), spaces)
    assert [show(s) for s in r.decode_body(file.functions[0])] == ["p::g()", "n::g()", "x::alias1::g()"]


def test_hundreds_of_spaced_operators_are_joined() -> None:
    file = read("a.cc", b"struct S {\n" + b"int operator ( ) (int) { return 1; }\n" * 400 + b"};", Vocabulary())
    assert {function.name for function in file.functions} == {"operator()"}


def test_what_stood_in_a_dropped_side_is_forgotten() -> None:
    data = b"#if 0\n#define A 1\n#if B\n#define C 1\n#endif\n#endif\n" * 4000 + b"#define D 1\n"
    assert [macro.name for macro in read("a.cc", data, Vocabulary()).macros] == ["D"]


@pytest.mark.parametrize(
    ("declared", "cleanup"),
    [
        ("__attribute__((cleanup(close_it))) int* a = open_it();", "close_it"),
        ("int* a __attribute__((__cleanup__(free_it)));", "free_it"),
        ("[[gnu::cleanup(drop_it)]] int* a = open_it();", "drop_it"),
        ("g_autoptr(Dir) a = NULL;", "g_autoptr"),
        ("__attribute__((unused)) int* a = open_it();", ""),
        ("auto a = [] { __attribute__((cleanup(close_it))) int* inner = open_it(); };", ""),
    ],
)
def test_a_cleanup_attribute_belongs_to_the_local_that_it_stands_at(declared: str, cleanup: str) -> None:
    (found,) = (one for one in body(declared) if isinstance(one, r.Declare))
    assert found.cleanup == cleanup


# --- the same in other words ---


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("T* p; p = f();", ["p = f()"]),
        ("T* p; int n; n = g(); p = f(n);", ["n", "n = g()", "p = f(n)"]),
        ("T *p, *q; q = f(); p = q;", ["q = f()", "p = q"]),
        ("T* line; line = a.line;", ["line = a.line"]),
        ("T* p; use(&p); p = f();", ["p", "use(&p)", "=p"]),
        ("T* p; p = g(p);", ["p", "=p"]),
        ("T* p; if (c) p = f();", ["p", "if", "=p"]),
        ("static T* p; p = f();", ["p", "=p"]),
        ("T x; x = f();", ["x", "=x"]),
    ],
)
def test_a_pointer_begins_with_its_first_value(source: str, expected: list[str]) -> None:
    read_ = function("void f() { " + source + " }")
    found = []
    for statement in r.decode_body(read_):
        match statement:
            case r.Declare(names=(name,), value=None):
                found.append(name)
            case r.Declare(names=(name,), value=given) if given is not None:
                found.append(f"{name} = {text(given)}")
            case r.Evaluate(value=r.Assign(target=target)) if text(target) != "n":
                pass
            case r.Evaluate(value=shown):
                found.append(text(shown))
            case r.Branch():
                found.append("if")
    found += [word for word in read_.mentions if word.startswith("=") and word != "=n"]
    assert found == expected


def test_the_mention_of_an_assignment_stays_for_another_one() -> None:
    source = "void f() { T* p; p = g(); p = h(); }  void other() { T* p; p = g(); }"
    assert "=p" in function(source).mentions
    assert "=p" not in function(source, "other").mentions


@pytest.mark.parametrize("word", ["thread_local", "static thread_local", "thread_local static", "static  __thread"])
def test_what_each_thread_has_is_said(word: str) -> None:
    (declare,) = body(f"{word} T* p = nullptr;")
    assert isinstance(declare, r.Declare)
    assert (declare.static, declare.thread_local) == (True, True)
    (variable,) = facts(f"{word} T* p = nullptr;").variables
    assert variable.thread_local
    assert not facts("static T* p = nullptr;").variables[0].thread_local


@pytest.mark.parametrize("source", ["delete[] (p);", "delete [ ] (p);", "delete[](p), q();"])
def test_an_array_in_parentheses_is_deleted(source: str) -> None:
    file = facts("void f(T* p) { " + source + " }")
    assert not file.problems
    assert "delete" in file.functions[0].mentions


@pytest.mark.parametrize("type_", ["T*[n]", "a::T * [n]", "V<T*>**[n]()", "struct T*[n]"])
def test_an_array_of_pointers_is_made(type_: str) -> None:
    file = facts("void f(int n) { p = new " + type_ + "; q = new (std::nothrow) " + type_ + "; delete[] p; }")
    assert not file.problems
    first, second, _ = r.decode_body(file.functions[0])
    for statement in (first, second):
        assert isinstance(statement, r.Evaluate)
        assert isinstance(statement.value, r.Assign)
        made = statement.value.value
        assert isinstance(made, r.Call)
        assert made.kind == "new"
        assert [text(one) for one in made.args] == ["n"]


@pytest.mark.parametrize("type_", ["int", "void*", "unsigned", "bool", "T *"])
def test_a_type_is_given_to_a_macro(type_: str) -> None:
    file = facts("struct A : B { int f() override { OVERRIDE(" + type_ + ", B, f, ); } };")
    assert not file.problems
    (statement,) = r.decode_body(file.functions[0])
    assert isinstance(statement, r.Evaluate)
    assert text(statement.value) == f"OVERRIDE({type_.strip('* ')}, B, f)"


@pytest.mark.parametrize(
    ("written", "expected"),
    [
        ("const ::std::string&", "const std::string&"),
        ("::std::map<const ::std::string*, ::a::B>", "std::map<const std::string*, a::B>"),
    ],
)
def test_the_root_of_a_name_is_not_said(written: str, expected: str) -> None:
    (parameter,) = function(f"void f({written} x);").parameters
    assert parameter.type == expected


def test_a_constant_pointer_is_made_in_braces() -> None:
    (declare,) = body("T* const p{g()};")
    assert isinstance(declare, r.Declare)
    assert isinstance(declare.value, r.Call)
    assert declare.value.kind == "call"


def test_a_comment_says_that_a_function_throws() -> None:
    file = facts("""
/// @throws Gone if the peer has left
void ping(int n);
void dial(int n);  // throws Busy when the line is in use
void hang_up(int n);
// Never throws.
void calm();
// May throw, but is declared not to.
void pact() noexcept;
// Throws std::out_of_range for a bad number.
int pick(int n);
class Line {
  // Throws Busy
  // when the line is in use.
  virtual void open() = 0;
};
""")
    assert [f.name for f in file.functions if "throws" in f.qualifiers] == ["ping", "dial", "open"]


def test_a_macro_between_an_attribute_and_a_destructor() -> None:
    file = facts("class A {\n  [[noreturn]] LIB_COLD ~A() noexcept(false) { throw 1; }\n};\n")
    assert [(f.name, "noreturn" in [one.name for one in f.annotations]) for f in file.functions] == [("~A", True)]
