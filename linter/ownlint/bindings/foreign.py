"""What Python declares of C libraries: `lib.sink_new.restype = ...` of `ctypes`, a text for `cdef` of `cffi`."""

from __future__ import annotations

import re
from collections.abc import Iterator

from ownlint.facts import records as r
from ownlint.facts.show import text
from ownlint.flow import places
from ownlint.project.program import Program
from ownlint.project.questions import program_question
from ownlint.project.subjects import Function

DECLARES = frozenset({"restype", "argtypes", "errcheck"})
"""Attributes of a function of `ctypes` by which it is declared."""
_NUMBERS = re.compile(
    r"c_(?:bool|w?char(?:_p)?|u?byte|u?short|u?int\d*|u?long(?:long)?|s?size_t|ssize_t|float|double|longdouble)"
)
_C_NUMBERS = re.compile(r"\b(?:void|bool|_Bool|char|short|int|long|float|double|unsigned|signed|s?size_t|u?int\d+_t)\b")
_COMMENT = re.compile(r"//[^\n]*+|/\*.*?\*/|^[ \t]*+#[^\n]*+", re.DOTALL | re.MULTILINE)
_PARAMETER = re.compile(r"(?<=[\s*])\w++\s*+\Z")
"""The name of a parameter behind its type."""
_NAMED = re.compile(r"(\w++)\s*+\Z")


@program_question
def declared(program: Program) -> dict[str, bool]:
    """The functions that the project declares of C libraries, and whether each returns a pointer."""
    found: dict[str, bool] = {}
    for function in _declaring(program):
        for name, attribute, value in _declarations(function):
            found[name] = found.get(name, False) or (attribute == "restype" and _is_handle(value))
        for said in _texts(function):
            found.update(_declared_in(said))
    return found


def _declaring(program: Program) -> Iterator[Function]:
    return (one for one in program.calling({"cdef", *(f"={word}" for word in DECLARES)}) if one.language == "python")


def _declarations(function: Function) -> Iterator[tuple[str, str, r.Value | None]]:
    """What a function of Python declares by attributes of functions of `ctypes`: of which, the attribute, and what it
    is given."""
    if function.language == "python" and any(f"={word}" in function.mentioned for word in DECLARES):
        for write in function.flow.writes:
            if len(write.place) > 1 and write.place[-1] in DECLARES:
                yield write.place[-2], write.place[-1], write.value


def _texts(function: Function) -> Iterator[str]:
    """What a function gives to `cdef`, without comments: a text, or a variable that got one in the function or where
    a module begins."""
    for call in function.flow.calls if function.language == "python" and function.mentions("cdef") else ():
        given = places.strip(call.node.args[0]) if call.node.args else None
        if places.last_name(call.node.callee) != "cdef":
            continue
        name = given.text.rpartition(".")[2] if isinstance(given, r.Name) else places.last_name(given)
        modules = (one for one in function.program.functions if name and one.record.kind == "module")
        written = [write.value for one in (function, *modules) for write in one.flow.writes_to((name,)) if name]
        for one in map(places.strip, (given, *written)):
            if isinstance(one, r.Literal):
                yield _COMMENT.sub("", one.text)


@program_question
def taken(program: Program) -> dict[str, str]:
    """By the declared function the type of its first argument, see `spelled_type`."""
    found: dict[str, str] = {}
    for function in _declaring(program):
        for name, attribute, value in _declarations(function):
            listed = places.strip(value)
            if attribute == "argtypes" and isinstance(listed, r.Aggregate) and listed.items:
                found[name] = spelled_type(text(listed.items[0]))
        for said in _texts(function):
            found.update(_first_in(said))
    return found


def spelled_type(written: str) -> str:
    """A type of C or of `ctypes`, spelled so that equal ones are equal: `clip*` of `struct clip *`, `c_void_p` of
    `ctypes.c_void_p`."""
    kept = " ".join(word for word in written.replace("*", " * ").split() if word not in ("const", "struct"))
    return kept.replace(" *", "*") if "*" in kept else kept.rpartition(".")[2]


def _statements(said: str) -> Iterator[tuple[str, str, str]]:
    """The functions in a text of declarations, `sink* sink_new(int rate);`: the name, what stands before it and what
    behind the bracket."""
    for statement in said.split(";"):
        before, called, behind = statement.rpartition("}")[2].partition("(")
        found = _NAMED.search(before) if called and "typedef" not in before else None
        if found is not None:
            yield found[1], before[: found.start()], behind


def _first_in(said: str) -> Iterator[tuple[str, str]]:
    """By the functions in a text of declarations the types of their first arguments."""
    for name, _, behind in _statements(said):
        first = behind.rpartition(")")[0].partition(",")[0]
        if "(" not in first:
            yield name, spelled_type(_PARAMETER.sub("", first))


def _declared_in(said: str) -> Iterator[tuple[str, bool]]:
    """The functions in a text of declarations, and whether each returns a pointer, or a type with another name."""
    for name, head, _ in _statements(said):
        yield name, ("*" in head and "char" not in head) or _C_NUMBERS.search(head) is None


def is_number(name: str) -> bool:
    """Whether it is a type of `ctypes` whose values are no handles; a `c_char_p` is copied."""
    return _NUMBERS.fullmatch(name) is not None


def _is_handle(value: r.Value | None) -> bool:
    inner = places.strip(value)
    if isinstance(inner, r.Literal) or inner is None:
        return False
    name = places.last_name(inner.callee if isinstance(inner, r.Call) else inner)
    return bool(name) and not is_number(name)
