"""JSON as it comes from strangers: baselines and compile databases.

msgspec says in three ways that something is no JSON of the wanted shape; here it is one.
"""

from __future__ import annotations

from typing import TypeVar

import msgspec

_T = TypeVar("_T")


def decode(data: bytes, kind: type[_T]) -> _T:
    """Raises `msgspec.DecodeError`, also for bytes that are no UTF-8 (msgspec looks at those of strings only, and
    raises `UnicodeDecodeError`) and for what is nested too deeply."""
    try:
        return msgspec.json.decode(data, type=kind)
    except UnicodeDecodeError:
        raise msgspec.DecodeError(f"not valid UTF-8 (byte {_first_that_is_none(data)})") from None
    except RecursionError:
        raise msgspec.DecodeError("nested too deeply (byte 0)") from None


def _first_that_is_none(data: bytes) -> int:
    try:
        data.decode()
    except UnicodeDecodeError as error:
        return error.start
    return 0
