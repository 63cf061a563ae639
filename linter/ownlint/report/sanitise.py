"""Text from the code under analysis, made harmless to show.

A file name, an excerpt or a message may hold escape codes that rewrite a terminal, bidirectional
controls that reorder a line, or line breaks that forge a second one. Every output goes through here.
"""

from __future__ import annotations

import re

# C0 and C1 with DEL, the bidirectional and other invisible format controls, the Unicode line
# breaks, lone surrogates (from undecodable file names), noncharacters.
HARMFUL = re.compile(
    "[\x00-\x1f\x7f-\x9f\u00ad\u061c\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\uffff\ud800-\udfff]"
)


def sanitise(text: str) -> str:
    r"""One line of text in which every control character is written as `\u{1b}`."""
    return HARMFUL.sub(_escape, text)


def _escape(match: re.Match[str]) -> str:
    return f"\\u{{{ord(match[0]):x}}}"
