"""Attributes of Python objects that own handles of a C library, which `ctypes` or `cffi` has declared.

Which function releases what another hands out is read off the project's own declarations: `lib.sink_new.restype`,
`lib.sink_free.argtypes`, or the text that `cdef` is given.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from ownlint import (
    Certainty,
    Class,
    Function,
    Program,
    because,
    foreign,
    habits,
    pairs,
    patterns,
    places,
    questions,
    text,
    trials,
)
from ownlint import events as e
from ownlint import records as r

_LENDS = frozenset(
    {"byref", "cast", "pointer", "addressof", "int", "bool", "print", "repr", "str", "hex", "isinstance"}
)
_TRANSFERS = frozenset(
    {"add", "attach", "append", "push", "set", "take", "adopt", "own", "register", "insert", "submit"}
)


class PythonSlot(NamedTuple):
    """`function` puts a handle into the attribute that `maker` returns and one of `releases` releases."""

    function: Function
    attribute: str
    at: e.Event
    maker: str
    releases: tuple[str, ...]


def unreleased(cls: Class, program: Program) -> Iterator[tuple[PythonSlot, Function | None, Certainty]]:
    """The attributes of the class whose handles nothing releases; with the method that ends the object, if it has one,
    and how sure that is."""
    made = _pairs(program)
    if cls.file.language != "python" or not made:
        return
    seen: set[str] = set()
    for slot in _slots(cls, made):
        if slot.attribute in seen:
            continue
        seen.add(slot.attribute)
        if any(_may_release(function, slot, cls) for function in program.functions_of("python")):
            continue
        ends = [one for one in cls.methods if _ends_object(one)]
        dropping = next((one for one in ends if _says_attribute(one, slot.attribute)), next(iter(ends), None))
        yield slot, dropping, _certainty(slot, cls, dropping)


def _certainty(slot: PythonSlot, cls: Class, dropping: Function | None) -> Certainty:
    inferred = f"that `{slot.releases[0]}` releases what `{slot.maker}` returns is inferred from their declarations"
    certainty = because("convention", inferred)
    if trials.is_trial(slot.function):
        return because("possible", trials.REASON)
    if dropping is None and not _is_dropped_somewhere(cls):
        return because("possible", f"harmless if each `{cls.name}` lives as long as the process")
    if _is_taken_out(cls, slot.attribute):
        return because("possible", "the caller that gets the handle may release it")
    return certainty


# --- what a library declares ---


@questions.program_question
def _pairs(program: Program) -> dict[str, tuple[str, ...]]:
    """The declared functions that by their names hand out a handle, as a result or where an argument points, with those
    whose names say that they release it."""
    declared = foreign.declared(program)
    releasing: dict[tuple[str, ...], list[tuple[str, str]]] = {}
    for name in declared:
        if verb := pairs.releasing_verb(name):
            releasing.setdefault(_without(name, verb), []).append((name, verb))
    found: dict[str, tuple[str, ...]] = {}
    for name in declared:
        begins = pairs.acquiring_words(name) if not pairs.releasing_verb(name) else None
        if begins is None:
            continue
        before, verb = begins
        rest = _without(name, verb)
        for length in range(len(rest), max(len(before), 1) - 1, -1):
            ends = [one for one, by in releasing.get(rest[:length], ()) if by in habits.RELEASES or by.endswith(verb)]
            if ends:
                found[name] = tuple(sorted(ends))
                break
    return found


def _without(name: str, verb: str) -> tuple[str, ...]:
    said = list(pairs.words(name))
    if verb in said:
        said.remove(verb)
    return tuple(said)


# --- what an attribute gets ---


def _slots(cls: Class, made: dict[str, tuple[str, ...]]) -> Iterator[PythonSlot]:
    puts = cls.program.models.containers.puts | {"setdefault", "update"}
    for function in dict.fromkeys((*cls.constructors, *cls.methods)):
        if not function.mentions(*made, *_helpers(cls.program)):
            continue
        for event in function.flow:
            put: list[tuple[str, r.Value | None]] = []
            match event:
                case e.Write(place=(places.THIS, name, *_), value=value):
                    put.append((name, value))
                case e.Write(target=r.Index(base=r.Name() as base), value=value):
                    put.append((_attribute(base, function), value))
                case e.CallEvent(node=r.Call(callee=r.Member(base=base, name=method), args=(*_, value))) if (
                    method in puts
                ):
                    put.append((_attribute(base, function), value))
                case e.CallEvent(node=call):
                    put += [(attribute, call) for attribute in _filled(call, function, made)]
            for attribute, value in put:
                tracing = _Tracing(function, attribute, event)
                maker = tracing.maker(value) if attribute and value is not None else ""
                if maker and not any(_is_passed_on(function, name) for name in tracing.names):
                    yield PythonSlot(function, attribute, event, maker, made[maker])


def _filled(call: r.Call, function: Function, made: dict[str, tuple[str, ...]]) -> Iterator[str]:
    """The attributes of `self` whose address a function of a library is given, to write a handle there."""
    releases = made.get(places.last_name(call.callee), ()) if places.receiver(call) is not None else ()
    for argument in call.args if releases else ():
        lent = _lent(argument)
        attribute = _attribute(lent, function)
        if attribute and _is_released_as(_class_of(lent, function), releases, function.program):
            yield attribute


def _attribute(value: r.Value | None, function: Function | None = None) -> str:
    """The name of the attribute of `self` that an expression is, or is an element of."""
    inner = places.strip(value)
    while isinstance(inner, r.Index):
        inner = places.strip(inner.base)
    if isinstance(inner, r.Name) and function is not None:  # `readers = self._readers`
        written = function.flow.writes_to((inner.text,))
        return _attribute(written[0].value) if len(written) == 1 and not _is_index(written[0].value) else ""
    is_own = isinstance(inner, r.Member) and isinstance(inner.base, r.Name) and inner.base.text in ("self", places.THIS)
    return inner.name if isinstance(inner, r.Member) and is_own else ""


def _is_index(value: r.Value | None) -> bool:
    return isinstance(places.strip(value), r.Index)


class _Tracing:
    """Where what is put into an attribute of `self` comes from, as seen at one event of a function."""

    def __init__(self, function: Function, attribute: str, at: e.Event) -> None:
        self.function = function
        self.program = function.program
        self.made = _pairs(self.program)
        self.attribute = attribute
        self.at = at
        self.names: set[str] = set()
        """The locals through which it went."""

    def maker(self, value: r.Value | None) -> str:
        """The one function of a library that hands it out; empty where it may be something else, but for what the
        attribute held before."""
        makers, is_other = self._found(value, self.at)
        return makers.pop() if len(makers) == 1 and not is_other else ""

    def _found(self, value: r.Value | None, at: e.Event) -> tuple[set[str], bool]:
        """The functions that may have handed it out, and whether it may be another handle or object."""
        inner = places.strip(value)
        match inner:
            case None | r.Literal() | r.Member(name="NULL"):
                return set(), False
            case r.Call():
                return self._of_call(inner, at)
            case r.Assign(value=assigned):
                return self._found(assigned, at)
            case r.Conditional(then=one, other=other) | r.Binary(op="||", left=one, right=other):
                return self._any((one, other), at)
            case r.Aggregate(items=items):
                return self._any(items, at)[0], False
            case r.Pair(value=one) | r.Comprehension(element=one):
                return self._found(one, at)
            case r.Name(text=text):
                return self._of_name(text, at)
            case r.Index(base=r.Name(text=text)) | r.Member(base=r.Name(text=text), name="value") if (
                filler := self._filler(text, at)
            ):
                self.names.add(text)
                return {filler}, False
        return set(), _attribute(inner, self.function) != self.attribute

    def _any(self, values: Iterable[r.Value], at: e.Event) -> tuple[set[str], bool]:
        found = [self._found(one, at) for one in values]
        return {maker for makers, _ in found for maker in makers}, any(is_other for _, is_other in found)

    def _of_call(self, call: r.Call, at: e.Event) -> tuple[set[str], bool]:
        name, on = places.last_name(call.callee), places.receiver(call)
        if on is not None and self.attribute and self.attribute in _filled(call, self.function, self.made):
            return {name}, False
        if on is not None and name in self.made and foreign.declared(self.program).get(name, False):
            return {name}, False
        if call.args and (foreign.is_number(name) or name in ("c_void_p", "cast")):
            carried = [one for one in call.args if not _is_text(one)]
            return self._found(carried[0], at) if carried else (set(), True)
        if name in ("get", "setdefault") and _attribute(on, self.function) == self.attribute:
            return self._found(call.args[1], at) if len(call.args) > 1 else (set(), False)
        is_own = on is None or (isinstance(on, r.Name) and on.text in ("self", places.THIS))
        helper = self._helper(name) if is_own else ""
        return ({helper}, False) if helper else (set(), True)

    def _helper(self, name: str) -> str:
        """The function of a library whose handle the project's function of that name answers with."""
        return _helpers(self.program).get(name, "")

    def _of_name(self, name: str, at: e.Event) -> tuple[set[str], bool]:
        """A local is what was written to it on some way to the event."""
        if filler := self._filler(name, at):
            self.names.add(name)
            return {filler}, False
        flow = self.function.flow
        written = flow.writes_to((name,))
        if not written or name in self.names:
            return set(), not written
        self.names.add(name)

        def rewrites(event: e.Event) -> bool:
            return any(event is one for one in written)

        reaching = [one for one in written if flow.path(one, lambda event: event is at, rewrites) is not None]
        found = [self._found(one.value, one) for one in reaching]
        makers = {maker for many, _ in found for maker in many}
        return makers, not reaching or any(is_other for _, is_other in found)

    def _filler(self, name: str, at: e.Event) -> str:
        """The function that was given the address of the local, to write a handle there: `lib.sink_open(byref(h))`."""
        if not self.function.flow.writes_to((name,)):
            return ""
        for event in self.function.flow.before(at):
            maker = places.last_name(event.node.callee) if isinstance(event, e.CallEvent) else ""
            if not isinstance(event, e.CallEvent) or maker not in self.made or places.receiver(event.node) is None:
                continue
            for argument in event.node.args:
                lent = _lent(argument)
                is_it = isinstance(lent, r.Name) and lent.text == name
                made = self.function.flow.writes_to((name,))[-1].value
                if is_it and _is_released_as(_class_of(made, self.function), self.made[maker], self.program):
                    return maker
        return ""


def _lent(value: r.Value) -> r.Value | None:
    """What a call is given to write to: `h` of `byref(h)`, and a variable that is a pointer already."""
    inner = places.strip(value)
    if isinstance(inner, r.Call) and places.last_name(inner.callee) in ("byref", "pointer") and inner.args:
        return places.strip(inner.args[0])
    return inner


def _is_text(value: r.Value) -> bool:
    inner = places.strip(value)
    return isinstance(inner, r.Literal) and inner.kind == "str"


def _class_of(value: r.Value | None, function: Function) -> str:
    """The type of the handle for which a variable was made: `c_void_p` of `c_void_p()`, `clip*` of
    `ffi.new("clip **")`. Of an attribute, that with which the class begins it."""
    inner = places.strip(value)
    if isinstance(inner, r.Call) and places.last_name(inner.callee) == "new" and inner.args:
        written = places.strip(inner.args[0])
        return (
            foreign.spelled_type(written.text.strip("\"'")).removesuffix("*") if isinstance(written, r.Literal) else ""
        )
    if isinstance(inner, r.Call):
        return foreign.spelled_type(text(inner.callee)) if not inner.args else ""
    attribute = _attribute(inner)
    if attribute and function.home is not None:
        begun = (write.value for one in function.home.constructors for write in one.flow.writes_to(("this", attribute)))
        return next((name for one in begun if _attribute(one) == "" and (name := _class_of(one, function))), "")
    return ""


def _is_released_as(written: str, releases: tuple[str, ...], program: Program) -> bool:
    """Whether one of the releases is declared to take a handle of the type."""
    taken = foreign.taken(program)
    return bool(written) and any(taken.get(one) == written for one in releases)


@questions.program_question
def _helpers(program: Program) -> dict[str, str]:
    """The project's functions that answer with a handle that they have got from a library, and keep nowhere: by the
    last name of each, which has to be unique, the library's function."""
    made = _pairs(program)
    if not made:
        return {}
    found: dict[str, list[str]] = {}
    for function in program.functions:
        if function.language != "python" or not function.mentions(*made):
            continue
        makers = {_answer(function, leave) for leave in function.flow.leaves if leave.kind == "return"} - {None}
        found.setdefault(function.name, []).append(makers.pop() or "" if len(makers) == 1 else "")
    bearing = Counter(one.name for one in program.functions if one.language == "python" and one.name in found)
    return {name: many[0] for name, many in found.items() if many[0] and bearing[name] == 1}


def _answer(function: Function, leave: e.LeaveEvent) -> str | None:
    """The function of a library whose handle is returned; empty for another object, None where it is nothing."""
    inner = places.strip(leave.value)
    if inner is None or isinstance(inner, r.Literal):
        return None
    tracing = _Answering(function, "", leave)
    maker = tracing.maker(inner)
    if any(_is_passed_on(function, name) or _is_stored(function, name) for name in tracing.names):
        return ""
    return maker


class _Answering(_Tracing):
    """The same of what a function returns, which asks no other helper."""

    def _helper(self, name: str) -> str:
        return ""


def _is_stored(function: Function, name: str) -> bool:
    """Whether the local is put into an attribute or a container as well."""
    return any(
        isinstance(inner, r.Name) and inner.text == name
        for write in function.flow.writes
        if len(write.place) != 1
        for inner in places.walk(write.value)
    )


def _is_passed_on(function: Function, name: str) -> bool:
    """Whether something else may own the local as well: an object that is made with it, a call that takes it over."""
    declared = foreign.declared(function.program)
    puts = function.program.models.containers.puts | {"setdefault", "update"}
    for call in function.flow.calls:
        given = [*call.node.args]
        if not any(places.is_name(arg, name) for arg in given):
            continue
        called = places.last_name(call.node.callee)
        if called in declared:
            if not _TRANSFERS.isdisjoint(pairs.words(called)):
                return True
        elif not (called in _LENDS or called.startswith("c_") or called in puts):
            return True
    return False


# --- who releases it ---


def _may_release(function: Function, slot: PythonSlot, cls: Class) -> bool:
    """Whether the function does anything with one of the releases but declare it, or give it another attribute."""
    if not function.says(patterns.strings(list(slot.releases))):
        return False
    declared = {
        write.place[-2]
        for write in function.flow.writes
        if len(write.place) > 1 and write.place[-1] in foreign.DECLARES
    }
    declares = len(declared.intersection(slot.releases)) > 0 or function.mentions("cdef")
    uses = list(_uses(function, slot.releases))
    if not uses:
        return not declares
    uses = [use for use in uses if not _is_of_own_handle(use, function)]
    if not uses:
        return False
    home = function.home
    if home is not None and home not in cls.ancestry and cls not in home.ancestry and _has_own(home, slot):
        return False
    if home is not cls or _says_attribute(function, slot.attribute):
        return True
    for use in uses:
        given = _attribute(use.args[0]) if isinstance(use, r.Call) and use.args else ""
        if not given or given == slot.attribute:
            return True
    return False


def _is_of_own_handle(use: r.Value, function: Function) -> bool:
    """Whether it is about a handle that the very function has got from the library, in a local: `lib.sink_free(h)`,
    `ffi.gc(h, lib.sink_free)`."""
    for event in function.flow.calls:
        call = event.node
        if call.start == use.start and call.end == use.end:
            given = call.args[:1]
        elif any(places.strip(one) is use for one in call.args):
            given = tuple(one for one in call.args if places.strip(one) is not use)[:1]
        else:
            continue
        return any(isinstance(places.strip(one), r.Name) and _Tracing(function, "", event).maker(one) for one in given)
    return False


def _has_own(cls: Class, slot: PythonSlot) -> bool:
    """Whether an unrelated class makes such handles, and so releases its own."""
    return any(one.releases == slot.releases for one in _slots(cls, _pairs(cls.program)))


def _uses(function: Function, releases: tuple[str, ...]) -> Iterator[r.Value]:
    """The calls of a release, and whatever else mentions it: `weakref.finalize(self, lib.sink_free, handle)`."""
    described: set[int] = set()
    for inner in function.values:
        match inner:
            case r.Call(callee=r.Member(name=name)) if name in releases:
                described.add(inner.callee.end)
                yield inner
            case r.Member(base=base, name=name) if name in foreign.DECLARES:
                described.add(base.end)
    for inner in function.values:
        if isinstance(inner, r.Member) and inner.name in releases and inner.end not in described:
            yield inner


def _ends_object(method: Function) -> bool:
    return method.name in ("__exit__", "__del__", "__aexit__", "shutdown", "stop", "terminate") or bool(
        pairs.releasing_verb(method.name)
    )


def _says_attribute(function: Function, attribute: str) -> bool:
    return any(isinstance(inner, r.Member) and inner.name == attribute for inner in function.values)


def _is_taken_out(cls: Class, attribute: str) -> bool:
    """Whether a method gives an element away: `return self._open.pop(key)`."""
    takes = cls.program.models.containers.erases | {"pop", "popitem"}
    return any(
        isinstance(inner := places.strip(leave.value), r.Call)
        and isinstance(inner.callee, r.Member)
        and inner.callee.name in takes
        and _attribute(inner.callee.base) == attribute
        for method in cls.methods
        for leave in method.flow.leaves
    )


def _is_dropped_somewhere(cls: Class, depth: int = 2) -> bool:
    """Whether a function that is called again and again makes objects of the class for itself alone: a local, or what
    such an object has in an attribute."""
    for function in cls.program.calling({cls.name}):
        if function.language != "python" or function.name in ("<module>", "main"):
            continue
        for call in function.flow.calls:
            if places.last_name(call.node.callee) != cls.name or call.into is None:
                continue
            home = function.home
            if len(call.into) == 1 and _is_own(function, call.into[0]):
                return True
            is_part = depth > 0 and home is not None and home is not cls and len(call.into) > 1
            if is_part and home is not None and _is_dropped_somewhere(home, depth - 1):
                return True
    return False


def _is_own(function: Function, name: str) -> bool:
    """Whether a local stays with the function: nothing gets it, and it is not the answer."""
    if name not in function.declared or _is_stored(function, name) or _is_passed_on(function, name):
        return False
    for leave in function.flow.leaves:
        parts = list(places.walk(leave.value))
        asked = {one.base.start for one in parts if isinstance(one, r.Member)}
        if any(isinstance(one, r.Name) and one.text == name and one.start not in asked for one in parts):
            return False
    return True
