"""Lowers the kernels of a software radio and reports what became of them."""

from collections import defaultdict

from mlir.ir import Context, Location, Module, StringAttr, WalkResult
from mlir.passmanager import PassManager

CLEANUP = "builtin.module(inline,canonicalize,cse,symbol-dce)"
LOWERING = "builtin.module(convert-linalg-to-loops,convert-scf-to-cf)"


class FilterBank:
    def __init__(self, text, stage="receive"):
        self.context = Context()
        self.stage = stage
        with self.context, Location.unknown():
            self.module = Module.parse(text)

    def _run(self, pipeline):
        with self.context:
            PassManager.parse(pipeline).run(self.module.operation)

    def _collect(self, prefix):
        found = defaultdict(list)

        def visit(op):
            dialect, _, _ = op.name.partition(".")
            if dialect == prefix:
                found[op.name].append(op)
            return WalkResult.ADVANCE

        self.module.operation.walk(visit)
        return found

    def kernels(self):
        """How many operations of each kind the bank has."""
        return {name: len(ops) for name, ops in self._collect("linalg").items()}

    def _mark(self, op):
        with self.context:
            op.attributes["radio.stage"] = StringAttr.get(self.stage)

    def tidy(self):
        """Cleans the bank up and marks the filters that it still has."""
        filters = self._collect("linalg")
        self._run(CLEANUP)
        for name, ops in sorted(filters.items()):
            for op in ops:
                self._mark(op)
        return self.kernels()

    def lower(self):
        self._run(LOWERING)
        return str(self.module)


def build(path, stage):
    with open(path, encoding="utf-8") as source:
        bank = FilterBank(source.read(), stage)
    counts = bank.tidy()
    return counts, bank.lower()
