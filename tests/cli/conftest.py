from __future__ import annotations

from pathlib import Path

import command
import pytest


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]) -> command.Run:
    """`ownlint` in a folder of its own."""
    return command.in_folder(tmp_path, monkeypatch, capfd)
