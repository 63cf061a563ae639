"""The border: C++ classes as Python sees them, and what crossing it means for ownership.

A class bound with pybind11, nanobind or a relative becomes a Python class whose members return handles.
Whether such a handle keeps its source alive is decided by the binding's policy and extras; `contracts` says so.
Python code is then judged by the same facts as with a library's model.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

import msgspec

from ownlint.bindings.contracts import Contract, contract_of
from ownlint.crossing import exports
from ownlint.crossing.bound_containers import containers
from ownlint.crossing.concerned import Concerned
from ownlint.crossing.contract_facts import fact_of_members, setter_of
from ownlint.crossing.published import Published, promise
from ownlint.domains import python_calls
from ownlint.domains.handles.handle_flow import HandleInterpreter
from ownlint.domains.handles.handle_runs import HandleRuns
from ownlint.domains.handles.handle_stores import Dependence
from ownlint.domains.handles.handles import (
    MOST_HELD,
    Attributes,
    Classes,
    Fact,
    Given,
    GivenHandle,
    Handle,
    HandleCase,
    HandleMisuse,
    HandleSummary,
    fact_of,
    foreign,
)
from ownlint.domains.handles.told import seen
from ownlint.domains.python_calls import CODE, PythonCode
from ownlint.engine.heap import SeenRun
from ownlint.facts import records as r
from ownlint.finding import Step, because, weaker
from ownlint.flow.places import last_name
from ownlint.models.contract_records import MemberContract
from ownlint.patterns import strings
from ownlint.project import derived
from ownlint.project.files import File
from ownlint.project.program import Program
from ownlint.project.questions import Answers, program_property, program_question, question
from ownlint.project.subjects import Binding, Function

_UNLESS_RENEWED = because("later-use", "harmless if it is created again before it is used")
_FEW = 8
"""Methods of a class that set attributes: of more it is kept which of them leave handles there."""
_BOUND = "<bound> "
"""Marks the names of classes that come from the project's own bindings."""


class Border(Classes):
    """Handle classes of libraries and of the project itself, and how Python uses them."""

    def __init__(self, program: Program) -> None:
        self.program = program
        self._found: Answers[str, str | None] = Answers(None)
        self._functions: Answers[str, Fact | None] = Answers()
        self._members: Answers[tuple[str, str], Fact | None] = Answers()
        self.runs = HandleRuns(
            program,
            self,
            self._concerned,
            able=self._is_able,
            circling=lambda function: function in self.reach.circling,
        )
        self._contracts: Answers[Binding, Contract | None] = Answers()
        self.reach = Concerned(self)
        self._left: Answers[Function, Attributes | None] = Answers(None)
        self._leaving: Answers[tuple[str, str], list[Function]] = Answers()
        self._leaving_now = 0
        """How many methods are being run for what they leave: what is asked meanwhile may be without them."""
        self._assigning: Answers[tuple[str, str], list[Function]] = Answers()
        self._results: Answers[str, str | None] = Answers()
        self._looked_into: set[tuple[str, str]] = set()
        self._asked: Answers[tuple[Function, str], str] = Answers()
        self._bases: Answers[str, str | None] = Answers(None)
        """A class is not its own base."""
        self.published = Published(program.contracts, self._described)

    # --- classes and functions of native modules ---

    @program_property
    def bound(self) -> dict[str, tuple[File, int]]:
        """Python name of every class the project binds, once: a name bound twice is nobody's."""
        found: dict[str, list[tuple[File, int]]] = {}
        for file in self.program.files.values():
            for index, record in enumerate(file.bound_classes):
                found.setdefault(record.name, []).append((file, index))
        return {name: places[0] for name, places in found.items() if len(places) == 1}

    @program_property
    def bound_functions(self) -> dict[str, Binding]:
        """Functions that a module binds, by name, once each."""
        found: dict[str, list[Binding]] = {}
        for binding in self.program.bindings:
            if binding.record.kind == "function" and binding.record.owner < 0:
                found.setdefault(binding.name, []).append(binding)
        return {name: bindings[0] for name, bindings in found.items() if len(bindings) == 1}

    @program_property
    def _written_in_python(self) -> frozenset[str]:
        """Names of classes and functions written in Python: an import of one of them is not one of a bound one."""
        files = [file for file in self.program.files.values() if file.language == "python"]
        functions = {record.name for file in files for record in file.functions if record.kind == "function"}
        return frozenset(functions | {record.name for file in files for record in file.classes})

    def find(self, dotted: str) -> str | None:
        return self._found.ask(dotted, lambda: self._find(dotted))

    def _find(self, dotted: str) -> str | None:
        model = self.program.models.python_class(dotted)
        if model is not None:
            return model.name
        module, _, last = dotted.rpartition(".")
        if last in self.bound and last not in self._written_in_python and self._is_ours(module):
            return _BOUND + last
        if last in containers(self.program) and last not in self._written_in_python and self._is_ours(module):
            return _BOUND + last
        return self.published.find(dotted) or self._base_of(dotted)

    def _base_of(self, dotted: str) -> str | None:
        """The bound class from which a class of the project's Python derives."""
        base = self._base(dotted)
        found = self.find(base) if base is not None else None
        return found if found is not None and self.is_bound(found) else None

    def _base(self, dotted: str) -> str | None:
        def answer() -> str | None:
            return next((base for base in derived.bases(self.program, dotted) if self.find(base)), None)

        return self._bases.ask(dotted, answer)

    def _described(self, dotted: str) -> str:
        model = self.program.models.python_class(dotted)
        return model.name if model is not None else ""

    def _published_as(self, cls: str) -> str:
        """The class in a contract that is meant, also by the name that a model has for it; empty for others."""
        return cls if self.published.knows(cls) else self.published.find(cls) or ""

    def is_bound(self, cls: str) -> bool:
        return cls.startswith(_BOUND) or bool(self._published_as(cls))

    def derived(self, symbol: str) -> str:
        return symbol.rpartition(".")[2] if self._base(symbol) is not None else ""

    def role(self, cls: str) -> str:
        model = self.program.models.python_class(cls) if not cls.startswith(_BOUND) else None
        return model.role if model is not None else ""

    def may_be(self, cls: str, other: str) -> bool:
        if self.role(cls) == "perhaps":
            return True
        model = self.program.models.python_class(other)
        return model is not None and (cls in model.bases or any(self.may_be(cls, base) for base in model.bases))

    def member(self, cls: str, name: str) -> Fact | None:
        key = (cls, name)
        return self._members.ask(key, lambda: self._member(cls, name))

    def _member(self, cls: str, name: str) -> Fact | None:
        if self.published.knows(cls):
            return self.published.member(cls, name)
        if not cls.startswith(_BOUND):
            if variants := self.program.models.python_variants(cls, name):
                return fact_of(*variants)
            published = self._published_as(cls)
            return self.published.member(published, name, cls) if published else None
        made = containers(self.program).get(cls.removeprefix(_BOUND))
        if made is not None:
            element = exports.of(self.program).python_class(made.element)
            members = [one for one in made.members(element) if one.name == name]
            fact = fact_of_members(members, cls, lambda inner: _BOUND + inner, made.step)
        else:
            found = self._bindings_of(cls.removeprefix(_BOUND), name.removesuffix("="))
            if found:
                return self._fact(found, cls, name)
            fact = None
        return fact or (Fact("own", cls, constructs=True) if name == "__init__" else None)

    def _bindings_of(self, bound: str, name: str) -> list[Binding]:
        """The bindings of the name in a bound class, or in the nearest of its bases that has some."""
        waiting, seen = [bound], set[str]()
        while waiting:
            own = waiting.pop(0)
            if own in seen or own not in self.bound:
                continue
            seen.add(own)
            file, index = self.bound[own]
            found = [b for b in self.program.index.bindings_of(file, index) if b.name == name]
            if found:
                return found
            contract = exports.of(self.program).class_contract(file, file.bound_classes[index], own, "")
            waiting += contract.bases
        return []

    def function(self, dotted: str) -> Fact | None:
        return self._functions.ask(dotted, lambda: self._function(dotted))

    def _function(self, dotted: str) -> Fact | None:
        model = self.program.models.python_function(dotted)
        if model is not None:
            return fact_of(model)
        module, _, name = dotted.rpartition(".")
        binding = self.bound_functions.get(name)
        if binding is None or name in self._written_in_python or not self._is_ours(module):
            return self.published.function(dotted)
        return self._fact([binding], "", name)

    def _is_ours(self, module: str) -> bool:
        """Whether an import from there can be the project's own: an extension module it defines, or one of its Python
        files, which may hand a bound class on. Where no extension module is seen, nobody knows its name."""
        if not module:
            return False
        parts = set(module.split("."))
        return not self._extensions or not parts.isdisjoint(self._extensions) or module in self._python_modules

    @program_property
    def _extensions(self) -> frozenset[str]:
        """Names of extension modules, as `PYBIND11_MODULE(name, m)` and its relatives give them."""
        return frozenset(exports.modules_of_macros(self.program))

    @program_property
    def _python_modules(self) -> frozenset[str]:
        """Dotted names of the project's Python files, and the ends of them: the root may lie anywhere."""
        modules = [f.module.removesuffix(".__init__") for f in self.program.files.values() if f.language == "python"]
        return frozenset(
            ".".join(parts[start:])
            for parts in (module.split(".") for module in modules)
            for start in range(len(parts))
        )

    def contract(self, binding: Binding) -> Contract | None:
        return self._contracts.ask(binding, lambda: contract_of(binding))

    def _fact(self, bindings: list[Binding], cls: str, name: str) -> Fact | None:
        """What the project's own bindings of one name say, by the same records as a contract that was written."""
        exported = [(one, binding) for binding in bindings if (one := exports.of(self.program).member(binding))]
        steps = {id(one): binding.step(binding.record, _bound_here(binding, one), "lends") for one, binding in exported}
        members = [one for one, _ in exported]
        if name.endswith("="):
            return setter_of(members[0], cls, steps[id(members[0])]) if len(members) == 1 else None
        return fact_of_members(members, cls, lambda inner: _BOUND + inner, lambda one: steps[id(one)])

    # --- uses ---

    @program_property
    def misuses(self) -> list[HandleMisuse]:
        """Every use of a handle after its owner is gone, in all Python of the project."""
        python = self.program.functions_of("python")
        return [misuse for function in python for misuse in self.misuses_in(function)]

    def misuses_in(self, function: Function) -> list[HandleMisuse]:
        found = self.runs.misuses_in(function)
        used_later = self._used_by_others(function)
        known = {one.stale.at for one in found if one.stale is not None}
        if used_later is None or used_later.stale is None or used_later.stale.at in known:
            return found
        return [*found, used_later]

    def _used_by_others(self, function: Function) -> HandleMisuse | None:
        """A method outdates what attributes of its object point to, and another uses one of them as it is left."""
        outdated = self._outdated_by(function)
        if outdated is None:
            return None
        others = (one for one in self._methods(function) if one is not function and not _is_static(one))
        for other in others:
            if not other.says(strings(sorted({handle.path[0][1:] for handle in outdated.held}))):
                continue
            interpreter = HandleInterpreter(other, self, after=outdated)
            for misuse in interpreter.run():
                if misuse.stale in {handle.stale for handle in outdated.held}:
                    sure = weaker(misuse.certainty, _UNLESS_RENEWED)
                    return msgspec.structs.replace(misuse, function=function, certainty=sure)
        return None

    def _outdated_by(self, function: Function) -> Attributes | None:
        """What a method that others may call as they like leaves outdated in the attributes of its object; what one
        that only its class calls leaves there, its callers may renew."""
        if function.record.kind != "method" or not self._concerned(function) or _is_static(function):
            return None
        summary = self.runs.run(function).summary
        endings = (ending for case in summary.cases for ending in case.endings) if summary is not None else ()
        if not any(ending.how == "outdated" for ending in endings):
            return None
        names = {one.name for one in self._methods(function)}
        if function.name.startswith("_") and any(
            function.name == last_name(call.callee) for one in self._methods(function) for call in one.calls()
        ):
            return None
        interpreter = HandleInterpreter(function, self)
        interpreter.run()
        left = interpreter.outdated_attributes()
        if left is None:
            return None
        by_others = {  # where they are reported
            call.span
            for call in function.calls()
            if (called := last_name(call.callee)) in names and not called.startswith("_")
        }
        itself = function.record.parameters[0].name
        held = frozenset(
            handle._replace(shown=itself + handle.path[0])
            for handle in left.held
            if handle.stale is not None and handle.stale.at not in by_others
        )
        return left._replace(held=held) if held else None

    def seen_in(self, function: Function) -> SeenRun:
        """One run over the function, for whoever asks why."""
        if not self._concerned(function):
            return SeenRun("by the names it calls, nothing in it creates or ends a handle")
        return seen(HandleInterpreter(function, self))

    def called_fact(self, symbol: str) -> Fact | None:
        """What a call of that dotted name does."""
        on, _, name = symbol.rpartition(".")
        cls = self.find(symbol)
        fact = self.member(cls, "__init__") if cls is not None else self.function(symbol)
        if fact is None and (cls := self.find(on) if on else None) is not None:
            fact = self.member(cls, name)
        return fact

    def _concerned(self, function: Function) -> bool:
        return function in self.reach.holders

    def _is_able(self, function: Function) -> bool:
        return function in self.reach.able

    def may_have(self, function: Function) -> bool:
        """Whether a handle can come to be in a function that nobody gives it."""
        return self._is_able(function) or self.reach.tells_a_class(function)

    # --- the project's own functions ---

    @program_property
    def code(self) -> PythonCode:
        return python_calls.of(self.program)

    def annotated(self, dotted: str) -> str | None:
        return self.find(dotted)

    def called(self, target: Function, given: Given) -> HandleSummary | None:
        """What the project's own function does with what it is given."""
        if not any(map(self._is_of_interest, given)):
            if not self._concerned(target) and not self.reach.gives(target):
                return HandleSummary((HandleCase(),))
            if not given and not self._is_able(target):
                return HandleSummary((HandleCase(),))
        return self.runs.run(target, given).summary

    def _is_of_interest(self, one: GivenHandle) -> bool:
        """Whether a function that is given this may do something with a handle."""
        if one.cls.startswith(CODE):
            code = self.code.function_of(one.cls)
            return code is not None and self._concerned(code)
        return one.cls[:1] != "%"

    def result(self, symbol: str) -> str | None:
        return self._results.ask(symbol, lambda: self._result(symbol))

    def _result(self, symbol: str) -> str | None:
        """The class that is named behind the arrow, if it is one alone."""
        target = self.code.function(symbol)
        if target is None:
            return None
        record = target.record
        written = _ONE_CLASS.fullmatch(record.result.strip())
        if written is None or {"async", "generator"} & set(record.qualifiers):
            return None
        end = min((s.start for s in target.body), default=record.end)
        dotted = next(g for g in written.groups() if g)
        last = "." + dotted.rpartition(".")[2]
        meanings = (m.symbol for m in target.file.meanings if record.name_start < m.start < end)
        return next((cls for symbol in meanings if symbol.endswith(last) and (cls := self.find(symbol))), None)

    def told_by(self, function: Function, member: str) -> str:
        models = self.program.models
        cls = models.telling_members.get(member, "")
        if not cls:
            return ""
        return cls if models.libraries_of(cls) & self.reach.spoken_in(function.file) else ""

    def asked_of(self, function: Function, name: str) -> str:
        """What a parameter or a local is by all that the function asks of it, where that is several things that one
        class of a library has which the file speaks of, and nothing else is ever put under the name; else by what the
        function gives it to."""
        if not self.reach.tells_a_class(function):
            return ""
        return self._asked.ask((function, name), lambda: self._told_by_use(function, name, _DEEPEST_GIVEN_ON))

    def _told_by_use(self, function: Function, name: str, depth: int) -> str:
        if not self.reach.tells_a_class(function):
            return ""
        written = _asked_of(function).get(name, frozenset())
        for call in sorted(word for word in written if word.endswith(")")):
            if cls := self.told_by(function, call):
                return cls
        asked = frozenset(word for word in written if not word.endswith(")"))
        for word in sorted(asked) if name != function.itself else ():
            if cls := self.told_by(function, word):
                return cls
        spoken = self.reach.spoken_in(function.file) if len(asked) > 1 else None
        paths = frozenset(word for word in asked if "." in word)
        found = self.program.models.asked_of(asked - paths, spoken, paths, name) if spoken else ""
        return found or self._told_by_callee(function, name, depth)

    def _told_by_callee(self, function: Function, name: str, depth: int) -> str:
        """What a parameter is by the parameters of the project's own functions that it is given as."""
        for call, position in _given_on(function).get(name, ()) if depth > 0 else ():
            targets = self.code.functions_called(call, function)
            target = targets[0] if len(targets) == 1 else None
            if target is None or target is function:
                continue
            parameters = target.record.parameters[_shift(target) :]
            if position >= len(parameters) or any(one.spread for one in parameters[: position + 1]):
                continue
            taken = parameters[position]
            meaning = self.program.names.meaning(target.file, taken.start) if taken.type else None
            told = (self.annotated(meaning.type) or "") if meaning is not None and meaning.type else ""
            if not taken.type:
                told = self._told_by_use(target, taken.name, depth - 1)
            if told:
                return told
        return ""

    # --- attributes of objects ---

    def attributes(self, function: Function) -> Attributes | None:
        if function.record.kind != "method" or not function.record.owner or _shift(function) == 0:
            return None
        held: set[Handle] = set()
        owners: dict[int, tuple[int, str, r.Span, bool]] = {}
        for found in self._left_by_others(function):
            held |= found.held
            owners.update((owner[0], owner) for owner in found.owners)
            if len(held) > MOST_HELD:
                return Attributes(frozenset(), (), too_many=True)
        for handle in self._declared(function, {h.path[0] for h in held}):
            held.add(handle)
            owners[handle.token[0]] = (handle.token[0], handle.shown, handle.taken, self.role(handle.cls) == "owner")
        return Attributes(frozenset(held), tuple(owners[s] for s in sorted(owners))) if held else None

    def _left_by_others(self, method: Function) -> Iterator[Attributes]:
        """What the other methods leave in the attributes of their object."""
        owner = (method.path, method.record.owner)
        setting = self._setting(owner) if owner in self._looked_into else self._setters.get(owner, [])
        if not self._leaving_now and len(setting) > _FEW:
            setting = self._leaving.ask(owner, lambda: [one for one in setting if self._left_by(one) is not None])
        for other in setting:
            if other is not method and (found := self._left_by(other)) is not None:
                yield found

    def _declared(self, method: Function, known: set[str]) -> Iterator[Handle]:
        """Attributes of which the class says in annotations that they are handles, but for the known ones."""
        scope, _, name = method.record.owner.rpartition(".")
        for cls in method.file.classes:
            if (cls.scope, cls.name) == (scope, name):
                for field in cls.fields:
                    meaning = self.program.names.meaning(method.file, field.start) if field.type else None
                    found = self.find(meaning.type) if meaning is not None and meaning.type else None
                    if found is not None and "." + field.name not in known:
                        span, shown = r.Span(field.start, field.end), f"self.{field.name}"
                        yield Handle(found, foreign(field.start), True, span, shown, path=("." + field.name,))

    def _left_by(self, function: Function) -> Attributes | None:
        """What a method leaves in its object's attributes, of an object that had none."""

        def answer() -> Attributes | None:
            self._leaving_now += 1
            try:
                made = self._left_by_constructor(function)
                interpreter = HandleInterpreter(function, self, {}, alone=True, after=made)
                interpreter.run()
                left = interpreter.attributes()
            finally:
                self._leaving_now -= 1
            return left if left is not None and left.held else None

        return self._left.ask(function, answer)

    def _left_by_constructor(self, method: Function) -> Attributes | None:
        """What the constructor of its class leaves, by itself; nothing for the constructor."""
        makers = [one for one in self._methods(method) if one.name == "__init__"]
        return self._left_by(makers[0]) if len(makers) == 1 and method not in makers else None

    def look_into(self, function: Function) -> None:
        """Somebody wants to know of the attributes of its object, whatever they are."""
        self._looked_into.add((function.path, function.record.owner))

    @program_property
    def _setters(self) -> dict[tuple[str, str], list[Function]]:
        """Methods that set attributes, of classes in which something may be said."""
        concerned = sorted({(f.path, f.record.owner) for f in self.reach.holders if f.record.owner})
        return {owner: found for owner in concerned if (found := self._setting(owner))}

    def _setting(self, owner: tuple[str, str]) -> list[Function]:
        """The methods of a class that assign to something."""
        return self._assigning.ask(
            owner,
            lambda: [f for f in self.methods(*owner) if f in self.reach.able and self.reach.sets_attribute(f)],
        )

    def _methods(self, function: Function) -> list[Function]:
        """All methods of the class, itself among them, in source order."""
        return self.methods(function.path, function.record.owner)

    def methods(self, path: str, owner: str) -> list[Function]:
        """Those of the class of that name in a file."""
        return self._by_owner.get((path, owner), [])

    @program_property
    def _by_owner(self) -> dict[tuple[str, str], list[Function]]:
        out: dict[tuple[str, str], list[Function]] = {}
        for function in self.program.functions:
            if function.language == "python" and function.record.owner and function.record.parent < 0:
                out.setdefault((function.path, function.record.owner), []).append(function)
        return out


def _is_static(function: Function) -> bool:
    return "static" in function.record.qualifiers or not function.record.parameters


def _bound_here(binding: Binding, one: MemberContract) -> str:
    return f"`{binding.symbol}` is bound here{promise(one)}"


@question
def _asked_of(function: Function) -> dict[str, frozenset[str]]:
    """The members that a function of Python asks of each parameter to which it assigns nothing, and of each local to
    which it assigns once; with a keyword that it gives: `resize(refcheck)`, and what it asks of what a member gives:
    `body.operations`, `regions.[].blocks`."""
    given: dict[str, int] = {parameter.name: int(bool(parameter.type)) for parameter in function.record.parameters}
    given.update((name, -1) for name in function.declared if name not in given)
    found: dict[str, set[str]] = {}
    apart: list[r.Span] = []
    for inner in function.values:
        match inner:
            case r.Member(base=r.Name(text=name), name=member):
                found.setdefault(name, set()).add(member)
            case r.Member(base=r.Member() | r.Index()):
                name, path = _asked_through(inner)
                if name and len(path) > 1 and path[0] != "[]":
                    found.setdefault(name, set()).add(".".join(path))
            case r.Call(callee=r.Member(base=r.Name(text=name), name=member), args=args) if args:
                found.setdefault(name, set()).update(f"{member}({word})" for word in _keywords(args))
            case r.Comprehension():
                apart.append(inner.span)
    for write in function.flow.writes:
        if len(write.place) != 1 or write.place[0] not in found:
            continue
        if not any(write.span.start in span for span in apart):
            given[write.place[0]] = given.get(write.place[0], 0) + 1
    return {name: frozenset(members) for name, members in found.items() if given.get(name, 1) == 0}


def _asked_through(value: r.Value) -> tuple[str, list[str]]:
    """The name that a chain of members and elements begins with, and its steps; no name where it is another chain."""
    path: list[str] = []
    while len(path) < _LONGEST_PATH:
        match value:
            case r.Member(base=base, name=member):
                path.insert(0, member)
                value = base
            case r.Index(base=base, indexes=(_,)):
                path.insert(0, "[]")
                value = base
            case r.Name(text=name):
                return name, path
            case _:
                break
    return "", path


def _keywords(args: Iterable[r.Value]) -> Iterator[str]:
    return (one.key.text for one in args if isinstance(one, r.Pair) and isinstance(one.key, r.Name))


_LONGEST_PATH = 8
_DEEPEST_GIVEN_ON = 2
"""Calls through which a parameter is followed to the one that tells what it is."""


@question
def _given_on(function: Function) -> dict[str, tuple[tuple[r.Call, int], ...]]:
    """Where a function of Python gives a parameter on, by its name, and as which argument; of one to which it assigns
    nothing, and of which no annotation says what it is."""
    own = {one.name for one in function.record.parameters if not one.type and not one.spread}
    own -= {write.place[0] for write in function.flow.writes if len(write.place) == 1} if own else set()
    found: dict[str, list[tuple[r.Call, int]]] = {}
    for value in function.values if own else ():
        if isinstance(value, r.Call) and not any(isinstance(one, r.Unary) for one in value.args):
            for position, argument in enumerate(value.args):
                if isinstance(argument, r.Name) and argument.text in own:
                    found.setdefault(argument.text, []).append((value, position))
    return {name: tuple(calls) for name, calls in found.items()}


def _shift(target: Function) -> int:
    """How many parameters are not among the arguments."""
    return int(bool(target.record.owner) and "static" not in target.record.qualifiers)


_ONE_CLASS = re.compile(
    r"""["']?(?:(?:typing\.)?Optional\[)?["']?([\w.]+)["']?\]?(?: *\| *None)?["']?|None *\| *([\w.]+)"""
)


def misuse_steps(misuse: HandleMisuse) -> tuple[Step, ...]:
    """The binding in C++ where there is one, then the way to a misuse, in the order in which it happens."""
    if misuse.stored is not None:
        return _stored_steps(misuse, misuse.stored)
    return _stale_steps(misuse) if misuse.stale is not None else _owner_steps(misuse)


def _owner_steps(misuse: HandleMisuse) -> tuple[Step, ...]:
    function, child = misuse.function, misuse.child
    unnamed = ", and no variable holds it" if misuse.kind == "use" and misuse.ended is None else ""
    steps = [child.declared] if child.declared is not None else []
    steps.append(function.step(misuse.made, f"`{misuse.owner}` is created here{unnamed}", "owns"))
    if child.taken != misuse.at:
        steps.append(
            function.step(child.taken, f"{misuse.what} is borrowed from it here without keeping it alive", "borrows")
        )
    if misuse.ended is not None and misuse.kind == "use":
        steps.append(function.step(misuse.ended[0], misuse.ended[1] or "its owner is freed here", "ends"))
    return tuple(steps)


def _stored_steps(misuse: HandleMisuse, stored: Dependence) -> tuple[Step, ...]:
    function = misuse.function
    steps = [stored.declared] if stored.declared is not None else []
    if misuse.made != stored.at and misuse.kind != "drop":
        steps.append(function.step(misuse.made, f"`{misuse.owner}` is created here", "owns"))
    if misuse.at != stored.at:
        kept = f"`{stored.by}` stores its address here without keeping it alive"
        steps.append(function.step(stored.at, kept, "borrows"))
    if misuse.ended is not None:
        steps.append(function.step(misuse.ended[0], misuse.ended[1] or "it is freed here", "ends"))
    return tuple(steps)


def _stale_steps(misuse: HandleMisuse) -> tuple[Step, ...]:
    function, child, stale = misuse.function, misuse.child, misuse.stale
    assert stale is not None
    steps = [child.declared] if child.declared is not None else []
    if child.taken != misuse.at:
        steps.append(function.step(child.taken, f"{misuse.what} is obtained here", "borrows"))
    words = {
        "erased": "erased",
        "closed": "closed",
        "changed": "transformed, together with everything it contains,",
        "emptied": "emptied",
        "disowned": "released",
        "outdated": "changed",
    }[stale.how]
    if stale.reach == "derived" and stale.how != "outdated":
        return (*steps, function.step(stale.at, f"`{stale.target}` moves or frees its memory here", "ends"))
    ended = (
        f"`{stale.target}` is {words} here" if stale.call else f"`{stale.target}` is closed at the end of this `with`"
    )
    return (*steps, function.step(stale.at, ended, "ends"))


@program_question
def of(program: Program) -> Border:
    """The border of a program; one object a program, since its answers are remembered."""
    return Border(program)
