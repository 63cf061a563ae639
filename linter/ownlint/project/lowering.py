"""Bodies and flows of functions, decoded and lowered when they are asked for."""

from __future__ import annotations

from collections import OrderedDict

from ownlint.facts import records as r
from ownlint.flow.graph import Flow
from ownlint.flow.lower import Surroundings, lower
from ownlint.project.macros import Macros
from ownlint.project.subjects import Function
from ownlint.steps import spend

_KEPT_BODIES = 128
"""Decoded bodies and flows are kept for the functions last asked about only, to bound memory."""

_BYTES_A_STEP = 64
"""So many bytes of an encoded body are decoded in about the time of one step."""


class Lowering:
    """The bodies and flows that were asked for last."""

    def __init__(self, macros: Macros) -> None:
        self._macros = macros
        self._bodies: OrderedDict[Function, r.Body] = OrderedDict()
        self._flows: OrderedDict[Function, Flow] = OrderedDict()

    def body(self, function: Function) -> r.Body:
        if function in self._bodies:
            self._bodies.move_to_end(function)
            return self._bodies[function]
        spend(1 + len(bytes(function.record.body)) // _BYTES_A_STEP)
        body = r.decode_body(function.record)
        self._bodies[function] = body
        if len(self._bodies) > _KEPT_BODIES:
            dropped, _ = self._bodies.popitem(last=False)
            for derived in ("locals", "declared", "statements"):
                dropped.__dict__.pop(derived, None)
        return body

    def flow(self, function: Function) -> Flow:
        if function in self._flows:
            self._flows.move_to_end(function)
            return self._flows[function]
        flow = Flow(lower(function.record, self.body(function), self._surroundings(function)))
        self._flows[function] = flow
        if len(self._flows) > _KEPT_BODIES:
            self._flows.popitem(last=False)
        return flow

    def _surroundings(self, function: Function) -> Surroundings:
        members = function.home.members if function.home is not None and function.language == "cpp" else frozenset()
        outer = function.parent.declared if function.parent is not None else frozenset()
        return Surroundings(members, self._macros.role, outer, function.language == "python", self._macros.answer)
