"""Which rules a name stands for, wherever one is written: in the settings, on the command line, in a comment.

A name is a rule (`lock-taken-twice`), a group (`locks`), a glob over both (`borrow*`, `*gil*`), or `all`. Where one
name selects a rule and another ignores it, the one that says more exactly which rule is meant wins; of two that are
equally exact, the one that ignores. A suite limits `all`; what is named more exactly than that runs in every suite.
"""

from __future__ import annotations

from collections.abc import Iterable
from fnmatch import fnmatchcase
from typing import TYPE_CHECKING, Literal, Protocol

from ownlint.choices import SUITES, Suite, did_you_mean

if TYPE_CHECKING:
    from ownlint.config import Config

ALL = "all"

Exactness = Literal[1, 2, 3]
"""Of a name: 1 for `all`, 2 for a group or a glob, 3 for the rule itself."""

_LONGEST = 200
"""Characters of a glob: more than any rule and group together have."""


class Named(Protocol):
    """What a selection has to know of a rule."""

    @property
    def id(self) -> str: ...
    @property
    def group(self) -> str: ...
    @property
    def suite(self) -> Suite: ...
    @property
    def formerly(self) -> tuple[str, ...]: ...


class RuleNames:
    """The names that the rules at hand give."""

    def __init__(self, rules: Iterable[Named]) -> None:
        known = sorted(rules, key=lambda rule: rule.id)
        self.ids = tuple(rule.id for rule in known)
        self.now = {former: rule.id for rule in known for former in rule.formerly}
        """By the names of earlier versions the rules that they stand for."""
        self.groups: dict[str, frozenset[str]] = {}
        for rule in known:
            self.groups[rule.group] = self.groups.get(rule.group, frozenset()) | {rule.id}
        self._suites = {rule.id: SUITES.index(rule.suite) for rule in known}
        self._meant: dict[str, frozenset[str]] = {}

    def of(self, name: str) -> frozenset[str]:
        """The rules that `name` stands for; none for a name that means nothing."""
        if name not in self._meant:
            self._meant[name] = self._of(name)
        return self._meant[name]

    def _of(self, name: str) -> frozenset[str]:
        if name == ALL:
            return frozenset(self.ids)
        if name in self.ids:
            return frozenset((name,))
        if name in self.now:
            return frozenset((self.now[name],))
        if name in self.groups:
            return self.groups[name]
        if not is_glob(name):
            return frozenset()
        inside = (rules for group, rules in self.groups.items() if fnmatchcase(group, name))
        return frozenset(rule for rule in self.ids if fnmatchcase(rule, name)).union(*inside)

    def exactness(self, name: str) -> Exactness:
        return 1 if name == ALL or not name.strip("*") else 3 if name in self.ids or name in self.now else 2

    def renamed(self, name: str) -> str:
        """What is said of a name of an earlier version; nothing of one of today."""
        return f"`{name}` was renamed to `{self.now[name]}`" if name in self.now else ""

    def instead_of(self, name: str) -> str:
        """`; did you mean ...?` for a name that means nothing, or nothing when none is near."""
        return did_you_mean(name, (*self.ids, *self.groups, ALL))

    def selected(self, config: Config) -> frozenset[str]:
        """The rules to run."""
        wanted = self._ranks((*config.select, *config.extend_select))
        ignored = self._ranks(config.ignore)
        regraded = self._ranks(config.severity)
        last = SUITES.index(config.suite)
        return frozenset(
            rule
            for rule, rank in wanted.items()
            if rank > ignored.get(rule, 0) and (self._suites[rule] <= last or max(rank, regraded.get(rule, 1)) > 1)
        )

    def _ranks(self, names: Iterable[str]) -> dict[str, int]:
        """Each rule that is named, with how exactly it is at best."""
        found: dict[str, int] = {}
        for name in names:
            rank = self.exactness(name)
            for rule in self.of(name):
                found[rule] = max(rank, found.get(rule, 0))
        return found

    def best(self, names: Iterable[str], rule: str) -> str | None:
        """Of these names the one that says most exactly that `rule` is meant, the later of two; None when none does."""
        found: str | None = None
        for name in names:
            if rule in self.of(name) and (found is None or self.exactness(name) >= self.exactness(found)):
                found = name
        return found


def is_glob(name: str) -> bool:
    """Python's `fnmatch` tries no star twice: a glob may stand in a stranger's comment."""
    return ("*" in name or "?" in name) and len(name) <= _LONGEST
