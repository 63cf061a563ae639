"""The commands that look after what surrounds a check: doctor, clean, config verify and schema, completion, links."""

from __future__ import annotations

import json
import os
import pty
import re
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path
from typing import Any

import jsonschema
import msgspec
import pytest
from tests import starting
from tests.consoles import path_with_ownlint, read_all

from ownlint.cli import verifying
from ownlint.config import KEYS, Config
from ownlint.facts.cache import NotOursError, remove

ROOT = Path(__file__).parents[2]

GUILTY = """\
from mlir.ir import Module


def entry(source):
    module = Module.parse(source)
    return module.body.operations[0]
"""


def ownlint(*arguments: str, where: Path, **variables: str) -> subprocess.CompletedProcess[str]:
    kept = {name: value for name, value in os.environ.items() if not name.startswith("OWNLINT_")}
    return starting.text(*arguments, cwd=where, env={**kept, **variables})


@pytest.fixture
def project(tmp_path: Path) -> Path:
    (tmp_path / "ownlint.toml").write_text("")
    (tmp_path / "lowering.py").write_text(GUILTY)
    return tmp_path


# --- doctor -----------------------------------------------------------------------------------


def parts(done: subprocess.CompletedProcess[str]) -> dict[str, dict[str, str]]:
    return {part["name"]: part for part in json.loads(done.stdout)}


def test_the_doctor_tries_each_parser(project: Path) -> None:
    done = ownlint("doctor", "--output-format", "json", where=project)
    assert done.returncode == 0, done.stderr
    found = parts(done)
    for name in ("ownlint", "C++ by structure", "C++ with types", "Python", "cache", "rules", "models"):
        assert found[name]["state"] == "ok", found[name]
    assert re.search(r"libclang \d+", found["C++ with types"]["found"])
    assert found["cache"]["found"].endswith("not created yet")
    assert not (project / ".ownlint_cache").exists()


def test_the_doctor_finds_a_compile_database_and_says_how_to_get_one(project: Path) -> None:
    (project / "engine.cc").write_text("int x;\n")
    (project / "other.h").write_text("int y;\n")
    without = ownlint("doctor", where=project)
    assert without.returncode == 0
    assert re.search(r"^optional  compile database +not found\n +fix: .*EXPORT_COMPILE", without.stdout, re.MULTILINE)
    (project / "setup.py").write_text("")
    assert "`bear -- python setup.py build_ext --inplace --force`" in ownlint("doctor", where=project).stdout
    (project / "CMakeLists.txt").write_text("")
    assert "EXPORT_COMPILE" in ownlint("doctor", where=project).stdout
    commands = [{"directory": str(project), "file": "engine.cc", "command": "c++ -c engine.cc"}]
    (project / "build").mkdir()
    (project / "build" / "compile_commands.json").write_text(json.dumps(commands))
    found = parts(ownlint("doctor", "--output-format", "json", where=project))["compile database"]
    assert found["state"] == "ok"
    assert found["found"] == "build/compile_commands.json, 1 commands, for 1 of 2 C++ files"


def test_the_doctor_says_what_does_not_compile(project: Path) -> None:
    (project / "engine.cc").write_text("#include <cstddef>\n\nEngine* made;\n")
    commands = [{"directory": str(project), "file": "engine.cc", "command": "c++ -c engine.cc"}]
    (project / "compile_commands.json").write_text(json.dumps(commands))

    def types() -> dict[str, str]:
        return parts(ownlint("doctor", "--output-format", "json", where=project))["type information for your C++"]

    told = types()
    assert told["state"] == "optional"
    assert told["found"].startswith("1 of 1 file tried did not compile: engine.cc: ")
    assert "unknown type name 'Engine'" in told["found"]
    assert told["remedy"].startswith("configure and build the project")
    (project / "engine.cc").write_text('#include "engine_config.h"\n')
    assert types()["found"].endswith("engine.cc: 1 header not found: engine_config.h")
    (project / "engine.cc").write_text("int made;\n")
    assert (types()["state"], types()["found"]) == ("ok", "1 file tried")
    for number in range(20):  # some of many, and none of what is not asked for
        (project / f"more{number}.cc").write_text("int made;\n")
        commands.append({"directory": str(project), "file": f"more{number}.cc", "command": f"c++ -c more{number}.cc"})
    (project / "compile_commands.json").write_text(json.dumps(commands))
    assert types()["found"] == "7 files tried"
    assert "type information for your C++" not in ownlint("doctor", "--types", "never", where=project).stdout
    assert "type information for your C++" not in ownlint("doctor", "lowering.py", where=project).stdout


def test_what_is_missing_is_1_and_says_how_to_get_it(project: Path) -> None:
    (project / "cache").write_text("no folder\n")
    done = ownlint("doctor", "--cache-dir", "cache", where=project)
    assert done.returncode == 1
    assert "missing   cache" in done.stdout
    assert "fix: name another folder with --cache-dir" in done.stdout


def test_a_git_that_is_not_there_is_no_failure(project: Path) -> None:
    done = ownlint("doctor", "--output-format", "json", where=project, PATH="")
    assert parts(done)["git"]["state"] == "optional"
    assert done.returncode == 0


def test_verify_lists_every_mistake(project: Path) -> None:
    (project / "models").mkdir()
    (project / "models" / "good.toml").write_text('[library]\nname = "good"\n')
    (project / "models" / "bad.toml").write_text('[library]\nname = "bad"\n[[function]]\nname = "f"\n')
    (project / "models" / "bad.own.toml").write_text("format = 9\n")
    (project / "ownlint.toml").write_text(
        'selct = ["all"]\n'
        'jobs = "two"\n'
        'certainty = "sure"\n'
        'ignore = ["use-after-erse", 3]\n'
        'extend-select = ["lokcs"]\n'
        'exclude = ["a[b", "fine/"]\n'
        'models = ["models/none.toml", "models/good.toml", "models/bad.toml", "models/bad.own.toml"]\n'
        'build-path = "none"\n'
        'environment = "no-venv"\n'
        'parity = [["cuda"], ["hip", "a b"]]\n'
        "[severity]\n"
        'locks = "bad"\n'
        'discarded-status = "worse"\n'
    )
    for arguments in ((), ("ownlint.toml",), ("--config", "ownlint.toml")):
        done = ownlint("config", "verify", *arguments, where=project)
        assert (done.returncode, done.stdout) == (2, "")
        lines = [line.removeprefix(f"error: {project}/") for line in done.stderr.splitlines()]
        assert [line.partition(": ")[0] for line in lines] == [
            *(f"ownlint.toml:{number}" for number in (1, 2, 3, 4, 12, 13, 5, 6, 10, 10, 9, 7)),
            "models/bad.toml:3",
            "models/bad.own.toml:1",
            "ownlint.toml:8",
        ], done.stderr
        assert lines[0].endswith("unknown key `selct`; did you mean `select`?")
    assert ownlint("check", where=project).stderr.count("\n") == 1


def test_the_doctor_refuses_settings_that_are_wrong(project: Path) -> None:
    (project / "ownlint.toml").write_text('certainy = "likely"\n')
    done = ownlint("doctor", where=project)
    assert done.returncode == 2
    assert done.stderr.endswith("ownlint.toml:1: unknown key `certainy`; did you mean `certainty`?\n")


def test_a_hostile_name_is_shown_harmlessly(project: Path) -> None:
    folder = project / "a\x1b[2J"
    folder.mkdir()
    done = ownlint("doctor", "--cache-dir", str(folder), where=project)
    assert "\x1b" not in done.stdout
    assert "\\u{1b}" in done.stdout


# --- clean ------------------------------------------------------------------------------------


def test_clean_removes_our_cache_and_says_how_much(project: Path) -> None:
    assert ownlint("check", "-q", where=project).returncode == 1
    assert (project / ".ownlint_cache").is_dir()
    done = ownlint("clean", where=project)
    assert re.fullmatch(r"\.ownlint_cache: removed [\d.]+ MB\n", done.stdout)
    assert not (project / ".ownlint_cache").exists()
    again = ownlint("clean", where=project)
    assert (again.returncode, again.stdout) == (0, ".ownlint_cache: no cache\n")


@pytest.mark.parametrize("kind", ["folder", "link", "file", "wrong tag", "link as tag"])
def test_clean_leaves_alone_what_is_not_ours(tmp_path: Path, kind: str) -> None:
    folder, kept = tmp_path / "cache", tmp_path / "kept"
    (kept / "ab").mkdir(parents=True)
    (kept / "ab" / ("0" * 38)).write_text("keep me")
    tag = b"Signature: 8a477f597d28d172789f06886806bc55\n# Written by somebody else\n"
    match kind:
        case "folder":
            shutil.copytree(kept, folder)
        case "link":
            folder.symlink_to(kept, target_is_directory=True)
        case "file":
            folder.write_text("")
        case _:
            shutil.copytree(kept, folder)
            (kept / "tag").write_bytes(tag)
            if kind == "wrong tag":
                (folder / "CACHEDIR.TAG").write_bytes(tag)
            else:
                (folder / "CACHEDIR.TAG").symlink_to(kept / "tag")
    with pytest.raises(NotOursError):
        remove(folder)
    assert (kept / "ab" / ("0" * 38)).read_text() == "keep me"
    done = ownlint("clean", "--isolated", "--cache-dir", str(folder), where=tmp_path)
    assert done.returncode == 2
    assert done.stderr.count("\n") == 1


def test_clean_leaves_what_somebody_put_into_our_cache(project: Path) -> None:
    ownlint("check", "-q", where=project)
    notes = project / ".ownlint_cache" / "notes.txt"
    notes.write_text("mine\n")
    assert ownlint("clean", where=project).returncode == 0
    assert notes.read_text() == "mine\n"
    assert ownlint("check", "-q", where=project).returncode == 1


# --- the settings -----------------------------------------------------------------------------


def test_verify_looks_at_all_that_settings_name(project: Path) -> None:
    file = project / "ownlint.toml"
    assert ownlint("config", "verify", where=project).stdout == "ownlint.toml: ok\n"
    (project / "model.toml").write_text('[[function]]\nname = "a::B"\neffect = "aquire result"\n')
    wrong = {
        'ignore = ["no-such-rule"]\n': "ownlint.toml:1: unknown rule `no-such-rule`",
        'exclude = ["fine"]\n\n\nselect = 1\n': "ownlint.toml:4: `select`: expected `array`, got `int`",
        'models = ["none.toml"]\n': "ownlint.toml:1: `none.toml`: no such file or folder",
        'models = ["model.toml"]\n': "model.toml:",
        '\nbuild-path = "none"\n': "ownlint.toml:2: `build-path`: `none`: no such file or folder",
        '\nbaseline = "none.json"\n': f"ownlint.toml:2: `baseline`: {project}/none.json: No such file or directory",
        '\nbaseline = "model.toml"\n': f"ownlint.toml:2: `baseline`: {project}/model.toml:1: Expected `object`",
    }
    for text, told in wrong.items():
        file.write_text(text)
        done = ownlint("config", "verify", where=project)
        assert done.returncode == 2, text
        assert told in done.stderr
        assert done.stderr.count("\n") == 1


def test_verify_tells_of_a_table_with_another_name(project: Path) -> None:
    (project / "ownlint.toml").unlink()
    (project / "pyproject.toml").write_text("[tool.ownlnt]\njobs = 2\n")
    done = ownlint("config", "verify", where=project)
    said = f"error: {project}/pyproject.toml:1: unknown table [tool.ownlnt]; did you mean [tool.ownlint]?\n"
    assert (done.returncode, done.stdout, done.stderr) == (2, "", said)


def test_config_still_takes_paths_and_a_path_may_be_called_verify(project: Path) -> None:
    (project / "verify").mkdir()
    (project / "verify" / "ownlint.toml").write_text('certainty = "possible"\n')
    assert 'certainty = "likely"' in ownlint("config", where=project).stdout
    assert 'certainty = "possible"' in ownlint("config", "./verify", where=project).stdout
    assert 'certainty = "possible"' in ownlint("config", "--", "verify", where=project).stdout
    assert "schema  Print the JSON schema" in ownlint("config", "--help", where=project).stdout


def test_the_committed_schema_is_the_one_that_is_printed(project: Path) -> None:
    """`ownlint config schema > docs/ownlint.schema.json`"""
    printed = ownlint("config", "schema", where=project).stdout
    assert printed == (ROOT / "docs" / "ownlint.schema.json").read_text(encoding="utf-8")


def test_the_schema_describes_every_key() -> None:
    properties = verifying.schema()["properties"]
    assert sorted(properties) == sorted(KEYS)
    assert [key for key, about in properties.items() if not about.get("description")] == []


@pytest.mark.parametrize(
    ("text", "fits"),
    [
        ("", True),
        ('certainty = "possible"\nselect = ["all"]\njobs = 3\n', True),
        ('[per-file-ignores]\n"tests/" = ["a-rule"]\n[severity]\na-rule = "note"\n', True),
        ('parity = [["metal", "vulkan"]]\n', True),
        ('certainty = "sure"\n', False),
        ("jobs = 0\n", False),
        ('selekt = ["all"]\n', False),
        ('select = "all"\n', False),
    ],
)
def test_the_schema_takes_what_the_settings_take(text: str, fits: bool) -> None:
    schema = verifying.schema()
    jsonschema.Draft202012Validator.check_schema(schema)
    table: dict[str, Any] = tomllib.loads(text)
    assert jsonschema.Draft202012Validator(schema).is_valid(table) is fits
    try:
        msgspec.convert(table, Config)
    except msgspec.ValidationError:
        assert not fits
    else:
        assert fits


# --- the shell --------------------------------------------------------------------------------


def completed(where: Path, *words: str) -> list[str]:
    """What bash offers for the last of the words, after it has read what `completion` prints."""
    script = ownlint("completion", "bash", where=where).stdout
    asked = " ".join(f"'{word}'" for word in ("ownlint", *words))
    ask = f"COMP_WORDS=({asked}); COMP_CWORD={len(words)}; _ownlint_completion ownlint"
    ask += '; printf "%s\\n" "${COMPREPLY[@]}"'
    environment = {**os.environ, "PATH": path_with_ownlint(where / "bin")}
    ran = subprocess.run(
        ["bash", "--norc", "-c", f"{script}\n{ask}"],
        cwd=where,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
    return ran.stdout.split()


@pytest.mark.skipif(shutil.which("bash") is None, reason="needs bash")
def test_bash_completes_commands_options_and_rules(project: Path) -> None:
    assert {"check", "clean", "config", "completion"} <= set(completed(project, "c"))
    assert completed(project, "check", "--stat") == ["--statistics"]
    assert completed(project, "explain", "flag-s") == ["flag-set-before-success"]
    assert completed(project, "check", "--ignore", "two-owners,flag-s") == ["two-owners,flag-set-before-success"]


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_each_shell_has_a_script(project: Path, shell: str) -> None:
    done = ownlint("completion", shell, where=project)
    assert done.returncode == 0
    assert f"_OWNLINT_COMPLETE={shell}_complete" in done.stdout


def test_a_shell_that_is_none_is_refused(project: Path) -> None:
    done = ownlint("completion", "tcsh", where=project)
    assert done.returncode == 2


# --- links ------------------------------------------------------------------------------------

LINK = re.compile(r"\x1b\]8;;([^\x1b]*)\x1b\\([^\x1b]*)\x1b\]8;;\x1b\\")


def on_a_terminal(where: Path, *arguments: str, **variables: str) -> str:
    kept = {name: value for name, value in os.environ.items() if name not in ("NO_COLOR", "FORCE_COLOR")}
    ours, theirs = pty.openpty()
    with subprocess.Popen(
        [sys.executable, "-m", "ownlint", *arguments],
        cwd=where,
        env={**kept, "TERM": "xterm", **variables},
        stdin=subprocess.DEVNULL,
        stdout=theirs,
        stderr=subprocess.DEVNULL,
    ):
        os.close(theirs)
        out = read_all(ours)
    os.close(ours)
    return out.decode()


def test_a_rule_is_a_link_on_a_terminal_with_colour_alone(project: Path) -> None:
    site = "https://docs.example.invalid/ownlint"
    told = on_a_terminal(project, "check", OWNLINT_DOCS_URL=site)
    assert LINK.findall(told) == [(f"{site}/rules/child-outlives-owner/", "error[child-outlives-owner]")]
    assert "\x1b]8" not in on_a_terminal(project, "check", OWNLINT_DOCS_URL=site, NO_COLOR="1")
    assert "\x1b]8" not in ownlint("check", "--color", "always", where=project, OWNLINT_DOCS_URL=site).stdout
    assert "\x1b]8" not in on_a_terminal(project, "check", OWNLINT_DOCS_URL="javascript:alert(1)")


def test_source_text_makes_no_link(project: Path) -> None:
    forged = GUILTY.replace("operations[0]", "operations[0]  # \x1b[1;31merror[two-owners]")
    (project / "lowering.py").write_text(forged)
    told = on_a_terminal(project, "check", OWNLINT_DOCS_URL="https://docs.example.invalid/a\x1b]8;;b")
    assert [text for _, text in LINK.findall(told)] == ["error[child-outlives-owner]"]
    assert "%1B]8;;b" in told
