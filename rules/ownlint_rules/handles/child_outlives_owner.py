"""A Python handle is used or returned after the native object that it points into was destroyed.

## What it reports

- a chain that takes a child from a temporary owner: `Module.parse(asm).body.operations[0]`
- a child that is used after its owner was reassigned, deleted or freed at the end of a loop, a generator or a `with`
  block
- a child that is returned or stored while its owner is freed when the function returns, or in an attribute whose owner
  another method released

## Why it is a bug

Native bindings return children: an operation of a module, a view of an engine. Many of them do not keep the parent
alive. When the last Python reference to the owner is dropped, CPython frees the owner at once, and the child points
into freed memory, even in the middle of one expression. Its next use crashes, or reads other data.

## Example

bad:

```python
from mlir.ir import Module

def entry(asm):
    module = Module.parse(asm)
    return module.body.operations[0]
```

```text
case.py:5: error: `module.body.operations[0]` is returned, but its owner `module` is freed when the function returns
  help: return `module` too, store it where the result is stored, or return plain data
```

good:

```python
from mlir.ir import Module

def entry(asm):
    module = Module.parse(asm)
    return module, module.body.operations[0]
```

## How to fix it

Assign the owner to a variable that outlives every use of the child, return or store the owner together with the child,
or return plain data. `--fix --unsafe-fixes` assigns a temporary owner to a variable where that is enough.

## What it does not report

- plain data (`str(op)`, names, types, attributes, locations)
- children that keep their owner alive (the body and root operation of a module, a lookup in a symbol table)
- uses inside a `for` loop over a temporary
- owners that are returned or stored together with the child, that are parameters, globals or attributes, or that were
  passed to an unknown call

## Known limitations

- Which member borrows comes from the models (MLIR and projects that ship its bindings) and from the project's own
  pybind11 and nanobind bindings; then the finding shows the binding in C++. Other libraries are unknown.
- Invalidation across methods is not tracked.
- The owner of a helper is tracked through plain calls, not through unknown decorators or methods of objects without a
  known class.
- The operands of a clone are not known to belong to the original.
- A file is skipped if it names no library with a call that creates an owner, no class that the project binds, and no
  helper that returns an owner together with its module.

## Source

LLVM 19.1.7 mlir/lib/Bindings/Python/IRCore.cpp, where `forOperation` is called without a keep-alive for the elements of
an operation list; run on jaxlib 0.4.30 to 0.10.2 and IREE 3.13.
"""

from __future__ import annotations

from collections.abc import Iterator

from ownlint import Edit, Finding, Fix, Function, Span, border, handles, records, rule


@rule(severity="error", cwe=(416,), languages=("python",), fixable=True)
def child_outlives_owner(function: Function) -> Iterator[Finding]:
    known = border.of(function.program)
    for misuse in known.misuses_in(function):
        if misuse.about != "owner" or known.role(misuse.child.cls) in ("view", "checked"):
            continue
        yield function.finding(
            misuse.at,
            _message(misuse),
            certainty=misuse.certainty,
            help=_help(misuse),
            steps=border.misuse_steps(misuse),
            fix=_fix(misuse),
        )


def _message(misuse: handles.HandleMisuse) -> str:
    child, owner = misuse.what, f"its owner `{misuse.owner}`"
    match misuse.kind, misuse.ended:
        case "return", _:
            return f"{child} is returned, but {owner} is freed when the function returns"
        case "store", _:
            return f"{child} is stored, but {owner} is freed {_with_what(misuse)}"
        case _, None:
            return f"{child} is used after {owner} was freed"
    return f"{child} is used after {owner} was freed"


def _with_what(misuse: handles.HandleMisuse) -> str:
    return "immediately" if misuse.function.record.kind in ("module", "class") else "when the function returns"


def _help(misuse: handles.HandleMisuse) -> str:
    if misuse.kind == "return":
        return f"return `{misuse.owner}` too, store it where the result is stored, or return plain data"
    if misuse.kind == "store":
        return f"store `{misuse.owner}` next to it, or store plain data"
    return "assign the owner to a variable that outlives every use of the child"


def _fix(misuse: handles.HandleMisuse) -> Fix | None:
    """A temporary owner gets a name where it stands: that lasts until the function ends."""
    function, made = misuse.function, misuse.made
    if (
        misuse.kind != "use"
        or misuse.ended is not None
        or misuse.often
        or any(_is_over(statement, misuse) for statement in function.statements)
        or function.record.kind not in ("function", "method", "constructor")
    ):
        return None
    name = _free_name(function)
    before = Edit(function.path, Span(made.start, made.start), f"({name} := ")
    behind = Edit(function.path, Span(made.end, made.end), ")")
    return Fix(f"assign `{misuse.owner}` to `{name}`", (before, behind))


def _is_over(statement: records.Statement, misuse: handles.HandleMisuse) -> bool:
    """Whether a loop makes the owner that is over where the child is used: the name would hold the last one alone."""
    inside = misuse.made.start in statement.span and misuse.at.start not in statement.span
    return isinstance(statement, records.Loop) and inside


def _free_name(function: Function) -> str:
    said = function.encoded
    return next(name for name in ("owner", *(f"owner{n}" for n in range(2, 9999))) if f'"{name}"'.encode() not in said)
