"""Bodies and flows of functions, decoded and lowered when they are asked for."""

from __future__ import annotations

from collections import OrderedDict

from ownlint.facts import records as r
from ownlint.flow.graph import Flow
from ownlint.flow.lower import Surroundings, lower
from ownlint.models.libraries import Models
from ownlint.project import standing
from ownlint.project.index import ProjectIndex
from ownlint.project.macros import Macros
from ownlint.project.questions import Note, derived, read
from ownlint.project.subjects import Function
from ownlint.steps import looks_at, spend

_KEPT_BODIES = 1024
"""Decoded bodies and flows are kept for the functions last asked about only, to bound memory."""

_BYTES_A_STEP = 64
"""So many bytes of an encoded body are decoded in about the time of one step."""


class Lowering:
    """The bodies and flows that were asked for last."""

    def __init__(self, index: ProjectIndex, macros: Macros, models: Models) -> None:
        self._index = index
        self._macros = macros
        self._models = models
        self._bodies: OrderedDict[Function, r.Body] = OrderedDict()
        self._flows: OrderedDict[Function, tuple[Flow, Note]] = OrderedDict()

    def body(self, function: Function) -> r.Body:
        if function in self._bodies:
            self._bodies.move_to_end(function)
            return self._bodies[function]
        looks_at(function)
        spend(1 + len(function.encoded) // _BYTES_A_STEP)
        body = r.decode_body(function.record)
        self._bodies[function] = body
        if len(self._bodies) > _KEPT_BODIES:
            dropped, _ = self._bodies.popitem(last=False)
            for derived in ("locals", "declared", "statements", "_values"):
                dropped.__dict__.pop(derived, None)
        return body

    def flow(self, function: Function) -> Flow:
        if function in self._flows:
            self._flows.move_to_end(function)
            flow, note = self._flows[function]
            read(note)
            return flow
        looks_at(function)
        flow, _ = self._flows[function] = derived(lambda: self._lowered(function))
        if len(self._flows) > _KEPT_BODIES:
            self._flows.popitem(last=False)
        return flow

    def _lowered(self, function: Function) -> Flow:
        return Flow(lower(function.record, function.body, self._surroundings(function)))

    def _surroundings(self, function: Function) -> Surroundings:
        members = function.home.members if function.home is not None and function.language == "cpp" else frozenset()
        outer = function.parent.declared if function.parent is not None else frozenset()
        macros, python = self._macros, function.language == "python"
        known = standing.names(function)
        return Surroundings(members, macros.role, outer, python, macros.answer, macros.jump, self._can_throw, known)

    def _can_throw(self, name: str) -> bool:
        """Not what a library of C begins its names with, and nobody here declares or defines."""
        if not name.startswith(self._models.prefixes):
            return True
        return bool(self._index.functions_called(name) or self._macros.named(name))
