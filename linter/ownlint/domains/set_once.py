"""Members that get their value where the object is made and keep it: asking one later says how it was made."""

from __future__ import annotations

import re
from collections.abc import Iterator

from ownlint.facts import records as r
from ownlint.flow import events as e
from ownlint.flow.places import THIS, last_name, strip
from ownlint.project import types
from ownlint.project.subjects import Class, Function

_ADDRESS = re.compile(rb'"&"')


def is_set_once(cls: Class, name: str) -> bool:
    """Whether a pointer of a class is given more than null where an object is made, in a constructor or by a function
    that returns the new object, and is neither changed nor lent afterwards. False where no object is seen made."""
    found = cls.field(name)
    if found is None or not types.parse(found[1].type).pointers:
        return False
    made = [value for one in found[0].constructors for value in _constructed(one, found[1])]
    for function in cls.program.functions:
        if function.language != "cpp" or (function.cls is found[0] and function.record.kind == "constructor"):
            continue
        if _lends(function, name, cls):
            return False
        for write in function.flow.writes if function.mentions("=" + name) else ():
            if write.place[-1] == name and _may_be_of(function, write.target, cls):
                if not _is_returned_local(function, write.place[0]):
                    return False
                made += [] if _is_overwritten(function, write) else [write.value]
    return bool(made) and not any(isinstance(strip(value), r.Literal) for value in made)


def _constructed(constructor: Function, field: r.Field) -> Iterator[r.Value | None]:
    """What a constructor leaves in a member: the last that it writes, its initializer, or what the class says."""
    writes = constructor.flow.writes_to((THIS, field.name))
    given = [one.args[0] if one.args else None for one in constructor.record.initializers if one.name == field.name]
    if writes:
        yield from (write.value for write in writes if not _is_overwritten(constructor, write))
    else:
        yield given[-1] if given else field.value


def _is_overwritten(function: Function, write: e.Write) -> bool:
    """Whether a later write to the same place stands on every path on from this one that returns something."""
    later = [one for one in function.flow.writes_to(write.place) if one is not write]
    return bool(later) and not any(
        isinstance(event, e.LeaveEvent) and not isinstance(strip(event.value), r.Literal)
        for event in function.flow.after(write, lambda event: event in later)
    )


def _lends(function: Function, name: str, cls: Class) -> bool:
    """Whether the address of that member of an object that may be one of the class is taken."""
    if not function.says(_ADDRESS) or b'"%b"' % name.encode() not in function.encoded:
        return False
    lent = (value.value for value in function.values if isinstance(value, r.Unary) and value.op == "&")
    return any(last_name(one) == name and _may_be_of(function, one, cls) for one in lent)


def _may_be_of(function: Function, member: r.Value | None, cls: Class) -> bool:
    """Whether the object of a member may be one of the class: it is of no other type that is known."""
    inner = strip(member)
    if not isinstance(inner, r.Member):
        return function.home is not None and (function.home in cls.ancestry or cls in function.home.ancestry)
    written = function.program.types.of(inner.base, function)
    found = function.program.names.find_class(written, function.record.scope, function.file) if written else None
    return found is None or found in cls.ancestry or cls in found.ancestry


def _is_returned_local(function: Function, name: str) -> bool:
    """Whether the object is a local that the function returns."""
    if name not in function.locals or any(one.name == name for one in function.record.parameters):
        return False
    return any(leave.kind == "return" and last_name(strip(leave.value)) == name for leave in function.flow.leaves)
