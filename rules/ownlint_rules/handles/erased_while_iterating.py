"""A loop erases from, or adds to, what it iterates over.

## What it reports

- another element of a block that is erased in a loop over the block
- an owner that is erased in a loop over the uses of a value, since one operation may use the value twice
- a callback that erases its operation in a pre-order walk, and operations that are added at the end of the block during
  the loop

## Why it is a bug

A native iterator has already fetched the next element. Erasing the current element is safe; erasing another one, or the
operation that contains it, makes the next step read freed memory. Appending to the end of the block gives a loop that
never terminates.

## Example

bad:

```python
from mlir.ir import Value

def drop_users(value: Value):
    for use in value.uses:
        use.owner.erase()
```

```text
case.py:5: error: `use.owner` is erased while iterating over `value.uses`, and may own several of its elements
  help: erase each owner once after the loop: `{use.owner for use in ..}`
```

good:

```python
from mlir.ir import Value

def drop_users(value: Value):
    for owner in {use.owner for use in value.uses}:
        owner.erase()
```

## How to fix it

Collect the elements in a list and erase them after the loop. In a walk, use post-order or return `WalkResult.SKIP`.

## What it does not report

- the current element, and the one before it
- a loop that exits after the erase
- a post-order walk, and a walk that skips
- a set of the owners, operands that were replaced, a list that was copied before

## Known limitations

- It is not known whether each operation uses the value only once.
- An element found by a name or an index of its own may be the current one.
- A range of indexes whose elements are erased raises `IndexError`, which is not reported.
- Functions of other files that are passed to a walk are not analysed.

## Source

run on jaxlib 0.7.2 and 0.10.2, in both alike.
"""

from __future__ import annotations

from collections.abc import Iterator

from ownlint import Finding, Function, border, rule

_SAYS = {
    "next": "`{what}` is erased while iterating over `{over}`, whose next element it may be",
    "users": "`{what}` is erased while iterating over `{over}`, and may own several of its elements",
    "inside": "`{what}` is erased during the walk over `{over}`, which visits its children afterwards",
    "added": "`{what}` grows `{over}` while iterating over it: the loop does not terminate",
}
_HELP = {
    "next": "collect the elements to erase, and erase them after the loop",
    "users": "erase each owner once after the loop: `{{use.owner for use in ..}}`",
    "inside": "walk in post-order, or return `WalkResult.SKIP`",
    "added": "iterate over a copy of the list, or insert before the current element",
}


@rule(severity="error", cwe=(416,), languages=("python",))
def erased_while_iterating(function: Function) -> Iterator[Finding]:
    for misuse in border.of(function.program).misuses_in(function):
        harm = misuse.harm
        if harm is not None:
            yield function.finding(
                harm.at,
                _SAYS[harm.kind].format(what=harm.what, over=harm.over),
                certainty=misuse.certainty,
                help=_HELP[harm.kind].format(),
            )
