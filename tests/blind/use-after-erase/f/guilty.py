"""A conservative dead code sweep for generated arith/tensor modules."""
from collections import Counter
from dataclasses import dataclass, field

from mlir import ir

PURE_PREFIXES = ("arith.", "math.", "complex.")
PURE_OPS = frozenset({"tensor.empty", "tensor.extract_slice", "tensor.dim", "shape.const_shape"})


def is_pure(operation):
    name = operation.name
    return name in PURE_OPS or name.startswith(PURE_PREFIXES)


def is_unused(operation):
    return all(next(iter(result.uses), None) is None for result in operation.results)


@dataclass
class SweepReport:
    rounds: int = 0
    removed: Counter = field(default_factory=Counter)

    @property
    def total(self):
        return sum(self.removed.values())

    def summary(self):
        parts = [f"{name} x{count}" for name, count in self.removed.most_common()]
        return f"{self.total} operations in {self.rounds} rounds: " + ", ".join(parts)


class DeadCodeSweep:
    def __init__(self, max_rounds=8):
        self.max_rounds = max_rounds
        self.report = SweepReport()

    def sweep_block(self, block):
        changed = False
        for view in reversed(list(block.operations)):
            operation = view.operation
            for region in operation.regions:
                changed |= self.sweep_region(region)
            if not (is_pure(operation) and is_unused(operation)):
                continue
            operation.erase()
            self.report.removed[operation.name] += 1
            changed = True
        return changed

    def sweep_region(self, region):
        changed = False
        for block in region.blocks:
            changed |= self.sweep_block(block)
        return changed

    def run(self, module):
        for _ in range(self.max_rounds):
            self.report.rounds += 1
            if not self.sweep_block(module.body):
                break
        module.operation.verify()
        return self.report


def sweep_source(source):
    with ir.Context() as context:
        context.allow_unregistered_dialects = True
        module = ir.Module.parse(source)
        report = DeadCodeSweep().run(module)
        return str(module), report
