"""What a second run takes from the cache: no rule is run when nothing changed that a rule can know."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from tests import starting

from ownlint import analysis
from ownlint.cli.main import main

GUILTY = """\
import jax

step = jax.jit(lambda state: state + 1, donate_argnums=0)


def train(state):
    new = step(state)
    return state + new
"""
LEAK = """\
#include <cstdlib>
int work(int size) {
  char* data = static_cast<char*>(malloc(size));
  if (size > 3) return 1;
  free(data);
  return 0;
}
"""

Run = Callable[..., str]


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]) -> Run:
    monkeypatch.chdir(tmp_path)
    for name in ("NO_COLOR", "FORCE_COLOR", "OWNLINT_CACHE_DIR", "GITHUB_WORKSPACE"):
        monkeypatch.delenv(name, raising=False)

    def call(*arguments: str) -> str:
        monkeypatch.setattr(
            sys, "argv", ["ownlint", "check", "--isolated", "--types", "never", "--jobs", "1", *arguments]
        )
        with pytest.raises(SystemExit):
            main()
        return capfd.readouterr().out

    return call


@pytest.fixture
def ran(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The languages of the rules that were run."""
    languages: list[str] = []
    real = analysis.analyse

    def counting(groups, *rest):  # type: ignore[no-untyped-def]
        spoken = ({language for rule in rules for language in rule.languages} for rules in groups)
        languages.extend("+".join(sorted(one)) for one in spoken)
        return real(groups, *rest)

    monkeypatch.setattr(analysis, "analyse", counting)
    return languages


def test_a_file_without_an_anchor_costs_no_rule(run: Run, ran: list[str]) -> None:
    Path("a.py").write_text(GUILTY)
    Path("b.py").write_text("x = 1\n")
    first = run()
    assert "use-after-donation" in first
    ran.clear()
    Path("b.py").write_text("x = 2\n")
    assert run() == first
    assert ran == []
    Path("b.py").write_text("import jax\nprint('donated')\n")
    assert run() == first
    assert ran == ["cpp+python", "python"]


def test_a_change_in_python_runs_no_rule_for_cpp_alone(run: Run, ran: list[str]) -> None:
    Path("a.py").write_text(GUILTY)
    Path("c.cc").write_text(LEAK)
    first = run()
    assert "handle-leaked" in first
    assert sorted(ran) == ["cpp", "cpp+python", "python"]
    ran.clear()
    Path("a.py").write_text(GUILTY.replace("state + new", "new"))
    second = run()
    assert "use-after-donation" not in second
    assert "handle-leaked" in second
    assert sorted(ran) == ["cpp+python", "python"]


def test_the_same_goes_for_a_change_that_is_staged(run: Run, ran: list[str]) -> None:
    """And where more lines of the same file are changed, nothing is run that knew the file as it was."""

    def git(*arguments: str) -> None:
        who = ("-c", "user.name=x", "-c", "user.email=x@example.org")
        subprocess.run(["git", *who, *arguments], check=True, capture_output=True)

    Path("a.py").write_text(GUILTY)
    Path("c.cc").write_text(LEAK)
    git("init", "-q")
    git("add", "a.py", "c.cc")
    git("commit", "-q", "-m", "x")
    Path("a.py").write_text(GUILTY.replace("state + new", "new"))
    git("add", "a.py")
    run("--changed")
    ran.clear()
    Path("a.py").write_text(GUILTY.replace("state + new", "state - new"))
    git("add", "a.py")
    assert "use-after-donation" in run("--changed")
    assert sorted(ran) == ["cpp+python", "python"]
    ran.clear()
    Path("c.cc").write_text(LEAK + "// the end\n")
    git("add", "c.cc")
    assert "handle-leaked" not in run("--changed")
    assert sorted(ran) == ["cpp", "cpp+python", "python"]


def test_facts_that_were_swept_are_read_again(run: Run, tmp_path: Path) -> None:
    Path("a.py").write_text(GUILTY)
    Path("b.py").write_text("import jax\nprint('donated')\n")
    first = run()
    entries = sorted((path for path in tmp_path.glob(".ownlint_cache/??/*")), key=lambda path: path.stat().st_size)
    for path in entries:
        if b'"functions":[' in path.read_bytes():
            path.unlink()
    Path("b.py").write_text("import jax\nprint('donated', 1)\n")
    assert run() == first


def test_a_broken_entry_is_a_miss(run: Run, tmp_path: Path) -> None:
    Path("a.py").write_text(GUILTY)
    first = run()
    for path in tmp_path.glob(".ownlint_cache/??/*"):
        path.write_bytes(b"{}" * 20)
    Path("b.py").write_text("x = 1\n")
    assert run().replace("2 files", "1 file") == first


def test_what_is_not_a_rule_s_to_know_is_said_anew(run: Run, ran: list[str]) -> None:
    """A comment that silences is no fact of the rules; it is looked at all the same."""
    Path("a.py").write_text(GUILTY)
    Path("b.py").write_text("x = 1\n")
    assert "unused-suppression" not in run()
    ran.clear()
    Path("b.py").write_text("x = 1  # ownlint: ignore[use-after-donation]: no reason\n")
    assert "unused-suppression" in run()
    assert ran == []


def test_the_order_of_runs_changes_nothing(tmp_path: Path) -> None:
    """A warm run in a process of its own says to the byte what a cold one says."""
    (tmp_path / "a.py").write_text(GUILTY)
    (tmp_path / "c.cc").write_text(LEAK)
    command = ["check", "--isolated", "--types", "never", "--exit-zero", "-q"]
    outputs = set()
    for options in (["--no-cache"], ["--jobs", "1"], ["--jobs", "2"], ["--jobs", "1"]):
        done = starting.run(*command, *options, cwd=tmp_path)
        assert done.returncode == 0
        outputs.add(done.stdout)
        (tmp_path / "b.py").write_text(f"x = {options!r}\n")
    assert len(outputs) == 1


CALLER = """\
void* grab(int size);
void drop(void* one);
int use(int size) {
  void* data = grab(size);
  if (size > 3) return 1;
  drop(data);
  return 0;
}
"""
CALLED = """\
#include <cstdlib>
void* grab(int size) { return malloc(size); }
void drop(void* one) { free(one); }
"""
STEPS: tuple[dict[str, str | None], ...] = (
    {"called.cc": CALLED.replace("free(one);", "")},
    {"called.cc": "// first\n" + CALLED},
    {"caller.cc": "\n\n" + CALLER},
    {"caller.cc": CALLER.replace("if (size > 3) return 1;", "")},
    {"called.cc": None},
    {"called.cc": CALLED, "caller.cc": CALLER, "a.py": GUILTY.replace("donate_argnums=0", "")},
    {"a.py": GUILTY.replace("train(state)", "train(first, state)")},
    {"a.py": "import jax\n"},
    {"a.py": GUILTY, "b.py": "from a import step\n\n\ndef again(it):\n    new = step(it)\n    return it + new\n"},
    {"a.py": GUILTY.replace("return state + new", "return state + new  # ownlint: ignore[use-after-donation]")},
    {"b.py": None},
)


def test_after_each_edit_the_same_is_said_as_from_nothing(run: Run) -> None:
    """What still holds is kept: of functions whose helper is another, of files that go, of findings that move."""
    for name, text in (("a.py", GUILTY), ("caller.cc", CALLER), ("called.cc", CALLED), ("c.cc", LEAK)):
        Path(name).write_text(text)
    shown = ("--certainty", "possible", "--output-format", "json")
    first = run(*shown)
    assert {"use-after-donation", "handle-leaked"} <= {one["rule"] for one in json.loads(first)["findings"]}
    for step in STEPS:
        for name, edited in step.items():
            if edited is None:
                Path(name).unlink()
            else:
                Path(name).write_text(edited)
        assert json.loads(run(*shown)) == json.loads(run("--no-cache", *shown)), step
