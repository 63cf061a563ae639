"""What one way through a function knows of memory: which block a pointer points into, and which blocks have ended.

A block is known by how it was come by, so that two ways that came by it alike speak of one block:

* `("var", name)`: the memory of a variable;
* `("in", block, path)`: what the pointer at `path` of a block pointed to when the function began, or at first sight;
* `("late", times, block, path)`: the same behind so many calls that may have changed it;
* `("made", event, which)`: what an event made, or what it left where something else had been;
* `("content", block, path)`: what the object there holds, which is gone once it was moved from;
* `("bound", event)`: what an event made that calls a function with some of its arguments;
* `("number", text)`, `("constant", name)`, `("lambda", index)`: no block, but what a cell can hold as well.

A pointer is a block and a path in it. A cell, a place of memory that holds a pointer, is written in the same way.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from functools import lru_cache
from typing import Any, Literal, NamedTuple, Protocol

from ownlint.engine.ranges import Range, both
from ownlint.finding import Certainty, weaker
from ownlint.flow import events as e
from ownlint.models.records import KindModel
from ownlint.steps import spend

Block = tuple[Any, ...]
Path = tuple[str, ...]


class Pointer(NamedTuple):
    block: Block
    path: Path = ()

    @property
    def is_number(self) -> bool:
        """Whether it is no pointer: a number, or a named constant."""
        return self.block[0] in ("number", "constant")


Cell = Pointer
"""Where a pointer stands."""

ELEMENTS = "<elements>"
"""The step from a container to the pointer by which it holds its elements."""
ROOM = "<room>"
"""The step from a container to whether it has room for more of them."""
OWNED = "<owned>"
"""The step from a block to whether somebody has adopted it."""
_INSIDE = frozenset({ELEMENTS, ROOM, OWNED})
"""What only ends when somebody else changes the container, or gives the block up: who pointed to its elements points
there still."""
SOME = "[*]"
"""An element that nobody can tell from the others."""

_VARYING = "[$"

NULL = Pointer(("null",))
LOST = Pointer(("lost",))
"""Nobody knows any more where it points."""

NOTHING = "\0"
"""With this begins what is known of a pointer that a test has found to be null."""


def nothing(block: Block) -> str:
    """Under which name it is known that there is no such block: the pointer to it is null."""
    return f"{NOTHING}{block!r}"


_LATE_NOTHING = f"{NOTHING}('late'"


def given_back(block: Block) -> str:
    """Under which name it is known that the block was given back to who counts it, and may have other owners."""
    return f"{NOTHING}given back {block!r}"


def varying(name: str, until: int = -1) -> str:
    """The step to the element that a variable counts, or has counted until an event gave it another value."""
    return f"{_VARYING}{name}]" if until < 0 else f"{_VARYING}{name}@{until}]"


def is_varying(path: Path) -> bool:
    """Whether the path leads through an element of which nobody knows whether it is another one of the same array."""
    return any(step == SOME or step.startswith(_VARYING) for step in path)


def _may_be_one(one: Path, other: Path) -> bool:
    """Whether the first path may lead to, or through, what the other leads to, since an element may be another."""
    return len(one) >= len(other) and all(
        step == another or (step[:1] == another[:1] == "[" and is_varying((step, another)))
        for step, another in zip(one, other, strict=False)
    )


ITEMS = "[]"
"""The step to all the items of a container that counts them."""
_CELLS_A_STEP = 8
_TESTS_A_STEP = 16
_MOST_CELLS = 128
_LONGEST = 3
_DEEPEST = 4

GIVEN_ON = "harmless if the callee uses only the address"
"""Why it is doubted that a pointer to a local that is gone does harm where an unknown function is given it."""
MEMORY = KindModel("memory", memory=True)
"""What `delete`, an owner or a scope ends."""
Why = Literal["released", "scope", "owner", "moved", "by callee", "destroyed", "destructor", "given away", "erased"]


Answers = Literal["", "success", "failure", "unknown"]


class EndedBlock(NamedTuple):
    """`at` is the index of the event that ended the block, `by` the callee that did so, or the owner; `certainty` how
    sure it is that this ends it, and `kind` what has ended."""

    at: int
    why: Why
    by: str = ""
    certainty: Certainty = "certain"
    kind: KindModel = MEMORY
    may_fail: bool = False
    """The call that ends it ends nothing where it says that it has failed."""
    failed: bool = False
    """It has said so on this way."""
    answers: Answers = ""
    """Of what a callee ends on some of its ways: what it answers there; nothing where that says nothing of it."""
    by_state: bool = False
    """Of the same: it depends on what the object says whose member leads there, who may know later that it is gone."""


class MemoryState:
    """What is known on one way at one event. Nobody changes it: see `MemoryDraft`."""

    __slots__ = ("_hash", "_rest", "cells", "ended", "owed", "shaken", "tests")

    def __init__(
        self,
        cells: dict[Cell, Pointer] | None = None,
        ended: dict[Block, EndedBlock] | None = None,
        tests: dict[str, bool | Range] | None = None,
        shaken: int = 0,
        owed: dict[Block, int] | None = None,
    ) -> None:
        self.cells = cells or {}
        self.ended = ended or {}
        self.tests = tests or {}
        """By text how a test went, and by `=name` between which bounds a variable lies."""
        self.shaken = shaken
        """So many calls, between which something was told of what others see, may have changed that."""
        self.owed = owed or {}
        """Blocks that the function still has to release, with how sure that is: see `owed`."""
        known, gone, due = self.cells.items(), self.ended.items(), self.owed.items()
        self._rest = hash((frozenset(known), frozenset(gone), frozenset(due), shaken))
        self._hash = hash((self._rest, frozenset(self.tests.items())))

    def apart(self) -> tuple[KnownBesideTests, frozenset[tuple[str, object]]]:
        """What is known beside tests, and the tests."""
        return KnownBesideTests(self), frozenset(self.tests.items())

    def without_test(self, said: str) -> MemoryState:
        tests = {other: how for other, how in self.tests.items() if other != said}
        return MemoryState(self.cells, self.ended, tests, self.shaken, self.owed)

    def is_alike(self, other: MemoryState) -> bool:
        """Whether the same is known, whatever the tests say."""
        return (
            self._rest == other._rest
            and self.shaken == other.shaken
            and self.cells == other.cells
            and self.ended == other.ended
            and self.owed == other.owed
        )

    def covers(self, other: MemoryState) -> bool:
        """Whether all that can go wrong from the other on can go wrong from this one on, too: the same is known but for
        what the other knows beyond that, of tests and numbers and that pointers are null."""
        if self.shaken != other.shaken or self.owed != other.owed:
            return False
        for said, how in self.tests.items():
            known = other.tests.get(said)
            if known != how and not (isinstance(how, Range) and isinstance(known, Range) and both(how, known) == known):
                return False
        if self.ended != other.ended:
            for block in self.ended.keys() | other.ended.keys():
                if self.ended.get(block) != other.ended.get(block) and (
                    block in other.ended or nothing(block) not in other.tests
                ):
                    return False
        return self.cells == other.cells or all(
            self._covers_cell(cell, other) for cell in self.cells.keys() | other.cells.keys()
        )

    def _covers_cell(self, cell: Cell, other: MemoryState) -> bool:
        here, there = self.cells.get(cell), other.cells.get(cell)
        if here == there:
            return True
        if there is None or not (there == NULL or there.is_number):
            return False
        if here is None:
            return not any(one[_THROUGH[one[0]] :] == cell for one in self.ended if one[0] in _THROUGH)
        return here == LOST or (there == NULL and not here.path and nothing(here.block) in other.tests)

    def __hash__(self) -> int:
        return self._hash

    def __eq__(self, other: object) -> bool:
        return self is other or (
            isinstance(other, MemoryState)
            and self._hash == other._hash
            and self.tests == other.tests
            and self.is_alike(other)
        )


class KnownBesideTests:
    """A state for whoever does not ask for its tests."""

    __slots__ = ("_state",)

    def __init__(self, state: MemoryState) -> None:
        self._state = state

    def __hash__(self) -> int:
        return self._state._rest

    def __eq__(self, other: object) -> bool:
        return isinstance(other, KnownBesideTests) and self._state.is_alike(other._state)


What = Literal["used", "ended again", "returned", "stored"]


class MemoryTrouble(NamedTuple):
    """Something goes wrong `at` an event, with what `node` says there, because a block had `ended`."""

    what: What
    at: e.Event
    name: str
    ended: EndedBlock
    block: Block
    certainty: Certainty = "certain"
    """How sure it is, once the block has ended."""
    through: str = ""
    """The function of the project that does it."""
    variable: str = ""
    """The local that leads to the block, and by which it is used: `first` of `first.end`."""


class MemoryCase(NamedTuple):
    """What a function ends besides where an argument, a number, lies in one of these ranges."""

    parameter: str
    within: tuple[Range, ...]
    ends: tuple[tuple[Block, EndedBlock], ...]


class MemoryOutcome(NamedTuple):
    """What a function has done where it answers this number, or null; `LOST` stands for all other answers."""

    answer: Pointer
    spares: tuple[Cell, ...]
    """Cells of the caller that it changes on other paths, and not on these."""
    ends: tuple[tuple[Block, EndedBlock], ...]
    """What it ends here, and does not end on every path."""


class MaybeEnds(NamedTuple):
    """What a call may have ended: see `MemorySummary.sometimes`."""

    ends: tuple[tuple[Block, EndedBlock], ...]


class RunValue(NamedTuple):
    """A function calls what a pointer leads to, with these arguments as far as they are known."""

    called: Block
    given: tuple[Pointer, ...]


class MemorySummary(NamedTuple):
    """What a function does to the memory that its caller sees, in its own blocks."""

    known: bool = False
    ends: tuple[tuple[Block, EndedBlock], ...] = ()
    """On every exit path."""
    uses: frozenset[Block] = frozenset()
    """On some path, while they had not ended."""
    handed: tuple[tuple[Block, Certainty], ...] = ()
    """The same, given to functions that nobody sees, with how sure it is that they look at it."""
    result: Pointer | None = None
    """What every exit path returns."""
    puts: tuple[tuple[Cell, Pointer], ...] = ()
    """What every exit path leaves in cells of the caller."""
    writes: bool = True
    """It may change pointers that others see, and nobody knows which."""
    written: tuple[Cell, ...] = ()
    """Those of the caller that it changes on some path."""
    cases: tuple[MemoryCase, ...] = ()
    """Of which one holds, whatever the argument is."""
    outcomes: tuple[MemoryOutcome, ...] = ()
    """Of which one holds, where what it does can be told from its answer."""
    moves: tuple[tuple[Cell, EndedBlock], ...] = ()
    """Where every exit path leaves other elements than there were, as the cells that lead to them."""
    runs: tuple[RunValue, ...] = ()
    """What every exit path has called that its caller gave it, or that its object holds."""
    sometimes: tuple[tuple[Block, EndedBlock], ...] = ()
    """What some exit paths end, by nothing that the caller knows."""
    shared: frozenset[Block] = frozenset()
    """The counted objects to which there may be another reference after the call."""
    renewed: tuple[Cell, Path] | None = None
    """Where every exit path returns one of the elements that it leaves in a cell of `moves`: the cell, and the way from
    there."""


_LATE = "('late', "
"""How a test says that it is about such a block."""
_THROUGH = {"in": 1, "late": 2, "content": 1}


@lru_cache(maxsize=1 << 14)
def steps_to(block: Block) -> Path:
    """All the steps by which the block was come by."""
    return tuple(step for one in _chain(block) if one[0] in _THROUGH for step in one[_THROUGH[one[0]] + 1])


def _renamed(block: Block, step: str, then: str) -> Block:
    at = _THROUGH.get(block[0])
    if at is None:
        return block
    path = tuple(then if one == step else one for one in block[at + 1])
    return (*block[:at], _renamed(block[at], step, then), path)


@lru_cache(maxsize=1 << 14)
def _chain(block: Block) -> tuple[Block, ...]:
    """The block, and all through which it was come by; the last is a variable, or what an event made."""
    found = [block]
    while block[0] in _THROUGH:
        block = block[_THROUGH[block[0]]]
        found.append(block)
    return tuple(found)


def content(cell: Cell) -> Block:
    """What the object holds that stands there."""
    return ("content", cell.block, cell.path)


def root(block: Block) -> Block:
    """The variable, or the event, from which the block was come by."""
    return _chain(block)[-1]


def is_within(block: Block, outer: Block) -> bool:
    """Whether the block was come by through `outer`."""
    return outer in _chain(block)


def initial(cell: Cell, shaken: int) -> Pointer:
    """What a cell that nobody has written points to."""
    if (
        len(_chain(cell.block)) > _DEEPEST
        or len(cell.path) > _LONGEST
        or SOME in cell.path
        or cell.block in (NULL.block, LOST.block)
    ):
        return LOST
    late = shaken and not _is_inside(cell)
    return Pointer(("late", shaken, cell.block, cell.path) if late else ("in", cell.block, cell.path))


def _is_inside(cell: Cell) -> bool:
    return cell.path[-1:] != () and cell.path[-1] in _INSIDE


class Frame(Protocol):
    """The function that is walked."""

    def is_private(self, block: Block) -> bool:
        """Whether nobody else can write to the block."""

    def is_seen(self, block: Block) -> bool:
        """Whether the caller sees the block, too."""

    def is_followed(self, block: Block) -> bool:
        """Whether memory that may end can be come by from the block."""

    def is_led_to_later(self, block: Block) -> bool:
        """Whether something may lead to the variable when its scope has ended."""

    def meet_limit(self) -> None:
        """More had to be known of a state than is; all of it is forgotten."""


class MemoryDraft:
    """A state while one event changes it: what is known of `cells`, `ended` blocks and `tests` is the state's own until
    something changes. Others only look at them."""

    def __init__(self, state: MemoryState, frame: Frame) -> None:
        self._state = state
        self._frame = frame
        self._changed = False
        self.cells = state.cells
        self.ended = state.ended
        self.tests = state.tests
        self.owed = state.owed
        self.shaken = state.shaken

    def state(self) -> MemoryState:
        if self._changed:
            self._drop()
        elif self.tests is self._state.tests and self.owed is self._state.owed:
            return self._state
        return MemoryState(self.cells, self.ended, self.tests, self.shaken, self.owed)

    def swept(self) -> MemoryState:
        """The state without what nothing leads to any more."""
        self._change()
        return self.state()

    def _change(self) -> None:
        """From here on what is known is the draft's own."""
        if not self._changed:
            self.cells, self.ended = dict(self.cells), dict(self.ended)
            self._changed = True

    def know(self, said: str, how: bool | Range) -> None:
        """How a test went, or between which bounds a variable lies: see `MemoryState.tests`."""
        if self.tests.get(said) != how:
            spend(len(self.tests) // _TESTS_A_STEP)
            self.tests = {**self.tests, said: how}

    def forget(self, said: str) -> None:
        """What was known of that test is no longer so."""
        if said not in self.tests:
            return
        spend(len(self.tests) // _TESTS_A_STEP)
        self.tests = {other: how for other, how in self.tests.items() if other != said}

    def owe(self, block: Block, how: int) -> None:
        """The function has to release the block."""
        if self.owed.get(block) != how:
            self.owed = {**self.owed, block: how}

    def is_led_to(self, block: Block) -> bool:
        """Whether a cell leads to the block, beside what an expression has just come to."""
        return any(pointer.block == block and cell.block[0] != "result" for cell, pointer in self.cells.items())

    def _drop(self) -> None:
        """Leaves out what nothing leads to any more."""
        spend(1 + (len(self.cells) + len(self.ended)) // _CELLS_A_STEP)
        if self.ended or LOST in self.cells.values():
            self._drop_unreachable()
        if self.shaken > 1 and not self._is_late_said():
            self.shaken = 1
        if len(self.cells) + len(self.ended) > _MOST_CELLS:
            self._frame.meet_limit()
            self.cells, self.ended = {}, {}

    def _drop_unreachable(self) -> None:
        left = {block for block, how in self.ended.items() if block[0] == "var" and how.why != "destroyed"}
        for cell in [cell for cell in self.cells if cell.block in left]:
            del self.cells[cell]
        for block in [one for one in self.ended if one[0] == "content" and root(one) in left]:
            del self.ended[block]
        held = {outer for pointer in self.cells.values() for outer in _chain(pointer.block)}
        lost = {block for block in self.ended if not self._can_be_come_by(block, held)}
        gone = lost & left  # and with a variable all that was come by through it
        for block in [one for one in self.ended if one in lost or (one not in held and root(one) in gone)]:
            del self.ended[block]
        ended = {outer for block in self.ended for outer in _chain(block)}
        for cell in [cell for cell, pointer in self.cells.items() if pointer == LOST]:
            first = self._unwritten(cell).block
            if first not in held and first not in ended:
                del self.cells[cell]

    def _is_late_said(self) -> bool:
        """Whether anything is known of what stood in some cell between two calls of code that is not read. If not, it
        does not matter how many there were: rounds of a loop come to the same state."""
        cells = self.cells.items()
        said = (*self.ended, *self.owed, *(one for cell, pointer in cells for one in (cell.block, pointer.block)))
        return any(outer[0] == "late" for block in said for outer in _chain(block)) or any(
            _LATE in test for test in self.tests
        )

    def _can_be_come_by(self, block: Block, held: set[Block]) -> bool:
        if block in held or block[0] == "content":
            return True
        if block[0] == "var":
            return self._frame.is_seen(block) or self.ended[block].why != "scope" or self._frame.is_led_to_later(block)
        if self._frame.is_seen(block) and not any(outer[0] == "late" for outer in _chain(block)):
            return True
        if block[0] == "late":
            return bool(block[1] == self.shaken) and Cell(block[2], block[3]) not in self.cells
        return block[0] == "in" and Cell(block[1], block[2]) not in self.cells

    def read(self, cell: Cell | None) -> Pointer:
        if cell is None:
            return LOST
        found = self.cells.get(cell)
        return found if found is not None else self._unwritten(cell)

    def _unwritten(self, cell: Cell) -> Pointer:
        """What a cell holds in which nothing was put here."""
        return initial(cell, 0 if self._frame.is_private(cell.block) else self.shaken)

    def follows(self, block: Block) -> bool:
        """Whether what is put into cells of the block is known afterwards."""
        return self._frame.is_followed(block)

    def put(self, cell: Cell, pointer: Pointer) -> None:
        """Into a cell that stands for itself alone."""
        if self.cells.get(cell) != pointer and self._frame.is_followed(cell.block):
            self._change()
            self.cells[cell] = pointer

    def write(self, cell: Cell | None, pointer: Pointer) -> None:
        if cell is None:
            return
        if is_varying(cell.path) or (cell.path and cell.path[-1][:1] == "["):
            self._blur(cell)
        if SOME in cell.path:
            self.remove(cell)
            return
        first = (Cell(*one[_THROUGH[one[0]] :]) for one in self.ended if one[0] in _THROUGH)
        for inner in [one for one in (*self.cells, *first) if one.block == cell.block and _below(one.path, cell.path)]:
            self._change()
            self.cells[inner] = LOST
        self.put(cell, pointer)

    def _blur(self, cell: Cell) -> None:
        """An element gets another value: what is known of those that may be the same is so no more."""
        first = [Cell(*one[_THROUGH[one[0]] :]) for one in self.ended if one[0] in _THROUGH]
        for one in [*self.cells, *first]:
            if one.block == cell.block and one.path != cell.path and _may_be_one(one.path, cell.path):
                self._change()
                self.cells[one] = LOST

    def count_on(self, name: str, at: int) -> None:
        """A variable gets another value: what it has counted is known by the event from here on."""
        step, then = varying(name), varying(name, at)
        for cell, pointer in list(self.cells.items()):
            steps = (*cell.path, *steps_to(cell.block))
            if step in cell.path or then in steps:
                self._change()
                del self.cells[cell]
            elif step in steps or step in steps_to(pointer.block) or then in steps_to(pointer.block):
                self._change()
                del self.cells[cell]
                held = (
                    LOST
                    if then in steps_to(pointer.block)
                    else Pointer(_renamed(pointer.block, step, then), pointer.path)
                )
                self.cells[Cell(_renamed(cell.block, step, then), cell.path)] = held
        for block, how in list(self.ended.items()):
            if step in steps_to(block) or then in steps_to(block):
                self._change()
                del self.ended[block]
                if then not in steps_to(block):
                    self.ended[_renamed(block, step, then)] = how

    def remove(self, cell: Cell) -> None:
        if cell in self.cells:
            self._change()
            del self.cells[cell]

    def shake(self, spared: Mapping[Block, Collection[str]], doubt: Certainty) -> None:
        """Somebody may have changed what others see; of the `spared` objects these members alone."""
        told = [*self.ended, *(pointer.block for pointer in self.cells.values())]
        for block in told if spared else ():
            home = home_of(block)
            if home is not None and self._is_spared(home, spared) and self.read(home) == Pointer(block):
                self.put(home, Pointer(block))
        kept = {cell for cell in self.cells if self._is_spared(cell, spared)}
        for block in {self.cells[cell].block for cell in kept} & self.ended.keys():
            how = self.ended[block]
            self.end(block, how._replace(certainty=weaker(how.certainty, doubt)))
        for cell in [cell for cell in self.cells if cell not in kept and not self._is_out_of_reach(cell)]:
            self._change()
            del self.cells[cell]
        latest = ("late", self.shaken) if self.shaken else ("in",)
        if any(block[: len(latest)] == latest for block in told):
            self._change()
            self.shaken += 1
            if any(said.startswith(_LATE_NOTHING) for said in self.tests):
                still = {nothing(block) for block in told}
                self.tests = {
                    said: how for said, how in self.tests.items() if not said.startswith(_LATE_NOTHING) or said in still
                }

    @staticmethod
    def _is_spared(cell: Cell, spared: Mapping[Block, Collection[str]]) -> bool:
        return cell.block in spared and bool(cell.path) and cell.path[0] not in spared[cell.block]

    def _is_out_of_reach(self, cell: Cell) -> bool:
        """Whether no function that is called can change what the cell holds."""
        return self._frame.is_private(cell.block) or _is_inside(cell)

    def begin(self, block: Block) -> Pointer:
        """The block is new: what was known of an earlier one that was come by alike is forgotten."""
        for one in [one for one in self.ended if is_within(one, block)]:
            self._change()
            del self.ended[one]
        for cell, pointer in list(self.cells.items()):
            if is_within(cell.block, block):
                self._change()
                del self.cells[cell]
            elif is_within(pointer.block, block):
                self._change()
                self.cells[cell] = LOST
        return Pointer(block)

    def end(self, block: Block, how: EndedBlock) -> None:
        self._change()
        self.ended[block] = how

    def revive(self, block: Block) -> None:
        if block in self.ended:
            self._change()
            del self.ended[block]

    def is_nothing(self, block: Block) -> bool:
        """Whether the pointer that would lead to the block was found to be null."""
        return nothing(block) in self.tests

    def how_ended(self, block: Block) -> EndedBlock | None:
        return self.ended.get(block)


def home_of(block: Block) -> Cell | None:
    """The cell that led to the block at first sight."""
    match block[0]:
        case "in":
            return Cell(block[1], block[2])
        case "late":
            return Cell(block[2], block[3])
    return None


def _below(path: Path, outer: Path) -> bool:
    return len(path) > len(outer) and path[: len(outer)] == outer
