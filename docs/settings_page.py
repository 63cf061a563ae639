"""Prints the page of the settings, from their schema.

python docs/settings_page.py > docs/settings.md
"""

from __future__ import annotations

import json
from typing import Any

from ownlint.cli import verifying


def page() -> str:
    """Markdown: a row for each key."""
    schema = verifying.schema()
    rows = [
        f"| `{key}` | {_kind(about)} | `{json.dumps(about.get('default'))}` | {about['description']} |"
        for key, about in schema["properties"].items()
    ]
    return (
        "# Settings\n\n"
        "`[tool.ownlint]` in the nearest `pyproject.toml`, or `ownlint.toml`; files are not merged. "
        "`ownlint config` shows the effective settings and their origin, `ownlint config verify` checks them, and "
        "[the JSON schema](ownlint.schema.json) is for editors.\n\n"
        "| key | value | default | |\n|---|---|---|---|\n" + "\n".join(rows) + "\n"
    )


def _kind(about: dict[str, Any]) -> str:
    if "enum" in about:
        return " or ".join(f"`{each}`" for each in about["enum"])
    kinds = [about["type"]] if "type" in about else [each.get("type", "") for each in about.get("anyOf", ())]
    names = {"array": "list", "object": "table", "boolean": "true or false"}
    return " or ".join(names.get(kind, kind) for kind in kinds if kind != "null")


if __name__ == "__main__":
    print(page(), end="")
