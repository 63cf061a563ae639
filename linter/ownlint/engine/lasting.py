"""What outlives the call: members, what a pointer or a reference leads to, statics and globals.

A value that ends with the call, and a thing that is made of options for somebody else, are not among them.
"""

from __future__ import annotations

import re

from ownlint.engine import assignments
from ownlint.facts import records as r
from ownlint.flow import events as e
from ownlint.flow.places import THIS, Place, receiver, strip
from ownlint.project import types
from ownlint.project.questions import flow_question
from ownlint.project.subjects import Function

_SETTINGS = re.compile(
    r"(?:options?|opts|params?|parameters?|spec|config|configuration|settings|flags|args|request|response|reply|proto)_?$",
    re.IGNORECASE,
)
_PLAIN_ANSWERS = frozenset({"flag", "state", "bit"})


def outlives(function: Function, announced: assignments.Assignment) -> bool:
    """Whether what is assigned is still there when the call is over, for somebody else to find."""
    place = announced.place
    root = place[0]
    if root == THIS or not function.is_local(place):
        return not _is_setting(function, place)
    if len(place) == 1 or all(step.startswith("[") for step in place[1:]):
        return root in statics(function) or _is_reached(function, root, announced)
    written, initial = declaration(function, root)
    kind = types.parse(function.program.types.of(r.Name(0, 0, root), function) or written)
    if _SETTINGS.search(kind.last) or _is_made_here(initial) or _is_part_of_local(function, root, announced.event):
        return False
    if kind.pointers or types.parse(written).pointers or types.parse(written).reference:
        return not kind.const
    roles = function.program.types.roles(kind.name, function)
    if kind.last == "iterator" or not _POINTING.isdisjoint(roles):
        if isinstance(found := strip(initial), r.Call) and _ends_with_call(function, _whole(function, receiver(found))):
            return False  # an iterator of a local container
        return initial is not None or root in function.parameter_names
    return kind.is_placeholder and isinstance(announced.event, e.Write) and _is_arrow(function, announced.event)


_POINTING = frozenset({"smart pointer", "shared pointer", "intrusive pointer", "iterator"})


def declaration(function: Function, root: str) -> tuple[str, r.Value | None]:
    """The type as written and the initial value of a local of the function or of those around it."""
    owner = function
    while root not in owner.locals and owner.parent is not None:
        owner = owner.parent
    return owner.locals.get(root, ("", None))


def _is_reached(function: Function, root: str, announced: assignments.Assignment) -> bool:
    """`bool& done` that is written, and `*done` of a `bool* done`. Another value is what the function answers with."""
    if announced.held.kind not in _PLAIN_ANSWERS:
        return False
    written = types.parse(declaration(function, root)[0])
    if written.reference:
        return not written.const
    event = announced.event
    is_pointee = isinstance(event, e.Write) and isinstance(event.target, r.Unary) and event.target.op == "*"
    return bool(written.pointers) and (is_pointee or isinstance(event, e.CallEvent))


def _is_setting(function: Function, place: Place) -> bool:
    """A member of something whose type is called options."""
    if len(place) < 3 or function.home is None or (found := function.home.field(place[1])) is None:
        return False
    return bool(_SETTINGS.search(types.parse(found[1].type).last))


def _is_made_here(initial: r.Value | None) -> bool:
    """The local owns or is what it names, so that it ends with a failure."""
    held = assignments.held(initial)
    return held is not None and held.kind == "object" and not isinstance(strip(initial), r.Name)


def _is_part_of_local(function: Function, root: str, event: e.Event) -> bool:
    """Whether the reference of that name, the nearest declared above, is bound to a part of an object that ends with
    the call."""
    above = [
        statement
        for statement in function.statements
        if isinstance(statement, r.Declare) and root in statement.names and statement.start <= event.span.start
    ]
    nearest = max(above, key=lambda statement: statement.start, default=None)
    if nearest is None or not nearest.type.rstrip().endswith("&"):
        return False
    return _ends_with_call(function, _whole(function, nearest.value))


def _whole(function: Function, value: r.Value | None) -> str:
    """The local that an element or a member is inside of, also one that an iterator leads to."""
    match strip(value):
        case r.Member(base=r.Name(text=name), name="second" | "first", arrow=True):
            found = strip(function.locals.get(name, ("", None))[1])
            return _whole(function, receiver(found)) if isinstance(found, r.Call) else ""
        case r.Index(base=base) | r.Member(base=base, arrow=False) | r.Call(callee=r.Member(name="at", base=base)):
            return _whole(function, base)
        case r.Name(text=name):
            return name
    return ""


def _ends_with_call(function: Function, name: str) -> bool:
    written, _ = function.locals.get(name, ("", None))
    kind = types.parse(written)
    handed = any(parameter.name == name for parameter in function.record.parameters)
    return (
        bool(kind.name) and kind.is_value and not kind.is_placeholder and not handed and name not in statics(function)
    )


def _is_arrow(function: Function, write: e.Write) -> bool:
    target = function.target(write)
    return isinstance(target, r.Member) and target.arrow


@flow_question
def statics(function: Function) -> frozenset[str]:
    return frozenset(
        name
        for statement in function.statements
        if isinstance(statement, r.Declare) and statement.static
        for name in statement.names
    )


def is_setting(name: str) -> bool:
    """Whether something of that name holds what somebody wishes, rather than what is the case."""
    return _SETTINGS.search(name) is not None
