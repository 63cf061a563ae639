"""All files together: what a name refers to, what a type is, what a call does.

Linking joins a class's header with the files that define its methods, a declaration with its
definition, an alias with its target. Questions are answered on demand and remembered: rules ask about a
few of the many thousand functions of a project.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections import OrderedDict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from types import MappingProxyType
from typing import Any

import msgspec

from ownlint.facts import records as r
from ownlint.facts.show import text
from ownlint.finding import Certainty, because
from ownlint.flow import events as e
from ownlint.flow.graph import Flow
from ownlint.flow.lower import Surroundings, lower
from ownlint.flow.places import last_name, receiver
from ownlint.models.contract_records import ContractFile, Stubs
from ownlint.models.libraries import Models
from ownlint.models.records import FunctionModel
from ownlint.project import types
from ownlint.project.instantiating import instantiated
from ownlint.project.macros import Macros
from ownlint.project.once import shared_property
from ownlint.project.statuses import Status, Statuses, is_enum
from ownlint.project.subjects import Binding, Class, Function
from ownlint.steps import spend

_KEPT_BODIES = 128
"""Decoded bodies and flows are kept for the functions last asked about only, to bound memory."""

_BYTES_A_STEP = 64
"""So many bytes of an encoded body are decoded in about the time of one step."""

_MOST_CALLEES = 4096
"""Rules ask about the calls of one function, several times and one after the other."""

_ITERATOR_CALLS = frozenset({"find", "begin", "end", "lower_bound", "upper_bound", "cbegin", "cend", "rbegin"})
_MAKERS = {"make_unique": "std::unique_ptr", "make_shared": "std::shared_ptr"}


class Callee(msgspec.Struct, frozen=True):
    """What a call reaches. `functions` are the project's own candidates (declarations included) as
    `(file path, index)` resolved by `Program.function_at`; `models` what libraries say of it."""

    symbol: str
    records: tuple[r.Function, ...] = ()
    functions: tuple[Function, ...] = ()
    models: tuple[FunctionModel, ...] = ()
    certainty: Certainty = "possible"
    owner: Class | None = None
    result: str = ""
    """The declared result type, as written or canonical; empty when unknown or when candidates disagree."""


def _by_name(name: str, found: bool, agreed: bool) -> str:
    """Why it is not certain what a call reaches that only its name leads to."""
    if not found:
        return f"`{name}` is not defined in what was read"
    if not agreed:
        return f"several functions are called `{name}`, and which of them is called is not known"
    return f"`{name}` is found by its name: the type that it is called on is not known"


class Earlier(msgspec.Struct, frozen=True):
    """What the changed files said before the change. `renamed` maps each changed path to what it was called then, which
    is empty for a file that is new."""

    files: tuple[r.File, ...]
    renamed: dict[str, str]


class Program:
    """All files that were read, joined: subjects in order, and every look-up of a name."""

    def __init__(
        self,
        files: Iterable[r.File],
        models: Models,
        earlier: Earlier | None = None,
        parity: tuple[tuple[str, ...], ...] = (),
        requirements: Mapping[str, str] | None = None,
        packages: Mapping[str, str] = MappingProxyType({}),
        contracts: tuple[ContractFile, ...] = (),
        stubs: Stubs = MappingProxyType({}),
    ) -> None:
        self.models = models
        self.contracts = contracts
        """What other packages' bindings promise."""
        self.stubs = stubs
        """By class and name of what the project binds: the class of the result, and names of arguments."""
        self.earlier = earlier
        self.parity = (*models.parity, *parity)
        self.requirements: Mapping[str, str] = requirements or {}
        """Package -> what the project's build asks of its version, `>=2.11,<3`."""
        self.packages = packages
        """Versions of the Python packages that the code is for, as far as they are known."""
        read, self.repeats = instantiated(sorted(files, key=lambda file: file.path))
        self.files: dict[str, r.File] = {file.path: file for file in read}
        self.known: dict[Any, Any] = {}  # see `once.per_program`
        self.size = sum(file.size for file in self.files.values())
        self.too_large: dict[Function, None] = {}
        """The functions that were left alone, wholly or from some place on, in the order in which that was noticed."""
        self._views: dict[tuple[str, int], Function] = {}
        self._bodies: OrderedDict[Function, r.Body] = OrderedDict()
        self._flows: OrderedDict[Function, Flow] = OrderedDict()
        self._link()

    @shared_property
    def before(self) -> Program | None:
        """The project as it was before the change under review; None when no change is looked at."""
        if self.earlier is None:
            return None
        same = (file for path, file in self.files.items() if path not in self.earlier.renamed)
        files, parity = (*same, *self.earlier.files), self.parity[len(self.models.parity) :]
        return Program(files, self.models, None, parity, self.requirements, self.packages, self.contracts, self.stubs)

    @property
    def earlier_paths(self) -> dict[str, str]:
        """Each file that the change under review touches, and what it was called before."""
        return self.earlier.renamed if self.earlier is not None else {}

    def was_called(self, path: str) -> str:
        """The path of a file before the change; empty when it is new."""
        return path if self.earlier is None else self.earlier.renamed.get(path, path)

    # --- linking ---

    def _link(self) -> None:
        self.classes: list[Class] = []
        self._classes_by_last: dict[str, list[Class]] = {}
        self._classes_by_symbol: dict[tuple[str, str], list[Class]] = {}
        self._functions_by_last: dict[str, list[tuple[r.File, r.Function]]] = {}
        self._aliases: dict[str, list[tuple[r.File, r.Alias]]] = {}
        self.macros = Macros(self.files.values(), self.models)
        self._variables: dict[str, list[tuple[r.File, r.Variable]]] = {}
        self.functions: list[Function] = []
        self._nested: dict[tuple[str, int], list[Function]] = {}
        for file in self.files.values():
            for record in file.classes:
                cls = Class(self, file, record)
                self.classes.append(cls)
                self._classes_by_last.setdefault(record.name, []).append(cls)
            for alias in file.aliases:
                if alias.name and not _names_constructors(alias):
                    self._aliases.setdefault(alias.name, []).append((file, alias))
            for variable in file.variables:
                self._variables.setdefault(variable.name, []).append((file, variable))
        for cls in self.classes:
            if _last(cls.symbol) == cls.name:
                self._classes_by_symbol.setdefault((cls.file.language, cls.symbol), []).append(cls)
        for file in self.files.values():
            owners: dict[str, Class | None] = {}
            for index, function in enumerate(file.functions):
                self._functions_by_last.setdefault(function.name, []).append((file, function))
                if function.owner not in owners:
                    owners[function.owner] = self._owner(file, function)
                owner = owners[function.owner]
                if owner is not None and owner.file is file and not function.defined:
                    owner.declarations.append(function)
                if function.defined:
                    view = Function(self, file, index)
                    view.cls = owner
                    self._views[file.path, index] = view
                    self.functions.append(view)
                    if function.parent != index:
                        self._nested.setdefault((file.path, function.parent), []).append(view)
                    if owner is not None:
                        owner.methods.append(view)
                        if owner.file is file and _inside(function, owner.record):
                            owner.declarations.append(function)

    def _owner(self, file: r.File, function: r.Function) -> Class | None:
        if not function.owner:
            return None
        exact = self._classes_by_symbol.get((file.language, function.owner))
        if exact is None:
            candidates = self._classes_named(_last(function.owner), file)
            exact = [c for c in candidates if _suffix(c.symbol, function.owner)]
        return self._nearest(exact, file)

    def _classes_named(self, last: str, file: r.File) -> list[Class]:
        """Those of the file's own language: a stub for Python and the C++ class behind it have one name."""
        return [c for c in self._classes_by_last.get(last, ()) if c.file.language == file.language]

    def variants(self, cls: Class) -> list[Class]:
        """The class and the others of its name: specializations, and what the preprocessor chooses between."""
        return [one for one in self.classes_called(cls.name, cls.file) if one.symbol == cls.symbol]

    def classes_called(self, last: str, file: r.File) -> list[Class]:
        """Every class of that last name, whatever its scope."""
        return self._classes_named(last, file)

    def _nearest(self, candidates: Sequence[Class], file: r.File) -> Class | None:
        """Of several classes of one name: the one in this file, in its header, in what it includes, the only one."""
        spend(len(candidates))
        if len(candidates) < 2:
            return candidates[0] if candidates else None
        same = [c for c in candidates if c.file is file]
        if same:
            return same[0]
        stem = _stem(file.path)
        beside = [c for c in candidates if _stem(c.path) == stem]
        if len(beside) == 1:
            return beside[0]
        included = [c for c in candidates if any(_suffix_path(c.path, i.target) for i in file.imports)]
        if len(included) == 1:
            return included[0]
        filled = [c for c in candidates if c.record.fields or c.declarations]
        return filled[0] if len(filled) == 1 else None

    # --- views ---

    def function_at(self, file: r.File, index: int) -> Function | None:
        return self._views.get((file.path, index))

    def nested(self, function: Function) -> Sequence[Function]:
        """The functions, lambdas and class bodies that stand in the function itself, in source order."""
        return self._nested.get((function.path, function.index), ())

    def body(self, function: Function) -> r.Body:
        if function in self._bodies:
            self._bodies.move_to_end(function)
            return self._bodies[function]
        spend(1 + len(bytes(function.record.body)) // _BYTES_A_STEP)
        body = r.decode_body(function.record)
        self._bodies[function] = body
        if len(self._bodies) > _KEPT_BODIES:
            dropped, _ = self._bodies.popitem(last=False)
            for derived in ("locals", "declared", "statements"):
                dropped.__dict__.pop(derived, None)
        return body

    def flow(self, function: Function) -> Flow:
        if function in self._flows:
            self._flows.move_to_end(function)
            return self._flows[function]
        flow = Flow(lower(function.record, self.body(function), self._surroundings(function)))
        self._flows[function] = flow
        if len(self._flows) > _KEPT_BODIES:
            self._flows.popitem(last=False)
        return flow

    def _surroundings(self, function: Function) -> Surroundings:
        members = function.home.members if function.home is not None and function.language == "cpp" else frozenset()
        outer = function.parent.declared if function.parent is not None else frozenset()
        python = function.language == "python"
        return Surroundings(members, self.macros.role, outer, python, self.macros.answer, self._can_throw)

    def _can_throw(self, name: str) -> bool:
        """Not what a library of C begins its names with, and nobody here declares or defines."""
        return not name.startswith(self.models.prefixes) or bool(self.functions_called(name) or self.macros.named(name))

    @shared_property
    def bindings(self) -> list[Binding]:
        return [Binding(self, file, record) for file in self.files.values() for record in file.bindings]

    @shared_property
    def _bindings_by_owner(self) -> dict[tuple[str, int], list[Binding]]:
        out: dict[tuple[str, int], list[Binding]] = {}
        for binding in self.bindings:
            out.setdefault((binding.path, binding.record.owner), []).append(binding)
        return out

    def bindings_of(self, file: r.File, owner: int) -> list[Binding]:
        return self._bindings_by_owner.get((file.path, owner), []) if owner >= 0 else []

    def written_as(self, name: str) -> str:
        """What a constant of the project, or a macro without parameters, stands for; empty when that is not clear."""
        spelled = {text(v.value) for _, v in self._variables.get(name, ()) if v.value is not None}
        spelled |= self.macros.constants(name)
        return spelled.pop() if len(spelled) == 1 else ""

    @shared_property
    def bound_types(self) -> frozenset[str]:
        """Last names of the C++ classes that are bound to Python: a value of any other class is converted."""
        bound = ((file, record.type, record.start) for file in self.files.values() for record in file.bound_classes)
        return frozenset(types.parse(self.expand(written, file, at=at)).last for file, written, at in bound)

    # --- names ---

    def scopes(self, function: Function) -> tuple[str, ...]:
        """The namespaces and classes in which the function stands, innermost first, and those its file opens."""
        return self.scopes_at(function.file, function.record.scope)

    def scopes_at(self, file: r.File, scope: str) -> tuple[str, ...]:
        key = (file.path, scope)
        if key not in self._scopes:
            parts = scope.split("::") if scope else []
            around = tuple("::".join(parts[:length]) for length in range(len(parts), 0, -1))
            self._scopes[key] = around + self._opened(file)
        return self._scopes[key]

    @shared_property
    def _scopes(self) -> dict[tuple[str, str], tuple[str, ...]]:
        return {}

    def _opened(self, file: r.File) -> tuple[str, ...]:
        if file.path not in self._opened_scopes:
            self._opened_scopes[file.path] = tuple(
                dict.fromkeys(alias.target for alias in file.aliases if alias.kind in ("open", "using"))
            )
        return self._opened_scopes[file.path]

    @shared_property
    def _opened_scopes(self) -> dict[str, tuple[str, ...]]:
        return {}

    def find_class(self, written: str, scope: str, file: r.File, *, enum: bool = False) -> Class | None:
        """The project's class (or its enum) that `written` names from inside `scope`; None when it is not ours or
        not clear."""
        name = types.parse(written).name
        if not name:
            return None
        key = (name, scope, file.path, enum)
        if key not in self._found_classes:
            self._found_classes[key] = self._find_class(name, scope, file, enum)
        return self._found_classes[key]

    @shared_property
    def _found_classes(self) -> dict[tuple[str, str, str, bool], Class | None]:
        return {}

    def _find_class(self, name: str, scope: str, file: r.File, enum: bool) -> Class | None:
        candidates = self._classes_named(_last(name), file)
        fitting = [c for c in candidates if _suffix(c.symbol, name)]
        if len(fitting) > 1:
            best = max(_common(c.symbol, scope) for c in fitting)
            fitting = [c for c in fitting if _common(c.symbol, scope) == best]
        return self._nearest([c for c in fitting if is_enum(c) is enum], file)

    def expand(self, written: str, file: r.File, scope: str = "", at: int = 0) -> str:
        """A type with the project's aliases followed: `LiveMap` -> `llvm::DenseMap<void *, Entry>`.

        Of aliases that are local to blocks of one function (`using cls = Doc;`) the last before `at` is meant.
        """
        if at:
            return self._expand(written, file, scope, at)
        key = (written, file.path, scope)
        if key not in self._expanded:
            self._expanded[key] = self._expand(written, file, scope, at)
        return self._expanded[key]

    @shared_property
    def _expanded(self) -> dict[tuple[str, str, str], str]:
        return {}

    def _expand(self, written: str, file: r.File, scope: str, at: int) -> str:
        for _ in range(4):
            kind = types.parse(written)
            found = self._alias(kind.name, file, scope, at)
            if found is None or types.parse(found).name == kind.name:
                return written
            written = found + "*" * kind.pointers + ("&" if kind.reference else "")
        return written

    def _alias(self, name: str, file: r.File, scope: str, at: int = 0) -> str | None:
        last = _last(name)
        candidates = [
            (f, a)
            for f, a in self._aliases.get(last, ())
            if a.kind in ("type", "using") and (name == last or _suffix(_join(a), name))
        ]
        if not candidates:
            return None
        if len({a.target for _, a in candidates}) > 1:
            same = [(f, a) for f, a in candidates if f is file]
            candidates = self._nearest_aliases(same or candidates, scope)
            if len({a.target for _, a in candidates}) > 1:
                before = [a for _, a in same if a.start < at]
                return before[-1].target if before else None
        return candidates[0][1].target

    @staticmethod
    def _nearest_aliases(candidates: list[tuple[r.File, r.Alias]], scope: str) -> list[tuple[r.File, r.Alias]]:
        shared = [_common(_join(a), scope) for _, a in candidates]
        near = max(shared)
        return [found for found, common in zip(candidates, shared, strict=True) if common == near]

    # --- types ---

    def named(self, file: r.File, value: r.Value) -> str:
        """What a Python name or member resolves to by imports and definitions, dotted; empty for anything else."""
        start = value.start if isinstance(value, r.Name) else value.name_start if isinstance(value, r.Member) else -1
        meaning = self.meaning(file, start) if start >= 0 else None
        return meaning.symbol if meaning is not None else ""

    def meant_name(self, file: r.File, value: r.Value) -> str:
        """The last part of what a Python name or member resolves to (`partial`, imported as `p`); of what is not known,
        and of anything else, as it is written."""
        return self.named(file, value).rpartition(".")[2] or last_name(value)

    def meaning(self, file: r.File, start: int) -> r.Meaning | None:
        """What a parser that knows types said about the name token that starts here."""
        if not file.meanings:
            return None
        table = self._meanings.get(file.path)
        if table is None:
            table = self._meanings[file.path] = {meaning.start: meaning for meaning in file.meanings}
        return table.get(start)

    @shared_property
    def _meanings(self) -> dict[str, dict[int, r.Meaning]]:
        return {}

    def type_of(self, value: r.Value | None, function: Function, depth: int = 0) -> str:
        """The type of an expression as text, aliases followed where the project defines them; empty when unknown."""
        if value is None or depth > 12:
            return ""
        written = self._type_of(value, function, depth + 1)
        return self.expand(written, function.file, function.record.scope) if written else ""

    def _type_of(self, value: r.Value, function: Function, depth: int) -> str:
        match value:
            case r.Name(text=name, start=start):
                if meant := self._meant(function.file, start):
                    return meant
                return self._type_of_name(name, function, depth)
            case r.Member(base=base, name=name):
                if meant := self._meant(function.file, value.name_start):
                    return meant
                return self._type_of_member(self.type_of(base, function, depth), name, function)
            case r.Index(base=base):
                return types.element(self.type_of(base, function, depth))
            case r.Call():
                return self.result_type(value, function, depth)
            case r.Cast(type=written):
                return written
            case r.Unary(op="*", value=inner):
                return types.element(self.type_of(inner, function, depth))
            case r.Unary(op="await" | "co_await", value=inner):
                awaited = types.parse(self.type_of(inner, function, depth)).arguments
                return awaited[0] if awaited else ""
            case r.Unary(op="&", value=inner):
                pointee = self.type_of(inner, function, depth)
                return pointee.rstrip(" &") + "*" if pointee else ""
            case r.Conditional(then=then, other=other):
                return self.type_of(then, function, depth) or self.type_of(other, function, depth)
            case r.Literal(kind="bool"):
                return "bool"
        return ""

    def _meant(self, file: r.File, start: int) -> str:
        """The type of the name token that starts here. One that depends on a template's parameters is left
        out: it is spelled without the scopes that a model knows it by."""
        meaning = self.meaning(file, start)
        return "" if meaning is None or "type-parameter-" in meaning.type else meaning.type

    def _type_of_name(self, name: str, function: Function, depth: int) -> str:
        if name == "this":
            return function.home.symbol + "*" if function.home is not None else ""
        current: Function | None = function
        while current is not None:
            if name in current.locals:
                written, initial = current.locals[name]
                if initial is not None and types.parse(written).is_placeholder:
                    inferred = self.type_of(initial, current, depth)
                    return inferred + "*" if inferred and "*" in written and not inferred.endswith("*") else inferred
                return written
            current = current.parent
        if function.home is not None and (found := function.home.field(name)):
            return found[1].type
        variables = {variable.type for _, variable in self._variables.get(_last(name), ())}
        return variables.pop() if len(variables) == 1 else ""

    def _type_of_member(self, base: str, name: str, function: Function) -> str:
        if not base:
            return ""
        kind = types.parse(base)
        if kind.last == "iterator" and kind.arguments:
            held = types.element(kind.arguments[0])
            if name == "second":
                return held
            if name == "first":
                return types.parse(kind.arguments[0]).arguments[0] if types.parse(kind.arguments[0]).arguments else ""
        if kind.last == "pair" and len(kind.arguments) == 2 and name in ("first", "second"):
            return kind.arguments[name == "second"]
        for cls in self.classes_of(base, function):
            if found := cls.field(name):
                return found[1].type
        return ""

    def classes_of(self, written: str, function: Function) -> Iterator[Class]:
        """The project's classes a receiver of this type can be: itself, or what it points to."""
        kind = types.parse(written)
        cls = self.find_class(kind.name, function.record.scope, function.file)
        if cls is not None:
            yield cls
        roles = self.models.role(kind.name, self.scopes(function)) if kind.arguments else ()
        if kind.arguments and (
            (cls is not None and cls.declared("operator->"))
            or "smart pointer" in roles
            or "shared pointer" in roles
            or "optional" in roles
            or cls is None
        ):
            inner = self.find_class(kind.arguments[0], function.record.scope, function.file)
            if inner is not None:
                yield inner

    def roles(self, written: str, function: Function) -> tuple[str, ...]:
        """What kinds of thing a type is, by the models; aliases followed."""
        return self.roles_at(written, function.file, function.record.scope)

    def roles_at(self, written: str, file: r.File, scope: str) -> tuple[str, ...]:
        """The same for a type that is written in a file, inside the scope."""
        return self.models.role(self.expand(written, file, scope), self.scopes_at(file, scope))

    @shared_property
    def statuses(self) -> Statuses:
        return Statuses(self)

    def status(self, written: str, function: Function) -> Status | None:
        """The type, when its value says whether something worked."""
        return self.statuses.of(written, function)

    def is_variable(self, name: str) -> bool:
        """Whether the project declares a variable of that name outside functions and classes."""
        return _last(name) in self._variables

    def defines(self, last: str) -> bool:
        """Whether a class or an alias of the project has that last name."""
        return last in self._classes_by_last or last in self._aliases

    @property
    def type_aliases(self) -> Iterator[r.Alias]:
        return (alias for found in self._aliases.values() for _, alias in found)

    def declarations_of(self, last: str) -> list[r.Function]:
        """Every C++ function of that last name that is declared and not defined."""
        found = self._functions_by_last.get(last, ())
        return [record for file, record in found if file.language == "cpp" and not record.defined]

    def functions_called(self, name: str) -> Sequence[Function]:
        """Every function that is defined under that last name, in the order of `functions`."""
        return self._defined_by_last.get(name, ())

    @shared_property
    def _defined_by_last(self) -> dict[str, list[Function]]:
        found: dict[str, list[Function]] = {}
        for function in self.functions:
            found.setdefault(function.record.name, []).append(function)
        return found

    def bound_classes_called(self, last: str) -> Sequence[tuple[r.File, r.BoundClass]]:
        """Where classes of that last name are bound, as written there."""
        return self._bound_by_last.get(last, ())

    @shared_property
    def _bound_by_last(self) -> dict[str, list[tuple[r.File, r.BoundClass]]]:
        found: dict[str, list[tuple[r.File, r.BoundClass]]] = {}
        for file in self.files.values():
            for bound in file.bound_classes:
                found.setdefault(types.parse(bound.type).last, []).append((file, bound))
        return found

    def declared_functions(self) -> Iterator[tuple[str, r.Function]]:
        """Every declaration and definition, with its last name."""
        return ((name, record) for name, found in self._functions_by_last.items() for _, record in found)

    # --- calls ---

    def result_type(self, call: r.Call, function: Function, depth: int = 0) -> str:
        callee = call.callee
        name = last_name(callee)
        if call.kind in ("construct", "new"):
            written = callee.text if isinstance(callee, r.Name) else ""
            if call.template:
                written += f"<{call.template}>"
            return written + "*" if call.kind == "new" else written
        if name in _MAKERS and call.template:
            return f"{_MAKERS[name]}<{call.template}>"
        called = self._called_lambda(call, function)
        if called is not None:
            return self.inferred_result(called, depth)
        held = self._called_object(callee, function, depth)
        if held is not None:
            return held.result
        meaning = self.meaning(function.file, _name_start(callee))
        if meaning is not None and meaning.type:
            return meaning.type
        if name in ("get", "any_cast") and call.template and isinstance(callee, r.Name):
            return "" if call.template[:1].isdigit() else call.template
        if name in ("move", "forward") and len(call.args) == 1:
            return self.type_of(call.args[0], function, depth + 1).rstrip(" &")
        on = receiver(call)
        if on is not None and name in _ITERATOR_CALLS | {"get", "at", "value"}:
            base = self.type_of(on, function, depth + 1)
            if base and name in ("at", "value") and not list(self._declared_on(base, name, function)):
                return types.element(base)
            if (
                base
                and name == "get"
                and types.parse(base).arguments
                and not list(self._declared_on(base, name, function))
            ):
                return types.element(base) + "*"
            if base and "container" in self.roles(base, function):
                return f"iterator<{base.rstrip(' &*')}>"
        found = self.callee(call, function, depth)
        if not found.records and not found.models and isinstance(callee, r.Name):
            made = self.find_class(callee.text, function.record.scope, function.file)
            if made is not None:  # `T(a)` is spelled like a call
                return made.symbol + (f"<{call.template}>" if call.template else "")
            meant = self.expand(callee.text, function.file, function.record.scope)
            if meant != callee.text and self.find_class(meant, function.record.scope, function.file) is not None:
                return meant
        return found.result

    def _declared_on(self, base: str, name: str, function: Function) -> Iterator[r.Function]:
        cls = self.find_class(types.parse(base).name, function.record.scope, function.file)
        if cls is not None:
            yield from cls.declared(name)

    def callee(self, call: r.Call, function: Function, depth: int = 0) -> Callee:
        """What a call reaches. Certain when the receiver's type or the only candidate says so, likely when
        all candidates of that name agree on the result, possible otherwise."""
        spend()
        known = self._callees.get(id(call))
        if known is not None and known[0] is call:
            return known[1]
        found = self._callee(call, function, depth)
        if depth == 0:
            if len(self._callees) >= _MOST_CALLEES:
                self._callees.clear()
            self._callees[id(call)] = call, found
        return found

    @shared_property
    def _callees(self) -> dict[int, tuple[r.Call, Callee]]:
        """What was asked last, by the identity of the call, which is held so that it stays its own."""
        return {}

    def _callee(self, call: r.Call, function: Function, depth: int) -> Callee:
        called = self._called_lambda(call, function)
        if called is not None:
            return Callee(
                "<lambda>", (called.record,), (called,), (), "certain", None, self.inferred_result(called, depth)
            )
        name = last_name(call.callee)
        if not name:
            return Callee("")
        held = self._called_object(call.callee, function, depth)
        if held is not None:
            return held
        meaning = self.meaning(function.file, _name_start(call.callee))
        if meaning is not None and meaning.symbol:
            return self._typed(call, meaning, function)
        if function.language == "python":
            return Callee(name)
        on = receiver(call)
        if on is not None:
            return self._method(call, name, on, function, depth)
        return self._free(call, name, function)

    def _called_object(self, callee: r.Value, function: Function, depth: int) -> Callee | None:
        """A local, parameter or member that can be called: it holds a function, or its class has an `operator()`."""
        if (
            function.language != "cpp"
            or not isinstance(callee, (r.Name, r.Member))
            or not self._is_object(callee, function)
        ):
            return None
        written = self.type_of(callee, function, depth + 1)
        if isinstance(callee, r.Name) and self._is_of_any_type(callee.text, function):
            return None
        answered = types.called(written)
        if answered:
            return Callee(last_name(callee), certainty="certain", result=answered)
        cls = self.find_class(types.parse(written).name, function.record.scope, function.file) if written else None
        records = cls.declared("operator()") if cls is not None else []
        if cls is None or not records:
            return None
        return self._made(f"{cls.symbol}::operator()", [(cls.file, record) for record in records], (), "certain", cls)

    def _is_of_any_type(self, name: str, function: Function) -> bool:
        """Whether a local may have the type of a template's parameter, which can be called like an alias elsewhere."""
        around = [function]
        while around[-1].parent is not None:
            around.append(around[-1].parent)
        if not any("template" in one.record.qualifiers for one in around):
            return False
        kind = next((types.parse(one.locals[name][0]) for one in around if name in one.locals), None)
        return kind is not None and not kind.arguments and "::" not in kind.name and not kind.is_placeholder

    def _is_object(self, callee: r.Name | r.Member, function: Function) -> bool:
        name = last_name(callee)
        if isinstance(callee, r.Member):
            return name in self._callable_fields
        if "::" in callee.text:
            return False
        current: Function | None = function
        while current is not None:
            if name in current.locals:
                return True
            current = current.parent
        return function.home is not None and function.home.field(name) is not None

    @shared_property
    def _callable_fields(self) -> frozenset[str]:
        """Names of data members that hold something to call."""
        return frozenset(
            field.name
            for cls in self.classes
            for field in cls.record.fields
            if types.called(self.expand(field.type, cls.file, cls.symbol))
        )

    def _called_lambda(self, call: r.Call, function: Function) -> Function | None:
        """The lambda that is called: on the spot, or through the local that holds it."""
        made: r.Value | None = call.callee
        if isinstance(made, r.Name) and function.language == "cpp":
            written, made = function.locals.get(made.text, ("", None))
            if not types.parse(written).is_placeholder:
                return None
        return self.function_at(function.file, made.function) if isinstance(made, r.Lambda) else None

    def inferred_result(self, function: Function, depth: int = 0) -> str:
        """The result type, read off the returned values where it is left to the compiler; empty when they disagree."""
        if function.record.result and not types.parse(function.record.result).is_placeholder:
            return function.record.result
        if function not in self._inferred and depth < 8:
            self._inferred[function] = ""  # a function that returns what it calls itself
            answers = {
                self.type_of(statement.value, function, depth + 1)
                for statement in function.statements
                if isinstance(statement, r.Leave) and statement.kind == "return"
            }
            self._inferred[function] = answers.pop() if len(answers) == 1 else ""
        return self._inferred.get(function, "")

    @shared_property
    def _inferred(self) -> dict[Function, str]:
        return {}

    def _typed(self, call: r.Call, meaning: r.Meaning, function: Function) -> Callee:
        separator = "::" if function.language == "cpp" else "."
        wanted = _last(meaning.symbol) if separator == "::" else meaning.symbol.rsplit(".", 1)[-1]
        found = [
            (file, record)
            for file, record in self._functions_by_last.get(wanted, ())
            if _qualified(record, separator) == meaning.symbol and _takes(record, call)
        ]
        models = self.models.function(meaning.symbol, function.language)
        owner = self.find_class(meaning.owner, function.record.scope, function.file) if meaning.owner else None
        return self._made(meaning.symbol, found, models, "certain", owner, meaning.type)

    def _method(self, call: r.Call, name: str, on: r.Value, function: Function, depth: int) -> Callee:
        base = self.type_of(on, function, depth + 1)
        scopes = self.scopes(function)
        if base:
            for cls in self.classes_of(base, function):
                records = [record for record in cls.declared(name) if _takes(record, call)]
                if records:
                    found = [(cls.file, record) for record in records]
                    return self._made(
                        f"{cls.symbol}::{name}", found, self._models(f"{cls.symbol}::{name}", scopes), "certain", cls
                    )
            held = types.parse(base)
            names = [held.name] + ([types.parse(a).name for a in held.arguments[:1]] if held.arguments else [])
            for owner in names:
                models = self._models(f"{owner}::{name}", scopes)
                if models:
                    return Callee(f"{owner}::{name}", (), (), models, models[0].certainty)
                written, certainty = self.models.returns(f"{owner}::{name}", scopes)
                if written:
                    return Callee(f"{owner}::{name}", certainty=certainty, result=written)
            if not held.is_placeholder and self.models.role(held.name, scopes):
                return Callee(f"{held.name}::{name}", certainty="possible")
        found = [(f, g) for f, g in self._functions_by_last.get(name, ()) if g.owner and _takes(g, call)]
        if base and not types.parse(base).is_placeholder:
            family = self._family(base, function)
            found = [(f, g) for f, g in found if self._is_method_of(family, f, g)]
        agreed = bool(found) and self._agreed(found) and any(self._fits(f, g, call, function) for f, g in found)
        sure: Certainty = "likely" if agreed else "possible"
        return self._made(name, found, (), because(sure, _by_name(name, bool(found), agreed)), None)

    def _fits(self, file: r.File, record: r.Function, call: r.Call, function: Function) -> bool:
        """Whether the arguments can be what a method of an unknown object takes: a number is no object."""
        if "template" in record.qualifiers:
            return True
        return all(
            fits(self.type_of(given, function), self.expand(taken.type, file, record.scope))
            for given, taken in zip(call.args, record.parameters, strict=False)
        )

    def _is_method_of(self, family: frozenset[str], file: r.File, record: r.Function) -> bool:
        owner = self._owner(file, record)
        symbols = [owner.symbol if owner is not None else record.owner]
        if owner is None and "::" not in record.owner:  # of which namespace, says what the file opens
            symbols = [f"{opened}::{record.owner}" for opened in self._opened(file)] or symbols
        return any(_suffix(symbol, name) or _suffix(name, symbol) for symbol in symbols for name in family)

    def _family(self, written: str, function: Function) -> frozenset[str]:
        """Names of the classes whose methods a receiver of this type can have, though none of them declares
        the one that is asked for: its own class where that is out of sight, and the bases."""
        kind = types.parse(written)
        names = {kind.name, *(types.parse(argument).name for argument in kind.arguments)}
        for cls in self.classes_of(written, function):
            names.update(types.parse(base.name).name for one in cls.ancestry for base in one.record.bases)
        return frozenset(names)

    def _free(self, call: r.Call, name: str, function: Function) -> Callee:
        written = call.callee.text if isinstance(call.callee, r.Name) else name
        scopes = self.scopes(function)
        if function.home is not None and "::" not in written:
            records = [record for record in function.home.declared(name) if _takes(record, call)]
            if records:
                symbol = f"{function.home.symbol}::{name}"
                found = [(function.home.file, record) for record in records]
                return self._made(symbol, found, self._models(symbol, scopes), "certain", function.home)
        spend(len(self._functions_by_last.get(name, ())))
        candidates = [
            (f, g)
            for f, g in self._functions_by_last.get(name, ())
            if (written == name or _suffix(_qualified(g, "::"), written.removeprefix("::"))) and _takes(g, call)
            if f is function.file or not _is_of_its_file(f, g)
        ]
        visible = [
            (f, g) for f, g in candidates if "::" in written or (not g.owner and not g.scope) or g.scope in scopes
        ]
        chosen = visible or ([] if "::" not in written else candidates)
        if len(chosen) > 1:
            shared = [_common(_qualified(g, "::"), function.record.scope) for _, g in chosen]
            nearest = max(shared)
            chosen = [one for one, common in zip(chosen, shared, strict=True) if common == nearest]
            same = [(f, g) for f, g in chosen if f is function.file]
            chosen = same if same and not self._agreed(chosen) else chosen
        models = self._models(written, scopes)
        if not chosen:
            result, fit = self.models.returns(written, scopes)
            if result or not models:
                return Callee(written, models=models, certainty=fit, result=result)
        certainty: Certainty = "certain" if self._agreed(chosen) and chosen else "possible"
        if not chosen and models:
            certainty = models[0].certainty
        certainty = because(certainty, _by_name(name, bool(chosen), agreed=False))
        symbol = _qualified(chosen[0][1], "::") if chosen else models[0].name
        return self._made(symbol, chosen, models, certainty, None)

    def _models(self, symbol: str, scopes: tuple[str, ...]) -> tuple[FunctionModel, ...]:
        return self.models.function(symbol, "cpp", scopes)

    def _agreed(self, found: Sequence[tuple[r.File, r.Function]]) -> bool:
        return len({_plain(record.result) for _, record in found if record.result}) == 1

    def _made(
        self,
        symbol: str,
        found: Sequence[tuple[r.File, r.Function]],
        models: tuple[FunctionModel, ...],
        certainty: Certainty,
        owner: Class | None,
        result: str = "",
    ) -> Callee:
        records = tuple(record for _, record in found)
        if not result and self._agreed(found):
            result = next(record.result for record in records if record.result)
        functions = tuple(self._definitions(found, owner))
        if types.parse(result).is_placeholder and len(functions) == 1:
            result = self.inferred_result(functions[0], 4)
        return Callee(symbol, records, functions, models, certainty, owner, result)

    def _definitions(self, found: Sequence[tuple[r.File, r.Function]], owner: Class | None) -> Iterator[Function]:
        """Definitions of what was found: the same record, or the class's method of that name and arity."""
        seen: set[int] = set()
        for file, record in found:
            views = self._views_by_record(file)
            view = views.get(id(record))
            if view is None and owner is not None:
                view = next(
                    (m for m in owner.defined(record.name) if len(m.record.parameters) == len(record.parameters)), None
                )
            if view is None and owner is None:
                view = self._definition_elsewhere(record)
            if view is not None and id(view) not in seen:
                seen.add(id(view))
                yield view

    def _views_by_record(self, file: r.File) -> dict[int, Function]:
        if file.path not in self._records:
            self._records[file.path] = {
                id(view.record): view
                for index in range(len(file.functions))
                if (view := self._views.get((file.path, index)))
            }
        return self._records[file.path]

    @shared_property
    def _records(self) -> dict[str, dict[int, Function]]:
        return {}

    def _definition_elsewhere(self, record: r.Function) -> Function | None:
        wanted = _qualified(record, "::")
        spend(len(self._functions_by_last.get(record.name, ())))
        matching = [
            view
            for file, other in self._functions_by_last.get(record.name, ())
            if other.defined and _qualified(other, "::") == wanted and len(other.parameters) == len(record.parameters)
            if (view := self._views_by_record(file).get(id(other)))
        ]
        return matching[0] if len(matching) == 1 else None

    def star_import(self, file: r.File, symbol: str) -> str:
        """What `*.Module.parse`, a name only a star import can have bound, is when a model knows the module's names."""
        name = symbol.removeprefix("*.")
        for imported in file.imports:
            if imported.name == "*" and name.partition(".")[0] in self.models.exports(imported.target):
                return f"{imported.target}.{name}"
        return ""

    def has_comment_near(self, file: r.File, span: r.Span) -> bool:
        """Whether a comment stands before `span`, on its line or the one above, or behind it on its last line."""
        before = bisect_right(file.comments[1::2], span.start) - 1
        above = before >= 0 and bool(file.comment_lines) and span.start <= file.comment_lines[2 * before + 1]
        return above or self.has_comment_behind(file, span)

    def has_comment_inside(self, file: r.File, span: r.Span) -> bool:
        """Whether a comment begins inside `span`."""
        starts = file.comments[::2]
        after = bisect_left(starts, span.start)
        return after < len(starts) and starts[after] < span.end

    def has_comment_behind(self, file: r.File, span: r.Span) -> bool:
        """Whether a comment stands behind `span`, on the line of its end."""
        after = bisect_left(file.comments[::2], span.end)
        return 2 * after < len(file.comment_lines) and file.comment_lines[2 * after] <= span.end

    def target(self, function: Function, write: e.Write) -> r.Value | None:
        """The expression a write assigns to."""
        return function.targets.get(write.span.start)

    def is_voided(self, function: Function, span: r.Span) -> bool:
        """Whether the expression at `span` is all of a `(void)x;`."""
        return any(statement.start <= span.start < statement.end for statement in function.voided)

    def callers(self, function: Function) -> list[Function]:
        """Functions of the project that call something of this name; ask `callee` whether it is this one."""
        return self.callers_by_name(function.name)

    def callers_by_name(self, name: str) -> list[Function]:
        return self._callers_by_name.get(name, [])

    @property
    def called_names(self) -> Iterable[str]:
        """Last names of all that is called somewhere."""
        return self._callers_by_name.keys()

    @shared_property
    def asserting(self) -> frozenset[str]:
        """Names of what is called somewhere and is compiled in debug builds alone, with what it is given."""
        return frozenset(name for name in self.called_names if self.macros.role(name) == "assert")

    @shared_property
    def throwers(self) -> frozenset[str]:
        """Names of the project's own functions that throw by themselves. Needs no decoding."""
        return frozenset(function.name for function in self.functions if function.says(_THROWS))

    @shared_property
    def accessors(self) -> dict[str, frozenset[str]]:
        """For each name, the short functions without parameters that say it. Needs no decoding."""
        return self._short_sayers(lambda function: not function.record.parameters)

    @shared_property
    def comparers(self) -> dict[str, frozenset[str]]:
        """For each name, the short functions with parameters that answer a bool and say it. Needs no decoding."""
        return self._short_sayers(lambda found: found.record.result == "bool" and bool(found.record.parameters))

    def _short_sayers(self, wanted: Callable[[Function], bool]) -> dict[str, frozenset[str]]:
        out: dict[str, set[str]] = {}
        for function in self.functions:
            if function.is_short and wanted(function):
                for said in _SAID.findall(bytes(function.record.body)):
                    out.setdefault(said.decode(), set()).add(function.name)
        return {name: frozenset(functions) for name, functions in out.items()}

    @shared_property
    def _callers_by_name(self) -> dict[str, list[Function]]:
        out: dict[str, list[Function]] = {}
        for function in self.functions:
            for name in function.record.mentions:
                if not name.startswith("="):
                    out.setdefault(name, []).append(function)
        return out


_THROWS = re.compile(rb'"throw"')
_SAID = re.compile(rb'"([A-Za-z_]\w*)"')


def _inside(inner: r.Node, outer: r.Node) -> bool:
    return outer.start <= inner.start and inner.end <= outer.end


def _last(name: str) -> str:
    return name.rsplit("::", 1)[-1].rsplit(".", 1)[-1]


def _suffix(full: str, part: str) -> bool:
    """Whether `part` names `full` from somewhere inside its scopes: `b::C` names `a::b::C`."""
    return full == part or full.endswith(("::" + part, "." + part))


def _is_of_its_file(file: r.File, record: r.Function) -> bool:
    """A static function of a source file, which no other file can call."""
    return (
        "static" in record.qualifiers and not record.owner and file.path.endswith((".c", ".cc", ".cpp", ".cxx", ".cu"))
    )


def _suffix_path(path: str, included: str) -> bool:
    return path == included or path.endswith("/" + included)


def _join(alias: r.Alias) -> str:
    return f"{alias.scope}::{alias.name}" if alias.scope else alias.name


def _names_constructors(alias: r.Alias) -> bool:
    """`using Base::Base` in a class: it takes the constructors over, and names no type."""
    parts = types.parse(alias.target).name.split("::")
    return alias.kind == "using" and bool(alias.scope) and parts[-2:] == [alias.name, alias.name]


def _qualified(record: r.Function, separator: str) -> str:
    return record.scope + separator + record.name if record.scope else record.name


def _common(one: str, other: str) -> int:
    """How many leading scopes two names share."""
    count = 0
    for left, right in zip(one.split("::"), other.split("::"), strict=False):
        if left != right:
            break
        count += 1
    return count


def _stem(path: str) -> str:
    return path.rsplit(".", 1)[0]


def _plain(written: str) -> str:
    kind = types.parse(written)
    return kind.last + "<" + ",".join(kind.arguments) + ">" + "*" * kind.pointers + "&" * kind.reference


def fits(given: str, taken: str) -> bool:
    """Whether a value of one type can be an argument of another, as far as builtin types tell: a `size_t` is no
    `Stream&`, and a `char*` no `Node*`."""
    one, other = types.parse(given), types.parse(taken)
    if not given or not one.is_scalar or other.is_scalar or other.is_placeholder or other.last == "void":
        return True
    if one.pointers:
        return not (one.pointers == other.pointers and not other.reference)
    return not other.pointers and (not other.reference or other.const)


def _takes(record: r.Function, call: r.Call) -> bool:
    """Whether a function can take as many arguments as the call gives."""
    given = len(call.args)
    if any(isinstance(arg, r.Unary) and arg.op.startswith("spread") for arg in call.args):
        return True
    parameters = record.parameters
    if any(p.spread or p.type.endswith("...") or p.name == "..." or p.type == "..." for p in parameters):
        return True
    required = sum(1 for p in parameters if p.default is None)
    return required <= given <= len(parameters)


def _name_start(callee: r.Value) -> int:
    match callee:
        case r.Member():
            return callee.name_start
        case r.Name(text=name):
            return callee.end - len(_last(name).encode()) if "::" in name else callee.start
    return -1
