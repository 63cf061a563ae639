"""JIT for user-defined aggregation formulas."""
import ctypes

import llvmlite.binding as llvm

llvm.initialize_native_target()
llvm.initialize_native_asmprinter()


class Aggregate:
    """One aggregation, compiled from textual IR."""

    def __init__(self, ir_text, entry):
        self._machine = llvm.Target.from_default_triple().create_target_machine(opt=3)
        self._module = llvm.parse_assembly(ir_text)
        self._module.verify()
        self._entry = entry
        self._engine = llvm.create_mcjit_compiler(self._module, self._machine)

    def _helpers(self):
        return {
            fn.name: fn
            for fn in self._module.functions
            if not fn.is_declaration and fn.linkage is llvm.Linkage.internal
        }

    def optimise(self):
        helpers = self._helpers()
        options = llvm.create_pipeline_tuning_options(speed_level=3)
        builder = llvm.create_pass_builder(self._machine, options)
        passes = builder.getModulePassManager()
        passes.run(self._module, builder)
        return {name: self._weight(fn) for name, fn in helpers.items()}

    @staticmethod
    def _weight(fn):
        return sum(1 for block in fn.blocks for _ in block.instructions)

    def callable(self):
        self._engine.finalize_object()
        address = self._engine.get_function_address(self._entry)
        return ctypes.CFUNCTYPE(ctypes.c_double, ctypes.c_double, ctypes.c_double)(address)


def compile_formula(path, entry="aggregate"):
    with open(path, encoding="utf-8") as f:
        agg = Aggregate(f.read(), entry)
    kept = agg.optimise()
    print("helpers left:", kept)
    return agg, agg.callable()


if __name__ == "__main__":
    import sys

    owner, fn = compile_formula(sys.argv[1])
    print(fn(1.0, 2.0))
