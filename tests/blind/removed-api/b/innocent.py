"""Generates a soft core's register file as hardware modules."""
# requirements: mlir_python_bindings >= 22 (git main, autumn 2025)
import logging

from mlir import ir
from mlir.dialects import func
from mlir.passmanager import PassManager

log = logging.getLogger(__name__)


class Design:
    def __init__(self, name):
        self.name = name
        self.context = ir.Context()
        with self.context, ir.Location.unknown():
            self.module = ir.Module.create()
            self.i32 = ir.IntegerType.get_signless(32)

    def add_port(self, name, width):
        with self.context, ir.Location.unknown(), ir.InsertionPoint(self.module.body):
            kind = ir.IntegerType.get_signless(width)
            port = func.FuncOp(name, ([kind], [kind]), visibility="private")
            port.attributes["width"] = ir.IntegerAttr.get(self.i32, width)
        return name

    def ports(self):
        return [ir.StringAttr(op.attributes["sym_name"]).value for op in self.module.body.operations]

    def lower(self, *passes):
        with self.context:
            manager = PassManager.parse(f"builtin.module({','.join(passes)})")
            manager.run(self.module.operation)
        log.debug("%s: lowered by %s", self.name, passes)
        return self

    def emit(self, path):
        with open(path, "w", encoding="utf-8") as out:
            out.write(str(self.module))


def build(widths):
    design = Design("regfile")
    for i, width in enumerate(widths):
        design.add_port(f"r{i}", width)
    return design.lower("canonicalize", "cse")


if __name__ == "__main__":
    logging.basicConfig(level=logging.INFO)
    design = build([8, 16, 32])
    print(design.ports())
    design.emit("regfile.mlir")
