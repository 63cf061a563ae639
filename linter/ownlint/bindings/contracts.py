"""What one binding promises: what its result borrows, from whom, and whether the framework keeps that alive.

`targets` says what C++ a binding calls, `origins` where the result comes from, `objects` what Python objects it makes
itself, `views` which classes look at what they do not own, `policies` what the binding's extras do about it. Here they
are put together. `self` is index 1
of a bound method, arguments count on from there; a free function's arguments count from 1; index 0 is the result.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

import msgspec

from ownlint.bindings.objects import Made, Shape, made_by_hand, views_in
from ownlint.bindings.origins import Origin, Origins, sources_of
from ownlint.bindings.ownership import outlives_owner
from ownlint.bindings.policies import Handing, KeepAlive, Policies
from ownlint.bindings.signatures import (
    bound_class,
    has_own_holder,
    is_converted,
    is_in_macro,
    is_never_deleted,
    is_plain,
)
from ownlint.bindings.targets import Target, returned_values, scope_of, target_of
from ownlint.bindings.views import borrowing_field, holds, points_at, shares_itself
from ownlint.facts import records as r
from ownlint.finding import CERTAINTIES, Certainty, Edit, Fix, Step, because, weaker
from ownlint.models.records import FrameworkModel
from ownlint.project import types
from ownlint.project.questions import question
from ownlint.project.subjects import Binding, Class, Function

_NO_BODY = "the body was not found; this is inferred from the classes"
_UNSEEN = Origin(1, because("unread-code", _NO_BODY), r.Name(0, 0, ""))
"""Where a result comes from whose body nobody shows."""


class Borrow(msgspec.Struct, frozen=True):
    """`index` is whom the result borrows from; `at` is shown as a step."""

    index: int
    at: Step
    certainty: Certainty


class Contract(msgspec.Struct, frozen=True):
    """`returns` is the C++ class of the result; `borrows` is `self`, `argument N` or nothing. `protected` says that
    the framework keeps the source alive; `ineffective` names an annotation that was meant to and does not."""

    returns: str
    shape: Shape = "other"
    borrows: str = ""
    borrow: Borrow | None = None
    field: Step | None = None
    protected: bool = False
    ineffective: r.Extra | None = None
    reason: str = ""


def contract_of(binding: Binding) -> Contract | None:
    """What the binding promises, or None when its callable is not understood."""
    return max(contracts_in(binding), key=_weight, default=None)


@question
def contracts_in(binding: Binding) -> list[Contract]:
    """One for each source of each value that the binding hands out."""
    framework = binding.program.models.frameworks.get(binding.record.framework)
    target = target_of(binding)
    if framework is None or target is None:
        return []
    return list(_BindingReading(binding, framework, target).answers())


def _weight(answer: Contract) -> int:
    """The surest unprotected borrow is what the binding is judged by."""
    if answer.borrow is None or answer.protected:
        return -1
    return -CERTAINTIES.index(answer.borrow.certainty) + len(CERTAINTIES)


def policies_of(binding: Binding) -> Policies | None:
    framework = binding.program.models.frameworks.get(binding.record.framework)
    return Policies(binding, framework) if framework is not None else None


def renumbered(binding: Binding, keep: KeepAlive, nurse: int, patient: int) -> Fix | None:
    """The same keep-alive with other indexes; None where it is not written out on the spot."""
    was = re.search(r"<\s*\d+\s*,\s*\d+\s*>", keep.extra.text)
    if was is None or is_in_macro(binding):
        return None
    text = keep.extra.text[: was.start()] + f"<{nurse}, {patient}>" + keep.extra.text[was.end() :]
    return Fix(f"write `{text}`", (Edit(binding.path, keep.extra.span, text),))


def borrowed_by(binding: Binding) -> Step | None:
    """The field through which objects of the bound class look at what they do not own."""
    cls = bound_class(binding)
    return borrowing_field(cls) if cls is not None else None


class _BindingReading:
    """One binding and the C++ behind it."""

    def __init__(self, binding: Binding, framework: FrameworkModel, target: Target) -> None:
        self.binding = binding
        self.program = binding.program
        self.framework = framework
        self.target = target
        self.policies = Policies(binding, framework)
        self.file = (target.function or target.owner or binding).file
        self.scope = scope_of(binding, target)
        self.at = target.function.record.start if target.function is not None else binding.record.start
        self.result = self.program.names.expand(target.result, self.file, self.scope, self.at)
        kind = types.parse(self.result)
        self.handing: Handing = "pointer" if kind.pointers else "reference" if kind.reference else "value"
        self.shape: Shape = "pointer" if kind.pointers else "reference" if kind.reference else "view"
        self.returned = self.program.names.find_class(kind.name, self.scope, self.file)
        self.name = self.returned.symbol if self.returned is not None else kind.name

    def answers(self) -> Iterator[Contract]:
        """One for each source of each returned value; one that borrows nothing when there are none."""
        found = False
        for contract in self._found():
            found = True
            yield contract
        if not found and self.result:
            yield Contract(self.name)

    def _found(self) -> Iterator[Contract]:
        function = self.target.function
        if function is None:
            yield from self._declared()
        elif not self._is_kept_by_hand(function):
            origins = Origins(function, sources_of(function, self.target.first))
            for value in returned_values(function):
                yield from self._returned(origins.resolved(value), origins)

    # --- a body that returns something ---

    def _returned(self, value: r.Value, origins: Origins) -> Iterator[Contract]:
        made = made_by_hand(value, origins, self.framework)
        if made is None and self._refers():
            made = self._referred(value, origins)
        if made is None and self._refers_to_elements():
            made = (Made("pointer", self.name, origin, "pointer") for origin in origins.elements(value))
        if made is None:
            made = views_in(value, self._bound_classes(), origins, "value")
        for each in made:
            at = origins.function.step(
                value, "the result is created here from the object that it borrows from", "lends"
            )
            yield self._judged(each, Borrow(each.origin.argument, at, each.origin.certainty))

    def _referred(self, value: r.Value, origins: Origins) -> Iterator[Made]:
        found = origins.address(value) if not origins.is_argument(value) else None
        sure = self._standing()
        if found is not None and sure is not None:
            found = found._replace(certainty=weaker(found.certainty, sure))
            yield Made(self.shape, self.name, found, self.handing)

    def _is_kept_by_hand(self, function: Function) -> bool:
        """Whether the body calls what the framework's own keep-alive calls."""
        names = [name for name, meaning in self.framework.extras.items() if meaning == "keep alive"]
        return any(mentioned.startswith(name) for mentioned in function.mentioned for name in names)

    def _judged(self, made: Made, borrow: Borrow) -> Contract:
        known = self.policies.protection(made.handing, borrow.index)
        lasting = self._lasting(borrow.index) if not known.kept else "certain"
        borrow = msgspec.structs.replace(
            borrow, certainty=weaker(borrow.certainty, known.certainty, lasting or "possible")
        )
        source, kept = self._source(borrow.index), known.kept or lasting is None
        return Contract(made.name, made.shape, source, borrow, made.field, kept, known.ineffective, known.reason)

    def _lasting(self, index: int) -> Certainty | None:
        """How sure it is that the result can outlive what it points into; None where it cannot."""
        owner = self._owner(index)
        if owner is None:
            return "certain"
        if is_never_deleted(self.framework, owner):
            return because("possible", f"C++ owns every `{owner.name}`, and may never delete one")
        return outlives_owner(owner)

    def _owner(self, index: int) -> Class | None:
        """The bound class of the object that a result points into."""
        if self._source(index) == "self":
            return bound_class(self.binding)
        function = self.target.function
        at = index - self.target.first
        if function is None or not 0 <= at < len(function.record.parameters):
            return None
        written = self.program.names.expand(function.record.parameters[at].type, self.file, self.scope, self.at)
        cls = self.program.names.find_class(types.parse(written).name, self.scope, self.file)
        return cls if cls is not None and cls.name in self.program.names.bound_types else None

    def _source(self, index: int) -> str:
        has_self = self.binding.record.kind in ("method", "property", "property_rw", "field", "field_rw", "iterator")
        return "self" if has_self and index == 1 else f"argument {index - has_self}"

    # --- classes ---

    def _bound_classes(self) -> Iterator[Class]:
        """The bound classes that the result is, or holds."""
        for written in types.within(self.result):
            expanded = self.program.names.expand(written, self.file, self.scope, self.at)
            cls = self.program.names.find_class(types.parse(expanded).name, self.scope, self.file)
            if cls is not None and cls.name in self.program.names.bound_types:
                yield cls

    def _refers(self) -> bool:
        """Whether Python is to look at C++'s own object: by a reference or pointer that nobody copies or takes over."""
        return (
            self.handing != "value"
            and self.policies.effective(self.handing) in ("reference", "reference internal")
            and not self._is_copied()
        )

    def _is_copied(self) -> bool:
        """Whether Python gets numbers and strings, alone or in a list or a dict that the framework fills: whatever the
        policy says, nothing of that refers to C++. Of a list of objects each element may."""
        roles = self.program.types.roles_at(self.result, self.file, self.scope)
        return is_converted(self.binding, self.result, roles) and all(
            is_plain(held, self.program.types.roles_at(held, self.file, self.scope))
            for held in types.within(self.result)
            if not types.parse(held).arguments
        )

    def _refers_to_elements(self) -> bool:
        """Whether the result is a container of pointers at which Python is to look."""
        kinds = [types.parse(held) for held in types.within(self.result)][1:]
        pointers = any(kind.pointers == 1 and kind.last in self.program.names.bound_types for kind in kinds)
        return pointers and self.policies.effective("pointer") in ("reference", "reference internal")

    def _standing(self) -> Certainty | None:
        """How sure it is that Python gets a wrapper around the object returned that nobody keeps alive."""
        if self.returned is not None and shares_itself(self.returned):
            return because("possible", f"a `{self.name}` can share ownership of itself")
        if self.returned is not None and any(has_own_holder(each) for each in self.returned.ancestry):
            return because("possible", f"the holder of a `{self.name}` in Python may keep its owner alive too")
        if self.name.rsplit("::", 1)[-1] in self.program.names.bound_types:
            return "certain"
        if "dense array" in self.program.types.roles_at(self.result, self.file, self.scope):
            return "certain"  # Python gets an array over its memory
        return because("unread-code", f"no binding of `{self.name}` was found") if self.returned is not None else None

    # --- a declaration alone ---

    def _declared(self) -> Iterator[Contract]:
        """No body to look at: the classes say what is likely."""
        owner, record = self.target.owner, self.target.declared
        if owner is None or record is None or self.target.first != 2:
            return
        at = record.name_span
        if self.handing == "value":
            for view in self._bound_classes():
                field = borrowing_field(view)
                if field is not None and (points_at(view, owner) or self._kept_beside(view)):
                    borrow = Borrow(
                        1,
                        Step(owner.path, at, "the result refers back to the object that creates it", "lends"),
                        _UNSEEN.certainty,
                    )
                    yield self._judged(Made("view", view.symbol, _UNSEEN, "value", field), borrow)
        elif self._refers() and self.returned is not None and holds(owner, self.returned):
            borrow = Borrow(
                1, Step(owner.path, at, f"`{owner.name}` owns the returned object", "lends"), _UNSEEN.certainty
            )
            yield self._judged(Made(self.shape, self.name, _UNSEEN, self.handing), borrow)

    def _kept_beside(self, view: Class) -> bool:
        """Whether another member of the class hands out the same view with a keep-alive: its author knows why."""
        for sibling in self.binding.siblings:
            target = target_of(sibling)
            if target is None or types.parse(target.result).last != view.name:
                continue
            if any((keep.nurse, keep.patient) == (0, 1) for keep in Policies(sibling, self.framework).keep_alives()):
                return True
        return False
