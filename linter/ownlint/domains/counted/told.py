"""What the walk over counted references sees and does, in words: for whoever asks why something is reported, or is not.

`#4` is the event of that number, and an object is named by the event that it comes from.
"""

from __future__ import annotations

from collections.abc import Iterator

from ownlint.domains.counted.counting import Counting, is_concerned, summary
from ownlint.domains.counted.counts import CountState, HeldReference, Id, KnownPlace
from ownlint.engine.heap import SeenIncident, SeenRun
from ownlint.flow.places import render
from ownlint.project.subjects import Function


def seen(function: Function) -> SeenRun:
    """One run, and all that it found."""
    if not is_concerned(function):
        return SeenRun("by the names it calls, nothing in it uses counted references")
    counting, run = Counting(function), SeenRun()
    told = {(one.what, one.at.index, one.site.index, one.name): one for one in counting.run(run.listener(in_words))}
    run.complete = counting.complete
    for one in sorted(counting.found.values(), key=lambda one: (one.at.index, one.what, one.name)):
        left = told.get((one.what, one.at.index, one.site.index, one.name))
        dropped = "" if left is not None else "a macro hides a `goto`: its target is not known"
        said = f"`{one.name}` {one.what}, of #{one.site.index}"
        run.incidents.append(SeenIncident(one.at.index, said, (left or one).reason, dropped))
    return run


def does(function: Function) -> Iterator[str]:
    """What a call of the function does with the references of its caller."""
    known = summary(function)
    if known.result:
        lent = f", borrowed from argument {known.lender + 1}" if known.lender >= 0 else ""
        yield f"returns {known.result}{lent}{', or NULL' if known.nullable else ''}"
    for number, use in enumerate(known.arguments, 1):
        if use:
            yield f"argument {number} is {use}"


def in_words(state: CountState) -> Iterator[str]:
    """What is known in a state, a line for each object; not of arguments of which only that is known."""
    holders: dict[Id, list[str]] = {}
    for place, value in sorted(state.places.entries.items()):
        if isinstance(value, KnownPlace):
            yield f"{render(place)} is {_KNOWN.get(value.signs, f'a number ({value.signs})')}"
        elif not place[0].startswith("%"):
            holders.setdefault(value, []).append(render(place))
    for one, held in sorted(state.objects.entries.items()):
        said = ", ".join(_held(held))
        if said != "given, owes 0":
            names = f" ({', '.join(holders[one])})" if one in holders else ""
            yield f"{_object(one)}{names}: {said}"
    for tested, outcome in sorted(state.tests):
        yield f"{tested} is {'true' if outcome else 'false'}"


_KNOWN = {"0": "NULL", "-+": "not NULL"}


def _object(one: Id) -> str:
    site, number = one
    return (f"argument {-1 - site}" if site < -1 else f"object#{site}") + (f" (round {number + 1})" if number else "")


def _held(held: HeldReference) -> Iterator[str]:
    yield held.kind
    yield f"owes {held.owed}"
    if held.null == "maybe":
        yield "possibly NULL"
    if held.owner is not None:
        yield f"borrowed from {_object(held.owner)}"
    for word, event in (("dead", held.dead), ("taken", held.taken), ("stored without a count", held.put)):
        if event >= 0:
            yield f"{word} since #{event}"
    if held.stored:
        yield "stored"
    if held.pending:
        yield "possibly stolen"
