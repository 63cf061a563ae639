"""Bad input, met as a user meets it: a clear line, the right exit code, and the rest of the run unharmed.

Every project here holds a good file with one known bug beside what is bad, so that silence is never taken for health.
"""

from __future__ import annotations

import json
import os
import re
import signal
import socket
import subprocess
import sys
import time
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from tests import starting
from tests.stories.repositories import SESSION

COMMAND = (sys.executable, "-P", "-m", "ownlint")

GOOD_CPP = SESSION.format("Session")
GOOD_PYTHON = """\
from mlir.ir import Module


def entry(source):
    return Module.parse(source).body.operations[0].name
"""
ANCHOR = "from mlir.ir import Module; Module.parse(0)\n"
"""What makes a Python file worth reading."""

IN_CPP = ("good.cc", 5, "flag-set-before-success")
IN_PYTHON = ("good.py", 5, "child-outlives-owner")


class Done(NamedTuple):
    code: int
    out: str
    err: str

    @property
    def report(self) -> Any:
        return json.loads(self.out)

    @property
    def found(self) -> set[tuple[str, int, str]]:
        return {(each["path"], each["line"], each["rule"]) for each in self.report["findings"]}

    @property
    def incomplete(self) -> dict[str, str]:
        return {each["path"]: each["reason"] for each in self.report["incomplete"]}

    @property
    def kinds(self) -> dict[str, str]:
        return {each["path"]: each["kind"] for each in self.report["incomplete"]}


def environment(**variables: str) -> dict[str, str]:
    ours = ("NO_COLOR", "FORCE_COLOR", "GITHUB_WORKSPACE", "OWNLINT_CACHE_DIR", "PYTHONHASHSEED")
    return {name: value for name, value in os.environ.items() if name not in ours} | variables


def ownlint(where: Path, *arguments: str, **variables: str) -> Done:
    done = starting.run(*arguments, cwd=where, env=environment(**variables), safe_path=True, timeout=120)
    result = Done(done.returncode, done.stdout.decode(), done.stderr.decode())
    assert "Traceback" not in result.err, result.err
    assert "\x1b" not in result.out + result.err
    return result


def check(where: Path, *arguments: str, **variables: str) -> Done:
    """As JSON; without types where nothing else is said."""
    types = () if "--types" in arguments or "-p" in arguments else ("--types", "never")
    return ownlint(where, "check", "--output-format", "json", *types, *arguments, **variables)


def good(where: Path) -> Path:
    where.mkdir(exist_ok=True)
    (where / "good.cc").write_text(GOOD_CPP)
    (where / "good.py").write_text(GOOD_PYTHON)
    return where


def refused(done: Done, *said: str) -> None:
    """2, and one line that says all of this."""
    assert (done.code, done.out, done.err.count("\n")) == (2, "", 1), done
    assert done.err.startswith("error: ")
    for words in said:
        assert words in done.err


# --- files ------------------------------------------------------------------------------------

MANY = 20_000
BOUNDED = sys.version_info >= (3, 12)
"""From 3.12 on, Python itself bounds how deep the tree of a file may be, far above what people write, and says so."""
READ = 900 if BOUNDED else 20_000
"""So many calls in a row, or terms in a sum, are read by every version from this one on."""
FORGED = "new\nline\x1b[31m\u202e::error file=x,line=1::%0A.cc"
"""A name that would forge a line, recolour a terminal, or make an annotation."""
ESCAPED = r"new\u{a}line\u{1b}[31m\u{202e}::error file=x,line=1::%0A.cc"

DEEP = {
    "brackets.cc": "int x = " + "(" * MANY + "1" + ")" * MANY + ";\n",
    "braces.cc": "void f() " + "{" * MANY + "}" * MANY + "\n",
    "namespaces.cc": "namespace a {" * 20_000 + "}" * 20_000,
    "else_if.cc": "int f(int x) {\n  if (x) return 0;\n"
    + "".join(f"  else if (x == {n}) return {n};\n" for n in range(10_000))
    + "}\n",
    "terms.cc": "int f() { return " + " + ".join(["a"] * 20_000) + "; }\n",
    "chain.cc": "void f() { x" + ".a()" * 5_000 + "; }\n",
    "lists.cc": "void f() { auto x = " + "{" * 5_000 + "1" + "}" * 5_000 + "; }\n",
    "brackets.py": ANCHOR + "x = " + "(" * MANY + "1" + ")" * MANY + "\n",
    "elif.py": ANCHOR + "def f(x):\n  if x: return 0\n" + "".join(f"  elif x=={n}: x\n" for n in range(50_000)),
    "terms.py": ANCHOR + "def f():\n  return " + " + ".join(["a"] * READ) + "\n",
    "chain.py": ANCHOR + "def f(x):\n  return x" + ".a()" * READ + "\n",
    "lists.py": ANCHOR + "x = " + "[" * 5_000 + "]" * 5_000 + "\n",
}

REASONS = {
    "big.cc": "20.3 MB is larger than 8 MB",
    "big.py": "20.4 MB is larger than 1 MB",
    "pipe.cc": "not a regular file",
    "pipe.py": "not a regular file",
    "socket.cc": "not a regular file",
    "nowhere.cc": "broken symlink",
    "outside.cc": "symlink points outside the project",
    "itself.cc": "Too many levels of symbolic links",
    r"b\xff.cc": "its name is not valid UTF-8",
    "latin.py": "line 1: invalid or missing encoding declaration",
    "nul.py": "line 1: contains a NUL byte",
    "utf16.cc": "the file is not text",
    "utf16.py": "line 1: invalid or missing encoding declaration",
    "syntax.py": "line 2: invalid syntax",
    "broken.cc": "92 % of the file could not be parsed (first error: line 1)",
    "brackets.py": "line 2: too many nested parentheses",
    "lists.py": "line 2: too many nested parentheses",
    "elif.py": "too complex to parse",
}
if BOUNDED:
    DEEP["calls.py"] = ANCHOR + "def f(x):\n  return x" + ".a()" * MANY + "\n"
    REASONS["calls.py"] = "nested too deeply"

KINDS = {
    "big.cc": "limit",
    "big.py": "limit",
    "broken.cc": "partial",
    "syntax.py": "partial",
    "brackets.py": "partial",
    "lists.py": "partial",
}
"""Nothing of the others is read."""


@pytest.fixture(scope="module")
def zoo(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """All of it at once: what one file does to another would show."""
    root = good(tmp_path_factory.mktemp("bad") / "zoo")
    for name in ("folder.cc", "folder.py", "inner"):
        (root / name).mkdir()
    (root / "inner/up").symlink_to("..")
    for name in ("pipe.cc", "pipe.py"):
        os.mkfifo(root / name)
    for name, target in (("nowhere.cc", "gone.cc"), ("itself.cc", "itself.cc"), ("outside.cc", "/etc/passwd")):
        (root / name).symlink_to(target)
    here = Path.cwd()
    os.chdir(root)  # the name of a socket must be short
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind("socket.cc")
    os.chdir(here)
    for name, noise in (("latin", b"\xe9\xff\xfe \xc3("), ("nul", b"\0\0")):
        (root / f"{name}.cc").write_bytes(b"// " + noise + b"\n" + GOOD_CPP.encode())
        (root / f"{name}.py").write_bytes(b"# " + noise + b"\n" + GOOD_PYTHON.encode())
    (root / "utf16.cc").write_bytes(GOOD_CPP.encode("utf-16"))
    (root / "utf16.py").write_bytes(GOOD_PYTHON.encode("utf-16"))
    (root / "empty.cc").touch()
    (root / "empty.py").touch()
    (root / "big.cc").write_text("int a;\n" * 2_900_000)
    (root / "big.py").write_text("a = 1\n" * 3_400_000)
    (root / "syntax.py").write_text(ANCHOR + "def f(:\n")
    (root / "broken.cc").write_text("class A { void f( {{{ ) \n")
    (root / FORGED).write_text(GOOD_CPP)
    Path(os.fsdecode(os.fsencode(root) + b"/b\xff.cc")).write_text(GOOD_CPP)
    for name, text in DEEP.items():
        (root / name).write_text(text)
    return root


@pytest.fixture(scope="module")
def zoo_report(zoo: Path) -> Done:
    return check(zoo)


def test_the_bugs_in_readable_files_are_all_found(zoo_report: Done) -> None:
    rule = "flag-set-before-success"
    assert zoo_report.code == 1
    assert zoo_report.found == {
        IN_CPP,
        IN_PYTHON,
        ("latin.cc", 6, rule),
        ("nul.cc", 6, rule),
        (ESCAPED, 5, rule),
    }


def test_each_bad_file_says_why_it_was_not_read_in_full(zoo_report: Done) -> None:
    assert zoo_report.incomplete == REASONS
    assert zoo_report.kinds == dict.fromkeys(REASONS, "unread") | KINDS


def test_a_few_of_them_are_named_and_the_rest_counted(zoo: Path, zoo_report: Done) -> None:
    warnings = [line for line in zoo_report.err.splitlines() if line.startswith("warning: ")]
    assert warnings[0] == r"warning: b\xff.cc: not read: its name is not valid UTF-8"
    assert "warning: brackets.py:2: partially analysed: too many nested parentheses" in warnings
    assert warnings[-1] == f"warning: {len(REASONS) - 10} more files were not fully analysed; use --verbose to see them"
    named = check(zoo, "--verbose").err
    for path, reason in REASONS.items():
        line = re.match(r"line (\d+): ", reason)
        kind = {"limit": "stopped at a limit", "partial": "partially analysed"}.get(KINDS.get(path, ""), "not read")
        said = f"{path}:{line[1]}: {kind}: {reason[line.end() :]}" if line else f"{path}: {kind}: {reason}"
        assert f"warning: {said}\n" in named
    assert zoo_report.err.endswith(f"; {len(REASONS) - 6} not read, 4 partially analysed, 2 stopped at a limit\n")


@pytest.mark.parametrize("output_format", ["full", "concise", "github", "sarif"])
def test_no_name_forges_a_line(zoo: Path, output_format: str) -> None:
    done = ownlint(zoo, "check", "--types", "never", "--output-format", output_format)
    assert done.code == 1
    assert not re.search(r"^line|^::error file=x", done.out, re.MULTILINE)
    assert not {"\x1b", "\u202e"} & set(done.out)
    match output_format:
        case "full":
            assert f"--> {ESCAPED}:5:5\n" in done.out
        case "concise":
            assert f"\n{ESCAPED}:5:5: error[" in done.out
        case "github":
            name = ESCAPED.replace("%", "%25").replace(":", "%3A").replace(",", "%2C")
            assert f"::error file={name},line=5," in done.out
        case _:
            assert "new%0Aline%1B%5B31m" in done.out


@pytest.mark.parametrize("name", ["else_if.cc", "lists.cc", "brackets.py", "nul.cc", "utf16.py", "empty.cc", "big.cc"])
def test_facts_of_bad_files_can_be_shown(zoo: Path, name: str) -> None:
    done = ownlint(zoo, "facts", "--types", "never", name)
    assert done.code == 0
    assert done.out.startswith(f"{name}: ")


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("pipe.cc", "pipe.cc: not a regular file"),
        ("nowhere.cc", "nowhere.cc: broken symlink"),
        ("outside.cc", "outside.cc: is outside the project"),
        ("folder.cc", "folder.cc: is a folder; name a file"),
        ("gone.cc", "gone.cc: no such file or folder"),
    ],
)
def test_facts_of_what_is_no_file_are_refused(zoo: Path, name: str, said: str) -> None:
    refused(ownlint(zoo, "facts", name), said)


def test_bad_files_that_were_not_asked_for_are_no_news(zoo: Path) -> None:
    done = check(zoo, "good.cc", "--config", str(settings(zoo.parent, "")))
    assert (done.code, done.found, done.incomplete) == (1, {("good.cc", *IN_CPP[1:])}, {})


UNPRIVILEGED = """\
import ctypes, os, sys
dac_override, dac_read_search, from_bounding_set = 1, 2, 24
prctl = ctypes.CDLL(None).prctl
if prctl(from_bounding_set, dac_override, 0, 0, 0) or prctl(from_bounding_set, dac_read_search, 0, 0, 0):
    sys.exit(77)
os.execv(sys.argv[1], sys.argv[1:])
"""
"""Runs a command as a root that has to respect permissions."""


def ownlint_as_anybody(where: Path, *arguments: str) -> Done:
    """As `check`, by somebody to whom a mode of 0 means something."""
    types = () if "-p" in arguments else ("--types", "never")
    command = [*COMMAND, "check", *types, "--output-format", "json", *arguments]
    if os.geteuid() == 0:
        command = [sys.executable, "-c", UNPRIVILEGED, *command]
    done = subprocess.run(command, cwd=where, env=environment(), capture_output=True, text=True, check=False)
    if done.returncode == 77:
        pytest.skip("root may read everything here, and cannot give that up")
    assert "Traceback" not in done.stderr
    return Done(done.returncode, done.stdout, done.stderr)


def test_what_may_not_be_read_is_named(tmp_path: Path) -> None:
    good(tmp_path)
    for name in ("secret.cc", "secret.py"):
        (tmp_path / name).write_text(GOOD_CPP)
        (tmp_path / name).chmod(0)
    (tmp_path / "closed").mkdir(mode=0)
    done = ownlint_as_anybody(tmp_path)
    assert (done.code, done.found) == (1, {IN_CPP, IN_PYTHON})
    assert done.incomplete == dict.fromkeys(("closed", "secret.cc", "secret.py"), "Permission denied")
    again = ownlint_as_anybody(tmp_path)
    assert again == done
    for name in ("secret.cc", "secret.py", "closed"):
        (tmp_path / name).chmod(0o700)
    opened = ownlint_as_anybody(tmp_path)
    assert opened.found == {IN_CPP, IN_PYTHON, ("secret.cc", *IN_CPP[1:])}


def test_settings_models_and_databases_that_may_not_be_read_are_refused(tmp_path: Path) -> None:
    settings(good(tmp_path), 'models = ["ours.toml"]').chmod(0)
    refused(ownlint_as_anybody(tmp_path), "pyproject.toml: Permission denied")
    (tmp_path / "pyproject.toml").chmod(0o600)
    (tmp_path / "ours.toml").write_text("")
    (tmp_path / "ours.toml").chmod(0)
    refused(ownlint_as_anybody(tmp_path), "ours.toml", "Permission denied")
    (tmp_path / "pyproject.toml").unlink()
    database(tmp_path, []).chmod(0)
    refused(ownlint_as_anybody(tmp_path, "-p", "."), "compile_commands.json: Permission denied")


def test_a_cache_that_may_not_be_read_or_written_is_no_cache(tmp_path: Path, expected: str) -> None:
    good(tmp_path)
    assert ownlint_as_anybody(tmp_path).out == expected
    cache = tmp_path / ".ownlint_cache"
    before = _tree(cache)
    for mode in (0o500, 0):
        folders = [cache, *(path for path in cache.iterdir() if path.is_dir())]
        for folder in reversed(folders):
            folder.chmod(mode)
        (tmp_path / "good.py").write_text(GOOD_PYTHON + "# changed\n")
        assert ownlint_as_anybody(tmp_path).out == expected
        for folder in folders:
            folder.chmod(0o700)
    assert _tree(cache) == before


def _tree(folder: Path) -> list[str]:
    return sorted(path.relative_to(folder).as_posix() for path in folder.rglob("*"))


# --- how files are compiled -------------------------------------------------------------------


def database(folder: Path, entries: object) -> Path:
    path = folder / "compile_commands.json"
    text = entries if isinstance(entries, str) else json.dumps(entries)
    path.write_bytes(text.encode("utf-8", "surrogateescape"))
    return path


BROKEN = [
    ('[\n  {"file": "good.cc",\n', "compile_commands.json:3: not a compile database: "),
    ('[\n  {"file": "a.cc"},\n  {"file": 7}\n]', "compile_commands.json:3: not a compile database: expected `str`"),
    ('{"file": "good.cc"}', "compile_commands.json:1: not a compile database: expected `array`"),
    ("", "compile_commands.json:1: not a compile database: "),
    ("[" * 100_000, "compile_commands.json:1: not a compile database: "),
    ("\0\xff", "compile_commands.json:1: not a compile database: "),
    ("nonsense", "compile_commands.json:1: not a compile database: JSON is malformed"),
    ('[\n  {"file": "\udced\udca0"}\n]', "compile_commands.json:2: not a compile database: not valid UTF-8"),
]


@pytest.mark.parametrize(("text", "said"), BROKEN)
def test_a_broken_database_that_was_given_is_refused(tmp_path: Path, text: str, said: str) -> None:
    good(tmp_path)
    (tmp_path / "build").mkdir()
    database(tmp_path / "build", text)
    refused(check(tmp_path, "-p", "build"), said)


@pytest.mark.parametrize(("text", "said"), BROKEN[:3])
def test_a_broken_database_that_was_found_is_a_notice(tmp_path: Path, text: str, said: str) -> None:
    database(good(tmp_path), text)
    done = check(tmp_path, "--types", "auto")
    assert (done.code, done.found) == (1, {IN_CPP, IN_PYTHON})
    (notice,) = [line for line in done.err.splitlines() if "compile_commands.json" in line]
    assert notice.startswith("note: 1 of 1 C++ files were parsed without type information (")
    assert said in notice
    assert "ignored" in notice


def test_a_database_that_is_not_there_or_no_file_is_refused(tmp_path: Path) -> None:
    good(tmp_path)
    refused(check(tmp_path, "-p", "nowhere"), "nowhere: no such compile database")
    refused(check(tmp_path, "-p", "."), "compile_commands.json: no such compile database")
    os.mkfifo(tmp_path / "compile_commands.json")
    refused(check(tmp_path, "-p", "."), "compile_commands.json: not a regular file")


def test_a_huge_database_is_refused(tmp_path: Path) -> None:
    good(tmp_path)
    with (tmp_path / "compile_commands.json").open("wb") as stream:
        stream.truncate(250_000_000)
    refused(check(tmp_path, "-p", "."), "compile_commands.json: 250 MB is larger than 200 MB")
    done = check(tmp_path, "--types", "auto")
    assert done.found == {IN_CPP, IN_PYTHON}
    assert "larger than 200 MB" in done.err


TYPED_CPP = """\
struct Status { bool ok(); };
Status OkStatus();
#define RETURN_IF_ERROR(x) if (auto s = (x); !s.ok()) return s
"""


@pytest.fixture(scope="module")
def typed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Each file with a compile command of its own, and something about one of them is hostile."""
    root = good(tmp_path_factory.mktemp("bad") / "typed")
    (root / "good.cc").write_text(TYPED_CPP + GOOD_CPP)
    (root / "self.h").write_text('#include "self.h"\n')
    (root / "one.h").write_text('#include "two.h"\nstruct One {};\n')
    (root / "two.h").write_text('#include "one.h"\nstruct Two {};\n')
    os.mkfifo(root / "pipe.h")
    includes = {
        "self.cc": '#include "self.h"',
        "mutual.cc": '#include "one.h"',
        "zero.cc": '#include "/dev/zero"',
        "piped.cc": '#include "pipe.h"',
        "passwd.cc": '#include "/etc/passwd"',
        "asked.cc": "",
    }
    for name, text in includes.items():
        (root / name).write_text(f"{text}\n{TYPED_CPP}{GOOD_CPP}")
    (root / "victim.txt").write_text("untouched\n")
    (root / "arguments.rsp").write_text("-MD -MF victim.txt\n")
    entries = [{"file": name, "directory": str(root), "arguments": ["c++", name]} for name in ("good.cc", *includes)]
    victim = str(root / "victim.txt")
    hostile = ["-MD", "-MF", victim, "-o", victim, "-MJ", victim, "-fplugin=./evil.so", "-load", "./evil.so"]
    hostile += [
        "-Xclang",
        "-load",
        "-Xclang",
        "./evil.so",
        "-include",
        "/etc/passwd",
        "--serialize-diagnostics",
        victim,
    ]
    hostile += ["@arguments.rsp", "-save-temps", "-ftime-trace", "-fmodules-cache-path=modules", "-working-directory=/"]
    entries[-1]["arguments"] = ["/bin/rm", *hostile, "-c", "asked.cc"]
    database(root, entries)
    return root


@pytest.fixture(scope="module")
def typed_report(typed: Path) -> Done:
    return check(typed, "--types", "auto")


def test_what_is_hostile_costs_one_file_its_types_at_most(typed_report: Done) -> None:
    names = {path for path, _, rule in typed_report.found if rule == "flag-set-before-success"}
    assert typed_report.code == 1
    assert names == {
        "good.cc", "self.cc", "mutual.cc", "zero.cc", "piped.cc", "passwd.cc", "asked.cc"
    }  # fmt: skip
    assert not {"good.cc", "asked.cc"} & set(typed_report.incomplete)


def test_loops_of_headers_and_strange_headers_are_named(typed_report: Done) -> None:
    incomplete = typed_report.incomplete
    assert {"self.cc", "mutual.cc", "zero.cc", "piped.cc"} <= set(incomplete)
    assert "root:" not in typed_report.out + typed_report.err


def test_a_parser_that_needs_too_much_memory_costs_one_file_its_types(tmp_path: Path) -> None:
    """Fewer bytes than it is given by default, so that the end comes sooner."""
    good(tmp_path)
    bomb = "".join(f"#define L{n} L{n - 1} L{n - 1}\n" for n in range(1, 40)) + "#define L0 x\nint y = L39;\n"
    (tmp_path / "bomb.cc").write_text(f"{bomb}{TYPED_CPP}{GOOD_CPP}")
    (tmp_path / "good.cc").write_text(TYPED_CPP + GOOD_CPP)
    names = ("bomb.cc", "good.cc")
    database(tmp_path, [{"file": name, "directory": str(tmp_path), "arguments": ["c++", name]} for name in names])
    limited = "import resource, os, sys; resource.setrlimit(resource.RLIMIT_AS, (1_000_000_000, 1_000_000_000))"
    command = [sys.executable, "-c", f"{limited}; os.execv(sys.argv[1], sys.argv[1:])", *COMMAND, "check", "-j", "1"]
    done = subprocess.run(
        [*command, "--output-format", "json"], cwd=tmp_path, env=environment(), capture_output=True, check=False
    )
    report = Done(done.returncode, done.stdout.decode(), done.stderr.decode())
    assert {path for path, _, _ in report.found} == {"bomb.cc", "good.cc", "good.py"}
    assert report.incomplete == {"bomb.cc": "the parser crashed (SIGABRT)"}


def test_compile_arguments_write_and_load_nothing(typed: Path, typed_report: Done) -> None:
    assert typed_report.code == 1
    assert (typed / "victim.txt").read_text() == "untouched\n"
    made = {path.name for path in typed.iterdir()} - {".ownlint_cache"}
    assert not {name for name in made if name.endswith((".d", ".o", ".ii", ".json", ".pcm")) or name == "modules"} - {
        "compile_commands.json"
    }


# --- settings, models and arguments -----------------------------------------------------------


def settings(folder: Path, text: str) -> Path:
    path = folder / "pyproject.toml"
    path.write_text(f"[project]\nname = 'x'\n\n[tool.ownlint]\n{text}\n")
    return path


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ('selct = ["all"]', "pyproject.toml:5: unknown key `selct`; did you mean `select`?"),
        ("select = 7", "pyproject.toml:5: `select`: expected `array`, got `int`"),
        ("\njobs = 0", "pyproject.toml:6: `jobs`: expected `int` >= 1"),
        ('types = "allways"', "pyproject.toml:5: `types`: `allways` is not one of `auto`, `always`"),
        (
            'certainty = "likley"',
            "pyproject.toml:5: `certainty`: `likley` is not one of `certain`, `likely`",
        ),
        ('select = ["all"', "pyproject.toml:"),
        ('ignore = [\n  "discarded-staus",\n]', "pyproject.toml:6: unknown rule `discarded-staus`; did you mean"),
        ('models = ["missing.toml"]', "pyproject.toml:5: "),
        (
            'exclude = [\n  "docs",\n  "[z-a]",\n]',
            "pyproject.toml:7: `exclude`: `[z-a]` is not a valid",
        ),
        (
            '[tool.ownlint.per-file-ignores]\n"!" = ["all"]',
            "pyproject.toml:6: `per-file-ignores`: `!` is not a valid",
        ),
        ('[tool.ownlint.severity]\n"discarded-status" = "fatal"', "pyproject.toml:6: `severity`: "),
    ],
)
def test_a_mistake_in_the_settings_has_its_line(tmp_path: Path, text: str, said: str) -> None:
    settings(good(tmp_path), text)
    refused(check(tmp_path), said)


def test_a_line_of_gitignore_that_is_no_pattern_is_skipped(tmp_path: Path) -> None:
    (good(tmp_path) / ".gitignore").write_text("[z-a]\n!\nleft_out.cc\n\0\n")
    (tmp_path / "left_out.cc").write_text(GOOD_CPP)
    assert check(tmp_path).found == {IN_CPP, IN_PYTHON}


LIBRARY = '[library]\nname = "ours"\n'


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ('[[function]]\nname = "x"\neffect = "may fail"\n', ":1: a model needs a `[library]` table"),
        (f'{LIBRARY}[[functon]]\nname = "x"\n', ":3: "),
        (f'{LIBRARY}[[function]]\nname = "a::b"\n\nefect = "may fail"\n', ":6: "),
        (f'{LIBRARY}[[function]]\nname = "x"\neffect = "aquire result"\n', ":5: "),
        (f"{LIBRARY}[[function\n", ":3: "),
        (b"# \xff\n", ":1: "),
        (b"\0", ":1: "),
    ],
)
def test_a_mistake_in_a_model_has_its_line(tmp_path: Path, text: str | bytes, said: str) -> None:
    settings(good(tmp_path), 'models = ["ours.toml"]')
    (tmp_path / "ours.toml").write_bytes(text if isinstance(text, bytes) else text.encode())
    refused(check(tmp_path), f"ours.toml{said}")


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--select", "discarded-staus"], "--select: unknown rule `discarded-staus`; did you mean `discarded-status`?"),
        (["--certainty", "sure"], "'sure' is not one of 'certain', 'likely', 'possible'"),
        (["nowhere"], "nowhere: no such file or folder"),
        (["good.cc", "nowhere.cc"], "nowhere.cc: no such file or folder"),
        (["a\nb\x1b[31m"], r"a\u{a}b\u{1b}[31m: no such file or folder"),
        (["--config", "."], ".: is a folder, not a file with settings"),
        (["--config", "none.toml"], "error: none.toml: no such file"),
        (["-o", "no/such/folder/report.json"], "no/such/folder/report.json: no such folder: no/such/folder"),
        (["-o", "."], ".: is a folder"),
    ],
)
def test_a_mistake_in_the_arguments_is_one_line(tmp_path: Path, arguments: list[str], said: str) -> None:
    refused(check(good(tmp_path), *arguments), said)


def test_a_folder_whose_name_is_no_text_is_refused(tmp_path: Path) -> None:
    folder = Path(os.fsdecode(os.fsencode(tmp_path) + b"/\xff"))
    refused(check(good(folder)), r"\xff: the name of the project's folder is not valid UTF-8")


# --- what lies in the project is never run ----------------------------------------------------


def test_modules_of_the_project_are_not_imported(tmp_path: Path) -> None:
    proof = tmp_path / "executed"
    project = good(tmp_path / "project")
    names = "msgspec libcst clang tree_sitter tree_sitter_cpp rich click re2 tomllib json re ownlint_rules"
    for name in (*names.split(), "sitecustomize", "usercustomize", "signal", "resource"):
        (project / f"{name}.py").write_text(f"open({str(proof)!r}, 'w').close()\n{GOOD_PYTHON}")
    (project / "conftest.py").write_text(f"open({str(proof)!r}, 'w').close()\n")
    done = check(project)
    assert {IN_CPP, IN_PYTHON} <= done.found
    assert len(done.found) > 15
    assert not proof.exists()
    script = Path(sys.executable).with_name("ownlint")
    if script.exists():
        ran = subprocess.run([script, "check", "--color", "always"], cwd=project, capture_output=True, check=False)
        assert ran.returncode == 1
        assert not proof.exists()


# --- the cache --------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def expected(tmp_path_factory: pytest.TempPathFactory) -> str:
    return check(good(tmp_path_factory.mktemp("bad") / "plain"), "--no-cache").out


def test_a_damaged_cache_is_no_cache(tmp_path: Path, expected: str) -> None:
    good(tmp_path)
    assert check(tmp_path).out == expected
    entries = sorted(path for path in tmp_path.glob(".ownlint_cache/??/*"))
    assert len(entries) > 2
    for damage in (
        lambda data: data[: len(data) // 2],
        lambda data: data[:-1] + b"?",
    ):
        for path in entries:
            path.write_bytes(damage(path.read_bytes()))
        assert check(tmp_path).out == expected
    for path in entries:
        path.unlink()
        path.mkdir()
    assert check(tmp_path).out == expected


@pytest.mark.parametrize("kind", ["file", "link", "pipe", "unwritable"])
def test_a_cache_folder_that_cannot_be_written_is_no_cache(tmp_path: Path, expected: str, kind: str) -> None:
    project = good(tmp_path / "project")
    place = project / ".ownlint_cache"
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    arguments: tuple[str, ...] = ()
    match kind:
        case "file":
            place.write_text("mine\n")
        case "link":
            place.symlink_to(elsewhere)
        case "pipe":
            os.mkfifo(place)
        case _:
            arguments = ("--cache-dir", "/proc/ownlint")
    done = check(project, *arguments)
    assert (done.code, done.out) == (1, expected)
    assert not list(elsewhere.iterdir())


def test_two_runs_at_once_share_a_cache(tmp_path: Path, expected: str) -> None:
    good(tmp_path)
    command = [*COMMAND, "check", "--types", "never", "--output-format", "json"]
    running = [subprocess.Popen(command, cwd=tmp_path, stdout=subprocess.PIPE, env=environment()) for _ in range(3)]
    assert [process.communicate()[0].decode() for process in running] == [expected] * 3
    assert [process.returncode for process in running] == [1] * 3
    assert not list(tmp_path.glob(".ownlint_cache/*/.new-*"))


# --- streams and signals ----------------------------------------------------------------------


@pytest.mark.parametrize("arguments", [("check", "--types", "never"), ("rules",), ("--help",)])
def test_a_reader_that_leaves_early(tmp_path: Path, arguments: tuple[str, ...]) -> None:
    good(tmp_path)
    reader, writer = os.pipe()
    os.close(reader)
    done = subprocess.run([*COMMAND, *arguments], cwd=tmp_path, stdout=writer, stderr=subprocess.PIPE, check=False)
    os.close(writer)
    assert (done.returncode, done.stderr) == (141, b"")


@pytest.mark.parametrize("arguments", [("check", "--types", "never"), ("rules",), ("--version",)])
def test_a_full_disk_is_one_line(tmp_path: Path, arguments: tuple[str, ...]) -> None:
    good(tmp_path)
    with Path("/dev/full").open("wb") as full:
        done = subprocess.run([*COMMAND, *arguments], cwd=tmp_path, stdout=full, stderr=subprocess.PIPE, check=False)
    assert done.stderr.decode() == "error: No space left on device\n"
    assert done.returncode == 2


OLD_REPORT = '{\n  "version": 1,\n  "findings": [],\n  "incomplete": [],\n  "suppressed": 0\n}\n'
"""Of an earlier run: no other file is overwritten."""


def test_a_report_that_finds_no_room_leaves_the_old_one(tmp_path: Path) -> None:
    (good(tmp_path) / "report.json").write_text(OLD_REPORT)
    refused(check(tmp_path, "-o", "/dev/full"), "/dev/full: No space left on device")
    limited = "import resource, signal, sys, os; signal.signal(signal.SIGXFSZ, signal.SIG_IGN)"
    limited += "; resource.setrlimit(resource.RLIMIT_FSIZE, (100, 100)); os.execv(sys.argv[1], sys.argv[1:])"
    command = [sys.executable, "-c", limited, *COMMAND, "check", "--types", "never", "-q", "-o", "report.json"]
    # Python would leave half of a `.pyc` behind, which whoever comes next cannot load.
    own = environment(PYTHONDONTWRITEBYTECODE="1")
    done = subprocess.run(command, cwd=tmp_path, env=own, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (2, "", "error: report.json: File too large\n")
    assert (tmp_path / "report.json").read_text() == OLD_REPORT
    assert sorted(path.name for path in tmp_path.iterdir() if path.name != ".ownlint_cache") == [
        "good.cc", "good.py", "report.json"
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("number", "code", "said"),
    [(signal.SIGINT, 130, "interrupted"), (signal.SIGTERM, 143, "terminated"), (signal.SIGHUP, 129, "terminated")],
)
def test_an_interrupted_run_leaves_nothing_behind(tmp_path: Path, number: signal.Signals, code: int, said: str) -> None:
    project, private = tmp_path / "project", tmp_path / "private"
    private.mkdir()
    (good(project) / "report.json").write_text(OLD_REPORT)
    for index in range(6):
        (project / f"a{index}.cc").write_text(DEEP["else_if.cc"])
    running = subprocess.Popen(
        [*COMMAND, "check", "--types", "never", "-j", "2", "-o", "report.json"],
        cwd=project,
        env=environment(TMPDIR=str(private)),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    until = time.monotonic() + 30
    while not (children := _children(running.pid)) and time.monotonic() < until:
        time.sleep(0.02)
    assert children
    time.sleep(0.3)
    running.send_signal(number)
    out, err = running.communicate(timeout=30)
    assert (running.returncode, out, err.strip()) == (code, b"", f"error: {said}".encode())
    while any(Path(f"/proc/{child}").exists() for child in children) and time.monotonic() < until:
        time.sleep(0.02)  # who was killed is reaped by somebody else
    assert not [child for child in children if Path(f"/proc/{child}").exists()]
    assert not list(private.iterdir())
    assert (project / "report.json").read_text() == OLD_REPORT
    assert not [path.name for path in project.rglob(".*") if path.name.startswith((".new-", ".report"))]


def _children(parent: int) -> list[int]:
    found = []
    for status in Path("/proc").glob("[0-9]*/stat"):
        try:
            fields = status.read_text().rpartition(")")[2].split()
        except OSError:
            continue
        if int(fields[1]) == parent:
            found.append(int(status.parent.name))
    return found


# --- the same to the byte ---------------------------------------------------------------------


def test_output_is_the_same_whatever_ran_where(tmp_path: Path) -> None:
    names = [f"{folder}{name}" for folder in ("", "b/", "a/") for name in ("x", "y_é", "Z", "m")]
    projects = []
    for way in (names, names[::-1]):
        project = tmp_path / str(len(projects)) / "project"
        project.mkdir(parents=True)
        for name in way:
            (project / name).parent.mkdir(exist_ok=True)
            (project / f"{name}.py").write_text(GOOD_PYTHON)
            (project / f"{name}.cc").write_text(GOOD_CPP)
        (project / ".git").mkdir()  # paths of reports begin there
        projects.append(project)
    first, other = projects
    (first / "a/deeper").mkdir()
    said = [
        check(first, "-j", "1", "--no-cache", PYTHONHASHSEED="0"),
        check(first, "-j", "2", PYTHONHASHSEED="1"),  # fills the cache
        check(first / "a/deeper", "../../b", "../..", "..", PYTHONHASHSEED="2"),  # and asks it
        check(other, "b", ".", "-j", "4", PYTHONHASHSEED="3"),
    ]
    assert len(said[0].found) == 24
    assert {json.loads(done.out)["base"] for done in said} == {".", "../.."}
    assert len({(done.code, re.sub('"base": .*', "", done.out), done.err) for done in said}) == 1
    for output_format in ("full", "sarif"):
        shown = [
            ownlint(where, "check", "--types", "never", "--output-format", output_format, *more, PYTHONHASHSEED=seed)
            for where, more, seed in ((first, ("--no-cache", "-j", "4"), "4"), (other, (), "5"))
        ]
        assert shown[0] == shown[1]
