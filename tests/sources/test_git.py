"""Git is asked nothing that can run a command, whatever the configuration of the tree says."""

from __future__ import annotations

import ast
import os
import subprocess
import sys
from pathlib import Path

import pytest
from tests import starting

from ownlint.sources import git
from ownlint.sources.changes import ChangesError, as_before, since, staged
from ownlint.sources.git import Git, GitError

ROOT = Path(__file__).parents[2]
COMMAND = (sys.executable, "-P", "-m", "ownlint")
WHO = {f"GIT_{who}_{what}": "x@example.org" for who in ("AUTHOR", "COMMITTER") for what in ("NAME", "EMAIL")}
SETTLED = {**WHO, "GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_SYSTEM": os.devnull}


def run_git(where: Path, *arguments: str) -> str:
    environment = {**os.environ, **SETTLED}
    done = subprocess.run(["git", *arguments], cwd=where, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    root = tmp_path / "tree"
    (root / "sub").mkdir(parents=True)
    run_git(root, "init", "-q", "-b", "main")
    for name in ("a.cc", "b.py", "sub/c.cc", "gone.cc"):
        (root / name).write_text("int one;\n" * 3 if name.endswith("cc") else "x = 1\n")
    (root / ".gitattributes").write_text("* filter=evil diff=evil merge=evil\n*.py filter=other diff=other\n")
    run_git(root, "add", "-A")
    run_git(root, "commit", "-q", "-m", "x")
    run_git(root, "commit", "-q", "--allow-empty", "-m", "y")
    return root


def change(root: Path) -> None:
    """Every kind of change, so that git has to look at contents."""
    (root / "a.cc").write_text("int two;\n" * 3)
    (root / "b.py").write_text("y = 1\n")
    (root / "new.cc").write_text("int new;\n")
    (root / "gone.cc").rename(root / "moved.cc")
    os.utime(root / "sub/c.cc", (1, 1))


def stage(root: Path) -> None:
    """Something that is not what `change` makes of it, so that the index is compared with both sides."""
    for name in ("a.cc", "sub/c.cc"):
        (root / name).write_text("int staged;\n")
        run_git(root, "add", name)


def hostile(canary: str) -> dict[str, list[tuple[str, str]]]:
    """Settings, by what they abuse; each names a command that touches the canary."""
    touch = f"touch {canary}; false"
    script = f"!touch {canary}"
    partial = [("core.repositoryformatversion", "1"), ("extensions.partialClone", "evil")]
    promisor = [("remote.evil.promisor", "true"), ("remote.evil.partialclonefilter", "blob:none")]
    allowed = [("protocol.allow", "always"), *((f"protocol.{p}.allow", "always") for p in ("ext", "file", "ssh"))]

    def remote(url: str, *more: tuple[str, str]) -> list[tuple[str, str]]:
        return [*partial, *promisor, *allowed, ("remote.evil.url", url), *more]

    return {
        "file system monitor": [("core.fsmonitor", f"{touch} #")],
        "file system monitor, version 1": [("core.fsmonitor", f"{touch} #"), ("core.fsmonitorHookVersion", "1")],
        "hooks": [("core.hooksPath", str(Path(canary).parent / "hooks"))],
        "pagers": [("core.pager", touch), ("pager.diff", touch), ("pager.ls-files", touch), ("pager.config", touch)],
        "filters": [(f"filter.{name}.{what}", touch) for name in ("evil", "other") for what in ("clean", "smudge")],
        "long filters": [("filter.evil.process", touch), ("filter.other.process", touch)],
        "required filters": [("filter.evil.clean", touch), ("filter.evil.required", "true")],
        "external diff": [("diff.external", touch)],
        "drivers": [("diff.evil.command", touch), ("diff.other.textconv", touch), ("diff.other.cachetextconv", "true")],
        "merge drivers": [("merge.evil.driver", touch)],
        "fetch by ext": remote(f"ext::{Path(canary).parent}/run"),
        "fetch by upload pack": remote(str(Path(canary).parent / "other"), ("remote.evil.uploadpack", f"{touch} #")),
        "fetch by a file address": remote(
            f"file://{Path(canary).parent / 'other'}", ("remote.evil.uploadpack", f"{touch} #")
        ),
        "fetch by ssh": remote("ssh://host/x", ("core.sshCommand", touch), ("ssh.variant", "simple")),
        "fetch by a proxy": remote("git://host/x", ("core.gitProxy", f"{Path(canary).parent}/run")),
        "fetch by a helper": remote("https://host.invalid/x", ("remote.evil.vcs", "evil")),
        "alternates": remote(str(Path(canary).parent / "other"), ("core.alternateRefsCommand", touch)),
        "passwords": remote(
            "https://host.invalid/x",
            ("credential.helper", script),
            ("core.askPass", f"{Path(canary).parent}/run"),
        ),
        "promisor alone": [*promisor, *allowed, ("remote.evil.url", f"ext::{Path(canary).parent}/run")],
        "signatures": [("log.showSignature", "true"), ("gpg.program", f"{Path(canary).parent}/run")],
        "aliases": [("alias.ls-files", script), ("alias.diff", script), ("alias.cat-file", script)],
        "editors": [("core.editor", touch), ("sequence.editor", touch)],
        "pack objects": [("uploadpack.packObjectsHook", touch)],
        "submodules": [("submodule.recurse", "true"), ("diff.submodule", "diff"), ("submodule.sub.update", script)],
        "maintenance": [("gc.auto", "1"), ("maintenance.auto", "true"), ("gc.recentObjectsHook", touch)],
        "interactive": [("interactive.diffFilter", touch), ("browser.x.cmd", touch), ("man.x.cmd", touch)],
        "another work tree": [("core.worktree", str(Path(canary).parent / "tree")), ("core.fsmonitor", f"{touch} #")],
    }


CASES = sorted(hostile("/x"))
EVERY_HOOK = ("post-index-change", "reference-transaction", "fsmonitor-watchman", "post-checkout", "pre-auto-gc")


@pytest.mark.parametrize("how", ["as it is", "included", "without objects"])
@pytest.mark.parametrize("case", CASES)
def test_no_command_of_the_configuration_is_run(
    tree: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, case: str, how: str
) -> None:
    """With all objects, with the settings in a file that is included, and where git would have to fetch some."""
    stage(tree)
    canary = prepared(tree, tmp_path, case, how)
    monkeypatch.setenv("PATH", f"{tmp_path / 'bin'}{os.pathsep}{os.environ['PATH']}")
    for name in (
        "GIT_SSH_COMMAND",
        "GIT_EXTERNAL_DIFF",
        "GIT_PAGER",
        "GIT_ASKPASS",
        "SSH_ASKPASS",
        "GIT_PROXY_COMMAND",
    ):
        monkeypatch.setenv(name, f"{tmp_path}/run")
    assert Git(tree).ask("ls-files", "-co", "--exclude-standard", "-z", "-t").code in (0, 128)
    said = compared(tree)
    assert "\n" not in said
    assert bool(said) <= (how == "without objects" or case == "another work tree"), said
    assert not canary.exists()


BITING = (
    *("file system monitor", "filters", "long filters", "external diff", "drivers", "fetch by ext"),
    *("fetch by upload pack", "fetch by a file address", "fetch by ssh", "fetch by a helper", "promisor alone"),
)


@pytest.mark.parametrize("case", BITING)
def test_git_itself_would_run_it(tree: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, case: str) -> None:
    """Else the test above would hold nothing."""
    canary = prepared(tree, tmp_path, case, "without objects" if "fetch" in case or "promisor" in case else "as it is")
    monkeypatch.setenv("PATH", f"{tmp_path / 'bin'}{os.pathsep}{os.environ['PATH']}")
    subprocess.run(["git", "diff", "HEAD~1"], cwd=tree, capture_output=True, check=False)
    assert canary.exists()


def compared(tree: Path) -> str:
    """Why the work tree or what is staged cannot be compared, empty when they can."""
    said = ""
    for ask in (lambda: since(tree, "HEAD~1"), lambda: staged(tree)):
        try:
            with as_before(tree, ask()):
                pass
        except ChangesError as error:
            said = str(error)
    return said


def prepared(tree: Path, tmp_path: Path, case: str, how: str) -> Path:
    """The canary that the settings of the case touch, if a command of theirs is run."""
    canary = tmp_path / "canary"
    settings = hostile(str(canary))[case]
    run_git(tmp_path, "clone", "-q", "--bare", str(tree), "other")
    scripts = [tmp_path / "run", tmp_path / "bin/git-remote-evil", *(tree / ".git/hooks" / hook for hook in EVERY_HOOK)]
    for script in (*scripts, *(tmp_path / "hooks" / hook for hook in EVERY_HOOK)):
        script.parent.mkdir(exist_ok=True)
        script.write_text(f"#!/bin/sh\ntouch {canary}\n")
        script.chmod(0o755)
    change(tree)
    file = tree / ".git/config"
    if how == "included":
        file = tree / "more.config"
        run_git(tree, "config", "include.path", "../more.config")
    if how == "without objects":
        for name in ("a.cc", "b.py", "gone.cc"):
            blob = run_git(tree, "rev-parse", f"HEAD:{name}").strip()
            (tree / ".git/objects" / blob[:2] / blob[2:]).unlink(missing_ok=True)
    for key, value in settings:
        where = tree / ".git/config" if key.startswith(("core.repository", "extensions.")) else file
        run_git(tmp_path, "config", "--file", str(where), "--add" if how == "included" else "--replace-all", key, value)
    return canary


ASKING = (
    ("check", "--diff-base", "HEAD~1", "--types", "never"),
    ("check", "--changed"),
    ("check", "--fix"),
    ("doctor",),
    ("baseline", "write"),
    ("model", "extract", "--package", "x"),
    ("facts", "a.cc"),
    ("config", "verify"),
)


def test_no_command_of_ownlint_runs_one(tree: Path, tmp_path: Path) -> None:
    """All of the settings that can stand together, and every command that asks git."""
    canary = tmp_path / "canary"
    stage(tree)
    for name in ("file system monitor", "hooks", "pagers", "filters", "drivers", "external diff", "fetch by ext"):
        for key, value in hostile(str(canary))[name]:
            run_git(tmp_path, "config", "--file", str(tree / ".git/config"), "--replace-all", key, value)
    change(tree)
    for arguments in ASKING:
        done = starting.text(*arguments, cwd=tree, safe_path=True)
        assert done.returncode in (0, 1, 2), done
        assert "Traceback" not in done.stderr
        assert not canary.exists(), (arguments, done)


# --- what it still answers --------------------------------------------------------------------


def test_what_a_partial_clone_lacks_is_not_available(tree: Path, tmp_path: Path) -> None:
    run_git(tree, "config", "uploadpack.allowFilter", "true")
    for text in ("int two;\n", "int three;\n"):
        (tree / "a.cc").write_text(text)
        run_git(tree, "commit", "-q", "-a", "-m", "z")
    run_git(tmp_path, "clone", "-q", "--filter=blob:none", f"file://{tree}", "clone")
    done = starting.text("check", "--diff-base", "HEAD~1", cwd=tmp_path / "clone", safe_path=True)
    assert done.returncode == 2
    assert done.stderr == (
        "error: --diff-base: the clone is partial and lacks files of that revision; nothing is fetched\n"
    )
    assert starting.run("check", cwd=tmp_path / "clone", safe_path=True).returncode == 0


def test_a_hook_s_repository_and_index_are_asked(tree: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """As with `git --git-dir=... commit`, and with a commit of some files, which has an index of its own."""
    run_git(tree, "rm", "-q", "--cached", "a.cc")
    (tree / ".git/index").rename(tmp_path / "index")
    (tree / ".git").rename(tmp_path / "elsewhere")
    monkeypatch.chdir(tree)
    monkeypatch.setenv("GIT_DIR", "../elsewhere")
    monkeypatch.setenv("GIT_INDEX_FILE", "../index")
    tracked = Git(tree).ask("ls-files", "-z").out.split(b"\0")
    assert (b"b.py" in tracked, b"a.cc" in tracked) == (True, False)
    assert Git(tree / "sub").ask("ls-files", "-z").out == b"c.cc\0"


def test_a_hook_of_one_repository_says_nothing_of_another(
    tree: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for inner in (tmp_path / "beside", tree / "inner"):
        inner.mkdir()
        run_git(inner, "init", "-q")
        (inner / "inner.cc").write_text("int x;\n")
        run_git(inner, "add", "-A")
    monkeypatch.chdir(tree)
    monkeypatch.setenv("GIT_DIR", ".git")
    monkeypatch.setenv("GIT_INDEX_FILE", ".git/index")
    assert Git(tmp_path / "beside").ask("ls-files", "-z").out == b"inner.cc\0"
    assert Git(tree / "inner").ask("ls-files", "-z").out == b"inner.cc\0"
    monkeypatch.delenv("GIT_DIR")
    assert Git(tree / "inner").ask("ls-files", "-z").out == b"inner.cc\0"


def test_a_bound_on_time_and_on_what_it_answers(tree: Path) -> None:
    with pytest.raises(GitError, match=r"ls-files returns more than 10 bytes"):
        Git(tree).ask("ls-files", "-z", most=10)

    def often() -> None:  # a busy machine may let it end before it is looked at
        for _ in range(100):
            Git(tree).ask("ls-files", "-z", seconds=0.0001)

    with pytest.raises(GitError, match=r"ls-files took longer than 0\.0001 s"):
        often()


def test_a_git_in_the_tree_is_never_run(tree: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tree / "git").write_text("#!/bin/sh\ntouch canary\n")
    (tree / "git").chmod(0o755)
    monkeypatch.chdir(tree)
    for path in (".", str(tree), ""):
        monkeypatch.setenv("PATH", path)
        assert git.program(tree) == ""
        with pytest.raises(GitError, match="is not installed"):
            Git(tree)


def test_git_is_started_in_one_place() -> None:
    """And no other program is but our own readers, whose kin are forked."""
    starters = {"subprocess", "multiprocessing", "pty"}
    functions = {"system", "popen", "execv", "execve", "spawnv", "spawnl", "posix_spawn", "fork", "forkpty"}
    found = set()
    for folder in (ROOT / "linter/ownlint", ROOT / "rules"):
        for file in sorted(folder.rglob("*.py")):
            text = file.read_text(encoding="utf-8")
            if not any(word in text for word in starters | functions):
                continue  # most: to parse all of them takes seconds
            for node in ast.walk(ast.parse(text)):
                imported = isinstance(node, ast.Import) and any(name.name in starters for name in node.names)
                imported |= isinstance(node, ast.ImportFrom) and node.module in starters
                called = isinstance(node, ast.Attribute) and node.attr in functions and ast.unparse(node.value) == "os"
                if imported or called:
                    found.add(file.relative_to(ROOT).as_posix())
    ours = {"linter/ownlint/children.py", "linter/ownlint/frontends/extract.py"}
    assert found == ours | {"linter/ownlint/sources/git.py"}
