"""ownlint: a linter for ownership bugs at the border between C++ and Python.

What stands here is the face for people who write rules; everything else is the machine's own business.
Names are loaded when they are asked for, so that `import ownlint` costs nothing on the command line.
"""

from __future__ import annotations

import sys

if sys.argv[:1] == ["-m"] and not sys.flags.safe_path and {"ownlint", "-mownlint"}.intersection(sys.orig_argv):
    del sys.path[0]  # `python -m ownlint`: where it is started is a stranger's tree, from which nothing is loaded

import importlib
from types import ModuleType
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ownlint import patterns, steps
    from ownlint.bindings import (
        arguments,
        callbacks,
        contracts,
        elements,
        foreign,
        holding,
        keeping,
        natives,
        objects,
        origins,
        policies,
        signatures,
        targets,
        views,
    )
    from ownlint.crossing import border
    from ownlint.domains import (
        acquired,
        entrances,
        exceptions,
        failure,
        filled,
        gil,
        locks,
        outlived,
        python_calls,
        python_locks,
        python_use,
        refusals,
        sections,
        stored_calls,
        validity,
        weak_pointers,
        wrapped_objects,
    )
    from ownlint.domains.counted import casters, counting, references, slot_tables
    from ownlint.domains.handles import (
        handle_addresses,
        handle_chains,
        handle_flow,
        handle_runs,
        handles,
        lent,
        raw_memory,
    )
    from ownlint.domains.memory import exits, leaks, members, memory
    from ownlint.engine import (
        assignments,
        c_containers,
        conditions,
        containers,
        debug_logs,
        duties,
        glance,
        guard_classes,
        lasting,
        log_levels,
        lookups,
        mutexes,
        overrides,
        ranges,
        resources,
    )
    from ownlint.engine import forward as typestate
    from ownlint.facts import records
    from ownlint.facts.records import Span
    from ownlint.facts.show import text
    from ownlint.finding import (
        CERTAINTIES,
        Certainty,
        Edit,
        Finding,
        Fix,
        Step,
        because,
        reason_of,
        reasoned,
        tempered,
        weaker,
    )
    from ownlint.flow import bodies, events, places
    from ownlint.flow.graph import Flow
    from ownlint.flow.lower import statements
    from ownlint.flow.places import Place
    from ownlint.models import consumers as consumer_models
    from ownlint.models import habits, python_builtins
    from ownlint.models import records as model_records
    from ownlint.project import closures, pairs, questions, releases, standing, trials, types, undecoded
    from ownlint.project.files import File
    from ownlint.project.program import Program
    from ownlint.project.statuses import Status, must_look
    from ownlint.project.subjects import Binding, Class, Function
    from ownlint.rule import rule

__version__ = "0.1.0"

_HOMES = {
    "Binding": "ownlint.project.subjects:Binding",
    "CERTAINTIES": "ownlint.finding:CERTAINTIES",
    "Certainty": "ownlint.finding:Certainty",
    "Class": "ownlint.project.subjects:Class",
    "Edit": "ownlint.finding:Edit",
    "File": "ownlint.project.files:File",
    "Finding": "ownlint.finding:Finding",
    "Fix": "ownlint.finding:Fix",
    "Flow": "ownlint.flow.graph:Flow",
    "Function": "ownlint.project.subjects:Function",
    "Place": "ownlint.flow.places:Place",
    "Program": "ownlint.project.program:Program",
    "Span": "ownlint.facts.records:Span",
    "Status": "ownlint.project.statuses:Status",
    "Step": "ownlint.finding:Step",
    "acquired": "ownlint.domains.acquired",
    "arguments": "ownlint.bindings.arguments",
    "assignments": "ownlint.engine.assignments",
    "because": "ownlint.finding:because",
    "bodies": "ownlint.flow.bodies",
    "border": "ownlint.crossing.border",
    "callbacks": "ownlint.bindings.callbacks",
    "casters": "ownlint.domains.counted.casters",
    "closures": "ownlint.project.closures",
    "conditions": "ownlint.engine.conditions",
    "consumer_models": "ownlint.models.consumers",
    "c_containers": "ownlint.engine.c_containers",
    "containers": "ownlint.engine.containers",
    "contracts": "ownlint.bindings.contracts",
    "counting": "ownlint.domains.counted.counting",
    "debug_logs": "ownlint.engine.debug_logs",
    "duties": "ownlint.engine.duties",
    "elements": "ownlint.bindings.elements",
    "entrances": "ownlint.domains.entrances",
    "events": "ownlint.flow.events",
    "exceptions": "ownlint.domains.exceptions",
    "exits": "ownlint.domains.memory.exits",
    "failure": "ownlint.domains.failure",
    "filled": "ownlint.domains.filled",
    "foreign": "ownlint.bindings.foreign",
    "gil": "ownlint.domains.gil",
    "glance": "ownlint.engine.glance",
    "guard_classes": "ownlint.engine.guard_classes",
    "habits": "ownlint.models.habits",
    "handle_addresses": "ownlint.domains.handles.handle_addresses",
    "handle_chains": "ownlint.domains.handles.handle_chains",
    "handle_flow": "ownlint.domains.handles.handle_flow",
    "handle_runs": "ownlint.domains.handles.handle_runs",
    "handles": "ownlint.domains.handles.handles",
    "holding": "ownlint.bindings.holding",
    "keeping": "ownlint.bindings.keeping",
    "lasting": "ownlint.engine.lasting",
    "leaks": "ownlint.domains.memory.leaks",
    "lent": "ownlint.domains.handles.lent",
    "locks": "ownlint.domains.locks",
    "log_levels": "ownlint.engine.log_levels",
    "lookups": "ownlint.engine.lookups",
    "members": "ownlint.domains.memory.members",
    "memory": "ownlint.domains.memory.memory",
    "model_records": "ownlint.models.records",
    "must_look": "ownlint.project.statuses:must_look",
    "mutexes": "ownlint.engine.mutexes",
    "python_locks": "ownlint.domains.python_locks",
    "ranges": "ownlint.engine.ranges",
    "natives": "ownlint.bindings.natives",
    "objects": "ownlint.bindings.objects",
    "origins": "ownlint.bindings.origins",
    "outlived": "ownlint.domains.outlived",
    "overrides": "ownlint.engine.overrides",
    "pairs": "ownlint.project.pairs",
    "patterns": "ownlint.patterns",
    "places": "ownlint.flow.places",
    "policies": "ownlint.bindings.policies",
    "python_builtins": "ownlint.models.python_builtins",
    "python_calls": "ownlint.domains.python_calls",
    "python_use": "ownlint.domains.python_use",
    "questions": "ownlint.project.questions",
    "raw_memory": "ownlint.domains.handles.raw_memory",
    "records": "ownlint.facts.records",
    "refusals": "ownlint.domains.refusals",
    "references": "ownlint.domains.counted.references",
    "releases": "ownlint.project.releases",
    "resources": "ownlint.engine.resources",
    "rule": "ownlint.rule",
    "sections": "ownlint.domains.sections",
    "signatures": "ownlint.bindings.signatures",
    "slot_tables": "ownlint.domains.counted.slot_tables",
    "standing": "ownlint.project.standing",
    "statements": "ownlint.flow.lower:statements",
    "steps": "ownlint.steps",
    "stored_calls": "ownlint.domains.stored_calls",
    "targets": "ownlint.bindings.targets",
    "reason_of": "ownlint.finding:reason_of",
    "reasoned": "ownlint.finding:reasoned",
    "tempered": "ownlint.finding:tempered",
    "text": "ownlint.facts.show:text",
    "trials": "ownlint.project.trials",
    "types": "ownlint.project.types",
    "undecoded": "ownlint.project.undecoded",
    "typestate": "ownlint.engine.forward",
    "weak_pointers": "ownlint.domains.weak_pointers",
    "validity": "ownlint.domains.validity",
    "wrapped_objects": "ownlint.domains.wrapped_objects",
    "views": "ownlint.bindings.views",
    "weaker": "ownlint.finding:weaker",
}

__all__ = [
    "CERTAINTIES",
    "Binding",
    "Certainty",
    "Class",
    "Edit",
    "File",
    "Finding",
    "Fix",
    "Flow",
    "Function",
    "Place",
    "Program",
    "Span",
    "Status",
    "Step",
    "acquired",
    "arguments",
    "assignments",
    "because",
    "bodies",
    "border",
    "c_containers",
    "callbacks",
    "casters",
    "closures",
    "conditions",
    "consumer_models",
    "containers",
    "contracts",
    "counting",
    "debug_logs",
    "duties",
    "elements",
    "entrances",
    "events",
    "exceptions",
    "exits",
    "failure",
    "filled",
    "foreign",
    "gil",
    "glance",
    "guard_classes",
    "habits",
    "handle_addresses",
    "handle_chains",
    "handle_flow",
    "handle_runs",
    "handles",
    "holding",
    "keeping",
    "lasting",
    "leaks",
    "lent",
    "locks",
    "log_levels",
    "lookups",
    "members",
    "memory",
    "model_records",
    "must_look",
    "mutexes",
    "natives",
    "objects",
    "origins",
    "outlived",
    "overrides",
    "pairs",
    "patterns",
    "places",
    "policies",
    "python_builtins",
    "python_calls",
    "python_locks",
    "python_use",
    "questions",
    "ranges",
    "raw_memory",
    "reason_of",
    "reasoned",
    "records",
    "references",
    "refusals",
    "releases",
    "resources",
    "rule",
    "sections",
    "signatures",
    "slot_tables",
    "standing",
    "statements",
    "steps",
    "stored_calls",
    "targets",
    "tempered",
    "text",
    "trials",
    "types",
    "typestate",
    "undecoded",
    "validity",
    "views",
    "weak_pointers",
    "weaker",
    "wrapped_objects",
]


def __getattr__(name: str) -> object:
    home = _HOMES.get(name)
    if home is None:
        raise AttributeError(f"module 'ownlint' has no attribute {name!r}")
    module, _, inside = home.partition(":")
    found = importlib.import_module(module)
    return getattr(found, inside) if inside else found


class _Face(ModuleType):
    """Here `rule` is the decorator. Importing the module of that name would put the module in its place."""

    @property
    def rule(self) -> object:
        return importlib.import_module("ownlint.rule").rule

    @rule.setter
    def rule(self, module: ModuleType) -> None:
        pass


sys.modules[__name__].__class__ = _Face
