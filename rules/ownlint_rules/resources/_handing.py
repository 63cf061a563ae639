"""Which calls hand out an owned handle: those that acquire one, and those that make an owner give up what it owns
(`release`, `detach`, and the project's own ways of saying so)."""

from __future__ import annotations

import re

from ownlint import Certainty, Class, Function, Program, because, habits, pairs, places, questions, resources, types
from ownlint import records as r

_NEW = re.compile(rb'"new"')
_NUMBER = re.compile(r"(?:size_t|ssize_t|bool|void|u?int\d+_t|float|double|long|short|char)?")


class Handing:
    """The methods of one program's owners that give up what is owned; see `handing`."""

    def __init__(self, program: Program) -> None:
        self.program = program
        self._owns: questions.Answers[Class, bool] = questions.Answers()
        self._emptying: questions.Answers[Function, bool] = questions.Answers()
        self.giving_up = frozenset(self._named())
        """Last names of all methods that may make an owner give up what it owns, the libraries' included."""

    def _named(self) -> set[str]:
        mentioned = resources.resources(self.program).mentioned
        found = {name for name in mentioned if "disown" in self.program.models.verbs(name)}
        for cls in self.program.classes:
            if cls.file.language == "cpp" and cls.record.destructor in ("declared", "defined"):
                found |= {m.name for m in cls.methods if self._may_empty(m)}
                found |= {
                    d.name
                    for d in cls.declarations
                    if not d.parameters and habits.GIVES_UP.intersection(pairs.words(d.name))
                }
        return found

    def may_hand_out(self, function: Function) -> bool:
        """False when no call in the body hands anything out; needs no decoding."""
        mentions = function.mentioned
        return function.says(_NEW) or not (self.giving_up.isdisjoint(mentions) and self.acquiring.isdisjoint(mentions))

    @questions.program_property
    def acquiring(self) -> frozenset[str]:
        """Last names of what acquires: by models, by pairs, and of the project's own functions those that do hand out
        an owned handle. A body is read only where it calls something that is known to."""
        found = resources.resources(self.program)
        named = {name for name in found.mentioned if "acquire" in self.program.models.verbs(name)} | found.pairs.names
        real, fresh = set(named), named
        makers = [f for f in self.program.functions if f.name in found.acquiring_names and f.name not in named]
        tried = [f for f in makers if f.says(_NEW) or not fresh.isdisjoint(f.mentioned)]
        while tried:
            makers = [f for f in makers if f not in set(tried)]
            fresh = {f.name for f in tried if (duty := found.duties.of(f)).made is not None or duty.outs} - real
            real |= fresh
            tried = [f for f in makers if not fresh.isdisjoint(f.mentioned)]
        return frozenset(real)

    def gives_up(self, call: r.Call, function: Function) -> Certainty | None:
        """How sure it is that the receiver owned what the call hands out, and does no longer; None when it is not."""
        on = places.receiver(call)
        if on is None or call.args or call.kind != "call" or places.last_name(call.callee) not in self.giving_up:
            return None
        callee = self.program.calls.callee(call, function)
        for model in callee.models:
            if model.has("disown", "receiver") and model.has("acquire", "result"):
                return model.certainty
        written = self.program.types.of(on, function)
        for name in (written, *types.parse(written).arguments[:1]):
            cls = self.program.names.find_class(name, function.record.scope, function.file) if name else None
            if cls is not None and places.last_name(call.callee) in cls.declared_here:
                sure = self._by_class(cls, callee.functions, places.last_name(call.callee), function)
                return None if sure is None else because(sure, _by_its_name(call))
        if not resources.OWNING.isdisjoint(
            self.program.types.roles(written, function)
        ) and habits.GIVES_UP.intersection(pairs.words(places.last_name(call.callee))):
            return because("name", _by_its_name(call))
        return None

    def _by_class(self, cls: Class, functions: tuple[Function, ...], name: str, function: Function) -> Certainty | None:
        if not self._releases(cls):
            return None
        if functions:
            return "certain" if all(self._empties(one) for one in functions) else None
        declared = cls.declared_here.get(name, ())
        if not habits.GIVES_UP.intersection(pairs.words(name)) or not all(
            self._is_raw(one.result, function) for one in declared
        ):
            return None
        return because("name", "")

    def _is_raw(self, written: str, function: Function) -> bool:
        kind = types.parse(written)
        if kind.pointers:
            return True
        return kind.name == "int" or (
            _NUMBER.fullmatch(kind.name) is None
            and resources.resources(self.program).raw(written, function) is not None
        )

    def _releases(self, cls: Class) -> bool:
        """Whether the class ends something when it is destroyed; a destructor that nobody sees is believed."""
        return self._owns.ask(cls, lambda: self._is_owner(cls))

    def _is_owner(self, cls: Class) -> bool:
        destructor = cls.destructor
        seen = cls.record.destructor in ("declared", "defined")
        return seen and (destructor is None or self._ends_something(destructor))

    def _ends_something(self, destructor: Function) -> bool:
        found = resources.resources(self.program)
        if any(found.released(call.node, destructor) for call in destructor.flow.calls):
            return True
        return any(
            found.released(call.node, inner)
            for outer in destructor.flow.calls
            for inner in self.program.calls.callee(outer.node, destructor).functions[:1]
            for call in inner.flow.calls
        )

    def _may_empty(self, method: Function) -> bool:
        """Whether a method may hand out a member and empty it. Needs no decoding."""
        record = method.record
        if record.parameters or not record.result or not method.is_short or types.parse(record.result).last == "void":
            return False
        return any(name.startswith("=") or name in ("exchange", "swap") for name in method.mentioned)

    def _empties(self, method: Function) -> bool:
        return self._emptying.ask(method, lambda: self._may_empty(method) and self._hands_out_and_empties(method))

    def _hands_out_and_empties(self, method: Function) -> bool:
        """The result is raw, and a member is set to something on the way out."""
        if not self._is_raw(method.record.result, method):
            kind = types.parse(method.record.result)
            if (
                kind.arguments
                or _NUMBER.fullmatch(kind.name)
                or not resources.OWNING.isdisjoint(self.program.types.roles(kind.name, method))
            ):
                return False
            cls = self.program.names.find_class(kind.name, method.record.scope, method.file)
            if cls is None or cls.record.destructor in ("declared", "defined"):
                return False
        if method.mentions("exchange"):
            return True
        written = any(write.place[0] == places.THIS and not write.fresh for write in method.flow.writes)
        return written and any(leave.kind == "return" and leave.value is not None for leave in method.flow.leaves)


@questions.program_question
def handing(program: Program) -> Handing:
    """One object a program, since its answers are remembered."""
    return Handing(program)


def _by_its_name(call: r.Call) -> str:
    return f"that `{places.called(call)}` gives up ownership is inferred from its name"
