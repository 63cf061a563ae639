"""What a function stores of the objects that it is given: addresses that outlive the call.

Parameters are numbered as a binding counts them, `this` is 1. An address that is taken back in the same body
(`sink_ = nullptr`) is not stored.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import NamedTuple

from ownlint.bindings.origins import Origin, Origins, sources_of
from ownlint.bindings.targets import returned_values
from ownlint.bindings.views import (
    constructed_part,
    initialised_name,
    is_released,
    looks_elsewhere,
    points_at,
    roles_of,
    stored_arguments,
    views_held,
)
from ownlint.facts import records as r
from ownlint.finding import Certainty, Step, because, weaker
from ownlint.flow.bodies import values
from ownlint.flow.places import is_placement, last_name, strip
from ownlint.project import types
from ownlint.project.subjects import Class, Function

_DEEPEST = 4
_SAME = frozenset(["ref", "cref", "addressof", "move", "forward", "as_const"])


class Stored(NamedTuple):
    """`holder` keeps the address of `argument`."""

    holder: int
    argument: int
    at: Step
    certainty: Certainty = "certain"
    name: str = ""
    """What the function that stores the argument calls it."""


def stores(function: Function, first: int, depth: int = 0) -> list[Stored]:
    """What the body stores, each pair of holder and argument once."""
    found: dict[tuple[int, int], Stored] = {}
    for one in _Stores(function, first, depth).found():
        found.setdefault((one.holder, one.argument), one)
    return list(found.values())


def constructors_for(cls: Class, parameters: tuple[str, ...]) -> tuple[Function, ...]:
    """Those that take these types; an empty one is not known."""
    return tuple(each for each in cls.constructors if _fits(each.record, parameters))


def constructed(cls: Class, parameters: tuple[str, ...], depth: int = 0) -> list[Stored]:
    """What the constructor stores that takes these types; `this` is 1, the first argument 2."""
    shown = constructors_for(cls, parameters)
    if len(shown) > 1 and "" in parameters:
        return []  # nobody can tell which
    if shown:
        return [one for each in shown[:1] for one in stores(each, 2, depth)]
    constructors = (d for d in cls.declarations if d.kind == "constructor" and _fits(d, parameters))
    declared = next(constructors, None)
    return list(_taken_by_declared(cls, declared)) if declared is not None else []


def _taken_by_declared(cls: Class, declared: r.FunctionRecord) -> Iterator[Stored]:
    """The parameters that a field of the class can point to."""
    for number, parameter in enumerate(declared.parameters, 2):
        given = cls.program.names.find_class(types.parse(parameter.type).name, cls.symbol, cls.file)
        is_address = looks_elsewhere(parameter.type, roles_of(cls, parameter.type))
        if given is not None and given not in cls.ancestry and is_address and points_at(cls, given):
            step = Step(cls.path, parameter.span, f"`{cls.name}` has a field that can point to `{parameter.name}`")
            yield Stored(
                1,
                number,
                step,
                because("unread-code", "the constructor is not defined in the analysed files"),
                parameter.name,
            )


def _fits(record: r.FunctionRecord, parameters: tuple[str, ...]) -> bool:
    required = sum(parameter.default is None for parameter in record.parameters)
    if not required <= len(parameters) <= len(record.parameters):
        return False
    pairs = zip(record.parameters, parameters, strict=False)
    return all(not given or types.parse(own.type).last == types.parse(given).last for own, given in pairs)


class _Stores:
    def __init__(self, function: Function, first: int, depth: int) -> None:
        self.function = function
        self.program = function.program
        self.depth = depth
        self.origins = Origins(function, sources_of(function, first))
        self.sources = self.origins.sources
        self.callables = {
            parameter.name: first + position
            for position, parameter in enumerate(function.record.parameters)
            if depth and _is_callable(parameter.type, function)
        }
        """Parameters that hold what a caller's lambda captures; none of the binding's own, which Python gives."""

    @property
    def _itself(self) -> Origins:
        return self.origins.only_arguments()

    def found(self) -> Iterator[Stored]:
        if self.depth > _DEEPEST or len({**self.sources, **self.callables}) < 2 or self.function.record.opaque:
            return
        if self.function.home is not None:
            yield from self._initialised(self.function.home)
        for inner in self.function.values:
            yield from self._in(inner)

    def _initialised(self, home: Class) -> Iterator[Stored]:
        for each in self.function.record.initializers:
            name = initialised_name(each.name)
            held = home.field(name)
            base = constructed_part(home, name)
            if held is not None:
                yield from self._kept(held, 1, each.args, each)
            elif base is not None and base.constructors:
                yield from self._made(base, each.args, 1, each)

    def _is_filled(self, name: str, base: r.Value) -> bool:
        return name in self.function.program.models.containers.puts and bool(self._place(base))

    def _in(self, value: r.Value) -> Iterator[Stored]:
        match value:
            case r.Assign(op="=", target=target, value=given):
                yield from self._put(target, (given,), value)
            case r.Call(callee=r.Member(base=base, name=name), args=args) if self._is_filled(name, base):
                yield from self._put(base, args, value)
            case r.Call():
                yield from self._called(value)

    # --- a place ---

    def _put(self, target: r.Value, given: tuple[r.Value, ...], at: r.Node) -> Iterator[Stored]:
        place = self._place(target)
        if place is not None:
            held, holder = place
            for one in self._kept(held, holder.argument, given, at):
                yield one._replace(certainty=weaker(one.certainty, holder.certainty))

    def _place(self, target: r.Value | None) -> tuple[tuple[Class, r.Field], Origin] | None:
        """The field that is written to, and whose it is."""
        inner = strip(target)
        match inner:
            case r.Index(base=base):
                found = self._place(base)
                return found if found is not None and not _is_memory(*found[0]) else None
            case r.Name(text=name) if "this" in self.sources and name not in self.function.declared:
                home = self.function.home
                held = home.field(name) if home is not None else None
                return (held, Origin(self.sources["this"], "certain", inner)) if held is not None else None
            case r.Member(base=base, name=name):
                holder = self.origins.address(base)
                written = self.program.types.of(base, self.function)
                cls = self.origins.class_of(written) or self.origins.class_of(types.element(written))
                if isinstance(strip(base), r.Name) and last_name(strip(base)) == "this":
                    cls = self.function.home
                held = cls.field(name) if cls is not None else None
                return (held, holder) if held is not None and holder is not None else None
            case r.Call(callee=r.Name() | r.Member(), args=()):
                return self._handed_out(inner)
        return None

    def _handed_out(self, call: r.Call) -> tuple[tuple[Class, r.Field], Origin] | None:
        """The field to which a method leads that does nothing but hand it out: `self.parts().push_back(..)`."""
        callee = self.program.calls.callee(call, self.function)
        target = callee.functions[0] if len(callee.functions) == 1 else None
        home = target.home if target is not None else None
        if target is None or home is None:
            return None
        results = returned_values(target)
        kind = types.parse(target.record.result)
        if len(results) != 1 or not (kind.reference or kind.pointers):
            return None
        found = strip(results[0])
        if isinstance(found, r.Unary) and found.op == "&":
            found = strip(found.value)
        if isinstance(found, r.Member) and last_name(strip(found.base)) == "this":
            found = r.Name(found.start, found.end, found.name)
        held = home.field(found.text) if isinstance(found, r.Name) and found.text not in target.declared else None
        holder = self.origins.given(call, 1)
        if held is None or holder is None:
            return None
        return held, holder._replace(certainty=weaker(holder.certainty, callee.certainty))

    def _kept(
        self, held: tuple[Class, r.Field], holder: int, given: tuple[r.Value, ...], at: r.Node
    ) -> Iterator[Stored]:
        cls, field = held
        if field.static or not given or self._is_taken_back(field.name, at) or self._has_object(cls):
            return
        if _keeps_address(cls, field):
            written = cls.program.names.expand(field.type, cls.file, cls.symbol)
            is_call = "(" in written or _holds_callable(cls, written)
            for value in given:
                by_capture = is_call or isinstance(strip(value), r.Lambda)
                numbers = self._captured(value) if by_capture else self._argument(value)
                yield from self._stored(numbers, holder, at, field)
        how = "=" if isinstance(at, r.Assign) else last_name(at.callee) if isinstance(at, r.Call) else "emplace"
        for view in views_held(cls, field):
            yield from self._stored(self._looked_at(self._itself.filled(how, given, view)), holder, at, field)

    def _stored(
        self, numbers: Iterable[tuple[int, str]], holder: int, at: r.Node, field: r.Field | None
    ) -> Iterator[Stored]:
        kind = types.parse(field.type if field is not None else "")
        what = "the reference member " if kind.reference else ""
        where = f" in {what}`{field.name}`" if field is not None else ""
        for number, name in numbers:
            if number != holder:
                yield Stored(holder, number, self.function.step(at, f"`{name}` is stored{where} here"), name=name)

    def _looked_at(self, found: Iterable[Origin]) -> Iterator[tuple[int, str]]:
        """The arguments at which a view looks that is put into a field."""
        return ((origin.argument, self._name_of(origin.argument)) for origin in found)

    def _has_object(self, cls: Class) -> bool:
        """Whether the function is given a Python object as well, and the class has a place for one."""

        def is_object(written: str) -> bool:
            return "python object" in self.program.types.roles(written, self.function)

        fields = (field for each in cls.ancestry for field in each.record.fields)
        return any(is_object(p.type) for p in self.function.record.parameters) and any(
            is_object(field.type) for field in fields
        )

    def _argument(self, value: r.Value) -> Iterator[tuple[int, str]]:
        """The argument whose address this is, not that of something inside."""
        inner = strip(value)
        while isinstance(inner, r.Call) and last_name(inner.callee) in _SAME and inner.args:
            inner = strip(inner.args[0])
        if isinstance(inner, r.Aggregate):
            for item in inner.items:
                yield from self._argument(item)
            return
        if isinstance(inner, r.Call) and last_name(inner.callee) in ("make_pair", "pair"):
            for item in inner.args:
                yield from self._argument(item)
            return
        if self.origins.is_argument(inner) and (found := self.origins.address(inner)) is not None:
            yield found.argument, self._name_of(found.argument)

    def _captured(self, value: r.Value) -> Iterator[tuple[int, str]]:
        """The arguments that a lambda looks at which is stored."""
        inner = strip(value)
        while isinstance(inner, r.Call) and last_name(inner.callee) in _SAME and len(inner.args) == 1:
            inner = strip(inner.args[0])
        if isinstance(inner, r.Name) and inner.text in self.callables:
            yield self.callables[inner.text], inner.text
        elif isinstance(inner, r.Name) and inner.text in self.function.locals:
            inner = strip(self.function.locals[inner.text][1])
        if not isinstance(inner, r.Lambda):
            return
        body = self.program.index.function_at(self.function.file, inner.function)
        for capture in inner.captures:
            written = self.function.locals.get(capture.name, ("", None))[0]
            if capture.name in self.sources and capture.name != "this" and capture.value is None:
                if capture.by_reference or types.parse(written).pointers:
                    yield self.sources[capture.name], capture.name
            elif capture.name in ("&", "=") and body is not None:
                for name, number in self.sources.items():
                    written = self.function.locals.get(name, ("", None))[0]
                    is_seen = capture.name == "&" or types.parse(written).pointers
                    if name != "this" and is_seen and f'"{name}"'.encode() in body.encoded:
                        yield number, name

    def _name_of(self, number: int) -> str:
        return next((name for name, each in self.sources.items() if each == number), "")

    def _is_taken_back(self, field: str, at: r.Node) -> bool:
        """Whether the same body forgets it again further down."""
        for statement in self.function.statements:
            for value in values(statement):
                match value:
                    case r.Assign(target=target, value=r.Literal(kind="null")) if value.start > at.start:
                        if last_name(strip(target)) == field:
                            return True
                    case r.Call(callee=r.Member(base=base, name="pop_back" | "clear" | "erase" | "reset")):
                        if value.start > at.start and last_name(strip(base)) == field:
                            return True
        return False

    # --- a call ---

    def _called(self, call: r.Call) -> Iterator[Stored]:
        made = self.origins.constructed(call)
        if made is not None:
            yield from self._made_in_place(call, made)
            return
        callee = self.program.calls.callee(call, self.function)
        for target in callee.functions[:1]:
            if target is self.function:
                continue
            for one in stores(target, 2, self.depth + 1):
                holder_at = self._given(call, one.holder)
                if holder_at is not None and 0 <= one.argument - 2 < len(call.args):
                    for number, _ in self._captured(call.args[one.argument - 2]):
                        if number != holder_at.argument:
                            sure = weaker(one.certainty, callee.certainty, holder_at.certainty)
                            yield Stored(holder_at.argument, number, one.at, sure, one.name)
                given = self._given(call, one.argument)
                if holder_at is None or given is None or not self._is_itself(call, one.argument):
                    continue
                if holder_at.argument != given.argument:
                    is_told_there = self.depth or len(callee.functions) == 1
                    step = one.at if is_told_there else self.function.step(call, one.at.message)
                    sure = weaker(one.certainty, callee.certainty, holder_at.certainty)
                    yield Stored(holder_at.argument, given.argument, step, sure, self._name_of(given.argument))

    def _made_in_place(self, call: r.Call, made: Class) -> Iterator[Stored]:
        """By `new (place) T(..)`, or as what a factory hands out."""
        args = tuple(arg for arg in call.args if not is_placement(arg))
        place = next((arg.value for arg in call.args if isinstance(arg, r.Pair) and is_placement(arg)), None)
        holder = next(self._argument(place), None) if place is not None else None
        if holder is not None:
            yield from self._made(made, args, holder[0], call)
        elif place is None and self._is_factory:
            yield from self._made(made, args, 1, call)

    _is_factory = False

    def _made(self, cls: Class, args: tuple[r.Value, ...], holder: int, at: r.Node) -> Iterator[Stored]:
        """What the constructor of an object keeps that is the holder, or a part of it."""
        given = tuple(self.program.types.of(arg, self.function) for arg in args)
        if len(args) == 1 and types.parse(given[0]).last == cls.name:
            return  # a copy looks where its original looks
        for one in constructed(cls, given, self.depth + 1):
            position = one.argument - 2
            if one.holder == 1 and position < len(args):
                for number, _ in self._argument(args[position]):
                    if number != holder:
                        yield Stored(holder, number, one.at, one.certainty, one.name)
        for position in sorted(stored_arguments(cls, len(args))):
            view = self.origins.view_class(args[position]) if position < len(args) else None
            if view is not None:
                yield from self._stored(self._looked_at(self._itself.view(args[position], view)), holder, at, None)

    def _given(self, call: r.Call, index: int) -> Origin | None:
        """The argument of this function that the callee has as its `index`."""
        return self.origins.given(call, index)

    def _is_itself(self, call: r.Call, index: int) -> bool:
        """Whether what is passed is an argument itself."""
        if index == 1:
            return True
        return index - 2 < len(call.args) and any(True for _ in self._argument(call.args[index - 2]))


class _Factory(_Stores):
    """A function whose result becomes the object: what it constructs is number 1."""

    _is_factory = True


def made_by(function: Function, cls: Class) -> list[Stored]:
    """What the object keeps that a factory makes; its own parameters count from 2."""
    reader = _Factory(function, 2, 0)
    made = {"": 1, **{last_name(value): 1 for value in returned_values(function) if isinstance(value, r.Name)}}
    reader.sources = reader.origins.sources = {**reader.sources, **made}
    found = {one.argument: one for one in reversed([*reader.found()]) if one.holder == 1}
    return [found[argument] for argument in sorted(found)]


def _is_memory(cls: Class, field: r.Field) -> bool:
    """Whether the field points to memory in which values are put: `double* data_`."""
    kind = types.parse(cls.program.names.expand(field.type, cls.file, cls.symbol))
    return kind.pointers == 1


def _is_callable(written: str, function: Function) -> bool:
    """Whether a parameter of the type takes a callable that holds what it captures."""
    return "callable" in function.program.types.roles(written, function)


def _holds_callable(cls: Class, written: str) -> bool:
    """Whether a field of the type is a callable that holds what it captures, or has such inside."""
    inside = (each for held in types.within(written) for each in (held, *types.parse(held).arguments))
    return any("callable" in cls.program.types.roles_at(each, cls.file, cls.symbol) for each in inside)


def _keeps_address(cls: Class, field: r.Field) -> bool:
    """Whether the field can hold the address of what is put there, and does not free it."""
    written = cls.program.names.expand(field.type, cls.file, cls.symbol)
    kind = types.parse(written)
    roles = roles_of(cls, written)
    if _holds_callable(cls, written):
        return True
    if any(role in roles for role in ("scoped owner", "smart pointer", "shared pointer", "python object")):
        return False
    if is_released(cls, field):
        return False
    if kind.pointers or kind.reference or looks_elsewhere(written, roles) or kind.last == "reference_wrapper":
        return kind.last not in ("char", "void")
    held = map(types.parse, types.within(written))
    return any(each.pointers == 1 or each.last == "reference_wrapper" for each in held)
