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
    from ownlint import patterns
    from ownlint.facts import records
    from ownlint.facts.records import Span
    from ownlint.facts.show import text
    from ownlint.finding import CERTAINTIES, SOME_PATHS, Certainty, Edit, Finding, Fix, Step, because, weaker
    from ownlint.program import (
        arguments,
        assignments,
        bodies,
        border,
        callbacks,
        casters,
        closures,
        conditions,
        consumer_models,
        containers,
        containment,
        contracts,
        counting,
        debug_logs,
        duties,
        elements,
        entrances,
        events,
        failure,
        gil,
        glance,
        guard_classes,
        handle_chains,
        handle_flow,
        handles,
        holding,
        instances,
        keeping,
        lasting,
        locks,
        lookups,
        memory_models,
        model_records,
        mutexes,
        natives,
        objects,
        once,
        origins,
        pairs,
        paths,
        places,
        policies,
        python_use,
        recursion,
        references,
        releases,
        resources,
        sections,
        shared,
        signatures,
        slot_tables,
        steps,
        targets,
        trials,
        types,
        typestate,
        validity,
        views,
    )
    from ownlint.program.flow import Flow
    from ownlint.program.lower import statements
    from ownlint.program.places import Place
    from ownlint.program.program import Program
    from ownlint.program.statuses import Status, must_look
    from ownlint.program.subjects import Binding, Class, Function
    from ownlint.rule import rule

__version__ = "0.1.0"

_HOMES = {
    "Binding": "ownlint.program.subjects",
    "CERTAINTIES": "ownlint.finding",
    "Certainty": "ownlint.finding",
    "Class": "ownlint.program.subjects",
    "Edit": "ownlint.finding",
    "Finding": "ownlint.finding",
    "Fix": "ownlint.finding",
    "Flow": "ownlint.program.flow",
    "Function": "ownlint.program.subjects",
    "Place": "ownlint.program.places",
    "Program": "ownlint.program.program",
    "SOME_PATHS": "ownlint.finding",
    "Span": "ownlint.facts.records",
    "Status": "ownlint.program.statuses",
    "Step": "ownlint.finding",
    "arguments": "ownlint.program.arguments",
    "assignments": "ownlint.program.assignments",
    "because": "ownlint.finding",
    "bodies": "ownlint.program.bodies",
    "border": "ownlint.program.border",
    "callbacks": "ownlint.program.callbacks",
    "casters": "ownlint.program.casters",
    "closures": "ownlint.program.closures",
    "conditions": "ownlint.program.conditions",
    "consumer_models": "ownlint.program.consumer_models",
    "containers": "ownlint.program.containers",
    "containment": "ownlint.program.containment",
    "contracts": "ownlint.program.contracts",
    "counting": "ownlint.program.counting",
    "debug_logs": "ownlint.program.debug_logs",
    "duties": "ownlint.program.duties",
    "elements": "ownlint.program.elements",
    "entrances": "ownlint.program.entrances",
    "events": "ownlint.program.events",
    "failure": "ownlint.program.failure",
    "gil": "ownlint.program.gil",
    "glance": "ownlint.program.glance",
    "guard_classes": "ownlint.program.guard_classes",
    "handle_chains": "ownlint.program.handle_chains",
    "handle_flow": "ownlint.program.handle_flow",
    "handles": "ownlint.program.handles",
    "holding": "ownlint.program.holding",
    "instances": "ownlint.program.instances",
    "keeping": "ownlint.program.keeping",
    "lasting": "ownlint.program.lasting",
    "locks": "ownlint.program.locks",
    "lookups": "ownlint.program.lookups",
    "memory_models": "ownlint.program.memory_models",
    "model_records": "ownlint.program.model_records",
    "must_look": "ownlint.program.statuses",
    "mutexes": "ownlint.program.mutexes",
    "natives": "ownlint.program.natives",
    "objects": "ownlint.program.objects",
    "once": "ownlint.program.once",
    "origins": "ownlint.program.origins",
    "pairs": "ownlint.program.pairs",
    "paths": "ownlint.program.paths",
    "patterns": "ownlint.patterns",
    "places": "ownlint.program.places",
    "policies": "ownlint.program.policies",
    "python_use": "ownlint.program.python_use",
    "records": "ownlint.facts.records",
    "recursion": "ownlint.program.recursion",
    "references": "ownlint.program.references",
    "releases": "ownlint.program.releases",
    "resources": "ownlint.program.resources",
    "rule": "ownlint.rule",
    "sections": "ownlint.program.sections",
    "shared": "ownlint.program.shared",
    "signatures": "ownlint.program.signatures",
    "slot_tables": "ownlint.program.slot_tables",
    "statements": "ownlint.program.lower",
    "steps": "ownlint.program.steps",
    "targets": "ownlint.program.targets",
    "text": "ownlint.facts.show",
    "trials": "ownlint.program.trials",
    "types": "ownlint.program.types",
    "typestate": "ownlint.program.typestate",
    "validity": "ownlint.program.validity",
    "views": "ownlint.program.views",
    "weaker": "ownlint.finding",
}

__all__ = [
    "CERTAINTIES",
    "SOME_PATHS",
    "Binding",
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
    "arguments",
    "assignments",
    "because",
    "bodies",
    "border",
    "callbacks",
    "casters",
    "closures",
    "conditions",
    "consumer_models",
    "containers",
    "containment",
    "contracts",
    "counting",
    "debug_logs",
    "duties",
    "elements",
    "entrances",
    "events",
    "failure",
    "gil",
    "glance",
    "guard_classes",
    "handle_chains",
    "handle_flow",
    "handles",
    "holding",
    "instances",
    "keeping",
    "lasting",
    "locks",
    "lookups",
    "memory_models",
    "model_records",
    "must_look",
    "mutexes",
    "natives",
    "objects",
    "once",
    "origins",
    "pairs",
    "paths",
    "patterns",
    "places",
    "policies",
    "python_use",
    "records",
    "recursion",
    "references",
    "releases",
    "resources",
    "rule",
    "sections",
    "shared",
    "signatures",
    "slot_tables",
    "statements",
    "steps",
    "targets",
    "text",
    "trials",
    "types",
    "typestate",
    "validity",
    "views",
    "weaker",
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
