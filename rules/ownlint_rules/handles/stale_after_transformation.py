"""A handle is used after a pass or a rewrite has transformed the IR that contains it.

## What it reports

- an operation below the root, or a value taken from it, that was obtained before a pass manager, a transform script or
  a pattern driver ran over the root, and is used, returned or stored afterwards
- the same in the next iteration of a loop, in a `finally` block, and through attributes of `self`
- the same if a function of the project runs the passes

## Why it is a bug

A pass may erase, replace or move any operation below the one it runs on. Older bindings invalidate every wrapper below
it first, and each later use raises, even if the operation survived. Newer ones invalidate nothing: an erased operation
is read after it was freed. Values (results, block arguments) are never checked.

## Example

bad:

```python
from mlir.ir import Module
from mlir.passmanager import PassManager

def lower(module: Module, pipeline):
    entry = module.body.operations[0]
    PassManager.parse(pipeline).run(module.operation)
    return str(entry)
```

```text
case.py:7: error: `entry` is used after `PassManager.parse(pipeline).run(module.operation)` has transformed the IR that
    contains it
  help: look it up in `module.operation` again after the pass; keep names across it, not handles
```

good:

```python
from mlir.ir import Module
from mlir.passmanager import PassManager

def lower(module: Module, pipeline):
    PassManager.parse(pipeline).run(module.operation)
    return str(module.body.operations[0])
```

## How to fix it

Look the operation up again after the pass. Keep names across a pass, not handles.

## What it does not report

- the root itself, its body and regions, and its symbol table; siblings and ancestors of the root
- handles that are looked up again
- plain data, types, attributes and locations
- handles that are not known to lie below the root, and unknown pass managers

## Known limitations

- Newer bindings permit the use of an operation that survived the passes; this cannot be known.
- Where the version of the bindings is known, the last step says what the use does; an exception is a warning, and so is
  an operation at the top of the root in newer bindings, which usually survives.
- A parameter that is an operation is not known to lie in another parameter that is its module.

## Source

run on jaxlib 0.4.30 and 0.7.2 (RuntimeError, before the passes run and also when they fail), 0.8.0, 0.10.2 and IREE
3.13 (removed operations crash). mlir/docs/Bindings/Python.md: query, transform through one root, query again.
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
