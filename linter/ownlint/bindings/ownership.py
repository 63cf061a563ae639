"""Who can destroy the objects of a bound class: Python, C++ alone, or nothing before the program ends.

A result that points into an object without a keep-alive dangles only if that object can be destroyed while Python holds
the result. Python destroys what it constructs, receives by value, by smart pointer or under an owning policy, and what
lives inside of such an object. A class of which nothing is known counts as one whose objects Python destroys.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Literal as OneOf
from typing import NamedTuple

from ownlint.bindings.holding import field_of
from ownlint.bindings.policies import Handing, Policies
from ownlint.bindings.signatures import Signature, bound_class, framework_of, signature_of
from ownlint.bindings.targets import returned_values
from ownlint.facts import records as r
from ownlint.finding import Certainty, because
from ownlint.flow.places import last_name, strip, walk
from ownlint.models.records import FrameworkModel
from ownlint.project import standing, types
from ownlint.project.files import File
from ownlint.project.program import Program
from ownlint.project.questions import program_question
from ownlint.project.subjects import Binding, Class, Function

Destroyer = OneOf["python", "c++", "none"]
"""`none`: each object that Python is handed is a static that is never freed, or a part of one."""

_REFERS = ("reference", "reference internal")
_DEEPEST = 4


class _HandedClasses(NamedTuple):
    """Last names of classes."""

    owned: frozenset[str]
    """Python can own an object."""
    lent: frozenset[str]
    """Python is handed an object that C++ owns, by a policy that is written."""
    reached: frozenset[str]
    """Python can own an object, or one that it is a part of."""
    elsewhere: frozenset[str]
    """Python is handed an object that C++ owns, and may destroy."""
    fixed: frozenset[str]
    """Python is handed a static that is never freed, or a part of one."""


def destroyer(cls: Class) -> Destroyer:
    """Who can destroy an object of the class that Python holds."""
    found = _handed(cls.program)
    if cls.name in found.reached or cls.name not in found.elsewhere | found.fixed:
        return "python"
    return "c++" if cls.name in found.elsewhere else "none"


def outlives_owner(cls: Class) -> Certainty | None:
    """How sure it is that a result can outlive the object of the class that it points into; None where it cannot."""
    match destroyer(cls):
        case "python":
            return "certain"
        case "c++":
            return because("possible", f"Python owns no `{cls.name}`: a keep-alive would not change how long one lives")
    return None


def is_owned(program: Program, name: str) -> bool:
    """Whether Python can own an object of the class of that last name."""
    return name in _handed(program).owned


def is_lent(program: Program, name: str) -> bool:
    """Whether Python is handed such objects by a policy that says that C++ owns them."""
    return name in _handed(program).lent


# --- what the bindings hand out -----------------------------------------------------------------


class _OwnershipReading:
    """What the bindings of a program say, one after the other."""

    def __init__(self, program: Program) -> None:
        self.program = program
        self.owned: set[str] = set()
        self.lent: set[str] = set()
        self.elsewhere: set[str] = set()
        self.fixed: set[str] = set()
        self.lenders: dict[str, set[str]] = {}
        """The classes of whose objects one of the class can be a part."""

    def lend(self, name: str, lenders: Iterable[str]) -> None:
        self.lenders.setdefault(name, set()).update(lenders)

    def add(self, binding: Binding) -> None:
        framework = framework_of(binding)
        if binding.record.kind == "init" or binding.record.method == "def_pickle":
            self.owned.update(_with_bases(bound_class(binding)))
            self.owned.update((types.parse(binding.owner.type).last,) if binding.owner is not None else ())
            return
        if (field := field_of(binding)) is not None:
            home, held = field
            self.lend(types.parse(home.program.names.expand(held.type, home.file, home.symbol)).last, (home.name,))
            return
        signature = signature_of(binding)
        if framework is None or signature is None:
            return
        if signature.result:
            self._handed(binding, framework, signature)
        elif signature.target is not None and signature.target.function is not None:
            self.owned.update(self.program.names.bound_types & set(signature.target.function.mentioned))

    def _handed(self, binding: Binding, framework: FrameworkModel, signature: Signature) -> None:
        """What a result that is understood hands out."""
        said = Policies(binding, framework)
        for written in types.within(signature.result):
            kind = types.parse(written)
            handing: Handing = "pointer" if kind.pointers else "reference" if kind.reference else "value"
            if handing == "value" or said.effective(handing) not in _REFERS:
                self.owned.add(kind.last)
                continue
            if said.written_policy()[0]:
                self.lent.add(kind.last)
            owners = list(_taken(binding, signature))
            if _is_static(signature.target.function if signature.target is not None else None):
                self.fixed.add(kind.last)
            elif owners:
                self.lend(kind.last, owners)
            else:
                self.elsewhere.add(kind.last)


def _taken(binding: Binding, signature: Signature) -> Iterator[str]:
    """The bound classes of the object that a result may be a part of."""
    if binding.owner is not None and binding.record.kind in ("method", "property", "property_rw", "iterator"):
        yield types.parse(binding.program.names.expand(binding.owner.type, binding.file, at=binding.owner.start)).last
    for written in signature.parameters or ():
        for one in types.within(written):
            if (name := types.parse(one).last) in binding.program.names.bound_types:
                yield name


@program_question
def _handed(program: Program) -> _HandedClasses:
    found = _OwnershipReading(program)
    for binding in program.bindings:
        found.add(binding)
    for file, record in _bound(program):
        cls = program.names.find_class(program.names.expand(record.type, file, at=record.start), "", file)
        if cls is not None:
            for name in _parts(cls):
                found.lend(name, (cls.name,))
        if _has_default_constructor(program, record):
            found.owned.update((types.parse(record.type).last, *_with_bases(cls)))
        written = program.names.expand(record.type, file, at=record.start)
        for element in list(types.within(written))[1:]:
            found.lend(types.parse(element).last, (types.parse(written).last,))
    for made in _made_by_hand(program).values():
        found.owned.update(made)
    for file, record in _bound(program):
        cls = program.names.find_class(program.names.expand(record.type, file, at=record.start), "", file)
        if cls is None:
            continue
        bases = _with_bases(cls)
        for names in (found.owned, found.lent, found.elsewhere, found.fixed):
            if cls.name in names:
                names.update(bases)
        for base in bases:
            found.lend(base, found.lenders.get(cls.name, ()))
    reached = _closed(found.owned, found.lenders)
    elsewhere = _closed(found.elsewhere, found.lenders)
    fixed = _closed(found.fixed, found.lenders)
    return _HandedClasses(*map(frozenset, (found.owned, found.lent, reached, elsewhere, fixed)))


def _closed(names: set[str], lenders: dict[str, set[str]]) -> set[str]:
    """The classes, and those of the parts of their objects."""
    closed = set(names)
    while more := {name for name, owners in lenders.items() if name not in closed and not closed.isdisjoint(owners)}:
        closed |= more
    return closed


def _bound(program: Program) -> Iterator[tuple[File, r.BoundClass]]:
    return ((file, record) for file in program.index.files.values() for record in file.bound_classes)


def _with_bases(cls: Class | None) -> tuple[str, ...]:
    return tuple(one.name for one in cls.ancestry) if cls is not None else ()


def _has_default_constructor(program: Program, record: r.BoundClass) -> bool:
    """Whether a class can be constructed without a constructor being bound, as Boost.Python has it."""
    framework = program.models.frameworks.get(record.framework)
    unless = framework.facts.get("default_constructor_unless", "") if framework is not None else ""
    return bool(unless) and not any(extra.name == unless for extra in record.extras)


def _parts(cls: Class) -> Iterator[str]:
    """The bound classes of which an object holds others: fields, elements, what smart pointers own."""
    for owner in cls.ancestry:
        for field in owner.fields.values():
            if field.static or "(" in field.type:
                continue
            for written in types.within(owner.program.names.expand(field.type, owner.file, owner.symbol)):
                kind = types.parse(written)
                if kind.is_value and kind.last in cls.program.names.bound_types:
                    yield kind.last


# --- objects that a body makes for Python --------------------------------------------------------


def _makers(program: Program) -> frozenset[str]:
    facts = [framework.facts for framework in program.models.frameworks.values()]
    words = (one.get(name, "") for one in facts for name in ("makes_object", "vector_classes", "map_classes"))
    return frozenset(("attr", *(word for said in words for word in said.split())))


@program_question
def _made_by_hand(program: Program) -> dict[Function, frozenset[str]]:
    """The classes of what each body converts to Python itself, unless a policy says that C++ owns it."""
    makers = _makers(program)
    found = {}
    for function in program.functions:
        if function.language == "cpp" and not makers.isdisjoint(function.mentioned):
            made = frozenset(_given_to_python(function, makers))
            if made:
                found[function] = made
    return found


def _given_to_python(function: Function, makers: frozenset[str]) -> Iterator[str]:
    bound, policies = function.program.names.bound_types, _reference_policies(function.program)
    for statement in function.statements:
        for value in walk(getattr(statement, "value", None)):
            given: list[str] = []
            match value:
                case r.Assign(target=r.Call(callee=callee), value=put) if last_name(callee) == "attr":
                    given = [function.program.types.of(put, function)]
                case r.Call(template=template, args=args) if last_name(value.callee) in makers:
                    given = list(types.within(template)) if template else []
                    if args and policies.isdisjoint(map(last_name, args[1:])):
                        given += types.within(function.program.types.of(args[0], function))
            yield from (name for one in given if one and (name := types.parse(one).last) in bound)


def _reference_policies(program: Program) -> frozenset[str]:
    return frozenset(
        name
        for framework in program.models.frameworks.values()
        for name, means in framework.policies.items()
        if means in _REFERS
    )


# --- statics ------------------------------------------------------------------------------------


def _is_static(function: Function | None, depth: int = 0) -> bool:
    """Whether a function always hands out one static object that is never freed, or a part of it."""
    if function is None or depth > _DEEPEST:
        return False
    variable = standing.answered(function)
    if variable == "":
        return _is_never_freed(function)
    if variable is not None:
        return all(_is_object(function, one.type) for one in function.file.variables if one.name == variable)
    values = returned_values(function)
    return bool(values) and all(_leads_to_static(value, function, depth) for value in values)


def _leads_to_static(value: r.Value, function: Function, depth: int) -> bool:
    inner = strip(value)
    while isinstance(inner, r.Unary) and inner.op in ("*", "&"):
        inner = strip(inner.value)
    if not isinstance(inner, r.Call) or inner.kind != "call" or inner.args:
        return False
    called = function.program.calls.callee(inner, function).functions
    return len(called) == 1 and called[0] is not function and _is_static(called[0], depth + 1)


def _is_never_freed(function: Function) -> bool:
    """Whether the static that is handed out is an object itself, or a pointer that is set once."""
    left = next(one for one in function.statements if isinstance(one, r.Leave))
    value = strip(left.value)
    while isinstance(value, r.Unary):
        value = strip(value.value)
    name = value.text if isinstance(value, r.Name) else ""
    written, initial = function.locals.get(name, ("", None))
    if _is_object(function, written) or types.parse(written).reference:
        return True
    return initial is not None and all(one.fresh for one in function.flow.writes_to((name,)))


def _is_object(function: Function, written: str) -> bool:
    """Whether a variable of the type is the object itself, rather than what may point to another one later."""
    roles = set(function.program.types.roles(written, function))
    return types.parse(written).is_value and not {"smart pointer", "shared pointer", "optional"} & roles
