"""What a report says it is about: the name, the commit and a date that the clock has no part in."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

from ownlint.sources.origin import Checkout, OriginError, given_date, origin_of

WHO = {f"GIT_{who}_{what}": "x@example.org" for who in ("AUTHOR", "COMMITTER") for what in ("NAME", "EMAIL")}
SETTLED = {**os.environ, **WHO, "GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_SYSTEM": os.devnull}


def git(where: Path, *arguments: str) -> str:
    when = {"GIT_AUTHOR_DATE": "2001-01-01T00:00:00Z", "GIT_COMMITTER_DATE": "2026-01-31T23:30:00-02:00"}
    done = subprocess.run(["git", *arguments], cwd=where, env={**SETTLED, **when}, capture_output=True, check=True)
    return done.stdout.decode().strip()


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    root = tmp_path / "tree"
    (root / "sub").mkdir(parents=True)
    (root / "a.cc").write_text("int a;\n")
    (root / "sub" / "b.cc").write_text("int b;\n")
    git(root, "init", "-q", "-b", "main")
    git(root, "add", "-A")
    git(root, "commit", "-q", "-m", "x")
    return root


def test_a_tree_of_git_has_the_commit_and_its_day(tree: Path) -> None:
    commit = git(tree, "rev-parse", "HEAD")
    assert origin_of(tree, {}) == Checkout("tree", commit, False, "2026-02-01")
    (tree / "new.cc").write_text("int c;\n")
    assert not origin_of(tree, {}).changed
    (tree / "a.cc").write_text("int aa;\n")
    assert origin_of(tree, {}).changed
    assert not origin_of(tree / "sub", {}).changed


def test_without_git_there_is_a_name_alone(tmp_path: Path) -> None:
    assert origin_of(tmp_path, {}) == Checkout(tmp_path.name)


def test_a_folder_that_the_tree_around_it_does_not_track_has_no_commit(tree: Path) -> None:
    inner = tree / "unpacked"
    inner.mkdir()
    (inner / "a.cc").write_text("int a;\n")
    assert origin_of(inner, {}) == Checkout("unpacked")


def test_a_tree_without_a_commit_has_none(tmp_path: Path) -> None:
    git(tmp_path, "init", "-q")
    (tmp_path / "a.cc").write_text("int a;\n")
    git(tmp_path, "add", "-A")
    assert origin_of(tmp_path, {}) == Checkout(tmp_path.name)


def test_the_project_is_called_what_it_calls_itself(tmp_path: Path) -> None:
    (tmp_path / "pyproject.toml").write_text('[project]\nname = "h5py"\n')
    assert origin_of(tmp_path, {}).project == "h5py"


@pytest.mark.parametrize(
    "text", ["", "[project", "[project]\nname = 3\n", "project = 1\n", '[project]\nname = " "\n', "\xff"]
)
def test_a_file_that_does_not_say_it_is_passed_over(tmp_path: Path, text: str) -> None:
    (tmp_path / "pyproject.toml").write_bytes(text.encode("latin-1"))
    assert origin_of(tmp_path, {}).project == tmp_path.name


def test_a_given_date_is_the_date(tree: Path) -> None:
    given = {"SOURCE_DATE_EPOCH": "86400"}
    assert origin_of(tree, given).date == "1970-01-02"
    assert origin_of(tree, given).commit
    assert origin_of(tree, {"SOURCE_DATE_EPOCH": ""}).date == "2026-02-01"


@pytest.mark.parametrize("said", ["now", "-1", "1.5", "9" * 40, "253402300800", "\u0663"])
def test_a_date_that_is_none_is_refused(said: str) -> None:
    with pytest.raises(OriginError, match=r"SOURCE_DATE_EPOCH: .* is not a number of seconds since 1970"):
        given_date({"SOURCE_DATE_EPOCH": said})
