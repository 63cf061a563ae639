"""A reference, pointer or iterator to an element is used after its container has moved or removed its elements.

## What it reports

- an element that is accessed through a reference, a pointer or an iterator after `push_back`, `insert`, `resize`,
  `clear` or similar
- the same after a function of the project that does so on every path, and in the next iteration of a loop
- a range-based `for` whose body changes the range

## Why it is a bug

A vector or string that grows moves its elements and frees the old memory. The reference then points into freed memory.

## Example

bad:

```cpp
void Widen(std::vector<Span>& spans, int by) {
  Span& first = spans.front();
  spans.push_back(Span{first.end, first.end + by});
  first.end += by;
}
```

```text
case.cc:4: error: reference `first` is used after `spans.push_back` may have invalidated it
  help: obtain `first` again after `spans.push_back`, or move the last use of `first` before it
```

good:

```cpp
void Widen(std::vector<Span>& spans, int by) {
  Span next{spans.front().end, spans.front().end + by};
  spans.front().end += by;
  spans.push_back(next);
}
```

## How to fix it

Look the element up again after the change, change the container after the last use, or `reserve` first.

## What it does not report

- containers whose elements do not move (lists, maps, sets)
- elements that were looked up again
- insertions after a `reserve`

## Known limitations

- Spare capacity is not counted.
- Changes that a called function makes only on some paths, or two calls deep, are not detected.
- The element that `pop_back` removes is not tracked.

## Source

[vector.modifiers], [string.require].
"""

from __future__ import annotations

from collections.abc import Iterator

from ownlint import Finding, Function, Step, events, memory, places, records, rule, text, types


@rule(severity="error", cwe=(416,))
def element_used_after_change(function: Function) -> Iterator[Finding]:
    told: set[int] = set()
    for one in memory.changed_elements(function):
        if one.at.index in told:
            continue
        told.add(one.at.index)
        change = function.flow.events[one.ended.at]
        name = one.variable or one.name
        obtained = _obtained(function, name, change)
        again = "in the next iteration, " if one.at.index <= change.index else ""
        does = "has invalidated" if one.ended.why == "erased" else "may have invalidated"
        ranged = _range(function, one.at)
        if ranged is not None:
            message = f"the loop over `{ranged}` goes on after `{one.ended.by}` {does} its iterator"
            help = "change the container after the loop, or loop over a copy"
        else:
            message = f"{_kind(function, name)}`{name}` is used {again}after `{one.ended.by}` {does} it"
            help = _help(name, change, one)
        yield function.finding(
            one.at,
            message,
            certainty=function.on_branch(memory.certainty(one), change, obtained or function.flow.events[0]),
            help=help,
            steps=_steps(function, name, obtained, change, one),
        )


def _steps(
    function: Function, name: str, obtained: events.Event | None, change: events.Event, one: memory.MemoryTrouble
) -> tuple[Step, ...]:
    """Where it is obtained and invalidated, and by which branch."""
    first = (function.step(obtained, f"`{name}` is obtained here"),) if obtained is not None else ()
    branch = function.branch(change, obtained) if obtained is not None else ()
    done = "the element is erased here" if one.ended.why == "erased" else "the elements may be moved or destroyed here"
    return (*first, *branch, function.step(change, done, "ends"))


def _obtained(function: Function, name: str, change: events.Event) -> events.Event | None:
    """The one event that gives the variable what it leads to when the container changes."""
    bound = function.locals[name][1] if name in function.flow.aliases and name in function.locals else None
    if bound is not None:
        return next((event for event in function.flow.events if event.span == bound.span), None)
    given = function.flow.given_by(change, (name,))
    return given[0] if len(given) == 1 and given[0] is not change else None


def _kind(function: Function, name: str) -> str:
    """What the variable is to the element."""
    if name not in function.locals:
        return ""
    written, value = function.locals[name]
    kind = types.parse(written)
    if kind.reference:
        return "reference "
    if kind.pointers or isinstance(places.strip(value), records.Unary):
        return "pointer "
    return "iterator " if kind.is_placeholder or kind.last.endswith("iterator") else ""


def _range(function: Function, at: events.Event) -> str | None:
    """What a loop goes over at whose head it stands."""
    if not isinstance(at, events.Mark):
        return None
    loops = (one for one in function.statements if isinstance(one, records.Loop) and one.start == at.span.start)
    return next((text(one.iterable) for one in loops if one.kind == "range" and one.iterable is not None), None)


def _help(name: str, change: events.Event, one: memory.MemoryTrouble) -> str:
    """`erase` of the iterator returns the next one."""
    again = f"obtain `{name}` again after `{one.ended.by}`, or move the last use of `{name}` before it"
    call = change.node if isinstance(change, events.CallEvent) else None
    if call is None or places.last_name(call.callee) != "erase" or len(call.args) != 1:
        return again
    by_name = places.is_name(call.args[0], name)
    return f"assign the iterator that `erase` returns: `{name} = {text(call)}`" if by_name else again
