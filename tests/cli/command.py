"""The command line as a user has it: arguments in, exit code and both streams out."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import pytest

from ownlint.cli.main import main


class Done(NamedTuple):
    code: int
    out: str
    err: str


Run = Callable[..., Done]

SURROUNDINGS = (
    *("NO_COLOR", "FORCE_COLOR", "OWNLINT_CACHE_DIR", "OWNLINT_LIBCLANG", "GITHUB_WORKSPACE", "GITHUB_STEP_SUMMARY"),
    *("VIRTUAL_ENV", "CONDA_PREFIX"),
)
"""Variables that change what a run says."""


def in_folder(folder: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]) -> Run:
    monkeypatch.chdir(folder)
    for name in SURROUNDINGS:
        monkeypatch.delenv(name, raising=False)

    def call(*arguments: str) -> Done:
        monkeypatch.setattr(sys, "argv", ["ownlint", *arguments])
        with pytest.raises(SystemExit) as end:
            main()
        captured = capfd.readouterr()
        assert isinstance(end.value.code, int)
        return Done(end.value.code, captured.out, captured.err)

    return call
