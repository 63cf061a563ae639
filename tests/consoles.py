"""What tests of the command line share: the end of a terminal, and an `ownlint` that a shell finds."""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping
from pathlib import Path

UNMEASURED = Path(__file__).parent / "unmeasured"


def read_all(terminal: int) -> bytes:
    """All that is written to the other end, which a closed terminal tells by an error."""
    seen = b""
    while True:
        try:
            piece = os.read(terminal, 1 << 16)
        except OSError:
            return seen
        if not piece:
            return seen
        seen += piece


def measured(environment: Mapping[str, str]) -> dict[str, str]:
    """That of somebody who uses ownlint: suites hold the rules that they have there."""
    path = environment.get("PYTHONPATH", "").split(os.pathsep)
    kept = [place for place in path if Path(place) != UNMEASURED]
    return {**environment, "PYTHONPATH": os.pathsep.join(kept)}


def path_with_ownlint(commands: Path) -> str:
    """A `PATH` that begins with a new folder in which `ownlint` is this one."""
    commands.mkdir(exist_ok=True)
    (commands / "ownlint").write_text(f'#!/bin/sh\nexec "{sys.executable}" -P -m ownlint "$@"\n')
    (commands / "ownlint").chmod(0o755)
    return f"{commands}:{os.environ['PATH']}"
