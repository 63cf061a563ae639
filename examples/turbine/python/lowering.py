"""Lowers a control programme, written as MLIR, for the turbine's controller."""

from __future__ import annotations

from mlir.ir import Context, Module, Operation


def entry_name(source: str) -> str:
    with Context():
        # The module is nobody's: it dies while its first operation is being asked for its name.
        return Module.parse(source).body.operations[0].name


def entry(source: str) -> Operation:
    with Context():
        programme = Module.parse(source)
        # The caller gets an operation of a module that dies here.
        return programme.body.operations[0]


def entry_with_module(source: str) -> tuple[Module, Operation]:
    with Context():
        programme = Module.parse(source)
        # Innocent: the owner goes wherever the operation goes.
        return programme, programme.body.operations[0]


def names(source: str) -> list[str]:
    with Context():
        programme = Module.parse(source)
        # Innocent: plain strings outlive any module.
        return [str(operation.name) for operation in programme.body.operations]


class Stale:
    """Keeps operations, but not the module that owns them."""

    def __init__(self, source: str) -> None:
        with Context():
            programme = Module.parse(source)
            self.steps = list(programme.body.operations)


class Programme:
    """Innocent: the module lives as long as its operations."""

    def __init__(self, source: str) -> None:
        with Context():
            self.module = Module.parse(source)
            self.steps = list(self.module.body.operations)
