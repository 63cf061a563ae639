"""Native handles: values that stand for an object which somebody else's functions make and destroy.

A type is one when the project has a function that takes it and is named after ending its life, as a C interface
does (`FooDestroy(Foo)`, `foo_close(foo *)`), or when the project deletes pointers to it. Nobody's names are known
here: the convention is a verb that opens or closes the function's name.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from ownlint.engine import containers, lookups
from ownlint.engine.resources import resources
from ownlint.facts import records as r
from ownlint.flow import events as e
from ownlint.flow.places import THIS, is_name, last_name, place_of, receiver, strip, walk
from ownlint.models import habits
from ownlint.models.records import FunctionModel
from ownlint.project import types
from ownlint.project.files import File
from ownlint.project.pairs import words
from ownlint.project.program import Program
from ownlint.project.questions import each_function, flow_question, program_property, program_question, question
from ownlint.project.recursion import Circular
from ownlint.project.subjects import Class, Function

_NO_HANDLES = types.SCALARS | {"void", "auto", "string", "string_view"}
_STEPS = 3
_DEPTH = 3
_MANY = 3
"""Parameters of a method that ends one of them."""
_EMPTYING = frozenset({"clear", "wipe", "prune", "purge", "truncate"})
"""Words of functions that end what an object has, and leave it itself."""
_ENDING = habits.NATIVE_ENDS | habits.EMPTIES | _EMPTYING | {"destroy", "unload"}
"""Words of methods that may end what their object owns."""


_ENDS_WHOLE = habits.NATIVE_ENDS - habits.COUNTS_DOWN - {"free", "delete"}
"""Words that end an object with its parts, rather than give back its memory or one reference to it."""


class Destroyer(NamedTuple):
    """A function that ends the life of what its argument at `position` (from 0) stands for."""

    name: str
    type: str
    position: int


class Natives:
    """What one program says about its native handles."""

    def __init__(self, program: Program) -> None:
        self.program = program
        self.destroyers: dict[str, Destroyer] = {}
        for name, record in program.index.declared_functions():
            if (found := _destroyer(program, name, record)) is not None:
                self.destroyers.setdefault(name, found)
        self.types = frozenset(one.type for one in self.destroyers.values()) | self.library_types
        self._values = frozenset(
            kind.last
            for name in self.destroyers
            for _, record in program.index.records_called(name)
            for one in record.parameters
            if (kind := types.parse(one.type)).is_value and kind.last in self.types
        )
        self._edges: dict[str, set[str]] | None = None
        self._empties: Circular[Function, frozenset[str]] = Circular(frozenset(), _DEPTH)

    def destroyed(self, function: Function, call: r.Call) -> tuple[str, r.Value] | None:
        """The native type whose object the call ends, and the argument that stands for it."""
        if call.kind == "delete" and call.args:
            written = function.program.types.of(call.args[0], function)
            return (types.parse(written).last, call.args[0]) if written else None
        if call.kind == "call" and isinstance(call.callee, r.Member):
            return self._destroyed_by_method(function, call)
        if call.kind != "call" or not isinstance(call.callee, r.Name):
            return None
        name = last_name(call.callee)
        one = self.destroyers.get(name)
        if one is not None:
            return (one.type, call.args[one.position]) if one.position < len(call.args) else None
        if name in _library_ends(self.program) and (ended := _ended_by_library(function, call)) is not None:
            return ended
        if not call.args or not ends_life(name) or self.program.calls.callee(call, function).records:
            return None
        kinds = [types.parse(function.program.types.of(value, function)) for value in call.args]
        for kind, value in zip(kinds, call.args, strict=True):  # of a library whose headers were not read
            if len(kinds) > 1 and _can_be_handle(kind) and not kind.is_scalar and _noun(kind) in words(name):
                return kind.last, value
        return (kinds[0].last, call.args[0]) if kinds[0].pointers == 1 and _can_be_handle(kinds[0]) else None

    def _destroyed_by_method(self, function: Function, call: r.Call) -> tuple[str, r.Value] | None:
        """The same of a method that a class only declares, of a library that the project uses."""
        name = last_name(call.callee)
        if name not in self._ending_methods and not ends_life(name):
            return None
        callee = self.program.calls.callee(call, function)
        if callee.functions:
            return None
        if callee.owner is None:
            return _ended_out_of_sight(function, call, name)
        for cls in callee.owner.ancestry:
            one = self.method_destroyers.get((cls.name, name))
            if one is not None and one.position < len(call.args):
                return one.type, call.args[one.position]
        return None

    @program_property
    def method_destroyers(self) -> dict[tuple[str, str], Destroyer]:
        """By class and name, the methods that end what they are given and their object has made: `destroyNode(Node*)`
        beside `Node* createNode()`, `remove(Body*)` beside `Body* add()`."""
        handed: dict[str, set[str]] = {}
        ending: list[tuple[str, str, r.FunctionRecord]] = []
        for name, record in self.program.index.declared_functions():
            owner = types.parse(record.owner).last if record.owner else ""
            got = types.parse(record.result)
            if owner and got.pointers == 1 and _can_be_handle(got) and got.last != owner:
                handed.setdefault(owner, set()).add(got.last)
            if owner and 0 < len(record.parameters) < _MANY and (ends_life(name) or "remove" in words(name)):
                ending.append((owner, name, record))
        found: dict[tuple[str, str], Destroyer] = {}
        for owner, name, record in ending:
            for position, parameter in enumerate(record.parameters):
                kind = types.parse(parameter.type)
                if kind.pointers == 1 and kind.last in handed.get(owner, ()):
                    found.setdefault((owner, name), Destroyer(name, kind.last, position))
        return found

    @program_property
    def _ending_methods(self) -> frozenset[str]:
        return frozenset(name for _, name in self.method_destroyers)

    def may_end(self, name: str) -> bool:
        """Whether a call of something of that last name can end the life of a native object."""
        if name == "delete" or ends_life(name) or name in self.destroyers or name in _library_ends(self.program):
            return True
        return name in self._ending_methods

    def ends_parts(self, call: r.Call, kind: str) -> bool:
        """Whether a call that ends an object of the native type knows what it ends: one that is not declared gives back
        its memory and nothing else where its name says neither what it ends nor more than that, and where references
        are counted it gives back one."""
        name = last_name(call.callee)
        if kind in self.counted and not habits.COUNTS_DOWN.isdisjoint(words(name)):
            return False
        if call.kind == "delete" or name in self.destroyers or name in self._ending_methods:
            return True
        return not {*words(kind), *_ENDS_WHOLE}.isdisjoint(words(name))

    @program_property
    def library_types(self) -> frozenset[str]:
        """Types of values, those of structs that hold a pointer, which such functions are given, and of what is lent of
        them."""
        found: set[str] = set()
        for ended in _ended_by_libraries(self.program).values():
            found |= ended
        for _ in range(_STEPS if found else 0):
            found |= {got for given, got in self.lent if given in found}
        return frozenset(found)

    @program_property
    def lent(self) -> frozenset[tuple[str, str]]:
        """From the type of what functions of a library are given to that of what they lend of it, if both are values of
        structs that hold a pointer."""
        return frozenset[tuple[str, str]]().union(*_handed_out(self.program).values())

    @program_property
    def counted(self) -> frozenset[str]:
        """The native types of which the project counts references: a function takes one more."""
        return frozenset(
            types.parse(record.parameters[0].type).last
            for name, record in self.program.index.declared_functions()
            if len(record.parameters) == 1 and not habits.COUNTS_UP.isdisjoint(words(name)) and not ends_life(name)
        )

    def pointed_to_by(self, cls: Class) -> Iterator[str]:
        """Types of the native objects that an object of the class can stand for: its handles, and what it points to."""
        for one in cls.ancestry:
            for field in one.record.fields:
                kind = types.parse(field.type)
                if not field.static and (within := _within(self.program, one, field.type)):
                    yield within
                elif not field.static and (
                    self.is_handle(field.type, one.file, one.symbol)
                    or (kind.pointers == 1 and not kind.arguments and kind.last not in _NO_HANDLES)
                ):
                    yield kind.last

    def is_handle(self, written: str, file: File, scope: str) -> bool:
        kind = types.parse(written)
        return not kind.arguments and (
            kind.last in self.types or types.parse(self.program.names.expand(written, file, scope)).last in self.types
        )

    def reaches(self, outer: str, inner: str, apart: str = "") -> bool:
        """Whether objects of the type `outer` lead to objects of the type `inner`, by functions that take the one and
        hand out the other without making it: then they are parts of one thing, and die with it. No way leads through
        `apart`, the type of the handles: what a handle leads to is what it was made for."""
        if self._edges is None:
            self._edges = _edges(self.program, self)
        seen = {apart}
        around = {outer}
        for _ in range(_STEPS):
            around = {found for name in around for found in self._edges.get(name, ())} - seen
            if inner in around:
                return True
            seen |= around
        return False

    def makes(self, outer: str, inner: str) -> bool:
        """Whether a function makes objects of the type `inner` that is given one of the type `outer` first, as its
        result or into what it is given by address."""
        return inner in self._made.get(outer, ())

    @program_property
    def _made(self) -> dict[str, set[str]]:
        found: dict[str, set[str]] = {}
        for name, record in self.program.index.declared_functions():
            given = types.parse(record.parameters[0].type) if record.parameters else None
            if record.owner or given is None or not _can_be_handle(given) or not makes(name):
                continue
            got = [types.parse(record.result), *(types.parse(one.type) for one in record.parameters[1:])]
            found.setdefault(given.last, set()).update(
                kind.last
                for at, kind in enumerate(got)
                if not kind.arguments and kind.pointers + (kind.last in self._values) == (2 if at else 1)
            )
        for function in self.program.calling({name for name in self.program.index.mentioned("cpp") if makes(name)}):
            if function.language == "cpp":
                for outer, inner in _made_unseen(function):
                    found.setdefault(outer, set()).add(inner)
        return found

    def hands_out(self, home: Class | None, outer: str, inner: str) -> bool:
        """Whether the methods of a class, or the functions of C that are given one of its objects first, get objects of
        the type `inner` from one of the type `outer` by calls whose bodies are in no file, and no such call leads the
        other way."""
        return (
            home is not None
            and any((one, outer, inner) in self._unseen for one in home.ancestry)
            and not any((outer, inner) == (to, given) for _, given, to in self._unseen)
        )

    @program_property
    def _unseen(self) -> frozenset[tuple[Class, str, str]]:
        found: set[tuple[Class, str, str]] = set()
        for function in self.program.functions:
            if function.language == "cpp":
                pairs = [(outer, inner) for outer, inner in _got_unseen(function) if outer != inner]
                around = tuple(homes(function)) if pairs else ()
                found.update((home, outer, inner) for home in around for outer, inner in pairs)
        return frozenset(found)

    def owns(self, outer: str, inner: str) -> bool:
        """Whether objects of the class `outer` own objects of the type `inner`, by what owns them or holds them."""
        seen: set[str] = set()
        around = {outer}
        for _ in range(_STEPS):
            around = {found for name in around for found in self._owned.get(name, ())} - seen
            if inner in around:
                return True
            seen |= around
        return False

    @program_property
    def _owned(self) -> dict[str, set[str]]:
        found: dict[str, set[str]] = {}
        for cls in self.program.classes:
            for field in cls.record.fields:
                if not field.static:
                    written = self.program.names.expand(field.type, cls.file, cls.symbol)
                    found.setdefault(cls.name, set()).update(owned_by(self.program, written, cls.file, cls.symbol))
        return found

    def empties(self, function: Function) -> frozenset[str]:
        """The classes of which the function ends every object that its own object owns: `shapes_.clear()`, itself or
        in what it calls on its own object."""
        return self._empties.ask(function, lambda: frozenset(self._emptied(function)))

    def _emptied(self, function: Function) -> Iterator[str]:
        if function.home is None or function.record.kind != "method":
            return
        for event, _, owned in ends_of_members(function):
            if event.index in function.flow.reachable:
                yield from owned
        for call in function.flow.calls:
            if isinstance(call.node.callee, r.Name):
                for callee in self.program.calls.callee(call.node, function).functions:
                    if callee.home is function.home:
                        yield from self.empties(callee)


def owned_by(program: Program, written: str, file: File, scope: str) -> Iterator[str]:
    """The classes of the objects that end with one of the type: values, those of unique pointers, elements."""
    kind = types.parse(written)
    if kind.pointers or kind.reference:
        return
    if not kind.arguments and (meant := program.names.expand(written, file, scope)) != written:
        kind = types.parse(meant) if types.parse(meant).arguments else kind
    roles = program.types.roles_at(written, file, scope)
    if "container" in roles:
        if kind.arguments:
            yield _spelled(kind)
        for argument in kind.arguments[-1:] if "associative" in roles else kind.arguments[:1]:
            yield from owned_by(program, argument, file, scope)
    elif "smart pointer" in roles and "shared pointer" not in roles:
        for argument in kind.arguments[:1]:
            target = program.names.expand(argument, file, scope)
            if types.parse(target).arguments:
                yield from owned_by(program, target, file, scope)
            else:
                yield types.parse(argument).last
    elif not kind.arguments and kind.last not in _NO_HANDLES and not roles:
        yield kind.last


def _spelled(kind: types.Type) -> str:
    """A container's type, one spelling for all: `map<string,vector<int>>`."""
    return kind.last + "<" + ",".join(re.sub(r"\bstd::|\s", "", argument) for argument in kind.arguments) + ">"


def is_container(name: str) -> bool:
    """Whether a name among those of types is that of a container, see `owned_by`."""
    return name.endswith(">")


_ITERATOR = re.compile(r"(.+)::(?:const_)?(?:reverse_)?iterator$", re.DOTALL)


def _within(program: Program, cls: Class, written: str) -> str:
    """The container into which a member leads, by a pointer to it or an iterator of it; empty for any other."""
    iterator = _ITERATOR.match(written.strip())
    meant = program.names.expand(iterator[1] if iterator is not None else written, cls.file, cls.symbol)
    kind = types.parse(meant)
    if not kind.arguments or kind.pointers != (iterator is None):
        return ""
    roles = program.types.roles_at(meant.rstrip("* "), cls.file, cls.symbol)
    return _spelled(kind) if "container" in roles else ""


@flow_question
def ends_of_elements(function: Function) -> tuple[tuple[e.Event, r.Value, tuple[str, ...]], ...]:
    """Where a function takes one thing out of a container that owns what is in it, whosever that is, or puts another in
    its place. With the container and the classes whose objects end."""
    erases = function.program.models.containers.erases
    found: list[tuple[e.Event, r.Value, containers.Insert | None]] = []
    for event in function.flow.calls if function.mentions_any(erases) else ():
        on = receiver(event.node) or next(iter(event.node.args), None)
        if last_name(event.node.callee) in erases and on is not None:
            found.append((event, on, None))
    for insert in containers.inserts(function):
        target = strip(insert.event.target) if isinstance(insert.event, e.Write) else None
        if isinstance(target, r.Index):
            found.append((insert.event, target.base, insert))
    found += ((at, on, None) for at, on in _overwritten(function))
    return tuple(
        (at, on, owned)
        for at, on, insert in found
        if (owned := _owned_in(function, on))
        and (insert is None or lookups.is_in(function, at, insert.container, insert.key))
    )


def _owned_in(function: Function, on: r.Value) -> tuple[str, ...]:
    """The classes of the objects that a container owns."""
    written = _led_to(function, function.program.types.of(on, function))
    if "container" not in function.program.types.roles(written, function):
        return ()
    return tuple(sorted(set(owned_by(function.program, written, function.file, function.record.scope))))


def _led_to(function: Function, written: str) -> str:
    """A container's type, of what is one, or a pointer to one: objects of Python keep theirs by pointers."""
    program, file, scope = function.program, function.file, function.record.scope
    written = program.names.expand(written, file, scope).rstrip("& ")
    kind = types.parse(written)
    if "smart pointer" in program.types.roles(written, function) and kind.arguments and not kind.pointers:
        written = program.names.expand(kind.arguments[0], file, scope)
        return written if "container" in program.types.roles(written, function) else ""
    return written.rstrip("* ").removesuffix("const").rstrip("* ") if kind.pointers == 1 else written


def _overwritten(function: Function) -> Iterator[tuple[e.Event, r.Value]]:
    """Where another is put in the place of an element that is there: `map.at(key) = made`, `found->second = made`."""
    for write in function.flow.writes:
        match strip(write.target) if write.op == "=" and not write.fresh else None:
            case r.Call(callee=r.Member(base=base, name="at")):
                yield write, base
            case r.Member(base=r.Name(text=name), name="second") if name in function.locals:
                match strip(function.locals[name][1]):
                    case r.Call(callee=r.Member(base=base, name="find")):
                        yield write, base


def _may_own(written: str) -> bool:
    """Whether a type is a template's, or a name that may stand for one."""
    kind = types.parse(written)
    return bool(kind.arguments) or (kind.is_value and not kind.is_scalar)


@flow_question
def ends_of_members(function: Function) -> tuple[tuple[e.Event, r.Value, tuple[str, ...]], ...]:
    """Where a method ends what a member of its object owns: by emptying a container or a unique pointer, or by putting
    something else into it; also where a function of C, which does not free that, empties a member of the object that it
    is given first. With the member and the classes whose objects end."""
    return tuple(
        found
        for root, cls in _own_objects(function)
        if any(
            f'"{field.name}"'.encode() in function.encoded
            for one in cls.ancestry
            for field in one.record.fields
            if _may_own(field.type)
        )
        for found in _emptied_members(function, root, cls)
    )


def _own_objects(function: Function) -> Iterator[tuple[str, Class]]:
    """What a method's object is called in it, or the one that a function of C is given first, also after a cast; and
    its class."""
    if function.home is not None:
        yield THIS, function.home
        return
    if function.language != "cpp" or not function.record.parameters or ends_itself(function) is not None:
        return
    for name, written in _names_of_first(function):
        kind = types.parse(written)
        cls = function.program.names.find_class(kind.name, function.record.scope, function.file)
        if cls is not None and (kind.pointers == 1 or kind.reference):
            yield name, cls


def _emptied_members(function: Function, root: str, cls: Class) -> Iterator[tuple[e.Event, r.Value, tuple[str, ...]]]:
    own = root == THIS
    members = cls.members - function.declared if own else frozenset[str]()
    for event in function.flow:
        match event:
            case e.CallEvent(node=r.Call(callee=r.Member(base=base, name="clear" | "reset" as name, arrow=arrow))):
                on: r.Value | None = base if not arrow or name == "clear" else None
            case e.CallEvent(node=r.Call(callee=r.Member(base=base, name="assign", arrow=False))):
                on = base
            case e.CallEvent(node=r.Call(callee=r.Member(base=base, name="swap"), args=(other,))):
                on = base if _ends_unused(function, event, other) else None
            case e.Write(op="=", target=on, fresh=False) if own:
                pass
            case _:
                continue
        where = place_of(on, function.flow.aliases, members)
        if on is None or where is None or where[0] != root or len(where) != 2:
            continue
        written = function.program.types.of(on, function)
        if isinstance(event, e.CallEvent) and isinstance(event.node.callee, r.Member) and event.node.callee.arrow:
            written = _led_to(function, written)
        written = function.program.names.expand(written, function.file, function.record.scope)
        if not types.parse(written).arguments:
            continue
        owned = tuple(sorted(set(owned_by(function.program, written, function.file, function.record.scope))))
        if owned:
            yield event, on, owned


def _ends_unused(function: Function, event: e.Event, value: r.Value) -> bool:
    """Whether a local container, with what it has got by then, ends without being used."""
    inner = strip(value)
    if not isinstance(inner, r.Name) or inner.text not in function.locals or not _is_of_local(function, inner):
        return False
    return not any(
        isinstance(part, r.Name) and part.text == inner.text
        for later in function.flow.after(event)
        if isinstance(later, e.Read | e.CallEvent)
        for part in walk(later.node)
    )


@flow_question
def ends_elsewhere(function: Function) -> tuple[tuple[e.Event, r.Value, tuple[str, ...]], ...]:
    """Where a function ends what is owned elsewhere than in a member of its own object: it puts another in the place of
    an element of a sequence, or empties a container or an owner of another object. With that and the classes whose
    objects end."""
    members = function.home.members - function.declared if function.home is not None else frozenset[str]()
    found: list[tuple[e.Event, r.Value]] = []
    for event in function.flow:
        match event:
            case e.Write(op="=", target=target, fresh=False):
                base = _sequence_of(function, strip(target))
                if base is not None and target is not None and last_name(base) not in _sized(function.program):
                    found.append((event, target))
            case e.CallEvent(node=r.Call(callee=r.Member(base=base, name="clear"))):
                found.append((event, base))
            case e.CallEvent(node=r.Call(callee=r.Member(base=base, name="reset", arrow=False), args=args)):
                sequence = _sequence_of(function, strip(base))
                if not args or (sequence is not None and last_name(sequence) not in _sized(function.program)):
                    found.append((event, base))
    out: list[tuple[e.Event, r.Value, tuple[str, ...]]] = []
    for event, on in found:
        where = place_of(on, function.flow.aliases, members)
        own = where is not None and where[0] == THIS and len(where) == 2
        if not own and not _is_of_local(function, on) and (owned := _owned_at(function, on)):
            out.append((event, on, owned))
    return tuple(out)


def _owned_at(function: Function, on: r.Value) -> tuple[str, ...]:
    written = function.program.names.expand(
        function.program.types.of(on, function), function.file, function.record.scope
    ).rstrip("& ")
    if not types.parse(written).arguments:
        return ()
    return tuple(sorted(set(owned_by(function.program, written, function.file, function.record.scope))))


def _sequence_of(function: Function, target: r.Value | None) -> r.Value | None:
    """The sequence of which an expression is an element that is there: `all[i]`, `all.back()`, also by a reference."""
    if isinstance(target, r.Name) and target.text in function.locals:
        written, initial = function.locals[target.text]
        target = strip(initial) if written.rstrip().endswith("&") else None
    match target:
        case r.Index(base=base, indexes=(_,)):
            pass
        case r.Call(callee=r.Member(base=base, name="at" | "front" | "back")):
            pass
        case _:
            return None
    return (
        base
        if "sequence" in function.program.types.roles(function.program.types.of(base, function), function)
        else None
    )


@program_question
def _sized(program: Program) -> frozenset[str]:
    """Last names of the sequences that get a number of elements, which may be empty before they are filled."""
    made = {one.name for each in program.functions for one in each.record.initializers if one.args}
    return frozenset(made).union(
        last_name(on)
        for function in program.calling(_SIZES)
        if function.language == "cpp"
        for call in function.flow.calls
        if last_name(call.node.callee) in _SIZES and (on := receiver(call.node)) is not None
    )


_SIZES = frozenset({"resize", "assign"})


def _is_of_local(function: Function, value: r.Value) -> bool:
    """Whether something is, or is part of, a local object that is no pointer or reference."""
    inner = strip(value)
    while isinstance(inner, r.Member | r.Index):
        if isinstance(inner, r.Member) and inner.arrow:
            return False
        inner = strip(inner.base)
    if not isinstance(inner, r.Name) or inner.text not in function.declared:
        return False
    kind = types.parse(function.program.types.of(inner, function))
    return kind.is_value and inner.text not in function.flow.aliases


class NativeEnd(NamedTuple):
    """A function ends objects of these classes by a class of the project. With `below` it is the one object that is
    `said`, and what that owns ends unseen; else all that `said` owns."""

    event: e.Event
    said: r.Value
    types: tuple[str, ...]
    below: bool


def ends(function: Function, found: Natives) -> Iterator[NativeEnd]:
    """Where a function ends objects by the project's own classes: it empties a member that owns them, calls a method
    that does, or hands one to a method that takes it out of where it is owned."""
    if function.record.kind in ("constructor", "destructor"):
        return
    for event, member, owned in ends_of_members(function):
        yield NativeEnd(event, member, owned, False)
    for event, container, owned in ends_of_elements(function):
        yield NativeEnd(event, container, owned, True)
    yield from ends_by_calls(function, found)


def ends_by_calls(function: Function, found: Natives, *, own: bool = False) -> Iterator[NativeEnd]:
    """Those of `ends` that come by what the function calls on another object, or on its own."""
    if function.record.kind in ("constructor", "destructor"):
        return
    if not any({*words(name)} & _ENDING for name in function.mentioned if not name.startswith("=")):
        return
    for call in function.flow.calls:
        on = receiver(call.node)
        if (on is None and not own) or not {*words(last_name(call.node.callee))} & _ENDING:
            continue
        for callee in function.program.calls.callee(call.node, function).functions[:1]:
            if callee.home is None or callee is function or (callee.home is function.home and not own):
                continue
            if on is not None and callee.home is not function.home and (emptied := found.empties(callee)):
                yield NativeEnd(call, on, tuple(sorted(emptied)), False)
            for parameter, argument in zip(callee.record.parameters, call.node.args, strict=False):
                kind = types.parse(parameter.type)
                if (kind.pointers == 1 or kind.reference) and kind.last in _taken_out(callee):
                    yield NativeEnd(call, argument, (kind.last,), True)


def _taken_out(method: Function) -> set[str]:
    """The classes of which a method takes objects out of what owns them, or deletes one."""
    found: set[str] = set()
    for call in method.flow.calls:
        if call.node.kind == "delete" and call.node.args:
            found.add(types.parse(method.program.types.of(call.node.args[0], method)).last)
    for _, _, owned in ends_of_elements(method):
        found.update(owned)
    return found


def ends_life(name: str) -> bool:
    """Whether a function's name opens or closes with a verb that ends a life."""
    said = words(name)
    if not said or not habits.LISTENS.isdisjoint(said):
        return False
    return said[-1] in habits.NATIVE_ENDS or said[0] in habits.NATIVE_ENDS


def only_empties(name: str) -> bool:
    """Whether a function's name says that it ends what its object has, but not the object: `panel_clear`."""
    said = words(name)
    return bool(said) and not _EMPTYING.isdisjoint((said[0], said[-1])) and not ends_life(name)


def takes_in(name: str) -> frozenset[str]:
    """The verbs of a function's name that say that something is put into something else, for keeps."""
    return frozenset() if ends_life(name) else habits.GRAFTS.intersection(words(name))


def makes(name: str) -> bool:
    """Whether a function's name says that its result is new."""
    return not habits.NATIVE_MAKES.isdisjoint(words(name))


def _destroyer(program: Program, name: str, record: r.FunctionRecord) -> Destroyer | None:
    if record.owner or not record.parameters or len(record.parameters) > 3:
        return None
    if not ends_life(name) and not _undoes_making(program, name, record):
        return None
    handles = [
        (position, types.parse(parameter.type))
        for position, parameter in enumerate(record.parameters)
        if _can_be_handle(kind := types.parse(parameter.type))
        and "python handle" not in program.models.role(kind.last, ())
    ]
    if not handles:
        return None
    position, kind = _meant_by(program, name, handles)
    return Destroyer(name, kind.last, position)


def _meant_by(program: Program, name: str, handles: list[tuple[int, types.Type]]) -> tuple[int, types.Type]:
    """The parameter that a function ends: what its opposite hands out, as of `book_open(Book*)` and
    `book_close(Book*, Position*)`, or the one whose type its name says last, as in `destroyBody(World*, Body*)`."""
    said = words(name)
    if len(handles) > 1:
        made = {types.parse(one.result).last for one in _opposites(program, name)}
        found = [one for one in handles if one[1].last in made]
        if len(found) == 1:
            return found[0]
        (_, first), *rest = handles
        parts = [
            one for one in rest if one[1].last != first.last and (first.last, one[1].last) in _parts_handed_out(program)
        ]
        if len(rest) == len(parts) == 1 and _noun(parts[0][1]) not in said:
            return parts[0]
    if said[-1] == "erase":
        return handles[-1]
    named = [(said.index(last), at) for at, (_, kind) in enumerate(handles) if (last := _noun(kind)) in said]
    return handles[max(named)[1] if named else 0]


@program_question
def _parts_handed_out(program: Program) -> frozenset[tuple[str, str]]:
    """For each function outside of classes the type of its first parameter, and the type that it answers with."""
    return frozenset(
        (types.parse(record.parameters[0].type).last, types.parse(record.result).last)
        for _, record in program.index.declared_functions()
        if record.parameters and not record.owner
    )


def _noun(kind: types.Type) -> str:
    """The word of a type's name that says what it is: `track` of `mix_track_t`."""
    return next((word for word in reversed(words(kind.last)) if word not in _SUFFIXES), "")


_SUFFIXES = frozenset({"t", "s", "st", "ref", "ptr", "impl", "handle"})


def _undoes_making(program: Program, name: str, record: r.FunctionRecord) -> bool:
    """Whether it is the opposite of a function that hands out what it is given: `db_connect` and `db_disconnect`,
    `mix_add_track` and `mix_remove_track`, `bank_load` and `bank_unload`."""
    given = {kind.last for one in record.parameters if (kind := types.parse(one.type)).pointers == 1}
    return any(
        (made := types.parse(maker.result)).pointers == 1 and made.last in given and made.last not in _NO_HANDLES
        for maker in _opposites(program, name)
    )


def _opposites(program: Program, name: str) -> Iterator[r.FunctionRecord]:
    """The functions whose names say the opposite: with the verb that this one's undoes, or without its `un`."""
    said = words(name)
    pairs = [(verb, opposite) for verb, opposite in habits.UNDOES if opposite in said]
    pairs += [(word[2:], word) for word in said if word.startswith("un") and len(word) > _SHORTEST_VERB]
    for verb, opposite in pairs:
        for called in {
            name.replace(opposite, verb),
            name.replace(opposite.capitalize(), verb.capitalize()),
            name.replace(opposite.upper(), verb.upper()),
        } - {name}:
            yield from (maker for _, maker in program.index.records_called(called))


_SHORTEST_VERB = 5


def _can_be_handle(kind: types.Type) -> bool:
    if kind.arguments or kind.last in _NO_HANDLES or kind.name.startswith("std::"):
        return False
    return kind.pointers == 1 or (kind.is_value and kind.name.isidentifier())


def _made_unseen(function: Function) -> Iterator[tuple[str, str]]:
    """The types of what calls of functions of C that nobody declares are given first, and into what they are given by
    address: `sqlite3_prepare(db, text, size, &statement)`."""
    for call in function.flow.calls:
        args = call.node.args
        if not args or not makes(last_name(call.node.callee)) or not isinstance(call.node.callee, r.Name):
            continue
        given = types.parse(function.program.types.of(args[0], function))
        if given.pointers != 1 or not _can_be_handle(given):
            continue
        if function.program.calls.callee(call.node, function).records:
            continue
        for argument in args[1:]:
            inner = strip(argument)
            if isinstance(inner, r.Unary) and inner.op == "&":
                kind = types.parse(function.program.types.of(inner.value, function))
                if kind.pointers == 1 and not kind.is_scalar:
                    yield given.last, kind.last


def homes(function: Function) -> Iterator[Class]:
    """The class whose method, or lambda, a function is, or of which a function of C is given an object first, also by a
    pointer that it casts."""
    if function.home is not None:
        yield function.home
        return
    for _, written in _names_of_first(function) if function.record.parameters else ():
        kind = types.parse(written)
        named = function.program.names.find_class(kind.name, function.record.scope, function.file)
        if named is not None and (kind.pointers == 1 or kind.reference):
            yield named


def _got_unseen(function: Function) -> Iterator[tuple[str, str]]:
    """The types of what calls out of sight are given first, or called on, and of what their results are put into:
    `Func* f = module->find(name)`, `new Func(find(module, name))`."""
    for call, written in _put_to_use(function):
        got = types.parse(written)
        if call.kind != "call" or got.pointers != 1 or got.is_scalar or not _can_be_handle(got):
            continue
        given = receiver(call) or next(iter(call.args), None)
        kind = types.parse(function.program.types.of(given, function)) if given is not None else got
        if given is None or kind.pointers != 1 or kind.is_scalar or not _can_be_handle(kind):
            continue
        python = any("python handle" in function.program.models.role(one.last, ()) for one in (kind, got))
        callee = function.program.calls.callee(call, function)
        if not python and not callee.functions:
            yield kind.last, got.last


def _ended_out_of_sight(function: Function, call: r.Call, name: str) -> tuple[str, r.Value] | None:
    """The same of a method of a class that is in no file: of what it is given where its name says that last, as in
    `world.DestroyBody(body)`, and of its own object where it is given nothing, as in `op->erase()`."""
    on = receiver(call)
    for value in call.args:
        kind = types.parse(function.program.types.of(value, function))
        if kind.pointers == 1 and _can_be_handle(kind) and _noun(kind) in words(name):
            return kind.last, value
    if call.args or on is None or _ENDS_ITSELF.isdisjoint(words(name)[:1]):
        return None
    kind = types.parse(function.program.types.of(on, function))
    return (kind.last, on) if kind.pointers == 1 and _can_be_handle(kind) else None


_ENDS_ITSELF = frozenset({"destroy", "erase", "dispose"})
"""How the name of a method begins that ends its own object, whatever class that is of."""


def _put_to_use(function: Function) -> Iterator[tuple[r.Call, str]]:
    """Each call whose result is stored, given back, or handed to what makes or takes something, with the type there."""
    program = function.program
    for write in function.flow.writes:
        if isinstance(made := strip(write.value), r.Call):
            local = function.locals.get(write.place[0]) if len(write.place) == 1 else None
            yield made, local[0] if local is not None else program.types.of(write.target, function)
    for leave in function.flow.leaves:
        if isinstance(made := strip(leave.value), r.Call):
            yield made, function.record.result
    for begun in function.record.initializers:
        field = function.home.field(begun.name) if function.home is not None else None
        if field is not None and len(begun.args) == 1 and isinstance(made := strip(begun.args[0]), r.Call):
            yield made, field[1].type
    for call in function.flow.calls:
        inner = [(at, one) for at, value in enumerate(call.node.args) if isinstance(one := strip(value), r.Call)]
        for taking in (
            *program.calls.callee(call.node, function).functions,
            *_making(function, call.node, bool(inner)),
        ):
            for at, made in inner:
                if at < len(taking.record.parameters):
                    yield made, taking.record.parameters[at].type


def _making(function: Function, call: r.Call, asked: bool) -> Iterator[Function]:
    """The constructors that a call runs by way of a library, or a `new`: `std::make_shared<Func>(given)`."""
    written = types.parse(function.program.types.of(call, function)) if asked else types.parse("")
    for name in (written.name, *written.arguments[:1]) if written.name else ():
        cls = function.program.names.find_class(name, function.record.scope, function.file)
        if cls is not None:
            yield from (one for one in cls.constructors if len(one.record.parameters) >= len(call.args))


def _edges(program: Program, natives: Natives) -> dict[str, set[str]]:
    """From each type to those that functions of the project hand out for it, to what its objects own, and to what the
    function that ends one ends with it. A mere pointer to something leads nowhere, nor does a Python object: objects of
    any type are wrapped in one, and taken out of one again."""
    found: dict[str, set[str]] = {}
    for name, record in program.index.declared_functions():
        if record.owner or not record.parameters or makes(name):
            continue
        given, got = types.parse(record.parameters[0].type), types.parse(record.result)
        beside = given.last == got.last and not habits.BESIDE.isdisjoint(words(name))
        python = any("python handle" in program.models.role(kind.last, ()) for kind in (given, got))
        if _can_be_handle(given) and _can_be_handle(got) and not beside and not python:
            found.setdefault(given.last, set()).add(got.last)
    for cls in program.classes:
        for field in cls.record.fields:
            written = program.names.expand(field.type, cls.file, cls.symbol)
            owned = owned_by(program, written, cls.file, cls.symbol)
            found.setdefault(cls.name, set()).update(one for one in owned if program.index.defines(one))
            if _ends_unseen(cls):
                found[cls.name].update(_named_in(field.type))
    for (owner, _), one in natives.method_destroyers.items():
        found.setdefault(owner, set()).add(one.type)
    for outer, inner in natives.lent if natives.library_types else ():
        found.setdefault(outer, set()).add(inner)
    for function in program.functions:
        if function.language != "cpp":
            continue
        if function.record.kind == "destructor" and function.home is not None:
            outer = function.home.name
        elif function.name in natives.destroyers:
            outer = natives.destroyers[function.name].type
        else:
            continue
        found.setdefault(outer, set()).update(kind for _, kind, _ in destroys(function, natives) if kind != outer)
    return found


def _ends_unseen(cls: Class) -> bool:
    """Whether its destructor is declared, and its body is in no file: it may end whatever a member points to."""
    return cls.record.destructor == "declared" and cls.destructor is None


def _named_in(written: str) -> Iterator[str]:
    """A pointer's target, and those of the pointers in a container."""
    kind = types.parse(written)
    if kind.pointers:
        yield kind.last
    for argument in kind.arguments:
        inner = types.parse(argument)
        if not inner.arguments and inner.last not in _NO_HANDLES:
            yield inner.last


@program_question
def _library_ends(program: Program) -> frozenset[str]:
    """Names of functions that end what they are given, as models say: of libraries that the project only uses."""
    declared = {name for name, _ in program.index.declared_functions()}
    return program.models.functions_with("release", wanted=_ended_arguments) - declared


@each_function
def _ended_by_libraries(function: Function) -> frozenset[str]:
    """See `Natives.library_types`."""
    ends = _library_ends(function.program)
    if function.language != "cpp" or not function.mentions_any(ends):
        return frozenset()
    found: set[str] = set()
    for call in function.flow.calls:
        if last_name(call.node.callee) in ends:
            ended = _ended_by_library(function, call.node)
            found.update(() if ended is None else ended[:1])
    return frozenset(found)


@each_function
def _handed_out(function: Function) -> frozenset[tuple[str, str]]:
    """One call in the next: `Op op = blockGetFirst(moduleGetBody(module))`."""
    lends = function.program.models.lenders_of_arguments
    if function.language != "cpp" or not function.mentions_any(lends):
        return frozenset()
    found = set()
    for write in function.flow.writes:
        inner = strip(write.value)
        while isinstance(inner, r.Call) and (lent := _lent_from(function, inner)) is not None:
            inner = strip(lent)
        if inner is None or inner is strip(write.value):
            continue
        begun = function.locals.get(write.place[0]) if write.target is None and len(write.place) == 1 else None
        given = types.parse(function.program.types.of(inner, function))
        got = types.parse(begun[0] if begun is not None else function.program.types.of(write.target, function))
        if given.is_value and got.is_value and _can_be_handle(given) and _can_be_handle(got):
            found.add((given.last, got.last))
    return frozenset(found)


def _lent_from(function: Function, call: r.Call) -> r.Value | None:
    """The argument of which the result of a library's function is a part."""
    callee = function.program.calls.callee(call, function)
    for effect in (effect for model in callee.models for effect in model.effects) if not callee.records else ():
        if effect.verb == "borrow" and effect.other is not None and effect.other.kind == "argument":
            at = effect.other.index
            return call.args[at] if at < len(call.args) else None
    return None


def _ended_arguments(model: FunctionModel) -> tuple[int, ...]:
    """Which arguments a library's function ends, from 0; none where it counts one reference less."""
    places = [one.place for one in model.effects if one.verb == "release" and one.place is not None]
    return tuple(place.index for place in places if place.kind == "argument" and not model.counted)


def _ended_by_library(function: Function, call: r.Call) -> tuple[str, r.Value] | None:
    """The type of the value that a library's function ends, and the argument."""
    for model in function.program.calls.callee(call, function).models:
        for at in _ended_arguments(model):
            kind = types.parse(function.program.types.of(call.args[at], function) if at < len(call.args) else "")
            if kind.is_value and kind.name and _can_be_handle(kind):
                return kind.last, call.args[at]
    return None


def destroys(function: Function, found: Natives) -> Iterator[tuple[e.CallEvent, str, r.Value]]:
    """The calls of a function that end the life of a native object, with its type and the argument."""
    if not any(found.may_end(name) for name in function.mentioned) and not function.says(_DELETES):
        return
    for call in function.flow.calls:
        if (what := found.destroyed(function, call.node)) is not None:
            yield call, *what


@question
def ends_itself(function: Function) -> e.CallEvent | None:
    """Where a function of C frees the object that it is given first: nobody has that object any more, as in a
    destructor."""
    if function.language != "cpp" or function.home is not None or not function.record.parameters:
        return None
    frees = _freeing(function.program)
    names = dict(_names_of_first(function))
    for call in function.flow.calls if any(n in frees or ends_life(n) for n in function.mentioned) else ():
        name, given = last_name(call.node.callee), [strip(argument) for argument in call.node.args]
        ended = given if ends_life(name) else given[:1] if name in frees else []
        if any(isinstance(one, r.Name) and one.text in names for one in ended):
            return call
    return None


@program_question
def _freeing(program: Program) -> frozenset[str]:
    """Functions of libraries that free what they are given first, whatever they are named: `PyObject_Del`."""
    return program.models.functions_with("release", "argument 1", lambda model: not model.counted)


def _names_of_first(function: Function) -> Iterator[tuple[str, str]]:
    """What the first parameter is called in the function, also after a cast, and of which type it is there."""
    first = function.record.parameters[0]
    yield first.name, first.type
    for name, (written, initial) in function.locals.items():
        if is_name(initial, first.name):
            cast = initial.type if isinstance(initial, r.Cast) else written
            yield name, cast if types.parse(written).is_placeholder else written


@program_question
def endings(program: Program) -> dict[Class, list[tuple[Function, e.CallEvent]]]:
    """For each class, the functions of C that free the object of it that they are given first."""
    found: dict[Class, list[tuple[Function, e.CallEvent]]] = {}
    for function in program.functions:
        if (call := ends_itself(function)) is not None:
            kinds = (program.names.expand(kind, function.file) for _, kind in _names_of_first(function))
            named = (program.names.find_class(kind, function.record.scope, function.file) for kind in kinds)
            for cls in {one: None for one in named if one is not None}:
                found.setdefault(cls, []).append((function, call))
    return found


def given_up(function: Function) -> Iterator[tuple[e.CallEvent, str, r.Value]]:
    """The calls of functions out of sight that are given a member, which is then set to null: whatever they are named,
    what it pointed to is gone. With its type and the argument."""
    if not function.says(_NULL):
        return
    emptied = [
        write
        for write in function.flow.writes
        if not write.fresh and isinstance(inner := strip(write.value), r.Literal) and inner.kind == "null"
    ]
    for call in function.flow.calls if emptied else ():
        if len(call.node.args) != 1 or not _is_native(function, call.node) or not call.dropped:
            continue
        argument = strip(call.node.args[0])
        where = place_of(argument, function.flow.aliases)
        if isinstance(argument, r.Member) and any(
            write.place == where and any(one is write for one in function.flow.after(call)) for write in emptied
        ):
            kind = types.parse(function.program.types.of(argument, function))
            if kind.pointers == 1 and _can_be_handle(kind):
                yield call, kind.last, argument


_DELETES = re.compile(rb'"delete"')
_NULL = re.compile(rb'"null"|"NULL"')


def taken(function: Function) -> Iterator[tuple[e.CallEvent, Sequence[int]]]:
    """The calls that take something in, and which arguments that may be: of native functions whose names say so, of
    libraries' that adopt one, and of the project's whose bodies put what they are given where it stays."""
    for call in function.flow.calls:
        if call.index not in function.flow.reachable:
            continue
        if takes_in(last_name(call.node.callee)) and _is_native(function, call.node):
            yield call, range(len(call.node.args))
        elif kept := _kept(function, call.node):
            yield call, kept


def _kept(function: Function, call: r.Call) -> list[int]:
    callee = function.program.calls.callee(call, function)
    if call.kind != "call" or not callee.all_defined:
        adopted = (one.place for model in callee.models for one in model.effects if one.verb == "adopt")
        return [place.index for place in adopted if place is not None and place.kind == "argument"]
    known = resources(function.program)
    return [index for index in range(len(call.args)) if known.taking(call, function, index) in ("kept", "adopted")]


def _is_native(function: Function, call: r.Call) -> bool:
    """A free function that the project only declares, or that has C linkage."""
    if not isinstance(call.callee, r.Name) or call.kind != "call":
        return False
    callee = function.program.calls.callee(call, function)
    if call.callee.text in function.declared:  # a lambda that a local holds
        return False
    return not callee.functions or any('extern "C"' in record.qualifiers for record in callee.records)


@program_question
def natives(program: Program) -> Natives:
    """The native handles of a program; one object a program, since its answers are remembered."""
    return Natives(program)
