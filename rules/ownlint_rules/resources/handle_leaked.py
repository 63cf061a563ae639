"""A handle or heap memory is not released on some path.

## What it reports

- a local that holds an acquired handle (`malloc`, `fopen`, `cudaMalloc`, `new`, pairs such as `Allocate`/`Deallocate`
  of the project), and a path on which it is not released, stored, returned or passed to an owner before the function
  returns, its scope ends or it is overwritten
- the elements that a local container has collected, if the function fails before the end or nothing ever releases them
- the rest of a container whose elements a loop releases, if the function fails before the end
- a block whose only pointer is overwritten by the call that resizes it (`p = realloc(p, n)`), if that fails
- the discarded result of `owner.release()`

## Why it is a bug

After the exit no variable refers to the handle: it can never be released. Error paths and early returns leak it once
per call, until memory, descriptors or device memory run out.

## Example

bad:

```cpp
int ReadMagic(const char* path, char* into) {
  FILE* in = fopen(path, "rb");
  if (in == nullptr) return -1;
  if (fread(into, 4, 1, in) != 1) return -1;
  fclose(in);
  return 0;
}
```

```text
case.cc:2: error: `in` leaks if `fread` fails
  help: call `fclose(in)` before this return, or hold it in a `std::unique_ptr` whose deleter calls `fclose`
```

good:

```cpp
int ReadMagic(const char* path, char* into) {
  FILE* in = fopen(path, "rb");
  if (in == nullptr) return -1;
  size_t got = fread(into, 4, 1, in);
  fclose(in);
  return got == 1 ? 0 : -1;
}
```

## How to fix it

Release it before the exit that is shown, or let a smart pointer own it from the start.

## What it does not report

- exits that depend on the handle itself (`if (h.is_null())`, `fd < 0`, the failure of the acquiring call)
- handles that a lambda or a guard object received, that are released under a condition of their own (`if (owned)
  free(p)`), or that register or delete themselves
- statics, locals with a cleanup attribute unless they are overwritten, and `main`
- a discarded `release()` of an object that was passed on before, next to a comment, or cast to void
- with the default `--certainty`: handles passed to an unknown function and not used afterwards, and leaks in steps of a
  test program

## Known limitations

- Copies of the handle in other locals, references to them and members of local structs are tracked; macros of unknown
  shape are not.
- A handle in a member counts only if the struct is a local value, and an overwrite counts only if the new value is the
  result of a call.
- Containers are those known to models, and arrays; where elements are released on another path, only an exit that is a
  failure is reported.
- Exceptions count where the project's own callee throws, where a handler in the same function returns, and where a
  Python object is called.

## Source

a review of GPU command-buffer caching in XLA, where a macro returned between `Allocate` and the cache; MLIR's Python
bindings, which destroyed a pass manager only where parsing its pipeline had failed.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from ownlint import (
    Certainty,
    Finding,
    Function,
    Step,
    because,
    events,
    exits,
    leaks,
    reason_of,
    reasoned,
    records,
    rule,
    text,
    trials,
    types,
)

_TESTS = re.compile(r"(?:^|/)tests?/|_tests?\.\w+$")
_IN_A_TEST = "it is a step of a test program, which exits when the step fails"
_SAYS = {
    "never": "`{}` is never released",
    "skipped": "`{}` leaks on some paths",
    "overwritten": "`{}` is overwritten while it still holds the object acquired before",
}


@rule(
    severity="error",
    cwe=(401, 404),
    formerly=("lost-on-failure", "release-skipped", "gathered-handles-lost"),
)
def handle_leaked(function: Function) -> Iterator[Finding]:
    for loss in leaks.losses(function):
        if loss.kind != "disowned":
            yield function.finding(
                loss.acquired,
                _message(function, loss),
                certainty=_certainty(function, loss),
                help=_help(function, loss),
                steps=tuple(_steps(function, loss)),
            )
    for lost in leaks.given_up(function):
        yield function.finding(
            lost.at,
            f"`{lost.name}` gives up ownership, and the result is ignored: the object leaks",
            help="call `reset()` instead, or pass the result to the new owner",
            steps=(function.step(lost.made, f"`{lost.name}` is created here"),),
        )


def _message(function: Function, loss: leaks.HandleLoss) -> str:
    match loss.kind:
        case "failure" | "resized":
            return f"`{loss.name}` leaks if {leaks.when(function, loss)}"
        case "gathered":
            return f"the objects collected in `{loss.name}` leak if {leaks.when(function, loss)}"
        case "collected":
            return f"the objects collected in `{loss.name}` are never released"
        case "rest":
            return f"the remaining elements of `{loss.name}` leak if {leaks.when(function, loss)}"
        case "skipped" if condition := leaks.condition(function, loss):
            return f"`{loss.name}` leaks if {condition}"
    if loss.kind == "skipped" and len(loss.ways) > 1:
        return f"`{loss.name}` leaks on {len(loss.ways)} exit paths"
    return _SAYS[loss.kind].format(loss.name)


def _certainty(function: Function, loss: leaks.HandleLoss) -> Certainty:
    if loss.kind == "failure" and trials.is_trial(function):
        return because("possible", trials.REASON)
    ends = loss.kind == "failure" and _ends_a_test(function)
    if ends:
        return because("possible", _IN_A_TEST)
    if loss.kind == "failure" and leaks.names_another(loss):
        return reasoned(loss.certainty, f"this happens only if {leaks.when(function, loss)}")
    condition = leaks.condition(function, loss) if reason_of(loss.certainty) == leaks.skipping(loss.name) else ""
    return reasoned(loss.certainty, f"this happens only if {condition}") if condition else loss.certainty


def _help(function: Function, loss: leaks.HandleLoss) -> str:
    match loss.kind:
        case "failure":
            owner = _owner(function, loss)
            if loss.ways[0].throws and not function.file.is_c:
                return owner
            release = f"{_release(function, loss)} {_before(function, loss)}"
            return release if function.file.is_c else f"{release}, or {owner}"
        case "gathered" | "collected":
            return f"store {_owners(function, loss)} in `{loss.name}`, or release its elements on this path"
        case "resized":
            return f"assign the result to another pointer first, and to `{loss.name}` once it is known not to be NULL"
        case "rest":
            return f"release the remaining elements on failure, or store {_owners(function, loss)}"
    if loss.kind == "overwritten":
        where = "before it is overwritten"
    elif loss.kind == "skipped" or len(loss.ways) == 1:
        where = _before(function, loss)
    else:
        where = "on every path"
    return f"{_release(function, loss)} {where}" + leaks.owner_advice(function, _owner(function, loss))


def _owners(function: Function, loss: leaks.HandleLoss) -> str:
    """What a container can hold in place of its elements: numbers, as ids are, have no smart pointers."""
    declared = function.locals.get(loss.name, ("",))[0]
    return "smart pointers" if "*" in declared or not declared else "objects that release what they hold"


def _made_by_new(loss: leaks.HandleLoss) -> str:
    """The type that a `new` makes, with `[]` behind that of an array; empty where something else makes it."""
    made = loss.acquired.node if isinstance(loss.acquired, events.CallEvent) else None
    return text(made.callee) if made is not None and made.kind == "new" else ""


def _before(function: Function, loss: leaks.HandleLoss) -> str:
    return exits.before_exits(function, [way.exit for way in loss.ways])


_LONGEST_CALL = 60


def _ends(loss: leaks.HandleLoss) -> str:
    """What releases such a handle, by its name; empty where that is not known."""
    return next(iter(loss.acquisition.releases), "") if loss.acquisition is not None else ""


def _release(function: Function, loss: leaks.HandleLoss) -> str:
    """What releases it: as code where another path does that, else by the name of what does."""
    ends = _ends(loss)
    if ends == "delete":
        return f"write `delete{'[]' if _made_by_new(loss).endswith('[]') else ''} {loss.name};`"
    if function.locals.get(loss.name, ("",))[0].endswith("]"):
        return f"{f'call `{ends}` for' if ends else 'release'} each element of `{loss.name}`"
    call = leaks.releasing_call(loss)
    if call is not None and any(text(given) == loss.name for given in call.args):
        return f"call `{text(call, _LONGEST_CALL)}`"
    if ends and _takes_only_that(function, ends):
        return f"call `{ends}({loss.name})`"
    if not ends:
        return f"release `{loss.name}`"
    if (count := _arguments_beside(function, ends)) is not None:
        return f"call `{ends}({loss.name}{', ...' if count > 1 else ''})`"
    return f"call `{ends}` to release `{loss.name}`"


def _arguments_beside(function: Function, ends: str) -> int | None:
    """How many arguments a function is called with elsewhere in the file; None where it is not called there as such."""
    for one in function.program.functions_in(function.path):
        if one.mentions(ends):
            for call in one.calls():
                if call.kind == "call" and isinstance(call.callee, records.Name) and call.callee.text == ends:
                    return len(call.args)
    return None


def _takes_only_that(function: Function, ends: str) -> bool:
    """Whether a function of the project is called with the handle alone."""
    declared = [one.record for one in function.program.index.functions_called(ends)] if "::" not in ends else []
    return bool(declared) and all(one.kind == "function" and len(one.parameters) == 1 for one in declared)


def _owner(function: Function, loss: leaks.HandleLoss) -> str:
    """What holds it from the start, by the type that is declared: of a type that may own already, nothing is said."""
    written = function.locals.get(loss.name, ("", None))[0]
    kind = types.parse(written)
    ends = _ends(loss)
    made = _made_by_new(loss)
    if ends == "delete" and (made or kind.pointers == 1):
        several = sum(isinstance(one, events.Write) and one.place == (loss.name,) for one in function.flow) > 1
        name = kind.name if kind.pointers == 1 and (several or not made) else made.removesuffix("[]")
        return f"hold it in a `std::unique_ptr<{name}{'[]' if made.endswith('[]') else ''}>`"
    if ends == "delete" and kind.is_placeholder:
        return "hold it in a `std::unique_ptr`"
    if ends and (kind.pointers or kind.is_placeholder):
        return f"hold it in a `std::unique_ptr` whose deleter calls `{ends}`"
    return "hold it in an object whose destructor releases it"


def _steps(function: Function, loss: leaks.HandleLoss) -> Iterator[Step]:
    if loss.kind in ("failure", "gathered", "rest", "resized"):
        held = f"`{loss.name}`" if loss.kind in ("failure", "resized") else f"the objects in `{loss.name}`"
        yield from leaks.steps(function, loss, held)
        return
    count, more = exits.shown([way.exit for way in loss.ways])
    for way in loss.ways[:count]:
        match way.exit:
            case events.Write():
                if way.exit.span != loss.acquired.span:
                    yield function.step(way.exit, f"`{loss.name}` is overwritten here")
            case _:
                alone = len(loss.ways) == 1
                yield from exits.steps(
                    function, way.exit, f"`{loss.name}`", way.trail, alone=alone, acquired=loss.acquired
                )
    yield from exits.further(function, more, f"`{loss.name}`")
    if loss.kind == "skipped":
        yield from leaks.released_elsewhere(function, loss, f"`{loss.name}`")


def _ends_a_test(function: Function) -> bool:
    """Whether it is a step of a test program, called by `main` alone: its failure is the end of the process."""
    if not _TESTS.search(function.path):
        return False
    callers = function.program.index.callers(function)
    return bool(callers) and all(caller.name in leaks.ENTRIES for caller in callers)
