"""The command line from outside: arguments in, exit code and both streams out. The rules are made up here."""

from __future__ import annotations

import json
import os
import re
import stat
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import msgspec
import pytest
from command import Done, Run

from ownlint import Finding, Function, Step, catalogue
from ownlint.measured import Counts, Judged
from ownlint.rule import Rule

GUILTY = "int work(int x) {\n  return x;\n}\n\nint bad_one(int x) {\n  return x;\n}\n"


def bad_name(function: Function) -> Iterator[Finding]:
    """Finds functions by their names: `bad_` for sure, `odd_` perhaps; `crash_` raises."""
    name = function.record.name
    if name.startswith("crash_"):
        raise KeyError(name)
    if name.startswith(("bad_", "odd_")):
        start = function.record.name_start
        at = type(function.record.span)(start, start + len(name))
        yield function.finding(
            at,
            f"`{name}` is badly named",
            certainty="certain" if name.startswith("bad_") else "possible",
            help="name it well",
            steps=(Step(function.path, at, "here"),),
        )


def made(name: str, check: Callable[..., Any]) -> Rule:
    return Rule(name, "error", "Function", check, f"Headline of {name}.\n\nMore.\n", ("cpp",), "made-up", False, "made")


@pytest.fixture(autouse=True)
def _own_rules(monkeypatch: pytest.MonkeyPatch) -> None:
    rules = (made("bad-name", bad_name), made("other-rule", lambda function: ()))
    monkeypatch.setattr(catalogue, "load", lambda: rules)
    for name in ("NO_COLOR", "FORCE_COLOR", "OWNLINT_CACHE_DIR", "GITHUB_WORKSPACE"):
        monkeypatch.delenv(name, raising=False)


def test_clean_is_0_and_says_so(run: Run) -> None:
    Path("a.cc").write_text("int work(int x) { return x; }\n")
    done = run("check")
    assert (done.code, done.out) == (0, "No problems found in 1 file\n")
    assert done.err == ""
    structure = (
        "note: 1 of 1 C++ files were parsed without type information (no compile_commands.json; see `--build-path`)\n"
    )
    assert structure in run("check", "-v").err


def test_findings_are_1_and_exit_zero_makes_them_0(run: Run) -> None:
    Path("a.cc").write_text(GUILTY)
    done = run("check", "--types", "never")
    assert done.code == 1
    assert done.out == (
        "error[bad-name]: `bad_one` is badly named\n"
        " --> a.cc:5:5\n"
        "  |\n"
        "5 | int bad_one(int x) {\n"
        "  |     ^^^^^^^\n"
        "  |\n"
        "  = help: name it well\n"
        "\n"
        "Found 1 problem (1 error) in 1 file\n"
    )
    assert run("check", "--exit-zero").code == 0


def test_a_second_run_says_the_same_from_the_cache(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    Path("a.cc").write_text(GUILTY)
    first = run("check")
    monkeypatch.setattr("ownlint.reading.Reader.read", lambda *arguments: pytest.fail("was read again"))
    assert run("check") == first
    assert Path(".ownlint_cache/CACHEDIR.TAG").exists()


def test_whatever_changes_is_noticed(run: Run) -> None:
    Path("a.cc").write_text(GUILTY)
    assert run("check").code == 1
    Path("a.cc").write_text(GUILTY.replace("bad_", "ok__"))
    assert run("check").code == 0
    Path("b.cc").write_text(GUILTY)
    assert run("check").code == 1
    assert run("check", "--ignore", "bad-name").code == 0


def test_the_number_of_jobs_changes_nothing(run: Run) -> None:
    for name in "fcebda":
        Path(f"{name}.cc").write_text(GUILTY)
    one = run("check", "--no-cache", "-j", "1", "--output-format", "json")
    assert run("check", "--no-cache", "-j", "4", "--output-format", "json") == one
    assert [each["path"] for each in json.loads(one.out)["findings"]] == [f"{name}.cc" for name in "abcdef"]
    assert not Path(".ownlint_cache").exists()


def test_only_what_is_asked_for_is_reported(run: Run) -> None:
    Path("ownlint.toml").write_text("")
    for folder in ("one", "two"):
        Path(folder).mkdir()
        Path(folder, "a.cc").write_text(GUILTY)
    done = run("check", "one", "--output-format", "concise")
    assert done.out == "one/a.cc:5:5: error[bad-name] `bad_one` is badly named\n"


def test_paths_are_written_as_seen_from_here_and_in_json_from_the_top_of_the_tree(
    run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    subprocess.run(["git", "init", "-q"], check=True)
    Path("ownlint.toml").write_text("")
    Path("one").mkdir()
    Path("one/a.cc").write_text(GUILTY)
    monkeypatch.chdir("one")
    assert run("check", "--output-format", "concise").out.startswith("a.cc:5:5: ")
    document = json.loads(run("check", "--output-format", "json").out)
    assert (document["base"], document["findings"][0]["path"]) == ("..", "one/a.cc")


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["check", "none.cc"], "none.cc: no such file or folder"),
        (["check", "--select", "bad-nme"], "--select: unknown rule `bad-nme`; did you mean `bad-name`?"),
        (["check", "--ignore", "zzz,bad-name"], "--ignore: unknown rule `zzz`"),
        (["check", "--certainty", "sure"], "Invalid value for '--certainty': 'sure' is not one of"),
        (["check", "-j", "0"], "Invalid value for '-j' / '--jobs': 0 is not in the range"),
        (["check", "--nope"], "No such option '--nope'"),
        (["chek"], "unknown command `chek`; did you mean `check`?"),
        (["check", "--select", "name"], "--select: unknown rule `name`; did you mean `bad-name`?"),
        (["check", "--select", "bda-*"], "--select: unknown rule `bda-*`"),
        (["explain", "bad-nam"], "unknown rule `bad-nam`; did you mean `bad-name`?"),
        (["check", "--config", "none.toml"], "none.toml: no such file"),
        (["check", "-p", "nowhere"], "nowhere"),
        (["facts", "."], ".: is a folder"),
        (["new-rule", "Bad Name"], "`Bad Name` is not a valid rule name"),
    ],
)
def test_what_cannot_run_is_2_with_one_line(run: Run, arguments: list[str], said: str) -> None:
    Path("a.cc").write_text("int x;\n")
    done = run(*arguments)
    assert (done.code, done.out) == (2, "")
    assert done.err.startswith("error: ")
    assert said in done.err
    assert done.err.count("\n") == 1


def test_a_mistake_in_the_settings_is_2_with_its_line(run: Run) -> None:
    Path("ownlint.toml").write_text('jobs = 1\nselct = ["bad-name"]\n')
    done = run("check")
    assert done.code == 2
    assert done.err == f"error: {Path.cwd()}/ownlint.toml:2: unknown key `selct`; did you mean `select`?\n"
    assert run("check", "--isolated").code == 0


def test_a_mistake_in_a_model_is_2_with_its_line(run: Run) -> None:
    Path("ownlint.toml").write_text('models = ["mine.toml"]\n')
    Path("mine.toml").write_text('[[functon]]\nname = "x"\n')
    done = run("check")
    assert done.code == 2
    assert done.err.startswith(f"error: {Path.cwd()}/mine.toml:1: ")
    Path("mine.toml").unlink()
    assert "no such file" in run("check").err


def test_a_rule_that_raises_loses_nothing_and_the_exit_code_is_that_of_the_rest(run: Run) -> None:
    Path("a.cc").write_text(GUILTY + "int crash_here() { return 0; }\n")
    for _ in range(2):  # a crash is not remembered
        done = run("check", "--output-format", "json")
        report = json.loads(done.out)
        assert done.code == 1
        assert [each["rule"] for each in report["findings"]] == ["bad-name"]
        assert report["incomplete"][0]["reason"].startswith("rule `bad-name` failed: KeyError: 'crash_here'")
        assert "error: a.cc: rule `bad-name` failed" in done.err


def test_a_rule_that_raises_everywhere_is_named_ten_times(run: Run) -> None:
    for number in range(15):
        Path(f"{number:02}.cc").write_text("int crash_1() { return 0; }\n")
    done = run("check")
    assert done.code == 0
    assert done.err.count("rule `bad-name` failed") == 10
    assert "error: rules failed in 5 more places; use --verbose to see them" in done.err
    assert run("check", "--verbose").err.count("rule `bad-name` failed") == 15
    assert run("check", "--fail-on-incomplete").code == 2


def test_certainty(run: Run) -> None:
    Path("a.cc").write_text("int odd_one() { return 0; }\n")
    assert run("check").code == 0
    assert run("check", "--certainty", "possible").code == 1


def test_suppressions_are_counted_and_unused_ones_reported(run: Run) -> None:
    Path("a.cc").write_text(
        "int bad_one() { return 0; }  // ownlint: ignore[bad-name]: kept for the old callers\n"
        "int fine() { return 0; }  // ownlint: ignore[bad-name]: no longer needed\n"
    )
    done = run("check", "--output-format", "concise")
    assert (
        done.out
        == "a.cc:2:27: warning[unused-suppression] unused suppression: `bad-name` does not report anything here\n"
    )
    assert done.err.endswith("Found 1 problem (1 warning) in 1 file; 1 suppressed\n")
    assert run("check", "--ignore", "unused-suppression").code == 0


def test_reports_give_the_reasons_of_suppressions(run: Run) -> None:
    Path("a.cc").write_text(
        "// ownlint: begin-ignore[bad-name]: old names\n"
        "int bad_one() { return 0; }  // ownlint: ignore[bad-name]: kept for the old callers\n"
        "// ownlint: end-ignore[bad-name]\n"
    )
    document = json.loads(run("check", "--output-format", "json", "--output", "sarif=plain.sarif").out)
    assert (document["findings"], document["suppressed"]) == ([], 1)
    (told,) = document["suppressions"]
    assert (told["finding"]["rule"], told["finding"]["line"]) == ("bad-name", 2)
    assert told["reasons"] == ["old names", "kept for the old callers"]
    assert json.loads(Path("plain.sarif").read_text())["runs"][0]["results"] == []
    (result,) = json.loads(run("check", "--output-format", "sarif", "--show-suppressed").out)["runs"][0]["results"]
    reasons = [(each["justification"], each["kind"], each["status"]) for each in result["suppressions"]]
    assert reasons == [("old names", "inSource", "accepted"), ("kept for the old callers", "inSource", "accepted")]


def test_an_output_file_is_written_whole(run: Run) -> None:
    Path("a.cc").write_text(GUILTY)
    Path("out").mkdir()
    done = run("check", "--output-format", "sarif", "-o", "out/report.sarif")
    assert (done.code, done.out) == (1, "")
    assert json.loads(Path("out/report.sarif").read_text())["version"] == "2.1.0"
    assert stat.S_IMODE(Path("out/report.sarif").stat().st_mode) == 0o666 & ~_umask()
    assert os.listdir("out") == ["report.sarif"]  # noqa: PTH208
    assert "no/such/folder" in run("check", "-o", "no/such/folder/report").err


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask


def test_statistics_quiet_and_verbose(run: Run) -> None:
    Path("a.cc").write_text(GUILTY)
    Path("big.py").write_bytes(b"import os\n" * 400_000)
    assert run("check", "--statistics", "-q") == Done(1, "1  error[bad-name]\n", "")
    done = run("check", "--output-format", "github", "-v")
    assert done.out.startswith("::error file=a.cc,line=5,col=5,endLine=5,endColumn=11,title=ownlint (bad-name)::")
    assert "warning: big.py: stopped at a limit: " in done.err
    assert "settings: defaults; root: " in done.err


@pytest.mark.parametrize(
    ("environment", "flag", "coloured"),
    [
        ({}, "auto", False),
        ({}, "always", True),
        ({"FORCE_COLOR": "1"}, "auto", True),
        ({"FORCE_COLOR": "1", "NO_COLOR": "1"}, "auto", False),
        ({"FORCE_COLOR": "1"}, "never", False),
        ({"NO_COLOR": "1"}, "always", True),
    ],
)
def test_colours(
    run: Run, monkeypatch: pytest.MonkeyPatch, environment: dict[str, str], flag: str, coloured: bool
) -> None:
    Path("a.cc").write_text(GUILTY)
    for name, value in environment.items():
        monkeypatch.setenv(name, value)
    assert ("\x1b[" in run("check", "--color", flag).out) == coloured


def test_files_that_cannot_be_read_harm_nobody(run: Run) -> None:
    Path("a.cc").write_text(GUILTY)
    Path("bad.cc").write_bytes(b"\xff\xfe\x00\x01" * 50)
    Path("empty.cc").write_bytes(b"")
    Path("deep.py").write_text("x = " + "(" * 3000 + ")" * 3000 + "\n")
    os.mkfifo("pipe.cc")
    done = run("check", "--output-format", "json")
    report = json.loads(done.out)
    assert done.code == 1
    assert [each["path"] for each in report["findings"]] == ["a.cc"]
    assert {"path": "pipe.cc", "kind": "unread", "reason": "not a regular file"} in report["incomplete"]


def test_explain(run: Run) -> None:
    page = (
        "bad-name (made-up, error)\n\nHeadline of bad-name.\n\nMore.\n\n"
        "How to suppress it\n\n`// ownlint: ignore[bad-name]: reason` at the end of the reported line, or on a line of "
        "its own above it.\n\nSuite and measured precision\n\nSuite: default.\n"
    )
    assert run("explain", "bad-name").out == page
    assert run("explain", "bad-name", "--output-format", "markdown").out.startswith("# bad-name\n\nHeadline")
    assert json.loads(run("explain", "unused-suppression", "--output-format", "json").out)["severity"] == "warning"
    every = run("explain", "--all").out
    assert every.startswith(f"{page}\nother-rule (")
    assert run("explain", "suppressions").out.startswith("invalid-suppression (suppressions, warning)")
    assert len(json.loads(run("explain", "--all", "--output-format", "json").out)) == 4
    assert run("explain").code == run("explain", "--all", "bad-name").code == 2


def test_rules(run: Run) -> None:
    assert run("rules").out.splitlines()[:2] == [
        "rule                 group         suite    language     severity  fix  summary",
        "bad-name             made-up       default  C++          error          Headline of bad-name.",
    ]
    listed = json.loads(run("rules", "--output-format", "json").out)
    assert [each["id"] for each in listed] == ["bad-name", "other-rule", "invalid-suppression", "unused-suppression"]
    assert listed[0] == {
        "id": "bad-name",
        "group": "made-up",
        "languages": ["cpp"],
        "severity": "error",
        "suite": "default",
        "counts": {
            "first_contact": {"true": 0, "doubtful": 0, "false": 0},
            "standing": {"true": 0, "doubtful": 0, "false": 0},
            "history": 0,
            "live": 0,
            "live_false": 0,
            "unassuming": {"true": 0, "doubtful": 0, "false": 0},
        },
        "fixable": False,
        "cwe": [],
        "summary": "Headline of bad-name.",
    }


def test_a_group_or_a_glob_stands_for_its_rules_wherever_a_rule_is_named(run: Run) -> None:
    Path("a.cc").write_text(GUILTY)
    for name in ("made-up", "bad-*", "*-up", "b?d-name"):
        assert run("check", "--select", name).code == 1
        assert run("check", "--ignore", name).code == 0
        assert run("rules", name).out.splitlines()[1].startswith("bad-name ")
        assert "unused-suppression" not in run("rules", name).out
    assert run("check", "--select", "suppressions").code == 0
    assert "unknown rule `made-ups`; did you mean `made-up`?" in run("rules", "made-ups").err
    assert "unknown rule `made-ups`; did you mean `made-up`?" in run("check", "--select", "made-ups").err
    Path("ownlint.toml").write_text('[per-file-ignores]\n"*.cc" = ["made-up"]\n')
    assert run("check").code == 0
    Path("ownlint.toml").write_text('[severity]\nmade-up = "note"\n"bad-n*" = "warning"\n')
    assert "warning[bad-name]" in run("check", "--output-format", "concise").out
    Path("ownlint.toml").unlink()
    Path("a.cc").write_text(f"// ownlint: file-ignore[made-up]: as we like it\n{GUILTY}")
    assert run("check").code == 0
    Path("a.cc").write_text(f"// ownlint: file-ignore[*]: as we like it\n{GUILTY}")
    assert "`*` would suppress every rule: name the rules or their group" in run("check").out


def test_a_rule_of_another_suite_runs_where_it_is_asked_for(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    judged, now = Judged(true=4, doubtful=3, false=2), Judged(true=4, doubtful=2)
    counts = Counts(judged, now, history=1, live=5, live_false=1)
    measured = msgspec.structs.replace(made("bad-name", bad_name), suite="extended", counts=counts)
    monkeypatch.setattr(catalogue, "load", lambda: (measured,))
    assert run("rules").out.splitlines()[1].startswith("bad-name             made-up       extended  C++")
    assert run("explain", "bad-name").out.splitlines()[-1] == (
        "Suite: extended. On projects never used for tuning: 4 true, 3 doubtful, 2 false "
        "(still reported today: 4, 2, 0). "
        "Bugs found that a later commit fixed: 1. In other releases: 5 true, 1 false."
    )
    assert "bad-name" in run("rules", "--suite", "extended").out
    assert "bad-name" not in run("rules", "--suite", "default").out
    Path("a.cc").write_text(GUILTY)
    assert run("check").code == run("check", "--suite", "default").code == 0
    for asked in (
        ["--suite", "extended"],
        ["--suite", "audit"],
        ["--select", "bad-name"],
        ["--extend-select", "made-up"],
    ):
        done = run("check", *asked, "--output-format", "json")
        assert (done.code, json.loads(done.out)["findings"][0]["suite"]) == (1, "extended")
    Path("ownlint.toml").write_text('suite = "extended"\n')
    assert run("check").code == 1


@pytest.mark.parametrize(
    ("given", "said"),
    [
        (("--preset", "hook"), "`--preset hook` was renamed to `--suite default`"),
        (("--preset", "ci"), "`--preset ci` was renamed to `--suite default`"),
        (("--preset", "audit"), "`--preset audit` was renamed to `--suite audit`"),
        (("--preview",), "`--preview` was renamed to `--suite audit`"),
    ],
)
def test_options_that_suites_replaced_are_refused_with_theirs(run: Run, given: tuple[str, ...], said: str) -> None:
    done = run("check", *given)
    assert (done.code, done.err) == (2, f"error: {said}\n")
    assert given[0] not in run("check", "--help").out


def test_facts(run: Run) -> None:
    Path("a.cc").write_text(GUILTY)
    lines = run("facts", "a.cc").out.splitlines()
    assert lines[0].startswith("a.cc: cpp, ")
    assert "#0 function work(x: int) -> int" in lines
    assert "  return x" in lines


def test_config_says_where_each_setting_comes_from(run: Run) -> None:
    path = Path.cwd() / "ownlint.toml"
    path.write_text('certainty = "possible"\nignore = ["other-rule"]\n')
    lines = run("config", "--ignore", "bad-name").out.splitlines()
    assert f"# file: {path}" in lines
    assert f'certainty = "possible"  # {path}' in lines
    assert 'ignore = ["other-rule","bad-name"]  # --ignore' in lines
    assert 'types = "auto"  # default' in lines


def test_a_rule_asked_for_by_name_is_run_though_the_settings_ignore_it(run: Run) -> None:
    Path("ownlint.toml").write_text('ignore = ["bad-name"]\n')
    Path("a.cc").write_text(GUILTY)
    assert run("check").code == 0
    assert run("check", "--select", "bad-name,other-rule").code == 1


def test_settings_cannot_lead_the_cache_out_of_the_project(run: Run) -> None:
    Path("ownlint.toml").write_text('cache-dir = "../elsewhere"\n')
    done = run("check")
    assert (done.code, "points outside the project" in done.err) == (2, True)


def test_no_command_is_answered_with_the_help(run: Run) -> None:
    done = run()
    assert (done.code, done.out) == (2, "")
    assert done.err.startswith("Usage: ownlint [OPTIONS] COMMAND")
    assert "..." not in done.err.partition("Commands:")[2]
    assert run("--help").out.rstrip() == done.err.rstrip()


def test_an_output_file_that_cannot_be_is_said_before_the_work(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    Path("a.cc").write_text(GUILTY)
    monkeypatch.setattr("ownlint.pipeline.run", lambda options: pytest.fail("was run"))
    assert run("check", "-o", ".").err == "error: .: is a folder\n"
    assert run("check", "-o", "none/report").err == "error: none/report: no such folder: none\n"


def test_an_interrupt_while_a_class_is_made_is_one(tmp_path: Path) -> None:
    """Until 3.12, Python wraps what `__set_name__` raises; an empty line ends the `^C`."""
    program = """
import sys, ownlint.cli.main as c
class Named:
    def __set_name__(self, owner, name):
        raise KeyboardInterrupt
def projects(*_, **__):
    class Made:
        named = Named()
c._projects, sys.argv = projects, ["ownlint", "check"]
c.main()
"""
    done = subprocess.run([sys.executable, "-c", program], cwd=tmp_path, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (130, "\nerror: interrupted\n")


def test_a_bug_of_ours_is_not_taken_for_findings(tmp_path: Path) -> None:
    program = (
        "import sys, ownlint.cli.main as c; c._projects = lambda *_, **__: 1 // 0; sys.argv[1:] = ['check']; c.main()"
    )
    done = subprocess.run([sys.executable, "-c", program], cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 2
    assert "ZeroDivisionError" in done.stderr
    assert done.stderr.endswith("error: this is a bug in ownlint; please report it with the lines above\n")


def test_version(run: Run) -> None:
    from ownlint import __version__

    assert run("--version").out == run("-V").out == f"ownlint {__version__}\n"


def test_a_command_takes_only_the_options_that_change_it(run: Run) -> None:
    """Which are those that its help shows."""

    def shown(*command: str) -> set[str]:
        return set(re.findall(r"--[a-z-]+", run(*command, "--help").out)) - {"--help"}

    settings, compiling, cache = {"--config", "--isolated"}, {"--types", "--build-path"}, {"--no-cache", "--cache-dir"}
    assert shown("clean") == {*settings, "--cache-dir"}
    assert shown("facts") == {*settings, *compiling}
    assert shown("baseline", "show") == settings
    assert shown("doctor") == {*settings, *compiling, *cache, "--jobs", "--output-format"}
    assert run("clean", "--select", "all").err == "error: No such option '--select'.\n"


def test_another_system_is_refused_in_one_line(tmp_path: Path) -> None:
    """As on Windows, where `resource` and others are no modules."""
    for name in ("resource", "fcntl", "termios", "pwd"):
        (tmp_path / f"{name}.py").write_text("raise ImportError('not on this system')\n")
    as_there = "import os, sys; os.name, sys.platform = 'nt', 'win32'; from ownlint.__main__ import main; main()"
    for arguments in ((), ("--help",), ("check", ".")):
        done = subprocess.run(
            [sys.executable, "-c", as_there, *arguments], cwd=tmp_path, capture_output=True, text=True, check=False
        )
        assert (done.returncode, done.stdout) == (2, "")
        assert done.stderr == (
            "error: ownlint needs a POSIX system, which win32 is not: run it in WSL or in a container\n"
        )


def test_a_closed_pipe_is_no_traceback(tmp_path: Path) -> None:
    source = "".join(f"int bad_{n}() {{ return 0; }}\n" for n in range(10))
    (tmp_path / "a.cc").write_text(source)
    command = f"{sys.executable} -m ownlint rules --output-format json | true"
    done = subprocess.run(["bash", "-c", command], cwd=tmp_path, capture_output=True, text=True, check=False)
    assert "Traceback" not in done.stderr
