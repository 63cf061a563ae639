"""What a project's bindings promise, gathered into the contract of its module: from bindings to records.

Nothing new is found out here: `contracts` says what results borrow, `arguments` what is stored, `policies` what the
framework does about it, `elements` and `emptying_members` what dies by a call. Texts are cleaned, so that what is
written can be read again.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterator, Mapping

import msgspec

from ownlint.bindings.arguments import stored_by_field, unkept
from ownlint.bindings.contracts import Contract, contracts_in
from ownlint.bindings.emptying_members import killed_by
from ownlint.bindings.holding import field_of
from ownlint.bindings.policies import Policies
from ownlint.bindings.signatures import Signature, framework_of, is_converted, is_plain, signature_of
from ownlint.crossing.bound_containers import containers, python_name
from ownlint.crossing.contract_facts import gravity
from ownlint.crossing.tables_seen import table_classes, table_functions
from ownlint.facts import records as r
from ownlint.finding import because
from ownlint.flow.places import last_name, strip
from ownlint.models.contract_records import (
    Category,
    ClassContract,
    ContractFile,
    KeptAddress,
    Kind,
    Lent,
    MemberContract,
)
from ownlint.models.records import FrameworkModel
from ownlint.project import types
from ownlint.project.files import File
from ownlint.project.program import Program
from ownlint.project.questions import Answers, program_property, program_question
from ownlint.project.subjects import Binding
from ownlint.steps import LimitError, start, stop

Place = Callable[[str, int], str]
"""`file:line` of an offset in a file."""

_CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069\ud800-\udfff\s]+")
_MOST_TEXT = 300
_STRING = re.compile(r'"([^"\\]*+(?:\\.[^"\\]*+)*)(?:"|\\?\Z)')
_OPERATORS = {
    "==": "__eq__",
    "!=": "__ne__",
    "<": "__lt__",
    "<=": "__le__",
    ">": "__gt__",
    ">=": "__ge__",
    "+": "__add__",
    "-": "__sub__",
    "*": "__mul__",
    "/": "__truediv__",
    "%": "__mod__",
    "&": "__and__",
    "|": "__or__",
    "^": "__xor__",
    "+=": "__iadd__",
    "-=": "__isub__",
    "*=": "__imul__",
    "/=": "__itruediv__",
    "!": "__bool__",
    "~": "__invert__",
}
_BY_POLICY = "the C++ was not found; this is inferred from the policy"
_HAS_SELF = ("init", "method", "property", "property_rw", "field", "field_rw", "iterator")


class Exports:
    """The contract of one program's bindings, binding by binding."""

    def __init__(self, program: Program) -> None:
        self.program = program
        self._members: Answers[Binding, MemberContract | None] = Answers()

    # --- names ---

    @program_property
    def class_names(self) -> dict[tuple[str, int], str]:
        """The Python name of each bound class, by file and index; none where the name is computed."""
        found: dict[tuple[str, int], str] = {}
        for file in self.program.files.values():
            variables = {record.variable: index for index, record in enumerate(file.bound_classes) if record.variable}
            for index in range(len(file.bound_classes)):
                name = _nested(file, index, variables)
                if name:
                    found[file.path, index] = name
        return found

    @program_property
    def _by_type(self) -> dict[str, str]:
        """The last part of a C++ class's name -> the Python class, where that is one."""
        found: dict[str, set[str]] = {}
        for (path, index), name in self.class_names.items():
            file = self.program.files[path]
            record = file.bound_classes[index]
            last = types.parse(self.program.names.expand(record.type, file, at=record.start)).last
            found.setdefault(last, set()).add(name)
        return {last: names.pop() for last, names in found.items() if len(names) == 1}

    @program_property
    def _stubbed(self) -> dict[str, str]:
        """The last part of a Python class's name -> the class, where that is one."""
        names = sorted(set(self.class_names.values()))
        lasts = [name.rpartition(".")[2] for name in names]
        return {last: name for last, name in zip(lasts, names, strict=True) if lasts.count(last) == 1}

    def python_class(self, cxx: str) -> str:
        kind = types.parse(cxx)
        return self._by_type.get(kind.last, "") or (python_name(self.program, cxx) if kind.arguments else "")

    def unnamed(self, asked: Collection[str]) -> int:
        """How many bindings have names or classes that are computed, so that nobody can tell them."""
        bindings = (binding for binding in self.program.bindings if binding.path in asked)
        return sum(self.member(binding) is None for binding in bindings)

    def class_of(self, binding: Binding) -> str:
        """The Python class that a binding belongs to, also where another function or file has made it and hands it on:
        `void bind(py::class_<T>& cls)`."""
        record, around = binding.record, binding.around
        if record.owner >= 0 or record.kind == "function" or around is None:
            return self.class_names.get((binding.path, record.owner), "")
        written = around.locals.get(record.parent, ("", None))[0]
        spelled = types.parse(self.program.names.expand(written, binding.file, around.record.scope))
        return self.python_class(spelled.arguments[0]) if spelled.arguments else ""

    # --- members ---

    def member(self, binding: Binding) -> MemberContract | None:
        """None for what has no name that Python could use. Its place is left open. Raises `LimitError`: each has a
        budget of its own."""
        return self._members.ask(binding, lambda: self._within(binding))

    def _within(self, binding: Binding) -> MemberContract | None:
        before = start(binding.size)
        try:
            return self._member(binding)
        except LimitError as error:
            raise LimitError(f"{binding.path}: `{binding.record.name}`: {error}") from None
        finally:
            stop(before)

    def _member(self, binding: Binding) -> MemberContract | None:
        record, framework = binding.record, framework_of(binding)
        name = _python_name(record)
        on = self.class_of(binding)
        if framework is None or not name or (not on and record.kind != "function"):
            return None
        signature = signature_of(binding)
        said = Policies(binding, framework)
        answers = contracts_in(binding)
        lent = tuple(self._lent(binding, framework, said, signature, answers))
        taken = signature.parameters if signature is not None else None
        has_self = record.kind in _HAS_SELF
        returns, category = self._result(binding, signature, answers)
        policy, extra = said.written_policy()
        told, named, _ = self.program.stubs.get((on, name), ("", (), False))
        return MemberContract(
            on=on,
            name=name,
            kind=_kind(record.kind),
            at="",
            cxx=_cxx(record.callable),
            takes=tuple(_clean(each) for each in (taken or ())[has_self:]),
            names=_argument_names(said) or (named if name != "__init__" or len(named) == len(taken or ()) - 1 else ()),
            returns=returns or self._stubbed.get(told, ""),
            category=category,
            policy=policy if extra is not None else "",
            borrows=lent,
            stores=tuple(sorted(self._stores(binding, said, has_self))),
            invalidates=killed_by(binding),
            releases_gil=self._releases(binding, framework, said),
        )

    def _result(self, binding: Binding, signature: Signature | None, answers: list[Contract]) -> tuple[str, Category]:
        record = binding.record
        if record.kind == "init":
            return "", "nothing"
        if record.kind in ("field", "field_rw"):
            return self._of_field(binding)
        if signature is None or not signature.result:
            return self._told_class(answers), "unknown"
        cls = self.python_class(signature.kind.name) or self.python_class(signature.result)
        borrowing = [answer for answer in answers if answer.borrows]
        shape = borrowing[0].shape if borrowing else None
        if shape is not None and shape != "other":
            return self._told_class(borrowing) or cls, shape
        return self._given_back(binding, signature, cls)

    def _told_class(self, answers: list[Contract]) -> str:
        return next((self.python_class(a.returns) for a in answers if a.returns), "")

    def _of_field(self, binding: Binding) -> tuple[str, Category]:
        held = field_of(binding)
        if held is None:
            return "", "unknown"
        kind = types.parse(self.program.names.expand(held[1].type, held[0].file, held[0].symbol))
        cls = self.python_class(kind.name) or self.python_class(held[1].type)
        if not cls:
            return "", "plain" if is_plain(held[1].type) else "unknown"
        return cls, "pointer" if kind.pointers else "reference"

    def _given_back(self, binding: Binding, signature: Signature, cls: str) -> tuple[str, Category]:
        """A result that nothing more is known of than its type, and the bound class that it is of."""
        if signature.is_void:
            return "", "nothing"
        if signature.kind.arguments and not cls and _is_owning(signature):
            held = self.python_class(signature.kind.arguments[0])
            return held, "new" if held and signature.kind.last == "unique_ptr" else "value"
        if cls and signature.handing == "value":
            return cls, "new"
        if is_converted(binding, signature.result, signature.roles):
            return "", "plain"
        return cls, "memory" if signature.handing == "array" else signature.handing

    def _lent(
        self,
        binding: Binding,
        framework: FrameworkModel,
        said: Policies,
        signature: Signature | None,
        answers: list[Contract],
    ) -> Iterator[Lent]:
        found: dict[str, Lent] = {}
        for answer in answers:
            if answer.borrow is not None and answer.borrows:
                one = _lent_of(answer, said)
                known = found.get(answer.borrows)
                found[answer.borrows] = one if known is None else max(known, one, key=gravity)
        for one in self._said_to_lend(binding, framework, said, signature):
            found.setdefault(one.source, one)
        yield from (found[source] for source in sorted(found))

    def _said_to_lend(
        self, binding: Binding, framework: FrameworkModel, said: Policies, signature: Signature | None
    ) -> Iterator[Lent]:
        """What the annotations alone say, of C++ that nobody shows."""
        record = binding.record
        has_self = record.kind in _HAS_SELF
        if record.kind in ("init", "other"):
            return
        yield from _lent_by_keep_alives(said, has_self)
        held = field_of(binding)
        if held is not None:
            kind = types.parse(self.program.names.expand(held[1].type, held[0].file, held[0].symbol))
            if (self.python_class(kind.name) or self.python_class(held[1].type)) and not held[1].static:
                via = f"`{held[0].name}::{held[1].name}`"
                yield Lent("self", True, _clean(via), "a field keeps its object alive")
            return
        if not has_self or (signature is not None and signature.is_void):
            return
        policy = self._policy_that_counts(said, signature)
        if policy == "reference internal":
            yield Lent("self", True, "", "the policy is an internal reference", because("name", _BY_POLICY))
        elif policy == "reference":
            yield Lent("self", False, "", "the policy keeps nothing alive", because("possible", _BY_POLICY))

    def _policy_that_counts(self, said: Policies, signature: Signature | None) -> str:
        """The written one where the result is not known; none where the result is a copy, or of no bound class."""
        handing = signature.handing if signature is not None and signature.result else "unknown"
        if handing in ("value", "object"):
            return ""
        if handing == "unknown":
            return said.written_policy()[0]
        return said.effective(handing) if self.python_class(signature.result if signature else "") else ""

    def _stores(self, binding: Binding, said: Policies, has_self: bool) -> Iterator[KeptAddress]:
        def place(index: int) -> str:
            return "self" if has_self and index == 1 else f"argument {index - has_self}"

        seen: set[tuple[int, int]] = set()
        for one in unkept(binding):
            argument, holder = one.argument, one.holder
            if (argument, holder) not in seen and argument > has_self and holder > 0:
                seen.add((argument, holder))
                via = _clean(one.at.message)
                yield KeptAddress(argument - one.has_self, place(holder), False, via, one.certainty)
        if (step := stored_by_field(binding)) is not None:
            yield KeptAddress(1, "self", False, _clean(step.message))
        for keep in said.keep_alives():
            pair = (keep.patient, keep.nurse)
            if keep.nurse > 0 and keep.patient > has_self and pair not in seen and not said.is_ignored(keep.extra):
                seen.add(pair)
                yield KeptAddress(keep.patient - has_self, place(keep.nurse), True, _clean(keep.extra.text))

    def _releases(self, binding: Binding, framework: FrameworkModel, said: Policies) -> bool:
        gives_up = self.program.models.names_of("unguard") & self.program.models.holders_of("gil")
        for extra, spelled in said.extras:
            words = set(re.findall(r"\w+", spelled))
            if words & gives_up and any(framework.extras.get(word) == "call guard" for word in words):
                return not said.is_ignored(extra)
        return False

    # --- classes ---

    def classes(self) -> Iterator[tuple[File, r.BoundClass, str]]:
        for (path, index), name in sorted(self.class_names.items()):
            file = self.program.files[path]
            yield file, file.bound_classes[index], name

    def class_contract(self, file: File, record: r.BoundClass, name: str, at: str) -> ClassContract:
        bases, holder, trampoline = self._arguments(file, record)
        return ClassContract(
            name, at, _clean(record.type), record.framework, tuple(bases), _clean(holder), _clean(trampoline)
        )

    def _arguments(self, file: File, record: r.BoundClass) -> tuple[list[str], str, str]:
        """What stands behind the class in the template: bases, a holder, a class that Python can derive from."""
        bases: list[str] = []
        holder = trampoline = ""
        own = types.parse(self.program.names.expand(record.type, file, at=record.start))
        for argument in record.arguments[1:]:
            kind = types.parse(self.program.names.expand(argument, file, at=record.start))
            cls = self.program.names.find_class(kind.name, "", file)
            if any(types.parse(inner).last == own.last for inner in kind.arguments) and cls is None:
                holder = argument
            elif kind.last in self.program.names.bound_types and (base := self.python_class(kind.name)):
                bases.append(base)
            elif cls is not None and any(one.name == own.last for one in cls.ancestry[1:]):
                trampoline = argument
        return bases, holder, trampoline


def contract_file(program: Program, asked: Collection[str], required: Mapping[str, str], place: Place) -> ContractFile:
    """What the files that are asked for bind, in the order of names; the package is still nameless."""
    classes: dict[str, ClassContract] = {}
    for name, cls in _class_contracts(program, asked, place):
        classes.setdefault(name, cls)
    members = [found for found in _member_contracts(program, asked) if not found[2].on or found[2].on in classes]
    members.sort(key=lambda found: (found[2].on, found[2].name, found[0], found[1]))
    plain: dict[str, list[str]] = {}
    told: list[MemberContract] = []
    for path, begin, one in members:
        if one.is_plain:
            plain.setdefault(one.on, []).append(one.name)
        else:
            returns = one.returns if one.returns in classes else ""
            told.append(msgspec.structs.replace(one, at=place(path, begin), returns=returns))
    listing = {on: tuple(dict.fromkeys(names)) for on, names in plain.items()}
    full = (msgspec.structs.replace(classes[name], plain=listing.get(name, ())) for name in sorted(classes))
    used = sorted({record.framework for file in program.files.values() for record in file.bindings})
    frameworks = {name: required.get(name.replace("_", "-"), "") for name in used}
    return ContractFile("", modules_of(program), frameworks, listing.get("", ()), tuple(full), tuple(told))


def _class_contracts(program: Program, asked: Collection[str], place: Place) -> Iterator[tuple[str, ClassContract]]:
    """By their names in Python; what comes first counts."""
    exports = of(program)
    for file, record, name in exports.classes():
        if file.path in asked:
            yield name, exports.class_contract(file, record, name, place(file.path, record.start))
    for made in containers(program).values():
        if made.path in asked:
            yield made.name, made.contract(place(made.path, made.start))
    for listed in table_classes(program):
        if listed.path in asked:
            yield listed.name, ClassContract(listed.name, place(listed.path, listed.start))


def _member_contracts(program: Program, asked: Collection[str]) -> Iterator[tuple[str, int, MemberContract]]:
    """Each with the file and the offset where it is bound."""
    exports = of(program)
    for binding in program.bindings:
        one = exports.member(binding) if binding.path in asked else None
        if one is not None:
            yield binding.path, binding.record.start, one
    for made in containers(program).values():
        if made.path in asked:
            yield from ((made.path, made.start, one) for one in made.members(exports.python_class(made.element)))
    for entry in table_functions(program):
        if entry.path in asked:
            told = MemberContract(
                entry.on,
                entry.name,
                entry.kind,
                "",
                entry.cxx,
                stores=entry.stores,
                releases_gil=entry.releases_gil,
            )
            yield entry.path, entry.start, told


def modules_of(program: Program) -> tuple[str, ...]:
    """Names of the extension modules that the project defines."""
    found = {*modules_of_macros(program), *_modules_of_tables(program)}
    return tuple(sorted(name for name in found if _is_dotted(name)))


def modules_of_macros(program: Program) -> Iterator[str]:
    """`PYBIND11_MODULE(name, m) {`"""
    for file in program.files.values():
        if file.language == "cpp":
            for record in file.functions:
                if record.name.endswith("_MODULE") and record.parameters:
                    yield record.parameters[0].type or record.parameters[0].name


def _modules_of_tables(program: Program) -> Iterator[str]:
    tables = [table for file in program.files.values() for table in file.tables]
    around = {table.title.rpartition(".")[0] for table in tables if table.kind == "type" and "." in table.title}
    for table in tables:
        if table.kind == "module":  # types say the whole name of their module
            longer = sorted(name for name in around if name.endswith(f".{table.title}"))
            yield longer[0] if longer else table.title


def _is_owning(signature: Signature) -> bool:
    return signature.kind.last in ("unique_ptr", "shared_ptr") or "smart pointer" in signature.roles


def _lent_by_keep_alives(said: Policies, has_self: bool) -> Iterator[Lent]:
    for keep in said.keep_alives():
        if keep.nurse == 0 and keep.patient > 0:
            source = "self" if has_self and keep.patient == 1 else f"argument {keep.patient - has_self}"
            ignored = said.is_ignored(keep.extra)
            reason = _clean(keep.extra.text) + (" is ignored on a property" if ignored else "")
            sure = because("name", "inferred from the annotation only") if ignored else "certain"
            yield Lent(source, not ignored, "", reason, sure)


def _lent_of(answer: Contract, said: Policies) -> Lent:
    assert answer.borrow is not None
    via = answer.field.message if answer.field is not None else answer.borrow.at.message
    reason = answer.reason
    if answer.ineffective is not None and reason:
        reason = f"{answer.ineffective.text} {reason}"
    if not reason:
        reason = _kept_by(answer.borrow.index, said) if answer.protected else "nothing keeps it alive"
    return Lent(answer.borrows, answer.protected, _clean(via), _clean(reason), answer.borrow.certainty)


def _kept_by(index: int, said: Policies) -> str:
    keeps = [keep.extra.text for keep in said.keep_alives() if (keep.nurse, keep.patient) == (0, index)]
    return keeps[0] if keeps else "the policy keeps it alive"


def _kind(kind: str) -> Kind:
    return "method" if kind == "iterator" else kind  # type: ignore[return-value]


def _nested(file: File, index: int, variables: dict[str, int], depth: int = 0) -> str:
    """`Outer.Inner` for a class whose scope is another; empty where a name is computed."""
    record = file.bound_classes[index]
    if not record.name.isidentifier():
        return ""
    outer = variables.get(record.parent, -1)
    if outer < 0 or outer == index or depth > 8:
        return record.name
    around = _nested(file, outer, variables, depth + 1)
    return f"{around}.{record.name}" if around else ""


def _python_name(record: r.BindingRecord) -> str:
    if record.name.startswith("operator"):
        return _OPERATORS.get(record.name.removeprefix("operator").strip(), "")
    return record.name if record.name.isidentifier() else ""


def _is_dotted(name: str) -> bool:
    return bool(name) and all(part.isidentifier() for part in name.split("."))


def _argument_names(said: Policies) -> tuple[str, ...]:
    """`arg("x")`, `"x"_a`: the names by which Python can pass the arguments."""
    found = []
    for extra, _ in said.extras:
        if said.framework.extras.get(extra.name) == "argument" or '"_a' in extra.text:
            match = _STRING.search(extra.text)
            if match is not None and match[1].isidentifier():
                found.append(match[1])
    return tuple(found)


def _cxx(value: r.Value | None) -> str:
    """The C++ that is called, where it has a name."""
    inner = strip(value)
    while isinstance(inner, r.Unary):
        inner = strip(inner.value)
    if isinstance(inner, r.Name):
        return _clean(inner.text)
    if isinstance(inner, r.Call) and inner.template and isinstance(inner.callee, r.Name):
        return _clean(f"{last_name(inner.callee)}<{inner.template}>")
    return ""


def _clean(text: str) -> str:
    """One line of bounded length, without what controls a terminal."""
    return _CONTROL.sub(" ", text).strip()[:_MOST_TEXT]


@program_question
def of(program: Program) -> Exports:
    """The exports of a program; one object a program, since its answers are remembered."""
    return Exports(program)
