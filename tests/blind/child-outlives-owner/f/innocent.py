"""Compiles small linalg kernels with MLIR and calls them on numpy arrays."""
import ctypes
from dataclasses import dataclass
from typing import Any, Callable

from mlir import ir
from mlir.execution_engine import ExecutionEngine
from mlir.passmanager import PassManager
from mlir.runtime import get_ranked_memref_descriptor

PIPELINE = (
    "builtin.module("
    "func.func(convert-linalg-to-loops,convert-scf-to-cf),"
    "finalize-memref-to-llvm,convert-func-to-llvm,convert-arith-to-llvm,"
    "convert-cf-to-llvm,reconcile-unrealized-casts)"
)


class KernelError(RuntimeError):
    pass


@dataclass
class Kernel:
    """A compiled function whose arguments are ranked memrefs."""

    name: str
    entry: Callable[[Any], None]
    arity: int
    engine: ExecutionEngine

    def __call__(self, *arrays):
        if len(arrays) != self.arity:
            raise KernelError(f"{self.name} takes {self.arity} arrays, got {len(arrays)}")
        descriptors = [
            ctypes.pointer(ctypes.pointer(get_ranked_memref_descriptor(a)))
            for a in arrays
        ]
        packed = (ctypes.c_void_p * len(descriptors))()
        for index, descriptor in enumerate(descriptors):
            packed[index] = ctypes.cast(descriptor, ctypes.c_void_p)
        self.entry(packed)


def _lower(source, context):
    module = ir.Module.parse(source, context)
    PassManager.parse(PIPELINE, context).run(module.operation)
    return module


def _arity(source, name, context):
    module = ir.Module.parse(source, context)
    for op in module.body.operations:
        if "sym_name" in op.attributes and ir.StringAttr(op.attributes["sym_name"]).value == name:
            signature = ir.FunctionType(ir.TypeAttr(op.attributes["function_type"]).value)
            return len(signature.inputs)
    raise KernelError(f"no function {name!r} in the source")


def compile_kernel(source, name, opt_level=2, shared_libs=()):
    with ir.Context() as context:
        arity = _arity(source, name, context)
        module = _lower(source, context)
        engine = ExecutionEngine(module, opt_level=opt_level, shared_libs=list(shared_libs))
        entry = engine.lookup(name)
    return Kernel(name, entry, arity, engine)


class KernelCache:
    def __init__(self):
        self._kernels = {}

    def get(self, source, name):
        key = (source, name)
        if key not in self._kernels:
            self._kernels[key] = compile_kernel(source, name)
        return self._kernels[key]
