"""What a binding's callable takes and hands back, as the framework sees it: the implied `self` first."""

from __future__ import annotations

import re

import msgspec

from ownlint.bindings.policies import Handing, Policies
from ownlint.bindings.targets import Target, factory_of, returned_values, scope_of, target_of
from ownlint.facts import records as r
from ownlint.facts.records import Span
from ownlint.flow.places import last_name, strip
from ownlint.models.records import FrameworkModel
from ownlint.project import types
from ownlint.project.files import File
from ownlint.project.questions import question
from ownlint.project.signatures import is_variadic
from ownlint.project.subjects import Binding, Class

_NUMBER = re.compile(
    r"(?:(?:signed|unsigned|long|short|int|char|bool|float|double|void)\b\s*)+|"
    r"(?:std::)?(?:u?int(?:_fast|_least)?(?:8|16|32|64)_t|s?size_t|ptrdiff_t|intptr_t|uintptr_t)"
)
_OBJECTS = ("python object", "python handle")
_SEVERAL = ("container", "pair", "sequence", "associative", "set")


class Signature(msgspec.Struct, frozen=True):
    """`result` is empty when nobody can tell; `parameters` is None then. `self` is the first parameter of a method
    and of a constructor."""

    result: str
    parameters: tuple[str, ...] | None
    target: Target | None = None
    returned: Class | None = None
    roles: tuple[str, ...] = ()

    @property
    def kind(self) -> types.Type:
        return types.parse(self.result)

    @property
    def is_void(self) -> bool:
        return self.result.strip() == "void"

    @property
    def handing(self) -> Handing:
        if any(role in self.roles for role in _OBJECTS):
            return "object"
        return "pointer" if self.kind.pointers else "reference" if self.kind.reference else "value"


@question
def signature_of(binding: Binding) -> Signature | None:
    """None when the callable is not understood."""
    if binding.record.kind == "init":
        return _constructor(binding)
    target = target_of(binding)
    if target is None:
        return None
    file = (target.function or target.owner or binding).file
    scope = scope_of(binding, target)
    at = target.function.record.start if target.function is not None else binding.record.start
    program = binding.program
    result = program.names.expand(target.result or _nothing(target), file, scope, at)
    record = target.function.record if target.function is not None else target.declared
    taken = None
    if record is not None and not is_variadic(record):
        taken = tuple(program.names.expand(p.type, file, scope, at) for p in record.parameters)
        if target.first == 2:
            taken = (f"{target.owner.symbol if target.owner is not None else ''}&", *taken)
    if not result:
        return Signature(result, taken, target, None, ())
    returned = program.names.find_class(types.parse(result).name, scope, file)
    return Signature(result, taken, target, returned, program.types.roles_at(result, file, scope))


def _nothing(target: Target) -> str:
    """What a lambda returns that says no result and has no `return` with a value."""
    function = target.function
    if function is None or function.record.kind != "lambda" or function.record.result or function.record.opaque:
        return ""
    return "" if returned_values(function) else "void"


def _constructor(binding: Binding) -> Signature | None:
    call = strip(binding.record.callable)
    if not isinstance(call, r.Call) or binding.owner is None:
        return None
    own = f"{binding.owner.type}&"
    factory = factory_of(binding)
    record = (factory.function.record if factory.function is not None else factory.declared) if factory else None
    if factory is not None and record is not None:
        file = factory.function.file if factory.function is not None else binding.file
        taken = tuple(binding.program.names.expand(p.type, file, record.scope) for p in record.parameters)
        return Signature("void", (own, *taken), Target("void", factory.function, None, 2, record))
    if call.args:
        return Signature("void", None)
    arguments = types.arguments_of(call.template)
    if any("..." in argument for argument in arguments):
        return Signature("void", None)
    scope = binding.around.record.scope if binding.around is not None else ""
    taken = tuple(binding.program.names.expand(argument, binding.file, scope) for argument in arguments)
    return Signature("void", (own, *taken))


def is_unweakable(binding: Binding, written: str, roles: tuple[str, ...]) -> bool:
    """Whether Python gets something that no weak reference can point to."""
    if any(role in roles for role in _OBJECTS):
        framework = framework_of(binding)
        kind = types.parse(written)
        return framework is not None and kind.last in framework.facts.get("without_weakref", "").split()
    return is_converted(binding, written, roles)


def is_converted(binding: Binding, written: str, roles: tuple[str, ...]) -> bool:
    """Whether Python gets a number, a string, a list or a tuple: a copy without an address of its own, and nothing
    that a weak reference can point to."""
    kind = types.parse(written)
    if is_plain(written, roles):
        return True
    if kind.pointers or (kind.last in binding.program.names.bound_types):
        return False
    if any(role in roles for role in _SEVERAL) and kind.arguments and not {"set", "unknown"} & set(roles):
        return not _are_opaque(binding)
    return False


def is_plain(written: str, roles: tuple[str, ...] = ()) -> bool:
    """A number or a string."""
    kind = types.parse(written)
    if kind.pointers:
        return kind.pointers == 1 and kind.last == "char"
    return (bool(_NUMBER.fullmatch(kind.name)) and kind.name != "void") or "string" in roles


def has_object_beside_self(binding: Binding, signature: Signature) -> bool:
    """Whether an argument beside the object itself can be kept alive, or is not known: no number, text, enumerator or
    what is copied into C++."""
    if signature.parameters is None:
        return True
    target, program = signature.target, binding.program
    scope = scope_of(binding, target) if target is not None else ""
    implied = binding.record.kind in ("method", "init")
    return any(
        not is_converted(binding, written, program.types.roles_at(written, binding.file, scope))
        and program.names.find_class(written, scope, binding.file, enum=True) is None
        for written in signature.parameters[implied:]
    )


def _are_opaque(binding: Binding) -> bool:
    """Whether the project binds containers as classes: then nobody can tell which are converted."""
    framework = framework_of(binding)
    words = framework.facts.get("binds_containers", "").split() if framework is not None else ()
    return any(binding.program.index.is_called(word) or binding.program.index.defines(word) for word in words)


# --- the class behind it ----------------------------------------------------------------------------


def bound_class(binding: Binding) -> Class | None:
    """The C++ class that the Python class stands for."""
    if binding.owner is None:
        return None
    program = binding.program
    return program.names.find_class(
        program.names.expand(binding.owner.type, binding.file, at=binding.owner.start), "", binding.file
    )


def counts_itself(framework: FrameworkModel, cls: Class) -> bool:
    """Whether the objects of a class count who holds them, or are bound so that Python deletes none."""
    bases = framework.facts.get("owning_bases", "").split()
    if any(types.parse(base.name).last in bases for each in cls.ancestry for base in each.record.bases):
        return True
    extras = framework.facts.get("owning_extras", "").split()
    is_counted = any(extra.name in extras for _, bound in bound_as(cls, cls) for extra in bound.extras)
    return is_counted or is_never_deleted(framework, cls)


def is_never_deleted(framework: FrameworkModel, cls: Class) -> bool:
    """Whether a class is bound so that Python deletes none of its objects: C++ owns them all."""
    names = framework.facts.get("never_deletes", "").split()
    for file, bound in bound_as(cls, cls) if names else ():
        if any(extra.name in names for extra in bound.extras):
            return True
        for written in bound.arguments[1:]:
            holder = types.parse(cls.program.names.expand(written, file, at=bound.start))
            if any(types.parse(deleter).last in names for deleter in holder.arguments[1:]):
                return True
    return False


def is_lent_only(cls: Class) -> bool:
    """Whether every constructor that is bound hands out an object of C++'s own, by the policy `reference`: then no
    Python object owns one."""
    program = cls.program
    made = [
        each
        for file, bound in bound_as(cls, cls)
        for each in program.index.bindings_of(file, file.bound_classes.index(bound))
        if each.record.kind == "init"
    ]
    policies = [Policies(each, framework) for each in made if (framework := framework_of(each)) is not None]
    return bool(policies) and all(said.written_policy()[0] == "reference" for said in policies)


def has_own_holder(cls: Class) -> bool:
    """Whether objects of the class are held by neither unique nor shared pointers where it is bound: by what counts."""
    for file, bound in bound_as(cls, cls):
        for written in bound.arguments[1:]:
            holder = types.parse(cls.program.names.expand(written, file, at=bound.start))
            if not any(types.parse(argument).last == cls.name for argument in holder.arguments):
                continue
            roles = cls.program.types.roles_at(written, file, "")
            if "intrusive pointer" in roles or not {"smart pointer", "shared pointer"} & set(roles):
                return True
    return False


def bound_as(asked: Binding | Class, cls: Class) -> list[tuple[File, r.BoundClass]]:
    """Where that C++ class is bound."""
    program = asked.program
    return [
        (file, bound)
        for file, bound in program.index.bound_classes_called(cls.name)
        if program.names.find_class(program.names.expand(bound.type, file, at=bound.start), "", file) in (cls, None)
    ]


# --- where something is added ------------------------------------------------------------------------


def argument_name(binding: Binding, number: int) -> str:
    """What Python calls the argument that the framework counts as `number`, as in `py::arg("chain")`, or else the
    function that is bound; empty where nobody says so."""
    has_self = binding.record.kind in ("init", "method", "property", "iterator")
    if has_self and number == 1:
        return "self"
    framework = framework_of(binding)
    means = framework.extras if framework is not None else {}
    named = [extra.text.split('"') for extra in binding.record.extras if means.get(extra.name) == "argument"]
    at = number - 1 - has_self
    if at < len(named):
        return named[at][1] if len(named[at]) > 2 else ""
    signature = signature_of(binding)
    target = signature.target if signature is not None else None
    if target is None:
        return ""
    record = target.function.record if target.function is not None else target.declared
    at = number - target.first
    return record.parameters[at].name if record is not None and 0 <= at < len(record.parameters) else ""


def spelled_keep_alive(binding: Binding, nurse: int, patient: int) -> str:
    """How this file writes that an argument keeps another one alive, or the result is kept."""
    framework = framework_of(binding)
    if framework is None:
        return f"keep_alive<{nurse}, {patient}>()"
    name = next((name for name, means in framework.extras.items() if means == "keep alive"), "keep_alive")
    return f"{spelled_namespace(binding.file, framework)}{name}<{nurse}, {patient}>()"


def spelled_namespace(file: File, framework: FrameworkModel) -> str:
    """How this file writes the framework's namespace, `::` included."""
    names = framework.spelling.namespaces
    for alias in file.aliases:
        if alias.kind == "namespace" and alias.target.removeprefix("::") in names:
            return f"{alias.name}::"
    if any(alias.kind == "open" and alias.target.removeprefix("::") in names for alias in file.aliases):
        return ""
    around = sorted({binding.in_function for binding in file.bindings if binding.in_function >= 0})
    bodies = [bytes(file.functions[index].body) for index in around]
    written = (name for name in sorted(names, key=len) if any(f'"{name}::'.encode() in body for body in bodies))
    return f"{next(written, max(names, key=len))}::"  # the alias may stand in a header


def policy_named(binding: Binding, meaning: str) -> str:
    """How this file would write the policy of that meaning; empty where one is written already."""
    framework = framework_of(binding)
    if framework is None or Policies(binding, framework).written_policy()[1] is not None:
        return ""
    return spelled_policy(binding, meaning)


def spelled_policy(binding: Binding, meaning: str) -> str:
    """How this file writes the policy of that meaning: `py::return_value_policy::copy`; empty where there is none."""
    framework = framework_of(binding)
    if framework is None:
        return ""
    name = next((name for name, means in framework.policies.items() if means == meaning), "")
    kind = next((n for n, means in framework.extras.items() if means == "policy" and n not in framework.policies), "")
    return f"{spelled_namespace(binding.file, framework)}{kind}::{name}" if name and kind else ""


def is_in_macro(binding: Binding) -> bool:
    """Whether a macro of the project writes the binding, so that nothing can be added to it where it is called."""
    record = binding.record
    return record.callable is not None and record.callable.end >= record.end


def behind_callable(binding: Binding) -> Span:
    """Where one more extra can be written: behind the last thing that is said in the brackets."""
    said = [binding.record.callable, binding.record.setter, *binding.record.extras]
    end = max((node.end for node in said if node is not None), default=binding.record.end - 1)
    return Span(end, end)


def framework_of(binding: Binding) -> FrameworkModel | None:
    return binding.program.models.frameworks.get(binding.record.framework)


def named(value: r.Value | None) -> str:
    return last_name(value) if value is not None else ""
