"""Between which numbers an expression lies where it stands: by its type, by what is written to a local, by the tests
that every path there has passed, and by constants of the project.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import reduce

from ownlint.engine import ranges
from ownlint.facts import records as r
from ownlint.facts.show import text
from ownlint.flow import events as e
from ownlint.flow.graph import addressed
from ownlint.flow.places import is_name, last_name, strip
from ownlint.project import types
from ownlint.project.program import Program
from ownlint.project.qualified import last
from ownlint.project.questions import flow_question, program_question
from ownlint.project.statuses import is_enum
from ownlint.project.subjects import Class, Function

_BYTES = {
    **dict.fromkeys(("bool", "_Bool"), ranges.Range(0, 1)),
    **dict.fromkeys(("unsigned char", "uint8_t", "uint8", "char8_t"), ranges.Range(0, 0xFF)),
    **dict.fromkeys(("signed char", "int8_t", "int8"), ranges.Range(-0x80, 0x7F)),
}
"""Types that hold so little that all of it matters."""


def within(value: r.Value | None, function: Function, at: e.Event | None) -> ranges.Range:
    """The range of a value that is evaluated at this event."""
    found = ranges.of(value, lambda name: _named(name, function, at))
    while isinstance(value, r.Cast):
        found, value = ranges.both(found, _of_type(value, function)), value.value
    return ranges.both(found, _of_type(value, function))


def constant(name: str, function: Function) -> ranges.Range:
    """The number that a macro, an enumerator or a constant of the project stands for; any where that is not known."""
    program = function.program
    if name in function.declared:
        return ranges.ANY
    written: list[r.Value | None] = [
        r.Literal(0, 0, "int", body.strip("() ")) for body in sorted(program.macros.constants(name))
    ]
    written += [
        one.value if "const" in one.type and not types.parse(one.type).pointers else None
        for _, one in program.index.variables_called(name)
    ]
    found = [ranges.of(one, lambda _: ranges.ANY) for one in written]
    if (enumerator := _enumerators(program).get(last(name))) is not None:
        found.append(enumerator)
    return reduce(ranges.either, found) if found else ranges.ANY


def _named(name: str, function: Function, at: e.Event | None) -> ranges.Range:
    if name not in function.declared:
        return constant(name, function)
    if at is None or name not in function.locals:
        return ranges.ANY
    found = _written(name, function, at)
    for test, outcome in function.flow.guards(at):
        if (asked := _asked(test.value, name)) is None or function.flow.sets_between(
            test, at, frozenset({name}), again=False
        ):
            continue
        op, other = asked
        found = ranges.narrowed(
            op if outcome else ranges.opposite(op), found, ranges.of(other, lambda one: constant(one, function))
        )
    return found


def _written(name: str, function: Function, at: e.Event) -> ranges.Range:
    """What is written to a local from where it begins, all of it together."""
    writes = function.flow.writes_to((name,))
    begins = [write.index for write in writes if write.fresh]
    first = max((index for index in begins if index < at.index), default=-1)
    behind = min((index for index in begins if index > at.index), default=len(function.flow.events))
    if first < 0 or any(first < index < behind for index in _given_away(function).get(name, ())):
        return ranges.ANY
    found, up, down = list[ranges.Range](), False, False
    for write in writes:
        if not first <= write.index < behind or (write.fresh and write.value is None):
            continue
        match write.op:
            case "=" | "init":
                found.append(ranges.of(write.value, lambda one: constant(one, function)))
            case "++":
                up = True
            case "--":
                down = True
            case _:
                return ranges.ANY
    if not found:
        return ranges.ANY
    together = reduce(ranges.either, found)
    return ranges.Range(ranges.ANY.low if down else together.low, ranges.ANY.high if up else together.high)


@flow_question
def _given_away(function: Function) -> dict[str, list[int]]:
    """By name the events that may set it without a write: it is not known what they do, or they have its address."""
    found: dict[str, list[int]] = {}
    for event in function.flow:
        match event:
            case e.CallEvent(node=call):
                names: Iterable[str] = addressed(call)
            case e.OpaqueEvent(names=names):
                pass
            case _:
                continue
        for name in sorted(names):
            found.setdefault(name, []).append(event.index)
    return found


def is_below_size(call: r.Call, sizes: Sequence[str], function: Function) -> bool:
    """Whether a test has told that the second argument is below what one of these functions says of the first."""
    at, index = function.flow.call_of(call), strip(call.args[1]) if len(call.args) > 1 else None
    if at is None or not isinstance(index, r.Name):
        return False
    of = text(call.args[0])
    return any(
        (op if outcome else ranges.opposite(op)) in ("<", "!=")
        and _is_size(other, sizes, of, function, test)
        and not function.flow.sets_between(test, at, frozenset({index.text}), again=False)
        for test, outcome in function.flow.guards(at)
        for op, other in filter(None, (_asked(test.value, index.text),))
    )


def _is_size(value: r.Value | None, sizes: Sequence[str], of: str, function: Function, at: e.Event) -> bool:
    match strip(value):
        case r.Call(args=(asked,)) as call:
            return last_name(call.callee) in sizes and text(asked) == of
        case r.Name(text=name) if name in function.locals:
            write = function.flow.last_write(at, (name,))
            return write is not None and _is_size(write.value, sizes, of, function, write)
    return False


def _asked(test: r.Value, name: str) -> tuple[str, r.Value] | None:
    """How a test compares the name, and with what."""
    match strip(test):
        case r.Binary(op=op, left=left, right=right) if op in ranges.COMPARISONS:
            for one, other, asked in ((left, right, op), (right, left, ranges.turned(op))):
                if is_name(one, name):
                    return asked, other
    return None


def _of_type(value: r.Value | None, function: Function) -> ranges.Range:
    """What the type of a value can hold."""
    program = function.program
    written = program.types.of(value, function)
    if not written or types.parse(written).pointers:
        return ranges.ANY
    expanded = types.parse(program.names.expand(written, function.file, function.record.scope)).name
    if (held := _BYTES.get(last(expanded))) is not None:
        return held
    enum = program.names.find_class(expanded, function.record.scope, function.file, enum=True)
    if enum is None:
        return ranges.ANY
    numbers = _numbers(enum)
    return _all_bits(reduce(ranges.either, numbers.values())) if numbers else ranges.ANY


def _all_bits(said: ranges.Range) -> ranges.Range:
    """What an enum can hold: its enumerators may be combined."""
    return said if said.low < 0 else ranges.Range(0, (1 << said.high.bit_length()) - 1)


def _numbers(enum: Class) -> dict[str, ranges.Range]:
    """By enumerator the number that it stands for."""
    found: dict[str, ranges.Range] = {}
    following = ranges.Range(0, 0)
    for field in enum.record.fields:
        written = ranges.of(field.value, lambda one: found.get(last(one), ranges.ANY))
        said = written if field.value is not None else following
        found[field.name] = said
        following = ranges.ANY if said == ranges.ANY else ranges.Range(said.low + 1, said.high + 1)
    return found


@program_question
def _enumerators(program: Program) -> dict[str, ranges.Range]:
    """By last name the number that an enumerator of the project stands for, in whichever enum."""
    found: dict[str, ranges.Range] = {}
    for cls in program.classes:
        for name, said in _numbers(cls).items() if is_enum(cls) else ():
            found[name] = ranges.either(found[name], said) if name in found else said
    return found
