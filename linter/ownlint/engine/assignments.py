"""What is put where: by `=`, by an atomic's operations, by an insert, by a setter of the function's own class."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

import msgspec

from ownlint.facts import records as r
from ownlint.facts.show import text
from ownlint.flow import events as e
from ownlint.flow.asked import is_constant
from ownlint.flow.places import THIS, Place, last_name, place_of, receiver, render, strip
from ownlint.project import types
from ownlint.project.program import Program
from ownlint.project.questions import flow_question
from ownlint.project.subjects import Function

_MAKERS = re.compile(
    r"make_(?:unique|shared|intrusive|ref\w*)|Make(?:Unique|Shared|Ref\w*|Intrusive)|allocate_shared|WrapUnique"
)

_STORES = frozenset({"store", "exchange"})
_FLAG_SETTERS = frozenset({"test_and_set"})
SWAPS = frozenset({"compare_exchange_strong", "compare_exchange_weak"})
_FREE_STORES = frozenset(
    {"exchange", "atomic_store", "atomic_store_explicit", "atomic_exchange", "atomic_exchange_explicit"}
)
_FREE_FLAG_SETTERS = frozenset({"atomic_flag_test_and_set", "atomic_flag_test_and_set_explicit"})
_COUNTS = frozenset({"fetch_add"})
_BITS = frozenset({"fetch_or"})
ATOMIC_CALLS = _STORES | _FLAG_SETTERS | SWAPS | _FREE_STORES | _FREE_FLAG_SETTERS | _COUNTS | _BITS
SETTING_CALLS = ATOMIC_CALLS | {"reset", "set"}
"""Last names of the calls that may put something into what they are called on, beside methods of containers."""


class Held(msgspec.Struct, frozen=True):
    """What is put into a place.

    `kind`: `flag` (true or another constant), `cleared` (false), `emptied` (null), `state` (an enumerator, a text),
    `bit`, `count`, `object` (something that was just made, or the address of something), `entry` (a key is present),
    `copy` (another place's value). `text` is how it is written, of an object that has an address."""

    kind: str
    truth: bool | None
    text: str = ""


class Assignment(msgspec.Struct, frozen=True):
    """`event` leaves `held` in `place`."""

    event: e.Event
    place: Place
    held: Held


def place(function: Function, value: r.Value | None) -> Place | None:
    """The place an expression names inside `function`: references followed, members found below `this`."""
    return place_of(value, *_known_names(function))


def spelled(function: Function, where: Place) -> str:
    """The place as the body writes it: `di->lock`, in Python `self.done`; see `render`."""
    if function.language == "python" and where[0] == THIS and len(where) > 1 and function.itself:
        return render((function.itself, *where[1:]))
    return render(where, _arrows(function) if len(where) > 1 else frozenset())


def renaming(function: Function, name: str, other: str, since: e.Event, until: e.Event) -> tuple[e.Write, ...]:
    """The assignments between two events by which a local, or a member of it, gets what another one has: `q = p;` and
    then `box.at = q;`, where `box` is asked for. Empty where there are none."""
    came: dict[str, tuple[e.Write, ...]] = {name: ()}
    for write in function.flow.writes:
        if not since.index < write.index < until.index:
            continue
        value = strip(write.value)
        chain = came.get(text(value)) if isinstance(value, r.Name | r.Member) else None
        if chain is None:
            continue
        held = (*chain, write)
        if other in (write.place[0], spelled(function, write.place)):
            return held
        came.setdefault(spelled(function, write.place), held)
    return ()


@flow_question
def _arrows(function: Function) -> frozenset[Place]:
    """The members to which the body gets by an arrow."""
    written = (value for value in function.values if isinstance(value, r.Member) and value.arrow)
    return frozenset(found for value in written if (found := place(function, value)) is not None)


@flow_question
def _known_names(function: Function) -> tuple[Mapping[str, Place], frozenset[str]]:
    """What its references stand for, and the members that its bare names can mean."""
    if function.home is None or function.language != "cpp":
        return function.flow.aliases, frozenset()
    return function.flow.aliases, function.home.members - function.declared


@flow_question
def assignments(function: Function) -> tuple[Assignment, ...]:
    """Every value that is known to some degree and put into something the function does not declare there and then."""
    return tuple(_assignments(function))


def _assignments(function: Function) -> Iterator[Assignment]:
    for event in function.flow:
        match event:
            case e.Write(fresh=False, place=where, value=value, op=op):
                what = _written(op, value, where)
                if what is not None and what.kind in ("copy", "state", "flag", "cleared") and op == "=":
                    what = _in_optional(function, event, what)
                if what is not None:
                    yield Assignment(event, where, what)
                if op == "=":
                    for part, inner in parts_made(function, value, function.target(event)):
                        if (what := held(inner)) is not None:
                            yield Assignment(event, (*where, part), what)
            case e.CallEvent(node=call):
                yield from _by_call(function, event, call)


def _in_optional(function: Function, write: e.Write, what: Held) -> Held:
    """What an optional holds once it is given a value: something is there, whatever it is."""
    shown = function.program.types
    if "optional" not in shown.roles(shown.of(function.target(write), function), function):
        return what
    if what.text.rpartition("::")[2] == "nullopt":
        return Held("emptied", False, what.text)
    return what if "optional" in shown.roles(shown.of(write.value, function), function) else Held("object", True)


def _written(op: str, value: r.Value | None, where: Place) -> Held | None:
    match op:
        case "=":
            return held(value) or (Held("entry", None) if where[-1].startswith("[") and len(where) > 1 else None)
        case "|=" if value is not None:
            return Held("bit", True, text(value))
        case "++":
            return Held("count", True)
        case "+=" if isinstance(value, r.Literal) and value.text == "1":
            return Held("count", True)
    return None


def parts_made(function: Function, value: r.Value | None, target: r.Value | None) -> Iterator[tuple[str, r.Value]]:
    """The members of a plain struct that is made in an assignment, with what each is given: `route_ = Route{&end, 0}`,
    `route_ = {&end, 0}`, `route_ = {.end = &end}`. Nothing of a class with constructors."""
    made = strip(value)
    match made:
        case r.Call(kind="construct", callee=callee, args=(_, *_) as given) if function.language == "cpp":
            written = text(callee)
        case r.Aggregate(kind="init", items=(_, *_) as given):
            written = function.program.types.of(target, function)
        case _:
            return
    cls = function.program.names.find_class(types.parse(written).name, function.record.scope, function.file)
    if cls is None or cls.record.bases or cls.declared(cls.name):
        return
    order = list(cls.fields)
    for number, one in enumerate(given):
        match one:
            case r.Pair(key=r.Name(text=name), value=inner):
                yield name, inner
            case _ if number < len(order):
                yield order[number], one


def _by_call(function: Function, event: e.CallEvent, call: r.Call) -> Iterator[Assignment]:
    if (found := assigned(call)) is not None:
        target, what = found
        where = place(function, target)
        if where is not None and what is not None:
            yield Assignment(event, where, what)
    elif event.receiver is not None and (made := _put_inside(function, call)) is not None:
        yield Assignment(event, event.receiver, made)
    elif event.receiver is not None and (key := inserted(call, function)) is not None:
        yield Assignment(event, (*event.receiver, f"[{text(key)}]"), Held("entry", None))
    elif event.receiver is not None and (bit := _bit_set(function, call)) is not None:
        yield Assignment(event, (*event.receiver, f"[{text(bit)}]"), Held("flag", True, "true"))
    elif (setter := own_method(function, call)) is not None and setter is not function:
        yield from (Assignment(event, where, what) for where, what in _set_by(setter, call))


# --- assignments in other words ------------------------------------------------------------------------


def assigned(call: r.Call) -> tuple[r.Value, Held | None] | None:
    """Target of a call that is an assignment in other words, and what it leaves there: `flag.store(true)`,
    `std::exchange(a, b)`, `flag.compare_exchange_strong(expected, true)`, `bits.fetch_or(kReady)`."""
    name = last_name(call.callee)
    on, args = receiver(call), call.args
    if on is None:
        if name in _FREE_STORES and len(args) >= 2:
            return args[0], held(args[1])
        return (args[0], Held("flag", True, "true")) if name in _FREE_FLAG_SETTERS and args else None
    if name in _STORES and 1 <= len(args) <= 2:
        return on, held(args[0])
    if name in _FLAG_SETTERS:
        return on, Held("flag", True, "true")
    if name in SWAPS and len(args) >= 2:
        return on, held(args[1])
    if name in _COUNTS and args and not counts_down(call):
        return on, Held("count", True)
    if name in _BITS and args:
        return on, Held("bit", True, text(args[0]))
    return None


def counts_down(call: r.Call) -> bool:
    """`count.fetch_add(-1)`: it takes back what `count.fetch_add(1)` has done."""
    return last_name(call.callee) in _COUNTS and bool(call.args) and text(call.args[0])[:1] == "-"


def inserted(call: r.Call, function: Function) -> r.Value | None:
    """The key that a call puts into the container it is called on: `m.insert(k)`, `m.emplace(k, v)`,
    `m.insert({k, v})`."""
    keyed = function.program.models.containers.keyed
    if last_name(call.callee) not in keyed or receiver(call) is None or not call.args:
        return None
    first = call.args[0]
    match first:
        case r.Aggregate(kind="init", items=(key, _)):
            return key
        case r.Call(callee=callee, args=(key, _)) if last_name(callee) in ("make_pair", "pair"):
            return key
    return first


def is_number_of(function: Function, container: Place, value: r.Value | None) -> bool:
    """`ids.emplace(name, ids.size())`: what is kept is the number that the key comes in as, and no work's result."""
    made = strip(value)
    if not isinstance(made, r.Call) or made.args or not isinstance(made.callee, r.Member):
        return False
    return place(function, made.callee.base) == container


def _put_inside(function: Function, call: r.Call) -> Held | None:
    """An object that begins to live in what the call is made on: `owner.reset(new T)`, `maybe.emplace()`."""
    on = receiver(call)
    match last_name(call.callee), call.args:
        case "reset", (made,):
            what = held(made)
            return what if what is not None and what.kind == "object" else None
        case "emplace", _ if "optional" in function.program.types.roles(
            function.program.types.of(on, function), function
        ):
            return Held("object", True)
    return None


def _bit_set(function: Function, call: r.Call) -> r.Value | None:
    """The position of `bits.set(position)`."""
    if last_name(call.callee) != "set" or not 1 <= len(call.args) <= 2:
        return None
    if len(call.args) == 2 and not (isinstance(call.args[1], r.Literal) and call.args[1].text == "true"):
        return None
    written = function.program.types.of(receiver(call), function)
    return call.args[0] if "bitset" in types.parse(written).last.lower() else None


# --- what a value is known to be ------------------------------------------------------------------------


def held(value: r.Value | None) -> Held | None:
    """What is known of a value that is being stored; None when nothing is."""
    inner = strip(value)
    match inner:
        case r.Literal(kind="bool", text=shown) as said:
            return Held("flag" if said.is_true else "cleared", said.is_true, shown)
        case r.Literal(kind="int", text=shown):
            return Held("cleared" if shown == "0" else "flag" if shown == "1" else "state", shown != "0", shown)
        case r.Literal(kind="str", text=shown):
            return Held("state", None, shown)
        case r.Literal(kind="null") | r.Name(text="NULL"):
            return Held("emptied", False, "nullptr")
        case r.Name(text="TRUE"):
            return Held("flag", True, "true")
        case r.Name(text="FALSE"):
            return Held("cleared", False, "false")
        case r.Name(text=name) if is_constant(inner):
            return Held("state", None, name)
        case r.Name(text="this") | r.Unary(op="&"):
            return Held("object", True, text(inner))
        case r.Call(kind="new"):
            return Held("object", True)
        case r.Call(callee=callee) if _MAKERS.fullmatch(last_name(callee)):
            return Held("object", True)
        case r.Call(args=(r.Call(kind="new"),)):
            return Held("object", True)
        case r.Assign(op="=", value=source):
            return held(source)
        case r.Name() | r.Member():
            return Held("copy", None, text(inner))
    return None


# --- setters --------------------------------------------------------------------------------------------


def own_method(function: Function, call: r.Call) -> Function | None:
    """The method of the function's own class that is called on `this`."""
    on = receiver(call)
    if function.home is None or call.kind != "call" or not (on is None or (isinstance(on, r.Name) and on.text == THIS)):
        return None
    if on is None and not isinstance(call.callee, r.Name):
        return None
    found = [m for m in function.home.defined(last_name(call.callee)) if len(m.record.parameters) >= len(call.args)]
    return found[0] if len(found) == 1 else None


def _set_by(setter: Function, call: r.Call) -> Iterator[tuple[Place, Held]]:
    """What a method of one statement stores in a member: a constant, or an argument of the call."""
    if not setter.is_short or not any(name.startswith("=") for name in setter.mentioned) or len(setter.body) != 1:
        return
    given = {p.name: argument for p, argument in zip(setter.record.parameters, call.args, strict=False)}
    for write in setter.flow.writes:
        if write.op == "=" and not write.fresh and write.place[0] == THIS:
            value = _as_given(strip(write.value), given)
            if (what := held(value)) is not None and what.kind != "copy":
                yield write.place, what
            for part, inner in parts_made(setter, value, setter.target(write)):
                if (what := held(_as_given(inner, given))) is not None and what.kind != "copy":
                    yield (*write.place, part), what


def _as_given(value: r.Value | None, given: Mapping[str, r.Value]) -> r.Value | None:
    """What a setter stores, in the words of its caller: the argument for a parameter, and its address for that of a
    reference."""
    inner = strip(value)
    match inner:
        case r.Name(text=name) if name in given:
            return given[name]
        case r.Unary(op="&", value=named) if isinstance(named, r.Name) and named.text in given:
            return msgspec.structs.replace(inner, value=given[named.text])
    return inner


def is_truth(program: Program, name: str) -> bool:
    """Whether nothing but 0 and 1 is ever stored in a member of that name."""
    stored = [
        write.value
        for function in program.functions
        if function.mentions("=" + name)
        for write in function.flow.writes
        if write.place[-1] == name
    ]
    return bool(stored) and all(isinstance(one, r.Literal) and one.text in ("0", "1") for one in stored)
