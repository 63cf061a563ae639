"""What a model file says of Python: classes, their members, functions. Each is read once, for all that ask of it.

A class stands for a kind of handles (`role`), for something that has to do with raw memory (`memory`), or for both. A
member is about what its classes are, a function about what the classes are that it gives; one that gives none is about
all that its file describes.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Literal, NoReturn, get_args

import msgspec

from ownlint.models.consumers import ConsumerModel, StorageModel, read_storage
from ownlint.models.memory import Callbacks, MemoryKeeps, MemorySection, fact_of, type_of
from ownlint.models.records import (
    Comparison,
    Effect,
    HandleRole,
    Keeps,
    Marks,
    MemberKind,
    MemoryRole,
    PyClass,
    PyMember,
    Where,
    constructor,
    makers_among,
)
from ownlint.models.tables import ModelTable, meant

PYTHON_TABLES = ("module", "class", "member", "function", "storage", "callbacks")

Subject = Literal["handles", "memory", "storage"]
"""What an entry can be about: handles, raw memory, storage that a call takes away."""

_WHOM = r"(?:receiver|argument \d+)"
_EFFECTS: dict[Subject, re.Pattern[str]] = {
    "handles": re.compile(
        rf"own (?:result|receiver)|adopt {_WHOM}(?: in {_WHOM})?|disown receiver|(?:validate|restore) {_WHOM}"
        rf"|invalidate {_WHOM} \w+|returns receiver|may fail|keep argument \d+ in (?:result|{_WHOM})"
    ),
    "memory": re.compile(
        r"(?:adopt|restore) argument \d+|returns (?:receiver|argument \d+)"
        r"|keep argument \d+ in (?:result|receiver)"
    ),
    "storage": re.compile(r"invalidate (?:arguments|argument 1) deep"),
}
"""Those that something is followed by; any other would be without effect."""
_EXAMPLES: dict[Subject, tuple[str, ...]] = {
    "handles": (
        "own result",
        "adopt argument 1 in receiver",
        "adopt receiver in argument 1",
        "disown receiver",
        "invalidate receiver deep",
        "invalidate argument 1 deep",
        "keep argument 1 in receiver",
        "keep argument 1 in result",
        "restore receiver",
        "returns receiver",
        "validate receiver",
        "may fail",
    ),
    "memory": (
        "adopt argument 1",
        "restore argument 1",
        "returns receiver",
        "returns argument 1",
        "keep argument 1 in result",
        "keep argument 1 in receiver",
    ),
    "storage": ("invalidate arguments deep", "invalidate argument 1 deep"),
}
_NAMES: dict[Subject, str] = {"handles": "handles", "memory": "memory", "storage": "storage that is taken away"}

_WRAPS = "invalidate arguments deep"
_OF_HANDLES = ("where", "of", "spared_by", "given", "lacks", "marks", "versions", "removed", "shows")
_OF_MEMORY = ("makes_class", "at_address")
_OF_WRAPPERS = ("positions", "by_name", "static", "keywords", "inert", "carries")
_OF_HANDLE_CLASSES = ("compared_by", "started_by", "awaited_by", "unique", "unchecked")


class PythonPart:
    """`tables` are those below `[python]`, by the last part of their headers; the file is `also` about this."""

    def __init__(
        self,
        library: str,
        versions: tuple[str, ...],
        tables: Mapping[str, Sequence[ModelTable]],
        also: frozenset[Subject] = frozenset(),
    ) -> None:
        self._library, self._versions = library, versions
        self.modules: dict[str, str] = {}
        self.exports: dict[str, tuple[str, ...]] = {}
        self.functions: list[PyMember] = []
        """Those that are about handles."""
        self.gone: list[PyMember] = []
        """Functions and constants of modules that some version does not have."""
        self.consumers: list[ConsumerModel] = []
        for table in tables["module"]:
            self._module(table)
        self._classes = _by_name(made for table in tables["class"] for made in self._class(table))
        self.storages: list[StorageModel] = [read_storage(table) for table in tables["storage"]]
        self._subjects = frozenset(self._described()) | also
        members = [member for table in tables["member"] for member in self._members(table)]
        facts = [fact_of(member) for member in members if self._classes[member.on].memory]
        for table in tables["function"]:
            made, subjects = self._function(table)
            if made and made[0].removed:
                self.gone += made
                continue
            self.functions += made if "handles" in subjects else []
            facts += map(fact_of, made) if "memory" in subjects else []
        self.handles = list(_handle_classes(self._classes, members))
        self.memory = MemorySection(
            tuple(type_of(cls) for cls in self._classes.values() if cls.memory),
            tuple(facts),
            tuple(_callbacks(table) for table in tables["callbacks"]),
        )

    def _described(self) -> Iterator[Subject]:
        """What the file is about; a file without classes and storages goes on where another leaves off."""
        classes = self._classes.values()
        nothing = not classes and not self.storages
        if nothing or any(cls.memory for cls in classes):
            yield "memory"
        if nothing or any(cls.role for cls in classes):
            yield "handles"
        if nothing or self.storages:
            yield "storage"

    def _module(self, table: ModelTable) -> None:
        name = table.required("name")
        for alias in table.texts("aliases"):
            self.modules[alias] = name
        self.exports[name] = table.texts("exports")
        table.done()

    # --- classes ---

    def _class(self, table: ModelTable) -> Iterator[PyClass]:
        names, module = table.names(), table.text("module")
        memory: MemoryRole | Literal[""] = table.choice("memory", get_args(MemoryRole)) or ""
        model = PyClass(
            library=self._library,
            name="",
            role=table.choice("role", get_args(HandleRole), "" if memory else "handle") or "",
            bases=tuple(base if "." in base else _dotted(module, base) for base in table.texts("bases")),
            members={},
            variants={},
            source=table.text("source"),
            told_by=table.texts("told_by"),
            compared_by=table.choices("compared_by", get_args(Comparison)),
            started_by=table.texts("started_by"),
            awaited_by=table.texts("awaited_by"),
            unique=table.choices("unique", self._versions),
            unchecked=table.flag("unchecked"),
            memory=memory,
            known_as=table.texts("known_as"),
        )
        table.done()
        if not model.role:
            _refuse(table, _OF_HANDLE_CLASSES, "requires `role`: it applies to handles")
        if not memory:
            _refuse(table, ("known_as",), "requires `memory`")
        for name in names:
            if memory and "*" in name:
                key = "name" if "name" in table.data else "names"
                table.fail(f"`{name}`: a class with `memory` needs a name; `*` is not allowed", key, name)
        return (msgspec.structs.replace(model, name=_dotted(module, name)) for name in names)

    def _class_named(self, table: ModelTable, word: str, key: str) -> str:
        found = [word] if word in self._classes else []
        found = found or [name for name in sorted(self._classes) if name.endswith("." + word)]
        if len(found) == 1:
            return found[0]
        last = {name.rpartition(".")[2] for name in self._classes}
        message = f"`{key}` names `{word}`, which is not a `[[python.class]]`{meant(word, last)}"
        if found:
            message = f"`{word}` may be {' or '.join(f'`{name}`' for name in found)}: write the module"
        return table.fail(message, key, word)

    # --- members and functions ---

    def _members(self, table: ModelTable) -> Iterator[PyMember]:
        names = table.names()
        owners = [self._class_named(table, on, "on") for on in table.texts("on")]
        if not owners:
            table.fail("`python.member` needs `on`, the class it belongs to")
        kind = table.choice("kind", get_args(MemberKind), "method")
        returns = tuple(
            word if word == "self" else self._class_named(table, word, "returns") for word in table.texts("returns")
        )
        subjects = self._subjects_of(owners)
        model = self._member(table, kind, returns, subjects)
        if "self" in returns and "memory" not in subjects:
            table.fail("`returns` is `self`, which requires a class with `memory`", "returns", "self")
        return (msgspec.structs.replace(model, on=owner, name=name) for owner in owners for name in names)

    def _function(self, table: ModelTable) -> tuple[list[PyMember], frozenset[Subject]]:
        names, module = table.names(), table.text("module")
        returns = tuple(self._class_named(table, word, "returns") for word in table.texts("returns"))
        subjects = self._subjects_of(returns) if returns else self._subjects
        wrapper, wraps = _wrapper(table), _WRAPS in table.texts("effect")
        subjects = frozenset({"storage"}) if wraps else subjects
        model = self._member(table, "static", returns, subjects)
        if not wraps:
            _refuse(table, _OF_WRAPPERS, f'requires `effect = "{_WRAPS}"`')
        elif not (wrapper.positions or wrapper.by_name):
            why = f"`{_WRAPS}` needs `positions` or `by_name`: the keyword that names them"
            table.fail(why, "effect", _WRAPS)
        made = [msgspec.structs.replace(model, name=_dotted(module, name)) for name in names]
        takes = (
            "storage" in subjects and model.when and any(map(_EFFECTS["storage"].fullmatch, map(str, model.effects)))
        )
        if wraps or takes:
            taking = wrapper if wraps else ConsumerModel(when=model.when, source=model.source)
            self.consumers += (msgspec.structs.replace(taking, name=one.name) for one in made)
        return made, subjects

    def _subjects_of(self, classes: Iterable[str]) -> frozenset[Subject]:
        found = [self._classes[name] for name in classes]
        handles: set[Subject] = {"handles"} if any(cls.role for cls in found) else set()
        memory: set[Subject] = {"memory"} if any(cls.memory for cls in found) else set()
        return frozenset(handles | memory)

    def _member(
        self, table: ModelTable, kind: MemberKind, returns: tuple[str, ...], subjects: frozenset[Subject]
    ) -> PyMember:
        model = PyMember(
            library=self._library,
            on="",
            name="",
            kind=kind,
            returns=returns,
            borrows=_borrows(table),
            keeps=table.choice("keeps", get_args(Keeps)),
            where=table.choice("where", get_args(Where), "part"),
            parameters=table.texts("parameters"),
            of=table.text("of"),
            spared_by=table.text("spared_by"),
            when=_condition(table),
            given=tuple(self._class_named(table, word, "given") for word in table.texts("given")),
            lacks=table.texts("lacks"),
            effects=_effects(table, kind, subjects),
            counted=table.flag("counted"),
            marks=table.choice("marks", get_args(Marks)),
            versions=table.choices("versions", self._versions),
            removed=table.flag("removed"),
            shows=self._class_named(table, shows, "shows") if (shows := table.text("shows")) else "",
            makes_class=table.flag("makes_class"),
            at_address=table.flag("at_address"),
            note=table.text("note"),
            source=table.text("source"),
        )
        if model.counted and not any(effect.verb == "keep" for effect in model.effects):
            table.fail('`counted` says how something is kept: it requires `effect = "keep .."`', "counted")
        table.done()
        if "handles" not in subjects:
            _refuse(table, _OF_HANDLES, "applies to handles, but no class here has a `role`")
        if "memory" not in subjects:
            _refuse(table, _OF_MEMORY, "applies to memory, but no class here has `memory`")
        if subjects == {"memory"}:
            _check_memory(table, model)
        if subjects == {"storage"}:
            _refuse(table, ("returns", "borrows", "keeps", "counted"), "applies to handles or memory, not to storage")
            _check_storage(table, model)
        return model


def _by_name(classes: Iterable[PyClass]) -> dict[str, PyClass]:
    """Two tables of one name, about handles and about memory, describe one class; else the later counts."""
    found: dict[str, PyClass] = {}
    for cls in classes:
        known = found.get(cls.name)
        if known is not None and bool(known.role) == bool(cls.memory) != bool(cls.role) == bool(known.memory):
            handle, other = (known, cls) if known.role else (cls, known)
            cls = msgspec.structs.replace(
                handle,
                memory=other.memory,
                known_as=other.known_as,
                bases=tuple(dict.fromkeys(handle.bases + other.bases)),
                told_by=tuple(dict.fromkeys(handle.told_by + other.told_by)),
            )
        found[cls.name] = cls
    return found


def _wrapper(table: ModelTable) -> ConsumerModel:
    """What a function says that makes a callable which takes away the storage of its arguments."""
    return ConsumerModel(
        positions=table.text("positions"),
        by_name=table.text("by_name"),
        static=table.text("static"),
        keywords=table.flag("keywords", True),
        inert=table.texts("inert"),
        carries=table.texts("carries"),
        source=table.text("source"),
    )


def _handle_classes(classes: Mapping[str, PyClass], members: Iterable[PyMember]) -> Iterator[PyClass]:
    of_classes: dict[str, list[PyMember]] = {name: [] for name in classes}
    for member in members:
        of_classes[member.on].append(member)
    return (_with_members(cls, of_classes[cls.name]) for cls in classes.values() if cls.role)


def _with_members(cls: PyClass, members: Iterable[PyMember]) -> PyClass:
    found: dict[str, list[PyMember]] = {}
    for member in members:
        found.setdefault(member.name, []).append(member)
    if cls.role == "owner" and not any(map(makers_among, found.values())):
        found["__init__"] = [constructor(cls.library, cls.name)]
    variants = {key: tuple(of_it) for key, of_it in found.items()}
    first = {key: of_it[0] for key, of_it in variants.items()}
    return msgspec.structs.replace(cls, members=first, variants=variants)


def _callbacks(table: ModelTable) -> Callbacks:
    made = Callbacks(table.texts("kept_by"), table.texts("used_by"), table.texts("ended_by"))
    table.text("source")
    table.done()
    return made


def _borrows(table: ModelTable) -> str:
    written = table.text("borrows")
    if written and not re.fullmatch(r"self|parent|context|argument [1-9]", written):
        instead = meant(written, ("self", "parent", "context", "argument 1"))
        table.fail(f"`borrows` cannot be `{written}`{instead}", "borrows")
    return written


def _condition(table: ModelTable) -> tuple[str, ...]:
    """`buffers=True`"""
    written = table.text("when")
    if written and not re.fullmatch(r"[A-Za-z_]\w*=[\w.\-]+", written):
        table.fail(f"`when` cannot be `{written}`; it is a parameter and a constant: `buffers=True`", "when")
    return tuple(written.split("=")) if written else ()


def _effects(table: ModelTable, kind: MemberKind, subjects: frozenset[Subject]) -> tuple[Effect, ...]:
    """Of a member, or of a function; one that nothing here is followed by is a mistake."""
    effects = table.effects()
    asked = sorted(subjects)
    for effect in effects:
        written = str(effect)
        if not any(_EFFECTS[subject].fullmatch(written) for subject in asked):
            _fail_unknown(table, effect, asked)
        no_receiver = kind in ("static", "classmethod")
        if no_receiver and "receiver" in written:
            table.fail(f"`{effect}`: a function or static method has no receiver", "effect", written)
        made = no_receiver or kind == "constructor" or "memory" in subjects
        if not made and effect.verb == "keep" and str(effect.other) == "result":
            table.fail(f"`{effect}`: a method keeps its argument in its receiver", "effect", written)
    return effects


def _fail_unknown(table: ModelTable, effect: Effect, asked: list[Subject]) -> NoReturn:
    written = str(effect)
    elsewhere = any(known.fullmatch(written) for known in _EFFECTS.values())
    where = " or ".join(_NAMES[subject] for subject in asked) if elsewhere else "Python"
    examples = [example for subject in asked for example in _EXAMPLES[subject]]
    table.fail(f"`{effect}` is not an effect of {where}{meant(written, examples)}", "effect", written)


def _check_memory(table: ModelTable, model: PyMember) -> None:
    """What a model may say of raw memory, and what has no meaning there."""
    if model.keeps is not None and model.keeps not in get_args(MemoryKeeps):
        table.fail(f"`keeps` cannot be `{model.keeps}` for memory{meant(model.keeps, get_args(MemoryKeeps))}", "keeps")
    if model.borrows in ("parent", "context"):
        table.fail(f"`borrows` cannot be `{model.borrows}` for memory; it is `self` or `argument 1`", "borrows")
    if model.keeps in ("owner", "none") and not model.borrows:
        table.fail(f'`keeps = "{model.keeps}"` needs `borrows`: what the result points into', "keeps")
    if len(model.returns) > 1:
        table.fail("`returns` names several classes: a function that returns memory returns one class", "returns")
    _check_memory_effects(table, model)


def _check_memory_effects(table: ModelTable, model: PyMember) -> None:
    if model.when:
        table.fail("`when` applies to handles, and to storage that is taken away", "when")
    if any(str(effect.other) == "result" for effect in model.effects) and not model.counted:
        table.fail("what the result points to is `borrows`; what it keeps alive is `counted = true`", "effect")
    if model.keeps is None and not model.effects and not model.makes_class:
        table.fail(
            f'`{table.name}` needs `keeps` or `effect`; for a pointer used only during the call write `keeps = "copy"`'
        )


def _check_storage(table: ModelTable, model: PyMember) -> None:
    if not model.effects:
        table.lacks("effect")
    if "invalidate argument 1 deep" in map(str, model.effects) and not model.when:
        table.fail("`invalidate argument 1 deep` requires `when`: the keyword by which the call takes it", "effect")


def _refuse(table: ModelTable, keys: Iterable[str], why: str) -> None:
    for key in keys:
        if key in table.data:
            table.fail(f"`{key}` {why}", key)


def _dotted(module: str, name: str) -> str:
    """A name of the module, whether or not it is written with it."""
    return f"{module}.{name}" if module and not name.startswith(f"{module}.") else name
