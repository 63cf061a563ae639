"""How a macro leaves the function that uses it, told by its `#define` alone."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ownlint.project.macro_exits import Exit, called_last, exit_of


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ("return NULL", Exit("return", "NULL")),
        ("return -1;", Exit("return", "-1")),
        ("return", Exit("return", "")),
        ("unlock(); return (v)", Exit("return", "v")),
        ("return ((a) + (b))", Exit("return", "(a) + (b)")),
        ("do { throw std::runtime_error(what); } while (false)", Exit("throw")),
        ("do { do { return 0; } while (0); } while (0)", Exit("return", "0")),
        ("{ log(code); return code; }", Exit("return", "code")),
        ("do { if (v) { drop(v); } return NULL; } while (0)", Exit("return", "NULL")),
        ("{ error = code; break; }", Exit("break")),
        ("noted(code); continue", Exit("continue")),
        ("do { error = code; break; } while (0)", None),
        ("({ log(code); return code; })", Exit("return", "code")),
        ("if (failed) return NULL", None),
        ("if (failed) { return NULL; }", None),
        ("do { if (failed) return NULL; } while (0)", None),
        ("if (a) { return 1; } else { return 2; }", None),
        ("return_value", None),
        ("goto fail", None),
        ("x ? throw 1 : 2", None),
        ("", None),
    ],
)
def test_what_the_last_statement_says(body: str, expected: Exit | None) -> None:
    assert exit_of(body) == expected


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ("RAISE(x)", "RAISE"),
        ("{ log(); RAISE(x, (y)); }", "RAISE"),
        ("do { FAIL; } while (0)", "FAIL"),
        ("if (bad) RAISE(x)", ""),
        ("a + RAISE(x)", ""),
        ("", ""),
    ],
)
def test_what_is_called_last(body: str, expected: str) -> None:
    assert called_last(body) == expected


@given(st.text(alphabet='(){};do whilreturn throw0,\\n"x', max_size=200))
def test_any_body_has_an_answer(body: str) -> None:
    exit_of(body)
    called_last(body)
