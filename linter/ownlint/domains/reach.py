"""Which functions of the project run where, on the way to some that matter: those that lock, those that call back."""

from __future__ import annotations

from collections.abc import Iterable

from ownlint.bindings import keeping
from ownlint.domains import locks
from ownlint.engine import overrides
from ownlint.engine.assignments import place
from ownlint.facts import records as r
from ownlint.flow import events as e
from ownlint.flow.places import THIS, Place, last_name, strip
from ownlint.project import types
from ownlint.project.program import Program
from ownlint.project.questions import program_question
from ownlint.project.subjects import Class, Function

DEEPEST = 6
"""So many callees below one another are asked: each level more multiplies what a large project costs."""


class Reach:
    """The ways through a program that come to one of some functions."""

    def __init__(self, program: Program, wanted: Iterable[Function]) -> None:
        self.program = program
        queue = [function for function in wanted if function.language == "cpp"]
        self.own = frozenset(queue)
        names = {function.name for function in queue}
        deleting: set[Function] = set()
        for function in queue:
            above = program.index.callers(function)
            if function.record.kind == "destructor" and function.home is not None:
                deleters = _deleters(program).get(function.home, ())
                deleting.update(deleters)
                above = [*above, *deleters]
            for caller in above:
                if caller.name not in names:
                    names.add(caller.name)
                    queue.append(caller)
        self.names = frozenset(names)
        """Last names of what comes there, by what bodies mention."""
        self._deleting = frozenset(deleting)

    def may_come(self, function: Function) -> bool:
        """Whether a body can come there, by itself or by what it calls or deletes. Needs no decoding."""
        return function in self.own or function in self._deleting or not self.names.isdisjoint(function.mentioned)

    def runs(self, function: Function, event: e.Event) -> Function | None:
        """The one function that an event runs and that may come there, where it is clear which runs."""
        match event:
            case e.CallEvent(node=node) if node.kind == "call" and last_name(node.callee) in self.names:
                found = self.program.calls.callee(node, function)
                bodies = found.functions or (overrides.below(found, self.program) if overrides.is_pure(found) else ())
                if len(bodies) == 1 and found.certainty == "certain" and "virtual" not in bodies[0].record.qualifiers:
                    return bodies[0] if bodies[0] is not function else None
            case e.CallEvent(node=r.Call(kind="delete") as node) if function in self._deleting:
                cls = _deleted(function, node)
                end = cls.destructor if cls is not None else None
                return end if end is not None and end is not function and self.may_come(end) else None
            case e.CallEvent(node=r.Call(template=written, args=args) as node) if written and keeping.is_maker(node):
                return self._constructor(function, types.arguments_of(written)[0], len(args))
            case e.CallEvent(node=r.Call(kind="construct" | "new", callee=r.Name(text=name), args=args)):
                return self._constructor(function, name, len(args))
            case e.Write(fresh=True, value=None, type=written) if written and types.parse(written).is_value:
                return self._constructor(function, written, 0)
        return None

    def _constructor(self, function: Function, written: str, given: int) -> Function | None:
        program = self.program
        meant = program.names.expand(written, function.file, function.record.scope)
        if types.parse(meant).last not in self.names:
            return None
        cls = program.names.find_class(meant, function.record.scope, function.file)
        fitting = [one for one in cls.constructors if len(one.record.parameters) == given] if cls is not None else []
        return fitting[0] if len(fitting) == 1 else None


@program_question
def _deleters(program: Program) -> dict[Class, tuple[Function, ...]]:
    """The functions that delete objects of a class by a pointer to it: these run its destructor, if not others too."""
    found: dict[Class, dict[Function, None]] = {}
    for function in program.index.callers_by_name("delete"):
        if function.language != "cpp":
            continue
        for call in function.calls():
            cls = _deleted(function, call) if call.kind == "delete" else None
            if cls is not None:
                found.setdefault(cls, {})[function] = None
    return {cls: tuple(functions) for cls, functions in found.items()}


def _deleted(function: Function, call: r.Call) -> Class | None:
    """The class of the project whose object `delete` ends."""
    written = function.program.types.of(call.args[0], function)
    if not written or types.parse(written).pointers != 1:
        return None
    return next(function.program.types.classes_of(written, function), None)


def outside(function: Function, event: e.Event, callee: Function, lock: Place) -> Place:
    """A place of the callee's as the caller knows it; below `ELSEWHERE` where it may be another object's."""
    unknown = locks.ELSEWHERE, lock[-1]
    if len(lock) == 1 and lock[0] not in callee.declared:
        return lock
    if not isinstance(event, e.CallEvent):
        return unknown
    if callee.record.kind == "constructor":
        lock = _as_given(callee, lock)
        if lock[0] == THIS:
            return unknown
    if lock[0] == THIS:
        if event.node.kind == "delete":
            root = place(function, event.node.args[0])
            return (*root, *lock[1:]) if root is not None and _stays(function, root) else unknown
        if event.receiver is not None:
            return (*event.receiver, *lock[1:]) if _stays(function, event.receiver) else unknown
        around = function.home.ancestry if function.home is not None else ()
        own = isinstance(event.node.callee, r.Name) and callee.home is not None and callee.home in around
        return lock if own else unknown
    for parameter, argument in zip(callee.record.parameters, event.node.args, strict=False):
        if parameter.name == lock[0]:
            root = place(function, argument)
            return (*root, *lock[1:]) if root is not None and _stays(function, root) else unknown
    return unknown


def _as_given(made: Function, lock: Place) -> Place:
    """A place below a member that a constructor makes refer to what a parameter does, by that parameter."""
    field = made.cls.field(lock[1]) if made.cls is not None and lock[0] == THIS and len(lock) > 2 else None
    kind = types.parse(field[1].type) if field is not None else None
    if kind is None or not (kind.reference or kind.pointers):
        return lock
    given = [one.args[0] for one in made.record.initializers if one.name == lock[1] and len(one.args) == 1]
    names = made.parameter_names
    root = strip(given[0]) if len(given) == 1 else None
    return (root.text, *lock[2:]) if isinstance(root, r.Name) and root.text in names else lock


def _stays(function: Function, where: Place) -> bool:
    """Whether what a place stands for cannot change within the function, as far as the function itself says."""
    return where[0] == THIS or (len(where) == 1 and len(function.flow.writes_to(where)) <= 1)
