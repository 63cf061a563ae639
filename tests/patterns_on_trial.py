"""Every expression over texts that make bad ones slow: `python tests/patterns_on_trial.py`.

It is a process of its own, since an expression that backtracks without end can only be ended by a signal. Processor
time is counted, not the clock: a busy machine changes nothing. Prints what took too long, one a line, and what some
releases of Python get wrong.
"""

from __future__ import annotations

import ast
import importlib
import re
import signal
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parent.parent
LENGTH = 3_500
SECONDS = 0.03
"""A linear search over a text takes a thousandth of that, a quadratic one more."""

FUNCTIONS = frozenset("compile search match fullmatch sub subn findall finditer split".split())  # noqa: SIM905
HOSTILE = (
    "a",
    " ",
    "(",
    "[",
    "<",
    "a ",
    "a(",
    "a<",
    "a::",
    '"a" ',
    "a,",
    "*",
    "\\",
    " \n",
    "A_",
    '"\\',
    '"',
    "a.",
    "a-",
    "'",
    "_",
    "1,",
)


def modules() -> Iterator[tuple[str, Path]]:
    for folder, package in (("linter", "ownlint"), ("rules", "ownlint_rules")):
        for path in sorted((ROOT / folder / package).rglob("*.py")):
            name = ".".join(path.relative_to(ROOT / folder).with_suffix("").parts)
            if not name.endswith("__main__"):
                yield name.removesuffix(".__init__"), path


NEVER = re.compile(r"(?<!\\)\)(?:[*+?]|\{[\d,]+\})\+|\(\?>")
"""A group that gives nothing back, `(..)*+` or `(?>..)`: these match wrongly in the releases before Python 3.11.5 (its
changelog, gh-106052). `[..]*+` is right in all."""

Used = dict[tuple[str | bytes, int], tuple[str, set[str]]]
"""Expression and flags -> where it stands, and the methods that it is asked by."""


def expressions() -> Used:
    """Objects of modules, with the methods that stand behind their name there, and constants in calls."""
    found: Used = {}
    for name, path in modules():
        tree = ast.parse(path.read_text(encoding="utf-8"))
        asked: dict[str, set[str]] = {}
        for node in ast.walk(tree):
            if isinstance(node, ast.Attribute):
                of = node.value.value if isinstance(node.value, ast.Subscript) else node.value
                if isinstance(of, ast.Name):
                    asked.setdefault(of.id, set()).add(node.attr)
            if is_constant_call(node) and node.func.attr != "compile":
                made = re.compile(node.args[0].value)
                found.setdefault((made.pattern, made.flags), (name, set()))[1].add(node.func.attr)
        for key, value in vars(importlib.import_module(name)).items():
            for one in _within(value):
                methods = asked.get(key, set()) & FUNCTIONS or set().union(*asked.values()) & FUNCTIONS
                found.setdefault((one.pattern, one.flags), (name, set()))[1].update(methods or {"search"})
    return found


def is_call_of_re(node: Any) -> bool:
    return (
        isinstance(node, ast.Call)
        and isinstance(node.func, ast.Attribute)
        and isinstance(node.func.value, ast.Name)
        and node.func.value.id == "re"
        and node.func.attr in FUNCTIONS
    )


def is_constant_call(node: Any) -> bool:
    return is_call_of_re(node) and not node.keywords and isinstance(node.args[0], ast.Constant)


def _within(value: object) -> Iterator[re.Pattern[Any]]:
    if isinstance(value, re.Pattern):
        yield value
    elif isinstance(value, tuple | list):
        for item in value:
            yield from _within(item)
    elif isinstance(value, dict):
        for item in value.values():
            yield from _within(item)


def literals(pattern: str | bytes) -> list[str]:
    """Runs of letters that the expression spells, by its text alone."""
    text = pattern.decode("latin-1") if isinstance(pattern, bytes) else pattern
    bare = re.sub(r"\\[a-zA-Z]|\(\?[:>=!<a-z]*|[][()|?*+^$.{}]|\\(?=\W)", "\0", text)
    return list(dict.fromkeys(run for run in bare.split("\0") if run))[:6]


def texts(pattern: str | bytes) -> Iterator[str]:
    own = literals(pattern)
    for piece in (*HOSTILE, *own, " ".join(own), "".join(own)):
        if piece:
            yield piece * (LENGTH // len(piece))
    for head in own[:3]:
        for piece in (" ", "a", "(", "a "):
            yield head + piece * (LENGTH // len(piece))
            yield f"{head} {piece}" * (LENGTH // (len(head) + 2))


class TooLongError(Exception):
    pass


def _stop(_signal: int, _frame: object) -> None:
    raise TooLongError


def _ask(expression: re.Pattern[Any], method: str, data: Any) -> None:
    if method in ("match", "fullmatch", "search"):
        getattr(expression, method)(data)
    else:  # from match to match
        for _ in expression.finditer(data):
            pass


def main() -> None:
    signal.signal(signal.SIGVTALRM, _stop)
    bad = 0
    for (pattern, flags), (name, methods) in sorted(
        expressions().items(), key=lambda item: (item[1][0], repr(item[0]))
    ):
        written = pattern.decode("latin-1") if isinstance(pattern, bytes) else pattern
        if NEVER.search(written):
            bad += 1
            print(f"{name}: {pattern!r} has a group that gives nothing back", flush=True)
        expression = re.compile(pattern, flags & ~re.UNICODE if isinstance(pattern, bytes) else flags)
        for text in texts(pattern):
            data = text.encode() if isinstance(pattern, bytes) else text
            try:
                signal.setitimer(signal.ITIMER_VIRTUAL, SECONDS)
                for method in sorted(methods):
                    _ask(expression, method, data)
            except TooLongError:
                bad += 1
                print(f"{name}: {pattern!r} on {text[:20]!r}...", flush=True)
                break
            finally:
                signal.setitimer(signal.ITIMER_VIRTUAL, 0)
    sys.exit(bad > 0)


if __name__ == "__main__":
    main()
