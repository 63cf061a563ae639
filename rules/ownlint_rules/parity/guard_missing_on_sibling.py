"""One backend's function makes a check that the same function of another backend lacks.

## What it reports

- a condition on which one backend's function throws, aborts, fails or returns at once, and which the same function of
  another backend does not check although it uses the same data
- a call that releases something, which the other backend does not make
- both only if the rest of the two functions is at least 70 % alike; a condition also if other functions of the same
  file or class check it
- a condition that all other functions of a family check: three or more functions of one file and class whose names
  differ by one word, or overloads

## Why it is a bug

Two backends are written side by side. A check that was added to one of them after a bug is missing in the other, which
still has the bug.

## Example

bad:

```cpp before/cuda/graph.cc
Status CudaGraph::Launch(int count, Stream* stream) {
  cuBegin(stream);
  cuSubmit(stream, nodes_, count);
  return Finish(stream);
}
```

```cpp before/rocm/graph.cc
Status RocmGraph::Launch(int count, Stream* stream) {
  hipBegin(stream);
  hipSubmit(stream, nodes_, count);
  return Finish(stream);
}
```

```cpp cuda/graph.cc
Status CudaGraph::Launch(int count, Stream* stream) {
  if (count == 0) return InvalidArgument("nothing to launch");
  cuBegin(stream);
  cuSubmit(stream, nodes_, count);
  return Finish(stream);
}
```

```cpp rocm/graph.cc
Status RocmGraph::Launch(int count, Stream* stream) {
  hipBegin(stream);
  hipSubmit(stream, nodes_, count);
  return Finish(stream);
}
```

```text
rocm/graph.cc:1: warning: `RocmGraph::Launch` does not check `count == 0`, but its sibling `CudaGraph::Launch` does
  help: add the check, or explain in a comment why this backend does not need it
```

good:

```cpp cuda/graph.cc
Status CudaGraph::Launch(int count, Stream* stream) {
  if (count == 0) return InvalidArgument("nothing to launch");
  cuBegin(stream);
  cuSubmit(stream, nodes_, count);
  return Finish(stream);
}
```

```cpp rocm/graph.cc
Status RocmGraph::Launch(int count, Stream* stream) {
  if (count == 0) return InvalidArgument("nothing to launch");
  hipBegin(stream);
  hipSubmit(stream, nodes_, count);
  return Finish(stream);
}
```

## How to fix it

Add the check, or explain in a comment why this backend does not need it.

## What it does not report

- the same check in a helper, and another check of the same data
- platform versions (`#if`)
- names that one backend does not have
- handling of the outcome of a call

## Known limitations

- Siblings are functions whose paths and names differ only by words for backends (a model's `[[parity]]`, or `parity =
  [["left", "right"]]` in the settings), and overrides of one virtual method.
- Families are sought in C and C++ only.
- A finding is `likely` if the other backend fails, throws or aborts, or if the change under review adds the check to
  one backend only (`--diff-base`); else it is `possible`.
- Only a condition that is followed by a `return`, a `throw` or an abort within three statements is a check.

## Source

XLA's command buffers for CUDA and ROCm.
"""

from __future__ import annotations

from collections.abc import Iterator

from ownlint import Certainty, Finding, Function, Span, because, rule
from ownlint_rules.parity import _families as families
from ownlint_rules.parity import _parity as parity
from ownlint_rules.parity import _taken_out as taken_out

_ON_ONE_BASE = "`{}` overrides the same method and may differ on purpose"
_ALONE = "that the check is needed is inferred from `{}` only"


@rule(severity="warning", cwe=(754,), yields_to=("guard-removed",))
def guard_missing_on_sibling(function: Function) -> Iterator[Finding]:
    known = parity.of(function.program)
    siblings = known.siblings(function)
    said: set[str] = set()
    if siblings:
        yield from _by_siblings(function, siblings, said)
    for guard, example, count in families.missing(function):
        if guard.condition not in said and not _had(function, guard):
            said.add(guard.condition)
            why = f"that the check is needed is inferred: all {count} functions like this one in the file make it"
            what = f"does not check `{guard.shown}`"
            yield _finding(function, example, guard.span, what, because("convention", why))


def _by_siblings(function: Function, siblings: list[Function], said: set[str]) -> Iterator[Finding]:
    known = parity.of(function.program)
    own = known.outline(function)
    for sibling in siblings:
        other = known.outline(sibling)
        asking = [guard for guard in other.guards if guard.exit not in ("validates", "passes over")]
        lacking = [guard for guard in known.lacking(function, asking) if not _had(function, guard)]
        is_alike = parity.is_alike(own, other, lacking)
        if not is_alike:
            lacking = [guard for guard in known.lacking_beside(function, asking) if not _had(function, guard)]
        for guard in lacking:
            if guard.condition not in said:
                said.add(guard.condition)
                yield _finding(
                    function,
                    sibling,
                    guard.span,
                    f"does not check `{guard.shown}`",
                    _certainty(function, sibling, guard),
                )
        for release in other.releases if is_alike else ():
            if release.name not in said and _keeps(own, release):
                said.add(release.name)
                yield _finding(
                    function,
                    sibling,
                    release.span,
                    f"does not call `{release.shown}`",
                    because("possible", _ALONE.format(sibling.symbol)),
                )


def _had(function: Function, guard: parity.ParityGuard) -> bool:
    """Whether the change under review takes it out: that is another finding."""
    old = taken_out.before(function)
    if old is None or old is function:
        return False
    return guard.form in {asked.form for asked in parity.of(old.program).outline(old).asked}


def _certainty(function: Function, sibling: Function, guard: parity.ParityGuard) -> Certainty:
    """Likely where another backend fails over it, and where the change under review adds the check to that alone.
    Classes on one base need not do the same."""
    if sibling not in parity.of(function.program).backends(function):
        return because("possible", _ON_ONE_BASE.format(sibling.symbol))
    old = taken_out.before(sibling)
    if old is not None and guard.form not in {one.form for one in parity.of(old.program).outline(old).asked}:
        return because("convention", f"this change adds the check to `{sibling.symbol}` only")
    return because("guess" if guard.exit == "leaves" else "likely", _ALONE.format(sibling.symbol))


def _keeps(own: parity.FunctionOutline, release: parity.Release) -> bool:
    """Whether a body works on what the other one gives back, and gives it back in no way, nor anything in this one."""
    if release.name in own.works or any(one.what == release.what for one in own.releases):
        return False
    return parity.words(release.what) <= own.mentioned


def _finding(function: Function, sibling: Function, at: Span, what: str, certainty: Certainty) -> Finding:
    start = function.record.name_start
    return function.finding(
        Span(start, start + len(function.name.encode())),
        f"`{function.symbol}` {what}, but its sibling `{sibling.symbol}` does",
        certainty=certainty,
        help="add the check, or explain in a comment why this backend does not need it",
        steps=(sibling.step(at, f"`{sibling.symbol}` does"),),
    )
