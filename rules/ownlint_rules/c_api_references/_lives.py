"""What the functions of a C type do with the object that they are given, and with its parts: they, and each function of
the project that gets the object from them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Literal, NamedTuple

from ownlint import Function, events, pairs, places, questions, references
from ownlint import records as r

What = Literal["unread", "called", "macro", "method", "given", "freed", "lent", "kept", "released", "visited", "part"]
_LENT = frozenset({"lent", "retained", "passed on", "borrowed by an owner"})


class Deed(NamedTuple):
    """What `function` does at `at` with `value`: with the object, or with what is not the object itself.

    `unread`: what stands there was not understood. `called`, `macro`: a function is called, or a macro of the project
    stands there; then `value` is an argument that says the object. `method`: something is called on it. `given`,
    `freed`, `lent`: a function gets it that was not analysed, that may free it, that looks at it. `kept`: it is stored,
    or the answer. `released`, `visited`: a reference is. `part`: anything else, of which `is_lent` says that a call
    looks at it. `member` is the name of a member of the object that `value` is.
    """

    function: Function
    at: events.Event
    what: What
    value: r.Value | None = None
    member: str = ""
    is_lent: bool = False

    @property
    def called(self) -> str:
        """The last name of what is called."""
        return places.last_name(self.at.node.callee) if isinstance(self.at, events.CallEvent) else ""

    @property
    def members(self) -> Iterator[r.Member]:
        return (inner for inner in places.walk(self.value) if isinstance(inner, r.Member))

    @property
    def is_unmodelled(self) -> bool:
        """Whether a call, of which no model says what it does, is given something of the object."""
        if not isinstance(self.at, events.CallEvent) or own_names(self.function).isdisjoint(
            places.names_in(self.value)
        ):
            return False
        return references.references(self.function.program).model(self.at.node, self.function) is None


@questions.flow_question
def deeds(function: Function) -> list[Deed]:
    """In the order of the bodies, those of a helper where it is called first."""
    return list(_deeds(function, {function}))


def functions(done: Iterable[Deed]) -> list[Function]:
    """The functions by which they are done."""
    return list(dict.fromkeys(one.function for one in done))


def _deeds(function: Function, seen: set[Function]) -> Iterator[Deed]:
    if not function.record.parameters or function.record.opaque:
        yield Deed(function, function.flow.events[function.flow.entry], "unread")
        return
    own = own_names(function)
    for event in function.flow:
        match event:
            case events.OpaqueEvent():
                yield Deed(function, event, "unread")
            case events.Write(place=place, value=value):
                is_kept = (len(place) != 1 or place[0] not in own) and _has_it(value, own)
                yield Deed(function, event, "kept" if is_kept else "part", value)
            case events.LeaveEvent(value=value):
                yield Deed(function, event, "kept" if _has_it(value, own) else "part", value)
            case events.CallEvent():
                yield from _by_call(function, event, own, seen)


def _by_call(function: Function, event: events.CallEvent, own: set[str], seen: set[Function]) -> Iterator[Deed]:
    call, known = event.node, references.references(function.program)
    is_macro, receiver = known.is_macro(call), places.receiver(call)
    saying = next((argument for argument in call.args if not own.isdisjoint(places.names_in(argument))), None)
    yield Deed(function, event, "macro" if is_macro else "called", saying)
    if receiver is not None and places.is_one_of(receiver, own):
        yield Deed(function, event, "method", receiver)
    model = known.model(call, function)
    for index, argument in enumerate(call.args):
        use = known.use(call, index, function)
        if not _has_it(argument, own):
            visits = model is not None and model.has("visit", f"argument {index + 1}")
            what: What = "visited" if visits else "released" if use == "released" else "part"
            yield Deed(function, event, what, argument, _member(argument, own), use == "lent")
        elif not is_macro:
            helper = _helper(call, index, function)
            if helper is None:
                yield Deed(function, event, _given(call, use, function), argument)
            elif helper not in seen:
                seen.add(helper)
                yield from _deeds(helper, seen)


def _given(call: r.Call, use: references.Use, function: Function) -> What:
    known, name = references.references(function.program), places.last_name(call.callee)
    is_modelled = known.model(call, function) is not None
    if use in _LENT and (is_modelled or not pairs.releasing_verb(name)):
        return "lent"
    is_library = is_modelled or known.is_library(call, function)
    return "freed" if is_library or name == "free" or name.endswith("_free") else "given"


def _helper(call: r.Call, index: int, function: Function) -> Function | None:
    """The function of the project, and of no library, that gets the object, as its first argument."""
    found = function.program.calls.callee(call, function).functions
    is_one = len(found) == 1 and index == 0 and call.kind == "call"
    return found[0] if is_one and references.references(function.program).model(call, function) is None else None


def own_names(function: Function) -> set[str]:
    """The names of the object: that of the first parameter, and of locals that are made of it."""
    own = {function.record.parameters[0].name}
    return own | {name for name, (_, initial) in function.locals.items() if places.is_one_of(initial, own)}


def _has_it(value: r.Value | None, own: set[str]) -> bool:
    """Whether it is the object, or an aggregate that it goes into; what is read of it is not."""
    inner = places.strip(value)
    parts = inner.items if isinstance(inner, r.Aggregate) else (inner,)
    return any(places.is_one_of(one, own) for one in parts)


def _member(value: r.Value, own: set[str]) -> str:
    inner = places.strip(value)
    return inner.name if isinstance(inner, r.Member) and places.is_one_of(inner.base, own) else ""
