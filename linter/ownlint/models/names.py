"""Names as models and code write them, and looking models up by them."""

from __future__ import annotations

import functools
import re
from collections.abc import Sequence
from fnmatch import fnmatchcase
from typing import Generic, TypeVar

import msgspec

from ownlint.finding import CERTAINTIES, Certainty, because
from ownlint.patterns import Globs
from ownlint.steps import spend

_NOISE = re.compile(r"\b(?:const|volatile|struct|class|enum|union|typename|mutable|constexpr|static|inline)\b")
_INLINE_NAMESPACE = re.compile(r"__1|__cxx11|__ndk1|__detail|lts_\d+|v\d+(?:_\d+)*|\(anonymous namespace\)|")


class Spelling(msgspec.Struct, frozen=True):
    """A type as code writes it, taken apart."""

    parts: tuple[str, ...]
    template: str
    reference: bool
    pointer: bool


@functools.lru_cache(1 << 16)
def spelling(text: str) -> Spelling:
    """`const absl::StatusOr<T>&` -> `absl`, `StatusOr`; `T`; a reference.

    `auto` and what is no type at all have parts that no model knows.
    """
    bare, template = without_templates(text)
    bare = _NOISE.sub(" ", bare)
    reference, pointer = "&" in bare, "*" in bare
    name = re.sub(r"[&*\s]+|\[.*\]", "", bare)
    return Spelling(parts_of(name), template, reference, pointer)


def parts_of(name: str) -> tuple[str, ...]:
    """The parts of a C++ name, without inline namespaces."""
    return tuple(part for part in name.split("::") if not _INLINE_NAMESPACE.fullmatch(part))


def without_templates(text: str) -> tuple[str, str]:
    """The text outside of the outermost `<...>`, and the contents of the last such pair."""
    if "<" not in text:
        return text, ""
    kept, last, depth, start = [], "", 0, 0
    for position, letter in enumerate(text):
        if letter == "<":
            depth += 1
            start = position + 1 if depth == 1 else start
        elif letter == ">" and depth:
            depth -= 1
            last = text[start:position] if depth == 0 else last
        elif depth == 0:
            kept.append(letter)
    return "".join(kept), last.strip()


_Model = TypeVar("_Model")

_FITS_A_STEP = 16
"""Names that are compared in a step."""


class NameIndex(Generic[_Model]):
    """Models by qualified name: the last part through a dictionary, the others by comparing suffixes."""

    def __init__(self, separator: str) -> None:
        self.separator = separator
        self.exact: dict[str, list[tuple[tuple[str, ...], bool, _Model]]] = {}
        self.wild: list[tuple[tuple[str, ...], bool, _Model]] = []
        self._last_parts: Globs | None = None
        self._found: dict[tuple[tuple[str, ...], tuple[tuple[str, ...], ...]], list[tuple[Certainty, _Model]]] = {}

    @property
    def last_parts(self) -> Globs:
        """Fits the last part of a name that some pattern may fit: one test instead of one a pattern."""
        if self._last_parts is None:
            self._last_parts = Globs(parts[-1] for parts, _, _ in self.wild)
        return self._last_parts

    def add(self, name: str, bare: bool, model: _Model) -> None:
        parts = tuple(name.split(self.separator))
        entry = (parts, bare, model)
        self._found.clear()
        if "*" in name:
            self.wild.append(entry)
        else:
            self.exact.setdefault(parts[-1], []).append(entry)

    def find(self, parts: tuple[str, ...], scopes: tuple[tuple[str, ...], ...]) -> list[tuple[Certainty, _Model]]:
        """All that fit, best first; later models before earlier ones, so that a user's own win. The list is
        shared by all who ask, and not changed."""
        if not parts:
            return []
        patterns = self.wild if self.last_parts.fits(parts[-1]) else []
        spend((len(patterns) + len(parts) * len(scopes)) // _FITS_A_STEP)  # who asks again pays the same
        if not patterns and parts[-1] not in self.exact:
            return []  # most names are of no model: these are not kept
        key = (parts, scopes)
        if key not in self._found:
            self._found[key] = self._look(parts, scopes, patterns)
        return self._found[key]

    def _look(
        self,
        parts: tuple[str, ...],
        scopes: tuple[tuple[str, ...], ...],
        patterns: Sequence[tuple[tuple[str, ...], bool, _Model]],
    ) -> list[tuple[Certainty, _Model]]:
        found: list[tuple[tuple[int, ...], Certainty, _Model]] = []
        written = "::".join(parts)
        for wild, entries in enumerate((self.exact.get(parts[-1], ()), patterns)):
            for order, (model_parts, bare, model) in enumerate(entries):
                if certainty := _fit(model_parts, parts, bare, scopes):
                    rank = CERTAINTIES.index(certainty)
                    if rank:
                        certainty = because(
                            "name" if certainty == "likely" else "guess",
                            f"`{written}` is assumed to be `{'::'.join(model_parts)}` because of its name",
                        )
                    found.append(((rank, wild, -len(model_parts), -order), certainty, model))
        return [(certainty, model) for _, certainty, model in sorted(found, key=lambda entry: entry[0])]


def _fit(
    model: tuple[str, ...], query: tuple[str, ...], bare: bool, scopes: tuple[tuple[str, ...], ...]
) -> Certainty | None:
    if _same(model, query):
        return "certain"
    if len(query) > len(model):
        return "likely" if len(model) > 1 and _same(model, query[-len(model) :]) else None
    if len(query) == len(model) or not _same(model[-len(query) :], query):
        return None
    missing = model[: -len(query)]
    for scope in scopes:
        if scope in (model, missing):  # what is around an opened namespace stays closed
            return "certain"
    if len(query) > 1:
        return None if "*" in model[-len(query)] else "likely"  # a pattern fits anybody's class
    return "possible" if bare else None


def _same(model: tuple[str, ...], query: tuple[str, ...]) -> bool:
    if model == query:
        return True
    if len(model) != len(query):
        return False
    for part, word in zip(model, query, strict=True):
        if part != word and not ("*" in part and fnmatchcase(word, part)):
            return False
    return True
