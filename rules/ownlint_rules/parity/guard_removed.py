"""A change removes a check, but the code that it protected is still there.

## What it reports

- with `--diff-base`, a condition on which the function threw, aborted, failed or returned at once, and that is gone
  although the function still uses the data
- a condition around work that is still done, and a releasing call whose acquisition is still there
- a function whose work was removed, or whose check was removed while a sibling still has it

## Why it is a bug

A refactoring, a merge, or a copy of one backend's file over another loses an early return: the function continues with
an empty list, a null pointer or an invalid handle. A diff does not show what a removed line was for.

## Example

bad:

```cpp before/cuda/graph.cc
Status CudaGraph::Launch(int count, Stream* stream) {
  if (count == 0) return InvalidArgument("nothing to launch");
  Begin(stream);
  Submit(stream, nodes_, count);
  return Finish(stream);
}
```

```cpp cuda/graph.cc
Status CudaGraph::Launch(int count, Stream* stream) {
  Begin(stream);
  Submit(stream, nodes_, count);
  return Finish(stream);
}
```

```text
cuda/graph.cc:2: warning: `Launch` no longer fails on `count == 0`
  help: restore the check, or explain in a comment why it is no longer needed
```

good:

```cpp before/cuda/graph.cc
Status CudaGraph::Launch(int count, Stream* stream) {
  if (count == 0) return InvalidArgument("nothing to launch");
  Begin(stream);
  Submit(stream, nodes_, count);
  return Finish(stream);
}
```

```cpp cuda/graph.cc
Status CudaGraph::Launch(int count, Stream* stream) {
  if (count <= 0) return InvalidArgument("nothing to launch");
  Begin(stream);
  Submit(stream, nodes_, count);
  return Finish(stream);
}
```

## How to fix it

Restore the check, or explain in a comment why it is no longer needed.

## What it does not report

- a check that moved to a helper, to another method of the class or a base, or to all callers
- a check that another check of the same data replaces, or one that refuses with the same message; what needs the
  data to be there, or takes an element by the index, does not replace the check
- a function of which less than 70 % is unchanged, unless only the check was removed
- a parameter or member that has another type now, and handling of the outcome of a call

## Known limitations

- A function that was rewritten is reported if a sibling still treats the same condition as an error.
- Only a condition that is followed by a `return`, a `throw` or an abort within three statements is a check. A weaker
  check in place of a stronger one is not detected.
- Siblings are the same functions of other backends and of other classes on one base, functions in the same slot of
  tables of one type, overloads and specialisations, and functions whose names differ by one word as their files do.

## Source

XLA's command buffers, where a check was taken out of one backend and kept in the other.
"""

from __future__ import annotations

from collections.abc import Iterator

from ownlint import Finding, Function, Span, Step, because, rule
from ownlint_rules.parity import _parity as parity
from ownlint_rules.parity import _taken_out as taken_out


@rule(severity="warning", of_change=True, cwe=(754,))
def guard_removed(function: Function) -> Iterator[Finding]:
    old = taken_out.before(function)
    if old is None or old is function:
        return
    removed = dict(taken_out.unhandled(old, function))
    lost = (*taken_out.removed_guards(old, function), *taken_out.without_state(old, function))
    guards = dict.fromkeys((*lost, *removed))
    for guard in guards:
        alternatives = [one for one in guards if one.span == guard.span and one.exit == guard.exit]
        if guard is not alternatives[0]:
            continue  # `if (a || b) return error;` is one check
        shown = " or ".join(f"`{one.shown}`" for one in alternatives)
        yield _finding(
            function,
            old,
            guard.span,
            f"`{function.name}` no longer {_LEFT[guard.exit]} {shown}",
            next((kept for one in alternatives if (kept := _still_asking(function, one.form)) is not None), None),
            "check",
            next((removed[one] for one in alternatives if one in removed), None),
        )
    for release in taken_out.removed_releases(old, function):
        said = f"`{function.name}` no longer calls `{release.shown}`"
        yield _finding(function, old, release.span, said, _still_releasing(function, release.name), "call")
    if (emptied := taken_out.emptied(old, function)) is not None:
        said = f"`{function.name}` no longer does anything, while `{emptied.sibling.symbol}` still {emptied.does}"
        yield function.finding(
            function.body[-1] if function.body else Span(function.record.end - 1, function.record.end),
            said,
            certainty=because("convention", _NOT_KNOWN.format("work")),
            help="restore the code, or explain in a comment why it is no longer needed",
            steps=(
                function.step(
                    Span(function.record.name_span.start, function.record.end), "this change removes it here"
                ),
                emptied.sibling.step(emptied.kept, f"`{emptied.sibling.symbol}` does"),
            ),
        )


_NOT_KNOWN = "it is not known whether the {} is still needed"
_LEFT = {
    "throws": "throws on",
    "fails": "fails on",
    "leaves": "returns on",
    "aborts": "requires",
    "skips": "checks",
    "repairs": "handles",
    "refuses": "checks",
    "handles": "checks",
    "validates": "calls",
    "passes over": "skips on",
}


def _finding(
    function: Function,
    old: Function,
    at: Span,
    said: str,
    kept: tuple[Function, Span] | None,
    what: str,
    need: Span | None = None,
) -> Finding:
    between, behind = taken_out.gap(old, function, at)
    steps: list[Step] = [function.step(between, f"this change removes the {what} here")]
    if kept is not None:
        sibling, where = kept
        said += f", as `{sibling.symbol}` still does"
        steps.append(sibling.step(where, f"the same {what} in `{sibling.symbol}`"))
    return function.finding(
        behind if need is None else need,
        said,
        certainty=because("convention", _NOT_KNOWN.format(what)),
        help=f"restore the {what}, or explain in a comment why it is no longer needed",
        steps=tuple(steps),
    )


def _still_asking(function: Function, form: str) -> tuple[Function, Span] | None:
    """The first sibling that asks the same, and where."""
    known = parity.of(function.program)
    for sibling in known.siblings(function):
        for asked in known.outline(sibling).asked:
            if parity.without_limits(asked.form) == parity.without_limits(form):
                return sibling, asked.span
    return None


def _still_releasing(function: Function, name: str) -> tuple[Function, Span] | None:
    known = parity.of(function.program)
    for sibling in known.siblings(function):
        for release in known.outline(sibling).releases:
            if release.name == name:
                return sibling, release.span
    return None
