"""Who may have a reference of its own to an object that is counted: what a release gives up ends with that one only
where nobody else has another."""

from __future__ import annotations

from ownlint.domains.counted.counting import summary
from ownlint.domains.counted.references import may_count, references
from ownlint.domains.memory.blocks import Block, Cell, home_of
from ownlint.facts import records as r
from ownlint.flow import events as e
from ownlint.flow.places import names_in
from ownlint.project import types
from ownlint.project.callees import Callee
from ownlint.project.questions import flow_question
from ownlint.project.subjects import Function


def named_by(block: Block) -> Block | Cell:
    """The block, whatever was called since it was come by."""
    return home_of(block) or block


def is_own(block: Block, function: Function) -> bool:
    """Whether the reference that a place holds is the function's, or the place's own: not that of a library's object,
    which is never gone, nor that of an argument, which stays its caller's unless every path takes it over."""
    if block[0] == "var" or (block[0] == "made" and block[2] == "value"):
        return False  # an object of the function's own, or what nobody knows the origin of
    if block[0] != "in" or block[1][0] != "var" or block[2]:
        return True
    name = block[1][1]
    if name not in function.declared:
        return not function.program.models.constants.fits(name)
    if function.parent is not None and name not in function.locals:
        return is_own(block, function.parent)  # what a lambda captures
    if all(one.name != name for one in function.record.parameters):
        return True
    number = next(at for at, one in enumerate(function.record.parameters) if one.name == name)
    uses = summary(function).arguments
    return number < len(uses) and uses[number] in ("released", "stolen")


def may_share(call: r.Call, index: int, callee: Callee, function: Function) -> bool:
    """Whether the object that is argument `index` may have one owner more behind the call."""
    known = references(function.program)
    model = known.model(call, function)
    match known.use(call, index, function):
        case "released":
            return False
        case "lent":
            return model is not None and (model.has("keep") or model.has("acquire", "result"))
        case "" if len(callee.functions) == 1:
            made = callee.functions[0]
            uses = summary(made).arguments
            return index >= len(uses) or uses[index] not in ("lent", "released") or index in summary(made).shared
        case "":
            return not callee.models
    return True


def counts(function: Function) -> bool:
    """Whether the function deals in what is counted; of a lambda, the one around it may."""
    return may_count(function) or (function.parent is not None and counts(function.parent))


def is_followed_there(function: Function, index: int) -> bool:
    """Whether the walk over memory sees all that takes another reference to argument `index` in a function whose counts
    do not say what becomes of it: it deals in them, or calls nothing with what it is given."""
    uses = summary(function).arguments
    if index < len(uses) and uses[index]:
        return False
    return counts(function) or (index < len(uses) and _stays_pointer(function, function.record.parameters[index].name))


@flow_question
def _stays_pointer(function: Function, name: str) -> bool:
    """Whether a parameter is given to no call, and only put into places that hold bare pointers."""

    def is_in(value: r.Value | None) -> bool:
        return name in names_in(value)

    if any(is_in(call.node) for call in function.flow.calls):
        return False
    return all(types.parse(_type_of(function, write)).pointers for write in function.flow.writes if is_in(write.value))


def _type_of(function: Function, write: e.Write) -> str:
    if write.fresh or write.target is not None:
        return write.type if write.fresh else function.program.types.of(write.target, function)
    field = function.home.field(write.place[-1]) if function.home is not None else None
    return field[1].type if field is not None else ""


def is_shared(call: r.Call, function: Function) -> bool:
    """Whether what the call hands out may have an owner beside who calls it."""
    source = references(function.program).source(call, function)
    if source.kind != "new" or source.model is None:
        return True
    return source.model.has("keep", "result") or source.model.has("retain")


def lends_item(call: r.Call, function: Function) -> bool:
    """Whether it returns a borrowed item, which its container may drop while it is used."""
    source = references(function.program).source(call, function)
    return source.kind == "borrowed" and source.model is not None and len(call.args) > 1


def is_lent(call: r.Call, index: int, function: Function) -> bool:
    """Whether a library works on the counted object that it is given."""
    return references(function.program).use(call, index, function) == "lent"
