"""Contract files as text: written the same to the byte for the same contract, in TOML that people can read."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from ownlint.models.contract_records import FORMAT, ClassContract, ContractFile, KeptAddress, Lent, MemberContract

_WIDTH = 120
_UNSAFE = re.compile(r'[\x00-\x1f\x7f-\x9f"\\\u2028\u2029\ud800-\udfff\ufeff]')
_SHORT = {"\n": "\\n", "\t": "\\t", "\r": "\\r", '"': '\\"', "\\": "\\\\"}
_BARE = re.compile(r"[A-Za-z0-9_-]+")


def render(contract: ContractFile) -> str:
    """The whole file."""
    lines = [
        f"# Ownership contract of the bindings of {_comment(contract.package)}.",
        "# Written by `ownlint model extract`; checked against the code by `ownlint model check`.",
        f"format = {FORMAT}",
        f"package = {_quoted(contract.package)}",
    ]
    lines += _list("modules", contract.modules)
    if contract.frameworks:
        pairs = (f"{_key(name)} = {_quoted(version)}" for name, version in sorted(contract.frameworks.items()))
        lines.append(f"frameworks = {{ {', '.join(pairs)} }}")
    lines += _list("plain", contract.plain)
    members: dict[str, list[MemberContract]] = {}
    for member in contract.members:
        members.setdefault(member.on, []).append(member)
    for member in members.pop("", ()):
        lines += ["", *_member(member)]
    for cls in contract.classes:
        lines += ["", *_class(cls)]
        for member in members.pop(cls.name, ()):
            lines += ["", *_member(member)]
    for rest in members.values():
        for member in rest:
            lines += ["", *_member(member)]
    return "".join(f"{line}\n" for line in lines)


def _class(cls: ClassContract) -> Iterator[str]:
    yield "[[class]]"
    yield f"name = {_quoted(cls.name)}"
    yield f"at = {_quoted(cls.at)}"
    for key in ("cxx", "framework"):
        yield from _text(key, getattr(cls, key))
    yield from _list("bases", cls.bases)
    for key in ("holder", "trampoline"):
        yield from _text(key, getattr(cls, key))
    yield from _list("plain", cls.plain)


def _member(member: MemberContract) -> Iterator[str]:
    yield "[[member]]"
    yield from _text("on", member.on)
    yield f"name = {_quoted(member.name)}"
    yield f"kind = {_quoted(member.kind)}"
    yield f"at = {_quoted(member.at)}"
    yield from _text("cxx", member.cxx)
    yield from _list("takes", member.takes)
    yield from _list("names", member.names)
    yield from _text("returns", member.returns)
    if member.category != "unknown":
        yield f"category = {_quoted(member.category)}"
    yield from _text("policy", member.policy)
    yield from _tables("borrows", (_lent(one) for one in member.borrows))
    yield from _tables("stores", (_kept(one) for one in member.stores))
    yield from _list("invalidates", member.invalidates)
    if member.releases_gil:
        yield "releases_gil = true"


def _lent(one: Lent) -> str:
    return _inline(
        {"from": one.source, "protected": one.protected, "via": one.via, "reason": one.reason}, one.certainty
    )


def _kept(one: KeptAddress) -> str:
    said: dict[str, object] = {"argument": one.argument, "into": one.into, "protected": one.protected, "via": one.via}
    return _inline(said, one.certainty)


def _inline(said: dict[str, object], certainty: str) -> str:
    pairs = [f"{key} = {_value(value)}" for key, value in said.items() if value != ""]
    if certainty != "certain":
        pairs.append(f"certainty = {_quoted(certainty)}")
    return f"{{ {', '.join(pairs)} }}"


def _value(value: object) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    return str(value) if isinstance(value, int) else _quoted(str(value))


def _text(key: str, value: str) -> Iterator[str]:
    if value:
        yield f"{key} = {_quoted(value)}"


def _list(key: str, values: Iterable[str]) -> Iterator[str]:
    """On one line where it fits, else one value a line or several."""
    quoted = [_quoted(value) for value in values]
    if not quoted:
        return
    line = f"{key} = [{', '.join(quoted)}]"
    if len(line) <= _WIDTH:
        yield line
        return
    yield f"{key} = ["
    row = "   "
    for each in quoted:
        if len(row) > 3 and len(row) + len(each) + 2 > _WIDTH:
            yield row
            row = "   "
        row += f" {each},"
    yield row
    yield "]"


def _tables(key: str, tables: Iterable[str]) -> Iterator[str]:
    rows = list(tables)
    if len(rows) == 1 and len(rows[0]) + len(key) + 5 <= _WIDTH:
        yield f"{key} = [{rows[0]}]"
    elif rows:
        yield f"{key} = ["
        yield from (f"    {row}," for row in rows)
        yield "]"


def _quoted(text: str) -> str:
    return f'"{_UNSAFE.sub(_escaped, text)}"'


def _escaped(match: re.Match[str]) -> str:
    letter = match[0]
    if "\ud800" <= letter <= "\udfff":
        return "\\uFFFD"
    return _SHORT.get(letter) or f"\\u{ord(letter):04X}"


def _key(name: str) -> str:
    return name if _BARE.fullmatch(name) else _quoted(name)


def _comment(text: str) -> str:
    return " ".join(re.sub(r"[^\w.\- ]", " ", text).split())[:80] or "a package"
