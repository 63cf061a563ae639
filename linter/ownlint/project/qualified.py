"""Names with their scopes, as text."""

from __future__ import annotations

from ownlint.facts import records as r


def last(name: str) -> str:
    """The last part of a name of either language."""
    return name.rsplit("::", 1)[-1].rsplit(".", 1)[-1]


def names(full: str, part: str) -> bool:
    """Whether `part` names `full` from somewhere inside its scopes: `b::C` names `a::b::C`, `::C` only what stands in
    none."""
    if part.startswith("::"):
        return full == part[2:]
    return full == part or full.endswith(("::" + part, "." + part))


def of(record: r.FunctionRecord, separator: str) -> str:
    """The function's name with its scope."""
    return record.scope + separator + record.name if record.scope else record.name


def encloses(outer: str, inner: str) -> bool:
    """Whether a scope of C++ is another one or stands around it; the global one, which is empty, around all."""
    return not outer or inner == outer or inner.startswith(outer + "::")


def shared(one: str, other: str) -> int:
    """How many leading scopes two names of C++ share."""
    count = 0
    for left, right in zip(one.split("::"), other.split("::"), strict=False):
        if left != right:
            break
        count += 1
    return count
