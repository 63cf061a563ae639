"""Questions: answers that are worked out once, shared by all who ask, and that know what they were derived from.

While an answer is worked out, everything that is read on the way is noted: bodies, names that were looked up (also in
vain), macros, parts of files, and other answers. So what an edit changes leads to all that rests on it, and to nothing
else: see `changes`.

What is kept must not be changed by those who get it, unless it is itself a memory.

The notes belong to the process: one thread asks.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from functools import cached_property, wraps
from itertools import count
from typing import (
    TYPE_CHECKING,
    Any,
    Concatenate,
    Generic,
    NamedTuple,
    ParamSpec,
    Self,
    TypeVar,
    cast,
    overload,
)

from ownlint.steps import LimitError, culprit, cut_off, looks_at, start, stop

if TYPE_CHECKING:
    from ownlint.project.program import Program
    from ownlint.project.subjects import Binding, Function

Key = tuple[str, ...]
"""Something that was read, by its kind and its name; see `changes.Keys`."""

_Rest = ParamSpec("_Rest")
_Answer = TypeVar("_Answer")


class Keys(dict[str, Key]):
    """The keys of one kind by what they name: each is kept once, for all that rests on it."""

    __slots__ = ("_kind",)

    def __init__(self, *kind: str) -> None:
        super().__init__()
        self._kind = kind

    def __missing__(self, name: str) -> Key:
        made = self[name] = (*self._kind, name)
        return made


class _Notes(tuple["Note", ...]):
    """All that one answer was derived from. There are so many that each is one object: a tuple that is told from keys
    by its type, and from others by what it is, not by what it holds."""

    __slots__ = ()
    __hash__ = object.__hash__
    __eq__ = object.__eq__
    __ne__ = object.__ne__


class GrowingNotes:
    """What an answer was derived from of which not all is known yet. Answers that rest on each other point to each
    other."""

    __slots__ = ("of",)

    def __init__(self) -> None:
        self.of: set[Note] = set()

    def __iter__(self) -> Iterator[Note]:
        return iter(self.of)

    def rest_on(self, notes: Iterable[Note]) -> None:
        """Adds what was read for a further part of the answer."""
        self.of.update(notes)


class _CommonNotes(GrowingNotes):
    """What the answers to one question rest on beside what each is about: answers about the whole program. One for all
    of them, since there are so many that most of a large project's memory would be such notes."""

    __slots__ = ()

    def takes(self, notes: AbstractSet[Note], own: Key) -> bool:
        """Whether this, from now on, and `own` are all that an answer rests on that was derived from these."""
        for note in notes:
            if type(note) is tuple:
                if note is not own and (note[0] != "answer" or len(note) != 2):
                    return False
            elif type(note) is not _CommonNotes:
                return False
        self.of |= notes
        self.of.discard(own)
        return True


Note = Key | _Notes | GrowingNotes
"""What an answer was derived from, as it is kept beside it: one thing that was read, or all of several."""

_NOTHING = _Notes()
_read: set[Note] = set()
"""What was read for the answer that is being worked out."""


def read(key: Note) -> None:
    """Notes that the answer which is being worked out rests on this."""
    _read.add(key)


class noting:  # noqa: N801 - used as a function
    """What is read inside goes into the set that this gives, and nowhere else."""

    __slots__ = ("_before",)

    def __enter__(self) -> set[Note]:
        global _read
        self._before, _read = _read, set()
        return _read

    def __exit__(self, *_: object) -> None:
        global _read
        _read = self._before


def derived(ask: Callable[[], _Answer]) -> tuple[_Answer, Note]:
    """An answer, and what it was derived from; whoever asks for it rests on that, too."""
    global _read
    before, _read = _read, set()
    try:
        answer = ask()
    finally:
        inner, _read = _read, before
        inner.discard(_NOTHING)
        note = _together(inner)
        before.add(note)
    return answer, note


def _together(notes: set[Note]) -> Note:
    """What was read, as one note."""
    return next(iter(notes)) if len(notes) == 1 else _Notes(notes) if notes else _NOTHING


def keys(notes: Iterable[Note]) -> frozenset[Key]:
    """All that was read, also for the answers that were asked on the way."""
    found: set[Key] = set()
    seen: set[Note] = set()
    waiting = list(notes)
    while waiting:
        one = waiting.pop()
        if isinstance(one, tuple) and not isinstance(one, _Notes):
            found.add(one)
        elif one not in seen:
            seen.add(one)
            waiting.extend(one)
    return frozenset(found)


# --- budgets ------------------------------------------------------------------------------------------


class _TooManySteps(NamedTuple):
    """Kept in the place of an answer that took too many steps: it is not begun again for whoever asks next."""

    culprit: object
    """What they were spent on; None where that is nothing in particular."""
    whole: bool
    """The answer, or one that it rests on, is about the whole program."""


def blamed(*, whole: bool = True) -> object:
    """The function or binding to which the last cut-off was due, None where it was due to none; with `whole`, where it
    was an answer about the whole program that was given up for it."""
    said = culprit()
    if isinstance(said, _TooManySteps):
        said = None if whole and not said.whole else said.culprit
    elif whole:
        said = None
    return said


def is_of_all() -> bool:
    """Whether the last cut-off was of an answer about the whole program, and due to no function or binding."""
    said = culprit()
    return isinstance(said, _TooManySteps) and said.whole and said.culprit is None


_EMPTY: frozenset[object] = frozenset()
"""One for all answers that are empty: Python makes a new one each time."""


def _within(size: int, ask: Callable[[], _Answer], about: object = None) -> _Answer | _TooManySteps:
    """What is answered `about` something of `size` bytes, with a budget of its own."""
    before = start(size)
    cut = True
    try:
        answer = ask()
        cut = False
    except LimitError:
        pass
    finally:
        whole = stop(before)
    if not cut and whole:
        return cast("_Answer", _EMPTY) if type(answer) is frozenset and not answer else answer
    said = culprit()
    inner = said if isinstance(said, _TooManySteps) else _TooManySteps(said, whole=False)
    is_whole = inner.whole or about is None
    return _TooManySteps(inner.culprit or (None if is_whole else about), is_whole)


# --- questions about one function or binding ---------------------------------------------------------------


def flow_question(
    ask: Callable[Concatenate[Function, _Rest], _Answer],
) -> Callable[Concatenate[Function, _Rest], _Answer]:
    """Keeps what `ask` answers, by its further arguments, as long as the function's flow is kept; so it may hold
    events."""

    @wraps(ask)
    def asked(function: Function, /, *rest: _Rest.args, **named: _Rest.kwargs) -> _Answer:
        known = function.flow.known
        key = (ask, rest)
        held = known.get(key)
        if held is None:
            held = known[key] = derived(
                lambda: _within(function.file.size, lambda: ask(function, *rest, **named), function)
            )
        else:
            _read.add(held[1])
        answer: Any = held[0]
        if type(answer) is _TooManySteps:  # nothing is called here that need not be: it is asked very often
            cut_off(answer)
        found: _Answer = answer
        return found

    return asked


def forget(question: Callable[[Function], object], function: Function) -> None:
    """What a flow question has answered is asked anew: it rests on what is not the last word."""
    function.flow.known.pop((getattr(question, "__wrapped__", question), ()), None)


_Of = TypeVar("_Of", "Function", "Binding")
_MISSING = object()


class _NotedAnswer(NamedTuple):
    """An answer that rests on more than what it is about and the `_CommonNotes` of its question."""

    answer: Any
    note: Note


_bits = count()
"""One for each question."""


def question(ask: Callable[[_Of], _Answer]) -> Callable[[_Of], _Answer]:
    """Keeps what `ask` answers of a function or a binding as long as the program is kept: for small answers."""

    shared = _CommonNotes()
    bit = 1 << next(_bits)
    usual: Any = _MISSING
    """The answer that is kept as a bit: of most functions nearly all questions say the same, which is no or nothing."""

    def first(of: _Of) -> Any:
        nonlocal usual
        global _read
        before, _read = _read, set()
        own: Key | None = getattr(of, "key", None)
        note: Note | None = None
        try:
            answer: Any = _within(of.size, lambda: ask(of), of)
        finally:
            inner, _read = _read, before
            inner.discard(_NOTHING)
            if own is not None and shared.takes(inner, own):
                before.add(own)
                before.add(shared)
            else:
                note = _together(inner)
                before.add(note)
        if note is not None:
            of.known[ask] = _NotedAnswer(answer, note)
            return answer
        if usual is _MISSING and (answer is False or answer is None or answer is _EMPTY):
            usual = answer
        if answer is usual:
            of.usual |= bit
        else:
            of.known[ask] = answer
        return answer

    @wraps(ask)
    def asked(of: _Of) -> _Answer:
        answer: Any = usual if of.usual & bit else of.known.get(ask, _MISSING)
        kind = type(answer)  # nothing is called here that need not be: it is asked very often
        if answer is _MISSING:
            answer = first(of)
            kind = type(answer)
        elif kind is _NotedAnswer:
            _read.add(answer.note)
            answer = answer.answer
            kind = type(answer)
        else:
            _read.add(of.key)  # type: ignore[attr-defined]
            _read.add(shared)
        if kind is _TooManySteps:
            cut_off(answer)
        found: _Answer = answer
        return found

    return asked


class derived_property(Generic[_Answer]):  # noqa: N801 - a decorator, named as such
    """An attribute that is worked out once, of an object that lives as long as the program."""

    def __init__(self, ask: Callable[[Any], _Answer]) -> None:
        self._ask = ask
        self._name = ""
        self.__doc__ = ask.__doc__

    def __set_name__(self, owner: type, name: str) -> None:
        self._name = name

    @overload
    def __get__(self, instance: None, owner: type | None = None) -> Self: ...

    @overload
    def __get__(self, instance: object, owner: type | None = None) -> _Answer: ...

    def __get__(self, instance: Any, owner: type | None = None) -> Self | _Answer:
        if instance is None:
            return self
        known = instance.__dict__
        held = known.get(self._name)
        if held is None:
            held = known[self._name] = derived(lambda: self._ask(instance))
        else:
            _read.add(held[1])
        answer: _Answer = held[0]
        return answer

    def __set__(self, instance: object, value: object) -> None:
        """So that what is kept beside it is not taken for the answer. Raises `AttributeError`, always."""
        raise AttributeError(self._name)


_Asked = TypeVar("_Asked", bound=Hashable)


class Answers(Generic[_Asked, _Answer]):
    """The answers to one question of a part of the program, by what it was asked about.

    What comes back to itself, in a circle of functions that call each other, is told `meanwhile`, where there is such a
    thing: see `recursion.Circular` for answers that must not depend on where the circle was entered.
    """

    def __init__(self, *meanwhile: _Answer, most: int = 1 << 62) -> None:
        """Forgets all when there are `most` of them."""
        self._known: dict[_Asked, tuple[_Answer, Note]] = {}
        self._meanwhile = meanwhile
        self._most = most

    @property
    def size(self) -> int:
        """How many are kept."""
        return len(self._known)

    def ask(self, about: _Asked, answer: Callable[[], _Answer]) -> _Answer:
        """What `answer` says, when it was not asked about this before."""
        held = self._known.get(about)
        if held is not None:
            _read.add(held[1])
            return held[0]
        if len(self._known) >= self._most:
            self._known.clear()
        if not self._meanwhile:
            held = self._known[about] = derived(answer)
            return held[0]
        node = GrowingNotes()
        self._known[about] = self._meanwhile[0], node
        try:
            held = derived(answer)
        except BaseException:
            del self._known[about]
            raise
        node.rest_on((held[1],))
        self._known[about] = held
        return held[0]


# --- questions about the whole program -----------------------------------------------------------------------


class Gathered(dict[Any, Any]):
    """An answer about all files by what it is about: whoever looks up one thing rests on what is said of that."""

    def __init__(self, said: dict[Any, Any], name: str) -> None:
        super().__init__(said)
        self._whole = ("answer", name)
        self._keys = Keys(*self._whole)

    def key(self, about: object) -> Key:
        """Under which it is noted who has looked this up."""
        return self._keys[about if isinstance(about, str) else repr(about)]

    def get(self, about: Any, default: Any = None) -> Any:
        _read.add(self.key(about))
        return super().get(about, default)

    def __getitem__(self, about: Any) -> Any:
        _read.add(self.key(about))
        return super().__getitem__(about)

    def __contains__(self, about: object) -> bool:
        _read.add(self.key(about))
        return super().__contains__(about)

    def _all(self) -> None:
        _read.add(self._whole)

    def __iter__(self) -> Iterator[Any]:
        self._all()
        return super().__iter__()

    def __len__(self) -> int:
        self._all()
        return super().__len__()

    def __eq__(self, other: object) -> bool:
        self._all()
        return super().__eq__(other)

    def keys(self) -> Any:
        self._all()
        return super().keys()

    def values(self) -> Any:
        self._all()
        return super().values()

    def items(self) -> Any:
        self._all()
        return super().items()


class Answered(NamedTuple):
    """What was asked about all files."""

    answer: Any
    notes: tuple[Note, ...]
    """What it was derived from."""
    of: object
    """The object whose attribute it is; None for what was asked of the program."""


UNKNOWN = object()


class AnswersOfAll(dict[str, Answered]):
    """What was asked about all files in this run, by the question's name."""

    def __init__(self) -> None:
        super().__init__()
        self.recalled: dict[str, Callable[[], Any]] = {}
        """What gives the answers of the run before, to questions that would be answered the same; `UNKNOWN` where it
        cannot be read."""


def _of_program(program: Program, name: str, answer: Callable[[], _Answer], of: object = None) -> _Answer:
    """What is asked about all files: whoever asks rests on the answer alone, not on all that it was derived from."""
    recalled = program.answers.recalled.get(name)
    with noting() as notes:
        found: Any = UNKNOWN if recalled is None else recalled()
        is_new = found is UNKNOWN
        if is_new:
            try:
                found = answer()
            except RecursionError:
                _too_deep.append(name)
                raise
    if type(found) is dict:
        found = Gathered(found, name)
    if is_new:
        program.answers.setdefault(name, Answered(found, tuple(notes), of))
    return cast("_Answer", found)


_too_deep: list[str] = []
"""The answers about the whole program under way when the stack ended, the innermost first."""


def ended_stack() -> str:
    """The innermost answer about the whole program for which the stack did not suffice since this was asked last;
    empty where it was for none."""
    found = _too_deep[0] if _too_deep else ""
    _too_deep.clear()
    return found


def give_up(program: Program, name: str) -> None:
    """That answer about the whole program is unknown from now on, as if it took too many steps."""
    program.answers.recalled[name] = lambda: _TooManySteps(None, whole=True)


_asking: dict[str, Callable[[Program], Any]] = {}
"""The questions about all files that are asked of the program, by name."""


def ask_again(program: Program, name: str, of: Sequence[str]) -> bool:
    """Asks a question about all files by its name; `of` is what `holder_of` said. False where there is no such."""
    if not of:
        asking = _asking.get(name)
        if asking is not None:
            asking(program)
        return asking is not None
    holder: Any = program
    if of[0] in _asking:
        _asking[of[0]](program)
        holder, of = program.answers[of[0]].answer, of[1:]
    for part in of:
        holder = getattr(holder, part, None)
    attribute = name.rpartition(".")[2]
    kind = getattr(type(holder), attribute, None)
    if not isinstance(kind, program_property) or kind.key != ("answer", name):
        return False
    getattr(holder, attribute)
    return True


def holder_of(program: Program, answered: Answered) -> tuple[str, ...] | None:
    """By what `ask_again` finds the object whose attribute this is: the question that gives it, and attributes from
    there on, or from the program on. None where it does not."""
    if answered.of is None:
        return ()
    holders: list[tuple[tuple[str, ...], object]] = [
        ((), program),
        *(((name,), other.answer) for name, other in sorted(program.answers.items())),
    ]
    for path, holder in holders:
        if holder is answered.of:
            return path
        for attribute, part in getattr(holder, "__dict__", {}).items():
            if part is answered.of:
                return (*path, attribute)
    return None


def name_of(ask: Callable[..., object]) -> str:
    """By what a question about the program is known."""
    return f"{ask.__module__}.{ask.__qualname__}"


def program_question(ask: Callable[[Program], _Answer]) -> Callable[[Program], _Answer]:
    """Keeps what `ask` answers as long as the program is kept."""
    name = name_of(ask)
    key = ("answer", name)

    @wraps(ask)
    def asked(of: Program) -> _Answer:
        known = of.known
        if ask not in known:
            known[ask] = _of_program(of, name, lambda: _within(of.size, lambda: ask(of)))
        answer: Any = known[ask]
        kind = type(answer)
        if kind is not Gathered:
            _read.add(key)
            if kind is _TooManySteps:
                cut_off(answer)
        found: _Answer = answer
        return found

    _asking[name] = asked
    return asked


class Contributions:
    """What functions brought to a question that is put together from all of them: which bring nothing, and what that
    was derived from beside each function itself. They are many, and few ask for one of them: so these are lists."""

    __slots__ = ("_noted", "plain")

    def __init__(self) -> None:
        self.plain: list[Key] = []
        """Those that bring nothing, and of which nothing was read but the body."""
        self._noted: list[tuple[list[Key], list[Note]]] = [([], []), ([], [])]

    def add(self, key: Key, note: Note | None, *, silent: bool) -> None:
        """What the function of that key brings; `note` is what was read for it, None where it was nothing but the
        body."""
        if note is None and silent:
            self.plain.append(key)
            return
        keys, notes = self._noted[silent]
        keys.append(key)
        notes.append(_NOTHING if note is None else note)

    def noted(self, *, silent: bool) -> Iterator[tuple[Key, Note]]:
        """The others that bring nothing, or those that bring something, each with what was read for it."""
        return zip(*self._noted[silent], strict=True)

    def keys(self) -> Iterator[Key]:
        """All that were asked."""
        yield from self.plain
        for keys, _ in self._noted:
            yield from keys


class StillBrought(NamedTuple):
    """What functions brought to such a question in the run before, and still do: nothing they rest on has changed."""

    silent: AbstractSet[Key]
    """Those that bring nothing."""
    said: Mapping[Function, Any]
    """What others say."""


_NONE_BROUGHT = StillBrought(frozenset(), {})


def each_function(ask: Callable[[Function], _Answer | None]) -> Callable[[Program], dict[Function, _Answer]]:
    """A question about all files that is put together from what `ask` says of each function; most say nothing, which
    is anything that is false. Functions that rest on nothing that has changed since the run before are not asked: see
    `incremental`."""
    name = name_of(ask)
    shared = _CommonNotes()

    @wraps(ask)
    def together(program: Program) -> dict[Function, _Answer]:
        silent, still = program.brought.get(name, lambda: _NONE_BROUGHT)()
        brought = program.contributions.setdefault(name, Contributions())
        found: dict[Function, _Answer] = {}
        for function in program.functions:
            if function.key in silent:
                continue
            if function in still:
                found[function] = still[function]
                continue
            looks_at(function, function.path)
            with noting() as notes:
                said = ask(function)
            notes.discard(_NOTHING)
            note: Note | None = None
            if notes != {function.key}:
                note = shared if shared.takes(notes, function.key) else _together(notes)
            brought.add(function.key, note, silent=not said)
            if said:
                found[function] = said
        return found

    return program_question(together)


class program_property(cached_property[_Answer]):  # noqa: N801 - a decorator, named as such
    """An attribute about the whole program of an object that has one (or is it), worked out once: it has a budget of
    its own, so that who happens to ask first does not pay for what all ask."""

    def __init__(self, ask: Callable[[Any], _Answer]) -> None:
        super().__init__(ask)
        self.key = ("answer", name_of(ask))
        self._name = ""

    def __set_name__(self, owner: type[Any], name: str) -> None:
        super().__set_name__(owner, name)
        self._name = "=" + name

    @overload
    def __get__(self, instance: None, owner: type[Any] | None = None) -> Self: ...

    @overload
    def __get__(self, instance: object, owner: type[Any] | None = None) -> _Answer: ...

    def __get__(self, instance: Any, owner: type[Any] | None = None) -> Self | _Answer:
        if instance is None:
            return self
        kept = instance.__dict__
        answer: Any = kept.get(self._name)  # nothing is called here that need not be: it is asked very often
        if answer is None and self._name not in kept:
            of: Program = getattr(instance, "program", instance)
            answer = kept[self._name] = _of_program(
                of, self.key[1], lambda: _within(of.size, lambda: self.func(instance)), instance
            )
        if type(answer) is not Gathered:
            _read.add(self.key)
        if type(answer) is _TooManySteps:
            cut_off(answer)
        found: _Answer = answer
        return found
