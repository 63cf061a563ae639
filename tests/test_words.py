"""The words that stop a reader stand in no text that users see: messages, help, errors, rule pages, README and docs.

Each is understood word by word, and is not what a C++ or Python engineer says. The second column is.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import click
import pytest

from ownlint import catalogue
from ownlint.cli.main import cli

ROOT = Path(__file__).parent.parent

WORST = {
    r"\bways? out\b|\b(?:every|some|this|one|each|that|failing|of the|on the) ways?\b": "path, exit path",
    r"\bbehind\b(?! (?:a|the) (?:raw )?(?:pointer|address)\b| `->`)": "after",
    r"\b(?:no|some|any)body\b|\bwho(?:so)?ever\b": "nothing; the caller; or the passive",
    r"\bmend(?:s|ed|ing)?\b": "fix",
    r"\bput up with\b": "accept",
    r"\btold\b": "reported",
    r"\blook(?:s|ed|ing)? at\b": "read, check, refer to",
    r"\blook again\b|\blooks? whether\b|\bwithout a look\b": "check",
    r"\blet(?:s|ting)? go\b": "release",
    r"\bhand(?:s|ed|ing)? out\b": "return",
    r"\bhand(?:s|ed|ing)? (?:on|over)\b": "pass on, transfer",
    r"\btak(?:es?|en|ing) over\b": "take ownership of, steal",
    r"\bcount(?:s|ed|ing)? (?:up|down)\b": "increment, decrement",
    r"\banew\b": "again; reassigned",
    r"\b(?:dies|die) with\b|\bkeeps? nobody alive\b|\bno name keeps\b": "is freed; does not keep alive",
    r"\b(?:each|next|last|every) round\b": "iteration",
    r"\bhas nothing to say\b|\bsaid of\b|\bsays? nothing\b": "does not report; about",
    r"\bsurer\b|\bhow sure\b": "confidence",
    r"\btried out\b": "in preview",
    r"\bread (?:in full|in part|by structure)\b": "fully analysed; parsed without type information",
    r"\bexclude each other\b": "cannot be combined",
    r"(?<!there )\b(?:is|are) no (?!longer\b|more\b)\w+\b": "is not a",
}
"""A habit, as a regular expression, with what to write."""

NAMED = {
    "tests/test_words.py": "it lists them",
    "docs/machine.md": "generated from docstrings of the code, for those who change it",
    "docs/precision.md": "generated from the verdicts, each in the words of who judged",
    "docs/rules.md": "generated from the pages, which are checked here",
    "docs/reliability.md": "its tables are printed by benchmarks, in the words of the attacks",
}
"""Pages that are left alone, and why."""

INTERNAL = ("linter/ownlint/testing/", "linter/ownlint/machine.py", "linter/ownlint/report/story.py")
"""Modules whose texts are for those who write rules, or patterns about texts."""

_EXPRESSION = re.compile("|".join(f"(?P<w{number}>{word})" for number, word in enumerate(WORST)), re.IGNORECASE)
_CODE = re.compile(r"`[^`\n]*`|^\s*(`{3,})[^\n]*\n.*?^\s*\1", re.MULTILINE | re.DOTALL)


def worst(text: str) -> Iterator[str]:
    """The words in the text, each with its surroundings; code is the user's own."""
    plain = " ".join(_CODE.sub("", text).split())
    for match in _EXPRESSION.finditer(plain):
        around = plain[max(0, match.start() - 40) : match.end() + 30]
        yield f"{match[0]!r} in: {around}: write {list(WORST.values())[int(str(match.lastgroup)[1:])]}"


@pytest.mark.parametrize(
    "page", [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))], ids=lambda page: page.name
)
def test_pages(page: Path) -> None:
    if page.relative_to(ROOT).as_posix() not in NAMED:
        assert list(worst(page.read_text(encoding="utf-8"))) == []


@pytest.mark.parametrize("rule", catalogue.load(), ids=lambda rule: rule.id)
def test_rule_pages(rule: catalogue.Rule) -> None:
    prose = rule.page.partition("\n## Source")[0]
    assert list(worst(prose)) == []


def test_help() -> None:
    assert [found for text in _help(cli) for found in worst(text)] == []


def _help(command: click.Command) -> Iterator[str]:
    yield f"{command.help or ''}\n{command.short_help or ''}"
    yield from (parameter.help or "" for parameter in command.params if isinstance(parameter, click.Option))
    if isinstance(command, click.Group):
        for inner in command.commands.values():
            yield from _help(inner)


MODULES = [
    path
    for folder in ("linter/ownlint", "rules/ownlint_rules")
    for path in sorted((ROOT / folder).rglob("*.py"))
    if not path.relative_to(ROOT).as_posix().startswith(INTERNAL)
]


@pytest.mark.parametrize("folder", sorted({path.parent for path in MODULES}), ids=lambda path: path.name)
def test_messages(folder: Path) -> None:
    """Every string of more than two words, but for docstrings."""
    here = (path for path in MODULES if path.parent == folder)
    assert [f"{path}: {found}" for path in here for text in _strings(path) for found in worst(text)] == []


def _strings(module: Path) -> Iterator[str]:
    tree = ast.parse(module.read_text(encoding="utf-8"))
    inside: set[int] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant):
            inside.add(id(node.value))
        if isinstance(node, ast.JoinedStr):
            inside.update(id(part) for part in node.values)
    for node in ast.walk(tree):
        if id(node) in inside:
            continue
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            text = node.value
        elif isinstance(node, ast.JoinedStr):
            text = "".join(str(part.value) if isinstance(part, ast.Constant) else "`_`" for part in node.values)
        else:
            continue
        if text.count(" ") >= 2 and re.fullmatch(r"[^\\^$|]+", text):  # neither one word nor a regular expression
            yield text


def test_the_words_are_found() -> None:
    said = "on some ways nobody looks at `x`, and it is mended behind the loop; a field behind a pointer is `told`"
    found = [one.partition(" in: ")[0] for one in worst(said)]
    assert found == ["'some ways'", "'nobody'", "'looks at'", "'mended'", "'behind'"]
