"""Only what is about to be committed: `ownlint check --changed` in a real repository."""

from __future__ import annotations

import json
import shutil
import subprocess
from pathlib import Path

import pytest
from tests import starting
from tests.stories.repositories import CHECK, COMMAND, LAUNCH, SESSION, Done, Project

TURBINE = Path(__file__).parents[2] / "examples/turbine"


@pytest.fixture
def project(tmp_path: Path) -> Project:
    return Project(tmp_path / "project")


def at(line: int, path: str = "session.cc") -> tuple[str, int, str, str]:
    return (path, line, "flag-set-before-success", "certain")


def elsewhere(done: Done) -> int:
    return int(json.loads(done.out)["elsewhere"])


def test_an_old_finding_does_not_fail_a_commit_that_touches_another_file(project: Project) -> None:
    project.write("train.py", "x = 1\n")
    project.git("add", "train.py")
    done = project.check("--changed")
    assert (done.code, done.found, elsewhere(done)) == (0, [], 0)
    said = project.check("--changed", form="full", quiet=False)
    assert said.out == "No problems found in the change (4 files read)\n"
    assert "No problems found in the change (4 files read)." in project.check("--changed", form="markdown").out


def test_an_old_finding_in_a_changed_file_is_counted_and_does_not_fail(project: Project) -> None:
    project.write("session.cc", SESSION.format("Old") + "int unrelated();\n")
    project.git("add", "-A")
    for option in (("--changed",), ("--diff-base", "HEAD")):
        done = project.check(*option)
        assert (done.code, done.found, elsewhere(done)) == (0, [], 1)
    said = project.check("--changed", form="full", quiet=False)
    beside = "1 on other lines of the changed files not shown"
    assert said.out == f"No problems found in the change (3 files read); {beside}\n"
    assert f"{beside}." in project.check("--changed", form="markdown").out


def test_what_was_not_judged_is_not_kept_as_judged(project: Project) -> None:
    project.write("beside.cc", SESSION.format("Beside"))
    project.commit()
    project.write("train.py", "x = 1\n")
    project.git("add", "-A")
    assert project.check("--changed").found == []
    assert len(project.check().found) == 2
    project.write("new.cc", SESSION.format("New"))
    project.git("add", "-A")
    assert project.check("--changed").found == [at(5, "new.cc")]
    assert len(project.check().found) == 3


def test_what_is_staged_is_reported_and_what_is_not_is_not(project: Project) -> None:
    project.write("session.cc", SESSION.format("Old") + SESSION.format("New"))
    project.git("add", "-A")
    project.write("later.cc", SESSION.format("Later"))
    done = project.check("--changed")
    assert (done.code, done.found, elsewhere(done)) == (1, [at(16)], 1)


def test_where_nothing_is_staged_the_work_tree_counts_and_that_is_said(project: Project) -> None:
    project.write("later.cc", SESSION.format("Later"))
    done = project.check("--changed", quiet=False)
    assert (done.code, done.found) == (1, [at(5, "later.cc")])
    assert "note: nothing is staged: using all uncommitted changes" in done.err


def test_what_arises_in_an_untouched_file_is_reported(tmp_path: Path) -> None:
    """The binding lends what Python used safely before."""
    project = Project(tmp_path / "turbine", empty=True)
    shutil.copytree(TURBINE, project.root, dirs_exist_ok=True)
    bindings = (TURBINE / "src/bindings.cc").read_text()
    safe = bindings.replace("Turbine::rotor, py::return_value_policy::reference)", "Turbine::rotor)")
    project.write("src/bindings.cc", safe)
    project.commit()
    assert project.check("--changed").found == []
    project.write("src/bindings.cc", bindings)
    project.git("add", "-A")
    done = project.check("--changed")
    assert [(path, line) for path, line, *_ in done.found] == [("python/report.py", 11), ("src/bindings.cc", 20)]
    assert elsewhere(done) == sum(path == "src/bindings.cc" for path, *_ in project.check().found) - 1


def test_a_check_that_the_commit_takes_out(project: Project) -> None:
    project.write("gpu/cuda/graph.cc", LAUNCH.format("Cuda").replace(CHECK, ""))
    project.git("add", "-A")
    assert project.check("--changed").found == [("gpu/cuda/graph.cc", 3, "guard-removed", "likely")]


def test_what_is_kept_of_a_function_holds_while_the_change_does_not_touch_it(project: Project) -> None:
    launch = LAUNCH.format("Cuda")
    removed = [("gpu/cuda/graph.cc", 3, "guard-removed", "likely")]
    for _ in range(2):
        assert project.check().code == 1
        project.write("gpu/cuda/graph.cc", launch + "int beside() { return 1; }\n")
        project.git("add", "-A")
        assert project.check("--changed").found == []
        project.write("gpu/cuda/graph.cc", launch.replace(CHECK, ""))
        project.git("add", "-A")
        assert project.check("--changed").found == removed
        project.write("gpu/cuda/graph.cc", launch.replace(CHECK, "") + "int beside() { return 1; }\n")
        project.git("add", "-A")
        assert project.check("--changed").found == removed
        project.write("gpu/cuda/graph.cc", launch)
        project.git("add", "-A")
        assert project.check("--changed").found == []


def test_a_file_that_only_moves_brings_no_finding(project: Project) -> None:
    project.git("mv", "session.cc", "moved.cc")
    done = project.check("--changed")
    assert (done.code, done.found, elsewhere(done)) == (0, [], 0)


GATHERING = """\
static int gather(PyObject* into, PyObject* from, Py_ssize_t size) {{
  PyObject* item;
  for (Py_ssize_t at = 0; at < size; at++) {{
    item = PySequence_GetItem(from, at);
    if (item == NULL) return -1;
    if (PyList_Append(into, item) < 0) {{
      Py_DECREF(item);
      return -1;
    }}
    report(at);
    report(size);
{}    report(0);
  }}
  return 0;
}}
"""


def test_a_release_that_the_commit_takes_out_brings_its_finding(project: Project) -> None:
    project.write("gather.c", GATHERING.format("    Py_XDECREF(item);\n    note(at);\n"))
    project.commit()
    project.write("gather.c", GATHERING.format("    Py_XDECREF(item);\n"))
    project.git("add", "-A")
    assert project.check("--changed").found == []
    project.write("gather.c", GATHERING.format(""))
    project.git("add", "-A")
    found = project.check("--changed").found
    assert ("gather.c", 4, "reference-leaked", "likely") in found
    project.commit()
    project.write("gather.c", GATHERING.format("").replace("    report(0);\n", ""))
    project.git("add", "-A")
    done = project.check("--changed")
    assert (done.found, elsewhere(done)) == ([], 1)  # the line that goes says nothing of it


def test_a_line_that_is_deleted_touches_its_neighbours(project: Project) -> None:
    line = "    connected_ = true;\n"
    project.write("session.cc", SESSION.format("Old").replace(line, f"    Prepare();\n{line}") + "// the end\n")
    project.commit()
    project.write("session.cc", SESSION.format("Old").replace(line, f"    Prepare();\n{line}"))
    project.git("add", "-A")
    assert project.check("--changed").found == []
    project.write("session.cc", SESSION.format("Old"))
    project.git("add", "-A")
    assert project.check("--changed").found == [at(5)]


def test_ends_of_lines_of_another_system(project: Project) -> None:
    both = (SESSION.format("Old") + SESSION.format("New")).replace("\n", "\r\n")
    (project.root / "session.cc").write_bytes(both.encode())
    project.commit()
    before, after = both[: len(both) // 2], both[len(both) // 2 :]
    (project.root / "session.cc").write_bytes((before + after.replace(" = true;", " = true;  // now")).encode())
    project.git("add", "-A")
    assert project.check("--changed").found == [at(16)]


def test_the_first_commit(tmp_path: Path) -> None:
    project = Project(tmp_path / "fresh", empty=True)
    project.write("session.cc", SESSION.format("New"))
    project.git("add", "-A")
    assert project.check("--changed").found == [at(5)]


def test_from_a_folder_of_the_project(project: Project) -> None:
    project.write("sub/one.cc", SESSION.format("One"))
    project.write("two.cc", SESSION.format("Two"))
    project.git("add", "-A")
    assert [path for path, *_ in project.check("--changed", where="sub").found] == ["sub/one.cc"]
    project.write("sub/ownlint.toml", "")  # a project of its own
    assert [path for path, *_ in project.check("--changed", where="sub").found] == ["sub/one.cc"]  # as git names it


def test_lines_of_the_work_tree_are_reported(project: Project) -> None:
    """By hand the work tree may differ from what is staged: it is what is analysed, and that is said."""
    project.write("session.cc", SESSION.format("Old") + SESSION.format("New"))
    project.git("add", "-A")
    project.write("session.cc", "// first\n" + SESSION.format("Old") + SESSION.format("New") + SESSION.format("Last"))
    done = project.check("--changed", quiet=False)
    assert (done.found, elsewhere(done)) == ([at(17)], 2)
    assert "note: session.cc differs from what is staged: the work tree was analysed" in done.err


def test_a_merge_brings_no_finding_of_the_others(project: Project) -> None:
    project.git("checkout", "-q", "-b", "other")
    project.write("theirs.cc", SESSION.format("Theirs"))
    project.write("notes.txt", "theirs\n")
    project.commit()
    project.git("checkout", "-q", "main")
    project.write("notes.txt", "ours\n")
    project.commit()
    with pytest.raises(subprocess.CalledProcessError):
        project.git("merge", "-q", "other")
    project.write("notes.txt", "both\n")
    project.write("resolved.cc", SESSION.format("Resolved"))
    project.git("add", "-A")
    assert project.check("--changed").found == [at(5, "resolved.cc")]


def test_a_comment_that_silences_is_of_use_wherever_its_finding_stands(project: Project) -> None:
    line = "    connected_ = true;\n"
    silent = SESSION.format("Old").replace(line, f"    // ownlint: ignore-next[flag-set-before-success]: one\n{line}")
    project.write("session.cc", silent)
    project.commit()
    project.write("session.cc", silent.replace("]: one", "]: another"))
    project.git("add", "-A")
    done = project.check("--changed")
    assert (done.code, done.found, elsewhere(done)) == (0, [], 0)


# --- beside other options ---------------------------------------------------------------------


def test_beside_a_baseline(project: Project) -> None:
    """What the baseline knows is not counted among what is not shown, and no entry of it is stale for that."""
    starting.run("baseline", "write", "-q", cwd=project.root, safe_path=True)
    starting.run("baseline", "write", cwd=project.root, safe_path=True).check_returncode()
    project.write("beside.cc", SESSION.format("Beside"))
    project.commit()
    project.write("new.cc", SESSION.format("New"))
    project.git("add", "-A")
    for option in (("--changed",), ("--diff-base", "HEAD")):
        done = project.check(*option, quiet=False)
        assert (done.found, elsewhere(done)) == ([at(5, "new.cc")], 0)
        assert "stale" not in done.err
    project.write("session.cc", SESSION.format("Old") + "int unrelated();\n")
    project.git("add", "-A")
    assert elsewhere(project.check("--changed")) == 0
    assert elsewhere(project.check("--changed", "--no-baseline")) == 1
    (project.root / "session.cc").unlink()
    assert "1 stale entry" in project.check("--changed", quiet=False).err


LOCKED = """\
#include <mutex>
std::mutex mutex_;
int count = 0;
void {0}() {{
  std::lock_guard<std::mutex>(mutex_);
  ++count;
}}
"""


@pytest.mark.parametrize("options", [("--fix",), ("--diff",)])
def test_only_what_is_staged_is_mended(project: Project, options: tuple[str, ...]) -> None:
    """In the work tree: what was staged stays as it was."""
    project.write("old.cc", LOCKED.format("Old"))
    project.commit()
    project.write("new.cc", LOCKED.format("New"))
    project.git("add", "-A")
    done = project.check("--changed", *options, form="concise", quiet=False)
    named = "old.cc" in done.out, "new.cc" in done.out
    assert (project.root / "old.cc").read_text() == LOCKED.format("Old")
    if options == ("--diff",):
        assert (done.code, named) == (1, (False, True))
        return
    assert (done.code, done.out) == (0, "")
    assert "fixed 1 finding" in done.err
    assert (project.root / "new.cc").read_text() == LOCKED.format("New").replace(">(mutex_)", "> lock(mutex_)")
    assert "note: new.cc differs from what is staged" in done.err


def test_only_what_is_staged_is_silenced(project: Project) -> None:
    project.write("session.cc", SESSION.format("Old") + SESSION.format("New"))
    project.git("add", "-A")
    done = project.check("--changed", "--add-suppressions", "seen", quiet=False)
    assert (done.code, done.found, elsewhere(done)) == (0, [], 1)
    assert "suppressed 1 finding" in done.err
    text = (project.root / "session.cc").read_text()
    assert text.count("ownlint: ignore") == 1
    assert text.index("class New") < text.index("ownlint: ignore")
    assert project.check().found == [at(5)]


def test_two_ways_to_say_what_changed_exclude_each_other(project: Project) -> None:
    done = project.check("--changed", "--diff-base", "HEAD")
    assert (done.code, done.err) == (2, "error: --changed and --diff-base cannot be combined\n")


def test_no_repository(tmp_path: Path) -> None:
    (tmp_path / "a.cc").write_text("int x;\n")
    command = [*COMMAND, "check", "--changed"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 2
    assert done.stderr.startswith(f"error: --changed: {tmp_path} is not in a git repository")
    assert done.stderr.count("\n") == 1


def test_the_range_that_pre_commit_names_is_one(project: Project, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PRE_COMMIT_FROM_REF", "nothing")
    done = project.check("--changed")
    assert (done.code, done.err) == (2, "error: --changed: `nothing` is not a commit\n")
