"""Settings in sub-folders: places as those who read a report find them, and the nearest settings for each file."""

from __future__ import annotations

import json
import os
import re
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlsplit
from xml.etree import ElementTree as ET

import pytest
from tests import starting

GUILTY = """\
from mlir.ir import Module


def entry(source):
    module = Module.parse(source)
    return module.body.operations[0]
"""
RULE = "child-outlives-owner"
LINE = "    return module.body.operations[0]"


def ownlint(where: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    ours = ("NO_COLOR", "FORCE_COLOR", "GITHUB_WORKSPACE", "OWNLINT_CACHE_DIR")
    environment = {k: v for k, v in os.environ.items() if k not in ours and not k.startswith("GIT_")}
    return starting.text(*arguments, cwd=where, env=environment)


def git(where: Path, *arguments: str) -> str:
    who = ["-c", "user.name=story", "-c", "user.email=story@example.invalid", "-c", "protocol.file.allow=always"]
    environment = {k: v for k, v in os.environ.items() if not k.startswith("GIT_")}
    ran = subprocess.run(
        ["git", *who, *arguments], cwd=where, env=environment, capture_output=True, text=True, check=False
    )
    assert ran.returncode == 0, ran.stderr
    return ran.stdout.strip()


def write(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    """A work tree whose settings stand in a sub-folder, and a guilty file on both sides."""
    top = tmp_path / "tree"
    write(top / "bindings" / "pyproject.toml", "[tool.ownlint]\n")
    write(top / "bindings" / "python" / "lowering.py", GUILTY)
    write(top / "tools" / "dump.py", f"import os\n{GUILTY}")
    git(top, "init", "-q")
    return top


# --- places -----------------------------------------------------------------------------------

Place = tuple[str, int]


def of_sarif(text: str) -> Iterator[Place]:
    """As code scanning reads it: an address relative to the source root is one of the repository."""
    (run,) = json.loads(text)["runs"]
    for result in run["results"]:
        flows = (step["location"] for flow in result["codeFlows"] for step in flow["threadFlows"][0]["locations"])
        for location in (*result["locations"], *flows):
            physical = location["physicalLocation"]
            artifact = physical["artifactLocation"]
            if "uriBaseId" in artifact:
                assert artifact["uriBaseId"] in run["originalUriBaseIds"]
                assert ".." not in artifact["uri"].split("/")
            yield unquote(urlsplit(artifact["uri"]).path), physical["region"]["startLine"]


def of_json(text: str) -> Iterator[Place]:
    for finding in json.loads(text)["findings"]:
        yield from of_finding(finding)


def of_json_lines(text: str) -> Iterator[Place]:
    for line in text.splitlines():
        yield from of_finding(json.loads(line))


def of_finding(finding: dict[str, Any]) -> Iterator[Place]:
    for place in (finding, *finding["steps"]):
        yield place["path"], place["line"]


def of_gitlab(text: str) -> Iterator[Place]:
    for issue in json.loads(text):
        yield issue["location"]["path"], issue["location"]["positions"]["begin"]["line"]
        for path, line in re.findall(r"^\d+\. (.+?):(\d+): ", issue["content"]["body"], re.MULTILINE):
            yield path, int(line)


def of_rdjson(text: str) -> Iterator[Place]:
    for diagnostic in json.loads(text)["diagnostics"]:
        for place in (diagnostic, *diagnostic["related_locations"]):
            yield place["location"]["path"], place["location"]["range"]["start"]["line"]


def of_junit(text: str) -> Iterator[Place]:
    for case in ET.fromstring(text).iter("testcase"):
        yield case.attrib["file"], int(case.attrib["line"])


def of_github(text: str) -> Iterator[Place]:
    for path, line in re.findall(r"^::error file=([^,]*),line=(\d+),", text, re.MULTILINE):
        yield path, int(line)


def of_markdown(text: str) -> Iterator[Place]:
    for path, line in re.findall(r"`([^`\s]+\.py):(\d+)", text):
        yield path, int(line)


READERS: dict[str, Callable[[str], Iterator[Place]]] = {
    "sarif": of_sarif,
    "json": of_json,
    "json-lines": of_json_lines,
    "gitlab": of_gitlab,
    "rdjson": of_rdjson,
    "junit": of_junit,
    "github": of_github,
    "markdown": of_markdown,
}


def pointed_at(where: Path, base: Path, *paths: str) -> dict[str, set[str]]:
    """By format, the files that a check there speaks of, each found as its reader finds it, below `base`."""
    folder = base.parent / "reports"
    folder.mkdir(exist_ok=True)
    outputs = [f"--output={name}={folder / name}" for name in READERS]
    done = ownlint(where, "check", "-q", "--output-format", "concise", *outputs, *paths)
    assert done.returncode == 1, done.stderr
    document = json.loads((folder / "json").read_text())
    assert (where / document["base"]).resolve() == base.resolve()
    found: dict[str, set[str]] = {}
    for name, places in READERS.items():
        found[name] = set()
        for path, line in places((folder / name).read_text()):
            lines = (base / path).read_text().splitlines()
            assert lines[line - 1] in (LINE, "    module = Module.parse(source)"), f"{name}: {path}:{line}"
            found[name].add(path)
    return found


def everywhere(*paths: str) -> dict[str, set[str]]:
    return {name: set(paths) for name in READERS}


LOWERING, DUMP = "bindings/python/lowering.py", "tools/dump.py"


@pytest.mark.parametrize(
    ("where", "path", "expected"),
    [
        (".", "bindings", (LOWERING,)),
        ("bindings", ".", (LOWERING,)),
        ("tools", "..", (LOWERING, DUMP)),
        ("..", "tree/bindings/python/lowering.py", (LOWERING,)),
        ("..", "tree", (LOWERING, DUMP)),
    ],
)
def test_reports_speak_paths_from_the_top_of_the_tree(
    tree: Path, where: str, path: str, expected: tuple[str, ...]
) -> None:
    assert pointed_at((tree / where).resolve(), tree, path) == everywhere(*expected)


def test_a_worktree_and_a_submodule_have_a_file_in_the_place_of_the_folder(tree: Path) -> None:
    git(tree, "add", "-A")
    git(tree, "commit", "-qm", "as it stands")
    other = tree.parent / "other"
    git(tree, "worktree", "add", "-q", str(other))
    assert (other / ".git").is_file()
    assert pointed_at(other / "bindings", other, ".") == everywhere(LOWERING)
    outer = tree.parent / "outer"
    outer.mkdir()
    git(outer, "init", "-q")
    git(outer, "submodule", "--quiet", "add", str(tree), "sub")
    assert (outer / "sub" / ".git").is_file()
    assert pointed_at(outer, outer / "sub", "sub/bindings") == everywhere(LOWERING)


def test_in_no_tree_they_speak_from_the_working_directory(tree: Path) -> None:
    for path in sorted((tree / ".git").rglob("*"), reverse=True):
        path.rmdir() if path.is_dir() else path.unlink()
    (tree / ".git").rmdir()
    assert pointed_at(tree, tree, ".") == everywhere(LOWERING, DUMP)
    assert pointed_at(tree / "bindings", tree / "bindings", ".") == everywhere("python/lowering.py")
    # What does not lie below it is named in full.
    assert pointed_at(tree / "bindings", tree / "bindings", "../tools") == everywhere(str(tree / DUMP))


def test_a_linked_folder_is_where_it_leads(tree: Path) -> None:
    (tree / "alias").symlink_to("bindings")
    assert pointed_at(tree, tree, "alias") == everywhere(LOWERING)
    (tree.parent / "elsewhere").symlink_to(tree)
    assert pointed_at(tree.parent / "elsewhere" / "bindings", tree, ".") == everywhere(LOWERING)


def test_settings_above_the_tree_do_not_move_its_paths(tree: Path) -> None:
    (tree / "bindings" / "pyproject.toml").unlink()
    write(tree.parent / "ownlint.toml", "")
    assert pointed_at(tree / "tools", tree, "..") == everywhere(LOWERING, DUMP)


def test_text_is_for_who_stands_there(tree: Path) -> None:
    done = ownlint(tree / "tools", "check", "--output-format", "concise", "..")
    assert [line.partition(":")[0] for line in done.stdout.splitlines()] == [
        "../bindings/python/lowering.py",
        "dump.py",
    ]


# --- settings ---------------------------------------------------------------------------------


@pytest.fixture
def several(tmp_path: Path) -> Path:
    """Projects `a`, which ignores the rule, `b` and, in it, `b/deep`; files of none at the top."""
    top = tmp_path / "several"
    write(top / "a" / "ownlint.toml", f'ignore = ["{RULE}"]\n')
    write(top / "b" / "pyproject.toml", f'[tool.ownlint]\nseverity = {{ {RULE} = "warning" }}\n')
    write(top / "b" / "deep" / "ownlint.toml", f'severity = {{ {RULE} = "note" }}\n')
    for folder in ("", "a", "b", "b/below", "b/deep", "b/deep/below"):
        write(top / folder / "guilty.py", GUILTY)
    git(top, "init", "-q")
    return top


NEAREST = [
    ("b/below/guilty.py", "warning"),
    ("b/deep/below/guilty.py", "note"),
    ("b/deep/guilty.py", "note"),
    ("b/guilty.py", "warning"),
    ("guilty.py", "error"),
]


def found(done: subprocess.CompletedProcess[str]) -> list[tuple[str, str]]:
    assert done.returncode in (0, 1), done.stderr
    return [(each["path"], each["severity"]) for each in json.loads(done.stdout)["findings"]]


def check(where: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    return ownlint(where, "check", "--output-format", "json", *arguments)


def test_the_nearest_settings_count_for_each_file(several: Path) -> None:
    done = check(several)
    assert found(done) == NEAREST
    assert done.stderr.splitlines()[-1] == "Found 5 problems (1 error, 2 warnings, 2 notes) in 6 files"
    assert found(check(several, "b")) == NEAREST[:4]
    assert found(check(several, "b/below", "a")) == NEAREST[:1]
    assert check(several, "a").returncode == 0


def test_the_order_of_paths_says_nothing(several: Path) -> None:
    names = ["a/guilty.py", "b/guilty.py", "b/deep", "guilty.py"]
    one, other = check(several, *names), check(several, *reversed(names))
    assert (one.returncode, one.stdout, one.stderr) == (other.returncode, other.stdout, other.stderr)
    assert found(one) == NEAREST[1:]
    assert check(several, ".", "b", "a", "b/deep").stdout == check(several).stdout


def test_settings_that_are_named_count_for_all_files_and_isolated_for_none(several: Path) -> None:
    (several / "mine.toml").write_text(f'severity = {{ {RULE} = "note" }}\n')
    assert {severity for _, severity in found(check(several, "--config", "mine.toml"))} == {"note"}
    assert len(found(check(several, "--config", "mine.toml"))) == 6
    assert [severity for _, severity in found(check(several, "--isolated"))] == ["error"] * 6


def test_a_mistake_in_the_settings_of_one_project_ends_the_run_in_any_order(several: Path) -> None:
    (several / "b" / "deep" / "ownlint.toml").write_text("serverity = 1\n")
    for arguments in (["."], ["a", "b"], ["b", "a"], ["b/deep/guilty.py", "a"]):
        done = check(several, *arguments)
        assert (done.returncode, done.stdout) == (2, "")
        assert done.stderr.startswith(f"error: {several / 'b/deep/ownlint.toml'}:1: unknown key `serverity`")
    assert check(several, "a", "b/below").returncode == 1


def test_what_an_outer_project_excludes_is_left_out_below_it(several: Path) -> None:
    (several / "ownlint.toml").write_text('exclude = ["a/", "below/"]\n')
    (several / "a" / "ownlint.toml").write_text("")
    assert found(check(several)) == NEAREST[2:]
    assert found(check(several, "a")) == [("a/guilty.py", "error")]
    assert found(check(several, "b/below/guilty.py")) == NEAREST[:1]
    assert found(check(several, "--force-exclude", "a/guilty.py", "b/below/guilty.py", "b/guilty.py")) == NEAREST[3:4]
    (several / "b" / "pyproject.toml").write_text('[tool.ownlint]\nexclude = ["/deep/"]\n')
    assert found(check(several)) == [("b/guilty.py", "error"), ("guilty.py", "error")]


def test_a_link_to_settings_holds_for_where_it_stands(several: Path) -> None:
    (several / "a" / "ownlint.toml").rename(several / "shared.toml")
    (several / "a" / "ownlint.toml").symlink_to("../shared.toml")
    assert found(check(several)) == NEAREST
    assert check(several / "a").returncode == 0


def test_each_project_has_its_own_baseline(several: Path) -> None:
    written = ownlint(several, "baseline", "write")
    assert written.returncode == 0, written.stderr
    known = {path.relative_to(several).as_posix() for path in several.rglob("ownlint-baseline.json")}
    assert known == {"ownlint-baseline.json", "b/ownlint-baseline.json", "b/deep/ownlint-baseline.json"}
    entries = json.loads((several / "b" / "ownlint-baseline.json").read_text())["findings"]
    assert [entry["path"] for entry in entries] == ["below/guilty.py", "guilty.py"]
    for where, arguments in ((several, ()), (several / "b", ()), (several / "a", ("../b/deep",))):
        done = check(where, *arguments)
        assert (done.returncode, found(done)) == (0, [])
        assert "stale" not in done.stderr
    write(several / "b" / "below" / "more.py", GUILTY.replace("entry", "more"))
    assert found(check(several)) == [("b/below/more.py", "warning")]
    refused = check(several, "--baseline", "ownlint-baseline.json")
    assert refused.returncode == 2
    assert refused.stderr == (
        "error: --baseline: each of these projects has its own: ., a, b, b/deep; set `baseline` in their settings, "
        "or check one of them\n"
    )


def test_findings_that_are_alike_in_two_projects_are_two(several: Path) -> None:
    issues = json.loads(ownlint(several, "check", "-q", "--output-format", "gitlab").stdout)
    assert len({issue["fingerprint"] for issue in issues}) == len(NEAREST)


def test_what_looks_at_one_project_refuses_paths_of_two(several: Path) -> None:
    done = ownlint(several, "config", "a", "b")
    assert (done.returncode, done.stderr) == (
        2,
        "error: PATHS belong to several projects: a, b; give the paths of one project\n",
    )


def test_a_tree_full_of_settings_is_refused(several: Path) -> None:
    for number in range(200):
        write(several / "many" / f"{number}" / "ownlint.toml", "")
        write(several / "many" / f"{number}" / "a.py", "")
    done = check(several)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == ("error: more than 200 projects with settings of their own; check a part, or give --config\n")


def test_a_change_in_one_project_is_reported_there(several: Path) -> None:
    git(several, "add", "-A")
    git(several, "commit", "-qm", "as it stands")
    write(several / "b" / "deep" / "guilty.py", f"import os\n{GUILTY.replace('source', 'text')}")
    assert found(check(several, "--diff-base", "HEAD")) == [("b/deep/guilty.py", "note")]
