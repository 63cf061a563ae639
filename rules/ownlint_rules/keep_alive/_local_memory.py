"""What ends with a function, or with one statement of it, and what is handed to Python that still leads there.

Memory: objects of Python's made over a local string, vector or array. References: handles and bare pointers to an
object whose owner is a temporary or a local. Pointers: into strings and arrays that were converted on the way.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Literal as OneOf
from typing import NamedTuple

from ownlint import (
    Certainty,
    Function,
    Program,
    because,
    casters,
    model_records,
    objects,
    origins,
    places,
    python_use,
    questions,
    references,
    text,
    types,
    weaker,
)
from ownlint import events as e
from ownlint import records as r

_OWNS = frozenset({"container", "sequence", "string", "scoped owner", "associative", "set"})
_ELSEWHERE = frozenset(
    {"view", "iterator", "handle", "shared pointer", "intrusive pointer", "weak pointer", "immortal"}
    | {"python object", "python handle", "python array"}
)
_OBJECTS = frozenset({"python object", "python array"})
_DEEPEST = 2
"""Functions of the project that hand on what another has made."""


class OverLocal(NamedTuple):
    """`made` is an object of Python's over the memory of the local `name`, and is returned."""

    made: r.Call
    name: str
    what: str
    certainty: Certainty


def over_locals(function: Function) -> Iterator[OverLocal]:
    if function.language != "cpp":
        return
    known = references.references(function.program)
    frameworks = list(function.program.models.frameworks.values())
    if not function.mentions_any(_helpers(function.program)):
        frameworks = [f for f in frameworks if _may_make(function, f)]
        if not frameworks and not any(name in known.lenders for name in function.mentioned):
            return
    names = _own_memory(function)
    if not names:
        return
    derived, lent = (
        origins.Origins(function, {name: number for number, name in enumerate(names)}),
        casters.given(function),
    )
    for value in _returned(function):
        call = _maker(function, value)
        if call is None:
            continue
        for framework in frameworks:
            for made in (
                *(objects.made_by_hand(call, derived, framework) or ()),
                *_described(call, derived, framework),
            ):
                if made.shape in ("memory", "iterator") and made.handing == "object":
                    name = names[made.origin.argument]
                    sure = made.origin.certainty
                    if name == lent:
                        sure = weaker(
                            sure, because("later-use", f"harmless if the object being cast outlives the `{made.name}`")
                        )
                    yield OverLocal(call, name, made.name, sure)
        for origin, maker in _lending(call, derived, known):
            yield OverLocal(call, names[origin.argument], maker, origin.certainty)


def _lending(
    call: r.Call, derived: origins.Origins, known: references.References
) -> Iterator[tuple[origins.Origin, str]]:
    """What an object of the C API looks at that a call makes, itself or in a function of the project; and its maker."""
    model = known.model(call, derived.function)
    if model is not None:
        for effect in model.effects if model.keeps == "none" else ():
            if effect.verb == "borrow" and effect.other is not None and 0 <= effect.other.index < len(call.args):
                origin = derived.address(call.args[effect.other.index])
                if origin is not None:
                    yield origin, places.last_name(call.callee)
        return
    callee = derived.program.calls.callee(call, derived.function)
    target = callee.functions[0] if len(callee.functions) == 1 else None
    inner = derived.behind(target) if target is not None else None
    if target is None or inner is None or not known.is_pointer(target.record.result, target):
        return
    for value in _returned(target):
        made = _maker(target, value)
        for origin, maker in _lending(made, inner, known) if made is not None else ():
            here = derived.given(call, origin.argument)
            if here is not None:
                sure = weaker(here.certainty, origin.certainty, callee.certainty)
                yield here._replace(certainty=sure), maker


@questions.program_question
def _helpers(program: Program) -> frozenset[str]:
    """Names of the project's functions that may make such an object for others, by themselves or through another."""
    known = references.references(program)
    frameworks = program.models.frameworks.values()
    found: set[str] = set()
    for _ in range(_DEEPEST):
        more = {
            function.name
            for function in program.functions
            if function.language == "cpp"
            and function.name not in found
            and function.record.parameters
            and (
                function.mentions(*known.lenders, *found)
                or (not found and any(_may_make(function, framework) for framework in frameworks))
            )
            and (known.is_pointer(function.record.result, function) or _gives_object(function))
        }
        if not more:
            break
        found |= more
    return frozenset(found)


def _gives_object(function: Function) -> bool:
    return not _OBJECTS.isdisjoint(function.program.types.roles(function.record.result, function))


def _described(
    call: r.Call, derived: origins.Origins, framework: model_records.FrameworkModel
) -> Iterator[objects.Made]:
    """Memory that is told of, for Python to look at while it holds the object that was asked: a `buffer_info`."""
    name = places.last_name(call.callee)
    if name in framework.facts.get("memory_descriptions", "").split():
        yield from (objects.Made("memory", name, origin) for origin in derived.each(call.args[:1]))


def _may_make(function: Function, framework: model_records.FrameworkModel) -> bool:
    """Whether the body can make an array, a view or an iterator of the framework's. Needs no decoding."""
    facts = framework.facts
    views = facts.get("memory_views", "").split() + facts.get("memory_descriptions", "").split()
    if function.mentions(*views, *framework.iterators):
        return True
    arrays = _array_names(function.program)
    return any("array" in name or name in arrays for name in function.mentioned)


@questions.program_question
def _array_names(program: Program) -> frozenset[str]:
    """Last names of classes of arrays, and of the project's aliases of them."""
    return program.models.names_of("python array") | {
        alias.name
        for file in program.files.values()
        for alias in file.aliases
        if "python array" in program.types.roles_at(alias.name, file, alias.scope)
    }


def _own_memory(function: Function) -> list[str]:
    """Locals and parameters by value whose memory ends with the function, and what a caster is lent."""
    away = python_use.given_away(function)
    static = {n for s in function.statements if isinstance(s, r.Declare) and s.static for n in s.names}
    found = []
    for name, (written, initial) in function.locals.items():
        if name in away or name in static:
            continue
        if types.parse(written).is_placeholder and "&" not in written and "*" not in written:
            written = _made(function, initial).rstrip().removesuffix("&")
        kind = types.parse(written)
        if "[" in written and not kind.pointers:
            found.append(name)
        elif kind.is_value and written:
            roles = set(function.program.types.roles(written, function))
            if roles & _OWNS and not roles & _ELSEWHERE:
                found.append(name)
    lent = casters.given(function)
    return [*found, lent] if lent and lent not in found else found


def _made(function: Function, initial: r.Value | None) -> str:
    """The type of what a local is made from: of a value that is constructed here, or that a call answers with."""
    made = places.strip(initial)
    if isinstance(made, r.Call) and (known := function.program.types.of(made, function)):
        return known
    written = made.callee.text if isinstance(made, r.Call) and isinstance(made.callee, r.Name) else ""
    return f"{written}<{made.template}>" if isinstance(made, r.Call) and made.template else written


def _returned(function: Function) -> Iterator[r.Value]:
    for statement in function.statements:
        if isinstance(statement, r.Leave) and statement.kind == "return":
            yield from references.alternatives(statement.value)


def _maker(function: Function, value: r.Value) -> r.Call | None:
    """The call that makes what is returned: itself, behind a `release()`, or what the only local was made with."""
    inner = places.strip(value)
    if isinstance(inner, r.Call) and isinstance(inner.callee, r.Member) and inner.callee.name in ("release", "ptr"):
        inner = places.strip(inner.callee.base)
    if isinstance(inner, r.Name) and inner.text in function.locals:
        if len(function.flow.writes_to((inner.text,))) > 1:
            return None
        inner = places.strip(function.locals[inner.text][1])
    return inner if isinstance(inner, r.Call) else None


# --- references that nobody owns ---------------------------------------------------------------------


class Unowned(NamedTuple):
    """`value` is a handle or pointer to an object whose owner ends: `owner` is a temporary, or a local's name."""

    at: r.Value
    owner: str
    how: OneOf["returned", "kept", "put"]
    into: str
    shared: bool
    """Something else may have the object, too."""


def unowned_handles(function: Function) -> Iterator[Unowned]:
    """Bare references to Python objects that outlive the owner they were taken from."""
    if function.language != "cpp" or not _names_object(function):
        return
    known = references.references(function.program)
    if known.is_pointer(_result(function), function):
        for value in _returned(function):
            if (found := _dies(function, known, value, known_handle(function, known, _result(function)))) is not None:
                yield Unowned(value, found.owner, "returned", "", found.local or found.answered)
    for statement in function.statements:
        if isinstance(statement, r.Declare) and statement.value is not None and len(statement.names) == 1:
            if statement.static or not known.is_pointer(statement.type, function):
                continue
            dies = _dies(function, known, statement.value, known_handle(function, known, statement.type))
            if dies is not None and not dies.local and _is_used(function, statement.names[0]):
                yield Unowned(statement.value, dies.owner, "kept", statement.names[0], dies.answered)
    for value, into, written in _stored(function):
        dies = _dies(function, known, value, True) if known_handle(function, known, written) else None
        if dies is not None and not dies.local:
            yield Unowned(value, dies.owner, "put", into, dies.answered)


def _stored(function: Function) -> Iterator[tuple[r.Value, str, str]]:
    """What is put into members, elements and containers: the value, where it is put, and the type of that place."""
    home = function.home
    for initializer in function.record.initializers if home is not None else ():
        held = home.field(initializer.name) if home is not None else None
        if held is not None and len(initializer.args) == 1:
            yield initializer.args[0], initializer.name, held[1].type
    puts = function.program.models.containers.puts
    assigns = any(name.startswith("=") for name in function.mentioned)
    for inner in function.values if assigns or function.mentions(*puts) else ():
        match inner:
            case r.Assign(op="=", target=r.Member() | r.Index() as target, value=value):
                yield value, text(target, 40), function.program.types.of(target, function)
            case r.Assign(op="=", target=r.Name(text=name) as target, value=value) if name not in function.locals:
                yield value, name, function.program.types.of(target, function)
            case r.Call(callee=r.Member(base=base, name=name), args=(*_, value)) if name in puts:
                kind = types.parse(function.program.types.of(base, function))
                if "container" in function.program.types.roles(kind.name, function) and kind.arguments:
                    yield value, text(base, 40), kind.arguments[-1 if len(inner.args) > 1 else 0]


def known_handle(function: Function, known: references.References, written: str) -> bool:
    """Whether an object turns into this type by itself: a handle, and no bare pointer."""
    return not types.parse(written).pointers and known.is_pointer(written, function)


def _result(function: Function) -> str:
    return function.record.result


def _names_object(function: Function) -> bool:
    return bool(function.mentioned) or bool(function.statements)


def _is_used(function: Function, name: str) -> bool:
    return any(isinstance(event, e.Read) and event.place[0] == name for event in function.flow)


class _Dying(NamedTuple):
    """The owner that ends."""

    owner: str
    local: bool = False
    answered: bool = False
    """Python code has answered the object, and may have it, too."""


def _dies(function: Function, known: references.References, value: r.Value, converts: bool) -> _Dying | None:
    """The owner that ends and that the value leads to."""
    inner = places.strip(value)
    if isinstance(inner, r.Call) and isinstance(inner.callee, r.Member) and inner.callee.name == "ptr":
        inner, converts = places.strip(inner.callee.base), True
    if not converts or inner is None:
        return None
    if isinstance(inner, r.Call):
        if _makes_object(function, known, inner):
            return _Dying(text(inner, 40))
        answered = _runs_python(function, inner) or _casts(function, inner)
        return _Dying(text(inner, 40), answered=True) if answered else None
    if isinstance(inner, r.Name) and inner.text in function.locals:
        written, initial = function.locals[inner.text]
        parameters = function.parameter_names
        static = any(isinstance(s, r.Declare) and s.static and inner.text in s.names for s in function.statements)
        if inner.text in parameters or static or not types.parse(written).is_value or inner.text in _counted(function):
            return None
        roles = function.program.types.roles(written, function)
        if "python object" in roles and "immortal" not in roles and _is_fresh(function, known, initial):
            return _Dying(inner.text, local=True)
    return None


def _runs_python(function: Function, call: r.Call) -> bool:
    """Whether a Python object is called, which answers an object of C++ that owns what comes of it: `o.attr("f")()`."""
    callee = places.strip(call.callee)
    if call.kind != "call":
        return False
    if isinstance(callee, r.Call):
        return isinstance(callee.callee, r.Member) and callee.callee.name == "attr"
    return (
        isinstance(callee, r.Name)
        and callee.text in function.locals
        and "python object" in function.program.types.roles(function.locals[callee.text][0], function)
    )


def _is_fresh(function: Function, known: references.References, initial: r.Value | None) -> bool:
    """Whether the local began with an object that nobody else has: made here, or empty and filled."""
    inner = places.strip(initial)
    if inner is None:
        return True
    return isinstance(inner, r.Call) and (_makes_object(function, known, inner) or not inner.args)


def _counted(function: Function) -> frozenset[str]:
    """Locals that are counted up, given away or put somewhere that keeps them."""
    names: set[str] = set(python_use.given_away(function))
    for event in function.flow.calls:
        callee = event.node.callee
        if isinstance(callee, r.Member) and callee.name in ("inc_ref", "release"):
            base = places.strip(callee.base)
            names.update([base.text] if isinstance(base, r.Name) else [])
        for argument in event.node.args:
            names.update(inner.text for inner in places.walk(argument) if isinstance(inner, r.Name))
    for write in function.flow.writes:
        if not write.fresh and write.value is not None:
            names.update(inner.text for inner in places.walk(write.value) if isinstance(inner, r.Name))
    return frozenset(names)


def _makes_object(function: Function, known: references.References, call: r.Call) -> bool:
    """Whether the call makes a new object and gives it to who called: `py::str("x")`, `py::make_tuple(a)`."""
    if not isinstance(call.callee, r.Name) or call.kind == "new":
        return False
    program, name = function.program, call.callee.text
    if name in function.locals:
        return False
    roles = program.types.roles(places.spelled(call), function)
    if "python object" in roles:
        return "immortal" not in roles and bool(call.args) and not any(map(_is_borrowing, call.args))
    last = places.last_name(call.callee)
    makers = {framework.facts.get("makes_object", "") for framework in program.models.frameworks.values()}
    if last != "make_tuple" and (last not in makers or call.template):
        return False
    if not _is_of_framework(function, name):
        return False
    return last == "make_tuple" or all(_is_plain_value(function, argument) for argument in call.args[:1])


def _is_of_framework(function: Function, name: str) -> bool:
    """Whether a function is spelled as one of a binding framework."""
    space = name.rpartition("::")[0]
    spaces = {n for framework in function.program.models.frameworks.values() for n in framework.spelling.namespaces}
    aliases = {a.name for a in function.file.aliases if a.kind == "namespace" and a.target.removeprefix("::") in spaces}
    return space in spaces | aliases


def _casts(function: Function, call: r.Call) -> bool:
    """Whether an object of C++ is cast: to a new object of Python's, unless that one has the first already."""
    frameworks = function.program.models.frameworks.values()
    makers = {framework.facts.get("makes_object", "") for framework in frameworks}
    if not isinstance(call.callee, r.Name) or call.template or places.last_name(call.callee) not in makers:
        return False
    if len(call.args) != 1 or not _is_of_framework(function, call.callee.text):
        return False
    inner = places.strip(call.args[0])
    kind = types.parse(function.program.types.of(inner, function))
    if kind.reference and kind.last in function.program.names.bound_types:
        return False  # Python may have given it, and has its object then
    roles = function.program.types.roles(kind.name, function)
    is_object = isinstance(inner, r.Name | r.Member | r.Index | r.Call) and bool(kind.name) and not kind.pointers
    return is_object and not kind.is_placeholder and not {"python object", "python handle"}.intersection(roles)


def _is_borrowing(argument: r.Value) -> bool:
    """`h, true`: the constructors from a handle and a word about whose reference it is."""
    inner = places.strip(argument)
    return isinstance(inner, r.Literal) and inner.kind == "bool"


def _is_plain_value(function: Function, argument: r.Value) -> bool:
    """A number or a text: what it is cast to is a new object each time."""
    inner = places.strip(argument)
    if isinstance(inner, r.Literal):
        return inner.kind in ("str", "float")
    kind = types.parse(function.program.types.of(inner, function))
    return kind.is_value and (
        "string" in function.program.types.roles(kind.name, function) or kind.name in ("float", "double")
    )
