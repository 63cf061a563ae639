"""A raw handle leaks on a path where a call fails.

A local holds what was just allocated, opened or created, and only later puts it where it is kept or released. When a
call in between fails and the function leaves (by a macro, by hand, by an exception, by a jump), nobody knows the handle
any more. It leaks, once for each failure.

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
release, and a path leads from there to an exit on which nobody has taken it over: no release, no store into something
that outlives the call, no owner, no cleanup, no callee that keeps or frees it. Who hands out a handle is told by models
(`malloc`, `fopen`, `cudaMalloc`), by `new`, by pairs that the project declares (`Allocate`/`Deallocate`,
`thing_create`/`thing_destroy`) and by the bodies of its own functions. Exceptions count where the project's own callee
throws, where a handler of the same function leaves, and where a Python object is called.

Quiet where the exit is about the handle itself (`if (h.is_null())`, `fd < 0`, the failure of the call that would have
acquired it), where a lambda or a guard object was given the variable, and where the release stands under a condition
of its own (`if (owned) free(p)`). Shown with `--certainty possible`: what a function was given of which nobody knows
what it does, and which nobody releases or keeps afterwards; and what is lost by a step of a test program that `main`
alone calls, since its failure ends the process.

Limits: two variables that hold the same handle are followed as one, in any order. What a macro of unknown shape does is
not seen. A handle that a struct of the project's own keeps in a member counts when the struct is a local value.

Source: a review of GPU command-buffer caching in XLA, where a macro returned between `Allocate` and the cache.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from ownlint import Finding, Function, because, rule
from ownlint_rules.resources import _losing as losing

_TESTS = re.compile(r"(?:^|/)tests?/|_tests?\.\w+$")


_IN_A_TEST = "it is a step of a test program, which ends when the step fails"


@rule(severity="error", cwe=(401,))
def lost_on_failure(function: Function) -> Iterator[Finding]:
    for loss in losing.losses(function):
        if loss.kind == "failure":
            yield function.finding(
                loss.acquired,
                f"`{loss.name}` is lost when {losing.when(function, loss)}",
                certainty=because("possible", _IN_A_TEST) if _ends_a_test(function) else loss.certainty,
                help=f"release `{loss.name}` before this exit"
                + losing.owner_advice(function, "let a smart pointer own it from the start"),
                steps=tuple(losing.steps(function, loss, f"`{loss.name}`")),
            )


def _ends_a_test(function: Function) -> bool:
    """Whether it is a step of a test program, called by `main` alone: its failure is the end of the process."""
    if not _TESTS.search(function.path):
        return False
    callers = function.program.index.callers(function)
    return bool(callers) and all(caller.name == "main" for caller in callers)
