"""Prints which questions about the whole program there are, by module, for docs/reliability.md."""

from __future__ import annotations

import ast
import sys
from collections.abc import Iterator
from pathlib import Path

_ROOT = Path(__file__).parent.parent
_MARKS = ("program_question", "program_property", "each_function")


def questions() -> Iterator[tuple[str, str]]:
    """Module and name of each."""
    for package in (_ROOT / "linter/ownlint", _ROOT / "rules/ownlint_rules"):
        for path in sorted(package.rglob("*.py")):
            module = path.relative_to(package).with_suffix("").as_posix()
            for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
                marks = [ast.unparse(mark).rpartition(".")[2] for mark in getattr(node, "decorator_list", ())]
                if isinstance(node, ast.FunctionDef) and not set(_MARKS).isdisjoint(marks):
                    yield module, node.name


def table() -> str:
    """As Markdown."""
    found: dict[str, list[str]] = {}
    for module, name in questions():
        found.setdefault(module, []).append(f"`{name}`")
    rows = [f"| `{module}` | {', '.join(sorted(names))} |" for module, names in found.items()]
    return "\n".join(("| module | questions |", "|---|---|", *rows))


if __name__ == "__main__":
    sys.stdout.write(table() + "\n")
