"""The ownership contract of a module: what its bindings promise, as plain records that can be written and read again.

Arguments count from 1, without `self`, as in models. `at` is the place in the C++ sources, `file:line`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from typing import Literal as OneOf

import msgspec

from ownlint.finding import Certainty

FORMAT = 1
"""Raised when a file of before can no longer be read as it was meant."""

Kind = OneOf["method", "static", "function", "init", "property", "property_rw", "field", "field_rw", "slot", "other"]
Category = OneOf[
    "value", "pointer", "reference", "view", "iterator", "memory", "object", "plain", "nothing", "new", "unknown"
]
"""How the result crosses: by value, as C++'s own object, as something that looks at one, as a Python object, as a
number or string. `new` is an object of a bound class that Python owns."""

ALL = "*"
"""Among `invalidates`: everything that was taken from the object."""


class Lent(msgspec.Struct, frozen=True, order=True):
    """The result looks at `source`: `self` or `argument N`. `protected` says that the framework keeps it alive;
    `reason` by what, or why not; `via` is the way to it in C++."""

    source: str
    protected: bool
    via: str = ""
    reason: str = ""
    certainty: Certainty = "certain"


class KeptAddress(msgspec.Struct, frozen=True, order=True):
    """The address of `argument` is kept in `into`: `self`, `result` or `argument N`."""

    argument: int
    into: str
    protected: bool
    via: str = ""
    certainty: Certainty = "certain"


class MemberContract(msgspec.Struct, frozen=True):
    """One binding. `on` is the Python class, empty for a function of the module; `returns` the bound class of the
    result, by its Python name; `takes` the C++ types of the arguments and `names` their names in Python, where they are
    known."""

    on: str
    name: str
    kind: Kind
    at: str
    cxx: str = ""
    takes: tuple[str, ...] = ()
    names: tuple[str, ...] = ()
    returns: str = ""
    category: Category = "unknown"
    policy: str = ""
    borrows: tuple[Lent, ...] = ()
    stores: tuple[KeptAddress, ...] = ()
    invalidates: tuple[str, ...] = ()
    """Members of the same class: what they gave before is dead after a call."""
    releases_gil: bool = False

    @property
    def symbol(self) -> str:
        return f"{self.on}.{self.name}" if self.on else self.name

    @property
    def is_plain(self) -> bool:
        """Whether there is nothing to say about it but that it is there."""
        said = self.returns or self.policy or self.borrows or self.stores or self.invalidates or self.releases_gil
        return not said


class ClassContract(msgspec.Struct, frozen=True):
    """`plain` are the members of which there is nothing to say."""

    name: str
    at: str
    cxx: str = ""
    framework: str = ""
    bases: tuple[str, ...] = ()
    holder: str = ""
    trampoline: str = ""
    plain: tuple[str, ...] = ()


class ContractFile(msgspec.Struct, frozen=True):
    """`package` is the first part of the names by which Python imports it, `modules` the names of its extension
    modules; `frameworks` their versions, as far as the project states them."""

    package: str
    modules: tuple[str, ...] = ()
    frameworks: dict[str, str] = {}
    plain: tuple[str, ...] = ()
    classes: tuple[ClassContract, ...] = ()
    members: tuple[MemberContract, ...] = ()


Stubs = Mapping[tuple[str, str], tuple[str, tuple[str, ...], bool]]
"""By class and name: the class of the result, names of the arguments, and whether it is an attribute."""


def stubbed(contract: ContractFile, stubs: Stubs) -> ContractFile:
    """With what stubs say of results and names of arguments, where the contract does not say it."""
    if not stubs:
        return contract
    known = _only_classes(contract)
    members = list(contract.members)
    for number, one in enumerate(members):
        returns, names, _ = stubs.get((one.on, one.name), ("", (), False))
        cls = known.get(returns, "") if one.kind != "init" else ""
        members[number] = msgspec.structs.replace(one, returns=one.returns or cls, names=one.names or names)
    plain = {"": contract.plain} | {cls.name: cls.plain for cls in contract.classes}
    for on, listed in plain.items():
        for name in listed:
            returns, names, attribute = stubs.get((on, name), ("", (), False))
            if returns in known and name != "__init__":
                kind: Kind = "property" if attribute else "method" if on else "function"
                members.append(MemberContract(on, name, kind, "", names=names, returns=known[returns]))
    return msgspec.structs.replace(contract, members=tuple(members))


def _only_classes(contract: ContractFile) -> dict[str, str]:
    """The classes by their last names, where no two have the same."""
    lasts = Counter(cls.name.rpartition(".")[2] for cls in contract.classes)
    known = {cls.name.rpartition(".")[2]: cls.name for cls in contract.classes}
    return {last: name for last, name in known.items() if lasts[last] == 1}
