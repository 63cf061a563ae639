"""Raw memory in Python, as one more kind of handles: which functions are run, and what libraries say of owners.

`models.memory` says what owns memory, what takes its address, and what keeps the owner alive; `handle_addresses` runs a
function.
"""

from __future__ import annotations

import re
from collections import Counter

from ownlint.domains import instances, python_calls
from ownlint.domains.handles.handle_addresses import AddressInterpreter
from ownlint.domains.handles.handle_runs import HandleRuns
from ownlint.domains.handles.handles import Classes, Given, HandleMisuse, HandleSummary
from ownlint.facts import records as r
from ownlint.patterns import AnyName, strings
from ownlint.project.files import File
from ownlint.project.program import Program
from ownlint.project.questions import Answers, program_property, program_question
from ownlint.project.subjects import Function

_DEEPEST = 3
_MEMBER = re.compile(rb'"([^"\\]*)",(?:true|false),\d+\]')
"""A member in an encoded body."""


class RawMemory(Classes):
    """Every misuse of raw memory in the project's Python, function by function.

    Classes are asked of `instances`, and what their members do of `memory`: most questions about handle classes have no
    answer here."""

    def __init__(self, program: Program) -> None:
        self.program = program
        self.memory = program.models.memory
        self.instances = instances.of(program)
        self.runs = HandleRuns(
            program,
            self,
            lambda function: function in self._concerned,
            lambda function, _, given: AddressInterpreter(function, self, given),
        )
        self._imported: Answers[str, frozenset[str]] = Answers()
        self._words_of: Answers[str, tuple[AnyName, ...]] = Answers()

    def misuses_in(self, function: Function) -> list[HandleMisuse]:
        if function.language != "python" or not self.runs.concerned(function):
            return []
        return self.runs.run(function).misuses

    # --- which functions ---

    @program_property
    def _concerned(self) -> frozenset[Function]:
        """Functions in which memory can be lost: they say so, or call what says so, at most `_DEEPEST` calls away."""
        python = list(self.program.functions_of("python"))
        files = [file for file in self.program.files.values() if file.language == "python"]
        written = Counter(function.name for function in python if function.record.kind in ("function", "method"))
        found = {function for function in python if self._says(function)}
        by_module: dict[str, set[str]] = {"": set(self._classes)}
        latest = found
        for _ in range(_DEEPEST):
            for function in latest:
                name = function.record.owner.rpartition(".")[2] if function.name == "__init__" else function.name
                if name.isidentifier() and name not in instances.COMMON:
                    by_module.setdefault(_module(function.file), set()).add(name)
            wanted = frozenset(name for names in by_module.values() for name in names if name not in instances.COMMON)
            alone = frozenset(name for name in wanted if written[name] <= 1)
            called = {file.path: alone | _named_here(wanted, by_module, file) for file in files}
            latest = {f for f in python if f not in found and not called[f.path].isdisjoint(f.mentioned)}
            found |= latest
            by_module = {}
        return frozenset(found)

    def _says(self, function: Function) -> bool:
        file = function.file
        if any(function.says(words) for words in self._words_of.ask(file.path, lambda: self._words(file))):
            return True
        losing = self.memory.losing
        roots = self.imported(function.file) | {""}
        return any(not losing[root].isdisjoint(function.mentioned) for root in roots if root in losing)

    @program_property
    def _lossy(self) -> frozenset[str]:
        """Every word by which memory can be lost, whichever library it is of."""
        return frozenset(word for words in self.memory.losing.values() for word in words)

    def _words(self, file: File) -> tuple[AnyName, ...]:
        """In a file that has a module under the name of a member (`ctypes`), the member alone counts."""
        roots = self.imported(file) | {""}
        modules = self._telling & {imported.name for imported in file.imports if imported.name == imported.target}
        found = [words for root, words in self._losing if root in roots and (root or not modules)]
        if modules:
            found += [strings(self.memory.losing[""] - modules), AnyName(modules, _MEMBER)]
        return tuple(found)

    @program_property
    def _telling(self) -> frozenset[str]:
        """Names that count as members alone."""
        return frozenset(self.memory.told_by.keys() - self.memory.known_as.keys())

    @program_property
    def _losing(self) -> tuple[tuple[str, AnyName], ...]:
        losing = sorted(self.memory.losing.items())
        return tuple((root, strings(words)) for root, words in losing if words)

    @program_property
    def _classes(self) -> frozenset[str]:
        """Names of variables of modules and classes, and of attributes, in which a class of callbacks is made."""
        makers = self.memory.callback_makers
        words = strings(makers)
        found: set[str] = set()
        for function in self.program.functions_of("python"):
            stays = function.record.kind in ("module", "class")
            if not (stays or function.is_method):
                continue
            known = self.instances
            if function.says(words) or not makers.isdisjoint(function.mentioned):
                bound = known.bindings(function) if stays else known.attributes_set(function)
                found |= {name for name, given in bound.items() if any(isinstance(value, r.Call) for value in given)}
            elif function.record.kind == "module" and self._says(function):
                for name, given in known.bindings(function).items():
                    if any(isinstance(value, r.Member) and value.name in self._lossy for value in given):
                        found.add(name)
        return frozenset(found)

    def imported(self, file: File) -> frozenset[str]:
        """The packages from which a file imports something."""
        canonical = self.program.models.canonical
        return self._imported.ask(
            file.path, lambda: frozenset(canonical(imported.target).partition(".")[0] for imported in file.imports)
        )

    # --- what the interpreter asks ---

    def fresh(self, name: str, file: File) -> str:
        """The class whose method of that name makes new memory, where its library is imported in the file."""
        classes = self.memory.fresh.get(name, ())
        return next((cls for cls in classes if cls.partition(".")[0] in self.imported(file)), "")

    @property
    def code(self) -> python_calls.PythonCode:
        return python_calls.of(self.program)

    def called(self, target: Function, given: Given) -> HandleSummary | None:
        return self.runs.run(target, given).summary


def _module(file: File) -> str:
    """The last name of its module, as an import has it."""
    return file.module.removesuffix(".__init__").rpartition(".")[2]


def _named_here(wanted: frozenset[str], by_module: dict[str, set[str]], file: File) -> set[str]:
    """Of names that many functions have (`forward`), those that a call in this file can mean: they are defined here or
    imported, or their module is. As the file calls them."""
    found = {record.name for record in file.functions if record.name in wanted}
    for imported in file.imports:
        last = imported.target.rpartition(".")[2]
        if last in wanted:
            found.add(imported.name)
        found |= by_module.get(last, set())
        if imported.name == "*":
            found |= wanted
    return found


@program_question
def of(program: Program) -> RawMemory:
    """One object a program, since its answers are remembered."""
    return RawMemory(program)
