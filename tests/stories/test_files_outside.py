"""What a file outside of the project holds never comes back, whatever the project does to have it read."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from pathlib import Path
from typing import NamedTuple

import pytest
from tests import starting

CANARY = "ghp_Canary"
NUMBER = "31337421"

USE = """
template <typename T> T* make();
template <typename T> void consume(T&);
struct Holder { int* kept; };
"""
SHOWN = """
void keep(Holder& holder) {
  auto* made = make<Shown>();
  consume(*made);
  Shown local{};
  holder.kept = reinterpret_cast<int*>(&local);
}
"""


class Attempt(NamedTuple):
    """`secret` is what the file holds; the source may say `{secret}`, where it lies, and so may the arguments."""

    secret: str
    source: str
    arguments: tuple[str, ...] = ()
    name: str = ".secret"


ENUMERATOR = (
    "enum E {{\n#include {include}\n}};\ntemplate <E> struct P {{ int x; }};\nusing Shown = P<static_cast<E>(0)>;\n"
)
NUMBER_SOURCE = "constexpr int k =\n#include {include}\n;\ntemplate <int> struct P {{ int x; }};\nusing Shown = P<k>;\n"
MACRO = "struct TOKEN {{ int x; }};\nusing Shown = TOKEN;\n"
LISTED = f"{CANARY},\n"
DEFINED = f"#define TOKEN {CANARY}\n"

ATTEMPTS = {
    "enumerator": Attempt(LISTED, ENUMERATOR.replace("{include}", '"{secret}"')),
    "enumerator by a macro": Attempt(LISTED, '#define WHERE "{secret}"\n' + ENUMERATOR.replace("{include}", "WHERE")),
    "enumerator by a relative path": Attempt(LISTED, ENUMERATOR.replace("{include}", '"../home{number}/.secret"')),
    "number": Attempt(NUMBER, NUMBER_SOURCE.replace("{include}", '"{secret}"')),
    "name of a class": Attempt(DEFINED, '#include "{secret}"\n' + MACRO),
    "text of an error": Attempt(
        f'#define TEXT "{CANARY}"\n', '#include "{secret}"\nstatic_assert(false, TEXT);\nstruct Shown {{ int x; }};\n'
    ),
    "unknown name in an error": Attempt(DEFINED, '#include "{secret}"\nTOKEN error;\nstruct Shown {{ int x; }};\n'),
    "header that is missing": Attempt(f'#include "{CANARY}.h"\n', '#include "{secret}"\nstruct Shown {{ int x; }};\n'),
    "link to a header": Attempt(LISTED, ENUMERATOR.replace("{include}", '"link{number}.h"')),
    "link to a folder": Attempt(LISTED, ENUMERATOR.replace("{include}", '"linked{number}/.secret"')),
    "folder of headers": Attempt(LISTED, ENUMERATOR.replace("{include}", "<.secret>"), ("-I{home}",)),
    "folder of headers, no suffix": Attempt(
        LISTED, ENUMERATOR.replace("{include}", "<id_rsa>"), ("-isystem", "{home}"), "id_rsa"
    ),
    "forced on the source": Attempt(DEFINED, MACRO, ("-include", "{secret}")),
    "forced by a link": Attempt(DEFINED, MACRO, ("-include", "link{number}.h")),
    "macros of it": Attempt(DEFINED, MACRO, ("-imacros", "{secret}")),
    "file of arguments": Attempt(f"-DTOKEN={CANARY}\n", MACRO, ("@{secret}",)),
    "configuration of the driver": Attempt(f"-DTOKEN={CANARY}\n", MACRO, ("--config", "{secret}")),
    "embedded": Attempt(CANARY, 'constexpr char k[] = {{\n#embed "{secret}"\n}};\nstruct Shown {{ int x; }};\n'),
    "header unit": Attempt(DEFINED, 'import "{secret}";\n' + MACRO, ("-std=c++20", "-fmodules-ts")),
    "structure of a link": Attempt(f"struct {CANARY};\n", "struct Shown {{ int x; }};\n"),
}


def canary(number: int) -> str:
    return f"{CANARY}{number:02}"


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """All attempts in one project, each with a secret and a canary of its own."""
    folder = tmp_path_factory.mktemp("outside")
    root = folder / "project"
    root.mkdir()
    (root / "ownlint.toml").write_text("")
    entries = []
    for number, attempt in enumerate(ATTEMPTS.values()):
        home = folder / f"home{number:02}"
        home.mkdir()
        secret = home / attempt.name
        secret.write_text(attempt.secret.replace(CANARY, canary(number)))
        (root / f"link{number:02}.h").symlink_to(secret)
        (root / f"link{number:02}.cc").symlink_to(secret)
        (root / f"linked{number:02}").symlink_to(home)
        names = {"secret": secret, "home": home, "number": f"{number:02}"}
        (root / f"{number:02}.cc").write_text(attempt.source.format(**names) + USE + SHOWN)
        arguments = ["c++", "-std=c++17", *(word.format(**names) for word in attempt.arguments)]
        entries += [
            {"file": name, "directory": str(root), "arguments": [*arguments, name]}
            for name in (f"{number:02}.cc", f"link{number:02}.cc")
        ]
    (root / "compile_commands.json").write_text(json.dumps(entries))
    return root


FACTS_OF_EACH = """
import sys
from ownlint.cli.main import cli
for name in sys.argv[1:]:
    cli.main(["facts", name], prog_name="ownlint", standalone_mode=False)
"""
"""One interpreter for all: to start one for each file takes most of the time."""


def said(project: Path, *arguments: str, script: str = "") -> str:
    """Everything that a command says."""
    if script:
        command = [sys.executable, "-c", script, *arguments]
        done = subprocess.run(command, cwd=project, capture_output=True, text=True, check=False)
    else:
        done = starting.text(*arguments, cwd=project)
    assert done.returncode in (0, 1, 2), done.stderr
    return done.stdout + done.stderr


FORMS = ("json", "sarif", "html", "markdown", "json-lines")


def test_the_secret_is_not_said(project: Path) -> None:
    outputs = [word for form in FORMS for word in ("--output", f"{form}=report.{form}")]
    everything = said(
        project, "check", "--verbose", "--certainty", "possible", *outputs, "--export-fixes", "fixes.yaml"
    )
    assert "view-shorter-than-user" in everything
    everything += said(project, "doctor", ".")
    names = [f"{number:02}.cc" for number in range(len(ATTEMPTS))]
    facts = said(project, *names, script=FACTS_OF_EACH)
    assert "Traceback" not in facts
    assert facts.count("Holder") >= len(names)
    everything += facts + said(project, "facts", "link00.cc")
    written = [path for path in sorted(project.rglob("*")) if path.is_file() and not path.is_symlink()]
    assert len([path for path in written if path.name.startswith("report.")]) == len(FORMS)
    everything += "".join(path.read_bytes().decode(errors="replace") for path in written)
    cache = project / ".ownlint_cache"
    everything += "".join(
        path.read_bytes().decode(errors="replace") for path in sorted(cache.rglob("*")) if path.is_file()
    )
    assert [name for number, name in enumerate(ATTEMPTS) if canary(number) in everything] == []
    assert NUMBER not in everything


def test_what_the_project_holds_is_said(tmp_path: Path) -> None:
    """The same file inside of the project, so that the test above tests something."""
    (tmp_path / "ownlint.toml").write_text("")
    (tmp_path / "list.txt").write_text(LISTED)
    (tmp_path / "one.cc").write_text(ENUMERATOR.format(include='"list.txt"') + USE + SHOWN)
    entries = [{"file": "one.cc", "directory": str(tmp_path), "arguments": ["c++", "-std=c++17", "one.cc"]}]
    (tmp_path / "compile_commands.json").write_text(json.dumps(entries))
    assert CANARY in said(tmp_path, "facts", "one.cc")
    shutil.rmtree(tmp_path / ".ownlint_cache", ignore_errors=True)


def test_a_header_of_another_folder_is_read_where_the_database_names_it(tmp_path: Path) -> None:
    library, root = tmp_path / "library", tmp_path / "project"
    (library / "nested").mkdir(parents=True)
    root.mkdir()
    (root / "ownlint.toml").write_text("")
    (library / "engine.h").write_text("#include <nested/Part>\nstruct Engine { Part part; };\n")
    (library / "nested" / "Part").write_text("#pragma once\nstruct Part {};\n")
    (root / "one.cc").write_text("#include <engine.h>\nEngine* make();\nvoid f() { auto made = make(); }\n")
    arguments = ["c++", f"-I{library}", "one.cc"]
    entries = [{"file": "one.cc", "directory": str(root), "arguments": arguments}]
    (root / "compile_commands.json").write_text(json.dumps(entries))
    assert ", typed\n" in said(root, "facts", "one.cc")
