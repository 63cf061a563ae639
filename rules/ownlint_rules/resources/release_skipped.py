"""A raw handle is released on some paths only, or never.

A function acquires a handle for itself and goes on without releasing it: it returns early, it releases it where
something has failed and nowhere else, it acquires the next one into the same variable, or it forgets about it.

bad:

```cpp
bool StartsWith(const char* path, char wanted) {
  FILE* in = fopen(path, "r");
  if (in == nullptr) return false;
  if (wanted == 0) return true;
  bool same = fgetc(in) == wanted;
  fclose(in);
  return same;
}
```

good:

```cpp
bool StartsWith(const char* path, char wanted) {
  if (wanted == 0) return true;
  FILE* in = fopen(path, "r");
  if (in == nullptr) return false;
  bool same = fgetc(in) == wanted;
  fclose(in);
  return same;
}
```

What counts as a handle, and as taking it over, is told on the page of `lost-on-failure`, which reports the exits that
are taken because something failed. A handle that is `never` released is `certain` when nobody but functions that are
known to keep nothing has seen it. A local owner that is made around a new object and gives it up with nobody to take it
(`owner.release();`) loses it too.

Quiet where the handle is kept, returned or given away, where the object hands itself over where it is made (`this` in
the constructor's arguments) or deletes itself, where the release stands under a condition of its own, for statics, for
locals that an attribute cleans up, and in `main`; where an owner gives up what somebody was given before, beside a
comment, or by a cast to void.

Limits: those of `lost-on-failure`. A variable that is overwritten counts when the new value is a call's.

Source: MLIR's Python bindings, which destroyed a pass manager only where parsing its pipeline had failed.
"""

from __future__ import annotations

from collections.abc import Iterator

from ownlint import Finding, Function, Step, events, rule
from ownlint_rules.resources import _given_up as given_up
from ownlint_rules.resources import _losing as losing
from ownlint_rules.resources import _rounds as rounds

_MOST_STEPS = 3
_SAYS = {
    "never": "`{}` is never released",
    "skipped": "`{}` is released on some paths only",
    "overwritten": "`{}` is overwritten while it still holds what was acquired before",
}


@rule(severity="error", cwe=(401, 404))
def release_skipped(function: Function) -> Iterator[Finding]:
    for loss in losing.losses(function):
        if loss.kind in _SAYS:
            yield function.finding(
                loss.acquired,
                _SAYS[loss.kind].format(loss.name),
                certainty=loss.certainty,
                help=f"release `{loss.name}` on every path"
                + losing.owner_advice(function, "let a smart pointer own it"),
                steps=tuple(_steps(function, loss)),
            )
    for lost in given_up.given_up(function):
        yield function.finding(
            lost.at,
            f"`{lost.name}` gives up what it owns, and the result is discarded: the object leaks",
            help="call `reset()` instead, or pass the result to the new owner",
            steps=(function.step(lost.made, "it is created here"),),
        )
    for left in rounds.left_early(function):
        yield function.finding(
            left.leave,
            f"the rest of `{left.container}` is not released when the loop is left here",
            certainty=left.certainty,
            help="release the remaining elements on failure, or store smart pointers",
            steps=(
                function.step(left.release, "each round releases one element"),
                function.step(left.test, "this can fail before the last round"),
            ),
        )


def _steps(function: Function, loss: losing.HandleLoss) -> Iterator[Step]:
    if loss.ended is not None and loss.kind == "skipped":
        yield function.step(
            loss.ended, "released here" if isinstance(loss.ended, events.CallEvent) else "taken over here"
        )
    for way in loss.ways[:_MOST_STEPS]:
        match way.exit:
            case events.Write():
                if way.exit.span != loss.acquired.span:
                    yield function.step(way.exit, "overwritten here")
            case events.End():
                yield function.step(way.exit, f"`{loss.name}` goes out of scope here")
            case _:
                yield function.step(way.exit, "this exits without releasing it")
