"""What an object keeps of what it is given: raw pointers, references and views, with no share in what they lead to.

`stores` finds what a function puts into what outlives it, and names the part of the value that stays: the pointer
itself, an argument that the object made of it keeps, a key that is a view, what a stored lambda captures.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Container, Iterable, Iterator
from typing import NamedTuple

from ownlint.bindings.targets import returned_values
from ownlint.bindings.views import constructed_part, initialised_name, roles_of
from ownlint.engine import containers
from ownlint.engine.glance import opens, said_names
from ownlint.facts import records as r
from ownlint.facts.show import text
from ownlint.flow import events as e
from ownlint.flow.bodies import values
from ownlint.flow.places import THIS, Place, is_name, last_name, receiver, strip, walk
from ownlint.models import habits
from ownlint.project import pairs, types
from ownlint.project.program import Program
from ownlint.project.questions import program_question
from ownlint.project.signatures import accepts
from ownlint.project.subjects import Class, Function

_DEEPEST = 4
_MAKERS = re.compile(r"make_(?:unique|shared|intrusive|ref\w*)|Make(?:Unique|Shared|Ref\w*|Intrusive)|allocate_shared")
_WRAPPERS = re.compile(r"Wrap(?:Unique|Shared|Ref\w*)|make_pair|pair|make_optional|make_tuple")
_OWNERS = frozenset({"smart pointer", "shared pointer", "intrusive pointer", "optional", "pair"})
_ADDRESSES = frozenset({"get", "data", "c_str", "operator->"})


Outlives = Callable[[Function, Place, "r.Value | None"], bool]


class Kept(NamedTuple):
    """`value` stays behind raw; `holder` is the object made of it that keeps it, and `field` where, if there is one."""

    value: r.Value
    holder: Class | None = None
    field: str = ""
    how: str = "pointer"
    """`pointer`, `reference`, `key` or `capture`."""
    taken_as: str = ""
    """The type as which the holder takes it: that of the constructor's parameter, or of the field."""
    read: bool = False
    """What stays is a pointer that is read out of the value, rather than an address in it."""


class Store(NamedTuple):
    """`event` puts something into `place`, which outlives the call, and `kept` stays in it."""

    event: e.Event
    place: Place
    kept: Kept
    once: bool = False
    """The operation itself keeps what is already there, under a key that may well be."""
    in_container: bool = False


# --- what a type is ---------------------------------------------------------------------------------


def is_raw(function: Function, written: str) -> bool:
    """Whether a value of the type is an address or a view, which owns nothing."""
    kind = types.parse(function.program.names.expand(written, function.file, function.record.scope))
    if "(" in written:
        return False
    return bool(kind.pointers or kind.reference or "view" in function.program.types.roles(written, function))


def raw_fields(cls: Class) -> frozenset[str]:
    """Names of the fields through which an object looks at what it neither owns nor frees."""
    found: set[str] = set()
    for owner in cls.ancestry:
        for field in owner.fields.values():
            written = owner.program.names.expand(field.type, owner.file, owner.symbol)
            kind = types.parse(written)
            if field.static or "(" in written:
                continue
            if (kind.pointers or kind.reference or _is_view_type(owner, written)) and not is_freed(owner, field):
                found.add(field.name)
    return frozenset(found)


def is_freed(cls: Class, field: r.Field) -> bool:
    """Whether the destructor frees what the field points to. What it frees *through* it, `pool_->release(block_)`, is
    another thing."""
    destructor = cls.destructor
    if types.parse(field.type).reference or destructor is None:
        return False
    called = {m for name in destructor.mentioned for m in cls.defined(name) if m is not destructor}
    for body in (destructor, *sorted(called, key=lambda m: m.record.start)):
        if f'"{field.name}"'.encode() not in body.encoded:
            continue
        if any(_frees(call, field.name) for call in body.calls()):
            return True
    return False


def _frees(call: r.Call, field: str) -> bool:
    if len(call.args) == 1 and last_name(strip(call.args[0])) == field:
        return call.kind == "delete" or call.kind == "call"
    on = receiver(call)
    asked = on is not None and last_name(strip(on)) == field and not call.args
    return asked and bool(pairs.releasing_verb(last_name(call.callee)))


# --- where a value leads ----------------------------------------------------------------------------


def leads_to(function: Function, value: r.Value | None, roots: Container[str], depth: int = 0) -> str:
    """Which of the `roots` an address or a view leads to: the name itself, something inside it, or what its accessors
    hand out raw. Empty when it leads elsewhere, or to something that was made with it."""
    inner = strip(value)
    if inner is None or depth > _DEEPEST * 2:
        return ""
    match inner:
        case r.Name(text=name) if name in roots:
            return name
        case r.Name(text=name):
            return _local_leads_to(function, name, roots, depth)
        case r.Member(base=base) | r.Index(base=base) | r.Unary(op="*" | "&", value=base):
            return leads_to(function, base, roots, depth + 1)
        case r.Conditional(then=then, other=other):
            return leads_to(function, then, roots, depth + 1) or leads_to(function, other, roots, depth + 1)
        case r.Call(callee=r.Member(base=base)):
            written = _type(function, inner)
            is_address = not written or is_raw(function, written) or types.parse(written).is_placeholder
            return leads_to(function, base, roots, depth + 1) if is_address else ""
        case r.Call(kind="construct", args=(only,)) if is_raw(function, _type(function, inner)):
            return leads_to(function, only, roots, depth + 1)
    return ""


def _local_leads_to(function: Function, name: str, roots: Container[str], depth: int) -> str:
    owner = function if name in function.locals else function.parent
    if owner is None or name not in owner.locals:
        return ""
    written, initial = owner.locals[name]
    made = strip(initial)
    if made is None or (isinstance(made, r.Call) and (made.kind == "new" or _MAKERS.fullmatch(last_name(made.callee)))):
        return ""
    if not (types.parse(written).is_placeholder or is_raw(owner, written)):
        return ""
    return leads_to(owner, made, roots, depth + 1)


def is_marked(parameter: r.Parameter) -> bool:
    """Whether something stands behind a parameter's name that promises how long it lives: an attribute or a macro. The
    records keep what stands before it; what is longer than type, name and default has something behind it."""
    if any("lifetime" in annotation.name.lower() for annotation in parameter.annotations):
        return True
    plain = len(parameter.type.encode()) + len(parameter.name.encode()) + 2
    return parameter.default is None and parameter.end - parameter.start - plain >= _SHORTEST_MARK


_SHORTEST_MARK = len("[[a::lifetime]]")


# --- what a constructor keeps -----------------------------------------------------------------------


def kept_by(cls: Class, args: tuple[r.Value, ...], depth: int = 0) -> Iterator[Kept]:
    """The arguments of a construction that stay in the object raw, each with the field that keeps it."""
    fields = raw_fields(cls)
    if depth > _DEEPEST or (not fields and not cls.bases):
        return
    shown = [c for c in cls.constructors if accepts(c.record, len(args))]
    declared = [d for d in cls.declarations if d.kind == "constructor"]
    if shown:
        for each in shown[:2]:
            yield from _kept_by_shown(cls, each, args, fields, depth)
    elif declared:
        for record in [d for d in declared if accepts(d, len(args))][:2]:
            yield from _kept_by_declared(cls, record, args, fields)
    elif not cls.constructors:
        yield from _kept_by_order(cls, args, fields)


def _kept_by_declared(
    cls: Class, declared: r.FunctionRecord, args: tuple[r.Value, ...], fields: frozenset[str]
) -> Iterator[Kept]:
    for at, parameter in enumerate(declared.parameters[: len(args)]):
        if field := _same_pointee(cls, fields, parameter.type):
            yield Kept(args[at], cls, field, taken_as=parameter.type)


def _kept_by_shown(
    cls: Class, made: Function, args: tuple[r.Value, ...], fields: frozenset[str], depth: int
) -> Iterator[Kept]:
    """By a constructor whose body is known."""
    numbers = {p.name: at for at, p in enumerate(made.record.parameters)}
    for name, field, read in _initialised(cls, made, fields, depth):
        at = numbers.get(name, len(args))
        if at < len(args) and is_address(cls, (taken := made.record.parameters[at].type)):
            yield Kept(args[at], cls, field, taken_as=taken, read=read)


def _kept_by_order(cls: Class, args: tuple[r.Value, ...], fields: frozenset[str]) -> Iterator[Kept]:
    """By a class without a constructor: its fields are filled one after the other, or by name."""
    order = [field.name for field in cls.record.fields if not field.static]
    for item, name in zip(args[len(cls.bases) :], order, strict=False):
        if isinstance(item, r.Pair):
            name, item = last_name(item.key), item.value
        if name in fields and (found := cls.field(name)) is not None:
            yield Kept(item, cls, name, taken_as=found[1].type)


def is_address(cls: Class, written: str) -> bool:
    """Whether a parameter of the type is a pointer, a reference or a view, rather than a value of its own."""
    expanded = cls.program.names.expand(written, cls.file, cls.symbol)
    return "*" in written or "&" in written or _is_view_type(cls, expanded)


def _is_view_type(cls: Class, written: str) -> bool:
    """Whether a value of the type leads into what others own: a view, or an iterator."""
    kind = types.parse(written)
    is_iterator = kind.last in ("iterator", "const_iterator")
    return kind.is_value and (is_iterator or not {"view", "iterator"}.isdisjoint(roles_of(cls, written)))


def _initialised(cls: Class, made: Function, fields: frozenset[str], depth: int) -> Iterator[tuple[str, str, bool]]:
    """`(parameter, field, read)` for every field that a constructor sets to a parameter, or to what lies in it."""
    for each in made.record.initializers:
        name = initialised_name(each.name)
        base = constructed_part(cls, name)
        if name in fields:
            yield from ((root, name, _is_read(cls, name, arg)) for arg in each.args if (root := _root(arg)))
        elif base is not None:
            inner = (kept for kept in kept_by(base, each.args, depth + 1))
            yield from ((root, k.field, k.read) for k in inner if (root := _root(k.value)))
    if not any(name.startswith("=") for name in made.mentioned):
        return
    for assigned in _assigned(made):
        name = last_name(assigned.target)
        if name in fields and (root := _root(assigned.value)):
            yield root, name, _is_read(cls, name, assigned.value)


def _assigned(made: Function) -> Iterator[r.Assign]:
    for statement in made.statements:
        if isinstance(statement, r.Evaluate):
            yield from (value for value in walk(statement.value) if isinstance(value, r.Assign))


def _is_read(cls: Class, field: str, value: r.Value) -> bool:
    """`env_(options.env)`: the pointer comes out of the parameter, and leads where the parameter's maker said."""
    found = cls.field(field)
    is_reference = found is not None and types.parse(found[1].type).reference
    return not is_reference and isinstance(strip(value), r.Member)


def _root(value: r.Value | None) -> str:
    """The parameter that a pointer is, or lies in; empty for what a call makes of it."""
    inner = strip(value)
    while True:
        match inner:
            case r.Name(text=name):
                return name
            case r.Unary(op="&" | "*", value=inner) | r.Member(base=inner):
                pass
            case r.Call(callee=r.Member(base=inner, name=name), args=()) if name in _ADDRESSES:
                pass
            case r.Call(kind="construct", args=(inner,)) | r.Aggregate(kind="init", items=(inner,)):
                pass
            case _:
                return ""
        inner = strip(inner)


def _same_pointee(cls: Class, fields: frozenset[str], written: str) -> str:
    """The raw field whose type fits a parameter of a constructor that nobody shows."""
    kind = types.parse(written)
    for owner in cls.ancestry:
        for field in owner.fields.values():
            held = types.parse(field.type)
            fits = held.last == kind.last and (held.pointers or held.reference) and (kind.pointers or kind.reference)
            if field.name in fields and (fits or (held.is_value and held.last == kind.last)):
                return field.name
    return ""


# --- what a value keeps -----------------------------------------------------------------------------


def kept(function: Function, value: r.Value | None, into: str, depth: int = 0) -> Iterator[Kept]:
    """What stays, raw, when the value is put into something of the type `into`."""
    inner = strip(value)
    if inner is None or depth > _DEEPEST:
        return
    match inner:
        case r.Lambda():
            yield from _captured(function, inner)
            return
        case r.Conditional(then=then, other=other):
            yield from kept(function, then, into, depth + 1)
            yield from kept(function, other, into, depth + 1)
            return
        case r.Call():
            found = list(_of_call(function, inner, depth))
            if found:
                yield from found
                return
        case r.Aggregate(kind="init", items=items):
            yield from _of_aggregate(function, items, into, depth)
            return
        case r.Name(text=name) if name in function.locals and not is_raw(function, function.locals[name][0]):
            initial = function.locals[name][1]
            if initial is not None and strip(initial) != inner:
                yield from kept(function, initial, into, depth + 1)
    if into and is_raw(function, into) and not isinstance(inner, r.Literal):
        yield Kept(inner)


def _of_call(function: Function, call: r.Call, depth: int) -> Iterator[Kept]:
    name = last_name(call.callee)
    made = made_class(function, call)
    if made is not None:
        yield from kept_by(made, call.args)
        return
    written = call.callee.text if isinstance(call.callee, r.Name) and call.kind != "new" else ""
    roles = function.program.types.roles(written, function) if written else ()
    if _WRAPPERS.fullmatch(name) or not _OWNERS.isdisjoint(roles):
        for arg in call.args:
            yield from kept(function, arg, "", depth + 1)
    elif call.kind == "call" and call.args and isinstance(call.callee, r.Name):
        yield from _of_factory(function, call, depth)


def is_maker(call: r.Call) -> bool:
    """Whether a call makes an object in an owner of the kind that is named: `std::make_unique<T>(a)`."""
    return _MAKERS.fullmatch(last_name(call.callee)) is not None


def may_make_keeper(function: Function) -> bool:
    """Whether it may make an object of a class of the project that leads elsewhere. Needs no decoding."""
    named = function.mentioned
    return not keepers(function.program).classes.isdisjoint(named) or any(map(_MAKERS.fullmatch, named))


def made_class(function: Function, call: r.Call) -> Class | None:
    """The project's class of which a call makes an object: `T(a)`, `new T(a)`, `std::make_unique<T>(a)`."""
    name = last_name(call.callee)
    written = ""
    if call.kind in ("construct", "new"):
        written = call.callee.text if isinstance(call.callee, r.Name) else ""
    elif is_maker(call) and call.template:
        written = types.arguments_of(call.template)[0]
    elif isinstance(call.callee, r.Name) and function.program.index.defines(name):
        written = call.callee.text
    if not written:
        return None
    expanded = function.program.names.expand(written, function.file, function.record.scope)
    return function.program.names.find_class(expanded, function.record.scope, function.file)


def _of_factory(function: Function, call: r.Call, depth: int) -> Iterator[Kept]:
    """What the project's own function hands back keeps of what it was called with."""
    for target in function.program.calls.callee(call, function).functions[:1]:
        if target is function or depth >= _DEEPEST - 1:
            continue
        numbers = {p.name: at for at, p in enumerate(target.record.parameters)}
        for value in returned_values(target):
            for found in kept(target, value, "", depth + 2):
                at = numbers.get(_root(found.value), len(call.args))
                if found.holder is not None and at < len(call.args):
                    yield found._replace(value=call.args[at])


def _of_aggregate(function: Function, items: tuple[r.Value, ...], into: str, depth: int) -> Iterator[Kept]:
    written = function.program.names.expand(into, function.file, function.record.scope)
    cls = function.program.names.find_class(types.parse(written).name, function.record.scope, function.file)
    if cls is not None and types.parse(written).is_value:
        yield from kept_by(cls, items)
    elif into and is_raw(function, into):
        yield from (Kept(item) for item in items[:1])
    else:
        for item in items:
            yield from kept(function, item, "", depth + 1)


def _captured(function: Function, made: r.Lambda) -> Iterator[Kept]:
    """The names that a lambda holds on to: what it captures by reference, and pointers and views by value."""
    default = next((c for c in made.captures if c.name in ("&", "=") and c.value is None), None)
    for capture in made.captures:
        if capture.value is not None and capture.by_reference:
            yield Kept(strip(capture.value) or capture.value, how="capture")
        elif capture.value is not None:
            yield from (
                k._replace(how="capture") for k in kept(function, capture.value, _type(function, capture.value))
            )
        elif capture.name in function.locals and (capture.by_reference or _is_raw_local(function, capture.name)):
            yield Kept(r.Name(capture.start, capture.end, capture.name), how="capture")
    if default is None:
        return
    for name in sorted(_said_inside(function, made) - {capture.name for capture in made.captures}):
        if default.name == "&" or _is_raw_local(function, name):
            yield Kept(r.Name(made.start, made.end, name), how="capture")


def _is_raw_local(function: Function, name: str) -> bool:
    return is_raw(function, function.locals[name][0])


def _said_inside(function: Function, made: r.Lambda) -> set[str]:
    """The function's locals that the lambda's body names."""
    body = function.program.index.function_at(function.file, made.function)
    return (_names_in(body.statements) - set(body.locals)) & set(function.locals) if body is not None else set()


def _type(function: Function, value: r.Value) -> str:
    return function.program.types.of(value, function)


def _names_in(statements: Iterable[r.Statement]) -> set[str]:
    return {
        part.text
        for statement in statements
        for value in values(statement)
        for part in walk(value)
        if isinstance(part, r.Name)
    }


# --- what is put into what outlives the call ---------------------------------------------------------


def stores(function: Function, outlives: Outlives | None = None) -> Iterator[Store]:
    """Everything raw that the function leaves in its object, or in a variable of the program; `outlives` says of other
    places, with the expression that names them, whether they count."""
    if not may_store(function, everywhere=outlives is not None):
        return
    outlives = outlives or outlives_call
    putting = puts(function)
    for event in function.flow:
        match event:
            case e.Write(place=place, op="=", fresh=False, target=target) if target is not None:
                if outlives(function, place, target) and not _is_called_at_once(function, event):
                    yield from _by_write(function, event, target)
            case e.Write(place=(root, name), op="init", fresh=False, target=None) if root == THIS:
                yield from _by_initializer(function, event, name)
            case e.CallEvent(receiver=place, node=r.Call(callee=r.Member(name=name))) if name in putting:
                if place is not None and outlives(function, place, None):
                    yield from _by_call(function, event, place)
    yield from _into_statics(function)


def _is_called_at_once(function: Function, event: e.Write) -> bool:
    """Whether a lambda is assigned to an object whose `operator=` calls it, and keeps nothing of it."""
    if not isinstance(strip(event.value), r.Lambda):
        return False
    program = function.program
    written = types.parse(program.types.of(event.target, function))
    if not written.name:
        return isinstance(strip(event.target), r.Index)  # nobody knows what an element is, and what it does with it
    cls = program.names.find_class(written.name, function.record.scope, function.file) if not written.pointers else None
    makers = cls.defined("operator=") if cls is not None else []
    makers = [one for one in makers if types.parse(one.record.parameters[0].type).last != written.last]
    return bool(makers) and all(_only_calls(one, one.record.parameters[0].name) for one in makers)


def _only_calls(function: Function, name: str) -> bool:
    """Whether a function does nothing with its parameter but call it."""
    said = sum(isinstance(event, e.Read) and event.place == (name,) for event in function.flow)
    called = [c for c in function.flow.calls if isinstance(c.node.callee, r.Name) and c.node.callee.text == name]
    handed = any(is_name(argument, name) for call in function.flow.calls for argument in call.node.args)
    return bool(called) and not handed and said == 0


def _into_statics(function: Function) -> Iterator[Store]:
    """A static local is set once, by what the first call brings."""
    for statement in function.statements:
        if isinstance(statement, r.Declare) and statement.static and len(statement.names) == 1:
            for found in kept(function, statement.value, statement.type):
                write = next((w for w in function.flow.writes if w.span == statement.span), None)
                if write is not None:
                    yield Store(write, (statement.names[0],), found, once=True)


def puts(function: Function) -> frozenset[str]:
    """Methods that put something into what they are called on, to stay there."""
    methods = function.program.models.containers
    return methods.keyed | methods.appends | {"reset"}


def may_store(function: Function, *, everywhere: bool = False) -> bool:
    """Whether the body may put something raw into a member or a variable; `everywhere`, also into what a parameter
    leads to and into a local. Needs no decoding."""
    known = keepers(function.program)
    if any(one.name in known.names for one in function.record.initializers):
        return True
    assigned = {name[1:] for name in function.mentioned if name[0] == "="} & known.names
    if not everywhere:
        assigned = {name for name in assigned if _outlives_by_name(function, name)}
    if assigned or _assigns_by_reference(function, known):
        return True
    if not puts(function).isdisjoint(function.mentioned):
        if any(_outlives_by_name(function, name) for name in said_names(function) & known.filled):
            return True
        if everywhere and (function.says(_LOCAL_CONTAINER) or any(">" in p.type for p in function.record.parameters)):
            return True
    if everywhere and sets_elements(function):
        return True
    return b",true]" in function.encoded  # a static local, or one of the flags that look the same


def sets_elements(function: Function) -> bool:
    """Whether the body assigns to an element of a local container, or of a local array of pointers. Needs no
    decoding."""
    if not function.says(_SETS_ELEMENT) or not function.says(_LOCAL_ROW):
        return False
    rows = set(_LOCAL_ROW.findall(function.encoded))
    return any(name in rows for name in _SETS_ELEMENT.findall(function.encoded))


def _outlives_by_name(function: Function, name: str) -> bool:
    """A member of the function's own class, or a variable of the program, is called so."""
    return _is_member(function, name) or function.program.index.is_variable(name)


def _assigns_by_reference(function: Function, known: Keepers) -> bool:
    """`auto& slot = parts_[key]; slot = ..`: the name that is assigned to is a local's."""
    given = {name[1:].encode() for name in function.mentioned if name[0] == "="}
    if not given or not any(name in given for name in _REFERENCE.findall(function.encoded)):
        return False
    return any(_is_member(function, name) for name in said_names(function) & (known.names | known.filled))


def _is_member(function: Function, name: str) -> bool:
    return function.home is not None and name in function.home.members


_SETS_ELEMENT = re.compile(opens(r.Assign) + opens(r.Index) + opens(r.Name) + rb'"(\w+)"')
_LOCAL_ROW = re.compile(opens(r.Declare) + rb'\["(\w+)"\],"[^"&]*(?:>|\*[^"&]*\])"')
"""A local container, or an array of pointers."""
_REFERENCE = re.compile(rb'\["(\w+)"\],"[^"]*&"')
"""In an encoded body: the name of a local that is a reference."""


class Keepers(NamedTuple):
    """Last names of what can come to hold an address in a program, or an object made with one."""

    names: frozenset[str]
    """Fields and variables; `filled` are those into which a call puts it, `views` those that are or hold views."""
    filled: frozenset[str]
    views: frozenset[str]
    classes: frozenset[str]
    """Classes with a field that is a pointer, a reference or a view, and in `lookers` those with a reference."""
    lookers: frozenset[str]
    says_view: Callable[[str], bool]
    """Whether a type or a text says the last name of a view."""


_PLAIN_TYPE = re.compile(
    r"(?:(?:const|mutable|static|constexpr|inline|volatile|unsigned|signed|long|short) )*"
    r"(?:std::)?(?:u?int\w*|bool|char|long|short|float|double|s?size_t|ptrdiff_t|string|byte|mutex|Mutex|atomic\S*|once_flag"
    r"|unsigned|Status|Duration|Time|condition_variable|CondVar)"
)
_WORDS = re.compile(r"\w++")


def is_plain_type(written: str) -> bool:
    """A number, a flag or a text of its own: nothing that can lead anywhere."""
    return _PLAIN_TYPE.fullmatch(written) is not None and "string" not in written


@program_question
def keepers(program: Program) -> Keepers:
    """It tells which bodies are worth decoding."""
    words = program.models.names_of("view")

    def says_view(written: str) -> bool:
        return not words.isdisjoint(_WORDS.findall(written))

    def may_lead_on(field: r.Field) -> bool:
        return _is_indirect(field.type) or says_view(field.type)

    classes = [cls.record for cls in program.classes if cls.file.language == "cpp"]
    held = _held(program, classes)
    return Keepers(
        names=frozenset(name for name, _ in held),
        filled=frozenset(name for name, written in held if not _is_indirect(written)),
        views=frozenset(name for name, written in held if says_view(written)),
        classes=frozenset(c.name for c in classes if any(map(may_lead_on, c.fields))),
        lookers=frozenset(c.name for c in classes if any("&" in f.type for f in c.fields)),
        says_view=says_view,
    )


def _held(program: Program, classes: list[r.ClassRecord]) -> list[tuple[str, str]]:
    """The name and the type of every field and variable that may lead anywhere."""
    held = [(f.name, f.type) for record in classes for f in record.fields]
    held += [(v.name, v.type) for file in program.files.values() if file.language == "cpp" for v in file.variables]
    return [(name, written) for name, written in held if not _PLAIN_TYPE.fullmatch(written)]


def _is_indirect(written: str) -> bool:
    return "*" in written or "&" in written


_LOCAL_CONTAINER = re.compile(opens(r.Declare) + rb'\["[^"]*"\],"[^"]*<[^"]*"')


def outlives_call(function: Function, place: Place, target: r.Value | None) -> bool:
    """Whether it is a member of the object, or a variable of the program."""
    if place[0] == THIS:
        return len(place) > 1
    return not function.is_local(place) and function.program.index.is_variable(place[0])


def _by_initializer(function: Function, event: e.Write, name: str) -> Iterator[Store]:
    """A member that a constructor begins with something; one that is a reference refers to just that."""
    found = function.home.field(name) if function.home is not None else None
    if found is None:
        return
    kind = types.parse(found[1].type)
    if kind.reference and not kind.pointers and event.value is not None:
        yield Store(event, event.place, Kept(event.value, how="reference"))
        return
    for one in kept(function, event.value, found[1].type):
        yield Store(event, event.place, one)


def _by_write(function: Function, event: e.Write, target: r.Value) -> Iterator[Store]:
    inner = strip(target)
    if isinstance(inner, r.Index) and len(inner.indexes) == 1:
        held = _type(function, inner.base)
        keyed = _key_type(function, held)
        if keyed and is_view(function, keyed):
            yield Store(event, event.place, Kept(inner.indexes[0], how="key"), in_container=True)
    into = function.program.types.of(target, function)
    if isinstance(inner, r.Name) and inner.text in function.flow.aliases:
        into = into.rstrip(" &")  # a name for the place itself
    if types.parse(into).reference and not types.parse(into).pointers:
        return  # what a reference leads to is assigned to
    for found in kept(function, event.value, into):
        yield Store(event, event.place, found, in_container=event.place[-1].startswith("["))


def _by_call(function: Function, event: e.CallEvent, place: Place) -> Iterator[Store]:
    call = event.node
    name, on = last_name(call.callee), receiver(call)
    written = function.program.types.of(on, function)
    roles = function.program.types.roles(written, function)
    arguments = types.parse(function.program.names.expand(written, function.file, function.record.scope)).arguments
    if not arguments or not call.args:
        return
    if name == "reset":
        yield from (Store(event, place, found) for found in kept(function, call.args[0], arguments[0] + "*"))
    elif "associative" in roles:
        yield from _by_entry(function, event, place, arguments)
    elif "set" in roles:
        if is_view(function, arguments[0]):
            yield Store(event, place, Kept(call.args[0], how="key"), once=True, in_container=True)
    elif name.startswith("emplace"):
        is_optional = "optional" in roles
        for found in _constructed(function, call.args, arguments[0]):
            yield Store(event, place, found, in_container=not is_optional)
    elif "container" in roles and not _is_end_of_range(function, call.args[-1]):
        yield from (
            Store(event, place, found, in_container=True) for found in kept(function, call.args[-1], arguments[0])
        )


def _is_end_of_range(function: Function, value: r.Value) -> bool:
    """`all.insert(all.end(), some.begin(), some.end())`: what is put in are the elements."""
    return types.parse(function.program.types.of(value, function)).last == "iterator"


def _by_entry(function: Function, event: e.CallEvent, place: Place, arguments: tuple[str, ...]) -> Iterator[Store]:
    name = last_name(event.node.callee)
    parts = containers.entry(event.node)
    if len(parts) < 2 or len(arguments) < 2:
        return
    where = (*place, f"[{text(parts[0])}]")
    once = name != "insert_or_assign" and not _is_fresh(function, parts[0])
    if is_view(function, arguments[0]):
        yield Store(event, where, Kept(parts[0], how="key"), once=True, in_container=True)
    found = (
        _constructed(function, parts[1:], arguments[1])
        if name in ("try_emplace", "emplace", "emplace_hint")
        else kept(function, parts[1], arguments[1])
    )
    yield from (Store(event, where, one, once=once, in_container=True) for one in found)


def _is_fresh(function: Function, key: r.Value) -> bool:
    """A key that no other call can have: the address of what was made here, a counter that is moved on."""
    inner = strip(key)
    match inner:
        case r.Name(text=name) if name in function.locals:
            initial = strip(function.locals[name][1])
            return initial is not None and initial != inner and _is_fresh(function, initial)
        case r.Assign(op="++") | r.Unary(op="&"):
            return True
        case r.Call(kind="new"):
            return True
        case r.Call(callee=callee, args=args):
            if _MAKERS.fullmatch(last_name(callee)):
                return True
            return not args and isinstance(callee, r.Member) and _is_fresh(function, callee.base)
    return False


def _constructed(function: Function, args: tuple[r.Value, ...], written: str) -> Iterator[Kept]:
    """What an element of that type, constructed in place, keeps of the arguments."""
    if len(args) == 1 and (found := list(kept(function, args[0], written))):
        yield from found
        return
    expanded = function.program.names.expand(written, function.file, function.record.scope)
    cls = function.program.names.find_class(types.parse(expanded).name, function.record.scope, function.file)
    if cls is not None and types.parse(expanded).is_value:
        yield from kept_by(cls, args)


def is_view(function: Function, written: str) -> bool:
    kind = types.parse(function.program.names.expand(written, function.file, function.record.scope))
    return kind.is_value and "view" in function.program.types.roles(written, function)


def _key_type(function: Function, written: str) -> str:
    if "associative" not in function.program.types.roles(written, function):
        return ""
    arguments = types.parse(function.program.names.expand(written, function.file, function.record.scope)).arguments
    return arguments[0] if arguments else ""


# --- handles ----------------------------------------------------------------------------------------


def keeps_handle(cls: Class, args: tuple[r.Value, ...], position: int, written: str) -> bool:
    """Whether an object made of the arguments keeps the one at `position`, a handle of the type: the pointer itself, or
    a small struct with one. What it reads out of it is a copy."""
    kind = types.parse(written)
    if any(types.parse(base.name).last == kind.last for one in cls.ancestry for base in one.record.bases):
        return True
    shown = [c for c in cls.constructors if accepts(c.record, len(args))]
    if shown:
        from_others = [
            c for c in shown if types.parse(c.record.parameters[0].type).last != cls.name
        ]  # no copy, no move
        return any(_keeps_parameter(cls, each, position, kind) for each in from_others)
    if any(d.kind == "constructor" for d in cls.declarations):
        return _has_field_for(cls, kind)
    own = [f for f in cls.record.fields if not f.static]
    at = position - len(cls.bases)
    return 0 <= at < len(own) and _holds(own[at].type, kind)


def _has_field_for(cls: Class, kind: types.Type) -> bool:
    fields = (f for one in cls.ancestry for f in one.fields.values() if not f.static)
    return any(types.parse(f.type).last == kind.last and _holds(f.type, kind) for f in fields)


def _keeps_parameter(cls: Class, made: Function, position: int, kind: types.Type) -> bool:
    if position >= len(made.record.parameters):
        return False
    name = made.record.parameters[position].name
    if any(_initialises_with(cls, each, name, kind) for each in made.record.initializers):
        return True
    return any(
        (field := cls.field(last_name(assigned.target))) is not None
        and _hands_over(assigned.value, name)
        and _holds(field[1].type, kind)
        for assigned in _assigned(made)
    )


def _initialises_with(cls: Class, each: r.Initializer, name: str, kind: types.Type) -> bool:
    """A field is set to the parameter, or a base is made with it that keeps it."""
    field = cls.field(each.name)
    if field is not None:
        return any(_hands_over(arg, name) for arg in each.args) and _holds(field[1].type, kind)
    base = next((b for b in cls.bases if b.name == initialised_name(each.name)), None)
    at = next((i for i, arg in enumerate(each.args) if _root(arg) == name), -1)
    return base is not None and at >= 0 and _keeps_base(base, each.args, at, kind)


def _keeps_base(base: Class, args: tuple[r.Value, ...], at: int, kind: types.Type) -> bool:
    return any(_keeps_parameter(base, each, at, kind) for each in base.constructors if accepts(each.record, len(args)))


def _hands_over(value: r.Value, name: str) -> bool:
    """The parameter itself, or what a free function makes of it: another view of the same thing, unless it is named
    after making a copy."""
    inner = strip(value)
    if _root(inner) == name:
        return True
    if not isinstance(inner, r.Call) or not isinstance(inner.callee, r.Name):
        return False
    is_copy = not habits.COPIES.isdisjoint(pairs.words(last_name(inner.callee)))
    return not is_copy and any(_root(argument) == name for argument in inner.args)


def _holds(written: str, kind: types.Type) -> bool:
    """Whether a field of this type can still lead to what a parameter of the other type leads to."""
    field = types.parse(written)
    if field.pointers or field.reference:
        return True
    return kind.is_value and not field.arguments and not field.is_scalar and field.name != "std::string"
