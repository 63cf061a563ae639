"""A handle is used after a pass or a rewrite has transformed what it belongs to.

A pass may erase, replace or move any operation below the one it runs on. Older bindings mark every wrapper below
it before they run, and each later use raises, even where the operation has survived. Newer ones mark nothing: what
was erased is read after it was freed. Values, the results of operations and the arguments of blocks, are checked
in neither.

bad:

```python
from mlir.ir import Module
from mlir.passmanager import PassManager

def lower(module: Module, pipeline):
    entry = module.body.operations[0]
    PassManager.parse(pipeline).run(module.operation)
    return str(entry)
```

good:

```python
from mlir.ir import Module
from mlir.passmanager import PassManager

def lower(module: Module, pipeline):
    PassManager.parse(pipeline).run(module.operation)
    return str(module.body.operations[0])
```

Reported: operations below the root, and what was taken from them, that were found before a pass manager, a
transform script or a pattern driver ran over the root and are used, handed out or stored afterwards; in the next
round of a loop, in a `finally`, through a function of the project that runs the passes, and through attributes of
`self`.

Where the version of the bindings is known, from the settings or an installation, the last step says what the use comes
to; an exception is a warning, and so is an operation at the top of the root in newer bindings, which mostly survives.

Quiet: the root itself, its body and regions, a symbol table of it; siblings and ancestors of the root; whatever is
asked for anew; plain data, types, attributes and locations; roots and handles of which nobody knows whether one lies
in the other; a pass manager whose class is not known.

Limits: newer bindings let an operation be used that has survived the passes, which no linter can know. A parameter
that is an operation is not known to lie in another parameter that is its module.

Source: run on jaxlib 0.4.30 and 0.7.2 (RuntimeError, before the passes run and also when they fail), 0.8.0, 0.10.2 and
IREE 3.13 (removed operations crash). mlir/docs/Bindings/Python.md: query, transform through one root, query again.
"""

from __future__ import annotations

from collections.abc import Iterator

from ownlint import Finding, Function, border, handles, rule
from ownlint_rules.handles import _outcomes as outcomes


@rule(severity="error", cwe=(672,), languages=("python",))
def stale_after_transformation(function: Function) -> Iterator[Finding]:
    for misuse in border.of(function.program).misuses_in(function):
        stale = misuse.stale
        if stale is not None and misuse.about == "changed":
            yield function.finding(
                misuse.at,
                _message(misuse, stale),
                certainty=misuse.certainty,
                help=_help(misuse, stale),
                steps=border.misuse_steps(misuse) + outcomes.steps(misuse),
                mild=outcomes.is_mild(misuse),
            )


def _message(misuse: handles.HandleMisuse, stale: handles.Stale) -> str:
    does = {"return": "returned", "store": "stored"}.get(misuse.kind, "used")
    return f"{misuse.what} is {does} after `{stale.call}` has transformed the IR that contains it"


def _help(misuse: handles.HandleMisuse, stale: handles.Stale) -> str:
    if misuse.kind == "use":
        return f"look it up in `{stale.target}` again after the pass; keep names across it, not handles"
    return "look it up after the pass, or keep its name"
