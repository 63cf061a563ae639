"""How each C++ file is compiled."""

from __future__ import annotations

import msgspec


class Command(msgspec.Struct, frozen=True):
    """Arguments that passed the allow-list, all paths absolute; `inferred` when no database had them."""

    arguments: tuple[str, ...]
    directory: str
    inferred: bool
