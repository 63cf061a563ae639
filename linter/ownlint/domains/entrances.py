"""From where a function is entered: Python calls it with its lock held, a binding may give that up first, a thread
never has it.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Iterator
from typing import NamedTuple

from ownlint.bindings import stored
from ownlint.bindings.policies import Policies
from ownlint.bindings.targets import Target, target_of
from ownlint.domains import gil, locks
from ownlint.engine.conditions import computed_once
from ownlint.facts import records as r
from ownlint.finding import Step
from ownlint.flow import events as e
from ownlint.flow.places import THIS, last_name, strip, walk
from ownlint.project import types
from ownlint.project.files import File
from ownlint.project.program import Program
from ownlint.project.questions import program_question
from ownlint.project.signatures import accepts
from ownlint.project.subjects import Binding, Class, Function

_WORD = re.compile(r"\w+")
_THREAD = re.compile(rb"thread")
_DEEPEST = 3
_MOST_CALLERS = 400
"""Of so many functions, directly or not, one can be called and still be known to run on one thread."""


def initialises_module(function: Function) -> bool:
    """Whether the interpreter calls it when it imports a module of C or C++: by its name, by the type of its result, or
    as what a macro begins (`PYBIND11_MODULE(name, m) {`)."""
    if function.name.startswith("PyInit_") or "PyMODINIT_FUNC" in function.record.result:
        return True
    return function.name.endswith("_MODULE")


def runs_at_import(function: Function, depth: int = _DEEPEST) -> bool:
    """Whether it runs when a module is imported, and never again."""
    if initialises_module(function):
        return True
    callers = function.program.index.callers(function) if depth else []
    return bool(callers) and all(runs_at_import(caller, depth - 1) for caller in callers if caller is not function)


class Entrance(NamedTuple):
    """`why` is `binding` (called by Python), `guard` (called by Python, behind a guard that gives the lock up) or
    `thread`; `at` is where that is said."""

    why: str
    state: gil.GilState
    at: Step
    sure: bool = True
    alone: bool = False
    """Whether the thread is kept in a variable of the program, so that there is one at a time."""


class Entrances:
    """How the functions of one program are entered by others than its own callers."""

    def __init__(self, program: Program) -> None:
        self.program = program
        self.known: dict[Function, list[Entrance]] = {}
        for binding in program.bindings:
            self._bound(binding)
        for file in program.files.values():
            for bound in file.bound_classes:
                self._ended(file, bound)
            for table in file.tables if file.language == "cpp" else ():
                self._listed(file, table)
        for function in program.functions:
            if function.language == "cpp":
                for started, at, sure in spawned(function):
                    step = function.step(at, "runs on another thread, which does not hold the lock")
                    self._add(started, Entrance("thread", gil.RELEASED, step, sure, sure and _is_alone(function, at)))

    def of(self, function: Function) -> list[Entrance]:
        return self.known.get(function, [])

    @functools.cached_property
    def has_thread_alone(self) -> bool:
        """Whether the program keeps a thread in a variable."""
        return any(one.alone for entered in self.known.values() for one in entered)

    def _add(self, function: Function, entrance: Entrance) -> None:
        self.known.setdefault(function, []).append(entrance)

    def _listed(self, file: File, table: r.Table) -> None:
        """The functions that a table of C gives Python to call."""
        for line in table.entries if table.kind in ("method", "property") else ():
            for given in (line.function, line.setter):
                name = last_name(given) if isinstance(given, r.Name) else ""
                named = self.program.index.functions_called(name) if name else ()
                here = [one for one in named if one.file is file and one.record.kind == "function"]
                if len(here) == 1:
                    step = Step(file.path, line.span, f"Python calls it as `{line.name}` while it holds the GIL")
                    self._add(here[0], Entrance("binding", gil.HELD, step))

    def _ended(self, file: File, bound: r.BoundClass) -> None:
        """The destructor of a bound class: Python ends its objects."""
        framework = self.program.models.frameworks.get(bound.framework)
        cls = self.program.names.find_class(self.program.names.expand(bound.type, file, at=bound.start), "", file)
        if framework is None or cls is None or cls.destructor is None:
            return
        if any(framework.extras.get(extra.name) == "call guard" for extra in bound.extras):
            return
        step = Step(file.path, bound.span, f"Python destroys objects of `{bound.name}` while it holds the GIL")
        self._add(cls.destructor, Entrance("binding", gil.HELD, step))

    def _bound(self, binding: Binding) -> None:
        called = _called_by(binding)
        if not called:
            return
        extra = releasing(binding)
        if extra is not None:
            step = binding.step(extra, f"`{binding.symbol}` is called with the GIL released")
            entrance = Entrance("guard", gil.RELEASED, step)
        else:
            step = binding.step(binding.record, f"Python calls it as `{binding.symbol}` while it holds the GIL")
            entrance = Entrance("binding", gil.HELD, step)
        for function in called:
            self._add(function, entrance)


@program_question
def entrances(program: Program) -> Entrances:
    """The entrances of a program; one object a program, since they are looked for once."""
    return Entrances(program)


def guarded(function: Function) -> Entrance | None:
    """How it is entered without the lock, when it is."""
    found = [one for one in entrances(function.program).of(function) if one.state is gil.RELEASED]
    return next(iter(sorted(found, key=lambda one: not one.sure)), None)


def held(function: Function) -> Entrance | None:
    """How it is entered with the lock held, when that is the only way."""
    found = entrances(function.program).of(function)
    return found[0] if found and all(one.state is gil.HELD for one in found) else None


def entry(function: Function) -> gil.GilState:
    """What is known of the lock where the function begins."""
    found = {one.state for one in entrances(function.program).of(function)}
    return found.pop() if len(found) == 1 else gil.RELEASED if gil.RELEASED in found else gil.UNKNOWN


def only_thread(function: Function) -> Function | None:
    """The function with which the one thread begins that runs this one; None where several threads may run it, and
    where its callers are not known."""
    known = entrances(function.program)
    if not known.has_thread_alone:
        return None
    seen, left, begun = {function}, [function], set[Function]()
    while left:
        one = left.pop()
        entered, callers = known.of(one), list(_callers(one))
        if not all(entrance.why == "thread" and entrance.alone for entrance in entered):
            return None
        if entered:
            begun.add(one)
        elif not callers or one.record.kind == "lambda":
            return None
        new = [caller for caller in callers if caller not in seen]
        seen.update(new)
        left += new
        if len(seen) > _MOST_CALLERS or len(begun) > 1:
            return None
    return begun.pop() if begun else None


def _callers(function: Function) -> Iterator[Function]:
    """The functions that may call it. One that says its name does not where each call of that name is known to come to
    others: to the method of another class, in another language."""
    for caller in function.program.index.callers(function):
        if caller.language != function.language and function.is_method:
            continue
        calls = [event.node for event in caller.flow.calls if last_name(event.node.callee) == function.name]
        if not calls or any(may_come_to(function, call, caller) for call in calls):
            yield caller


def may_come_to(function: Function, call: r.Call, caller: Function) -> bool:
    """Whether a call of its name may run the function."""
    if caller.language == "cpp" and not (
        _is_called_so(function, call, caller) and accepts(function.record, len(call.args))
    ):
        return False
    found = function.program.calls.callee(call, caller)
    if not found.functions or found.certainty != "certain" or function in found.functions:
        return True
    return any(locks.overrides(function, one) for one in found.functions)


def _is_called_so(function: Function, call: r.Call, caller: Function) -> bool:
    """Whether a call by a name alone can mean it: a method from where its class is known, or by the class's name."""
    callee = strip(call.callee)
    if not isinstance(callee, r.Name) or function.home is None:
        return True
    qualifier = callee.text.rpartition("::")[0]
    if qualifier:
        return types.parse(qualifier).last == function.home.name
    return caller.home is not None or caller.parent is not None


# --- bindings --------------------------------------------------------------------------------------


def callable_of(binding: Binding) -> Target | None:
    """The C++ that runs when Python calls; of a constructor that is written out, its factory."""
    value = binding.record.callable
    if binding.record.kind == "init" and isinstance(value, r.Call) and value.args:
        inner = strip(value.args[0])
        function = (
            binding.program.index.function_at(binding.file, inner.function) if isinstance(inner, r.Lambda) else None
        )
        return Target("", function, None, 1) if function is not None else None
    if binding.record.kind in ("field", "field_rw", "init"):
        return None
    return target_of(binding)


def _called_by(binding: Binding) -> tuple[Function, ...]:
    """The functions of the project that run when Python calls: of `init<A>()`, the constructor that takes an `A`."""
    target = callable_of(binding)
    if target is not None:
        return (target.function,) if target.function is not None else ()
    call = strip(binding.record.callable)
    if binding.record.kind != "init" or not isinstance(call, r.Call) or call.args or binding.owner is None:
        return ()
    scope = binding.around.record.scope if binding.around is not None else ""
    cls = binding.program.names.find_class(binding.owner.type, scope, binding.file)
    return stored.constructors_for(cls, types.arguments_of(call.template))[:1] if cls is not None else ()


def releasing(binding: Binding) -> r.Extra | None:
    """The extra that gives the lock up around each call."""
    framework = binding.program.models.frameworks.get(binding.record.framework)
    if framework is None:
        return None
    ignored = framework.facts.get("keep_alive_on_property") == "ignored"
    if ignored and binding.record.kind in ("property", "property_rw"):
        return None
    scope = binding.around.record.scope if binding.around is not None else ""
    for extra, spelled in Policies(binding, framework).extras:
        meant = {framework.extras.get(word) for word in _WORD.findall(spelled)} if '"' not in spelled else set()
        if "call guard" in meant and "drop" in gil.guards_in(binding.program, spelled, binding.file, scope):
            return extra
    return None


# --- threads -----------------------------------------------------------------------------------------


def spawned(function: Function) -> Iterator[tuple[Function, e.Event, bool]]:
    """The functions that another thread runs, where the function hands them over, and whether that is sure."""
    yield from _begun_with(function)
    if not _may_spawn(function):
        return
    for call in function.flow.calls:
        given, sure = _handed_over(function, call)
        for value in given:
            started = meant(function, value)
            if started is not None:
                yield started, call, sure


def _begun_with(function: Function) -> Iterator[tuple[Function, e.Event, bool]]:
    """Threads that are members and begin with their object."""
    if function.home is None or not function.record.initializers or not has_threads(function.home):
        return
    for write in function.flow.writes:
        found = function.home.field(write.place[-1]) if write.op == "init" else None
        if found is not None and is_thread(function, found[1].type):
            given = write.value.args[0] if isinstance(write.value, r.Call) and write.value.args else write.value
            started = meant(function, given)
            if started is not None:
                yield started, write, True


def _is_alone(function: Function, at: e.Event) -> bool:
    """`state.worker = std::thread(Run);`, for a variable outside of functions and classes."""
    return any(
        write.value is not None
        and at.span.start in write.value.span
        and write.place[0] not in function.declared
        and write.place[0] != THIS
        and (function.home is None or function.home.field(write.place[0]) is None)
        for write in function.flow.writes
    )


def _may_spawn(function: Function) -> bool:
    """Needs no decoding."""
    mentions, program = function.mentioned, function.program
    if not _spawn_words(program).isdisjoint(mentions) or not _pools(program).isdisjoint(mentions):
        return True
    threaded = (function.home is not None and has_threads(function.home)) or function.says(_THREAD)
    return threaded and not program.models.containers.appends.isdisjoint(mentions)


@program_question
def _spawn_words(program: Program) -> frozenset[str]:
    """Last names of what starts threads."""
    return program.models.names_of("thread") | program.models.functions_with("spawn")


@program_question
def _pools(program: Program) -> frozenset[str]:
    """Last names of the methods that a class with threads of its own has."""
    return frozenset(record.name for cls in _threaded(program) for record in cls.declarations if record.parameters)


def has_threads(cls: Class) -> bool:
    """Whether its objects have threads of their own."""
    return cls in _threaded(cls.program)


@program_question
def _threaded(program: Program) -> frozenset[Class]:
    return frozenset(
        cls
        for cls in program.classes
        if any(
            "thread" in program.types.roles_at(part, cls.file, cls.symbol)
            for field in cls.record.fields
            for part in (field.type, types.element(field.type))
            if part
        )
    )


def is_thread(function: Function, written: str) -> bool:
    kind = types.parse(written)
    return "thread" in function.program.types.roles(kind.name, function)


def _handed_over(function: Function, call: e.CallEvent) -> tuple[list[r.Value], bool]:
    node, program = call.node, function.program
    if isinstance(node.callee, r.Name) and is_thread(function, node.callee.text):
        return list(node.args[:1]), True
    if (
        node.kind == "call"
        and last_name(node.callee) in program.models.containers.appends
        and call.receiver is not None
    ):
        assert isinstance(node.callee, r.Member)
        element = types.element(program.types.of(node.callee.base, function))
        return (list(node.args[:1]), True) if element and is_thread(function, element) else ([], True)
    if node.kind in ("construct", "new") or last_name(node.callee) not in _interesting(program):
        return [], True
    callee = program.calls.callee(node, function)
    for model in callee.models:
        for effect in model.effects:
            if effect.verb == "spawn" and effect.place is not None:
                at = effect.place.index
                return list(node.args) if at < 0 else list(node.args[at : at + 1]), True
    if callee.owner is not None and callee.certainty == "certain" and has_threads(callee.owner):
        return [
            value
            for value, parameter in zip(node.args, callee.records[0].parameters if callee.records else (), strict=False)
            if is_kept(callee.functions, parameter.name)
        ], False
    return [], True


@program_question
def _interesting(program: Program) -> frozenset[str]:
    return _spawn_words(program) | _pools(program) | program.models.containers.appends


def is_kept(functions: tuple[Function, ...], name: str) -> bool:
    """Whether the function keeps the parameter for later."""
    for function in functions:
        for event in function.flow:
            match event:
                case e.Write(place=("this", *_), value=value) if _says(value, name):
                    return True
                case e.CallEvent(receiver=("this", *_), node=r.Call(args=args)) if any(
                    _says(one, name) for one in args
                ):
                    return True
    return False


def _says(value: r.Value | None, name: str) -> bool:
    for part in walk(value):
        if isinstance(part, r.Name) and part.text == name:
            return True
        if isinstance(part, r.Lambda) and any(capture.name == name for capture in part.captures):
            return True
    return False


def _pointed(value: r.Value | None) -> r.Value | None:
    """What a pointer to a function is made of: `&f`, `+[] { .. }`."""
    inner = strip(value)
    while isinstance(inner, r.Unary) and inner.op in ("&", "+"):
        inner = strip(inner.value)
    return inner


def meant(function: Function, value: r.Value | None, depth: int = 0) -> Function | None:
    """The function that a value stands for: a lambda, the name of one, a pointer to one, a local that holds one of
    these from its declaration on, one of these bound to arguments, or what a function of the project makes."""
    program, inner = function.program, _pointed(value)
    if isinstance(inner, r.Lambda):
        return program.index.function_at(function.file, inner.function)
    if isinstance(inner, r.Call):
        is_around = inner.kind == "construct" and len(inner.args) == 1
        if inner.args and (is_around or last_name(inner.callee) in ("bind", "bind_front", "function")):
            return meant(function, inner.args[0], depth)
        return _made(function, inner, depth) if depth < _DEEPEST else None
    if isinstance(inner, r.Conditional):  # `on ? Report : NULL`
        sides = (meant(function, side, depth) for side in (inner.then, inner.other))
        return next((side for side in sides if side is not None), None)
    if not isinstance(inner, r.Name):
        return None
    if inner.text in function.locals:
        held_by = _pointed(computed_once(function, inner.text))
        is_name = isinstance(held_by, r.Name) and held_by.text not in function.declared
        return meant(function, held_by, depth) if isinstance(held_by, r.Lambda | r.Call) or is_name else None
    owner, _, last = inner.text.rpartition("::")
    cls = program.names.find_class(owner, function.record.scope, function.file) if owner else function.home
    if cls is not None and (methods := cls.defined(last)):
        return methods[0] if len(methods) == 1 else None
    free = [
        one
        for one in program.index.functions_called(last)
        if one.language == "cpp" and one.record.kind == "function"
        if not owner or one.record.scope.endswith(owner)
    ]
    near = [one for one in free if one.file is function.file] or free
    return near[0] if len(near) == 1 else None


def _made(function: Function, call: r.Call, depth: int) -> Function | None:
    """The one lambda that a function of the project returns."""
    callee = function.program.calls.callee(call, function)
    if len(callee.functions) != 1 or callee.certainty != "certain":
        return None
    (maker,) = callee.functions
    if not any(True for _ in maker.lambdas()):
        return None
    made = {
        meant(maker, one.value, depth + 1)
        for one in maker.statements
        if isinstance(one, r.Leave) and one.kind == "return" and one.value is not None
    }
    return made.pop() if len(made) == 1 else None
