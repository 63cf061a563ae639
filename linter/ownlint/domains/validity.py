"""Objects that can die before their wrapper does: the checks a class makes of itself, and who makes them first.

A *guard* is a method (or a function of one object) that does nothing but refuse: it throws, aborts or answers with
a failure when a flag of the object, or of its owner, says that it is no longer usable. It may hand the question on to
the guard of a member. What a guard protects is what the class keeps for its methods to work on: a pointer, a native
handle. A *use* hands that to a function, or looks through it.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator
from typing import Literal as OneOf

import msgspec

from ownlint.bindings import natives
from ownlint.domains.refusals import (
    DEPTH,
    HOLDS_VALUES,
    NUMBERS,
    OF_LIFE,
    ValidityGuard,
    asked_in,
    begins,
    can_be_flag,
    deciding,
    direct,
    flags_asked,
    is_accessor,
    is_answer,
    is_false,
    only_hands_out,
    polarity,
    refusals,
    refuses,
    terms,
)
from ownlint.domains.set_once import is_set_once
from ownlint.domains.wrapped_objects import (
    CASTS,
    class_of_parameter,
    object_place,
    pointee,
    receiver_of,
    subject_of,
)
from ownlint.engine import glance
from ownlint.engine.assignments import assignments, is_truth
from ownlint.facts import records as r
from ownlint.facts.show import text
from ownlint.flow import events as e
from ownlint.flow.asked import as_asked
from ownlint.flow.graph import Flow
from ownlint.flow.places import THIS, Place, last_name, receiver, strip, walk
from ownlint.project import macro_exits, pairs, types, undecoded
from ownlint.project.program import Program
from ownlint.project.questions import Answers, flow_question, program_property, program_question
from ownlint.project.subjects import Binding, Class, Function

_BRANCHES = re.compile(glance.opens(r.Branch) + b"|" + glance.opens(r.Conditional) + b"|" + glance.opens(r.Switch))
"""A body that decides something."""
_ANSWERS = re.compile(rb'"return"')
_COMPARES = re.compile(r"equals?$|same|compare|hash|is_?null|operator[=!<>]", re.IGNORECASE)
_SHARED = 3
"""How many functions make a check themselves where it is what is meant."""
_LEAVES = frozenset({"throw", "return", "goto", "abort"})
_WORDS = re.compile(r"[A-Za-z_]\w*")
_REACHED = re.compile(r"\b(\w+)\s*\)*\s*(?:->|\.)\s*(\w+)")
"""In a macro's body, what is reached through a parameter."""


class ValidityUse(msgspec.Struct, frozen=True):
    """`event` hands the member `field` of the object at `receiver` to `callee`, or looks through it (no callee)."""

    event: e.Event
    receiver: Place
    field: str
    shown: str
    callee: str


Kind = OneOf["checked", "asked", "partly", "late", "never"]
"""How a use is reached: `checked` by a guard on every way, `asked` by a look at the flag, `partly` on some ways, `late`
when the guard comes behind it, `never`."""


class ValidityWays(msgspec.Struct, frozen=True):
    """Indexes of events: what is reached without a check or a look, without a check, behind one, and before one."""

    blind: frozenset[int]
    unchecked: frozenset[int]
    behind: frozenset[int]
    before: frozenset[int]
    asking: tuple[r.Span, ...]
    """The conditions that ask: what they read is no use."""

    def asks(self, event: e.Event) -> bool:
        return any(span.start <= event.span.start and event.span.end <= span.end for span in self.asking)

    def to(self, event: e.Event) -> Kind:
        if event.index not in self.blind:
            return "asked" if event.index in self.unchecked else "checked"
        if event.index in self.behind:
            return "partly"
        return "late" if event.index in self.before else "never"


class Validity:
    """The guards of one program, and where they are called."""

    def __init__(self, program: Program) -> None:
        self.program = program
        self._checks: Answers[tuple[Function, Place], bool] = Answers(False)
        """Methods that call each other promise nothing."""
        self._inline: Answers[tuple[Function, Place, Class], dict[int, frozenset[str]]] = Answers()
        self._settled: Answers[Class, bool] = Answers(False)
        self._outliving: Answers[Class, frozenset[str]] = Answers()
        self._deciding: Answers[Function, frozenset[int]] = Answers()
        self._truths: Answers[str, bool] = Answers(False)
        self._returned: Answers[Class, frozenset[str]] = Answers()
        self._least: Answers[tuple[Class, str], int] = Answers(_SHARED)

    # --- guards ---

    @program_property
    def guards(self) -> dict[Class, list[ValidityGuard]]:
        """The guards of each class that has some, its own first, in source order."""
        found: dict[Class, list[ValidityGuard]] = {}
        for function in self.program.functions:
            if self._may_be_guard(function) and (owner := self._guarded_by(function)) is not None:
                guard = direct(function, subject_of(function))
                if guard is not None:
                    found.setdefault(owner, []).append(guard)
        for _ in range(DEPTH):
            names = {guard.name for guards in found.values() for guard in guards}
            known = {guard.function for guards in found.values() for guard in guards}
            more = [
                (owner, guard)
                for function in self.program.functions
                if function not in known and not names.isdisjoint(function.mentioned)
                if (owner := self._guarded_by(function, forwards=True)) is not None
                if (guard := self._forwarded(function, found)) is not None
            ]
            for owner, guard in more:
                found.setdefault(owner, []).append(guard)
            if not more:
                break
        guarded = {one for cls in found for one in cls.ancestry}
        for function in self.program.functions:
            cls = self._guarded_by(function) if _is_question(function) else None
            if cls is None or cls in guarded or not guarded.isdisjoint(cls.ancestry):
                continue
            guard = self._question(cls, function)
            if guard is not None:
                found.setdefault(cls, []).append(guard)
        guarded.update(one for cls in found for one in cls.ancestry)
        for cls, functions in self._users.items():
            if cls not in guarded and guarded.isdisjoint(cls.ancestry):
                inline = self._inline_guard(cls, functions)
                found.update({cls: [inline]} if inline is not None else {})
        return found

    def _question(self, cls: Class, function: Function) -> ValidityGuard | None:
        """A method, or a function of C, that does nothing but answer whether the object is still there, where others
        leave at once as it answers, and one that is no constructor changes what it tells."""
        answers = [(one, one.value) for one in function.flow.leaves if one.kind == "return" and one.value is not None]
        if len(answers) != 1:
            return None
        leave, answer = answers[0]
        asked = answer.condition if isinstance(answer, r.Conditional) else answer
        flags = frozenset(flags_asked(function, asked, subject_of(function)))
        if len(flags) != 1 or len(flag := next(iter(flags))) != 1:
            return None
        if not self._tells_life(cls, flag[0]) or not self._is_changed(cls, flag[0]):
            return None
        around = cls.methods if function.cls is not None else self.program.index.callers(function)
        asking = [one for one in around if one is not function and function.name in one.mentioned]
        leaving = [
            one
            for one in asking
            if any(_leaves_by(one, test, function.name) for test in one.flow if isinstance(test, e.Test))
        ]
        if len(leaving) < _SHARED:
            return None
        return ValidityGuard(function, flags, frozenset(), True, leave, begins(function, flag, polarity(answer, False)))

    @program_property
    def _users(self) -> dict[Class, list[tuple[Function, str]]]:
        """The functions that may refuse for an object of a class: its methods, and those of C that are given one first;
        with what it is there."""
        found: dict[Class, list[tuple[Function, str]]] = {}
        for function in self.program.functions:
            if function.language != "cpp" or function.record.kind not in ("method", "function"):
                continue
            if function.cls is not None and "static" not in function.record.qualifiers:
                if self._may_refuse(function):
                    found.setdefault(function.cls, []).append((function, THIS))
            elif function.home is None and function.record.parameters and self._may_refuse(function):
                cls = class_of_parameter(function, function.record.parameters[0])
                if cls is not None:
                    found.setdefault(cls, []).append((function, function.record.parameters[0].name))
        return found

    def _may_refuse(self, function: Function) -> bool:
        """Needs no decoding."""
        if function.says(undecoded.THROWS) or (function.home is None and function.says(_BRANCHES)):
            return True
        return any(self.program.macros.named(name) for name in function.mentioned)

    def _inline_guard(self, cls: Class, functions: list[tuple[Function, str]]) -> ValidityGuard | None:
        """The flag that at least `_SHARED` functions ask before they go on, and that another one changes; fewer where
        that one ends what the object stands for."""
        asking: dict[str, list[tuple[Function, int]]] = {}
        for function, root in functions:
            for index, names in self.inline_checks(function, (root,), cls).items():
                for name in names:
                    asking.setdefault(name, []).append((function, index))
        for name, found in sorted(asking.items()):
            asked_by = len({function for function, _ in found})
            if (asked_by >= _SHARED and self._is_changed(cls, name)) or asked_by >= self.least_checks(cls, name):
                function, index = found[0]
                return ValidityGuard(
                    function, frozenset({(name,)}), frozenset(), False, function.flow.events[index], inline=cls
                )
        return None

    def _is_changed(self, cls: Class, name: str) -> bool:
        """Whether a function that makes no object of the class stores the flag, or resets it."""
        return any(
            write.place[-1] == name and (function.cls is cls or self._is_given(function, write, cls))
            for function in self.program.functions
            if function.mentions("=" + name) and function.record.kind != "constructor"
            for write in function.flow.writes
        )

    def least_checks(self, cls: Class, name: str) -> int:
        """How many functions have to ask a flag of the class for it to be one that all have to ask. One that is stored
        where what the object stands for ends says that it is gone, however few ask; a null pointer may be an argument
        that native code knows."""
        return self._least.ask((cls, name), lambda: self._found_least(cls, name))

    def _found_least(self, cls: Class, name: str) -> int:
        found = cls.field(name)
        if found is None or not self._is_stored_at_end(cls, name):
            return _SHARED
        kind = types.parse(self.program.names.expand(found[1].type, found[0].file, found[0].symbol))
        return _SHARED - 1 if kind.pointers or kind.arguments else 1

    def _is_stored_at_end(self, cls: Class, name: str) -> bool:
        """Whether a function stores a constant in the member of an object of the class, gives it nothing new to stand
        for, and ends something of which that is a part."""
        known = natives.natives(self.program)
        pointed = set(known.pointed_to_by(cls))
        setters = {one.name for own in cls.ancestry for one in own.methods if one.is_short and one.mentions("=" + name)}
        for function in self.program.functions if pointed else ():
            if function.language != "cpp" or not function.mentions("=" + name, *setters):
                continue
            if function.record.kind in ("constructor", "destructor"):
                continue
            stored = [
                write for write in function.flow.writes if write.place[-1] == name and self._is_of(write, function, cls)
            ]
            by_setter = cls in (function.home.ancestry if function.home is not None else ()) and any(
                one.place == (THIS, name) and isinstance(one.event, e.CallEvent) for one in assignments(function)
            )
            if not (by_setter or any(isinstance(strip(write.value), r.Literal) for write in stored)) or any(
                self._is_of(write, function, cls)
                and not isinstance(strip(write.value), r.Literal)
                and (field := cls.field(write.place[-1])) is not None
                and types.parse(field[1].type).last in pointed
                for write in function.flow.writes
            ):
                continue
            ended = {kind for _, kind, _ in (*natives.destroys(function, known), *natives.given_up(function))}
            ended = ended.union(*(end.types for end in natives.ends(function, known)))
            if any(kind == one or known.reaches(kind, one, cls.name) for kind in ended for one in pointed):
                return True
        return False

    def _is_of(self, write: e.Write, function: Function, cls: Class) -> bool:
        """Whether a member is written that is one of an object of the class."""
        target = strip(write.target)
        if isinstance(target, r.Member) and not (isinstance(target.base, r.Name) and target.base.text == THIS):
            written = types.parse(self.program.types.of(target.base, function))
            return cls.name in (written.last, *(types.parse(one).last for one in written.arguments))
        return function.home is not None and cls in function.home.ancestry and write.place[0] == THIS

    def is_settled(self, cls: Class) -> bool:
        """Whether the guards of a class ask only for what is set when an object is made, and never changes: they say
        how it was made, not whether it is still good."""
        return self._settled.ask(cls, lambda: self._is_settled(cls))

    def _is_settled(self, cls: Class) -> bool:
        guards = self.guards_of(cls)
        flags = sorted({flag for guard in guards for flag in guard.flags})
        if not flags or any(guard.owners for guard in guards) or any(len(flag) > 1 for flag in flags):
            return False
        return all(is_set_once(cls, name) for (name,) in flags)

    def _is_given(self, function: Function, write: e.Write, cls: Class) -> bool:
        where = object_place(function, write.target) or write.place
        return any(
            one.name == where[0] and class_of_parameter(function, one) is cls for one in function.record.parameters
        )

    def inline_checks(self, function: Function, at: Place, cls: Class) -> dict[int, frozenset[str]]:
        """Where a function refuses to go on by itself, or by a macro, since a flag of the object says so: the index of
        the event, and the flags."""
        return self._inline.ask((function, at, cls), lambda: self._found_inline(function, at, cls))

    def _found_inline(self, function: Function, at: Place, cls: Class) -> dict[int, frozenset[str]]:
        found: dict[int, frozenset[str]] = {}
        flow = function.flow
        for leave in flow.leaves:
            if not refuses(function, leave):
                continue
            test = next((test for test, _ in flow.guards(leave)), None)
            if test is not None and not test.asserted:
                names = frozenset(
                    where[-1]
                    for inner in asked_in(test.value)
                    if isinstance(inner, (r.Name, r.Member)) and can_be_flag(function, inner)
                    if (where := object_place(function, inner)) is not None
                    if where[:-1] == at and self._tells_life(cls, where[-1])
                )
                if names:
                    found[test.index] = names
        for span, names in self._macro_checks(function, at, cls):
            inside = [event.index for event in flow if span.start <= event.span.start < span.end]
            found.update(dict.fromkeys(inside, names))
        return found

    def _tells_life(self, cls: Class, name: str) -> bool:
        """Whether a member can say that the object is gone: yes or no, a state, a pointer. A number counts things."""
        found = cls.field(name)
        if found is None:
            return False
        owner, field = found
        kind = types.parse(self.program.names.expand(field.type, owner.file, owner.symbol))
        if kind.pointers or kind.arguments or kind.name == "bool" or kind.last not in types.SCALARS:
            return True
        return kind.last in NUMBERS and self._truths.ask(name, lambda: is_truth(self.program, name))

    def _macro_checks(self, function: Function, at: Place, cls: Class) -> Iterator[tuple[r.Span, frozenset[str]]]:
        for statement in function.statements:
            call = strip(statement.value) if isinstance(statement, r.Evaluate) else None
            if not isinstance(call, r.Call) or not isinstance(call.callee, r.Name):
                continue
            for macro in self.program.macros.named(call.callee.text):
                words = set(_WORDS.findall(macro.body))
                if words.isdisjoint(_LEAVES):
                    continue
                names = frozenset(
                    word
                    for condition in macro_exits.asked(macro.body)
                    for word in _WORDS.findall(condition)
                    if self._tells_life(cls, word) and self._asked_object(function, call, macro, word) == at
                    if word not in macro_exits.set_members(macro.body)
                )
                if names:
                    yield call.span, names

    def _asked_object(self, function: Function, call: r.Call, macro: r.Macro, flag: str) -> Place | None:
        """The object whose flag a macro asks: an argument before an arrow or a dot, else the function's own."""
        for parameter, argument in zip(macro.parameters or (), call.args, strict=False):
            if (parameter, flag) in _REACHED.findall(macro.body):
                return object_place(function, pointee(argument))
        return (THIS,)

    def _may_be_guard(self, function: Function) -> bool:
        """Whether the body can be one that does nothing but refuse. Needs no decoding."""
        record = function.record
        if function.language != "cpp" or record.kind not in ("method", "function") or len(record.parameters) > 1:
            return False
        if not function.is_short or any(name.startswith("=") for name in function.mentioned):
            return False
        if types.parse(record.result).name == "void":
            ends = function.says(undecoded.THROWS) or function.says(_BRANCHES)
        else:
            ends = function.says(_BRANCHES) and function.says(_ANSWERS)
        return ends or any(self.program.macros.role(name) in _CHECKING for name in function.mentioned)

    def guards_of(self, cls: Class) -> list[ValidityGuard]:
        """Its own and inherited ones."""
        return [guard for one in cls.ancestry for guard in self.guards.get(one, ())]

    @program_property
    def contexts(self) -> dict[Class, list[tuple[Function, Place, Class]]]:
        """For each class with guards: the functions that see one of its objects, as `this` or as a parameter; where the
        object is in them, and which class it is there, which may be a derived one."""
        out: dict[Class, list[tuple[Function, Place, Class]]] = {}
        roots = {cls: root for cls in self.program.classes if (root := self._root(cls)) is not None}
        names = {cls.name for cls in roots}
        parts = self._parts(roots)
        for function in self.program.functions:
            if function.language != "cpp":
                continue
            home = function.home if function.record.kind == "lambda" else function.cls
            for name, cls in parts.get(home, ()) if home is not None and _has_this(function) else ():
                out.setdefault(roots[cls], []).append((function, (THIS, name), cls))
            if home in roots and _has_this(function):
                out.setdefault(roots[home], []).append((function, (THIS,), home))
            for parameter in function.record.parameters:
                if types.parse(parameter.type).last in names or function.says(CASTS):
                    seen_as = class_of_parameter(function, parameter)
                    if seen_as in roots:
                        out.setdefault(roots[seen_as], []).append((function, (parameter.name,), seen_as))
        return out

    def is_made(self, cls: Class) -> bool:
        """Whether somebody may call a guard of the class, or of its owner, or more than one refuses by itself. Needs no
        decoding."""
        if any(guard.inline is not None for guard in self.guards_of(cls)) or len(self.guards_of(cls)) > 1:
            return True
        functions = [function for function, _, _ in self.contexts.get(cls, ())]
        guards = {guard.function for guard in self.guards_of(cls)}
        calling = [function for function in functions if not self._names.isdisjoint(function.mentioned)]
        return any(function not in guards for function in calling)

    def _parts(self, roots: dict[Class, Class]) -> dict[Class, list[tuple[str, Class]]]:
        """The members of each class that are objects of a class with guards, or refer to one."""
        names = {cls.name for cls in roots}
        out: dict[Class, list[tuple[str, Class]]] = {}
        for owner in self.program.classes:
            for field in owner.record.fields:
                if types.parse(field.type).last in names and not field.static:
                    cls = self.program.names.find_class(field.type, owner.symbol, owner.file)
                    if cls in roots:
                        out.setdefault(owner, []).append((field.name, cls))
        return out

    def _root(self, cls: Class) -> Class | None:
        """The furthest class in the ancestry that has guards."""
        return next((one for one in reversed(cls.ancestry) if self.guards.get(one)), None)

    def _guarded_by(self, function: Function, *, forwards: bool = False) -> Class | None:
        """The class whose objects this function may be a guard of. One that `forwards` the question may be an accessor:
        `Face& checked() const { checkValid(); return *face_; }`."""
        record = function.record
        if function.language != "cpp" or not function.is_short or record.kind not in ("method", "function"):
            return None
        if not (
            is_answer(record.result, function)
            or function.says(undecoded.THROWS)
            or (forwards and only_hands_out(function))
        ):
            return None
        if record.kind == "method" and "static" not in record.qualifiers:
            return function.cls if all(self._is_said(function, one) for one in record.parameters) else None
        return class_of_parameter(function, record.parameters[0]) if len(record.parameters) == 1 else None

    def _is_said(self, function: Function, parameter: r.Parameter) -> bool:
        """Whether a parameter is a text: what the caller was about to do."""
        kind = types.parse(parameter.type)
        return (kind.last == "char" and kind.pointers == 1) or "string" in self.program.types.roles(
            parameter.type, function
        )

    def _forwarded(self, function: Function, known: dict[Class, list[ValidityGuard]]) -> ValidityGuard | None:
        """A function that always calls a guard, on a member of the object or on the object itself."""
        subject = subject_of(function)
        flow = function.flow
        names = {guard.name for guards in known.values() for guard in guards}
        work = [
            call
            for call in flow.calls
            if call.node.kind == "call" and (last_name(call.node.callee) in names or not is_accessor(call))
        ]
        if len(work) != 1 or any(not work[0].span.holds(call.span) for call in flow.calls if call.node.kind == "call"):
            return None
        for call in work:
            found = self._meant(function, call, known)
            where = receiver_of(function, call)
            if not found or where is None or where[: len(subject)] != subject:
                continue
            if not flow.always_before(flow.events[flow.exit], lambda event, call=call: event is call):  # type: ignore[misc]
                continue
            below = where[len(subject) :]
            flags = frozenset((*below, *flag) for guard in found for flag in guard.flags)
            owners = frozenset({below} if below else guard_owners(found))
            return ValidityGuard(
                function,
                flags,
                owners,
                found[0].answers,
                call,
                any(g.unready for g in found),
                found[0].origin or found[0],
            )
        return None

    def _meant(
        self, function: Function, call: e.CallEvent, known: dict[Class, list[ValidityGuard]]
    ) -> list[ValidityGuard]:
        """The guards that a call may mean: those of the class that the receiver's type names, if it names one."""
        name = last_name(call.node.callee)
        found = {cls: [g for g in guards if g.name == name and not _needs_argument(g)] for cls, guards in known.items()}
        base = call.node.callee.base if isinstance(call.node.callee, r.Member) else None
        written = self.program.types.of(base, function) if base is not None else ""
        expanded = self.program.names.expand(types.parse(written).name, function.file, function.record.scope)
        spelled = set(re.findall(r"\w+", f"{written} {expanded}")) if written else set()
        named = [g for cls, guards in found.items() if cls.name in spelled for g in guards]
        return named or [g for guards in found.values() for g in guards]

    # --- places ---

    # --- checks ---

    def is_check(self, function: Function, event: e.Event, at: Place, guards: list[ValidityGuard]) -> bool:
        """Whether the event makes sure that the object at `at` is usable, by calling a guard."""
        inline = next((guard for guard in guards if guard.inline is not None), None)
        if inline is not None and inline.inline is not None:
            asked = self.inline_checks(function, at, inline.inline).get(event.index, frozenset())
            if any(flag[-1] in asked for flag in inline.flags):
                return True
        elif isinstance(event, e.Test) and event.index in self._deciding.ask(function, lambda: deciding(function)):
            flags = {(*at, *flag) for guard in guards for flag in guard.flags}
            return any(object_place(function, part) in flags for part in terms(event.value))
        if not isinstance(event, e.CallEvent) or event.asserted or event.node.kind != "call":
            return False
        pointing = self._arrow(function, event.node)
        if pointing is not None and object_place(function, receiver(event.node)) == at:
            return self.checks(pointing, guards)
        name = last_name(event.node.callee)
        named = [guard for guard in guards if guard.name == name and guard.inline is None]
        where = receiver_of(function, event)
        if where is None:
            return False
        if named and where == at:
            return not (named[0].answers and event.dropped)
        if (
            where == at
            and event.node.args
            and receiver(event.node) is None
            and self.program.macros.role(name) in _CHECKING
        ):
            return True
        owners = guard_owners(guards)
        if any(where == (*at, *owner) for owner in owners) and self._is_any_guard(name):
            return True
        return where == at and self._always_checks(function, event, guards)

    def _arrow(self, function: Function, call: r.Call) -> Function | None:
        """The `operator->` of the object's class by which a call reaches the method of another one."""
        if not isinstance(call.callee, r.Member) or not call.callee.arrow:
            return None
        kind = types.parse(self.program.types.of(call.callee.base, function))
        if kind.pointers or kind.arguments or not kind.name:
            return None
        cls = self.program.names.find_class(kind.name, function.record.scope, function.file)
        return next((one for one in cls.methods if one.name == "operator->"), None) if cls is not None else None

    def _is_any_guard(self, name: str) -> bool:
        return name in self._names

    @program_property
    def _names(self) -> frozenset[str]:
        return frozenset(guard.name for guards in self.guards.values() for guard in guards if guard.inline is None)

    def _always_checks(self, function: Function, event: e.CallEvent, guards: list[ValidityGuard]) -> bool:
        """Whether the method called makes the check itself on every way through it."""
        targets = self.program.calls.callee(event.node, function).functions
        return bool(targets) and all(self.checks(target, guards) for target in targets)

    def checks(self, method: Function, guards: list[ValidityGuard], at: Place = (THIS,)) -> bool:
        """Whether every way through the method, but for those that throw, calls a guard on the object at `at`, or asks
        one of its flags where the method throws otherwise."""
        return self._checks.ask((method, at), lambda: self._is_checking(method, guards, at))

    def _is_checking(self, method: Function, guards: list[ValidityGuard], at: Place) -> bool:
        flow = method.flow
        throws = [leave for leave in flow.leaves if leave.kind == "throw"]
        found = frozenset(event.index for event in flow if self.is_check(method, event, at, guards))
        if found:
            found |= {leave.index for leave in throws}
        return bool(found) and flow.exit not in _reached(flow, {flow.entry}, found)

    def is_look(self, function: Function, event: e.Event, at: Place, guards: list[ValidityGuard]) -> bool:
        """Whether the event decides something by a flag of the object at `at`."""
        if not isinstance(event, e.Test) or event.asserted:
            return False
        flags = {(*at, *flag) for guard in guards for flag in guard.flags}
        names = {guard.name for guard in guards}
        for inner in walk(event.value):
            if isinstance(inner, r.Call) and last_name(inner.callee) in names:
                return True
            if isinstance(inner, (r.Name, r.Member, r.Call)):
                where = object_place(function, inner)
                if where is not None and any(where[: len(flag)] == flag for flag in flags):
                    return True
                if isinstance(inner, r.Call) and self._questions(function, inner, at, flags):
                    return True
        return False

    def _questions(self, function: Function, call: r.Call, at: Place, flags: set[Place]) -> bool:
        """Whether the call asks the object a question whose answer says its flag."""
        on = receiver(call)
        where = object_place(function, on) if on is not None else (THIS,)
        if where is None or (at[: len(where)] != where and where[: len(at)] != at):
            return False
        for target in self.program.calls.callee(call, function).functions:
            said = {flag[-1] for flag in flags}
            if target.is_short and any(b'"%b"' % name.encode() in target.encoded for name in said):
                return True
        return False

    def ways(self, function: Function, at: Place, guards: list[ValidityGuard]) -> ValidityWays:
        """How events of the function are reached, as to the object at `at`."""
        flow = function.flow
        checks = frozenset(event.index for event in flow if self.is_check(function, event, at, guards))
        looks = frozenset(event.index for event in flow if self.is_look(function, event, at, guards))
        return ValidityWays(
            _reached(flow, {flow.entry}, checks | looks),
            _reached(flow, {flow.entry}, checks),
            _reached(flow, checks, frozenset()),
            _leading(flow, checks),
            tuple(
                flow.events[index].span for index in sorted(checks | looks) if isinstance(flow.events[index], e.Test)
            ),
        )

    def first_check(self, function: Function, at: Place, guards: list[ValidityGuard]) -> e.Event | None:
        return next((event for event in function.flow if self.is_check(function, event, at, guards)), None)

    def sets_flag(self, function: Function, at: Place, guards: list[ValidityGuard]) -> bool:
        """Whether the function, or a method that it calls on the object or its owner, changes what the guards ask."""
        flags = {flag for guard in guards for flag in guard.flags}
        last = {flag[-1] for flag in flags}
        for event in function.flow:
            match event:
                case e.Write(place=where, target=target) if where[-1] in last:
                    written = object_place(function, target) if target is not None else where
                    if written in {(*at, *flag) for flag in flags}:
                        return True
                case e.CallEvent(node=call) if isinstance(call.callee, (r.Name, r.Member)):
                    on = receiver(call)
                    where_on = object_place(function, on) if on is not None else (THIS,)
                    if where_on in {(*at, *flag) for flag in flags} and last_name(call.callee) in _SETTERS:
                        return True
                    if where_on is not None and where_on in {at, *((*at, *flag[:-1]) for flag in flags)}:
                        targets = self.program.calls.callee(call, function).functions
                        if any(t.mentions(*(f"={name}" for name in last)) and t is not function for t in targets):
                            return True
        return False

    def outliving(self, cls: Class) -> frozenset[str]:
        """The members that are good although the object is not: whoever makes it valid again works on them first."""
        return self._outliving.ask(cls, lambda: frozenset(self._found_outliving(cls)))

    def _found_outliving(self, cls: Class) -> Iterator[str]:
        guards = self.guards_of(cls)
        refused = {
            flag: polarity(test, outcome)
            for guard in (one.origin or one for one in guards)
            for event, test, outcome in refusals(guard.function)
            if event.span == guard.at.span
            for flag in flags_asked(guard.function, test, subject_of(guard.function))
        }
        for function, at, seen_as in self.contexts.get(cls, ()):
            if function.record.kind in ("constructor", "destructor"):
                continue
            revived = [
                write
                for write in function.flow.writes
                if isinstance(write.value, r.Literal)
                and (where := object_place(function, write.target) or write.place)[: len(at)] == at
                and refused.get(where[len(at) :]) is is_false(write.value)
            ]
            for use in self.uses(function, at, seen_as) if revived else ():
                after = function.flow.after(use.event)
                if not function.flow.writes_to((*at, use.field)) and any(write in after for write in revived):
                    yield use.field

    def is_checked_outside(self, function: Function, at: Place, guards: list[ValidityGuard], depth: int = 0) -> bool:
        """Whether all who call the function have made sure before, or the function around a lambda has."""
        if function.record.kind == "lambda":
            return at == (THIS,) and self._is_checked_around(function, at, guards, depth)
        if depth >= 2 or self.bound_as(function) is not None:
            return False
        found = False
        for caller in self.program.index.callers(function):
            for event in caller.flow.calls:
                if last_name(event.node.callee) != function.name:
                    continue
                if function not in self.program.calls.callee(event.node, caller).functions:
                    continue
                where = self._as_caller_sees(caller, event, function, at)
                if where is None or not self._is_careful(caller, event, where, guards, depth):
                    return False
                found = True
        return found

    def _is_careful(self, caller: Function, event: e.Event, at: Place, guards: list[ValidityGuard], depth: int) -> bool:
        if caller.record.kind in ("constructor", "destructor") and at == (THIS,):
            return True
        if self.ways(caller, at, guards).to(event) in ("checked", "asked") or self.sets_flag(caller, at, guards):
            return True
        return len(at) == 1 and self.is_checked_outside(caller, at, guards, depth + 1)

    def _as_caller_sees(self, caller: Function, event: e.CallEvent, function: Function, at: Place) -> Place | None:
        """The place in the caller of the object that is at `at` in the function it calls."""
        if at == (THIS,):
            return receiver_of(caller, event)
        names = [parameter.name for parameter in function.record.parameters]
        position = names.index(at[0]) if at[0] in names else len(names)
        return object_place(caller, pointee(event.node.args[position])) if position < len(event.node.args) else None

    def _is_checked_around(self, function: Function, at: Place, guards: list[ValidityGuard], depth: int) -> bool:
        parent = function.parent
        start = function.record.start
        made = next((one for one in parent.flow if start in one.span), None) if parent is not None else None
        return parent is not None and made is not None and self._is_careful(parent, made, at, guards, depth)

    def bound_as(self, function: Function) -> Binding | None:
        """The binding whose callable the function is."""
        return self._bound.get((function.path, function.index)) or self._bound_by_name.get(function.symbol)

    @program_property
    def _bound(self) -> dict[tuple[str, int], Binding]:
        return {
            (binding.path, value.function): binding
            for binding in self.program.bindings
            if isinstance(value := _callable(binding), r.Lambda)
        }

    @program_property
    def _bound_by_name(self) -> dict[str, Binding]:
        """By the full name of the function; a name that is written shorter is looked up from where it is bound."""
        found: dict[str, Binding] = {}
        for binding in self.program.bindings:
            value = pointee(binding.record.callable)
            if isinstance(value, r.Name):
                owner, _, last = value.text.rpartition("::")
                scope = binding.around.record.scope if binding.around is not None else ""
                cls = self.program.names.find_class(owner, scope, binding.file) if owner else None
                found.setdefault(f"{cls.symbol}::{last}" if cls is not None else value.text, binding)
        return found

    # --- uses ---

    def uses(self, function: Function, at: Place, cls: Class) -> Iterator[ValidityUse]:
        """Where the function works on a handle of the object at `at`, in source order."""
        flow = function.flow
        for event in flow:
            if event.index not in flow.reachable:
                continue
            match event:
                case e.CallEvent(node=call) if not event.asserted and call.kind == "call":
                    yield from self._handed(function, event, at, cls)
                    yield from self._lent(function, event, at, cls)
                    yield from self._wrapped(function, event, call.template, at, cls)
                case e.CallEvent(node=r.Call(kind="new" | "construct") as call):
                    yield from self._wrapped(function, event, text(call.callee), at, cls)
                case e.Read(node=node) | e.Write(target=node) | e.LeaveEvent(value=node) if node is not None:
                    yield from self._looked_through(function, event, node, at, cls)

    def _handed(self, function: Function, event: e.CallEvent, at: Place, cls: Class) -> Iterator[ValidityUse]:
        call = event.node
        name = last_name(call.callee)
        on = receiver(call)
        is_native = isinstance(call.callee, r.Member) and call.callee.arrow and name not in self._names
        if is_native:
            field = self._handle(function, on, at, cls)
            if field:
                yield ValidityUse(event, at, field, text(call), "")
                return
        if self.program.macros.role(name) or not (is_native or (on is None and self._is_function(function, call))):
            return
        for position, argument in enumerate(call.args):
            field = self._handle(function, argument, at, cls) or self._converted(function, call, argument, at, cls)
            if field and not self._is_text(cls, field) and not self._may_be_null(function, call, position, field, cls):
                yield ValidityUse(event, at, field, text(argument), name)
                return

    def _may_be_null(self, function: Function, call: r.Call, position: int, field: str, cls: Class) -> bool:
        """Whether a member is its own flag, and the function that is given it does nothing with a null pointer."""
        guards = self.guards_of(cls)
        if not guards or any(guard.owners or guard.flags != {(field,)} for guard in guards):
            return False
        targets = self.program.calls.callee(call, function).functions
        return bool(targets) and all(_accepts_null(target, position) for target in targets)

    def _wrapped(
        self, function: Function, event: e.CallEvent, written: str, at: Place, cls: Class
    ) -> Iterator[ValidityUse]:
        """A new object of that type gets the handle: it begins as a valid one, unless it shares the flag."""
        kind = types.parse(written)
        made = self.program.names.find_class(kind.name, function.record.scope, function.file) if written else None
        guards = self.guards_of(made) if made is not None else []
        if not any(len(flag) == 1 for guard in guards for flag in guard.flags):
            return
        flags = {(*at, flag[0]) for guard in self.guards_of(cls) for flag in guard.flags}
        if flags.isdisjoint(object_place(function, pointee(argument)) for argument in event.node.args):
            for argument in event.node.args:
                if field := self._handle(function, argument, at, cls):
                    yield ValidityUse(event, at, field, text(argument), kind.last)

    def _looked_through(
        self, function: Function, event: e.Event, node: r.Value, at: Place, cls: Class
    ) -> Iterator[ValidityUse]:
        """The handles behind which a value lies: `handle->part`, `*handle`, `handle[i]`."""
        for inner in walk(node):
            match inner:
                case r.Member(base=base, arrow=True) | r.Index(base=base) | r.Unary(op="*", value=base):
                    field = self._handle(function, base, at, cls)
                    if field and not isinstance(strip(base), r.Call):
                        yield ValidityUse(event, at, field, text(base), "")
                case r.Member(base=r.Name(text=name)) if (bound := _referred_to(function, name)) is not None:
                    if field := self._handle(function, bound, at, cls):
                        yield ValidityUse(event, at, field, text(bound), "")

    def _lent(self, function: Function, event: e.CallEvent, at: Place, cls: Class) -> Iterator[ValidityUse]:
        """What an accessor answers that throws where that is no longer good, `doc().pages`, also an `operator->`: used
        after the call."""
        pointing = self._arrow(function, event.node)
        if pointing is not None and object_place(function, receiver(event.node)) == at:
            returned = {object_place(pointing, one.value) for one in pointing.flow.leaves if one.kind == "return"}
            only = returned.pop() if len(returned) == 1 else None
            if only is not None and len(only) == 2 and only[0] == THIS and self._is_handle(cls, only[1]):
                after = function.flow.events[min(target for target, _ in function.flow.successors[event.index])]
                yield ValidityUse(after, at, only[1], text(event.node), "")
            return
        accessors = {guard.function for guard in self.guards_of(cls) if not guard.answers}
        if event.node.args or accessors.isdisjoint(self.program.calls.callee(event.node, function).functions):
            return
        field = self._handle(function, event.node, at, cls)
        behind = [target for target, _ in function.flow.successors[event.index] if target == event.index + 1]
        if field and behind:
            yield ValidityUse(function.flow.events[behind[0]], at, field, text(event.node), "")

    def _is_function(self, function: Function, call: r.Call) -> bool:
        """Whether the call is one of a free function: no constructor, no method of the project, no local."""
        written = call.callee.text if isinstance(call.callee, r.Name) else ""
        if not written or written in function.locals:
            return False
        if function.home is not None and "::" not in written and function.home.declared(written):
            return False
        program, scope = self.program, function.record.scope
        if program.names.find_class(written, scope, function.file) is not None:
            return False
        owner = written.rpartition("::")[0]
        if owner and program.names.find_class(owner, scope, function.file) is not None:
            return False
        return owner != "std" and program.names.expand(written, function.file, scope) == written

    def _handle(self, function: Function, value: r.Value | None, at: Place, cls: Class) -> str:
        """The member of the object at `at` that the value is: something to work on, no plain data."""
        inner = pointee(value)
        if not isinstance(inner, (r.Name, r.Member, r.Call)):
            return ""
        where = object_place(function, inner)
        if where is None or len(where) <= len(at) or where[: len(at)] != at:
            return ""
        field = where[len(at)]
        if len(where) > len(at) + 2 or (len(where) == len(at) + 2 and not self._is_part(cls, field)):
            return ""
        return field if self._is_handle(cls, field) else ""

    def _is_part(self, cls: Class, name: str) -> bool:
        """Whether a member is a struct that is a part of the object itself, around one pointer."""
        found = cls.field(name)
        return found is not None and self._wraps_pointer(found[0], found[1].type)

    def _wraps_pointer(self, owner: Class, written: str) -> bool:
        inner = self.program.names.find_class(types.parse(written).name, owner.symbol, owner.file)
        fields = [field for field in inner.record.fields if not field.static] if inner is not None else []
        return types.parse(written).is_value and len(fields) == 1 and types.parse(fields[0].type).pointers == 1

    @staticmethod
    def _is_text(cls: Class, name: str) -> bool:
        found = cls.field(name)
        return found is not None and types.parse(found[1].type).last == "char"

    def _is_handle(self, cls: Class, name: str) -> bool:
        found = cls.field(name)
        if found is None or found[1].static:
            return False
        owner, field = found
        kind = types.parse(self.program.names.expand(field.type, owner.file, owner.symbol))
        roles = self.program.types.roles_at(field.type, owner.file, owner.symbol)
        if "python object" in roles or kind.is_placeholder:
            return False
        if not kind.pointers and not HOLDS_VALUES.isdisjoint(roles):
            return False
        if not kind.pointers and not kind.arguments and not self._is_native(cls, owner, name, kind):
            return False
        names = [kind.name, *kind.arguments[:1]]
        inner = [self.program.names.find_class(one, owner.symbol, owner.file) for one in names]
        return not any(one is not None and self.guards_of(one) for one in inner)

    def _is_native(self, cls: Class, owner: Class, name: str, kind: types.Type) -> bool:
        """Whether a member that is no pointer stands for something: a number that the guards ask about, a struct around
        a pointer, or one that is defined out of sight."""
        if kind.last in types.SCALARS:
            asked = any((name,) in guard.flags for guard in self.guards_of(cls))
            return kind.last in NUMBERS and (asked or name in self._given_back(cls))
        if self.program.names.find_class(kind.name, owner.symbol, owner.file, enum=True) is not None:
            return False
        inner = self.program.names.find_class(kind.name, owner.symbol, owner.file)
        return inner is None or self._wraps_pointer(owner, kind.name)

    def _given_back(self, cls: Class) -> frozenset[str]:
        """The numbers of an object that a method gives to a function which ends something by its name, as it sets what
        a guard asks: `h_close(fd_); closed_ = true;`."""
        return self._returned.ask(cls, lambda: frozenset(self._found_given_back(cls)))

    def _found_given_back(self, cls: Class) -> Iterator[str]:
        flags = {flag[0] for guard in self.guards_of(cls) for flag in guard.flags if len(flag) == 1}
        for method in cls.methods if flags else ():
            if method.record.kind == "constructor" or not method.mentions(*(f"={flag}" for flag in flags)):
                continue
            for call in method.flow.calls:
                where = object_place(method, call.node.args[0]) if len(call.node.args) == 1 else None
                ends = receiver(call.node) is None and pairs.releasing_verb(last_name(call.node.callee))
                if ends and where is not None and len(where) == 2 and where[0] == THIS:
                    yield where[1]

    def _converted(self, function: Function, call: r.Call, argument: r.Value, at: Place, cls: Class) -> str:
        """The member that the object's conversion hands out, where the function called takes just that."""
        if object_place(function, pointee(argument)) != at or isinstance(argument, r.Unary):
            return ""
        position = next(i for i, one in enumerate(call.args) if one is argument)
        wanted = {
            types.parse(record.parameters[position].type).last
            for record in self.program.calls.callee(call, function).records
            if position < len(record.parameters)
        }
        for one in cls.ancestry:
            for method in one.methods:
                if (
                    method.record.kind == "conversion"
                    and not self.checks(method, self.guards_of(one))
                    and types.parse(method.name.removeprefix("operator ")).last in wanted
                ):
                    match method.body:
                        case (r.Leave(kind="return", value=value),):
                            found = object_place(method, value)
                            if found is not None and len(found) == 2 and self._is_handle(cls, found[1]):
                                return found[1]
        return ""


def _referred_to(function: Function, name: str) -> r.Value | None:
    """The pointer of what a local reference is bound to: `const Face& face = *ref.native;`."""
    written, initial = function.locals.get(name, ("", None))
    bound = strip(initial)
    return bound.value if types.parse(written).reference and isinstance(bound, r.Unary) and bound.op == "*" else None


_SETTERS = frozenset({"store", "exchange", "reset", "swap", "clear", "release", "set"})
_CHECKING = frozenset({"check", "return on failure"})


@program_question
def of(program: Program) -> Validity:
    """The guards of a program; one object a program, since its answers are remembered."""
    return Validity(program)


def compares(name: str) -> bool:
    """Whether a function of that name compares handles, which are good for that as long as they are there."""
    return _COMPARES.search(name) is not None


def known_as(function: Function) -> str:
    """As the user knows it: a lambda has the name it is bound to, or that of the function around it."""
    binding = of(function.program).bound_as(function)
    if binding is not None:
        return binding.symbol
    around = function
    while around.record.kind == "lambda" and around.parent is not None:
        around = around.parent
    return around.name


def guard_owners(guards: list[ValidityGuard]) -> frozenset[Place]:
    return frozenset(owner for guard in guards for owner in guard.owners)


# --- what makes a guard ---------------------------------------------------------------------------------


def _needs_argument(guard: ValidityGuard) -> bool:
    return guard.function.record.kind != "method"


def _has_this(function: Function) -> bool:
    """Whether `this` means something in it: a method that is not static, or a lambda in one."""
    around: Function | None = function
    while around is not None and around.record.kind == "lambda":
        around = around.parent
    return around is not None and around.cls is not None and "static" not in _qualifiers(around)


def _qualifiers(function: Function) -> frozenset[str]:
    """Those of its declaration in the class, too."""
    found = set(function.record.qualifiers)
    for record in function.cls.declared(function.name) if function.cls is not None else ():
        if len(record.parameters) == len(function.record.parameters):
            found.update(record.qualifiers)
    return frozenset(found)


def _is_question(function: Function) -> bool:
    """Whether it can be a method, or a function of C, that answers by its name whether its object is still there.
    Needs no decoding."""
    record = function.record
    is_method = record.kind == "method" and "static" not in record.qualifiers
    return (
        function.language == "cpp"
        and len(record.parameters) == (0 if is_method else 1)
        and function.is_short
        and types.parse(record.result).name in (("bool",) if is_method else ("bool", "int"))
        and (OF_LIFE.search(function.name) is not None or (not is_method and "check" in function.name.lower()))
    )


def _leaves_by(function: Function, test: e.Test, name: str) -> bool:
    """Whether the function leaves at once, with nothing or a plain answer, as a question of that name is answered."""
    if not any(isinstance(inner, r.Call) and last_name(inner.callee) == name for inner in walk(test.value)):
        return False
    return any(
        leave.kind == "return" and next((one for one, _ in function.flow.guards(leave)), None) is test
        for leave in function.flow.leaves
    )


@flow_question
def _accepts_null(function: Function, position: int) -> bool:
    """Whether a function uses the pointer that it is given only where it has found it not to be null."""
    if position >= len(function.record.parameters) or not (name := function.record.parameters[position].name):
        return False
    flow = function.flow
    is_asked = False
    for event in flow:
        match event:
            case e.Test(value=value) if as_asked(value, True)[0] == name:
                is_asked = True
                continue
            case e.Read(node=r.Name()):
                continue  # by what asks for it, or hands it on
            case e.Test(value=value) | e.Read(node=value) | e.CallEvent(node=value):
                named = [*walk(value)]
            case e.Write(target=target, value=value):
                named = [*walk(target), *walk(value)]
            case _:
                continue
        if any(isinstance(one, r.Name) and one.text == name for one in named) and not any(
            as_asked(test.value, outcome) == (name, True) for test, outcome in flow.guards(event)
        ):
            return False
    return is_asked


def _callable(binding: Binding) -> r.Value | None:
    """What is bound, out of the wrapper around it: `init([](Doc& doc) { ... })`."""
    value = strip(binding.record.callable)
    while isinstance(value, r.Call) and len(value.args) == 1 and isinstance(value.callee, r.Name):
        value = strip(value.args[0])
    return value


def _reached(flow: Flow, start: Collection[int], stops: frozenset[int]) -> frozenset[int]:
    """What is reached from the start without going on behind a stop. What comes to a handler passed no check."""
    seen = set(start)
    queue = sorted(seen)
    for current in queue:
        for target, _ in flow.successors[current]:
            if target in seen or (current in stops and not _is_handler(flow.events[target])):
                continue
            seen.add(target)
            queue.append(target)
    return frozenset(seen)


def _is_handler(event: e.Event) -> bool:
    return isinstance(event, e.Mark) and event.what == "catch"


def _leading(flow: Flow, ends: Collection[int]) -> frozenset[int]:
    """What has a way to one of the ends."""
    seen = set(ends)
    queue = sorted(seen)
    for current in queue:
        for source, _ in flow.predecessors[current]:
            if source not in seen:
                seen.add(source)
                queue.append(source)
    return frozenset(seen)
