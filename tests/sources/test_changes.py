"""What git says has changed, asked in real repositories."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Iterable
from difflib import SequenceMatcher
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ownlint.sources.changes import ChangesError, Ranges, _Hunk, _in_both, _moved, _raw, as_before, since, staged


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
    with pytest.raises(ChangesError, match=r"`HEAD` is not a commit$"):
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
    assert "is not a commit" in str(error.value)
    assert not (repository.root / "x").exists()


def test_no_repository(tmp_path: Path) -> None:
    with pytest.raises(ChangesError, match="is not in a git repository"):
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
    with pytest.raises(ChangesError, match="the output of git diff"):
        list(_raw(listed))


def test_a_status_that_is_no_text_is_a_change() -> None:
    assert list(_raw(ENTRY + b" \xed\xa0\x80\0a.cc\0")) == [("a.cc", "a.cc", "a" * 40)]


# --- what is staged ---------------------------------------------------------------------------

FIVE = "one\ntwo\nthree\nfour\nfive\n"


def in_index(repository: Repository, name: str, text: str) -> None:
    repository.write(name, text)
    repository.git("add", name)


def test_what_is_staged_counts_alone(repository: Repository) -> None:
    in_index(repository, "a.cc", FIVE.replace("two", "2"))
    repository.write("b.cc", "not staged\n")
    repository.write("untracked.cc", "x\n")
    changes = staged(repository.root)
    assert changes.lines == {"a.cc": ((2, 2),)}
    assert changes.note == ""


def test_where_nothing_is_staged_all_that_is_not_committed_counts(repository: Repository) -> None:
    assert staged(repository.root).lines == {}
    repository.write("a.cc", FIVE.replace("two", "2"))
    repository.write("untracked.cc", "x\n")
    changes = staged(repository.root)
    assert list(changes.lines) == ["a.cc", "untracked.cc"]
    assert changes.lines["a.cc"] == ((2, 2),)
    assert changes.note == "nothing is staged: using all uncommitted changes"


def test_what_is_staged_beside_the_project_is_staged(repository: Repository) -> None:
    """A hook in a repository of several projects: what lies about in the others is not of the commit."""
    repository.write("sub/d.cc", "x\n")
    repository.commit()
    in_index(repository, "a.cc", "x\n")
    repository.write("sub/d.cc", "y\n")
    repository.write("sub/untracked.cc", "y\n")
    changes = staged(repository.root / "sub")
    assert (changes.lines, changes.note) == ({}, "")
    repository.git("add", "sub/d.cc")
    assert staged(repository.root / "sub").lines == {"d.cc": ((1, 1),)}


@pytest.mark.parametrize(
    ("now", "lines"),
    [
        ("zero\nhalf\none\n2\nthree\nfour\n5\nfive\n", ((4, 4), (7, 7))),  # more before them
        ("2\nthree\nfour\n5\nfive\n", ((1, 1), (4, 4))),  # less before them
        ("one\n2\nthree\nbetween\nfour\n5\nfive\nsix\n", ((2, 2), (6, 6))),
        ("one\nzwei\nthree\nfour\n5\nfive\n", ((2, 2), (5, 5))),  # what was staged is something else again
        ("one\nthree\nfour\n5\nfive\n", ((4, 4),)),  # what was staged is gone again
        ("one\n2\nthree\nfour\n5\nfive\n", ((2, 2), (5, 5))),
    ],
)
def test_staged_lines_are_found_in_the_work_tree(
    repository: Repository, now: str, lines: tuple[tuple[int, int], ...]
) -> None:
    in_index(repository, "a.cc", "one\n2\nthree\nfour\n5\nfive\n")
    repository.write("a.cc", now)
    changes = staged(repository.root)
    assert changes.lines == {"a.cc": lines}
    assert bool(changes.note) == (now != "one\n2\nthree\nfour\n5\nfive\n")


def test_what_is_added_to_a_new_file_is_not_staged(repository: Repository) -> None:
    in_index(repository, "new.cc", "one\ntwo\n")
    repository.write("new.cc", "one\nmore\ntwo\n")
    changes = staged(repository.root)
    (ranges,) = changes.lines.values()
    assert [first for first, _ in ranges] == [1, 3]
    assert ranges[0] == (1, 1)
    assert changes.note == "new.cc differs from what is staged: the work tree was analysed"


def test_files_that_differ_are_counted(repository: Repository) -> None:
    for name in ("a.cc", "b.cc", "notes.txt"):
        in_index(repository, name, "staged\n")
        repository.write(name, "and then\n")
    assert staged(repository.root).note == "a.cc and 1 more differ from what is staged: the work tree was analysed"


def test_a_staged_file_that_is_gone_has_no_lines(repository: Repository) -> None:
    in_index(repository, "a.cc", "new\n")
    (repository.root / "a.cc").unlink()
    assert staged(repository.root).lines == {"a.cc": ()}


def test_a_staged_deletion_touches_its_neighbours(repository: Repository) -> None:
    in_index(repository, "a.cc", "one\nfour\nfive\n")
    repository.git("rm", "-q", "gone.cc")
    changes = staged(repository.root)
    assert changes.lines == {"a.cc": ((1, 2),)}
    assert [change.old for change in changes.files] == ["gone.cc", "a.cc"]


def test_a_staged_rename_is_compared_with_what_it_was(repository: Repository) -> None:
    repository.git("mv", "b.cc", "c.cc")
    assert staged(repository.root).lines == {"c.cc": ()}
    in_index(repository, "c.cc", (repository.root / "c.cc").read_text().replace("line 20\n", "line twenty\n"))
    changes = staged(repository.root)
    assert [(change.path, change.old) for change in changes.files] == [("c.cc", "b.cc")]
    assert changes.lines == {"c.cc": ((21, 21),)}


@pytest.mark.parametrize("convert", ["true", "input", "false"])
def test_ends_of_lines_that_git_converts_are_no_changes(repository: Repository, convert: str) -> None:
    repository.git("config", "core.autocrlf", convert)
    (repository.root / "w.cc").write_bytes(b"one\r\ntwo\r\nthree\r\n")
    repository.commit()
    (repository.root / "w.cc").write_bytes(b"one\r\n2\r\nthree\r\n")
    repository.git("add", "w.cc")
    changes = staged(repository.root)
    assert (changes.lines, changes.note) == ({"w.cc": ((2, 2),)}, "")


def test_the_first_commit_is_new_in_every_line(tmp_path: Path) -> None:
    unborn = Repository(tmp_path / "unborn")
    unborn.write("beside.cc", "x\n")
    in_index(unborn, "a.cc", "x\n")
    changes = staged(unborn.root)
    assert list(changes.lines) == ["a.cc"]
    with as_before(unborn.root, changes) as (sources, _):
        assert sources == []
    unborn.git("rm", "-q", "--cached", "a.cc")
    assert list(staged(unborn.root).lines) == ["a.cc", "beside.cc"]


def test_in_a_merge_what_the_others_did_is_not_ours(repository: Repository) -> None:
    repository.git("checkout", "-q", "-b", "other")
    repository.write("a.cc", "one\ntheirs\nthree\nfour\n5\n")
    repository.write("theirs.cc", "x\n")
    repository.commit()
    repository.git("checkout", "-q", "main")
    repository.write("a.cc", "one\nours\nthree\nfour\nfive\n")
    repository.write("ours.cc", "x\n")
    repository.commit()
    with pytest.raises(subprocess.CalledProcessError):
        repository.git("merge", "-q", "other")
    assert "a.cc" in staged(repository.root).lines
    in_index(repository, "a.cc", "one\nboth\nthree\nfour\n5\n")
    lines = staged(repository.root).lines
    assert {path: ranges for path, ranges in lines.items() if ranges} == {"a.cc": ((2, 2),)}


def test_a_range_of_commits_that_pre_commit_looks_at(repository: Repository, monkeypatch: pytest.MonkeyPatch) -> None:
    repository.write("a.cc", FIVE.replace("two", "2"))
    repository.commit()
    monkeypatch.setenv("PRE_COMMIT_FROM_REF", "HEAD~1")
    assert staged(repository.root).lines == {"a.cc": ((2, 2),)}
    monkeypatch.setenv("PRE_COMMIT_FROM_REF", "--output=x")
    with pytest.raises(ChangesError, match="is not a commit"):
        staged(repository.root)


def test_what_is_staged_where_no_repository_is(tmp_path: Path) -> None:
    with pytest.raises(ChangesError, match="is not in a git repository"):
        staged(tmp_path)


RANGES = st.lists(st.tuples(st.integers(1, 30), st.integers(0, 3)), max_size=6).map(
    lambda pairs: tuple(zip(sorted(first for first, _ in pairs), sorted(map(sum, pairs)), strict=True))
)


def lines_of(ranges: Iterable[tuple[int, int]]) -> set[int]:
    return {line for first, last in ranges for line in range(first, last + 1)}


@given(RANGES, RANGES)
def test_common_lines_are_those_of_both(left: Ranges, right: Ranges) -> None:
    assert lines_of(_in_both(left, right)) == lines_of(left) & lines_of(right)


@given(st.lists(st.sampled_from("abcde"), max_size=12), st.lists(st.sampled_from("abcdexyz"), max_size=12), RANGES)
def test_moved_lines_say_what_they_said(before: list[str], after: list[str], ranges: Ranges) -> None:
    """Against what Python's own comparison tells."""
    hunks = [
        _Hunk(old + 1, old_end - old, new + 1, new_end - new)
        for kind, old, old_end, new, new_end in SequenceMatcher(None, before, after, autojunk=False).get_opcodes()
        if kind != "equal"
    ]
    kept = {
        old + at + 1: new + at + 1
        for old, new, size in SequenceMatcher(None, before, after, autojunk=False).get_matching_blocks()
        for at in range(size)
    }
    inside = tuple((first, min(last, len(before))) for first, last in ranges if first <= len(before))
    moved = lines_of(_moved(inside, hunks))
    assert {kept[line] for line in lines_of(inside) if line in kept} <= moved
    new = {line for hunk in hunks if hunk.gone for line in range(hunk.new, hunk.new + hunk.come)}
    assert moved <= {kept[line] for line in lines_of(inside) if line in kept} | new
    assert all(before[old - 1] == after[new - 1] for old, new in kept.items())
