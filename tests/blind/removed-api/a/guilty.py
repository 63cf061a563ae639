"""Runs a pipeline stage by stage and prints what each stage did. Needs mlir-python-bindings 22."""
import argparse
import difflib
import sys

from mlir.ir import Context, Module
from mlir.passmanager import PassManager

STAGES = ["canonicalize", "cse", "symbol-dce", "convert-scf-to-cf"]


def stages_of(spec):
    names = [s.strip() for s in spec.split(",") if s.strip()]
    return names or STAGES


def run_stage(module, stage, verify):
    manager = PassManager.parse(f"builtin.module({stage})")
    manager.enable_verifier(verify)
    options = {"invalidate_ops": False}
    manager.run(module.operation, **options)


def show_changes(before, after, stage):
    lines = difflib.unified_diff(before.splitlines(), after.splitlines(), "before", stage, lineterm="")
    for line in lines:
        print(line)


def main(argv=None):
    parser = argparse.ArgumentParser()
    parser.add_argument("file", type=argparse.FileType("r"))
    parser.add_argument("--stages", default="")
    parser.add_argument("--no-verify", action="store_true")
    args = parser.parse_args(argv)
    with Context():
        module = Module.parse(args.file.read())
        for stage in stages_of(args.stages):
            before = str(module)
            run_stage(module, stage, not args.no_verify)
            show_changes(before, str(module), stage)
    return 0


if __name__ == "__main__":
    sys.exit(main())
