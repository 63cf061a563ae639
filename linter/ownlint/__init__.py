"""ownlint: a linter for ownership bugs at the border between C++ and Python.

What stands here is the face for people who write rules; everything else is the machine's own business.
Names are loaded when they are asked for, so that `import ownlint` costs nothing on the command line.
"""

from __future__ import annotations

import importlib
import sys
from types import ModuleType
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ownlint.facts import records
    from ownlint.facts.records import Span
    from ownlint.facts.show import text
    from ownlint.finding import Certainty, Edit, Finding, Fix, Step, weaker
    from ownlint.program import (
        addresses,
        answers,
        assignments,
        border,
        callbacks,
        captures,
        conditions,
        consuming,
        containers,
        contracts,
        coowners,
        copying,
        debug_logs,
        donation,
        donations,
        ending,
        environment,
        escapes,
        events,
        failure,
        glance,
        guard_classes,
        guarded,
        handles,
        keeping,
        lasting,
        lazily,
        locks,
        lookups,
        losing,
        natives,
        noting,
        origins,
        overwriting,
        parity,
        passing,
        places,
        questions,
        rechecks,
        registries,
        resources,
        running,
        skipping,
        slots,
        telling,
        temporaries,
        trials,
        types,
        typestate,
        undoing,
        unfinished,
        validity,
        views,
        wrappers,
    )
    from ownlint.program.flow import Flow
    from ownlint.program.lower import statements
    from ownlint.program.places import Place
    from ownlint.program.program import Callee, Program
    from ownlint.program.statuses import Status, must_look
    from ownlint.program.subjects import Binding, Class, Function
    from ownlint.rule import rule

__version__ = "0.1.0"

_HOMES = {
    "Binding": "ownlint.program.subjects",
    "Callee": "ownlint.program.program",
    "Certainty": "ownlint.finding",
    "Class": "ownlint.program.subjects",
    "Edit": "ownlint.finding",
    "Finding": "ownlint.finding",
    "Fix": "ownlint.finding",
    "Flow": "ownlint.program.flow",
    "Function": "ownlint.program.subjects",
    "Place": "ownlint.program.places",
    "Program": "ownlint.program.program",
    "Span": "ownlint.facts.records",
    "Status": "ownlint.program.statuses",
    "Step": "ownlint.finding",
    "addresses": "ownlint.program.addresses",
    "answers": "ownlint.program.answers",
    "assignments": "ownlint.program.assignments",
    "border": "ownlint.program.border",
    "callbacks": "ownlint.program.callbacks",
    "captures": "ownlint.program.captures",
    "conditions": "ownlint.program.conditions",
    "consuming": "ownlint.program.consuming",
    "containers": "ownlint.program.containers",
    "contracts": "ownlint.program.contracts",
    "coowners": "ownlint.program.coowners",
    "copying": "ownlint.program.copying",
    "debug_logs": "ownlint.program.debug_logs",
    "donation": "ownlint.program.donation",
    "donations": "ownlint.program.donations",
    "ending": "ownlint.program.ending",
    "escapes": "ownlint.program.escapes",
    "environment": "ownlint.program.environment",
    "events": "ownlint.program.events",
    "failure": "ownlint.program.failure",
    "glance": "ownlint.program.glance",
    "guard_classes": "ownlint.program.guard_classes",
    "guarded": "ownlint.program.guarded",
    "handles": "ownlint.program.handles",
    "keeping": "ownlint.program.keeping",
    "lasting": "ownlint.program.lasting",
    "lazily": "ownlint.program.lazily",
    "locks": "ownlint.program.locks",
    "lookups": "ownlint.program.lookups",
    "losing": "ownlint.program.losing",
    "must_look": "ownlint.program.statuses",
    "natives": "ownlint.program.natives",
    "noting": "ownlint.program.noting",
    "origins": "ownlint.program.origins",
    "overwriting": "ownlint.program.overwriting",
    "parity": "ownlint.program.parity",
    "passing": "ownlint.program.passing",
    "places": "ownlint.program.places",
    "questions": "ownlint.program.questions",
    "rechecks": "ownlint.program.rechecks",
    "records": "ownlint.facts.records",
    "registries": "ownlint.program.registries",
    "resources": "ownlint.program.resources",
    "running": "ownlint.program.running",
    "rule": "ownlint.rule",
    "skipping": "ownlint.program.skipping",
    "slots": "ownlint.program.slots",
    "statements": "ownlint.program.lower",
    "telling": "ownlint.program.telling",
    "temporaries": "ownlint.program.temporaries",
    "text": "ownlint.facts.show",
    "trials": "ownlint.program.trials",
    "types": "ownlint.program.types",
    "typestate": "ownlint.program.typestate",
    "undoing": "ownlint.program.undoing",
    "unfinished": "ownlint.program.unfinished",
    "validity": "ownlint.program.validity",
    "views": "ownlint.program.views",
    "weaker": "ownlint.finding",
    "wrappers": "ownlint.program.wrappers",
}

__all__ = [
    "Binding",
    "Callee",
    "Certainty",
    "Class",
    "Edit",
    "Finding",
    "Fix",
    "Flow",
    "Function",
    "Place",
    "Program",
    "Span",
    "Status",
    "Step",
    "addresses",
    "answers",
    "assignments",
    "border",
    "callbacks",
    "captures",
    "conditions",
    "consuming",
    "containers",
    "contracts",
    "coowners",
    "copying",
    "debug_logs",
    "donation",
    "donations",
    "ending",
    "environment",
    "escapes",
    "events",
    "failure",
    "glance",
    "guard_classes",
    "guarded",
    "handles",
    "keeping",
    "lasting",
    "lazily",
    "locks",
    "lookups",
    "losing",
    "must_look",
    "natives",
    "noting",
    "origins",
    "overwriting",
    "parity",
    "passing",
    "places",
    "questions",
    "rechecks",
    "records",
    "registries",
    "resources",
    "rule",
    "running",
    "skipping",
    "slots",
    "statements",
    "telling",
    "temporaries",
    "text",
    "trials",
    "types",
    "typestate",
    "undoing",
    "unfinished",
    "validity",
    "views",
    "weaker",
    "wrappers",
]


def __getattr__(name: str) -> object:
    home = _HOMES.get(name)
    if home is None:
        raise AttributeError(f"module 'ownlint' has no attribute {name!r}")
    module = importlib.import_module(home)
    return module if home.rsplit(".", 1)[-1] == name else getattr(module, name)


class _Face(ModuleType):
    """Here `rule` is the decorator. Importing the module of that name would put the module in its place."""

    @property
    def rule(self) -> object:
        return importlib.import_module("ownlint.rule").rule

    @rule.setter
    def rule(self, module: ModuleType) -> None:
        pass


sys.modules[__name__].__class__ = _Face
