"""Attributes of Python objects that own handles of a C library, which `ctypes` or `cffi` has declared.

Which function releases what another hands out is read off the project's own declarations: `lib.sink_new.restype`,
`lib.sink_free.argtypes`, or the text that `cdef` is given.
"""

from __future__ import annotations

from collections.abc import Iterator
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
    trials,
    weaker,
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
        if any(_may_release(function, slot, cls) for function in program.functions if function.language == "python"):
            continue
        ends = [one for one in cls.methods if _ends_object(one)]
        dropping = next((one for one in ends if _says_attribute(one, slot.attribute)), next(iter(ends), None))
        yield slot, dropping, _certainty(slot, cls, dropping)


def _certainty(slot: PythonSlot, cls: Class, dropping: Function | None) -> Certainty:
    inferred = f"that `{slot.releases[0]}` releases what `{slot.maker}` returns is inferred from their declarations"
    certainty = because("convention", inferred)
    if trials.is_trial(slot.function):
        return because("possible", trials.REASON)
    if dropping is None:
        return because("possible", f"harmless if each `{cls.name}` lives as long as the process")
    if _is_taken_out(cls, slot.attribute):
        return because("possible", "the caller that gets the handle may release it")
    if _is_of_parent(slot):
        certainty = weaker(certainty, because("possible", "the object that it was made with may release it"))
    return certainty


# --- what a library declares ---


@questions.program_question
def _pairs(program: Program) -> dict[str, tuple[str, ...]]:
    """The declared functions that hand out a handle, with those whose names say that they release it."""
    declared = foreign.declared(program)
    releasing: dict[tuple[str, ...], list[tuple[str, str]]] = {}
    for name in declared:
        if verb := pairs.releasing_verb(name):
            releasing.setdefault(_without(name, verb), []).append((name, verb))
    found: dict[str, tuple[str, ...]] = {}
    for name, is_handle in declared.items():
        begins = pairs.acquiring_words(name) if is_handle and not pairs.releasing_verb(name) else None
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
    puts = cls.program.models.containers.puts
    for function in dict.fromkeys((*cls.constructors, *cls.methods)):
        if not function.mentions(*made):
            continue
        for event in function.flow:
            attribute, value = "", None
            match event:
                case e.Write(place=(places.THIS, name, *_), value=put):
                    attribute, value = name, put
                case e.CallEvent(node=r.Call(callee=r.Member(base=base, name=method), args=(*_, put))) if (
                    method in puts
                ):
                    attribute, value = _attribute(base), put
            maker = _maker(value, function, made) if attribute and value is not None else ""
            if maker and not _is_passed_on(function, value, made):
                yield PythonSlot(function, attribute, event, maker, made[maker])


def _attribute(value: r.Value | None) -> str:
    """The name of the attribute of `self` that an expression is, or is an element of."""
    inner = places.strip(value)
    while isinstance(inner, r.Index):
        inner = places.strip(inner.base)
    is_own = isinstance(inner, r.Member) and isinstance(inner.base, r.Name) and inner.base.text in ("self", places.THIS)
    return inner.name if isinstance(inner, r.Member) and is_own else ""


def _maker(value: r.Value | None, function: Function, made: dict[str, tuple[str, ...]]) -> str:
    """The function of a library of which it is the result."""
    inner = places.strip(value)
    match inner:
        case r.Call(callee=r.Member(name=name)) if name in made:
            return name
        case r.Call(callee=callee, args=(only,)) if (
            foreign.is_number(places.last_name(callee)) or places.last_name(callee) == "c_void_p"
        ):
            return _maker(only, function, made)
        case r.Name(text=text):
            written = [write.value for write in function.flow.writes_to((text,))]
            real = [one for one in written if not isinstance(places.strip(one), r.Literal)]
            makers = {_maker(one, function, made) if not isinstance(places.strip(one), r.Name) else "" for one in real}
            return makers.pop() if len(makers) == 1 else ""
    return ""


def _is_passed_on(function: Function, value: r.Value | None, made: dict[str, tuple[str, ...]]) -> bool:
    """Whether something else may own the local as well: an object that is made with it, a call that takes it over."""
    inner = places.strip(value)
    if not isinstance(inner, r.Name):
        return False
    declared = foreign.declared(function.program)
    puts = function.program.models.containers.puts
    for call in function.flow.calls:
        given = [*call.node.args]
        if not any(isinstance(one := places.strip(arg), r.Name) and one.text == inner.text for arg in given):
            continue
        name = places.last_name(call.node.callee)
        if name in declared:
            if not _TRANSFERS.isdisjoint(pairs.words(name)):
                return True
        elif not (name in _LENDS or name.startswith("c_") or name in puts):
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


def _is_of_parent(slot: PythonSlot) -> bool:
    """Whether the call that makes it is given another handle: that may own what is made with it."""
    return any(
        (given := _attribute(argument)) and given != slot.attribute and _holds_handle(slot, given)
        for call in slot.function.flow.calls
        if places.last_name(call.node.callee) == slot.maker
        for argument in call.node.args
    )


def _holds_handle(slot: PythonSlot, attribute: str) -> bool:
    cls = slot.function.home
    return cls is not None and any(one.attribute == attribute for one in _slots(cls, _pairs(cls.program)))
