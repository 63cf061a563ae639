"""A member or a keyword is used that this version of the library does not have.

Bindings drop what their new design has no use for. What was a work-around in one version is an `AttributeError` or a
`TypeError` in the next, at the first call.

bad:

```python
from mlir.ir import Context

def reset(context: Context):
    context._clear_live_operations()
```

good:

```python
from mlir.ir import Context

def reset(context: Context):
    if hasattr(context, "_clear_live_operations"):
        context._clear_live_operations()
```

Reported: members and keywords that a model knows to be absent in the version at hand: the one that the settings give
(`versions = { somelib = "1.2" }`), else the one that is installed, else the one that has what the project's tests
assert something of, else the latest. Also of an object of which nobody says what it is, where no other class has such
a member.

Quiet: what is asked for by `hasattr` or `getattr` in the same file, what stands in a branch that asks for a version or
in a `try` that expects the error, and what the version at hand still has.

Limits: a version that is compared elsewhere, and a file that picks its functions by version, are not understood.

Source: LLVM 21 and 22, jaxlib up to 0.7.2 and from 0.8.0 on: llvm PR 155114.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from ownlint import Certainty, Finding, Function, Span, because, records, rule, text
from ownlint_rules.handles import _versions as versions

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


def _message(asked: versions.IdentityUse, missing: versions.Missing) -> str:
    cls = missing.member.on.rpartition(".")[2].lstrip("_")
    keyword = f"the keyword `{asked.name}` of `{cls}.{asked.member}`"
    what = f"`{cls}.{asked.name}`" if asked.kind == "member" else keyword
    where = " and ".join(f"{package} {ranges}" for package, ranges in sorted(missing.version.packages.items()))
    return f"{what} does not exist in {where}"


def _certainty(asked: versions.IdentityUse, missing: versions.Missing) -> Certainty:
    if asked.told:
        return because("type", f"the class that `{asked.name}` is called on is inferred from that name")
    return "certain" if missing.sure else because("version", "the installed version is not known")


def _is_asked_for(function: Function, name: str) -> bool:
    """`hasattr(context, "name")` anywhere in the file."""
    single, double = f"'{name}'".encode(), rf"\"{name}\"".encode()
    inner = (function.program.index.function_at(function.file, index) for index in range(len(function.file.functions)))
    return any(single in body or double in body for other in inner if other is not None for body in (other.encoded,))


def _is_tried(body: records.Body, at: Span) -> bool:
    """Whether somebody around asks for a version, or expects that it is not there."""
    for statement in body:
        if at.start not in statement.span:
            continue
        match statement:
            case records.Branch(condition=condition, then=then, other=other):
                return "version" in text(condition).lower() or _is_tried((*then, *other), at)
            case records.Try(body=tried, handlers=handlers):
                expects = any(not handler.type or _EXPECTED.search(handler.type) for handler in handlers)
                inside = any(at.start in inner.span for inner in tried)
                return (expects and inside) or _is_tried((*tried, *_others(statement)), at)
            case records.With(body=inner, items=items):
                expects = any("raises" in text(item.value).lower() for item in items)
                return expects or _is_tried(inner, at)
            case records.Loop(body=inner):
                return _is_tried(inner, at)
    return False


def _others(statement: records.Try) -> Iterator[records.Statement]:
    for handler in statement.handlers:
        yield from handler.body
    yield from statement.otherwise
    yield from statement.final
