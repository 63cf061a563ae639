"""Members and variables that own the counted object in them: somebody releases it there."""

from __future__ import annotations

from ownlint.facts import records as r
from ownlint.program.once import per_program
from ownlint.program.places import Place
from ownlint.program.program import Program
from ownlint.program.references import arguments, may_count, references
from ownlint.program.subjects import Function


def owns(function: Function, where: Place) -> bool:
    """Whether what is put there has to be a reference of its own."""
    return where[-1] in _owned(function.program)


@per_program
def _owned(program: Program) -> frozenset[str]:
    """Last names of the places whose references are given back somewhere."""
    known, found = references(program), set()
    for function in program.functions:
        if function.language != "cpp" or not may_count(function):
            continue
        for event in function.flow.calls:
            for index, argument in arguments(event.node):
                if known.use(event.node, index, function) != "released":
                    continue
                if isinstance(argument, r.Member):
                    found.add(argument.name)
                elif isinstance(argument, r.Name) and argument.text not in function.declared:
                    found.add(argument.text)
    return frozenset(found)
