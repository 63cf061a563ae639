"""Describes the kernels of a robot controller, compiled through MLIR."""

from collections import defaultdict

from mlir.ir import Context, Location, Module
from mlir.passmanager import PassManager

CLEANUP = "builtin.module(canonicalize,cse,symbol-dce)"


class OperationIndex:
    """The operations of a module by their name."""

    def __init__(self):
        self._by_name = defaultdict(list)

    def scan(self, operation):
        for region in operation.regions:
            for block in region.blocks:
                for inner in block.operations:
                    self._by_name[inner.operation.name].append(inner.operation)
                    self.scan(inner.operation)
        return self

    def named(self, *names):
        for name in names:
            yield from self._by_name[name]

    def total(self):
        return sum(len(found) for found in self._by_name.values())


def tidy(module, pipeline=CLEANUP):
    manager = PassManager.parse(pipeline)
    manager.enable_verifier(True)
    manager.run(module.operation)


def outline(source):
    """Lists the arithmetic that is left after cleaning up."""
    with Context() as context, Location.unknown():
        context.allow_unregistered_dialects = True
        module = Module.parse(source)
        index = OperationIndex().scan(module.operation)
        before = index.total()
        tidy(module)
        index = OperationIndex().scan(module.operation)
        lines = [f"{before} operations before cleanup"]
        for operation in index.named("arith.mulf", "arith.addf", "arith.divf"):
            lines.append(f"{operation.name} at {operation.location}")
        return lines


def main(path):
    with open(path, encoding="utf-8") as source:
        for line in outline(source.read()):
            print(line)


if __name__ == "__main__":
    import sys

    main(sys.argv[1])
