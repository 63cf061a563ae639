"""Macros that leave the function wherever they are used: `#define FAIL return NULL`,
`#define END(value) unlock(); return (value)`, `#define RAISE(what) do { throw what; } while (0)`; or the loop around:
`#define SKIP(why) { error = why; break; }`. And those that do nothing but call something with what they are given, and
empty it: `#define DROP(p) { free(p); p = NULL; }`.

A source is its own text: the body of a `#define`, as far as it is one statement after the other.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import lru_cache
from typing import Literal, NamedTuple

from ownlint.flow.expressions import LeavingTest

_LAST = re.compile(r"(?:^|(?<=[;{}]))\s*(return|co_return|throw)\b([^;]*)$")
_LAST_OF_LOOP = re.compile(r"(?:^|(?<=[;{}]))\s*(break|continue)$")
_CALLED_LAST = re.compile(r"(?:^|(?<=[;{}]))\s*([A-Za-z_]\w*+)\s*(\([^;]*\))?$")
_PLACE = re.compile(r"(&?)[\s(]*([A-Za-z_]\w*+)[\s)]*((?:(?:->|\.)\s*[A-Za-z_]\w*+\s*)*)")
_ONCE = re.compile(r"do\s*\{(.*)\}\s*while\s*\(\s*(?:0|false|FALSE|__LINE__\s*==\s*-1)\s*\)$", re.DOTALL)
_UNASKED = re.compile(r"(?<!\w)if\s*\([\s(]*\w+[\s)]*(?:!=\s*(?:NULL|nullptr|0)[\s)]*)?\)")
_EMPTIED = re.compile(r"[(\s]*(\w+)[)\s]*=\s*(?:\(void\s*\*\)\s*)?(?:NULL|nullptr|0)")
_CAST = re.compile(r"^(?:\(\s*\w[\w\s:]*\*[\s*]*\)|(?:static|reinterpret|const)_cast\s*<[^<>]*\*\s*>)")
_DELETED = re.compile(r"delete(?:\s*\[\s*\])?[(\s]*(\w+)[)\s]*")
_TURNS = re.compile(r"\}\s*else\b")
_IF = re.compile(r"if\s*\(")
LEAVES = re.compile(r"\b(?:return|co_return|throw|goto)\b")
_ASSIGNED = re.compile(r"[\w)]\s*(?:->|\.)\s*(\w++)\s*=(?!=)")
_ADDRESSED = re.compile(r"&[\s(]*\w++[\s)]*(?:->|\.)\s*(\w++)")
_BEHIND_TYPE = re.compile(r"(?:(?<=\w )(?<!\breturn )|(?<=[*&>])|(?<=[*&>] ))([A-Za-z_]\w*+)")
_ENDS = re.compile(r"\babort\b")
_GIVEN = re.compile(r"\b(?!__builtin_)((?=\w*[a-z])[A-Za-z_]\w*+)\s*\((?:[^()]|\([^()]*\))*\)")
_ASKS_MORE = re.compile(r"\b(?:if|else|for|while|switch|case)\b|\?")
_CALL = re.compile(r"(\w+)\s*\((.*?)(?:,\s*(?:0|1|false|true)\s*)?\)")
_COMPARED = re.compile(r"(\w+|\([^()]*\))\s*(==|!=|<=?|>=?)\s*(-?\d+|[A-Za-z_]\w*(?:::\w+)*)")
_BLOCK = re.compile(r"\{(.*)\}$", re.DOTALL)
QUOTED = re.compile(r"'(?:[^'\\\n]|\\.){1,12}'|\"[^\"\\]*+(?:\\.[^\"\\]*+)*(?:\"|\\?\Z)")


Side = Literal["", "if", "other", "end"]


class Exit(NamedTuple):
    """`answer` is what a `return` answers, as the `#define` writes it, without brackets around, and a pointer without
    casts of it; empty for nothing. What is an `end` ends the program."""

    kind: Literal["return", "throw", "break", "continue", "end"]
    answer: str = ""


class MacroStep(NamedTuple):
    """The call of a function, or a `delete`, with parameters of the macro or other names, with members that are reached
    from one, or with their addresses: `p`, `&m`, `&q->lock`. `called` is empty where a parameter becomes null."""

    called: str
    given: tuple[str, ...]


@lru_cache(maxsize=4096)
def steps_of(body: str, parameters: tuple[str, ...]) -> tuple[MacroStep, ...]:
    """All that the body does, where it does nothing else; a test for null beforehand is none."""
    found: list[MacroStep] = []
    for part in re.split("[;{}]", _UNASKED.sub("", _statements(body))):
        step = _step(part.strip(), parameters)
        if step is None:
            return ()
        found += [step] if step.given else []
    return tuple(found)


def _step(part: str, parameters: tuple[str, ...]) -> MacroStep | None:
    if not part:
        return MacroStep("", ())
    if (emptied := _EMPTIED.fullmatch(part)) is not None:
        return MacroStep("", (emptied[1],)) if emptied[1] in parameters else None
    if (deleted := _DELETED.fullmatch(part)) is not None:
        return MacroStep("delete", (deleted[1],)) if deleted[1] in parameters else None
    called = _CALLED_LAST.fullmatch(part)
    if called is None or not called[2] or not _closes_at_end(called[2]):
        return None
    given = tuple(_given(one) for one in called[2][1:-1].split(","))
    return MacroStep(called[1], given) if all(given) else None


def _given(written: str) -> str:
    """What a call gets, where that is a name, a member that is reached from one, or the address of either."""
    named = _PLACE.fullmatch(_bare(_CAST.sub("", _bare(written))))
    return "".join(f"{named[1]}{named[2]}{named[3]}".split()) if named is not None else ""


@lru_cache(maxsize=4096)
def exit_of(body: str) -> Exit | None:
    """How a macro of this body leaves whenever it is used; None where it may go on."""
    last = _LAST.search(_statements(body)) or _LAST_OF_LOOP.search(_statements(body, _BLOCK))
    if last is None:
        return None
    match last[1]:
        case "throw" | "break" | "continue" as kind:
            return Exit(kind)
        case _:
            return Exit("return", _uncast(last[2]))


def leaving_test(
    body: str, parameters: tuple[str, ...], is_hint: Callable[[str], bool], leaves: Callable[[str], bool]
) -> LeavingTest | None:
    """Of a body that is one `if` and leaves in it whenever the test comes out so. `is_hint` says of a macro that it is
    as true as its argument, `leaves` that it leaves wherever it is used."""
    written = _statements(body)
    begins = _IF.match(written)
    if begins is None:
        return None
    opening = begins.end() - 1
    closing = opening + _closing(written[opening:])
    if closing < opening:
        return None
    then = QUOTED.sub("0", written[closing + 1 :]).strip()
    if _ASKS_MORE.search(then) or not (LEAVES.search(then) or leaves(called_last(then))):
        return None
    if not (_closes_at_end(then, "{}") if then[:1] == "{" else ";" not in then):
        return None
    return _asked(written[opening + 1 : closing], parameters, is_hint)


def _asked(
    condition: str, parameters: tuple[str, ...], is_hint: Callable[[str], bool], outcome: bool = True
) -> LeavingTest | None:
    inner = _bare(condition)
    while inner[:1] == "!" and inner[:2] != "!=":
        inner, outcome = _bare(inner[1:]), not outcome
    if inner in parameters:
        return LeavingTest(parameters.index(inner), "", "", outcome)
    hinted = _CALL.fullmatch(inner)
    if hinted is not None and is_hint(hinted[1]) and _closes_at_end(inner[len(hinted[1]) :].lstrip()):
        return _asked(hinted[2], parameters, is_hint, outcome)
    compared = _COMPARED.fullmatch(inner)
    if compared is None or _bare(compared[1]) not in parameters or compared[3] in parameters:
        return None
    return LeavingTest(parameters.index(_bare(compared[1])), compared[2], compared[3], outcome)


@lru_cache(maxsize=4096)
def set_members(body: str) -> frozenset[str]:
    """The members that a body assigns, or whose address it hands out: what it asks of one was set just before."""
    return frozenset((*_ASSIGNED.findall(body), *_ADDRESSED.findall(body)))


@lru_cache(maxsize=4096)
def may_declare(body: str, name: str) -> bool:
    """Whether a body may have a local of its own by the name: a word, or the end of a type, stands before it."""
    return name in _BEHIND_TYPE.findall(body)


@lru_cache(maxsize=4096)
def asked(body: str) -> tuple[str, ...]:
    """The conditions of a body by which it leaves, without what is given to calls in them."""
    return tuple(_GIVEN.sub(r"\1", said) for said in (conditions(body) if _IF.search(body) else (body,)))


@lru_cache(maxsize=4096)
def conditions(body: str) -> tuple[str, ...]:
    """The conditions of a body by which it leaves, as they are written."""
    found = []
    for begins in _IF.finditer(body):
        opening = begins.end() - 1
        closing = opening + _closing(body[opening:])
        if closing < opening:
            break
        arm = body[closing + 1 :].lstrip()
        arm = arm[: _closing(arm, "{}") + 1] if arm[:1] == "{" else arm.partition(";")[0]
        if LEAVES.search(arm) or _ENDS.search(arm):
            found.append(body[opening + 1 : closing])
    return tuple(found)


@lru_cache(maxsize=4096)
def side_of(body: str) -> Side:
    """What a macro does to the braces around it that it leaves open or closes: `if (setjmp(at) == 0) {`, `} else {`,
    `}`."""
    depth = lowest = 0
    bare = QUOTED.sub("0", body)
    for letter in bare:
        depth += (letter == "{") - (letter == "}")
        lowest = min(lowest, depth)
    if depth == lowest:
        return "end" if lowest else ""
    if lowest:
        return "other" if _TURNS.search(bare) else ""
    return "if" if _IF.search(bare) else ""


def called_last(body: str) -> str:
    """The name of what the body does at its end, whatever came before: another macro, perhaps one that leaves."""
    last = _CALLED_LAST.search(_statements(body))
    return last[1] if last is not None and (not last[2] or _closes_at_end(last[2])) else ""


def _statements(body: str, *wrappers: re.Pattern[str]) -> str:
    """The body without what is wrapped around it to make it one statement, or one expression."""
    inner = body.strip()
    for _ in range(4):
        inner = inner.rstrip("; \t\n")
        if inner.startswith("({") and inner.endswith("})"):
            inner = inner[1:-1]
        wrapped = next((found for one in wrappers or (_ONCE, _BLOCK) if (found := one.match(inner))), None)
        if wrapped is None or not _closes_at_end(f"{{{wrapped[1]}}}", "{}"):
            return inner
        inner = wrapped[1].strip()
    return inner


def _uncast(written: str) -> str:
    """A name without the casts and the brackets around; anything else without the brackets."""
    answer = inner = _bare(written)
    while (further := _bare(_CAST.sub("", inner))) != inner:
        inner = further
    return inner if inner.isidentifier() else answer


def _bare(written: str) -> str:
    inner = written.strip()
    while inner.startswith("(") and inner.endswith(")") and _closes_at_end(inner):
        inner = inner[1:-1].strip()
    return inner


def _closes_at_end(written: str, brackets: str = "()") -> bool:
    """Whether the first bracket is closed by the last letter: not in `{ a } b { c }`."""
    return 0 <= _closing(written, brackets) == len(written) - 1


def _closing(written: str, brackets: str = "()") -> int:
    """Where the bracket is closed with which the text begins; -1 where it is not."""
    depth = 0
    for position, letter in enumerate(written):
        depth += (letter == brackets[0]) - (letter == brackets[1])
        if not depth:
            return position
    return -1
