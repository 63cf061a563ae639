"""The pure parts of `benchmarks/known_bugs.py`, and that its entries are whole."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

BENCHMARKS = Path(__file__).parents[2] / "benchmarks"
sys.path.insert(0, str(BENCHMARKS))

import known_bugs  # noqa: E402
import known_bugs_draw  # noqa: E402

from ownlint.catalogue import load  # noqa: E402

OUTCOMES = {"", "found", "found as possible", "found on both sides", "missed", "not available here"}


def bug(**fields: Any) -> known_bugs.Bug:
    known = {"id": "b", "language": "cpp", "repository": "o/r", "paths": ("src/a.cc",), "before": "1", "fixed": "2"}
    return known_bugs.Bug(**(known | {"family": "F", "where": "A::run", "near": ("a.cc:10",)} | fields))


def finding(**fields: Any) -> dict[str, Any]:
    known = {"rule": "leaks", "path": "src/a.cc", "line": 40, "symbol": "other", "message": "m", "certainty": "likely"}
    return known | {"steps": []} | fields


RULES = frozenset({"leaks"})


@pytest.mark.parametrize(
    ("fields", "told"),
    [
        ({"symbol": "A::run"}, True),
        ({"symbol": "n::B::run"}, True),
        ({"symbol": "rerun"}, False),
        ({"line": 13}, True),
        ({"line": 14}, False),
        ({"line": 7}, True),
        ({"steps": [{"path": "src/a.cc", "line": 11}]}, True),
        ({"steps": [{"path": "src/b.cc", "line": 10}]}, False),
        ({"symbol": "A::run", "rule": "another"}, False),
    ],
)
def test_a_finding_tells_a_bug_in_the_function_or_near_a_line(fields: dict[str, Any], told: bool) -> None:
    assert known_bugs.tells(finding(**fields), bug(), RULES) is told


def test_where_no_place_is_named_the_file_is() -> None:
    nowhere = bug(where="", near=())
    assert known_bugs.tells(finding(), nowhere, RULES)
    assert not known_bugs.tells(finding(path="src/b.cc"), nowhere, RULES)


@pytest.mark.parametrize(
    ("where", "names"),
    [
        ("GpuExecutable::ComputeCopyThreshold", {"ComputeCopyThreshold"}),
        ("LocalDeviceState::~LocalDeviceState", {"~LocalDeviceState"}),
        ("type_caster<arithmetic>::load", {"load"}),
        ("ApiConverter::Destroy(XLA_Layout*) / Destroy(XLA_HloModuleConfig*)", {"Destroy"}),
        ("PassManager.parse lambda", {"parse"}),
        ("MeshcatVisualizer.StartRecording/get_mutable_recording", {"StartRecording", "get_mutable_recording"}),
        ("encoder_dict_iteritems, encoder_listencode_dict", {"encoder_dict_iteritems", "encoder_listencode_dict"}),
    ],
)
def test_an_entry_names_functions(where: str, names: set[str]) -> None:
    assert known_bugs.names_in(where) == names


def test_caught_is_what_is_told_before_and_gone_when_fixed() -> None:
    one, two = finding(line=10), finding(line=12)
    verdict = known_bugs.judge(bug(), RULES, [one], [])
    assert (verdict.outcome, verdict.caught) == ("found", ["leaks"])
    assert known_bugs.judge(bug(), RULES, [one], [finding(line=99)]).outcome == "found on both sides"
    assert known_bugs.judge(bug(), RULES, [one, two], [finding(line=99)]).outcome == "found"
    assert known_bugs.judge(bug(), RULES, [finding()], []).outcome == "missed"
    assert known_bugs.judge(bug(), RULES, [finding()], []).other == 1


def test_the_default_certainty_is_judged_apart() -> None:
    assert known_bugs.sure([finding(certainty="possible"), finding()]) == [finding()]


@pytest.mark.parametrize(
    ("name", "found"),
    [
        ("b.h", "src/x/b.h"),
        ("x/b.h", "src/x/b.h"),
        ("far/c.h", "lib/far/c.h"),
        ("c.h", ""),
        ("vector", ""),
        ("d.h", "src/y/d.h"),
    ],
)
def test_an_include_is_looked_for_beside_and_then_by_its_end(name: str, found: str) -> None:
    tree = ["lib/far/c.h", "lib/x/b.h", "src/x/a.cc", "src/x/b.h", "src/y/d.h", "test/d.h"]
    assert known_bugs.resolve(name, "src/x/a.cc", tree) == found


def test_imports_are_the_projects_own_modules() -> None:
    text = "import os\nimport pkg.a as a\nfrom . import c\nfrom .d import x\nfrom pkg.e import y\n"
    tree = ["src/pkg/a.py", "src/pkg/c.py", "src/pkg/d/__init__.py", "src/pkg/e.py", "src/pkg/main.py", "os.txt"]
    assert known_bugs.imported(text, "src/pkg/main.py", tree) == [
        "src/pkg/a.py",
        "src/pkg/c.py",
        "src/pkg/d/__init__.py",
        "src/pkg/e.py",
    ]
    assert known_bugs.imported("def broken(:", "src/pkg/main.py", tree) == []


def test_both_sides_are_written_with_the_headers_they_include(tmp_path: Path) -> None:
    work, bare = tmp_path / "work", tmp_path / "o+r"

    def git(*arguments: str) -> str:
        identity = ["-c", "user.name=a", "-c", "user.email=a@b"]
        ran = subprocess.run(["git", *identity, *arguments], cwd=work, capture_output=True, text=True, check=True)
        return ran.stdout.strip()

    (work / "src").mkdir(parents=True)
    (work / "src/a.cc").write_text('#include "b.h"\n#include <vector>\nint x = 1;\n')
    (work / "src/b.h").write_text('#pragma once\n#include "c.h"\n')
    (work / "src/c.h").write_text("#pragma once\n")
    git("init", "-q")
    git("add", ".")
    git("commit", "-q", "-m", "one")
    git("clone", "-q", "--bare", ".", str(bare))
    source = known_bugs.Places(tmp_path, tmp_path).source(bug())
    commit = git("rev-parse", "HEAD")
    known_bugs.lay_out(source, commit, ["src/a.cc"], 1, tmp_path / "out")
    assert sorted(path.name for path in (tmp_path / "out").rglob("*.*")) == ["a.cc", "b.h"]
    with pytest.raises(known_bugs.NotHereError):
        source.file("0" * 40, "src/a.cc")


def test_an_import_keeps_what_is_written_down(tmp_path: Path) -> None:
    lists, to = tmp_path / "lists", tmp_path / "to"
    lists.mkdir()
    to.mkdir()
    told = {**vars(bug(near=[], paths=["src/a.cc"])), "fixed": None, "why": 'says "no"', "is_user_bug": False}
    (lists / "l.json").write_text(
        json.dumps([{key: told[key] for key in told if key not in ("user", "outcome", "reason")}])
    )
    known_bugs.import_lists(lists, to)
    page = to / "l.toml"
    page.write_text(page.read_text().replace('outcome = ""', 'outcome = "missed"'))
    known_bugs.import_lists(lists, to)
    [(name, read)] = known_bugs.read_bugs(to)
    assert (name, read.outcome, read.why, read.fixed, read.user) == ("l", "missed", 'says "no"', "", False)


def test_what_was_found_and_is_not_is_told() -> None:
    missed, found = known_bugs.Verdict(bug(outcome="found")), known_bugs.Verdict(bug(), caught=["leaks"])
    assert known_bugs.lost([("l", missed, found)]) == [missed]
    assert known_bugs.lost([("l", found, found)]) == []
    weaker = known_bugs.Verdict(bug(outcome="found as possible"))
    assert known_bugs.lost([("l", weaker, found)]) == []


def test_entries_have_known_families_and_outcomes() -> None:
    families = known_bugs.read_families(known_bugs.FAMILIES)
    bugs = known_bugs.read_bugs(known_bugs.HERE)
    assert len({(name, one.id) for name, one in bugs}) == len(bugs) >= 145
    for _, one in bugs:
        assert one.family in families, one.id
        assert one.outcome in OUTCOMES, one.id
        assert one.reason or one.outcome != "missed", one.id
    known = {rule.id for rule in load()}
    assert {rule for rules in families.values() for rule in rules} <= known


def test_what_lies_beside_the_named_files_is_read(tmp_path: Path) -> None:
    (tmp_path / "inc").mkdir()
    (tmp_path / "src").mkdir()
    (tmp_path / "inc" / "engine.h").write_text(
        "#pragma once\nstruct Part { int n; };\n"
        "class Engine {\n public:\n  Part* part() { return &part_; }\n private:\n  Part part_;\n};\n"
    )
    (tmp_path / "src" / "bind.cc").write_text(
        '#include "engine.h"\n#include <pybind11/pybind11.h>\nnamespace py = pybind11;\n'
        'PYBIND11_MODULE(m, m) {\n  py::class_<Part>(m, "Part");\n'
        '  py::class_<Engine>(m, "Engine").def("part", &Engine::part);\n}\n'
    )
    found = known_bugs.check(tmp_path, ["src/bind.cc"])
    assert "python-deletes-borrowed-pointer" in {one["rule"] for one in found}


def test_a_draw_takes_small_repairs_of_code_and_where_they_begin(tmp_path: Path) -> None:
    def git(*arguments: str) -> str:
        identity = ["-c", "user.name=a", "-c", "user.email=a@b"]
        ran = subprocess.run(["git", *identity, *arguments], cwd=tmp_path, capture_output=True, text=True, check=True)
        return ran.stdout.strip()

    def commit(message: str, **files: str) -> str:
        for name, text in files.items():
            path = tmp_path / name.replace("__", "/").replace("_c", ".c")
            path.parent.mkdir(exist_ok=True)
            path.write_text(text)
        git("add", ".")
        git("commit", "-q", "-m", message)
        return git("rev-parse", "HEAD")

    git("init", "-q")
    first = commit("one", src__a_c="int f() {\n  p();\n}\n", tests__t_c="int t;\n")
    fixed = commit("fix memory leak in f", src__a_c="int f() {\n  p();\n  q();\n}\n", tests__t_c="int u;\n")
    commit("fix leak in the test", tests__t_c="int v;\n")
    commit("faster", src__a_c="int f() {\n  q();\n}\n")
    [one] = known_bugs_draw.drawn(tmp_path / ".git", "o/r", 9)
    assert (one["before"], one["fixed"], one["paths"]) == (first, fixed, ["src/a.c"])
    assert (one["id"], one["language"], one["near"]) == (f"r-{fixed[:8]}", "cpp", ["a.c:2"])
    assert known_bugs_draw.is_unread("casadi-6f75cc52") is False
