"""Texts of a tree, its settings and its models that would be slow or broken as expressions are answered at once."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest
from tests import starting

HINTS = """\
#define UNLIKELY(.*.*.*Z) __builtin_expect({run}, 0)
#define U(( ) __builtin_expect(x, 0)
#define RETURN_IF((a+)+$) if ({run}) return {run}
#define RELEASE([) delete [; free([)
int f(bool broken) {{
  char* data = new char[3];
  if (UNLIKELY(broken)) return 1;
  if (U(broken)) return 2;
  RETURN_IF(broken);
  RELEASE(data);
  delete[] data;
  return 0;
}}
"""
LEAK = "int f() {\n  char* data = new char[3];\n  if (g()) return 1;\n  delete[] data;\n  return 0;\n}\n"


def check(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    """A guard against a hang, not a measure: what exploded took hours."""
    return starting.text("check", "--no-cache", *arguments, cwd=folder, timeout=120)


def test_parameters_of_macros_are_no_expressions(tmp_path: Path) -> None:
    (tmp_path / "ownlint.toml").write_text("")
    (tmp_path / "one.cc").write_text(HINTS.format(run="a" * 3_000))
    done = check(tmp_path)
    assert "handle-leaked" in done.stdout
    assert "failed" not in done.stderr
    assert done.returncode == 1


@pytest.mark.parametrize("pattern", ["a*" * 30 + "b", "**/" * 30 + "b", "*a" * 60 + "/"])
@pytest.mark.parametrize("place", ["exclude", "include", "per-file-ignores", ".gitignore"])
def test_globs_that_explode_match_at_once(tmp_path: Path, pattern: str, place: str) -> None:
    settings = {
        "exclude": f'exclude = ["{pattern}"]\n',
        "include": f'include = ["{pattern}"]\n',
        "per-file-ignores": f'[per-file-ignores]\n"{pattern}" = ["all"]\n',
    }
    (tmp_path / "ownlint.toml").write_text(settings.get(place, ""))
    (tmp_path / ".gitignore").write_text(pattern if place == ".gitignore" else "")
    (tmp_path / f"{'a' * 200}.cc").write_text(LEAK)
    done = check(tmp_path)
    assert "handle-leaked" in done.stdout
    assert done.returncode == 1


MODEL = '[library]\nname = "ours"\n\n[[macro]]\n'


def test_an_expression_of_a_model_that_explodes_matches_at_once(tmp_path: Path) -> None:
    (tmp_path / "ours.toml").write_text(f'{MODEL}pattern = ["(a+)+$"]\nrole = "check"\n')
    (tmp_path / "ownlint.toml").write_text('models = ["ours.toml"]\n')
    (tmp_path / "one.cc").write_text(f"void h() {{ {'a' * 3_000}_(1); }}\n{LEAK}")
    done = check(tmp_path)
    assert "handle-leaked" in done.stdout
    assert done.returncode == 1


@pytest.mark.parametrize(
    ("pattern", "reason"),
    [
        ("(?=a)b", "invalid perl operator"),
        (r"(a)\\1", "invalid escape sequence"),
        ("(", "missing )"),
        ("(a{900}){900}", "invalid repetition size"),
    ],
)
@pytest.mark.parametrize("key", ["pattern", "anchors"])
def test_an_expression_that_is_none_has_its_line(tmp_path: Path, key: str, pattern: str, reason: str) -> None:
    line = f'{key} = ["{pattern}"]\n'
    text = f'{MODEL}{line}role = "check"\n' if key == "pattern" else f'[library]\nname = "ours"\n{line}'
    (tmp_path / "ours.toml").write_text(text)
    (tmp_path / "ownlint.toml").write_text('models = ["ours.toml"]\n')
    (tmp_path / "one.cc").write_text(LEAK)
    done = check(tmp_path)
    assert done.returncode == 2
    assert f"ours.toml:{5 if key == 'pattern' else 3}: " in done.stderr
    assert reason in done.stderr
    assert len(done.stderr.splitlines()) == 1
