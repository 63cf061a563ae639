"""What every rule looks like. `problems` says where one does not."""

from __future__ import annotations

import ast
import inspect
import re
import sys
from collections.abc import Iterator
from pathlib import Path

from ownlint import door
from ownlint.rule import Rule
from ownlint.testing.docstrings import examples
from ownlint.testing.markdown import MOST_BYTES, SEVERE, PageCase, PageError, parse

SECTIONS = (
    "What it reports",
    "Why it is a bug",
    "Example",
    "How to fix it",
    "What it does not report",
    "Known limitations",
    "Source",
)
"""The headings of a rule's manual page, in this order; the last two may be left out."""
_OPTIONAL = ("Known limitations", "Source")

GUILTY = 5
INNOCENT = 8
"""The least number of guilty lines, and of innocent ones, on a page."""

"""With these a message may begin: they are written so everywhere."""
_WORDS = re.compile(r"[a-z][a-z0-9]*(-[a-z0-9]+)+")
_TENSES = re.compile(
    r"\b(should|must|might|will|would|possible|possibly|potential|potentially|detected)\b", re.IGNORECASE
)


def problems(rule: Rule, pages: Path) -> Iterator[str]:
    """Everything about the rule's name, manual page, imports and test page that is not as it should be."""
    source = Path(inspect.getsourcefile(rule.check) or "")
    if source.stem != rule.id.replace("-", "_"):
        yield f"the file is called {source.name}, not {rule.id.replace('-', '_')}.py"
    if not _WORDS.fullmatch(rule.id):
        yield f"`{rule.id}` is not a few words joined by dashes that say what is wrong"
    yield from _manual(rule)
    yield from strange_imports(source, rule.module.rpartition(".")[0])
    yield from _page(pages / f"{rule.id}.md", rule)


def _manual(rule: Rule) -> Iterator[str]:
    if not rule.headline.endswith("."):
        yield "the first line of the docstring does not end with a full stop"
    if match := _TENSES.search(rule.headline):
        yield f"the first line of the docstring says `{match[0]}` where it should say what happens"
    headings = tuple(re.findall(r"^## (.+)$", rule.page, re.MULTILINE))
    if headings not in ((*SECTIONS[:-2], *some) for some in ((), *((one,) for one in _OPTIONAL), _OPTIONAL)):
        yield f"the docstring has the sections {', '.join(headings) or 'none'}; it needs {', '.join(SECTIONS)}"
    reports = rule.page.partition("## What it reports")[2].partition("## Why")[0]
    if not re.search(r"^- ", reports, re.MULTILINE):
        yield "what it reports is not a list"
    if rule.fixable is not ("--fix" in rule.page.partition("## How to fix it")[2].partition("\n## ")[0]):
        yield "how to fix it does not say what `--fix` does, or says it of a rule without fixes"
    kinds = {example.kind for example in examples(rule.page)}
    yield from (f"the docstring has no `{kind}:` example" for kind in ("bad", "good") if kind not in kinds)


def strange_imports(source: Path, family: str) -> Iterator[str]:
    """What a module of the package `family` imports and may not: a rule knows the face of ownlint, the standard
    library,
    msgspec (of which records are made) and the private modules beside it; no parser, and no other family's."""
    for node in ast.walk(ast.parse(door.read(source, MOST_BYTES).decode())):
        names = [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
        if isinstance(node, ast.ImportFrom) and not node.level:
            own = node.module == family
            names = [f"{family}.{alias.name}" for alias in node.names] if own else [node.module or ""]
        for name in names:
            beside = name.startswith(f"{family}._")
            known = name == "ownlint" or name.partition(".")[0] in (*sys.stdlib_module_names, "msgspec")
            if not beside and not known:
                yield f"it imports {name}: a rule imports `ownlint`, the standard library and `_` modules beside it"


def _page(page: Path, rule: Rule) -> Iterator[str]:
    if not page.is_file():
        yield f"there is no page {page.name}"
        return
    try:
        found = parse(door.read(page, MOST_BYTES).decode())
    except PageError as error:
        yield f"{page.name}, {error}"
        return
    guilty, innocent = guilty_shapes(found), sum(case.count("ok") for case in found)
    if guilty < GUILTY:
        yield f"{page.name} has {guilty} guilty lines of at least {GUILTY}"
    if innocent < INNOCENT:
        yield f"{page.name} has {innocent} innocent lines of at least {INNOCENT}"
    marked = {mark.kind for case in found for block in case.blocks for mark in block.marks if mark.kind in SEVERE}
    fitting = {rule.severity} | ({"warning"} if rule.severity == "error" else set())  # see `Finding.mild`
    if not any(case.options.select for case in found) and marked - fitting:
        yield f"{page.name} marks {', '.join(sorted(marked - fitting))}; the rule's severity is {rule.severity}"


def guilty_shapes(cases: list[PageCase]) -> int:
    return sum(case.count(*SEVERE) for case in cases)
