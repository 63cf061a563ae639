"""What a release build does not compile."""

from __future__ import annotations

from bisect import bisect_right

from ownlint.flow import events as e
from ownlint.project.subjects import Function


def is_of_debug_build(function: Function, event: e.Event) -> bool:
    """Whether only a debug build compiles it: under `#ifndef NDEBUG`, or where a macro is asked for that is defined
    there."""
    at, file = event.span.start, function.file
    if bisect_right(file.debug, at) % 2 == 1:
        return True
    return any(
        start <= at < end and function.program.macros.is_of_debug_build(name) for start, end, name in file.defined
    )
