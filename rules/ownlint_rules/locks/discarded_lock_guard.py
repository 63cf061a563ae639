"""A lock guard is a temporary, and unlocks at the end of its statement.

## What it reports

- a lock guard without a name, of a known library or of a guard class of the project:
  `std::lock_guard<std::mutex>(mu_);`
- a declaration that was meant as a guard: `std::unique_lock<std::mutex>(mu_);`
- the discarded result of a function that returns a guard, also for the GIL

## Why it is a bug

A temporary is destroyed at the end of its statement: the lock is acquired and released at once, and the code below runs
without it. Parentheses around a single name are worse: they declare a new variable of that name, and nothing is locked.

## Example

bad:

```cpp
void Ledger::Add(int amount) {
  std::lock_guard<std::mutex>{mu_};
  total_ += amount;
}
```

```text
case.cc:2: error: `std::lock_guard` is destroyed at the end of this statement: `mu_` is not held afterwards
  help: give the guard a name
```

good:

```cpp
void Ledger::Add(int amount) {
  std::lock_guard<std::mutex> lock{mu_};
  total_ += amount;
}
```

## How to fix it

Give the guard a name. `--fix` does that; the fix is safe if nothing below it in the function acquires the same lock
again. If the discarded guard would release the GIL and Python is used below it, it offers none.

## What it does not report

- guards that are stored, returned or passed as an argument
- guards that adopt a lock which is already held, or receive nothing
- intended synchronization points: alone in a block, last in the function, or just before waiters are notified

## Known limitations

- A guard class that is neither in a model nor defined in the analysed files is not known.
- Macros that expand to a guard are not analysed.

## Source

the catalogue of lock bugs; `-Wunused-value` and `[[nodiscard]]` constructors find a part of it.
"""

from __future__ import annotations

from collections.abc import Iterator

from ownlint import (
    Certainty,
    Edit,
    Finding,
    Fix,
    Function,
    Step,
    because,
    events,
    gil,
    guard_classes,
    places,
    python_use,
    records,
    rule,
    text,
)
from ownlint_rules.locks import _temporaries as temporaries

_TAGS = ("adopt_lock", "defer_lock", "try_to_lock")
_SHOWN = 4
_NOT_NEEDED = "harmless if nothing after this statement needs the lock"
_NAMES = ("lock", "guard", "held", "scoped")


@rule(severity="error", cwe=(667,), fixable=True)
def discarded_lock_guard(function: Function) -> Iterator[Finding]:
    for call, guard in temporaries.dropped_guards(function):
        if _is_just_a_moment(function, call):
            continue
        if guard is not None:
            yield from _unnamed(function, call, guard)
        else:
            yield function.finding(
                call,
                f"the guard returned by `{text(call.node.callee)}` is destroyed at the end of this statement",
                certainty=because("later-use", _NOT_NEEDED),
                help="store it in a local variable for as long as the lock is needed",
            )


def _unnamed(function: Function, call: events.CallEvent, guard: guard_classes.GuardClass) -> Iterator[Finding]:
    node = call.node
    locks = guard_classes.locks_of(guard, node)
    if (guard.argument and not locks) or any(text(argument).endswith(_TAGS) for argument in node.args):
        return
    written, uses = text(node.callee), _python_behind(function, call, guard)
    if _declares(function, call):
        message = f"this declares a variable `{text(node.args[0])}`: nothing is locked"
    else:
        what = " and ".join(f"`{_lock(lock)}`" for lock in locks)
        behind = f": {what} {'is' if len(locks) == 1 else 'are'} not held afterwards" if what else ""
        message = f"`{written}` is destroyed at the end of this statement{behind}"
    touched = (*uses, *_touched(function, call))
    yield function.finding(
        call,
        message,
        certainty=_certainty(call, bool(touched)),
        help=_help(uses),
        steps=touched,
        fix=_fix(function, call, guard) if not uses else None,
    )


def _python_behind(function: Function, call: events.CallEvent, guard: guard_classes.GuardClass) -> tuple[Step, ...]:
    """What uses Python behind a guard that is meant to give its lock up: named, the guard breaks it."""
    if not guard.gives_up or guard.holds != gil.LOCK:
        return ()
    states = gil.states(function, gil.HELD)
    found = [
        use
        for use in python_use.uses(function).values()
        if use.event.index > call.index and states.get(use.event.index, gil.UNKNOWN).status == "held"
        if not any(scope.status == "held" for scope in states[use.event.index].scopes)
    ]
    return tuple(function.step(use.event, f"{use.what} afterwards, which needs the lock") for use in found[:1])


def _help(uses: tuple[Step, ...]) -> str:
    if uses:
        return "remove it, or give it a name in a block that ends before Python is used"
    return "give the guard a name"


def _touched(function: Function, call: events.CallEvent) -> Iterator[Step]:
    """What others see and the function touches behind the guard, a few of it."""
    seen: set[places.Place] = set()
    for event in function.flow.after(call):
        if not isinstance(event, (events.Read, events.Write)) or len(seen) == _SHOWN:
            continue
        member = event.place[:2]
        if len(member) == 2 and member[0] == places.THIS and member not in seen:
            seen.add(member)
            yield function.step(event, f"`{places.render(member)}` is accessed without the lock")


def _lock(value: records.Value) -> str:
    return text(value).removeprefix("&")


def _declares(function: Function, call: events.CallEvent) -> bool:
    """`T(name);` is a declaration of `name`."""
    node = call.node
    bare = node.kind == "call" and len(node.args) == 1 and isinstance(node.args[0], records.Name)
    return bare and _statement(function, call) is not None


def _certainty(call: events.CallEvent, touches: bool) -> Certainty:
    """As sure as that something after it needs the lock; `touches` says that what others see is touched there."""
    if call.dropped != "statement":
        return because("intent", "its result is discarded explicitly")
    return "certain" if touches else because("later-use", _NOT_NEEDED)


def _is_just_a_moment(function: Function, call: events.CallEvent) -> bool:
    """Whether nothing is left to be guarded: the end of the block or of the function comes next, or a wake-up."""
    if _is_alone(function, call):
        return True
    current: events.Event = call
    while len(following := function.flow.successors[current.index]) == 1:
        current = function.flow.events[following[0][0]]
        match current:
            case events.LeaveEvent(value=None, kind=kind):
                return kind in ("end", "return")
            case events.Read(node=node):
                return "condition variable" in function.program.types.roles(
                    function.program.types.of(node, function), function
                )
            case events.Mark() | events.End():
                continue
        return False
    return False


def _is_alone(function: Function, call: events.CallEvent) -> bool:
    """All that stands between two braces."""
    return any(
        isinstance(statement, records.Block)
        and len(statement.body) == 1
        and isinstance(only := statement.body[0], records.Evaluate)
        and only.value is call.node
        for statement in function.statements
    )


# --- the fix ----------------------------------------------------------------------------------------


def _fix(function: Function, call: events.CallEvent, guard: guard_classes.GuardClass) -> Fix | None:
    """A name between the type and what it is given; none where something else stands there, or around the call."""
    node, statement = call.node, _statement(function, call)
    if statement is None:
        return None
    name = _free_name(function)
    template = f"<{node.template}>" if node.template else ""
    opened = node.args[0].start if node.args else node.end
    brackets = "(" if node.kind == "call" else "{"
    if opened - node.callee.end != len((template + brackets).encode()) + (0 if node.args else 1):
        return None
    replaced = f"{template} {name}" + (brackets if node.args else "")
    edit = Edit(function.path, records.Span(node.callee.end, opened), replaced)
    return Fix(f"name the guard `{name}`", (edit,), safe=not _is_taken_again(function, call, guard))


def _statement(function: Function, call: events.CallEvent) -> records.Evaluate | None:
    """The statement that the call is all of."""
    return next((s for s in function.statements if isinstance(s, records.Evaluate) and s.value is call.node), None)


def _free_name(function: Function) -> str:
    taken = function.declared | (function.home.members if function.home is not None else frozenset())
    numbered = (f"lock{number}" for number in range(2, 1000))
    return next(name for name in (*_NAMES, *numbered) if name not in taken)


def _is_taken_again(function: Function, call: events.CallEvent, guard: guard_classes.GuardClass) -> bool:
    """Whether something behind it in the function names the same lock: held until the end, it waits for itself."""
    if not guard.argument:
        return False
    names = {_lock(lock) for lock in guard_classes.locks_of(guard, call.node)}
    after = (event.node for event in function.flow.after(call) if isinstance(event, events.CallEvent))
    return any(_lock(value) in names for node in after for value in (places.receiver(node), *node.args) if value)
