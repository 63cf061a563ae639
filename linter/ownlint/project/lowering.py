"""Bodies and flows of functions, decoded and lowered when they are asked for."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Iterator
from typing import Generic, TypeVar

from ownlint.facts import records as r
from ownlint.flow import bodies, macro_locals
from ownlint.flow.graph import Flow
from ownlint.flow.lower import Surroundings, lower
from ownlint.flow.places import last_name, strip, walk
from ownlint.models.libraries import Models
from ownlint.project import standing, types
from ownlint.project.index import ProjectIndex
from ownlint.project.macros import Macros
from ownlint.project.questions import Answers, Note, derived, read
from ownlint.project.subjects import Function
from ownlint.steps import looks_at, spend

_KEPT_BYTES = 2 << 20
"""Decoded bodies and flows are kept for the functions last asked about only, to bound memory: so many bytes of encoded
bodies. Decoded they take some thirteen times as much, flows included."""

_BYTES_A_STEP = 64
"""So many bytes of an encoded body are decoded in about the time of one step."""


_Kept = TypeVar("_Kept")


class _Latest(Generic[_Kept]):
    """What was asked for last, of functions whose bodies are of so many bytes together."""

    def __init__(self) -> None:
        self._kept: OrderedDict[Function, tuple[_Kept, int]] = OrderedDict()
        self._bytes = 0

    def get(self, function: Function) -> _Kept | None:
        found = self._kept.get(function)
        if found is None:
            return None
        self._kept.move_to_end(function)
        return found[0]

    def keep(self, function: Function, kept: _Kept) -> list[tuple[Function, _Kept]]:
        """Those that are kept no longer."""
        gone: list[tuple[Function, _Kept]] = []
        size = len(function.encoded)
        self._kept[function] = kept, size
        self._bytes += size
        while self._bytes > _KEPT_BYTES and len(self._kept) > 1:
            dropped, (held, size) = self._kept.popitem(last=False)
            self._bytes -= size
            gone.append((dropped, held))
        return gone

    def clear(self) -> list[tuple[Function, _Kept]]:
        """Those that are kept no longer."""
        gone = [(function, held) for function, (held, _) in self._kept.items()]
        self._kept.clear()
        self._bytes = 0
        return gone


def _forget_answers(gone: list[tuple[Function, tuple[Flow, Note]]]) -> None:
    """Those that are kept with flows: they hold events, and with them the flow."""
    for _, (flow, _) in gone:
        flow.known.clear()


class Lowering:
    """The bodies and flows that were asked for last."""

    def __init__(self, index: ProjectIndex, macros: Macros, models: Models) -> None:
        self._index = index
        self._macros = macros
        self._models = models
        self._never_null = models.functions_that(lambda model: model.never_null)
        self._never_null_by_body: Answers[str, bool] = Answers(False)
        self._bodies: _Latest[tuple[r.Body, Note]] = _Latest()
        self._flows: _Latest[tuple[Flow, Note]] = _Latest()

    def body(self, function: Function) -> r.Body:
        kept = self._bodies.get(function)
        if kept is not None:
            read(kept[1])
            return kept[0]
        looks_at(function, function.path)
        spend(1 + len(function.encoded) // _BYTES_A_STEP)
        made = derived(lambda: self._decoded(function))
        for dropped, _ in self._bodies.keep(function, made):
            dropped.forget()
        return made[0]

    def forget(self) -> None:
        """All of it; it is made again for whoever asks."""
        for function, _ in self._bodies.clear():
            function.forget()
        _forget_answers(self._flows.clear())

    def _decoded(self, function: Function) -> r.Body:
        body = r.decode_body(function.record)
        return macro_locals.declared(self._macros.named, body) if function.language == "cpp" else body

    def flow(self, function: Function) -> Flow:
        kept = self._flows.get(function)
        if kept is not None:
            read(kept[1])
            return kept[0]
        looks_at(function, function.path)
        made = derived(lambda: self._lowered(function))
        _forget_answers(self._flows.keep(function, made))
        return made[0]

    def _lowered(self, function: Function) -> Flow:
        return Flow(lower(function.record, function.body, self._surroundings(function)))

    def _surroundings(self, function: Function) -> Surroundings:
        members = function.home.members if function.home is not None and function.language == "cpp" else frozenset()
        outer = function.parent.declared if function.parent is not None else frozenset()
        macros, python = self._macros, function.language == "python"
        known = standing.names(function)
        return Surroundings(
            members,
            macros.role,
            outer,
            python,
            macros.answer,
            macros.jump,
            macros.leaving_test,
            self._can_throw,
            known,
            function.itself,
            macros.only_throws,
            self._is_never_null,
            macros.ends,
            macros.side,
        )

    def _is_never_null(self, name: str) -> bool:
        """Whether what is called so never answers with NULL: by a model, or as a function of C whose every answer is
        one of such a call."""
        if name in self._never_null:
            return True
        defined = self._index.functions_called(name)
        if not defined or not all(one.file.is_c and "*" in one.record.result for one in defined):
            return False
        return self._never_null_by_body.ask(name, lambda: all(map(self._answers_never_null, defined)))

    def _answers_never_null(self, function: Function) -> bool:
        every = bodies.statements(function.body)

        def is_never_null(value: r.Value | None) -> bool:
            return isinstance(value, r.Call) and self._is_never_null(last_name(value.callee))

        answers = [strip(one.value) for one in every if isinstance(one, r.Leave) and one.kind == "return"]
        plain = all(isinstance(one, r.Name | r.Call) for one in answers)
        held = bodies.never_null(every, is_never_null) if answers and plain else frozenset[str]()
        return bool(answers) and all(
            one.text in held if isinstance(one, r.Name) else is_never_null(one) for one in answers
        )

    def _can_throw(self, name: str) -> bool:
        """Not what is of C: what a library of C begins its names with, and nobody here declares or defines; what the
        project declares `extern "C"` and defines nowhere, or in files of C."""
        if self._macros.named(name):
            return True
        if name.startswith(self._models.prefixes):
            return bool(self._index.functions_called(name))
        defined = self._index.functions_called(name)
        if defined:
            return not all(function.file.is_c or _only_fills(function) for function in defined)
        declared = self._index.records_called(name) if "::" not in name else ()
        return not declared or any('extern "C"' not in record.qualifiers for _, record in declared)


def _only_fills(made: Function) -> bool:
    """Whether it is the constructor of a plain class of numbers and pointers that gives them their values, and does
    nothing else."""
    if made.record.kind != "constructor" or not all(name.startswith("=") for name in made.mentioned):
        return False
    cls = made.home
    if cls is None or cls.record.bases:
        return False
    given = [(one.name, value) for one in made.record.initializers for value in one.args]
    if any(isinstance(inner, r.Call) for _, value in given for inner in walk(value)):
        return False
    makers = [one for one in cls.methods if one.record.kind == "constructor"]
    numbers = {name for one in makers for name in _numbers_in(one)}
    for field in cls.record.fields:
        kind = types.parse(field.type)
        if kind.is_value and not kind.is_scalar and field.name not in numbers:
            return False
    return not r.decode_body(made.record)


def _numbers_in(maker: Function) -> Iterator[str]:
    """The members that it fills with a cast of what is computed, so that they are numbers or enumerators."""
    for one in maker.record.initializers:
        match one.args:
            case (r.Cast(style="static_cast", value=inner),) if isinstance(strip(inner), r.Binary):
                yield one.name
