"""Raw handles that get a second owner: where one that is still owned is adopted or released again."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from typing import Literal, NamedTuple

from ownlint import (
    Certainty,
    Function,
    Program,
    because,
    habits,
    pairs,
    places,
    questions,
    resources,
    tempered,
    text,
    types,
)
from ownlint import events as e
from ownlint import records as r
from ownlint_rules.resources._slots import slots

_POINTERS = frozenset({"smart pointer", "shared pointer"})
_OWNS = _POINTERS | {"scoped owner"}
_GETS = re.compile(rb'"get",(?:true|false),\d+\],\[\]')
"""A call of `get` without arguments."""

_DEEPEST = 3
_MOST = 24
"""Adoptions of one raw pointer that are followed in one function: each costs a walk over its flow."""


class CoOwner(NamedTuple):
    """A call takes over, or releases, a handle that somebody else still owns."""

    node: r.Call
    owner: str
    """Who owns it already, as the user wrote it: a smart pointer, `this`, a local, or the raw pointer itself."""
    how: Literal["owner", "this", "address", "raw"]
    releases: bool
    """The call ends the handle there and then."""
    certainty: Certainty
    before: r.Node | None = None
    """Where the raw pointer was adopted first."""


class _Letting(NamedTuple):
    """Where owners give something up in a function that was asked about last: the spans of the calls for each owner as
    it is written, and for each local one where its initial value begins and ends."""

    function: Function
    by_owner: dict[str, set[tuple[int, int]]]
    made: list[tuple[int, int, set[tuple[int, int]]]]


def _letting(function: Function) -> _Letting:
    found: dict[str, set[tuple[int, int]]] = {}
    names: set[str] = set()
    for event in function.flow.calls:
        on = places.receiver(event.node) if _lets_go(places.last_name(event.node.callee)) else None
        if on is not None:
            found.setdefault(text(on), set()).add((event.node.start, event.node.end))
            names |= {on.text} if isinstance(on, r.Name) else set()
    initials = ((name, function.locals.get(name, ("", None))[1]) for name in sorted(names))
    made = [(initial.start, initial.end, found[name]) for name, initial in initials if initial is not None]
    return _Letting(function, found, made)


class CoOwners:
    def __init__(self, program: Program) -> None:
        self.program = program
        self.resources: resources.Resources = resources.resources(program)
        self._letting: _Letting | None = None

    def of(self, function: Function) -> Iterator[CoOwner]:
        if not self._may_have(function):
            return
        adopted: list[tuple[r.Call, str, bool]] = []
        for call in self._calls(function):
            for index, argument in enumerate(call.args):
                given = places.strip(argument)
                if not self._is_candidate(given, function):
                    continue
                taking = self._taking(call, function, index)
                if taking is None:
                    continue
                releases, certainty = taking
                if isinstance(given, r.Name) and given.text != places.THIS:
                    adopted.append((call, given.text, releases))
                else:
                    yield from self._owned_already(call, given, function, releases, certainty)
        yield from self._twice(adopted, function)

    # --- what is worth reading ---

    def _may_have(self, function: Function) -> bool:
        if function.language != "cpp":
            return False
        mentions = frozenset(function.mentioned)
        return not self.taking_names.isdisjoint(mentions) or ("get" in mentions and function.says(_GETS))

    @questions.program_property
    def taking_names(self) -> frozenset[str]:
        """Last names of what takes a raw handle over: owners' types and methods, and known releases."""
        program = self.program
        owners = set(program.models.names_of("smart pointer", "shared pointer", "scoped owner"))
        owners |= {a.name for a in program.index.type_aliases if types.parse(a.target).last in owners}
        return frozenset(owners | {"reset", "delete", "WrapUnique"} | self.resources.releasing_names)

    def _calls(self, function: Function) -> Iterator[r.Call]:
        yield from (inner for inner in function.calls() if inner.args)

    def _is_candidate(self, given: r.Value | None, function: Function) -> bool:
        match given:
            case r.Name(text=name):
                return name == places.THIS or (name in function.locals and not self._is_text(name, function))
            case r.Unary(op="&", value=r.Name(text=name)):
                return name in function.locals
            case r.Call(args=(), callee=r.Member()):
                return True
        return False

    def _is_text(self, name: str, function: Function) -> bool:
        """Whether a local is no handle by its type: text, an array, an object of the standard library. A stream that is
        made of it owns the file of that name."""
        written = self.program.names.expand(function.locals[name][0], function.file, function.record.scope)
        kind = types.parse(written)
        if kind.pointers:
            return kind.last == "char" and kind.const
        return written.endswith("]") or kind.name.startswith("std::")

    def _taking(self, call: r.Call, function: Function, index: int) -> tuple[bool, Certainty] | None:
        """Whether the call releases the argument or adopts it, and how sure that is."""
        name = places.last_name(call.callee)
        given = places.strip(call.args[index])
        lent = isinstance(given, r.Call) and places.last_name(given.callee) == "get"
        if name not in self.taking_names and not lent and call.kind not in ("construct", "delete"):
            return None
        for ended in self.resources.released(call, function):
            if ended.where.kind == "argument" and ended.where.index == index:
                is_sure = ended.certainty != "possible" and self._is_plain_release(call, function, index)
                return (True, ended.certainty) if is_sure else None
        is_address = isinstance(given, r.Unary)
        if not self._is_plain_owner(call, function, is_address=is_address):
            adopted = lent and self._is_adopted_inside(call, function, index)
            return (False, because("unread-code", _taken_inside(name))) if adopted else None
        if self.resources.taking(call, function, index) != "adopted":
            return None
        if call.kind == "construct":
            return False, "certain"
        seen = bool(self.program.calls.callee(call, function).functions)
        return False, because("unread-code", _taken_inside(name) if seen else "")

    def _is_plain_release(self, call: r.Call, function: Function, index: int, depth: int = 0) -> bool:
        """A release that is known as one, or a function of the project that does little else: a long one that ends its
        argument on some way may do so for reasons of its own."""
        if call.kind == "delete":
            return True
        callee = self.program.calls.callee(call, function)
        # Of a name that many bear, any may be meant: all of them have to release.
        pairs = self.resources.pairs
        if callee.models:
            return any(effect.verb == "release" for model in callee.models for effect in model.effects)
        if callee.records and all(pairs.releaser(record) is not None for record in callee.records):
            return True
        if callee.certainty != "certain" or depth > _DEEPEST:
            return False
        return all(one.is_short and not self._may_mean_another(one, index, depth) for one in callee.functions)

    def _may_mean_another(self, target: Function, index: int, depth: int) -> bool:
        """Whether a function gives its parameter to what releases it only if a name means what it seems to mean."""
        parameters = target.record.parameters
        name = parameters[index].name if index < len(parameters) else ""
        return any(
            self._is_parameter(given, name, target)
            and any(one.where.kind == "argument" and one.where.index == at for one in ended)
            and not self._is_plain_release(inner, target, at, depth + 1)
            for inner in self._calls(target)
            if (ended := self.resources.released(inner, target))
            for at, given in enumerate(inner.args)
        )

    def _is_adopted_inside(self, call: r.Call, function: Function, index: int) -> bool:
        """Whether a function of the project, that does little else, makes an owner of what it is given."""
        callee = self.program.calls.callee(call, function) if call.kind == "call" else None
        if callee is None or callee.certainty != "certain" or not callee.functions:
            return False
        return all(self._adopts(target, index) for target in callee.functions)

    def _adopts(self, target: Function, index: int) -> bool:
        parameters = target.record.parameters
        if not target.is_short or index >= len(parameters) or _mentions_letting_go(target):
            return False
        return any(
            self._is_parameter(inner.args[0], parameters[index].name, target)
            and self._is_plain_owner(inner, target, is_address=False)
            and self.resources.taking(inner, target, 0) == "adopted"
            for inner in self._calls(target)
        )

    def _is_parameter(self, value: r.Value, name: str, target: Function) -> bool:
        """Whether a value is the parameter, perhaps through what returns what it is given."""
        inner = places.strip(value)
        while isinstance(inner, r.Call) and len(inner.args) == 1 and self.resources.passes_on(inner, target):
            inner = places.strip(inner.args[0])
        return isinstance(inner, r.Name) and inner.text == name

    def _is_plain_owner(self, call: r.Call, function: Function, *, is_address: bool) -> bool:
        """An owner that deletes what it is given: no deleter of its own, nor a count inside the object."""
        if len(call.args) != 1:
            return False
        on = places.receiver(call)
        if on is not None:
            written = self.program.types.of(on, function)
        else:
            written = places.spelled(call)
        kind = types.parse(self.program.names.expand(written, function.file, function.record.scope))
        roles = set(self.program.types.roles(kind.name, function))
        if not roles & _OWNS or "intrusive pointer" in roles or len(kind.arguments) > 1:
            return False
        return bool(roles & _POINTERS) or (not is_address and self._is_seen_to_own(kind.name, function))

    def _is_seen_to_own(self, name: str, function: Function) -> bool:
        """Whether a scoped owner ends what it is made of, as far as its class is in sight: it may own something else,
        and only lean on the buffer that it is given."""
        cls = self.program.names.find_class(name, function.record.scope, function.file)
        return cls is None or not cls.constructors or self.resources.taken_by_class(cls, 0) == "adopted"

    # --- who owns it ---

    def _owned_already(
        self, call: r.Call, given: r.Value | None, function: Function, releases: bool, certainty: Certainty
    ) -> Iterator[CoOwner]:
        match given:
            case r.Name():
                if not releases and self._is_shared(call, function) and function.record.kind != "constructor":
                    yield CoOwner(
                        call,
                        places.THIS,
                        "this",
                        False,
                        tempered(certainty, because("sharing", "harmless if nothing else owns the object")),
                    )
            case r.Unary(value=r.Name(text=name)):
                kind = types.parse(function.locals[name][0])
                by_value = not kind.pointers and not kind.reference and not kind.is_placeholder
                if by_value and (not releases or call.kind == "delete"):  # `thing_clear(&thing)` ends what is inside
                    kept = because(certainty, "harmless if the owner's deleter does not free it")
                    yield CoOwner(call, name, "address", releases, kept)
            case r.Call():
                owner = places.receiver(given)
                still = owner is not None and self._still_owns(owner, given, function)
                if still and releases and call.kind != "delete" and self._is_smart(owner, function):
                    return  # `PyBuffer_Release(view.get())` ends what is inside; the pointer frees the struct
                if owner is not None and still and not self._lets_go(owner, call, function):
                    letting = f"harmless if `{text(owner)}` gives up ownership elsewhere"
                    yield CoOwner(
                        call, text(owner), "owner", releases, tempered(certainty, because("sharing", letting))
                    )

    def _is_shared(self, call: r.Call, function: Function) -> bool:
        written = call.callee.text if isinstance(call.callee, r.Name) else ""
        return "shared pointer" in self.program.types.roles(written, function)

    def _still_owns(self, owner: r.Value, given: r.Call, function: Function) -> bool:
        """Whether what the method answers stays the receiver's: `get()` of a smart pointer, or of a class of the
        project that returns the member which its destructor releases."""
        name = places.last_name(given.callee)
        written = self.program.types.of(owner, function)
        roles = set(self.program.types.roles(written, function))
        if roles:
            kind = types.parse(self.program.names.expand(written, function.file, function.record.scope))
            return name == "get" and bool(roles & _OWNS) and "intrusive pointer" not in roles and not kind.pointers
        kind = types.parse(written)
        cls = self.program.names.find_class(kind.name, function.record.scope, function.file) if written else None
        if cls is None or cls.destructor is None:
            return False
        field = slots(self.program).released_by_destructor(cls)
        return field is not None and any(_only_returns(method, field.name) for method in cls.defined(name))

    def _is_smart(self, owner: r.Value | None, function: Function) -> bool:
        return bool(_OWNS & set(self.program.types.roles(self.program.types.of(owner, function), function)))

    def _lets_go(self, owner: r.Value, call: r.Call, function: Function) -> bool:
        """Whether the owner, or who adopts it here, gives it up elsewhere in the function."""
        letting = self._letting_go(function)
        span = (call.start, call.end)
        if letting.by_owner.get(text(owner), set()) - {span}:
            return True
        return any(start <= call.start and call.end <= end and spans - {span} for start, end, spans in letting.made)

    def _letting_go(self, function: Function) -> _Letting:
        """The calls of the function by which an owner gives something up."""
        if self._letting is None or self._letting.function is not function:
            self._letting = _letting(function)
        return self._letting

    # --- the same raw pointer twice ---

    def _twice(self, adopted: list[tuple[r.Call, str, bool]], function: Function) -> Iterator[CoOwner]:
        named: dict[str, dict[tuple[int, int], bool]] = {}
        given = Counter(name for _, name, _ in adopted)
        for call, name, releases in adopted:
            if given[name] > 1:
                named.setdefault(name, {})[call.start, call.end] = releases
        at: dict[tuple[int, int], list[e.CallEvent]] = {}
        for event in function.flow.calls if named else ():
            at.setdefault((event.node.start, event.node.end), []).append(event)
        for name, calls in sorted(named.items()):
            events = sorted((one for span in calls for one in at.get(span, ())), key=lambda one: one.index)
            yield from self._pair(events, name, calls, function)

    def _pair(
        self, events: list[e.CallEvent], name: str, calls: dict[tuple[int, int], bool], function: Function
    ) -> Iterator[CoOwner]:
        def is_new(event: e.Event) -> bool:
            return isinstance(event, e.Write) and event.place[:1] == (name,)

        if all(calls.values()):
            return  # freed twice is another bug than owned twice
        for first in events[:_MOST]:
            if self._gives_back(first, function):
                continue
            behind = {event.index for event in function.flow.after(first, is_new)}
            for second in events:
                releases = calls[second.node.start, second.node.end]
                if second.index <= first.index or second.node is first.node:
                    continue
                if not (calls[first.node.start, first.node.end] and releases) and second.index in behind:
                    why = f"harmless if the first owner of `{name}` gives up ownership before this"
                    yield CoOwner(second.node, name, "raw", releases, because("sharing", why), first.node)
                    return

    def _gives_back(self, first: e.CallEvent, function: Function) -> bool:
        """Whether the first owner releases again what it was given."""
        return first.into is not None and first.into[-1] in self._letting_go(function).by_owner


def _taken_inside(name: str) -> str:
    return f"that `{name}` takes ownership is inferred from its body"


def _only_returns(method: Function, field: str) -> bool:
    """Whether the method does nothing but hand out the member."""
    body = [statement for statement in method.body if not isinstance(statement, r.Evaluate)]
    return len(body) == 1 and isinstance(body[0], r.Leave) and places.last_name(places.strip(body[0].value)) == field


@questions.program_question
def coowners(program: Program) -> CoOwners:
    """One object a program, since its answers are remembered."""
    return CoOwners(program)


def made_for(function: Function, call: r.Call) -> str:
    """The local that the call makes, or the owner whose `reset` it is."""
    for name, (_, initial) in function.locals.items():
        if initial is not None and (initial.start, initial.end) == (call.start, call.end):
            return name
    on = places.receiver(call)
    return text(on) if on is not None else ""


def _mentions_letting_go(function: Function) -> bool:
    return any(_lets_go(name) for name in function.mentioned)


def _lets_go(name: str) -> bool:
    return not habits.LETS_GO.isdisjoint(pairs.words(name))
