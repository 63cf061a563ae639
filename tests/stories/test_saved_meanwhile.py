"""A file is saved in an editor while it is checked: nothing is written, shown or remembered that was not analysed."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from ownlint import Edit, Finding, Fix, Function, catalogue, pipeline
from ownlint.report.model import Report
from ownlint.rule import Rule

sys.path.insert(0, str(Path(__file__).parents[1] / "cli"))

from command import Done, Run, in_folder

GUILTY = b"int bad_one() { return 1; }\n"
SAVED = b"// a line more\n" + GUILTY
MENDED = b"int good_one() { return 1; }\n"


def bad_name(function: Function) -> Iterator[Finding]:
    """`bad_x` is to be `good_x`."""
    name = function.record.name
    if name.startswith("bad_"):
        start = function.record.name_start
        span = type(function.record.span)(start, start + len(name))
        fix = Fix("call it good", (Edit(function.path, span, f"good_{name[4:]}"),), safe=True)
        yield function.finding(span, f"`{name}` is badly named", certainty="certain", fix=fix)


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]) -> Run:
    made = Rule("bad-name", "error", "Function", bad_name, "Bad.\n\nMore.\n", ("cpp",), "made-up", False, "made", ())
    monkeypatch.setattr(catalogue, "load", lambda: (made,))
    Path(tmp_path, "a.cc").write_bytes(GUILTY)
    Path(tmp_path, "b.cc").write_bytes(GUILTY.replace(b"one", b"two"))
    return in_folder(tmp_path, monkeypatch, capfd)


def check(run: Run, *arguments: str) -> Done:
    return run("check", "--types", "never", "--jobs", "1", *arguments)


@pytest.fixture(params=["cold", "warm"])
def saved_after(request: pytest.FixtureRequest, run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    """`a.cc` is saved between the analysis and what is done with its report, once; `warm`, the report is remembered."""
    if request.param == "warm":
        assert check(run).code == 1
    original = pipeline.run
    pending = [SAVED]

    def then_saved(options: pipeline.Options) -> Report:
        report = original(options)
        if pending:
            Path("a.cc").write_bytes(pending.pop())
        return report

    monkeypatch.setattr(pipeline, "run", then_saved)


@pytest.mark.usefixtures("saved_after")
def test_a_fix_leaves_it_alone_and_says_so(run: Run) -> None:
    done = check(run, "--fix")
    assert Path("a.cc").read_bytes() == SAVED
    assert Path("b.cc").read_bytes() == MENDED.replace(b"one", b"two")
    assert "warning: a.cc: changed after it was analysed; not changed\n" in done.err
    assert "fixed 1 finding\n" in done.err
    assert done.code == 1


@pytest.mark.usefixtures("saved_after")
def test_where_nothing_else_is_mended_its_findings_still_count(run: Run) -> None:
    Path("b.cc").unlink()
    done = check(run, "--fix")
    assert Path("a.cc").read_bytes() == SAVED
    assert done.err.count("not changed") == 1
    assert done.code == 1
    assert "a line more" not in done.out
    assert "mended" not in done.err


@pytest.mark.usefixtures("saved_after")
def test_a_diff_leaves_it_out(run: Run) -> None:
    done = check(run, "--diff")
    assert done.code == 1
    assert "a.cc" not in done.out
    assert "+int good_two()" in done.out
    assert "warning: a.cc: changed after it was analysed; not changed\n" in done.err


@pytest.mark.usefixtures("saved_after")
def test_no_comment_is_written_into_it(run: Run) -> None:
    done = check(run, "--add-suppressions", "kept")
    assert Path("a.cc").read_bytes() == SAVED
    assert b"ownlint: ignore" in Path("b.cc").read_bytes()
    assert "warning: a.cc: changed after it was analysed; not changed\n" in done.err
    assert done.code == 1


@pytest.mark.usefixtures("saved_after")
def test_its_fixes_are_not_exported(run: Run) -> None:
    done = check(run, "--export-fixes", "fixes.yaml")
    exported = json.loads(Path("fixes.yaml").read_text())["Diagnostics"]
    assert [Path(each["DiagnosticMessage"]["FilePath"]).name for each in exported] == ["b.cc"]
    assert "not changed" in done.err


@pytest.mark.usefixtures("saved_after")
@pytest.mark.parametrize("output_format", ["full", "html", "sarif", "rdjson", "json"])
def test_no_report_shows_another_text(run: Run, output_format: str) -> None:
    done = check(run, "--output-format", output_format)
    assert done.code == 1
    assert "a line more" not in done.out
    assert "a.cc" in done.out
    if output_format == "full":
        assert "1 | int bad_one" not in done.out
        assert "1 | int bad_two" in done.out
    if output_format == "sarif":
        marks = [each["partialFingerprints"] for each in json.loads(done.out)["runs"][0]["results"]]
        assert ["primaryLocationLineHash" in each for each in marks] == [False, True]
    if output_format == "rdjson":
        first, second = json.loads(done.out)["diagnostics"]
        assert first["location"]["range"]["start"] == {"line": 1}
        assert ("suggestions" in first, "suggestions" in second) == (False, True)


# --- before the findings have their places ----------------------------------------------------


def saving(monkeypatch: pytest.MonkeyPatch, texts: Iterator[bytes]) -> None:
    """Each time when rules have spoken, and before their findings are placed, the next text is saved."""
    original: Callable[..., Any] = pipeline._said

    def then_saved(*given: Any) -> Any:
        found = original(*given)
        if (text := next(texts, None)) is not None:
            Path("a.cc").write_bytes(text)
        return found

    monkeypatch.setattr(pipeline, "_said", then_saved)


def test_it_is_looked_at_again(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    saving(monkeypatch, iter([SAVED]))
    done = check(run, "--output-format", "concise", "a.cc")
    assert done.out == "a.cc:2:5: error[bad-name] `bad_one` is badly named\n"
    run("clean")
    saving(monkeypatch, iter([b"\n" + SAVED]))
    check(run, "--fix", "a.cc")
    assert Path("a.cc").read_bytes() == b"\n// a line more\n" + MENDED


def test_one_that_never_stands_still_is_named(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    saving(monkeypatch, (b"\n" * count + GUILTY for count in range(1, 100)))
    done = check(run, "--output-format", "json")
    report = json.loads(done.out)
    assert [each["path"] for each in report["findings"]] == ["b.cc"]
    assert [(each["path"], each["kind"]) for each in report["incomplete"]] == [("a.cc", "changed")]
    assert "warning: a.cc: changed during the run: its content had changed since it was analysed\n" in done.err
    assert done.code == 1  # that of the other findings
    monkeypatch.undo()


def test_a_baseline_is_made_of_what_was_analysed(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    run("baseline", "write", "--types", "never", "--baseline", "still.json")
    Path("a.cc").write_bytes(GUILTY)
    run("clean")
    saving(monkeypatch, iter([SAVED]))
    assert run("baseline", "write", "--types", "never", "--baseline", "moved.json").code == 0
    assert Path("still.json").read_text() == Path("moved.json").read_text()


# --- a process of its own ---------------------------------------------------------------------

PACK = '''"""Rules that save a file, as an editor would, in the middle of a run."""
'''
RULE = '''"""A name is bad.

More.

```cpp bad
int bad_one() { return 1; }  # error
```

```cpp good
int good_one() { return 1; }
```
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from ownlint import Edit, Finding, Fix, Function, rule


@rule(severity="error")
def name_is_bad(function: Function) -> Iterator[Finding]:
    name = function.record.name
    file = Path(function.path)
    if name.startswith("bad_"):
        if not file.read_bytes().startswith(b"// a line more"):
            file.write_bytes(b"// a line more\\n" + file.read_bytes())
        start = function.record.name_start
        span = type(function.record.span)(start, start + len(name))
        fix = Fix("call it good", (Edit(function.path, span, "good_" + name[4:]),), safe=True)
        yield function.finding(span, f"`{name}` is badly named", certainty="certain", fix=fix)
'''


def test_a_run_of_its_own_mends_what_was_saved_meanwhile(tmp_path: Path) -> None:
    site, project = tmp_path / "site", tmp_path / "project"
    for path, text in {
        site / "saving_rules/__init__.py": PACK,
        site / "saving_rules/made_up/__init__.py": '"""Made up."""\n',
        site / "saving_rules/made_up/name_is_bad.py": RULE,
        site / "saving_rules-1.0.dist-info/METADATA": "Metadata-Version: 2.1\nName: saving-rules\nVersion: 1.0\n",
        site / "saving_rules-1.0.dist-info/entry_points.txt": "[ownlint.rules]\nsaving = saving_rules\n",
        project / "ownlint.toml": "",
    }.items():
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    (project / "a.cc").write_bytes(GUILTY)
    command = [sys.executable, "-P", "-m", "ownlint", "check", "--fix", "--select", "name-is-bad", "--jobs", "1"]
    environment = {**os.environ, "PYTHONPATH": str(site)}
    done = subprocess.run(command, cwd=project, env=environment, capture_output=True, text=True, check=False)
    assert (project / "a.cc").read_bytes() == b"// a line more\n" + MENDED, done
    assert done.returncode == 0, done
