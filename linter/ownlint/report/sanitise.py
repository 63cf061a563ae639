"""Text from the code under analysis, made harmless to show.

A file name, an excerpt or a message may hold escape codes that rewrite a terminal, bidirectional
controls that reorder a line, line breaks that forge a second one, letters that nobody sees, or what
is a command to the runner of a job wherever it stands in a line. Every output goes through here.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

# C0 and C1 with DEL, the bidirectional and other invisible format controls, the Unicode line
# breaks, lone surrogates (from undecodable file names), noncharacters, tags.
HARMFUL = re.compile(
    "[\x00-\x1f\x7f-\x9f\u00ad\u061c\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\uffff\ud800-\udfff"
    "\U000e0000-\U000e007f]"
)
_COMMAND = re.compile(r"#(?=#\w*+\[)")
"""`##[group]`, `##vso[task.setvariable]`, `##teamcity[message]`."""


def sanitise(text: str) -> str:
    r"""One line of text in which every control character is written as `\u{1b}`, and so is a sign that begins a command
    of a runner."""
    return escaped(text, _escape)


def escaped(text: str, escape: Callable[[re.Match[str]], str]) -> str:
    """With an escape in place of each character that is harmful where it stands."""
    return HARMFUL.sub(escape, _COMMAND.sub(escape, text) if "##" in text else text)


def sanitised(text: str) -> Iterator[str]:
    """The same, for each character of the text."""
    commands = {found.start() for found in _COMMAND.finditer(text)} if "##" in text else ()
    for at, char in enumerate(text):
        yield _escape_char(char) if at in commands or HARMFUL.match(char) else char


def _escape(match: re.Match[str]) -> str:
    return _escape_char(match[0])


def _escape_char(char: str) -> str:
    return f"\\u{{{ord(char):x}}}"
