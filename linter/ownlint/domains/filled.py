"""Members of bound classes that Python fills: by a constructor, a method, a property or a field that is bound, and by
functions that make such objects, with an object or a function of its own.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import msgspec

from ownlint.bindings.holding import field_of
from ownlint.bindings.signatures import bound_class, framework_of, signature_of
from ownlint.bindings.targets import target_of
from ownlint.domains import entrances
from ownlint.domains.counted.references import references
from ownlint.facts import records as r
from ownlint.flow import events as e
from ownlint.flow.places import THIS, is_one_of, last_name, strip, walk
from ownlint.models.records import FrameworkModel
from ownlint.project import types
from ownlint.project.program import Program
from ownlint.project.questions import program_question
from ownlint.project.subjects import Binding, Class, Function

_DEEPEST = 3
_NESTS = frozenset({"container", "associative", "sequence", "optional", "pair", "set", "smart pointer", "scoped owner"})


class FilledMember(NamedTuple):
    """Python puts what it likes into `field` of a `cls`, by way of the binding; `home` is the class that has it."""

    binding: Binding
    cls: Class
    home: Class
    field: r.Field


@program_question
def filled(program: Program) -> tuple[FilledMember, ...]:
    """Every such binding and member, in the order of the sources."""
    return tuple(_found(program))


@program_question
def members(program: Program) -> frozenset[tuple[str, str]]:
    """The members among these, each with its class, and those of the objects that lie in them."""
    found: set[tuple[str, str]] = set()
    for one in filled(program):
        framework = framework_of(one.binding)
        if framework is None:
            continue
        waiting = [(one.home, one.field)]
        for home, field in waiting:
            found.add((home.symbol, field.name))
            for inner in _lying_in(home, field.type):
                new = (each for each in _holding(one.cls, inner, framework) if (inner.symbol, each.name) not in found)
                waiting += [(inner, each) for each in new]
    return frozenset(found)


def _lying_in(home: Class, written: str) -> Iterator[Class]:
    """The project's classes of which objects lie in a member of that type."""
    kind = types.parse(home.program.names.expand(written, home.file, home.symbol))
    cls = home.program.names.find_class(kind.name, home.symbol, home.file)
    if cls is not None:
        yield cls
    elif _NESTS.intersection(home.program.types.roles_at(kind.name, home.file, home.symbol)):
        for argument in kind.arguments:
            yield from _lying_in(home, argument)


def _found(program: Program) -> Iterator[FilledMember]:
    for binding in program.bindings:
        framework = framework_of(binding)
        if framework is None:
            continue
        if binding.record.kind in ("function", "static"):
            yield from _by_factory(binding, framework)
        cls = bound_class(binding)
        if cls is not None and any(_may_hold(one, framework) for one in cls.ancestry):
            yield from (FilledMember(binding, cls, *held) for held in _filled(binding, cls, framework))


def _by_factory(binding: Binding, framework: FrameworkModel) -> Iterator[FilledMember]:
    """What a bound function makes of what it is given: `[](py::object of) { return new Cell(of); }`."""
    target = target_of(binding)
    if target is None or target.function is None:
        return
    function, program = target.function, binding.program
    given = frozenset(p.name for p in function.record.parameters if _is_given(p.type, function, framework))
    kind = types.parse(program.names.expand(target.result, function.file, function.record.scope))
    said = (kind.name, *(types.parse(argument).name for argument in kind.arguments[:1])) if given else ()
    found = (program.names.find_class(name, function.record.scope, function.file) for name in said)
    cls = next((one for one in found if one is not None), None)
    if cls is None or cls.name not in program.names.bound_types:
        return
    for name in Filling(cls, framework).made(function, given):
        held = cls.field(name)
        if held is not None and not held[1].static and holds(cls, held[1].type, held[0], framework):
            yield FilledMember(binding, cls, *held)


def _is_given(written: str, function: Function, framework: FrameworkModel) -> bool:
    """Whether an argument of that type can be any object."""
    expanded = function.program.names.expand(written, function.file, function.record.scope)
    return _is_open(types.parse(expanded), function.program.types.roles(expanded, function), framework)


def _may_hold(cls: Class, framework: FrameworkModel) -> bool:
    return any(holds(cls, field.type, cls, framework) for field in cls.record.fields)


def holds(cls: Class, written: str, home: Class, framework: FrameworkModel, depth: int = 0) -> bool:
    """Whether a member of that type, written in `home`, holds objects that can lead back to who holds it."""
    program = home.program
    expanded = program.names.expand(written, home.file, home.symbol)
    kind = types.parse(expanded)
    roles = program.types.roles_at(expanded, home.file, home.symbol)
    if kind.pointers or kind.reference or depth > _DEEPEST:
        return False
    if "shared pointer" in roles:
        return framework.facts.get("shared_pointer_holds") == "object" and _leads_to(cls, kind, home)
    if _is_open(kind, roles, framework):
        return "python handle" not in roles or "python object" in roles
    if _NESTS.intersection(roles):
        return any(holds(cls, one, home, framework, depth) for one in kind.arguments)
    inner = program.names.find_class(kind.name, home.symbol, home.file) if not roles else None
    return inner is not None and any(True for _ in _holding(cls, inner, framework, depth + 1))


def _holding(cls: Class, inner: Class, framework: FrameworkModel, depth: int = 0) -> Iterator[r.Field]:
    """The members of a class whose objects lie in a `cls`, or are one, that hold such objects."""
    return (one for one in inner.record.fields if not one.static and holds(cls, one.type, inner, framework, depth))


def _leads_to(cls: Class, kind: types.Type, home: Class) -> bool:
    found = home.program.names.find_class(kind.arguments[0], home.symbol, home.file) if kind.arguments else None
    return found is not None and (cls in found.ancestry or found in cls.ancestry)


def _is_open(kind: types.Type, roles: tuple[str, ...], framework: FrameworkModel) -> bool:
    """Whether it can be any object, or anything that is called: no text, no number."""
    if "python array" in roles or kind.last in framework.facts.get("leaf_objects", "").split():
        return False
    return not {"python object", "python handle", "callable"}.isdisjoint(roles)


# --- what a binding fills ----------------------------------------------------------------------------


def _filled(binding: Binding, cls: Class, framework: FrameworkModel) -> Iterator[tuple[Class, r.Field]]:
    record = binding.record
    if record.kind == "field_rw":
        held = field_of(binding)
        if held is not None and not held[1].static and holds(cls, held[1].type, held[0], framework):
            yield held
        return
    if record.kind == "property_rw":
        if strip(record.setter) is None:
            return
        made = msgspec.structs.replace(record, callable=record.setter, setter=None, kind="method")
        binding = Binding(binding.program, binding.file, made)
    elif record.kind not in ("method", "init"):
        return
    reader = Filling(cls, framework)
    for name in reader.by(binding):
        held = cls.field(name)
        if held is not None and not held[1].static and holds(cls, held[1].type, held[0], framework):
            yield held


class Filling:
    """Names of the members into which a callable puts what it is given."""

    def __init__(self, cls: Class, framework: FrameworkModel) -> None:
        self.cls = cls
        self.framework = framework

    def by(self, binding: Binding) -> Iterator[str]:
        target = entrances.callable_of(binding)
        if binding.record.kind == "init":
            if target is None or target.function is None:
                yield from self._constructed(binding)
            else:
                yield from self._made(target.function)
        elif target is not None and target.function is not None:
            function = target.function
            if target.first == 2:
                yield from self.stored(function, THIS, self._open(function))
            elif function.record.parameters:
                yield from self.stored(function, function.record.parameters[0].name, self._open(function))

    def _open(self, function: Function) -> frozenset[str]:
        return frozenset(p.name for p in function.record.parameters if _is_given(p.type, function, self.framework))

    def _constructed(self, binding: Binding) -> Iterator[str]:
        signature = signature_of(binding)
        if signature is None or signature.parameters is None:
            return
        for made in self.cls.constructors:
            if len(made.record.parameters) == len(signature.parameters) - 1:
                yield from self.stored(made, THIS, self._open(made))

    def _made(self, factory: Function) -> Iterator[str]:
        yield from self.made(factory, self._open(factory))

    def made(self, factory: Function, given: frozenset[str]) -> Iterator[str]:
        """A factory hands what it is given to a constructor, or puts it into what it makes."""
        if not given:
            return
        for name, (written, _) in factory.locals.items():
            if types.parse(types.element(written) or written).last == self.cls.name:
                yield from self.stored(factory, name, given)
        for call in factory.flow.calls:
            numbers = [i for i, one in enumerate(call.node.args) if is_one_of(one, given)]
            if not numbers or not self._makes(call.node):
                continue
            for made in self.cls.constructors:
                parameters = made.record.parameters
                if len(parameters) == len(call.node.args):
                    yield from self.stored(made, THIS, frozenset(parameters[i].name for i in numbers))

    def _makes(self, call: r.Call) -> bool:
        said = call.template if last_name(call.callee).startswith("make_") else last_name(call.callee)
        return types.parse(said).last == self.cls.name

    def stored(self, function: Function, root: str, given: frozenset[str], depth: int = 0) -> Iterator[str]:
        """What the body puts below `root` of the values that go by these names."""
        if not given or depth > _DEEPEST:
            return
        puts = function.program.models.containers.puts
        for event in function.flow:
            match event:
                case e.Write(place=place, value=value) if name := self._member(event, place, root):
                    if self._is_given_value(value, given, function) and not self._emptied(function, event, name):
                        yield name
                case e.CallEvent(receiver=(first, name, *_), node=node) if (
                    first == root and last_name(node.callee) in puts
                ):
                    if any(self._is_given_value(one, given, function) for one in node.args):
                        yield name
                case e.CallEvent(node=node):
                    yield from self._handed(function, event, node, root, given, depth)

    @staticmethod
    def _member(event: e.Write, place: tuple[str, ...], root: str) -> str:
        if event.op == "init":
            return place[-1] if root == THIS else ""
        return place[1] if len(place) > 1 and place[0] == root and event.op == "=" else ""

    def _handed(
        self, function: Function, event: e.CallEvent, node: r.Call, root: str, given: frozenset[str], depth: int
    ) -> Iterator[str]:
        """A method of the same object gets it."""
        on_itself = event.receiver == (root,) or (root == THIS and isinstance(node.callee, r.Name))
        if node.kind != "call" or not on_itself or not any(is_one_of(one, given) for one in node.args):
            return
        for method in function.program.calls.callee(node, function).functions[:1]:
            if method is not function and method.cls in self.cls.ancestry:
                names = [p.name for p in method.record.parameters]
                inner = frozenset(n for n, one in zip(names, node.args, strict=False) if is_one_of(one, given))
                yield from self.stored(method, THIS, inner, depth + 1)

    def _is_given_value(self, value: r.Value | None, given: frozenset[str], function: Function) -> bool:
        """The value itself, a reference more to it, a function that captures it, or one of these in braces."""
        inner = strip(value)
        if is_one_of(inner, given):
            return True
        match inner:
            case r.Lambda(captures=captures):
                body = function.program.index.function_at(function.file, inner.function)
                return any(one.name in given or is_one_of(one.value, given) for one in captures) or (
                    any(one.name == "=" for one in captures)
                    and body is not None
                    and any(f'"{name}"'.encode() in body.encoded for name in given)
                )
            case r.Aggregate(items=items):
                return any(self._is_given_value(one, given, function) for one in items)
            case r.Conditional(then=then, other=other):
                return self._is_given_value(then, given, function) or self._is_given_value(other, given, function)
            case r.Call(kind="construct", args=args):
                return any(self._is_given_value(one, given, function) for one in args)
            case r.Call(callee=r.Member(base=base, name="cast")):
                return is_one_of(base, given)
            case r.Call(args=args):
                model = references(function.program).model(inner, function)
                owns = model is not None and model.has("own", "result")
                return owns and any(is_one_of(one, given) for one in args)
        return False

    @staticmethod
    def _emptied(function: Function, at: e.Write, member: str) -> bool:
        """Whether the same body forgets it again further down."""
        for event in function.flow.events[at.index + 1 :]:
            match event:
                case e.Write(place=place, value=value) if place[-1] == member and place == at.place:
                    if isinstance(strip(value), r.Literal) or (isinstance(value, r.Aggregate) and not value.items):
                        return True
                case e.CallEvent(receiver=place, node=node) if (
                    place == at.place and last_name(node.callee) in function.program.models.containers.empties
                ):
                    return True
                case e.CallEvent(node=node) if any(
                    isinstance(part, r.Name | r.Member) and last_name(part) == member
                    for one in node.args
                    for part in walk(one)
                ) and last_name(node.callee) in ("swap", "exchange"):
                    return True
        return False
