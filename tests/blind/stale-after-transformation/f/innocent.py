"""Reports what the inliner did to the calls of an MLIR module."""

import collections
import sys

from mlir import ir
from mlir.passmanager import PassManager

PIPELINE = "builtin.module(inline,canonicalize,cse)"


def walk_operations(op):
    """Yields all operations below `op`, outermost first."""
    for region in op.regions:
        for block in region:
            for child in block:
                yield child.operation
                yield from walk_operations(child.operation)


def callee_of(op):
    return ir.FlatSymbolRefAttr(op.attributes["callee"]).value


def calls_by_callee(module):
    """All func.call operations, keyed by the function that they call."""
    calls = collections.defaultdict(list)
    for op in walk_operations(module.operation):
        if op.name == "func.call":
            calls[callee_of(op)].append(op)
    return calls


def count_operations(module):
    return sum(1 for _ in walk_operations(module.operation))


def summarize(module, out=sys.stdout):
    """Runs the pipeline on `module`, and prints where each callee was used."""
    sites = {
        callee: [str(op.location) for op in ops]
        for callee, ops in calls_by_callee(module).items()
    }
    before = count_operations(module)
    with module.context:
        PassManager.parse(PIPELINE).run(module.operation)
    after = count_operations(module)
    print(f"{before} operations before, {after} after", file=out)
    for callee, locations in sorted(sites.items()):
        where = ", ".join(locations)
        print(f"  {callee}: called at {where}", file=out)


def main(argv):
    with ir.Context():
        for path in argv:
            with open(path, encoding="utf-8") as f:
                module = ir.Module.parse(f.read())
            print(path)
            summarize(module)


if __name__ == "__main__":
    main(sys.argv[1:])
