"""References that are counted up and that nobody counts down: for a container of the whole program, or for another
object than the one that a callback releases."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from ownlint import Function, Program, entrances, places, references, text, types
from ownlint import events as e
from ownlint import records as r


class UncountedItem(NamedTuple):
    """`at` counts an object up that is put into `container`, and nobody takes it out."""

    at: e.Event
    container: str


class Crossed(NamedTuple):
    """`at` counts `owner` up; `callback` counts `data` down."""

    at: e.Event
    owner: str
    data: str
    callback: str


# --- containers of the whole program ---------------------------------------------------------------------


def kept_for_ever(function: Function) -> Iterator[UncountedItem]:
    if function.language != "cpp" or not references.may_count(function) or _sets_up(function):
        return
    known = references.references(function.program)
    raised = {text(inner): event for event, on in _raised(function, known) if (inner := places.strip(on)) is not None}
    told: set[int] = set()
    for event in function.flow:
        found = _put(function, event)
        if found is None:
            continue
        container, values = found
        name = places.last_name(container)
        if not _lasts(function, container) or _is_emptied(function.program, name):
            continue
        for value in values:
            at = _counted(event, value, raised, known, function)
            if at is not None and at.index not in told and not function.has_comment_near(at.span):
                told.add(at.index)
                yield UncountedItem(at, name)


def _sets_up(function: Function) -> bool:
    """Whether the body declares what a module has: that runs once."""
    file = function.file
    made = [one.in_function for one in file.bindings] + [one.in_function for one in file.bound_classes]
    return function.index in made or function.index in [one.in_function for one in file.tables]


def _put(function: Function, event: e.Event) -> tuple[r.Value, tuple[r.Value, ...]] | None:
    puts = function.program.models.containers.puts
    match event:
        case e.CallEvent(node=r.Call(callee=r.Member(base=base, name=name), args=args)) if name in puts:
            return base, args
        case e.Write(target=r.Index(base=base), value=value, op="=") if value is not None:
            return base, (value,)
    return None


def _raised(function: Function, known: references.References) -> Iterator[tuple[e.CallEvent, r.Value]]:
    """The calls that count an object up, with that object."""
    for event in function.flow.calls:
        model = known.model(event.node, function)
        if model is None:
            continue
        if isinstance(event.node.callee, r.Member):
            if model.has("retain", "receiver"):
                yield event, event.node.callee.base
        else:
            for index, argument in references.arguments(event.node):
                if known.use(event.node, index, function) == "retained":
                    yield event, argument


def _counted(
    event: e.Event, value: r.Value, raised: dict[str, e.CallEvent], known: references.References, function: Function
) -> e.Event | None:
    """Where the reference comes from that is put into the container, if the container is to own one."""
    if (inner := _bare(value)) is None:
        return None
    if (made := raised.get(text(inner))) is not None:
        return made if made.index < event.index else None
    source = known.source(inner, function)
    model = source.model
    if source.kind != "new" or model is None:
        return None
    gives = model.has("retain") or model.has("disown") or model.has("keep") or model.has("acquire", "result")
    return event if gives else None


def _lasts(function: Function, container: r.Value) -> bool:
    """Whether the container is a static or a global one, of bare references."""
    inner = places.strip(container)
    program = function.program
    written = program.types.of(inner, function)
    if not written or not any(_is_bare(function, one) for one in types.parse(written).arguments):
        return False
    match inner:
        case r.Name(text=name) if name in function.declared:
            return any(isinstance(s, r.Declare) and s.static and name in s.names for s in function.statements)
        case r.Name(text=name):
            field = function.home.field(name) if function.home is not None else None
            return field[1].static if field is not None else program.index.is_variable(name)
    return False


def _is_bare(function: Function, written: str) -> bool:
    kind = types.parse(written)
    return kind.pointers < 2 and references.references(function.program).is_pointer(written, function)


def _is_emptied(program: Program, name: str) -> bool:
    """Whether a function that says the container gives references back."""
    said = f'"{name}"'.encode()
    return any(
        function.language == "cpp" and function.mentions_any(program.models.giving_back) and said in function.encoded
        for function in program.functions
    )


# --- callbacks ---------------------------------------------------------------------------------------


def crossed(function: Function) -> Iterator[Crossed]:
    if function.language != "cpp" or not references.may_count(function):
        return
    known = references.references(function.program)
    raised = [(event, on) for event, on in _raised(function, known)]
    if not raised:
        return
    for event in function.flow.calls:
        callbacks = [held for one in event.node.args if (held := _ending(function, one)) is not None]
        if event.node.kind != "call" or len(callbacks) != 1:
            continue
        data = [_bare(one) for one in event.node.args if _is_object(function, known, one)]
        if len(data) != 1 or data[0] is None:
            continue
        names = {text(bare) for _, on in raised if (bare := _bare(on)) is not None}
        if text(data[0]) in names or _is_made_of(function, data[0], names):
            continue
        for at, on in raised:
            owner = _bare(on)
            if at.index < event.index and isinstance(owner, r.Name) and not _is_settled(function, known, owner, at):
                callback = "the callback" if callbacks[0].record.kind == "lambda" else f"`{callbacks[0].name}`"
                given = next(one for one in event.node.args if _is_object(function, known, one))
                yield Crossed(at, owner.text, text(given), callback)


def _bare(value: r.Value | None) -> r.Value | None:
    inner = places.strip(value)
    if isinstance(inner, r.Call) and isinstance(inner.callee, r.Member) and inner.callee.name == "ptr":
        return places.strip(inner.callee.base)
    return inner


def _ending(function: Function, value: r.Value) -> Function | None:
    """A function that C calls with a `void*`, which it releases a reference of."""
    inner = places.strip(value)
    held = entrances.meant(function, inner) if isinstance(inner, r.Lambda | r.Unary | r.Name) else None
    if held is None or len(held.record.parameters) != 1 or not references.may_count(held):
        return None
    kind = types.parse(held.record.parameters[0].type)
    if kind.name != "void" or kind.pointers != 1:
        return None
    return held if _counts_down_its_own(held) else None


def _is_object(function: Function, known: references.References, value: r.Value) -> bool:
    inner = places.strip(value)
    if isinstance(inner, r.Call) and isinstance(inner.callee, r.Member) and inner.callee.name == "ptr":
        return known.is_object(inner.callee.base, function)
    written = function.program.types.of(inner, function) if isinstance(inner, r.Name) else ""
    return bool(written) and known.is_pointer(written, function)


def _is_made_of(function: Function, data: r.Value, names: set[str]) -> bool:
    """Whether the data is another name of what is counted up, or begins with it."""
    if not isinstance(data, r.Name):
        return True
    initial = function.locals.get(data.text, ("", None))[1]
    written = (write.value for write in function.flow.writes_to((data.text,)))
    return any(not names.isdisjoint(places.names_in(one)) for one in (initial, *written))


def _is_settled(function: Function, known: references.References, owner: r.Name, at: e.CallEvent) -> bool:
    """Whether the function releases it itself, gives it away, or puts it somewhere."""
    for event in function.flow:
        match event:
            case e.CallEvent(node=node) if event is not at:
                if any(owner.text in places.names_in(one) for one in (places.receiver(node), *node.args)):
                    return True
            case e.Write(value=value, fresh=False) | e.LeaveEvent(value=value):
                if owner.text in places.names_in(value):
                    return True
    return False


# --- callbacks that count down what they are called with -------------------------------------------------


def ends_itself(function: Function, made: r.Value | None) -> bool:
    """Whether the object is made with a callback that counts down what it is called with, which is the object:
    `weakref(thing, cpp_function([](handle self) { self.dec_ref(); }))`."""
    return any(
        isinstance(inner, r.Lambda)
        and (callback := function.program.index.function_at(function.file, inner.function)) is not None
        and _counts_down_its_own(callback)
        for inner in _made_of(function, made)
    )


def _made_of(function: Function, value: r.Value | None) -> Iterator[r.Value]:
    """What a value is made of, the locals that it names looked through."""
    seen: set[str] = set()
    queue = list(places.walk(value))
    for inner in queue:
        yield inner
        if isinstance(inner, r.Name) and inner.text not in seen:
            seen.add(inner.text)
            queue.extend(places.walk(function.locals.get(inner.text, ("", None))[1]))


def _counts_down_its_own(callback: Function) -> bool:
    """Whether it counts down what it is called with."""
    known = references.references(callback.program)
    for event in callback.flow.calls:
        model, on = known.model(event.node, callback), places.receiver(event.node)
        uses = ((value, known.use(event.node, at, callback)) for at, value in references.arguments(event.node))
        released = [value for value, use in uses if use == "released"]
        if on is not None and model is not None and model.has("release", "receiver"):
            released.append(on)
        if any(not callback.parameter_names.isdisjoint(places.names_in(one)) for one in released):
            return True
    return False
