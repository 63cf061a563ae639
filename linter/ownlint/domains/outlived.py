"""Members that an object outlives: what they stand for is ended while the object lives on, and a mark says so.

A *mark* is a flag, a state, or the member itself, emptied, that is stored where the member's object ends, or by which
somebody else tells the object. A *use* looks through the member or hands it on. A function *asks* where every way to
its uses has looked at a mark of such an object: by a test, a function or a macro that looks at it. It is *careless*
where some way to a use passes nothing at all that looks at anything of a mark's name, and some caller does not either.
"""

from __future__ import annotations

import re
from collections.abc import Container, Iterator
from typing import Literal as OneOf
from typing import NamedTuple

from ownlint.bindings import natives
from ownlint.engine.assignments import Held, held
from ownlint.engine.containers import made_from
from ownlint.facts import records as r
from ownlint.facts.show import text
from ownlint.flow import events as e
from ownlint.flow.places import THIS, is_one_of, last_name, receiver, strip, walk
from ownlint.project import types, undecoded
from ownlint.project.program import Program
from ownlint.project.questions import Answers, program_property, program_question
from ownlint.project.subjects import Class, Function

_WORDS = re.compile(r"[A-Za-z_]\w*")
_NULL = re.compile(rb'"null"|"NULL"')
_MARKING = frozenset({"reset", "store", "exchange"})
"""Calls by which a member gets a constant."""
_MOVES = frozenset({"operator=", "swap"})
_HANDING = frozenset({"exchange", "move", "release"})
_DEPTH = 2
"""How many calls deep a look may be, and how many up."""
_LEAVES = frozenset({"throw", "return", "goto", "abort"})
_SMART = frozenset({"smart pointer", "shared pointer"})


class OutlivedUse(NamedTuple):
    function: Function
    event: e.Event
    shown: str
    kind: OneOf["asking", "unclear", "careless"]


class Outlived(NamedTuple):
    """The member `field` of a class; `at` is where it ends, or is said to have ended."""

    cls: Class
    field: str
    marks: frozenset[str]
    function: Function
    at: e.Event
    uses: tuple[OutlivedUse, ...]
    refilled: bool
    """An object that is there already can get another one into the member: an empty one says that it has none yet."""


class _Ended(NamedTuple):
    field: str
    marks: frozenset[str]
    function: Function
    at: e.Event


class OutlivedMembers:
    """Those of one program."""

    def __init__(self, program: Program) -> None:
        self.program = program
        self._looks: Answers[tuple[Function, frozenset[str], Class | None], bool] = Answers(False)
        self._near: Answers[frozenset[str], frozenset[Function]] = Answers()

    def of(self, cls: Class, least: int) -> Iterator[Outlived]:
        """Those of a class about which at least so many functions ask."""
        pointing = dict(_fields(cls))
        ending = {
            function
            for name, pointee in pointing.items()
            for function in (*self._ending.get(name, ()), *self._ending_elements.get(pointee, ()))
            if _may_mark(function, cls.fields)
        }
        found: dict[str, _Ended] = {}
        for function in sorted(ending, key=lambda one: (one.path, one.index)):
            for ended in self._ended(function, cls, pointing):
                known = found.get(ended.field)
                marks = ended.marks | known.marks if known is not None else ended.marks
                found[ended.field] = (known or ended)._replace(marks=marks)
        every = frozenset(mark for ended in found.values() for mark in ended.marks)
        asked = {name for name in every if self._is_asked(cls, name)}
        for name, ended in sorted(found.items()):
            marks = ended.marks & asked | {name}
            uses = list(self._uses(cls, name, marks, every | {name}))
            if sum(use.kind == "asking" for use in uses) >= least:
                judged = tuple(self._with_callers(use, every | {name}) for use in uses)
                yield Outlived(cls, name, marks, ended.function, ended.at, judged, self._is_refilled(cls, name))

    def _with_callers(self, use: OutlivedUse, marks: frozenset[str]) -> OutlivedUse:
        if use.kind == "careless" and self._is_checked_outside(use.function, marks, _DEPTH):
            return use._replace(kind="unclear")
        return use

    def _is_refilled(self, cls: Class, name: str) -> bool:
        """Whether a method, or a function that is given an object, puts something into the member."""
        for function in self._saying({name}):
            if function.record.kind in ("constructor", "destructor") or function.name in _MOVES:
                continue
            for write in function.flow.writes:
                if write.fresh or write.target is None or write.op != "=":
                    continue
                part = _part(function, write.target, cls)
                if (
                    part is None
                    or part[0] != name
                    or (part[1] is not None and not is_one_of(part[1], function.parameter_names))
                ):
                    continue
                if (made := held(write.value)) is None or made.kind != "emptied":
                    return True
        return False

    def _is_asked(self, cls: Class, name: str) -> bool:
        """Whether anything is decided by it: what is only set to a constant is no mark."""
        return any(
            _is_mark(function, inner, frozenset({name}), cls)
            for function in self._saying({name})
            for inner in (
                *(inner for test in function.flow if isinstance(test, e.Test) for inner in walk(test.value)),
                *(inner for leave in _questions(function) for inner in walk(leave)),
            )
        )

    def _saying(self, names: set[str]) -> list[Function]:
        """The functions that say one of the names, in the order of the program."""
        sayers = undecoded.member_sayers(self.program)
        found = {function for name in names for function in sayers.get(name, ())}
        return sorted(found, key=lambda function: (function.path, function.index))

    @program_property
    def _ending(self) -> dict[str, list[Function]]:
        """For each name, who ends something by that name."""
        found: dict[str, list[Function]] = {}
        for function in self.program.functions:
            if function.record.kind in ("constructor", "destructor") or not _may_mark(function):
                continue
            names = {
                last_name(inner)
                for _, value in self._ends(function)
                for made in made_from(function, value)
                for inner in walk(made)
                if isinstance(inner, r.Name | r.Member)
            }
            for name in sorted(names | ({written.place[-1] for written in _emptied(function)})):
                found.setdefault(name, []).append(function)
        return found

    def _ends(self, function: Function) -> Iterator[tuple[e.Event, r.Value]]:
        return _ends(function, natives.natives(self.program), self._smart)

    @program_property
    def _smart(self) -> frozenset[str]:
        """Names of the members whose pointer owns."""
        return frozenset(
            field.name
            for cls in self.program.classes
            for field in cls.record.fields
            if not _SMART.isdisjoint(cls.program.types.roles_at(field.type, cls.file, cls.symbol))
        )

    @program_property
    def _ending_elements(self) -> dict[str, list[Function]]:
        """For each class, who takes its objects out of a container that owns them."""
        found: dict[str, list[Function]] = {}
        for function in self.program.functions:
            if function.record.kind != "constructor" and not function.file.is_c and _may_mark(function):
                for name in sorted({name for _, owned in _ends_of_owned(function) for name in owned}):
                    found.setdefault(name, []).append(function)
        return found

    # --- what ends ---

    def _ended(self, function: Function, cls: Class, fields: dict[str, str]) -> Iterator[_Ended]:
        if function.record.kind in ("constructor", "destructor") or function.name in _MOVES:
            return
        if _only_tells(function, cls):
            for name, _ in _stored(function, cls):
                if name in fields:
                    yield _Ended(name, frozenset({name}), function, function.flow.writes[0])
            return
        stored: dict[str, set[str]] = {}
        for name, base in _stored(function, cls):
            stored.setdefault(text(base) if base is not None else THIS, set()).add(name)
        for event, value in self._ends(function):
            part = _part(function, value, cls)
            if part is not None and part[0] in fields and not _refills(function, cls, part[0]):
                marks = stored.get(text(part[1]) if part[1] is not None else THIS)
                if marks:
                    yield _Ended(part[0], frozenset(marks), function, event)
        others = frozenset(mark for base, marks in stored.items() if base != THIS for mark in marks)
        for event, owned in _ends_of_owned(function) if others else ():
            for name, pointee in fields.items():
                if pointee in owned:
                    yield _Ended(name, others, function, event)

    # --- who uses it ---

    def _uses(self, cls: Class, field: str, marks: frozenset[str], every: frozenset[str]) -> Iterator[OutlivedUse]:
        """`every` are the marks of all members of the class: who looks at one may well mean another."""
        saying = list(self._saying({field}))
        sayers = frozenset(one.name for one in saying)
        calling = [caller for one in saying if one.is_short for caller in self.program.index.callers(one)]
        asking: list[OutlivedUse] = []
        judged: set[Function] = set()
        for function in dict.fromkeys([*saying, *calling]):
            if function.record.kind in ("constructor", "destructor") or function.name in _MOVES:
                continue
            uses = list(_used(function, cls, field, sayers))
            if not uses or _changes(function, cls, marks):
                continue
            ends = self._ends(function)
            ended = (_part(function, value, cls) for _, value in ends)
            if any(part is not None and part[0] == field for part in ended):
                continue
            judged.add(function)
            blind = _reached(function, self.looks(function, every) | self._refusing(function, cls))
            first = next((use for use in uses if use[0].index in blind), None)
            event, shown = first or uses[0]
            if first is None:
                unasked = _reached(function, self.looks(function, marks, cls))
                asks = all(use[0].index not in unasked for use in uses)
                use = OutlivedUse(function, event, shown, "asking" if asks else "unclear")
                asking += [use] if asks else []
                yield use
            else:
                yield OutlivedUse(function, event, shown, "careless")
        for use in asking:
            yield from self._by_asking(cls, use, judged)

    def _by_asking(self, cls: Class, use: OutlivedUse, judged: set[Function]) -> Iterator[OutlivedUse]:
        """The methods that leave a use to another method, which asks."""
        for caller in self.program.index.callers(use.function) if use.function.cls is cls else ():
            if caller in judged or caller.cls is not cls or caller.record.kind in ("constructor", "destructor"):
                continue
            for call in caller.flow.calls:
                if use.function in self.program.calls.callee(call.node, caller).functions:
                    judged.add(caller)
                    yield OutlivedUse(caller, call, text(call.node), "asking")
                    break

    def looks(self, function: Function, marks: frozenset[str], cls: Class | None = None) -> frozenset[int]:
        """Indexes of the events that look at a mark, themselves or by a macro; with a class, at one of its objects."""
        spans = [
            span
            for span, macro, words in self._macros_in(function)
            if words & marks and (words & _LEAVES or self.program.macros.role(macro.name) != "assert")
        ]
        return frozenset(
            event.index
            for event in function.flow
            if self._is_look(function, event, marks, cls) or any(event.span.start in span for span in spans)
        )

    def _refusing(self, function: Function, cls: Class) -> frozenset[int]:
        """The events of macros that leave the function for what some member of the class says."""
        spans = [
            span
            for span, _, words in self._macros_in(function)
            if words & _LEAVES and not words.isdisjoint(cls.members)
        ]
        return frozenset(event.index for event in function.flow if any(event.span.start in span for span in spans))

    def _macros_in(self, function: Function) -> Iterator[tuple[r.Span, r.Macro, set[str]]]:
        """The statements that are nothing but a macro of the project, with the macro and the words of its body."""
        for statement in function.statements:
            if isinstance(statement, r.Evaluate) and isinstance(call := strip(statement.value), r.Call):
                for macro in self.program.macros.named(call.callee.text) if isinstance(call.callee, r.Name) else ():
                    yield statement.span, macro, set(_WORDS.findall(macro.body))

    def _is_look(self, function: Function, event: e.Event, marks: frozenset[str], cls: Class | None) -> bool:
        match event:
            case e.Test(value=value, asserted=asserted) if not asserted or cls is None:
                return any(
                    _is_mark(function, inner, marks, cls) for made in made_from(function, value) for inner in walk(made)
                )
            case e.CallEvent(node=call, asserted=False):
                return any(
                    callee is not function and self._looks_at(callee, marks, cls, _DEPTH)
                    for callee in self.program.calls.callee(call, function).functions
                )
        return False

    def _looks_at(self, function: Function, marks: frozenset[str], cls: Class | None, depth: int) -> bool:
        """Whether the function looks at a mark, itself or in what it calls."""
        if function not in self._near.ask(marks, lambda: self._close_to(marks)):
            return False
        return self._looks.ask((function, marks, cls), lambda: self._found_look(function, marks, cls, depth))

    def _close_to(self, marks: frozenset[str]) -> frozenset[Function]:
        """The functions that say a mark, or call by name what may, as deep as a look may be: only they need flow."""
        found = set(self._saying(set(marks)))
        last = found
        for _ in range(_DEPTH):
            last = {caller for one in last for caller in self.program.index.callers(one)} - found
            found |= last
        return frozenset(found)

    def _found_look(self, function: Function, marks: frozenset[str], cls: Class | None, depth: int) -> bool:
        if function.record.kind in ("constructor", "destructor"):
            return False
        if any(f'"{name}"'.encode() in function.encoded for name in marks):
            answers = (leave.value for leave in function.flow.leaves if leave.kind == "return")
            if any(
                _is_mark(function, one, marks, cls)
                for answer in answers
                if answer is not None and _answers_yes_or_no(function)
                for one in walk(answer)
            ):
                return True
            if any(isinstance(one, e.Test) and self._is_look(function, one, marks, cls) for one in function.flow):
                return True
        return depth > 0 and any(
            self._looks_at(callee, marks, cls, depth - 1)
            for call in function.flow.calls
            for callee in self.program.calls.callee(call.node, function).functions
            if callee is not function
        )

    def _is_checked_outside(self, function: Function, marks: frozenset[str], depth: int) -> bool:
        """Whether all who call the function have looked, or make or end the object; or the one around a lambda has."""
        if depth == 0:
            return False
        if function.record.kind == "lambda":
            around = function.parent
            made = next((o for o in around.flow if function.record.start in o.span), None) if around else None
            if around is None or made is None:
                return False
            looks = self.looks(around, marks)
            return made.index not in _reached(around, looks) or self._is_checked_outside(around, marks, depth - 1)
        calls = [
            (caller, call)
            for caller in self.program.index.callers(function)
            if caller is not function
            for call in caller.flow.calls
            if function in self.program.calls.callee(call.node, caller).functions
        ]
        for caller, call in calls:
            if caller.record.kind in ("constructor", "destructor"):
                continue
            if any(write.place[-1] in marks for write in caller.flow.writes):
                continue
            looks = self.looks(caller, marks)
            if call.index in _reached(caller, looks) and not self._is_checked_outside(caller, marks, depth - 1):
                return False
        return bool(calls)


def _questions(function: Function) -> Iterator[r.Value]:
    """What a function of one statement answers with yes or no, or with a number."""
    kind = types.parse(function.record.result)
    if function.is_short and kind.is_value and kind.is_scalar:
        yield from (leave.value for leave in function.flow.leaves if leave.value is not None)


def _fields(cls: Class) -> Iterator[tuple[str, str]]:
    """The members of the class itself by which an object can stand for another, pointers, also those that own; with the
    other's class."""
    for field in cls.record.fields:
        if field.static or "(" in field.type:
            continue
        kind = types.parse(cls.program.names.expand(field.type, cls.file, cls.symbol))
        points = kind.pointers == 1 and not kind.arguments and not kind.is_scalar and kind.last != cls.name
        owns = not _SMART.isdisjoint(cls.program.types.roles_at(field.type, cls.file, cls.symbol))
        if points or (owns and kind.is_value):
            yield field.name, kind.last if points else ""


def _ends_of_owned(function: Function) -> Iterator[tuple[e.Event, tuple[str, ...]]]:
    """Where a function takes objects out of a container that owns them, or empties it; with their classes."""
    for event, _, owned in (*natives.ends_of_elements(function), *natives.ends_of_members(function)):
        if event.index in function.flow.reachable:
            yield event, owned


def _may_mark(function: Function, names: Container[str] | None = None) -> bool:
    """Whether the body can store a constant in a member, of one of these names where they are given: by words alone."""
    if function.language != "cpp":
        return False
    return not _MARKING.isdisjoint(function.mentioned) or any(
        word[0] == "=" and (names is None or word[1:] in names) for word in function.mentioned
    )


def _emptied(function: Function) -> list[e.Write]:
    """The writes of a short method that does nothing but empty members."""
    if function.cls is None or not function.is_short or function.record.parameters:
        return []
    return [one for one in function.flow.writes if (made := held(one.value)) is not None and made.kind == "emptied"]


def _refills(function: Function, cls: Class, field: str) -> bool:
    """Whether the function puts something else into the member: it exchanges what it ends."""
    return any(
        (made := held(write.value)) is None or made.kind != "emptied"
        for write in function.flow.writes
        if not write.fresh and write.target is not None and _part_written(function, write.target, cls) == field
    )


def _only_tells(function: Function, cls: Class) -> bool:
    """Whether it is a method that empties a member and does nothing else, by which others tell the object."""
    if function.cls is not cls or not function.is_short or function.record.parameters or function.flow.calls:
        return False
    return bool(function.flow.writes) and any(
        caller.home is not cls for caller in function.program.index.callers(function)
    )


def _ends(function: Function, found: natives.Natives, smart: frozenset[str]) -> Iterator[tuple[e.Event, r.Value]]:
    """Where a function ends something, and what: by a call of a function that does, a `delete`, or a pointer that owns
    it and is emptied; `smart` are the names of those that are members."""
    for call, _, value in natives.destroys(function, found):
        yield call, value
    if not function.mentions("reset") and not (
        any(word[0] == "=" and word[1:] in smart for word in function.mentioned) and function.says(_NULL)
    ):
        return
    for event in function.flow:
        match event:
            case e.CallEvent(node=r.Call(callee=r.Member(base=base, name="reset", arrow=False), args=())):
                yield event, base
            case e.Write(op="=", fresh=False, target=r.Name() | r.Member() as target, value=stored):
                made = held(stored) if last_name(target) in smart else None
                if made is None or made.kind != "emptied":
                    continue
                if not _SMART.isdisjoint(
                    function.program.types.roles(function.program.types.of(target, function), function)
                ):
                    yield event, target


def _part(function: Function, value: r.Value | None, cls: Class, depth: int = 0) -> tuple[str, r.Value | None] | None:
    """The member of an object of the class that a value is, and the object, None for the function's own: also by a
    local that begins with it, or what an accessor answers."""
    inner = strip(value)
    for _ in range(_DEPTH):
        if (
            isinstance(inner, r.Call)
            and last_name(inner.callee) in _HANDING
            and (inner.args or receiver(inner) is not None)
        ):
            inner = strip(inner.args[0] if inner.args else receiver(inner))
        if isinstance(inner, r.Name) and inner.text in function.locals and inner.text not in function.parameter_names:
            inner = strip(function.locals[inner.text][1])
    match inner:
        case r.Call(kind="call") if depth < _DEPTH:
            for callee in function.program.calls.callee(inner, function).functions[:1]:
                for leave in callee.flow.leaves if callee is not function else ():
                    part = _part(callee, leave.value, cls, depth + 1) if leave.kind == "return" else None
                    if part is not None:
                        return part[0], inner
            return None
        case r.Member(base=r.Name(text="this"), name=name):
            return (name, None) if _is_own(function, cls) else None
        case r.Member(base=base, name=name):
            return (name, base) if _is_object(function, base, cls) else None
        case r.Name(text=name) if name not in function.declared and _is_own(function, cls):
            return name, None
    return None


def _is_mark(function: Function, value: r.Value, marks: frozenset[str], cls: Class | None) -> bool:
    if not isinstance(value, r.Name | r.Member) or last_name(value) not in marks:
        return False
    return cls is None or _part(function, value, cls) is not None


def _answers_yes_or_no(function: Function) -> bool:
    """Whether it is a question: what answers with the member itself hands it out."""
    kind = types.parse(function.record.result)
    return not kind.pointers and not kind.reference


def _is_own(function: Function, cls: Class) -> bool:
    return function.home is not None and (cls in function.home.ancestry or function.home in cls.ancestry)


def _is_object(function: Function, base: r.Value, cls: Class) -> bool:
    kind = types.parse(function.program.types.of(base, function))
    for name in (kind.name, *kind.arguments):
        found = function.program.names.find_class(name, function.record.scope, function.file) if name else None
        if found is not None:
            return cls in found.ancestry or found in cls.ancestry
    return False


def _stored(function: Function, cls: Class) -> Iterator[tuple[str, r.Value | None]]:
    """The members of objects of the class that get a constant in the function, and the objects."""
    for write in function.flow.writes:
        if write.fresh or write.target is None or write.op not in ("=", "|=", "&="):
            continue
        made: Held | None = held(write.value)
        constant = write.op != "=" or (made is not None and made.kind in ("flag", "cleared", "emptied", "state"))
        part = _part(function, write.target, cls) if constant else None
        if part is not None:
            yield part
    for call in function.flow.calls:
        match call.node:
            case r.Call(callee=r.Member(base=base, name="reset" | "store" | "exchange"), args=args):
                if len(args) < 2 and (part := _part(function, base, cls)) is not None:
                    yield part
            case r.Call(callee=callee, args=(target, _)) if last_name(callee) == "exchange":
                if (part := _part(function, target, cls)) is not None:
                    yield part


def _changes(function: Function, cls: Class, marks: frozenset[str]) -> bool:
    """Whether the function stores a mark, the member, or a whole object: then it makes the object, ends it, or begins
    anew."""
    if any(
        isinstance(one := strip(write.target), r.Unary) and one.op == "*" and _is_object(function, one.value, cls)
        for write in function.flow.writes
        if not write.fresh
    ):
        return True
    return any(
        not write.fresh
        and write.target is not None
        and (part := _part_written(function, write.target, cls)) is not None
        and part in marks
        for write in function.flow.writes
    ) or any(name in marks for name, _ in _stored(function, cls))


def _part_written(function: Function, target: r.Value, cls: Class) -> str | None:
    inner = strip(target)
    if isinstance(inner, r.Name) and inner.text in function.declared:
        return None
    part = _part(function, inner, cls)
    return part[0] if part is not None else None


def _used(function: Function, cls: Class, field: str, sayers: frozenset[str]) -> Iterator[tuple[e.Event, str]]:
    """Where the function looks through the member of some object, or hands it to a function. `sayers` are the names of
    those that say the member: no others can answer with it."""
    flow = function.flow
    for event in flow:
        if event.index not in flow.reachable:
            continue
        match event:
            case e.Read(node=node):
                for one in [one for one in _looked_through(node) if _is_part(function, one, cls, field, sayers)][:1]:
                    yield event, text(one)
            case e.Write(fresh=False, target=target) if target is not None:
                for one in [one for one in _looked_through(target) if _is_part(function, one, cls, field, sayers)][:1]:
                    yield event, text(one)
            case e.CallEvent(node=call, asserted=False) if call.kind == "call":
                on = call.callee.base if isinstance(call.callee, r.Member) and call.callee.arrow else None
                given = () if function.program.macros.role(last_name(call.callee)) else call.args
                handed = given if on is None and receiver(call) is None else ()
                for one in (*((on,) if on is not None else ()), *handed):
                    if _is_part(function, one, cls, field, sayers):
                        yield event, text(one)
                        break
                else:
                    if last_name(call.callee) in sayers and _lends(function, call, cls, field, sayers):
                        yield event, text(call)


def _lends(function: Function, call: r.Call, cls: Class, field: str, sayers: frozenset[str]) -> bool:
    """Whether a call answers with what the member points to, by reference."""
    for callee in function.program.calls.callee(call, function).functions[:1]:
        if callee is function or not types.parse(callee.record.result).reference:
            continue
        for leave in callee.flow.leaves:
            inner = strip(leave.value) if leave.kind == "return" else None
            if isinstance(inner, r.Unary) and inner.op == "*" and _is_part(callee, inner, cls, field, sayers):
                return True
    return False


def _looked_through(node: r.Value) -> list[r.Value]:
    """What stands before each `->`, `[` and behind each `*` of an expression."""
    found: list[r.Value] = []
    inner: r.Value | None = node
    while inner is not None:
        match inner:
            case r.Member(base=base, arrow=arrow):
                if arrow:
                    found.append(base)
                inner = strip(base)
            case r.Index(base=base):
                found.append(base)
                inner = strip(base)
            case r.Unary(op="*", value=value):
                found.append(value)
                inner = strip(value)
            case _:
                return found
    return found


def _is_part(function: Function, value: r.Value, cls: Class, field: str, sayers: frozenset[str]) -> bool:
    inner = strip(value)
    while isinstance(inner, r.Unary) and inner.op == "*":
        inner = strip(inner.value)
    if isinstance(inner, r.Call) and not inner.args and last_name(inner.callee) == "get":
        inner = strip(receiver(inner))
    if isinstance(inner, r.Member) and inner.name != field:
        return False
    if isinstance(inner, r.Call) and last_name(inner.callee) not in sayers | _HANDING:
        return False
    part = _part(function, inner, cls)
    return part is not None and part[0] == field


def _reached(function: Function, looks: frozenset[int]) -> frozenset[int]:
    """The events to which some way comes without a look."""
    flow = function.flow
    seen = {flow.entry}
    queue = [flow.entry]
    for current in queue:
        if current not in looks:
            new = [target for target, _ in flow.successors[current] if target not in seen]
            seen.update(new)
            queue += new
    return frozenset(seen - looks)


@program_question
def outlived(program: Program) -> OutlivedMembers:
    """The members of one program; one object a program, since its answers are remembered."""
    return OutlivedMembers(program)
