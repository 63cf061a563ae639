"""Names of rules that a terminal opens when they are clicked: OSC 8, around what `text.full` has coloured."""

from __future__ import annotations

import re
from collections.abc import Callable
from urllib.parse import quote

_TITLE = re.compile(r"^(\x1b\[[\d;]*m)((?:error|warning|note)\[([a-z][a-z0-9-]*)\])", re.MULTILINE)
"""The head of a finding: no other line of a report starts with a colour and these words."""

_END = "\x1b]8;;\x1b\\"


def linked(coloured: str, page_of: Callable[[str], str]) -> str:
    """`page_of` gives the address of a rule's page; empty for none."""

    def link(found: re.Match[str]) -> str:
        page = quote(page_of(found[3]), safe="/:?#[]@!$&'()*+,;=%-._~")
        return f"{found[1]}\x1b]8;;{page}\x1b\\{found[2]}{_END}" if page else found[0]

    return _TITLE.sub(link, coloured)
