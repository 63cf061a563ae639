"""What the editor sets: the section `ownlint` of its settings."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Literal

import msgspec

from ownlint.choices import Certainty, Suite

DELAY = 200


class EditorSettings(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    """What is left out is as the settings of the project say. There is nothing here that names a program to start."""

    suite: Suite | None = None
    certainty: Certainty | None = None
    select: tuple[str, ...] | None = None
    ignore: tuple[str, ...] | None = None
    config: str | None = None
    """A file of settings for all projects."""
    run: Literal["onType", "onSave"] = "onType"
    delay: int = DELAY
    """Milliseconds after the last edit."""
    reason_prompt: bool = False
    """The editor has a command `ownlint.suppressWithReason`, which asks for the reason."""

    @property
    def given(self) -> dict[str, Any]:
        """By the names of options on the command line."""
        said: dict[str, Any] = {}
        for name in ("suite", "certainty", "select", "ignore"):
            if (value := getattr(self, name)) is not None:
                said[name] = value
        if self.config:
            said["config_file"] = str(Path(self.config).expanduser())
        return said


class SettingsError(Exception):
    """A line that says what is wrong."""


def read(section: object) -> EditorSettings:
    """Raises `SettingsError`."""
    if section is None:
        return EditorSettings()
    try:
        return msgspec.convert(section, EditorSettings, strict=False)
    except msgspec.ValidationError as error:
        raise SettingsError(f"settings of the editor: {error}") from None
