"""Folds regions whose guard is a constant."""
from dataclasses import dataclass, field

from mlir import ir


@dataclass
class Stats:
    visited: int = 0
    dropped: list = field(default_factory=list)


def constant_guard(op):
    source = op.operands[0].owner
    if isinstance(source, ir.Block):
        return None
    if source.name != "arith.constant":
        return None
    return ir.IntegerAttr(source.attributes["value"]).value


class DropDeadBranches:
    """Removes every scf.if without results whose condition is false."""

    def __init__(self, root):
        self.root = root
        self.stats = Stats()

    def __call__(self):
        self.root.walk(self._visit, ir.WalkOrder.PRE_ORDER)
        return self.stats

    def _visit(self, op):
        self.stats.visited += 1
        if op.name != "scf.if" or len(op.results) or len(list(op.regions[1].blocks)):
            return ir.WalkResult.ADVANCE
        if constant_guard(op) != 0:
            return ir.WalkResult.ADVANCE
        self.stats.dropped.append(str(op.location))
        op.erase()
        return ir.WalkResult.SKIP


def optimise(source):
    with ir.Context():
        module = ir.Module.parse(source)
        stats = DropDeadBranches(module.operation)()
        return str(module), stats


if __name__ == "__main__":
    import sys

    text, stats = optimise(sys.stdin.read())
    print(text)
    for where in stats.dropped:
        print(f"// dropped {where}", file=sys.stderr)
