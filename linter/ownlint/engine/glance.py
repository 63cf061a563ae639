"""What an encoded body tells before it is decoded: which bodies are worth the cost of reading.

A search in the bytes costs a hundredth of what decoding and lowering do. The answers may be yes too often, never no
wrongly. Names stand in the bytes as JSON strings, in the order of the fields of `records`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from ownlint.engine.assignments import SETTING_CALLS
from ownlint.facts import records as r
from ownlint.project import undecoded
from ownlint.project.questions import question
from ownlint.project.subjects import Function


def opens(kind: type[r.Node]) -> bytes:
    """How a record of that kind begins: its tag, where it starts, where it ends."""
    return rb"\[%b,\d+,\d+," % str(kind.__struct_config__.tag).encode()


_SIGN = re.compile(rb',"(?:=|\|=|\+=|\+\+)",')
"""What stands behind the target of an assignment."""
_NAME = re.compile(opens(r.Assign) + opens(r.Name))
_ASSIGN = b"[%b," % str(r.Assign.__struct_config__.tag).encode()
_MEMBER = re.compile(rb'",(?:true|false),\d+\]')
_DECLARES = re.compile(opens(r.Declare) + rb'\["([^"]*)"\],"([^"]*)"')
_LEAVES = re.compile(rb'"(?:return|throw)"')
_ASKS_FOR_KEY = re.compile(rb'"(?:second|find|contains|count)"|%b\["[^"]*","' % opens(r.Declare))


@question
def names_set(function: Function) -> frozenset[str]:
    """Last names of what the body may assign to and what may outlive it; empty for an element, for what a pointer
    points to, and for a call that assigns in other words."""
    names: set[str] = set()
    if any(name.startswith("=") for name in function.mentioned):
        body = function.encoded
        found = set(_targets(body))
        ending = _end_with_call(body) if any(is_name for _, is_name in found) else frozenset()
        names = {name.decode() for name, is_name in found if not is_name or name not in ending}
    return frozenset({*names, ""} if _assigns_by_call(function) else names)


def _targets(body: bytes) -> Iterator[tuple[bytes, bool]]:
    """The last names of what is assigned to, each with whether it is a name alone; empty for elements and pointees.
    Signs are looked for, and what stands before them is read backwards: they are rare, and brackets are not."""
    for sign in _SIGN.finditer(body):
        at = sign.start()
        if body[at - 2 : at] == b"]]":
            yield b"", False
            continue
        is_name = body[at - 2 : at] == b'"]'
        end = at - 2 if is_name else body.rfind(b'",', 0, at)
        begin = body.rfind(b'"', 0, end) + 1
        if not is_name:
            if begin > 1 and body[begin - 2 : begin] == b',"' and _MEMBER.fullmatch(body, end, at):
                yield body[begin:end], False
        elif _NAME.fullmatch(body, body.rfind(_ASSIGN, 0, begin), begin - 1):
            yield body[begin:end], True


def _assigns_by_call(function: Function) -> bool:
    if function.home is not None and function.mentions_any(function.home.setters):
        return True
    if not SETTING_CALLS.isdisjoint(function.mentioned) or "emplace" in function.mentioned:
        return True  # an optional has an `emplace`, too
    keyed = function.program.models.containers.keyed
    return not keyed.isdisjoint(function.mentioned) and function.says(_ASKS_FOR_KEY)


def _end_with_call(body: bytes) -> frozenset[bytes]:
    """The locals that nobody else can see: no static, no parameter, no reference."""
    if b",true]" in body:
        return frozenset()
    return frozenset(name for name, written in _DECLARES.findall(body) if b"&" not in written)


@question
def may_fail(function: Function) -> bool:
    """Whether the body leaves before its end in some way: by itself, by a macro, or by what a callee throws."""
    program, mentions = function.program, function.mentioned
    return (
        function.says(_LEAVES)
        or any(
            program.macros.role(name) in ("return on failure", "assign or return")
            for name in mentions
            if name[0] != "="
        )
        or not undecoded.throwers(program).isdisjoint(mentions)
        or not undecoded.library_throwers(program)[function.language].isdisjoint(mentions)
        or not undecoded.passers(program)[function.language].isdisjoint(mentions)
    )


def asks_again(function: Function, name: str) -> bool:
    """Whether what the body sets may be looked at in it, too: the name stands there twice."""
    return function.encoded.count(b'"%b"' % name.encode()) > 1 or _calls_accessor(function, name)


def may_ask(function: Function, name: str) -> bool:
    """Whether the body says the name, or calls something short that does."""
    return says(function, name) or _calls_accessor(function, name)


def _calls_accessor(function: Function, name: str) -> bool:
    return function.mentions_any(undecoded.accessors(function.program).get(name, frozenset()))


def says(function: Function, name: str) -> bool:
    return b'"%b"' % name.encode() in function.encoded


_SAID = re.compile(rb'"([A-Za-z_]\w*)"')


def said_names(function: Function) -> set[str]:
    """Every name and word that stands in the body."""
    return {name.decode() for name in _SAID.findall(function.encoded)}
