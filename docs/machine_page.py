"""Prints the map of the machine: what each module answers, who asks it, and what rules see of it.

python docs/machine_page.py > docs/machine.md
"""

from __future__ import annotations

import ast
import importlib
import inspect
from collections import defaultdict
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path

import ownlint
from ownlint import choices

ROOT = Path(__file__).parent.parent
LINTER = ROOT / "linter"
PARTS = ("models", "flow", "project", "engine", "bindings", "domains", "crossing")
HEAD = """# The machine

Imports go down only: each part below knows those above it, and none of the others. Rules see all of it as
`ownlint.<name>`. This page is what `python docs/machine_page.py` prints.
"""


def page() -> str:
    """Markdown: a table for each part, and one of the face."""
    askers = _askers()
    out = [HEAD]
    for part in PARTS:
        folder = LINTER / "ownlint" / part
        out.append(
            f"## {part}\n\n{_says(folder / '__init__.py')}\n\n| module | what it answers | who asks |\n|---|---|---|"
        )
        for path in sorted(folder.rglob("*.py")):
            if path.stem != "__init__":
                name = ".".join(path.relative_to(LINTER).with_suffix("").parts)
                shown = name.removeprefix(f"ownlint.{part}.")
                out.append(f"| `{shown}` | {_says(path)} | {', '.join(sorted(askers[name]))} |")
        out.append("")
    out.append("## What rules see\n\n| `ownlint.` | |\n|---|---|")
    out.extend(f"| `{name}` | {_face(name)} |" for name in ownlint.__all__)
    out.append("\n## Questions, name by name\n\nWhat can be asked of each, with what it takes and what it gives.")
    for name in ownlint.__all__:
        if asked := list(_questions(name)):
            out += [f"\n### `ownlint.{name}`\n\n| ask | |\n|---|---|", *asked]
    return "\n".join(out) + "\n"


def _questions(name: str) -> Iterator[str]:
    """Rows: the functions of a module that rules see, and the public methods of its classes; of a class its own."""
    home, _, inside = ownlint._HOMES[name].partition(":")
    path = Path(str(importlib.import_module(home).__file__))
    tree = ast.parse(path.read_text(encoding="utf-8"))
    for node in tree.body:
        if isinstance(node, ast.FunctionDef) and not inside and not node.name.startswith("_"):
            yield _row(node.name, node)
        elif isinstance(node, ast.ClassDef) and not node.name.startswith("_") and inside in ("", node.name):
            yield from _of_class(node, inside)


def _of_class(cls: ast.ClassDef, inside: str) -> Iterator[str]:
    prefix = "" if inside else f"{cls.name}."
    for node in cls.body:
        if isinstance(node, ast.FunctionDef) and not node.name.startswith("_"):
            yield _row(prefix + node.name, node)


def _row(name: str, node: ast.FunctionDef) -> str:
    said = _first(ast.get_docstring(node))
    words = {ast.unparse(one).rpartition(".")[2] for one in node.decorator_list}
    gives = f" -> {ast.unparse(node.returns)}" if node.returns is not None else ""
    if any(word.endswith("property") for word in words):
        shown = name + gives.replace(" ->", ":", 1)
    else:
        given = ast.unparse(node.args).removeprefix("self, ").removeprefix("cls, ")
        shown = f"{name}({'' if given in ('self', 'cls') else given}){gives}"
    shown = shown.replace("|", "\\|")
    return f"| `{shown}` | {said} |"


def _askers() -> dict[str, set[str]]:
    """Dotted name of a module -> parts of the machine, and groups of rules, that import it."""
    found: defaultdict[str, set[str]] = defaultdict(set)
    for path in sorted(LINTER.rglob("*.py")):
        asker = path.relative_to(LINTER / "ownlint").parts[0].removesuffix(".py")
        if asker != "__init__":
            for name in _imported(path):
                found[name].add(asker)
    for path in sorted((ROOT / "rules").rglob("*.py")):
        for name in _imported(path):
            if home := ownlint._HOMES.get(name.removeprefix("ownlint.")):
                found[home.partition(":")[0]].add(f"*{path.parent.name}*")
    return found


def _imported(path: Path) -> set[str]:
    names = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.ImportFrom) and node.module:
            names |= {node.module, *(f"{node.module}.{alias.name}" for alias in node.names)}
    return names


def _says(path: Path) -> str:
    return _first(ast.get_docstring(ast.parse(path.read_text(encoding="utf-8"))))


def _face(name: str) -> str:
    home, _, inside = ownlint._HOMES[name].partition(":")
    said = importlib.import_module(home)
    if not inside:
        return _first(said.__doc__)
    found = getattr(said, inside)
    own = inspect.isfunction(found) or (inspect.isclass(found) and "__doc__" in vars(found))
    return _first(found.__doc__ if own else _said_below(inside, str(said.__file__), str(choices.__file__)))


def _said_below(name: str, *homes: str) -> str:
    """The string behind a constant."""
    body = [each for home in homes for each in ast.parse(Path(home).read_text(encoding="utf-8")).body]
    for one, after in pairwise(body):
        targets = one.targets if isinstance(one, ast.Assign) else [one.target] if isinstance(one, ast.AnnAssign) else []
        if any(isinstance(target, ast.Name) and target.id == name for target in targets):
            match after:
                case ast.Expr(value=ast.Constant(value=str(said))):
                    return said
    return ""


def _first(said: str | None) -> str:
    """The first sentence, on one line of a table."""
    line = " ".join((said or "").split("\n\n")[0].split())
    return line.replace("|", "\\|")


if __name__ == "__main__":
    print(page(), end="")
