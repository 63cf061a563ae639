"""What the extras of a binding do for a result: its policy, its keep-alives, and which of them have no effect.

The facts are the framework models'. `keep_alive<nurse, patient>` counts the result as 0 and the arguments from 1.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Literal as OneOf
from typing import NamedTuple

import msgspec

from ownlint.facts import records as r
from ownlint.facts.show import text
from ownlint.finding import Certainty, because
from ownlint.models.records import FrameworkModel
from ownlint.project.subjects import Binding

Handing = OneOf["value", "pointer", "reference", "memory", "array", "object"]
"""How C++ hands the result over: `memory` is a view that is converted, `array` an array that was given no owner; an
`object` is Python's already, and no policy matters to it."""

_KEEP = re.compile(r"\b(?P<name>\w++)\s*+<\s*+(?P<nurse>\d+)\s*,\s*(?P<patient>\d+)")
_WORD = re.compile(r"\w+")
_INDEX = re.compile(r"\d+")


class KeepAlive(NamedTuple):
    nurse: int
    patient: int
    extra: r.Extra


class Protection(msgspec.Struct, frozen=True):
    """`ineffective` names an annotation that was meant to keep the source alive and does not; `reason` says why.
    `certainty` is lowered by extras that nobody here can read."""

    kept: bool
    ineffective: r.Extra | None = None
    reason: str = ""
    certainty: Certainty = "certain"


_KEPT = Protection(True)


class Policies:
    """The extras of one binding."""

    def __init__(self, binding: Binding, framework: FrameworkModel) -> None:
        self.binding = binding
        self.framework = framework
        self.extras = [(extra, self._spelled(extra)) for extra in binding.record.extras]

    def _spelled(self, extra: r.Extra) -> str:
        """What an extra says, looked up where it is a variable, an alias or a macro of the project."""
        known = self.framework.extras.keys() | self.framework.policies.keys() | set(self.framework.spelling.wrappers)
        if extra.name in known or not extra.name:
            return f"{extra.text} {extra.name}<{extra.template}>"
        around, program = self.binding.around, self.binding.program
        if around is not None and extra.name in around.locals:
            written, initial = around.locals[extra.name]
            return f"{written} {text(initial, 200)}" if initial is not None else written
        spelled = program.names.expand(extra.name, self.binding.file, around.record.scope if around is not None else "")
        return spelled if spelled != extra.name else program.names.written_as(extra.name) or extra.text

    # --- policies ---

    @property
    def is_property(self) -> bool:
        return self.binding.record.kind in ("property", "property_rw")

    def written_policy(self) -> tuple[str, r.Extra | None]:
        """The meaning of the policy that is written, and where."""
        for extra, spelled in self.extras:
            for word in _WORD.findall(spelled) if self._is_policy(extra, spelled) else ():
                if word in self.framework.policies:
                    return self.framework.policies[word], extra
        return "", None

    def _is_policy(self, extra: r.Extra, spelled: str) -> bool:
        if '"' in spelled:
            return False  # `"parent"_a.none()` says of an argument that it may be None
        if extra.name in self.framework.policies or self.framework.extras.get(extra.name) == "policy":
            return True
        return any(self.framework.extras.get(word) == "policy" for word in _WORD.findall(spelled))

    def effective(self, handing: Handing) -> str:
        """What happens to a result that C++ hands over like this."""
        policy, _ = self.written_policy()
        if policy in ("", "automatic", "automatic reference"):
            wrapped = any(extra.name in self.framework.spelling.wrappers for extra, _ in self.extras)
            prefix = "property " if self.is_property and not wrapped else ""
            default = self.framework.defaults.get(prefix + handing, "")
            return "reference" if policy == "automatic reference" and handing == "pointer" else default
        return policy

    # --- keep-alives ---

    def keep_alives(self) -> Iterator[KeepAlive]:
        for extra, spelled in self.extras:
            for found in _KEEP.finditer(spelled):
                if self.framework.extras.get(found["name"]) == "keep alive":
                    yield KeepAlive(int(found["nurse"]), int(found["patient"]), extra)
                    break

    def is_ignored(self, extra: r.Extra) -> bool:
        """A keep-alive beside a property's getter, where the framework drops it; inside a wrapper it holds."""
        return self.framework.facts.get("keep_alive_on_property") == "ignored" and self._is_beside(extra)

    def beside_getter(self) -> Iterator[r.Extra]:
        """The keep-alives and guards that are dropped since they stand beside a property's getter or on a field."""
        for extra, spelled in self.extras:
            if not self._is_beside(extra) or '"' in extra.text:
                continue
            said = {self.framework.extras.get(word) for word in _WORD.findall(spelled)}
            for meaning, fact in (("keep alive", "keep_alive"), ("call guard", "call_guard")):
                if meaning in said and self.framework.facts.get(f"{fact}_on_property") == "ignored":
                    yield extra
                    break

    def _is_beside(self, extra: r.Extra) -> bool:
        if not self.is_property and self.binding.record.kind not in ("field", "field_rw"):
            return False
        wrappers = [e for e in self.binding.record.extras if e.name in self.framework.spelling.wrappers]
        return not any(outer.start <= extra.start and extra.end <= outer.end for outer in wrappers)

    def _internal(self, extra: r.Extra | None) -> int:
        """Which argument an internal reference keeps: the first, unless the policy names another."""
        number = _INDEX.search(extra.template) if extra is not None else None
        return int(number.group()) if number is not None else 1

    def protection(self, handing: Handing, source: int) -> Protection:
        """Whether the framework keeps argument `source` alive as long as the result."""
        if any(self.framework.extras.get(extra.name) == "call policy" for extra, _ in self.extras):
            return _KEPT
        missed = self._missed_keep_alive(source)
        if missed is None:
            return _KEPT
        ineffective, reason = missed
        sure = self._certainty()
        policy, written = self.written_policy()
        if handing in ("value", "object"):
            has_policy = handing == "value" and policy in ("reference", "reference internal")
            if written is not None and has_policy and ineffective is None:
                return Protection(False, written, "has no effect on a result by value", sure)
            return Protection(False, ineffective, reason, sure)
        effective = self.effective(handing)
        if effective == "reference internal":
            if source == self._internal(written):
                return _KEPT
            return Protection(False, written, "keeps `self` alive, not what the result points into", sure)
        if effective != "reference":
            return _KEPT  # copied, moved or taken over: no borrow reaches Python
        return Protection(False, ineffective or written, reason or "keeps nothing alive", sure)

    def _missed_keep_alive(self, source: int) -> tuple[r.Extra | None, str] | None:
        """The last keep-alive that does not keep argument `source` for the result, and why; None when one does."""
        ineffective: r.Extra | None = None
        reason = ""
        for nurse, patient, extra in self.keep_alives():
            if (nurse, patient) == (0, source):
                if not self.is_ignored(extra):
                    return None
                ineffective, reason = extra, "has no effect on a property"
            elif (nurse, patient) == (source, 0):
                ineffective, reason = extra, "keeps the result alive, not what it points into"
            elif nurse == 0:
                ineffective, reason = extra, ("keeps a different object alive than the one that the result points into")
        return ineffective, reason

    def _certainty(self) -> Certainty:
        unknown = next((extra for extra, spelled in self.extras if self.is_unknown(extra, spelled)), None)
        return "certain" if unknown is None else because("possible", f"what `{unknown.text}` does is not known")

    def is_unknown(self, extra: r.Extra, spelled: str) -> bool:
        """An extra that is a bare name nobody here explains: a parameter of the function around it, a pack."""
        if spelled != extra.text or not extra.name or "(" in extra.text or "::" in extra.text:
            return False
        return "..." in extra.text or extra.text.isidentifier()
