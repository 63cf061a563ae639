"""Memory that an object lends: a foreign function gives its address for a handle that the object frees when it dies."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from ownlint.facts import records as r
from ownlint.flow.places import last_name, walk
from ownlint.project.subjects import Class, Function

_DESTRUCTOR = "__del__"
_FINALIZE = "finalize"
"""Of `weakref`."""

Points = Callable[[r.Call], bool]
"""Whether what a call answers points to its first argument."""


def handle_behind(function: Function, address: r.Value, points: Points) -> str:
    """The attribute of `self` for which a foreign function gave this address, where the object's destructor frees what
    the attribute stands for, and nothing here can keep the object alive; else empty."""
    home = function.home
    if home is None or not function.is_method or _hands_self_on(function):
        return ""
    freed = freed_handles(home)
    return next((name for name in _handles_given_for(function, address, points) if name in freed), "") if freed else ""


def freed_handles(cls: Class) -> frozenset[str]:
    """Attributes that its destructor gives to functions of others, by itself or in a method of the class that it
    calls, or that a finalizer gives to one: `weakref.finalize(self, free, handle)`."""
    found = {name for one in cls.ancestry for method in one.methods for name in _finalized(method)}
    for method in cls.defined(_DESTRUCTOR):
        found |= _given_away(method)
        for name in sorted(_own_methods_called(method)):
            for called in cls.defined(name):
                found |= _given_away(called)
    return frozenset(found)


def _finalized(method: Function) -> Iterator[str]:
    """Attributes that a function gets when the object is collected: as they are, or as the value that is put there."""
    if not method.mentions(_FINALIZE):
        return
    given: dict[str, set[str]] = {}
    for part in method.values:
        match part:
            case r.Assign(target=target, value=r.Name(text=name)) if attribute := _own_attribute(target):
                given.setdefault(name, set()).add(attribute)
            case r.Assign(target=r.Name(text=name), value=value) if attribute := _own_attribute(value):
                given.setdefault(name, set()).add(attribute)
    for call in method.calls():
        match call:
            case r.Call(args=(r.Name(text=itself), _, *handles)) if itself == method.itself:
                if last_name(call.callee) == _FINALIZE:
                    for handle in handles:
                        yield from given.get(handle.text, ()) if isinstance(handle, r.Name) else ()
                        if attribute := _own_attribute(handle):
                            yield attribute


def _given_away(method: Function) -> set[str]:
    """Attributes of `self` among the arguments of calls, also through a local that was given one."""
    stands: dict[str, set[str]] = {}
    for call_or_assign in method.values:
        match call_or_assign:
            case r.Assign(target=r.Name(text=name), value=value) if attribute := _own_attribute(value):
                stands.setdefault(name, set()).add(attribute)
    found: set[str] = set()
    for part in method.values:
        if not isinstance(part, r.Call) or _own_attribute(part.callee):
            continue
        for argument in part.args:
            for inner in walk(argument):
                if attribute := _own_attribute(inner):
                    found.add(attribute)
                elif isinstance(inner, r.Name):
                    found |= stands.get(inner.text, set())
    return found


def _own_methods_called(method: Function) -> set[str]:
    return {_own_attribute(part.callee) for part in method.calls()} - {""}


def _handles_given_for(function: Function, address: r.Value, points: Points) -> Iterator[str]:
    """Attributes of `self` that are the address, or part of the sum that is, or that stand beside it in the call that
    gave it: as its result, through a pointer to a local, or in a struct that another method of the object fills."""
    stack: list[tuple[Function, r.Value]] = [(function, address)]
    seen: set[tuple[Function, str]] = set()
    while stack:
        current, value = stack.pop()
        match value:
            case r.Binary(op="+" | "-", left=left, right=right):
                stack += [(current, right), (current, left)]
            case r.Member() if attribute := _own_attribute(value):
                yield attribute
            case r.Member(base=base):
                stack.append((current, base))
            case r.Call(args=(first, *_)) if points(value):
                stack.append((current, first))
            case r.Call(callee=callee) if (name := _own_attribute(callee)) and current.home is not None:
                stack += [(one, given) for one in current.home.defined(name) for given in _returned(one)]
            case r.Call():
                yield from _attributes_given(value)
            case r.Name(text=name) if (current, name) not in seen:
                seen.add((current, name))
                for part in current.values:
                    match part:
                        case r.Assign(target=r.Name(text=written), value=given) if written == name:
                            stack.append((current, given))
                        case r.Call(args=args) if any(_is_address_of(one, name, points) for one in args):
                            yield from _attributes_given(part)


def _returned(function: Function) -> Iterator[r.Value]:
    for statement in function.statements:
        if isinstance(statement, r.Leave) and statement.kind == "return" and statement.value is not None:
            yield statement.value


def _attributes_given(call: r.Call) -> Iterator[str]:
    return (name for argument in call.args if (name := _own_attribute(argument)))


def _is_address_of(argument: r.Value, name: str, points: Points) -> bool:
    match argument:
        case r.Call(args=(r.Name(text=written), *_)):
            return written == name and points(argument)
    return False


def _own_attribute(value: r.Value | None) -> str:
    match value:
        case r.Member(base=r.Name(text="self"), name=name):
            return name
    return ""


def _hands_self_on(function: Function) -> bool:
    """Whether `self` itself, not something of it, goes somewhere: a wrapper, a finalizer, a tuple, an attribute."""
    reached = {part.base.start for part in function.values if isinstance(part, r.Member)}
    return any(
        isinstance(part, r.Name) and part.text == "self" and part.start not in reached for part in function.values
    )
