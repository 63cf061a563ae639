"""JSON that is harmless to look at, too."""

from __future__ import annotations

import re

import msgspec

from ownlint.report.sanitise import escaped


def json_line(value: object) -> str:
    """As JSON on one line. What would be harmful to look at is written as an escape of JSON, so that a reader gets the
    very value: a path to open, a text to insert."""
    return _in_json(msgspec.json.encode(value))


def json_page(value: object) -> str:
    """The same, indented."""
    return "\n".join(map(_in_json, msgspec.json.format(msgspec.json.encode(value), indent=2).split(b"\n"))) + "\n"


def _in_json(line: bytes) -> str:
    is_plain = line.isascii() and b"\x7f" not in line and b"##" not in line
    return line.decode() if is_plain else escaped(line.decode(), _escape_of_json)


def _escape_of_json(match: re.Match[str]) -> str:
    code = match[0].encode("utf-16-be", "surrogatepass").hex()
    return "".join(f"\\u{code[at : at + 4]}" for at in range(0, len(code), 4))
