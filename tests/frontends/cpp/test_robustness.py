"""Whatever the bytes are: no exception, spans inside the file, the same answer twice."""

from __future__ import annotations

import msgspec
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from ownlint.facts import records as r
from ownlint.facts.vocabulary import Vocabulary
from ownlint.frontends.cpp.preprocess import prepare
from ownlint.frontends.cpp.structure import read
from record_invariants import broken

VOCABULARY = Vocabulary(annotations=(r"\w*GUARDED_BY", r"\w+_EXPORT"), declaring=(r"\w*ASSIGN_OR_RETURN",))

TOKENS = [
    "(",
    ")",
    "{",
    "}",
    "[",
    "]",
    "<",
    ">",
    ";",
    ",",
    ":",
    "::",
    "?",
    "=",
    "==",
    "+",
    "-",
    "*",
    "&",
    "&&",
    "||",
    "!",
    "~",
    ".",
    "->",
    "...",
    "<<",
    ">>",
    "#",
    "\n",
    "//",
    "/*",
    "*/",
    '"',
    "'",
    'R"(',
    ')"',
    "\\\n",
    "\\",
    "class",
    "struct",
    "union",
    "enum",
    "namespace",
    "template",
    "typename",
    "using",
    "typedef",
    "static",
    "const",
    "virtual",
    "operator",
    "friend",
    "if",
    "else",
    "for",
    "while",
    "do",
    "switch",
    "case",
    "default",
    "break",
    "continue",
    "return",
    "goto",
    "try",
    "catch",
    "throw",
    "new",
    "delete",
    "this",
    "auto",
    "int",
    "void",
    "bool",
    "sizeof",
    "co_await",
    "asm",
    "extern",
    "inline",
    "public",
    "private",
    "x",
    "y",
    "foo",
    "T",
    "std",
    "~T",
    "operator()",
    "=",
    "0",
    "1",
    "0x1",
    "1.0",
    "'a'",
    '"s"',
    "nullptr",
    "true",
    "FOO",
    "FOO(",
    "FOO_EXPORT",
    "GUARDED_BY(mu)",
    "ASSIGN_OR_RETURN(auto",
    "ASSIGN_OR_RETURN(x,",
    "TEST(A,B){",
    "#if\tA\n",
    "#ifdef\tA\n",
    "#else\n",
    "#endif\n",
    "#define\tA\tB\n",
    "#include\t<a>\n",
    "{}",
    "=",
    "lambda",
    "[&](){",
    ")",
    "->",
    "int",
    "<<<1,2>>>",
    "Py_BEGIN_ALLOW_THREADS\n",
    "__attribute__((x))",
    "__declspec(x)",
    "é",
]


def check(data: bytes) -> None:
    prepared = prepare(data, VOCABULARY)
    assert len(prepared.source) == len(data)
    assert prepared.source.count(b"\n") == data.count(b"\n")
    file = read("a.cc", data, VOCABULARY)
    encoded = r.encode_file(file)
    assert r.encode_file(read("a.cc", data, VOCABULARY)) == encoded
    assert r.decode_file(encoded) == file
    assert list(broken(file)) == []


@settings(max_examples=150, suppress_health_check=list(HealthCheck))
@given(st.lists(st.sampled_from(TOKENS), max_size=80))
def test_soup_of_tokens(tokens: list[str]) -> None:
    check(" ".join(tokens).encode())


@settings(max_examples=100, suppress_health_check=list(HealthCheck))
@given(st.lists(st.sampled_from(TOKENS), max_size=50))
def test_soup_in_a_body(tokens: list[str]) -> None:
    check(("struct A { void f() { g(" + " ".join(tokens) + ") } int x; };\n").encode())


@settings(max_examples=150, suppress_health_check=list(HealthCheck))
@given(st.binary(max_size=200))
def test_any_bytes(data: bytes) -> None:
    check(data)


@pytest.mark.parametrize(
    ("before", "after"),
    [("--", ""), ("*++", ""), ("!", ""), ("*", ""), ("&*", ""), ("- ", ""), ("(", " ?: y)"), ("++*(y ?: ", ")")],
)
def test_facts_about_a_chain_of_operators_are_as_long_as_the_chain(before: str, after: str) -> None:
    def size(count: int) -> int:
        source = f"void f() {{ {before * count}x{after * count}; }}"
        return len(msgspec.msgpack.encode(read("a.cc", source.encode(), VOCABULARY)))

    assert size(18) < 18 * 400
    assert size(2000) < 2000 * 400


def test_macros_that_double_are_not_expanded() -> None:
    macros = "\n".join(f"#define A{number} A{number - 1} A{number - 1}" for number in range(1, 60))
    source = f"#define A0 step();\n{macros}\nvoid f() {{ A59 }}\n"
    assert len(msgspec.msgpack.encode(read("a.cc", source.encode(), VOCABULARY))) < 40 * len(source)
