"""A Python handle is used or returned after the native object that it points into was destroyed.

Native bindings hand out children: an operation of a module, a view of an engine. Many of them keep nobody
alive. When the last Python name of the owner goes away, CPython frees the owner at once, and the child points
into freed memory, even in the middle of one expression.

bad:

```python
from mlir.ir import Module

def entry(asm):
    module = Module.parse(asm)
    return module.body.operations[0]
```

good:

```python
from mlir.ir import Module

def entry(asm):
    module = Module.parse(asm)
    return module, module.body.operations[0]
```

Reported: a chain that takes a child from a temporary owner, a child that is used after its owner was rebound,
deleted or left behind by a loop, a generator or a `with` block, a child that is returned or stored on an object or
class while its owner ends with the function, an attribute that is used after a method has let go of the owner in
another; what was built under an insertion point of a temporary; what lies in an operation that was taken out and
dropped, or was moved into a module that is gone.

Quiet: plain data (`str(op)`, names, types, attributes, locations), whatever keeps its owner (a module's body and
root operation, a lookup in a symbol table), uses inside the `for` over a temporary, owners that are
returned or stored together with the child, owners that are parameters, globals or attributes, and owners
that were given to a call nobody knows.

Which member borrows and which one keeps comes from the models (MLIR and the projects that ship its bindings) and
from the project's own pybind11 and nanobind bindings; then the finding points at the binding in C++.

Limits: what one method leaves stale for the next is not reported. A helper's owner is followed through plain
calls: not through an unknown decorator or a method of an object whose class nobody wrote down. The operands of a
clone are not known to be the original's. A library that is neither modelled nor bound in the project is unknown. A
file that names neither a library and a call that makes an owner, nor a class the project binds, nor a helper that
hands out an owner together with its module, is not read.

Source: LLVM 19.1.7 mlir/lib/Bindings/Python/IRCore.cpp, where `forOperation` is called without a keep-alive for
the elements of an operation list; run on jaxlib 0.4.30 to 0.10.2 and IREE 3.13.
"""

from __future__ import annotations

from collections.abc import Iterator

from ownlint import Edit, Finding, Fix, Function, Span, border, handles, rule


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
        return "return the owner too, store it where the child is stored, or return plain data"
    if misuse.kind == "store":
        return "store the owner next to it, or store plain data"
    return "assign the owner to a variable that outlives every use of the child"


def _fix(misuse: handles.HandleMisuse) -> Fix | None:
    """A temporary owner gets a name where it stands: that lasts until the function ends."""
    function, made = misuse.function, misuse.made
    if (
        misuse.kind != "use"
        or misuse.ended is not None
        or misuse.often
        or function.record.kind not in ("function", "method", "constructor")
    ):
        return None
    name = _free_name(function)
    before = Edit(function.path, Span(made.start, made.start), f"({name} := ")
    behind = Edit(function.path, Span(made.end, made.end), ")")
    return Fix(f"assign `{misuse.owner}` to `{name}`", (before, behind))


def _free_name(function: Function) -> str:
    said = function.encoded
    return next(name for name in ("owner", *(f"owner{n}" for n in range(2, 9999))) if f'"{name}"'.encode() not in said)
