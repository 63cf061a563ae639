"""How two contracts of one module differ: one that was written, and what the code says now. Lines do not count."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import zip_longest

from ownlint.models.contract_records import ClassContract, ContractFile, MemberContract

_MEMBER = (
    "kind",
    "cxx",
    "takes",
    "names",
    "returns",
    "category",
    "policy",
    "borrows",
    "stores",
    "invalidates",
    "releases_gil",
)
_CLASS = ("cxx", "framework", "bases", "holder", "trampoline")


def differences(said: ContractFile, found: ContractFile) -> Iterator[str]:
    """A line each; `said` is the file's, `found` the code's."""
    if said.package != found.package:
        yield f"`package` is {_shown(said.package)} in the file, {_shown(found.package)} in the code"
    for key in ("modules", "frameworks"):
        if getattr(said, key) != getattr(found, key):
            yield f"`{key}` is {_shown(getattr(said, key))} in the file, {_shown(getattr(found, key))} in the code"
    ours, theirs = {cls.name: cls for cls in said.classes}, {cls.name: cls for cls in found.classes}
    plain = {"": said.plain} | {name: cls.plain for name, cls in ours.items()}
    for name in sorted({*ours, *theirs}):
        if name not in theirs:
            yield f"`{name}` is not a bound class in the code"
        elif name not in ours:
            yield f"{theirs[name].at}: `{name}` is a bound class that is missing in the file"
        else:
            yield from _of_class(ours[name], theirs[name])
    yield from _members(said, found, plain)


def _of_class(ours: ClassContract, theirs: ClassContract) -> Iterator[str]:
    for key in _CLASS:
        yield from _value(theirs.at, f"`{ours.name}`", key, getattr(ours, key), getattr(theirs, key))


def _members(said: ContractFile, found: ContractFile, plain: dict[str, tuple[str, ...]]) -> Iterator[str]:
    ours, theirs = _by_symbol(said.members), _by_symbol(found.members)
    known = {(on, name) for on, names in plain.items() for name in names}
    now = {("", name) for name in found.plain} | {(cls.name, name) for cls in found.classes for name in cls.plain}
    for key in sorted({*ours, *theirs, *known, *now}):
        symbol = ".".join(part for part in key if part)
        if key not in theirs and key not in now:
            yield f"`{symbol}` is not bound in the code"
        elif key not in ours and key not in known:
            at = theirs[key][0].at if key in theirs else ""
            yield f"{at + ': ' if at else ''}`{symbol}` is bound, but missing in the file"
        else:
            yield from _overloads(symbol, ours.get(key, []), theirs.get(key, []))


def _overloads(symbol: str, ours: Sequence[MemberContract], theirs: Sequence[MemberContract]) -> Iterator[str]:
    for mine, other in zip_longest(ours, theirs):
        if mine is None:
            assert other is not None
            yield f"{other.at}: `{symbol}` has a contract that is missing in the file: {_told(other)}"
        elif other is None:
            yield f"`{symbol}` has a contract that is missing in the code: {_told(mine)}"
        else:
            for key in _MEMBER:
                yield from _value(other.at, f"`{symbol}`", key, getattr(mine, key), getattr(other, key))


def _value(at: str, symbol: str, key: str, ours: object, theirs: object) -> Iterator[str]:
    if ours != theirs:
        place = f"{at}: " if at else ""
        yield f"{place}{symbol}: `{key}` is {_shown(ours)} in the file, {_shown(theirs)} in the code"


def _by_symbol(members: Sequence[MemberContract]) -> dict[tuple[str, str], list[MemberContract]]:
    found: dict[tuple[str, str], list[MemberContract]] = {}
    for member in members:
        found.setdefault((member.on, member.name), []).append(member)
    return found


def _told(member: MemberContract) -> str:
    said = {key: value for key in _MEMBER[4:] if (value := getattr(member, key)) and value != "unknown"}
    return ", ".join(f"`{key}` {_shown(value)}" for key, value in said.items()) or "no contract"


def _shown(value: object) -> str:
    match value:
        case bool():
            return "true" if value else "false"
        case str():
            return f"`{value}`" if value else "nothing"
        case tuple():
            return ", ".join(_one(each) for each in value) or "nothing"
        case dict():
            return ", ".join(f"`{name} {version}`".replace(" `", "`") for name, version in value.items()) or "nothing"
    return str(value)


def _one(value: object) -> str:
    fields = getattr(type(value), "__struct_fields__", ())
    if not fields:
        return f"`{value}`"
    said = (f"{field} {_bare(getattr(value, field))}" for field in fields if getattr(value, field) != "")
    return f"({', '.join(said)})"


def _bare(value: object) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)
