"""What git says has changed, asked in real repositories."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

from ownlint.sources.changes import ChangesError, _raw, as_before, since


class Repository:
    def __init__(self, root: Path) -> None:
        self.root = root
        root.mkdir(parents=True, exist_ok=True)
        self.git("init", "-q", "-b", "main")

    def git(self, *arguments: str) -> str:
        identity = {
            f"GIT_{who}_{what}": "x@example.org" for who in ("AUTHOR", "COMMITTER") for what in ("NAME", "EMAIL")
        }
        environment = {**os.environ, **identity, "GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_SYSTEM": os.devnull}
        done = subprocess.run(
            ["git", *arguments], cwd=self.root, env=environment, capture_output=True, text=True, check=True
        )
        return done.stdout.strip()

    def write(self, name: str, text: str) -> None:
        (self.root / name).parent.mkdir(parents=True, exist_ok=True)
        (self.root / name).write_text(text)

    def commit(self) -> str:
        self.git("add", "-A")
        self.git("commit", "-q", "-m", "x", "--no-verify", "--allow-empty")
        return self.git("rev-parse", "HEAD")


@pytest.fixture
def repository(tmp_path: Path) -> Repository:
    made = Repository(tmp_path / "project")
    made.write("a.cc", "one\ntwo\nthree\nfour\nfive\n")
    made.write("b.cc", "".join(f"line {n}\n" for n in range(40)))
    made.write("gone.cc", "gone\n")
    made.commit()
    return made


def lines(repository: Repository, revision: str = "HEAD") -> dict[str, tuple[tuple[int, int], ...]]:
    return since(repository.root, revision).lines


def before(repository: Repository, revision: str = "HEAD") -> dict[str, bytes]:
    with as_before(repository.root, since(repository.root, revision)) as (sources, held):
        assert len(set(held)) == len({source.path.read_bytes() for source in sources})
        return {source.relative: source.path.read_bytes() for source in sources}


def test_nothing_changed(repository: Repository) -> None:
    assert lines(repository) == {}
    assert before(repository) == {}


def test_the_lines_of_the_work_tree_count(repository: Repository) -> None:
    repository.write("a.cc", "one\n2\nthree\nfour\nfive\nsix\nseven\n")
    assert lines(repository) == {"a.cc": ((2, 2), (6, 7))}
    assert before(repository) == {"a.cc": b"one\ntwo\nthree\nfour\nfive\n"}


def test_lines_that_are_gone_touch_their_neighbours(repository: Repository) -> None:
    repository.write("a.cc", "one\nfour\nfive\n")
    assert lines(repository) == {"a.cc": ((1, 2),)}


def test_staged_and_committed_changes_count_alike(repository: Repository) -> None:
    repository.write("a.cc", "1\ntwo\nthree\nfour\nfive\n")
    repository.git("add", "a.cc")
    assert lines(repository) == {"a.cc": ((1, 1),)}
    repository.commit()
    assert lines(repository) == {}
    assert lines(repository, "HEAD~1") == {"a.cc": ((1, 1),)}


def test_a_renamed_file_is_compared_with_what_it_was(repository: Repository) -> None:
    (repository.root / "b.cc").rename(repository.root / "c.cc")
    text = (repository.root / "c.cc").read_text()
    repository.write("c.cc", text.replace("line 20\n", "line twenty\n"))
    repository.git("add", "-A")
    changes = since(repository.root, "HEAD")
    assert [(change.path, change.old) for change in changes.files] == [("c.cc", "b.cc")]
    assert changes.lines == {"c.cc": ((21, 21),)}
    assert list(before(repository)) == ["b.cc"]


def test_new_files_are_new_in_every_line(repository: Repository) -> None:
    repository.write("untracked.cc", "x\n")
    repository.write("staged.cc", "x\n")
    repository.git("add", "staged.cc")
    changed = lines(repository)
    assert sorted(changed) == ["staged.cc", "untracked.cc"]
    assert all(first == 1 and last > 1000 for ranges in changed.values() for first, last in ranges)
    assert before(repository) == {}


def test_deleted_files_have_no_lines_but_a_past(repository: Repository) -> None:
    (repository.root / "gone.cc").unlink()
    assert lines(repository) == {}
    assert before(repository) == {"gone.cc": b"gone\n"}


def test_what_others_did_meanwhile_is_not_ours(repository: Repository) -> None:
    repository.git("checkout", "-q", "-b", "mine")
    repository.write("a.cc", "one\ntwo\nthree\nfour\n5\n")
    repository.commit()
    repository.git("checkout", "-q", "main")
    repository.write("a.cc", "1\ntwo\nthree\nfour\nfive\n")
    repository.commit()
    repository.git("checkout", "-q", "mine")
    assert lines(repository, "main") == {"a.cc": ((5, 5),)}


def test_a_folder_of_the_repository_is_a_root(repository: Repository) -> None:
    repository.write("sub/d.cc", "x\n")
    repository.commit()
    repository.write("sub/d.cc", "y\n")
    repository.write("a.cc", "y\n")
    assert since(repository.root / "sub", "HEAD").lines == {"d.cc": ((1, 1),)}


@pytest.mark.parametrize("name", ["-n.cc", "a b.cc", "q\"uo'te.cc", "new\nline.cc", "ü.cc", ":(top)x.cc", "*.cc"])
def test_any_name_will_do(repository: Repository, name: str) -> None:
    repository.write(name, "one\ntwo\n")
    repository.commit()
    repository.write(name, "one\n2\n")
    assert lines(repository) == {name: ((2, 2),)}
    assert before(repository) == {name: b"one\ntwo\n"}


def test_a_name_that_is_no_text_is_passed_over(repository: Repository) -> None:
    with open(os.fsencode(repository.root) + b"/\xff.cc", "wb") as stream:  # noqa: PTH123
        stream.write(b"x\n")
    assert lines(repository) == {}


def test_a_first_commit_that_is_not_there_yet(tmp_path: Path) -> None:
    unborn = Repository(tmp_path / "unborn")
    unborn.write("a.cc", "x\n")
    with pytest.raises(ChangesError, match=r"`HEAD` names no commit$"):
        since(unborn.root, "HEAD")


def test_an_unborn_branch_is_compared_with_a_commit_of_another(repository: Repository) -> None:
    repository.git("checkout", "-q", "--orphan", "fresh")
    repository.write("a.cc", "one\n2\nthree\nfour\nfive\n")
    assert lines(repository, "main") == {"a.cc": ((2, 2),)}


def test_a_shallow_clone_says_what_to_do(repository: Repository, tmp_path: Path) -> None:
    first = repository.git("rev-parse", "HEAD")
    repository.write("a.cc", "new\n")
    repository.commit()
    clone = Repository(tmp_path / "clone")
    clone.git("pull", "-q", "--depth=1", f"file://{repository.root}", "main")
    assert since(clone.root, "HEAD").lines == {}
    with pytest.raises(ChangesError, match="the clone is shallow"):
        since(clone.root, first)


@pytest.mark.parametrize("revision", ["nothing", "", "-h", "--output=x", "HEAD..", "a.cc", "HEAD:a.cc", "x\ny", "x\0y"])
def test_a_revision_that_is_none(repository: Repository, revision: str) -> None:
    with pytest.raises(ChangesError) as error:
        since(repository.root, revision)
    assert "\n" not in str(error.value)
    assert "names no commit" in str(error.value)
    assert not (repository.root / "x").exists()


def test_no_repository(tmp_path: Path) -> None:
    with pytest.raises(ChangesError, match="is in no git repository"):
        since(tmp_path, "HEAD")


def test_no_git(repository: Repository, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(repository.root))
    with pytest.raises(ChangesError, match=r"git is not installed$"):
        since(repository.root, "HEAD")


def test_a_git_of_the_tree_under_analysis_is_not_run(repository: Repository, monkeypatch: pytest.MonkeyPatch) -> None:
    fake = repository.root / "git"
    fake.write_text("#!/bin/sh\ntouch ran\n")
    fake.chmod(0o755)
    monkeypatch.setenv("PATH", f"{repository.root}:{os.environ['PATH']}")
    with pytest.raises(ChangesError, match=r"git is not installed$"):
        since(repository.root, "HEAD")
    assert not (repository.root / "ran").exists()


def test_nothing_that_the_configuration_names_is_run(repository: Repository) -> None:
    ran = repository.root.parent / "ran"
    script = repository.root.parent / "evil"
    script.write_text(f"#!/bin/sh\ntouch {ran}\ncat\n")
    script.chmod(0o755)
    for key in ("filter.evil.clean", "filter.evil.smudge", "diff.evil.textconv", "diff.evil.command", "core.fsmonitor"):
        repository.git("config", key, str(script))
    repository.git("config", "filter.evil.required", "true")
    repository.git("config", "diff.external", str(script))
    (repository.root / ".git" / "info" / "attributes").write_text("*.cc filter=evil diff=evil\n")
    repository.write("a.cc", "one\n2\nthree\nfour\nfive\n")
    assert lines(repository) == {"a.cc": ((2, 2),)}
    assert not ran.exists()


def test_only_the_mode_changed(repository: Repository) -> None:
    (repository.root / "a.cc").chmod(0o755)
    assert lines(repository) == {"a.cc": ()}


def test_a_conflict_counts_as_changed(repository: Repository) -> None:
    repository.git("checkout", "-q", "-b", "other")
    repository.write("a.cc", "one\ntheirs\nthree\nfour\nfive\n")
    repository.commit()
    repository.git("checkout", "-q", "main")
    repository.write("a.cc", "one\nours\nthree\nfour\nfive\n")
    repository.commit()
    with pytest.raises(subprocess.CalledProcessError):
        repository.git("merge", "-q", "other")
    assert "a.cc" in lines(repository)


ENTRY = b":100644 100644 " + b"a" * 40 + b" " + b"b" * 40


@pytest.mark.parametrize(
    "listed", [ENTRY + b" M", ENTRY + b" M\0", ENTRY + b" R100\0old.cc\0", b":100644\0a.cc\0", b"\xed\xa0\x80\0"]
)
def test_what_git_lists_and_breaks_off_is_refused_in_a_line(listed: bytes) -> None:
    with pytest.raises(ChangesError, match="--diff-base: what git diff lists"):
        list(_raw(listed))


def test_a_status_that_is_no_text_is_a_change() -> None:
    assert list(_raw(ENTRY + b" \xed\xa0\x80\0a.cc\0")) == [("a.cc", "a.cc", "a" * 40)]
