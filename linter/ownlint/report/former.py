"""Telling a former output of ownlint, which may be written over, from any other file, which may not.

Every form has its head. What is written for a line or a list of them is known by its first line.
"""

from __future__ import annotations

import re
from typing import Literal

Kind = Literal["report", "diff", "fixes", "baseline", "contract"]

HEAD = 1 << 16
"""Bytes that are looked at."""

_SEVERITY = rb"(?:error|warning|note)\[[a-z0-9-]+\]"
_REPORT = rb"|".join(
    (
        rb"%b: " % _SEVERITY,  # full
        rb"[^\n]+?:\d+:\d+: %b " % _SEVERITY,  # concise
        rb" *\d+  %b\n" % _SEVERITY,  # --statistics
        rb'\{\n  "version": \d+,\n  "findings": \[(?:\],\n  "incomplete"|\n    \{\n      "rule": )',
        rb'\{"rule":"[a-z0-9-]+","severity":"',
        rb"::(?:error|warning|notice) file=[^\n:]*,title=ownlint(?: \([a-z0-9-]+\))?::",
        rb'\[\]\n?\Z|\[\n  \{\n    "type": "issue",\n    "description": "',  # gitlab
        rb'<\?xml version="1\.0" encoding="UTF-8"\?>\n<testsuites name="ownlint">',
        rb'\{\n  "source": \{\n    "name": "ownlint"',
        rb"## ownlint\n",
        rb'<!doctype html>\n(?:[^\n]*\n){1,12}?<meta name="generator" content="ownlint ',
        rb'\{\n  "\$schema": [^\n]*\n[^\n]*\n  "runs": \[\s*\{\s*"tool": \{\s*"driver": \{\s*"name": "ownlint"',
    )
)
_HEADS: dict[Kind, re.Pattern[bytes]] = {
    "report": re.compile(_REPORT),
    "diff": re.compile(rb"(?:diff --git [^\n]*\n(?:[^\n-][^\n]*\n){0,4})?--- [^\n]+\n\+\+\+ [^\n]+\n@@ "),
    "fixes": re.compile(rb'\{\n  "MainSourceFile": "",\n  "Diagnostics": \['),
    "baseline": re.compile(rb'\s*\{\s*"version"\s*:\s*\d+\s*,\s*"findings"\s*:\s*\[\s*(?:\]|\{\s*"path"\s*:)'),
    "contract": re.compile(rb"(?:#[^\n]*\n|\s)*# Written by `ownlint model extract`"),
}


def is_ours(head: bytes, kind: Kind) -> bool:
    """`head` are the first bytes of a file. An empty one is anybody's."""
    return not head.strip() or _HEADS[kind].match(head) is not None
