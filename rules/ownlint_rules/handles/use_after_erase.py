"""A handle is used after the native object it refers to was erased.

## What it reports

- any use of an erased handle, of another name for the same object, or of something taken from it, and a second erase
- a lookup in a symbol table of an operation that was erased without the table
- the same if a function of the project erases it, and if the handle is in a tuple, a list, a dict or an attribute

## Why it is a bug

An erased operation is freed at once, with everything inside it: nested operations, blocks, results, block arguments.
Python still holds the wrappers. Some of them raise, the others read freed memory: older bindings invalidate every
wrapper of the operation, newer ones only the wrapper that was asked to erase, and values are never checked.

## Example

bad:

```python
from mlir.ir import Operation

def drop(op: Operation):
    result = op.results[0]
    op.erase()
    return str(result.type)
```

```text
case.py:6: error: `result` is used after `op.erase()` erased `op`
  help: read the values before erasing: types, locations, attributes and names stay valid
```

good:

```python
from mlir.ir import Operation

def drop(op: Operation):
    kind = op.results[0].type
    op.erase()
    return str(kind)
```

## How to fix it

Read the values before the erase (types, locations, attributes and names stay valid), or erase after the last use.
`--fix --unsafe-fixes` moves a single read before the erase, and erases through the symbol table where there is one.

## What it does not report

- values that were read before (types, locations, attributes, names, strings)
- the current element of a loop
- variables that are reassigned, and paths that return before the use
- handles that are not known to be the erased one, and `erase` of an object of unknown class

## Known limitations

- Where the version of the bindings is known, the last step says whether the use raises or reads freed memory; what only
  raises is a warning.
- Elements selected by a variable are the same only through the same name, and so is an element taken out of a Python
  list twice.
- It is not known whether the erased operation is the one that a table finds by a name, or that created an operand.
- A method bound to a variable counts if the variable has one meaning. A handle that stays in an attribute is reported
  if this method stored it there or uses it.

## Source

run on jaxlib 0.4.30, 0.7.2 (every wrapper raises, values crash), 0.8.0, 0.10.2 and IREE 3.13 (the wrapper itself
raises; other wrappers, nested operations and values crash). mlir/docs/Bindings/Python.md; llvm PR 155114.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise

from ownlint import Edit, Finding, Fix, Function, Span, border, handles, records, rule, text
from ownlint_rules.handles import _outcomes as outcomes


@rule(severity="error", cwe=(416,), languages=("python",), fixable=True)
def use_after_erase(function: Function) -> Iterator[Finding]:
    for misuse in border.of(function.program).misuses_in(function):
        stale = misuse.stale
        if stale is not None and misuse.about == "erased":
            yield function.finding(
                misuse.at,
                _message(misuse, stale),
                certainty=misuse.certainty,
                help=_help(misuse),
                steps=border.misuse_steps(misuse) + outcomes.steps(misuse),
                mild=outcomes.is_mild(misuse),
                fix=_fix(function, misuse, stale),
            )


def _message(misuse: handles.HandleMisuse, stale: handles.Stale) -> str:
    by = f"`{stale.call}`"
    if misuse.kind == "lookup":
        return f"{misuse.what} is looked up after {by} erased it without updating the symbol table"
    does = {"use": "used", "return": "returned", "store": "stored"}[misuse.kind]
    itself = stale.target in (misuse.shown, misuse.child.shown)
    what = "it" if itself else f"`{stale.target}`"
    return f"{misuse.what} is {does} after {by} erased {what}"


def _help(misuse: handles.HandleMisuse) -> str:
    if misuse.kind == "lookup":
        return "erase it through the symbol table, which then drops its entry"
    if misuse.kind == "use":
        return "read the values before erasing: types, locations, attributes and names stay valid"
    return "pass on plain data that was read before, or drop the handle"


def _fix(function: Function, misuse: handles.HandleMisuse, stale: handles.Stale) -> Fix | None:
    if misuse.kind == "lookup":
        return _through_table(function, misuse, stale)
    return _read_first(function, misuse, stale) if misuse.kind == "use" else None


def _through_table(function: Function, misuse: handles.HandleMisuse, stale: handles.Stale) -> Fix | None:
    """`f.erase()` becomes `table.erase(f)`."""
    table, bracket, _ = misuse.child.shown.partition("[")
    if not bracket or not table.isidentifier() or stale.call != f"{stale.target}.erase()":
        return None
    return Fix(
        f"erase `{stale.target}` through `{table}`", (_edit(function, stale.at, f"{table}.erase({stale.target})"),)
    )


def _read_first(function: Function, misuse: handles.HandleMisuse, stale: handles.Stale) -> Fix | None:
    """The use stands directly behind: the two statements change places, where their text is known to the byte."""
    for first, second in _neighbours(function.body):
        if first.span == stale.at and misuse.at.start in second.span and not _ends(second, stale):
            written = [text(part.value, 200) for part in (first, second)]
            if all(len(t.encode()) == p.end - p.start for t, p in zip(written, (first, second), strict=True)):
                edits = (_edit(function, first.span, written[1]), _edit(function, second.span, written[0]))
                return Fix("read it before it is erased", edits)
    return None


def _neighbours(body: records.Body) -> Iterator[tuple[records.Evaluate, records.Evaluate]]:
    for first, second in pairwise(body):
        if isinstance(first, records.Evaluate) and isinstance(second, records.Evaluate):
            yield first, second
    for statement in body:
        for inner in _inside(statement):
            yield from _neighbours(inner)


def _inside(statement: records.Statement) -> Iterator[records.Body]:
    match statement:
        case records.Branch(then=then, other=other):
            yield from (then, other)
        case records.Loop(body=body) | records.With(body=body) | records.Try(body=body):
            yield body


def _ends(statement: records.Evaluate, stale: handles.Stale) -> bool:
    """The same call once more: there is nothing to read."""
    return text(statement.value, 200) == stale.call


def _edit(function: Function, span: Span, written: str) -> Edit:
    return Edit(function.path, span, written)
