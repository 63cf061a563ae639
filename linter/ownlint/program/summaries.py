"""The project's own functions as effects: what a call of one of them means for ownership.

A summary speaks the models' vocabulary (`Effect`), so that nobody behind it asks whether a callee is a library's or
the project's. It is computed from the body on demand; calls inside it act through their own summaries, and nobody knows
is no effect.
"""

from __future__ import annotations

from ownlint.facts import records as r
from ownlint.program import events as e
from ownlint.program import types
from ownlint.program.model_records import Effect
from ownlint.program.model_records import Place as Role
from ownlint.program.once import per_program
from ownlint.program.places import THIS, place_of, strip, walk
from ownlint.program.program import Program
from ownlint.program.recursion import Circular
from ownlint.program.subjects import Function

Summary = frozenset[tuple[str, str, str]]
"""`(verb, place, other)` of each effect, places as `receiver`, `result`, `argument N` (from 1)."""


class Summaries:
    """The summaries of one program."""

    def __init__(self, program: Program) -> None:
        self.program = program
        self._known: Circular[Function, Summary] = Circular(frozenset())

    def of(self, function: Function) -> tuple[Effect, ...]:
        """The effects of calling `function`, in a fixed order."""
        return tuple(_effect(*parts) for parts in sorted(self._of(function)))

    def effects(self, call: r.Call, function: Function) -> tuple[Effect, ...]:
        """What a call means: by the models where they know it, else by the summary of the project's own callee."""
        callee = self.program.callee(call, function)
        known = tuple(effect for model in callee.models for effect in model.effects)
        if known:
            return known
        summaries = [self._of(target) for target in callee.functions]
        if not summaries or len(callee.functions) != len(callee.records):
            return ()
        common = frozenset.intersection(*summaries)
        return tuple(_effect(*parts) for parts in sorted(common))

    def _of(self, function: Function) -> Summary:
        return self._known.ask(function, lambda: self._once(function))

    def _once(self, function: Function) -> Summary:
        numbers = {p.name: f"argument {i}" for i, p in enumerate(function.record.parameters, 1) if p.name}
        found: set[tuple[str, str, str]] = set()
        if self._fails(function):
            found.add(("may fail", "", ""))
        flow = function.flow
        for event in flow:
            if event.index not in flow.reachable:
                continue
            match event:
                case e.Write(place=place, value=value) if place[0] == THIS and (
                    kept := self._who(value, function, numbers)
                ):
                    if kept != "receiver" and self._is_pointer(value, function):
                        found.add(("keep", kept, "receiver"))
                case e.Leave(kind="return", value=value) if value is not None:
                    if (source := self._borrowed(value, function, numbers)) is not None:
                        found.add(("borrow", "result", source))
                case e.Call():
                    found |= self._from_call(event, function, numbers)
        if function.cls is not None and self._validates(function):
            found.add(("validate", "receiver", ""))
        return frozenset(found)

    def _from_call(self, event: e.Call, function: Function, numbers: dict[str, str]) -> set[tuple[str, str, str]]:
        """What a call inside means for our own receiver and arguments: release, keep, invalidate."""
        node = event.node
        if node.kind == "delete":
            return {("release", who, "") for argument in node.args if (who := self._who(argument, function, numbers))}
        callee = self.program.callee(node, function)
        parts: set[tuple[str, str, str]] = {
            (effect.verb, str(effect.place or ""), str(effect.other or ""))
            for model in callee.models
            for effect in model.effects
        }
        if not parts:
            for target in callee.functions[:1]:
                parts |= self._of(target)
        found: set[tuple[str, str, str]] = set()
        for verb, place, other in parts:
            if verb not in ("release", "adopt", "keep", "invalidate", "validate"):
                continue
            where = self._translate(place, event, function, numbers)
            beside = self._translate(other, event, function, numbers) if other else ""
            if where and (not other or beside):
                found.add((verb, where, beside))
        return found

    def _translate(self, place: str, event: e.Call, function: Function, numbers: dict[str, str]) -> str:
        """A callee's place as our own: its receiver may be our argument."""
        if place == "receiver":
            if event.receiver is None:
                return "receiver" if isinstance(event.node.callee, r.Name) and function.cls is not None else ""
            return (
                "receiver"
                if event.receiver == (THIS,)
                else numbers.get(event.receiver[0], "")
                if len(event.receiver) == 1
                else ""
            )
        if place.startswith("argument "):
            index = int(place.split()[1]) - 1
            if index < len(event.node.args):
                return self._who(event.node.args[index], function, numbers)
        return ""

    def _who(self, value: r.Value | None, function: Function, numbers: dict[str, str]) -> str:
        """`argument N` when the value is that parameter itself, `receiver` for `this`."""
        inner = strip(value)
        if isinstance(inner, r.Unary) and inner.op == "&":
            inner = inner.value
        if isinstance(inner, r.Name):
            if inner.text == THIS:
                return "receiver"
            return numbers.get(inner.text, "")
        return ""

    def _is_pointer(self, value: r.Value | None, function: Function) -> bool:
        kind = types.parse(self.program.type_of(strip(value), function))
        return bool(kind.pointers) or kind.reference

    def _borrowed(self, value: r.Value, function: Function, numbers: dict[str, str]) -> str | None:
        """Whom a returned pointer or reference points into."""
        result = types.parse(function.record.result)
        if not (result.pointers or result.reference):
            return None
        inner = strip(value)
        if isinstance(inner, r.Call) and inner.kind == "new":
            return None
        members = function.home.members if function.home is not None else frozenset()
        place = place_of(inner, function.flow.aliases, members - function.declared)
        if place is None:
            return None
        if place[0] == THIS and len(place) > 1:
            return "receiver"
        return numbers.get(place[0]) if len(place) > 1 else None

    def _fails(self, function: Function) -> bool:
        if self.program.status(function.record.result, function) is not None:
            return True
        flow = function.flow
        return any(
            leave.kind == "throw"
            and leave.index in flow.reachable
            and any(t == flow.exit for t, _ in flow.successors[leave.index])
            for leave in flow.leaves
        )

    def _validates(self, function: Function) -> bool:
        """A method that throws, or aborts, when a member of its own says that it is not valid."""
        if function.record.parameters or types.parse(function.record.result).name not in ("void", ""):
            return False
        for leave in function.flow.leaves:
            if leave.kind != "throw":
                continue
            for test, _ in function.flow.guards(leave):
                members = function.cls.members if function.cls is not None else frozenset()
                if any(
                    (isinstance(v, r.Name) and v.text in members) or isinstance(v, r.Member) for v in walk(test.value)
                ):
                    return True
        return False


def _effect(verb: str, place: str, other: str) -> Effect:
    return Effect(verb, _role(place), _role(other))  # type: ignore[arg-type]


def _role(text: str) -> Role | None:
    if not text:
        return None
    if text.startswith("argument "):
        return Role("argument", int(text.split()[1]))
    return Role(text)  # type: ignore[arg-type]


@per_program
def summaries(program: Program) -> Summaries:
    """The summaries of a program; one object a program, since its answers are remembered."""
    return Summaries(program)


def names(effects: tuple[Effect, ...]) -> list[str]:
    """The effects as a person reads them."""
    return [str(effect) for effect in effects]
