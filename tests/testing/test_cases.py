"""A rule that reports every call of `bad` and is sure of `bad` alone, run on small pages."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from msgspec.structs import replace

from ownlint import Certainty, Edit, Finding, Fix, Function, Span, because, places
from ownlint.frontends import worker
from ownlint.rule import Rule
from ownlint.testing import cases, docstrings
from ownlint.testing.markdown import PageCase, parse


def _check(function: Function) -> Iterator[Finding]:
    for call in function.flow.calls:
        name = places.last_name(call.node.callee)
        if name.startswith("bad"):
            certainty: Certainty = "certain" if name == "bad" else because("possible", f"`{name}` is unknown")
            step = function.step(call.node.callee, "this is where")
            yield function.finding(call, f"`{name}` is called", certainty=certainty, steps=(step,))
        if name == "crash":
            raise KeyError("oh")


RULE = Rule("calls-bad", "error", "Function", _check, "Bad is called.", ("cpp",), "", False, "tests")


def wrong(code: str, options: str = "") -> list[str]:
    (case,) = parse(f"## x\n\n{options}\n\n```cpp\nvoid f() {{\n{code}\n}}\n```\n")
    return [problem.partition(":\n")[0] for problem in cases.check(case, [RULE])]


@pytest.mark.parametrize(
    "code",
    [
        "bad();  // error: `bad` is called",
        "bad();  // error[certain]: is called",
        "bad(); bad();  // error: `bad` // error: `bad`",
        "// error: `bad`\nbad();",
        "bad();  // error: bad // step: this is where",
        "good();  // ok: another function",
        "badly();  // ok: less sure than what is shown",
        "bod();  // missed: a typo of bad",
    ],
)
def test_as_marked(code: str) -> None:
    assert wrong(code) == []


def test_a_large_process_is_not_searched_for_memory_at_each_page(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nobody replaces the one who reads pages; to collect a whole process of tests takes longer than most of them."""

    def collect() -> int:
        raise AssertionError("collected")

    monkeypatch.setattr(worker, "resident", lambda: 1 << 40)
    monkeypatch.setattr(worker.gc, "collect", collect)
    assert wrong("bad();  // error: `bad` is called") == []


ALL = '```toml\ncertainty = "possible"\n```'


def test_a_reason_is_a_part_of_the_finding_s_own() -> None:
    assert wrong("badly();  // error: `badly` // reason: `badly` is unknown", ALL) == []
    assert wrong("badly();  // error: `badly` // reason: not defined", ALL) == ["no finding has this reason"]
    assert wrong("bad();  // error: `bad` // reason: unknown") == ["no finding has this reason"]


@pytest.mark.parametrize(
    ("code", "problem"),
    [
        ("bad();", "found, but not expected"),
        ("good();  // error: `bad`", "expected, but not found"),
        ("bad();  // error: `good`", "expected, but not found"),
        ("bad();  // warning: `bad`", "expected, but not found"),
        ("bad();  // error[possible]: `bad`", "expected, but not found"),
        ("bad();  // error: `bad` // error: `bad`", "expected, but not found"),
        ("bad(); bad();  // error: `bad`", "found, but not expected"),
        ("bad();  // error: `bad` // step: elsewhere", "no finding has this step"),
        ("bad();  // ok: it is Tuesday", "found on a line that is innocent (`ok: it is Tuesday`)"),
        ("bad();  // missed: not seen yet", "marked `missed: not seen yet`, but it is found now (mark it as `error`)"),
        ("crash();", "calls-bad crashed: KeyError: 'oh' (in `f`)"),
    ],
)
def test_not_as_marked(code: str, problem: str) -> None:
    assert problem in wrong(code)


def test_certainty_says_what_counts() -> None:
    options = '```toml\ncertainty = "possible"\n```'
    assert wrong("badly();", options) == ["found, but not expected"]
    assert wrong("badly();  // error[possible]: `badly`", options) == []


def test_a_problem_says_where_it_stands_on_the_page() -> None:
    (case,) = parse("## x\n\n```cpp engine.cc\nvoid f() {\n  bad();\n}\n```\n")
    (problem,) = cases.check(case, [RULE])
    assert problem == (
        "found, but not expected:\n"
        "  engine.cc:2 (line 5 of the page): bad();\n"
        "    error[certain]: `bad` is called (calls-bad)\n"
        "  step engine.cc: this is where"
    )


def typed(code: str, options: str = "") -> PageCase:
    (case,) = parse(f"## x\n\n{options}\n\n```cpp typed\n{code}\n```\n")
    return case


def test_a_typed_case_must_compile() -> None:
    with pytest.raises(cases.CaseError, match="was not parsed with types"):
        cases.check(typed("Unknown f();"), [RULE], "typed")


def test_a_typed_case_has_meanings() -> None:
    (file,) = cases.run(typed("int g();\nint f() { return g(); }"), [RULE], "typed").files
    assert file.typed
    assert "g" in {meaning.symbol for meaning in file.meanings}


def test_the_prelude_stands_before_the_code(tmp_path: Path) -> None:
    (tmp_path / "known.h").write_text("struct Known {};\n")
    case = typed("Known f();", '```toml\nprelude = ["known.h"]\n```')
    assert cases.check(case, [RULE], "typed", tmp_path) == []
    with pytest.raises(cases.CaseError, match=r"the prelude `known\.h` is not in"):
        cases.check(case, [RULE], "typed", tmp_path / "elsewhere")


def test_docstring_examples_say_what_is_wrong() -> None:
    page = "Bad.\n\nbad:\n\n```cpp\nvoid f() { good(); }\n```\n\ngood:\n\n```cpp\nvoid f() { bad(); }\n```\n"
    rule = Rule("calls-bad", "error", "Function", _check, page, ("cpp",), "", False, "tests")
    first, second, third = docstrings.check(rule)
    assert first == "bad 1: the rule finds nothing in it"
    assert second == "bad 1: no report is shown below it"
    assert third.startswith("found, but not expected")


@pytest.mark.parametrize(
    ("text", "safe", "problem"),
    [
        ("good", True, None),
        ("bad", True, "does not remove the finding"),
        ("good)", True, "does not parse"),
        ("badly", True, "is safe, but something else is found after it"),
        ("badly", False, None),
    ],
)
def test_a_fix_is_made(text: str, safe: bool, problem: str | None) -> None:
    def check(function: Function) -> Iterator[Finding]:
        for finding in _check(function):
            span = Span(finding.span.start, finding.span.start + 3)
            fix = Fix("call another", (Edit(finding.path, span, text),), safe)
            yield replace(finding, fix=fix if finding.certainty == "certain" else None)

    (case,) = parse("## x\n\n```cpp\nvoid f() {\n  bad();  // error: `bad`\n}\n```\n")
    said = list(cases.check(case, [replace(RULE, check=check, fixable=True)]))
    assert said == [] if problem is None else problem in said[0]
