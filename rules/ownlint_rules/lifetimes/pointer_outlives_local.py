"""A pointer or a reference leads to a local whose scope has ended.

The place of a local is used for the next one as soon as its block is left. What still points there shows something
else, or nothing.

bad:

```cpp
const Config* Choose(bool fast) {
  Config config = Defaults();
  config.fast = fast;
  return &config;
}
```

good:

```cpp
Config Choose(bool fast) {
  Config config = Defaults();
  config.fast = fast;
  return config;
}
```

Reported: the address of a local or of a parameter that was copied, or a reference to one, is returned; what a local
smart pointer holds is returned; a pointer to a local of an inner block, or to an element of a container that ended with
it, is used behind it; a lambda is called that has such a local by reference.

Quiet: `static` and `thread_local` locals, what a reference parameter stands for, values that are copied.

Limits: addresses that are stored in members or handed to other functions are not followed.

Source: [basic.stc.auto].
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from ownlint import Certainty, Finding, Function, because, memory, rule, tempered


@rule(severity="error", cwe=(416, 562))
def pointer_outlives_local(function: Function) -> Iterator[Finding]:
    told: set[int] = set()
    for one in memory.troubles(function):
        if one.what == "stored" or (one.ended.why != "scope" and one.what != "returned"):
            continue
        if one.at.index in told:
            continue
        told.add(one.at.index)
        handed = one.what == "returned"
        ending = function.flow.events[one.ended.at]
        what = f"`{one.name}` is returned, but points to" if handed else f"`{one.name}` points to"
        if one.through and one.name == one.ended.by:
            what = f"`{one.through}` refers to"  # a lambda, which has it by reference
        owner = "what" if one.ended.why == "owner" else "the local"
        ends = ", which is destroyed here" if owner == "what" else ", which is out of scope"
        yield function.finding(
            one.at,
            f"{what} {owner} `{one.ended.by}`{ends}",
            certainty=tempered(memory.certainty(one), _converted(function, handed)),
            help="return or store the object itself, or make its owner live as long as its user",
            steps=() if handed else (function.step(ending, f"`{one.ended.by}` is destroyed here", "ends"),),
        )


def _converted(function: Function, returned: bool) -> Certainty:
    """A type that depends on a template's argument may as well be a number, into which the object is converted."""
    if returned and re.search(r"\btypename\b|::type$", function.record.result):
        return because("type", f"harmless if `{function.record.result}` is not a pointer")
    return "certain"
