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
case.cc:4: error: the return value points to the local `config`, which is destroyed on return
  help: return a `Config` by value
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

from ownlint import Certainty, Finding, Function, because, memory, rule, tempered, types


@rule(severity="error", cwe=(416, 562))
def pointer_outlives_local(function: Function) -> Iterator[Finding]:
    told: set[int] = set()
    for one in memory.left_locals(function):
        if one.at.index in told:
            continue
        told.add(one.at.index)
        handed = one.what == "returned"
        ending = function.flow.events[one.ended.at]
        by, held = one.ended.by, one.ended.why == "owner"
        captures = one.name.startswith("[") or (bool(one.through) and one.name == by)  # a lambda, by reference
        if handed:
            what = "the returned lambda" if captures else _returned(one.name)
        else:
            what = f"`{one.through if captures and one.through else one.name}`"
        points = "refers" if captures else "points"
        gone = "destroyed on return" if handed else "out of scope"
        yield function.finding(
            one.at,
            f"{what} {points} {'into' if held else 'to'} the local `{by}`, which is {gone}",
            certainty=tempered(memory.certainty(one), _converted(function, handed)),
            help=_help(function, by, handed=handed, captures=captures),
            steps=() if handed else (function.step(ending, f"`{by}` goes out of scope here", "ends"),),
        )


def _returned(name: str) -> str:
    """`c_str()` says more than the name of the local does."""
    return f"the returned `{name}`" if name.endswith(")") else "the return value"


def _help(function: Function, by: str, *, handed: bool, captures: bool) -> str:
    if captures and handed:
        return f"capture `{by}` by value"
    if handed:
        written = function.locals.get(by, ("", None))[0]
        known = written and not types.parse(written).is_placeholder and written.endswith(types.parse(written).name)
        return f"return {f'a `{types.parse(written).name}`' if known else 'the object'} by value"
    return f"declare `{by}` outside of this block, or copy the object"


def _converted(function: Function, returned: bool) -> Certainty:
    """A type that depends on a template's argument may as well be a number, into which the object is converted."""
    if returned and re.search(r"\btypename\b|::type$", function.record.result):
        return because("type", f"harmless if `{function.record.result}` is not a pointer")
    return "certain"
