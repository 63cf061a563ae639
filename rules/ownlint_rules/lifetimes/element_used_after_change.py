"""A reference, a pointer or an iterator to an element is used after its container has moved or dropped its elements.

## What it reports

- an element that is read or written through a reference, a pointer or an iterator behind `push_back`, `insert`,
  `resize`, `clear` and what else models name, or behind a function of the project that does so on every path, also in
  the next round of a loop, and a loop over a range whose body changes that range.

## Why it is a bug

A vector or a string that grows takes its elements elsewhere and gives the old place back. What led there leads into
memory that is somebody else's.

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

Look the element up again after the change, or change the container after the last use.

## What it does not report

- containers whose elements stay where they are (lists, maps, sets), what was looked up again since, and what is added
  behind a `reserve`.

## Known limitations

- whether there was room is not counted
- what a function which is called adds on some of its paths, or two calls deep, is not seen. Nor is the one that
  `pop_back` drops: the others stay where they are.

## Source

[vector.modifiers], [string.require].
"""

from __future__ import annotations

from collections.abc import Iterator

from ownlint import Finding, Function, memory, rule


@rule(severity="error", cwe=(416,))
def element_used_after_change(function: Function) -> Iterator[Finding]:
    told: set[int] = set()
    for one in memory.troubles(function):
        if one.ended.why != "moved" or one.at.index in told:
            continue
        told.add(one.at.index)
        yield function.finding(
            one.at,
            f"`{one.name}` points to an element and is used after `{one.ended.by}`, which may move the elements",
            certainty=memory.certainty(one),
            help="look the element up again after the change, or change the container after the last use",
            steps=(function.step(function.flow.events[one.ended.at], "the elements may move here", "ends"),),
        )
