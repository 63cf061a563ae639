"""The digest by which two contents of a file are told apart: what was analysed, and what stands there now."""

from __future__ import annotations

from hashlib import blake2b

SIZE = 20
"""In bytes; written, each is two characters."""


def digest_of(data: bytes) -> str:
    return blake2b(data, digest_size=SIZE).hexdigest()
