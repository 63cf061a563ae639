"""Types of C whose objects a collector looks through: which members they own, and which they show to it.

A type is a table of slots; its functions are known by what they do. What shows something to the collector is its
traverse function; what releases members of its own object are the functions that clear and end it.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from ownlint import Function, Program, places, questions, references, types
from ownlint import records as r

_DEEPEST = 3


class Hidden(NamedTuple):
    """`traverse` shows nothing of `member`, which `released` releases; `member` is "" for the object's own type. `open`
    says that Python puts into it what it likes."""

    traverse: Function
    member: str
    released: Function | None
    at: r.Node | None = None
    open: bool = False


class Looks(NamedTuple):
    """What a function does to the members of its object. `whole` says that more is done by somebody unseen."""

    members: dict[str, r.Node]
    whole: bool
    types: bool = False


def hidden(program: Program) -> Iterator[Hidden]:
    for functions, on_heap in _types(program):
        traverses = [one for one in functions if one.mentions_any(program.models.visitors)]
        for traverse in traverses:
            shown = _looks(traverse, "visit")
            if shown.whole:
                continue
            others = [one for one in functions if one is not traverse and len(one.record.parameters) == 1]
            seen: set[str] = set()
            for other in others:
                for member, at in _looks(other, "release").members.items():
                    if member not in shown.members and member not in seen and _may_refer(program, other, member, at):
                        seen.add(member)
                        is_open = any(_is_lent(*put) for put in _put(program, other.path, member))
                        yield Hidden(traverse, member, other, at, is_open)
            if on_heap and shown.members and not shown.types:
                yield Hidden(traverse, "", None)


@questions.program_question
def _types(program: Program) -> list[tuple[list[Function], bool]]:
    """The functions of each table, and whether it is one of slots that a type on the heap is made of."""
    tables = program.models.names_of("slot table")
    by_file: dict[str, dict[str, Function]] = {}
    for function in program.functions:
        if function.language == "cpp" and function.record.kind == "function":
            by_file.setdefault(function.path, {}).setdefault(function.name, function)
    found = []
    for path, file in program.files.items():
        own = by_file.get(path, {})
        for variable in file.variables if file.language == "cpp" else ():
            if not any(table in variable.type for table in tables) or variable.value is None:
                continue
            names = dict.fromkeys(
                places.last_name(inner) for inner in places.walk(variable.value) if isinstance(inner, r.Name)
            )
            functions = [own[name] for name in names if name in own]
            if functions:
                found.append((functions, "Slot" in variable.type))
    return found


def _looks(function: Function, verb: str, depth: int = 0) -> Looks:
    """The members of its first parameter that the function, or a helper that it hands it to, shows or releases."""
    first = function.record.parameters[:1]
    members: dict[str, r.Node] = {}
    if not first or depth > _DEEPEST:
        return Looks(members, True)
    own = {first[0].name} | {
        name
        for name, (_, initial) in function.locals.items()
        if isinstance(bare := places.strip(initial), r.Name) and bare.text == first[0].name
    }
    whole = types_seen = False
    known = references.references(function.program)
    for call in function.flow.calls:
        model = known.model(call.node, function)
        if model is not None and any(effect.verb == verb for effect in model.effects):
            given = places.strip(call.node.args[0]) if call.node.args else None
            for inner in places.walk(given):
                if isinstance(inner, r.Member):
                    members.setdefault(inner.name, inner)
                elif isinstance(inner, r.Call):
                    types_seen = True
                elif isinstance(inner, r.Name) and inner.text not in own and isinstance(given, r.Name):
                    whole = True  # by way of a local: an element, a member of a member
        elif model is None and (handed := _handed(call.node, own)):
            callee = function.program.calls.callee(call.node, function)
            if handed == "itself" and len(callee.functions) == 1:
                inside = _looks(callee.functions[0], verb, depth + 1)
                members.update({name: at for name, at in inside.members.items() if name not in members})
                whole, types_seen = whole or inside.whole, types_seen or inside.types
            else:
                whole = True
    return Looks(members, whole, types_seen)


def _handed(call: r.Call, own: set[str]) -> str:
    """Whether the object, or something of it, goes to the callee."""
    for number, argument in enumerate(call.args):
        inner = places.strip(argument)
        if isinstance(inner, r.Name) and inner.text in own:
            return "itself" if number == 0 else "else"
        if any(isinstance(part, r.Name) and part.text in own for part in places.walk(inner)):
            return "else"
    return ""


def _may_refer(program: Program, function: Function, member: str, at: r.Node) -> bool:
    """Whether the member can hold an object that leads back: no text, no number, as far as what is put there says."""
    written = program.types.of(at, function) if isinstance(at, r.Member) else ""
    if written and types.parse(written).last != "PyObject":
        return False
    if not isinstance(at, r.Member) or not _is_direct(at):
        return False
    put = (made for inside, value in _put(program, function.path, member) for made in _made(inside, value))
    made = [value for value in put if not isinstance(value, r.Literal)]
    atomic = program.models.atomic
    return bool(made) and not all(isinstance(one, r.Call) and atomic.fits(places.last_name(one.callee)) for one in made)


def _put(program: Program, path: str, member: str) -> Iterator[tuple[Function, r.Value]]:
    """What the functions of the file put into the member, and which."""
    for other in program.functions_in(path):
        if f"={member}" in other.mentioned:
            for write in other.flow.writes:
                if not write.fresh and write.place[-1].lstrip(".") == member and write.value is not None:
                    yield other, write.value
    yield from _adopted(program, path, member)


def _is_lent(function: Function, value: r.Value) -> bool:
    """Whether it is an argument of Python's, of any type."""
    names = {part.text for part in places.walk(value) if isinstance(part, r.Name)}
    known = references.references(function.program)
    for call in function.flow.calls:
        model = known.model(call.node, function)
        letters = references.format_letters(call.node, model) if model is not None and model.format_lends else None
        letters = letters or {}
        for position in (at for at, letter in letters.items() if letter == "O" and letters.get(at - 1) != "!"):
            given = places.strip(call.node.args[position]) if position < len(call.node.args) else None
            if isinstance(given, r.Unary) and places.last_name(given.value) in names:
                return True
    return False


def _adopted(program: Program, path: str, member: str) -> Iterator[tuple[Function, r.Value]]:
    """What calls of the file put into the member: `Py_XSETREF(self->owner, Py_NewRef(owner))`."""
    known = references.references(program)
    for other in program.functions_in(path):
        if not other.mentions_any(_setters(program)):
            continue
        for call in other.flow.calls:
            for given, where in known.adopted(call.node, other):
                target = places.strip(where)
                if isinstance(target, r.Member) and target.name == member:
                    yield other, given


@questions.program_question
def _setters(program: Program) -> frozenset[str]:
    """Last names of what puts a reference into a place that it is given."""
    return program.models.functions_with(
        "adopt",
        wanted=lambda model: any(one.verb == "adopt" and one.other is not None for one in model.effects),
    )


def _made(function: Function, value: r.Value, depth: int = 0) -> Iterator[r.Value | None]:
    """The value, or whatever a local that it names is given, or what callers in the same file pass for a parameter."""
    inner = places.strip(value)
    if not isinstance(inner, r.Name) or depth > _DEEPEST:
        yield inner
        return
    written = function.locals.get(inner.text, ("",))[0]
    if written and types.parse(written).last not in ("PyObject", "auto"):
        return  # an object of a class of its own, which is no longer looked into
    given = [write.value for write in function.flow.writes_to((inner.text,)) if write.value is not None]
    if given:
        yield from (places.strip(one) for one in given)
        return
    names = [parameter.name for parameter in function.record.parameters]
    passed = [
        (other, call.node.args[names.index(inner.text)])
        for other in function.program.functions_in(function.path)
        if inner.text in names and other.mentions(function.name)
        for call in other.flow.calls
        if places.last_name(call.node.callee) == function.name and len(call.node.args) == len(names)
    ]
    if not passed:
        yield inner
    for other, argument in passed:
        yield from _made(other, argument, depth + 1)


def _is_direct(at: r.Member) -> bool:
    """`self->member`, also of a struct inside of the object: no member of what another pointer leads to."""
    base = places.strip(at.base)
    return isinstance(base, r.Name) or (isinstance(base, r.Member) and not at.arrow and _is_direct(base))
