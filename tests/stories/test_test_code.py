"""Test code: what is found in it is possible at most, so without `--certainty possible` nothing is looked for there."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from tests import starting

STATUS = "struct [[nodiscard]] Status { bool ok() const; };\nStatus Send(int);\n"
CALL = "void First(int n) { Send(n); }\n"
SUPPRESSED = "void Other(int n) { Send(n); }  // ownlint: ignore[discarded-status]: best effort\n"


@pytest.fixture
def project(tmp_path: Path) -> Path:
    (tmp_path / "send.cc").write_text(STATUS + CALL)
    (tmp_path / "send_test.cc").write_text(STATUS + CALL + "TEST(Send, Works) { Send(3); }\n")
    (tmp_path / "other_test.cc").write_text(STATUS + SUPPRESSED + "TEST(Other, Works) { Send(3); }\n")
    return tmp_path


def found(project: Path, *arguments: str) -> list[tuple[str, str, int]]:
    chosen = ("--types", "never", "--select", "discarded-status,unused-suppression", "--exit-zero")
    said = starting.text("check", *chosen, *arguments, "--output-format", "json", ".", cwd=project).stdout
    return [(one["rule"], one["path"], one["line"]) for one in json.loads(said)["findings"]]


def test_it_is_judged_where_what_is_possible_is_asked_for(project: Path) -> None:
    usual = [("discarded-status", "send.cc", 3)]
    every = [
        ("discarded-status", "other_test.cc", 4),
        ("discarded-status", "send.cc", 3),
        ("discarded-status", "send_test.cc", 3),
        ("discarded-status", "send_test.cc", 4),
    ]
    assert found(project) == usual
    assert found(project, "--certainty", "possible") == every
    assert found(project) == usual  # what is kept of one is not what the other is told
    assert found(project, "--certainty", "certain", "--no-cache") == []


def test_a_comment_that_suppresses_what_is_possible_is_used(project: Path) -> None:
    assert not any(rule == "unused-suppression" for rule, _, _ in found(project, "--no-cache"))
    (project / "other_test.cc").write_text(STATUS + SUPPRESSED.replace("Send(n);", "") + "TEST(Other, Works) {}\n")
    assert ("unused-suppression", "other_test.cc", 3) in found(project, "--no-cache")
