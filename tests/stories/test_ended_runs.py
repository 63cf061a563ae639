"""Runs that do not come to their end: at a counted limit, at a deadline, by a signal."""

from __future__ import annotations

import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from msgspec.structs import replace

from ownlint import analysis, catalogue, pipeline, steps
from ownlint.analysis.analyst import Analyst
from ownlint.config import Config, Settings
from ownlint.finding import Crash, Finding
from ownlint.project.program import Program

COMMAND = (sys.executable, "-P", "-m", "ownlint")

CODE = """
PyObject* names(PyObject* self, PyObject* args) {
  PyObject* list = PyList_New(0);
  PyObject* name = PyUnicode_FromString("first");
  if (name == NULL) return NULL;
  return list;
}
"""


def _options(root: Path, **given: object) -> pipeline.Options:
    settings = Settings(config=Config(types="never"))
    return pipeline.Options(root=root, paths=(root,), settings=settings, cache=root / "cache", **given)  # type: ignore[arg-type]


def test_what_a_counted_limit_cut_off_is_answered_from_the_cache(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "a.cc").write_text(CODE)
    monkeypatch.setattr(steps, "BUDGET", 20)
    monkeypatch.setattr(steps, "PER_BYTE", 0)
    first = pipeline.run(_options(tmp_path))
    assert {each.kind for each in first.incomplete} == {"limit"}

    def analyse(*_given: object) -> object:
        raise AssertionError("it is known")

    monkeypatch.setattr(analysis, "analyse", analyse)
    assert pipeline.run(_options(tmp_path)) == first


def test_at_the_deadline_the_rest_is_named_and_nothing_is_kept(tmp_path: Path) -> None:
    (tmp_path / "a.cc").write_text(CODE)
    (tmp_path / "b.cc").write_text(CODE.replace("names", "others"))
    ended = pipeline.run(_options(tmp_path, deadline=time.monotonic()))
    assert {each.path for each in ended.lost} == {"", "a.cc", "b.cc"}
    assert not ended.findings
    whole = pipeline.run(_options(tmp_path))
    assert not whole.incomplete
    assert {finding.path for finding in whole.findings} == {"a.cc", "b.cc"}


def test_what_was_judged_before_all_is_begun_anew_is_said_where_the_run_ends(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "a.cc").write_text(CODE)
    (tmp_path / "z.cc").write_text(CODE.replace("names", "others"))
    judge, leave_unread = catalogue.judge, Analyst._leave_unread

    def cut_off(judgement: catalogue.Judgement, program: Program) -> list[Finding] | Crash:
        if judgement.path != "z.cc":
            return judge(judgement, program)
        return replace(catalogue.not_judged(judgement, "it takes too many steps", "limit"), culprit=("z.cc", 0))

    def ends(analyst: Analyst) -> None:
        leave_unread(analyst)
        analyst.ending._put(0.0)

    monkeypatch.setattr(catalogue, "judge", cut_off)
    monkeypatch.setattr(Analyst, "_leave_unread", ends)
    ended = pipeline.run(_options(tmp_path))
    assert {finding.path for finding in ended.findings} == {"a.cc"}
    assert "the run had to end before everything was analysed" in {each.reason for each in ended.lost}


def test_a_deadline_is_a_time_and_ends_with_2(tmp_path: Path) -> None:
    (tmp_path / "a.cc").write_text(CODE)
    command = [*COMMAND, "check", "--no-cache", "--types", "never"]
    done = subprocess.run([*command, "--deadline", "soon"], cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 2
    assert "--deadline" in done.stderr
    done = subprocess.run([*command, "--deadline", "0s"], cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 2
    assert "a.cc: stopped at a limit: the run had to end before everything was analysed" in done.stderr


@pytest.fixture
def _interruptible() -> Iterator[None]:
    """Whoever starts the tests in the background has them ignore interrupts."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


@pytest.mark.usefixtures("_interruptible")
def test_the_first_signal_asks_for_what_there_is() -> None:
    end = analysis.RunEnd()
    before = signal.getsignal(signal.SIGTERM)
    with end.on_signals():
        assert end.left > 0
        if callable(signal.getsignal(signal.SIGTERM)):
            signal.raise_signal(signal.SIGTERM)
        else:  # nobody handles it here
            signal.raise_signal(signal.SIGINT)
        assert end.left <= 0
        assert signal.getsignal(signal.SIGTERM) == before
    assert signal.getsignal(signal.SIGTERM) == before
