"""Macros of the project that do nothing but call something with what they are given: `#define DROP(p) free(p)`,
`#define ENTER(m) pthread_mutex_lock(&(m))`. Who asks what a call does asks it of what stands in the macro."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence

from ownlint.engine.resources import resources
from ownlint.facts import records as r
from ownlint.project.program import Program
from ownlint.project.questions import program_question

_STEPS = re.compile(r"(->|\.)")
_DEEPEST = 4
"""So many macros may stand in one another."""


def written_out(node: r.Call, program: Program, depth: int = _DEEPEST) -> tuple[r.Call | r.Assign, ...]:
    """What a macro of the project does that only calls something with what it is given, in the place of its call, and
    empties that: `#define DROP(p) do { free(p); p = NULL; } while (0)`. Nothing for anything else."""
    if not depth or node.kind != "call" or not isinstance(node.callee, r.Name):
        return ()
    parameters, steps = program.macros.steps(node.callee.text)
    if not steps or len(parameters) != len(node.args):
        return ()
    given = dict(zip(parameters, node.args, strict=True))
    found: list[r.Call | r.Assign] = []
    for step in steps:
        args = tuple(_written(node, given, one) for one in step.given)
        if step.called:
            callee = r.Name(node.callee.start, node.callee.end, step.called)
            call = r.Call(node.start, node.end, callee, args, "delete" if step.called == "delete" else "call")
            found += written_out(call, program, depth - 1) or (call,)
        else:
            null = r.Literal(node.start, node.end, "null", "nullptr")
            found.append(r.Assign(node.start, node.end, args[0], "=", null))
    return tuple(found)


def _written(node: r.Call, given: Mapping[str, r.Value], one: str) -> r.Value:
    """`&q->lock`, where `q` is what the macro is given, or a name of the program."""
    root, *path = _STEPS.split(one.removeprefix("&"))
    value = given[root] if root in given else r.Name(node.start, node.end, root)
    for link, name in zip(path[::2], path[1::2], strict=True):
        value = r.Member(value.start, value.end, value, name, link == "->")
    return r.Unary(value.start, value.end, "&", value) if one[:1] == "&" else value


@program_question
def macros_by_called(program: Program) -> Mapping[str, Sequence[str]]:
    """By the last names of what they call, the macros that are used and do nothing else."""
    found: dict[str, list[str]] = {}
    for name in sorted(resources(program).mentioned):
        for step in program.macros.steps(name)[1] if program.macros.named(name) else ():
            found.setdefault(step.called, []).append(name)
    return found


def with_macros(names: Collection[str], program: Program, *more: str) -> frozenset[str]:
    """The names, and those of the macros that call one of them, or one of those that are not asked for themselves."""
    by_called = macros_by_called(program)
    waiting = [*names, *more]
    found = set(names)
    for name in waiting:
        fresh = [one for one in by_called.get(name, ()) if one not in found]
        found.update(fresh)
        waiting += fresh
    return frozenset(found)
