"""Members and variables that own the counted object in them: somebody releases it there."""

from __future__ import annotations

from ownlint import Function, Place, Program, questions, references
from ownlint import records as r


def owns(function: Function, where: Place) -> bool:
    """Whether what is put there has to be a reference of its own."""
    return where[-1] in _owned(function.program)


@questions.program_question
def _owned(program: Program) -> frozenset[str]:
    """Last names of the places whose references are given back somewhere."""
    known, found = references.references(program), set()
    for function in program.functions:
        if function.language != "cpp" or not references.may_count(function):
            continue
        for event in function.flow.calls:
            for index, argument in references.arguments(event.node):
                if known.use(event.node, index, function) != "released":
                    continue
                if isinstance(argument, r.Member):
                    found.add(argument.name)
                elif isinstance(argument, r.Name) and argument.text not in function.declared:
                    found.add(argument.text)
    return frozenset(found)
