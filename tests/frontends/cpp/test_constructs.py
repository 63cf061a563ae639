"""Constructs of C++11 to C++23 and what stands around them: no construct costs more than itself.

Each stands between marks: functions before and behind it, and, in a body, calls before and behind it.
"""

from __future__ import annotations

import pytest

from ownlint.facts import records as r
from ownlint.facts.show import text
from ownlint.facts.vocabulary import Vocabulary
from ownlint.flow.bodies import statements, values
from ownlint.flow.places import calls_in
from ownlint.frontends.cpp.preprocess import prepare
from ownlint.frontends.cpp.structure import lost, read

EXPRESSIONS = {
    # lambdas
    "capture with a braced value": "[cb{std::move(cb)}] { cb(); }",
    "captures with braced values": "[a{1}, b{std::move(x)}, &c{d}, e{}] { return a; }",
    "capture with braces in braces": "[a{T{{1, 2}}}, b = U{3}] { return a; }",
    "subscript with a braced value": "m[Key{1}](2)",
    "capture with a list": "[x = {1, 2}] { return x; }",
    "capture with a braced temporary": "[x = T{1, 2}](int y) mutable { return x; }",
    "capture by reference of a value": "[&x = y.z] { return x; }",
    "pack by value": "[args...] { return f(args...); }",
    "pack by reference": "[&args...] { return f(args...); }",
    "pack that is moved": "[...args = std::move(args)] { return f(args...); }",
    "pack that is braced": "[...args{std::move(args)}] { return f(args...); }",
    "pack that is forwarded by reference": "[&...args = args] { return f(args...); }",
    "capture of this": "[this, *that = this] { return that; }",
    "capture of a copy of this": "[=, *this] { return x; }",
    "default and this": "[=, this] { return x; }",
    "lambda without parameters, mutable": "[x]() mutable noexcept { return x; }",
    "lambda without parentheses, mutable": "[x] mutable { return x; }",
    "lambda without parentheses, noexcept": "[] noexcept { return 1; }",
    "lambda without parentheses, with a result": "[x] -> int { return x; }",
    "lambda that is constexpr": "[](int x) constexpr { return x; }",
    "lambda that is consteval": "[](int x) consteval { return x; }",
    "lambda that is static": "[](int x) static { return x; }",
    "lambda with an explicit object": "[](this auto self, int n) { return n; }",
    "lambda that is a template": "[]<typename T>(T x) { return x; }",
    "lambda with a constrained template": "[]<std::integral T>(T x) { return x; }",
    "lambda with requires": "[]<class T>(T x) requires std::integral<T> { return x; }",
    "lambda with an attribute": "[](int x) __attribute__((always_inline)) { return x; }",
    "lambda with a standard attribute": "[] [[nodiscard]] (int x) { return x; }",
    "lambda that is called at once": "[&] { return 1; }()",
    "lambda as a pointer": "+[](int x) { return x; }",
    "lambda in a lambda": "[f = [](int x) { return x; }] { return f(1); }",
    # literals
    "literal with a suffix": '"c"_doc',
    "literals side by side": '"a" "b" "c"',
    "literals around a macro": '"a" PRIu64 "b"',
    "literal, macro": '"a" PRIu64',
    "macro, literal": 'PREFIX "a"',
    "literals around calls of macros": '"a" MACRO(x) "b" MACRO(y) "c"',
    "literals around calls of macros, with a suffix": '"a" MACRO(x) "b" MACRO(y) "c"_doc',
    "literal with a suffix behind a macro": 'f(NAME "a"_sv, 1)',
    "literals with suffixes side by side": '"a"_sv "b"_sv',
    "wide literal and a macro": 'L"a" MACRO',
    "literal and two macros": '"a" FIRST SECOND "b"',
    "macro in lower case around literals": 'f("a" prefix "b")',
    "two macros side by side": "f(FIRST SECOND, 1)",
    "macro call and literal": 'MACRO(x) "a"',
    "raw literal": 'R"(a "b" )c)"',
    "raw literal with a delimiter": 'R"x(a )" b)x"',
    "raw literals side by side": 'R"(a)" R"(b)"',
    "raw literal with a suffix": 'R"(a)"_json',
    "raw literal with a macro": 'R"(a)" MACRO R"(b)"',
    "prefixed raw literal": 'u8R"(a)"',
    "prefixed raw literal with a suffix": 'LR"(a)"_x',
    "number with a suffix": "12_km + 1.5_s + 0xffull",
    "number with separators": "1'000'000 + 0b1010'1010",
    "hexadecimal floating point": "0x1.8p3",
    "number with size_t suffix": "10uz",
    "character with a suffix": "'a'_c",
    "escape with braces": '"\\u{1F600} \\N{LATIN SMALL LETTER A} \\x{41}"',
    # expressions
    "designated initializers": "T{.a = 1, .b = {2, 3}, .c{4}}",
    "nested designators": "T{.a.b = 1}",
    "array designators": "(int[]){[0] = 1, [2] = 3}",
    "fold over a pack": "(f(args), ...)",
    "fold over an operator": "(... && args)",
    "fold with a first value": "(0 + ... + args)",
    "fold over a comma with braces": "(v.push_back({args}), ...)",
    "spaceship": "(a <=> b) < 0",
    "throw in a conditional": "a ? b : throw E()",
    "co_await": "co_await f(x)",
    "co_await in an argument": "g(co_await f(x))",
    "co_yield as a value": "(co_yield x)",
    "new with placement": "new (p) T{1}",
    "new of an array with values": "new int[]{1, 2, 3}",
    "new that is aligned": "new (std::align_val_t(8)) T(1)",
    "new of a parenthesized type": "new (int (*)(int))",
    "new of a pointer": "new T*[3]",
    "delete in an expression": "(delete p, 1)",
    "call of a template member": "a.template get<1>()",
    "call of a dependent template": "T::template get<1>()",
    "nested templates": "std::map<int, std::vector<std::pair<int, int>>>{}",
    "template with a comparison": "std::enable_if_t<(N > 1), int>{}",
    "template with a shift": "f<(1 >> 2)>()",
    "template with a lambda": "f<[] { return 1; }>()",
    "template with a string": 'f<"a">()',
    "template with a value in braces": "f<T{1}>()",
    "member pointer": "(a.*p)(1) + (b->*q)(2)",
    "cast to a member pointer": "(void (C::*)(int) const) &C::f",
    "static_cast to an overload": "static_cast<void (C::*)(int) const>(&C::f)",
    "cast to a function pointer": "(void (*)(int))f",
    "functional cast with braces": "double{x}",
    "functional cast of unsigned": "unsigned(x) + int(y)",
    "functional cast of unsigned with braces": "(unsigned{1} << n) - 1U",
    "functional casts of unsigned with parentheses": "(unsigned(x[0]) << 18) | (short(x[1]) << 2)",
    "auto as a cast": "auto(x) + auto{y}",
    "decltype as a type": "decltype(x){1}",
    "sizeof of a pack": "sizeof...(args)",
    "alignof": "alignof(T)",
    "noexcept as an operator": "noexcept(f(x))",
    "requires as an expression": "requires { x.f(); }",
    "requires with parameters": "requires(T t) { t.f(); { t.g() } -> C<int>; typename T::type; requires true; }",
    "requires with noexcept": "requires(T t) { { t.f() } noexcept -> C; }",
    "typeid": "typeid(x).name()",
    "operator by name": "a and not b or c bitand d",
    "operator that is called by its name": "operator=(x) , this->operator()(x, y), a.operator+=(x)",
    "statement as an expression": "({ int y = f(); y; })",
    "conditional without a middle": "a ?: b",
    "offsetof": "offsetof(struct T, a.b)",
    "generic of C": "_Generic(x, int: 1, default: 2)",
    "builtin with a type": "__builtin_va_arg(ap, int)",
    "subscript with several indexes": "m[1, 2]",
    "call of an operator": "a.operator[](1) + operator+(a, b)",
    "conversion operator by name": "a.operator bool()",
    "destructor by name": "p->~T()",
    "destructor by qualified name": "p->T::~T()",
    "global scope": "::f(::g::h)",
    "macro with an operator": "APPLY(+, 1, 2)",
    "macro with a type": "CAST(T *, x)",
    "macro with an empty argument": "APPLY(a, , b)",
    "macro with statements": "GUARD({ f(); g(); })",
    "macro with a lambda of two statements": "RUN([&] { f(); g(); })",
    "kernel launch": "k<<<1, 2>>>(x)",
}
"""Stand in `auto v = ...;`."""

STATEMENTS = {
    "structured binding": "auto& [a, b] = f();",
    "structured binding with braces": "auto [a, b]{f()};",
    "structured binding with attributes": "auto [a, b [[maybe_unused]]] = f();",
    "structured binding as a condition": "if (auto [a, b] = f()) { g(); }",
    "structured binding of a pack": "auto [a, ...rest] = f();",
    "if with an initializer": "if (auto x = f(); x > 0) { g(); } else { h(); }",
    "if with an alias": "if (using T = int; true) { g(); }",
    "if constexpr": "if constexpr (std::is_same_v<T, int>) { g(); } else { h(); }",
    "if consteval": "if consteval { g(); } else { h(); }",
    "if not consteval": "if !consteval { g(); }",
    "if that is likely": "if (x) [[likely]] { g(); } else [[unlikely]] { h(); }",
    "switch with an initializer": "switch (int x = f(); x) { case 1: g(); break; default: h(); }",
    "switch with a range": "switch (x) { case 1 ... 3: g(); }",
    "switch with fallthrough": "switch (x) { case 1: g(); [[fallthrough]]; case 2: h(); }",
    "switch with a macro": "switch (x) { case 1: g(); FALLTHROUGH_INTENDED; case 2: h(); }",
    "range for with an initializer": "for (auto v = f(); auto& x : v) g();",
    "range for over braces": "for (int x : {1, 2, 3}) g();",
    "range for with an attribute": "for ([[maybe_unused]] auto& x : v) g();",
    "for without anything": "for (;;) { g(); }",
    "macro loop": "FOR_EACH(x, xs) { g(); }",
    "macro loop in lower case": "foreach (x, xs) { g(); }",
    "macro without a semicolon": "CHECK_ALL(x)\n  g();",
    "macro that opens a block": "BEGIN_ALLOW_THREADS\n  g();\n  END_ALLOW_THREADS",
    "macro with a stream": 'CHECK(x) << "a" << y;',
    "macro as a specifier": "STATIC_THREAD_LOCAL int x = 1;",
    "assign or return": "ASSIGN_OR_RETURN(auto x, f());",
    "assign or return of a binding": "ASSIGN_OR_RETURN((auto [a, b]), f());",
    "static local": "static thread_local const int x = 1;",
    "constinit": "static constinit int x = 1;",
    "attribute on a declaration": "[[maybe_unused]] int x = f();",
    "attribute behind a name": "int x [[maybe_unused]] = f();",
    "attribute with arguments": '[[deprecated("no"), gnu::unused]] int x = f();',
    "attribute with using": "[[using gnu: unused, cold]] int x = f();",
    "attribute assume": "[[assume(x > 0)]];",
    "attribute on a statement": "[[unlikely]] g();",
    "alignas": "alignas(64) char buffer[64];",
    "label and goto": "again: if (f()) goto again;",
    "computed goto": "goto *table[x];",
    "address of a label": "void* p = &&done; done: g();",
    "label at the end": "{ g(); done: }",
    "using declaration": "using std::swap; swap(a, b);",
    "using enum": "using enum Color;",
    "using namespace": "using namespace std::literals;",
    "namespace alias": "namespace fs = std::filesystem;",
    "local class": "struct Local { int x = 1; void f() { g(); } } local;",
    "local enum": "enum { kA, kB = 2 };",
    "static_assert without a text": "static_assert(sizeof(int) == 4);",
    "static_assert with a fold": 'static_assert((std::is_same_v<T, Ts> && ...), "a");',
    "assembly": 'asm volatile("nop" : "=r"(x) : "0"(y) : "memory");',
    "assembly with names": 'asm("mov %[a], %[b]" : [a] "=r"(x) : [b] "r"(y));',
    "try in a function": "try { g(); } catch (const E& e) { h(); } catch (...) { throw; }",
    "pointer to a function": "void (*p)(int, char) = &f;",
    "pointer to a member function": "int (C::*p)(int) const = &C::f;",
    "reference to an array": "int (&a)[3] = f();",
    "pointer to an array": "int (*a)[3] = f();",
    "function that returns a function": "auto (*p)(int) -> int = f;",
    "array of pointers to functions": "void (*table[])(int) = {f, g};",
    "most vexing parse": "T x(f(), g(a));",
    "parenthesized temporary": "std::lock_guard<std::mutex>{mu};",
    "lock without arguments": "std::lock_guard l(mu);",
    "variable of a template": "constexpr auto x = v<int>;",
    "declaration of an unsigned": "unsigned long long x = 1, *y = &x;",
    "const behind the type": "int const* const p = f();",
    "restrict": "int* __restrict__ p = f();",
    "typeof": "__typeof__(x) y = x;",
    "decltype(auto)": "decltype(auto) x = f();",
    "constrained auto": "std::integral auto x = f();",
    "constrained template auto": "Convertible<int> auto x = f();",
    "co_return": "co_return x;",
    "co_yield": "co_yield f(x);",
    "co_yield of braces": "co_yield {1, 2};",
    "for co_await": "for co_await (auto x : f()) g();",
    "return of braces": "if (x) return {1, 2};",
    "return of a conditional brace": "if (x) return T{.a = 1};",
    "designated in a call": "f({.a = 1, .b = 2});",
    "typename in a declaration": "typename T::type x = f();",
    "dependent template in a declaration": "typename T::template rebind<int>::other x;",
    "delete of an array": "delete[] p;",
    "pragma": '_Pragma("omp parallel") g();',
    "pragma between": "g();\n#pragma omp parallel for\n  g();",
    "conditional compilation in a condition": "if (a\n#ifdef X\n      && b\n#endif\n  ) {\n    g();\n  }",
    "conditional compilation around an else": "if (a) {\n    g();\n#ifdef X\n  } else if (b) {\n    h();\n#endif\n  }",
    "conditional compilation with two heads": "#ifdef X\n  if (a) {\n#else\n  if (b) {\n#endif\n    g();\n  }",
    "conditional compilation in arguments": "f(a,\n#if X\n    b\n#else\n    c\n#endif\n  );",
    "block of Objective-C": "run(^{ g(); });",
    "seh": "__try { g(); } __finally { h(); }",
}
"""Stand in a body."""

MEMBERS = {
    "defaulted comparison": "auto operator<=>(const C&) const = default;",
    "deleted with a reason": 'void f() = delete("no");',
    "explicit with a condition": "explicit(sizeof(int) == 4) C(int x);",
    "explicit object parameter": "void f(this C& self, int x) { g(); }",
    "explicit object parameter that is deduced": "template <class Self> auto f(this Self&& self) { return self.x; }",
    "requires behind parameters": "void f() requires std::integral<int> { g(); }",
    "noexcept with a condition": "void f() noexcept(noexcept(g())) { g(); }",
    "reference qualifiers": "int f() && { return 1; } int f() const& { return 2; }",
    "final override": "void f() const override final { g(); }",
    "attribute behind parameters": "void f() [[clang::lifetimebound]] { g(); }",
    "attribute on a parameter": "void f(const T& x [[clang::lifetimebound]]) { g(); }",
    "attribute macro behind parameters": "void f() EXCLUSIVE_LOCKS_REQUIRED(mu_) { g(); }",
    "qualifier macro behind a star": "void f(Span* absl_nonnull s, const int* MY_RESTRICT x) { g(s, a * b, x); }",
    "attribute macro before": "ABSL_MUST_USE_RESULT int f() { return 1; }",
    "attribute macro on a field": "int x GUARDED_BY(mu) = 1;",
    "conversion to a template": "operator std::vector<int>() const { return {}; }",
    "conversion to a pointer": "operator const char*() const { return p; }",
    "conversion to a reference": "explicit operator T&() & { return x; }",
    "conversion to auto": "operator auto() const { return 1; }",
    "conversion to a function pointer": "operator void (*)(int)() const { return p; }",
    "operator call": "int operator()(int x) const { return x; }",
    "static operator call": "static int operator()(int x) { return x; }",
    "operator with several indexes": "int& operator[](int i, int j) { return x; }",
    "operator new": "void* operator new(size_t n) { return g(n); }",
    "operator delete of arrays": "void operator delete[](void* p) noexcept { g(p); }",
    "operator with a comma": "C& operator,(int x) { return *this; }",
    "operator arrow star": "int operator->*(int x) { return x; }",
    "operator co_await": "auto operator co_await() { return g(); }",
    "literal operator": 'friend int operator""_x(const char* s) { return 1; }',
    "literal operator with a blank": 'friend int operator"" _x(unsigned long long s) { return 1; }',
    "constructor with a try": "C() try : x(1) { g(); } catch (...) { h(); }",
    "constructor with packs": "template <class... A> C(A&&... a) : B<A>(std::forward<A>(a))..., x{1} { g(); }",
    "constructor template with a default": "template <class T = int, std::enable_if_t<true, int> = 0> C(T x) {}",
    "inherited constructors": "using B::B;",
    "using of packs": "using Ts::operator()...;",
    "friend template": "template <class T> friend class D;",
    "friend function": "friend void swap(C& a, C& b) noexcept { g(); }",
    "bit field with a value": "int x : 3 = 1;",
    "bit field without a name": "int : 0;",
    "anonymous union": "union { int x; float y; };",
    "anonymous struct with a name": "struct { int x; } inner{1};",
    "static inline": "static inline const std::string x = f({1, 2});",
    "static constexpr array": "static constexpr int xs[] = {1, 2, 3};",
    "field with a lambda": "std::function<void()> f_ = [this] { g(); };",
    "field with a braced lambda": "std::function<void()> f_{[this] { g(); }};",
    "mutable field": "mutable std::mutex mu_;",
    "pointer to a member as a field": "int (C::*p)(int) = nullptr;",
    "pure virtual": "virtual ~C() = 0;",
    "trailing result": "auto f() const -> std::vector<int> { return {}; }",
    "trailing result with decltype": "auto f(int x) -> decltype(g(x)) { return g(x); }",
    "default argument with braces": "void f(T x = {}, U y = U{1, 2}, V z = {1, 2}) { g(); }",
    "default argument with a lambda": "void f(F x = [](int y) { return y; }) { g(); }",
    "default argument with a template": "void f(int x = std::min<int>(1, 2)) { g(); }",
    "nested class with a base": "class D : public virtual B<int>, private E {};",
    "nested enum with a type": "enum class K : uint8_t { kA = 1 << 2, kB [[deprecated]], };",
    "macro without a semicolon": "Q_OBJECT\n  DISALLOW_COPY(C)",
    "macro with braces": "DEFINE_THING({ return 1; })",
    "access macro": "public Q_SLOTS:",
    "static_assert": "static_assert(true);",
    "typedef of a function pointer": "typedef void (*F)(int);",
    "using of a function": "using F = void (*)(int) noexcept;",
    "using of a template": "template <class T> using V = std::vector<T>;",
    "declspec": "__declspec(dllexport) void f() { g(); }",
    "calling convention": "void __stdcall f() { g(); }",
    "abstract parameter pack": "void f(auto&&... xs) { g(xs...); }",
    "unnamed parameters": "void f(int, char[], T (&)[3], void (*)(int)) { g(); }",
    "volatile method": "void f() volatile { g(); }",
    "consteval method": "consteval int f() { return 1; }",
    "pure operator": "virtual bool operator==(const C&) const = 0;",
    "type macro": "ID_TYPE(int) id = 0;",
}
"""Stand in `class C { ... };`."""

DECLARATIONS = {
    "concept": "template <class T> concept Cx = requires(T t) { t.f(); } && std::integral<T>;",
    "requires before": "template <class T> requires std::integral<T> void f(T x) { g(); }",
    "requires with a disjunction": "template <class T> requires (A<T> || B<T>) struct S {};",
    "constrained parameter": "template <std::integral T, Same<T>... U> void f(T x, U... u) { g(); }",
    "template of templates": "template <template <class...> class C, auto... V> struct S {};",
    "template with a default lambda": "template <auto F = [] { return 1; }> struct S {};",
    "specialization": "template <> struct S<int*> : B<int> { void f() { g(); } };",
    "partial specialization": "template <class R, class... A> struct S<R(A...)> { void f() { g(); } };",
    "partial specialization with noexcept": "template <class R, class... A> struct S<R(A...) const noexcept> {};",
    "explicit instantiation": "template class S<int>;",
    "extern instantiation": "extern template void f<int>(int);",
    "extern instantiation of a method": "extern template S* S::f<1>(S* a, int b);",
    "template with a reference by default": "template <class T, class P = T *, class R = T &> struct S {};",
    "template with a reference behind arguments": "template <typename R = const std::vector<T> &&> struct S : B<R> {};",
    "deduction guide": "template <class T> S(T) -> S<std::decay_t<T>>;",
    "deduction guide that is explicit": "template <class T> explicit S(T*) -> S<T>;",
    "variable template": "template <class T> inline constexpr bool v = std::is_same_v<T, int>;",
    "variable specialization": "template <> inline constexpr bool v<int> = true;",
    "inline namespace": "inline namespace v1 { void f() { g(); } }",
    "nested namespace": "namespace a::b::inline c { void f() { g(); } }",
    "namespace with an attribute": 'namespace [[deprecated("x")]] a { void f() { g(); } }',
    "namespace with a macro": "namespace a ABI_TAG { void f() { g(); } }",
    "extern C": 'extern "C" { void f(void) { g(); } }',
    "extern C of one": 'extern "C" EXPORT void f(void) { g(); }',
    "conditional extern C": '#ifdef __cplusplus\nextern "C" {\n#endif\nvoid f();\n#ifdef __cplusplus\n}\n#endif',
    "function in a try": "int f() try { return 1; } catch (...) { return 2; }",
    "method outside of its class": "template <class T> auto S<T>::f(int x) const -> int { return x; }",
    "constructor outside": "S::S(int x) noexcept(false) : a(x), b{x} { g(); }",
    "destructor outside of a template": "template <class T> S<T>::~S() { g(); }",
    "conversion outside": "S::operator bool() const { return true; }",
    "conversion outside to a template": "S::operator std::vector<int>() const { return {}; }",
    "operator outside": "bool operator==(const S& a, const S& b) noexcept { return true; }",
    "stream operator": "std::ostream& operator<<(std::ostream& os, const S& s) { return os; }",
    "literal operator": 'constexpr auto operator""_doc(const char* s, size_t n) { return s; }',
    "literal operator template": 'template <char... C> int operator""_n() { return 1; }',
    "main of old style": "int main(argc, argv) int argc; char** argv; { return 0; }",
    "attribute on a function": "[[nodiscard]] [[gnu::pure]] int f() { return 1; }",
    "attribute of gnu": '__attribute__((visibility("default"))) int f() { return 1; }',
    "attribute of gnu behind": "int f() __attribute__((pure));",
    "attribute on a class": "class [[nodiscard]] EXPORT alignas(8) S final : public B { void f() { g(); } };",
    "attribute on an enum": "enum class [[nodiscard]] E : int { kA };",
    "opaque enum": "enum class E : uint8_t;",
    "macro that defines": 'DEFINE_int32(port, 80, "the port");',
    "macro with a body": "TEST_F(Fixture, Name) { g(); }",
    "macro with a template body": "TYPED_TEST(Fixture, Name) { using T = TypeParam; g(); }",
    "macro without a semicolon": "IMPLEMENT_THING(S)",
    "macro with braces": "REGISTER(x, { g(); });",
    "macro with operators": "DEFINE_OPERATOR(+)",
    "module of pybind11": 'PYBIND11_MODULE(x, m) { m.def("a", &f, "doc" MACRO(y) "b"_doc); }',
    "static table": 'static PyMethodDef methods[] = {{"a", (PyCFunction)f, METH_VARARGS, PyDoc_STR("x")}, {NULL}};',
    "designated table": 'static PyModuleDef d = {PyModuleDef_HEAD_INIT, .m_name = "a", .m_size = -1};',
    "table of gnu": "static struct ops o = { open: f, close: g };",
    "array designators": "static int xs[] = {[0] = 1, [2 ... 4] = 3};",
    "alias template": "template <class... T> using V = std::variant<T..., std::monostate>;",
    "alias with an attribute": "using I [[maybe_unused]] = int;",
    "alias of a member pointer": "using P = int (S::*)(int) const;",
    "function that returns a pointer to a function": "void (*f(int x))(char) { return nullptr; }",
    "function that returns a reference to an array": "int (&f())[3] { return xs; }",
    "array parameter": "void f(int (&xs)[3], int ys[static 3]) { g(); }",
    "function with a macro result": "STDAPI f(int x) { return g(); }",
    "function with a macro convention": "int WINAPI f(int x) { return 1; }",
    "coroutine": "Task<int> f() { co_return co_await g(); }",
    "module": "export module a.b;",
    "module import": 'import std; import <vector>; import "a.h";',
    "global module fragment": "module;\nvoid f() { g(); }\nexport module a;",
    "exported": "export void f() { g(); }\nexport { int x; }\nexport template <class T> struct S {};",
    "using a namespace": "using namespace a::b;",
    "static_assert": 'static_assert(sizeof(S) == 4, "a" "b");',
    "consteval and constinit": "consteval int f() { return 1; }\nconstinit int x = f();",
    "initialized by a lambda": "const int x = [] { g(); return 1; }();",
    "doc string table": 'static const char* kDoc = "a" MACRO(x) "b" MACRO(y) "c"_doc;',
    "trailing comma of a macro": "INSTANTIATE(S, int, float,);",
    "empty declarations": ";;",
    "line continued": "int f() \\\n{ \\\n  return 1; \\\n}",
    "multi-line macro": "#define M(x) do { \\\n  g(x); \\\n} while (0)",
    "macro with unbalanced braces": "#define BEGIN {\n#define END }\nvoid f() BEGIN g(); END",
    "pragma once": "#pragma once",
    "include in a body": 'const char* s =\n#include "x.inc"\n;',
    "trigraph and digraph": "int f() <% return x<:1:>; %>",
    "unicode": 'int größe() { return 1; } const char* s = "é";',
    "byte order mark inside": "int x = 1; /* \ufeff */",
    "objective-c class": "@interface Foo : NSObject\n- (void)bar;\n@end",
    "objective-c implementation": "@implementation Foo\n- (void)bar { g(); }\n@end",
    "objective-c send": 'void f() { [obj send:x with:@"a"]; g(); }',
    "cuda kernel": "__global__ void k(int* x) { g(); }\nvoid f() { k<<<1, 2, 0, s>>>(x); }",
    "openmp": "void f() {\n#pragma omp parallel\n  { g(); }\n}",
    "old C struct": "typedef struct S_ { int x; } S, *SP;",
    "forward in a parameter": "void f(struct S* s, enum E e) { g(); }",
    "throw specification": "void f() throw(E) { g(); }",
    "variadic C": "int f(const char* s, ...) { return 1; }",
    "variadic without a comma": "int f(const char* s...) { return 1; }",
    "auto parameters": "void f(const auto& x, std::integral auto y) { g(); }",
    "nodiscard with a reason": '[[nodiscard("a")]] int f();',
    "long template": "template <class T, class = std::enable_if_t<!A<T, int> && (sizeof(T) > 4)>> void f(T);",
}
"""Stand in a namespace."""


KINDS = {"expression": EXPRESSIONS, "statement": STATEMENTS, "member": MEMBERS, "declaration": DECLARATIONS}
VOCABULARY = Vocabulary(annotations=(r"\w*GUARDED_BY",), declaring=(r"\w*ASSIGN_OR_RETURN",))

_AROUND = {
    "expression": "void around() {{\n  first();\n  auto v = {};\n  last();\n}}",
    "argument": (
        'void around() {{\n  first();\n  m.def("a", [] {{ return f(1, {}); }}, "b")\n      .def("c", &g);\n'
        "  last();\n}}"
    ),
    "statement": "void around() {{\n  first();\n  {}\n  last();\n}}",
    "member": "class C {{\n  void opening() {{ first(); }}\n  {}\n  void closing() {{ last(); }}\n}};",
    "declaration": "{}",
}


def source_of(kind: str, text: str) -> str:
    inner = _AROUND[kind].replace("{{", "\0").replace("}}", "\1").replace("{}", text)
    inner = inner.replace("\0", "{").replace("\1", "}")
    return f"namespace n {{\n\nvoid before() {{ mark(); }}\n\n{inner}\n\nvoid behind() {{ mark(); }}\n\n}}  // n\n"


def calls_of(function: r.FunctionRecord) -> set[str]:
    return {
        call.callee.text
        for statement in statements(r.decode_body(function))
        for value in values(statement)
        for call in calls_in(value)
        if isinstance(call.callee, r.Name)
    }


def missing(kind: str, text: str) -> set[str]:
    """The marks around a construct that are not found, or not where they stand."""
    file = read("a.cc", source_of(kind, text).encode(), VOCABULARY)
    found = {(f.name, f.scope): calls_of(f) for f in file.functions if f.defined}
    wanted = {("before", "n"): {"mark"}, ("behind", "n"): {"mark"}}
    if kind == "member":
        wanted |= {("opening", "n::C"): {"first"}, ("closing", "n::C"): {"last"}}
    elif kind != "declaration":
        wanted |= {("around", "n"): {"first", "last"}}
    return {name for (name, scope), calls in wanted.items() if not calls <= found.get((name, scope), set())}


@pytest.mark.parametrize(
    ("kind", "text"),
    [
        pytest.param(kind, text, id=f"{kind}: {name}")
        for kind, table in (*KINDS.items(), ("argument", EXPRESSIONS))
        for name, text in table.items()
    ],
)
def test_a_construct_costs_no_more_than_itself(kind: str, text: str) -> None:
    assert missing(kind, text) == set()


REWRITTEN = {
    "[cb{std::move(cb)}] { cb(); }",
    "[...args{std::move(args)}](int x) { return f(args...); }",
    "[x = {1, 2}] { return x; }",
    "[x] mutable { return x; }",
    "[] noexcept -> int { return 1; }",
    "[] [[nodiscard]] (int x) { return x; }",
    "[](int x) static { return x; }",
    "(unsigned{1} << n) - 1U",
    "(unsigned(x[0]) << 18) | (short(x[1]) << 2)",
    '"a" MACRO(x) "b" MACRO(y) "c"_doc',
    '"a"_x "b"_x',
    '"%" PRIu64 " of %"PRIu64',
    'L"a" MACRO L"b"',
    'FIRST SECOND "a"',
    'MACRO(x) R"(a " b)" OTHER',
    '"\\N{LATIN SMALL LETTER A} \\u{e9}"',
}


@pytest.mark.parametrize("text", sorted(REWRITTEN))
def test_what_is_rewritten_is_read_whole(text: str) -> None:
    assert lost(source_of("expression", text).encode(), VOCABULARY) == 0


def test_a_braced_capture_is_a_capture_with_a_value() -> None:
    source = source_of("expression", "[a{f(1)}, &b{c.d}, ...e{std::move(e)}, g{}] { h(); }")
    file = read("a.cc", source.encode(), VOCABULARY)
    (around,) = [function for function in file.functions if function.name == "around"]
    (made,) = [s.value for s in r.decode_body(around) if isinstance(s, r.Declare)]
    assert isinstance(made, r.Lambda)
    assert [
        (c.name, c.by_reference, source[c.value.start : c.value.end] if c.value else "") for c in made.captures
    ] == [
        ("a", False, "f(1)"),
        ("b", True, "c.d"),
        ("e", False, "std::move(e)"),
        ("g", False, ""),
    ]
    assert not around.opaque


def test_a_subscript_is_no_capture() -> None:
    source = "void f() { m[Key{1}](2); g(m[a], m[Key{b}]) }\n"  # the missing semicolon makes it try
    file = read("a.cc", source.encode(), VOCABULARY)
    assert not [function for function in file.functions if function.name == "<lambda>"]


def test_unsigned_keeps_its_name() -> None:
    file = read("a.cc", b"void f() { x = (unsigned{1} << n) | (unsigned(y) << 2); }", VOCABULARY)
    (function,) = file.functions
    assert {"unsigned", "=x"} == set(function.mentions)
    assert not function.opaque


def test_both_sides_of_if_consteval_are_read() -> None:
    file = read("a.cc", b"void f() { if consteval { g(); } else { h(); } if !consteval { i(); } }", VOCABULARY)
    (branch, other) = r.decode_body(file.functions[0])
    assert isinstance(branch, r.Branch)
    assert isinstance(branch.condition, r.Name)
    assert branch.condition.text == "consteval"
    assert isinstance(other, r.Branch)
    assert isinstance(other.condition, r.Unary)
    assert calls_of(file.functions[0]) == {"g", "h", "i"}


def test_what_is_exported_is_declared() -> None:
    file = read("a.cc", b"export { void f() { g(); } }\nexport class C { void h() {} };\nvoid k() {\n", VOCABULARY)
    assert {(function.name, function.owner) for function in file.functions} >= {("f", ""), ("h", "C")}


OTHER_LANGUAGES = {
    "MATLAB": "function y = f(x)\n% doubles x'\ny = x' * 2;\nif y ~= 3, disp('it''s'); end\nend\n",
    "MATLAB class": "classdef A < handle\n  properties\n    x = @(y) y.^2;\n  end\nend\n",
    "Octave": "# doubles\n1;\nfunction y = f (x)\n  y = x'; # \"\nendfunction\n",
    "Mercury": ':- module a.\n:- interface.\n:- pred main(io::di, io::uo) is det.\nmain(!IO) :- io.write("a", !IO).\n',
    "Mathematica": "(* ::Package:: *)\nf[x_] := Module[{y = x}, y^2 /. {a -> b}]\n",
}


@pytest.mark.parametrize("text", OTHER_LANGUAGES.values(), ids=OTHER_LANGUAGES)
def test_another_language_in_m_is_silent(text: str) -> None:
    file = read("a.m", text.encode(), VOCABULARY)
    assert (file.problems, file.functions, file.classes) == ((), (), ())


@pytest.mark.parametrize(
    "line", ['#import "a.h"', "#include <a.h>", "@import UIKit;", "@class A;", "@interface A : B\n@end"]
)
def test_objective_c_in_m_is_read(line: str) -> None:
    file = read("a.m", f"// A\n{line}\nvoid f(void) {{ g(); }}\n".encode(), VOCABULARY)
    assert [function.name for function in file.functions] == ["f"]


def test_functions_among_methods_of_objective_c_are_read() -> None:
    source = (
        "#import <A.h>\n@protocol P;\n@protocol Q\n- (void)q;\n@end\n@interface A : B <P, Q>\n"
        "@property (nonatomic) int x;\n- (void)f:(int)x with:(id)y;\n@end\n@implementation A\n@synthesize x = _x;\n"
        "static void before(void) { g(); }\n- (void)f:(int)x with:(id)y {\n  if (x) { g(); }\n}\n"
        '+ (A*)make { return 0; }\nvoid behind(void) { NSLog(@"a %d", 1); }\n@end\nint last(void) { return 1; }\n'
    )
    file = read("a.mm", source.encode(), VOCABULARY)
    assert [function.name for function in file.functions] == ["before", "behind", "last"]
    assert not file.problems


@pytest.mark.parametrize("word", ["class", "mutable", "namespace", "new", "operator", "private", "template", "try"])
def test_words_of_cpp_are_names_in_c(word: str) -> None:
    source = (
        f"int f(int {word}) {{ if ({word}) {{ g({word}); }} else {{ {word} = 2; }} x->{word} = 1; return {word}; }}"
    )
    written = read("a.c", source.encode(), VOCABULARY)
    (function,) = written.functions
    inside = list(statements(r.decode_body(function)))
    (branch,) = [one for one in inside if isinstance(one, r.Branch)]
    assert function.parameters[0].name == word
    assert branch.then
    assert branch.other
    assert not [one for one in inside if isinstance(one, r.Opaque)]


@pytest.mark.parametrize("said", ["%d::\\n", "class %s: {", "operator += (%d)", "template <%s>"])
def test_what_a_string_says_makes_no_cpp(said: str) -> None:
    source = f'void f(T* self) {{ T* new; log("{said}"); new = self; drop(new); }}'
    (function,) = read("a.c", source.encode(), VOCABULARY).functions
    statements = r.decode_body(function)
    assert any(isinstance(one, r.Evaluate) and isinstance(one.value, r.Assign) for one in statements) or any(
        isinstance(one, r.Declare) and one.value is not None for one in statements
    )


def test_a_c_file_that_holds_cpp_is_read_as_such() -> None:
    written = read("a.c", b"namespace n { class A { int x; }; }\nint n::f() { return 1; }", VOCABULARY)
    assert [cls.name for cls in written.classes] == ["A"]


@pytest.mark.parametrize("cast", ["static_cast", "reinterpret_cast", "const_cast", "dynamic_cast"])
def test_a_cast_from_which_a_local_is_made_is_no_call(cast: str) -> None:
    written = read("a.cc", f"void f(void* x) {{ Owner<T> owner({cast}<T*>(x)); }}".encode(), VOCABULARY)
    (made,) = r.decode_body(written.functions[0])
    assert isinstance(made, r.Declare)
    assert isinstance(made.value, r.Call)
    (given,) = made.value.args
    assert isinstance(given, r.Cast)
    assert (given.style, given.type) == (cast, "T*")


def test_a_macro_that_makes_names_makes_different_ones() -> None:
    source = (
        "#define X(name) CONCAT(lib_, name)\nstatic void* X(make)(int n) { return take(n); }\nvoid X(end) (void* p);\n"
        "int X(use)(int n) { void* p = X(make)(n); X(add)(X(end), 2); X(end)(p); return X; }\n"
    )
    written = read("a.c", source.encode(), VOCABULARY)
    assert [one.name for one in written.functions if one.parameters] == ["X_make", "X_end", "X_use"]
    used = next(one for one in written.functions if one.name == "X_use")
    called = [call for statement in r.decode_body(used) for value in values(statement) for call in calls_in(value)]
    assert [text(call.callee) for call in called] == ["X_make", "X_add", "X_end"]


@pytest.mark.parametrize(
    ("statement", "given"),
    [
        ("table = PyMem_New(float, count(n));", ("float", "count(n)")),
        ("node = container_of(link, struct node, link);", ("link", "struct node", "link")),
        ("text = (char *)va_arg(rest, const char *);", ("rest", "const char*")),
        ("return &array_index(all, unsigned long, 3);", ("all", "unsigned long", "3")),
        ("if (!array_index(all, node_t **, i)) return;", ("all", "node_t**", "i")),
        ("put(va_arg(rest, int));", ("rest", "int")),
        ("ANSWER_BY(const char **, n);", ("const char**", "n")),
        ("put(n); ANSWER_BY(n, uint8_t*);", ("n", "uint8_t*")),
    ],
)
def test_a_macro_is_given_a_type(statement: str, given: tuple[str, ...]) -> None:
    define = "#define ANSWER_BY(type, maker) type made = maker; return made\n"
    written = read("a.c", f"{define}void f(int n) {{ {statement} }}".encode(), VOCABULARY)
    assert not written.functions[0].opaque
    found = [call for one in r.decode_body(written.functions[0]) for value in values(one) for call in calls_in(value)]
    assert given in [tuple(text(argument) for argument in call.args) for call in found]


@pytest.mark.parametrize("declared", ["int f(int, char *);", "T(const char *);", "using F = R(int, float);"])
def test_a_type_of_a_parameter_stays_one(declared: str) -> None:
    written = read("a.cc", f"struct T {{ {declared} }};".encode(), VOCABULARY)
    assert not any("_T" in one.type for function in written.functions for one in function.parameters)


@pytest.mark.parametrize(
    "assembly",
    [
        "__asm\n  {\n    push ebx\n    mov [edi].x, 0\n    ret\n  }",
        "_asm { int 3 }",
        "__asm int 3",
        "__asm mov eax, [ebp + 8]",
    ],
)
def test_assembly_of_microsoft_ends_where_it_ends(assembly: str) -> None:
    source = (
        f"void before() {{ a(); }}\n__declspec(naked) static void f() {{\n  {assembly}\n}}\nvoid behind() {{ b(); }}\n"
    )
    file = read("a.c", source.encode(), VOCABULARY)
    assert [one.name for one in file.functions] == ["before", "f", "behind"]
    assert not any(one.opaque for one in file.functions)


def test_assembly_of_gcc_is_an_expression() -> None:
    source = (
        b'void f(int x) {\n  __asm__ volatile("nop" : "=r"(x));\n  __asm volatile("nop");\n  asm("nop");\n  g(x);\n}\n'
    )
    assert prepare(source, VOCABULARY).source == source
    assert lost(source, VOCABULARY) == 0
