"""Fixes are edits of byte ranges of the original file: nothing is printed anew, so nothing else changes."""

from __future__ import annotations

from collections.abc import Iterable

from ownlint.finding import Edit


class FixError(ValueError):
    """The edits cannot be made together, or not in this text."""


def apply(data: bytes, edits: Iterable[Edit]) -> bytes:
    """`data` with all edits made at once: their spans are those of `data`. Several may insert at one place, and do so
    in the order they are given. Raises `FixError` when two overlap or one reaches beyond the end."""
    parts: list[bytes] = []
    done = 0
    for edit in sorted(edits, key=lambda edit: edit.span):
        start, end = edit.span.start, edit.span.end
        if start < done:
            raise FixError(f"two edits overlap at byte {start}")
        if not start <= end <= len(data):
            raise FixError(f"an edit of bytes {start} to {end} in a text of {len(data)}")
        parts += [data[done:start], edit.text.encode()]
        done = end
    return b"".join((*parts, data[done:]))
