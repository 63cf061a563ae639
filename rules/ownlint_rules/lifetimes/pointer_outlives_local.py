"""A pointer or a reference points to a local whose scope has ended.

## What it reports

- the address of a local or of a by-value parameter that is returned, or a reference to one; what a local smart
  pointer, optional or container holds
- a pointer to a local of an inner block, or to an element of its container, that is used after the block
- a lambda that captures such a local by reference and is called after the block

## Why it is a bug

The stack slot of a local is reused as soon as its scope ends. A pointer to it then reads another variable or freed
memory.

## Example

bad:

```cpp
const Config* Choose(bool fast) {
  Config config = Defaults();
  config.fast = fast;
  return &config;
}
```

```text
case.cc:4: error: `config` is returned, but points to the local `config`, which is out of scope
  help: return or store the object itself, or make its owner live as long as its user
```

good:

```cpp
Config Choose(bool fast) {
  Config config = Defaults();
  config.fast = fast;
  return config;
}
```

## How to fix it

Return or store the object itself, or declare the local in the outer scope.

## What it does not report

- `static` and `thread_local` locals
- the target of a reference parameter
- values that are copied

## Known limitations

- Addresses that are stored in members or passed to other functions are not tracked.

## Source

[basic.stc.auto].
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from ownlint import Certainty, Finding, Function, because, memory, rule, tempered


@rule(severity="error", cwe=(416, 562))
def pointer_outlives_local(function: Function) -> Iterator[Finding]:
    told: set[int] = set()
    for one in memory.left_locals(function):
        if one.at.index in told:
            continue
        told.add(one.at.index)
        handed = one.what == "returned"
        ending = function.flow.events[one.ended.at]
        what = f"`{one.name}` is returned, but points to" if handed else f"`{one.name}` points to"
        if one.through and one.name == one.ended.by:
            what = f"`{one.through}` refers to"  # a lambda, which has it by reference
        by = one.ended.by
        held = one.ended.why == "owner"
        gone = f"what `{by}` holds, which is destroyed here" if held else f"the local `{by}`, which is out of scope"
        yield function.finding(
            one.at,
            f"{what} {gone}",
            certainty=tempered(memory.certainty(one), _converted(function, handed)),
            help="return or store the object itself, or make its owner live as long as its user",
            steps=() if handed else (function.step(ending, f"`{one.ended.by}` is destroyed here", "ends"),),
        )


def _converted(function: Function, returned: bool) -> Certainty:
    """A type that depends on a template's argument may as well be a number, into which the object is converted."""
    if returned and re.search(r"\btypename\b|::type$", function.record.result):
        return because("type", f"harmless if `{function.record.result}` is not a pointer")
    return "certain"
