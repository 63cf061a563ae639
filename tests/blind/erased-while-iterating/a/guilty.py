"""Strips debug probes before the kernels go to the vendor's assembler."""
from mlir.ir import Context, Module

PROBES = frozenset({"debug.print", "debug.assert_close", "debug.watch"})


def is_probe(op):
    return op.operation.name in PROBES


def values_of(func):
    for block in func.regions[0].blocks:
        yield from block.arguments
        for op in block.operations:
            yield from op.operation.results


def strip_users(value):
    removed = 0
    for use in value.uses:
        user = use.owner
        if is_probe(user):
            user.operation.erase()
            removed += 1
    return removed


def strip(module):
    total = 0
    for func in list(module.body.operations):
        if func.operation.name != "func.func":
            continue
        for value in list(values_of(func)):
            total += strip_users(value)
    return total


def run(text):
    with Context() as ctx:
        ctx.allow_unregistered_dialects = True
        module = Module.parse(text)
        count = strip(module)
        module.operation.verify()
        return str(module), count


SAMPLE = """
func.func @f(%a: f32, %b: f32) -> f32 {
  %0 = arith.addf %a, %b : f32
  "debug.assert_close"(%0, %0) : (f32, f32) -> ()
  "debug.print"(%0, %a) : (f32, f32) -> ()
  return %0 : f32
}
"""

if __name__ == "__main__":
    text, count = run(SAMPLE)
    print(f"// removed {count}")
    print(text)
