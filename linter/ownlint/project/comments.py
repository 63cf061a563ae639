"""Where comments stand in a file."""

from __future__ import annotations

from bisect import bisect_left, bisect_right

from ownlint.facts import records as r
from ownlint.project.files import File


def near(file: File, span: r.Span) -> bool:
    """Whether a comment stands before `span`, on its line or the one above, or behind it on its last line."""
    before = bisect_right(file.comments[1::2], span.start) - 1
    above = before >= 0 and bool(file.comment_lines) and span.start <= file.comment_lines[2 * before + 1]
    return above or behind(file, span)


def inside(file: File, span: r.Span) -> bool:
    """Whether a comment begins inside `span`."""
    starts = file.comments[::2]
    after = bisect_left(starts, span.start)
    return after < len(starts) and starts[after] < span.end


def behind(file: File, span: r.Span) -> bool:
    """Whether a comment stands behind `span`, on the line of its end."""
    after = bisect_left(file.comments[::2], span.end)
    return 2 * after < len(file.comment_lines) and file.comment_lines[2 * after] <= span.end
