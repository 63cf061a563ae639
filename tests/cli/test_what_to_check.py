"""Which files are checked, which findings count, and where the report goes, without settings and without git."""

from __future__ import annotations

from pathlib import Path

import pytest
from command import Done, Run

LEAK = """import h5py

def first(path):
    file = h5py.File(path)
    data = file["x"]
    file.close()
    return data[0]
"""


@pytest.fixture(autouse=True)
def _tree(run: Run) -> None:
    Path("python/inner").mkdir(parents=True)
    for name in ("python/report.py", "python/inner/more.py"):
        Path(name).write_text(LEAK)


def check(run: Run, *arguments: str) -> Done:
    return run("check", "--types", "never", "--jobs", "1", "--output-format", "concise", *arguments)


def test_patterns_are_left_out(run: Run) -> None:
    assert check(run).out.count("used-after-close") == 2
    assert check(run, "--exclude", "inner/").out.count("used-after-close") == 1
    assert check(run, "--exclude", "inner,report.py").code == 0
    assert check(run, "--exclude", "[").code == 2


def test_files_are_listed(run: Run) -> None:
    done = check(run, "--show-files", "--exclude", "report.py")
    assert (done.code, done.out, done.err) == (0, "python/inner/more.py\n", "")
    assert check(run, "--show-files", "python").out == "python/inner/more.py\npython/report.py\n"
    assert not Path(".ownlint_cache").exists()


@pytest.mark.parametrize(("level", "code"), [("note", 1), ("warning", 1), ("error", 0)])
def test_what_is_less_severe_is_reported_and_does_not_fail(run: Run, level: str, code: int) -> None:
    done = check(run, "--fail-level", level)
    assert (done.code, done.out.count("used-after-close")) == (code, 2)


def test_a_dash_is_standard_output(run: Run) -> None:
    assert "used-after-close" in check(run, "-o", "-").out
    assert not Path("-").exists()
    done = check(run, "--output", "json=-")
    assert (done.code, done.err.count("--output-format json")) == (2, 1)


def test_fix_and_diff_together_change_nothing(run: Run) -> None:
    done = check(run, "--fix", "--diff")
    assert done.code in (0, 1)
    assert Path("python/report.py").read_text() == LEAK


def test_a_misspelled_choice_says_which_is_meant(run: Run) -> None:
    done = run("check", "--output-format", "sarf")
    assert (done.code, "did you mean `sarif`?" in done.err) == (2, True)


# --- how far a project reaches ----------------------------------------------------------------


def test_the_working_directory_is_the_project(run: Run) -> None:
    assert check(run, "python/report.py").err == "Found 1 problem (1 warning) in 1 file\n"
    assert Path(".ownlint_cache").exists()
    assert not Path("python/.ownlint_cache").exists()


def test_what_builds_a_project_says_where_it_begins(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    Path("setup.py").write_text("")
    monkeypatch.chdir("python")
    assert check(run, "report.py").code == 1
    assert Path("../.ownlint_cache").exists()
    assert not Path(".ownlint_cache").exists()


def test_a_narrower_project_is_named(run: Run, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    here = tmp_path / "elsewhere"
    here.mkdir()
    project = Path("python/inner").resolve()
    monkeypatch.chdir(here)
    assert f"note: only {project} is analysed" in check(run, str(project / "more.py")).err


def test_noise_is_no_clean_file(run: Run) -> None:
    Path("noise.py").write_bytes(bytes(range(256)) * 40)
    done = check(run, "noise.py")
    assert "noise.py:3: not read: not valid utf-8" in done.err
