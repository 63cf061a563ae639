"""Fixes, comments that silence, baselines and several outputs at once, on the command line. The rules are made up."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Iterator
from pathlib import Path
from xml.etree import ElementTree as ET

import pytest
from command import Done, Run

from ownlint import Edit, Finding, Fix, Function, catalogue
from ownlint.report.model import KINDS, Incomplete, Kind, Report
from ownlint.rule import Rule


def bad_name(function: Function) -> Iterator[Finding]:
    """`bad_x` is to be `good_x`, `odd_x` perhaps; what is called `break_x` gets a fix that breaks the file."""
    name = function.record.name
    word, _, rest = name.partition("_")
    if word in ("bad", "odd", "break"):
        start = function.record.name_start
        span = type(function.record.span)(start, start + len(name))
        text = f"good_{rest}" if word != "break" else "((((("
        fix = Fix(f"call it `{text}`", (Edit(function.path, span, text),), safe=word != "odd")
        yield function.finding(span, f"`{name}` is badly named", certainty="certain", fix=fix)


@pytest.fixture(autouse=True)
def _own_rules(monkeypatch: pytest.MonkeyPatch) -> None:
    page = "Headline of bad-name.\n\nMore.\n"
    made = Rule("bad-name", "error", "Function", bad_name, page, ("cpp", "python"), "made-up", False, "made", ("def ",))
    monkeypatch.setattr(catalogue, "load", lambda: (made,))
    for name in ("NO_COLOR", "FORCE_COLOR", "OWNLINT_CACHE_DIR", "GITHUB_WORKSPACE"):
        monkeypatch.delenv(name, raising=False)


def check(run: Run, *arguments: str) -> Done:
    return run("check", "--types", "never", "--jobs", "1", *arguments)


# --- fixes ------------------------------------------------------------------------------------


def test_a_fix_is_made_and_the_rest_reported(run: Run) -> None:
    Path("a.cc").write_bytes(b"int bad_one() { return 1; }\r\n\r\nint odd_two() { return 2; }\r\n")
    done = check(run, "--fix", "-q", "--output-format", "concise")
    assert Path("a.cc").read_bytes() == b"int good_one() { return 1; }\r\n\r\nint odd_two() { return 2; }\r\n"
    assert (done.code, done.out) == (1, "a.cc:3:5: error[bad-name] `odd_two` is badly named\n")
    done = check(run, "--fix", "--unsafe-fixes")
    assert done.code == 0
    assert "fixed 1 finding" in done.err
    before = Path("a.cc").read_bytes()
    assert check(run, "--fix", "--unsafe-fixes").code == 0
    assert Path("a.cc").read_bytes() == before


def test_what_could_be_mended_is_told(run: Run) -> None:
    Path("a.cc").write_text("int bad_one() { return 1; }\nint odd_two() { return 2; }\n")
    said = check(run).err
    assert "1 fixable with `--fix`, 1 more fixable with `--fix --unsafe-fixes`\n" in said


def test_a_diff_changes_nothing_and_can_be_applied(run: Run) -> None:
    Path("a.cc").write_text("int bad_one() { return 1; }\n")
    done = check(run, "--diff")
    assert done.code == 1
    assert Path("a.cc").read_text() == "int bad_one() { return 1; }\n"
    subprocess.run(["git", "apply", "-"], input=done.out.encode(), check=True)
    assert Path("a.cc").read_text() == "int good_one() { return 1; }\n"
    assert check(run, "--diff") == Done(0, "", "would fix 0 findings\n")


@pytest.fixture
def two_projects(run: Run) -> Path:
    """A file of Windows in a project below one without settings, in a git tree."""
    top = Path.cwd()
    subprocess.run(["git", "init", "-q"], check=True)
    Path("bindings/src").mkdir(parents=True)
    Path("bindings/pyproject.toml").write_text("[tool.ownlint]\n")
    Path("bindings/src/b.cc").write_bytes(b"int bad_two() { return 2; }\r\nint x;")
    Path("a.cc").write_text("int bad_one() { return 1; }\n")
    return top


@pytest.mark.parametrize(
    ("where", "path", "changed"),
    [(".", ".", 2), (".", "bindings", 1), ("bindings", ".", 1), ("bindings/src", ".", 1), ("bindings/src", "b.cc", 1)],
)
def test_a_diff_of_projects_applies_where_it_was_made(
    run: Run, monkeypatch: pytest.MonkeyPatch, two_projects: Path, where: str, path: str, changed: int
) -> None:
    monkeypatch.chdir(two_projects / where)
    done = check(run, "--diff", path)
    assert done.err.splitlines()[-1] == f"would fix {changed} finding{'s' * (changed > 1)}"
    subprocess.run(["git", "apply", "-"], input=done.out.encode(), check=True)
    assert (two_projects / "bindings/src/b.cc").read_bytes() == b"int good_two() { return 2; }\r\nint x;"
    assert ("good" in (two_projects / "a.cc").read_text()) == (changed == 2)


def test_fixes_and_comments_are_made_in_every_project(run: Run, two_projects: Path) -> None:
    done = check(run, "--fix")
    assert (done.code, done.err.splitlines()[-1]) == (0, "fixed 2 findings")
    assert Path("bindings/src/b.cc").read_bytes() == b"int good_two() { return 2; }\r\nint x;"
    Path("bindings/src/b.cc").write_text("int odd_two() { return 2; }\n")
    Path("a.cc").write_text("int odd_one() { return 1; }\n")
    done = check(run, "--add-suppressions", "the names stay")
    assert (done.code, done.err.splitlines()[-1]) == (0, "suppressed 2 findings")
    assert Path("bindings/src/b.cc").read_text().startswith("// ownlint: ignore[bad-name]: the names stay\n")


def test_a_diff_is_relative_to_the_working_directory(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where a file of it lies elsewhere, to the project: `git apply` takes no `..`."""
    root = Path.cwd()
    subprocess.run(["git", "init", "-q"], check=True)
    for path in (Path("a.cc"), Path("sub/b.cc")):
        path.parent.mkdir(exist_ok=True)
        path.write_bytes(b"int bad_one() { return 1; }\r\n")
    monkeypatch.chdir("sub")
    below, all_of_it = check(run, "--diff", "b.cc"), check(run, "--diff", "..")
    assert (below.err, "+++ b/b.cc\n" in below.out) == ("would fix 1 finding\n", True)
    assert (
        f"note: the diff is relative to {root}, since it changes files outside the working directory\n" in all_of_it.err
    )
    monkeypatch.chdir(root)
    subprocess.run(["git", "apply", "-"], input=all_of_it.out.encode(), check=True)
    for name in ("a.cc", "sub/b.cc"):
        assert Path(name).read_bytes() == b"int good_one() { return 1; }\r\n"


def test_a_fix_that_breaks_a_file_is_undone(run: Run) -> None:
    text = "def break_me():\n    return 1\n\n\ndef bad_one():\n    return 2\n"
    Path("a.py").write_text(text)
    Path("b.py").write_text("def bad_two():\n    return 1\n")
    done = check(run, "--fix")
    assert Path("a.py").read_text() == text
    assert Path("b.py").read_text() == "def good_two():\n    return 1\n"
    assert "warning: a.py: the fix was undone" in done.err
    assert done.code == 1


def test_fixes_for_clang_s_tools(run: Run) -> None:
    Path("a.cc").write_text("int bad_one() { return 1; }\n")
    check(run, "--export-fixes", "fixes.yaml")
    document = json.loads(Path("fixes.yaml").read_text())
    assert document["Diagnostics"][0]["DiagnosticMessage"]["Replacements"][0]["ReplacementText"] == "good_one"


def test_one_thing_at_a_time(run: Run) -> None:
    done = check(run, "--fix", "--add-suppressions", "kept")
    assert (done.code, done.err) == (2, "error: --fix and --add-suppressions cannot be combined\n")


# --- comments that silence --------------------------------------------------------------------


def test_every_finding_is_silenced_by_a_comment_with_the_reason(run: Run) -> None:
    Path("a.cc").write_bytes(b"namespace n {\r\n  int bad_one() { return 1; }\r\n}\r\n")
    Path("b.py").write_text("class A:\n    def bad_two(self):\n        return 1\n")
    done = check(run, "--add-suppressions", "kept  until\nspring")
    assert done.code == 0
    assert "suppressed 2 findings" in done.err
    comment = b"  // ownlint: ignore[bad-name]: kept until spring\r\n"
    assert Path("a.cc").read_bytes() == b"namespace n {\r\n" + comment + b"  int bad_one() { return 1; }\r\n}\r\n"
    assert "    # ownlint: ignore[bad-name]: kept until spring\n    def bad_two" in Path("b.py").read_text()
    assert check(run).code == 0


def test_where_no_comment_can_stand_above_it_stands_behind(run: Run) -> None:
    Path("b.py").write_text("x = 1; \\\nf = lambda: 1\nif x: \\\n  y = 1\n\n\ndef \\\nbad_two():\n    return 1\n")
    done = check(run, "--add-suppressions", "kept")
    text = Path("b.py").read_text()
    assert done.code == 0, (text, done)
    assert "bad_two():  # ownlint: ignore[bad-name]: kept\n" in text


def test_what_stays_says_where_and_takes_nothing_else_with_it(run: Run) -> None:
    """A line that begins and ends inside of strings has no room for a comment."""
    strings = 'const char *a = R"(\n)"; int bad_two(const char *b = R"(\n)") { return 2; }\n'
    Path("a.cc").write_text(f"int bad_one() {{ return 1; }}\n{strings}")
    done = check(run, "--add-suppressions", "kept")
    assert "// ownlint: ignore[bad-name]: kept\nint bad_one" in Path("a.cc").read_text(), done
    assert done.code == 1
    assert "warning: a.cc:4: bad-name: not suppressed: a comment above the line or at its end has no effect" in done.err


def test_a_file_that_was_read_in_part_before_is_silenced_too(run: Run) -> None:
    gap = "class A { void f( {{{ )\n" * 20
    Path("a.cc").write_text(f"int bad_one() {{ return 1; }}\n{gap}")
    assert "could not be parsed" in check(run).err
    done = check(run, "--add-suppressions", "kept")
    assert "suppressed 1 finding\n" in done.err
    assert "not silenced" not in done.err
    assert Path("a.cc").read_text().startswith("// ownlint: ignore[bad-name]: kept\nint bad_one")


def test_a_reason_is_needed(run: Run) -> None:
    Path("a.cc").write_text("int bad_one() { return 1; }\n")
    assert check(run, "--add-suppressions", " ").err.startswith("error: --add-suppressions: a reason is required")
    assert check(run, "--add-suppressions", "\x1b[31m").code == 2
    assert Path("a.cc").read_text() == "int bad_one() { return 1; }\n"


# --- baselines --------------------------------------------------------------------------------


def test_what_is_in_the_baseline_is_left_out_until_it_is_gone(run: Run) -> None:
    Path("a.cc").write_text("int bad_one() { return 1; }\n")
    assert run("baseline", "write", "--types", "never").code == 0
    done = check(run)
    assert (done.code, done.out) == (0, "No problems found in 1 file\n")
    assert "1 finding hidden by the baseline ownlint-baseline.json" in done.err
    Path("a.cc").write_text("\n\nint bad_one() { return 1; }\nint bad_two() { return 1; }\n")
    assert "bad_two" in check(run).out
    assert "bad_one" not in check(run).out
    assert "bad_one" in check(run, "--no-baseline").out
    Path("a.cc").write_text("int fine() { return 1; }\n")
    assert "1 stale entry in ownlint-baseline.json" in check(run).err
    assert "removed 1 entry" in run("baseline", "prune", "--types", "never").err
    assert run("baseline", "show").out == "0 entries in 0 files\n"


def test_of_other_files_the_baseline_keeps_what_it_says(run: Run) -> None:
    Path("a.cc").write_text("int bad_one() { return 1; }\n")
    Path("b.cc").write_text("int bad_two() { return 1; }\n")
    run("baseline", "write", "--types", "never")
    Path("a.cc").write_text("int fine() { return 1; }\n")
    assert "and kept 1 others" in run("baseline", "write", "a.cc", "--types", "never").err
    assert run("baseline", "show").out == "b.cc: bad-name: `bad_two` is badly named\n1 entry in 1 file\n"


def test_a_file_that_is_gone_is_pruned(run: Run) -> None:
    Path("a.cc").write_text("int bad_one() { return 1; }\n")
    Path("b.cc").write_text("int fine() { return 1; }\n")
    run("baseline", "write", "--types", "never")
    Path("a.cc").unlink()
    assert "removed 1 entry" in run("baseline", "prune", "--types", "never").err


def test_the_settings_name_the_baseline(run: Run) -> None:
    Path("ownlint.toml").write_text('baseline = "known.json"\n')
    Path("a.cc").write_text("int bad_one() { return 1; }\n")
    assert check(run).err.endswith("error: known.json: No such file or directory\n") or check(run).code == 2
    run("baseline", "write", "--types", "never")
    assert Path("known.json").exists()
    assert check(run).code == 0


def test_a_baseline_that_is_none_ends_the_run_with_its_line(run: Run) -> None:
    Path("a.cc").write_text("int bad_one() { return 1; }\n")
    Path("known.json").write_text('{\n  "version": 1,\n  "findings": [3]\n}\n')
    done = check(run, "--baseline", "known.json")
    assert done.code == 2
    assert done.err.startswith("error: known.json:")
    assert done.err.count("\n") == 1


# --- outputs ----------------------------------------------------------------------------------


def test_several_outputs_at_once(run: Run) -> None:
    Path("a.cc").write_text("int bad_one() { return 1; }\n")
    done = check(run, "--output", "junit=j.xml", "--output", "gitlab=g.json", "--output", "json-lines=l.json")
    assert "bad_one" in done.out
    assert len(list(ET.parse("j.xml").iter("failure"))) == 1
    assert json.loads(Path("g.json").read_text())[0]["check_name"] == "bad-name"
    assert json.loads(Path("l.json").read_text())["rule"] == "bad-name"


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ("juint=x.xml", "error: --output: unknown format `juint`; did you mean `junit`?\n"),
        ("report.html", "error: --output: `report.html` is not FORMAT=FILE, for example `html=report.html`\n"),
        ("report", "error: --output: `report` is not FORMAT=FILE, for example `html=report.html`\n"),
        ("junit", "error: --output: `junit` has no file name: write `junit=FILE`\n"),
        ("junit=", "error: --output: `junit=` has no file name: write `junit=FILE`\n"),
        ("junit=gone/x.xml", "error: gone/x.xml: no such folder: gone\n"),
    ],
)
def test_an_output_that_cannot_be_is_told_before_the_work(run: Run, given: str, said: str) -> None:
    Path("a.cc").write_text("int bad_one() { return 1; }\n")
    assert check(run, "--output", given) == Done(2, "", said)


def test_what_was_not_read_in_full_can_fail_a_run(run: Run) -> None:
    Path("a.py").write_text("def fine(:\n")
    assert check(run).code == 0
    done = check(run, "--fail-on-incomplete", "-q")
    assert done.code == 2
    assert done.err.endswith("error: --fail-on-incomplete: 1 partially analysed\n")


def test_a_header_that_is_not_found_can_fail_a_run(run: Run) -> None:
    Path("a.cc").write_text('#include "gone.h"\nint fine() { return 1; }\n')
    entry = {"directory": str(Path.cwd()), "file": "a.cc", "command": "c++ -c a.cc"}
    Path("compile_commands.json").write_text(json.dumps([entry]))
    done = run("check", "--output-format", "json", "--jobs", "1")
    assert done.code == 0
    assert [(each["path"], each["kind"]) for each in json.loads(done.out)["incomplete"]] == [("a.cc", "headers")]
    done = run("check", "--fail-on-incomplete", "--exit-zero", "-q", "--jobs", "1")
    assert done.code == 2
    assert done.err == (
        "error: --fail-on-incomplete: a.cc: parsed without all headers: 1 header not found: gone.h\n"
        "error: --fail-on-incomplete: 1 parsed without all headers\n"
    )


@pytest.mark.parametrize("kind", KINDS)
def test_every_kind_of_incompleteness_can_fail_a_run(run: Run, monkeypatch: pytest.MonkeyPatch, kind: Kind) -> None:
    """And there is no other way: what JSON calls incomplete is what the option fails on."""
    report = Report(files=1, incomplete=(Incomplete("a.cc", "it was so", kind),))
    monkeypatch.setattr("ownlint.pipeline.run", lambda options: report)
    Path("a.cc").write_text("int fine() { return 1; }\n")
    done = run("check", "--fail-on-incomplete", "--output-format", "json")
    assert done.code == 2
    assert done.err.count(f"error: --fail-on-incomplete: a.cc: {KINDS[kind]}: it was so\n") == 1
    (told,) = json.loads(done.out)["incomplete"]
    assert told == {"path": "a.cc", "kind": kind, "reason": "it was so"}
