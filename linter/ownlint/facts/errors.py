"""What keeps a run from beginning."""

from __future__ import annotations

import re

_BREAK = re.compile(r"[\x00-\x1f\x7f\x85\u2028\u2029]")


class RefusalError(Exception):
    """The run cannot begin; the text is one line for the user, with the place where there is one. What it quotes of
    a file may hold a line break, which is shown as it would be written."""

    def __init__(self, message: str) -> None:
        super().__init__(one_line(message))


def one_line(message: str) -> str:
    """With control characters as escapes: `\\n`."""
    return _BREAK.sub(lambda found: found[0].encode("unicode_escape").decode(), message)


class NotInstalledError(RefusalError):
    """What a part of the work needs is not installed; the rest can be done."""
