"""The action as a runner would use it: its YAML read, its scripts run by bash, its matcher on what `concise` prints."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml

ROOT = Path(__file__).parents[2]
ACTION: dict[str, Any] = yaml.safe_load((ROOT / "action.yml").read_text(encoding="utf-8"))
MATCHERS = json.loads((ROOT / "integrations" / "problem-matcher.json").read_text(encoding="utf-8"))["problemMatcher"]

GUILTY = """\
from mlir.ir import Module


def entry(source):
    module = Module.parse(source)
    return module.body.operations[0]
"""


def steps() -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = ACTION["runs"]["steps"]
    return found


def script(name: str) -> str:
    return str(next(step["run"] for step in steps() if step["name"] == name))


def runs() -> list[dict[str, Any]]:
    return [step for step in steps() if "run" in step]


def test_the_action_is_composite_and_uses_one_of_others_by_its_commit() -> None:
    assert ACTION["runs"]["using"] == "composite"
    assert all(step["shell"] == "bash" for step in runs())
    used = [step["uses"] for step in steps() if "run" not in step]
    assert all(re.fullmatch(r"actions/cache/(restore|save)@[0-9a-f]{40}", each) for each in used)
    names = {"paths", "args", "working-directory", "version", "sarif-file", "suite", "cache"}
    assert set(ACTION["inputs"]) == names
    assert all(each["description"] for each in (*ACTION["inputs"].values(), *ACTION["outputs"].values()))


def test_what_others_say_reaches_a_script_by_its_environment_alone() -> None:
    """Text between `${{ }}` in a script would be run."""
    assert [step["name"] for step in runs() if "${{" in step["run"]] == []


def test_inputs_and_outputs_are_those_that_the_steps_know() -> None:
    said = json.dumps(steps())
    assert set(re.findall(r"inputs\.([\w-]+)", said)) == set(ACTION["inputs"])
    for step in steps():
        if "id" in step and "run" in step:
            written = set(re.findall(r'echo "([\w-]+)=', step["run"]))
            asked = re.findall(rf"steps\.{step['id']}\.outputs\.([\w-]+)", json.dumps(ACTION))
            assert written == set(asked)
    assert set(re.findall(r"steps\.check\.outputs\.([\w-]+)", json.dumps(ACTION["outputs"]))) == set(ACTION["outputs"])


def test_what_is_restored_is_what_is_saved() -> None:
    kept: dict[str, list[Any]] = {"restore": [], "save": []}
    for step in steps():
        if "uses" in step:
            assert "inputs.cache == 'true'" in step["if"]
            kept[step["uses"].split("@")[0].rpartition("/")[2]].append((step["with"]["path"], step["with"]["key"]))
    assert kept["restore"] == kept["save"]
    assert len(kept["save"]) == 2
    (install,) = (step["env"] for step in steps() if step["name"] == "Install ownlint")
    (check,) = (step["env"] for step in steps() if step["name"] == "Check")
    assert [path for path, _ in kept["save"]] == [install["PIP_CACHE_DIR"], check["OWNLINT_CACHE_DIR"]]
    facts = steps()[-1]
    assert facts["if"].startswith("always() && ")  # a run with findings has failed


class Runner:
    """What GitHub's runner gives to a step."""

    def __init__(self, folder: Path, home: Path | None = None) -> None:
        """`home` is one that has been used before, with the caches that are in it."""
        self.workspace = folder / "work space"
        self.temporary = folder / "temp"
        self.home = home or folder / "home"
        self.output = folder / "output"
        self.summary = folder / "summary"
        for place in (self.workspace, self.temporary, self.home):
            place.mkdir(exist_ok=place == home)
        self.output.touch()
        self.summary.write_text("before\n")

    def use_this_ownlint(self) -> None:
        """In the place where the first step would have installed it."""
        commands = self.temporary / "ownlint-venv" / "bin"
        commands.mkdir(parents=True)
        for name, arguments in (("ownlint", "-P -m ownlint "), ("python", "")):
            command = commands / name
            command.write_text(f'#!/bin/sh\nexec "{sys.executable}" {arguments}"$@"\n')
            command.chmod(0o755)

    def run(self, step: str, action: Path = ROOT, **inputs: str) -> subprocess.CompletedProcess[str]:
        """A step with its script, with `inputs` by their names, dashes written as `_`."""
        stated = {name: str(each["default"]) for name, each in ACTION["inputs"].items()}
        stated |= {name.replace("_", "-"): value for name, value in inputs.items()}
        known = {f"inputs.{name}": value for name, value in stated.items()} | {"github.action_path": str(action)}
        known |= {f"steps.prepare.outputs.{name}": value for name, value in self.outputs.items()}
        (asked,) = (each for each in steps() if each["name"] == step)
        environment = {
            "PATH": os.environ["PATH"],
            "PYTHONPATH": os.environ.get("PYTHONPATH", ""),
            "HOME": str(self.home),
            "GITHUB_WORKSPACE": str(self.workspace),
            "GITHUB_OUTPUT": str(self.output),
            "GITHUB_STEP_SUMMARY": str(self.summary),
            "RUNNER_TEMP": str(self.temporary),
            **{key: value for key, value in os.environ.items() if key.startswith("PIP_")},
            **{
                key: re.sub(r"\$\{\{ (\S+) \}\}", lambda at: known[at[1]], value) for key, value in asked["env"].items()
            },
        }
        return subprocess.run(
            ["bash", "--noprofile", "--norc", "-e", "-o", "pipefail", "-c", asked["run"]],
            cwd=self.workspace,
            env=environment,
            capture_output=True,
            text=True,
            check=False,
            stdin=subprocess.DEVNULL,
        )

    def check(self, **inputs: str) -> subprocess.CompletedProcess[str]:
        if not self.outputs:
            assert self.run("Prepare", **inputs).returncode == 0
        return self.run("Check", **inputs)

    @property
    def told(self) -> dict[str, str]:
        """What the step of the check says to later ones."""
        return {name: value for name, value in self.outputs.items() if name in ACTION["outputs"]}

    @property
    def outputs(self) -> dict[str, str]:
        return dict(line.split("=", 1) for line in self.output.read_text().splitlines())


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """What is the same for every project is worked out once."""
    return tmp_path_factory.mktemp("home")


@pytest.fixture
def runner(tmp_path: Path, home: Path) -> Runner:
    made = Runner(tmp_path, home)
    made.use_this_ownlint()
    (made.workspace / "lowering.py").write_text(GUILTY)
    (made.workspace / "ownlint.toml").write_text("")
    return made


def test_a_bug_is_annotated_written_as_sarif_and_summed_up(runner: Runner) -> None:
    done = runner.check()
    assert done.returncode == 1, done.stderr
    assert "::error file=lowering.py,line=6," in done.stdout
    sarif = json.loads((runner.workspace / "ownlint.sarif").read_text())
    assert [result["ruleId"] for result in sarif["runs"][0]["results"]] == ["child-outlives-owner"]
    assert runner.told == {"sarif-file": "ownlint.sarif", "exit-code": "1"}
    before, summary = runner.summary.read_text().split("\n", 1)
    assert before == "before"
    assert summary.startswith("## ownlint\n")


def test_a_clean_project_passes(runner: Runner) -> None:
    (runner.workspace / "lowering.py").write_text("x = 1\n")
    done = runner.check()
    assert (done.returncode, runner.outputs["exit-code"]) == (0, "0")
    assert "No problems found" in runner.summary.read_text()


def test_inputs_are_words_and_never_code(runner: Runner) -> None:
    (runner.workspace / "a b").mkdir()
    (runner.workspace / "a b" / "$(touch ran).py").write_text(GUILTY)
    done = runner.check(
        paths="a b/$(touch ran).py\n", args="--certainty  likely\n --exit-zero", sarif_file="out/$(x).sarif"
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.count("::error") == 1
    assert (runner.workspace / "out" / "$(x).sarif").is_file()
    assert not (runner.workspace / "ran").exists()


def test_a_sarif_file_may_be_left_out(runner: Runner) -> None:
    assert runner.check(sarif_file="").returncode == 1
    assert runner.told == {"exit-code": "1"}


def test_a_path_that_looks_like_an_option_is_a_path(runner: Runner) -> None:
    done = runner.check(paths="--exit-zero")
    assert done.returncode == 2
    assert "--exit-zero: no such file or folder" in done.stderr
    assert runner.outputs["exit-code"] == "2"


def test_args_are_quoted_as_in_a_shell(runner: Runner) -> None:
    (runner.workspace / "a b").mkdir()
    (runner.workspace / "a b" / "other.py").write_text(GUILTY)
    settings = runner.workspace / "of 'mine'.toml"
    settings.write_text('exclude = ["a b/*"]\n')
    done = runner.check(args="""--select "handles, locks" --config 'of '\\''mine'\\'.toml""")
    assert done.returncode == 1, done.stderr
    assert done.stdout.count("::error") == 1
    assert "::error file=lowering.py" in done.stdout


@pytest.mark.parametrize(
    "args", ["$(touch ran)", "`touch ran`", "; touch ran", "&& touch ran", "> ran", "$HOME", "*", "-- --x", "\\\ntouch"]
)
def test_args_are_never_code(runner: Runner, args: str) -> None:
    done = runner.check(args=args)
    assert done.returncode == 2, done.stdout
    assert done.stderr.startswith("error: ")
    assert done.stderr.count("\n") == 1
    assert sorted(path.name for path in runner.workspace.iterdir()) == ["lowering.py", "ownlint.toml"]


@pytest.mark.parametrize("args", ["--select 'locks", '"', "x\\"])
def test_args_that_end_too_early(runner: Runner, args: str) -> None:
    done = runner.check(args=args)
    assert done.returncode == 2
    assert done.stdout == "::error::the input `args` ends inside of a quotation\n"
    assert runner.told == {"exit-code": "2"}


def test_a_folder_of_the_workspace(runner: Runner) -> None:
    (runner.workspace / "a sub").mkdir()
    (runner.workspace / "a sub" / "inner.py").write_text(GUILTY)
    (runner.workspace / "a sub" / "ownlint.toml").write_text("")
    done = runner.check(working_directory="a sub", paths="inner.py")
    assert done.returncode == 1, done.stderr
    assert done.stdout.count("::error") == 1
    assert "inner.py,line=6," in done.stdout
    assert runner.told["sarif-file"] == "ownlint.sarif"  # as those see it who read it
    assert (runner.workspace / "ownlint.sarif").is_file()


@pytest.mark.parametrize("folder", ["none", "lowering.py", "..", "/", "out", "-", "$(touch ran)", ""])
def test_a_folder_that_is_none(runner: Runner, folder: str) -> None:
    (runner.workspace / "out").symlink_to("/")
    done = runner.check(working_directory=folder)
    if not folder:  # the workspace
        assert done.returncode == 1
        return
    assert done.returncode == 2
    assert done.stdout == "::error::the input `working-directory` names no folder of the workspace\n"
    assert runner.told == {"exit-code": "2"}
    assert not (runner.workspace / "ran").exists()


def test_caches_are_outside_of_the_checkout(runner: Runner, tmp_path: Path) -> None:
    runner.home = tmp_path / "new home"
    runner.home.mkdir()
    assert runner.run("Prepare").returncode == 0
    folders = [Path(runner.outputs[name]) for name in ("pip-folder", "facts-folder")]
    assert [folder.parent for folder in folders] == [runner.home / ".cache"] * 2
    runner.check()
    assert (folders[1] / "CACHEDIR.TAG").is_file()
    assert sorted(path.name for path in runner.workspace.iterdir()) == ["lowering.py", "ownlint.sarif", "ownlint.toml"]


def test_a_cache_is_of_one_folder_and_of_what_is_installed(runner: Runner) -> None:
    def keys(**inputs: str) -> tuple[str, str]:
        runner.output.write_text("")
        assert runner.run("Prepare", **inputs).returncode == 0
        return runner.outputs["pip-key"], runner.outputs["facts-key"]

    downloads, facts = keys()
    assert keys() == (downloads, facts)
    assert keys(version="1.0")[0] != downloads
    assert keys(working_directory="sub")[1] != facts
    assert all(re.fullmatch("[0-9a-f]{16}", key) for key in (downloads, facts))


@pytest.mark.parametrize("version", ["--index-url=x", "1; touch ran", "../x", "1 2"])
def test_a_version_is_a_version(runner: Runner, version: str) -> None:
    done = runner.run("Prepare", version=version)
    assert done.returncode == 2
    assert done.stdout.startswith("::error::")


IMPORTED = ("venv", "ensurepip", "pip", "shlex", "os", "subprocess", "site", "sitecustomize", "ownlint")


@pytest.mark.slow
def test_it_installs_itself_and_runs_nothing_of_the_checkout(tmp_path: Path) -> None:
    runner = Runner(tmp_path)
    action = tmp_path / "action"
    for name in ("linter", "rules"):
        shutil.copytree(ROOT / name, action / name, ignore=shutil.ignore_patterns("__pycache__"))
    for name in ("pyproject.toml", "README.md", "LICENSE"):
        shutil.copy(ROOT / name, action)
    (runner.workspace / "lowering.py").write_text(GUILTY)
    for name in IMPORTED:
        (runner.workspace / f"{name}.py").write_text(f"open({str(tmp_path / 'ran')!r}, 'w')\n")
    for step in ("Prepare", "Install ownlint"):
        done = runner.run(step, action)
        assert done.returncode == 0, done.stderr
    done = runner.check(args="--select handles")
    assert (done.returncode, done.stderr.count("Traceback")) == (1, 0)
    assert "::error file=lowering.py,line=6," in done.stdout
    assert not (tmp_path / "ran").exists()


# --- the problem matcher ----------------------------------------------------------------------


def matched(line: str) -> dict[str, str]:
    """As the runner does it: the first matcher that fits; what names no severity gets its own."""
    for matcher in MATCHERS:
        (pattern,) = matcher["pattern"]
        if found := re.fullmatch(pattern["regexp"].removeprefix("^").removesuffix("$"), line):
            told = {key: found[number] for key, number in pattern.items() if key != "regexp"}
            return {"severity": matcher.get("severity", ""), **told}
    return {}


@pytest.fixture(scope="module")
def concise() -> list[str]:
    command = [sys.executable, "-m", "ownlint", "check", "examples/turbine", "--output-format", "concise", "--no-cache"]
    return subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False).stdout.splitlines()


def test_the_matcher_reads_what_concise_prints(concise: list[str]) -> None:
    assert len(concise) > 10
    for line in concise:
        told = matched(line)
        assert (ROOT / told["file"]).is_file()
        assert int(told["line"]) > 0
        assert int(told["column"]) > 0
        assert told["severity"] in ("error", "warning", "notice")
        assert line.endswith(f"[{told['code']}] {told['message']}")
    assert {matched(line)["severity"] for line in concise} <= {"error", "warning", "notice"}


def test_the_matcher_knows_a_note_and_leaves_other_lines_alone() -> None:
    assert matched("a b.cc:1:2: note[redundant-cast]: x") == {}
    told = matched("a b.cc:1:2: note[redundant-cast] a cast: b[1]")
    assert told["severity"] == "notice"
    assert told["message"] == "a cast: b[1]"
    for line in ("Found 2 problems (2 errors) in 1 file", "warning: a.py: not read: line 1: bad", ""):
        assert matched(line) == {}


NODE = """\
const [matchers, lines] = JSON.parse(require("fs").readFileSync(0, "utf8"));
const told = lines.map((line) => {
  for (const matcher of matchers) {
    const { regexp, ...parts } = matcher.pattern[0];
    const found = new RegExp(regexp).exec(line);
    if (!found) continue;
    const named = Object.entries(parts).map(([name, number]) => [name, found[number]]);
    return { severity: matcher.severity || "", ...Object.fromEntries(named) };
  }
  return {};
});
console.log(JSON.stringify(told));
"""


@pytest.mark.skipif(shutil.which("node") is None, reason="node is not installed")
def test_javascript_reads_the_same_as_python(concise: list[str]) -> None:
    """The runner reads the expressions as JavaScript does, for which `$` is not before a line's end and `.` is more."""
    lines = [
        "a b.cc:1:2: note[redundant-cast] a cast: b[1]",
        "src/été 漢.cc:10:22: error[use-after-erase] `x` is used: a.cc:1:2: error[other] no",
        "C:/x.cc:1:2: warning[two-owners] \\u{1b}[31m",
        "a.cc:1:2: error[use-after-erase] \u2028 x",
        "a.cc:1:2: error[use-after-erase] ",
        "a.cc:1: error[use-after-erase] x",
        "Found 2 problems (2 errors) in 1 file",
        "",
    ]
    lines += concise
    told = subprocess.run(
        ["node", "-e", NODE], input=json.dumps([MATCHERS, lines]), capture_output=True, text=True, check=True
    )
    read = json.loads(told.stdout)
    assert [
        each for each, line in zip(read, lines, strict=True) if each != matched(line) and "\u2028" not in line
    ] == []
    assert read[3] == {}  # which is why no message holds a raw one
    assert sum(bool(each) for each in read) > 10


def test_each_matcher_has_its_own_owner_and_a_severity() -> None:
    owners = [matcher["owner"] for matcher in MATCHERS]
    assert len(set(owners)) == len(owners)
    assert all("severity" in {**matcher, **matcher["pattern"][0]} for matcher in MATCHERS)
