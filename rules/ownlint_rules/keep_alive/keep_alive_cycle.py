"""Two objects keep each other alive.

## What it reports

- a binding whose keep-alives go in both directions
- two or three bindings whose keep-alives form a cycle of classes
- `keep_alive<1, 0>` with a policy by which the result keeps `self` alive, or on an object that stores its nurse

## Why it is a bug

What a `keep_alive` keeps alive is invisible to the garbage collector. If two objects keep each other alive, neither is
ever freed.

## Example

bad:

```cpp
class World;
class Player;
PYBIND11_MODULE(game, m) {
  py::class_<World>(m, "World").def("spawn", [](World&, Player&) {}, py::keep_alive<1, 2>());
  py::class_<Player>(m, "Player").def(py::init<World&>(), py::keep_alive<1, 2>());
}
```

```text
case.cc:5: note: `Player.__init__` makes a `Player` keep its `World` alive, which keeps the `Player` alive
```

good:

```cpp
class World;
class Player;
PYBIND11_MODULE(game, m) {
  py::class_<World>(m, "World").def("spawn", [](World&, Player&) {});
  py::class_<Player>(m, "Player").def(py::init<World&>(), py::keep_alive<1, 2>());
}
```

## How to fix it

Remove one of the keep-alives.

## What it does not report

- keep-alives in one direction
- keep-alives without effect

## Known limitations

- Classes are compared, not objects: if a parent keeps one child alive and another child keeps the parent alive, there
  is no cycle. This is why the rule is a note.
- Cycles of four or more classes are not detected.
- A keep-alive next to a shared pointer that C++ stores anyway is not reported.

## Source

pybind11 documentation, "Keep alive"; nanobind documentation, "Reference cycles". `keep_alive<1, 0>` with
`reference_internal`, and with a result that holds `self`: both objects live for ever, run on pybind11 2.13.6 and 3.0.2
and nanobind 2.9.2.
"""

from __future__ import annotations

from collections.abc import Iterator

from ownlint import Finding, Program, arguments, rule
from ownlint_rules.keep_alive import _hidden_members as hidden_members


@rule(severity="note", cwe=(401,))
def keep_alive_cycle(program: Program) -> Iterator[Finding]:
    seen: dict[tuple[str, str], arguments.KeptAlive] = {}
    told: set[tuple[int, frozenset[str]]] = set()
    for kept in arguments.kept_classes(program):
        pair = (kept.nurse, kept.patient)
        back = seen.get((kept.patient, kept.nurse))
        if back is None and pair not in seen and kept.nurse != kept.patient:
            yield from _around(kept, seen)
        seen.setdefault(pair, kept)
        if back is None or (kept.nurse == kept.patient and back.binding is not kept.binding):
            continue
        if back.binding is kept.binding:
            if (kept.indexes[1], kept.indexes[0]) == back.indexes:
                message = f"makes a `{back.nurse}` and a `{back.patient}` keep each other alive"
                yield kept.binding.finding(kept.binding.record, f"`{kept.binding.symbol}` {message}")
            continue
        told_of = (id(kept.binding), frozenset(pair))
        if kept.nurse == kept.patient or told_of in told:
            continue
        told.add(told_of)
        step = back.binding.step(back.binding.record, f"a `{back.nurse}` keeps a `{back.patient}` alive here")
        yield kept.binding.finding(
            kept.binding.record,
            f"`{kept.binding.symbol}` makes a `{kept.nurse}` keep its `{kept.patient}` alive, which keeps "
            f"the `{kept.nurse}` alive",
            steps=(step,),
        )
    yield from _held_back(program)


def _held_back(program: Program) -> Iterator[Finding]:
    """A keep-alive whose patient holds its nurse by other means."""
    for binding in program.bindings:
        for keep in hidden_members.holds_keeper(binding):
            patient = "its result" if keep.patient == 0 else f"argument {keep.patient}"
            nurse = f"a `{binding.owner.name}`" if keep.nurse == 1 and binding.owner else f"argument {keep.nurse}"
            yield binding.finding(
                binding.record,
                f"`{binding.symbol}` makes {nurse} keep {patient} alive, which keeps it alive in turn",
                help=f"remove `{keep.extra.text}`",
            )


def _around(last: arguments.KeptAlive, seen: dict[tuple[str, str], arguments.KeptAlive]) -> Iterator[Finding]:
    """The circle of three that this keep-alive closes."""
    for (nurse, between), first in seen.items():
        second = seen.get((between, last.nurse))
        if nurse != last.patient or second is None or between in (last.nurse, last.patient):
            continue
        ways = (first, second)
        steps = tuple(
            one.binding.step(one.binding.record, f"a `{one.nurse}` keeps a `{one.patient}` alive here") for one in ways
        )
        yield last.binding.finding(
            last.binding.record,
            f"`{last.binding.symbol}` makes a `{last.nurse}` keep its `{last.patient}` alive, which keeps "
            f"it alive through a `{between}`",
            steps=steps,
        )
        return
