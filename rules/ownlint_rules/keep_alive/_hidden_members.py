"""Members of bound classes through which Python's objects are held, where no collector looks.

A framework's own types show nothing of the C++ object that they wrap: what it holds counts references that nobody can
explain, unless the class brings a traverse function of its own; the framework's fact `collected_with` names the extras.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import msgspec

from ownlint import (
    Binding,
    Class,
    Function,
    Program,
    arguments,
    entrances,
    holding,
    model_records,
    places,
    policies,
    references,
    signatures,
    targets,
    types,
)
from ownlint import events as e
from ownlint import records as r

_DEEPEST = 3


class Hiding(NamedTuple):
    """Python puts what it likes into `field`, by way of the binding."""

    binding: Binding
    cls: Class
    home: Class
    field: r.Field


def hiding(program: Program) -> Iterator[Hiding]:
    """Every such binding and member, in the order of the sources."""
    for binding in program.bindings:
        framework = signatures.framework_of(binding)
        if framework is None or "collected_with" not in framework.facts:
            continue
        if binding.record.kind in ("function", "static"):
            yield from _by_factory(binding, framework)
        cls = arguments.bound_class(binding)
        if cls is None or _is_single(cls) or not any(_may_hold(one, framework) for one in cls.ancestry):
            continue
        if not _shows(cls, framework):
            yield from (Hiding(binding, cls, *held) for held in _filled(binding, cls, framework))


def _by_factory(binding: Binding, framework: model_records.FrameworkModel) -> Iterator[Hiding]:
    """What a bound function makes of what it is given: `[](py::object of) { return new Cell(of); }`."""
    target = targets.target_of(binding)
    if target is None or target.function is None:
        return
    function, program = target.function, binding.program
    given = frozenset(p.name for p in function.record.parameters if _is_given(p.type, function, framework))
    kind = types.parse(program.names.expand(target.result, function.file, function.record.scope))
    said = (kind.name, *(types.parse(argument).name for argument in kind.arguments[:1])) if given else ()
    found = (program.names.find_class(name, function.record.scope, function.file) for name in said)
    cls = next((one for one in found if one is not None), None)
    if cls is None or cls.name not in program.names.bound_types or _is_single(cls) or _shows(cls, framework):
        return
    for name in Filling(cls, framework).made(function, given):
        held = cls.field(name)
        if held is not None and not held[1].static and _holds(cls, held[1].type, held[0], framework):
            yield Hiding(binding, cls, *held)


def _is_given(written: str, function: Function, framework: model_records.FrameworkModel) -> bool:
    """Whether an argument of that type can be any object."""
    expanded = function.program.names.expand(written, function.file, function.record.scope)
    return _is_open(types.parse(expanded), function.program.types.roles(expanded, function), framework)


def _is_single(cls: Class) -> bool:
    """Whether there is one object, which lives as long as the program: `static Registry* instance;`."""
    return any(field.static and types.parse(field.type).last == cls.name for field in cls.record.fields)


def _shows(cls: Class, framework: model_records.FrameworkModel) -> bool:
    """Whether the class, or one that it is derived from, is bound with slots of its own, or in a way nobody sees."""
    names = framework.facts["collected_with"].split()
    bound = [found for one in cls.ancestry for _, found in signatures.bound_as(one, one)]
    return any(name in extra.text for one in bound for extra in one.extras for name in names)


def _may_hold(cls: Class, framework: model_records.FrameworkModel) -> bool:
    return any(_holds(cls, field.type, cls, framework) for field in cls.record.fields)


def _holds(cls: Class, written: str, home: Class, framework: model_records.FrameworkModel, depth: int = 0) -> bool:
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
    nests = {"container", "associative", "sequence", "optional", "pair", "set"}.intersection(roles)
    return bool(nests) and any(_holds(cls, one, home, framework, depth + 1) for one in kind.arguments)


def _leads_to(cls: Class, kind: types.Type, home: Class) -> bool:
    found = home.program.names.find_class(kind.arguments[0], home.symbol, home.file) if kind.arguments else None
    return found is not None and (cls in found.ancestry or found in cls.ancestry)


def _is_open(kind: types.Type, roles: tuple[str, ...], framework: model_records.FrameworkModel) -> bool:
    """Whether it can be any object, or anything that is called: no text, no number."""
    if "python array" in roles or kind.last in framework.facts.get("leaf_objects", "").split():
        return False
    return not {"python object", "python handle", "callable"}.isdisjoint(roles)


# --- what a binding fills ----------------------------------------------------------------------------


def _filled(binding: Binding, cls: Class, framework: model_records.FrameworkModel) -> Iterator[tuple[Class, r.Field]]:
    record = binding.record
    if record.kind == "field_rw":
        held = holding.field_of(binding)
        if held is not None and not held[1].static and _holds(cls, held[1].type, held[0], framework):
            yield held
        return
    if record.kind == "property_rw":
        if places.strip(record.setter) is None:
            return
        made = msgspec.structs.replace(record, callable=record.setter, setter=None, kind="method")
        binding = Binding(binding.program, binding.file, made)
    elif record.kind not in ("method", "init"):
        return
    reader = Filling(cls, framework)
    for name in reader.by(binding):
        held = cls.field(name)
        if held is not None and not held[1].static and _holds(cls, held[1].type, held[0], framework):
            yield held


class Filling:
    """Names of the members into which a callable puts what it is given."""

    def __init__(self, cls: Class, framework: model_records.FrameworkModel) -> None:
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
                yield from self.stored(function, places.THIS, self._open(function))
            elif function.record.parameters:
                yield from self.stored(function, function.record.parameters[0].name, self._open(function))

    def _open(self, function: Function) -> frozenset[str]:
        return frozenset(p.name for p in function.record.parameters if _is_given(p.type, function, self.framework))

    def _constructed(self, binding: Binding) -> Iterator[str]:
        signature = signatures.signature_of(binding)
        if signature is None or signature.parameters is None:
            return
        for made in self.cls.constructors:
            if len(made.record.parameters) == len(signature.parameters) - 1:
                yield from self.stored(made, places.THIS, self._open(made))

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
            numbers = [i for i, one in enumerate(call.node.args) if self._is_one(one, given)]
            if not numbers or not self._makes(call.node):
                continue
            for made in self.cls.constructors:
                parameters = made.record.parameters
                if len(parameters) == len(call.node.args):
                    yield from self.stored(made, places.THIS, frozenset(parameters[i].name for i in numbers))

    def _makes(self, call: r.Call) -> bool:
        said = call.template if places.last_name(call.callee).startswith("make_") else places.last_name(call.callee)
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
                    first == root and places.last_name(node.callee) in puts
                ):
                    if any(self._is_given_value(one, given, function) for one in node.args):
                        yield name
                case e.CallEvent(node=node):
                    yield from self._handed(function, event, node, root, given, depth)

    @staticmethod
    def _member(event: e.Write, place: tuple[str, ...], root: str) -> str:
        if event.op == "init":
            return place[-1] if root == places.THIS else ""
        return place[1] if len(place) > 1 and place[0] == root and event.op == "=" else ""

    def _handed(
        self, function: Function, event: e.CallEvent, node: r.Call, root: str, given: frozenset[str], depth: int
    ) -> Iterator[str]:
        """A method of the same object gets it."""
        on_itself = event.receiver == (root,) or (root == places.THIS and isinstance(node.callee, r.Name))
        if node.kind != "call" or not on_itself or not any(self._is_one(one, given) for one in node.args):
            return
        for method in function.program.calls.callee(node, function).functions[:1]:
            if method is not function and method.cls in self.cls.ancestry:
                names = [p.name for p in method.record.parameters]
                inner = frozenset(n for n, one in zip(names, node.args, strict=False) if self._is_one(one, given))
                yield from self.stored(method, places.THIS, inner, depth + 1)

    def _is_given_value(self, value: r.Value | None, given: frozenset[str], function: Function) -> bool:
        """The value itself, a reference more to it, a function that captures it, or one of these in braces."""
        inner = places.strip(value)
        if self._is_one(inner, given):
            return True
        match inner:
            case r.Lambda(captures=captures):
                body = function.program.index.function_at(function.file, inner.function)
                return any(one.name in given or self._is_one(one.value, given) for one in captures) or (
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
                return self._is_one(base, given)
            case r.Call(args=args):
                model = references.references(function.program).model(inner, function)
                owns = model is not None and model.has("own", "result")
                return owns and any(self._is_one(one, given) for one in args)
        return False

    @staticmethod
    def _is_one(value: r.Value | None, given: frozenset[str]) -> bool:
        inner = places.strip(value)
        return isinstance(inner, r.Name) and inner.text in given

    @staticmethod
    def _emptied(function: Function, at: e.Write, member: str) -> bool:
        """Whether the same body forgets it again further down."""
        for event in function.flow.events[at.index + 1 :]:
            match event:
                case e.Write(place=place, value=value) if place[-1] == member and place == at.place:
                    if isinstance(places.strip(value), r.Literal) or (
                        isinstance(value, r.Aggregate) and not value.items
                    ):
                        return True
                case e.CallEvent(receiver=place, node=node) if (
                    place == at.place and places.last_name(node.callee) in function.program.models.containers.empties
                ):
                    return True
                case e.CallEvent(node=node) if any(
                    isinstance(part, r.Name | r.Member) and places.last_name(part) == member
                    for one in node.args
                    for part in places.walk(one)
                ) and places.last_name(node.callee) in ("swap", "exchange"):
                    return True
        return False


# --- what holds its keeper -------------------------------------------------------------------------------


def holds_keeper(binding: Binding) -> Iterator[policies.KeepAlive]:
    """The keep-alives of a binding whose patient holds its nurse by other means: by the policy that keeps `self` for a
    result, or by a member into which the callable puts it."""
    framework, signature = signatures.framework_of(binding), signatures.signature_of(binding)
    if framework is None or signature is None or not binding.record.extras:
        return
    said = policies.Policies(binding, framework)
    for keep in said.keep_alives():
        if said.is_ignored(keep.extra) or keep.nurse == 0:
            continue
        internal = (keep.nurse, keep.patient) == (1, 0) and signature.handing in ("pointer", "reference")
        by_policy = internal and said.effective(signature.handing) == "reference internal"
        if by_policy or _is_held_back(binding, signature, keep, framework):
            yield keep


def _is_held_back(
    binding: Binding, signature: signatures.Signature, keep: policies.KeepAlive, framework: model_records.FrameworkModel
) -> bool:
    """Whether the callable puts the nurse, as an object of Python's, into the patient."""
    target = entrances.callable_of(binding)
    if target is None or target.function is None or signature.target is None or signature.parameters is None:
        return False
    function, first = target.function, signature.target.first
    parameters = function.record.parameters
    nurse, patient = keep.nurse - first, keep.patient - first
    if not 0 <= nurse < len(parameters) or patient >= len(parameters) or (patient < 0 and keep.patient != 0):
        return False
    program, scope = function.program, function.record.scope
    written = signature.result if keep.patient == 0 else parameters[patient].type
    if keep.patient == 0 and types.parse(written).arguments:
        written = types.parse(written).arguments[0]
    cls = program.names.find_class(
        types.parse(program.names.expand(written, function.file, scope)).name, scope, function.file
    )
    if cls is None:
        return False
    reader, given = Filling(cls, framework), frozenset({parameters[nurse].name})
    names = (
        reader.made(function, given) if keep.patient == 0 else reader.stored(function, parameters[patient].name, given)
    )
    return any(
        held is not None and _keeps_object(cls, held[1].type, held[0], framework) for held in map(cls.field, names)
    )


def _keeps_object(cls: Class, written: str, home: Class, framework: model_records.FrameworkModel) -> bool:
    """Whether the member holds a reference to the Python object that is put there."""
    roles = home.program.types.roles_at(
        home.program.names.expand(written, home.file, home.symbol), home.file, home.symbol
    )
    shares = "shared pointer" in roles and framework.facts.get("shared_pointer_holds") == "object"
    return shares or _holds(cls, written, home, framework)
