"""A member or keyword is used that this version of the library does not have.

## What it reports

- a member that a model lists as absent in the version at hand
- a keyword that this version does not accept
- a function or a constant of a module that a model lists so (`numpy.asfarray`)
- the same on an object of unknown class, where no other class has such a member

## Why it is a bug

Bindings drop what a new design no longer needs. The workaround of one version raises `AttributeError` or `TypeError` in
the next, at the first call.

## Example

bad:

```python
from mlir.ir import Context

def reset(context: Context):
    context._clear_live_operations()
```

```text
case.py:4: warning: `Context._clear_live_operations` does not exist in iree-base-compiler >=3.13 and jaxlib >=0.8
  help: nothing is tracked any more, so there is nothing to clear or to count
```

good:

```python
from mlir.ir import Context

def reset(context: Context):
    if hasattr(context, "_clear_live_operations"):
        context._clear_live_operations()
```

## How to fix it

Remove the call, or check with `hasattr` first. If another version is meant, set it: `versions = { somelib = "1.2" }`.

## What it does not report

- names that the same file checks with `hasattr` or `getattr`
- branches that check a version, and a `try` that expects the error
- members that the version at hand still has

## Known limitations

- The version is the one in the settings, else the installed one, else the one that the project's tests imply, else the
  latest that its requirements admit.
- A version that is compared elsewhere, and a file that selects its functions by version, are not understood.

## Source

LLVM 21 and 22, jaxlib up to 0.7.2 and from 0.8.0 on: llvm PR 155114. NumPy 2.4.6 was run, the release notes of NumPy
1.24 and 2.0 were read.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from ownlint import Certainty, Finding, Function, Span, because, model_records, places, records, rule, text
from ownlint_rules.handles import _versions as versions

_GETTERS = frozenset({"hasattr", "getattr"})
_EXPECTED = re.compile(r"\b(?:AttributeError|TypeError|Exception|BaseException)\b")


@rule(severity="warning", cwe=(477,), languages=("python",))
def removed_api(function: Function) -> Iterator[Finding]:
    known = versions.of(function.program)
    for asked in known.asked_in(function):
        missing = known.missing(asked) if asked.kind in ("member", "keyword") else None
        if missing is None or _is_asked_for(function, asked.name) or _is_tried(function.body, asked.at):
            continue
        yield function.finding(
            asked.at,
            _message(asked, missing),
            certainty=_certainty(asked, missing),
            help=missing.member.note or "remove the call, or check with `hasattr` first",
        )
    for gone in known.gone_in(function):
        version = gone.missing.version
        packages = tuple(version.packages)
        expected = _is_tried(function.body, gone.at, packages) or _is_chosen(function, gone.at, packages)
        if expected or _is_asked_for(function, gone.name, _GETTERS):
            continue
        yield function.finding(
            gone.at,
            f"`{gone.shown}` does not exist in {_shown(version)}",
            certainty="certain" if gone.missing.sure else because("version", "the installed version is not known"),
            help=gone.missing.member.note or "remove it, or check with `hasattr` first",
        )


def _message(asked: versions.IdentityUse, missing: versions.Missing) -> str:
    cls = missing.member.on.rpartition(".")[2].lstrip("_")
    keyword = f"the keyword `{asked.name}` of `{cls}.{asked.member}`"
    what = f"`{cls}.{asked.name}`" if asked.kind == "member" else keyword
    return f"{what} does not exist in {_shown(missing.version)}"


def _shown(version: model_records.Version) -> str:
    return " and ".join(f"{package} {ranges}" for package, ranges in sorted(version.packages.items()))


def _is_chosen(function: Function, at: Span, packages: tuple[str, ...]) -> bool:
    """Whether it is one side of an expression that asks what there is: `np.a if NEW_NUMPY else np.b`."""
    asked = (v.condition for v in function.values if isinstance(v, records.Conditional) and at.start in v.span)
    return any(_asks(condition, packages) for condition in asked)


def _asks(condition: records.Value, packages: tuple[str, ...]) -> bool:
    """Whether a condition asks which version there is, or what the library has."""
    said = text(condition).lower()
    return any(word in said for word in ("version", "hasattr", *packages))


def _certainty(asked: versions.IdentityUse, missing: versions.Missing) -> Certainty:
    if asked.told:
        return because("type", f"the class that `{asked.name}` is called on is inferred from that name")
    return "certain" if missing.sure else because("version", "the installed version is not known")


def _is_asked_for(function: Function, name: str, getters: frozenset[str] = frozenset()) -> bool:
    """`hasattr(context, "name")` anywhere in the file: the name as a text, other than as the key of a dict; of a common
    word, as an argument of one of `getters`."""
    single, double = f"'{name}'".encode(), rf"\"{name}\"".encode()
    inner = (function.program.index.function_at(function.file, index) for index in range(len(function.file.functions)))
    return any(
        (single in body or double in body) and _says(other, name, getters)
        for other in inner
        if other is not None
        for body in (other.encoded,)
    )


def _says(function: Function, name: str, getters: frozenset[str]) -> bool:
    if getters:
        calls = (call for call in function.calls() if places.last_name(call.callee) in getters)
        return any(isinstance(a, records.Literal) and a.text[1:-1] == name for call in calls for a in call.args)
    keys = {value.key.start for value in function.values if isinstance(value, records.Pair) and value.key is not None}
    return any(
        isinstance(value, records.Literal) and value.text[1:-1] == name and value.start not in keys
        for value in function.values
    )


def _is_tried(body: records.Body, at: Span, packages: tuple[str, ...] = ()) -> bool:
    """Whether somebody around asks for a version, or expects that it is not there."""
    for statement in body:
        if at.start not in statement.span:
            continue
        match statement:
            case records.Branch(condition=condition, then=then, other=other):
                return _asks(condition, packages) or _is_tried((*then, *other), at, packages)
            case records.Try(body=tried, handlers=handlers):
                expects = any(not handler.type or _EXPECTED.search(handler.type) for handler in handlers)
                inside = any(at.start in inner.span for inner in tried)
                return (expects and inside) or _is_tried((*tried, *_others(statement)), at, packages)
            case records.With(body=inner, items=items):
                expects = any("raises" in text(item.value).lower() for item in items)
                return expects or _is_tried(inner, at, packages)
            case records.Loop(body=inner):
                return _is_tried(inner, at, packages)
    return False


def _others(statement: records.Try) -> Iterator[records.Statement]:
    for handler in statement.handlers:
        yield from handler.body
    yield from statement.otherwise
    yield from statement.final
