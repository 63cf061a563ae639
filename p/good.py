from mlir.ir import Module


def entry(s):
    return Module.parse(s).body.operations[0].name
