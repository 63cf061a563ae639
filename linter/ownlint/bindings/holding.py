"""Holders: in what a framework keeps the objects of a bound class, and by what else they are handed out."""

from __future__ import annotations

from collections.abc import Iterator

import msgspec

from ownlint.bindings.signatures import bound_as, framework_of, signature_of
from ownlint.facts import records as r
from ownlint.finding import Certainty, Step, because
from ownlint.flow.places import strip
from ownlint.models.records import FrameworkModel
from ownlint.project import types
from ownlint.project.files import File
from ownlint.project.releases import is_before
from ownlint.project.subjects import Binding, Class

_DEEPEST = 3


class Mismatch(msgspec.Struct, frozen=True):
    """`pointer` is the shared pointer's name, `at` where the class is bound."""

    name: str
    pointer: str
    returned: bool
    at: Step
    certainty: Certainty


def mismatch(binding: Binding) -> Mismatch | None:
    """A shared pointer of a class whose holder does not share, where the framework cannot deal with both."""
    framework = framework_of(binding)
    if framework is None or "holder_mismatch_until" not in framework.facts:
        return None
    old = is_before(binding.program, framework, framework.facts["holder_mismatch_until"])
    newer = framework.facts.get("holder_mismatch_unless", "").split()
    if old is False or (old is None and any(binding.program.index.is_called(word) for word in newer)):
        return None
    for written, returned, scope in _handed(binding):
        for pointer, pointee in _shared(binding, written, 0):
            cls = binding.program.names.find_class(pointee, scope, binding.file)
            bound = _unique(binding, framework, cls) if cls is not None else None
            if cls is not None and bound is not None:
                sure = "certain" if old else because("version", "the version of the framework is not known")
                at = Step(bound[0].path, bound[1].span, f"`{bound[1].name}` has a unique holder")
                return Mismatch(cls.name, pointer, returned, at, sure)
    return None


def _handed(binding: Binding) -> Iterator[tuple[str, bool, str]]:
    """The types of what a binding hands out and takes, and where they are written."""
    field = field_of(binding)
    if field is not None:
        yield field[1].type, True, field[0].symbol
        return
    signature = signature_of(binding)
    if signature is None:
        return
    target = signature.target
    scope = target.function.record.scope if target is not None and target.function is not None else ""
    if binding.record.kind != "init":
        yield signature.result, True, scope
    for parameter in signature.parameters or ():
        yield parameter, False, scope


def field_of(binding: Binding) -> tuple[Class, r.Field] | None:
    """The field that is bound as such, and the class that has it."""
    record = binding.record
    inner = strip(record.callable)
    if (
        record.kind not in ("field", "field_rw")
        or not isinstance(inner, r.Unary)
        or not isinstance(inner.value, r.Name)
    ):
        return None
    owner, _, name = inner.value.text.rpartition("::")
    scope = binding.around.record.scope if binding.around is not None else ""
    expanded = binding.program.names.expand(owner, binding.file, scope, record.start)
    cls = binding.program.names.find_class(expanded, scope, binding.file)
    return cls.field(name) if cls is not None else None


def _shared(binding: Binding, written: str, depth: int) -> Iterator[tuple[str, str]]:
    """The shared pointers in a type: the pointer's own name and the class it shares."""
    kind = types.parse(written)
    roles = binding.program.types.roles_at(written, binding.file, "")
    if "shared pointer" in roles and len(kind.arguments) == 1 and not kind.pointers:
        yield kind.name, types.parse(kind.arguments[0]).name
    elif depth < _DEEPEST and not kind.pointers:
        for argument in kind.arguments:
            yield from _shared(binding, argument, depth + 1)


def _unique(binding: Binding, framework: FrameworkModel, cls: Class) -> tuple[File, r.BoundClass] | None:
    """Where the class is bound, when every such place leaves it to a unique pointer."""
    found = [(file, bound) for file, bound in bound_as(binding, cls) if bound.framework == framework.spelling.name]
    for file, bound in found:
        for written in bound.arguments[1:]:
            holder = types.parse(binding.program.names.expand(written, file, at=bound.start))
            names = {types.parse(argument).last for argument in holder.arguments}
            if (cls.name in names and holder.last != "unique_ptr") or holder.last in ("...", ""):
                return None
            if not holder.arguments and binding.program.names.find_class(holder.name, "", file) is None:
                return None  # a holder by a name of its own, a base nobody shows
    return found[0] if found else None
