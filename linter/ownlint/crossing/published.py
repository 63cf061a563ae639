"""Contracts of packages that are installed or named in the settings, asked by the names that Python uses.

A name is meant when it begins with the package, or with one of its extension modules, and ends with a bound class or
function: packages hand on what their extension modules define.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import msgspec

from ownlint.crossing.contract_facts import fact_of_members, setter_of
from ownlint.domains.handles.handles import Fact
from ownlint.models.contract_records import ClassContract, ContractFile, MemberContract

_DEEPEST = 16


class Published:
    """All contracts at hand; of two about one package the later is heard. `described` is the name by which a model
    describes a class, by its dotted name; empty where none does. By that name such a class is then returned."""

    def __init__(self, contracts: Sequence[ContractFile], described: Callable[[str], str] = lambda dotted: "") -> None:
        self._described = described
        self._heads: dict[str, str] = {}
        self._classes: dict[str, dict[str, ClassContract]] = {}
        self._last: dict[str, dict[str, str]] = {}
        self._members: dict[str, dict[tuple[str, str], list[MemberContract]]] = {}
        for contract in contracts:
            self._add(contract)

    def _add(self, contract: ContractFile) -> None:
        package = contract.package
        for name in (package, *contract.modules):
            self._heads[name] = package
        self._classes[package] = {cls.name: cls for cls in contract.classes}
        lasts: dict[str, str] = {}
        for cls in contract.classes:
            last = cls.name.rpartition(".")[2]
            lasts[last] = "" if last in lasts else cls.name
        self._last[package] = lasts
        members: dict[tuple[str, str], list[MemberContract]] = {}
        for member in contract.members:
            members.setdefault((member.on, member.name), []).append(member)
        self._members[package] = members

    def _package(self, dotted: str) -> str:
        """The package of which that name is, by the longest beginning that is known."""
        head = dotted
        while head:
            if head in self._heads:
                return self._heads[head]
            head = head.rpartition(".")[0]
        return ""

    def find(self, dotted: str) -> str | None:
        """The canonical name of a bound class."""
        module, _, last = dotted.rpartition(".")
        package = self._package(module) if module else ""
        if not package:
            return None
        around = f"{module.rpartition('.')[2]}.{last}"
        name = around if around in self._classes[package] else self._last[package].get(last, "")
        return f"<{package}> {name}" if name else None

    def knows(self, cls: str) -> bool:
        return self._split(cls)[1] in self._classes.get(self._split(cls)[0], {})

    def member(self, cls: str, name: str, described: str = "") -> Fact | None:
        """`described` is the name of the class where a model describes it too."""
        fact = self._member(cls, name)
        return msgspec.structs.replace(fact, returns=described) if described and fact and fact.constructs else fact

    def _member(self, cls: str, name: str) -> Fact | None:
        package, own = self._split(cls)
        waiting, seen = [own], 0
        while waiting and seen < _DEEPEST:
            current = waiting.pop(0)
            seen += 1
            found = self._members[package].get((current, name.removesuffix("=")), [])
            if found:
                return self._fact(package, found, cls, name)
            known = self._classes[package].get(current)
            if known is not None and name in known.plain:
                return Fact("own", cls, constructs=True) if name == "__init__" else Fact("copy", name=name)
            if known is not None:
                waiting += known.bases
        return Fact("own", cls, constructs=True) if name == "__init__" else None

    def _fact(self, package: str, found: list[MemberContract], cls: str, name: str) -> Fact | None:
        if name.endswith("="):
            return setter_of(found[0], cls, _told(package, found[0])) if len(found) == 1 else None
        return fact_of_members(found, cls, lambda inner: self._name_of(package, inner), lambda one: _told(package, one))

    def _name_of(self, package: str, cls: str) -> str:
        heads = (head for head, of in self._heads.items() if of == package)
        described = (name for head in heads if (name := self._described(f"{head}.{cls}")))
        return next(described, f"<{package}> {cls}")

    def function(self, dotted: str) -> Fact | None:
        module, _, name = dotted.rpartition(".")
        package = self._package(module) if module else ""
        found = self._members[package].get(("", name), []) if package else []
        return fact_of_members(found, "", lambda cls: self._name_of(package, cls), lambda one: _told(package, one))

    def _split(self, cls: str) -> tuple[str, str]:
        package, _, name = cls.partition("> ")
        return package.removeprefix("<"), name

    @property
    def words(self) -> frozenset[str]:
        """Names that a Python file holds when one of these packages matters in it."""
        return frozenset(self._heads)


def _told(package: str, one: MemberContract) -> str:
    return f"`{one.symbol}` is bound in {one.at or 'a module'} (contract of `{package}`){promise(one)}"


def promise(one: MemberContract) -> str:
    """What the binding does, for a step that shows it."""
    if any(not lent.protected for lent in one.borrows) or any(not kept.protected for kept in one.stores):
        return " and does not keep its owner alive"
    return " and returns a part of its object" if one.borrows else ""
