"""What a run has to know of rules and models before any rule is run: remembered, so that most runs import no rule."""

from __future__ import annotations

import contextlib
import functools
import os
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from ownlint import inputs
from ownlint.facts.base import Language
from ownlint.facts.cache import Cache
from ownlint.facts.vocabulary import Vocabulary
from ownlint.report.model import RuleInfo

if TYPE_CHECKING:
    from ownlint.models.libraries import Models
    from ownlint.rule import Rule


class RuleOutline(msgspec.Struct, frozen=True):
    """See `Rule`."""

    id: str
    languages: tuple[Language, ...]
    anchors: tuple[str, ...]
    yields_to: tuple[str, ...]


class Outline(msgspec.Struct, frozen=True):
    """Of all rules there are, by id; `infos` has those about the linter's own comments too."""

    infos: tuple[RuleInfo, ...]
    rules: tuple[RuleOutline, ...]


def outline_of_rules(cache: Cache) -> Outline:
    code = inputs.engine_digest(cache)
    key = Cache.key(b"rules", code, inputs.knowledge_digest((), cache), *map(os.fsencode, inputs.packs()))
    if (entry := cache.get(key)) is not None:
        with contextlib.suppress(msgspec.DecodeError):
            return msgspec.json.decode(entry, type=Outline)
    from ownlint import catalogue

    rules = catalogue.load()
    found = Outline(rule_infos(), tuple(RuleOutline(r.id, r.languages, r.anchors, r.yields_to) for r in rules))
    cache.put(key, msgspec.json.encode(found))
    return found


def rule_infos() -> tuple[RuleInfo, ...]:
    """Every rule there is, by id, those about the linter's own comments included."""
    from ownlint import catalogue
    from ownlint.report.suppressions import RULES as OWN_RULES

    rules = (_info(rule) for rule in catalogue.load())
    return tuple(sorted((*rules, *OWN_RULES), key=lambda info: info.id))


def _info(rule: Rule) -> RuleInfo:
    return RuleInfo(
        rule.id,
        rule.severity,
        rule.headline,
        rule.page,
        group=rule.group,
        languages=rule.languages,
        fixable=rule.fixable,
        of_change=rule.of_change,
        cwe=rule.cwe,
        suite=rule.suite,
        counts=rule.counts,
        formerly=rule.formerly,
    )


class _Known(msgspec.Struct, frozen=True):
    digest: str
    vocabulary: Vocabulary
    packages: tuple[str, ...]
    former: tuple[str, ...]


class Libraries:
    """The models of a run. What is asked of them first is remembered; the rest is read when somebody needs it."""

    def __init__(self, paths: Sequence[Path], cache: Cache) -> None:
        """Raises nothing: a mistake in a model is a `ModelError` when they are first asked."""
        self._paths = paths
        self._cache = cache

    @functools.cached_property
    def models(self) -> Models:
        from ownlint.models.libraries import load

        return load(self._paths)

    @functools.cached_property
    def known(self) -> _Known:
        """Models that cannot be read were never remembered."""
        code = inputs.engine_digest(self._cache)
        paths = tuple(self._paths)
        key = Cache.key(b"models", code, inputs.knowledge_digest(paths, self._cache), *map(os.fsencode, paths))
        if (entry := self._cache.get(key)) is not None:
            with contextlib.suppress(msgspec.DecodeError):
                return msgspec.json.decode(entry, type=_Known)
        models = self.models
        known = _Known(models.digest, models.vocabulary(), models.packages, models.former)
        self._cache.put(key, msgspec.json.encode(known))
        return known
