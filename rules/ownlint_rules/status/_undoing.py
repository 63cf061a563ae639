"""What takes an assignment back: another value, an erased key, a method, a cleanup, a guard object."""

from __future__ import annotations

from ownlint import Function, Place, assignments, failure, glance, places, questions, text, types
from ownlint import events as e
from ownlint import records as r

_REPLACES = frozenset({"store", "exchange", "fetch_and", "fetch_sub", "swap"})
_REWRITES = tuple(sorted(_REPLACES | assignments.ATOMIC_CALLS | {"reset", "clear", "erase"}))


def takes_back(function: Function, assignment: assignments.Assignment, event: e.Event) -> bool:
    """Whether the event leaves something else in the place than the assignment did."""
    match event:
        case e.Write(place=where):
            if where == assignment.place:
                again = assignments.held(event.value) if event.op == "=" else None
                return again is None or (again.truth, again.text) != (assignment.held.truth, assignment.held.text)
            whole = event.op == "=" and not event.fresh and where != (places.THIS,)
            return whole and len(where) < len(assignment.place) and places.covers(where, assignment.place)
        case e.CallEvent(node=call, receiver=on):
            return _by_call(function, assignment, call, on)
    return False


def _by_call(function: Function, assignment: assignments.Assignment, call: r.Call, on: Place | None) -> bool:
    name, where = places.last_name(call.callee), assignment.place
    empties = function.program.models.containers.empties
    if on == where and (name in empties | _REPLACES or assignments.counts_down(call)):
        return True
    if on == where[:-1] and name in empties:
        return True
    if name in function.program.models.containers.erases and _erases(function, call, where[0]):
        return True
    if any(
        isinstance(argument, r.Unary) and argument.op == "&" and assignments.place(function, argument.value) == where
        for argument in call.args
    ):
        return True
    if calls_itself(function, call):
        return any(takes_back(function, assignment, write) for write in function.flow.writes)
    method = assignments.own_method(function, call)
    return method is not None and writes(method, _named(where), depth=2)


def _erases(function: Function, call: r.Call, root: str) -> bool:
    """Whether the call takes out of its container the element that a local of the function refers to: `Item& item =
    items()[key]; ... items().erase(key);`, or with its iterator."""
    given = places.strip(call.args[0]) if len(call.args) == 1 else None
    if isinstance(given, r.Name) and given.text == root:
        return True
    on, initial = places.receiver(call), places.strip(_referred_to(function).get(root))
    match initial:
        case r.Index(base=base, indexes=(key,)):
            pass
        case r.Call(callee=r.Member(base=base), args=(key,)):
            pass
        case _:
            return False
    return on is not None and given is not None and (text(base), text(key)) == (text(on), text(given))


@questions.flow_question
def _referred_to(function: Function) -> dict[str, r.Value]:
    """What its local references stand for."""
    return {
        write.place[0]: write.value
        for write in function.flow.writes
        if write.fresh and write.value is not None and len(write.place) == 1 and "&" in write.type
    }


def _named(where: Place) -> str:
    """The last name of a place: of an element, that of what it is in."""
    return next((step for step in reversed(where) if not step.startswith("[")), where[-1])


def calls_itself(function: Function, call: r.Call) -> bool:
    """Whether a function calls itself, on the same object."""
    on = places.receiver(call)
    same = on is None or (isinstance(on, r.Name) and on.text == places.THIS)
    return (
        same
        and call.kind == "call"
        and isinstance(call.callee, r.Name | r.Member)
        and (places.last_name(call.callee) == function.name and len(call.args) <= len(function.record.parameters))
    )


def writes(method: Function, name: str, depth: int = 1) -> bool:
    """Whether a method writes the member, itself or, with a `depth` above one, in the methods that it calls."""
    if method.mentions("=" + name):
        return True
    if glance.says(method, name) and method.mentions(*_REWRITES):
        return True
    if depth <= 1 or method.home is None:
        return False
    called = (name for name in method.mentioned if not name.startswith("="))
    inner = (found for name in called for found in method.home.defined(name) if found is not method)
    return any(writes(found, name, depth - 1) for found in inner)


def taken_back_at_exit(function: Function, assignment: assignments.Assignment) -> bool:
    """Whether a lambda (a cleanup), a guard object that was given the place, or a destructor writes it on the way
    out."""
    name = _named(assignment.place)
    if any(writes(inner, name) for inner in function.running_lambdas()):
        return True
    made = (write for write in function.flow.writes if write.fresh and isinstance(write.value, r.Call))
    return any(_guards(function, assignment.place, write) for write in made)


def _guards(function: Function, where: Place, write: e.Write) -> bool:
    """Whether a local that is constructed, or that a function makes, is given the place, or its destructor writes a
    member of that name."""
    call = write.value
    if not isinstance(call, r.Call) or (call.kind != "construct" and not _is_only_kept(function, write, call)):
        return False
    if any(assignments.place(function, argument) == where for argument in call.args):
        return True
    cls = function.program.names.find_class(write.type, function.record.scope, function.file)
    return cls is not None and cls.destructor is not None and writes(cls.destructor, where[-1])


def _is_only_kept(function: Function, write: e.Write, call: r.Call) -> bool:
    """Whether what a function of the project answers is an object that serves for nothing but its destructor:
    `auto restorer = restore(depth_);`."""
    results = {types.parse(record.result) for record in function.program.calls.callee(call, function).records}
    is_object = bool(results) and all(one.is_value and not one.is_scalar and one.name != "void" for one in results)
    return is_object and not any(isinstance(v, r.Name) and v.text == write.place[-1] for v in function.values)


def tells_object(function: Function, assignment: assignments.Assignment, failed: failure.Failure) -> bool:
    """Whether the way that only a failure takes hands the object to code that can change it: `return Fail(status);`, or
    `shut_down(connection)` behind the label of a `goto`. What it notes there may refuse the next call."""
    owner = tuple(step for step in assignment.place[:-1] if not step.startswith("["))
    if failed.cause is None or not owner:
        return False
    flow, cause = function.flow, failed.cause
    failures = failure.failures(function)
    starts = {one.at.index for one in failures} | {failed.at.index}
    leaves = {one.leave.index for one in failures if one.at is one.leave} | {failed.leave.index}

    def fails(event: e.Event) -> bool:
        return event.index in starts or (isinstance(event, e.Mark) and event.what == "goto")

    def answers(event: e.Event) -> bool:
        """Whether it is reached where something has failed, and not by falling through as well."""
        if failed.at.index == failed.leave.index and _leads_only_to(function, event, leaves):
            return True
        return flow.path(cause, lambda one: one.index == event.index, fails) is None

    def leaves_there(event: e.Event) -> bool:
        return event.index == failed.leave.index

    changing = [event for event in flow.after(cause) if _can_change(function, event, owner)]
    told = {event.index for event in changing if answers(event)}
    on_the_way = bool(told) and flow.path(cause, leaves_there) is not None  # an exception leaves from the call itself
    return on_the_way and flow.path(cause, leaves_there, lambda one: one.index in told) is None


def _leads_only_to(function: Function, event: e.Event, leaves: set[int]) -> bool:
    return all(one.index in leaves for one in function.flow.after(event) if isinstance(one, e.LeaveEvent))


def _can_change(function: Function, event: e.Event, owner: Place) -> bool:
    """Whether it is a call of a method of the object that is not `const`, or is given the object by a pointer or
    reference to what is not."""
    if not isinstance(event, e.CallEvent):
        return False
    call, root = event.node, owner[0]
    if call.kind != "call" or function.program.macros.role(places.last_name(call.callee)):
        return False
    on = event.receiver if event.receiver is not None or root != places.THIS else (places.THIS,)
    for callee in function.program.calls.callee(call, function).functions:
        record = callee.record
        can_change = record.kind == "method" and not {"const", "static"} & set(record.qualifiers)
        if can_change and on is not None and on == owner[: len(on)]:
            return True
        for parameter, argument in zip(record.parameters, call.args, strict=False):
            given = assignments.place(function, argument)
            kind = types.parse(parameter.type)
            if (
                given is not None
                and given == owner[: len(given)]
                and not kind.const
                and (kind.pointers or kind.reference)
            ):
                return True
    return False
