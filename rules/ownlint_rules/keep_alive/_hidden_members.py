"""Members of bound classes through which Python's objects are held, where no collector looks.

A framework's own types show nothing of the C++ object that they wrap: what it holds counts references that nobody can
explain, unless the class brings a traverse function of its own; the framework's fact `collected_with` names the extras.
"""

from __future__ import annotations

from collections.abc import Iterator

from ownlint import Binding, Class, Program, entrances, filled, model_records, policies, signatures, types


def hiding(program: Program) -> Iterator[filled.FilledMember]:
    """The members that Python fills, of classes that show the collector nothing."""
    for one in filled.filled(program):
        framework = signatures.framework_of(one.binding)
        if framework is None or "collected_with" not in framework.facts or _is_single(one.cls):
            continue
        if not _shows(one.cls, framework):
            yield one


def _is_single(cls: Class) -> bool:
    """Whether there is one object, which lives as long as the program: `static Registry* instance;`."""
    return any(field.static and types.parse(field.type).last == cls.name for field in cls.record.fields)


def _shows(cls: Class, framework: model_records.FrameworkModel) -> bool:
    """Whether the class, or one that it is derived from, is bound with slots of its own, or in a way nobody sees."""
    names = framework.facts["collected_with"].split()
    bound = [found for one in cls.ancestry for _, found in signatures.bound_as(one, one)]
    return any(name in extra.text for one in bound for extra in one.extras for name in names)


# --- what holds its keeper -------------------------------------------------------------------------------


def holds_keeper(binding: Binding) -> Iterator[policies.KeepAlive]:
    """The keep-alives of a binding whose patient holds its nurse by other means: by the policy that keeps `self` for a
    result, or by a member into which the callable puts it."""
    framework, signature = signatures.framework_of(binding), signatures.signature_of(binding)
    if framework is None or signature is None or not binding.record.extras:
        return
    said = policies.Policies(binding, framework)
    for keep in said.keep_alives():
        if said.is_ignored(keep.extra) or keep.nurse == 0:
            continue
        internal = (keep.nurse, keep.patient) == (1, 0) and signature.handing in ("pointer", "reference")
        by_policy = internal and said.effective(signature.handing) == "reference internal"
        if by_policy or _is_held_back(binding, signature, keep, framework):
            yield keep


def _is_held_back(
    binding: Binding, signature: signatures.Signature, keep: policies.KeepAlive, framework: model_records.FrameworkModel
) -> bool:
    """Whether the callable puts the nurse, as an object of Python's, into the patient."""
    target = entrances.callable_of(binding)
    if target is None or target.function is None or signature.target is None or signature.parameters is None:
        return False
    function, first = target.function, signature.target.first
    parameters = function.record.parameters
    nurse, patient = keep.nurse - first, keep.patient - first
    if not 0 <= nurse < len(parameters) or patient >= len(parameters) or (patient < 0 and keep.patient != 0):
        return False
    program, scope = function.program, function.record.scope
    written = signature.result if keep.patient == 0 else parameters[patient].type
    if keep.patient == 0 and types.parse(written).arguments:
        written = types.parse(written).arguments[0]
    cls = program.names.find_class(
        types.parse(program.names.expand(written, function.file, scope)).name, scope, function.file
    )
    if cls is None:
        return False
    reader, given = filled.Filling(cls, framework), frozenset({parameters[nurse].name})
    names = (
        reader.made(function, given) if keep.patient == 0 else reader.stored(function, parameters[patient].name, given)
    )
    return any(
        held is not None and _keeps_object(cls, held[1].type, held[0], framework) for held in map(cls.field, names)
    )


def _keeps_object(cls: Class, written: str, home: Class, framework: model_records.FrameworkModel) -> bool:
    """Whether the member holds a reference to the Python object that is put there."""
    roles = home.program.types.roles_at(
        home.program.names.expand(written, home.file, home.symbol), home.file, home.symbol
    )
    shares = "shared pointer" in roles and framework.facts.get("shared_pointer_holds") == "object"
    return shares or filled.holds(cls, written, home, framework)
