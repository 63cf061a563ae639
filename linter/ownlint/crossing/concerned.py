"""Which functions of Python have to do with handles of native objects: by the names that they say, before one is run.

A function is concerned that can make an owner or end a handle, and so is whoever calls it. What stands in a table of a
module is called by whoever looks at the table. And a handle can come to be in a function that asks a library for one,
or calls a function that does; in any other there are those alone that it is given.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterable, Iterator
from functools import lru_cache, partial
from typing import TYPE_CHECKING, NamedTuple

from ownlint.crossing import exports
from ownlint.crossing.bound_containers import containers
from ownlint.domains import instances
from ownlint.domains.handles.handles import Fact
from ownlint.engine import glance
from ownlint.facts import records as r
from ownlint.flow.places import last_name
from ownlint.models import python_builtins
from ownlint.models.libraries import TELLING
from ownlint.patterns import AnyName, strings
from ownlint.project.closures import outside_names
from ownlint.project.files import File
from ownlint.project.questions import Answers, derived_property, program_property
from ownlint.project.recursion import circles
from ownlint.project.subjects import Class, Function

if TYPE_CHECKING:
    from ownlint.crossing.border import Border


_FEW = 8
"""So many functions may stand in a circle of calls and be looked at like others."""


class Said(NamedTuple):
    """A name that a function says, and where; -1 where that does not matter."""

    by: Function
    at: int = -1


class Concerned:
    """What `border` knows of classes tells which names count."""

    def __init__(self, border: Border) -> None:
        self.border = border
        self.program = border.program
        self._made_by: Answers[str, bool] = Answers()
        self._givers: Answers[str, frozenset[Function]] = Answers()
        self._given_by: Answers[str, bool] = Answers()
        self._named: Answers[Class, dict[str, list[Said]]] = Answers()
        self._telling: Answers[Function, bool] = Answers()
        self._spoken: Answers[str, frozenset[str]] = Answers()
        self._decorators: Answers[str, list[tuple[int, int, Function]]] = Answers()

    @program_property
    def holders(self) -> frozenset[Function]:
        """Functions that can come to hold an owner, or end handles: they call what makes one or ends some, or a
        function of the project that does so itself, and not to what it has made alone."""
        ending = [said for file in self._files for said in self._ending(file)]
        making = [said for file in self._files for said in self._making(file)]
        alone = {said.by for said in ending if self._keeps_to_itself(said.by)}
        return self._with_callers([*making, *(said for said in ending if said.by not in alone)]) | alone

    @program_property
    def able(self) -> frozenset[Function]:
        """Functions in which a handle can come to be that they are not given."""
        seeds = [said for file in self._files for said in self._having(file)]
        seeds += [Said(function) for function in self.holders if self.tells_a_class(function)]
        owners = {(one.path, one.record.owner) for one in self.holders if one.record.owner}
        beside = (one for owner in sorted(owners) for one in self.border.methods(*owner) if one not in self.holders)
        seeds += [Said(one) for one in beside if self.sets_attribute(one) and self.tells_a_class(one)]
        return self._with_callers(seeds, of_object=True)

    @program_property
    def circling(self) -> frozenset[Function]:
        """Functions in a circle of more than a few that say each other's names."""
        calls: dict[Function | Class, list[Function]] = {}
        for target, said in self._calls.items():
            calls[target] = [one.by for one in said]
        for cls in self._derived:
            for method in cls.defined("__init__"):
                calls.setdefault(method, []).extend(calls.get(cls, ()))
        found = (circle for circle in circles(calls) if len(circle) > _FEW)
        return frozenset(one for circle in found for one in circle if isinstance(one, Function))

    @property
    def _files(self) -> Iterator[File]:
        files = self.program.files.values()
        return (file for file in files if file.language == "python" and (file.meanings or file.imports))

    def _inside(self, file: File) -> list[Function]:
        return [f for f in map(partial(self.program.index.function_at, file), range(len(file.functions))) if f]

    # --- who calls it ---

    def _with_callers(self, waiting: list[Said], *, of_object: bool = False) -> frozenset[Function]:
        """These, and whoever calls them; `of_object`, on its own object as well, or finds there what they leave."""
        found: set[Function] = set()
        tables: set[tuple[str, str]] = set()
        spread: set[Class] = set()
        calls = self._calls
        while waiting:
            function, at = waiting.pop()
            if function.record.kind == "module":
                waiting += self._reading_table(function, at, tables)
            if function.record.kind in ("module", "class"):
                waiting += self._decorated_at(function, at)
            if function in found:
                continue
            found.add(function)
            waiting += calls.get(function, ())
            if function.parent is not None:
                waiting.append(Said(function.parent, function.record.start))
            if function.cls is not None:
                waiting += self._on_object(function, function.cls, of_object=of_object)
                if of_object and function.cls not in spread and self.sets_attribute(function):
                    spread.add(function.cls)
                    waiting += map(Said, function.cls.methods)
        return frozenset(found)

    def _decorated_at(self, body: Function, at: int) -> Iterator[Said]:
        """What a decorator that is named there has wrapped: who calls that calls the wrapper."""
        decorators = self._decorators.ask(body.file.path, lambda: _decorators_of(self._inside(body.file)))
        upto = bisect_right(decorators, at, key=lambda one: one[0])
        if upto and at < decorators[upto - 1][1]:
            yield Said(decorators[upto - 1][2])

    def _on_object(self, method: Function, cls: Class, *, of_object: bool) -> Iterator[Said]:
        """Who may call a method of an object that it has made, or, with `of_object`, that it belongs to."""
        name = method.name
        for heir in self._derived.get(cls, ()):
            made = self._calls.get(heir, ())
            if not of_object:
                yield from made
                continue
            words = None if name.startswith("__") else _any_of(frozenset({name}))
            yield from (one for one in made if words is None or one.by.mentions(name) or one.by.says(words))
            yield from self._naming(heir).get(name, ())

    def _naming(self, cls: Class) -> dict[str, list[Said]]:
        """The methods of a class that say the name of a method of their object."""
        return self._named.ask(cls, lambda: _named_in(cls))

    @derived_property
    def _calls(self) -> dict[Function | Class, list[Said]]:
        """Who says the name of a function, or of a class, that is the project's own."""
        found: dict[Function | Class, list[Said]] = {}
        for file in self._files:
            known: dict[str, Function | Class | None] = {}
            for meaning, around in self._meanings_in(file):
                symbol = meaning.symbol
                if symbol not in known:
                    known[symbol] = self._behind(symbol, file)
                target = known[symbol]
                if target is not None:
                    found.setdefault(target, []).append(Said(around[-1], meaning.start))
        return found

    def _meanings_in(self, file: File) -> Iterator[tuple[r.Meaning, list[Function]]]:
        """Each meaning with the functions that it stands in, outermost first: one at least, as long as nobody asks for
        the next."""
        waiting = sorted(self._inside(file), key=lambda one: (one.record.start, -one.record.end), reverse=True)
        ends = [(one.record.start, one.record.end, one) for one in waiting]
        around: list[Function] = []
        until: list[int] = []
        for meaning in file.meanings:
            start = meaning.start
            while ends and ends[-1][0] <= start:
                _, end, one = ends.pop()
                while until and until[-1] <= one.record.start:
                    until.pop()
                    around.pop()
                around.append(one)
                until.append(end)
            while until and until[-1] <= start:
                until.pop()
                around.pop()
            if around:
                yield meaning, around

    def _behind(self, symbol: str, file: File) -> Function | Class | None:
        """What runs when this is called: a function, or the methods of a class that is made."""
        code = self.border.code
        return (code.function(symbol, file) or code.cls(symbol, file)) if symbol else None

    @derived_property
    def _derived(self) -> dict[Class, list[Class]]:
        """The classes that have a class's methods: itself, and those that derive from it."""
        found: dict[Class, list[Class]] = {}
        for cls in self.program.classes:
            for one in cls.ancestry if cls.file.language == "python" else ():
                found.setdefault(one, []).append(cls)
        return found

    def sets_attribute(self, function: Function) -> bool:
        """Whether it assigns to something of an object."""
        return function.says(_SETS_ATTRIBUTE)

    # --- what lies in tables ---

    def _reading_table(self, module: Function, at: int, known: set[tuple[str, str]]) -> Iterator[Said]:
        """Functions of the file that look at what its module makes of functions there: a table, a lambda."""
        code, file = self.border.code, module.file
        found = code.global_at(file, at)
        if found is None or (file.path, found[0]) in known or not self._is_looked_into(file, found[1]):
            return
        known.add((file.path, found[0]))
        says = _any_of(frozenset({found[0]}))
        yield from (Said(one) for one in self._inside(file) if one is not module and one.says(says))
        yield from (Said(module, start) for start in code.globals_made_of(file, found[0]))

    def _is_looked_into(self, file: File, value: r.Value) -> bool:
        """Whether a name of a module that has this value stands for what is in it."""
        if not isinstance(value, r.Call):
            return isinstance(value, (r.Aggregate, r.Lambda, r.Name, r.Member))
        symbol = self.program.names.named(file, value.callee)
        return bool(symbol) and (symbol == "functools.partial" or self.border.find(symbol) is not None)

    # --- what ends handles ---

    def _ending(self, file: File) -> Iterator[Said]:
        """Functions of the file that may end handles: first by what is known without reading the body."""
        models = self.program.models
        inner, named, spoken = self._inside(file), _spoken_names(file), self.spoken_in(file)
        words = models.words(spoken)
        calls, bound = words.invalidators | words.movers, words.invalidators
        if any(map(self._names_bound, sorted(named))):
            calls |= self._changers
        closed = any(map(models.closed_by_with, named))
        for function in inner if calls or closed else ():
            if function.mentions_any(calls) or (bound and function.says(_any_of(bound))):
                yield from (Said(function, at) for at in self._on_native(function, calls))
            deletes, closes = "__delitem__" in calls and function.says(_DELETES), closed and function.says(_WITH)
            if (deletes and self._deletes_from_native(function)) or (closes and self._closes(function)):
                yield Said(function)

    def _on_native(self, function: Function, names: frozenset[str]) -> Iterator[int]:
        """Where it says such a member of something that may be native, or calls a function of such a name."""
        for value in function.values:
            match value:
                case r.Member(base=base, name=name) if name in names and not self._is_of_python(function, base):
                    yield value.start
                case r.Call(callee=r.Name(text=name)) if name in names:
                    yield value.start

    def _keeps_to_itself(self, function: Function) -> bool:
        """Whether all that it ends, by calls that end nothing but what they are made on, it has made itself."""
        spoken = self.spoken_in(function.file)
        words = self.program.models.words(spoken)
        names = words.invalidators | words.movers | self._changers
        for value in function.values:
            match value:
                case r.Assign(target=r.Member()):
                    return False
                case r.Member(base=base, name=name) if name in names and not self._is_of_python(function, base):
                    facts = self._facts(name, spoken)
                    if name in self._changers or not all(map(_ends_receiver_alone, facts)):
                        return False
                    if not isinstance(base, r.Name) or not self._is_made_in(function, base.text):
                        return False
                case r.Call(callee=r.Name(text=name)) if name in names:
                    return False
        return not any(isinstance(part, (r.Delete, r.With)) for part in function.statements)

    def _facts(self, member: str, libraries: frozenset[str]) -> list[Fact]:
        """What a member is that is called so, of each class of the libraries that has one."""
        classes = self.program.models.having(member, libraries)
        return [fact for cls in classes if (fact := self.border.member(cls, member)) is not None]

    def _is_made_in(self, function: Function, name: str) -> bool:
        """Whether what stands under a name is new in the function, or a part of what stood there before."""
        if any(one.name == name for one in function.record.parameters) or name in outside_names(function):
            return False
        values = instances.of(self.program).bindings(function).get(name, ())
        return bool(values) and all(self._is_new(function, name, value) for value in values)

    def _is_new(self, function: Function, name: str, value: r.Value | None) -> bool:
        match value:
            case r.Index(base=r.Name(text=text)):
                return text == name
            case r.Call(callee=callee) if symbol := self.program.names.named(function.file, callee):
                fact = self.border.called_fact(self._full(function.file, symbol))
                return fact is not None and fact.keeps == "own"
            case r.Call(callee=r.Member(name=member)):
                facts = self._facts(member, self.spoken_in(function.file))
                return bool(facts) and all(fact.keeps in ("own", "copy") for fact in facts)
        return False

    def _deletes_from_native(self, function: Function) -> bool:
        """Whether a `del` takes something out of what may be native, or an attribute away; a name that is gone matters
        where an owner was made."""
        deleted = [one for part in function.statements if isinstance(part, r.Delete) for one in part.targets]
        return any(
            not isinstance(one, r.Name) and not (isinstance(one, r.Index) and self._is_of_python(function, one.base))
            for one in deleted
        )

    def _closes(self, function: Function) -> bool:
        """Whether what a `with` is given may be closed at its end."""
        items = (item.value for part in function.statements if isinstance(part, r.With) for item in part.items)
        return not all(isinstance(value, r.Call) and self._stays_open(function, value) for value in items)

    def _stays_open(self, function: Function, call: r.Call) -> bool:
        symbol = self.program.names.named(function.file, call.callee)
        known = bool(symbol) and self._behind(symbol, function.file) is None
        return known and not self.program.models.closed_by_with(self._full(function.file, symbol))

    def _is_of_python(self, function: Function, value: r.Value) -> bool:
        """Whether it is a name, of this function or of one around it, under which lists and the like are put alone."""
        if not isinstance(value, r.Name) or value.text in outside_names(function):
            return False
        scope: Function | None = function
        while scope is not None:
            if any(one.name == value.text for one in scope.record.parameters):
                return False
            if bound := instances.of(self.program).bindings(scope).get(value.text):
                return all(map(_is_container, bound))
            scope = scope.parent
        return False

    def spoken_in(self, file: File) -> frozenset[str]:
        """The libraries that a file speaks of."""
        of = self.program.models.libraries_of
        return self._spoken.ask(
            file.path, lambda: frozenset(library for name in _spoken_names(file) for library in of(name))
        )

    def _names_bound(self, symbol: str) -> bool:
        """Whether a name is one of a bound class, or of one of its members."""
        found = self.border.find(symbol) or self.border.find(symbol.rpartition(".")[0])
        return found is not None and self.border.is_bound(found)

    @program_property
    def _changers(self) -> frozenset[str]:
        """Names of bound members that end what others gave, or store addresses."""
        own = exports.of(self.program)
        members = (own.member(binding) for binding in self.program.bindings)
        of_containers = (one for made in containers(self.program).values() for one in made.members("x"))
        contracts = (one for contract in self.program.contracts for one in contract.members)
        return frozenset(
            one.name
            for one in (*members, *of_containers, *contracts)
            if one is not None and (one.invalidates or any(not kept.protected for kept in one.stores))
        )

    # --- what makes owners, or gives handles ---

    def _making(self, file: File) -> Iterator[Said]:
        """Functions of the file that call what makes an owner that not everybody makes all day."""
        called_here = _other_names(file)
        known: dict[str, bool] = {}
        for meaning, around in self._meanings_in(file):
            symbol = meaning.symbol
            if symbol not in known:
                is_own = self._behind(symbol, file) is not None
                known[symbol] = not is_own and self._makes(file, symbol) and not self._is_everyday(symbol)
            if known[symbol]:
                last = symbol.rpartition(".")[2]
                names = (last, *called_here.get(last, ()))
                yield from (Said(one, meaning.start) for one in around if one.mentions(*names))

    def _makes(self, file: File, symbol: str) -> bool:
        """Whether calling this makes an owner."""
        symbol = self._full(file, symbol)
        return self._made_by.ask(symbol, lambda: self._makes_owner(symbol))

    def _full(self, file: File, symbol: str) -> str:
        return self.program.names.star_import(file, symbol) if symbol.startswith("*.") else symbol

    def _makes_owner(self, symbol: str) -> bool:
        fact = self.border.called_fact(symbol)
        return fact is not None and fact.keeps == "own"

    def gives(self, function: Function) -> bool:
        """Whether a function asks a library for an object that is followed."""
        return function in self._givers.ask(function.path, lambda: self._giving(function.file))

    def _giving(self, file: File) -> frozenset[Function]:
        return frozenset(
            function
            for meaning, around in self._meanings_in(file)
            if self._gives(meaning.symbol)
            for function in around
        )

    def _gives(self, symbol: str) -> bool:
        """Whether calling this gives a handle, whoever owns it."""

        def answer() -> bool:
            fact = self.border.called_fact(symbol)
            return fact is not None and bool(fact.returns)

        return self._given_by.ask(symbol, answer)

    def _having(self, file: File) -> Iterator[Said]:
        """Functions of the file that name what gives handles, or a class of them, and those whose object says of an
        attribute that it is one."""
        declared = {field.start: _owner(cls) for cls in file.classes for field in cls.fields if field.type}
        known: dict[tuple[str, str], bool] = {}
        for meaning, around in self._meanings_in(file):
            names = (meaning.symbol, meaning.type)
            if names not in known:
                full = [self._full(file, name) for name in names if name and not name.startswith("builtins.")]
                known[names] = any(self._gives(name) or self._names_class(name) for name in full)
            if known[names]:
                yield Said(around[-1], meaning.start)
                yield from map(Said, self.border.methods(file.path, declared.get(meaning.start, "")))

    def _names_class(self, symbol: str) -> bool:
        """Whether it is a class of handles, or a member of one."""
        find = self.border.find
        return find(symbol) is not None or find(symbol.rpartition(".")[0]) is not None

    def tells_a_class(self, function: Function) -> bool:
        """Whether what a function asks of a name may tell that it is of a library's class."""
        return self._telling.ask(function, lambda: self._tells_a_class(function))

    def _tells_a_class(self, function: Function) -> bool:
        """Whether what a function asks of a name may tell that it is of a library's class."""
        spoken = self.spoken_in(function.file)
        if not spoken:
            return False
        alone, several, leading = self.program.models.telling(spoken)
        words = _any_of(alone | several)
        if not function.says(words):
            return False
        said = {name.decode() for name in words.said(function.encoded)}
        if len(said) >= TELLING or not alone.isdisjoint(said):
            return True
        return any(name.decode() not in said for name in _any_of(leading).said(function.encoded))

    def _is_everyday(self, symbol: str) -> bool:
        """Whether what this makes matters alone to whoever can call something that ends it."""
        libraries = self.program.models.libraries_of(symbol)
        return bool(libraries) and libraries <= self.program.models.everyday


def _decorators_of(functions: Iterable[Function]) -> list[tuple[int, int, Function]]:
    """Where decorators stand in a file, and what they are for; in order, since none stands in another."""
    found = [(one.start, one.end, function) for function in functions for one in function.record.annotations]
    return sorted(found, key=lambda one: one[:2])


def _named_in(cls: Class) -> dict[str, list[Said]]:
    words = strings({method.name for one in cls.ancestry for method in one.methods})
    found: dict[str, list[Said]] = {}
    for method in cls.methods:
        for name in set(words.said(method.encoded)):
            found.setdefault(name.decode(), []).append(Said(method))
    return found


def _ends_receiver_alone(fact: Fact) -> bool:
    """Whether a call does nothing to anything else."""
    cases = (fact, fact.otherwise) if fact.otherwise is not None else (fact,)
    return not any(
        one.moves or one.adopts or one.stores or one.retains or one.ends_members or any(place for place, _ in one.ends)
        for one in cases
    )


def _owner(cls: r.ClassRecord) -> str:
    """What its methods say whose they are."""
    return f"{cls.scope}.{cls.name}" if cls.scope else cls.name


def _run_by(target: Function | Class | None) -> Iterable[Function]:
    if isinstance(target, Class):
        return (method for one in target.ancestry for method in one.methods)
    return () if target is None else (target,)


def _spoken_names(file: File) -> set[str]:
    return {meaning.symbol for meaning in file.meanings} | {imported.target for imported in file.imports}


def _other_names(file: File) -> dict[str, set[str]]:
    """The last part of what is imported, or bound to a name of the module -> what it is called here."""
    found: dict[str, set[str]] = {}
    for imported in file.imports:
        found.setdefault(imported.target.rpartition(".")[2], set()).add(imported.name)
    for variable in file.variables:
        if isinstance(variable.value, (r.Name, r.Member)):
            found.setdefault(last_name(variable.value), set()).add(variable.name)
    return found


_TARGETS = (glance.opens(r.Member), glance.opens(r.Index), glance.opens(r.Aggregate))
_SETS_ATTRIBUTE = re.compile(glance.opens(r.Assign) + rb"(?:%b|%b|%b)" % _TARGETS)
_DELETES = re.compile(glance.opens(r.Delete))
_WITH = re.compile(glance.opens(r.With))


def _is_container(value: r.Value | None) -> bool:
    match value:
        case r.Aggregate(kind="list" | "dict" | "set") | r.Comprehension(kind="list" | "dict" | "set"):
            return True
        case r.Call(callee=r.Name(text=name)):
            return name in python_builtins.COLLECTS or name == "dict"
    return False


@lru_cache(64)
def _any_of(words: frozenset[str]) -> AnyName:
    return strings(words)
