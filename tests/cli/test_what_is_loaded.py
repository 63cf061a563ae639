"""An answer comes at once because little is loaded for it. Time is measured elsewhere: it differs from machine to
machine, what is loaded does not."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

HEAVY = ("rich", "libcst", "tree_sitter", "clang", "jinja2", "re2", "email", "importlib.metadata", "unidiff")
RULES = (
    "ownlint_rules",
    "ownlint.models",
    "ownlint.flow",
    "ownlint.project",
    "ownlint.frontends",
    "ownlint.facts.records",
)

GUILTY = "int f() {\n  char* data = new char[3];\n  if (g()) return 1;\n  delete[] data;\n  return 0;\n}\n"


def loaded(folder: Path, *arguments: str) -> set[str]:
    """The modules that are there when the command ends."""
    script = f"""
import atexit, sys
sys.argv = ["ownlint", *{arguments!r}]
atexit.register(lambda: print("\\n".join(sys.modules), file=open("loaded.txt", "w")))
from ownlint.cli.main import main
main()
"""
    done = subprocess.run([sys.executable, "-c", script], cwd=folder, capture_output=True, text=True)
    assert done.returncode in (0, 1), done.stderr
    return set((folder / "loaded.txt").read_text().split())


@pytest.mark.parametrize("arguments", [("--help",), ("--version",), ("check", "--help"), ("config", "--help")])
def test_help_loads_next_to_nothing(tmp_path: Path, arguments: tuple[str, ...]) -> None:
    assert not loaded(tmp_path, *arguments) & {*HEAVY, *RULES, "msgspec", "ownlint.config", "ownlint.pipeline"}


def test_what_was_asked_before_is_answered_without_a_parser_or_a_rule(tmp_path: Path) -> None:
    (tmp_path / "ownlint.toml").write_text("")
    (tmp_path / "one.cc").write_text(GUILTY)
    (tmp_path / "two.py").write_text("import one\n")
    assert "ownlint_rules" in loaded(tmp_path, "check", "one.cc")
    assert not loaded(tmp_path, "check", "one.cc") & {*HEAVY, *RULES}
    assert not loaded(tmp_path, "check", "--output-format", "json", "one.cc") & {*HEAVY, *RULES}
