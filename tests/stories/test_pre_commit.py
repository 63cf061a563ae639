"""The hook as a project would use it: cloned, installed and run by pre-commit itself."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]

GUILTY = """\
from mlir.ir import Module


def entry(source):
    module = Module.parse(source)
    return module.body.operations[0]
"""

INNOCENT = GUILTY.replace("return module.body", "return module, module.body")


def run(*command: str, where: Path, **variables: str) -> subprocess.CompletedProcess[str]:
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("GIT_", "PYTHONPATH"))}
    environment = {**kept, "GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_NOSYSTEM": "1", **variables}
    return subprocess.run(
        command,
        cwd=where,
        env=environment,
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
        stdin=subprocess.DEVNULL,
    )


def git(where: Path, *arguments: str) -> str:
    who = ["-c", "user.name=story", "-c", "user.email=story@example.invalid", "-c", "init.defaultBranch=main"]
    ran = run("git", *who, *arguments, where=where)
    assert ran.returncode == 0, ran.stderr
    return ran.stdout.strip()


def published(to: Path) -> str:
    """What would be published, as a repository of one commit: the checkout as it stands, changes included."""
    listed = run("git", "ls-files", "-z", "--cached", "--others", "--exclude-standard", where=ROOT)
    if listed.returncode:
        pytest.skip("this is not a git checkout")
    for name in filter(None, listed.stdout.split("\0")):
        if (
            name.startswith(("linter/", "rules/", ".pre-commit", "pyproject", "README", "LICENSE"))
            and (ROOT / name).is_file()
        ):
            (to / name).parent.mkdir(parents=True, exist_ok=True)
            (to / name).write_bytes((ROOT / name).read_bytes())
    git(to, "init", "-q")
    git(to, "add", "-A")
    git(to, "commit", "-q", "-m", "as it stands")
    return git(to, "rev-parse", "HEAD")


@pytest.mark.slow
def test_a_commit_with_a_bug_is_stopped(tmp_path: Path) -> None:
    hook, project = tmp_path / "ownlint", tmp_path / "project"
    hook.mkdir()
    project.mkdir()
    revision = published(hook)
    (project / ".pre-commit-config.yaml").write_text(
        f"repos:\n  - repo: {hook}\n    rev: {revision}\n    hooks:\n      - id: ownlint\n"
    )
    (project / "lowering.py").write_text(GUILTY)
    (project / "notes.txt").write_text("no source\n")
    git(project, "init", "-q")
    git(project, "add", "-A")
    home = {"PRE_COMMIT_HOME": str(tmp_path / "pre-commit"), "XDG_CACHE_HOME": str(tmp_path / "cache")}
    pre_commit = (sys.executable, "-m", "pre_commit", "run", "--color=never")

    stopped = run(*pre_commit, where=project, **home)
    assert stopped.returncode == 1, stopped.stdout + stopped.stderr
    assert "error[child-outlives-owner]" in stopped.stdout
    assert "lowering.py:6" in stopped.stdout

    (project / "lowering.py").write_text(INNOCENT)
    git(project, "add", "-A")
    passed = run(*pre_commit, where=project, **home)
    assert passed.returncode == 0, passed.stdout + passed.stderr
    assert "Passed" in passed.stdout

    git(project, "commit", "-q", "-m", "clean", "--no-verify")
    (project / "notes.txt").write_text("only words have changed\n")
    git(project, "add", "-A")
    skipped = run(*pre_commit, where=project, **home)
    assert skipped.returncode == 0
    assert "Skipped" in skipped.stdout
