"""Python handles of native objects: who owns what they point to, and who keeps that alive.

Every creation of an owner (`Module.parse(...)`) is a *token*; a handle knows the token it points into and whether it
holds it. A token is alive while some name holds it. A child that is used when nobody holds its token any more is
a bug; so is a child that leaves the function while its token stays behind. A call may also end handles while their
owner lives on: an erased operation, a closed file. Which ones, their chains say; they are marked as stale, with the
call that did it, and what is asked for anew is not.

Here are the records; `handle_values` says what an expression gives, `handle_flow` runs a function.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Hashable, Iterable, Iterator
from typing import Literal, NamedTuple, Protocol

import msgspec

from ownlint.domains.handles.handle_chains import HandleChain, Reach, Where
from ownlint.domains.handles.handle_stores import Dependence, Dependences
from ownlint.domains.python_calls import OBJECT, PythonCode
from ownlint.engine.containment import BURIED, HELD
from ownlint.engine.decided import NO_FACTS, Facts
from ownlint.engine.shared import Indexed, Map
from ownlint.facts import records as r
from ownlint.facts.records import Span
from ownlint.finding import Certainty, Step
from ownlint.models.records import PyMember
from ownlint.project.subjects import Function

Token = tuple[int, int]
"""Offset of the creating call, and 0 for the latest object made there or 1 for an earlier one. What a caller owns has
a negative offset: `-1 - n` for the argument of parameter `n`; what belongs to nobody we see lies below `FOREIGN`."""
FOREIGN = -1_000_000
_GIVEN = -1_000
"""What a function is given by the call that is looked at has these: `-1000 - n` for the object of that number."""

NOBODY: Token = (FOREIGN * 1000, 0)
"""Of what cannot end: code, lists."""
FOR_GOOD: Token = (FOREIGN * 1000 - 1, 0)
"""Who never ends, and may use an address that was stored there at any time: a library of C."""
MADE = "%made "
"""How the name begins of a callable that a library has made of a function."""
PLAIN = "%plain"
"""What is no object that anybody follows, and stands where one was before."""
LIST = "%list "
"""How the class of a list begins of which the length is known."""


def foreign(site: int) -> Token:
    """Somebody else's object, which is named or made at that offset."""
    return (FOREIGN - site, 0)


def is_parameter(token: Token) -> bool:
    return FOREIGN < token[0] < 0


ENTERED = "with"
"""What a `with` binds, of an object that gives it when it is entered."""
ENDED_AFTER = "with!"
"""How the slot begins of what a generator or context ends when it is done: how, and how far that reaches."""
CLOSING = "closing"
"""In an object that closes it when a `with` block ends."""
AWAITED = "await"
"""The result of a coroutine."""
_DEEPEST = 4


class Fact(msgspec.Struct, frozen=True):
    """What a member or function gives: `keeps` as in `PyMember`; `returns` the class of the result (empty for plain
    data); `source` the argument it is borrowed from, 0 for the receiver; `declared` where the fact comes from when the
    project's own bindings say so. `called`: it is no property. `moves`: somebody else may be the owner afterwards."""

    keeps: str
    returns: str = ""
    declared: Step | None = None
    source: int = 0
    called: bool = True
    moves: bool = False
    where: Where = "part"
    ends: tuple[tuple[int, Reach], ...] = ()
    """What a call invalidates: the argument, 0 for the receiver, and how far."""
    adopts: tuple[tuple[int, int], ...] = ()
    """Arguments that become a part of another: of the first of each pair in the second, 0 for the receiver."""
    asks: bool = False
    """It may be used on what is dead."""
    parameters: tuple[str, ...] = ()
    constructs: bool = False
    of: str = ""
    """The member of the receiver of which a call ends the element that its first argument picks."""
    spared_by: str = ""
    """The keyword that, given as False, says that nothing is to end."""
    when: tuple[str, ...] = ()
    """The parameter and the constant that it is given in the calls that are meant; `otherwise` is for the others."""
    otherwise: Fact | None = None
    given: tuple[str, ...] = ()
    """Classes of which the argument it borrows from has to be one."""
    asks_of: tuple[int, ...] = ()
    """Arguments that may be dead."""
    restores: tuple[int, ...] = ()
    """What may be used again after the call: the argument, 0 for the receiver."""
    disowns: bool = False
    """What it ends is not freed: the receiver has given it up."""
    visits: bool = False
    """It hands what it gives to a callback."""
    several: tuple[str, ...] = ()
    """All classes the result may have."""
    marks: tuple[tuple[str, str], ...] = ()
    """By version, which Python objects know of what it ends."""
    name: str = ""
    """Of a bound member: its own name."""
    told: str = ""
    """Where it is bound, in words, when that is a place of another project."""
    sure: Certainty = "certain"
    """That it borrows."""
    stores: tuple[tuple[int, int, Certainty], ...] = ()
    """Arguments of which an address is kept and nothing else: the argument, in what (0 for the receiver, or for what is
    made), and how sure that is."""
    retains: tuple[int, ...] = ()
    """Arguments to which a reference is kept."""
    ends_members: tuple[str, ...] = ()
    """Members of the receiver: what they gave is dead after the call."""
    overloads: tuple[tuple[int, Fact], ...] = ()
    """What holds of a call with so many arguments."""
    how: How | None = None
    """How it ends what it ends, where the class does not tell."""
    whole: bool = False
    """It looks at, and ends, all that lies in what it is given; so it may not be given one thing twice."""
    kept: tuple[str, ...] = ()
    """Members: asked for one of those of what it is given, it gives that back."""
    unknown: bool = False
    """Called, the member does what nobody knows."""
    shows: str = ""
    """The class that alone has the member."""
    runs: Literal["", "each", "again"] = ""
    """Its first argument is called with each that lies in the others, or again and again."""

    @property
    def borrows(self) -> bool:
        return bool(self.returns) and self.keeps in ("owner", "wrapper", "none")

    @property
    def is_of_known_class(self) -> bool:
        """Whether a bound member gives an object of a bound class, and nobody knows whose it is."""
        return bool(self.name and self.returns) and self.keeps == "copy"

    def holds(self, holds: bool) -> bool:
        """Whether the result keeps its owner alive, taken from a handle that does (or does not)."""
        return self.keeps == "owner" or (self.keeps == "wrapper" and holds)

    def written(self, call: r.Call) -> Fact:
        """What holds of a call that is written so."""
        fact = self
        if fact.overloads and not any(isinstance(argument, r.Unary) for argument in call.args):
            fitting = [one for number, one in fact.overloads if number == len(call.args)]
            fact = fitting[0] if len(fitting) == 1 else fact
        while fact.when and fact.otherwise is not None and not _says(call, fact):
            fact = fact.otherwise
        return fact if not fact.when or _says(call, fact) else Fact("copy", called=fact.called)


def _says(call: r.Call, fact: Fact) -> bool:
    keyword, constant = fact.when
    for position, argument in enumerate(call.args):
        match argument:
            case r.Unary(op="spread" | "spread2"):
                return False
            case r.Pair(key=r.Name(text=name), value=value):
                if name == keyword:
                    return _is_constant(value, constant)
            case _:
                if fact.parameters[position : position + 1] == (keyword,):
                    return _is_constant(argument, constant)
    return False


def _is_constant(value: r.Value, constant: str) -> bool:
    """Whether it is written so; a number may stand for a bool."""
    return isinstance(value, r.Literal) and constant in (value.text, {"0": "False", "1": "True"}.get(value.text))


def fact_of(member: PyMember, *others: PyMember) -> Fact:
    """A model's member as a fact; what it borrows without a class is a view. `others` are its further variants."""
    returns = member.returns[0] if member.returns else ""
    kept = [
        (effect.place.number, effect.other.number)
        for effect in member.effects
        if effect.verb == "keep" and effect.place is not None and effect.other is not None
    ]
    if not returns and member.borrows in ("self", "parent") and member.keeps in ("owner", "wrapper", "none"):
        returns = VIEW
    source = int(member.borrows.removeprefix("argument ")) if member.borrows.startswith("argument ") else 0
    moves = any(effect.verb in ("adopt", "own") for effect in member.effects)
    disowns = any(effect.verb == "disown" for effect in member.effects)
    ends: tuple[tuple[int, Reach], ...] = ((0, "deep"),) if disowns else ()
    return Fact(
        member.keeps or "",
        returns,
        source=source,
        called=member.kind not in ("property", "buffer"),
        moves=moves and member.kind == "method",
        where=_where(member),
        ends=ends
        + tuple(
            (effect.place.number, effect.mode)
            for effect in member.effects
            if effect.verb == "invalidate"
            and effect.place is not None
            and effect.mode in ("deep", "shallow", "below", "derived")
        ),
        adopts=tuple(
            (effect.place.number, effect.other.number)
            for effect in member.effects
            if effect.verb == "adopt" and effect.place is not None and effect.other is not None
        ),
        asks=0 in _places(member, "validate"),
        asks_of=tuple(number for number in _places(member, "validate") if number),
        restores=_places(member, "restore"),
        name=member.name if kept else "",
        stores=() if member.counted else tuple((number, into, "certain") for number, into in kept),
        retains=tuple(number for number, _ in kept) if member.counted else (),
        disowns=disowns,
        when=member.when,
        otherwise=fact_of(*others) if others and member.when else None,
        given=member.given,
        parameters=member.parameters,
        constructs=member.kind == "constructor",
        of=member.of,
        spared_by=member.spared_by,
        visits=member.kind == "callback",
        several=member.returns,
        shows=member.shows,
        marks=tuple((v, one.marks) for one in (member, *others) if one.marks for v in one.versions or ("",)),
    )


def _places(member: PyMember, verb: str) -> tuple[int, ...]:
    """The arguments that its effects of that kind are about, 0 for the receiver."""
    return tuple(e.place.number for e in member.effects if e.verb == verb and e.place is not None)


def _where(member: PyMember) -> Where:
    if any(effect.verb == "returns" for effect in member.effects):
        return "same"
    return "above" if member.borrows == "parent" else member.where


VIEW = "<view>"
"""The class of a handle of which nothing is known but that it looks into its owner."""


class Classes(Protocol):
    """Where the knowledge about handle classes comes from; what is not asked of a kind of handles is unknown."""

    def find(self, dotted: str) -> str | None:
        """The canonical name of a handle class, or None when `dotted` is none."""
        return None

    def annotated(self, dotted: str) -> str | None:
        """The class of what is annotated so."""
        return None

    def role(self, cls: str) -> str:
        return ""

    def may_be(self, cls: str, other: str) -> bool:
        """Whether what is known as the one may be an object of the other, which says more."""
        return False

    def member(self, cls: str, name: str) -> Fact | None:
        return None

    def function(self, dotted: str) -> Fact | None:
        """A function of a native module."""
        return None

    @property
    def code(self) -> PythonCode:
        """The project's own functions and classes."""
        ...

    @property
    def anything(self) -> str:
        """The class of what nobody knows, where that may matter all the same; empty where it does not. Such objects
        have the role `tree`: their parts are what they were when they are asked for again."""
        return ""

    def made_of(self, function: Function, value: r.Value) -> str:
        """The name of the callable that a library has made, where the value stands for one."""
        return ""

    def made(self, name: str) -> Fact:
        """What calling it does."""
        return Fact("copy")

    def fails(self, handler: str) -> bool:
        """Whether a handler of that type is reached when a call fails that has ended what it was given."""
        return False

    def called(self, target: Function, given: Given) -> HandleSummary | None:
        """What the project's own function does with what it is given; None when nobody knows."""
        ...

    def result(self, symbol: str) -> str | None:
        """The handle class that the project's own function says it returns."""
        return None

    def told_by(self, function: Function, member: str) -> str:
        """The one class that has such a member, of a library that the function's file speaks of."""
        return ""

    def asked_of(self, function: Function, name: str) -> str:
        """The class that has all which a function asks of a parameter or a local; empty when that does not tell."""
        return ""

    def derived(self, symbol: str) -> str:
        """The name of a class of Python that derives from a bound one whose methods C++ calls; empty for others."""
        return ""

    def attributes(self, function: Function) -> Attributes | None:
        """What the attributes of a method's object hold when it is called."""
        return None


How = Literal["erased", "changed", "closed", "emptied", "disowned", "outdated", "consumed", "moved"]
"""A handle was ended by itself or with what it was part of; what it stands in was transformed; its owner was closed;
its memory was given back, and may be got again; its owner has given up the native object; a member of its owner was
called, which ends what another has given; a call has taken what is in it for itself, or for another place."""


class Stale(NamedTuple):
    """Why a handle may no longer be used: the call that ended it, and what that was called on or with. `certainty`
    that it does: a function that is called may end it on some of its paths."""

    at: Span
    call: str
    target: str
    how: How
    reach: Reach
    certainty: Certainty = "certain"
    marks: tuple[tuple[str, str], ...] = ()
    """By version of the library, which Python objects know of it."""
    asked: Span = Span(0, 0)
    """Where the one was taken that was asked to."""
    failed: bool = False
    """The call has raised then."""


class Ending(NamedTuple):
    """An invalidation that a function carries out: of a token and chain, and how far it reaches; by which call."""

    token: Token
    chain: HandleChain
    reach: Reach
    how: How
    by: str = ""

    def applied(self, handle: Handle, why: Stale) -> Handle:
        """The handle after that."""
        if handle.token != self.token or handle.stale is not None:
            return handle
        if handle.chain.is_hit(self.chain, self.reach):
            return handle._replace(stale=why)
        if not handle.path:
            return handle
        whole, picked = self.chain.unpicked()
        return handle._replace(gaps=(*handle.gaps, (picked, why))) if handle.chain == whole else handle


class Harm(NamedTuple):
    """Something that happens while a loop or a walk runs, and goes wrong when it goes on. `kind`: `next` (what is given
    next ends), `users` (what one of several belongs to ends), `inside` (what is looked into next ends), `added`."""

    site: int
    kind: str
    at: Span
    what: str
    over: str


class Handle(NamedTuple):
    """A value that points into native memory. `path` says where in a Python object it sits, outermost slot first;
    `element` that it was taken out of `shown`; `chain` where the native object stands below its owner."""

    cls: str
    token: Token
    holds: bool
    taken: Span
    shown: str
    element: bool = False
    declared: Step | None = None
    path: tuple[str, ...] = ()
    chain: HandleChain = HandleChain()
    stale: Stale | None = None
    gaps: tuple[tuple[str, Stale], ...] = ()
    """What an index still hands out although it was erased: the key, and by whom."""
    sure: Certainty = "certain"
    """That it points into its owner as is said here."""
    lent_by: tuple[str, ...] = ()
    """The bound members by which it was taken, from the owner on."""
    derived: str = ""
    """The class of Python whose object it is, where that derives from a bound class."""
    loss: str = ""
    """At what a weak borrow stopped keeping its owner alive, in the words of the kind: a number, a field."""

    def inside(self, slot: str) -> Handle:
        path = (slot, *self.path)
        return self._at(path if len(path) <= _DEEPEST else (*path[: _DEEPEST - 1], BURIED))

    def out(self) -> Handle:
        return self._at(self.path[1:])

    def _at(self, path: tuple[str, ...]) -> Handle:
        """The same in another place; `_replace` takes several times as long."""
        return tuple.__new__(Handle, (*self[:_PATH], path, *self[_PATH + 1 :]))

    def within(self, place: tuple[str, ...]) -> Handle:
        return self if not place else self.within(place[1:]).inside(place[0])

    @property
    def is_python(self) -> bool:
        """Whether it stands for an object of Python's own: a function, an object of a class of the project, a list."""
        return self.cls[:1] == "%"


_PATH = Handle._fields.index("path")

Handles = frozenset[Handle]
NOTHING: Handles = frozenset()


class GivenHandle(NamedTuple):
    """What a function is given under a name of its own, a parameter or a variable from around it: a handle in `path`,
    and which object of those that are given it points to."""

    name: str
    path: tuple[str, ...]
    cls: str
    holds: bool
    number: int

    @property
    def token(self) -> Token:
        return given_token(self.number)


Given = tuple[GivenHandle, ...]


def given_token(number: int) -> Token:
    return (_GIVEN - number, 0)


def is_given(token: Token) -> bool:
    return FOREIGN < token[0] <= _GIVEN


class HandleCase(NamedTuple):
    """One way in which a function of the project ends: what it returns, what it invalidates, and what is in the objects
    and variables that it was given; `says` what it returns, where that is a constant. In tokens of what it is given and
    its own; and what of it somebody may keep."""

    returns: Handles = NOTHING
    endings: frozenset[Ending] = frozenset()
    left: tuple[tuple[str, Handles], ...] = ()
    says: str = ""
    kept: frozenset[Token] = frozenset()
    renewed: frozenset[tuple[Token, HandleChain]] = frozenset()
    """Parts of what it was given that may be something else afterwards."""
    stores: frozenset[Dependence] = frozenset()
    """Addresses of what it was given that it stores for good."""


class HandleSummary(NamedTuple):
    """What a function of the project does: one of these cases. `looks` says what it uses of what it is given, and
    whether on all ways; `tops` and `inherited` what is known of its own tokens."""

    cases: tuple[HandleCase, ...]
    looks: tuple[tuple[Token, HandleChain, bool], ...] = ()
    tops: frozenset[int] = frozenset()
    inherited: frozenset[int] = frozenset()
    raises: tuple[HandleCase, ...] = ()
    """Those in which it raises, and leaves something behind."""
    misused: tuple[tuple[Token, HandleChain], ...] = ()
    """What of that which it is given it uses after it has ended it, by what it was given to call."""


MOST_HELD = 256
"""Handles followed in one name: what a larger container holds, nobody knows."""


class Attributes(NamedTuple):
    """What methods leave in the attributes of their object: handles with the slot of their attribute, and of every
    token what its owner is called and where it is made."""

    held: Handles
    owners: tuple[tuple[int, str, Span, bool], ...]
    too_many: bool = False
    """There are more than `MOST_HELD`: of none it is known what they are."""


def in_order(handles: Iterable[Handle]) -> list[Handle]:
    found = list(handles)
    if len(found) > 1:
        found.sort(key=lambda h: (h.token, h.taken, h.path, h.cls, h.holds, h.chain, h.stale or (), h.gaps))
    return found


def native(handles: Iterable[Handle]) -> Handles:
    """The native objects themselves, without what other objects hold."""
    return frozenset(handle for handle in handles if not handle.path and handle.cls[:1] != "%")


def is_out_of_reach(handle: Handle) -> bool:
    """Nobody takes it out from where it sits: a closure, a bound method, an iterator."""
    return bool(handle.path) and (handle.path[0] == BURIED or handle.path[0][0] == HELD)


def own(cls: str) -> Handle:
    """A function, a class or a list, which nobody can end."""
    return Handle(cls, NOBODY, True, Span(0, 0), "")


def inside(handles: Iterable[Handle], slot: str) -> Handles:
    return frozenset(handle.inside(slot) for handle in handles)


class StoredHandle(NamedTuple):
    """A handle that was put where it outlives the function; `name` where that is a name of a module."""

    handle: Handle
    at: Span
    name: str = ""
    place: str = ""
    """The attribute, `self.op`, where it was put there and nowhere else."""


_PICK = re.compile(r"@(-?\d+);")


def _held_words(handle: Handle) -> Iterator[Hashable]:
    yield handle.token
    if handle.holds:
        yield "held", handle.token
    for step in handle.chain.steps:
        if "@" in step:
            yield from (("pick", int(site)) for site in _PICK.findall(step))
    for key, _ in handle.gaps:
        yield from (("pick", int(site)) for site in _PICK.findall(key))


def _name_words(name: str, handles: Handles) -> list[Hashable]:
    words: list[Hashable] = []
    for handle in handles:
        if handle.gaps or any("@" in step for step in handle.chain.steps):
            words += _held_words(handle)
        else:
            words.append(handle.token)
            if handle.holds:
                words.append(("held", handle.token))
    return words


def _stored_words(stored: StoredHandle, kept: bool) -> Iterator[Hashable]:
    yield "place", stored.place
    yield from _held_words(stored.handle)


class HandleState(NamedTuple):
    """What is known on one path."""

    names: Indexed[str, Handles] = Indexed(_name_words)
    escaped: Map[Token, bool] = Map()
    stored: Indexed[StoredHandle, bool] = Indexed(_stored_words)
    ended: Map[Token, tuple[Span, str]] = Map()
    """How the last name that held a token let go of it."""
    endings: frozenset[Ending] = frozenset()
    """What was invalidated on this path, of what the caller knows."""
    harms: frozenset[Harm] = frozenset()
    """What goes wrong when the loop it was done in goes on."""
    facts: Facts = NO_FACTS
    """What the path knows of names that were tested, or set."""
    dependences: Dependences = frozenset()
    """What has to live as long as a native object that keeps its address."""
    said: tuple[int, str] = (-1, "")
    """The call of the project's own function that was evaluated last, and the constant that it has returned."""
    result: Handles = NOTHING
    """What the function has returned."""
    says: str = ""
    """The constant that it has returned."""
    dead: Map[Token, tuple[tuple[HandleChain, Stale], ...]] = Map()
    """What has ended of objects whose parts stay what they are."""
    failing: bool = False
    """A call has just raised that had ended something."""
    kinds: Map[tuple[Token, HandleChain], str] = Map()
    """Classes of which objects have shown to be, where what gives them does not tell."""
    renewals: frozenset[tuple[Token, HandleChain]] = frozenset()
    """Parts of objects that somebody nobody knows may have put there anew."""
    doubtful: frozenset[Token] = frozenset()
    """Given to somebody who may keep it, and need not."""

    def get(self, name: str) -> Handles:
        return self.names.entries.get(name, NOTHING)

    def bind(self, name: str, handles: Handles, at: Span, how: str) -> HandleState:
        before = self.get(name)
        if before == handles:
            return self
        if len(handles) > MOST_HELD:
            return self.escape({h.token for h in handles}).bind(name, NOTHING, at, how)
        lost = {h.token for h in before if h.holds} - {h.token for h in handles if h.holds}
        ended = self.ended
        if lost:
            ended = ended.replaced(dict.fromkeys(lost, (at, how.format(name=name))))
        names = self.names.set(name, handles) if handles else self.names.without(name)
        return self._replace(names=names, ended=ended)

    def gone_on(self, site: int) -> HandleState:
        """What was done to the loop there is of no account any more."""
        return self._replace(harms=frozenset(harm for harm in self.harms if harm.site != site))

    def put_away(self, stored: Iterable[StoredHandle]) -> HandleState:
        """This was put where it outlives the function."""
        known = self.stored
        for one in stored:
            known = known.set(one, True)
        return self._replace(stored=known)

    def taken_from(self, *places: str) -> HandleState:
        """What was put there is there no more."""
        known = self.stored
        for one in known.under(*(("place", place) for place in places)):
            known = known.without(one)
        return self._replace(stored=known)

    def forgotten(self, token: Token) -> HandleState:
        """Whoever put that away knows that it has ended."""
        known = self.stored
        for one in known.under(token):
            known = known.without(one)
        return self._replace(stored=known)

    def alive(self, token: Token) -> bool:
        return token in self.escaped or ("held", token) in self.names.index or self.is_stored(token)

    def is_stored(self, token: Token) -> bool:
        """Whether what holds it was put where it outlives the function."""
        return ("held", token) in self.stored.index

    def end_of(self, token: Token) -> tuple[Span, str] | None:
        return self.ended.get(token, None)

    def escape(self, tokens: Iterable[Token]) -> HandleState:
        escaped = self.escaped
        fresh = dict.fromkeys((token for token in tokens if token not in escaped), True)
        return self._replace(escaped=escaped.replaced(fresh)) if fresh else self

    def age(self, site: int) -> HandleState:
        """What was made at `site` before is now an earlier object."""
        new, old = (site, 0), (site, 1)
        state = self.changed((new,), lambda h: h._replace(token=old) if h.token == new else h)
        ended, gone = self.ended, self.ended.get(new, None)
        if gone is not None:
            ended = ended.without(new) if old in ended else ended.without(new).set(old, gone)
        escaped = self.escaped.without(new).set(old, True) if new in self.escaped else self.escaped
        known = self.dependences
        if any(new in (d.holder, d.argument) for d in known):
            known = frozenset(
                d._replace(
                    holder=old if d.holder == new else d.holder, argument=old if d.argument == new else d.argument
                )
                for d in known
            )
        dead, parts = self.dead, self.dead.get(new, ())
        if parts:
            dead = dead.without(new).set(old, tuple(dict.fromkeys((*dead.get(old, ()), *parts))))
        doubtful = self.doubtful - {new} | {old} if new in self.doubtful else self.doubtful
        return state._replace(ended=ended, escaped=escaped, dependences=known, dead=dead, doubtful=doubtful)

    def changed(self, words: Iterable[Hashable], change: Callable[[Handle], Handle]) -> HandleState:
        """Every handle that is about one of these words, as the change leaves it: its token, `("pick", site)`."""
        words = tuple(words)
        names, stored = self.names, self.stored
        about, away = names.under(*words), stored.under(*words)
        if not about and not away:
            return self
        for name in about:
            names = names.set(name, frozenset(change(h) for h in names.entries.get(name, NOTHING)))
        for one in away:
            handle = change(one.handle)
            if handle != one.handle:
                stored = stored.without(one).set(one._replace(handle=handle), True)
        return self._replace(names=names, stored=stored)

    def picked_again(self, site: int) -> HandleState:
        """What was picked at that place before is another object than what is picked there now."""

        mark = f"@{site};"

        def aged(handle: Handle) -> Handle:
            chain = handle.chain.aged(site)
            gaps = tuple(gap for gap in handle.gaps if mark not in gap[0])
            return (
                handle._replace(chain=chain, gaps=gaps) if chain is not handle.chain or gaps != handle.gaps else handle
            )

        dead = self.dead
        for token, parts in self.dead.items():
            old = tuple((chain.aged(site), why) for chain, why in parts)
            dead = dead.set(token, old) if old != parts else dead
        return self.changed((("pick", site),), aged)._replace(dead=dead)

    def with_attributes(
        self, token: Token, handles: Handles, slot: str = "", chain: HandleChain | None = None
    ) -> HandleState:
        """The object of that token, or the part of it, has these in its attributes, or in that one; by whatever name it
        is known."""
        names = self.names
        for name in names.under(token):
            held = names.entries.get(name, NOTHING)
            for place in sorted({h.path for h in held if h.token == token and _is_at(h, chain)}):
                depth = len(place)
                kept = (h for h in held if not _is_attribute(h, place, slot))
                held = frozenset(kept) | frozenset(h.within(place) for h in handles)
                if depth >= _DEEPEST:
                    break
            names = names.set(name, held)
        return self._replace(names=names)

    def mutated(self, token: Token) -> HandleState:
        """Elements of that owner were taken out or put in: numbers no longer say which one is which."""
        return self.changed((token,), lambda h: h._replace(chain=h.chain.moved()) if h.token == token else h)

    def invalidated(self, ending: Ending, why: Stale) -> HandleState:
        """All handles that this ends are stale from now on."""

        ended = self.changed((ending.token,), lambda handle: ending.applied(handle, why))
        return ended._replace(endings=self.endings | {ending})

    def shown_to_be(self, handle: Handle, cls: str) -> HandleState:
        """The object is of that class, by whatever name it is known, and when it is asked for again."""
        place = (handle.token, handle.chain)

        def tell(other: Handle) -> Handle:
            same = (other.token, other.chain) == place and other.cls == handle.cls
            return other._replace(cls=cls) if same else other

        return self.changed((handle.token,), tell)._replace(kinds=self.kinds.set(place, cls))

    def lost(self, token: Token, chain: HandleChain, why: Stale) -> HandleState:
        """That part of the object is gone for good."""
        renewals = frozenset(one for one in self.renewals if one[0] != token or not one[1].is_hit(chain, "deep"))
        parts = (*self.dead.get(token, ()), (chain, why))
        return self._replace(dead=self.dead.set(token, parts), renewals=renewals)

    def end_of_part(self, token: Token, chain: HandleChain) -> Stale | None:
        """How that part of an object came to be gone."""
        return next((why for outer, why in self.dead.get(token, ()) if chain.is_hit(outer, "deep")), None)

    def renewed(self, token: Token, chain: HandleChain, reach: Reach = "deep") -> HandleState:
        """Something else may be there now; nobody knows any more that it is gone."""
        parts = self.dead.get(token, ())
        left = tuple(part for part in parts if not part[0].is_hit(chain, reach))
        if left == parts:
            return self
        return self._replace(dead=self.dead.set(token, left) if left else self.dead.without(token))

    def forgotten_end(self, token: Token, chain: HandleChain) -> HandleState:
        """Whoever called must not rely on its end: something else was put there since."""
        endings = frozenset(e for e in self.endings if e.token != token or not e.chain.is_hit(chain, "deep"))
        return self._replace(endings=endings, renewals=self.renewals | {(token, chain)})

    def forgiven(self, token: Token, chain: HandleChain) -> HandleState:
        """Somebody has asked whether it is there, and knows what happens."""

        def alive(handle: Handle) -> Handle:
            asked = handle.token == token and (handle.chain.is_hit(chain, "deep") or chain.is_hit(handle.chain, "deep"))
            return handle._replace(stale=None) if asked and handle.stale is not None else handle

        return self.changed((token,), alive)._replace(dead=self.dead.without(token))

    def restored(self, token: Token) -> HandleState:
        """What was emptied of that token may be used again."""
        return self.changed(
            (token,),
            lambda h: h._replace(stale=None) if h.token == token and h.stale and h.stale.how == "emptied" else h,
        )


def _is_at(handle: Handle, chain: HandleChain | None) -> bool:
    return handle.cls.startswith(OBJECT) if chain is None else handle.chain == chain


def _is_attribute(handle: Handle, place: tuple[str, ...], slot: str) -> bool:
    """Whether it is in an attribute of what sits in the place."""
    path, depth = handle.path, len(place)
    if len(path) <= depth or path[:depth] != place:
        return False
    return path[depth] == slot or (not slot and path[depth][0] == ".")


class HandleMisuse(msgspec.Struct, frozen=True):
    """A handle that is used, or handed out, when its owner is gone, or when it is `stale`.

    `kind`: `use`, `again` (by a call that ends it once more), `twice` (it is given to one call twice, which ends it),
    `return`, `store`, `lookup`, `walk` (then `harm` says what), `root` (an owner's own is erased by hand). `made` is
    where the owner is created, `ended` how the owner dies (None for a temporary, and for what is stale)."""

    function: Function
    kind: str
    at: Span
    child: Handle
    owner: str
    made: Span
    ended: tuple[Span, str] | None
    certainty: Certainty
    stale: Stale | None = None
    harm: Harm | None = None
    often: bool = False
    """The owner is one of several that are made there."""
    stored: Dependence | None = None
    """`child` is gone while a native object keeps its address."""
    temporary: bool = False
    """No name ever held the owner."""
    used: Span | None = None
    """Where it is used, returned or stored, where the mistake is elsewhere: there the owner was lost."""
    variable: str = ""
    """The local that is given the child where that is taken."""

    @property
    def about(self) -> Literal["owner", "walk", "root", "stored"] | How:
        """Why the handle is dead: its owner is gone, or a call ended it; or what a loop looks at changes under it."""
        if self.harm is not None:
            return "walk"
        if self.kind == "root":
            return "root"
        if self.stored is not None:
            return "stored"
        return self.stale.how if self.stale is not None else "owner"

    @property
    def declared(self) -> Step | None:
        """Where the project's own binding says so."""
        return self.child.declared

    @property
    def what(self) -> str:
        """The child in words, the user's code in backticks."""
        return f"an element of `{self.child.shown}`" if self.child.element else f"`{self.shown}`"

    @property
    def shown(self) -> str:
        """The child as the user knows it: the local that has it, or else how it was taken."""
        return self.variable or self.child.shown
