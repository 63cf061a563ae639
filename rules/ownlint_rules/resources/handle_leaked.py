"""A handle or heap memory is lost on some path: nobody releases it any more.

A local holds what was just allocated, opened or created, and only later puts it where it is kept or released. When the
function leaves in between, because a call fails or otherwise, when the variable gets the next one, or when the release
is forgotten, nobody knows the handle any more. It leaks, once for each time.

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

Reported where a local of a raw type (a pointer, a descriptor, a struct around one) gets a handle that somebody has to
release, and a path leads from there to an exit, to the end of its scope or to another handle in the same variable, on
which nobody has taken it over: no release, no store into something that outlives the call, no owner, no cleanup, no
callee that keeps or frees it. Who hands out a handle is told by models (`malloc`, `fopen`, `cudaMalloc`), by `new`, by
pairs that the project declares (`Allocate`/`Deallocate`, `thing_create`/`thing_destroy`) and by the bodies of its own
functions. Exceptions count where the project's own callee throws, where a handler of the same function leaves, and
where a Python object is called. The same of all that a local container has gathered, where a failing exit is reached
before the container is handed over; of the rest of a container whose elements a loop releases; and of what a local
owner gives up with nobody to take it (`owner.release();`).

Copies of the handle in other locals, references to them and members of local structs are followed; a leak is one on a
path where none of them leads to it any more.

Quiet where the exit is about the handle itself (`if (h.is_null())`, `fd < 0`, the failure of the call that would have
acquired it), where a lambda or a guard object was given the variable, where the release stands under a condition of its
own (`if (owned) free(p)`), where the object hands itself over where it is made (`this` in the constructor's arguments)
or deletes itself, for statics, for locals that an attribute cleans up, and in `main`; where an owner gives up what
somebody was given before, beside a comment, or by a cast to void. A handle that is `never` released is `certain` when
nobody but functions that are known to keep nothing has seen it. Shown with `--certainty possible`: what a function was
given of which nobody knows what it does, and which nobody releases or keeps afterwards; and what is lost by a step of a
test program that `main` alone calls, since its failure ends the process.

Limits: what a macro of unknown shape does is not seen. A handle that a struct of the project's own keeps in a member
counts when the struct is a local value. A variable that is overwritten counts when the new value is a call's.
Containers are those that models know, and arrays; of these an exit that is no failure is not reported.

Source: a review of GPU command-buffer caching in XLA, where a macro returned between `Allocate` and the cache; MLIR's
Python bindings, which destroyed a pass manager only where parsing its pipeline had failed.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from ownlint import Certainty, Finding, Function, Step, because, events, leaks, rule
from ownlint_rules.resources import _rounds as rounds

_TESTS = re.compile(r"(?:^|/)tests?/|_tests?\.\w+$")
_IN_A_TEST = "it is a step of a test program, which exits when the step fails"
_MOST_STEPS = 3
_SAYS = {
    "never": "`{}` is never released",
    "skipped": "`{}` is released on some paths only",
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
            f"`{lost.name}` gives up ownership and the result is discarded: the object leaks",
            help="call `reset()` instead, or pass the result to the new owner",
            steps=(function.step(lost.made, "created here"),),
        )
    for left in rounds.left_early(function):
        yield function.finding(
            left.leave,
            f"the remaining elements of `{left.container}` leak when the loop exits here",
            certainty=left.certainty,
            help="release the remaining elements on failure, or store smart pointers",
            steps=(
                function.step(left.release, "each iteration releases one element"),
                function.step(left.test, "this can fail before the last iteration"),
            ),
        )


def _message(function: Function, loss: leaks.HandleLoss) -> str:
    match loss.kind:
        case "failure":
            return f"`{loss.name}` leaks when {leaks.when(function, loss)}"
        case "gathered":
            return f"the objects collected in `{loss.name}` leak when {leaks.when(function, loss)}"
    return _SAYS[loss.kind].format(loss.name)


def _certainty(function: Function, loss: leaks.HandleLoss) -> Certainty:
    ends = loss.kind == "failure" and _ends_a_test(function)
    return because("possible", _IN_A_TEST) if ends else loss.certainty


def _help(function: Function, loss: leaks.HandleLoss) -> str:
    match loss.kind:
        case "failure":
            owner = leaks.owner_advice(function, "let a smart pointer own it from the start")
            return f"release `{loss.name}` before this exit" + owner
        case "gathered":
            return f"store smart pointers in `{loss.name}`, or release its elements on this path"
    return f"release `{loss.name}` on every path" + leaks.owner_advice(function, "let a smart pointer own it")


def _steps(function: Function, loss: leaks.HandleLoss) -> Iterator[Step]:
    if loss.kind in ("failure", "gathered"):
        held = f"the objects in `{loss.name}`" if loss.kind == "gathered" else f"`{loss.name}`"
        yield from leaks.steps(function, loss, held)
        return
    if loss.ended is not None and loss.kind == "skipped":
        released = isinstance(loss.ended, events.CallEvent)
        yield function.step(loss.ended, "released here" if released else "ownership is taken here")
    for way in loss.ways[:_MOST_STEPS]:
        match way.exit:
            case events.Write():
                if way.exit.span != loss.acquired.span:
                    yield function.step(way.exit, "overwritten here")
            case events.End():
                yield function.step(way.exit, f"`{loss.name}` goes out of scope here")
            case _:
                yield function.step(way.exit, "this exits without releasing it")


def _ends_a_test(function: Function) -> bool:
    """Whether it is a step of a test program, called by `main` alone: its failure is the end of the process."""
    if not _TESTS.search(function.path):
        return False
    callers = function.program.index.callers(function)
    return bool(callers) and all(caller.name == "main" for caller in callers)
