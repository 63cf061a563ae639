"""Which functions are worth running: names by which something may be called that consumes, before anything is resolved.

Words alone are compared. A *callable* name may consume when it is called; a *factory* hands a callable out; a *class*
has one among its attributes or methods.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cached_property

import msgspec

from ownlint.facts import records as r
from ownlint.program.bodies import values
from ownlint.program.places import last_name, place_of, walk
from ownlint.program.program import Program
from ownlint.program.subjects import Function

_MOST_ROUNDS = 8
_UNCALLED = frozenset(["__init__", "main", "setUp", "__exit__", "__post_init__"])


class Names(msgspec.Struct):
    callables: set[str]
    factories: set[str]
    classes: set[str]

    def copy(self) -> Names:
        return Names(set(self.callables), set(self.factories), set(self.classes))

    @property
    def every(self) -> frozenset[str]:
        return frozenset(self.callables | self.factories)


class Hot:
    """Words of one program that have to do with consuming."""

    def __init__(self, program: Program) -> None:
        self.program = program
        self.consuming = program.models.consuming
        self.storage = self.consuming.storage

    @cached_property
    def python(self) -> list[Function]:
        return [function for function in self.program.functions if function.language == "python"]

    @cached_property
    def says(self) -> re.Pattern[bytes]:
        """A consuming keyword, or a method that frees, in an encoded body."""
        return _pattern({*self.consuming.keywords, *self.storage.ends})

    @cached_property
    def sources(self) -> frozenset[str]:
        """Files in which it stands what is consumed, or what is freed."""
        return frozenset(f.path for f in self.python if f.says(self.says) and self._imports_library(f.file))

    def _imports_library(self, file: r.File) -> bool:
        return any(imported.target.partition(".")[0] in self._roots for imported in file.imports)

    @cached_property
    def _roots(self) -> frozenset[str]:
        names = (*self.consuming.consumers, *self.storage.types, *self.storage.made_by)
        return frozenset(name.partition(".")[0] for name in names)

    @cached_property
    def names(self) -> Names:
        found = Names(set(), set(), set())
        done: dict[Function, tuple[int, int]] = {}
        for _ in range(_MOST_ROUNDS):
            before = found.copy()
            files = self._linked(before)
            said = _pattern({*self.consuming.keywords, *before.every, *before.classes})
            size = (len(before.every), len(before.classes))
            for function in self.python:
                if function.path in files and done.get(function) != size and function.says(said):
                    self._add(function, found)
                    done[function] = size
            for names in (found.callables, found.factories, found.classes):
                names |= self._renamed(names)
            if found == before:
                break
        return found

    def _linked(self, names: Names) -> frozenset[str]:
        """The sources, and files that import something of theirs."""
        known = names.every | names.classes
        return self.sources | {
            file.path
            for file in self.program.files.values()
            if file.language == "python"
            and file.functions
            and any(self._names_a_source(imported.target, known) for imported in file.imports)
        }

    def _names_a_source(self, target: str, known: frozenset[str] | set[str]) -> bool:
        head, _, last = target.rpartition(".")
        return last in known or last in self._homes or (last == "*" and head.rpartition(".")[2] in self._homes)

    @cached_property
    def _homes(self) -> frozenset[str]:
        """Last names of the modules that are sources."""
        return frozenset(path.removesuffix(".py").removesuffix("/__init__").rpartition("/")[2] for path in self.sources)

    @cached_property
    def files(self) -> frozenset[str]:
        return self._linked(self.names)

    def _renamed(self, names: set[str]) -> set[str]:
        """What files call them that import them under another name."""
        return {
            imported.name
            for file in self.program.files.values()
            if file.language == "python"
            for imported in file.imports
            if imported.name != imported.target.rpartition(".")[2] and imported.target.rpartition(".")[2] in names
        }

    def _add(self, function: Function, found: Names) -> None:
        record = function.record
        own = {parameter.name for parameter in record.parameters}
        named = function.name not in _UNCALLED and record.kind in ("function", "method")
        for statement in function.statements:
            returned = isinstance(statement, r.Leave) and statement.kind == "return"
            if returned and named and self._gives(statement.value, found):  # type: ignore[union-attr]
                found.factories.add(function.name)
            for value in values(statement):
                for part in walk(value):
                    if isinstance(part, r.Assign) and self._gives(part.value, found):
                        self._bind(part.target, function, found)
                    elif (
                        isinstance(part, r.Call)
                        and named
                        and last_name(part.callee) in found.callables
                        and self._passes_on(part, function, own)
                    ):
                        found.callables.add(function.name)
                        found.classes |= {function.cls.name} if function.cls is not None else set()

    def _bind(self, target: r.Value, function: Function, found: Names) -> None:
        several = isinstance(target, r.Aggregate)
        called = self.program.called_names
        found.callables.update(n for n in _targets(target) if n != "_" and (not several or n in called))
        if _is_attribute(target) and function.cls is not None:
            found.classes.add(function.cls.name)
        if function.record.kind == "class":
            found.classes.add(function.record.name.removeprefix("<class ").removesuffix(">"))

    def _passes_on(self, call: r.Call, function: Function, own: set[str]) -> bool:
        """An argument of the call is a parameter of the function, a part of one, or a variable around it."""
        around = function.parent.declared if function.parent is not None else frozenset()
        for argument in call.args:
            given = argument.value if isinstance(argument, (r.Pair, r.Unary)) else argument
            place = place_of(given) if isinstance(given, (r.Name, r.Member, r.Index)) else None
            if place is None:
                continue
            if place[0] in own or place[0] in around or any(v.name == place[0] for v in function.file.variables):
                return True
        return False

    def _gives(self, value: r.Value | None, found: Names) -> bool:
        """Whether the value may be a callable that consumes, or an object that has one."""
        match value:
            case r.Name(text=name) | r.Member(name=name):
                return name in found.callables
            case r.Call(callee=callee, args=args):
                if any(self._says_what(argument, found) for argument in args) or last_name(callee) in found.factories:
                    return True
                base = callee.base if isinstance(callee, r.Member) and self._carries(callee.name) else callee
                if isinstance(base, (r.Call, r.Member, r.Name)) and base is not callee and self._gives(base, found):
                    return True
                if isinstance(callee, r.Call) and self._gives(callee, found):
                    return True
                wraps = last_name(callee) == "partial" or last_name(callee) in self._wrappers
                return wraps and any(isinstance(a, (r.Name, r.Member, r.Call)) and self._gives(a, found) for a in args)
            case r.Conditional(then=then, other=other) | r.Binary(op="||" | "&&", left=then, right=other):
                return self._gives(then, found) or self._gives(other, found)
            case r.Aggregate(kind="tuple" | "list" | "dict", items=items):
                return any(self._says_what(item, found) or self._gives(item, found) for item in items)
            case r.Pair(value=inner) | r.Assign(value=inner) | r.Unary(value=inner):
                return self._gives(inner, found)
        return False

    def _says_what(self, argument: r.Value, found: Names) -> bool:
        match argument:
            case r.Pair(key=r.Name(text=word) | r.Literal(text=word)):
                return word.strip("\"'") in self.consuming.wrapper_keywords
            case r.Unary(op="spread2", value=r.Name(text=name)):
                return name in found.callables
            case r.Unary(op="spread2", value=r.Aggregate(items=items)):
                return any(self._says_what(item, found) for item in items)
        return False

    def _carries(self, name: str) -> bool:
        return any(name in model.carries for model in self.consuming.consumers.values())

    def concerned(self, function: Function) -> bool:
        if function.path not in self.files:
            return False
        if function.mentions(*self.names.every) or function.says(self.says):
            return True
        return any(self.concerned(inner) for inner in self.program.nested(function) if inner.record.kind != "class")

    @cached_property
    def _wrappers(self) -> frozenset[str]:
        """Last names of what makes a callable of a callable."""
        names = (*self.consuming.consumers, *self.storage.passes_on)
        return frozenset(name.rpartition(".")[2] for name in names) | self.tracers

    @cached_property
    def tracers(self) -> frozenset[str]:
        """Last names of what traces, as files call it."""
        names = {name.rpartition(".")[2] for name in self.storage.traced_by}
        return frozenset(names | self._renamed(names))


def _pattern(words: set[str]) -> re.Pattern[bytes]:
    """A name or a text among these, in an encoded body."""
    return re.compile(rb"[\"'](?:" + b"|".join(re.escape(word).encode() for word in sorted(words)) + rb")\\?[\"']")


def _is_attribute(target: r.Value) -> bool:
    return isinstance(target, r.Member) or (isinstance(target, r.Aggregate) and any(map(_is_attribute, target.items)))


def _targets(target: r.Value) -> Iterator[str]:
    match target:
        case r.Name(text=name) | r.Member(name=name):
            yield name
        case r.Aggregate(items=items):
            for item in items:
                yield from _targets(item)
        case r.Index(base=base):
            yield from _targets(base)
