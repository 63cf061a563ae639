"""Cleans up the generated kernels of the knitting-pattern compiler."""
import logging
from collections import Counter

from mlir.ir import Context, Location, Module

log = logging.getLogger(__name__)

CONSTANT = "arith.constant"


def _functions(module):
    for op in module.body.operations:
        if op.operation.name == "func.func":
            yield op


def _is_unused(op):
    return all(not list(result.uses) for result in op.results)


def _constants(block):
    return [op for op in block.operations if op.operation.name == CONSTANT]


def prune_unused_constants(block):
    """Erases the constants without a use; counts them by their value."""
    removed = []
    totals = Counter()
    for op in _constants(block):
        if not _is_unused(op):
            continue
        removed.append(op)
        op.operation.erase()

    for op in removed:
        totals[str(op.attributes["value"])] += 1
    return totals


def clean(source):
    """Parses a pattern's module, prunes it, and returns it as text."""
    with Context(), Location.unknown():
        module = Module.parse(source)
        for func in _functions(module):
            for block in func.regions[0].blocks:
                totals = prune_unused_constants(block)
                for value, count in totals.most_common():
                    log.debug("dropped %d constants of %s", count, value)
        module.operation.verify()
        return str(module)
