"""What is asked wrongly is told in one line, with the place where there is one; nothing is run and nothing is lost."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from tests import starting

from ownlint.cli import delivery

GUILTY = "from mlir.ir import Module\n\n\ndef entry(source):\n    return Module.parse(source).body.operations[0]\n"

FILES = {
    "ownlint.toml": "",
    "lowering.py": GUILTY,
    "open.toml": 'select = ["all"]\nignore = [\n',
    "key.toml": 'jobs = 2\nselct = ["all"]\n',
    "type.toml": 'jobs = "two"\n',
    "rule.toml": '\nignore = ["use-after-erse"]\n',
    "bytes.toml": "# fine\n# \udcff\n",
    "model.toml": 'models = ["tools/half.toml"]\n',
    "tools/half.toml": '[library]\nname = "half"\n\n[[function]]\nname = "f"\neffct = "acquire result"\n',
    "README.md": "# int* leaked = new int;\n",
    "cut.json": '{"version": 1, "findings": [\n',
    "list.json": "[]\n",
    "half.own.toml": "format = 1\n[\n",
}


@pytest.fixture
def project(tmp_path: Path) -> Path:
    for name, text in FILES.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(text, encoding="utf-8", errors="surrogateescape")
    return tmp_path


def ownlint(where: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("GIT_", "OWNLINT_"))}
    return starting.text(*arguments, cwd=where, env={**kept, "GIT_CEILING_DIRECTORIES": str(where.parent)})


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        ("chek", "unknown command `chek`; did you mean `check`?"),
        ("tools", "unknown command `tools`; to check a path of that name: `ownlint check tools`"),
        (
            "lowering.py -q",
            "unknown command `lowering.py`; to check a path of that name: `ownlint check lowering.py -q`",
        ),
        ("check --select use-after-erse", "--select: unknown rule `use-after-erse`; did you mean `use-after-erase`?"),
        ("check --output-format xml", "Invalid value for '--output-format': 'xml' is not one of"),
        ("check --output xml=report", "--output: unknown format `xml`"),
        ("check --output sarif", "--output: `sarif` has no file name: write `sarif=FILE`"),
        ("check --output sarif=none/x.sarif", "none/x.sarif: no such folder: none"),
        ("check --output-file tools", "tools: is a folder"),
        ("check --export-fixes none/x.yaml", "none/x.yaml: no such folder: none"),
        ("check none.py", "none.py: no such file or folder"),
        ("check --config tools", "tools: is a folder, not a file with settings"),
        ("check --config none.toml", "none.toml: no such file"),
        ("check --config open.toml", "{here}/open.toml:2: invalid value"),
        ("check --config key.toml", "{here}/key.toml:2: unknown key `selct`; did you mean `select`?"),
        ("check --config type.toml", "{here}/type.toml:1: `jobs`: expected `int | null`, got `str`"),
        ("check --config rule.toml", "{here}/rule.toml:2: unknown rule `use-after-erse`; did you mean"),
        ("check --config bytes.toml", "{here}/bytes.toml:2: not valid UTF-8"),
        ("check --config model.toml", "{here}/tools/half.toml:6: "),
        ("check --baseline cut.json", "cut.json:2: "),
        ("check --baseline list.json", "list.json:1: "),
        ("check --baseline none.json", "none.json: No such file or directory"),
        ("check --baseline tools", "tools: is a folder, not a file"),
        ("check --diff-base main", "--diff-base: {here} is not in a git repository"),
        ("check --build-path none", "none: no such compile database"),
        ("check --jobs 0", "Invalid value for '-j' / '--jobs': 0 is not in the range"),
        ("check --diff --add-suppressions why", "--diff and --add-suppressions cannot be combined"),
        ("check --stdin-filename tools", "tools: is a folder, not a file"),
        ("check -", "`-` is standard input: name the file it stands for with --stdin-filename, which decides"),
        (
            "facts README.md",
            "README.md: skipped: not a C++ or Python file name; add further files with `include` in the settings",
        ),
        ("check --severity error", "No such option '--severity'"),
        ("explain use-after-ers", "unknown rule `use-after-ers`; did you mean `use-after-erase`?"),
        ("facts tools", "tools: is a folder; name a file"),
        ("baseline show none.json", "none.json: No such file or directory"),
        ("config none", "none: no such file or folder"),
        ("config verify key.toml", "{here}/key.toml:2: unknown key `selct`; did you mean `select`?"),
        ("model show none", "none: no such file, and no contract of an installed package in"),
        ("model check half.own.toml", "half.own.toml:2: "),
        ("new-rule Wrong", "`Wrong` is not a valid rule name: use words joined by dashes that say what is wrong"),
        ("clean tools --cache-dir tools", "{here}/tools: is not a cache of ownlint: it has no CACHEDIR.TAG file"),
        ("doctor none", "none: no such file or folder"),
    ],
)
def test_one_line_says_what_is_wrong(project: Path, arguments: str, told: str) -> None:
    done = ownlint(project, *arguments.split())
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith(f"error: {told.format(here=project)}")
    assert done.stderr.count("\n") == 1
    assert {name: (project / name).read_text(errors="surrogateescape") for name in FILES} == FILES


def test_a_revision_that_is_none_is_named(project: Path) -> None:
    subprocess.run(["git", "init", "--quiet"], cwd=project, check=True)
    for revision in ("nosuch", "--output=x"):
        done = ownlint(project, "check", f"--diff-base={revision}")
        assert (done.returncode, done.stderr) == (2, f"error: --diff-base: `{revision}` is not a commit\n")


def test_a_place_that_cannot_be_written_is_told_before_the_work(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(os, "access", lambda path, mode: Path(path) != tmp_path)
    with pytest.raises(delivery.CannotRunError, match=r"report\.json: no permission to write there"):
        delivery.check_output(tmp_path / "report.json", tmp_path)
    delivery.check_output(Path(os.devnull), tmp_path)


# --- whoever reads us, or stops us ------------------------------------------------------------


@pytest.mark.parametrize("closed", [">&-", "2>&-", "<&-", "<&- >&- 2>&-"])
def test_a_stream_that_is_closed_leads_nowhere(project: Path, closed: str) -> None:
    command = f'"{sys.executable}" -m ownlint check --output json=report.json {closed}'
    done = subprocess.run(["bash", "-c", command], cwd=project, capture_output=True, text=True, check=False)
    assert done.returncode == 1
    assert "Traceback" not in done.stderr
    assert len(json.loads((project / "report.json").read_text())["findings"]) == 1


@pytest.mark.parametrize("after", [0.02, 0.08, 0.3, 0.8])
def test_an_interrupt_leaves_no_traceback_and_no_half_of_a_report(project: Path, after: float) -> None:
    for number in range(200):
        (project / f"more{number}.py").write_text(GUILTY)
    old = '{\n  "version": 1,\n  "findings": [],\n  "incomplete": [],\n  "suppressed": 0\n}\n'
    (project / "report.json").write_text(old)
    with subprocess.Popen(
        [sys.executable, "-m", "ownlint", "check", "--no-cache", "--output", "json=report.json"],
        cwd=project,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
    ) as process:
        time.sleep(after)
        process.send_signal(signal.SIGINT)
        assert process.stderr is not None
        err = process.stderr.read()
    if process.returncode == 130:
        assert err.strip() == "error: interrupted"
    elif process.returncode == -signal.SIGINT:  # too soon for a word
        assert "cli.py" not in err
    elif process.returncode == 2:  # while it judged: what was found by then is said, and what is missing
        assert "the run had to end before everything was analysed" in err
    else:  # too late
        assert process.returncode == 1
    text = (project / "report.json").read_text()
    if process.returncode == 2:
        assert json.loads(text)["incomplete"]
    else:
        assert text == old or len(json.loads(text)["findings"]) == 201
