"""Wrappers of native objects are compared by identity.

## What it reports

- `is` and `is not` between wrappers, or with a wrapper that is created by the comparison
- `id()` of a wrapper that is stored or compared
- a wrapper as a key of a dict or an element of a set, if its hash does not identify the native object

## Why it is a bug

Bindings create a new Python object each time a native one is accessed. `is`, `id()` and, for some classes, the hash
compare these wrappers: they differ although the native object is the same, and an `id` is reused once its wrapper is
freed.

## Example

bad:

```python
from mlir.ir import Operation

def same(a: Operation, b: Operation):
    return a.operation is b.operation
```

```text
case.py:4: warning: `a.operation` is compared with `is`, which compares wrappers and not the objects they wrap
  help: compare with `==`
```

good:

```python
from mlir.ir import Operation

def same(a: Operation, b: Operation):
    return a.operation == b.operation
```

## How to fix it

Compare with `==`, and use the object itself as a key if its hash identifies the native object. `--fix --unsafe-fixes`
replaces `is` with `==`.

## What it does not report

- `==`, `in`, and keys whose hash identifies the native object
- comparisons with `None` and other constants
- names that refer to the same wrapper on some path
- an `id` that is only printed, objects of unknown classes, and versions with unique wrappers

## Known limitations

- An `id` that is passed to a function of the project counts as stored.
- Classes that the project binds with pybind11, nanobind or Boost.Python are not reported: they have one wrapper per
  object while it lives.

## Source

run on jaxlib 0.7.2 (operations are unique, views, blocks and values are not) and 0.10.2 (nothing is); `==` and the hash
agree for operations, blocks and values in both, a region's hash never does.
"""

from __future__ import annotations

from collections.abc import Iterator

from ownlint import Certainty, Edit, Finding, Fix, Function, Span, because, records, rule, text
from ownlint_rules.handles import _versions as versions


@rule(severity="warning", cwe=(595,), languages=("python",), fixable=True)
def wrapper_identity(function: Function) -> Iterator[Finding]:
    known = versions.of(function.program)
    for asked in known.asked_in(function):
        match asked.kind:
            case "identity":
                yield from _identity(function, known, asked)
            case "number":
                yield from _number(function, known, asked)
            case "key":
                yield from _key(function, known, asked)


def _identity(function: Function, known: versions.IdentityQuestions, asked: versions.IdentityUse) -> Iterator[Finding]:
    wrappers = [operand for operand in asked.operands if known.compared_by(operand)]
    if not wrappers or any(_is_constant(operand.value) for operand in asked.operands) or asked.is_one:
        return
    yield function.finding(
        asked.at,
        f"`{text(wrappers[0].value)}` is compared with `{asked.name}`, which compares wrappers and not "
        "the objects they wrap",
        certainty=_certainty(known, asked, wrappers),
        help=f"compare with `{_EQUAL[asked.name]}`",
        fix=_fix(function, asked),
    )


def _number(function: Function, known: versions.IdentityQuestions, asked: versions.IdentityUse) -> Iterator[Finding]:
    (operand,) = asked.operands
    if known.compared_by(operand):
        yield function.finding(
            asked.at,
            f"`id({text(operand.value)})` identifies a wrapper, and is reused after the wrapper is freed",
            certainty=because("sharing", "harmless if the wrapper is kept alive for as long as the number is used"),
            help="use the object itself as the key: its hash identifies the wrapped object"
            if "hash" in known.compared_by(operand)
            else "compare the objects with `==`",
        )


def _key(function: Function, known: versions.IdentityQuestions, asked: versions.IdentityUse) -> Iterator[Finding]:
    (operand,) = asked.operands
    compared = known.compared_by(operand)
    if compared and "hash" not in compared:
        yield function.finding(
            asked.at,
            f"`{text(operand.value)}` is looked up by its hash, which differs for each wrapper of the same object",
            certainty=because("value", "harmless if the same wrapper is used for each lookup"),
            help="use its owner as the key, or search a list with `==`",
        )


_EQUAL = {"is": "==", "is not": "!="}


def _certainty(
    known: versions.IdentityQuestions, asked: versions.IdentityUse, wrappers: list[versions.Operand]
) -> Certainty:
    """Of two names somebody may have made one object; a member gives another one each time it is asked for."""
    anew = any(operand.anew for operand in wrappers)
    if len(wrappers) > 1 and anew:
        return "certain"
    (first, *_), others = wrappers, [operand for operand in asked.operands if operand not in wrappers]
    if others and first.anew and isinstance(first.value, records.Member) and not known.may_be_unique(first):
        return because("type", f"the class of `{text(others[0].value)}` is not known")
    return because("value" if anew or len(wrappers) > 1 else "guess", "both names may refer to the same wrapper")


def _is_constant(value: records.Value) -> bool:
    return isinstance(value, records.Literal) or text(value) in ("Ellipsis", "NotImplemented")


def _fix(function: Function, asked: versions.IdentityUse) -> Fix | None:
    """Where nothing but the operator stands between the two."""
    left, right = asked.operands
    between = Span(left.value.end, right.value.start)
    if between.end - between.start != len(asked.name) + 2:
        return None
    equal = _EQUAL[asked.name]
    return Fix(f"compare with `{equal}`", (Edit(function.path, between, f" {equal} "),))
