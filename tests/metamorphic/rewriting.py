"""Rewrites that mean the same, and where each byte of a rewritten text came from.

A rewrite takes a source text and answers with edits, or with nothing where the text does not offer what it rewrites.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

from ownlint.facts.records import Language
from ownlint.testing.markdown import PageBlock, PageCase


class Edit(NamedTuple):
    """`text[start:end]` becomes `new`; with `moved`, what stands there in the original follows `new`."""

    start: int
    end: int
    new: bytes
    moved: tuple[int, int] | None = None


Rewriter = Callable[[bytes], Iterable[Edit]]


class Rewrite(NamedTuple):
    """One way to write the same. `heard`: rules may listen to what it adds (a comment says why a result is dropped), so
    that the facts stay, but for the comments themselves, and findings may go."""

    name: str
    language: Language
    edits: Rewriter
    heard: bool = False


class Rewritten:
    """A text made of pieces of an original and of new bytes."""

    def __init__(self, original: bytes, edits: Iterable[Edit]) -> None:
        self.original = original
        self.starts: list[int] = []
        self.origins: list[tuple[int, bool]] = []
        """For each piece: where in the original it came from, and whether its bytes are the original's."""
        parts: list[bytes] = []
        length = at = 0

        def add(text: bytes, origin: int, kept: bool) -> None:
            nonlocal length
            if text:
                self.starts.append(length)
                self.origins.append((origin, kept))
                parts.append(text)
                length += len(text)

        for edit in sorted(edits, key=lambda edit: (edit.start, edit.end)):
            if edit.start < at:
                raise ValueError(f"edits overlap at {edit.start}: {edit}")
            add(original[at : edit.start], at, True)
            add(edit.new, edit.start, False)
            if edit.moved is not None:
                add(original[slice(*edit.moved)], edit.moved[0], True)
            at = edit.end
        add(original[at:], at, True)
        self.text = b"".join(parts)

    def origin(self, offset: int) -> int:
        """The offset in the original of what stands at `offset` now; for new bytes, of what they were put before."""
        index = bisect_right(self.starts, offset) - 1
        if index < 0:
            return 0
        origin, kept = self.origins[index]
        return origin + (offset - self.starts[index] if kept else 0)


@dataclass(frozen=True, slots=True)
class RewrittenCase:
    """The case in its other spelling, and its files' texts with their origins."""

    case: PageCase
    texts: dict[str, Rewritten]


def rewrite(case: PageCase, by: Rewrite) -> RewrittenCase | None:
    """None where the rewrite changes nothing in any file of the case."""
    texts: dict[str, Rewritten] = {}
    blocks = tuple(_rewritten(block, by, texts) for block in case.blocks)
    before = tuple(_rewritten(block, by, {}) for block in case.before)
    if blocks == case.blocks:
        return None
    return RewrittenCase(replace(case, blocks=blocks, before=before), texts)


def _rewritten(block: PageBlock, by: Rewrite, texts: dict[str, Rewritten]) -> PageBlock:
    data = block.text.encode()
    edits: Sequence[Edit] = list(by.edits(data)) if block.language == by.language else []
    texts[block.name] = made = Rewritten(data, edits)
    return replace(block, text=made.text.decode())
