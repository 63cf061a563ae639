"""One object is given to two owners.

## What it reports

- an owner that is constructed from another owner's `get()`, from the address of a local or, for a shared pointer, from
  `this`
- a raw pointer that is adopted twice on one path, and a `get()` passed to `delete` or to a function that releases or
  adopts it
- a descriptor of which a second stream is made, or that is closed, after `fdopen` has made one of it
- a move or copy constructor (or assignment) that leaves its source pointing to an object that both destructors release

## Why it is a bug

Each owner releases the object. The second release is a double free, and every use in between is a use after free.

## Example

bad:

```cpp
void Shelf::Share(std::unique_ptr<Part>& part) {
  std::unique_ptr<Part> copy(part.get());
}
```

```text
case.cc:2: error: `part` still owns the object passed to `copy`
  help: transfer ownership with `release()`, or pass the pointer as non-owning
```

good:

```cpp
void Shelf::Share(std::unique_ptr<Part>& part) {
  std::unique_ptr<Part> mine(part.release());
}
```

## How to fix it

Transfer ownership with `release()` or `std::move`, use one shared pointer, or pass the raw pointer as non-owning. In a
move constructor use `std::exchange(other.p, nullptr)`.

## What it does not report

- an owner that gives up its object in the same function
- owners with a custom deleter, and intrusive pointers
- `std::unique_ptr` of `this` (an object that deletes itself)
- pointers that are only read

## Known limitations

- The owner of a pointer that came in as a parameter is not known, nor is a member that two methods adopt.

## Source

`Module.get()` of MLIR's Python bindings, given to functions that consume it.
"""

from __future__ import annotations

from collections.abc import Iterator

from ownlint import Finding, Function, Step, members, memory, places, rule, text


@rule(severity="error", cwe=(415,))
def two_owners(function: Function) -> Iterator[Finding]:
    for found in memory.twice_owned(function):
        yield function.finding(
            found.at,
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


def _message(function: Function, found: memory.CoOwner) -> str:
    match found.how:
        case "this":
            return "`this` is already owned: its owner and the new shared pointer both release it"
        case "address":
            return f"`{found.owner}` is not on the heap, but is passed to an owner that deletes it"
        case "raw":
            then = "is released here" if found.releases else "gets a second owner here"
            return f"`{found.owner}` is already owned and {then}"
    if found.releases:
        return f"`{found.owner}` still owns the object that is released here"
    on, into = places.receiver(found.at.node), found.at.into
    made = places.render(into) if into is not None else text(on) if on is not None else ""
    return f"`{found.owner}` still owns the object " + (f"passed to `{made}`" if made else "it gives away")


def _steps(function: Function, found: memory.CoOwner) -> tuple[Step, ...]:
    return (function.step(found.before, "owned from here on"),) if found.before is not None else ()


_HELP = {
    "owner": "transfer ownership with `release()`, or pass the pointer as non-owning",
    "this": "derive from `std::enable_shared_from_this`, and use `shared_from_this()`",
    "address": "allocate it with `new`, or pass its address as non-owning",
    "raw": "use one owner, and share or move that",
}
