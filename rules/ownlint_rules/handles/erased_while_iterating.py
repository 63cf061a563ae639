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
    "next": "`{what}` is erased while `{over}` is walked, which may be about to give it",
    "users": "`{what}` is erased while `{over}` is walked, and may be behind several of its elements",
    "inside": "`{what}` is erased by the walk `{over}`, which looks inside it afterwards",
    "added": "`{what}` grows `{over}` while it is walked, and the loop does not end",
}
_HELP = {
    "next": "collect what is to be erased, and erase it after the loop",
    "users": "take each owner once: `{{use.owner for use in ..}}`, and erase after the loop",
    "inside": "walk what is inside first, or return the result that skips it",
    "added": "take a list of the elements first, or insert before the current one",
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
