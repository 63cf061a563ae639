"""What a model says, as records: effects, types, functions, macros, frameworks, Python classes and their members.

Numbers of arguments count from 1 in model files and in `Place.number`; `index` counts from 0. The receiver
(`this`, `self`) is never counted.
"""

from __future__ import annotations

import functools
from collections.abc import Iterable
from fnmatch import fnmatchcase
from typing import Any, Literal, cast

import msgspec

from ownlint.facts.records import Language
from ownlint.facts.vocabulary import Framework
from ownlint.finding import Certainty

Verb = Literal[
    "acquire",
    "release",
    "adopt",
    "disown",
    "hold",
    "yield",
    "borrow",
    "keep",
    "invalidate",
    "validate",
    "may fail",
    "check",
    "discard",
    "assert only",
    "abort unless",
    "call",
    "bind",
    "returns",
    "own",
    "copy",
    "insert",
    "overwrite",
    "find",
    "erase",
    "clear",
    "never returns",
    "retain",
    "visit",
    "needs",
    "use",
    "spawn",
    "restore",
    "move",
    "swap",
    "write",
]

Role = Literal[
    "guard",
    "unguard",
    "mutex",
    "synchronized",
    "recursive",
    "condition variable",
    "scoped owner",
    "smart pointer",
    "shared pointer",
    "intrusive pointer",
    "retaining pointer",
    "weak pointer",
    "container",
    "associative",
    "multiple",
    "sequence",
    "set",
    "stable container",
    "string",
    "view",
    "iterator",
    "handle",
    "python object",
    "python handle",
    "python array",
    "shared storage",
    "dense array",
    "deletes nothing",
    "cleanup",
    "optional",
    "pair",
    "callable",
    "future",
    "thread",
    "atomic",
    "once",
    "immortal",
    "free threading",
    "slot table",
    "called from c",
    "plain",
    "arena",
    "exception",
]

MacroRole = Literal[
    "return",
    "return on failure",
    "assign or return",
    "declaring",
    "hint",
    "assert",
    "evaluated assert",
    "check",
    "log",
    "debug log",
    "discard",
    "annotation",
    "guarded by",
    "requires lock",
    "takes lock",
    "excludes lock",
    "no analysis",
    "unchecked read",
    "lends result",
    "takes argument",
    "operator registry",
]

Keeps = Literal["own", "owner", "wrapper", "none", "context", "copy", "own unless inserted"]
StatusKind = Literal["value", "enum", "pointer"]
MemberKind = Literal["static", "classmethod", "method", "property", "constructor", "callback", "buffer"]
HandleRole = Literal[
    "owner",
    "handle",
    "context",
    "sequence",
    "iterator",
    "plain",
    "guard",
    "builder",
    "index",
    "view",
    "checked",
    "storage",
    "recording",
    "perhaps",
]
MemoryRole = Literal[
    "owner",
    "struct",
    "pointer",
    "loose pointer",
    "address",
    "raw",
    "foreign",
    "callback",
    "library",
    "capsule",
    "maker",
    "other",
]
Comparison = Literal["==", "hash"]
Marks = Literal["all", "asked", "nothing"]
Where = Literal["part", "same", "below", "above", "holder", "elsewhere"]
Policy = Literal[
    "automatic", "automatic reference", "take ownership", "copy", "move", "reference", "reference internal", "none"
]
BindingKind = Literal[
    "method", "static", "function", "init", "property", "property_rw", "field", "field_rw", "iterator", "other"
]
ATTRIBUTE_ROLES = (
    "annotation",
    "guarded by",
    "requires lock",
    "takes lock",
    "excludes lock",
    "no analysis",
    "lends result",
    "takes argument",
)


class Place(msgspec.Struct, frozen=True):
    """Whom an effect is about. `kind` `arguments` means all of them, `gil` Python's global lock, `global`
    whatever outlives every caller."""

    kind: Literal["result", "receiver", "argument", "arguments", "gil", "global"]
    number: int = 0

    @property
    def index(self) -> int:
        """Of an argument, counted from 0; -1 for everything else."""
        return self.number - 1

    def __str__(self) -> str:
        return f"argument {self.number}" if self.kind == "argument" else self.kind


@functools.lru_cache(maxsize=1 << 8)
def place_called(text: str) -> Place:
    """The place that a model calls `argument 1`, or by its kind alone."""
    word, _, number = text.partition(" ")
    return Place(cast(Any, word), int(number or 0))


class Effect(msgspec.Struct, frozen=True):
    """`borrow result from argument 1` is verb `borrow`, place `result`, other `argument 1`.

    `mode` is `deep`, `shallow`, `below` or `derived` for `invalidate`, `shared` for a reader's `hold`, `on success`
    for an `adopt` or a `release` that leaves the duty with the caller when the call fails.
    """

    verb: Verb
    place: Place | None = None
    other: Place | None = None
    mode: Literal["", "deep", "shallow", "below", "derived", "shared", "on success"] = ""

    def __str__(self) -> str:
        return _as_written(self)


@functools.lru_cache(maxsize=1 << 10)
def _as_written(effect: Effect) -> str:
    given = "with" if effect.other is not None and effect.other.kind == "arguments" else "with elements of"
    link = {"borrow": "from", "erase": "from", "call": given, "bind": given}.get(effect.verb, "in")
    other = effect.other and f"{link} {effect.other}"
    return " ".join(part for part in (effect.verb, effect.place and str(effect.place), other, effect.mode) if part)


class StatusModel(msgspec.Struct, frozen=True):
    """A type whose value says whether something worked.

    `ok`, `failed` and `discard` are written as in the code, with `_` for the value: `.ok()`, `iree_status_is_ok(_)`.
    """

    library: str
    types: tuple[str, ...]
    kind: StatusKind = "value"
    ok: tuple[str, ...] = ()
    failed: tuple[str, ...] = ()
    discard: tuple[str, ...] = ()
    nodiscard: bool = False
    carries_value: bool = False
    """`StatusOr<T>`, `Expected<T>`: holds a value when it worked."""
    bare: bool = False
    """The last name alone is enough to know it: `LogicalResult`, not `Status`."""
    returned_by: tuple[str, ...] = ()
    """Functions that return it, for code whose headers are out of sight."""
    droppable: tuple[str, ...] = ()
    """Of its functions those whose answer is no news: they are called for what they do to the error state."""
    asked_by: tuple[str, ...] = ()
    """Functions that tell whether any call before them has failed: `cudaGetLastError`."""
    repeated: tuple[str, ...] = ()
    """Functions that fail only for work that began before them; every later call fails for it as well:
    `cudaDeviceSynchronize`."""
    advisory: bool = False
    """Failure is an answer like another, and a cast to void says that both are fine: `LogicalResult`."""
    throws_under: tuple[str, ...] = ()
    """Macros that a file defines to have methods throw on failure; what they return is success then."""
    source: str = ""


class StatusType(msgspec.Struct, frozen=True):
    """A type found in code, recognised as a status."""

    model: StatusModel
    name: str
    """The model's qualified name of the type."""
    reference: bool
    """Written with `&`: it looks at somebody else's status, so dropping it loses nothing."""
    pointer: bool
    template: str
    certainty: Certainty

    @property
    def kind(self) -> StatusKind:
        return self.model.kind


class FunctionModel(msgspec.Struct, frozen=True):
    library: str
    name: str
    effects: tuple[Effect, ...]
    languages: tuple[Language, ...] = ("cpp",)
    released_by: tuple[str, ...] = ()
    keeps: Keeps | None = None
    replaced_by: str = ""
    """What returns the same without the hazard: `PyList_GetItemRef` for `PyList_GetItem`."""
    replaced_since: str = ""
    """The first version of the library that has it."""
    nullable: bool = False
    """The result may be NULL, and then an error is set."""
    never_null: bool = False
    """The result is an address inside an argument, or the program ends where there is no memory for it: a test for NULL
    has one outcome."""
    counted: bool = False
    """What it hands out, by result or through an argument, is a reference that is counted."""
    fills: tuple[str, ...] = ()
    """Members, of the struct whose address it is given, that are not NULL where it worked."""
    member: str = ""
    """The member of argument 1 that the macro stands for: what is written there replaces what it answers."""
    answers_zero: bool = False
    """0 is its one answer where it worked."""
    fails_by_zero: bool = False
    """0 is its one answer where it failed."""
    fails_below_zero: bool = False
    """-1 is its one answer where it failed, and no other answer is below 0."""
    computes: bool = False
    """It cannot fail: what it answers is a comparison or a measure, no outcome."""
    calls: bool = False
    """It calls an object of Python, and answers with what that returns, which may be None."""
    throws: bool = False
    """It throws where it fails, and that depends on what it is given at run time: `std::stoi`."""
    exceptions: tuple[str, ...] = ()
    """The classes of what it throws; none where these are not known."""
    together: bool = False
    """Its arguments all get something, or all get NULL."""
    rest_nullable: bool = False
    """Of those arguments the first alone is sure to get something where any does."""
    format_at: int = 0
    """Which argument, from 1, is a format string that says what is done with those behind it; 0 for none."""
    format_from: int = 0
    """The first argument, from 1, that its letters speak of; 0 for the one behind it."""
    format_steals: str = ""
    """Its letters for a reference that is taken over."""
    format_lends: str = ""
    """Its letters for the address of a variable that gets a borrowed reference."""
    format_points: str = ""
    """Its letters for the address of a pointer that then leads into what is parsed."""
    format_acquires: str = ""
    """Its letters for the address of something that has to be released where the call answers more than 0."""
    trusts_type: bool = False
    """The object is taken for one of the type that the template names: nothing looks whether it is."""
    durable: bool = False
    """What was written before is safe only where it worked: `fsync`."""
    written_by: tuple[str, ...] = ()
    """Where it is durable for those alone that also read: the functions that write."""
    result: str = ""
    """The type of what it answers, with `element` for what the class of the receiver holds: `element*` of
    `std::vector::data`."""
    casts: bool = False
    """It answers with its argument, taken for one of the type that the template names."""
    by_reference: bool = False
    """What it answers is a place: what the call borrows is the place itself, not what stands there."""
    drops_answers: bool = False
    """What the functions answer that it calls, it looks at no more than it says: `std::for_each`."""
    makes_room: bool = False
    """Elements that are put into the container behind it need not move the others."""
    kept_at: int = 0
    """The argument, from 1, that says whether it answers with an object that the library has anyway; 0 for none."""
    kept_for: str = ""
    """What that argument then is: a range of numbers, `-5..256`; of a text that is written there, of its length."""
    option_at: int = 0
    """The argument, from 1, by which the call says what it is for; 0 for a function with one use."""
    options: tuple[str, ...] = ()
    """Of such a function: the constants of which it is said. Of a call with another nothing is known."""
    sized_by: tuple[str, ...] = ()
    """Functions that say of argument 1 how many there are: for an argument 2 below that it cannot fail."""
    room_made_by: tuple[str, ...] = ()
    """Functions that make argument 1 with as many places as their own argument 1 says: for an argument 2 below that it
    cannot fail."""
    bare: bool = False
    note: str = ""
    source: str = ""
    certainty: Certainty = "certain"
    """Of the match: `certain` for the whole name, `likely` for a part of two names or more, `possible` for one."""

    def has(self, verb: Verb, place: str = "") -> bool:
        wanted = place_called(place) if place else None
        for effect in self.effects:  # noqa: SIM110 - asked so often that a generator counts
            if effect.verb == verb and (wanted is None or effect.place == wanted):
                return True
        return False

    @property
    def resized(self) -> int | None:
        """The index of the argument that it releases if it succeeds, with what it returns in its place."""
        for effect in self.effects:
            if effect.verb == "release" and effect.mode and effect.place is not None and self.has("acquire", "result"):
                return effect.place.index
        return None

    @property
    def lender(self) -> int | None:
        """The index of the argument that what it returns is borrowed from; negative for its object."""
        for effect in self.effects:
            if effect.verb == "borrow" and str(effect.place) == "result" and effect.other is not None:
                return effect.other.index
        return None


class KindModel(msgspec.Struct, frozen=True):
    """What things are that these functions release: how they can be used, and how a message calls them."""

    name: str = "handle"
    released_by: tuple[str, ...] = ()
    """The last names of functions, with `*` for anything."""
    memory: bool = False
    """Pointers lead into it, and to look there is to use it; to hand a pointer on is not."""
    number: bool = False
    """It is named by a number, which anybody may print, compare or keep: only what `needs` it uses it."""
    stays: bool = False
    """A release ends a duty alone, as of what is registered or mapped: the thing itself may live on."""
    counted: bool = False
    """A release gives up one of several references: the object ends with the last of them."""
    lasting: bool = False
    """To acquire one has effects that last as long as it does, so that one which is never released may be
    meant to stay."""


HANDLE = KindModel()
"""What is released by a function of which no kind speaks."""
REFERENCE = KindModel("reference", counted=True)
"""What a library counts."""


class ClassModel(msgspec.Struct, frozen=True):
    library: str
    name: str
    roles: tuple[Role, ...]
    argument: int = 1
    """Guards: which constructor argument is the lock, from 1; 0 when there is none."""
    holds: str = ""
    """Guards of one fixed lock: `gil`."""
    shared: bool = False
    element: int = 1
    """Containers: which template argument is what it holds (2 for a map)."""
    bases: tuple[str, ...] = ()
    """Exceptions: the classes that it derives from."""
    plain_by: tuple[str, ...] = ()
    """Locks that may be recursive: the function whose last argument is null, or the macro that is the value, where one
    is begun that is not."""
    bare: bool = False
    source: str = ""


class MacroModel(msgspec.Struct, frozen=True):
    library: str
    name: str
    """The name, or the regular expression of whole names it stands for."""
    role: MacroRole
    argument: int = 1
    """Which argument is tested, checked or evaluated, from 1; 0 for none."""
    regular: bool = False
    source: str = ""
    ends: tuple[str, ...] = ()
    """First arguments of a log's macro with which the program ends there; where `argument` is another one, only if that
    condition holds."""

    @property
    def index(self) -> int:
        return self.argument - 1


class Environment(msgspec.Struct, frozen=True):
    """The process's variables: last names of the functions that read one (`getenv_s/4/2` where the name is the fourth
    argument, and the text is put into the second) and that change one, the variables (`*` stands for anything) that
    belong to the system rather than to the program, and last names of the functions that make an integer of a text
    (`parses`), a real number (`parses_real`), that compare two (`compares`) and that only say whether there is one
    (`asks`, which are among `reads`); qualified names of functions and classes that take a text for a path (`paths`).

    In Python, by their dotted names: `mappings` that hold the variables, functions that read one (in `reads`), that
    make a number (in `parses` and `parses_real`), a truth value (`parses_truth`) or something else (`decodes`) of a
    text, or take it for a path (`paths`), and functions whose call at the top of a file makes it a program of its own
    (`programs`); and last names of what only shows a text to people (`shows`).
    """

    reads: tuple[str, ...] = ()
    writes: tuple[str, ...] = ()
    ignore: tuple[str, ...] = ()
    parses: tuple[str, ...] = ()
    parses_real: tuple[str, ...] = ()
    compares: tuple[str, ...] = ()
    asks: tuple[str, ...] = ()
    mappings: tuple[str, ...] = ()
    parses_truth: tuple[str, ...] = ()
    decodes: tuple[str, ...] = ()
    paths: tuple[str, ...] = ()
    programs: tuple[str, ...] = ()
    shows: tuple[str, ...] = ()

    def ignores(self, variable: str) -> bool:
        return any(fnmatchcase(variable, pattern) for pattern in self.ignore)


class Gil(msgspec.Struct, frozen=True):
    """The interpreter's lock: functions (patterns of qualified names) that need it held (`needs`), whatever others say
    not (`free`), that give it up (`drops`), take it (`takes`), put it back as it was before it was taken (`restores`),
    ask for it (`asks`), ask whether there is an interpreter (`alive`), start one (`starts`) and end it (`ends`), and
    that have something run once it is gone (`exits`). `calm`: of those that need it, the ones that throw nothing;
    `runs`: those that can let go of it on the way. `methods`: methods of its objects that need no lock; `empty`: types
    whose default constructor makes no object; `embeds`: words of programs that have an interpreter of their own.
    `waits`: functions that return only when another thread, a process or a server has done something; `pauses`: those
    with which a loop waits for that."""

    needs: tuple[str, ...] = ()
    free: tuple[str, ...] = ()
    drops: tuple[str, ...] = ()
    takes: tuple[str, ...] = ()
    restores: tuple[str, ...] = ()
    asks: tuple[str, ...] = ()
    alive: tuple[str, ...] = ()
    starts: tuple[str, ...] = ()
    ends: tuple[str, ...] = ()
    exits: tuple[str, ...] = ()
    calm: tuple[str, ...] = ()
    runs: tuple[str, ...] = ()
    methods: tuple[str, ...] = ()
    empty: tuple[str, ...] = ()
    embeds: tuple[str, ...] = ()
    waits: tuple[str, ...] = ()
    pauses: tuple[str, ...] = ()


GIL_WORDS = (
    "free",
    "drops",
    "takes",
    "restores",
    "asks",
    "alive",
    "starts",
    "ends",
    "exits",
    "waits",
    "pauses",
    "needs",
)
"""What a function may do to the lock, the stronger word first."""


class FrameworkModel(msgspec.Struct, frozen=True):
    """How a binding framework behaves; `spelling` is what the frontend needs to know of it."""

    library: str
    spelling: Framework
    policies: dict[str, Policy]
    """Name in the code -> meaning."""
    defaults: dict[str, Policy]
    """`pointer`, `reference`, `value`, `property pointer`, `property reference`, `property value`,
    `cast pointer`, `cast reference` -> what happens when no policy is written."""
    extras: dict[str, str]
    """Name of an extra -> `keep alive`, `policy`, `call guard`, `argument`, `call policy`, `other`."""
    facts: dict[str, str]
    """What differs between frameworks; see `docs/models-reference.md`."""
    iterators: tuple[str, ...] = ()
    source: str = ""


class PyMember(msgspec.Struct, frozen=True):
    """A member of a Python class, or a function (`on` is empty). Arguments count from 1, without `self`."""

    library: str
    on: str
    name: str
    kind: MemberKind = "method"
    returns: tuple[str, ...] = ()
    """Canonical dotted names of the classes it may return, `self` for the receiver's; nothing when it returns plain
    data."""
    borrows: str = ""
    """`self`, `argument 1`, `parent` (the owner of the receiver), `context`, or nothing."""
    keeps: Keeps | None = None
    where: Where = "part"
    """Where what it gives stands, seen from what it is borrowed from."""
    parameters: tuple[str, ...] = ()
    """Names of the parameters in order, so that an argument given by name is found."""
    of: str = ""
    """What it invalidates is the element of this member that its first argument picks."""
    spared_by: str = ""
    """The keyword that, given as False, says that nothing is invalidated."""
    when: tuple[str, ...] = ()
    """A parameter and the constant that it is given in the calls that are meant; another variant is for the rest."""
    given: tuple[str, ...] = ()
    """It borrows from an argument of one of these classes; from others it copies."""
    lacks: tuple[str, ...] = ()
    """Keywords that it does not take in those versions."""
    effects: tuple[Effect, ...] = ()
    counted: bool = False
    """Of what it keeps, it keeps a reference of its own, and not the address alone."""
    marks: Marks | None = None
    """Which Python objects know of what it ends: all, the one that was asked to, or none."""
    versions: tuple[str, ...] = ()
    """The versions (of `[[version]]`) it is about; none means all."""
    removed: bool = False
    """The member does not exist in those versions."""
    shows: str = ""
    """The class that alone has the member: what is asked for it is an object of that class."""
    makes_class: bool = False
    """The result is a class, derived from the one it names."""
    at_address: bool = False
    """What it points into may be given as a bare address."""
    note: str = ""
    source: str = ""


class PyClass(msgspec.Struct, frozen=True):
    """`members` has one entry a name: the first written; `variants` has all of them. `role` says what its objects are
    among handles, `memory` what they have to do with raw memory; empty where they are none of those."""

    library: str
    name: str
    role: HandleRole | Literal[""]
    bases: tuple[str, ...]
    members: dict[str, PyMember]
    variants: dict[str, tuple[PyMember, ...]]
    source: str = ""
    told_by: tuple[str, ...] = ()
    """Members that no other class has: what has one is an instance."""
    compared_by: tuple[Comparison, ...] = ()
    """What says whether two of its objects stand for one native object; their identity does not."""
    started_by: tuple[str, ...] = ()
    """Methods after which its objects go on by themselves, for as long as somebody keeps them."""
    awaited_by: tuple[str, ...] = ()
    """Names of calls that last until they have ended."""
    unique: tuple[str, ...] = ()
    """The versions in which there is one object for each native one all the same."""
    unchecked: bool = False
    """Its objects never ask whether what they stand for is still there."""
    memory: MemoryRole | Literal[""] = ""
    known_as: tuple[str, ...] = ()
    """Names its objects go by where nobody says what they are."""

    @property
    def last(self) -> str:
        return self.name.rpartition(".")[2]


class Version(msgspec.Struct, frozen=True):
    """One of the behaviours a library has had. `packages`: distribution -> version specifier."""

    library: str
    name: str
    packages: dict[str, str]
    note: str = ""


def makers_among(members: Iterable[PyMember]) -> list[PyMember]:
    return [member for member in members if member.keeps == "own"]


def constructor(library: str, name: str) -> PyMember:
    """An owner of which no maker is described is made by calling its class."""
    return PyMember(library, name, "__init__", "constructor", (name,), keeps="own")


def called_as(maker: PyMember) -> str:
    """The name in front of the parentheses."""
    return maker.on.rpartition(".")[2] if maker.name == "__init__" else maker.name


class PythonWords(msgspec.Struct, frozen=True):
    """Last names, as Python writes them, of what the models of some libraries describe."""

    invalidators: frozenset[str] = frozenset()
    """Calls after which handles may be stale."""
    movers: frozenset[str] = frozenset()
    """Calls that put handles elsewhere, hand them to a callback, or make an owner of one; guards."""
    absent: frozenset[str] = frozenset()
    """Members and keywords that some version does not have."""
    likened: frozenset[str] = frozenset()
    """Classes whose identity does not say which native object they stand for."""


def moves(member: PyMember, effect: Effect) -> bool:
    """Whether it says that a call puts something elsewhere, or its address."""
    return effect.verb == "adopt" or (effect.verb == "keep" and not member.counted)


def python_words(classes: Iterable[PyClass], members: Iterable[PyMember]) -> PythonWords:
    classes, members = list(classes), list(members)
    guards = (cls.last for cls in classes if cls.role == "guard")
    removed = (member.name for member in members if member.removed)
    return PythonWords(
        invalidators=frozenset(member.name.rpartition(".")[2] for member in members if _makes_stale(member)),
        movers=frozenset({*guards, *(member.name for member in members if _puts_elsewhere(member))}),
        absent=frozenset(removed).union(*(member.lacks for member in members)),
        likened=frozenset(cls.name for cls in classes if cls.compared_by),
    )


def _makes_stale(member: PyMember) -> bool:
    return any(effect.verb in ("invalidate", "disown") for effect in member.effects)


def _puts_elsewhere(member: PyMember) -> bool:
    makes = member.kind == "method" and member.keeps == "own" and bool(member.on and member.returns)
    return makes or member.kind == "callback" or any(moves(member, effect) for effect in member.effects)
