"""Reports which private helpers a clean-up keeps."""
from mlir import ir
from mlir.passmanager import PassManager


def symbol_name(op):
    return ir.StringAttr(op.attributes["sym_name"]).value


def private_functions(module):
    found = []
    for op in module.body.operations:
        if op.operation.name != "func.func":
            continue
        if "sym_visibility" in op.attributes:
            found.append(op)
    return found


def clean_up(module):
    PassManager.parse("builtin.module(inline,symbol-dce,canonicalize)").run(module.operation)


def size(op):
    count = 0
    for block in op.regions[0].blocks:
        count += len(list(block.operations))
    return count


def report(text):
    rows = []
    with ir.Context(), ir.Location.unknown():
        module = ir.Module.parse(text)
        helpers = private_functions(module)
        before = len(helpers)
        clean_up(module)
        for op in helpers:
            rows.append((symbol_name(op), size(op)))
    return before, rows


if __name__ == "__main__":
    import sys

    before, rows = report(sys.stdin.read())
    print(f"{before} helpers before, {len(rows)} after")
    for name, count in rows:
        print(f"{name:30} {count:4}")
