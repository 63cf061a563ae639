"""A loop erases from, or adds to, what it iterates over.

A native iterator holds more than the element it has given: the next one is fetched already, a use list leads from
one use to the next, a walk that meets an operation before what is inside it looks inside afterwards. Erasing the
element that was just given is safe; erasing another one, or what it belongs to, lets the next step read freed
memory. Putting something behind the last element gives a loop that never ends.

bad:

```python
from mlir.ir import Value

def drop_users(value: Value):
    for use in value.uses:
        use.owner.erase()
```

good:

```python
from mlir.ir import Value

def drop_users(value: Value):
    for owner in {use.owner for use in value.uses}:
        owner.erase()
```

Reported: in a loop over a block, another element of it that is erased; in a loop over the uses of a value, or a
list of them or of their owners, an owner that is erased, since one operation may use the value twice; a callback
that erases what it is given in a walk that looks inside afterwards; operations that are built at the end of the
block, or moved there, while it is walked.

Quiet: the element that was just given, the one before it, a loop that is left after the erase, a walk that looks inside
first or is told to skip, a set of the owners, changed operands, a list of operations that was taken before.

Limits: whether each operation uses the value once is not known. An element that is found by a name or an index of
its own may be the one that was just given. A range of indexes whose elements are erased raises `IndexError` and is no
matter of this rule. Functions of other files that are given to a walk are not followed.

Source: run on jaxlib 0.7.2 and 0.10.2, in both alike.
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
