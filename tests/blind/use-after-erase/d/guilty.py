"""Folds gains of one out of a signal graph (the `dsp` dialect)."""

from mlir import ir

SCALE = "dsp.scale"
CONST = "dsp.const"


def walk(op):
    for region in op.regions:
        for block in region.blocks:
            for child in block.operations:
                yield child.operation
                yield from walk(child.operation)


def constant_of(value):
    owner = value.owner
    if not isinstance(owner, ir.Operation) or owner.name != CONST:
        return None
    return ir.FloatAttr(owner.attributes["value"]).value


class UnitGainFolder:
    def __init__(self, module):
        self._module = module
        self.folded = 0
        self.swept = 0

    def _splice(self, op, signal):
        op.results[0].replace_all_uses_with(signal)
        op.erase()
        self.folded += 1

    def _sweep(self, value):
        if any(True for _ in value.uses):
            return
        value.owner.erase()
        self.swept += 1

    def run(self):
        with self._module.context:
            scales = [op for op in walk(self._module.operation) if op.name == SCALE]
            while scales:
                op = scales.pop()
                signal, gain = op.operands[0], op.operands[1]
                if constant_of(gain) != 1.0:
                    continue
                self._splice(op, signal)
                self._sweep(op.operands[1])
        return self.folded > 0


def simplify(text):
    with ir.Context() as context:
        context.allow_unregistered_dialects = True
        module = ir.Module.parse(text)
        folder = UnitGainFolder(module)
        while folder.run():
            folder.folded = 0
        return str(module)
