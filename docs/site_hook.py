"""Makes the pages of the site that are not in the checkout, while mkdocs builds it: each rule's, from its docstring.

mkdocs build --strict
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from ownlint.outline import rule_infos
from ownlint.report import manual
from ownlint.report.model import RuleInfo

if TYPE_CHECKING:
    from mkdocs.config.defaults import MkDocsConfig
    from mkdocs.structure.files import Files
    from mkdocs.structure.pages import Page

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
    return {f"rules/{info.id}.md": _rule(info) for info in rule_infos()}


def _rule(rule: RuleInfo) -> str:
    headline, _, rest = manual.whole(rule).partition("\n")
    return (
        f"# {rule.id}\n\n**{headline}**\n\nSeverity: {rule.severity}. Group: {rule.group}.\n\n{_titled(rest.strip())}\n"
    )


def _titled(text: str) -> str:
    """The words above its examples become titles."""
    opens = re.compile(r"^(bad|good)([ \t]*\(.*\))?:[ \t]*$", re.MULTILINE)
    return opens.sub(lambda found: f"### {found[1].title()}{found[2] or ''}", text)
