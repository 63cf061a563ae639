"""Which functions are worth running: names by which something may be called that consumes, before anything is resolved.

Words alone are compared. A *callable* name may consume when it is called; a *factory* hands a callable out; a *class*
has one among its attributes or methods.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cached_property
from typing import NamedTuple

from ownlint import File, Function, Program, bodies, patterns, places, questions, text
from ownlint import records as r
from ownlint_rules.donation._reaching import bits, reached

_MOST_ROUNDS = 8
_UNCALLED = frozenset(["__init__", "main", "setUp", "__exit__", "__post_init__"])


_WORD = re.compile(rb"[A-Za-z_]\w*")


class Stars(NamedTuple):
    """Files as bits of a number, and for each those of which star imports bring all names, across others too."""

    bit: dict[str, int]
    reached: dict[str, int]


class HotWords:
    """Names, by the file in which they mean something; `outward` are those that others come by: attributes, methods,
    what stands at the top of a module."""

    def __init__(self, stars: Stars) -> None:
        self.inside: dict[str, set[str]] = {}
        self.outward: set[str] = set()
        self._stars = stars
        self._bearers: dict[str, int] = {}

    def add(self, name: str, path: str, *, outward: bool) -> None:
        self.inside.setdefault(path, set()).add(name)
        self._bearers[name] = self._bearers.get(name, 0) | self._stars.bit.get(path, 0)
        if outward:
            self.outward.add(name)

    def has(self, value: r.Value, path: str) -> bool:
        """Whether a callee, or a value, is called so."""
        name = places.last_name(value)
        if name in self.outward:
            return isinstance(value, r.Member) or name in self.inside.get(path, ()) or self._is_starred(name, path)
        return not isinstance(value, r.Member) and name in self.inside.get(path, ())

    def _is_starred(self, name: str, path: str) -> bool:
        """Whether star imports of that file may bring the name."""
        return bool(self._bearers.get(name, 0) & self._stars.reached.get(path, 0))

    def has_any(self, words: frozenset[str], path: str) -> bool:
        """Whether one of the words means something in that file."""
        return not (words.isdisjoint(self.outward) and words.isdisjoint(self.inside.get(path, ())))

    def __len__(self) -> int:
        return sum(map(len, self.inside.values())) + len(self.outward)


class HotNames:
    def __init__(self, stars: Stars) -> None:
        self.callables = HotWords(stars)
        self.factories = HotWords(Stars({}, {}))
        self.classes: set[str] = set()

    @property
    def size(self) -> tuple[int, int, int]:
        return len(self.callables), len(self.factories), len(self.classes)

    def has_any(self, words: frozenset[str], path: str) -> bool:
        return self.callables.has_any(words, path) or self.factories.has_any(words, path)

    @property
    def outward(self) -> set[str]:
        return self.callables.outward | self.factories.outward | self.classes


class Hot:
    """Words of one program that have to do with consuming."""

    def __init__(self, program: Program) -> None:
        self.program = program
        self.consuming = program.models.consuming
        self.storage = self.consuming.storage
        self._said: questions.Answers[Function, frozenset[str]] = questions.Answers()
        self._concerned: questions.Answers[Function, bool] = questions.Answers()

    @questions.program_property
    def python(self) -> list[Function]:
        return list(self.program.functions_of("python"))

    @questions.program_property
    def says(self) -> patterns.AnyName:
        """A consuming keyword, or a method that frees, in an encoded body."""
        return _pattern({*self.consuming.keywords, *self.storage.ends})

    @questions.program_property
    def sources(self) -> frozenset[str]:
        """Files in which it stands what is consumed, or what is freed."""
        return frozenset(f.path for f in self.python if f.says(self.says) and self._imports_library(f.file))

    def _imports_library(self, file: File) -> bool:
        return any(imported.target.partition(".")[0] in self._roots for imported in file.imports)

    @questions.program_property
    def _roots(self) -> frozenset[str]:
        names = (*self.consuming.consumers, *self.storage.types, *self.storage.made_by)
        return frozenset(name.partition(".")[0] for name in names)

    @questions.program_property
    def names(self) -> HotNames:
        found = HotNames(self._stars)
        for _ in range(_MOST_ROUNDS):
            before = found.size
            files = self._linked(found.outward)
            said = found.classes | self.consuming.keywords
            for function in self.python:
                if function.path in files:
                    words = self._words(function)
                    if found.has_any(words, function.path) or not words.isdisjoint(said):
                        self._add(function, found)
            self._import(files, found)
            if found.size == before:
                break
        return found

    def _import(self, files: frozenset[str], found: HotNames) -> None:
        """What files call the names they import."""
        for path in sorted(files):
            for imported in self.program.files[path].imports:
                last = imported.target.rpartition(".")[2]
                for words in (found.callables, found.factories):
                    if last in words.outward and imported.name not in self._wrappers:
                        words.add(imported.name, path, outward=imported.scope == -1)
                if last in found.classes:
                    found.classes.add(imported.name)

    @cached_property
    def _stars(self) -> Stars:
        files = [file for file in self.program.files.values() if file.language == "python"]
        homes: dict[str, list[str]] = {}
        for file in files:
            homes.setdefault(_module(file.path), []).append(file.path)
        edges = {
            file.path: [
                path
                for last in dict.fromkeys(i.target.rpartition(".")[2] for i in file.imports if i.name == "*")
                for path in homes.get(last, ())
            ]
            for file in files
        }
        bit = bits(edges)
        return Stars(bit, reached(edges, bit))

    def _words(self, function: Function) -> frozenset[str]:
        """Every name in the encoded body. One look a function: to search for each of many names takes too long."""
        return self._said.ask(
            function, lambda: frozenset(word.decode() for word in set(_WORD.findall(function.encoded)))
        )

    def _linked(self, known: set[str]) -> frozenset[str]:
        """The sources, and files that import something of theirs."""
        return self.sources | {
            file.path
            for file in self.program.files.values()
            if file.language == "python"
            and file.functions
            and any(self._names_a_source(imported.target, known) for imported in file.imports)
        }

    def _names_a_source(self, target: str, known: set[str]) -> bool:
        head, _, last = target.rpartition(".")
        return last in known or last in self._homes or (last == "*" and head.rpartition(".")[2] in self._homes)

    @questions.program_property
    def _homes(self) -> frozenset[str]:
        """Last names of the modules that are sources."""
        return frozenset(map(_module, self.sources))

    @questions.program_property
    def files(self) -> frozenset[str]:
        return self._linked(self.names.outward)

    def _add(self, function: Function, found: HotNames) -> None:
        record, path = function.record, function.path
        own = {parameter.name for parameter in record.parameters}
        named = (
            function.name not in _UNCALLED
            and function.name not in self._wrappers
            and record.kind in ("function", "method")
        )
        outward = record.parent < 0
        for statement in function.statements:
            returned = isinstance(statement, r.Leave) and statement.kind == "return"
            if returned and named and self._gives(statement.value, found, path):  # type: ignore[union-attr]
                found.factories.add(function.name, path, outward=outward)
            for value in bodies.values(statement):
                for part in places.walk(value):
                    if isinstance(part, r.Assign) and self._gives(part.value, found, path):
                        self._bind(part.target, function, found)
                    elif isinstance(part, r.Call) and self._takes(part) and self._passes_on(part, function, own):
                        self._add_around(function, found)
                    elif (
                        isinstance(part, r.Call)
                        and named
                        and found.callables.has(part.callee, path)
                        and self._passes_on(part, function, own)
                    ):
                        found.callables.add(function.name, path, outward=outward)
                        found.classes |= {function.cls.name} if function.cls is not None else set()

    def _takes(self, call: r.Call) -> bool:
        """A call that consumes by itself: `jax.device_put(x, device, donate=True)`."""
        return places.last_name(call.callee) in self._taking and any(
            isinstance(one, r.Pair) and text(one.key) in self.consuming.keywords for one in call.args
        )

    @cached_property
    def _taking(self) -> frozenset[str]:
        consumers = self.consuming.consumers.items()
        return frozenset(name.rpartition(".")[2] for name, model in consumers if not model.is_wrapper)

    def _add_around(self, function: Function, found: HotNames) -> None:
        """A function that consumes what it is given, and those in which it stands: a lambda, or a nested one."""
        around: Function | None = function
        while around is not None:
            if around.record.kind in ("function", "method") and around.name not in _UNCALLED:
                found.callables.add(around.name, around.path, outward=around.record.parent < 0)
                found.classes |= {around.cls.name} if around.cls is not None else set()
            around = around.parent

    def _bind(self, target: r.Value, function: Function, found: HotNames) -> None:
        several = isinstance(target, r.Aggregate)
        top = function.record.kind in ("module", "class")
        for name, member in _targets(target):
            if name != "_" and name not in self._wrappers and (not several or self.program.index.is_called(name)):
                found.callables.add(name, function.path, outward=top or member)
                if member and function.cls is not None:
                    found.classes.add(function.cls.name)
        if function.record.kind == "class":
            found.classes.add(function.record.name.removeprefix("<class ").removesuffix(">"))

    def _passes_on(self, call: r.Call, function: Function, own: set[str]) -> bool:
        """An argument of the call is a parameter of the function, a part of one, or a variable around it."""
        around = function.parent.declared if function.parent is not None else frozenset()
        for argument in call.args:
            given = argument.value if isinstance(argument, (r.Pair, r.Unary)) else argument
            place = places.place_of(given) if isinstance(given, (r.Name, r.Member, r.Index)) else None
            if place is None:
                continue
            if place[0] in own or place[0] in around or any(v.name == place[0] for v in function.file.variables):
                return True
        return False

    def _gives(self, value: r.Value | None, found: HotNames, path: str) -> bool:
        """Whether the value may be a callable that consumes."""

        def inner(one: r.Value) -> bool:
            return self._gives(one, found, path)

        match value:
            case r.Name() | r.Member():
                return found.callables.has(value, path)
            case r.Call(callee=callee, args=args):
                if any(self._says_what(argument, found, path) for argument in args) or found.factories.has(
                    callee, path
                ):
                    return True
                base = callee.base if isinstance(callee, r.Member) and self._carries(callee.name) else callee
                if isinstance(base, (r.Call, r.Member, r.Name)) and base is not callee and inner(base):
                    return True
                if isinstance(callee, r.Call) and inner(callee):
                    return True
                called = self.program.names.meant_name(self.program.files[path], callee)
                wraps = called == "partial" or called in self._wrappers
                return wraps and any(isinstance(a, (r.Name, r.Member, r.Call)) and inner(a) for a in args)
            case r.Conditional(then=then, other=other) | r.Binary(op="||" | "&&", left=then, right=other):
                return inner(then) or inner(other)
            case r.Aggregate(kind="tuple" | "list" | "dict", items=items):
                return any(self._says_what(item, found, path) or inner(item) for item in items)
            case r.Pair(value=one) | r.Assign(value=one) | r.Unary(value=one):
                return inner(one)
        return False

    def _says_what(self, argument: r.Value, found: HotNames, path: str) -> bool:
        match argument:
            case r.Pair(key=r.Name(text=word) | r.Literal(text=word)):
                return word.strip("\"'") in self.consuming.wrapper_keywords
            case r.Unary(op="spread2", value=r.Name() as name):
                return found.callables.has(name, path)
            case r.Unary(op="spread2", value=r.Aggregate(items=items)):
                return any(self._says_what(item, found, path) for item in items)
        return False

    def _carries(self, name: str) -> bool:
        return any(name in model.carries for model in self.consuming.consumers.values())

    def concerned(self, function: Function) -> bool:
        """Whether the function calls what may consume, or says what does; so is what stands around such a one."""
        return self._concerned.ask(function, lambda: self._is_concerned(function))

    def _is_concerned(self, function: Function) -> bool:
        path = function.path
        if path not in self.files:
            return False
        if self.names.has_any(frozenset(function.mentioned), path) or function.says(self.says):
            return True
        return any(
            self.concerned(inner) for inner in self.program.index.nested(function) if inner.record.kind != "class"
        )

    def may_hand_out(self, function: Function) -> bool:
        """By its name: it may return a callable that consumes."""
        return function.name in self.names.factories.inside.get(function.path, ())

    @questions.program_property
    def _wrappers(self) -> frozenset[str]:
        """Last names of what makes a callable of a callable."""
        names = (*self.consuming.consumers, *self.storage.passes_on)
        return frozenset(name.rpartition(".")[2] for name in names) | self.tracers

    @questions.program_property
    def tracers(self) -> frozenset[str]:
        """Last names of what traces, as files call it."""
        names = {name.rpartition(".")[2] for name in self.storage.traced_by}
        renamed = {
            imported.name
            for file in self.program.files.values()
            if file.language == "python"
            for imported in file.imports
            if imported.target.rpartition(".")[2] in names
        }
        return frozenset(names | renamed)


def _module(path: str) -> str:
    """The last name of the module that a file is."""
    return path.removesuffix(".py").removesuffix("/__init__").rpartition("/")[2]


def _pattern(words: set[str]) -> patterns.AnyName:
    """A name or a text among these, in an encoded body."""
    return patterns.AnyName(words, _QUOTED)


_QUOTED = re.compile(rb"""(?<=["'])([^"'\\]*+)(?=\\?["'])""")


def _targets(target: r.Value) -> Iterator[tuple[str, bool]]:
    """The names that are bound, and whether each is an attribute."""
    match target:
        case r.Name(text=name):
            yield name, False
        case r.Member(name=name):
            yield name, True
        case r.Aggregate(items=items):
            for item in items:
                yield from _targets(item)
        case r.Index(base=base):
            yield from _targets(base)
