"""URIs of an editor as paths, and back."""

from __future__ import annotations

import os
from urllib.parse import quote_from_bytes, unquote_to_bytes, urlsplit


def path_of(uri: str) -> str | None:
    """The normalised absolute path of a file; None for what names none on this machine: `untitled:`, `git:`, another
    host, a path with a NUL."""
    try:
        parts = urlsplit(uri)
        host = parts.hostname
    except ValueError:
        return None
    if parts.scheme != "file" or host not in (None, "localhost"):
        return None
    written = parts.path + (f"?{parts.query}" if parts.query else "")  # a `?` that was not encoded
    path = os.fsdecode(unquote_to_bytes(written))
    if not path.startswith("/") or "\0" in path:
        return None
    return os.path.normpath(path)


def uri_of(path: str) -> str:
    return f"file://{quote_from_bytes(os.fsencode(path), safe='/~')}"
