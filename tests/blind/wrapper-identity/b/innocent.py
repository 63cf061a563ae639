"""Depth of the data flow in each function of a module."""
from mlir import ir


class DepthTable:
    """Remembers how deep below the arguments a value stands."""

    def __init__(self):
        self._depth = {}

    def __getitem__(self, value):
        return self._depth.get(value, 0)

    def __setitem__(self, value, depth):
        self._depth[value] = depth

    def __len__(self):
        return len(self._depth)


def depth_of(op, table):
    return 1 + max((table[v] for v in op.operands), default=0)


def critical_path(func):
    table = DepthTable()
    longest = 0
    for block in func.regions[0].blocks:
        for op in block.operations:
            depth = depth_of(op.operation, table)
            for result in op.operation.results:
                table[result] = depth
            longest = max(longest, depth)
    return longest


def report(module):
    for func in module.body.operations:
        if func.operation.name == "func.func":
            name = ir.StringAttr(func.attributes["sym_name"]).value
            yield name, critical_path(func)


if __name__ == "__main__":
    import sys

    with ir.Context():
        for name, length in report(ir.Module.parse(sys.stdin.read())):
            print(f"{name:24} {length}")
