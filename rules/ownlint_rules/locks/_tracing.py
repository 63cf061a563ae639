"""Places below the members of a domain: what an expression names, points to or stands in, and what is done to it.

See `guarded` for domains. Keys are all one (`[]`), and an iterator stands for the element it is at.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, NamedTuple
from typing import Literal as OneOf

from ownlint import Class, Function, Place, containers, places, questions, types
from ownlint import events as e
from ownlint import records as r

if TYPE_CHECKING:
    from ownlint_rules.locks._guarded import GuardedDomain

_TAKEN = frozenset({"swap", "exchange", "move", "erase_if", "erase"})
"""Functions that take what is in the containers that they are given."""
_BUFFERS = frozenset({"data", "c_str", "str", "load", "lock", "operator->", "operator*"})
"""What leads to what stands in the object itself, and not in an element."""
_EMPTIES = frozenset({"reset", "assign", "shrink_to_fit"})
_HALVES = frozenset({"first", "second"})

Kind = OneOf["read", "overwrite", "change", "fill", "grow", "append", "erase", "clear"]


class Traced(NamedTuple):
    """A place below a member of a domain: keys are `[]`, the halves of pairs are left out."""

    place: Place
    at: int
    """Where the member stands in the place."""

    @property
    def member(self) -> str:
        return self.place[self.at]


class Tracer:
    """Follows the expressions of one function to the members of a domain."""

    def __init__(self, domain: GuardedDomain, function: Function) -> None:
        self.domain = domain
        self.function = function
        self.aliases = function.flow.aliases
        home = function.home
        self.inside = home is not None and domain.cls is not None and domain.cls in home.ancestry
        self.hidden = function.declared
        self.own = self._own()
        """Members that a method means when it says their names."""
        self.origins: dict[str, Traced] = {}
        """What locals point to, look at, or stand in, once for all: see `learn`."""
        twice = declared_twice(function)
        for name, (written, value) in function.locals.items():
            if value is None or name in self.aliases or name in twice or not leads(function, written, value):
                continue
            inner = places.strip(value)
            if isinstance(inner, r.Name) and inner.text not in self.origins:
                continue  # a copy of what the member holds
            traced = self.trace(value)
            if traced is not None:
                self.origins[name] = traced

    def _own(self) -> frozenset[str]:
        """Without those for which an heir has a member of its own under the same name."""
        home, cls = self.function.home, self.domain.cls
        if not self.inside or home is None or cls is None:
            return frozenset()
        nearer = home.ancestry[: home.ancestry.index(cls)]
        if not nearer:
            return frozenset(self.domain.members)
        fields = {name: home.field(name) for name in self.domain.members}
        return frozenset(name for name, field in fields.items() if field is None or field[0] not in nearer)

    def trace(self, value: r.Value | None, depth: int = 0) -> Traced | None:
        """The place below a member that an expression names, points to, or looks at."""
        value = places.strip(value)
        if value is None or depth > 12:
            return None
        match value:
            case r.Name(text=name):
                return self.name(name)
            case r.Member(base=base, name=name):
                return self.member(base, name, depth)
            case r.Index(base=base):
                return below(self.trace(base, depth + 1), "[]")
            case r.Unary(op="*" | "&", value=inner):
                return self.trace(inner, depth + 1)
            case r.Conditional(then=then, other=other):
                return self.trace(then, depth + 1) or self.trace(other, depth + 1)
            case r.Call(callee=r.Member(base=base, name=name)):
                methods = self.function.program.models.containers
                if name in methods.opens or name in _BUFFERS:
                    return self.trace(base, depth + 1)
                leads = name in methods.keyed or name in methods.lends or name == "emplace_back"
                return below(self.trace(base, depth + 1), "[]") if leads else None
            case r.Call():
                place = places.place_of(value, self.aliases)
                return self.place(place) if place is not None else None
        return None

    def name(self, name: str) -> Traced | None:
        if name in self.origins:
            return self.origins[name]
        place = self.aliases.get(name)
        if place is not None:
            return self.place(place)
        if self.domain.cls is None:
            plain = name.removeprefix("::").rpartition("::")[2]
            return Traced((plain,), 0) if plain in self.domain.members and plain not in self.hidden else None
        if name in self.own and name not in self.hidden:
            return Traced((places.THIS, name), 1)
        return None

    def member(self, base: r.Value, name: str, depth: int) -> Traced | None:
        if isinstance(base, r.Name) and base.text == places.THIS:
            return Traced((places.THIS, name), 1) if name in self.own else None
        outer = self.trace(base, depth + 1)
        if outer is not None:
            return below(outer, name)
        if name in self.domain.members and self.domain.cls is not None and self.is_ours(base):
            return Traced((*self.base(base), name), len(self.base(base)))
        return None

    def is_ours(self, base: r.Value) -> bool:
        """Whether an expression is an object of the domain's class."""
        written = self.function.program.types.of(base, self.function)
        kind = types.parse(written)
        cls = self.domain.cls
        assert cls is not None
        return any(self.is_of(types.parse(one), cls) for one in (kind.name, *kind.arguments[:1]))

    def is_of(self, kind: types.Type, cls: Class) -> bool:
        """Whether a type is the class: others may be called so inside of other classes."""
        if kind.last != cls.name:
            return False
        found = self.function.program.names.find_class(kind.name, self.function.record.scope, self.function.file)
        return found is None or found is cls or found.name != cls.name

    def base(self, base: r.Value) -> Place:
        inner = places.strip(base)
        if isinstance(inner, r.Name):
            return self.aliases.get(inner.text, (inner.text,))
        if isinstance(inner, r.Call) and (place := places.place_of(inner, self.aliases)) is not None:
            return place
        return tuple(v.text for v in places.walk(inner) if isinstance(v, r.Name))[:1] or ("<object>",)

    def place(self, place: Place) -> Traced | None:
        """The same of a place that was read before."""
        if self.domain.cls is None:
            at = 0 if place[0] in self.domain.members and place[0] not in self.hidden else -1
        elif place[0] == places.THIS and len(place) > 1 and place[1] in self.own:
            at = 1
        else:
            at = -1
        if at < 0:
            return None
        traced: Traced | None = Traced(place[: at + 1], at)
        for step in place[at + 1 :]:
            traced = below(traced, "[]" if step.startswith("[") else step)
        return traced


@questions.flow_question
def declared_twice(function: Function) -> frozenset[str]:
    """Locals of one name in several blocks: nobody can say which is meant."""
    seen = set(function.parameter_names)
    twice: set[str] = set()
    for statement in function.statements:
        names: Iterable[str] = ()
        if isinstance(statement, r.Declare):
            names = statement.names
        elif isinstance(statement, r.Loop) and statement.kind == "range":
            names = [v.text for v in places.walk(statement.target) if isinstance(v, r.Name)]
        for name in names:
            (twice if name in seen else seen).add(name)
    return frozenset(twice)


def leads(function: Function, written: str, value: r.Value) -> bool:
    """Whether a local of that type, made from that value, is a way to something else: a pointer, an iterator."""
    kind = types.parse(written)
    if kind.reference or kind.last.endswith("iterator"):
        return True
    inner = places.strip(value)
    if isinstance(inner, r.Unary):
        return inner.op == "&" and (bool(kind.pointers) or kind.is_placeholder)
    if isinstance(inner, r.Conditional):
        return leads(function, written, inner.then) or leads(function, written, inner.other)
    if isinstance(inner, r.Name):
        return bool(kind.pointers) or kind.is_placeholder
    if not isinstance(inner, r.Call) or not (kind.is_placeholder or kind.pointers):
        return False
    methods = function.program.models.containers
    return places.last_name(inner.callee) in methods.keyed | methods.ways_in - methods.places


def strip_address(value: r.Value | None) -> r.Value | None:
    """Without casts, `&` and `*` around it."""
    value = places.strip(value)
    while isinstance(value, r.Unary) and value.op in ("&", "*"):
        value = places.strip(value.value)
    return value


def below(outer: Traced | None, step: str) -> Traced | None:
    if outer is None:
        return None
    if step in _HALVES and outer.place[-1] == "[]":
        return outer
    return Traced((*outer.place, step), outer.at)


def touched(tracer: Tracer, event: e.Event) -> Iterator[tuple[Traced, Kind, r.Value | None]]:
    """What an event does to members of the domain."""
    match event:
        case e.Read(node=node, place=where):
            traced = tracer.trace(node) if not _is_plain_local(tracer, where) else None
            if traced is not None and not (isinstance(node, r.Name) and node.text in tracer.origins):
                if isinstance(node, r.Index) and _inserts(tracer, traced):
                    yield Traced(traced.place[:-1], traced.at), "grow", node
                else:
                    yield traced, "read", node
        case e.Write(fresh=False, target=target, place=where, op=op):
            traced = tracer.trace(target) if target is not None else tracer.place(where)
            rebinds = isinstance(target, r.Name) and target.text in tracer.origins
            if traced is not None and op != "init" and not rebinds:
                yield traced, "overwrite", target
        case e.CallEvent(node=call):
            yield from _called(tracer, call)


def _inserts(tracer: Tracer, traced: Traced) -> bool:
    """Whether to look with `[]` puts an entry there: a map's does."""
    if len(traced.place) != traced.at + 2:
        return False
    domain = tracer.domain
    written = domain.members[traced.member].type
    return "associative" in domain.program.types.roles_at(written, domain.file, domain.scope)


def _is_plain_local(tracer: Tracer, where: Place) -> bool:
    return len(where) == 1 and where[0] in tracer.hidden and where[0] not in tracer.aliases


def _called(tracer: Tracer, call: r.Call) -> Iterator[tuple[Traced, Kind, r.Value | None]]:
    name = places.last_name(call.callee)
    if isinstance(call.callee, r.Member):
        kind = _kind(tracer, call, name)
        traced = tracer.trace(call.callee.base) if kind is not None else None
        if kind is not None and traced is not None:
            yield traced, kind, None
    models = tracer.function.program.calls.callee(call, tracer.function).models if call.args else ()
    for effect in (effect for model in models for effect in model.effects if effect.verb == "write"):
        at = effect.place.index if effect.place is not None else len(call.args)
        written = tracer.trace(call.args[at]) if at < len(call.args) else None
        if written is not None:
            yield written, "fill", None
    yield from _changed_by_callee(tracer, call)
    if name in _TAKEN:
        for argument in call.args[:2]:
            taken = tracer.trace(argument)
            if taken is not None and _is_lvalue(argument):
                yield taken, "clear" if name != "erase" else "erase", None


def _changed_by_callee(tracer: Tracer, call: r.Call) -> Iterator[tuple[Traced, Kind, r.Value | None]]:
    """What a function of the project does to members that it is given by reference, or the addresses of."""
    traced = [(index, one) for index, arg in enumerate(call.args) if (one := tracer.trace(arg)) is not None]
    callees = tracer.function.program.calls.callee(call, tracer.function).functions if traced else ()
    for callee in callees if len(callees) == 1 and callees[0] is not tracer.function else ():
        done = _done_to_parameters(callee)
        for index, one in traced:
            if index < len(callee.record.parameters) and (kind := done.get(callee.record.parameters[index].name)):
                yield one, kind, None


@questions.question
def _done_to_parameters(function: Function) -> dict[str, Kind]:
    """What a function does to containers that it is given by a reference or pointer that is not constant; what takes
    elements away first."""
    given = {one.name for one in function.record.parameters if _may_change(one.type)}
    methods = function.program.models.containers
    if (
        function.language != "cpp"
        or not given
        or not function.mentions(*methods.keyed, *methods.appends, *methods.takes)
    ):
        return {}
    found: dict[str, Kind] = {}
    for call in function.flow.calls:
        on = strip_address(places.receiver(call.node))
        if not isinstance(on, r.Name) or on.text not in given:
            continue
        name = places.last_name(call.node.callee)
        if name in methods.erases | methods.clears:
            found[on.text] = "erase" if name in methods.erases else "clear"
        elif name in methods.keyed | methods.appends:
            found.setdefault(on.text, "grow")
    return found


def _may_change(written: str) -> bool:
    kind = types.parse(written)
    return (kind.reference or kind.pointers == 1) and not kind.const and not written.lstrip().startswith("const ")


def _is_lvalue(value: r.Value) -> bool:
    return isinstance(places.strip(value), r.Name | r.Member | r.Index)


def _is_behind_pointer(tracer: Tracer, call: r.Call) -> bool:
    """Called through a pointer that has a name; what an accessor answers with is the object itself."""
    if not isinstance(call.callee, r.Member) or not call.callee.arrow:
        return False
    place = places.place_of(call.callee.base, tracer.aliases)
    return place is None or not place[-1].endswith("()")


def _kind(tracer: Tracer, call: r.Call, name: str) -> Kind | None:
    methods = tracer.function.program.models.containers
    if name in methods.appends - methods.keyed and containers.leaves_elements(tracer.function, call):
        return "append"
    if name in methods.keyed or name in methods.appends or name in methods.grows - _EMPTIES:
        return "grow"
    if name in methods.erases:
        return "erase"
    if name in methods.clears or name in _EMPTIES:
        return "clear"
    if name in methods.ways_in or _is_behind_pointer(tracer, call):
        return None  # what a pointer leads to is not the member
    traced = tracer.trace(call.callee.base) if isinstance(call.callee, r.Member) else None
    if traced is None:
        return None
    found = tracer.function.program.calls.callee(call, tracer.function)
    if found.owner is not None and tracer.domain.locks_itself(found.owner.symbol):
        return None
    if found.records and found.certainty == "certain":
        return None if any("const" in record.qualifiers for record in found.records) else "change"
    verbs = {effect.verb for model in found.models for effect in model.effects if str(effect.place) == "receiver"}
    return "change" if "invalidate" in verbs else None
