"""Ownership of one handle is given to two owners.

A raw pointer that a smart pointer or a wrapper holds is theirs to release. An owner that is built from it, or a
function that consumes it, releases it as well: the second release is of something that is gone.

bad:

```cpp
void Shelf::Share(std::unique_ptr<Part>& part) {
  std::unique_ptr<Part> copy(part.get());
}
```

good:

```cpp
void Shelf::Share(std::unique_ptr<Part>& part) {
  std::unique_ptr<Part> mine(part.release());
}
```

Reported: an owner made of another owner's `get()`, of the address of a local, or, for a shared pointer, of `this`; the
same raw pointer adopted twice on one way; a `get()` that is given to `delete`, to a function that releases it, or to a
short function of the project that makes an owner of it; a constructor or an assignment that copies or moves, and leaves
in its source what the destructor of both then releases. Owners are smart pointers, scoped types of the models, and
classes whose destructor releases the member that the method returns.

Quiet: an owner that lets go in the same function, owners with a deleter of their own, counts inside the object
(intrusive pointers), `std::unique_ptr` of `this` (an object that ends itself), pointers that are only looked at.

Limits: who owns a pointer that came in as a parameter is not asked; nor is a member that two methods adopt. Of one
raw pointer, the first 24 adoptions in a function are followed.

Source: `Module.get()` of MLIR's Python bindings, given to functions that consume it.
"""

from __future__ import annotations

from collections.abc import Iterator

from ownlint import Finding, Function, Step, members, rule
from ownlint_rules.resources import _coowners as coowners


@rule(severity="error", cwe=(415,))
def two_owners(function: Function) -> Iterator[Finding]:
    for found in coowners.coowners(function.program).of(function):
        yield function.finding(
            found.node,
            _message(function, found),
            certainty=found.certainty,
            help=_HELP[found.how],
            steps=_steps(function, found),
        )
    for one in members.shared(function):
        both = f"{one.source}.{one.name}"
        yield function.finding(
            one.at,
            f"`{both}` still refers to the object that is {_taking(function)} here: both objects release it",
            certainty=one.certainty,
            help=f"set it to null: `std::exchange({both}, nullptr)`",
        )


def _taking(function: Function) -> str:
    return "moved" if "const" not in function.record.parameters[0].type else "copied"


def _message(function: Function, found: coowners.CoOwner) -> str:
    match found.how:
        case "this":
            return "`this` is already owned: its owner and the new shared pointer both release it"
        case "address":
            return f"`{found.owner}` is not on the heap, but is passed to an owner that deletes it"
        case "raw":
            return f"`{found.owner}` is already owned and gets a second owner here"
    if found.releases:
        return f"`{found.owner}` still owns the object that is released here"
    made = coowners.made_for(function, found.node)
    return (
        f"`{found.owner}` still owns the object passed to `{made}`"
        if made
        else f"`{found.owner}` still owns the object it gives away"
    )


def _steps(function: Function, found: coowners.CoOwner) -> tuple[Step, ...]:
    return (function.step(found.before, "owned from here on"),) if found.before is not None else ()


_HELP = {
    "owner": "transfer ownership with `release()`, or pass the pointer as non-owning",
    "this": "derive from `std::enable_shared_from_this`, and use `shared_from_this()`",
    "address": "allocate it with `new`, or pass its address as non-owning",
    "raw": "use one owner, and share or move that",
}
