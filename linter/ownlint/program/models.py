"""What libraries do, as data: model files, read strictly and looked up quickly.

A model is a TOML file about one library; `rules/ownlint_rules/models/README.md` is its reference. A mistake in
one is a `ModelError` that names the line. Everything that a look-up returns is frozen, and every look-up is cached:
the same few hundred names come up thousands of times in a run.

Numbers of arguments count from 1 in model files and in `Place.number`; `index` counts from 0. The receiver
(`this`, `self`) is never counted.
"""

from __future__ import annotations

import difflib
import fnmatch
import functools
import hashlib
import re
import stat
import tomllib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from fnmatch import fnmatchcase, translate
from pathlib import Path
from typing import Any, Generic, Literal, NoReturn, TypeVar, cast, get_args

import msgspec

from ownlint.facts.records import Language
from ownlint.facts.vocabulary import Anchor, Framework, Vocabulary
from ownlint.finding import CERTAINTIES, Certainty
from ownlint.program import memory_models
from ownlint.program.consumer_models import ConsumerModel, Consuming, StorageModel, read_consumer, read_storage

FORMAT = 1
"""Part of the digest: raised when the same text comes to mean something else."""

MAXIMUM_BYTES = 4_000_000

# --- the words of a model ------------------------------------------------------------------------

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
    "spawn",
    "restore",
]

Role = Literal[
    "guard",
    "unguard",
    "mutex",
    "condition variable",
    "scoped owner",
    "smart pointer",
    "shared pointer",
    "intrusive pointer",
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
]

MacroRole = Literal[
    "return",
    "return on failure",
    "assign or return",
    "declaring",
    "assert",
    "check",
    "log",
    "debug log",
    "discard",
    "annotation",
    "guarded by",
    "requires lock",
    "excludes lock",
    "no analysis",
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
]
Comparison = Literal["==", "hash"]
Where = Literal["part", "same", "below", "above", "holder", "elsewhere"]
Policy = Literal[
    "automatic", "automatic reference", "take ownership", "copy", "move", "reference", "reference internal", "none"
]
BindingKind = Literal[
    "method", "static", "function", "init", "property", "property_rw", "field", "field_rw", "iterator", "other"
]

_ATTRIBUTE_ROLES = ("annotation", "guarded by", "requires lock", "excludes lock", "no analysis")


class ModelError(Exception):
    """A mistake in a model file; its text is `path:line: message`."""

    def __init__(self, path: Path | str, line: int, message: str) -> None:
        super().__init__(f"{path}:{line}: {message}")
        self.path, self.line, self.message = Path(path), line, message


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


class Effect(msgspec.Struct, frozen=True):
    """`borrow result from argument 1` is verb `borrow`, place `result`, other `argument 1`.

    `mode` is `deep`, `shallow`, `below` or `derived` for `invalidate`, `shared` for a reader's `hold`, `on success`
    for an `adopt` that leaves the duty with the caller when the call fails.
    """

    verb: Verb
    place: Place | None = None
    other: Place | None = None
    mode: Literal["", "deep", "shallow", "below", "derived", "shared", "on success"] = ""

    def __str__(self) -> str:
        link = {"borrow": "from", "erase": "from"}.get(self.verb, "in")
        parts = [self.verb, self.place and str(self.place), self.other and f"{link} {self.other}", self.mode]
        return " ".join(part for part in parts if part)


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
    advisory: bool = False
    """Failure is an answer like another, and a cast to void says that both are fine: `LogicalResult`."""
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
    counted: bool = False
    """What it hands out, by result or through an argument, is a reference that is counted."""
    fills: tuple[str, ...] = ()
    """Members, of the struct whose address it is given, that are not NULL where it worked."""
    answers_zero: bool = False
    """0 is its one answer where it worked."""
    together: bool = False
    """Its arguments all get something, or all get NULL."""
    format_at: int = 0
    """Which argument, from 1, is a format string that says what is done with those behind it; 0 for none."""
    format_steals: str = ""
    """Its letters for a reference that is taken over."""
    format_lends: str = ""
    """Its letters for the address of a variable that gets a borrowed reference."""
    format_points: str = ""
    """Its letters for the address of a pointer that then leads into what is parsed."""
    format_acquires: str = ""
    """Its letters for the address of something that has to be released where the call answers more than 0."""
    bare: bool = False
    note: str = ""
    source: str = ""
    certainty: Certainty = "certain"
    """Of the match: `certain` for the whole name, `likely` for a part of two names or more, `possible` for one."""

    def has(self, verb: Verb, place: str = "") -> bool:
        return any(effect.verb == verb and place in ("", str(effect.place)) for effect in self.effects)


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

    @property
    def index(self) -> int:
        return self.argument - 1


class Environment(msgspec.Struct, frozen=True):
    """The process's variables: last names of the functions that read one and that change one, and the variables (`*`
    stands for anything) that belong to the system rather than to the program."""

    reads: tuple[str, ...] = ()
    writes: tuple[str, ...] = ()
    ignore: tuple[str, ...] = ()

    def ignores(self, variable: str) -> bool:
        return any(fnmatchcase(variable, pattern) for pattern in self.ignore)


class Gil(msgspec.Struct, frozen=True):
    """The interpreter's lock: functions (patterns of qualified names) that need it held (`needs`), whatever others say
    not (`free`), that give it up (`drops`), take it (`takes`), put it back as it was before it was taken (`restores`),
    ask for it (`asks`), ask whether there is an interpreter (`alive`), start one (`starts`) and end it (`ends`), and
    that have something run once it is gone (`exits`). `calm`: of those that need it, the ones that throw nothing;
    `runs`: those that can let go of it on the way. `methods`: methods of its objects that need no lock; `empty`: types
    whose default constructor makes no object; `embeds`: words of programs that have an interpreter of their own."""

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


GIL_WORDS = ("free", "drops", "takes", "restores", "asks", "alive", "starts", "ends", "exits", "needs")
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
    """What differs between frameworks; see the models' README."""
    iterators: tuple[str, ...] = ()
    source: str = ""


class PyMember(msgspec.Struct, frozen=True):
    """A member of a Python class of handles, or a function (`on` is empty). Arguments count from 1, without `self`."""

    library: str
    on: str
    name: str
    kind: MemberKind = "method"
    returns: tuple[str, ...] = ()
    """Canonical dotted names of the classes it may return; nothing when it returns plain data."""
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
    versions: tuple[str, ...] = ()
    """The versions (of `[[version]]`) it is about; none means all."""
    removed: bool = False
    """The member does not exist in those versions."""
    note: str = ""
    source: str = ""


class PyClass(msgspec.Struct, frozen=True):
    """`members` has one entry a name: the first written; `variants` has all of them."""

    library: str
    name: str
    role: HandleRole
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

    @property
    def last(self) -> str:
        return self.name.rpartition(".")[2]


class Version(msgspec.Struct, frozen=True):
    """One of the behaviours a library has had. `packages`: distribution -> version specifier."""

    library: str
    name: str
    packages: dict[str, str]
    note: str = ""


# --- reading one file ------------------------------------------------------------------------------

_PLACE = r"(result|receiver|argument [1-9]\d?|arguments|gil|global)"
_EFFECTS: tuple[tuple[Verb, re.Pattern[str]], ...] = tuple(
    (verb, re.compile(f"(?:{pattern})"))
    for verb, pattern in cast(
        "tuple[tuple[Verb, str], ...]",
        (
            *((verb, f"{verb} {_PLACE}") for verb in ("acquire", "release", "disown", "yield", "validate", "check")),
            ("restore", f"restore {_PLACE}"),
            *((verb, f"{verb} {_PLACE}") for verb in ("discard", "abort unless", "returns", "own", "copy", "clear")),
            *((verb, f"{verb} {_PLACE}") for verb in ("retain", "visit", "needs", "spawn")),
            ("adopt", rf"adopt {_PLACE}(?: in {_PLACE})?(?: (?P<mode>on success))?"),
            ("hold", rf"hold {_PLACE}(?: (?P<mode>shared))?"),
            ("borrow", rf"borrow {_PLACE} from {_PLACE}"),
            ("keep", rf"keep {_PLACE} in {_PLACE}"),
            ("invalidate", rf"invalidate {_PLACE} (?P<mode>deep|shallow|below|derived)"),
            *((verb, f"{verb} {_PLACE} in {_PLACE}") for verb in ("insert", "overwrite", "find")),
            ("erase", rf"erase {_PLACE} from {_PLACE}"),
            *((verb, verb) for verb in ("may fail", "assert only", "never returns")),
        ),
    )
)
_EXAMPLES = (
    "acquire result",
    "acquire argument 1",
    "release argument 1",
    "release receiver",
    "adopt argument 1",
    "adopt argument 2 in argument 1",
    "disown receiver",
    "hold receiver",
    "hold receiver shared",
    "yield receiver",
    "borrow result from receiver",
    "keep argument 1 in receiver",
    "invalidate receiver deep",
    "validate receiver",
    "may fail",
    "check argument 1",
    "discard argument 1",
    "assert only",
    "abort unless argument 1",
    "returns receiver",
    "own result",
    "copy result",
    "insert argument 1 in receiver",
    "overwrite argument 1 in receiver",
    "find argument 1 in receiver",
    "erase argument 1 from receiver",
    "clear receiver",
    "never returns",
    "retain argument 1",
    "needs argument 1",
    "spawn argument 1",
)


@functools.cache
def parse_effect(text: str) -> Effect | None:
    """The effect a model wrote, or None where it is none."""
    for verb, pattern in _EFFECTS:
        if match := pattern.fullmatch(text):
            groups = match.groupdict()
            places = [_place(part) for part in match.groups() if part and part != groups.get("mode")]
            place, other = [*places, None, None][:2]
            return Effect(verb, place, other, cast(Any, groups.get("mode") or ""))
    return None


def _place(text: str) -> Place:
    word, _, number = text.partition(" ")
    return Place(cast(Any, word), int(number or 0))


_HEADER = re.compile(r"\s*\[(\[)?\s*([\w.\- ]+?)\s*\]\]?\s*(?:#.*)?")


class _Source:
    """The text of a model file: tells on which line a table or a key stands."""

    def __init__(self, path: Path, text: str) -> None:
        self.path = path
        self.lines = text.splitlines()
        self.headers = [
            (number, match[2]) for number, line in enumerate(self.lines) if (match := _HEADER.fullmatch(line))
        ]

    def header(self, name: str, occurrence: int, after: int = -1) -> int:
        found = [number for number, header in self.headers if header == name and number > after]
        return found[occurrence] if occurrence < len(found) else max(after, 0)

    def key(self, start: int, key: str, value: str = "") -> int:
        """The line of `key` in the table whose header is line `start`, or of `value` within its array."""
        end = next((number for number, _ in self.headers if number > start), len(self.lines))
        wanted = re.compile(rf"""(?:\s*|.*[{{,]\s*)["']?{re.escape(key)}["']?\s*=""")
        at = next((number for number in range(start, end) if wanted.match(self.lines[number])), start)
        if value:
            return next((number for number in range(at, end) if value in self.lines[number]), at)
        return at


class _Table:
    """One table of a model file. Every key must be asked for once; what is left over is a mistake."""

    def __init__(self, source: _Source, header: str, data: object, occurrence: int = 0, after: int = -1) -> None:
        self.source, self.name = source, header
        self.start = source.header(header, occurrence, after)
        self.known: list[str] = []
        if not isinstance(data, dict):
            raise ModelError(source.path, self.start + 1, f"`{header}` must be a table")
        self.data: dict[str, Any] = data

    def fail(self, message: str, key: str = "", value: str = "") -> NoReturn:
        line = self.source.key(self.start, key, value) if key else self.start
        raise ModelError(self.source.path, line + 1, message)

    def take(self, key: str) -> Any:
        self.known.append(key)
        return self.data.get(key)

    def text(self, key: str, default: str = "") -> str:
        value = self.take(key)
        if value is None:
            return default
        if not isinstance(value, str):
            self.fail(f"`{key}` must be a string", key)
        return value

    def required(self, key: str) -> str:
        if not (value := self.text(key)):
            self.lacks(key)
        return value

    def lacks(self, key: str) -> NoReturn:
        """`key` is not there: perhaps it was misspelled."""
        for typo in difflib.get_close_matches(key, (each for each in self.data if each not in self.known), 1):
            self.fail(f"`{self.name}` has no key `{typo}`; did you mean `{key}`?", typo)
        self.fail(f"`{self.name}` needs `{key}`")

    def texts(self, key: str) -> tuple[str, ...]:
        """A string, or a list of strings."""
        value = self.take(key)
        if isinstance(value, str):
            return (value,)
        if value is not None and not (isinstance(value, list) and all(isinstance(item, str) for item in value)):
            self.fail(f"`{key}` must be a string or a list of strings", key)
        return tuple(value or ())

    def names(self) -> tuple[str, ...]:
        """`name = "a"` or `names = ["a", "b"]`, one of the two."""
        one, many = self.texts("name"), self.texts("names")
        if bool(one) == bool(many):
            self.fail(f"`{self.name}` needs either `name` or `names`")
        return one or many

    def choice(self, key: str, options: tuple[str, ...], default: str = "") -> Any:
        value = self.text(key, default)
        if value and value not in options:
            self.fail(f"`{key}` cannot be `{value}`{_meant(value, options)}", key)
        return value or None

    def choices(self, key: str, options: tuple[str, ...]) -> tuple[Any, ...]:
        values = self.texts(key)
        for value in values:
            if value not in options:
                self.fail(f"`{key}` cannot be `{value}`{_meant(value, options)}", key, value)
        return values

    def flag(self, key: str, default: bool = False) -> bool:
        value = self.take(key)
        if value is not None and not isinstance(value, bool):
            self.fail(f"`{key}` must be true or false", key)
        return default if value is None else bool(value)

    def number(self, key: str, default: int) -> int:
        value = self.take(key)
        if value is None:
            return default
        if not isinstance(value, int) or isinstance(value, bool) or not 0 <= value <= 99:
            self.fail(f"`{key}` must be a number from 0 to 99", key)
        return value

    def mapping(self, key: str, options: tuple[str, ...] = ()) -> dict[str, Any]:
        """A table of strings, whose values are among `options`; written inline or as `[header.key]`."""
        value = self.take(key)
        if value is None:
            return {}
        header = f"{self.name}.{key}"
        inline = not any(name == header and number > self.start for number, name in self.source.headers)
        table = self if inline else _Table(self.source, header, value, 0, self.start)
        if not isinstance(value, dict):
            self.fail(f"`{key}` must be a table", key)
        for name, word in value.items():
            if not isinstance(word, str):
                table.fail(f"`{name}` must be a string", name)
            if options and word not in options:
                table.fail(f"`{name}` cannot be `{word}`{_meant(word, options)}", name)
        return dict(value)

    def effects(self, key: str = "effect") -> tuple[Effect, ...]:
        found = []
        for text in self.texts(key):
            if (effect := parse_effect(text)) is None:
                self.fail(f"`{text}` is not an effect{_meant(text, _EXAMPLES)}", key, text)
            found.append(effect)
        return tuple(found)

    def done(self) -> None:
        for key in self.data:
            if key not in self.known:
                header = f"{self.name}.{key}".removeprefix(".")
                if any(name == header and number >= self.start for number, name in self.source.headers):
                    self.start, where = self.source.header(header, 0, self.start - 1), ""
                else:
                    where = key
                owner = f"`{self.name}`" if self.name else "a model"
                self.fail(f"{owner} has no key `{key}`{_meant(key, self.known)}", where)


def _meant(word: str, options: Iterable[str]) -> str:
    options = sorted(options)
    if close := difflib.get_close_matches(word, options, 1, 0.6):
        return f"; did you mean `{close[0]}`?"
    return f"; it is one of {', '.join(f'`{option}`' for option in options)}" if len(options) <= 40 else ""


class _File:
    """One model file, read and validated."""

    def __init__(self, path: Path, data: bytes) -> None:
        self.source, top = _parse(path, data)
        self.top = _Table(self.source, "", top)
        self.top.start = 0
        library = _Table(self.source, "library", self._section("library", {}))
        if not library.data:
            raise ModelError(path, 1, "a model needs a `[library]` table with a `name`")
        self.library = library.required("name")
        self.languages: tuple[Language, ...] = library.choices("languages", ("cpp", "python")) or ("cpp",)
        self.namespaces = library.texts("namespaces")
        self.aliases: dict[str, str] = library.mapping("aliases")
        self.anchors = library.texts("anchors")
        self.beside = library.texts("beside")
        self.prefixes = library.texts("prefixes")
        self.constants = library.texts("constants")
        self.collected = library.texts("collected")
        self.atomic = library.texts("atomic")
        self.documentation = library.texts("source")
        library.done()
        self.statuses = [self._status(table) for table in self._tables("status")]
        self.functions = [model for table in self._tables("function") for model in self._functions(table)]
        self.classes = [model for table in self._tables("class") for model in self._classes(table)]
        self.macros = [model for table in self._tables("macro") for model in self._macros(table)]
        self.frameworks = [self._framework(table) for table in self._tables("framework")]
        self.versions = [self._version(table) for table in self._tables("version")]
        self.parity = [self._parity(table) for table in self._tables("parity")]
        self.environment = self._environment(_Table(self.source, "env", self._section("env", {})))
        self.gil = self._gil(_Table(self.source, "gil", self._section("gil", {})))
        self.modules: dict[str, str] = {}
        self.exports: dict[str, tuple[str, ...]] = {}
        self.py_classes: list[PyClass] = []
        self.py_functions: list[PyMember] = []
        self.consumers: list[ConsumerModel] = []
        self.storages: list[StorageModel] = []
        self._python(self._section("python", {}))
        memory = _Table(self.source, "memory", self._section("memory", {}))
        self.memory = memory_models.read(
            self.library, lambda key: list(self._tables(f"memory.{key}", memory.take(key) or []))
        )
        memory.done()
        self.top.done()

    def _section(self, key: str, default: object) -> Any:
        value = self.top.take(key)
        return default if value is None else value

    def _tables(self, key: str, data: Any = None) -> Iterator[_Table]:
        items = self._section(key, []) if data is None else data
        if not isinstance(items, list):
            self.top.start = self.source.header(key, 0)
            self.top.fail(f"write `[[{key}]]`, with two brackets: there may be several")
        for occurrence, item in enumerate(items):
            yield _Table(self.source, key, item, occurrence)

    def _status(self, table: _Table) -> StatusModel:
        model = StatusModel(
            library=self.library,
            types=table.texts("types"),
            kind=table.choice("kind", get_args(StatusKind), "value"),
            ok=table.texts("ok"),
            failed=table.texts("failed"),
            discard=table.texts("discard"),
            nodiscard=table.flag("nodiscard"),
            carries_value=table.flag("carries_value"),
            bare=table.flag("bare"),
            returned_by=table.texts("returned_by"),
            droppable=table.texts("droppable"),
            advisory=table.flag("advisory"),
            source=table.text("source"),
        )
        if not model.types:
            table.lacks("types")
        table.done()
        return model

    def _functions(self, table: _Table) -> Iterator[FunctionModel]:
        names = table.names()
        languages = table.choices("languages", ("cpp", "python")) or self.languages
        model = FunctionModel(
            library=self.library,
            name="",
            effects=table.effects(),
            languages=languages,
            released_by=table.texts("released_by"),
            keeps=table.choice("keeps", get_args(Keeps)),
            replaced_by=table.text("replaced_by"),
            replaced_since=table.text("replaced_since"),
            nullable=table.flag("nullable"),
            counted=table.flag("counted"),
            together=table.flag("together"),
            answers_zero=table.flag("answers_zero"),
            fills=table.texts("fills"),
            format_at=table.number("format_at", 0),
            format_steals=table.text("format_steals"),
            format_lends=table.text("format_lends"),
            format_points=table.text("format_points"),
            format_acquires=table.text("format_acquires"),
            bare=table.flag("bare"),
            note=table.text("note"),
            source=table.text("source"),
        )
        if not model.effects:
            table.lacks("effect")
        table.done()
        return (msgspec.structs.replace(model, name=name) for name in names)

    def _classes(self, table: _Table) -> Iterator[ClassModel]:
        names = table.names()
        model = ClassModel(
            library=self.library,
            name="",
            roles=table.choices("role", get_args(Role)),
            argument=table.number("argument", 1),
            holds=table.text("holds"),
            shared=table.flag("shared"),
            element=table.number("element", 1),
            bare=table.flag("bare"),
            source=table.text("source"),
        )
        if not model.roles:
            table.lacks("role")
        table.done()
        return (msgspec.structs.replace(model, name=name) for name in names)

    def _environment(self, table: _Table) -> Environment:
        model = Environment(table.texts("reads"), table.texts("writes"), table.texts("ignore"))
        table.text("source")
        table.done()
        return model

    def _gil(self, table: _Table) -> Gil:
        model = Gil(*(table.texts(key) for key in Gil.__struct_fields__))
        table.text("source")
        table.done()
        return model

    def _macros(self, table: _Table) -> Iterator[MacroModel]:
        patterns = table.texts("pattern")
        names = () if patterns else table.names()
        for pattern in patterns:
            try:
                re.compile(pattern)
            except re.error as error:
                table.fail(f"`{pattern}` is not a regular expression: {error}", "pattern", pattern[:40])
        role = table.choice("role", get_args(MacroRole))
        if role is None:
            table.lacks("role")
        argument = table.number("argument", 2 if role in ("assign or return", "declaring") else 1)
        source = table.text("source")
        table.done()
        both = [*((name, False) for name in names), *((pattern, True) for pattern in patterns)]
        return (MacroModel(self.library, name, role, argument, regular, source) for name, regular in both)

    def _framework(self, table: _Table) -> FrameworkModel:
        spelling = Framework(
            name=table.required("name"),
            namespaces=table.texts("namespaces"),
            classes=table.texts("classes"),
            methods=table.mapping("methods", get_args(BindingKind)),
            constructors=table.texts("constructors"),
            wrappers=table.texts("wrappers"),
        )
        extras = ("keep alive", "policy", "call guard", "argument", "call policy", "other")
        model = FrameworkModel(
            library=self.library,
            spelling=spelling,
            policies=table.mapping("policies", get_args(Policy)),
            defaults=table.mapping("defaults", get_args(Policy)),
            extras=table.mapping("extras", extras),
            facts=table.mapping("facts"),
            iterators=table.texts("iterators"),
            source=table.text("source"),
        )
        table.done()
        return model

    def _parity(self, table: _Table) -> tuple[str, ...]:
        words = table.texts("words")
        table.text("source")
        if len(words) < 2:
            table.fail("`words` needs at least two words that stand for each other", "words")
        for word in words:
            if not is_parity_word(word):
                table.fail(f"`{word}` is no word: letters and digits, a letter first", "words", word)
        table.done()
        return words

    def _version(self, table: _Table) -> Version:
        version = Version(self.library, table.required("name"), table.mapping("packages"), table.text("note"))
        table.done()
        return version

    def _python(self, data: Any) -> None:
        section = _Table(self.source, "python", data)
        for table in self._tables("python.module", section.take("module") or []):
            name = table.required("name")
            for alias in table.texts("aliases"):
                self.modules[alias] = name
            self.exports[name] = table.texts("exports")
            table.done()
        classes = [self._py_class(table) for table in self._tables("python.class", section.take("class") or [])]
        names = {cls.name for cls in classes}
        members: dict[str, dict[str, list[PyMember]]] = {name: {} for name in names}
        for table in self._tables("python.member", section.take("member") or []):
            for member in self._py_members(table, names):
                members[member.on].setdefault(member.name, []).append(member)
        for table in self._tables("python.function", section.take("function") or []):
            self.py_functions += self._py_members(table, names, function=True)
        for table in self._tables("python.consumer", section.take("consumer") or []):
            self.consumers += read_consumer(table)
        for table in self._tables("python.storage", section.take("storage") or []):
            self.storages.append(read_storage(table))
        section.done()
        for cls in classes:
            found = members[cls.name]
            if cls.role == "owner" and not any(map(_makers, found.values())):
                found["__init__"] = [_constructor(self.library, cls.name)]
            variants = {key: tuple(of_it) for key, of_it in found.items()}
            first = {key: of_it[0] for key, of_it in variants.items()}
            self.py_classes.append(msgspec.structs.replace(cls, members=first, variants=variants))

    def _py_class(self, table: _Table) -> PyClass:
        name, module = table.required("name"), table.text("module")
        bases = tuple(_dotted(module, base) for base in table.texts("bases"))
        role = table.choice("role", get_args(HandleRole), "handle")
        model = PyClass(
            library=self.library,
            name=_dotted(module, name),
            role=role,
            bases=bases,
            members={},
            variants={},
            source=table.text("source"),
            told_by=table.texts("told_by"),
            compared_by=table.choices("compared_by", get_args(Comparison)),
            started_by=table.texts("started_by"),
            awaited_by=table.texts("awaited_by"),
            unique=table.choices("unique", tuple(version.name for version in self.versions)),
        )
        table.done()
        return model

    def _py_members(self, table: _Table, classes: set[str], *, function: bool = False) -> Iterator[PyMember]:
        names = table.names()
        owners = [""] if function else [self._class_named(table, on, "on", classes) for on in table.texts("on")]
        if not owners:
            table.fail("`python.member` needs `on`, the class it belongs to")
        borrows = table.text("borrows")
        if borrows and not re.fullmatch(r"self|parent|context|argument [1-9]", borrows):
            meant = _meant(borrows, ("self", "parent", "context", "argument 1"))
            table.fail(f"`borrows` cannot be `{borrows}`{meant}", "borrows")
        model = PyMember(
            library=self.library,
            on="",
            name="",
            kind="static" if function else table.choice("kind", get_args(MemberKind), "method"),
            returns=tuple(self._class_named(table, word, "returns", classes) for word in table.texts("returns")),
            borrows=borrows,
            keeps=table.choice("keeps", get_args(Keeps)),
            where=table.choice("where", get_args(Where), "part"),
            parameters=table.texts("parameters"),
            of=table.text("of"),
            spared_by=table.text("spared_by"),
            when=self._condition(table),
            given=tuple(self._class_named(table, word, "given", classes) for word in table.texts("given")),
            lacks=table.texts("lacks"),
            effects=table.effects(),
            versions=table.choices("versions", tuple(version.name for version in self.versions)),
            removed=table.flag("removed"),
            note=table.text("note"),
            source=table.text("source"),
        )
        table.done()
        return (msgspec.structs.replace(model, on=owner, name=name) for owner in owners for name in names)

    def _condition(self, table: _Table) -> tuple[str, ...]:
        """`buffers=True`"""
        written = table.text("when")
        if written and not re.fullmatch(r"[A-Za-z_]\w*=[\w.\-]+", written):
            table.fail(f"`when` cannot be `{written}`; it is a parameter and a constant: `buffers=True`", "when")
        return tuple(written.split("=")) if written else ()

    def _class_named(self, table: _Table, word: str, key: str, classes: set[str]) -> str:
        found = [name for name in sorted(classes) if name == word or name.endswith("." + word)]
        if len(found) == 1:
            return found[0]
        last = {name.rpartition(".")[2] for name in classes}
        message = f"`{key}` names `{word}`, which is not a `[[python.class]]`{_meant(word, last)}"
        if found:
            message = f"`{word}` may be {' or '.join(f'`{name}`' for name in found)}: write the module"
        return table.fail(message, key, word)


def _dotted(module: str, name: str) -> str:
    return f"{module}.{name}" if module and "." not in name else name


def _parse(path: Path, data: bytes) -> tuple[_Source, dict[str, Any]]:
    try:
        text = data.decode()
    except UnicodeDecodeError as error:
        raise ModelError(path, data.count(b"\n", 0, error.start) + 1, "the file is not UTF-8") from None
    try:
        return _Source(path, text), tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        found = re.search(r" \(at line (\d+), column \d+\)", str(error))
        line = int(found[1]) if found else max(1, text.count("\n"))
        message = str(error).partition(" (at ")[0]
        raise ModelError(path, line, message[:1].lower() + message[1:]) from None


# --- names -----------------------------------------------------------------------------------------

_NOISE = re.compile(r"\b(?:const|volatile|struct|class|enum|union|typename|mutable|constexpr|static|inline)\b")
_INLINE_NAMESPACE = re.compile(r"__1|__cxx11|__ndk1|__detail|lts_\d+|v\d+(?:_\d+)*|\(anonymous namespace\)|")


class Spelling(msgspec.Struct, frozen=True):
    """A type as code writes it, taken apart."""

    parts: tuple[str, ...]
    template: str
    reference: bool
    pointer: bool


@functools.lru_cache(1 << 16)
def spelling(text: str) -> Spelling:
    """`const absl::StatusOr<T>&` -> `absl`, `StatusOr`; `T`; a reference.

    `auto` and what is no type at all have parts that no model knows.
    """
    bare, template = _without_templates(text)
    bare = _NOISE.sub(" ", bare)
    reference, pointer = "&" in bare, "*" in bare
    name = re.sub(r"[&*\s]+|\[.*\]", "", bare)
    parts = tuple(part for part in name.split("::") if not _INLINE_NAMESPACE.fullmatch(part))
    return Spelling(parts, template, reference, pointer)


def _without_templates(text: str) -> tuple[str, str]:
    """The text outside of the outermost `<...>`, and the contents of the last such pair."""
    if "<" not in text:
        return text, ""
    kept, last, depth, start = [], "", 0, 0
    for position, letter in enumerate(text):
        if letter == "<":
            depth += 1
            start = position + 1 if depth == 1 else start
        elif letter == ">" and depth:
            depth -= 1
            last = text[start:position] if depth == 0 else last
        elif depth == 0:
            kept.append(letter)
    return "".join(kept), last.strip()


_Model = TypeVar("_Model")


class _Index(Generic[_Model]):
    """Models by qualified name: the last part through a dictionary, the others by comparing suffixes."""

    def __init__(self, separator: str) -> None:
        self.separator = separator
        self.exact: dict[str, list[tuple[tuple[str, ...], bool, _Model]]] = {}
        self.wild: list[tuple[tuple[str, ...], bool, _Model]] = []
        self._last_parts: re.Pattern[str] | None = None

    @property
    def last_parts(self) -> re.Pattern[str]:
        """Matches the last part of a name that some pattern may fit: one test instead of one a pattern."""
        if self._last_parts is None:
            shapes = sorted({translate(parts[-1]) for parts, _, _ in self.wild})
            self._last_parts = re.compile("|".join(shapes) if shapes else r"(?!)")
        return self._last_parts

    def add(self, name: str, bare: bool, model: _Model) -> None:
        parts = tuple(name.split(self.separator))
        entry = (parts, bare, model)
        if "*" in name:
            self.wild.append(entry)
        else:
            self.exact.setdefault(parts[-1], []).append(entry)

    def find(self, parts: tuple[str, ...], scopes: tuple[tuple[str, ...], ...]) -> list[tuple[Certainty, _Model]]:
        """All that fit, best first; later models before earlier ones, so that a user's own win."""
        if not parts:
            return []
        found: list[tuple[tuple[int, ...], Certainty, _Model]] = []
        patterns = self.wild if self.last_parts.match(parts[-1]) else ()
        for wild, entries in enumerate((self.exact.get(parts[-1], ()), patterns)):
            for order, (model_parts, bare, model) in enumerate(entries):
                if certainty := _fit(model_parts, parts, bare, scopes):
                    rank = CERTAINTIES.index(certainty)
                    found.append(((rank, wild, -len(model_parts), -order), certainty, model))
        return [(certainty, model) for _, certainty, model in sorted(found, key=lambda entry: entry[0])]


def _fit(
    model: tuple[str, ...], query: tuple[str, ...], bare: bool, scopes: tuple[tuple[str, ...], ...]
) -> Certainty | None:
    if _same(model, query):
        return "certain"
    if len(query) > len(model):
        return "likely" if len(model) > 1 and _same(model, query[-len(model) :]) else None
    if len(query) == len(model) or not _same(model[-len(query) :], query):
        return None
    missing = model[: -len(query)]
    for scope in scopes:
        if scope == model or scope[: len(missing)] == missing:
            return "certain"
    if len(query) > 1:
        return None if "*" in model[-len(query)] else "likely"  # a pattern fits anybody's class
    return "possible" if bare else None


def _same(model: tuple[str, ...], query: tuple[str, ...]) -> bool:
    return len(model) == len(query) and all(
        part == word or ("*" in part and fnmatchcase(word, part)) for part, word in zip(model, query, strict=True)
    )


# --- all files together ----------------------------------------------------------------------------


def is_parity_word(word: str) -> bool:
    """Whether it can stand for a vendor in names and paths."""
    return re.fullmatch(r"[A-Za-z][A-Za-z0-9]*", word) is not None


class Models:
    """Every model file that was loaded, later files before earlier ones.

    `scopes`, where a look-up takes them, are the namespaces in which the code stands and those it opens
    (`using namespace`), and the targets of its `using` declarations, as written: `("xla::gpu", "absl::Status")`.
    They make an unqualified name (`Status`) certain.
    """

    def __init__(self, files: Sequence[_File], digest: str) -> None:
        self.digest = digest
        self.libraries = tuple(file.library for file in files)
        self.versions = tuple(version for file in files for version in file.versions)
        self.parity = tuple(words for file in files for words in file.parity)
        """Groups of words, each for one backend of several that do the same."""
        self.frameworks = {model.spelling.name: model for file in files for model in file.frameworks}
        self.environment = Environment(
            *(
                tuple(dict.fromkeys(name for file in files for name in getattr(file.environment, key)))
                for key in Environment.__struct_fields__
            )
        )
        self.memory = memory_models.Memory(file.memory for file in files)
        self.gil = Gil(
            *(
                tuple(dict.fromkeys(name for file in files for name in getattr(file.gil, key)))
                for key in Gil.__struct_fields__
            )
        )
        self.prefixes = tuple(sorted({prefix for file in files for prefix in file.prefixes}))
        """How the names of libraries' functions begin whose arguments are borrowed unless an entry says otherwise."""
        self._constants = [name for file in files for name in file.constants]
        self.collected = frozenset(name for file in files for name in file.collected)
        """The flags that say of a class that a collector looks through its objects."""
        self._atomic = [name for file in files for name in file.atomic]
        self._aliases = {alias: name for file in files for alias, name in file.aliases.items()}
        self.consuming = Consuming(
            (model for file in files for model in file.consumers), (model for file in files for model in file.storages)
        )
        self._anchors = {Anchor(word, _beside(file)) for file in files for word in file.anchors}
        self._index_types(files)
        self._index_macros(files)
        self._index_python(files)
        # Caches belong to the object: a cache on the class would keep every Models alive.
        self.status: Callable[..., StatusType | None] = functools.lru_cache(1 << 15)(self._status)
        self.classes: Callable[..., tuple[ClassModel, ...]] = functools.lru_cache(1 << 15)(self._class)
        self.function: Callable[..., tuple[FunctionModel, ...]] = functools.lru_cache(1 << 15)(self._function)
        self.macro: Callable[[str], MacroModel | None] = functools.lru_cache(1 << 15)(self._macro)
        self.python_class: Callable[[str], PyClass | None] = functools.lru_cache(1 << 14)(self._python_class)

    def _index_types(self, files: Sequence[_File]) -> None:
        self._status_index: _Index[tuple[str, StatusModel]] = _Index("::")
        self._returning: _Index[StatusModel] = _Index("::")
        self._droppable: _Index[StatusModel] = _Index("::")
        self._returning_names: dict[str, bool] = {}
        self._class_index: _Index[ClassModel] = _Index("::")
        self._gil_index: _Index[tuple[str, bool]] = _Index("::")
        self._calm_index: _Index[str] = _Index("::")
        self._runs_index: _Index[str] = _Index("::")
        self._function_index: dict[Language, _Index[FunctionModel]] = {"cpp": _Index("::"), "python": _Index(".")}
        for file in files:
            for status in file.statuses:
                for name in status.types:
                    self._status_index.add(name.rstrip("*"), status.bare, (name, status))
                for name in status.returned_by:
                    self._returning.add(name, False, status)
                for name in status.droppable:
                    self._droppable.add(name, False, status)
            for cls in file.classes:
                self._class_index.add(cls.name, cls.bare, cls)
            for word in GIL_WORDS:
                for name in getattr(file.gil, word):
                    self._gil_index.add(name, False, (word, "*" in name))
            for name in file.gil.calm:
                self._calm_index.add(name, False, name)
            for name in file.gil.runs:
                self._runs_index.add(name, False, name)
            for function in file.functions:
                for language in function.languages:
                    self._function_index[language].add(function.name, function.bare, function)

    def _index_macros(self, files: Sequence[_File]) -> None:
        macros = [macro for file in reversed(files) for macro in file.macros]
        self.macros = tuple(macros)
        self._macro_names = {macro.name: macro for macro in reversed(macros) if not macro.regular}
        self._macro_patterns = [(re.compile(macro.name), macro) for macro in macros if macro.regular]
        self._any_macro = re.compile("|".join(f"(?:{macro.name})" for macro in macros if macro.regular) or r"(?!)")

    def _index_python(self, files: Sequence[_File]) -> None:
        self._modules = {alias: name for file in files for alias, name in file.modules.items()}
        self._exports: dict[str, tuple[str, ...]] = {}
        self._py_classes: dict[str, PyClass] = {}
        self._py_patterns: list[PyClass] = []
        self._py_members: dict[str, list[PyMember]] = {}
        self._py_functions: dict[str, PyMember] = {}
        for file in files:
            self._py_functions.update((member.name, member) for member in file.py_functions)
            for cls in file.py_classes:
                if "*" in cls.name:
                    self._py_patterns.append(cls)
                else:
                    self._py_classes[cls.name] = cls
                for name, variants in cls.variants.items():
                    self._py_members.setdefault(name, []).extend(variants)
            for module, names in file.exports.items():
                own = [cls.last for cls in file.py_classes if cls.name.rpartition(".")[0] == module]
                public = {name for name in (*names, *own) if not name.startswith("_") and "*" not in name}
                self._exports[module] = tuple(sorted({*self._exports.get(module, ()), *public}))

    # --- C++ ---

    def _parts(self, name: tuple[str, ...]) -> tuple[str, ...]:
        """The name with a namespace's usual abbreviation (`se`) written out."""
        if len(name) > 1 and (full := self._aliases.get(name[0])):
            return (*full.split("::"), *name[1:])
        return name

    def _scopes(self, scopes: Sequence[str]) -> tuple[tuple[str, ...], ...]:
        return tuple(self._parts((*spelling(scope).parts, ""))[:-1] for scope in scopes)

    def _status(self, type_text: str, scopes: tuple[str, ...] = ()) -> StatusType | None:
        """The status type that this is, written or canonical; see the class for `scopes`."""
        written = spelling(type_text)
        found = self._status_index.find(self._parts(written.parts), self._scopes(scopes))
        for certainty, (name, model) in found:
            if written.pointer == name.endswith("*"):
                return StatusType(
                    model, name.rstrip("*"), written.reference, written.pointer, written.template, certainty
                )
        return None

    def returns(self, symbol: str, scopes: tuple[str, ...] = ()) -> tuple[str, Certainty]:
        """The status type that a library's function returns, and how well its name fits; empty when none says so."""
        parts = self._parts(tuple(_without_templates(symbol)[0].split("::")))
        if not self.may_return_status(parts[-1]):
            return "", "possible"
        for certainty, model in self._returning.find(parts, self._scopes(scopes)):
            return model.types[0], certainty
        return "", "possible"

    def may_return_status(self, last: str) -> bool:
        """Whether a library's function of that last name returns a status."""
        if last not in self._returning_names:
            index = self._returning
            self._returning_names[last] = last in index.exact or bool(index.last_parts.match(last))
        return self._returning_names[last]

    def is_droppable(self, symbol: str, scopes: tuple[str, ...] = ()) -> bool:
        """Whether nobody needs to look at what this function answers."""
        parts = self._parts(tuple(_without_templates(symbol)[0].split("::")))
        return bool(self._droppable.find(parts, self._scopes(scopes)))

    def _class(self, type_text: str, scopes: tuple[str, ...] = ()) -> tuple[ClassModel, ...]:
        """Everything known about a type, best match first."""
        found = self._class_index.find(self._parts(spelling(type_text).parts), self._scopes(scopes))
        return tuple(model for _, model in found)

    @functools.cached_property
    def status_names(self) -> frozenset[str]:
        """Last names of all status types: what is not among them cannot be one."""
        return frozenset(name.rsplit("::", 1)[-1].rstrip("*") for name in self._status_index.exact)

    @functools.cached_property
    def owned_error_types(self) -> frozenset[str]:
        """Last names of the types that point to an error which the holder frees."""
        held = (status for found in self._status_index.exact.values() for _, _, (_, status) in found)
        names = (name for status in held if status.kind == "pointer" for name in status.types)
        return frozenset(name.rsplit("::", 1)[-1].rstrip("*") for name in names)

    def may_return_owned_error(self, last: str) -> bool:
        """Whether a library's function of that last name returns one."""
        if not self.may_return_status(last):
            return False
        return any(fnmatch.fnmatchcase(last, pattern) for pattern in self._owned_error_makers)

    @functools.cached_property
    def _owned_error_makers(self) -> frozenset[str]:
        found = (status for held in self._status_index.exact.values() for _, _, (_, status) in held)
        patterns = (pattern for status in found if status.kind == "pointer" for pattern in status.returned_by)
        return frozenset(pattern.rsplit("::", 1)[-1] for pattern in patterns)

    def names_of(self, *roles: Role) -> frozenset[str]:
        """Last names of all classes of these kinds."""
        entries = (entry for found in self._class_index.exact.values() for entry in found)
        return frozenset(parts[-1] for parts, _, model in entries if not set(roles).isdisjoint(model.roles))

    def functions_with(self, verb: Verb) -> frozenset[str]:
        """Last names of all C++ functions that do this; no patterns."""
        entries = (entry for found in self._function_index["cpp"].exact.values() for entry in found)
        return frozenset(parts[-1] for parts, _, model in entries if model.has(verb))

    def holders_of(self, lock: str) -> frozenset[str]:
        """Last names of the guards, and of what gives up, of that one lock."""
        entries = (entry for found in self._class_index.exact.values() for entry in found)
        return frozenset(parts[-1] for parts, _, model in entries if model.holds == lock)

    def pairs_of(self, verb: Verb, place: str) -> tuple[frozenset[str], frozenset[str]]:
        """Last names of all C++ functions with that effect, and of those that end what it begins; no patterns."""
        entries = (entry for found in self._function_index["cpp"].exact.values() for entry in found)
        models = [model for _, _, model in entries if model.has(verb, place)]
        ending = {name.rpartition("::")[2] for model in models for name in model.released_by}
        return frozenset(model.name.rpartition("::")[2] for model in models), frozenset(ending)

    def role(self, type_text: str, scopes: tuple[str, ...] = ()) -> tuple[Role, ...]:
        """What kinds of thing a type is: `std::map<K, V>` is a `container`, `associative`, `stable container`.

        Pointers and references are those of the type itself: ask `spelling(type_text)` where it matters.
        """
        return tuple(dict.fromkeys(role for model in self.classes(type_text, scopes) for role in model.roles))

    def _function(
        self, symbol: str, language: Language = "cpp", scopes: tuple[str, ...] = ()
    ) -> tuple[FunctionModel, ...]:
        """What a call of `symbol` does; the best match first, its `certainty` filled in."""
        if language == "python":
            parts = tuple(self.canonical(symbol).split("."))
            spaces = tuple(tuple(self.canonical(scope).split(".")) for scope in scopes)
        else:
            bare, _ = _without_templates(symbol) if "operator" not in symbol else (symbol, "")
            parts = tuple(part for part in bare.split("::") if not _INLINE_NAMESPACE.fullmatch(part))
            index = self._function_index[language]
            if parts and parts[-1] not in index.exact and not index.last_parts.match(parts[-1]):
                return ()  # most names: no model knows the last part
            parts, spaces = self._parts(parts), self._scopes(scopes)
        found = self._function_index[language].find(parts, spaces)
        return tuple(msgspec.structs.replace(model, certainty=certainty) for certainty, model in found)

    @functools.cached_property
    def unlocking(self) -> frozenset[str]:
        """Last names of the functions that end a lock's hold: what they release is no handle."""
        entries = (entry for found in self._function_index["cpp"].exact.values() for entry in found)
        holding = (model for _, _, model in entries if model.has("hold"))
        return frozenset(name.rsplit("::", 1)[-1] for model in holding for name in model.released_by)

    def gil_word(self, symbol: str, scopes: tuple[str, ...] = ()) -> str:
        """What a function does to the interpreter's lock: one of `GIL_WORDS`; empty when no model says."""
        if not self._gil_index.exact.keys() & {symbol.rpartition("::")[2]} and not self._gil_index.last_parts.match(
            symbol.rpartition("::")[2]
        ):
            return ""
        key = (symbol, scopes)
        if key not in self._gil_words:
            parts = self._parts(tuple(_without_templates(symbol)[0].split("::")))
            # A pattern fits whatever stands in an opened namespace, and most of that is not the library's.
            patterns = {word for fit, (word, wild) in self._gil_index.find(parts, ()) if fit != "possible" and wild}
            near = self._gil_index.find(parts, self._scopes(scopes))
            found = patterns | {word for fit, (word, wild) in near if fit != "possible" and not wild}
            self._gil_words[key] = next((word for word in GIL_WORDS if word in found), "")
        return self._gil_words[key]

    @functools.cached_property
    def _gil_words(self) -> dict[tuple[str, tuple[str, ...]], str]:
        return {}

    def is_calm(self, symbol: str, scopes: tuple[str, ...] = ()) -> bool:
        """Whether a library's function that needs the interpreter's lock throws nothing all the same."""
        return self._is_among(self._calm_index, symbol, scopes)

    def runs_python(self, symbol: str, scopes: tuple[str, ...] = ()) -> bool:
        """Whether a library's function runs code of Python's, in which another thread may get the lock."""
        return self._is_among(self._runs_index, symbol, scopes)

    def _is_among(self, index: _Index[str], symbol: str, scopes: tuple[str, ...]) -> bool:
        parts = self._parts(tuple(_without_templates(symbol)[0].split("::")))
        return any(fit != "possible" for fit, _ in index.find(parts, self._scopes(scopes)))

    def verbs(self, last: str, place: str = "") -> frozenset[Verb]:
        """What C++ functions of that last name may do, whose ever they are; to a place of that kind alone."""
        index = self._function_index["cpp"]
        exact = [model for _, _, model in index.exact.get(last, ())]
        patterns = index.wild if index.last_parts.match(last) else ()
        wild = [model for parts, _, model in patterns if fnmatchcase(last, parts[-1])]
        effects = (effect for model in (*exact, *wild) for effect in model.effects)
        return frozenset(e.verb for e in effects if not place or (e.place is not None and e.place.kind == place))

    @functools.cached_property
    def counted_names(self) -> frozenset[str]:
        """Last names of the functions and objects that deal in counted references; patterns are not among them."""
        entries = (entry for found in self._function_index["cpp"].exact.values() for entry in found)
        return frozenset(parts[-1] for parts, _, model in entries if model.counted)

    @functools.cached_property
    def lenders(self) -> frozenset[str]:
        """Last names of the functions whose result leads into an argument that nobody keeps."""
        entries = (entry for found in self._function_index["cpp"].exact.values() for entry in found)
        return frozenset(parts[-1] for parts, _, model in entries if model.keeps == "none" and model.has("borrow"))

    @functools.cached_property
    def counted_patterns(self) -> re.Pattern[str]:
        """Fits the names that the patterns among them stand for."""
        shapes = sorted({translate(parts[-1]) for parts, _, model in self._function_index["cpp"].wild if model.counted})
        return re.compile("|".join(shapes) or r"(?!)")

    @functools.cached_property
    def constants(self) -> re.Pattern[str]:
        """Fits the names of counted objects that live as long as the program."""
        return re.compile("|".join(sorted({translate(name) for name in self._constants})) or r"(?!)")

    @functools.cached_property
    def visitors(self) -> frozenset[str]:
        """Last names of what shows something to a collector."""
        entries = (entry for found in self._function_index["cpp"].exact.values() for entry in found)
        return frozenset(parts[-1] for parts, _, model in entries if model.has("visit"))

    @functools.cached_property
    def atomic(self) -> re.Pattern[str]:
        """Fits the names of functions that make objects which refer to no others."""
        return re.compile("|".join(sorted({translate(name) for name in self._atomic})) or r"(?!)")

    def counted_method(self, last: str) -> FunctionModel | None:
        """The method of that name by which a wrapper deals in counted references."""
        found = self._function_index["cpp"].exact.get(last, ())
        return next((model for parts, _, model in found if model.counted and len(parts) > 1), None)

    def _macro(self, name: str) -> MacroModel | None:
        """By exact name first, then by the first pattern that fits the whole name."""
        if found := self._macro_names.get(name):
            return found
        if not self._any_macro.fullmatch(name):
            return None
        return next((macro for pattern, macro in self._macro_patterns if pattern.fullmatch(name)), None)

    # --- Python ---

    def canonical(self, dotted: str) -> str:
        """`jaxlib.mlir.ir.Module` -> `mlir.ir.Module`: the longest module alias is replaced."""
        for _ in range(4):  # an alias of an alias: a package's copy, then its private module
            head = dotted
            while head and head not in self._modules:
                head = head.rpartition(".")[0]
            if not head:
                break
            dotted = self._modules[head] + dotted[len(head) :]
        return dotted

    def _python_class(self, dotted: str) -> PyClass | None:
        """By dotted name under any alias of its module; else by a pattern (`mlir.dialects.*.*Op`)."""
        name = self.canonical(dotted)
        if found := self._py_classes.get(name):
            return found
        depth = name.count(".")
        fits = (cls for cls in self._py_patterns if cls.name.count(".") <= depth and fnmatchcase(name, cls.name))
        return max(fits, key=lambda cls: len(cls.name), default=None)

    def python_member(self, dotted: str, member: str, version: str = "") -> PyMember | None:
        """A member of a class or of its bases. Without a version: the first variant, whichever it is about."""
        pending, seen = [dotted], set()
        while pending:
            if (cls := self.python_class(pending.pop(0))) is None or cls.name in seen:
                continue
            seen.add(cls.name)
            for variant in cls.variants.get(member, ()):
                if not version or not variant.versions or version in variant.versions:
                    return variant
            pending.extend(cls.bases)
        return None

    def python_variants(self, dotted: str, member: str) -> tuple[PyMember, ...]:
        """All that is written of a member, of the class or the nearest of its bases that has it."""
        first = self.python_member(dotted, member)
        owner = self._py_class_of(first.on) if first is not None else None
        return owner.variants[member] if owner is not None else ()

    def _py_class_of(self, name: str) -> PyClass | None:
        return self._py_classes.get(name) or next((cls for cls in self._py_patterns if cls.name == name), None)

    def python_function(self, dotted: str) -> PyMember | None:
        """A function of a library, under any alias of its module; else by the pattern that fits best."""
        name = self.canonical(dotted)
        if found := self._py_functions.get(name):
            return found
        depth = name.count(".")
        patterns = (p for p in self._py_function_patterns if p.count(".") == depth and fnmatchcase(name, p))
        best = max(patterns, key=len, default=None)
        return self._py_functions[best] if best is not None else None

    @functools.cached_property
    def _py_function_patterns(self) -> tuple[str, ...]:
        return tuple(sorted(name for name in self._py_functions if "*" in name))

    @functools.cached_property
    def invalidators(self) -> frozenset[str]:
        """Last names of the Python calls after which handles may be stale."""
        members = [member for variants in self._py_members.values() for member in variants]
        return frozenset(
            member.name.rpartition(".")[2]
            for member in (*members, *self._py_functions.values())
            if any(effect.verb in ("invalidate", "disown") for effect in member.effects)
        )

    @functools.cached_property
    def movers(self) -> frozenset[str]:
        """Last names of the Python calls that put handles elsewhere, or hand them to a callback."""
        members = [member for variants in self._py_members.values() for member in variants]
        guards = (cls.last for cls in self._py_classes.values() if cls.role == "guard")
        moving = (m.name for m in members if m.kind == "callback" or any(e.verb == "adopt" for e in m.effects))
        return frozenset((*guards, *moving))

    def speaks_about(self, dotted: str) -> bool:
        """Whether this is a class, a function or a module whose Python handles are described."""
        if self.python_class(dotted) is not None or self.python_function(dotted) is not None:
            return True
        return self.canonical(dotted) in self._exports

    def closed_by_with(self, dotted: str) -> bool:
        """Whether this is a class, or gives objects of a class, that the end of a `with` block closes."""
        cls, function = self.python_class(dotted), self.python_function(dotted)
        names = [cls.name] if cls is not None else list(function.returns) if function is not None else []
        exits = (self.python_member(name, "__exit__") for name in (*names, *self._given_by(names)))
        return any(leaving is not None and leaving.effects for leaving in exits)

    def _given_by(self, names: Iterable[str]) -> set[str]:
        """Classes of what the members of these classes return."""
        found = (cls for name in names if (cls := self.python_class(name)) is not None)
        return {given for cls in found for member in cls.members.values() for given in member.returns}

    @functools.cached_property
    def telling_members(self) -> dict[str, str]:
        """Members that no other class has: the class of what has one."""
        return {name: cls.name for cls in self._py_classes.values() for name in cls.told_by}

    @functools.cached_property
    def absent(self) -> frozenset[str]:
        """Members and keywords that some version of a library does not have."""
        members = [member for variants in self._py_members.values() for member in variants]
        return frozenset(
            {member.name for member in members if member.removed} | {word for m in members for word in m.lacks}
        )

    @functools.cached_property
    def loosely_hashed(self) -> frozenset[str]:
        """Members that give objects whose hash does not say which native object they stand for."""
        loose = {cls.name for cls in self._py_classes.values() if cls.compared_by and "hash" not in cls.compared_by}
        members = (member for variants in self._py_members.values() for member in variants)
        return frozenset(member.name for member in members if loose.intersection(member.returns))

    @functools.cached_property
    def makers(self) -> frozenset[str]:
        """Last names of the calls that make an owner in Python: `parse`, `create`, or a class's own name."""
        members = (*self._py_functions.values(), *(m for variants in self._py_members.values() for m in variants))
        return frozenset(_called(member).rpartition(".")[2] for member in _makers(members))

    @property
    def consuming_words(self) -> frozenset[str]:
        """Keywords of wrappers that say what is consumed."""
        return self.consuming.wrapper_keywords

    @property
    def wrappers(self) -> frozenset[str]:
        """Last names of those wrappers."""
        return frozenset(name.rpartition(".")[2] for name in self.consuming.consumers)

    def makes_owner(self, dotted: str) -> bool:
        """Whether calling this makes an owner; what a star import brought is taken to be what it is called."""
        on, _, name = dotted.rpartition(".")
        if name not in self.makers:
            return False
        member = self.python_member(dotted, "__init__") or self.python_member(on, name) or self.python_function(dotted)
        return dotted.startswith("*.") or (member is not None and member.keeps == "own")

    @property
    def class_makers(self) -> frozenset[str]:
        """Last names of the Python functions that make a class of callbacks."""
        return self.memory.callback_makers

    def makes_class(self, dotted: str) -> bool:
        """Whether calling this makes a class of callbacks."""
        if dotted.startswith("*."):
            return dotted.removeprefix("*.") in self.memory.callback_makers
        fact = self.memory.function(self.canonical(dotted)) if dotted else None
        return fact is not None and fact.makes_class and self.memory.role(fact.returns) == "callback"

    def exports(self, module: str) -> tuple[str, ...]:
        """The names that `from module import *` brings, as far as a model knows them."""
        return self._exports.get(self.canonical(module), ())

    @functools.cached_property
    def running_classes(self) -> tuple[PyClass, ...]:
        """Classes whose objects go on by themselves."""
        started = (cls for _, cls in sorted(self._py_classes.items()) if cls.started_by)
        return tuple(cls for cls in started if cls.role != "recording")

    @functools.cached_property
    def recordings(self) -> tuple[PyClass, ...]:
        """Classes of `with` blocks that record what is done in them."""
        return tuple(cls for _, cls in sorted(self._py_classes.items()) if cls.role == "recording")

    # --- versions ---

    @functools.cached_property
    def packages(self) -> tuple[str, ...]:
        """The Python packages whose versions make a difference."""
        return tuple(sorted({name for version in self.versions for name in version.packages}))

    def version_at(self, library: str, packages: Mapping[str, str]) -> Version | None:
        """How the library behaves with these versions of packages; None when none of them says so."""
        of_it = (version for version in self.versions if version.library == library)
        return next((v for v in of_it if any(_is_within(packages.get(p, ""), r) for p, r in v.packages.items())), None)

    # --- for the frontends ---

    def vocabulary(self) -> Vocabulary:
        def patterns(*roles: str) -> tuple[str, ...]:
            chosen = (macro for macro in self.macros if macro.role in roles)
            return tuple(sorted({macro.name if macro.regular else re.escape(macro.name) for macro in chosen}))

        return Vocabulary(
            annotations=patterns(*_ATTRIBUTE_ROLES),
            declaring=patterns("assign or return", "declaring"),
            asserting=patterns("assert"),
            frameworks=tuple(self.frameworks[name].spelling for name in sorted(self.frameworks)),
            anchors=tuple(sorted(self._anchors, key=lambda anchor: (anchor.word, anchor.beside))),
        )


def _is_within(version: str, ranges: str) -> bool:
    """`0.8.1` is within `>=0.8,<0.9`; no version is within nothing."""
    held = _numbers(version)
    if not held:
        return False
    for part in ranges.split(","):
        sign, number = re.fullmatch(r"\s*(>=|<=|==|<|>)?\s*(.*)", part, re.DOTALL).groups()  # type: ignore[union-attr]
        order = (held > (other := _numbers(number))) - (held < other)
        if order not in {"<": (-1,), ">": (1,), "<=": (-1, 0), ">=": (1, 0)}.get(sign, (0,)):
            return False
    return True


def _numbers(version: str) -> tuple[int, ...]:
    """Up to the first part that is no number; zeros at the end say nothing."""
    written = re.match(r"\d+(?:\.\d+)*", version)
    numbers = [int(part) for part in written[0].split(".")] if written else []
    while numbers[1:] and numbers[-1] == 0:
        numbers.pop()
    return tuple(numbers)


def _makers(members: Iterable[PyMember]) -> list[PyMember]:
    return [member for member in members if member.keeps == "own"]


def _constructor(library: str, name: str) -> PyMember:
    """An owner of which no maker is described is made by calling its class."""
    return PyMember(library, name, "__init__", "constructor", (name,), keeps="own")


def _called(maker: PyMember) -> str:
    """The name in front of the parentheses."""
    return maker.on.rpartition(".")[2] if maker.name == "__init__" else maker.name


def _beside(file: _File) -> tuple[str, ...]:
    """What a Python file holds that can come by an owner of this library's: a handle that somebody else owns is
    somebody else's to keep."""
    if file.beside:
        return file.beside
    makers = {maker for cls in file.py_classes for variants in cls.variants.values() for maker in _makers(variants)}
    words = {(r"\b" if maker.name == "__init__" else r"\.") + re.escape(_called(maker)) + r"\b" for maker in makers}
    words |= {rf"\b{re.escape(maker.name.rpartition('.')[2])}\b" for maker in _makers(file.py_functions)}
    return tuple(sorted(words))


def load(paths: Sequence[Path]) -> Models:
    """Reads model files, and all `*.toml` of folders; raises `ModelError` on the first mistake.

    The order matters: where two files speak about one name, the later wins.
    """
    files, digest = [], hashlib.blake2b(f"models {FORMAT}".encode(), digest_size=16)
    for path in paths:
        for file in sorted(path.glob("*.toml")) if path.is_dir() else (path,):
            data = _read(file)
            digest.update(len(data).to_bytes(8, "big") + data)
            files.append(_File(file, data))
    return Models(files, digest.hexdigest())


def _read(path: Path) -> bytes:
    try:
        if not stat.S_ISREG(path.stat().st_mode):
            raise ModelError(path, 1, "not a regular file")
        with path.open("rb") as stream:
            data = stream.read(MAXIMUM_BYTES + 1)
    except OSError as error:
        raise ModelError(path, 1, f"cannot be read: {error.strerror}") from None
    if len(data) > MAXIMUM_BYTES:
        raise ModelError(path, 1, f"larger than {MAXIMUM_BYTES:,} bytes")
    return data
