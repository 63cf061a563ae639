"""What ends with the call, or with a block of it: locals that own the storage others look at.

`owner_of` says into which local of the function an address leads; whether somebody else takes the storage over before
the local ends, `is_handed_over` says.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

from ownlint import Function, glance, keeping, lasting, model_records, pairs, places, types
from ownlint import events as e
from ownlint import records as r

_STORAGE = frozenset({"string", "container"})
_ALONE = frozenset({"smart pointer"})
_SHARED = frozenset({"shared pointer", "intrusive pointer", "weak pointer", "python object", "python handle", "handle"})
_TO_POINTEE = frozenset({"get", "operator->", "ptr"})
"""What leads to an object that others may own as well, unless what holds it owns it alone."""
_DEEPEST = 6


def may_be_left(function: Function) -> bool:
    """Whether the body may leave an address of something of its own with somebody else. Decodes the body where its
    bytes say that it is worth it, and asks for no flow."""
    known = keeping.keepers(function.program)
    if any(one.name in known.names for one in function.record.initializers):
        return any(_is_by_value(one.type) for one in function.record.parameters)
    mentions = function.mentioned
    assigned = {name[1:] for name in mentions if name[0] == "="} & known.names
    if not assigned and not function.mentions_any(keeping.puts(function)) and not keeping.sets_elements(function):
        return False
    body = function.encoded
    own: dict[bytes, bytes] = dict(_DECLARED.findall(body))
    own |= {p.name.encode(): p.type.encode() for p in function.record.parameters if _is_by_value(p.type)}
    if not own:
        return False
    text = body.decode("utf-8", "replace")
    viewed = assigned & known.views or glance.said_names(function) & known.views or known.says_view(text)
    views = bool(viewed) and any(b"<" in written or b"tring" in written for written in own.values())
    if (
        views
        or any(_is_way_in(function, found, own) for found in _TAKEN.findall(body))
        or (_BY_REFERENCE.search(body) and (not assigned or assigned - known.views))
        or not known.lookers.isdisjoint(glance.said_names(function))
    ):
        return _leaves_something(function, known, views)
    return False


def _ways_in(function: Function) -> frozenset[str]:
    return function.program.models.containers.ways_in


def _leading_in(function: Function) -> frozenset[str]:
    return _ways_in(function) | function.program.models.containers.keyed


def _is_way_in(function: Function, found: tuple[bytes, bytes, bytes], own: Mapping[bytes, bytes]) -> bool:
    """Whether what `_TAKEN` found is the address of something of the body's own, or leads into it."""
    addressed, receiver, called = found
    return addressed in own if addressed else receiver in own and called.decode() in _ways_in(function)


def _is_by_value(written: str) -> bool:
    return "&" not in written and "*" not in written


def _leaves_something(function: Function, known: keeping.Keepers, views: bool) -> bool:
    """Whether anything that lasts is assigned, or gets, what is made with the address of a local, or with a local."""
    own = {name for name, (written, _) in function.locals.items() if _is_by_value(written)}
    puts = keeping.puts(function)
    for part in function.values:
        match part:
            case r.Assign(op="=", target=target, value=given):
                if _may_last(function, target, known) and _is_made_with(function, given, own, views, 0):
                    return True
            case r.Call(callee=r.Member(name=name), args=args) if name in puts:
                if any(_is_made_with(function, arg, own, views, 0) for arg in args):
                    return True
    return False


def _may_last(function: Function, target: r.Value, known: keeping.Keepers) -> bool:
    inner = places.strip(target)
    if isinstance(inner, r.Name):
        is_member = function.home is not None and inner.text in function.home.members
        return inner.text in known.names and (is_member or function.program.index.is_variable(inner.text))
    return not isinstance(inner, r.Member) or inner.name in known.names


def _is_made_with(function: Function, value: r.Value, own: set[str], views: bool, depth: int) -> bool:
    inner = places.strip(value)
    if depth > _DEEPEST:
        return False
    match inner:
        case r.Name(text=name) if name in own:
            written, initial = function.locals[name]
            if views and not keeping.is_plain_type(written):
                return True
            made = places.strip(initial)
            return isinstance(made, r.Call | r.Lambda) and _is_made_with(function, made, own, views, depth + 1)
        case r.Name(text=name) if name in function.locals:
            made = places.strip(function.locals[name][1])
            return made is not None and made != inner and _is_made_with(function, made, own, views, depth + 1)
        case r.Unary(op="&" | "*") | r.Member() | r.Index():
            return _named_first(inner) in own
        case r.Call(callee=r.Member(base=base, name=name)) if name in _ways_in(function):
            return _named_first(base) in own
        case r.Call(kind="construct" | "new", args=args) | r.Aggregate(items=args):
            return any(_may_be_given(function, arg, own, views, depth + 1) for arg in args)
        case r.Call(callee=r.Name(text=name), args=args):
            is_made = places.last_name(inner.callee)[:4].lower() in ("make", "wrap", "allo") or "_ptr" in name
            return (is_made or function.program.index.defines(places.last_name(inner.callee))) and any(
                _may_be_given(function, arg, own, views, depth + 1) for arg in args
            )
        case r.Lambda(captures=captures):
            return any(c.by_reference or c.name == "=" or c.name in own or c.value is not None for c in captures)
        case r.Conditional(then=then, other=other):
            return _is_made_with(function, then, own, views, depth) or _is_made_with(function, other, own, views, depth)
        case r.Pair(value=paired):
            return _is_made_with(function, paired, own, views, depth)
        case r.Binary(op="+" | "-", left=left):
            return _is_made_with(function, left, own, views, depth + 1)
    return False


def _may_be_given(function: Function, value: r.Value, own: set[str], views: bool, depth: int) -> bool:
    """An argument of something that is made; a local may be taken by reference."""
    inner = places.strip(value)
    if isinstance(inner, r.Name) and inner.text in own:
        return not keeping.is_plain_type(function.locals[inner.text][0])
    return _is_made_with(function, value, own, views, depth)


def _named_first(value: r.Value | None) -> str:
    """The name that an expression begins with."""
    inner = places.strip(value)
    while isinstance(inner, r.Member | r.Index | r.Unary | r.Call):
        if isinstance(inner, r.Call):
            inner = places.strip(inner.callee.base) if isinstance(inner.callee, r.Member) else None
        else:
            inner = places.strip(inner.value if isinstance(inner, r.Unary) else inner.base)
    return inner.text if isinstance(inner, r.Name) else ""


_TAKEN = re.compile(
    glance.opens(r.Unary)
    + rb'"&",(?:\[[23],\d+,\d+,)*'
    + glance.opens(r.Name)
    + rb'"([^"]*)"|'
    + glance.opens(r.Member)
    + rb"(?:\[[23],\d+,\d+,)*"
    + glance.opens(r.Name)
    + rb'"([^"]*)"\](?:,"[^"]*",(?:true|false),\d+\])*,'
    rb'"(\w+)"'
)
_BY_REFERENCE = re.compile(rb'\[\d+,\d+,"[^"]*",true')
_DECLARED = re.compile(glance.opens(r.Declare) + rb'\["([^"]*)"\],"([^"&*]*)"')


def owner_of(
    function: Function, value: r.Value | None, depth: int = 0, *, unseen: bool = False, since: e.Event | None = None
) -> str:
    """The local in whose storage an address lies; empty when it leads to somebody else's. The value is taken as a
    pointer or a view. `unseen` lets a local whose class nobody shows own what its fields lead to. What is released by
    hand counts where that can come after the event `since`."""
    inner = places.strip(value)
    if inner is None or depth > _DEEPEST:
        return ""
    match inner:
        case r.Unary(op="&", value=r.Name(text=name)):
            return name if is_local_value(function, name) else ""
        case r.Unary(op="&", value=r.Member(base=base, arrow=arrow)):
            found = _storage(function, base, depth)
            return found if not arrow or (found and not _ALONE.isdisjoint(_roles(function, found))) else ""
        case r.Unary(op="&", value=r.Index(base=base)):
            return _storage(function, base, depth)
        case r.Unary(op="*", value=r.Name(text=name)):
            owns = is_local_value(function, name) and not _ALONE.isdisjoint(_roles(function, name))
            return name if owns else ""
        case r.Name(text=name):
            return _named(function, name, depth, unseen, since)
        case r.Member(base=base, arrow=arrow):
            return _field_of(function, base, arrow, unseen, since)
        case r.Call(callee=r.Member(base=base, name=name), template="") if name in _ways_in(function):
            found = _storage(function, base, depth, called=True)
            is_inside = name not in _TO_POINTEE or (found and not _ALONE.isdisjoint(_roles(function, found)))
            return found if is_inside else ""
        case r.Call(kind="construct", args=args) if args and keeping.is_raw(
            function, function.program.types.of(inner, function)
        ):
            return owner_of(function, args[0], depth + 1)
        case r.Binary(op="+" | "-", left=left):
            return owner_of(function, left, depth + 1)
    return ""


def _named(function: Function, name: str, depth: int, unseen: bool = False, since: e.Event | None = None) -> str:
    """A local string or vector is where a view of it leads; a pointer leads where it was made to lead."""
    if name not in function.locals:
        return ""
    if is_owner(function, name):
        return name
    written, initial = function.locals[name]
    made = places.strip(initial)
    if isinstance(made, r.Name) and made.text == name:
        return ""
    is_address = keeping.is_raw(function, written) or (
        types.parse(written).is_placeholder and not isinstance(made, r.Name)
    )
    if made is None or not is_address or _is_set_again(function, name):
        return ""
    if types.parse(written).is_placeholder and isinstance(made, r.Call) and made.kind != "call":
        return ""
    return owner_of(function, made, depth + 1, unseen=unseen, since=since)


def _is_set_again(function: Function, name: str) -> bool:
    return any(write.place == (name,) and not write.fresh for write in function.flow.writes)


def _storage(function: Function, base: r.Value, depth: int, *, called: bool = False) -> str:
    """`text.c_str()`, `&frame.width`: inside the object, or inside what it owns alone."""
    inner = places.strip(base)
    match inner:
        case r.Name(text=name):
            if is_owner(function, name) or (is_local_value(function, name) and _is_plain(function, name, called)):
                return name
            return _named(function, name, depth + 1)
        case r.Member(base=base, arrow=False):
            written = function.program.types.of(inner, function)
            roles = function.program.types.roles(written, function) if written else ()
            return _storage(function, base, depth + 1) if not (_STORAGE | _ALONE).isdisjoint(roles) else ""
        case r.Index(base=base):
            return _storage(function, base, depth + 1)
    return ""


def _field_of(function: Function, base: r.Value, arrow: bool, unseen: bool, since: e.Event | None) -> str:
    """`request.view.buf`: what a pointer in a local leads to ends with it where the local releases that."""
    inner = places.strip(base)
    while isinstance(inner, r.Member) and not inner.arrow:
        inner = places.strip(inner.base)
    if not isinstance(inner, r.Name) or not is_local_value(function, inner.text, views=True):
        return ""
    owns = not _ALONE.isdisjoint(_roles(function, inner.text))
    return inner.text if owns or (not arrow and releases(function, inner.text, unseen, since)) else ""


def _is_plain(function: Function, name: str, called: bool) -> bool:
    """Whether the type is known, and shares nothing with others; what a method of it hands out lies in it only where
    its class is shown and looks nowhere else."""
    written = _type(function, name)
    if not written or not (_SHARED | {"view", "iterator"}).isdisjoint(_roles(function, name)):
        return False
    if not called:
        return True
    cls = function.program.names.find_class(types.parse(written).name, function.record.scope, function.file)
    return cls is not None and (not keeping.raw_fields(cls) or cls.destructor is not None)


def is_owner(function: Function, name: str) -> bool:
    """Whether a local, or a parameter by value, is a string, a container, or what owns something alone."""
    return is_local_value(function, name) and not (_STORAGE | _ALONE).isdisjoint(_roles(function, name))


def _roles(function: Function, name: str) -> tuple[str, ...]:
    """Those of a local's type; what only has a count of its object owns nothing alone."""
    written = _type(function, name)
    roles = function.program.types.roles(written, function) if written else ()
    return roles if _ALONE.isdisjoint(roles) or not _gives_up_count(function, written) else ()


def _gives_up_count(function: Function, written: str) -> bool:
    """Whether an owner's deleter is one of the project's that frees nothing itself, but asks the object to do
    something, such as to drop a count."""
    kind = types.parse(function.program.names.expand(written, function.file, function.record.scope))
    deleter = types.parse(kind.arguments[1]).last if len(kind.arguments) > 1 else ""
    classes = function.program.index.classes_called(deleter, function.file) if deleter else []  # a template, or several
    calls = [one for cls in classes for one in cls.defined("operator()")]
    return bool(calls) and all(_asks_alone(one, 0, _DEEPEST) for one in calls)


def _asks_alone(function: Function, position: int, depth: int) -> bool:
    """Whether a function does nothing with the pointer that it is given but call a method of the object."""
    if depth == 0 or position >= len(function.record.parameters):
        return False
    name = function.record.parameters[position].name
    asked = False
    for call in function.flow.calls:
        if places.is_name(places.receiver(call.node), name):
            asked = True
            continue
        for index, argument in enumerate(call.node.args):
            if places.is_name(argument, name):
                called = function.program.calls.callee(call.node, function).functions
                if not called or not all(_asks_alone(one, index, depth - 1) for one in called):
                    return False
                asked = True
    return asked


def _type(function: Function, name: str) -> str:
    written, initial = function.locals[name]
    if types.parse(written).is_placeholder:
        if isinstance(places.strip(initial), r.Unary | r.Index):
            return ""  # what an iterator leads to
        return function.program.types.of(r.Name(0, 0, name), function)
    return written


def is_local_value(function: Function, name: str, *, views: bool = False) -> bool:
    """Whether the name is an object of the function's own: no reference, no pointer, no static, and no view unless
    these are asked for, too."""
    if name not in function.locals or name in lasting.statics(function):
        return False
    declared = function.locals[name][0]
    written = _type(function, name) or declared
    kind = types.parse(declared)
    if "&" in declared or kind.pointers or "(" in declared or "[" in declared:
        return False
    if kind.is_placeholder and written is declared:
        return _is_made_here(function.locals[name][1])
    if kind.is_placeholder and (types.parse(written).pointers or types.parse(written).reference):
        return False
    expanded = types.parse(function.program.names.expand(written, function.file, function.record.scope))
    return expanded.is_value and (views or not keeping.is_raw(function, written))


def _is_made_here(initial: r.Value | None) -> bool:
    """What an unknown `auto` is: what a call answers may be anything, but what has fields is no pointer."""
    return isinstance(places.strip(initial), r.Call)


def releases(function: Function, name: str, unseen: bool = False, since: e.Event | None = None) -> bool:
    """Whether what a local leads to goes with it: its class has a destructor, nobody shows its class, or the function
    itself releases it, by hand or in a cleanup."""
    written = _type(function, name)
    kind = types.parse(written)
    cls = function.program.names.find_class(kind.name, function.record.scope, function.file) if kind.name else None
    if cls is not None and any(one.record.destructor in ("declared", "defined") for one in cls.ancestry):
        return True
    if unseen and not written:
        return True
    behind = None if since is None else {event.index for event in function.flow.after(since)}
    calls = function.flow.calls if behind is None else [c for c in function.flow.calls if c.index in behind]
    if any(_releases(function, call, name) for call in calls):
        return True
    return any(_releases(inner, call, name) for inner in function.running_lambdas() for call in inner.flow.calls)


def _releases(function: Function, call: e.CallEvent, name: str) -> bool:
    node = call.node
    given = [
        arg.value.text
        for arg in map(places.strip, node.args)
        if isinstance(arg, r.Unary) and arg.op == "&" and isinstance(arg.value, r.Name)
    ]
    if name not in given:
        return False
    effects: list[model_records.Effect] = [
        x for m in function.program.calls.callee(node, function).models for x in m.effects
    ]
    return any(x.verb == "release" for x in effects) or _ends_given(places.last_name(node.callee))


def _ends_given(name: str) -> bool:
    return bool(pairs.releasing_verb(name)) or "clear" in pairs.words(name)


def is_handed_over(function: Function, name: str) -> bool:
    """Whether anybody takes the local's storage: it is moved, let go, swapped, or copied into something new."""
    for call in function.flow.calls:
        node, called = call.node, places.last_name(call.node.callee)
        on = places.receiver(node)
        if called in ("move", "forward", "swap", "exchange") and any(places.is_name(arg, name) for arg in node.args):
            return True
        if on is not None and places.is_name(on, name) and called in ("release", "swap", "detach", "take", "steal"):
            return True
        if node.kind == "new" and any(places.is_name(part, name) for arg in node.args for part in (places.strip(arg),)):
            return True
    return any(
        isinstance(part, r.Call)
        and places.last_name(part.callee) == "move"
        and any(places.is_name(a, name) for a in part.args)
        for write in function.flow.writes
        for part in places.walk(write.value)
    )


def is_taken_whole(function: Function, name: str, taken_as: str) -> bool:
    """Whether a local that is given for a parameter of the type is taken by reference, without a conversion."""
    if "&" not in taken_as or "*" in taken_as or not is_local_value(function, name):
        return False
    given = function.program.names.expand(_type(function, name), function.file, function.record.scope)
    wanted = function.program.names.expand(taken_as, function.file, function.record.scope)
    return types.parse(given).last == types.parse(wanted).last


# --- what ends with the object ------------------------------------------------------------------------


def member_of(function: Function, value: r.Value | None, taken_as: str, depth: int = 0) -> str:
    """The member of the function's own object in whose storage an address lies, `this` for the object as a whole; empty
    when it leads to somebody else's. `taken_as` is the type of the parameter or field that takes it."""
    inner = places.strip(value)
    if inner is None or depth > _DEEPEST or function.home is None:
        return ""
    by_reference = "&" in taken_as and "*" not in taken_as
    match inner:
        case r.Name(text=places.THIS):
            return places.THIS
        case r.Unary(op="*", value=r.Name(text=places.THIS)) if by_reference:
            return places.THIS
        case r.Unary(op="&", value=base):
            return _member_storage(function, base, depth)
        case r.Unary(op="*", value=base):
            return _pointee(function, base, depth) if by_reference else ""
        case r.Call(callee=r.Member(base=base, name=name), args=()) if name in _ways_in(function):
            return (
                _pointee(function, base, depth)
                if name in _TO_POINTEE
                else _member_storage(function, base, depth, _STORAGE)
            )
        case r.Name(text=name) if name in function.locals:
            written, initial = function.locals[name]
            made = places.strip(initial)
            if (
                made is None
                or made == inner
                or not ("*" in written or "&" in written or types.parse(written).is_placeholder)
            ):
                return ""
            return member_of(function, made, "&" if "&" in written else taken_as, depth + 1)
        case r.Name() | r.Member() | r.Index():
            return _member_storage(function, inner, depth) if by_reference else ""
    return ""


def _pointee(function: Function, base: r.Value, depth: int) -> str:
    written = function.program.types.of(base, function)
    roles = function.program.types.roles(written, function) if written else ()
    return _member_storage(function, base, depth) if not _ALONE.isdisjoint(roles) else ""


def _member_storage(function: Function, value: r.Value | None, depth: int, roles: frozenset[str] = frozenset()) -> str:
    """The member that an object is, or is an element or a part of."""
    inner = places.strip(value)
    if depth > _DEEPEST or inner is None or function.home is None:
        return ""
    if roles:
        written = function.program.types.of(inner, function)
        if roles.isdisjoint(function.program.types.roles(written, function) if written else ()):
            return ""
    match inner:
        case r.Name(text=name) if name in function.locals:
            written, initial = function.locals[name]
            if "*" in written or places.strip(initial) == inner:
                return ""
            return _member_storage(function, initial, depth + 1)
        case r.Name(text=name) | r.Member(base=r.Name(text="this"), name=name):
            found = function.home.field(name)
            return name if found is not None and _is_own(function, found[1].type) else ""
        case r.Member(base=base, name=name):
            written = function.program.types.of(inner, function)
            is_part = name in ("first", "second") or (bool(written) and _is_own(function, written))
            return _member_storage(function, base, depth + 1) if is_part else ""
        case r.Index(base=base):
            return _member_storage(function, base, depth + 1)
        case r.Call(callee=r.Member(base=base, name=name)) if name in _leading_in(function):
            return _member_storage(function, base, depth + 1)
    return ""


def _is_own(function: Function, written: str) -> bool:
    """Whether a field of the type ends with its object, together with what it leads to."""
    if keeping.is_raw(function, written) or "(" in written:
        return False
    return _SHARED.isdisjoint(function.program.types.roles(written, function))
