"""Where a C++ result comes from: which argument of a function it points into, if any.

Arguments are numbered as a binding counts them (`sources`: name of a parameter, or `this`, to its number). An
answer is the number and how sure it is: `certain` when the address is taken from the argument itself, `likely` when it
goes through a raw pointer that the argument holds, whose target somebody else may own.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import NamedTuple, Self

from ownlint.bindings.targets import returned_values
from ownlint.bindings.views import (
    borrowing_fields,
    is_given,
    is_released,
    kept_by,
    looks_elsewhere,
    stored_arguments,
    takes_its_own,
)
from ownlint.facts import records as r
from ownlint.finding import SOME_PATHS, Certainty, because, reason_of, weaker
from ownlint.flow.places import last_name, strip, walk
from ownlint.models import habits
from ownlint.models.containers import RANGE
from ownlint.project import pairs, types
from ownlint.project.subjects import Class, Function

_DEEPEST = 5
_SHARED = ("shared pointer", "intrusive pointer", "python object", "python handle")


class Origin(NamedTuple):
    """`at` is the expression that takes the address; `made` the view that is made of it, where that is a subclass."""

    argument: int
    certainty: Certainty
    at: r.Value
    made: Class | None = None


def sources_of(function: Function, first: int) -> dict[str, int]:
    """The parameters whose objects the caller holds; `first` is the number of the first written one."""
    sources = {
        parameter.name: first + position
        for position, parameter in enumerate(function.record.parameters)
        if _is_held(parameter.type, function)
    }
    if first == 2:
        sources["this"] = 1
    return sources


def _is_null(value: r.Value | None) -> bool:
    inner = strip(value)
    return inner is None or (isinstance(inner, r.Literal) and inner.kind == "null") or last_name(inner) == "NULL"


def _is_held(written: str, function: Function) -> bool:
    """By reference, by pointer, or by what shares it: a parameter taken by value dies with the call."""
    if "&&" in written:
        return False
    roles = function.program.types.roles(written, function)
    return "&" in written or "*" in written or any(role in roles for role in _SHARED)


class Origins:
    """Follows the values of one function."""

    def __init__(self, function: Function, sources: Mapping[str, int], depth: int = 0) -> None:
        self.function = function
        self.program = function.program
        self.sources = sources
        self.depth = depth

    # --- addresses ---

    def address(self, value: r.Value | None) -> Origin | None:
        """The argument that this pointer, reference, view or iterator leads into."""
        if self.depth > _DEEPEST:
            return None
        inner = strip(value)
        match inner:
            case r.Name(text=name):
                return self._name(inner, name)
            case r.Member(base=base, name=name):
                found = self.address(base)
                return self._member(found, self._holder(base), name) if found is not None else None
            case r.Index(base=base):
                return self.address(base)
            case r.Unary(op="*" | "&", value=pointee):
                return self.address(pointee)
            case r.Binary(op="+" | "-", left=left):
                return self.address(left)
            case r.Conditional(then=then, other=other):
                return self.address(then) or self.address(other)
            case r.Pair(value=paired):
                return self.address(paired)
            case r.Aggregate(kind="init", items=items):
                return self._first(items)
            case r.Call():
                return self._call(inner)
        return None

    def each(self, values: Iterable[r.Value]) -> Iterator[Origin]:
        for value in values:
            if (found := self.address(value)) is not None:
                yield found

    def _first(self, values: Iterable[r.Value]) -> Origin | None:
        return next(self.each(values), None)

    def resolved(self, value: r.Value) -> r.Value:
        """What a local that is returned was made with, where that is one call: `auto it = make(a); return it;`."""
        if isinstance(value, r.Name) and value.text not in self.sources and value.text in self.function.locals:
            written, initial = self.function.locals[value.text]
            if isinstance(initial, r.Call) and types.parse(written).is_value:
                return initial
        return value

    def _name(self, value: r.Name, name: str) -> Origin | None:
        if name in self.sources:
            return Origin(self.sources[name], "certain", value)
        function = self.function
        if name in function.locals:
            return self._local(value, *function.locals[name])
        outer = function.parent
        if outer is not None and name in outer.locals:
            return None
        home = function.home
        if "this" in self.sources and home is not None and (held := home.field(name)) and not held[1].static:
            return self._member(Origin(self.sources["this"], "certain", value), home, name)
        return None

    def _holder(self, value: r.Value) -> Class | None:
        """The class of an expression, or of what it points to."""
        written = self.program.types.of(value, self.function)
        return (self.class_of(written) or self.class_of(types.element(written))) if written else None

    def _local(self, value: r.Name, written: str, initial: r.Value | None) -> Origin | None:
        """A local that is a pointer, a reference, a view or an iterator leads where it was made to lead."""
        if "*" in written and (given := self._given_later(value.text)):
            return self._on_some_way(given if _is_null(initial) else [initial, *given])
        if initial is None or strip(initial) == value:
            return None
        return self._deeper().address(initial) if self._is_followed(written, initial) else None

    def _is_followed(self, written: str, initial: r.Value) -> bool:
        """Whether a local of the type leads to where its initial value does, rather than being a copy of it."""
        roles = self.program.types.roles(written, self.function)
        if looks_elsewhere(written, roles) or "*" in written or "&" in written:
            return True
        if not types.parse(written).is_placeholder:
            cls = self.class_of(written)
            return cls is not None and bool(borrowing_fields(cls))
        made = strip(initial)
        if isinstance(made, r.Unary) and made.op == "&":
            return True
        if isinstance(made, r.Call):
            kind = types.parse(self.program.types.of(made, self.function))
            return not kind.reference or kind.pointers > 0  # `auto copy = reference();` copies
        return types.parse(self.program.types.of(initial, self.function)).pointers > 0

    def _given_later(self, name: str) -> list[r.Value | None]:
        """What a local is assigned behind its declaration, null pointers left out."""
        writes = self.function.flow.writes_to((name,))
        return [one.value for one in writes if not one.fresh and one.op == "=" and not _is_null(one.value)]

    def _on_some_way(self, values: list[r.Value | None]) -> Origin | None:
        """Where a pointer leads that is one of these: certain where all lead into the same argument."""
        found = [self._deeper().address(value) for value in values]
        led = next((origin for origin in found if origin is not None), None)
        if led is None or all(origin is not None and origin.argument == led.argument for origin in found):
            return led
        return led._replace(certainty=weaker(led.certainty, because("path", SOME_PATHS)))

    def _member(self, found: Origin, owner: Class | None, name: str) -> Origin:
        """A field that is a raw pointer or a reference may lead out of the argument, to what others own."""
        held = owner.field(name) if owner is not None else None
        if held is None:
            return found
        cls, field = held
        written = self.program.names.expand(field.type, cls.file, cls.symbol)
        kind = types.parse(written)
        roles = self.program.models.role(kind.name, cls.program.names.scopes_at(cls.file, cls.symbol))
        is_foreign = kind.pointers and (is_given(cls, name) or not is_released(cls, field))
        if kind.reference or "view" in roles or is_foreign:
            return found._replace(
                certainty=because("possible", f"what `{name}` points to may belong to something else")
            )
        if "shared pointer" in roles:
            return found._replace(
                certainty=weaker(found.certainty, because("sharing", f"other owners may share what `{name}` holds"))
            )
        return found

    def _call(self, call: r.Call) -> Origin | None:
        if call.kind in ("new", "delete"):
            return None
        if call.template.rstrip().endswith(
            ("&", "*")
        ):  # `self.cast<T&>()`, `get<T*>(x)`: the same, seen as another type
            return self.address(call.callee.base if isinstance(call.callee, r.Member) else (*call.args, None)[0])
        name = last_name(call.callee)
        on = call.callee.base if isinstance(call.callee, r.Member) else (*call.args, None)[0]
        if on is not None and name in RANGE and self._is_python(on):
            return None  # an iterator of Python's holds its own object
        if isinstance(call.callee, r.Member):
            return self._method(call, call.callee, name)
        if call.args and (lender := self._lender(call)) is not None:
            return self.address(call.args[lender])
        made = self.constructed(call)
        if made is not None:
            return next((o for o in self._arguments(made, call.args)), None)
        if self._is_view(call):
            return self._first(call.args)
        return self._through_callee(call)

    def _lender(self, call: r.Call) -> int | None:
        """Which argument a function's answer leads into, by a model: the first of `std::begin(v)` and `std::ref(x)`."""
        for model in self.program.calls.callee(call, self.function).models:
            if not model.counted and not model.keeps and (at := model.lender) is not None and 0 <= at < len(call.args):
                return at
        return None

    def _method(self, call: r.Call, callee: r.Member, name: str) -> Origin | None:
        known = self.program.calls.callee(call, self.function)
        if known.functions and known.certainty != "possible":
            return self._through_callee(call)
        base = self.address(callee.base)
        if base is None:
            return None
        if name in self.program.models.containers.ways_in or name.startswith("operator"):
            return base
        if self._is_put_in(call, callee, name):
            return base
        kind = types.parse(known.result)
        roles = self.program.types.roles(known.result, self.function) if known.result else ()
        if known.result and not looks_elsewhere(known.result, roles):
            return None
        if any(str(effect) == "borrow result from receiver" for model in known.models for effect in model.effects):
            return base
        typed = known.result and known.certainty != "possible" and kind.name
        if not known.functions and not (habits.MAKES | habits.COPIES).isdisjoint(pairs.words(name)):
            return None  # `self.clone()`: what it answers with is new
        unread = "" if known.functions else f"`{name}` is not defined in the analysed files"
        sure = because("unread-code" if typed else "guess", unread)
        return base._replace(certainty=weaker(base.certainty, because(sure, reason_of(known.certainty))))

    def _is_put_in(self, call: r.Call, callee: r.Member, name: str) -> bool:
        """Whether a container answers with where it has put something: `return *parts.emplace_back(...)`."""
        methods, known = self.program.models.containers, self.program.types
        if name not in methods.keyed | methods.appends or not known.of(call, self.function):
            return False
        return "container" in known.roles(known.of(callee.base, self.function), self.function)

    def _through_callee(self, call: r.Call) -> Origin | None:
        """What the project's own function hands back borrows from what it was called with."""
        callee = self.program.calls.callee(call, self.function)
        for target in callee.functions[:1]:
            if not self._leads_on(target):
                continue
            inner = Origins(target, sources_of(target, 2), self.depth + 1)
            kind = types.parse(target.record.result)
            view = self.class_of(target.record.result) if kind.is_value else None
            for value in returned_values(target):
                found = inner.address(value) if view is None or not borrowing_fields(view) else None
                found = found or (next(iter(inner.view(value, view)), None) if view is not None else None)
                if found is not None and (here := self.given(call, found.argument)) is not None:
                    return here._replace(certainty=weaker(here.certainty, found.certainty, callee.certainty))
        return None

    def _leads_on(self, function: Function) -> bool:
        """Whether the result can be an address at all: a pointer, a reference, a view, an iterator, or left open."""
        written = self.program.names.expand(function.record.result, function.file, function.record.scope)
        kind = types.parse(written)
        is_dependent = "::" in kind.name and "<" in kind.name  # `Map<K>::const_iterator`: nobody can tell
        if not written or kind.is_placeholder or is_dependent:
            return True
        cls = self.class_of(written) if kind.is_value else None
        if cls is not None and borrowing_fields(cls):
            return True
        return kind.pointers > 0 or looks_elsewhere(written, self.program.types.roles(written, function))

    def behind(self, target: Function) -> Origins | None:
        """The values of a function that is called, as far as calls are followed."""
        return Origins(target, sources_of(target, 2), self.depth + 1) if self.depth < _DEEPEST else None

    def given(self, call: r.Call, index: int) -> Origin | None:
        """What this call gives as the callee's `index`: 1 is its `this`."""
        if index == 1:
            if isinstance(call.callee, r.Member):
                return self.address(call.callee.base)
            return Origin(self.sources["this"], "certain", call) if "this" in self.sources else None
        return self.address(call.args[index - 2]) if index - 2 < len(call.args) else None

    # --- views ---

    def view(self, value: r.Value | None, cls: Class) -> Iterator[Origin]:
        """The arguments that a view, or what holds views, is made to look at."""
        inner = strip(value)
        if self.depth > _DEEPEST or inner is None:
            return
        match inner:
            case r.Name(text=name) if name in self.function.locals and name not in self.sources:
                yield from self._deeper()._local_view(name, cls)
            case r.Conditional(then=then, other=other):
                yield from self.view(then, cls)
                yield from self.view(other, cls)
            case r.Unary(op="*" | "&", value=pointee):
                yield from self.view(pointee, cls)
            case r.Aggregate(kind="init", items=items):
                if any(self._made(item, cls) for item in items):
                    for item in items:
                        yield from self._deeper().view(item, cls)
                else:
                    yield from self._arguments(cls, items)
            case r.Pair(value=paired):
                yield from self.view(paired, cls)
            case r.Call(callee=r.Member(base=base, name="release")):
                yield from self.view(base, cls)
            case r.Call():
                yield from self._view_call(inner, cls)

    def _view_call(self, call: r.Call, cls: Class) -> Iterator[Origin]:
        made = self._made(call, cls)
        if made is not None:
            yield from self._arguments(made, call.args)
            return
        callee = self.program.calls.callee(call, self.function)
        if callee.functions:
            for target in callee.functions[:1]:
                inner = Origins(target, sources_of(target, 2), self.depth + 1)
                for value in returned_values(target):
                    for found in inner.view(value, cls):
                        if (here := self.given(call, found.argument)) is not None:
                            sure = weaker(here.certainty, found.certainty, callee.certainty)
                            yield Origin(here.argument, sure, call, found.made)
            return
        for argument in call.args:  # a pair, an optional, a list of views
            yield from self._deeper().view(argument, cls)
        if cls.name in call.template or (isinstance(call.callee, r.Name) and cls.name in call.callee.text):
            yield from self._arguments(cls, call.args)

    def _local_view(self, name: str, cls: Class) -> Iterator[Origin]:
        """A local: how it was made, and what was put into it afterwards."""
        _, initial = self.function.locals[name]
        yield from self.view(initial, cls)
        fields = {field.name for field in borrowing_fields(cls)}
        for statement in self.function.statements:
            if not isinstance(statement, r.Evaluate):
                continue
            for value in walk(statement.value):
                match value:
                    case r.Assign(target=r.Member(base=r.Name(text=base), name=field), value=given) if (
                        base == name and field in fields
                    ):
                        if (found := self.address(given)) is not None:
                            yield found
                    case r.Assign(target=r.Name(text=base), value=given) if base == name:
                        yield from self.view(given, cls)
                    case r.Call(callee=r.Member(base=r.Name(text=base), name=method), args=args) if (
                        base == name and method in self.program.models.containers.puts
                    ):
                        yield from self.filled(method, args, cls)
                    case r.Call(callee=r.Member(base=r.Name(text=base), name=method), args=args) if base == name:
                        yield from self.each(args[position] for position in sorted(kept_by(cls, method, len(args))))

    def elements(self, value: r.Value | None) -> Iterator[Origin]:
        """The arguments into which the pointers lead that a container is made of, or filled with."""
        inner = strip(value)
        if self.depth > _DEEPEST:
            return
        match inner:
            case r.Aggregate(kind="init", items=items):
                yield from self._each_inside(items)
            case r.Name(text=name) if name in self.function.locals and name not in self.sources:
                yield from self._deeper().elements(self.function.locals[name][1])
                for call in self._calls_on(name):
                    if last_name(call.callee) in self.program.models.containers.puts:
                        yield from self._each_inside(call.args)
            case r.Call():
                for target in self.program.calls.callee(inner, self.function).functions[:1]:
                    yield from self._elements_behind(inner, target)

    def _each_inside(self, items: Iterable[r.Value]) -> Iterator[Origin]:
        """Those of the items that lead into an argument; one that is an argument itself does not."""
        return self.each(item for item in items if not self.is_argument(strip(item)))

    def _elements_behind(self, call: r.Call, target: Function) -> Iterator[Origin]:
        beyond = Origins(target, sources_of(target, 2), self.depth + 1)
        for found in (found for back in returned_values(target) for found in beyond.elements(back)):
            if (here := self.given(call, found.argument)) is not None:
                yield here._replace(certainty=weaker(here.certainty, found.certainty))

    def _calls_on(self, name: str) -> Iterator[r.Call]:
        """What is called on a local, as a statement."""
        for statement in self.function.statements:
            if isinstance(statement, r.Evaluate) and isinstance(statement.value, r.Call):
                callee = statement.value.callee
                if isinstance(callee, r.Member) and isinstance(callee.base, r.Name) and callee.base.text == name:
                    yield statement.value

    def filled(self, method: str, args: tuple[r.Value, ...], cls: Class) -> Iterator[Origin]:
        """What is put into a container: views, or what views are made of."""
        made = any(self._made(argument, cls) for argument in args)
        if made or not (method.startswith("emplace") and stored_arguments(cls, len(args))):
            for argument in args:
                yield from self.view(argument, cls)
        else:
            yield from self._arguments(cls, args)

    def _arguments(self, cls: Class, args: tuple[r.Value, ...]) -> Iterator[Origin]:
        """What a constructor of the view keeps of its arguments; a copy looks where its original looks, not at it."""
        if self._is_copied(cls, args):
            yield from self.view(args[0], cls)
            return
        fields = {field.name for field in borrowing_fields(cls)}
        stored = stored_arguments(cls, len(args))
        for position, argument in enumerate(args):
            if isinstance(argument, r.Pair):
                kept = last_name(argument.key).lstrip(".") in fields
            else:
                kept = position in stored
            if kept and (found := self.address(argument)) is not None:
                yield found._replace(made=cls)
            elif kept and (inner := self.view_class(argument)) is not None:
                yield from (one._replace(made=cls) for one in self.view(argument, inner))

    def view_class(self, value: r.Value) -> Class | None:
        """The class of an object that is one of views, by value."""
        written = self.program.types.of(strip(value), self.function)
        cls = self.class_of(written) if written and not types.parse(written).pointers else None
        return cls if cls is not None and borrowing_fields(cls) else None

    def _is_copied(self, cls: Class, args: tuple[r.Value, ...]) -> bool:
        """Whether the class is made from one object of its own: `Grid(self)`, `Grid(*this)`."""
        if len(args) != 1 or any(takes_its_own(cls, record) for record in cls.declarations):
            return False
        inner = strip(args[0])
        if isinstance(inner, r.Unary) and inner.op == "*" and last_name(inner.value) == "this":
            given = self.function.home
        else:
            written = self.program.types.of(inner, self.function)
            given = None if not written or types.parse(written).pointers else self.class_of(written)
        return given is not None and cls in given.ancestry

    def _made(self, value: r.Value, cls: Class) -> Class | None:
        """The class, or the subclass of it, that the expression constructs: `V(a)`, `new V(a)`, `make_unique<V>(a)`."""
        inner = strip(value)
        if isinstance(inner, r.Pair):
            inner = strip(inner.value)
        made = self.constructed(inner) if isinstance(inner, r.Call) else None
        return made if made is not None and cls in made.ancestry else None

    def constructed(self, call: r.Call) -> Class | None:
        written = call.callee.text if isinstance(call.callee, r.Name) else ""
        if call.template and last_name(call.callee).startswith("make_"):
            written = types.arguments_of(call.template)[0]
        return self.class_of(written) if written else None

    def _is_python(self, value: r.Value) -> bool:
        written = self.program.types.of(strip(value), self.function)
        return "python object" in self.program.types.roles(written, self.function)

    def _is_view(self, call: r.Call) -> bool:
        written = call.callee.text if isinstance(call.callee, r.Name) else ""
        return bool(written) and "view" in self.program.types.roles(written, self.function)

    def class_of(self, written: str) -> Class | None:
        record = self.function.record
        expanded = self.program.names.expand(written, self.function.file, record.scope, record.start)
        return self.program.names.find_class(types.parse(expanded).name, record.scope, self.function.file)

    def _deeper(self) -> Self:
        return type(self)(self.function, self.sources, self.depth + 1)

    def only_arguments(self) -> Origins:
        return _Arguments(self.function, self.sources, self.depth)

    # --- the argument itself ---

    def is_argument(self, value: r.Value | None) -> bool:
        """Whether this is an argument itself, not something inside: the framework knows its Python object."""
        while isinstance(value, r.Unary) and value.op in ("*", "&"):
            value = strip(value.value)
        match value:
            case r.Name(text=name):
                if name in self.sources:
                    return True
                written, initial = self.function.locals.get(name, ("", None))
                return ("&" in written or "*" in written) and initial is not None and self.is_argument(strip(initial))
            case r.Call(callee=callee) if self.depth < _DEEPEST:
                on = callee.base if isinstance(callee, r.Member) else r.Name(value.start, value.start, "this")
                functions = self.program.calls.callee(value, self.function).functions
                return bool(functions) and self.is_argument(strip(on)) and _returns_itself(functions[0], self.depth)
            case r.Member(base=r.Name(text=name)) if name in self.sources:
                return self._is_cast_from(name, types.parse(self.program.types.of(value, self.function)))
        return False

    def _is_cast_from(self, name: str, member: types.Type) -> bool:
        """Whether a member of a parameter that is taken by value is the argument: the reference in `Held<Batch&> self`
        is what a type caster of the project has made of the Python object."""
        written = next((one.type for one in self.function.record.parameters if one.name == name), "")
        kind = types.parse(written)
        return kind.is_value and member.reference and any(types.parse(one) == member for one in kind.arguments)


class _Arguments(Origins):
    """Follows what is an argument itself, and nothing that is inside of one."""

    def address(self, value: r.Value | None) -> Origin | None:
        return super().address(value) if self.is_argument(strip(value)) else None


def _returns_itself(function: Function, depth: int) -> bool:
    inner = Origins(function, {"this": 1}, depth + 1)
    found = returned_values(function)
    return bool(found) and all(inner.is_argument(value) for value in found)
