"""What a binding stores of its arguments, and whether its keep-alives are about them."""

from __future__ import annotations

from collections.abc import Iterator

import msgspec

from ownlint.bindings.holding import field_of
from ownlint.bindings.ownership import destroyer, is_lent, is_owned
from ownlint.bindings.policies import KeepAlive, Policies
from ownlint.bindings.signatures import (
    Signature,
    argument_name,
    bound_class,
    counts_itself,
    framework_of,
    has_own_holder,
    is_lent_only,
    signature_of,
)
from ownlint.bindings.stored import Stored, constructed, made_by, stores
from ownlint.facts import records as r
from ownlint.finding import Certainty, Step, because, tempered, weaker
from ownlint.flow.places import strip
from ownlint.models.records import FrameworkModel
from ownlint.project import types
from ownlint.project.program import Program
from ownlint.project.subjects import Binding

_OWNERS = frozenset({"smart pointer", "shared pointer", "intrusive pointer"})


class Unkept(msgspec.Struct, frozen=True):
    """`holder` stores the address of `argument`, as the framework counts them. `wrong` is a keep-alive that was meant
    to be about it; `has_self` whether index 1 is `self`."""

    holder: int
    argument: int
    at: Step
    certainty: Certainty
    wrong: r.Extra | None = None
    has_self: bool = True
    by_setter: bool = False
    names: tuple[str, str] = ("", "")
    """What the holder and the argument are called; empty where nobody says so."""
    by_pointer: bool = False


def unkept(binding: Binding) -> Iterator[Unkept]:
    """The arguments that are stored and that no keep-alive is about."""
    framework = framework_of(binding)
    if framework is None or binding.record.kind in ("field", "field_rw", "other"):
        return
    if binding.record.kind == "property_rw":
        setter = _setter(binding, framework)
        found = unkept(setter) if setter is not None else iter(())
        yield from (msgspec.structs.replace(each, by_setter=True, wrong=None) for each in found)
        return
    signature = signature_of(binding)
    if signature is None or signature.parameters is None:
        return
    said = Policies(binding, framework)
    if not any(framework.extras.get(extra.name) == "call policy" for extra, _ in said.extras):
        yield from _unkept_by(said, binding, signature)


def _unkept_by(said: Policies, binding: Binding, signature: Signature) -> Iterator[Unkept]:
    keeps = [keep for keep in said.keep_alives() if not said.is_ignored(keep.extra)]
    unknown = any(said.is_unknown(extra, spelled) for extra, spelled in said.extras)
    has_self = binding.record.kind in ("init", "method", "property", "iterator")
    about_result = next((keep.extra for keep in keeps if 0 in (keep.nurse, keep.patient)), None)
    wrong = about_result if signature.is_void else None
    for stored in _stored(binding, signature):
        if not _is_object(binding, signature, stored.argument) or (has_self and stored.argument == 1):
            continue
        if _is_kept(stored.argument, keeps, signature):
            continue
        is_deep = has_self and stored.holder != 1  # what a method does to two others is seldom all there is to it
        sure = _lasting(binding, signature, stored)
        if sure is None:
            continue
        sure = weaker(sure, "possible") if unknown or is_deep else sure
        names = argument_name(binding, stored.holder), argument_name(binding, stored.argument)
        by_pointer = (
            bool(types.parse(signature.parameters[stored.argument - 1]).pointers) if signature.parameters else False
        )
        yield Unkept(
            stored.holder,
            stored.argument,
            stored.at,
            sure,
            wrong,
            has_self,
            names=(names[0], names[1] or stored.name),
            by_pointer=by_pointer,
        )


def _lasting(binding: Binding, signature: Signature, stored: Stored) -> Certainty | None:
    """How sure it is that a stored argument is destroyed while its address is kept; None where it is never."""
    assert signature.parameters is not None
    kind = types.parse(signature.parameters[stored.argument - 1])
    if is_owned(binding.program, kind.last):
        return stored.certainty
    cls = binding.program.names.find_class(kind.name, "", binding.file)
    if cls is not None and destroyer(cls) == "none":
        return None
    reason = f"harmless if the code that returns a `{kind.last}` keeps it alive: Python creates none of its own"
    if is_lent(binding.program, kind.last):
        return because("possible", reason)
    return tempered(stored.certainty, because("sharing", reason))


def _is_kept(argument: int, keeps: list[KeepAlive], signature: Signature) -> bool:
    """By another argument, or by a result that there is."""
    return any(k.patient == argument and (k.nurse != 0 or not signature.is_void) for k in keeps)


def _stored(binding: Binding, signature: Signature) -> list[Stored]:
    target = signature.target
    if binding.record.kind != "init":
        return stores(target.function, target.first) if target is not None and target.function is not None else []
    cls = bound_class(binding)
    if cls is None or signature.parameters is None:
        return []
    if target is not None:
        return made_by(target.function, cls) if target.function is not None else []
    return [one for one in constructed(cls, signature.parameters[1:]) if one.holder == 1]


def _is_object(binding: Binding, signature: Signature, number: int) -> bool:
    """Whether that argument is the C++ half of a Python object, by its address."""
    if signature.parameters is None or number > len(signature.parameters):
        return False
    kind = types.parse(signature.parameters[number - 1])
    if kind.pointers + kind.reference != 1 or kind.last not in binding.program.names.bound_types:
        return False
    framework = framework_of(binding)
    target = signature.target
    file = (target.function or binding).file if target is not None else binding.file
    cls = binding.program.names.find_class(kind.name, "", file)
    counts = cls is not None and framework is not None and counts_itself(framework, cls)
    return cls is None or not (counts or is_lent_only(cls) or any(has_own_holder(each) for each in cls.ancestry))


def _setter(binding: Binding, framework: FrameworkModel) -> Binding | None:
    """The setter of a property as a method of its own, with what is said about it."""
    record = binding.record
    if strip(record.setter) is None:
        return None
    extras = record.setter_extras
    if framework.facts.get("keep_alive_on_property") == "honoured":
        extras = (*extras, *record.extras)
    made = msgspec.structs.replace(record, callable=record.setter, setter=None, kind="method", extras=extras)
    return Binding(binding.program, binding.file, made)


def stored_by_field(binding: Binding) -> Step | None:
    """The field, bound as writable, that is a raw pointer to a bound class without a keep-alive."""
    record, framework = binding.record, framework_of(binding)
    if record.kind != "field_rw" or framework is None or framework.facts.get("field_setter_keeps") != "nothing":
        return None
    held = field_of(binding)
    if held is None or held[1].static:
        return None
    home, field = held
    kind = types.parse(home.program.names.expand(field.type, home.file, home.symbol))
    if kind.pointers != 1 or kind.last not in binding.program.names.bound_types:
        return None
    pointee = binding.program.names.find_class(kind.name, home.symbol, home.file)
    if pointee is not None and destroyer(pointee) == "none":
        return None
    if pointee is not None and (is_lent_only(pointee) or counts_itself(framework, pointee) or has_own_holder(pointee)):
        return None
    said = Policies(binding, framework)
    if any(keep.patient == 2 and not said.is_ignored(keep.extra) for keep in said.keep_alives()):
        return None
    return Step(home.path, field.span, f"`{home.name}::{field.name}` is a raw pointer")


# --- who keeps whom ------------------------------------------------------------------------------


class KeptAlive(msgspec.Struct, frozen=True):
    """A keep-alive that holds, by the classes of its two ends."""

    binding: Binding
    nurse: str
    patient: str
    indexes: tuple[int, int]


def kept_classes(program: Program) -> Iterator[KeptAlive]:
    """Every keep-alive of the project whose both ends are bound classes, in the order of the sources."""
    for binding in program.bindings:
        framework = framework_of(binding)
        if framework is None or not binding.record.extras:
            continue
        said = Policies(binding, framework)
        keeps = [keep for keep in said.keep_alives() if not said.is_ignored(keep.extra)]
        signature = signature_of(binding) if keeps else None
        if signature is None or signature.parameters is None:
            continue
        ends = (signature.result, *signature.parameters)
        for keep in keeps:
            if max(keep.nurse, keep.patient) >= len(ends):
                continue
            nurse, patient = (_end(binding, signature, ends, index) for index in (keep.nurse, keep.patient))
            if {nurse.last, patient.last} <= program.names.bound_types:
                yield KeptAlive(binding, _instance(nurse), _instance(patient), (keep.nurse, keep.patient))


def _end(binding: Binding, signature: Signature, ends: tuple[str, ...], index: int) -> types.Type:
    """The class at one end, also behind a pointer that owns it; of an implied `self` as the class is bound, since its
    own name lacks the arguments."""
    target = signature.target.function if signature.target is not None else None
    file, scope = (binding.file, "") if target is None else (target.file, target.record.scope)
    owned = not _OWNERS.isdisjoint(binding.program.types.roles_at(ends[index], file, scope))
    written = types.parse((owned and types.element(ends[index])) or ends[index])
    if index == 1 and signature.target is not None and signature.target.first == 2 and binding.owner is not None:
        bound = types.parse(binding.program.names.expand(binding.owner.type, binding.file, at=binding.owner.start))
        return bound if bound.last == written.last else written
    return written


def _instance(kind: types.Type) -> str:
    """A class by its last name, with the arguments of a template."""
    return f"{kind.last}<{', '.join(kind.arguments)}>" if kind.arguments else kind.last
