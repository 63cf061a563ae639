"""One mistake at many places of a file: one problem for people, every place for machines."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path
from typing import Any

import pytest
from tests import starting

STATUS = "struct [[nodiscard]] Status { bool ok() const; };\nStatus Send(int);\nStatus Flush(int);\n"
CALLS = """\
void First(int n) { Send(n); }
void Second(int n) { Send(n); }
void Third(int n) { Flush(n); }
void Fourth(int n) { Send(n); }
"""


@pytest.fixture
def project(tmp_path: Path) -> Path:
    (tmp_path / "a.cc").write_text(STATUS + CALLS)
    (tmp_path / "b.cc").write_text(STATUS + "void Other(int n) { Send(n); }\n")
    return tmp_path


def check(project: Path, *arguments: str) -> str:
    fixed = ("--no-cache", "--types", "never", "--select", "discarded-status", "--exit-zero")
    return starting.text("check", *fixed, *arguments, ".", cwd=project).stdout


def findings(project: Path, *arguments: str) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = json.loads(check(project, *arguments, "--output-format", "json"))["findings"]
    return found


def places(found: list[dict[str, Any]]) -> list[tuple[str, int]]:
    return [(one["path"], one["line"]) for one in found]


def test_people_are_told_once_with_the_places(project: Path) -> None:
    told = check(project)
    assert told.count("status returned by `Send`") == 2  # one for each file
    assert "= note: the same problem at lines 5, 7\n" in told
    assert told.endswith("Found 3 problems (3 errors) at 5 places in 2 files\n")


def test_machines_are_told_every_place(project: Path) -> None:
    found = findings(project)
    assert places(found) == [("a.cc", 4), ("a.cc", 5), ("a.cc", 6), ("a.cc", 7), ("b.cc", 4)]
    assert [one["cause"] for one in found] == ["Send", "Send", "Flush", "Send", "Send"]
    first, second, third, fourth, other = (one["fingerprint"] for one in found)
    assert [one["group"] for one in found] == [first, first, third, first, other]
    assert len({first, second, third, fourth, other}) == 5
    assert check(project, "--output-format", "concise").count("status returned by") == 5
    results = json.loads(check(project, "--output-format", "sarif"))["runs"][0]["results"]
    lines = [
        [
            one["locations"][0],
            *(related for related in one.get("relatedLocations", ()) if related["message"]["text"] == "same here"),
        ]
        for one in results
    ]
    assert [[at["physicalLocation"]["region"]["startLine"] for at in group] for group in lines] == [[4, 5, 7], [6], [4]]


def test_a_comment_silences_its_own_place_alone(project: Path) -> None:
    silenced = CALLS.replace("{ Send(n); }", "{ Send(n); }  // ownlint: ignore[discarded-status]: best effort", 1)
    (project / "a.cc").write_text(STATUS + silenced)
    found = findings(project)
    assert places(found)[0] == ("a.cc", 5)
    assert found[0]["group"] == found[0]["fingerprint"] == found[2]["group"]
    assert "the same problem at line 7\n" in check(project)


def test_what_a_baseline_knows_is_no_place_of_a_problem(project: Path) -> None:
    rules = ("--no-cache", "--types", "never", "--select", "discarded-status")
    starting.text("baseline", "write", *rules, cwd=project)
    assert not findings(project)
    (project / "a.cc").write_text(STATUS + CALLS + "void Fifth(int n) { Send(n); }\nvoid Sixth(int n) { Send(n); }\n")
    assert places(findings(project)) == [("a.cc", 8), ("a.cc", 9)]
    assert "the same problem at line 9\n" in check(project)


def test_of_a_change_only_the_changed_places_count(project: Path) -> None:
    def git(*arguments: str) -> None:
        who = ("-c", "user.name=a", "-c", "user.email=a@example.invalid")
        subprocess.run(["git", *who, *arguments], cwd=project, check=True, capture_output=True)

    git("init", "-q")
    git("add", ".")
    git("commit", "-qm", "first")
    (project / "a.cc").write_text(STATUS + CALLS + "void Fifth(int n) { Send(n); }\nvoid Sixth(int n) { Send(n); }\n")
    assert places(findings(project, "--diff-base", "HEAD")) == [("a.cc", 8), ("a.cc", 9)]
    told = check(project, "--diff-base", "HEAD")
    assert "the same problem at line 9\n" in told
    assert "Found 1 problem (1 error) at 2 places in the change (2 files read); 4 on other lines" in told
