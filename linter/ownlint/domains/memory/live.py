"""What is still asked on the ways from an event on: whatever else a state knows there keeps ways apart for nothing.

Answers of calls are used by the expression around them, tests matter where the same is asked again, and a number where
its variable is named again.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from ownlint.domains.memory.blocks import Cell, MemoryState, Pointer
from ownlint.domains.memory.pointers import result_cell
from ownlint.facts import records as r
from ownlint.flow import events as e
from ownlint.flow.asked import as_asked
from ownlint.flow.graph import Flow
from ownlint.flow.places import walk
from ownlint.steps import spend

__all__ = ["LiveKnowledge"]

_Known = str | Cell


class LiveKnowledge:
    """For one function, what each of its events, and those that may come after it, may ask of a state."""

    def __init__(self, flow: Flow, tests: frozenset[str], numbers: frozenset[str]) -> None:
        """`tests` are those that are kept, as `as_asked` spells them; `numbers` variables that hold a number, and that
        nothing else leads to."""
        self._bits: dict[_Known, int] = {}
        self._numbers = {Cell(("var", name)): f"={name}" for name in numbers}
        said = [frozenset(_asked(event, tests, numbers)) for event in flow.events]
        for one in said:
            for known in one:
                self._bits.setdefault(known, 1 << len(self._bits))
        for known in (*tests, *self._numbers.values()):
            self._bits.setdefault(known, 1 << len(self._bits))
        self._at = _backwards(flow, [self._mask(one) for one in said])

    def _mask(self, known: Iterable[_Known]) -> int:
        found = 0
        for one in known:
            found |= self._bits[one]
        return found

    def sliced(self, state: MemoryState, at: int) -> MemoryState:
        """The state without what is not asked from the event of that index on."""
        mask, bits, numbers = self._at[at], self._bits, self._numbers
        idle = [said for said in state.tests if said in bits and not bits[said] & mask]
        over = [
            cell
            for cell, pointer in state.cells.items()
            if not cell.path and not self._is_live(cell, pointer, mask, bits, numbers)
        ]
        if not idle and not over:
            return state
        cells = {cell: pointer for cell, pointer in state.cells.items() if cell not in over} if over else state.cells
        tests = {said: how for said, how in state.tests.items() if said not in idle} if idle else state.tests
        return MemoryState(cells, state.ended, tests, state.shaken, state.owed)

    @staticmethod
    def _is_live(cell: Cell, pointer: Pointer, mask: int, bits: dict[_Known, int], numbers: dict[Cell, str]) -> bool:
        if cell.block[0] == "result":
            return bool(bits.get(cell, 0) & mask)
        said = numbers.get(cell)
        return said is None or bool(bits[said] & mask) or not (pointer.is_number or pointer.block[0] == "made")


def _asked(event: e.Event, tests: frozenset[str], numbers: frozenset[str]) -> Iterator[_Known]:
    """What an event asks: answers of calls in what it evaluates, the test that it is, and the numbers that it names."""
    if isinstance(event, e.Test) and (said := as_asked(event.value, True)[0]) in tests:
        yield said
    for value in _values(event):
        for inner in walk(value):
            if isinstance(inner, r.Name):
                if inner.text in numbers:
                    yield f"={inner.text}"
            elif isinstance(inner, r.Call | r.Conditional):
                yield result_cell(inner)
    if isinstance(event, e.Write) and event.op not in ("=", "init") and event.place[0] in numbers:
        yield f"={event.place[0]}"
    if isinstance(event, e.OpaqueEvent):
        yield from (f"={name}" for name in event.names if name in numbers)


def _values(event: e.Event) -> Sequence[r.Value | None]:
    match event:
        case e.CallEvent(node=node) | e.Read(node=node):
            return (node,)
        case e.Write(value=value, target=target):
            return (value, target)
        case e.LeaveEvent(value=value) | e.Test(value=value):
            return (value,)
    return ()


def _backwards(flow: Flow, own: Sequence[int]) -> list[int]:
    """By event what it asks, or one that may come after it."""
    found = list(own)
    waiting = list(range(len(found)))
    is_waiting = [True] * len(found)
    while waiting:
        index = waiting.pop()
        is_waiting[index] = False
        spend()
        for before, _ in flow.predecessors[index]:
            if (known := found[before] | found[index]) != found[before]:
                found[before] = known
                if not is_waiting[before]:
                    is_waiting[before] = True
                    waiting.append(before)
    return found
