"""Live-out analysis for blocks, used to size the spill slots of the emitter."""
from dataclasses import dataclass, field

from mlir import ir


@dataclass
class BlockInfo:
    index: int
    live_out: list = field(default_factory=list)
    local: list = field(default_factory=list)

    @property
    def slots(self):
        return len(self.live_out)


def defined_values(block):
    yield from block.arguments
    for op in block.operations:
        yield from op.operation.results


def enclosing_in_region(operation, region):
    """The ancestor of `operation` that lies directly in `region`, if any."""
    while operation is not None:
        if operation.block.region == region:
            return operation
        parent = operation.parent
        operation = parent.operation if parent is not None else None
    return None


def escapes(value, block):
    """Whether a use of `value` is outside `block` and the regions nested in it."""
    for use in value.uses:
        user = enclosing_in_region(use.owner.operation, block.region)
        if user is None:
            continue
        if user.block is not block:
            return True
    return False


def analyze_region(region):
    infos = []
    for index, block in enumerate(region.blocks):
        info = BlockInfo(index)
        for value in defined_values(block):
            (info.live_out if escapes(value, block) else info.local).append(value)
        infos.append(info)
    return infos


def spill_slots(function):
    return max((info.slots for info in analyze_region(function.regions[0])), default=0)


def slots_by_function(source):
    with ir.Context():
        module = ir.Module.parse(source)
        table = {}
        for op in module.body.operations:
            operation = op.operation
            if operation.name == "func.func" and len(operation.regions[0].blocks):
                name = ir.StringAttr(operation.attributes["sym_name"]).value
                table[name] = spill_slots(operation)
        return table
