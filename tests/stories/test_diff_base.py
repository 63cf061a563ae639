"""A change under review: `ownlint check --diff-base REV` in a real repository."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest
from tests.stories.repositories import CHECK, COMMAND, LAUNCH, SESSION, Project


@pytest.fixture
def project(tmp_path: Path) -> Project:
    return Project(tmp_path / "project")


def test_only_what_touches_the_change_is_reported(project: Project) -> None:
    project.write("session.cc", SESSION.format("Old") + SESSION.format("New"))
    assert len(project.check().found) == 2
    changed = project.check("--diff-base", "HEAD")
    assert changed.found == [("session.cc", 16, "flag-set-before-success", "certain")]
    assert changed.code == 1


def test_a_step_on_a_changed_line_is_enough(project: Project) -> None:
    text = SESSION.format("Old").replace("Handshake()", "Handshake(1)")
    project.write("session.cc", text)
    assert project.check("--diff-base", "HEAD").found == [("session.cc", 5, "flag-set-before-success", "certain")]
    project.write("session.cc", SESSION.format("Old") + "int unrelated();\n")
    assert project.check("--diff-base", "HEAD").found == []


def test_nothing_changed(project: Project) -> None:
    done = project.check("--diff-base", "HEAD")
    assert (done.code, done.found) == (0, [])


def test_the_result_is_remembered_for_its_base_alone(project: Project) -> None:
    project.write("session.cc", SESSION.format("Old") + SESSION.format("New"))
    project.commit()
    for _ in range(2):
        assert len(project.check().found) == 2
        assert len(project.check("--diff-base", "HEAD").found) == 0
        assert len(project.check("--diff-base", "HEAD~1").found) == 1


def test_a_check_that_the_change_takes_out(project: Project) -> None:
    project.write("gpu/cuda/graph.cc", LAUNCH.format("Cuda").replace(CHECK, ""))
    assert project.check("--diff-base", "HEAD").found == [("gpu/cuda/graph.cc", 3, "guard-removed", "likely")]
    assert project.check().found == [
        ("gpu/cuda/graph.cc", 1, "guard-missing-on-sibling", "likely"),
        ("session.cc", 5, "flag-set-before-success", "certain"),
    ]
    told = project.check("--diff-base", "HEAD", form="concise").out
    assert "`Launch` no longer fails on `count == 0`, as `RocmGraph::Launch` still does" in told


def test_a_check_that_the_change_adds_to_one_of_two(project: Project) -> None:
    for name in ("Cuda", "Rocm"):
        project.write(f"gpu/{name.lower()}/graph.cc", LAUNCH.format(name).replace(CHECK, ""))
    project.commit()
    project.write("gpu/cuda/graph.cc", LAUNCH.format("Cuda"))
    assert project.check("--diff-base", "HEAD").found == [
        ("gpu/rocm/graph.cc", 1, "guard-missing-on-sibling", "likely")
    ]


def test_a_renamed_file_is_known_by_what_it_was(project: Project) -> None:
    (project.root / "gpu/cuda/graph.cc").rename(project.root / "gpu/cuda/runner.cc")
    project.write("gpu/cuda/runner.cc", LAUNCH.format("Cuda").replace(CHECK, ""))
    project.git("add", "-A")
    assert project.check("--diff-base", "HEAD").found == [("gpu/cuda/runner.cc", 3, "guard-removed", "likely")]


def test_a_function_that_is_gone_is_no_finding(project: Project) -> None:
    (project.root / "gpu/cuda/graph.cc").unlink()
    project.write("fresh.cc", "int fresh();\n")
    assert project.check("--diff-base", "HEAD").found == []


def test_a_folder_and_a_file_that_are_asked_for(project: Project) -> None:
    for name in ("Cuda", "Rocm"):
        project.write(f"gpu/{name.lower()}/graph.cc", LAUNCH.format(name).replace(CHECK, ""))
    both = [("gpu/cuda/graph.cc", 3, "guard-removed", "likely"), ("gpu/rocm/graph.cc", 3, "guard-removed", "likely")]
    project.write("session.cc", SESSION.format("New"))
    assert project.check("--diff-base", "HEAD", "gpu").found == both
    assert project.check("--diff-base", "HEAD", "gpu/rocm/graph.cc").found == both[1:]


def test_words_of_the_settings(project: Project) -> None:
    for name in ("Left", "Right"):
        project.write(f"{name.lower()}/graph.cc", LAUNCH.format(name))
    project.write("right/graph.cc", LAUNCH.format("Right").replace(CHECK, ""))
    project.write("ownlint.toml", 'certainty = "possible"\nselect = ["guard-missing-on-sibling"]\n')
    assert project.check().found == []
    project.write("ownlint.toml", (project.root / "ownlint.toml").read_text() + 'parity = [["left", "right"]]\n')
    assert project.check().found == [("right/graph.cc", 1, "guard-missing-on-sibling", "likely")]


@pytest.mark.parametrize(
    ("written", "said"),
    [
        ('parity = [["left"]]', "ownlint.toml:1: `parity`: a group needs at least two alternative words"),
        ('parity = [["left", "left"]]', "ownlint.toml:1: `parity`: a group needs at least two alternative words"),
        ("parity = [[]]", "ownlint.toml:1: `parity`: a group needs at least two alternative words"),
        ('parity = [["left", "a/b"]]', "ownlint.toml:1: `parity`: `a/b` is not a word"),
        ('parity = ["left", "right"]', "ownlint.toml:1: `parity`: "),
        ("parity = 1", "ownlint.toml:1: `parity`: "),
    ],
)
def test_words_that_are_none(project: Project, written: str, said: str) -> None:
    project.write("ownlint.toml", written + "\n")
    done = project.check()
    assert done.code == 2
    assert said in done.err
    assert done.err.count("\n") == 1


@pytest.mark.parametrize("revision", ["nothing", "", "--help", "HEAD:session.cc", "x;touch y", "$(touch y)"])
def test_a_revision_that_is_none(project: Project, revision: str) -> None:
    done = project.check(f"--diff-base={revision}")
    assert done.code == 2
    assert done.err.startswith("error: --diff-base: ")
    assert done.err.count("\n") == 1
    assert "is not a commit" in done.err
    assert not (project.root / "y").exists()


def test_no_repository(tmp_path: Path) -> None:
    (tmp_path / "a.cc").write_text("int x;\n")
    command = [*COMMAND, "check", "--diff-base", "HEAD"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 2
    assert "is not in a git repository" in done.stderr
    assert done.stderr.count("\n") == 1
