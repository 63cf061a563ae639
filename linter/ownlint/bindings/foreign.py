"""What Python declares of C libraries: `lib.sink_new.restype = ...` of `ctypes`, a text for `cdef` of `cffi`."""

from __future__ import annotations

import re
from collections.abc import Iterator

from ownlint.facts import records as r
from ownlint.flow import places
from ownlint.project.program import Program
from ownlint.project.questions import program_question

DECLARES = frozenset({"restype", "argtypes", "errcheck"})
"""Attributes of a function of `ctypes` by which it is declared."""
_NUMBERS = re.compile(
    r"c_(?:bool|w?char(?:_p)?|u?byte|u?short|u?int\d*|u?long(?:long)?|s?size_t|ssize_t|float|double|longdouble)"
)
_C_NUMBERS = re.compile(r"\b(?:void|bool|_Bool|char|short|int|long|float|double|unsigned|signed|s?size_t|u?int\d+_t)\b")
_NAMED = re.compile(r"(\w++)\s*+\Z")


@program_question
def declared(program: Program) -> dict[str, bool]:
    """The functions that the project declares of C libraries, and whether each returns a pointer."""
    found: dict[str, bool] = {}
    for function in program.functions:
        if function.language != "python":
            continue
        if any(f"={word}" in function.mentioned for word in DECLARES):
            for write in function.flow.writes:
                if len(write.place) > 1 and write.place[-1] in DECLARES:
                    is_handle = write.place[-1] == "restype" and _is_handle(write.value)
                    found[write.place[-2]] = found.get(write.place[-2], False) or is_handle
        if function.mentions("cdef"):
            for call in function.flow.calls:
                if places.last_name(call.node.callee) == "cdef" and call.node.args:
                    found.update(_declared_in(places.strip(call.node.args[0])))
    return found


def is_number(name: str) -> bool:
    """Whether it is a type of `ctypes` whose values are no handles; a `c_char_p` is copied."""
    return _NUMBERS.fullmatch(name) is not None


def _is_handle(value: r.Value | None) -> bool:
    inner = places.strip(value)
    if isinstance(inner, r.Literal) or inner is None:
        return False
    name = places.last_name(inner.callee if isinstance(inner, r.Call) else inner)
    return bool(name) and not is_number(name)


def _declared_in(value: r.Value | None) -> Iterator[tuple[str, bool]]:
    """The functions in a text of declarations: `sink* sink_new(int rate);`."""
    for statement in value.text.split(";") if isinstance(value, r.Literal) else ():
        before, called, _ = statement.rpartition("}")[2].partition("(")
        found = _NAMED.search(before) if called and "typedef" not in before else None
        if found is not None:
            head = before[: found.start()]
            yield found[1], ("*" in head and "char" not in head) or _C_NUMBERS.search(head) is None
