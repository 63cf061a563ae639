"""What the pages tell people to copy into other tools is read, and where it can be run, run by those tools."""

from __future__ import annotations

import ast
import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any, NamedTuple

import pytest
import yaml
from tests.consoles import path_with_ownlint

ROOT = Path(__file__).parents[2]
PAGES = sorted([ROOT / "README.md", ROOT / "CONTRIBUTING.md", *(ROOT / "docs").glob("*.md")])

FENCE = re.compile(r"^```(?P<language>\w+)(?: \S+)?\n(?P<text>.*?)^```$", re.MULTILINE | re.DOTALL)

GUILTY = "from mlir.ir import Module\n\n\ndef entry(source):\n    return Module.parse(source).body.operations[0]\n"


class Snippet(NamedTuple):
    page: str
    language: str
    text: str


def snippets(*languages: str) -> list[Snippet]:
    return [
        Snippet(page.name, fence["language"], fence["text"])
        for page in PAGES
        for fence in FENCE.finditer(page.read_text(encoding="utf-8"))
        if fence["language"] in languages
    ]


def the(language: str) -> str:
    """The one snippet of this language in the page about other tools."""
    (found,) = (each.text for each in snippets(language) if each.page == "integrating.md")
    return found


# --- YAML -------------------------------------------------------------------------------------

STEPS = "on: push\njobs:\n  job:\n    runs-on: ubuntu-latest\n    steps:\n"


def whole(text: str) -> tuple[str, str]:
    """The name of the schema and the file it is for; a part of a workflow is put where it belongs."""
    if re.match(r"\s+- ", text):
        return "vendor.github-workflows", STEPS + text
    document: dict[str, Any] = yaml.safe_load(text)
    if "repos" in document:
        return "pre-commit", text
    if "jobs" in document:
        return "vendor.github-workflows", text if True in document else f"on: push\n{text}"  # `on` is a YAML 1.1 yes
    return "vendor.gitlab-ci", text


def test_there_is_one_of_each() -> None:
    kinds = [whole(each.text)[0] for each in snippets("yaml") if each.page == "integrating.md"]
    github = "vendor.github-workflows"
    assert kinds == ["pre-commit", "pre-commit", github, github, github, "vendor.gitlab-ci", github]


def valid(schema: str, path: Path) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "check_jsonschema", "--builtin-schema", schema, str(path)]
    if schema == "pre-commit":
        command = [sys.executable, "-m", "pre_commit", "validate-config", str(path)]
    return subprocess.run(command, capture_output=True, text=True, check=False)


@pytest.mark.parametrize("snippet", snippets("yaml"), ids=lambda each: f"{each.page}-{each.text.split()[0]}")
def test_yaml_is_what_its_reader_takes(snippet: Snippet, tmp_path: Path) -> None:
    schema, text = whole(snippet.text)
    (tmp_path / "file.yml").write_text(text)
    done = valid(schema, tmp_path / "file.yml")
    assert done.returncode == 0, done.stdout + done.stderr


def test_the_action_and_the_hooks_are_what_their_readers_take() -> None:
    assert valid("vendor.github-actions", ROOT / "action.yml").returncode == 0
    manifest = [sys.executable, "-m", "pre_commit", "validate-manifest", str(ROOT / ".pre-commit-hooks.yaml")]
    assert subprocess.run(manifest, check=False).returncode == 0


def test_the_workflow_gives_the_action_what_it_asks_for() -> None:
    action = yaml.safe_load((ROOT / "action.yml").read_text())
    for snippet in snippets("yaml"):
        schema, text = whole(snippet.text)
        if schema != "vendor.github-workflows" or "YOUR-NAME/ownlint@" not in text:
            continue
        (steps,) = (job["steps"] for job in yaml.safe_load(text)["jobs"].values())
        own = [step for step in steps if str(step.get("uses", "")).startswith("YOUR-NAME/ownlint@")]
        assert set().union(*(step.get("with", {}) for step in own)) <= set(action["inputs"])
        assert [step for step in own[1:] if not step.get("continue-on-error")] == []
        for used in re.findall(r"steps\.(\S+?)\.outputs\.([\w-]+)", text):
            assert used[0] == own[0]["id"]
            assert used[1] in action["outputs"]


PLACEHOLDER = re.compile(r"\b(?:YOUR|OWNER|MY|FIXME|TODO)\b[\w-]*(?=/)|@v?\d+\.\d+\.\d+|\brev: *\S+|\bREVISION\b")


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_what_cannot_be_copied_says_what_stands_for_it(page: Path) -> None:
    """No release and no address is made up; what has to be filled in is told before, and on its line in a file."""
    text = page.read_text(encoding="utf-8")
    found = {match[0].removeprefix("rev:").strip() for match in PLACEHOLDER.finditer(text)}
    assert found <= {"YOUR-NAME", "REVISION"}
    for name in sorted(found):
        assert "stands for" in text[: text.index("```", text.index(name))]
    for line in text.splitlines():
        if "YOUR-NAME/ownlint" in line and "stands for" not in line:
            assert "# your copy" in line


# --- what is run ------------------------------------------------------------------------------


@pytest.fixture
def project(tmp_path: Path) -> Path:
    to = tmp_path / "project"
    to.mkdir()
    (to / "ownlint.toml").write_text("")
    (to / "lowering.py").write_text(GUILTY)
    return to


@pytest.fixture
def surroundings(tmp_path: Path) -> dict[str, str]:
    return {**os.environ, "PATH": path_with_ownlint(tmp_path / "bin")}


def shell(script: str, where: Path, surroundings: dict[str, str]) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        ["bash", "-e", "-c", script], cwd=where, env=surroundings, capture_output=True, text=True, check=False
    )


def test_the_local_hooks_stop_a_commit_with_a_bug(project: Path, surroundings: dict[str, str]) -> None:
    """README's and that of the page about other tools: the same, which lets an old finding be."""
    texts = [each.text for each in snippets("yaml") if "repo: local" in each.text]
    hooks = [yaml.safe_load(text)["repos"][0]["hooks"][0] for text in texts]
    assert len(hooks) >= 2
    assert [hook for hook in hooks if hook != hooks[0]] == []
    manifest = yaml.safe_load((ROOT / ".pre-commit-hooks.yaml").read_text(encoding="utf-8"))
    assert hooks[0]["entry"] == next(hook["entry"] for hook in manifest if hook["id"] == hooks[0]["id"])
    surroundings |= {"PRE_COMMIT_HOME": str(project.parent / "home"), "GIT_CONFIG_GLOBAL": os.devnull}
    (project / ".pre-commit-config.yaml").write_text(texts[0])
    who = "git -c user.name=x -c user.email=x@example.org"
    made = shell(f"git init -q; git add .; {who} commit -qm old; echo x = 1 > new.py; git add .", project, surroundings)
    assert made.returncode == 0, made.stderr
    run = f"{sys.executable} -m pre_commit run"
    assert shell(run, project, surroundings).returncode == 0
    (project / "new.py").write_text(GUILTY)
    done = shell(f"git add .; {run}", project, surroundings)
    assert done.returncode == 1
    assert "--> new.py:5" in done.stdout
    assert "lowering.py" not in done.stdout


def test_what_gitlab_runs_writes_what_gitlab_reads(project: Path, surroundings: dict[str, str]) -> None:
    (text,) = (each.text for each in snippets("yaml") if whole(each.text)[0] == "vendor.gitlab-ci")
    job = yaml.safe_load(text)["ownlint"]
    install, *commands = job["script"]
    assert install.startswith("pip install ")
    done = shell("\n".join(commands), project, surroundings)
    assert done.returncode == 1, done.stderr
    (issue,) = json.loads((project / job["artifacts"]["reports"]["codequality"]).read_text())
    assert issue["location"]["path"] == "lowering.py"


def test_what_jenkins_runs_writes_what_jenkins_reads(project: Path, surroundings: dict[str, str]) -> None:
    text = the("groovy")
    assert text.count("{") == text.count("}")
    (command,) = re.findall(r"sh '([^']*)'", text)
    (pattern,) = re.findall(r"pattern: '([^']*)'", text)
    done = shell(command, project, surroundings)
    assert done.returncode == 0, done.stderr
    assert len(json.loads((project / pattern).read_text())["runs"][0]["results"]) == 1


def test_the_lines_for_the_matcher_run(project: Path, surroundings: dict[str, str]) -> None:
    (text,) = (each.text for each in snippets("yaml") if "add-matcher" in each.text)
    (step,) = yaml.safe_load(text)
    done = shell(step["run"], project, surroundings)
    assert done.returncode == 1
    assert done.stdout.splitlines()[1].startswith("lowering.py:5:12: error[")


@pytest.mark.skipif(shutil.which("cmake") is None, reason="cmake is not installed")
def test_cmake_runs_the_target(project: Path, surroundings: dict[str, str]) -> None:
    before = "cmake_minimum_required(VERSION 3.20)\nproject(engine LANGUAGES CXX)\n"
    after = "add_library(engine STATIC engine.cc)\n"
    (project / "CMakeLists.txt").write_text(before + the("cmake") + after)
    (project / "engine.cc").write_text("int* make() { return new int; }\n")
    configured = shell("cmake -S . -B build", project, surroundings)
    assert configured.returncode == 0, configured.stderr
    done = shell("cmake --build build --target ownlint", project, surroundings)
    assert done.returncode != 0
    assert "error[child-outlives-owner]" in done.stdout
    assert "compile_commands.json" not in done.stdout + done.stderr  # it was found
    assert (project / "build" / "ownlint" / "CACHEDIR.TAG").is_file()
    (project / "lowering.py").unlink()
    assert shell("cmake --build build --target ownlint", project, surroundings).returncode == 0


def test_bazels_test_runs_in_a_tree_of_links(project: Path, surroundings: dict[str, str], tmp_path: Path) -> None:
    rule = ast.parse(the("python"))
    assert [node.func.id for node in ast.walk(rule) if isinstance(node, ast.Call) and isinstance(node.func, ast.Name)]
    runfiles = tmp_path / "runfiles"
    runfiles.mkdir()
    for path in project.iterdir():
        (runfiles / path.name).symlink_to(path)
    (tmp_path / "own").mkdir()
    done = shell(the("sh"), runfiles, {**surroundings, "TEST_TMPDIR": str(tmp_path / "own")})
    assert done.returncode == 1, done.stderr
    assert "lowering.py:5:12" in done.stdout
    assert sorted(path.name for path in runfiles.iterdir()) == ["lowering.py", "ownlint.toml"]
