"""Containers of C++ that one call makes into Python classes: `bind_vector<std::vector<Point>>(m, "Points")`.

The framework writes their members. What these promise is in its model: whether an element is handed out as it is, and
which members move the elements.
"""

from __future__ import annotations

import re

import msgspec

from ownlint.crossing.published import promise
from ownlint.facts import records as r
from ownlint.facts.records import Span
from ownlint.finding import Step
from ownlint.flow.places import last_name
from ownlint.models.contract_records import ClassContract, Lent, MemberContract
from ownlint.models.records import FrameworkModel
from ownlint.project import types
from ownlint.project.program import Program
from ownlint.project.questions import program_question
from ownlint.project.subjects import Function

_STRING = re.compile(r'"(\w+)"')


class BoundContainer(msgspec.Struct, frozen=True):
    """`element` is the C++ type that an index gives."""

    name: str
    path: str
    start: int
    cxx: str
    framework: FrameworkModel
    kind: str
    """`vector` or `map`."""
    element: str
    referred: bool
    """Whether an element is handed out as it is, and not as a copy."""
    span: Span

    def step(self, member: MemberContract) -> Step:
        return Step(self.path, self.span, f"`{self.name}.{member.name}` is bound here{promise(member)}")

    def contract(self, at: str) -> ClassContract:
        return ClassContract(self.name, at, self.cxx, self.framework.spelling.name)

    def members(self, element: str, at: str = "") -> tuple[MemberContract, ...]:
        """`element` is the Python class of the elements, empty where they are plain."""
        looks = Lent("self", True, "an element of the container", "the policy is an internal reference")
        lent = (looks,) if element and self.referred else ()
        found = [
            MemberContract(
                self.name,
                "__getitem__",
                "method",
                at,
                returns=element,
                category=("reference" if lent else "new") if element else "plain",
                borrows=lent,
            ),
            MemberContract(
                self.name,
                "__iter__",
                "method",
                at,
                category="iterator",
                borrows=(Lent("self", True, "an iterator over the container", "keep_alive<0, 1>"),),
            ),
        ]
        changes = self.framework.facts.get(f"{self.kind}_changes", "").split()
        for name in changes:
            dead = ("__getitem__", "__iter__") if lent else ("__iter__",)
            found.append(MemberContract(self.name, name, "method", at, invalidates=dead))
        return tuple(sorted(found, key=lambda one: one.name))


@program_question
def containers(program: Program) -> dict[str, BoundContainer]:
    """By Python name, once each."""
    makers = {
        word: (framework, kind)
        for framework in program.models.frameworks.values()
        for kind in ("vector", "map")
        for word in framework.facts.get(f"{kind}_classes", "").split()
    }
    found: dict[str, list[BoundContainer]] = {}
    if not any(map(program.index.is_called, makers)):
        return {}
    for function in program.functions:
        if function.language == "cpp" and not makers.keys().isdisjoint(function.mentioned):
            for event in function.flow.calls:
                if (one := _made(program, function, event.node)) is not None:
                    found.setdefault(one.name, []).append(one)
    return {name: made[0] for name, made in sorted(found.items()) if len(made) == 1}


def python_name(program: Program, cxx: str) -> str:
    """The Python class of a container type, however it is qualified."""
    if not containers(program):
        return ""
    return _by_type(program).get(_bare(cxx), "")


@program_question
def _by_type(program: Program) -> dict[str, str]:
    return {_bare(one.cxx): name for name, one in containers(program).items()}


def _made(program: Program, function: Function, call: r.Call) -> BoundContainer | None:
    written = call.callee.text if isinstance(call.callee, r.Name) else ""
    template = call.template
    if "<" in written:
        written, _, template = written.partition("<")
        template = template.rpartition(">")[0]
    said = _STRING.fullmatch(call.args[1].text) if len(call.args) > 1 and isinstance(call.args[1], r.Literal) else None
    framework, kind = _framework(program, function, last_name(r.Name(call.start, call.end, written)))
    arguments = types.arguments_of(template)
    if framework is None or said is None or not arguments:
        return None
    cxx = program.names.expand(arguments[0], function.file, function.record.scope, call.start)
    held = types.parse(cxx).arguments
    if len(held) < (2 if kind == "map" else 1):
        return None
    policy = framework.facts.get("element_policy", "")
    for word, meaning in framework.policies.items():
        if any(types.parse(one).last == word for one in arguments[1:]):
            policy = meaning
    referred = policy in ("reference internal", "reference")
    element = held[1] if kind == "map" else held[0]
    return BoundContainer(said[1], function.path, call.start, cxx, framework, kind, element, referred, call.span)


def _framework(program: Program, function: Function, word: str) -> tuple[FrameworkModel | None, str]:
    """That of the other bindings of the file, where several have the word."""
    file = function.file
    near = {one.framework for one in file.bound_classes} | {one.framework for one in file.bindings}
    fitting = [
        (framework, kind)
        for name, framework in sorted(program.models.frameworks.items())
        for kind in ("vector", "map")
        if word in framework.facts.get(f"{kind}_classes", "").split() and (not near or name in near)
    ]
    return fitting[0] if len(fitting) == 1 else (None, "")


def _bare(cxx: str) -> str:
    return re.sub(r"\bconst\b|\bstd::|[\s&]", "", cxx)
