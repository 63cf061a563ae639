"""Which function ends what another began: pairs read off a project's own declarations.

Two sources, and no library among them. Methods of one class that are named as opposites (`Allocate`/`Deallocate`,
`CreateFoo`/`DestroyFoo`, `Open`/`Close`), where one hands out what the other takes; and free functions named so
(`lib_thing_create`/`lib_thing_destroy`). Names alone prove nothing: the handle's type has to be the same.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from functools import cached_property, lru_cache
from itertools import pairwise
from typing import TYPE_CHECKING, NamedTuple, TypeVar

from ownlint.facts import records as r
from ownlint.finding import Certainty, because
from ownlint.models import habits
from ownlint.project import types
from ownlint.project.files import File
from ownlint.project.questions import program_property

if TYPE_CHECKING:
    from ownlint.project.program import Program

_WORDS = re.compile(r"[A-Z]+(?=[A-Z][a-z])|[A-Z]?[a-z]+|[A-Z]+|\d+")
_NUMBERS = re.compile(
    r"(?:(?:un)?signed|(?:u?int(?:8|16|32|64|ptr)?(?:_t)?)|s?size_t|long|short|int|char|bool|float|double|off_t|time_t)"
    r"(?: (?:int|long|char|short))*"
)
_OUT_OF_QUESTION = frozenset({"", "void", "bool", "float", "double", "auto", "char", "wchar_t"})


class HandleType(NamedTuple):
    """The type of what is handed out: `Stream` with one pointer of `Stream*`; a number when it is an `int`."""

    name: str
    pointers: int
    is_number: bool

    @property
    def is_generic(self) -> bool:
        """Says nothing about what it is: only the names of the functions do."""
        return self.is_number or self.name in ("void", "char", "byte", "uint8_t", "T")

    def __str__(self) -> str:
        return self.name + "*" * self.pointers


class Acquirer(NamedTuple):
    """A declaration that hands out an owned handle: as its result (`argument` is -1) or through an argument."""

    record: r.FunctionRecord
    argument: int
    handle: HandleType
    releases: tuple[str, ...]
    why: str
    certainty: Certainty


class Releaser(NamedTuple):
    """A declaration that takes one back."""

    record: r.FunctionRecord
    argument: int
    handle: HandleType
    ends: bool = False
    """Nothing is left of the object: it was handed out as a whole, and the name says that it ends."""
    by_address: bool = False
    """It is given the address of the variable that holds the handle."""


class _Named(NamedTuple):
    """A name taken apart around its verb: `(mlir, module)`, `create`, `(empty)` of `mlirModuleCreateEmpty`."""

    verb: str
    before: tuple[str, ...]
    after: tuple[str, ...]

    @property
    def rest(self) -> tuple[str, ...]:
        return self.before + self.after


@lru_cache(maxsize=1 << 14)
def words(name: str) -> tuple[str, ...]:
    """The words of a name in any case: `TF_NewStatus` -> `tf`, `new`, `status`."""
    return tuple(word.lower() for word in _WORDS.findall(name))


@lru_cache(maxsize=1 << 14)
def releasing_verb(name: str) -> str:
    """The verb that makes the name one of a function that ends a duty (`destroy`, `unmap`), or nothing. With a `p` at
    the end it is given the address of what holds the handle: `freep`, `avio_closep`."""
    named = _release(name)
    if named is None:
        bare = (words(name) or ("",))[-1].removesuffix("p")
        return bare if name.endswith(f"{bare}p") and bare in habits.RELEASES else ""
    return named.verb


def counts_down(name: str) -> bool:
    """Whether a function's name says that it counts one reference less: `unref`, `decref`, `dec_ref`, `decRef`."""
    found = words(name)
    return not (habits.COUNTS_DOWN | {"decref"}).isdisjoint(found) or any(
        one in habits.DECREMENTS and other in habits.COUNTS for one, other in pairwise(found)
    )


def is_getter(name: str) -> bool:
    """Whether a function of this name hands out what somebody keeps, by its words."""
    found = words(name)
    return bool(found) and not habits.BORROWS.isdisjoint(found) and habits.MAKES.isdisjoint(found)


def takes(name: str) -> bool:
    """Whether a function of this name begins, by one of its words, what another ends: `Ref`, `lock`, `openFile`."""
    found = words(name)
    return not habits.ACQUIRES.isdisjoint(found) or not habits.BEGINS.isdisjoint(found)


@lru_cache(maxsize=1 << 14)
def _acquire(name: str) -> _Named | None:
    found = words(name)
    if is_getter(name):
        return None
    for position, word in enumerate(found):
        if word in habits.ACQUIRES:
            return _Named(word, found[:position], found[position + 1 :])
    return None


def acquiring_words(name: str) -> tuple[tuple[str, ...], str] | None:
    """What a name says before its acquiring verb, and that: `(mpz,)` and `init` of `mpz_init_set`."""
    named = _acquire(name)
    return (named.before, named.verb) if named is not None else None


@lru_cache(maxsize=1 << 14)
def _release(name: str) -> _Named | None:
    found = words(name)
    for position, word in enumerate(found):
        if word in habits.RELEASES or _undoes(word):
            return _Named(word, found[:position], found[position + 1 :])
    return None


@lru_cache(maxsize=1 << 14)
def _deletion(name: str) -> _Named | None:
    """Of a free function `del_item` what it says beside the verb. The short verb says that only where an object of the
    type comes from a function that says `new`: `table_del(table, key)` ends what it looks for."""
    found = words(name)
    if habits.SHORT_DELETE not in found:
        return None
    position = found.index(habits.SHORT_DELETE)
    return _Named(habits.SHORT_DELETE, found[:position], found[position + 1 :])


@lru_cache(maxsize=1 << 12)
def _undoes(word: str) -> str:
    """The verb that this one is the opposite of: `map` of `unmap`."""
    for prefix in ("un", "de", "dis"):
        if word.startswith(prefix) and word[len(prefix) :] in habits.ACQUIRES:
            return word[len(prefix) :]
    return next((verb for verb, opposite in habits.OPPOSITES.items() if opposite == word), "")


@lru_cache(maxsize=1 << 12)
def _base_of_undoing(name: str) -> tuple[str, ...]:
    """The words of what a name says it undoes, whatever that is: `carve` of `Uncarve`, `reserve` of `FreeReserve`."""
    found = words(name)
    if len(found) > 1 and found[0] in habits.RELEASES:
        return found[1:]
    for prefix in ("un", "de", "dis"):
        if found and found[0].startswith(prefix) and len(found[0]) > len(prefix) + 2:
            return (found[0][len(prefix) :], *found[1:])
    return ()


_ByRest = dict[tuple[str, ...], list[tuple[r.FunctionRecord, _Named]]]
"""Releasing functions by what their names say beside the verb."""


def _opposites(one: _Named, releasing: _ByRest, *, loosely: bool) -> list[r.FunctionRecord]:
    """The functions whose names say the same of all but the verb; else those whose names say less. What follows the
    acquiring verb may say more than the releasing name does: `create_from_file`, `destroy`; `loosely` even where that
    says nothing else."""
    rest = one.rest
    shortest = len(one.before) if loosely else max(len(one.before), 1)
    for length in (len(rest), *range(len(rest) - 1, shortest - 1, -1)):
        found = [record for record, other in releasing.get(rest[:length], ()) if _undoes_verb(other.verb, one.verb)]
        if found:
            return found
    return []


def _undoes_verb(releasing: str, acquiring: str) -> bool:
    if releasing == habits.SHORT_DELETE:
        return acquiring == "new"
    return releasing in habits.RELEASES or _undoes(releasing) == acquiring


class Pairs:
    """The pairs of one program, found once."""

    def __init__(self, program: Program) -> None:
        self.program = program

    @program_property
    def _found(self) -> _FoundPairs:
        found = _FoundPairs(self.program)
        found.pair_all()
        return found

    @program_property
    def acquirers(self) -> dict[str, list[Acquirer]]:
        """The functions that hand something out, by their last names."""
        return _by_name(self._found.acquirers.values())

    @program_property
    def releasers(self) -> dict[str, list[Releaser]]:
        """The functions that take it back, by their last names."""
        return _by_name(self._found.releasers.values())

    def acquirer(self, record: r.FunctionRecord) -> Acquirer | None:
        """What a declaration hands out, when it has a partner."""
        return next((one for one in self.acquirers.get(record.name, ()) if one.record is record), None)

    def releaser(self, record: r.FunctionRecord) -> Releaser | None:
        """What a declaration takes back, when it has a partner."""
        return next((one for one in self.releasers.get(record.name, ()) if one.record is record), None)

    def works_on(self, record: r.FunctionRecord) -> bool:
        """Whether the first parameter of a declaration is the object that it works on, as a method does on its own: a
        handle of a pair that stands in the same file and ends it."""
        return any(one is record for one in self._working.get(record.name, ()))

    @program_property
    def _working(self) -> dict[str, list[r.FunctionRecord]]:
        found: dict[str, list[r.FunctionRecord]] = {}
        for file, handles in self._found.ended.values():
            for record in file.functions:
                first = record.parameters[0].type if record.parameters and not record.owner else ""
                if first and self._found.handle_of(first, file, "") in handles:
                    found.setdefault(record.name, []).append(record)
        return found

    @program_property
    def names(self) -> frozenset[str]:
        """Last names of the functions that hand something out."""
        return frozenset(self.acquirers)

    @program_property
    def releasing_names(self) -> frozenset[str]:
        """Last names of the functions that take something back."""
        return frozenset(self.releasers)


_One = TypeVar("_One", Acquirer, Releaser)


def _by_name(found: Iterable[_One]) -> dict[str, list[_One]]:
    out: dict[str, list[_One]] = {}
    for one in found:
        out.setdefault(one.record.name, []).append(one)
    return out


class _FoundPairs:
    """Pairs as they are found, by the identity of their records."""

    def __init__(self, program: Program) -> None:
        self.program = program
        self.acquirers: dict[int, Acquirer] = {}
        self.releasers: dict[int, Releaser] = {}
        self.ended: dict[str, tuple[File, set[HandleType]]] = {}
        """By path a file, and what its pairs of free functions end, where the type says what it is."""

    def pair_all(self) -> None:
        """Methods of one class with each other, and free functions."""
        for cls in self.program.classes:
            records = {id(record): record for record in (*cls.declarations, *(m.record for m in cls.methods))}
            if len(records) > 1:
                self._pair_methods(cls.file, cls.symbol, records.values())
        self._pair_free()

    def _pair_free(self) -> None:
        """Free functions of all files, by what their names say beside the verb."""
        releasing: _ByRest = {}
        acquiring: list[tuple[File, r.FunctionRecord, _Named]] = []
        for file in self.program.files.values():
            if file.language != "cpp":
                continue
            for record in file.functions:
                if record.owner or record.kind != "function" or record.name.startswith("operator"):
                    continue
                if (named := _release(record.name)) is not None:
                    if 1 <= len(record.parameters) <= 3:
                        releasing.setdefault(named.rest, []).append((record, named))
                elif (named := _acquire(record.name)) is not None:
                    acquiring.append((file, record, named))
                elif len(record.parameters) == 1 and (named := _deletion(record.name)) is not None:
                    releasing.setdefault(named.rest, []).append((record, named))
        for file, record, named in acquiring:
            self._pair_one(record, _opposites(named, releasing, loosely=False), file, "")

    def _pair_methods(self, file: File, scope: str, records: Iterable[r.FunctionRecord]) -> None:
        releasing: _ByRest = {}
        acquiring: list[tuple[r.FunctionRecord, _Named]] = []
        others: dict[tuple[str, ...], list[r.FunctionRecord]] = {}
        undone: dict[tuple[str, ...], list[r.FunctionRecord]] = {}
        for record in records:
            if record.kind not in ("function", "method"):
                continue
            if (named := _release(record.name)) is not None:
                releasing.setdefault(named.rest, []).append((record, named))
            elif (named := _acquire(record.name)) is not None:
                acquiring.append((record, named))
            if record.parameters and not is_getter(record.name):
                others.setdefault(words(record.name), []).append(record)
            if base := _base_of_undoing(record.name):
                undone.setdefault(base, []).append(record)
        for base, candidates in others.items():
            for record in candidates if base in undone else ():
                self._pair_one(record, undone[base], file, scope)
        if releasing:
            for record, named in acquiring:
                self._pair_one(record, _opposites(named, releasing, loosely=True), file, scope)

    def _pair_one(self, record: r.FunctionRecord, opposites: list[r.FunctionRecord], file: File, scope: str) -> None:
        if not opposites:
            return
        for argument, handle in self._handed_out(record, file, scope):
            taken = [(other, at) for other in opposites if (at := self._takes(other, handle, file, scope)) >= 0]
            if taken:
                self._remember(record, argument, handle, taken, file, scope)
                return

    def _remember(
        self,
        record: r.FunctionRecord,
        argument: int,
        handle: HandleType,
        taken: list[tuple[r.FunctionRecord, int]],
        file: File,
        scope: str,
    ) -> None:
        for other, at in taken:
            given = self.handle_of(other.parameters[at].type, file, scope)
            by_address = given is not None and given.pointers > handle.pointers
            known = self.releasers.get(id(other)) or Releaser(other, at, handle, by_address=by_address)
            ends = (handle.pointers == 1 or argument < 0) and self._is_end(other, handle)
            self.releasers[id(other)] = known._replace(ends=known.ends or (ends and known.handle == handle))
            if ends and not scope and not handle.is_generic:
                self.ended.setdefault(file.path, (file, set()))[1].add(handle)
        names = tuple(dict.fromkeys(other.name for other, _ in taken))
        of = f" of `{scope}`" if scope else ""
        why = f"`{names[0]}`{of} releases what `{record.name}` returns"
        certainty = because(
            "guess" if handle.is_number else "pair" if self._is_made_alone(record, argument, handle, taken) else "name",
            f"that `{names[0]}` releases what `{record.name}` returns is inferred from their names",
        )
        self.acquirers.setdefault(id(record), Acquirer(record, argument, handle, names, why, certainty))

    def _is_made_alone(
        self, record: r.FunctionRecord, argument: int, handle: HandleType, taken: list[tuple[r.FunctionRecord, int]]
    ) -> bool:
        """Whether a function makes a pointer to a type of its own and is given no object that may own what it makes,
        and the one function that ends it takes that alone: `plan_new(int flags)` and `plan_free(plan *)`; or a method
        reserves something for the caller, which another takes back."""
        if handle.is_generic or len(taken) != 1 or not (record.owner or handle.pointers):
            return False
        other = taken[0][0]
        named = _acquire(record.name)
        if record.owner and (named is None or named.verb not in habits.RESERVES):
            return False
        given = [types.parse(one.type) for at, one in enumerate(record.parameters) if at != argument]
        return (
            len(other.parameters) == 1
            and self._is_end(other, handle)
            and all(kind.const or kind.is_scalar or not (kind.pointers or kind.reference) for kind in given)
        )

    def _is_end(self, record: r.FunctionRecord, handle: HandleType) -> bool:
        """Whether the name says that the object is gone, and nobody counts how many have it."""
        verb = releasing_verb(record.name)
        if handle.is_number or (verb not in habits.ENDS and (verb or _deletion(record.name) is None)):
            return False
        return handle.is_generic or handle.name not in self._counted

    @cached_property
    def _counted(self) -> frozenset[str]:
        """Last names of the types of which some function counts references."""
        return frozenset(
            types.parse(record.parameters[0].type).last
            for name, record in self.program.index.declared_functions()
            if record.parameters and record.kind != "constructor" and not habits.COUNTS.isdisjoint(words(name))
        )

    def _handed_out(self, record: r.FunctionRecord, file: File, scope: str) -> Iterator[tuple[int, HandleType]]:
        """The result when it is a handle, else what is written through arguments."""
        answer = self.handle_of(self._unwrapped(record.result, file, scope), file, scope)
        if answer is not None and not answer.is_number:
            yield -1, answer
        for index, parameter in enumerate(record.parameters):
            kind = types.parse(parameter.type)
            if kind.const or not (kind.pointers or kind.reference):
                continue
            inner = parameter.type.rstrip().rstrip("&").rstrip() if kind.reference else types.element(parameter.type)
            held = self.handle_of(inner, file, scope)
            if held is None or held.is_number or (kind.reference and not held.pointers):
                continue
            if held.pointers or self._is_modelled(inner, file, scope) or _names(record, held):
                yield index, held
        if answer is not None:
            yield -1, answer

    def _is_modelled(self, written: str, file: File, scope: str) -> bool:
        kind = types.parse(self.program.names.expand(written, file, scope))
        return "handle" in self.program.models.role(kind.name, self.program.names.scopes_at(file, scope))

    def _unwrapped(self, written: str, file: File, scope: str) -> str:
        """`T` of a `StatusOr<T>` or an `optional<T>`: of a template around one type that a model calls so, or that is
        unknown."""
        kind = types.parse(written)
        if len(kind.arguments) != 1 or kind.pointers:
            return written
        program, expanded = self.program, self.program.names.expand(written, file, scope)
        scopes = program.names.scopes_at(file, scope)
        model = program.models.status(expanded, scopes)
        carries = model is not None and model.model.carries_value
        roles = program.models.role(expanded, scopes)
        carries = carries or "optional" in roles
        is_known = roles or program.names.find_class(expanded, scope, file) is not None
        return kind.arguments[0] if carries or not is_known else written

    def _takes(self, record: r.FunctionRecord, handle: HandleType, file: File, scope: str) -> int:
        """Which parameter takes the handle, or its address; -1 for none. What hands out another of the same kind turns
        one into the other, unless its name says that it ends something: `decode` of `encode`, not `thing_free`."""
        if releasing_verb(record.name) not in habits.RELEASES and self.handle_of(record.result, file, scope) == handle:
            return -1
        for index, parameter in enumerate(record.parameters):
            given = self.handle_of(parameter.type, file, scope)
            if given is None or given.name != handle.name:
                continue
            is_address = index == 0 and not handle.is_generic and given.pointers == handle.pointers + 1
            if given.pointers == handle.pointers or is_address:
                return index
        return -1

    def handle_of(self, written: str, file: File, scope: str) -> HandleType | None:
        """The handle that a type is: a pointer, a struct that releases nothing itself, or a type out of sight."""
        if not written or "(" in written:
            return None
        program = self.program
        kind = types.parse(program.names.expand(written, file, scope))
        if kind.arguments and not kind.pointers:
            return None
        if kind.pointers:
            return HandleType(kind.last, kind.pointers, False)
        if kind.last in _OUT_OF_QUESTION:
            return None
        if _NUMBERS.fullmatch(kind.name.removeprefix("std::")):
            return HandleType(kind.last, 0, True)
        roles = program.models.role(kind.name, program.names.scopes_at(file, scope))
        if roles:
            return HandleType(kind.last, 0, False) if "handle" in roles else None
        cls = program.names.find_class(kind.name, scope, file)
        if cls is None:
            if program.names.find_class(kind.name, scope, file, enum=True) is not None:
                return None
            return HandleType(kind.last, 0, False) if _looks_opaque(written) else None
        return HandleType(kind.last, 0, False) if releases_nothing(cls.record) else None


def _names(record: r.FunctionRecord, handle: HandleType) -> bool:
    """Whether the function is named after what it is given the address of: `zip_reader_init(zip_reader_t*)`. Another
    object that it is handed so is the context in which it works."""
    said = [word for word in words(handle.name) if len(word) > 1]
    return bool(said) and said[-1] in words(record.name)


def releases_nothing(record: r.ClassRecord) -> bool:
    """Whether objects of the class end without a word: no destructor of its own, and only plain members."""
    if record.destructor not in ("implicit", "defaulted") or not 1 <= sum(not f.static for f in record.fields) <= 4:
        return False
    return not record.bases and not any("<" in field.type or field.type.startswith("std::") for field in record.fields)


def _looks_opaque(written: str) -> bool:
    """A bare name that nobody here defines, as the handles of C libraries have."""
    return re.fullmatch(r"(?:const |struct )?[A-Za-z_]\w+", written.strip(" &")) is not None
