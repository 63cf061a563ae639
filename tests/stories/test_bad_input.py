"""Bad input, met as a user meets it: each gets a clear line and the right exit code, and the rest of the run is unharmed.

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
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import pytest

COMMAND = (sys.executable, "-P", "-m", "ownlint")

GOOD_CPP = """\
class Session {
 public:
  Status Connect() {
    if (connected_) return OkStatus();
    connected_ = true;
    RETURN_IF_ERROR(Handshake());
    return OkStatus();
  }
  Status Handshake();
  bool connected_ = false;
};
"""
GOOD_PYTHON = """\
from mlir.ir import Module


def entry(source):
    return Module.parse(source).body.operations[0].name
"""
ANCHOR = "from mlir.ir import Module\n"

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


def environment(**variables: str) -> dict[str, str]:
    ours = ("NO_COLOR", "FORCE_COLOR", "GITHUB_WORKSPACE", "OWNLINT_CACHE_DIR", "PYTHONHASHSEED")
    return {name: value for name, value in os.environ.items() if name not in ours} | variables


def ownlint(where: Path, *arguments: str, **variables: str) -> Done:
    done = subprocess.run(
        [*COMMAND, *arguments],
        cwd=where,
        env=environment(**variables),
        stdin=subprocess.DEVNULL,
        capture_output=True,
        timeout=120,
        check=False,
    )
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

MANY = 100_000
FORGED = "new\nline\x1b[31m\u202e::error file=x,line=1::%0A.cc"
"""A name that would forge a line, recolour a terminal, or make an annotation."""
ESCAPED = r"new\u{a}line\u{1b}[31m\u{202e}::error file=x,line=1::%0A.cc"

DEEP = {
    "brackets.cc": "int x = " + "(" * MANY + "1" + ")" * MANY + ";\n",
    "braces.cc": "void f() " + "{" * MANY + "}" * MANY + "\n",
    "namespaces.cc": "namespace a {" * 20_000 + "}" * 20_000,
    "else_if.cc": "int f(int x) {\n  if (x) return 0;\n"
    + "".join(f"  else if (x == {n}) return {n};\n" for n in range(50_000))
    + "}\n",
    "terms.cc": "int f() { return " + " + ".join(["a"] * 50_000) + "; }\n",
    "chain.cc": "void f() { x" + ".a()" * 20_000 + "; }\n",
    "lists.cc": "void f() { auto x = " + "{" * 5_000 + "1" + "}" * 5_000 + "; }\n",
    "brackets.py": ANCHOR + "x = " + "(" * MANY + "1" + ")" * MANY + "\n",
    "elif.py": ANCHOR + "def f(x):\n  if x: return 0\n" + "".join(f"  elif x=={n}: x\n" for n in range(50_000)),
    "terms.py": ANCHOR + "def f():\n  return " + " + ".join(["a"] * 50_000) + "\n",
    "chain.py": ANCHOR + "def f(x):\n  return x" + ".a()" * 20_000 + "\n",
    "lists.py": ANCHOR + "x = " + "[" * 5_000 + "]" * 5_000 + "\n",
}

REASONS = {
    "big.cc": "20.3 MB is larger than 8 MB",
    "big.py": "20.4 MB is larger than 1 MB",
    "pipe.cc": "not a regular file",
    "pipe.py": "not a regular file",
    "socket.cc": "not a regular file",
    "nowhere.cc": "a link that leads nowhere",
    "outside.cc": "a link that leads out of the project",
    "itself.cc": "Too many levels of symbolic links",
    r"b\xff.cc": "its name is not valid UTF-8",
    "latin.py": "line 1: invalid or missing encoding declaration",
    "nul.py": "line 1: contains a NUL byte",
    "utf16.cc": "the file is not text",
    "utf16.py": "line 1: invalid or missing encoding declaration",
    "syntax.py": "line 2: invalid syntax",
    "broken.cc": "92 % of the file could not be parsed",
    "brackets.py": "line 2: too many nested parentheses",
    "lists.py": "line 2: too many nested parentheses",
    "elif.py": "too complex to parse",
}


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


def test_a_few_of_them_are_named_and_the_rest_counted(zoo: Path, zoo_report: Done) -> None:
    warnings = [line for line in zoo_report.err.splitlines() if line.startswith("warning: ")]
    assert warnings[0] == r"warning: b\xff.cc: not read in full: its name is not valid UTF-8"
    assert warnings[-1] == f"warning: {len(REASONS) - 10} more files were not read in full; see --verbose"
    named = check(zoo, "--verbose").err
    assert all(f"warning: {path}: not read in full: {reason}\n" in named for path, reason in REASONS.items())


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


@pytest.mark.parametrize("name", [*sorted(DEEP), "nul.cc", "utf16.py", "empty.cc", "big.cc"])
def test_facts_of_bad_files_can_be_shown(zoo: Path, name: str) -> None:
    done = ownlint(zoo, "facts", "--types", "never", name)
    assert done.code == 0
    assert done.out.startswith(f"{name}: ")


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("pipe.cc", "pipe.cc: not a regular file"),
        ("nowhere.cc", "nowhere.cc: a link that leads nowhere"),
        ("outside.cc", "outside.cc: is outside of the project"),
        ("folder.cc", "folder.cc: is a folder; facts are those of one file"),
        ("gone.cc", "gone.cc: no such file or folder"),
    ],
)
def test_facts_of_what_is_no_file_are_refused(zoo: Path, name: str, said: str) -> None:
    refused(ownlint(zoo, "facts", name), said)


def test_bad_files_that_were_not_asked_for_are_no_news(zoo: Path) -> None:
    done = check(zoo, "good.cc", "--config", str(settings(zoo.parent, "")))
    assert (done.code, done.found, done.incomplete) == (1, {("zoo/good.cc", *IN_CPP[1:])}, {})


@pytest.fixture
def open_to_all(tmp_path: Path) -> Iterator[Path]:
    """Where somebody without rights can stand, and read what is readable."""
    with tempfile.TemporaryDirectory(prefix="ownlint-story-") as name:
        folder = Path(name)
        folder.chmod(0o755)
        yield good(folder / "project")


def test_a_file_without_permission(open_to_all: Path) -> None:
    for name in ("secret.cc", "secret.py"):
        (open_to_all / name).write_text(GOOD_CPP)
        (open_to_all / name).chmod(0)
    (open_to_all / "closed").mkdir()
    (open_to_all / "closed").chmod(0)
    command = [*COMMAND, "check", "--types", "never", "--output-format", "json"]
    nobody = 65534 if os.geteuid() == 0 else None
    done = subprocess.run(
        command, cwd=open_to_all, env=environment(), user=nobody, capture_output=True, text=True, check=False
    )
    if nobody is not None and "PermissionError" in done.stderr and not done.stdout:
        pytest.skip("Python itself cannot be read by others")
    report = Done(done.returncode, done.stdout, done.stderr)
    assert "Traceback" not in report.err
    assert (report.code, report.found) == (1, {IN_CPP, IN_PYTHON})
    assert report.incomplete == {
        "closed": "Permission denied",
        "secret.cc": "Permission denied",
        "secret.py": "Permission denied",
    }


# --- how files are compiled -------------------------------------------------------------------


def database(folder: Path, entries: object) -> Path:
    path = folder / "compile_commands.json"
    path.write_text(entries if isinstance(entries, str) else json.dumps(entries))
    return path


BROKEN = [
    ('[\n  {"file": "good.cc",\n', "compile_commands.json:3: not a compile database: "),
    ('[\n  {"file": "a.cc"},\n  {"file": 7}\n]', "compile_commands.json:3: not a compile database: expected `str`"),
    ('{"file": "good.cc"}', "compile_commands.json:1: not a compile database: expected `array`"),
    ("", "compile_commands.json:1: not a compile database: "),
    ("[" * 100_000, "compile_commands.json:1: not a compile database: "),
    ("\0\xff", "compile_commands.json:1: not a compile database: "),
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
    assert notice.startswith("note: 1 of 1 C++ files were read by structure only (")
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
    refused(check(tmp_path, "-p", "."), "compile_commands.json: larger than 200 MB")
    done = check(tmp_path, "--types", "auto")
    assert done.found == {IN_CPP, IN_PYTHON}
    assert "larger than 200 MB" in done.err


TYPED_CPP = "struct Status { bool ok(); };\nStatus OkStatus();\n#define RETURN_IF_ERROR(x) if (auto s = (x); !s.ok()) return s\n"


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
        "bomb.cc": "".join(f"#define L{n} L{n - 1} L{n - 1}\n" for n in range(1, 40)) + "#define L0 x\nint y = L39;\n",
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
        "good.cc", "self.cc", "mutual.cc", "zero.cc", "piped.cc", "passwd.cc", "bomb.cc", "asked.cc"
    }  # fmt: skip
    assert not {"good.cc", "asked.cc"} & set(typed_report.incomplete)


def test_loops_of_headers_and_strange_headers_are_named(typed_report: Done) -> None:
    incomplete = typed_report.incomplete
    assert {"self.cc", "mutual.cc", "zero.cc", "piped.cc"} <= set(incomplete)
    assert "root:" not in typed_report.out + typed_report.err


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
        ('types = "allways"', "pyproject.toml:5: `types`: invalid enum value 'allways'"),
        ('certainty = "likley"', "pyproject.toml:5: `certainty`: invalid enum value 'likley'"),
        ('select = ["all"', "pyproject.toml:"),
        ('ignore = [\n  "discarded-staus",\n]', "pyproject.toml:6: unknown rule `discarded-staus`; did you mean"),
        ('models = ["missing.toml"]', "pyproject.toml:5: "),
        ('exclude = ["[z-a]"]', None),
        ('[tool.ownlint.severity]\n"discarded-status" = "fatal"', "pyproject.toml:6: `severity`: "),
    ],
)
def test_a_mistake_in_the_settings_has_its_line(tmp_path: Path, text: str, said: str | None) -> None:
    settings(good(tmp_path), text)
    done = check(tmp_path)
    if said is None:
        assert done.found == {IN_CPP, IN_PYTHON}
    else:
        refused(done, said)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ('[[functon]]\nname = "x"\n', ":1: "),
        ('[[function]]\nname = "a::b"\n\nefect = "may fail"\n', ":4: "),
        ('[[function]]\nname = "x"\neffect = "aquire result"\n', ":3: "),
        ("[[function\n", ":1: "),
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
        (["--config", "."], ".: no such file"),
        (["-o", "no/such/folder/report.json"], "no/such/folder/report.json: No such file or directory"),
        (["-o", "."], ".: Is a directory"),
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
    names = "msgspec libcst clang tree_sitter tree_sitter_cpp rich click pathspec tomllib json re ownlint_rules"
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
        lambda data: b"",
        lambda data: data[:-1] + b"?",
        lambda data: b"\0" * len(data),
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


def test_a_reader_that_leaves_early(tmp_path: Path) -> None:
    for number in range(150):
        (tmp_path / f"a{number}.cc").write_text(GOOD_CPP)
    command = " ".join([*COMMAND, "check", "--types", "never", "-q"])
    done = subprocess.run(
        ["bash", "-c", f"set -o pipefail; {command} | head -1"], cwd=tmp_path, capture_output=True, check=False
    )
    assert done.stdout.startswith(b"error[flag-set-before-success]")
    assert done.stderr == b""
    assert done.returncode == 141


def test_a_full_disk_is_one_line(tmp_path: Path) -> None:
    good(tmp_path)
    with Path("/dev/full").open("wb") as full:
        done = subprocess.run(
            [*COMMAND, "check", "--types", "never"], cwd=tmp_path, stdout=full, stderr=subprocess.PIPE, check=False
        )
    assert done.stderr.decode().splitlines()[-1] == "error: No space left on device"
    assert b"Traceback" not in done.stderr
    assert done.returncode == 2


@pytest.mark.parametrize(("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_an_interrupted_run_leaves_nothing_behind(tmp_path: Path, number: signal.Signals, code: int) -> None:
    project, private = tmp_path / "project", tmp_path / "private"
    private.mkdir()
    good(project)
    for index in range(6):
        (project / f"a{index}.cc").write_text(DEEP["else_if.cc"])
    running = subprocess.Popen(
        [*COMMAND, "check", "--types", "never", "--no-cache", "-j", "2"],
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
    assert (running.returncode, out, err) == (code, b"", b"error: interrupted\n")
    assert not [child for child in children if Path(f"/proc/{child}").exists()]
    assert not list(private.iterdir())


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


def test_colours_are_for_those_who_ask(tmp_path: Path) -> None:
    good(tmp_path)

    def coloured(*arguments: str, **variables: str) -> bool:
        command = [*COMMAND, "check", "--types", "never", *arguments]
        done = subprocess.run(command, cwd=tmp_path, env=environment(**variables), capture_output=True, check=False)
        return b"\x1b[" in done.stdout

    assert not coloured()
    assert coloured("--color", "always")
    assert coloured("--color", "always", NO_COLOR="1")
    assert not coloured(NO_COLOR="1", FORCE_COLOR="1")


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
        projects.append(project)
    first, other = projects
    said = [
        check(first, "-j", "1", "--no-cache", PYTHONHASHSEED="0"),
        check(first, "-j", "2", PYTHONHASHSEED="1"),
        check(first, "-j", "2", PYTHONHASHSEED="2"),
        check(other, "-j", "4", PYTHONHASHSEED="3"),
    ]
    assert len(said[0].found) == 24
    assert len({(done.code, done.out, done.err) for done in said}) == 1
    full = [
        ownlint(where, "check", "--types", "never", *more, PYTHONHASHSEED=seed)
        for where, more, seed in ((first, ("--no-cache", "-j", "4"), "4"), (other, (), "5"))
    ]
    assert full[0] == full[1]
