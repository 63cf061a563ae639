"""A check in one critical section is relied on in another one, after the lock was released.

A method looks something up under a lock, lets go of it, does the slow part, and takes the lock again to store the
result. Two threads can both find nothing, both make it, and both store it: the second overwrites what the first has
handed out, or its own is lost.

bad:

```cpp
Plan* Planner::For(int shape) {
  {
    std::lock_guard<std::mutex> lock(mutex_);
    auto it = plans_.find(shape);
    if (it != plans_.end()) return it->second;
  }
  Plan* plan = new Plan(shape);
  std::lock_guard<std::mutex> lock(mutex_);
  plans_[shape] = plan;
  return plan;
}
```

good:

```cpp
Plan* Planner::For(int shape) {
  {
    std::lock_guard<std::mutex> lock(mutex_);
    auto it = plans_.find(shape);
    if (it != plans_.end()) return it->second;
  }
  auto plan = std::make_unique<Plan>(shape);
  std::lock_guard<std::mutex> lock(mutex_);
  auto [it, inserted] = plans_.try_emplace(shape, plan.get());
  if (inserted) plan.release();  // the loser deletes its own
  return it->second;
}
```

Reported where one lock is taken twice in a function (guards of any kind, by hand, a reader's and then a writer's),
the first section looks into a map by a key, a test about the answer decides, and the second section stores under the
same key without a look of its own, so that something is lost: a bare pointer or handle that was made in between, or
an owner whose object others use already. Likewise a flag or a pointer that is read under one lock and set under the
next, an element that is taken from a container because it was not empty under the lock before, an atomic that is loaded
and then stored, and two methods of one object that each lock for themselves.

Quiet where the second section looks again, where the insert's own answer is read, where the first section leaves a
mark (an entry, a flag, a set of pending keys), where another lock is held from the look to the store, and where
nothing is lost: values and shared owners. Shown with `--certainty possible`: a plain value that is computed twice,
what may be set twice without harm, and loops that look again in their next round.

Limits: that one thread alone calls a function cannot be seen, nor a look by a lambda for the function around it.
Containers are told apart by name and class, not by object.

Source: a review of GPU command-buffer caching in XLA, where two executions of one module allocated for the same
index.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice

from ownlint import (
    Certainty,
    Finding,
    Function,
    assignments,
    because,
    conditions,
    containers,
    events,
    places,
    records,
    resources,
    rule,
    text,
    types,
    weaker,
)
from ownlint_rules.locks import _rechecks as rechecks

_OWNERS = frozenset({"smart pointer", "scoped owner"})
_SHARED = frozenset({"shared pointer", "intrusive pointer", "weak pointer"})
_LOOK_AGAIN = "look again under the second lock, or insert with `try_emplace` and let the loser go"

_THREADS = "harmless if two threads never run this for the same object at the same time"
_AGAIN = "the test may be made again, or a caller may hold the lock"
_REPLACED = "harmless if setting it twice comes to the same"


@rule(severity="warning", cwe=(362, 367))
def check_then_act_across_locks(function: Function) -> Iterator[Finding]:
    if function.language != "cpp" or rechecks.is_settled(function):
        return
    gaps = rechecks.divided(function)
    if gaps is not None:
        yield from _in_one(function, gaps)
    yield from _by_helpers(function)
    for assignment, read, certainty in rechecks.atomic_gaps(function):
        yield _unset(function, assignment, read, certainty, "it is loaded first and stored later")


def _in_one(function: Function, gaps: rechecks.Gaps) -> Iterator[Finding]:
    for insert, gap in rechecks.container_gaps(gaps):
        certainty = _of_insert(function, insert, (function, insert.value), gap.tests)
        if certainty is not None:
            asked = function.step(gap.look, f"`{insert.container.shown}` is asked for `{text(insert.key)}` here")
            yield function.finding(
                insert.event,
                _stored(insert.key, insert.container),
                certainty=weaker(certainty, because("possible", _AGAIN)) if gap.again else certainty,
                help=_LOOK_AGAIN,
                steps=(asked,),
            )
    for gap in islice(rechecks.emptiness_gaps(gaps), 1):
        assert isinstance(gap.act, events.CallEvent)
        container = places.receiver(gap.act.node)
        shown = text(container) if container is not None else ""
        yield function.finding(
            gap.act,
            f"another thread may have taken the last of `{shown}` since it was asked for",
            certainty=because("possible" if gap.again else "likely", _AGAIN if gap.again else _THREADS),
            help="ask and take under one lock",
            steps=(function.step(gap.look, f"`{shown}` is asked here whether it is empty"),),
        )
    for assignment, gap in rechecks.state_gaps(gaps):
        certainty = _of_state(function, assignment, gap)
        if certainty is not None:
            yield _unset(function, assignment, gap.look, certainty, "it is read under one lock and set under the next")


def _unset(
    function: Function, assignment: assignments.Assignment, read: events.Event, certainty: Certainty, how: str
) -> Finding:
    name = places.render(assignment.place)
    found = "set" if assignment.held.truth is False else "unset"
    return function.finding(
        assignment.event,
        f"two threads can both find `{name}` {found}: {how}",
        certainty=certainty,
        help="test and set it in one step",
        steps=(function.step(read, f"`{name}` is read here"),),
    )


def _stored(key: records.Value, held: containers.Container) -> str:
    return f"another thread may have stored `{text(key)}` in `{held.shown}` since it was looked up"


def _by_helpers(function: Function) -> Iterator[Finding]:
    for handover in rechecks.handovers(function):
        stored = handover.stored
        insert = stored.insert
        assert insert is not None
        handed = (function, handover.value) if handover.value is not None else (stored.function, insert.value)
        certainty = _of_insert(stored.function, insert, handed, ())
        if certainty is None:
            continue
        asked = handover.asked.function
        yield function.finding(
            handover.store,
            _stored(handover.key, insert.container),
            certainty=weaker(certainty, because("likely", _THREADS)),
            help=f"look and store under one lock, which `{asked.name}` and `{stored.function.name}` take in turn",
            steps=(
                function.step(
                    handover.look, f"`{asked.name}` asks for `{text(handover.key)}`, and lets go of the lock"
                ),
                stored.function.step(insert.event, f"`{stored.function.name}` does not look again"),
            ),
        )


# --- what is lost -------------------------------------------------------------------------------------


def _of_insert(
    function: Function,
    insert: containers.Insert,
    stored: tuple[Function, records.Value | None],
    tests: tuple[tuple[events.Test, bool], ...],
) -> Certainty | None:
    """How sure it is that something is lost when two come at once; None when nothing is. `stored` is the value and the
    function that made it."""
    if isinstance(insert.event, events.CallEvent) and not insert.event.dropped:
        return None
    held = _mapped(function, insert)
    keeps = not insert.overwrites
    roles = set(function.program.types.roles(held, function)) if held else set()
    acquired = _acquired(*stored)
    lost = because("possible", _REPLACED)
    if roles & _SHARED:
        if keeps:
            return None
    elif roles & _OWNERS:
        if keeps:
            return None
        lost = because("likely", _THREADS)
    elif acquired is not None:
        lost = acquired
    elif types.parse(held).pointers or "handle" in roles:
        if not _is_made(*stored):
            return because("possible", "what is stored may be the same each time")
        lost = because("likely", _THREADS)
    elif keeps:
        return None
    if tests and not _is_absent(function, insert, tests):
        return because("possible", "whether it is stored where nothing was found is not known")
    return lost


def _acquired(function: Function, value: records.Value | None) -> Certainty | None:
    """How sure it is that the value is a raw handle that this function got to release: a call's result, what a call
    has filled, or a struct that holds one."""
    known = resources.resources(function.program)
    for source in rechecks.sources(function, value):
        if isinstance(source, records.Call) and (got := known.acquisition(source, function)) is not None:
            return got.certainty if got.where.kind == "result" else None
    inner = places.strip(value)
    if not isinstance(inner, records.Name) or inner.text not in function.locals:
        return None
    for event in function.flow:
        match event:
            case events.Write(place=(name, _, *_), value=records.Call() as source) if name == inner.text:
                got = known.acquisition(source, function)
                if got is not None and got.where.kind == "result":
                    return weaker(because("likely", _THREADS), got.certainty)
            case events.CallEvent(node=node) if _fills(node, inner.text):
                got = known.acquisition(node, function)
                if got is not None and got.where.kind == "argument":
                    return got.certainty
    return None


def _fills(call: records.Call, name: str) -> bool:
    return any(
        isinstance(argument, records.Unary)
        and argument.op == "&"
        and isinstance(argument.value, records.Name)
        and argument.value.text == name
        for argument in map(places.strip, call.args)
    )


def _mapped(function: Function, insert: containers.Insert) -> str:
    arguments = types.parse(insert.container.type).arguments
    if len(arguments) < 2:
        return ""
    return function.program.names.expand(arguments[1], function.file, function.record.scope)


def _is_absent(function: Function, insert: containers.Insert, tests: tuple[tuple[events.Test, bool], ...]) -> bool:
    """Whether the store happens where the look found nothing, as far as its tests can be read."""
    entry = assignments.Held("entry", True, text(insert.key))
    place = _place_of(function, insert)
    if place is None:
        return True
    given = conditions.Given(place, entry)
    answers = [(conditions.comes_to(function, test.value, given), outcome) for test, outcome in tests]
    return not any(answer is outcome for answer, outcome in answers)


def _place_of(function: Function, insert: containers.Insert) -> places.Place | None:
    if isinstance(insert.event, events.CallEvent):
        return insert.event.receiver
    return insert.event.place[:-1] if insert.event.place else None


def _is_made(function: Function, value: records.Value | None) -> bool:
    """Whether the value comes out of a call that is more than a question, rather than from a parameter or an owner that
    somebody else has."""
    return any(_makes(function, made) for made in rechecks.sources(function, value))


def _makes(function: Function, value: records.Value | None) -> bool:
    inner = places.strip(value)
    if isinstance(inner, records.Conditional):
        return _makes(function, inner.then) or _makes(function, inner.other)
    if not isinstance(inner, records.Call):
        return False
    if inner.kind == "new":
        return True
    callee = function.program.calls.callee(inner, function)
    if any("const" in record.qualifiers for record in callee.records):
        return False
    if inner.args:
        return places.last_name(inner.callee) not in function.program.models.containers.looks
    return places.last_name(inner.callee) not in function.program.models.containers.ways_in


def _of_state(function: Function, assignment: assignments.Assignment, gap: rechecks.Gap) -> Certainty | None:
    """How sure it is that what was read decides against setting it twice, and that setting it twice does harm."""
    event = assignment.event
    assert isinstance(event, events.Write)
    written = function.program.names.expand(
        function.program.types.of(event.target, function), function.file, function.record.scope
    )
    kind = types.parse(written)
    roles = set(function.program.types.roles(written, function))
    held = assignment.held
    if kind.pointers or roles & (_OWNERS | _SHARED | {"optional"}):
        if held.kind == "emptied":
            return None
        held = assignments.Held("object", True)
    given = conditions.Given(assignment.place, held)
    if not any(rechecks.is_skipped(function, test.value, outcome, given) for test, outcome in gap.tests):
        return None
    if gap.again:
        return because("possible", _AGAIN)
    if held.kind in ("copy", "cleared"):
        return because("possible", _REPLACED)
    if kind.pointers:
        made = event.value is not None and _is_made(function, event.value)
        return because("likely", _THREADS) if made else because("possible", _REPLACED)
    if held.kind in ("flag", "state"):
        works = rechecks.works_between(function, gap)
        return because("likely", _THREADS) if works else because("possible", "no work that is done twice was found")
    owns = roles & _OWNERS and not roles & _SHARED
    return because("likely", _THREADS) if owns else because("possible", _REPLACED)
