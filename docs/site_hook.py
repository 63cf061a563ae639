"""Makes the pages of the site that are not written by hand, while mkdocs builds it: one for each rule, from its
docstring, the settings, from their schema, and the reference of models.

mkdocs build --strict
"""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ownlint import verifying
from ownlint.outline import rule_infos
from ownlint.report.model import RuleInfo

if TYPE_CHECKING:
    from mkdocs.config.defaults import MkDocsConfig
    from mkdocs.structure.files import Files
    from mkdocs.structure.pages import Page

ROOT = Path(__file__).parent.parent

_OPENING = re.compile(r"^(?P<ticks>`{3,})(?P<language>\w+) (?P<words>[^\n`]+)$", re.MULTILINE)
_ROW = re.compile(r"^\| `([\w-]+)` \|", re.MULTILINE)
_LEAF = re.compile(r"^[\w.-]+(?:/[\w.-]+)*\.\w+$")


def on_files(files: Files, config: MkDocsConfig) -> Files:
    from mkdocs.structure.files import File

    for path, text in pages().items():
        files.append(File.generated(config, path, content=text))
    return files


def on_page_markdown(markdown: str, page: Page, **_: object) -> str:
    """What stands behind the language of a block is for tests; a file's name is shown above it. In the list of rules a
    rule is a link to its page, which is made here and nowhere else."""
    if page.file.src_uri == "rules.md":
        markdown = _ROW.sub(r"| [`\1`](rules/\1.md) |", markdown)
    return _OPENING.sub(_opened, markdown)


def _opened(found: re.Match[str]) -> str:
    names = [word for word in found["words"].split() if _LEAF.match(word) or word.startswith(".")]
    shown = f"`{names[0]}`:\n\n" if names else ""
    return f"{shown}{found['ticks']}{found['language']}"


def pages() -> dict[str, str]:
    """By path below `docs`."""
    made = {f"rules/{info.id}.md": _rule(info) for info in rule_infos()}
    reference = (ROOT / "rules/ownlint_rules/models/README.md").read_text(encoding="utf-8")
    return {**made, "settings.md": _settings(), "models-reference.md": reference}


def _rule(rule: RuleInfo) -> str:
    preview = ", a preview: it runs with `--preview`, or when it is selected by name" if rule.preview else ""
    headline, _, rest = rule.manual.strip().partition("\n")
    return f"# {rule.id}\n\n**{headline}**\n\nSeverity: {rule.severity}{preview}.\n\n{_titled(rest.strip())}\n"


def _titled(text: str) -> str:
    """The words above its examples become titles."""
    opens = re.compile(r"^(bad|good)([ \t]*\(.*\))?:[ \t]*$", re.MULTILINE)
    return opens.sub(lambda found: f"## {found[1].title()}{found[2] or ''}", text)


def _settings() -> str:
    schema = verifying.schema()
    rows = [
        f"| `{key}` | {_kind(about)} | `{json.dumps(about.get('default'))}` | {about['description']} |"
        for key, about in schema["properties"].items()
    ]
    return (
        "# Settings\n\n"
        "`[tool.ownlint]` in the nearest `pyproject.toml`, or `ownlint.toml`; nothing is merged. "
        "`ownlint config` shows what is in force and where each key comes from, `ownlint config verify` checks it, "
        "and "
        "[the JSON schema](ownlint.schema.json) is for editors.\n\n"
        "| key | value | default | |\n|---|---|---|---|\n" + "\n".join(rows) + "\n"
    )


def _kind(about: dict[str, Any]) -> str:
    if "enum" in about:
        return " or ".join(f"`{each}`" for each in about["enum"])
    kinds = [about["type"]] if "type" in about else [each.get("type", "") for each in about.get("anyOf", ())]
    names = {"array": "list", "object": "table", "boolean": "true or false"}
    return " or ".join(names.get(kind, kind) for kind in kinds if kind != "null")
