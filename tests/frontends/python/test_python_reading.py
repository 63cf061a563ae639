"""Bytes in, facts out: positions, encodings, gates, and files that mean harm."""

from __future__ import annotations

import codecs
from collections.abc import Iterator

import msgspec
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from python_facts import file_of

from ownlint.facts import records as r

SOURCE = """\
# \u00e9\u00e8 \u4e2d
import a
class K\u00e9:
\tdef m\u00e9th(self, \u00e0: a.T = "\u00fc"):
\t\tself.\u00e9t\u00e9 = f"\u00fc{a.b(\u00e0)} {self}" + a.x(k\u00ea=a.c)
\t\tif a.d: return a.e[\u00e0:a.f]
"""


def nodes(value: object) -> Iterator[r.Node]:
    if isinstance(value, r.Node):
        yield value
    if isinstance(value, r.FunctionRecord):
        yield from nodes(r.decode_body(value))
    if isinstance(value, msgspec.Struct):
        for name in value.__struct_fields__:
            yield from nodes(getattr(value, name))
    elif isinstance(value, tuple):
        for part in value:
            yield from nodes(part)


def assert_exact(data: bytes, codec: str) -> int:
    """Names, members and literals stand where they say; returns how many were looked at."""
    file = file_of(data)
    assert not file.problems
    seen = 0
    for node in nodes(file):
        assert 0 <= node.start <= node.end <= len(data)
        match node:
            case r.Name(text=text):
                assert data[node.start : node.end].decode(codec) == text
            case r.Member(name=name):
                assert data[node.name_start : node.end].decode(codec) == name
            case r.Literal(text=text):
                assert data[node.start : node.end].decode(codec) == text
            case r.FunctionRecord(kind="method", name=name):
                assert data[node.name_start :].startswith(name.encode(codec))
            case r.Meaning(symbol=symbol) if symbol:
                assert data[node.start : node.end].decode(codec) == symbol.rpartition(".")[2]
            case _:
                continue
        seen += 1
    return seen


@pytest.mark.parametrize("newline", ["\n", "\r\n", "\r"])
@pytest.mark.parametrize(
    ("prefix", "cookie", "codec"),
    [
        (b"", "", "utf-8"),
        (codecs.BOM_UTF8, "", "utf-8"),
        (b"", "# coding: gb18030\n", "gb18030"),
        (b"\x0c", "", "utf-8"),
    ],
)
def test_offsets_are_bytes_of_the_file(prefix: bytes, cookie: str, codec: str, newline: str) -> None:
    if newline == "\r" and cookie:
        pytest.skip("a cookie is looked for in the first line that ends with LF")
    data = prefix + (cookie + SOURCE).replace("\n", newline).encode(codec)
    assert assert_exact(data, codec) > 30


def test_a_legacy_encoding_with_one_byte_a_character() -> None:
    data = b"# -*- coding: latin-1 -*-\nx = '\xe9\xe9'; y.\xe9t\xe9(k\xe9=z)\n"
    assert assert_exact(data, "latin-1") == 6


def test_names_are_normalised_and_still_found() -> None:
    data = "x = a.\ufb01le.y".encode()  # the ligature: Python reads `file`
    members = [node for node in nodes(file_of(data)) if isinstance(node, r.Member) and node.name == "file"]
    assert [data[m.name_start : m.end].decode() for m in members] == ["\ufb01le"]


@pytest.mark.parametrize(
    "source",
    [
        'f"""\n{a.b}\n  {c}"""',
        'f"{a}" "x" f"{b!r:>{c}}"',
        '(f"{a}"\n  f"{b.c}")',
        "f'{a[\"k\"]}{ b }'",
        'f"""{\na\n}"""',
        "rf'\\d{a}{a}'",
        "f'{{{a}}}'",
        "f'{a=}'",
        "f'\\N{DIGIT ONE}{a}'",
    ],
)
def test_names_in_fstrings_are_placed_or_carry_the_whole_string(source: str) -> None:
    data = f"\u00e9 = {source}\n".encode()
    (string,) = [n for n in nodes(file_of(data)) if isinstance(n, r.Aggregate)][:1]
    for node in nodes(string):
        if isinstance(node, r.Name):
            assert data[node.start : node.end].decode() == node.text or node.span == string.span


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        (b"x = 1\ny = \0", "line 2: contains a NUL byte"),
        (b"# coding: nope\n", "line 1: unknown encoding: nope"),
        (b"# coding: rot13\nx=1", "line 1: cannot be decoded"),
        (b"# coding: unicode_escape\nx=1", "is not ASCII-compatible"),
        (b"x = 1\n\n\ny = '\xff'\n", "line 4: not valid utf-8"),
        ("x = 1".encode("utf-16"), "line 1"),
        (b"x = a" + b".b" * 10000, "nested too deeply"),
        (b"x = " + b"not " * 10000 + b"a", "too"),
        (b"x = a" + b".b()" * 5000, "nested too deeply"),
    ],
)
def test_what_cannot_be_read_is_a_problem(data: bytes, reason: str) -> None:
    file = file_of(data)
    (problem,) = file.problems
    assert problem.kind == "unread"
    assert reason in problem.reason
    assert 0 <= problem.start <= problem.end <= len(data)
    assert (file.functions, file.size) == ((), len(data))


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        (b"x = 1\ndef f(:\n", "line 2: invalid syntax"),
        (b"x = " + b"(" * 5000 + b")" * 5000, "line 1: too many nested parentheses"),
        (b"x = " + b"9" * 5000, "line 1: Exceeds the limit"),
        (b"return 1\nyield 2\n  x", "line 3: unexpected indent"),
    ],
)
def test_a_line_that_cannot_be_read_is_a_problem_of_its_own(data: bytes, reason: str) -> None:
    file = file_of(data)
    (problem,) = file.problems
    assert problem.kind == "partial"
    assert reason in problem.reason
    assert 0 <= problem.start <= problem.end <= len(data)
    assert file.functions != ()


def test_a_file_without_an_anchor_is_not_parsed() -> None:
    file = file_of("def f(:  # ownlint: ignore[a-rule]: why", anchors=(r"\.erase\(", "PassManager"))
    assert (file.functions, file.imports, file.problems) == ((), (), ())
    assert [(each.rules, each.reason) for each in file.suppressions] == [(("a-rule",), "why")]


def test_any_anchor_is_enough() -> None:
    assert file_of("x.erase()", anchors=("PassManager", r"\.erase\(")).functions
    assert not file_of("x.eraser()", anchors=("PassManager", r"\.erase\(")).functions


def test_only_comments_suppress() -> None:
    source = '''\
\u00e9 = 1  # ownlint: ignore[rule-a]: because
# ownlint: ignore[rule-b]
text = "# ownlint: ignore[rule-c]"
"""
# ownlint: file-ignore[rule-d]
"""
    '''
    for newline in ("\n", "\r\n"):
        data = source.replace("\n", newline).encode()
        found = file_of(data).suppressions
        assert [(each.kind, each.rules) for each in found] == [("line", ("rule-a",)), ("next", ("rule-b",))]
        assert data[found[0].start : found[0].end] == b"# ownlint: ignore[rule-a]: because"


def test_suppressions_survive_a_syntax_error() -> None:
    file = file_of("x = 1  # ownlint: ignore[rule-a]\ny = = 2\n")
    assert len(file.suppressions) == len(file.problems) == 1


def test_reading_does_not_warn(recwarn: pytest.WarningsRecorder) -> None:
    file_of("x = '\\d' is 1")
    assert not recwarn


FRAGMENTS = st.sampled_from(
    [
        "a", "b.c", "f(x)", "self", " ", "\n", "\r\n", "\r", "\t", "\x0c", "    ",
        "def f(a, *b, c: T = 1, **d):", "class C(B):", "if a:", "elif b:", "else:", "for i in x:", "while a:",
        "with a as b:", "try:", "except E as e:", "except* E:", "finally:", "return", "yield", "await ",
        "async ", "lambda x:", "del a", "global a", "nonlocal a", "import a.b as c", "from . import *",
        "match a:", "case [1, *b] if c:", "case {'a': b, **c}:", "f'{a!r:{b}}'", "f'''\n{a}'''", "'\u00e9'",
        "\u00e9", "\ufb01", "=", ":=", "==", "(", ")", "[", "]", "{", "}", ",", ":", ".", "*", "**", "@",
        "\\\n", "# ownlint: ignore[r]", "1", "...", "\u4e2d",
    ]
)  # fmt: skip


def check(data: bytes) -> None:
    file = file_of(data)
    for node in nodes(file):
        assert 0 <= node.start <= node.end <= len(data)
    encoded = r.encode_file(file)
    assert encoded == r.encode_file(file_of(data))
    assert r.decode_file(encoded) == file


@settings(max_examples=150)
@given(st.lists(FRAGMENTS, max_size=30).map("".join))
@example("match a:\n case C() as b: pass\n")
@example("f'{a:{b}}' f'{c}'")
@example("def f(a, *b, c: T = 1, **d):\\\n=")
def test_pieces_of_python_never_raise(source: str) -> None:
    check(source.encode())


@settings(max_examples=100)
@given(st.binary(max_size=200), st.sampled_from([b"", b"\xef\xbb\xbf", b"# coding: latin-1\n", b"# coding: utf-7\n"]))
def test_bytes_never_raise(data: bytes, prefix: bytes) -> None:
    check(prefix + data)
