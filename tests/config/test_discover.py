from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

from ownlint.config import Config
from ownlint.sources.discover import Discovered, DiscoverError, discover, modules, root_of


def tree(root: Path, *names: str) -> None:
    for name in names:
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("x\n")


def git(root: Path, *arguments: str) -> None:
    environment = {**os.environ, "GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_NOSYSTEM": "1"}
    subprocess.run(["git", *arguments], cwd=root, env=environment, check=True, capture_output=True)


def names(found: Discovered) -> list[str]:
    return [source.relative for source in found.sources]


def asked(found: Discovered) -> list[str]:
    return [source.relative for source in found.sources if source.asked]


def test_all_is_known_and_only_what_is_asked_for_is_reported(tmp_path: Path) -> None:
    tree(tmp_path, "src/a.cc", "src/b.h", "py/c.py", "src2/d.cpp", "README.md")
    found = discover(tmp_path, [tmp_path / "src"], Config())
    assert names(found) == ["py/c.py", "src/a.cc", "src/b.h", "src2/d.cpp"]
    assert asked(found) == ["src/a.cc", "src/b.h"]
    assert [source.language for source in found.sources] == ["python", "cpp", "cpp", "cpp"]


def test_folders_of_tools_are_left_out(tmp_path: Path) -> None:
    tree(tmp_path, "a.py", ".venv/b.py", "node_modules/c.py", "build/d.cc", "cmake-build-debug/e.cc", "x.egg-info/f.py")
    assert names(discover(tmp_path, [tmp_path], Config())) == ["a.py"]


def test_a_folder_that_is_no_project_does_not_join_the_projects_in_it(tmp_path: Path) -> None:
    """Of a folder of downloads, say, of which nothing tells that it is one project."""
    tree(tmp_path, "a.cc", "lib/b.h", "one/pyproject.toml", "one/c.cc", "two/in/setup.py", "two/in/d.cc", "two/e.cc")
    assert names(discover(tmp_path, [tmp_path / "a.cc"], Config())) == ["a.cc", "lib/b.h", "two/e.cc"]
    found = discover(tmp_path, [tmp_path / "a.cc", tmp_path / "one/c.cc"], Config())
    assert names(found) == ["a.cc", "lib/b.h", "one/c.cc", "two/e.cc"]
    assert len(names(discover(tmp_path, [tmp_path], Config()))) == 6
    (tmp_path / "ownlint.toml").touch()
    assert len(names(discover(tmp_path, [tmp_path / "a.cc"], Config()))) == 6


def test_gitignore_holds_without_git_too(tmp_path: Path) -> None:
    tree(tmp_path, "a.py", "generated/b.py", "sub/c.py", "sub/d_pb2.py", "d_pb2.py")
    (tmp_path / ".gitignore").write_text("/generated/\n")
    (tmp_path / "sub/.gitignore").write_text("*_pb2.py\n")
    assert names(discover(tmp_path, [tmp_path], Config())) == ["a.py", "d_pb2.py", "sub/c.py"]


def test_git_says_what_belongs_to_the_project(tmp_path: Path) -> None:
    git(tmp_path, "init", "-q")
    tree(tmp_path, "a.py", "build/tracked.cc", "build/ignored.cc", "out/untracked.cc", "new.cc")
    (tmp_path / ".gitignore").write_text("ignored.cc\n")
    git(tmp_path, "add", "a.py", "build/tracked.cc")
    assert names(discover(tmp_path, [tmp_path], Config())) == ["a.py", "build/tracked.cc", "new.cc"]


def test_an_ignored_folder_is_read_when_it_is_asked_for(tmp_path: Path) -> None:
    git(tmp_path, "init", "-q")
    tree(tmp_path, "a.py", "unpacked/b.cc", "unpacked/build/c.cc")
    (tmp_path / ".gitignore").write_text("unpacked/\n")
    found = discover(tmp_path, [tmp_path / "unpacked"], Config())
    assert names(found) == ["a.py", "unpacked/b.cc"]
    assert asked(found) == ["unpacked/b.cc"]


def test_a_root_in_an_ignored_folder_is_walked(tmp_path: Path) -> None:
    git(tmp_path, "init", "-q")
    tree(tmp_path, "unpacked/b.cc")
    (tmp_path / ".gitignore").write_text("unpacked/\n")
    assert names(discover(tmp_path / "unpacked", [tmp_path / "unpacked"], Config())) == ["b.cc"]


def test_nothing_that_the_repository_configures_is_run(tmp_path: Path) -> None:
    git(tmp_path, "init", "-q")
    tree(tmp_path, "a.py")
    trap = tmp_path / "trap.sh"
    trap.write_text(f"#!/bin/sh\ntouch {tmp_path}/sprung\n")
    trap.chmod(0o755)
    git(tmp_path, "config", "core.fsmonitor", str(trap))
    assert names(discover(tmp_path, [tmp_path], Config())) == ["a.py"]
    assert not (tmp_path / "sprung").exists()


def test_excluded_paths_are_read_when_they_are_asked_for(tmp_path: Path) -> None:
    tree(tmp_path, "a.py", "examples/b.py", "examples/skip/c.py")
    config = Config(exclude=("examples/",), extend_exclude=("skip/",))
    assert names(discover(tmp_path, [tmp_path], config)) == ["a.py"]
    assert asked(discover(tmp_path, [tmp_path / "examples"], config)) == ["examples/b.py"]
    assert asked(discover(tmp_path, [tmp_path / "examples/skip/c.py"], config)) == ["examples/skip/c.py"]


def test_included_patterns_add_files_of_other_names(tmp_path: Path) -> None:
    tree(tmp_path, "a.py", "kernel.cxx.tmpl", "kernel.txt")
    git(tmp_path, "init", "-q")
    assert names(discover(tmp_path, [tmp_path], Config(include=("*.tmpl",)))) == ["a.py", "kernel.cxx.tmpl"]


def test_a_path_that_does_not_exist_is_refused(tmp_path: Path) -> None:
    with pytest.raises(DiscoverError, match="no such file or folder"):
        discover(tmp_path, [tmp_path / "none"], Config())


def test_a_path_outside_of_the_project_is_refused(tmp_path: Path) -> None:
    tree(tmp_path, "in/a.py", "out/b.py")
    with pytest.raises(DiscoverError, match="is outside the project"):
        discover(tmp_path / "in", [tmp_path / "out"], Config())


def test_links_are_followed_only_inside(tmp_path: Path) -> None:
    tree(tmp_path, "in/a.py", "in/x.txt", "out/secret.py")
    (tmp_path / "in/same.py").symlink_to("a.py")
    (tmp_path / "in/other.py").symlink_to("x.txt")
    (tmp_path / "in/leak.py").symlink_to(tmp_path / "out/secret.py")
    (tmp_path / "in/loop").symlink_to(tmp_path / "in")
    (tmp_path / "in/self.py").symlink_to("self.py")
    assert names(discover(tmp_path / "in", [tmp_path / "in"], Config())) == ["a.py", "other.py"]


def test_what_is_no_regular_file_is_named(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe.py")
    found = discover(tmp_path, [tmp_path], Config())
    assert (names(found), found.unread) == ([], (("pipe.py", "not a regular file"),))


def test_a_name_that_is_not_utf8_is_named(tmp_path: Path) -> None:
    Path(os.fsdecode(os.fsencode(tmp_path) + b"/\xff.py")).write_text("")
    found = discover(tmp_path, [tmp_path], Config())
    assert [reason for _, reason in found.unread] == ["its name is not valid UTF-8"]


def test_the_root_is_where_the_settings_are_else_the_top_of_git_else_what_is_asked_for(tmp_path: Path) -> None:
    tree(tmp_path, "repo/src/a.py", "repo/src/b.py", "repo/x/c.py")
    src = tmp_path / "repo/src"
    assert root_of([src / "a.py", tmp_path / "repo/x"], None) == tmp_path / "repo"
    assert root_of([src / "a.py"], None) == src
    git(tmp_path / "repo", "init", "-q")
    assert root_of([src / "a.py"], None) == tmp_path / "repo"
    assert root_of([src / "a.py"], src / "ownlint.toml") == src


def test_modules_are_named_from_their_package(tmp_path: Path) -> None:
    tree(
        tmp_path, "src/pkg/__init__.py", "src/pkg/sub/__init__.py", "src/pkg/sub/a.py", "script.py", "src/pkg/data/b.py"
    )
    assert modules(discover(tmp_path, [tmp_path], Config()).sources) == {
        "script.py": "script",
        "src/pkg/__init__.py": "pkg",
        "src/pkg/data/b.py": "b",
        "src/pkg/sub/__init__.py": "pkg.sub",
        "src/pkg/sub/a.py": "pkg.sub.a",
    }


def test_a_gitignore_below_takes_back_what_one_above_leaves_out(tmp_path: Path) -> None:
    for name in ("one_pb2.py", "kept/two_pb2.py", "closed/three.py"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text("")
    (tmp_path / ".gitignore").write_bytes(b"\xef\xbb\xbf*_pb2.py\r\n/closed/\r\n")
    (tmp_path / "kept/.gitignore").write_text("!*_pb2.py\n")
    (tmp_path / "closed/.gitignore").write_text("!three.py\n")
    found = discover(tmp_path, [tmp_path], Config())
    assert [source.relative for source in found.sources] == ["kept/two_pb2.py"]
