"""What one binding promises: what its result borrows, from whom, and who keeps that alive."""

from __future__ import annotations

import msgspec

from ownlint.facts import records as r
from ownlint.program.subjects import Binding


class Contract(msgspec.Struct, frozen=True):
    """`returns` is the C++ class of the result, `borrows` `self`, `argument N` or nothing, `how` the reason
    in words, `protected` whether the framework keeps the source alive."""

    returns: str
    borrows: str = ""
    how: str = ""
    protected: bool = False


def contract_of(binding: Binding) -> Contract | None:
    return None
