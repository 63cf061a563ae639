from __future__ import annotations

import importlib
from pathlib import Path

import pytest

from ownlint import catalogue
from ownlint.rule import Rule
from ownlint.testing import cases, docstrings, form, wording
from ownlint.testing.markdown import parse
from ownlint.testing.new_rule import create

PROJECT = """\
[project]
name = "their-rules"

[project.entry-points."ownlint.rules"]
theirs = "their_rules"
"""


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "pyproject.toml").write_text(PROJECT)
    (tmp_path / "src" / "their_rules").mkdir(parents=True)
    (tmp_path / "src" / "their_rules" / "__init__.py").write_text("")
    monkeypatch.syspath_prepend(tmp_path / "src")
    return tmp_path


@pytest.fixture
def made(project: Path) -> Rule:
    create("handle-is-dropped", project)
    (rule,) = catalogue.rules_of(importlib.import_module("their_rules"))
    return rule


def test_the_files_are_named_and_stand_where_others_stand(project: Path) -> None:
    written = create("handle-is-dropped", project, "handles")
    assert [path.relative_to(project).as_posix() for path in written] == [
        "src/their_rules/handles/__init__.py",
        "src/their_rules/handles/handle_is_dropped.py",
        "tests/rules/handle-is-dropped.md",
    ]


def test_a_new_rule_has_the_form_of_a_rule(project: Path, made: Rule) -> None:
    assert list(form.problems(made, project / "tests" / "rules")) == []
    assert list(docstrings.check(made)) == []


def test_its_page_passes_and_its_messages_keep_the_conventions(project: Path, made: Rule) -> None:
    for case in parse((project / "tests" / "rules" / "handle-is-dropped.md").read_text()):
        assert cases.check(case, [made]) == []
        found = cases.run(case, [made]).findings
        assert [problem for finding in found for problem in wording.message_problems(finding)] == []


@pytest.mark.parametrize("name", ["Handle-Dropped", "handle_dropped", "handles", "../x-y", "-a-b", "a--b", ""])
def test_a_bad_name_is_refused(project: Path, name: str) -> None:
    with pytest.raises(ValueError, match="not a valid rule name"):
        create(name, project)


def test_a_name_is_not_given_twice(project: Path) -> None:
    create("handle-is-dropped", project)
    with pytest.raises(FileExistsError, match=r"handle_is_dropped\.py exists"):
        create("handle-is-dropped", project, "others")


def test_a_page_that_is_there_stays(project: Path) -> None:
    page = project / "tests" / "rules" / "handle-is-dropped.md"
    page.parent.mkdir(parents=True)
    page.write_text("mine")
    with pytest.raises(FileExistsError):
        create("handle-is-dropped", project)
    assert page.read_text() == "mine"
    assert not (project / "src" / "their_rules" / "drafts").exists()


def test_a_project_without_a_pack_is_named(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match=r"no pyproject\.toml"):
        create("handle-is-dropped", tmp_path)
    (tmp_path / "pyproject.toml").write_text("[project]\nname = 'x'\n")
    with pytest.raises(ValueError, match="declares no rule pack"):
        create("handle-is-dropped", tmp_path)
