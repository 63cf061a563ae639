"""What a call of something that nobody sees may change of the objects that the function around it works on: its
receiver, and what its parameters lead to.

It changes nothing of what it cannot reach: a function that is given neither the object nor a member of it, nor what
points to it, and is no method of its class, leaves its members alone. That nothing else leads it there is an
assumption.
"""

from __future__ import annotations

from collections.abc import Iterator

from ownlint.domains.memory.blocks import Block
from ownlint.facts import records as r
from ownlint.flow.places import THIS, strip
from ownlint.project import types
from ownlint.project.callees import Callee
from ownlint.project.subjects import Function

ALL = None


def object_of(function: Function) -> Block | None:
    """The object that the function works on, as the function itself knows it: its receiver, or what its first parameter
    points to, where it is no method."""
    record = function.record
    if record.kind in ("method", "constructor", "destructor", "conversion"):
        return ("in", ("var", THIS), ()) if "static" not in record.qualifiers else None
    if record.kind != "function" or not record.parameters:
        return None
    return ("in", ("var", record.parameters[0].name), ())


def may_change(function: Function, name: str, node: r.Call, callee: Callee) -> frozenset[str] | None:
    """The members that the call may change of the object to which the name leads; `ALL` where it may change every
    one."""
    if function.program.macros.named(callee.symbol.rpartition("::")[2]):
        return ALL
    if _is_on_object(function, node, name, callee) or any(_leads_back(function, one, name) for one in node.args):
        return ALL
    changed: set[str] = set()
    for index, argument in enumerate(node.args):
        given = frozenset(_given(function, argument, name))
        if "" in given:
            return ALL
        taken = {one.parameters[index].type for one in callee.records if index < len(one.parameters)}
        if not taken or any(_is_changed(one) for one in taken) or strip(argument) is not argument:
            changed |= given
    return frozenset(changed)


def _leads_back(function: Function, argument: r.Value, name: str) -> bool:
    """Whether an object is given of which a member points to the other one: `link` of `drop(list->first)`, which takes
    itself out of `link->list`."""
    program, scope, file = function.program, function.record.scope, function.file
    known = (program.types.of(one, function) for one in (argument, r.Name(0, 0, name)))
    given, owner = (program.names.find_class(types.parse(written).name, scope, file) for written in known)
    if given is None or owner is None or given is owner:
        return False
    leading = (types.parse(field.type) for field in given.fields.values())
    return any(kind.last == owner.name and (kind.pointers or kind.reference) for kind in leading)


def _is_changed(written: str) -> bool:
    """Whether who takes it so may change what is given."""
    kind = types.parse(written)
    return kind.pointers > 1 or (kind.reference and not kind.const)


def _is_on_object(function: Function, node: r.Call, name: str, callee: Callee) -> bool:
    """Whether the call is one of a method of the object that may change it."""
    if isinstance(node.callee, r.Member):
        base = strip(node.callee.base)
        while isinstance(base, r.Unary) and base.op in ("*", "&"):
            base = strip(base.value)
        if not isinstance(base, r.Name) or base.text != name:
            return False
    elif name != THIS:
        return False
    elif not isinstance(node.callee, r.Name):
        return True
    else:
        home = function.home
        if home is None:
            return True
        plain = node.callee.text
        if "::" not in plain and not home.declared(plain) and not callee.records and _has_unknown_base(function):
            return True
        if not any(record.owner for record in callee.records) and not home.declared(plain):
            return False
    constant = [record for record in callee.records if not {"const", "static"}.isdisjoint(record.qualifiers)]
    return not callee.records or len(constant) < len(callee.records)


def _has_unknown_base(function: Function) -> bool:
    home = function.home
    return home is None or any(len(cls.bases) < len(cls.record.bases) for cls in home.ancestry)


def _given(function: Function, value: r.Value | None, name: str) -> Iterator[str]:
    """The members of the object that are given with a value; nothing for the whole of it."""
    match strip(value):
        case r.Name(text=text) if text == name:
            yield ""
        case r.Name(text=text) if name == THIS and text not in function.declared:
            if function.home is not None and function.home.field(text):
                yield text
        case r.Member(base=base, name=member):
            inner = strip(base)
            if isinstance(inner, r.Name) and inner.text == name:
                yield member
            else:
                yield from _given(function, base, name)
        case r.Unary(value=inner):
            yield from _given(function, inner, name)
        case r.Conditional(then=then, other=other):
            yield from _given(function, then, name)
            yield from _given(function, other, name)
        case r.Index(base=base):
            yield from _given(function, base, name)
        case r.Aggregate(items=items):
            for item in items:
                yield from _given(function, item, name)
        case r.Call(args=args, kind="construct"):
            for arg in args:
                yield from _given(function, arg, name)
        case r.Lambda() | r.OpaqueValue():
            yield ""
