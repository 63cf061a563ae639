"""The border: C++ classes as Python sees them, and what crossing it means for ownership.

A class bound with pybind11, nanobind or a relative becomes a Python class whose members return handles.
Whether such a handle keeps its source alive is decided by the binding's policy and extras; `contracts` says so.
Python code is then judged by the same facts as with a library's model.
"""

from __future__ import annotations

from functools import cached_property

from ownlint.facts import records as r
from ownlint.finding import Step
from ownlint.program.contracts import Contract, contract_of
from ownlint.program.handles import Fact, Handles, Interpreter, Misuse, fact_of
from ownlint.program.program import Program
from ownlint.program.subjects import Binding, Function

_BOUND = "<bound> "
"""Marks the names of classes that come from the project's own bindings."""


class Border:
    """Handle classes of libraries and of the project itself, and how Python uses them."""

    def __init__(self, program: Program) -> None:
        self.program = program
        self._members: dict[tuple[str, str], Fact | None] = {}
        self._summaries: dict[Function, Handles | None] = {}

    # --- classes ---

    @cached_property
    def bound(self) -> dict[str, tuple[r.File, int]]:
        """Python name of every class the project binds, once: a name bound twice is nobody's."""
        found: dict[str, list[tuple[r.File, int]]] = {}
        for file in self.program.files.values():
            for index, record in enumerate(file.bound_classes):
                found.setdefault(record.name, []).append((file, index))
        return {name: places[0] for name, places in found.items() if len(places) == 1}

    @cached_property
    def _python_classes(self) -> frozenset[str]:
        """Names of classes written in Python: an import of one of them is not an import of a bound class."""
        return frozenset(
            record.name for file in self.program.files.values() if file.language == "python" for record in file.classes
        )

    def find(self, dotted: str) -> str | None:
        model = self.program.models.python_class(dotted)
        if model is not None:
            return model.name
        last = dotted.rpartition(".")[2]
        if "." in dotted and last in self.bound and last not in self._python_classes:
            return _BOUND + last
        return None

    def member(self, cls: str, name: str) -> Fact | None:
        key = (cls, name)
        if key not in self._members:
            self._members[key] = self._member(cls, name)
        return self._members[key]

    def _member(self, cls: str, name: str) -> Fact | None:
        if not cls.startswith(_BOUND):
            member = self.program.models.python_member(cls, name)
            return fact_of(member) if member is not None else None
        if cls.removeprefix(_BOUND) not in self.bound:
            return None
        file, index = self.bound[cls.removeprefix(_BOUND)]
        if name == "__init__":
            return Fact("own", cls)
        for binding in self.program.bindings_of(file, index):
            if binding.name == name and (contract := self.contract(binding)) is not None:
                return self._fact(binding, contract)
        return None

    def contract(self, binding: Binding) -> Contract | None:
        if binding not in self._contracts:
            self._contracts[binding] = contract_of(binding)
        return self._contracts[binding]

    @cached_property
    def _contracts(self) -> dict[Binding, Contract | None]:
        return {}

    def _fact(self, binding: Binding, contract: Contract) -> Fact | None:
        returned = self._bound_name(contract.returns)
        declared = binding.step(binding.record, f"`{binding.symbol}` is bound here and keeps nobody alive")
        if not contract.borrows:
            return Fact("own", _BOUND + returned) if returned and binding.record.kind == "static" else Fact("copy")
        if contract.borrows != "self":
            return Fact("copy")
        cls = _BOUND + (returned or contract.returns or binding.name)
        return Fact("owner" if contract.protected else "none", cls, None if contract.protected else declared)

    def _bound_name(self, cxx: str) -> str:
        last = cxx.rsplit("::", 1)[-1]
        return next(
            (name for name, (file, index) in self.bound.items() if _last(file.bound_classes[index].type) == last), ""
        )

    # --- uses ---

    @cached_property
    def misuses(self) -> list[Misuse]:
        """Every use of a handle after its owner is gone, in all Python of the project."""
        return [
            misuse
            for function in self.program.functions
            if function.language == "python" and function.file.functions
            for misuse in self.misuses_in(function)
        ]

    def misuses_in(self, function: Function) -> list[Misuse]:
        if function not in self._misuses:
            if not self._concerned(function):
                self._misuses[function] = []
                return []
            interpreter = Interpreter(function, self, self.returned_by)
            self._misuses[function] = interpreter.run()
            if interpreter.returned and function.record.kind in ("function", "method"):
                self._summaries.setdefault(function, _common(interpreter.returned))
        return self._misuses[function]

    @cached_property
    def _misuses(self) -> dict[Function, list[Misuse]]:
        return {}

    @cached_property
    def _makers(self) -> frozenset[str]:
        """Last names of calls after which an owner can exist: those that make one, and the project's own
        functions that call one of those."""
        direct = self.program.models.makers | frozenset(self.bound)
        indirect = {f.name for f in self._python_functions_all if not direct.isdisjoint(f.record.mentions)}
        return direct | indirect

    @property
    def _python_functions_all(self) -> list[Function]:
        return [f for f in self.program.functions if f.language == "python" and f.record.kind == "function"]

    def _concerned(self, function: Function) -> bool:
        """Whether the function can come to hold an owner, and anything in its file is a handle class at all."""
        if self._makers.isdisjoint(function.record.mentions):
            return False
        path = function.path
        if path not in self._concerned_files:
            file = function.file
            symbols = {meaning.symbol for meaning in file.meanings} | {i.target for i in file.imports}
            self._concerned_files[path] = any(
                self.find(symbol) or self.find(symbol.rpartition(".")[0]) for symbol in symbols if symbol
            ) or any(i.name == "*" and self.program.models.exports(i.target) for i in file.imports)
        return self._concerned_files[path]

    @cached_property
    def _concerned_files(self) -> dict[str, bool]:
        return {}

    def returned_by(self, caller: Function, call: r.Call) -> Handles | None:
        """Handles the project's own function makes and returns; None when it does not, or nobody knows."""
        target = self._own_function(caller, call)
        if target is None or target is caller:
            return None
        if target not in self._summaries:
            self._summaries[target] = None  # while it is being computed: recursion knows nothing
            if self._concerned(target):
                interpreter = Interpreter(target, self, self.returned_by)
                interpreter.run()
                self._summaries[target] = _common(interpreter.returned)
        return self._summaries[target]

    def _own_function(self, caller: Function, call: r.Call) -> Function | None:
        if not isinstance(call.callee, r.Name):
            return None
        meaning = self.program.meaning(caller.file, call.callee.start)
        wanted = (
            meaning.symbol if meaning is not None and meaning.symbol else f"{caller.file.module}.{call.callee.text}"
        )
        module, _, name = wanted.rpartition(".")
        found = self._python_functions.get(name, [])
        exact = [f for f in found if f.file.module == module or f.file.module.endswith("." + module)]
        return exact[0] if len(exact) == 1 else None

    @cached_property
    def _python_functions(self) -> dict[str, list[Function]]:
        out: dict[str, list[Function]] = {}
        for function in self.program.functions:
            if function.language == "python" and function.record.kind == "function" and not function.record.scope:
                out.setdefault(function.name, []).append(function)
        return out


def _common(returned: list[Handles]) -> Handles | None:
    """What every return hands out: one owner, held."""
    if not returned:
        return None
    first = returned[0]
    if len(first) == 1 and all(len(r) == 1 and next(iter(r)).cls == next(iter(first)).cls for r in returned):
        handle = next(iter(first))
        return first if handle.holds and not handle.inside else None
    return None


def _last(name: str) -> str:
    return name.split("<", 1)[0].rsplit("::", 1)[-1].strip()


def misuse_steps(misuse: Misuse) -> tuple[Step, ...]:
    """The way to a misuse, in the order in which it happens."""
    function = misuse.function
    steps = [
        function.step(
            misuse.made,
            f"`{misuse.owner}` is made here"
            + (", and no name keeps it" if misuse.kind == "use" and misuse.ended is None else ""),
        )
    ]
    if misuse.declared is not None:
        steps.append(misuse.declared)
    if misuse.taken != misuse.at:
        steps.append(function.step(misuse.taken, f"`{misuse.child}` is taken from it and does not keep it alive"))
    if misuse.ended is not None and misuse.kind == "use":
        steps.append(function.step(misuse.ended[0], misuse.ended[1] or "its owner is gone here"))
    return tuple(steps)


def of(program: Program) -> Border:
    """The border of a program; one object a program, since its answers are remembered."""
    found = getattr(program, "_border", None)
    if not isinstance(found, Border):
        found = Border(program)
        program._border = found
    return found
