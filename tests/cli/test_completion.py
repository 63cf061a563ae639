"""Completion as shells do it: each reads what `completion` prints, and is asked as by a person with a Tab key."""

from __future__ import annotations

import os
import pty
import select
import shutil
import subprocess
import time
from pathlib import Path

import pytest
from tests.consoles import path_with_ownlint

from ownlint.outline import rule_infos

SECONDS = 60

ASKED = (
    ("ownlint expl", "ownlint explain"),
    ("ownlint check --stat", "ownlint check --statistics"),
    ("ownlint explain flag-s", "ownlint explain flag-set-before-success"),
    ("ownlint check --ignore two-owners,flag-s", "ownlint check --ignore two-owners,flag-set-before-success"),
    ("ownlint baseline pr", "ownlint baseline prune"),
    ("ownlint completion zs", "ownlint completion zsh"),
)
"""What is typed before the key, and what stands there after it."""


def needs(shell: str) -> pytest.MarkDecorator:
    return pytest.mark.skipif(shutil.which(shell) is None, reason=f"{shell} is not installed")


@pytest.fixture
def surroundings(tmp_path: Path) -> dict[str, str]:
    """With an `ownlint` that is this one, and none of the user's own settings of a shell."""
    kept = {name: value for name, value in os.environ.items() if name.startswith("PYTHON")}
    home = {name: str(tmp_path) for name in ("HOME", "ZDOTDIR", "XDG_CONFIG_HOME", "XDG_DATA_HOME", "XDG_CACHE_HOME")}
    return {**kept, **home, "PATH": path_with_ownlint(tmp_path / "bin"), "TERM": "xterm", "LC_ALL": "C.UTF-8"}


@needs("fish")
@pytest.mark.parametrize(("typed", "completed"), ASKED)
def test_fish_completes(surroundings: dict[str, str], tmp_path: Path, typed: str, completed: str) -> None:
    told = subprocess.run(
        ["fish", "--no-config", "-c", f"ownlint completion fish | source; complete -C '{typed}'"],
        cwd=tmp_path,
        env=surroundings,
        capture_output=True,
        text=True,
        check=True,
        timeout=SECONDS,
    )
    assert [line.partition("\t")[0] for line in told.stdout.splitlines()] == [completed.rpartition(" ")[2]]


@needs("fish")
def test_fish_tells_what_a_rule_is_about(surroundings: dict[str, str], tmp_path: Path) -> None:
    asked = "ownlint completion fish | source; complete -C 'ownlint explain assert-o'"
    info = next(info for info in rule_infos() if info.id == "assert-only-guard")
    told = subprocess.run(
        ["fish", "--no-config", "-c", asked], cwd=tmp_path, env=surroundings, capture_output=True, text=True, check=True
    )
    name, _, about = told.stdout.strip().partition("\t")
    assert (name, about) == ("assert-only-guard", info.summary)


PREPARE = """\
autoload -Uz compinit; compinit -u -D
eval "$(ownlint completion zsh)"
told() { print -r -- "$BUFFER" > told.tmp; mv told.tmp told }
zle -N told
bindkey '^X' told
print ready > prepared
"""


@needs("zsh")
@pytest.mark.parametrize(("typed", "completed"), ASKED)
def test_zsh_completes(surroundings: dict[str, str], tmp_path: Path, typed: str, completed: str) -> None:
    (tmp_path / "prepare").write_text(PREPARE)
    process, terminal = pty.fork()
    if not process:
        os.chdir(tmp_path)
        os.execvpe("zsh", ["zsh", "-f", "-i"], surroundings)
    try:
        os.write(terminal, b"source ./prepare\n")
        waited_for(tmp_path / "prepared", terminal)
        os.write(terminal, f"{typed}\t\x18".encode())
        assert waited_for(tmp_path / "told", terminal).rstrip() == completed
    finally:
        os.close(terminal)
        os.kill(process, 9)
        os.waitpid(process, 0)


def waited_for(path: Path, terminal: int) -> str:
    """What is written to the file, in time. What the shell prints meanwhile is taken from it: it would stop else."""
    until = time.monotonic() + SECONDS
    while time.monotonic() < until:
        if select.select([terminal], [], [], 0.05)[0]:
            os.read(terminal, 1 << 16)
        if path.exists():
            return path.read_text()
    raise AssertionError(f"nothing was written to {path.name}")
