"""What is worked out of strangers' code outside of the rules hurts nobody either: contracts, words that helpers give,
what files said before; and what is given up is named."""

from __future__ import annotations

import json
import os
import signal
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest
from command import Done, Run

from ownlint import analysis, steps
from ownlint.crossing import exports
from ownlint.domains.handles.handle_flow import HandleInterpreter
from ownlint.facts import anchors
from ownlint.reading import Facts

BINDINGS = """\
#include <pybind11/pybind11.h>
struct Doc { int size() { return 1; } };
PYBIND11_MODULE(_core, m) { py::class_<Doc>(m, "Doc").def("size", &Doc::size); }
"""

USE = """\
from mlir.ir import Module


def entry(source):
    return Module.parse(source).body.operations[0]


def use(source):
    return entry(source)
"""


def crash(*_given: object) -> object:
    os.kill(os.getpid(), signal.SIGKILL)
    return None


def too_long(*_given: object) -> object:
    while True:
        steps.spend(1000)


def hang(*_given: object) -> object:
    while True:
        pass


HURTS: dict[str, tuple[Callable[..., object], str]] = {
    "it crashes": (crash, "the analysis failed: its process crashed (SIGKILL)"),
    "it hangs": (hang, "the analysis failed: not finished within 2 s"),
    "it takes many steps": (too_long, "the analysis was cut off: a.cc: `size`: it takes too many steps"),
}


@pytest.mark.parametrize("how", HURTS)
@pytest.mark.parametrize("command", ["extract", "check"])
def test_a_contract_that_cannot_be_made_is_one_line(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, how: str, command: str
) -> None:
    hurt, reason = HURTS[how]
    monkeypatch.setattr(analysis, "DEFAULT", analysis.Limits(seconds=2))
    monkeypatch.setattr(exports.Exports, "_member", hurt)
    (tmp_path / "a.cc").write_text(BINDINGS)
    (tmp_path / "a.own.toml").write_text('format = 1\npackage = "a"\n')
    given = ("a.own.toml", ".") if command == "check" else (".", "--package", "a")
    done = run("model", command, *given)
    assert (done.code, done.out) == (2, "")
    assert done.err.splitlines()[-1].startswith(f"error: {reason}")


def test_words_that_cannot_be_found_are_named_and_the_rest_is_reported(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "a.py").write_text(USE)
    found = run("check", "--output-format", "json", "--no-cache")
    monkeypatch.setattr(anchors, "with_helpers", crash)
    done = run("check", "--output-format", "json")
    (named,) = json.loads(done.out)["incomplete"]
    assert (named["path"], named["kind"]) == ("", "limit")
    assert named["reason"].endswith("were not searched for: its process crashed (SIGKILL)")
    assert json.loads(done.out)["findings"] == json.loads(found.out)["findings"] != []
    assert run("check", "--output-format", "json").out == done.out  # it is not remembered as the whole truth
    monkeypatch.undo()
    monkeypatch.chdir(tmp_path)
    assert json.loads(run("check", "--output-format", "json").out)["incomplete"] == []


def test_facts_of_files_are_decoded_in_children(run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    git = ("git", "-c", "user.name=a", "-c", "user.email=a@b")
    (tmp_path / "a.cc").write_text(BINDINGS)
    (tmp_path / "a.py").write_text(USE)
    for command in (("init", "-q"), ("add", "."), ("commit", "-qm", "first")):
        subprocess.run([*git, *command], cwd=tmp_path, check=True)
    (tmp_path / "a.py").write_text(USE + "\n\ndef more(source):\n    return entry(source)\n")
    parent, whole = os.getpid(), Facts.files

    def files(facts: Facts) -> object:
        assert os.getpid() != parent
        return whole(facts)

    monkeypatch.setattr(Facts, "files", files)
    for command in (("check", "--no-cache"), ("check", "--no-cache", "--diff-base", "HEAD"), ("model", "extract")):
        assert run(*command).code in (0, 1)


# --- a function that is too large -----------------------------------------------------------------------


@pytest.fixture
def large(run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., Done]:
    monkeypatch.setattr(HandleInterpreter, "MOST_STEPS", 12)
    long = "\n".join(f"    use({number})" for number in range(20))
    (tmp_path / "a.py").write_text(f"{USE}\n\ndef large(source):\n    module = Module.parse(source)\n{long}\n")
    return lambda *more: run("check", "--output-format", "json", *more)


def test_it_is_named_once_where_it_stands(large: Callable[..., Done]) -> None:
    done = json.loads(large("--no-cache").out)
    assert done["incomplete"] == [
        {"path": "a.py", "kind": "limit", "reason": "line 12: function `large` is too large for some rules"}
    ]
    assert done["findings"]


def test_it_is_named_warm_as_cold(large: Callable[..., Done]) -> None:
    cold = large("--no-cache").out
    assert large().out == cold
    assert large().out == cold
    one = ("--select", "child-outlives-owner")
    assert large(*one).out == large("--no-cache", *one).out


# --- baselines ------------------------------------------------------------------------------------------


def test_a_baseline_keeps_what_was_not_judged(run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "a.py").write_text(USE)
    assert run("baseline", "write").code == 0
    known = (tmp_path / "ownlint-baseline.json").read_text()
    assert '"path":"a.py"' in known.replace(" ", "")
    monkeypatch.setattr(steps, "BUDGET", 1)
    monkeypatch.setattr(steps, "PER_BYTE", 0)
    for command in ("prune", "write"):
        done = run("baseline", command, "--no-cache")
        assert (done.code, (tmp_path / "ownlint-baseline.json").read_text()) == (0, known)
        assert (
            "warning: not everything was analysed; entries of ownlint-baseline.json for the rest are kept" in done.err
        )
    checked = run("check", "--no-cache", "--isolated", "--baseline", "ownlint-baseline.json")
    assert "stale" not in checked.err
    monkeypatch.setattr(steps, "BUDGET", 10**6)
    (tmp_path / "a.py").write_text("x = 1\n")
    assert "removed 1 entry" in run("baseline", "prune", "--no-cache").err
