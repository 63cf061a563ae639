"""A check made in one critical section is relied on in another, after the lock was released.

## What it reports

- a lookup in a map under a lock, and an insertion under the same key in a second critical section without a second
  lookup, so that an object is lost
- a flag or pointer that is read under one lock and set under the next; an element that is removed because the container
  was not empty under the lock before, or is used without a check because it was found there
- a count, size or reference count that is compared under one lock and changed under the next; an atomic that is loaded
  and then stored
- C++, and Python: `with lock:` and `acquire`, what is asked by `in`, `get`, `len` or a truth test, and in coroutines
  what another task may do; two objects under one key are one too many where they have to be ended or are started

## Why it is a bug

Between the two critical sections another thread can do the same. Both find nothing, both create the object, and both
store it: the second overwrites the one that the first has already returned, or its own leaks.

## Example

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

```text
case.cc:9: warning: another thread may have stored `shape` in `plans_` since it was looked up
  help: check again under the lock that is held here, or use `try_emplace` and discard the duplicate
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

## How to fix it

Re-check under the second lock, use `try_emplace` and discard the duplicate, or hold one lock for both steps.

## What it does not report

- a second section that checks again, or uses the result of the insertion
- a first section that leaves a mark (an entry, a flag, a set of pending keys)
- another lock that is held throughout
- values and shared owners, where nothing is lost; in Python what is computed twice, and an element whose absence a
  handler of `IndexError` or `KeyError` takes
- with the default `--certainty`: a plain value that is computed twice, idempotent stores, loops that check again,
  flags after which threads only wait, and methods whose known calls all stand in a constructor or destructor or are
  made on a new object

## Known limitations

- It is not known that only one thread calls a function whose object others have.
- Containers are distinguished by name and class, not by object.
- A Python file is read if it names a `Lock` or a `Condition`: a subclass in a file of its own is not analysed. What a
  handler finds out (`try: return table[key]`, `except KeyError`) is not taken for a check.
- Methods of one object, and functions that receive one object, that each lock for themselves are analysed; a lookup by
  a lambda for the enclosing function is not.

## Source

a review of GPU command-buffer caching in XLA, where two executions of one module allocated for the same index.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
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
    pairs,
    places,
    records,
    resources,
    rule,
    sections,
    tempered,
    text,
    types,
)
from ownlint_rules.locks import _counting as counting
from ownlint_rules.locks import _identities as identities
from ownlint_rules.locks import _rechecks as rechecks
from ownlint_rules.locks import _unfound as unfound

_OWNERS = frozenset({"smart pointer", "scoped owner"})
_SHARED = frozenset({"shared pointer", "intrusive pointer", "weak pointer"})
_SEARCH_AGAIN = "search again under the lock that is held here, or search and add under one lock"
_LOOK_AGAIN = "check again under the lock that is held here, or use `try_emplace` and discard the duplicate"

_LOOK_AGAIN_IN_PYTHON = "check again under the lock that is held here, or use `setdefault` and discard the duplicate"

_THREADS = "harmless if two threads never run this for the same object at the same time"
_AGAIN = "the check may be repeated, or a caller may hold the lock"
_ANYWAY = "some path does it without a check"
_NOT_ABSENT = "it is not known whether the store happens only if nothing was found"
_REPLACED = "harmless if setting it twice has the same effect"


@rule(
    severity="warning",
    cwe=(362, 367),
    languages=("cpp", "python"),
    anchors=(r"\bR?Lock\b", r"\bCondition\("),
)
def check_then_act_across_locks(function: Function) -> Iterator[Finding]:
    if rechecks.is_settled(function):
        return
    gaps = rechecks.divided(function)
    if gaps is not None:
        said = list(_in_one(function, gaps))
        yield from said
        yield from _counted(function, gaps)
        yield from () if said else _unfound(function, gaps)
    said = list(_by_helpers(function))
    yield from said
    yield from () if said else _passed(function)
    for assignment, read, certainty in rechecks.atomic_gaps(function):
        yield _unset(function, assignment, read, certainty, "in two steps")


def _in_one(function: Function, gaps: rechecks.Gaps) -> Iterator[Finding]:
    for insert, gap in rechecks.container_gaps(gaps):
        certainty = _of_insert(function, insert, (function, insert.value)) or _of_mark(function, insert, gap)
        if certainty is not None:
            if any(_says_found(function, one, gap.look) for one in gap.tests):
                certainty = because("possible", _NOT_ABSENT)
            asked = function.step(gap.look, _first(gaps, gap.look, insert))
            yield function.finding(
                insert.event,
                _stored(function, insert.key, insert.container),
                certainty=_doubt(gap) or tempered(certainty, because("threads", _THREADS)),
                help=_LOOK_AGAIN_IN_PYTHON if function.language == "python" else _LOOK_AGAIN,
                steps=(asked,),
            )
    for act, gap, name in rechecks.sequence_gaps(gaps):
        shown = assignments.spelled(function, act.receiver or ("",))
        made = (inner for arg in act.node.args for inner in places.walk(arg))
        if any(_is_made(function, inner) for inner in made if isinstance(inner, records.Name | records.Call)):
            yield _stale(
                function,
                gap,
                _added_since(function, name, shown),
                f"`{shown}` is searched for `{name}` here",
                _SEARCH_AGAIN,
            )
    for gap in islice(rechecks.emptiness_gaps(gaps), 1):
        assert isinstance(gap.act, events.CallEvent)
        container = places.receiver(gap.act.node)
        shown = text(container) if container is not None else ""
        yield _stale(
            function,
            gap,
            f"another {_other(function)} may have removed the last element of `{shown}` since it was checked",
            f"`{shown}` is checked for emptiness here",
            "check and remove under one lock",
        )
    for gap, key, shown in islice(rechecks.presence_gaps(gaps), 1):
        yield _stale(
            function,
            gap,
            f"another {_other(function)} may have removed `{key}` from `{shown}` since it was found",
            f"`{shown}` is checked for `{key}` here",
            "look up and use the element under one lock"
            if function.language == "python"
            else "check what `find` returns, or look up and use the element under one lock",
        )
    for assignment, gap in rechecks.state_gaps(gaps):
        certainty = _of_state(function, assignment, gap)
        if certainty is not None:
            yield _unset(function, assignment, gap.look, certainty, "under two separate locks")


def _first(gaps: rechecks.Gaps, look: events.Event, insert: containers.Insert) -> str:
    """What a look is that led to an insert."""
    shown = text(insert.key)
    if isinstance(look, events.CallEvent) and gaps.passed(look):
        return f"`{places.last_name(look.node.callee)}` checks `{shown}`, then releases the lock"
    return f"`{insert.container.shown}` is checked for `{shown}` here"


def _unfound(function: Function, gaps: rechecks.Gaps) -> Iterator[Finding]:
    """The first alone: what is added together is one entry."""
    for found in islice(unfound.unfound(gaps), 1):
        yield _stale(
            function,
            found.gap,
            _added_since(function, found.key, found.addition.shown),
            f"`{found.addition.shown}` is searched for `{found.key}` here, and the lock is released again",
            _SEARCH_AGAIN,
        )


def _passed(function: Function) -> Iterator[Finding]:
    for found in islice(unfound.passed(function), 1):
        yield function.finding(
            found.addition.event,
            _added_since(function, found.key, found.addition.shown),
            certainty=because("threads", _THREADS),
            help="search and add under one lock",
            steps=(
                function.step(
                    found.look,
                    f"`{found.addition.shown}` is searched for `{found.key}` here, and the lock is released again",
                ),
            ),
        )


def _counted(function: Function, gaps: rechecks.Gaps) -> Iterator[Finding]:
    for counted in counting.bounded(gaps):
        shown = assignments.spelled(function, counted.place)
        what = f"the size of `{shown}`" if counted.is_size else f"`{shown}`"
        yield _stale(
            function,
            counted.gap,
            f"another {_other(function)} may have changed {what} since it was compared",
            f"{what} is read here",
            "compare and change it under one lock",
        )
    for index in counting.taken_indexes(gaps):
        shown = assignments.spelled(function, index.act.receiver or ("",))
        yield function.finding(
            index.act,
            f"another {_other(function)} may have added to `{shown}` since its size was stored in `{index.local}`",
            certainty=because("threads", _THREADS),
            help="read the size and add under one lock",
            steps=(function.step(index.look, f"the size of `{shown}` is read here"),),
        )
    for drop in counting.drops(gaps):
        entry = f"`{text(drop.key)}` of `{drop.container.shown}`"
        yield _stale(
            function,
            drop.gap,
            f"another {_other(function)} may be using {entry} again since its count was decremented",
            "its count is decremented here",
            "decrement the count and erase under one lock",
        )


def _stale(function: Function, gap: rechecks.Gap, message: str, looked: str, help: str) -> Finding:
    """What is done under one lock rests on what was seen under another."""
    return function.finding(
        gap.act,
        message,
        certainty=_doubt(gap) or because("threads", _THREADS),
        help=help,
        steps=(function.step(gap.look, looked),),
    )


def _doubt(gap: rechecks.Gap) -> Certainty | None:
    """What makes it no more than possible that the look is relied on."""
    if gap.again:
        return because("possible", _AGAIN)
    return because("possible", _ANYWAY) if gap.anyway else None


def _unset(
    function: Function, assignment: assignments.Assignment, read: events.Event, certainty: Certainty, how: str
) -> Finding:
    name = assignments.spelled(function, assignment.place)
    found, done = ("set", "cleared") if assignment.held.truth is False else ("unset", "set")
    help = "test and set it under one lock" if how.endswith("locks") else "test and set it in one step"
    if how == "in two steps" and assignment.held.kind in ("flag", "cleared") and assignment.held.truth is not None:
        before, after = ("", "false") if assignment.held.truth is False else ("!", "true")
        help += f": `if ({before}{name}.exchange({after}))`"
    return function.finding(
        assignment.event,
        f"`{name}` is tested and {done} {how}: two threads can both find it {found}",
        certainty=certainty,
        help=help,
        steps=(function.step(read, f"`{name}` is read here"),),
    )


def _other(function: Function) -> str:
    """Who else may come in between: where a function awaits, another task."""
    return "task" if "async" in function.record.qualifiers else "thread"


def _added_since(function: Function, key: str, shown: str) -> str:
    return f"another {_other(function)} may have added `{key}` to `{shown}` since it was searched"


def _stored(function: Function, key: records.Value, held: containers.Container) -> str:
    return f"another {_other(function)} may have stored `{text(key)}` in `{held.shown}` since it was looked up"


def _by_helpers(function: Function) -> Iterator[Finding]:
    for handover in rechecks.handovers(function):
        stored, insert, asked = handover.stored, handover.insert, handover.asked
        made = (function, handover.value) if handover.value is not None else (stored.function, insert.value)
        certainty = _of_insert(stored.function, insert, made)
        if certainty is None:
            continue
        if _refuses_second(function, handover):
            certainty = because("threads", _THREADS)
        if any(_says_found(function, one, handover.look) for one in handover.tests):
            certainty = because("possible", _NOT_ABSENT)
        shown = text(handover.key)
        if asked is not None:
            first = f"`{asked.function.name}` checks `{shown}`, then releases the lock"
        else:
            first = f"`{insert.container.shown}` is checked for `{shown}` here"
        takers = " and ".join(f"`{one.function.name}`" for one in (asked, stored) if one is not None)
        both = asked is not None
        yield function.finding(
            handover.store,
            _stored(function, handover.key, insert.container),
            certainty=tempered(certainty, because("threads", _THREADS)),
            help=f"check and store under one lock, which {takers} {'take' if both else 'takes'} "
            + ("in turn" if both else "separately"),
            steps=(
                function.step(handover.look, first),
                stored.function.step(insert.event, f"`{stored.function.name}` does not check again"),
            ),
        )


def _refuses_second(function: Function, handover: rechecks.Handover) -> bool:
    """Whether what is stored is the caller's own, whatever the key, and a caller that finds the key taken is answered
    otherwise: of two at once the second replaces what the first was promised, and both are answered alike."""
    given = function.parameter_names
    stored = _names((handover.value,)) if handover.value is not None else set()
    if not stored or not stored <= given or not stored.isdisjoint(_names((handover.key,))):
        return False
    if not any(handover.look.span.start in one.condition.span for one in handover.tests):
        return False  # what is found there may be the answer
    promised = [event for event in function.flow.after(handover.store) if isinstance(event, events.LeaveEvent)]
    others = [event for event in function.flow.after(handover.look) if isinstance(event, events.LeaveEvent)]
    said = {text(event.value) for event in promised if event.value is not None}
    return bool(said) and any(
        event.value is not None and text(event.value) not in said for event in others if event not in promised
    )


# --- what was found -----------------------------------------------------------------------------------


def _says_found(function: Function, decider: sections.Decider, look: events.Event) -> bool:
    """Whether the condition came out as it does when the look has found something."""
    return _found(function, decider.condition, look) is decider.outcome


def _found(function: Function, value: records.Value | None, look: events.Event, depth: int = 0) -> bool | None:
    """What a condition comes to when the look has found something, where its other parts let it."""
    inner = places.strip(value)
    if inner is None or depth > _DEEPEST:
        return None
    if (inner.start, inner.end) == (look.span.start, look.span.end):
        return not (isinstance(inner, records.Call) and _says_absent(function, inner, depth))
    match inner:
        case records.Unary(op="!" | "not", value=negated):
            return _not(_found(function, negated, look, depth))
        case records.Unary(op="*", value=base) | records.Member(base=base, name="second"):
            return _found(function, base, look, depth)
        case records.Binary(op="&&" | "||", left=left, right=right):
            parts = {_found(function, part, look, depth) for part in (left, right)} - {None}
            return parts.pop() if len(parts) == 1 else None
        case records.Binary(op="in" | "not in" as op, right=right) if (right.start, right.end) == (
            look.span.start,
            look.span.end,
        ):
            return op == "in"
        case records.Binary(op="==" | "!=" | ">" | "is" | "is not" as op, left=left, right=right) if (
            rechecks.is_nothing(right)
        ):
            known = _found(function, left, look, depth)
            return _not(known) if op in ("==", "is") else known
        case records.Conditional(condition=condition, other=other) if rechecks.is_nothing(other):
            return _found(function, condition, look, depth)
        case records.Call(callee=records.Member(base=base, name="has_value" | "ok" | "get"), args=()):
            return _found(function, base, look, depth)
        case records.Name(text=name):
            return _found(function, rechecks.only_value(function, name), look, depth + 1)
    return None


def _says_absent(function: Function, call: records.Call, depth: int) -> bool:
    """Whether a method of the project answers that something is not there: `return all_.find(key) == all_.end();`."""
    for callee in function.program.calls.callee(call, function).functions[:1]:
        returned = [leave.value for leave in callee.flow.leaves if leave.kind == "return"]
        looks = callee.container_methods.looks
        for inner in callee.flow.calls if len(returned) == 1 else ():
            if places.last_name(inner.node.callee) in looks and _found(callee, returned[0], inner, depth + 1) is False:
                return True
    return False


_DEEPEST = 3
"""How many locals may hand on what was found."""


def _not(known: bool | None) -> bool | None:
    return None if known is None else not known


# --- what is lost -------------------------------------------------------------------------------------


def _of_insert(
    function: Function,
    insert: containers.Insert,
    stored: tuple[Function, records.Value | None],
) -> Certainty | None:
    """How sure it is that something is lost when two come at once; None when nothing is. `stored` is the value and the
    function that made it."""
    if _is_heard(function, insert):
        return None
    if _adds_beside(function, insert):
        return because("threads", _THREADS)
    if function.language == "python":
        if not insert.overwrites:
            return None
        many = identities.is_one_too_many(*stored, insert.container.names)
        return because("threads", _THREADS) if many else because("possible", _REPLACED)
    held = _mapped(function, insert)
    if function is not stored[0] and _is_parameter_of_template(function, held):
        held = function.program.types.of(stored[1], stored[0])
    keeps = not insert.overwrites
    roles = set(function.program.types.roles(held, function)) if held else set()
    acquired = _acquired(*stored)
    lost = because("possible", _REPLACED)
    if roles & _SHARED:
        if keeps:
            return None
        if "weak pointer" not in roles and _lends(function, held):
            lost = because("threads", _THREADS)
    elif roles & _OWNERS:
        if keeps:
            return None
        lost = because("threads", _THREADS)
    elif _is_raw(function, held):
        if not _is_made(*stored):
            return acquired or because("possible", "the stored value may be the same each time")
        lost = because("threads", _THREADS)  # whatever releases it: of two, one is out of reach
    elif not keeps and _is_made(*stored) and _ends_each(function, insert.container):
        lost = because("threads", _THREADS)
    elif acquired is not None:
        lost = acquired
    elif keeps:
        return None
    return lost


def _is_raw(function: Function, held: str) -> bool:
    """Whether it stands for something that it does not end: a pointer, a handle, a struct that some function frees."""
    return bool(held) and resources.resources(function.program).raw(held, function) is not None


def _ends_each(function: Function, container: containers.Container) -> bool:
    """Whether the destructor goes over the map and ends what stands in it: numbers that stand for something, too."""
    destructor = function.home.destructor if function.home is not None else None
    for loop in destructor.statements if destructor is not None else ():
        if not isinstance(loop, records.Loop) or loop.kind != "range" or destructor is None:
            continue
        if not container.is_same(containers.names_of(destructor, loop.iterable)):
            continue
        element = _names((loop.target,)) if loop.target is not None else set()
        for call in destructor.flow.calls:
            ends = pairs.releasing_verb(places.last_name(call.node.callee))
            if ends and call.span.start in loop.span and element & _names(call.node.args):
                return True
    return False


def _is_heard(function: Function, insert: containers.Insert) -> bool:
    """Whether somebody looks at what an insert answers, by which who comes second can tell."""
    return any(
        isinstance(one.event, events.CallEvent) and not one.event.dropped and not _callees(inside, one)
        for inside, one in _reached(function, insert)
    )


def _callees(function: Function, insert: containers.Insert) -> tuple[Function, ...]:
    at = insert.event
    return function.program.calls.callee(at.node, function).functions if isinstance(at, events.CallEvent) else ()


def _reached(function: Function, insert: containers.Insert) -> Iterator[tuple[Function, containers.Insert]]:
    """The insert, where it is a call of the project's those in what it calls, and so on; each with its function."""
    waiting, seen = [(function, insert)], {function}
    for inside, one in waiting:
        yield inside, one
        fresh = [callee for callee in _callees(inside, one) if callee not in seen]
        seen.update(fresh)
        waiting += [(callee, inner) for callee in fresh for inner in containers.inserts(callee)]


def _adds_beside(function: Function, insert: containers.Insert) -> bool:
    """Whether the key, or what is stored, is added to a list or a sum on the way to an insert or behind it. Of two who
    store the same key, one replaces what the other has stored, and both have added."""
    return any(_adds_around(inside, one) for inside, one in _reached(function, insert))


def _adds_around(function: Function, insert: containers.Insert) -> bool:
    at = insert.event
    said = containers.origins(function, insert.key) | containers.origins(function, insert.value)
    return bool(said) and any(
        event is not at and not said.isdisjoint(_added(function, event))
        for event in (*function.flow.before(at), *function.flow.after(at))
    )


def _added(function: Function, event: events.Event) -> set[str]:
    """The names in what an event adds to a list or a sum that outlives the call."""
    methods = function.container_methods
    match event:
        case events.Write(op="+=", place=place, value=value) if value is not None and rechecks.outlives(
            function, place
        ):
            return _names((value,))
        case events.CallEvent(node=node, receiver=on) if (
            on is not None and event.dropped and rechecks.outlives(function, on)
        ):
            name = places.last_name(node.callee)
            return _names(node.args) if name in methods.appends - methods.keyed else set()
    return set()


def _names(values: Iterable[records.Value]) -> set[str]:
    return {inner.text for value in values for inner in places.walk(value) if isinstance(inner, records.Name)}


def _lends(function: Function, held: str) -> bool:
    """Whether the function answers with the address of what an owner holds, which the next one who stores it frees."""
    result, owner = types.parse(function.record.result), types.parse(held)
    return bool(result.pointers or result.reference) and types.parse((*owner.arguments, "")[0]).last == result.last


def _of_mark(function: Function, insert: containers.Insert, gap: rechecks.Gap) -> Certainty | None:
    """What is put into a set says that something is done for it: nothing is lost, but work that is there for its effect
    alone is done twice."""
    roles = function.program.types.roles(insert.container.type, function)
    is_set = "set" in roles or (function.language == "python" and insert.value is None)
    if not is_set or _is_heard(function, insert):
        return None
    return because("threads", _THREADS) if rechecks.works_for(function, gap, insert.key) else None


def _acquired(function: Function, value: records.Value | None) -> Certainty | None:
    """How sure it is that the value is a raw handle that this function got to release: a call's result, what a call
    has filled, or a struct that holds one."""
    known = resources.resources(function.program)
    for source in rechecks.sources(function, value):
        if isinstance(source, records.Call) and (got := known.acquisition(source, function)) is not None:
            return got.certainty if got.where.kind == "result" else None
        for part in _parts(source):
            if isinstance(part, records.Call) and (got := known.acquisition(part, function)) is not None:
                return tempered(got.certainty, because("threads", _THREADS)) if got.where.kind == "result" else None
    inner = places.strip(value)
    if not isinstance(inner, records.Name) or inner.text not in function.locals:
        return None
    for event in function.flow:
        match event:
            case events.Write(place=(name, _, *_), value=records.Call() as source) if name == inner.text:
                got = known.acquisition(source, function)
                if got is not None and got.where.kind == "result":
                    return tempered(got.certainty, because("threads", _THREADS))
            case events.CallEvent(node=node) if _fills(node, inner.text):
                got = known.acquisition(node, function)
                if got is not None and got.where.kind == "argument":
                    return got.certainty
    return None


def _parts(value: records.Value) -> tuple[records.Value, ...]:
    """What an aggregate is made of."""
    match value:
        case records.Aggregate(items=items) | records.Call(kind="construct", args=items):
            return tuple(inner for item in items if (inner := places.strip(item)) is not None)
    return ()


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


def _is_parameter_of_template(function: Function, written: str) -> bool:
    return function.home is not None and types.parse(written).name in _WORDS.findall(function.home.record.template)


_WORDS = re.compile(r"\w+")


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
    held = _held_in_local(function, inner)
    if held is not None:
        given = (made for made in rechecks.sources(function, held) if isinstance(made, records.Call))
        return any(_makes(function, made) for made in given if _held_in_local(function, made) is None)
    callee = function.program.calls.callee(inner, function)
    if any("const" in record.qualifiers for record in callee.records):
        return False
    if inner.args:
        return places.last_name(inner.callee) not in function.container_methods.looks
    return places.last_name(inner.callee) not in function.container_methods.ways_in


def _held_in_local(function: Function, call: records.Call) -> records.Name | None:
    """The local of whose result a call asks what it carries: `status_or.value()`, `pointer.get()`."""
    on = places.strip(places.receiver(call))
    if call.args or not isinstance(on, records.Name) or places.last_name(call.callee) not in ("value", "get"):
        return None
    is_value = on.text in function.declared and types.parse(function.program.types.of(on, function)).is_value
    return on if is_value else None


def _is_local_object(function: Function, value: records.Value | None) -> bool:
    """Whether it is a local that was given what a call makes, and no number or text."""
    return any(isinstance(one, records.Call) for one in rechecks.sources(function, value))


def _of_state(function: Function, assignment: assignments.Assignment, gap: rechecks.Gap) -> Certainty | None:
    """How sure it is that what was read decides against setting it twice, and that setting it twice does harm."""
    event = assignment.event
    assert isinstance(event, events.Write | events.CallEvent)
    target = event.target if isinstance(event, events.Write) else places.receiver(event.node)
    value = event.value if isinstance(event, events.Write) else event.node
    written = function.program.names.expand(
        function.program.types.of(target, function), function.file, function.record.scope
    )
    kind = types.parse(written)
    roles = set(function.program.types.roles(written, function))
    held = assignment.held
    if function.language == "python" and held.kind == "copy" and _is_local_object(function, value):
        held = assignments.Held("object", True)
    if kind.pointers or roles & (_OWNERS | _SHARED | {"optional"}):
        if held.kind == "emptied":
            return None
        held = assignments.Held("object", True)
    given = conditions.Given(assignment.place, held)
    if not any(rechecks.is_skipped(function, condition, outcome, given) for condition, outcome in gap.tests):
        return None
    if (doubt := _doubt(gap)) is not None:
        return doubt
    if function.language == "python" and held.kind in ("object", "copy"):
        many = identities.is_one_too_many(function, value, (assignment.place[-1],))
        return because("threads", _THREADS) if many else because("possible", _REPLACED)
    if held.kind in ("copy", "cleared"):
        return because("possible", _REPLACED)
    if kind.pointers:
        made = value is not None and _is_made(function, value)
        return because("threads", _THREADS) if made else because("possible", _REPLACED)
    if held.kind in ("flag", "state"):
        works = rechecks.works_between(function, gap)
        return because("threads", _THREADS) if works else because("possible", "no work that is done twice was found")
    owns = roles & _OWNERS and not roles & _SHARED
    return because("threads", _THREADS) if owns else because("possible", _REPLACED)
