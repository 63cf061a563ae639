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
case.cc:4: error: `first.end` points to an element and is used after `spans.push_back`, which may move the elements
  help: look the element up again after the change, or change the container after the last use
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

from ownlint import Finding, Function, memory, rule

_MOVES = ("may move the elements", "the elements may move")


@rule(severity="error", cwe=(416,))
def element_used_after_change(function: Function) -> Iterator[Finding]:
    told: set[int] = set()
    for one in memory.troubles(function):
        if one.ended.why not in ("moved", "erased") or one.at.index in told:
            continue
        told.add(one.at.index)
        does, did = ("erases it", "it is erased") if one.ended.why == "erased" else _MOVES
        yield function.finding(
            one.at,
            f"`{one.name}` points to an element and is used after `{one.ended.by}`, which {does}",
            certainty=memory.certainty(one),
            help="look the element up again after the change, or change the container after the last use",
            steps=(function.step(function.flow.events[one.ended.at], f"{did} here", "ends"),),
        )
