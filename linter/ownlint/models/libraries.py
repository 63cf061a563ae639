"""What libraries do, as data: model files, read strictly and looked up quickly.

A model is a TOML file about one library; `docs/models-reference.md` is its reference. A mistake in
one is a `ModelError` that names the line. Everything that a look-up returns is frozen, and every look-up is cached:
the same few hundred names come up thousands of times in a run.
"""

from __future__ import annotations

import fnmatch
import functools
import hashlib
import itertools
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from fnmatch import fnmatchcase
from pathlib import Path

import msgspec

from ownlint.facts.records import Language
from ownlint.facts.vocabulary import Anchor, Vocabulary
from ownlint.finding import Certainty
from ownlint.machine import kept_for_good
from ownlint.models import containers
from ownlint.models import memory as memory_models
from ownlint.models.consumers import Consuming
from ownlint.models.containers import ContainerMethods
from ownlint.models.files import ModelFile, anchors, beside
from ownlint.models.names import NameIndex, parts_of, spelling, without_templates
from ownlint.models.records import (
    ATTRIBUTE_ROLES,
    GIL_WORDS,
    HANDLE,
    ClassModel,
    Environment,
    FunctionModel,
    Gil,
    KindModel,
    MacroModel,
    PyClass,
    PyMember,
    PythonWords,
    Role,
    StatusModel,
    StatusType,
    Verb,
    Version,
    called_as,
    makers_among,
    python_words,
)
from ownlint.models.tables import bytes_of
from ownlint.patterns import Globs, PatternSet

FORMAT = 1
"""Part of the digest: raised when the same text comes to mean something else."""

TELLING = 2
"""So many members that no other family of classes has tell whose they are."""

CONTAINERS: tuple[Role, ...] = ("container", "associative", "set", "sequence", "string")
"""The roles of classes that hold elements."""

HOLDERS: tuple[Role, ...] = ("smart pointer", "shared pointer", "intrusive pointer", "weak pointer", "optional")
"""The roles of classes that hold one thing at most."""

_LATE = 99999
"""The last part of a version just before the next."""
_ELEMENT_OF = frozenset({"__getitem__", "__next__", "__iter__"})
"""Members by which a sequence gives its elements."""


_together = itertools.chain.from_iterable


def _united(fields: Sequence[str], sections: Sequence[object]) -> Iterator[tuple[str, ...]]:
    """For each of the fields, the names that any of the sections lists there."""
    for field in fields:
        yield tuple(dict.fromkeys(_together(getattr(section, field) for section in sections)))


class Models:
    """Every model file that was loaded, later files before earlier ones.

    `scopes`, where a look-up takes them, are the namespaces in which the code stands and those it opens
    (`using namespace`), and the targets of its `using` declarations, as written: `("xla::gpu", "absl::Status")`.
    They make an unqualified name (`Status`) certain.
    """

    def __init__(self, files: Sequence[ModelFile], digest: str) -> None:
        self.digest = digest
        self.libraries = tuple(file.library for file in files)
        self.former = tuple(f"{f.source.path}:{f.former.line}: {f.former}" for f in files if f.former is not None)
        """A line for each file in which tables stand that are written otherwise now."""
        self.versions = tuple(_together(file.versions for file in files))
        self.parity = tuple(_together(file.parity for file in files))
        """Groups of words, each for one backend of several that do the same."""
        self.frameworks = {model.spelling.name: model for model in _together(file.frameworks for file in files)}
        self.environment = Environment(*_united(Environment.__struct_fields__, [file.environment for file in files]))
        self.memory = memory_models.MemoryModels(file.python.memory for file in files)
        self.gil = Gil(*_united(Gil.__struct_fields__, [file.gil for file in files]))
        self.prefixes = tuple(sorted({*_together(file.prefixes for file in files)}))
        """How the names of libraries' functions begin whose arguments are borrowed unless an entry says otherwise."""
        self._constants = list(_together(file.constants for file in files))
        self._tables = dict(_together(file.tables.items() for file in files))
        self._makes = dict(_together(file.makes.items() for file in files))
        self._asks = dict(_together(file.asks.items() for file in files))
        self._atomic = list(_together(file.atomic for file in files))
        self._aliases = dict(_together(file.aliases.items() for file in files))
        self.consuming = Consuming(
            _together(file.python.consumers for file in files),
            _together(file.python.storages for file in files),
        )
        self._anchors = {Anchor(word, beside(file)) for file in files for word in anchors(file)}
        self._everyday = frozenset(file.library for file in files if not file.helpers)
        self._index_types(files)
        self._index_macros(files)
        self._index_python(files)
        self._remember_answers()

    def _remember_answers(self) -> None:
        """Caches belong to the object: a cache on the class would keep every Models alive."""
        self.status: Callable[..., StatusType | None] = functools.lru_cache(1 << 15)(self._status)
        self.classes: Callable[..., tuple[ClassModel, ...]] = functools.lru_cache(1 << 15)(self._class)
        self.function: Callable[..., tuple[FunctionModel, ...]] = functools.lru_cache(1 << 15)(self._function)
        self.macro: Callable[[str], MacroModel | None] = functools.lru_cache(1 << 15)(self._macro)
        self.python_class: Callable[[str], PyClass | None] = functools.lru_cache(1 << 14)(self._python_class)

    def _index_types(self, files: Sequence[ModelFile]) -> None:
        self._status_index: NameIndex[tuple[str, StatusModel]] = NameIndex("::")
        self._returning: NameIndex[StatusModel] = NameIndex("::")
        self._droppable: NameIndex[StatusModel] = NameIndex("::")
        self._returning_names: dict[str, bool] = {}
        self._class_index: NameIndex[ClassModel] = NameIndex("::")
        self._kind_index: NameIndex[KindModel] = NameIndex("::")
        self._gil_index: NameIndex[tuple[str, bool]] = NameIndex("::")
        self._calm_index: NameIndex[str] = NameIndex("::")
        self._runs_index: NameIndex[str] = NameIndex("::")
        self._function_index: dict[Language, NameIndex[FunctionModel]] = {
            "cpp": NameIndex("::"),
            "python": NameIndex("."),
        }
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
            for kind in file.kinds:
                for name in kind.released_by:
                    self._kind_index.add(name, True, kind)
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

    def _index_macros(self, files: Sequence[ModelFile]) -> None:
        macros = [macro for file in reversed(files) for macro in file.macros]
        self.macros = tuple(macros)
        self._macro_names = {macro.name: macro for macro in reversed(macros) if not macro.regular}
        self._macro_patterns = [macro for macro in macros if macro.regular]
        self._macro_expressions = PatternSet(macro.name for macro in self._macro_patterns)

    def _index_python(self, files: Sequence[ModelFile]) -> None:
        self._modules = {alias: name for file in files for alias, name in file.python.modules.items()}
        self._exports: dict[str, tuple[str, ...]] = {}
        self._speakers: dict[str, frozenset[str]] = {}
        self._words_of: dict[frozenset[str], PythonWords] = {}
        self._telling: dict[frozenset[str], tuple[frozenset[str], frozenset[str], frozenset[str]]] = {}
        self._led: dict[str, frozenset[str]] = {}
        """By path: the classes of which it can be asked."""
        self._py_classes: dict[str, PyClass] = {}
        self._py_patterns: list[PyClass] = []
        self._py_members: dict[str, list[PyMember]] = {}
        self._py_functions: dict[str, PyMember] = {}
        self._py_gone: dict[str, PyMember] = {}
        for file in files:
            self._py_gone.update((member.name, member) for member in file.python.gone)
            self._py_functions.update((member.name, member) for member in file.python.functions)
            for cls in file.python.handles:
                if "*" in cls.name:
                    self._py_patterns.append(cls)
                else:
                    self._py_classes[cls.name] = cls
                for name, variants in cls.variants.items():
                    self._py_members.setdefault(name, []).extend(variants)
            for module, names in file.python.exports.items():
                own = [cls.last for cls in file.python.handles if cls.name.rpartition(".")[0] == module]
                public = {name for name in (*names, *own) if not name.startswith("_") and "*" not in name}
                self._exports[module] = tuple(sorted({*self._exports.get(module, ()), *public}))
                self._speakers[module] = self._speakers.get(module, frozenset()) | {file.library}

    # --- C++ ---

    def namespace(self, name: str) -> str:
        """The namespace that an abbreviation (`se`) usually stands for; any other name as it is."""
        return self._aliases.get(name, name)

    def full_name(self, name: tuple[str, ...]) -> tuple[str, ...]:
        """The name with a namespace's usual abbreviation (`se`) written out."""
        if len(name) > 1 and (full := self._aliases.get(name[0])):
            return (*full.split("::"), *name[1:])
        return name

    def _scopes(self, scopes: Sequence[str]) -> tuple[tuple[str, ...], ...]:
        return tuple(self.full_name((*spelling(scope).parts, ""))[:-1] for scope in scopes)

    def _status(self, type_text: str, scopes: tuple[str, ...] = ()) -> StatusType | None:
        """The status type that this is, written or canonical; see the class for `scopes`."""
        written = spelling(type_text)
        found = self._status_index.find(self.full_name(written.parts), self._scopes(scopes))
        for certainty, (name, model) in found:
            if written.pointer == name.endswith("*"):
                return StatusType(
                    model, name.rstrip("*"), written.reference, written.pointer, written.template, certainty
                )
        return None

    def returns(self, symbol: str, scopes: tuple[str, ...] = ()) -> tuple[str, Certainty]:
        """The status type that a library's function returns, and how well its name fits; empty when none says so."""
        parts = self.full_name(tuple(without_templates(symbol)[0].split("::")))
        if not self.may_return_status(parts[-1]):
            return "", "possible"
        for certainty, model in self._returning.find(parts, self._scopes(scopes)):
            return model.types[0], certainty
        return "", "possible"

    def may_return_status(self, last: str) -> bool:
        """Whether a library's function of that last name returns a status."""
        if last not in self._returning_names:
            index = self._returning
            self._returning_names[last] = last in index.exact or index.last_parts.fits(last)
        return self._returning_names[last]

    def is_droppable(self, symbol: str, scopes: tuple[str, ...] = ()) -> bool:
        """Whether nobody needs to look at what this function answers."""
        parts = self.full_name(tuple(without_templates(symbol)[0].split("::")))
        return bool(self._droppable.find(parts, self._scopes(scopes)))

    def _class(self, type_text: str, scopes: tuple[str, ...] = ()) -> tuple[ClassModel, ...]:
        """Everything known about a type, best match first."""
        found = self._class_index.find(self.full_name(spelling(type_text).parts), self._scopes(scopes))
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
        return frozenset().union(*(self._of_kind.get(role, ()) for role in roles))

    @functools.cached_property
    def _of_kind(self) -> dict[Role, set[str]]:
        """Last names of all classes, by what they are."""
        found: dict[Role, set[str]] = {}
        for name, entries in self._class_index.exact.items():
            for role in {role for _, _, model in entries for role in model.roles}:
                found.setdefault(role, set()).add(name)
        return found

    @functools.cached_property
    def plain_locks(self) -> frozenset[str]:
        """What begins a lock that one thread cannot take twice, of a class whose locks may be otherwise."""
        entries = (entry for found in self._class_index.exact.values() for entry in found)
        return frozenset(name for _, _, model in entries for name in model.plain_by)

    def names_by_library(self, role: Role) -> dict[str, frozenset[str]]:
        """Last names of all classes of this kind, by the library whose they are."""
        found: dict[str, set[str]] = {}
        for entries in self._class_index.exact.values():
            for parts, _, model in entries:
                if role in model.roles:
                    found.setdefault(model.library, set()).add(parts[-1])
        return {library: frozenset(names) for library, names in sorted(found.items())}

    def functions_with(
        self, verb: Verb, place: str = "", wanted: Callable[[FunctionModel], object] = bool
    ) -> frozenset[str]:
        """Last names of all C++ functions that do this, to that place, and are `wanted` beside; no patterns."""
        entries = self._doing.get(verb, ())
        return frozenset(
            parts[-1] for parts, model in entries if (not place or model.has(verb, place)) and wanted(model)
        )

    @functools.cached_property
    def _doing(self) -> dict[Verb, list[tuple[tuple[str, ...], FunctionModel]]]:
        """The C++ functions, with the parts of their names, by what they do; no patterns."""
        found: dict[Verb, list[tuple[tuple[str, ...], FunctionModel]]] = {}
        for entries in self._function_index["cpp"].exact.values():
            for parts, _, model in entries:
                for verb in {effect.verb: None for effect in model.effects}:
                    found.setdefault(verb, []).append((parts, model))
        return found

    def functions_that(self, wanted: Callable[[FunctionModel], bool], language: Language = "cpp") -> frozenset[str]:
        """Last names of all functions of such models; no patterns. By an effect `functions_with` is quicker."""
        entries = (entry for found in self._function_index[language].exact.values() for entry in found)
        return frozenset(parts[-1] for parts, _, model in entries if wanted(model))

    @functools.cached_property
    def failing_below_zero(self) -> frozenset[str]:
        """Last names of the C++ functions that answer -1 where they failed, and never less than 0 otherwise."""
        return self.functions_that(lambda model: model.fails_below_zero)

    @functools.cached_property
    def weak_answers(self) -> frozenset[str]:
        """Last names of the methods of weak pointers that answer with the object, or with nothing: `lock`."""
        weak = self.names_of("weak pointer")
        entries = (entry for found in self._function_index["cpp"].exact.values() for entry in found)
        return frozenset(
            parts[-1] for parts, _, model in entries if model.nullable and not weak.isdisjoint(parts[-2:-1])
        )

    @functools.cached_property
    def lenders_of_arguments(self) -> frozenset[str]:
        """Last names of the C++ functions whose result is part of an argument."""
        return frozenset(
            parts[-1]
            for parts, model in self._doing.get("borrow", ())
            if any(one.other is not None and one.other.kind == "argument" for one in model.effects)
        )

    def holders_of(self, lock: str) -> frozenset[str]:
        """Last names of the guards, and of what gives up, of that one lock."""
        entries = (entry for found in self._class_index.exact.values() for entry in found)
        return frozenset(parts[-1] for parts, _, model in entries if model.holds == lock)

    def pairs_of(self, verb: Verb, place: str) -> tuple[frozenset[str], frozenset[str]]:
        """Last names of all C++ functions with that effect, and of those that end what it begins; no patterns."""
        models = [model for _, model in self._doing.get(verb, ()) if model.has(verb, place)]
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
            bare, _ = without_templates(symbol) if "operator" not in symbol else (symbol, "")
            parts = parts_of(bare)
            index = self._function_index[language]
            if parts and parts[-1] not in index.exact and not index.last_parts.fits(parts[-1]):
                return ()  # most names: no model knows the last part
            parts, spaces = self.full_name(parts), self._scopes(scopes)
        found = self._function_index[language].find(parts, spaces)
        return tuple(msgspec.structs.replace(model, certainty=certainty) for certainty, model in found)

    @functools.cached_property
    def containers(self) -> containers.ContainerMethods:
        """What the methods of all containers are called, by what they do."""
        return containers.methods(self._named("cpp"), self.names_of(*CONTAINERS), self.names_of(*HOLDERS))

    @functools.cached_property
    def python_containers(self) -> ContainerMethods:
        """The same of Python's containers: the classes whose methods put something in, look for it or take it out."""
        every = self._named("python")
        classes = frozenset(parts[-2] for parts, model in every if len(parts) > 1 and containers.is_method(model))
        return containers.methods(every, classes, frozenset())

    @functools.cached_property
    def python_locks(self) -> frozenset[str]:
        """Dotted names of the classes of Python whose objects are locks: a `with` holds them."""
        every = self._named("python")
        return frozenset(".".join(parts[:-1]) for parts, model in every if model.has("hold", "receiver"))

    def _named(self, language: Language) -> list[tuple[tuple[str, ...], FunctionModel]]:
        """The functions of models, without those that are patterns, by the parts of their names."""
        entries = (entry for found in self._function_index[language].exact.values() for entry in found)
        return [(parts, model) for parts, _, model in entries]

    @functools.cached_property
    def unlocking(self) -> frozenset[str]:
        """Last names of the functions that end a lock's hold: what they release is no handle."""
        holding = self._doing.get("hold", ())
        return frozenset(name.rsplit("::", 1)[-1] for _, model in holding for name in model.released_by)

    @functools.cached_property
    def resizing(self) -> frozenset[str]:
        """Last names of the functions that release an argument if they succeed: what they return takes its place."""
        return frozenset(parts[-1] for parts, model in self._doing.get("release", ()) if model.resized is not None)

    def kind(self, releaser: str) -> KindModel:
        """What it is that a function of that last name releases, by the models."""
        found = self._kind_index.find((releaser,), ())
        return found[0][1] if found else HANDLE

    def counts(self, last: str) -> bool:
        """Whether a function of that last name, whose ever it is, may give up one of several references."""
        return self.kind(last).counted or any(model.counted for model in self._called(last))

    def may_release(self, last: str) -> bool:
        """Whether a library's function of that last name ends an argument, other than a lock."""
        return last not in self.unlocking and any(
            effect.verb == "release" and effect.place is not None and effect.place.kind == "argument"
            for model in self._called(last)
            for effect in model.effects
        )

    def _called(self, last: str) -> Iterator[FunctionModel]:
        """The models of C++ functions of that last name, whose ever they are."""
        index = self._function_index["cpp"]
        yield from (model for _, _, model in index.exact.get(last, ()))
        patterns = index.wild if index.last_parts.fits(last) else ()
        yield from (model for parts, _, model in patterns if fnmatchcase(last, parts[-1]))

    def gil_word(self, symbol: str, scopes: tuple[str, ...] = ()) -> str:
        """What a function does to the interpreter's lock: one of `GIL_WORDS`; empty when no model says."""
        if not self._gil_index.exact.keys() & {symbol.rpartition("::")[2]} and not self._gil_index.last_parts.fits(
            symbol.rpartition("::")[2]
        ):
            return ""
        key = (symbol, scopes)
        if key not in self._gil_words:
            parts = self.full_name(tuple(without_templates(symbol)[0].split("::")))
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

    def _is_among(self, index: NameIndex[str], symbol: str, scopes: tuple[str, ...]) -> bool:
        parts = self.full_name(tuple(without_templates(symbol)[0].split("::")))
        return any(fit != "possible" for fit, _ in index.find(parts, self._scopes(scopes)))

    def verbs(self, last: str, place: str = "") -> frozenset[Verb]:
        """What C++ functions of that last name may do, whose ever they are; to a place of that kind alone."""
        effects = (effect for model in self._called(last) for effect in model.effects)
        return frozenset(e.verb for e in effects if not place or (e.place is not None and e.place.kind == place))

    @functools.cached_property
    def counted_names(self) -> frozenset[str]:
        """Last names of the functions and objects that deal in counted references; patterns are not among them."""
        entries = (entry for found in self._function_index["cpp"].exact.values() for entry in found)
        return frozenset(parts[-1] for parts, _, model in entries if model.counted)

    @functools.cached_property
    def giving_back(self) -> frozenset[str]:
        """Last names of the functions that release a counted reference, or take one over."""
        ends = (entry for verb in ("release", "adopt") for entry in self._doing.get(verb, ()))
        return frozenset(parts[-1] for parts, model in ends if model.counted)

    @functools.cached_property
    def trusting(self) -> frozenset[str]:
        """Last names of the functions that take an object for one of a type without a look."""
        entries = (entry for found in self._function_index["cpp"].exact.values() for entry in found)
        return frozenset(parts[-1] for parts, _, model in entries if model.trusts_type)

    @functools.cached_property
    def lenders(self) -> frozenset[str]:
        """Last names of the functions whose result leads into an argument that nobody keeps."""
        return frozenset(parts[-1] for parts, model in self._doing.get("borrow", ()) if model.keeps == "none")

    @functools.cached_property
    def visitors(self) -> frozenset[str]:
        """Last names of what shows something to a collector."""
        return self.functions_with("visit")

    @functools.cached_property
    def atomic(self) -> Globs:
        """Fits the names of functions that make objects which refer to no others."""
        return Globs(self._atomic)

    def made_by(self, name: str) -> str:
        """The type of every object that a function of that name makes; empty where nobody says."""
        return next((kind for fits, kind in self._made if fits.fits(name)), "")

    def asked_by(self, name: str) -> str:
        """The type of which a function of that name answers with something for every object, and for no other."""
        return self._asks.get(name, "")

    @functools.cached_property
    def _made(self) -> list[tuple[Globs, str]]:
        return [(Globs([pattern]), kind) for pattern, kind in self._makes.items()]

    @functools.cached_property
    def counted_patterns(self) -> Globs:
        """Fits the names that the patterns among them stand for."""
        return Globs(parts[-1] for parts, _, model in self._function_index["cpp"].wild if model.counted)

    @functools.cached_property
    def constants(self) -> Globs:
        """Fits the names of counted objects that live as long as the program."""
        return Globs(self._constants)

    def counted_method(self, last: str) -> FunctionModel | None:
        """The method of that name by which a wrapper deals in counted references."""
        found = self._function_index["cpp"].exact.get(last, ())
        return next((model for parts, _, model in found if model.counted and len(parts) > 1), None)

    def _macro(self, name: str) -> MacroModel | None:
        """By exact name first, then by the first pattern that fits the whole name."""
        if found := self._macro_names.get(name):
            return found
        number = self._macro_expressions.first(name)
        return None if number is None else self._macro_patterns[number]

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

    def asked_of(
        self, members: frozenset[str], libraries: frozenset[str], paths: frozenset[str] = frozenset(), called: str = ""
    ) -> str:
        """The class of these libraries that has all the members, the first public one where those that have them
        are of one family; empty when there is none, when they are of several, and when fewer than two of the members
        are this family's alone. `paths` are what is asked of what members give: `body.operations`; where only classes
        of several families have one, the object is what it is `called`: `module`."""
        having = [name for name in self._having(members) if not libraries.isdisjoint(self.libraries_of(name))]
        followed = {path: self._leading(path) for path in paths}
        for leading in followed.values():
            having = [name for name in having if name in leading] or having
        shared = self._family(having)
        if not shared:
            named = [name for name in having if name.rpartition(".")[2].lower() == called.lower()]
            return named[0] if len(named) == 1 and any(named[0] in leading for leading in followed.values()) else ""
        alone = [*(self._having(frozenset({member})) for member in members), *map(list, followed.values())]
        telling = sum(1 for classes in alone if self._family(classes) & shared)
        if telling < TELLING:
            return ""
        public = [name for name in having if not name.rpartition(".")[2].startswith("_")] or having
        return next((name for name in public if name in shared), public[0])

    def _leading(self, path: str) -> frozenset[str]:
        """The classes of which all steps of a path can be asked, one of what the other gives."""
        if path not in self._led:
            first, *steps = path.split(".")
            self._led[path] = frozenset(
                name for name in self._by_member.get(first, ()) if self._leads(name, [first, *steps])
            )
        return self._led[path]

    def _leads(self, dotted: str, steps: Sequence[str]) -> bool:
        if not steps:
            return True
        member = self.python_member(dotted, "__getitem__" if steps[0] == "[]" else steps[0])
        if member is None:
            return False
        return len(steps) == 1 or any(
            self._leads(dotted if given == "self" else given, steps[1:]) for given in member.returns
        )

    def _having(self, members: frozenset[str]) -> list[str]:
        """The classes that have all the members."""
        found = frozenset.intersection(*(self._by_member.get(member, frozenset()) for member in members))
        return [name for name in self._py_classes if name in found] if found else []

    @functools.cached_property
    def _by_member(self) -> dict[str, frozenset[str]]:
        """The classes that have a member, by themselves or by a base."""
        found: dict[str, set[str]] = {}
        for name in self._py_classes:
            known = (cls for base in self._ancestry(name) if (cls := self.python_class(base)) is not None)
            for member in {member for cls in known for member, variants in cls.variants.items() if variants}:
                found.setdefault(member, set()).add(name)
        return {member: frozenset(names) for member, names in found.items()}

    def _family(self, classes: list[str]) -> set[str]:
        """What all the classes are, or derive from."""
        return set.intersection(*map(self._ancestry, classes)) if classes else set()

    def _ancestry(self, dotted: str) -> set[str]:
        """The class and its bases."""
        found: set[str] = set()
        pending = [dotted]
        for name in pending:
            if name not in found and (cls := self.python_class(name)) is not None:
                found.add(name)
                pending += cls.bases
        return found

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

    def python_gone(self, dotted: str) -> PyMember | None:
        """A function or a constant of a module that some version of the library does not have."""
        return self._py_gone.get(self.canonical(dotted))

    @functools.cached_property
    def gone_names(self) -> frozenset[str]:
        """Last names of those."""
        return frozenset(name.rpartition(".")[2] for name in self._py_gone)

    @functools.cached_property
    def _py_function_patterns(self) -> tuple[str, ...]:
        return tuple(sorted(name for name in self._py_functions if "*" in name))

    def libraries_of(self, dotted: str) -> frozenset[str]:
        """The libraries that describe Python handles of this class, function or module."""
        found = {known.library for known in (self.python_class(dotted), self.python_function(dotted)) if known}
        return self._speakers.get(self.canonical(dotted), frozenset()) | found

    @functools.cached_property
    def _words(self) -> dict[str, PythonWords]:
        """By library."""
        members: dict[str, list[PyMember]] = {}
        for member in (*self._py_functions.values(), *(m for found in self._py_members.values() for m in found)):
            members.setdefault(member.library, []).append(member)
        classes: dict[str, list[PyClass]] = {}
        for cls in (*self._py_classes.values(), *self._py_patterns):
            classes.setdefault(cls.library, []).append(cls)
        return {
            library: python_words(classes.get(library, ()), members.get(library, ()))
            for library in sorted({*members, *classes})
        }

    def words(self, libraries: Iterable[str]) -> PythonWords:
        """Names that tell which of a file's functions have to do with handles of these libraries."""
        wanted = frozenset(libraries)
        if wanted not in self._words_of:
            found = [self._words[library] for library in sorted(wanted & self._words.keys())]
            columns = zip(*map(msgspec.structs.astuple, found), strict=True)
            self._words_of[wanted] = PythonWords(*(frozenset().union(*column) for column in columns))
        return self._words_of[wanted]

    @property
    def everyday(self) -> frozenset[str]:
        """Libraries whose owners are everyday objects: one concerns a file that has a word which ends it."""
        return self._everyday

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

    def having(self, member: str, libraries: frozenset[str]) -> list[str]:
        """The classes of these libraries that have the member, by themselves or by a base."""
        having = sorted(self._by_member.get(member, ()))
        return [name for name in having if not libraries.isdisjoint(self.libraries_of(name))]

    def telling(self, libraries: frozenset[str]) -> tuple[frozenset[str], frozenset[str], frozenset[str]]:
        """Members of classes of these libraries: those that no other class has, those of which several are asked
        that one family has alone, and those that lead on to one, see `asked_of`."""
        if libraries not in self._telling:
            own = {name for name in self._py_classes if not libraries.isdisjoint(self.libraries_of(name))}
            found = ((member, having) for member, having in self._by_member.items() if not own.isdisjoint(having))
            self._telling[libraries] = (
                frozenset(name.partition("(")[0] for name, cls in self.telling_members.items() if cls in own),
                frozenset(member for member, having in found if self._family(list(having))),
                frozenset(
                    member.name
                    for name in own
                    for member in self._py_classes[name].members.values()
                    if member.returns and not member.name.startswith("_")
                ),
            )
        return self._telling[libraries]

    @functools.cached_property
    def absent(self) -> frozenset[str]:
        """Members and keywords that some version of a library does not have."""
        members = [member for variants in self._py_members.values() for member in variants]
        return frozenset(
            {member.name for member in members if member.removed} | {word for m in members for word in m.lacks}
        )

    @functools.cached_property
    def loosely_hashed(self) -> frozenset[str]:
        """Last names of the classes whose hash does not say which native object theirs stand for, and of the members
        that give such an object, or a sequence of them."""
        loose = {cls.name for cls in self._py_classes.values() if cls.compared_by and "hash" not in cls.compared_by}
        members = [member for variants in self._py_members.values() for member in variants]
        giving = [member for member in members if not loose.isdisjoint(member.returns)]
        sequences = {member.on for member in giving if member.name in _ELEMENT_OF}
        of_sequences = [member for member in members if not sequences.isdisjoint(member.returns)]
        return frozenset(name.rpartition(".")[2] for name in (*loose, *(one.name for one in (*giving, *of_sequences))))

    @functools.cached_property
    def makers(self) -> frozenset[str]:
        """Last names of the calls that make an owner in Python: `parse`, `create`, or a class's own name."""
        members = (*self._py_functions.values(), *(m for variants in self._py_members.values() for m in variants))
        return frozenset(called_as(member).rpartition(".")[2] for member in makers_among(members))

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
        if member is None or member.keeps != "own" or member.library in self._everyday:
            return dotted.startswith("*.")
        return True

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
        return next((v for v in of_it if any(is_within(packages.get(p, ""), r) for p, r in v.packages.items())), None)

    def version_required(self, library: str, requirements: Mapping[str, str]) -> Version | None:
        """How the library behaves with the latest versions of packages that a project admits, where it names them."""
        latest = {name: latest_of(spec) for name, spec in requirements.items() if name in self.packages}
        return self.version_at(library, latest) if any(latest.values()) else None

    # --- for the frontends ---

    def vocabulary(self) -> Vocabulary:
        def patterns(*roles: str) -> tuple[str, ...]:
            chosen = (macro for macro in self.macros if macro.role in roles)
            return tuple(sorted({macro.name if macro.regular else re.escape(macro.name) for macro in chosen}))

        return Vocabulary(
            annotations=patterns(*ATTRIBUTE_ROLES),
            declaring=patterns("assign or return", "declaring"),
            asserting=patterns("assert"),
            standing=tuple(sorted(re.escape(name) for name in {*self.gil.drops, *self.gil.takes} if "*" not in name)),
            frameworks=tuple(self.frameworks[name].spelling for name in sorted(self.frameworks)),
            registries=patterns("operator registry"),
            anchors=tuple(sorted(self._anchors, key=lambda anchor: (anchor.word, anchor.beside))),
            tables=dict(sorted(self._tables.items())),
        )


def is_within(version: str, ranges: str) -> bool:
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


def latest_of(spec: str) -> str:
    """The latest version that a requirement admits: of `>=1.20,<2` one just below 2; empty where it has no bound."""
    for sign, written in re.findall(r"(<=|==|~=|<)\s*v?(\d+(?:\.\d+)*)", spec):
        parts = [int(part) for part in written.split(".")]
        if sign in ("<=", "=="):
            return str(written)
        if sign == "~=":
            return ".".join(map(str, [*parts[:-1], _LATE]))
        while len(parts) > 1 and parts[-1] == 0:
            parts.pop()
        return ".".join(map(str, [*parts[:-1], parts[-1] - 1, _LATE]))
    return ""


def _numbers(version: str) -> tuple[int, ...]:
    """Up to the first part that is no number; zeros at the end say nothing."""
    written = re.match(r"\d+(?:\.\d+)*", version)
    numbers = [int(part) for part in written[0].split(".")] if written else []
    while numbers[1:] and numbers[-1] == 0:
        numbers.pop()
    return tuple(numbers)


@kept_for_good()
def load(paths: Sequence[Path]) -> Models:
    """Reads model files, and all `*.toml` of folders; raises `ModelError` on the first mistake.

    The order matters: where two files speak about one name, the later wins.
    """
    files, digest = [], hashlib.blake2b(f"models {FORMAT}".encode(), digest_size=16)
    for path in paths:
        for file in sorted(path.glob("*.toml")) if path.is_dir() else (path,):
            data = bytes_of(file)
            digest.update(len(data).to_bytes(8, "big") + data)
            files.append(_file(file, data))
    return _models(tuple(files), digest.hexdigest())


@functools.lru_cache(maxsize=8)
def _models(files: tuple[ModelFile, ...], digest: str) -> Models:
    """What is looked up in them is remembered there: a server has them once for all of its runs."""
    return Models(files, digest)


@functools.lru_cache(maxsize=128)
def _file(path: Path, data: bytes) -> ModelFile:
    """The projects of one run have nearly all of their models in common. Nobody changes a model once it is read."""
    return ModelFile(path, data)
