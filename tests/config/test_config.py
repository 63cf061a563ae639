from __future__ import annotations

import re
from pathlib import Path

import pytest

from ownlint.choices import Suite
from ownlint.config import (
    Config,
    ConfigError,
    Settings,
    find,
    former_names,
    misnamed_tables,
    read,
    refuse,
    rule_mistakes,
    with_suite,
)
from ownlint.report.model import RuleInfo
from ownlint.selection import RuleNames


def write(folder: Path, name: str, text: str) -> Path:
    path = folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    return path


def test_without_a_file_the_defaults_hold(tmp_path: Path) -> None:
    # The folders above a temporary one hold no settings of ours.
    assert find(tmp_path) == Settings(config=Config())


def test_the_nearest_file_wins_and_nothing_is_merged(tmp_path: Path) -> None:
    write(tmp_path, "ownlint.toml", 'certainty = "possible"\njobs = 3\n')
    near = write(tmp_path, "a/pyproject.toml", '[tool.ownlint]\ncertainty = "certain"\n')
    (tmp_path / "a/b").mkdir()
    found = find(tmp_path / "a/b")
    assert found.file == near
    assert (found.config.certainty, found.config.jobs) == ("certain", None)
    assert found.origin == {"certainty": str(near)}


def test_a_pyproject_without_the_table_is_passed_by(tmp_path: Path) -> None:
    outer = write(tmp_path, ".ownlint.toml", "jobs = 3\n")
    write(tmp_path, "a/pyproject.toml", '[project]\nname = "ownlint-user"\n')
    assert find(tmp_path / "a").file == outer


def test_an_own_file_goes_before_the_pyproject_beside_it(tmp_path: Path) -> None:
    own = write(tmp_path, "ownlint.toml", "jobs = 3\n")
    write(tmp_path, "pyproject.toml", "[tool.ownlint]\njobs = 4\n")
    assert find(tmp_path).file == own


@pytest.mark.parametrize(
    ("name", "text", "said"),
    [
        ("ownlint.toml", 'jobs = 2\nselct = ["x"]\n', ":2: unknown key `selct`; did you mean `select`?"),
        (
            "pyproject.toml",
            "[tool.other]\nselct = 1\n[tool.ownlint]\njobs = 2\nselct = []\n",
            ":5: unknown key `selct`; did you mean `select`?",
        ),
        ("ownlint.toml", "zzz = 1\n", ":1: unknown key `zzz`"),
        (
            "ownlint.toml",
            "[tool.ownlint]\njobs = 2\n",
            ":1: unknown key `tool`; keys in ownlint.toml are written without",
        ),
        (
            "ownlint.toml",
            "[ownlint]\njobs = 2\n",
            ":1: unknown key `ownlint`; keys in ownlint.toml are written without",
        ),
        ("ownlint.toml", "\njobs = 0\n", ":2: `jobs`: expected `int` >= 1"),
        ("ownlint.toml", 'jobs = 2\nselect = "x"\n', ":2: `select`: expected `array`, got `str`"),
        (
            "ownlint.toml",
            'certainty = "sure"\n',
            ":1: `certainty`: `sure` is not one of `certain`, `likely`, `possible`",
        ),
        ("ownlint.toml", '[severity]\nx = "bad"\n', ":2: `severity`: `bad` is not one of `error`, `warning`, `note`"),
        ("ownlint.toml", 'per-file-ignores."a/*" = ["x"]\nper-file-ignores."b" = 1\n', ":2: `per-file-ignores`: "),
        ("ownlint.toml", "jobs = 1\njobs = = 2\n", ":2: "),
        ("pyproject.toml", "[tool]\nownlint = 3\n", ": [tool.ownlint] is not a table"),
    ],
)
def test_a_mistake_is_one_line_with_its_place(tmp_path: Path, name: str, text: str, said: str) -> None:
    path = write(tmp_path, name, text)
    with pytest.raises(ConfigError) as error:
        find(tmp_path)
    assert str(error.value).startswith(f"{path}{said}")
    assert "\n" not in str(error.value)


def test_a_named_file_must_hold_settings(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match=r"has no table \[tool\.ownlint\]"):
        read(write(tmp_path, "pyproject.toml", "[project]\n"))
    with pytest.raises(ConfigError, match="no such file"):
        read(tmp_path / "none.toml")


@pytest.mark.parametrize("name", ["tool.ownlnt", "tool.own-lint", "tool.ownlinter", "ownlint"])
def test_a_table_that_seems_to_be_ours_is_told(tmp_path: Path, name: str) -> None:
    path = write(tmp_path, "pyproject.toml", f"[tool.pylint]\n[{name}]\njobs = 2\n")
    (tmp_path / "src").mkdir()
    said = f"{path}:2: unknown table [{name}]; did you mean [tool.ownlint]?"
    assert list(misnamed_tables(tmp_path / "src")) == [said]
    with pytest.raises(ConfigError, match=re.escape(said)):
        read(path)
    write(tmp_path / "src", "ownlint.toml", "jobs = 2\n")
    assert list(misnamed_tables(tmp_path / "src")) == []


@pytest.mark.parametrize("text", ["[tool.pylint]\n", "[tool]\nx = 1\n", "tool = 3\n", "x = = 1\n", "[tool.golint]\n"])
def test_a_table_of_another_tool_is_not_ours(tmp_path: Path, text: str) -> None:
    write(tmp_path, "pyproject.toml", text)
    assert list(misnamed_tables(tmp_path)) == []


def test_bad_utf8_names_its_line(tmp_path: Path) -> None:
    (tmp_path / "ownlint.toml").write_bytes(b"jobs = 1\n# \xff\n")
    with pytest.raises(ConfigError, match=":2: not valid UTF-8"):
        find(tmp_path)


RULES = ("borrow-outlives-owner", "discarded-status", "unused-suppression")


def names(**suites: Suite) -> RuleNames:
    """`suites` of some rules, by their names with underscores."""
    groups = dict(zip(RULES, ("lifetimes", "status", "suppressions"), strict=True))
    told = {id_: suites.get(id_.replace("-", "_"), "default") for id_ in RULES}
    return RuleNames(RuleInfo(id_, "error", "", "", group=groups[id_], suite=told[id_]) for id_ in RULES)


def test_a_rule_that_does_not_exist_is_refused_with_its_line(tmp_path: Path) -> None:
    path = write(tmp_path, "ownlint.toml", 'select = [\n  "discarded-status",\n  "borow-outlives-owner",\n]\n')
    with pytest.raises(ConfigError) as error:
        refuse(rule_mistakes(find(tmp_path), names()))
    assert str(error.value) == f"{path}:3: unknown rule `borow-outlives-owner`; did you mean `borrow-outlives-owner`?"


def test_a_message_is_one_line_whatever_it_quotes(tmp_path: Path) -> None:
    path = write(tmp_path, "ownlint.toml", 'select = ["""all\n..""", "no\\u2028where"]\n')
    with pytest.raises(ConfigError) as error:
        refuse(rule_mistakes(find(tmp_path), names()))
    assert str(error.value) == f"{path}:1: unknown rule `all\\n..`; did you mean `all`?"


def test_a_rule_named_on_the_command_line_is_refused_with_its_flag() -> None:
    settings = Settings(config=Config()).override("--ignore", ignore=("nope",))
    with pytest.raises(ConfigError, match=r"^--ignore: unknown rule `nope`$"):
        refuse(rule_mistakes(settings, names()))


@pytest.mark.parametrize(
    ("config", "chosen"),
    [
        (Config(), set(RULES)),
        (Config(ignore=("discarded-status",)), {"borrow-outlives-owner", "unused-suppression"}),
        (Config(select=("discarded-status",)), {"discarded-status"}),
        (Config(select=(), extend_select=("discarded-status",)), {"discarded-status"}),
        (Config(select=("all",), ignore=("all",)), set()),
        (Config(select=("status",)), {"discarded-status"}),
        (Config(select=("*outlives*", "sup?ressions")), {"borrow-outlives-owner", "unused-suppression"}),
        (Config(ignore=("s*",)), {"borrow-outlives-owner"}),
        (Config(select=("status",), ignore=("discarded-status",)), set()),
        (Config(select=("discarded-status",), ignore=("status",)), {"discarded-status"}),
        (Config(select=("discarded-status",), ignore=("*",)), {"discarded-status"}),
        (Config(select=("status",), ignore=("*status",)), set()),
    ],
)
def test_selection(config: Config, chosen: set[str]) -> None:
    assert names().selected(config) == chosen


@pytest.mark.parametrize(
    ("config", "chosen"),
    [
        (Config(), set()),
        (Config(suite="default"), set()),
        (Config(suite="extended"), {"discarded-status"}),
        (Config(suite="audit"), {"discarded-status", "unused-suppression"}),
    ],
)
def test_a_suite_has_the_rules_of_those_before_it(config: Config, chosen: set[str]) -> None:
    suites = names(discarded_status="extended", unused_suppression="audit")
    assert suites.selected(config) == {"borrow-outlives-owner"} | chosen


@pytest.mark.parametrize("suite", ["extended", "audit"])
@pytest.mark.parametrize(
    ("config", "runs"),
    [
        (Config(), False),
        (Config(select=("discarded-status",)), True),
        (Config(select=("status",)), True),
        (Config(select=("disc*",)), True),
        (Config(select=("*",)), False),
        (Config(select=("all",), extend_select=("all",)), False),
        (Config(extend_select=("discarded-status",)), True),
        (Config(extend_select=("status",)), True),
        (Config(severity={"discarded-status": "warning"}), True),
        (Config(severity={"status": "warning"}), True),
        (Config(severity={"all": "warning"}), False),
        (Config(select=("lifetimes",), severity={"status": "warning"}), False),
        (Config(severity={"status": "warning"}, ignore=("status",)), False),
        (Config(select=("discarded-status",), ignore=("discarded-status",)), False),
    ],
)
def test_a_rule_that_is_named_runs_in_every_suite(suite: Suite, config: Config, runs: bool) -> None:
    chosen = names(discarded_status=suite).selected(config)
    assert ("discarded-status" in chosen) is runs


def test_a_glob_of_stars_is_answered_at_once() -> None:
    assert not names().of("s*" * 90 + "b")


def test_an_audit_shows_what_is_possible_unless_told_otherwise() -> None:
    settings = Settings(config=Config()).override("--suite", suite="audit")
    assert with_suite(settings).config.certainty == "possible"
    assert with_suite(settings.override("--certainty", certainty="certain")).config.certainty == "certain"
    assert with_suite(Settings(config=Config(suite="extended"))).config.certainty == "likely"


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ('preset = "hook"', '`preset = "hook"` was renamed to `suite = "default"`'),
        ('preset = "ci"', '`preset = "ci"` was renamed to `suite = "default"`'),
        ('preset = "audit"', '`preset = "audit"` was renamed to `suite = "audit"`'),
        ("preset = 3", "`preset` was renamed to `suite`"),
        ("preview = true", 'there are no preview rules any more: `suite = "audit"` runs all rules'),
    ],
)
def test_what_suites_were_called_is_refused_with_its_name_of_today(tmp_path: Path, line: str, said: str) -> None:
    path = write(tmp_path, "ownlint.toml", f"jobs = 2\n{line}\n")
    with pytest.raises(ConfigError) as error:
        find(tmp_path)
    assert str(error.value) == f"{path}:2: {said}"


def test_a_name_of_an_earlier_version_stands_for_the_rule_and_is_told(tmp_path: Path) -> None:
    path = write(tmp_path, "ownlint.toml", 'select = ["old-name"]\n')
    known = RuleNames([RuleInfo("new-name", "error", "", "", group="status", formerly=("old-name",))])
    settings = find(tmp_path)
    refuse(rule_mistakes(settings, known))
    assert known.selected(settings.config) == {"new-name"}
    assert known.exactness("old-name") == 3
    assert list(former_names(settings, known)) == [f"{path}:1: `old-name` was renamed to `new-name`"]
