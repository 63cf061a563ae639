"""A small project with findings that need every part of an output."""

from __future__ import annotations

from pathlib import Path

from ownlint.facts.records import Span
from ownlint.finding import Edit, Finding, Fix, Role, Step
from ownlint.report.model import Incomplete, LocatedStep, Report, RuleInfo, Silenced, Sources, locate
from ownlint.sources.origin import Checkout

ORIGIN = Checkout("tree", "0123456789abcdef0123456789abcdef01234567", True, "2026-01-31")

TRACKER = """\
namespace run {

Status Tracker::Start(int n) {
\tabsl::MutexLock lock(&mu_);
  init_done_ = true;  // 漢字 wide
  // comes first
  Status status = Record(n);
  if (!status.ok()) {
    LOG(ERROR) << "no";
    return status;
  }
\tcache_[k] = make(a, b, cc(dd));
  return OkStatus();
}

class Foo {
  int x;
  int y;
};
}
"""
LONG = "int x = " + "foo(1234), " * 40 + "bar(\x1b[31m5), " + "foo(99), " * 20 + ";\n"
USE = """\
import m

def go():
    block = m.parse(text)
    ops = block.operations
    del block
    return ops[0]
"""


def span(text: str, part: str) -> Span:
    start = len(text[: text.index(part)].encode())
    return Span(start, start + len(part.encode()))


def step(path: str, text: str, part: str, message: str, role: Role | None = None) -> Step:
    return Step(path, span(text, part), message, role)


def flag() -> Finding:
    at = span(TRACKER, "init_done_ = true")
    return Finding(
        "src/a.cc",
        at,
        "`init_done_` is set before `Record` has succeeded",
        "likely",
        "set `init_done_` after `Record` returns ok",
        (
            Step("src/a.cc", at, "set here"),
            step("src/a.cc", TRACKER, "Record(n)", "this can still fail", "turn"),
            step("src/a.cc", TRACKER, "return status", "and leaves it set"),
        ),
        "run::Tracker::Start",
        Fix("set it later", (Edit("src/a.cc", at, ""),)),
        "flag-set-before-success",
        "error",
        reason="this happens only if `Record` fails",
        assumed=("path",),
    )


def border() -> Finding:
    return Finding(
        "py/b.py",
        span(USE, "ops[0]"),
        "`ops[0]` is used after its owner `block` was freed",
        "certain",
        "keep `block`",
        (
            step("src/a.cc", TRACKER, "cache_[k]", "the binding returns a borrowed reference"),
            step("py/b.py", USE, "block.operations", "borrowed from `block`"),
            step("py/b.py", USE, "del block", "`block` ends"),
            step("py/b.py", USE, "ops[0]", "used here"),
        ),
        "go",
        rule="child-outlives-owner",
        severity="error",
    )


def labels() -> Finding:
    steps = (("cc(dd)", "third"), ("make(a, b, cc(dd))", "second"), ("cache_[k]", "first"))
    return Finding(
        "src/a.cc",
        span(TRACKER, "cache_[k]"),
        "three on one line",
        steps=tuple(step("src/a.cc", TRACKER, part, word) for part, word in steps),
        rule="labels",
    )


def block() -> Finding:
    part = '{\n    LOG(ERROR) << "no";\n    return status;\n  }'
    return Finding("src/a.cc", span(TRACKER, part), "a block", "possible", rule="block", severity="note")


def whole() -> Finding:
    return Finding("src/a.cc", Span(0, len(TRACKER.encode())), "the whole file", rule="whole")


def long() -> Finding:
    return Finding("src/long.cc", span(LONG, "bar(\x1b[31m5)"), "escape \x1b[31m", help="two\nlines", rule="long")


def gone() -> Finding:
    steps = (Step("elsewhere.h", Span(3, 5), "declared here"),)
    return Finding("src/gone.cc", Span(3, 5), "a file that is gone", steps=steps, rule="gone")


def write(root: Path) -> Sources:
    for path, text in (("src/a.cc", TRACKER), ("src/long.cc", LONG), ("py/b.py", USE)):
        (root / path).parent.mkdir(exist_ok=True)
        (root / path).write_text(text)
    return Sources(root)


def silenced(sources: Sources) -> tuple[Silenced, ...]:
    finding = Finding("src/a.cc", span(TRACKER, "int y"), "`y` is silenced", rule="silenced", severity="warning")
    located = locate([finding], sources)
    at = located[0].region
    return (Silenced(located[0], (LocatedStep("src/a.cc", at, "the reason [why](x)"),)),)


def report(sources: Sources, *findings: Finding) -> Report:
    return Report(
        findings=tuple(locate(findings, sources)),
        incomplete=(Incomplete("src/bad [x].cc", "the parser crashed (SIGSEGV)", "unread"),),
        suppressed=silenced(sources),
        files=12,
    )


def all_of_them(sources: Sources) -> Report:
    return report(sources, flag(), border(), labels(), block(), whole(), long(), gone())


def page_of(rule: str) -> str:
    return f"https://docs.example.invalid/{rule}"


RULES = tuple(
    RuleInfo(
        name,
        "error",
        f"Headline of {name}.",
        f"Headline of {name}.\n\nMore about it.\n\n```cpp bad\nx;\n```\n",
        group="handles",
        cwe=(416, 362) if name == "child-outlives-owner" else (),
    )
    for name in (
        "block",
        "child-outlives-owner",
        "flag-set-before-success",
        "gone",
        "labels",
        "long",
        "unheard",
        "whole",
    )
)
