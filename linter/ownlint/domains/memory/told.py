"""What the walk over memory sees and does, in words: for whoever asks why something is reported, or is not.

`#4` is the event of that number. A block is named by how it was come by: `*node` is what `node` pointed to at first,
`new#4` what event 4 made, `&x` the memory of a variable.
"""

from __future__ import annotations

from collections.abc import Iterator

from ownlint.domains.memory.blocks import NOTHING, OWNED, Block, EndedBlock, MemoryState, Pointer
from ownlint.domains.memory.memory import MemoryWalk, certainty, summary
from ownlint.domains.memory.seen import may_take
from ownlint.engine.heap import SeenIncident, SeenRun
from ownlint.engine.ranges import Range, ranged
from ownlint.finding import reason_of
from ownlint.project.subjects import Function


def seen(function: Function) -> SeenRun:
    """One run, and all that it found."""
    if not may_take(function):
        return SeenRun("by the names it calls, nothing in it frees memory that something points into")
    walk, run = MemoryWalk(function), SeenRun()
    told = {(one.what, one.at.index, one.ended.at): one for one in walk.run(run.listener(in_words))}
    run.complete = walk.complete
    for one in sorted(walk.found.values(), key=lambda one: (one.at.index, one.what, one.ended.at)):
        left = told.get((one.what, one.at.index, one.ended.at))
        dropped = "" if left is not None else "every path to it has the same before"
        said = f"`{one.name}` {one.what}: {_pointer(Pointer(one.block))} {_ended(one.ended)}"
        run.incidents.append(SeenIncident(one.at.index, said, reason_of(certainty(left or one)), dropped))
    for twice in walk.twice.values():
        said = f"`{twice.owner}` already owns {_pointer(Pointer(twice.block))}"
        run.incidents.append(SeenIncident(twice.at.index, said, reason_of(twice.certainty), ""))
    return run


def does(function: Function) -> Iterator[str]:
    """What a call of the function does to its caller's memory."""
    known = summary(function, False)
    if not known.known:
        yield "its effects on memory are not known"
        return
    for block, how in known.ends:
        yield f"frees {_pointer(Pointer(block))} ({how.why})"
    for case in known.cases:
        for block, how in case.ends:
            yield f"frees {_pointer(Pointer(block))} ({how.why}) where {_ranges(case.parameter, case.within)}"
    if known.result is not None:
        yield f"returns {_pointer(known.result)}"
    if known.renewed is not None:
        yield f"returns an element of the new ones in {_cell(known.renewed[0])}"
    for cell, pointer in known.puts:
        is_owned = cell.path == (OWNED,)
        yield f"adopts {_pointer(Pointer(cell.block))}" if is_owned else f"leaves {_pointer(pointer)} in {_cell(cell)}"
    if known.writes:
        yield "may change pointers visible to others"


def in_words(state: MemoryState) -> Iterator[str]:
    """What is known in a state, a line each."""
    for cell, pointer in sorted(state.cells.items(), key=repr):
        yield f"{_cell(cell)} = {_pointer(pointer)}"
    for block, how in sorted(state.ended.items(), key=repr):
        yield f"{_pointer(Pointer(block))} {_ended(how)}"
    for said, how_it_went in sorted(state.tests.items(), key=repr):
        if isinstance(how_it_went, Range):
            yield _ranges(said.removeprefix("="), (how_it_went,))
        elif not said.startswith(NOTHING):
            yield f"{said} is {'true' if how_it_went else 'false'}"
    if state.shaken:
        yield f"{state.shaken} call{'s' * (state.shaken > 1)} may have changed what others see"


def _ended(how: EndedBlock) -> str:
    by = f", by {how.by}" if how.by and how.by != how.why else ""
    return f"was freed at #{how.at} ({how.why}{by}{'' if how.certainty == 'certain' else f', {how.certainty}'})"


def _ranges(name: str, ranges: tuple[Range, ...]) -> str:
    return " or ".join(ranged(name, one) for one in ranges)


def _cell(cell: Pointer) -> str:
    """A place, as code would write it."""
    if cell.block[0] == "var":
        return ".".join((str(cell.block[1]), *cell.path))
    of = _pointer(Pointer(cell.block))
    return of.removeprefix("*") + "->" + ".".join(cell.path) if cell.path else f"*{of}" if of[:1] != "*" else of


def _pointer(pointer: Pointer) -> str:
    inside = "".join(f".{step}" for step in pointer.path)
    return _block(pointer.block) + inside


def _block(block: Block) -> str:
    match block:
        case ("var", name):
            return f"&{name}"
        case ("in", inner, path):
            return "*" + _cell(Pointer(inner, path))
        case ("late", times, inner, path):
            return f"*{_cell(Pointer(inner, path))} (after {times} unknown)"
        case ("made", event, which):
            return f"{which}#{event}"
        case ("number", number):
            return str(number)
        case ("lost",):
            return "unknown"
    return str(block[0])
