"""The hook as a project would use it: cloned, installed and run by pre-commit itself."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest
from tests.stories.repositories import SESSION

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


class Project:
    """A project with hooks, and pre-commit in a folder of its own."""

    def __init__(self, root: Path, hook: Path, home: Path, hooks: Sequence[str]) -> None:
        self.root = root
        root.mkdir()
        revision = git(hook, "rev-parse", "HEAD")
        ids = "".join(f"      - id: {each}\n" for each in hooks)
        (root / ".pre-commit-config.yaml").write_text(
            f"repos:\n  - repo: {hook}\n    rev: {revision}\n    hooks:\n{ids}"
        )
        git(root, "init", "-q")
        self._home = {"PRE_COMMIT_HOME": str(home), "XDG_CACHE_HOME": str(home)}

    def write(self, name: str, text: str) -> None:
        (self.root / name).parent.mkdir(parents=True, exist_ok=True)
        (self.root / name).write_text(text)

    def commit(self) -> None:
        git(self.root, "add", "-A")
        git(self.root, "commit", "-q", "-m", "as it stands", "--no-verify")

    def install(self) -> None:
        run(sys.executable, "-m", "pre_commit", "install", where=self.root, **self._home)

    def try_to_commit(self, *files: str) -> subprocess.CompletedProcess[str]:
        """With the hook that is installed."""
        who = {f"GIT_{who}_{what}": "x@example.org" for who in ("AUTHOR", "COMMITTER") for what in ("NAME", "EMAIL")}
        return run("git", "commit", "-m", "tried", *files, where=self.root, **self._home, **who)

    def hooks(self, *arguments: str) -> subprocess.CompletedProcess[str]:
        command = (sys.executable, "-m", "pre_commit", "run", "--color=never", "--verbose", *arguments)
        return run(*command, where=self.root, **self._home)


@pytest.fixture(scope="module")
def hook(tmp_path_factory: pytest.TempPathFactory) -> Path:
    to = tmp_path_factory.mktemp("ownlint")
    published(to)
    return to


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Where pre-commit keeps the environments it makes: one for all the tests here."""
    return tmp_path_factory.mktemp("home")


def at(done: subprocess.CompletedProcess[str], place: str) -> bool:
    return f"--> {place}" in done.stdout


@pytest.mark.slow
def test_a_commit_with_a_bug_is_stopped(tmp_path: Path, hook: Path, home: Path) -> None:
    project = Project(tmp_path / "project", hook, home, ["ownlint"])
    project.write("lowering.py", GUILTY)
    project.write("notes.txt", "no source\n")
    git(project.root, "add", "-A")
    stopped = project.hooks()
    assert stopped.returncode == 1, stopped.stdout + stopped.stderr
    assert "error[child-outlives-owner]" in stopped.stdout
    assert at(stopped, "lowering.py:6")

    project.write("lowering.py", INNOCENT)
    git(project.root, "add", "-A")
    passed = project.hooks()
    assert passed.returncode == 0, passed.stdout + passed.stderr
    assert "Passed" in passed.stdout

    project.commit()
    project.write("notes.txt", "only words have changed\n")
    git(project.root, "add", "-A")
    skipped = project.hooks()
    assert skipped.returncode == 0
    assert "Skipped" in skipped.stdout


@pytest.mark.slow
@pytest.mark.parametrize("name", ["ownlint-changed", "ownlint", "ownlint-python"])
def test_what_is_staged_counts_and_not_what_is_beside_it(tmp_path: Path, hook: Path, home: Path, name: str) -> None:
    project = Project(tmp_path / "project", hook, home, [name])
    project.write("lowering.py", INNOCENT)
    project.commit()
    project.write("lowering.py", "import os\n" + INNOCENT)
    git(project.root, "add", "lowering.py")
    project.write("lowering.py", "import os\n" + GUILTY)
    passed = project.hooks()
    assert passed.returncode == 0, passed.stdout + passed.stderr
    assert (project.root / "lowering.py").read_text().endswith(GUILTY)

    git(project.root, "add", "lowering.py")
    project.write("lowering.py", INNOCENT)
    assert at(project.hooks(), "lowering.py:7")


@pytest.mark.slow
def test_a_file_that_moves_is_read_where_it_is(tmp_path: Path, hook: Path, home: Path) -> None:
    project = Project(tmp_path / "project", hook, home, ["ownlint", "ownlint-python"])
    project.write("lowering.py", GUILTY)
    project.commit()
    (project.root / "sub").mkdir()
    git(project.root, "mv", "lowering.py", "sub/a name.py")
    stopped = project.hooks()
    assert stopped.returncode == 1
    assert stopped.stdout.count("--> sub/a name.py:6") == 2
    assert "lowering.py" not in stopped.stdout


@pytest.mark.slow
def test_a_header_that_is_deleted_is_no_more_than_gone(tmp_path: Path, hook: Path, home: Path) -> None:
    project = Project(tmp_path / "project", hook, home, ["ownlint", "ownlint-python"])
    project.write("engine.h", "struct Engine { int x; };\n")
    project.write("engine.cc", '#include "engine.h"\nint get(Engine* e) { return e->x; }\n')
    project.commit()
    git(project.root, "rm", "-q", "engine.h")
    alone = project.hooks()
    assert alone.returncode == 0, alone.stdout + alone.stderr
    assert alone.stdout.count("Skipped") == 2

    project.write("engine.cc", "int get() { return 1; }\n")
    git(project.root, "add", "-A")
    passed = project.hooks()
    assert passed.returncode == 0, passed.stdout + passed.stderr
    assert "No problems found in 1 file" in passed.stdout


@pytest.mark.slow
def test_the_hook_for_python_reports_on_the_commit_alone(tmp_path: Path, hook: Path, home: Path) -> None:
    project = Project(tmp_path / "project", hook, home, ["ownlint-python"])
    project.write("pyproject.toml", '[tool.ownlint]\nexclude = ["generated/"]\n')
    project.write("old.py", GUILTY)
    project.commit()
    project.write("generated/made.py", GUILTY)
    project.write("new.py", INNOCENT)
    git(project.root, "add", "-A")
    passed = project.hooks()
    assert passed.returncode == 0, passed.stdout + passed.stderr

    project.write("new.py", GUILTY)
    git(project.root, "add", "-A")
    stopped = project.hooks()
    assert stopped.returncode == 1
    assert at(stopped, "new.py:6")
    assert "old.py" not in stopped.stdout


@pytest.mark.slow
def test_the_hook_for_staged_lines_lets_an_unrelated_commit_pass(tmp_path: Path, hook: Path, home: Path) -> None:
    """By `git commit` itself, which names an index of its own when it is given files."""
    project = Project(tmp_path / "project", hook, home, ["ownlint-changed"])
    project.write("ownlint.toml", 'extend-select = ["child-outlives-owner", "flag-set-before-success"]\n')
    project.write("old.cc", FLAG)
    project.write("lowering.py", INNOCENT)
    project.commit()
    project.install()
    project.write("train.py", "x = 1\n")
    project.write("lowering.py", GUILTY)
    project.write("scratch.py", GUILTY)
    git(project.root, "add", "train.py", "lowering.py")
    passed = project.try_to_commit("train.py")
    assert passed.returncode == 0, passed.stdout + passed.stderr

    stopped = project.try_to_commit()
    assert stopped.returncode == 1
    assert "--> lowering.py:6" in stopped.stderr
    assert "old.cc" not in stopped.stderr
    assert "scratch.py" not in stopped.stderr
    assert "Found 1 problem (1 error) in the change (" in stopped.stderr
    assert git(project.root, "log", "--format=%s") == "tried\nas it stands"


FLAG = SESSION.format("Session")


@pytest.mark.slow
def test_the_hook_for_staged_lines_looks_at_a_range_of_commits(tmp_path: Path, hook: Path, home: Path) -> None:
    """As in CI, and before a push."""
    project = Project(tmp_path / "project", hook, home, ["ownlint-changed"])
    project.write("old.cc", FLAG)
    project.commit()
    project.write("lowering.py", GUILTY)
    project.commit()
    stopped = project.hooks("--from-ref", "HEAD~1", "--to-ref", "HEAD")
    assert stopped.returncode == 1, stopped.stdout
    assert at(stopped, "lowering.py:6")
    assert "old.cc" not in stopped.stdout
    assert project.hooks("--all-files").returncode == 0


def test_the_nearest_settings_count_in_both_hooks(tmp_path: Path, hook: Path, home: Path) -> None:
    project = Project(tmp_path / "project", hook, home, ["ownlint", "ownlint-python"])
    project.write("pyproject.toml", '[tool.ownlint]\nexclude = ["third_party/"]\n')
    project.write("bindings/pyproject.toml", '[tool.ownlint]\nignore = ["child-outlives-owner"]\n')
    project.write("third_party/lib/ownlint.toml", "")
    for folder in ("bindings", "third_party/lib"):
        project.write(f"{folder}/lowering.py", GUILTY)
    project.write("lowering.py", INNOCENT)
    git(project.root, "add", "-A")
    passed = project.hooks()
    assert passed.returncode == 0, passed.stdout + passed.stderr

    project.write("bindings/pyproject.toml", "[tool.ownlint]\n")
    project.write("lowering.py", GUILTY)
    git(project.root, "add", "-A")
    stopped = project.hooks()
    assert stopped.returncode == 1
    assert stopped.stdout.count("--> lowering.py:6") == 2
    assert stopped.stdout.count("--> bindings/lowering.py:6") == 2
    assert "third_party" not in stopped.stdout


@pytest.mark.slow
def test_three_thousand_files(tmp_path: Path, hook: Path, home: Path) -> None:
    """More names than fit on a command line: the hook for Python runs more than once, the other does not."""
    project = Project(tmp_path / "project", hook, home, ["ownlint", "ownlint-python"])
    for number in range(3_000):
        project.write(f"a_package_with_a_longer_name/part_{number // 100:02}/module_{number:04}.py", f"x = {number}\n")
    project.write("a_package_with_a_longer_name/__init__.py", GUILTY)
    git(project.root, "add", "-A")
    stopped = project.hooks()
    assert stopped.returncode == 1
    assert stopped.stdout.count("a_package_with_a_longer_name/__init__.py:6:") == 2
    whole, python = stopped.stdout.split("hook id: ownlint-python")
    assert whole.count("in 3001 files") == 1
    assert python.count(" files\n") >= 2
