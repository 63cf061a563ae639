"""The attacks of `hostile.py`: one list, a part of which is run with the tests."""

# Inputs are tables: a row is easier to read than a paragraph of short lines.
# ruff: noqa: E501, PTH102, PTH118, PTH123

from __future__ import annotations

import contextlib
import itertools
import json
import os
import random
import resource
import shutil
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from hashlib import blake2b
from pathlib import Path
from typing import NamedTuple

from hostile_place import (
    COMMAND,
    GOOD,
    GOOD_CPP,
    GOOD_PYTHON,
    IN_CPP,
    MENDABLE,
    MENDED,
    Done,
    Place,
    children,
    must,
)

ANCHOR = "from mlir.ir import Module; Module.parse(0)\n"
"""What makes a Python file worth reading."""


class Attack(NamedTuple):
    """`item` is what it is about, as a row of docs/reliability.md."""

    id: str
    item: str
    tried: str
    must: str
    light: bool
    run: Callable[[Place], None]


ATTACKS: list[Attack] = []


def attack(item: str, tried: str, outcome: str, *, light: bool = True) -> Callable[[Callable[[Place], None]], None]:
    """Marks a function as an attack; its id is its name."""

    def listed(run: Callable[[Place], None]) -> None:
        ATTACKS.append(Attack(run.__name__.replace("_", "-"), item, tried, outcome, light, run))

    return listed


# --- fixes ------------------------------------------------------------------------------------

_MANY = "".join(f"int f{n}(int x) {{ return g(x, {n}); }}\n" for n in range(500))


def _raced(place: Place, *arguments: str, allowed: Callable[[str], bool]) -> None:
    """Saves a longer version of a file while it is checked, at many moments."""
    saved = "// saved meanwhile\n" * 40 + MENDABLE
    for step in range(4):
        place.write("e.cc", MENDABLE)
        place.write("big.cc", _MANY)  # so that there is a while
        process = place.start("check", "--types", "never", "--no-cache", *arguments)
        time.sleep(0.2 + 0.5 * step)
        place.write("e.cc", saved)
        place.ended(process)
        text = (place.root / "e.cc").read_text()
        must(text == saved or allowed(text), f"not what was saved, nor mended from it: {text[-260:]!r}")


@attack(
    "fix", "a file is saved by an editor while --fix runs", "what was saved stays, or is mended as a whole", light=False
)
def fix_race(place: Place) -> None:
    _raced(place, "--fix", allowed=lambda text: text == "// saved meanwhile\n" * 40 + MENDED)


@attack(
    "fix",
    "a file is saved while --add-suppressions runs",
    "what was saved stays; comments stand beside findings",
    light=False,
)
def suppress_race(place: Place) -> None:
    def allowed(text: str) -> bool:
        bare = [line.partition("  // ownlint")[0] for line in text.splitlines() if "ownlint:" not in line.lstrip()[:14]]
        return bare == ("// saved meanwhile\n" * 40 + MENDABLE).splitlines()

    _raced(place, "--add-suppressions", "raced", allowed=allowed)


@attack(
    "fix",
    "--diff of a file with CRLF, in a folder below the root",
    "`git apply` takes it there, and makes what --fix makes",
    light=False,
)
def diff_crlf(place: Place) -> None:
    place.settings("")
    crlf = MENDABLE.replace("\n", "\r\n").encode()
    place.write("sub/e.cc", crlf)
    below = place.root / "sub"
    diff = place.ownlint("check", "--types", "never", "--no-cache", "--diff", "-q", "e.cc", cwd=below, seconds=30)
    patch = place.tmp / "patch"
    # Bytes as they came: text mode would lose the line ends.
    process = place.start("check", "--types", "never", "--no-cache", "--diff", "-q", "e.cc", cwd=below)
    patch.write_bytes(place.ended(process)[0])
    must(diff.code == 1 and patch.stat().st_size, f"no diff: {diff.err}")
    for command in (("init", "-q"), ("apply", "--unsafe-paths", str(patch))):
        done = subprocess.run(["git", *command], cwd=below, capture_output=True, env=place.environment())
        must(not done.returncode, f"git {command[0]}: {done.stderr.decode()[:300]}")
    must((below / "e.cc").read_bytes() == MENDED.replace("\n", "\r\n").encode(), "something else than the fix")


@attack(
    "fix",
    "--fix of a link, and of a file that only root may write",
    "what the link stands for is not written through it",
)
def fix_link(place: Place) -> None:
    (place.outside / "victim.txt").write_text("untouched\n")
    place.write("e.cc", MENDABLE)
    (place.root / "link.cc").symlink_to(place.victim)
    (place.root / "same.cc").symlink_to("e.cc")
    place.ownlint("check", "--types", "never", "--fix", changes=True)
    must((place.root / "same.cc").is_symlink(), "a link was replaced")
    must((place.root / "e.cc").read_text() == MENDED, "not mended")


# --- patterns ---------------------------------------------------------------------------------


@attack("patterns", "macros whose parameters are regular expressions that explode", "30 s, nothing fails")
def macro_patterns(place: Place) -> None:
    place.write(
        "evil.cc",
        "#define UNLIKELY("
        + ".*" * 12
        + "Z) __builtin_expect("
        + "a" * 6_000
        + ", 0)\n#define U(( ) x\n#define V(a+)+$ (a)\n"
        "#define W([z-a]) W\n#define X(\\) X\n#define Y(*) Y(*)\nvoid f() { if (UNLIKELY(1)) U(2); X(3); Y(4); }\n"
        + MENDABLE,
    )
    place.finds_the_good(seconds=30)


@attack(
    "patterns", "`exclude`, `include`, `per-file-ignores` and .gitignore of thirty `a*`", "10 s, or refused in a line"
)
def exploding_globs(place: Place) -> None:
    bomb, name = "a*" * 30 + "b", "a" * 200 + "c.cc"
    place.write(name, "int x;\n")
    for key in ("exclude", "extend-exclude", "include"):
        place.settings(f'{key} = ["{bomb}", "**/{bomb}/**", "[a-z]*{bomb}"]\n')
        place.finds_the_good(seconds=10)
    place.settings(f'[per-file-ignores]\n"{bomb}" = ["all"]\n')
    place.write(name, GOOD_CPP)
    place.finds_the_good(seconds=10)
    place.settings("")
    place.write(".gitignore", f"{bomb}\n" * 20 + "**/" * 40 + "a\n" + "(a+)+$\n[z-a]\n")
    place.finds_the_good(seconds=10)


_EXPLODING = ("(a+)+$", "(?:a|a)*$", "(a|aa)+$", "(.*)*Z", "a{1,60000}a{1,60000}$", "((((a+)+)+)+)+$")


@attack(
    "patterns",
    "expressions of a model that explode, for macros, anchors and names",
    "20 s, or refused with file and line",
    light=False,
)
def exploding_models(place: Place) -> None:
    long = "a" * 40_000
    place.write("use.cc", f"#define {long[:5000]}b 1\nint {long}();\nvoid f() {{ {long[:3000]}c(1); }}\n")
    place.write("use.py", f"{ANCHOR}{long}.x({long})\n")
    for table in (
        '[[macro]]\nname = "{}"\npattern = true\nrole = "attribute"\n',
        '[[macro]]\nname = "{}"\nregular = true\nrole = "attribute"\n',
        "",
    ):
        for bomb in _EXPLODING[:: 1 if not table else 3]:
            anchors = f'anchors = ["{bomb}"]\n' if not table else ""
            place.write("ours.toml", f'[library]\nname = "ours"\n{anchors}' + table.format(bomb))
            place.settings('models = ["ours.toml"]\n')
            done = place.check(seconds=20)
            must(
                done.code == 1 or (done.code == 2 and "ours.toml:" in done.err),
                f"{bomb}: {done.code} {done.err[-300:]}",
            )


# --- one door ---------------------------------------------------------------------------------

_ASIDE = ("setup.cfg", "setup.py", "requirements.txt", "CMakeLists.txt", "sub/CMakeLists.txt", "cmake/x.cmake", "native.pyi", ".gitignore", "pyproject.toml", "ownlint.toml", ".ownlint.toml", "compile_commands.json", "build/compile_commands.json", "ownlint-baseline.json", "odd.cc", "odd.py")  # fmt: skip
"""What is read where it stands, without anybody naming it."""


def _device(path: Path) -> None:
    path.symlink_to("/dev/zero")


def _socket(path: Path) -> None:
    here = Path.cwd()
    os.chdir(path.parent)
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(path.name)
    os.chdir(here)


def _huge(path: Path) -> None:
    with path.open("wb") as stream:
        stream.truncate(3 << 30)


def _folder(path: Path) -> None:
    path.mkdir()


def _instead(place: Place, make: Callable[[Path], None], names: tuple[str, ...] = _ASIDE) -> None:
    """Each alone: the run finds the good, or refuses in a line; it neither waits nor eats memory."""
    for name in names:
        path = place.root / name
        path.parent.mkdir(exist_ok=True)
        make(path)
        done = place.check("--types", "auto", seconds=25, megabytes=600)
        fine = done.code == 2 and done.err.startswith("error: ") and done.err.count("\n") == 1
        must(fine or done.found >= GOOD, f"{name}: {done.code} {done.err[-300:]}")
        shutil.rmtree(path) if path.is_dir() and not path.is_symlink() else path.unlink()


@attack("one door", "a FIFO in the place of every file that is read", "nothing waits for it")
def fifo_everywhere(place: Place) -> None:
    _instead(place, os.mkfifo, _ASIDE[::2])


@attack("one door", "a FIFO in the place of the others", "nothing waits for it", light=False)
def fifo_elsewhere(place: Place) -> None:
    _instead(place, os.mkfifo, _ASIDE[1::2])


@attack("one door", "a link to /dev/zero in the place of every file that is read", "600 MB, 25 s", light=False)
def device_everywhere(place: Place) -> None:
    _instead(place, _device, _ASIDE[::2])


@attack("one door", "a link to /dev/zero in the place of the others", "600 MB, 25 s", light=False)
def device_elsewhere(place: Place) -> None:
    _instead(place, _device, _ASIDE[1::2])


@attack("one door", "a socket in the place of files that are read", "nothing waits for it", light=False)
def socket_everywhere(place: Place) -> None:
    _instead(place, _socket, _ASIDE[::2])


@attack("one door", "3 GB of nothing in the place of every file that is read", "600 MB, 25 s", light=False)
def huge_everywhere(place: Place) -> None:
    _instead(place, _huge)


@attack("one door", "a folder in the place of the others", "as if it were not there, or one line", light=False)
def folder_everywhere(place: Place) -> None:
    _instead(place, _folder, _ASIDE[1::2])


_NAMED = (
    ('models = ["odd.toml"]\n', "odd.toml", ()),
    ('models = ["odd.own.toml"]\n', "odd.own.toml", ()),
    ('baseline = "odd.json"\n', "odd.json", ()),
    ("", "odd.toml", ("--config", "odd.toml")),
    ("", "odd.json", ("--baseline", "odd.json")),
    ("", "odd.json", ("-p", "odd.json")),
)


@attack(
    "one door",
    "a FIFO, a device or 3 GB where the settings or an option name a file",
    "refused in a line, 15 s, 600 MB",
    light=False,
)
def named_files(place: Place) -> None:
    for makes in ((os.mkfifo,), (_device, _huge)):
        for (text, name, arguments), make in zip(_NAMED, itertools.cycle(makes)):
            place.settings(text)
            make(place.root / name)
            place.refuses(arguments=arguments, seconds=15, megabytes=600)
            (place.root / name).unlink()


@attack(
    "one door",
    "a stub and a contract beside an installed package that are FIFOs and devices",
    "nothing waits",
    light=False,
)
def hostile_environment(place: Place) -> None:
    site = place.root / "env/lib/python3.11/site-packages"
    (site / "pkg").mkdir(parents=True)
    place.write(str(site / "other.own.toml"), 'format = 1\npackage = "other"\n')
    (site / "other").mkdir()
    os.mkfifo(site / "pkg.own.toml")
    os.mkfifo(site / "other/x.pyi")
    _device(site / "other/y.pyi")
    _device(site / "zero.own.toml")
    place.settings('environment = "env"\n')
    done = place.check(seconds=20, megabytes=600)
    must(done.code in (1, 2), f"{done.code} {done.err[-300:]}")


@attack("one door", "build files of 1 MB without an end to any of their words", "15 s each", light=False)
def large_build_files(place: Place) -> None:
    size = 1_000_000
    for name, piece in (
        ("CMakeLists.txt", "FetchContent_Declare(x "),
        ("CMakeLists.txt", "find_package("),
        ("CMakeLists.txt", "FetchContent_Declare(x GIT_TAG v1"),
        ("setup.py", '"a[' + "a," * 20),
        ("requirements.txt", "a-" * 4_000),
        ("pyproject.toml", "x.y."),
    ):
        path = place.write(name, (piece * (size // len(piece) + 1))[:size])
        done = place.check(seconds=15)
        must(done.code == 2 or done.found >= GOOD, f"{name}: {done.err[-300:]}")
        path.unlink()


# --- bounded rules ----------------------------------------------------------------------------


@attack("bounded", "a `def` with 30,000 assignments of handles", "120 s", light=False)
def many_handles(place: Place) -> None:
    lines = "".join(f"    h{n} = module.body.operations[{n % 7}]\n    h{n // 2} = h{n}\n" for n in range(15_000))
    place.write("many.py", f"from mlir.ir import Module\ndef f(source):\n    module = Module.parse(source)\n{lines}")
    place.finds_the_good(seconds=120, megabytes=2500)


@attack("bounded", "modules that import everything from each other", "30 s", light=False)
def star_imports(place: Place) -> None:
    count = 14
    for n in range(count):
        stars = "".join(f"from .m{m} import *\n" for m in range(count) if m != n)
        place.write(f"pkg/m{n}.py", f"{stars}{ANCHOR}def f{n}(x):\n    return g{(n + 1) % count}(x)\n")
    place.write("pkg/__init__.py", "".join(f"from .m{n} import *\n" for n in range(count)) + ANCHOR)
    place.finds_the_good(seconds=30)


@attack("bounded", "loops in `with` in loops, 16 deep", "30 s", light=False)
def with_in_loops(place: Place) -> None:
    text, depth = f"{ANCHOR}def f(a):\n", 16
    for n in range(depth):
        text += " " * (2 * n + 1) + f"for x{n} in a:\n" + " " * (2 * n + 2) + f"with Module.parse(x{n}) as y{n}:\n"
    place.write("deep.py", text + " " * (2 * depth + 1) + "a = y0.body\n")
    place.finds_the_good(seconds=30)


@attack("bounded", "chains of 60 prefixes, in both languages", "20 s", light=False)
def prefix_chains(place: Place) -> None:
    for sign in ("- ", "!", "~", "*", "& ", "--"):
        name = f"c{ord(sign[0])}{len(sign.strip())}.cc"
        place.write(name, f"int f(int* x) {{ return {sign * 60}x; }}\nvoid g({sign * 60}Plan* p, int x);\n")
    place.write("chain.py", f"{ANCHOR}def f(x):\n    return {'not ' * 80}x, {'-' * 80}x\n")
    place.finds_the_good(seconds=20)


@attack(
    "bounded", "macros that double forty times, by structure and typed", "60 s, 4.5 GB, the rest is read", light=False
)
def doubling_macros(place: Place) -> None:
    bomb = "".join(f"#define L{n} L{n - 1} L{n - 1}\n" for n in range(1, 40)) + "#define L0 x\nint y = L39;\n"
    calls = (
        "".join(f"#define C{n}(x) C{n - 1}(C{n - 1}(x))\n" for n in range(1, 40)) + "#define C0(x) x\nint z = C39(1);\n"
    )
    place.write("bomb.cc", bomb + calls)
    place.finds_the_good(seconds=60)
    place.compiled("bomb.cc", "good.cc")
    place.finds_the_good("--types", "auto", seconds=100, megabytes=4500)


def _pack(place: Place, body: str) -> dict[str, str]:
    """An installed pack with one rule that does this."""
    site = place.home / "site"
    (site / "bad_rules").mkdir(parents=True, exist_ok=True)
    (site / "bad_rules/__init__.py").write_text("")
    (site / "bad_rules/always_wrong.py").write_text(
        '"""Something is wrong.\n\nAlways.\n"""\n\nfrom __future__ import annotations\n\nfrom collections.abc import Iterator\n\n'
        "from ownlint import Finding, Function, rule\n\n\n"
        '@rule(severity="error")\ndef always_wrong(function: Function) -> Iterator[Finding]:\n'
        + "".join(f"    {line}\n" for line in body.splitlines())
        + "    yield from ()\n"
    )
    told = site / "bad_rules-1.0.dist-info"
    told.mkdir(exist_ok=True)
    (told / "METADATA").write_text("Metadata-Version: 2.1\nName: bad-rules\nVersion: 1.0\n")
    (told / "entry_points.txt").write_text("[ownlint.rules]\nbad = bad_rules\n")
    return {"PYTHONPATH": str(site)}


def _with_pack(place: Place, body: str, seconds: float, *, twice: bool = True) -> None:
    def limit() -> None:  # else a greedy rule has the share of the machine that it is allowed
        resource.setrlimit(resource.RLIMIT_AS, (4 << 30, 4 << 30))

    done = place.check(seconds=seconds, megabytes=5000, setup=limit, **_pack(place, body))
    must(done.found >= GOOD, f"missing: {sorted(GOOD - done.found)}; {done.err[-300:]}")
    must(done.code == 1, f"exit code {done.code}: the other findings say 1")
    must(any("always-wrong" in reason for reason in done.incomplete.values()), "what was cut off is not named")
    if not twice:
        return
    again = place.check(seconds=seconds, megabytes=5000, setup=limit, **_pack(place, body))
    must(
        (again.code, again.out) == (done.code, done.out),
        "the next run says something else: it was cached, or is not the same",
    )


@attack("bounded", "a rule of a pack that raises", "named; the exit code is that of the other findings")
def raising_rule(place: Place) -> None:
    _with_pack(place, "raise KeyError(function.name)", 30)


@attack("bounded", "a rule of a pack that never ends", "named, within 120 s", light=False)
def hanging_rule(place: Place) -> None:
    _with_pack(place, "while True:\n    pass", 120, twice=False)


@attack(
    "bounded", "a rule of a pack that eats memory, where there are 4 GB", "named, the others are asked", light=False
)
def greedy_rule(place: Place) -> None:
    _with_pack(place, "eaten = []\nwhile True:\n    eaten.append(b'x' * 10_000_000)", 120)


@attack("bounded", "a rule of a pack that ends its process", "named, the others are asked", light=False)
def ending_rule(place: Place) -> None:
    _with_pack(place, "import os, signal\nos.kill(os.getpid(), signal.SIGKILL)", 120)


@attack(
    "bounded",
    "eight files that eat memory, at eight jobs",
    "three quarters of the machine's memory in all",
    light=False,
)
def memory_of_all(place: Place) -> None:
    bomb = "".join(f"#define L{n} L{n - 1} L{n - 1}\n" for n in range(1, 40)) + "#define L0 x\nint y = L39;\n"
    names = [f"bomb{n}.cc" for n in range(8)]
    for name in names:
        place.write(name, bomb)
    place.compiled(*names)
    process = place.start("check", "-j", "8", "--no-cache")
    threading.Thread(target=process.communicate, daemon=True).start()
    most, until = 0, time.monotonic() + 240
    while process.poll() is None and time.monotonic() < until:
        most = max(most, sum(_resident(pid) for pid in (process.pid, *children(process.pid))))
        time.sleep(0.05)
    process.kill()
    total = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    place.peak = max(place.peak, most)
    must(most < 0.75 * total, f"{most / 1e9:.1f} GB of {total / 1e9:.1f} GB")


def _resident(pid: int) -> int:
    with contextlib.suppress(OSError, ValueError, IndexError):
        return int(Path(f"/proc/{pid}/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")
    return 0


# --- secrets ----------------------------------------------------------------------------------

_FORMS = ("full", "concise", "json", "sarif", "github", "markdown", "junit")


def _shows_nothing(place: Place, *arguments: str) -> None:
    """`ownlint` itself looks for the secret in what comes out."""
    for form in _FORMS:
        place.ownlint("check", "-v", "--certainty", "possible", "--output-format", form, *arguments)


@attack("secrets", "an enumerator from a header outside of the project, in the name of a type", "no report names it")
def outside_type(place: Place) -> None:
    place.write(
        "p.cc",
        'namespace py { template <class T> struct class_ { class_(int, const char*); template <class F> class_& def(const char*, F); }; }\n#include "../outside/secret.h"\n'
        "template <E V> struct P { int x; };\nusing First = P<static_cast<E>(0)>;\nclass Engine {\n public:\n  First& part() { return part_; }\n  First* raw() { return new First(); }\n  First part_;\n};\n"
        '#define PYBIND11_MODULE(n, m) void n(int m)\nPYBIND11_MODULE(e, m) {\n  py::class_<Engine>(m, "Engine").def("part", &Engine::part).def("raw", &Engine::raw);\n}\n',
    )
    place.compiled("p.cc")
    _shows_nothing(place)
    place.ownlint("facts", "p.cc")


@attack(
    "secrets",
    "files outside of the project included, linked and named as models, settings and baselines",
    "no report and no message has a word of them",
    light=False,
)
def outside_text(place: Place) -> None:
    place.write(
        "i.cc", f'#include "{place.secret}"\nint x = E;\nint y = undeclared;\nstatic_assert(sizeof(E) == 1, "x");\n'
    )
    place.write("j.cc", '#include "/etc/passwd"\n#include "../outside/secret.h"\n#include "/proc/self/environ"\n')
    (place.root / "linked.cc").symlink_to(place.secret)
    (place.root / "linked.py").symlink_to(place.secret)
    place.compiled("i.cc", "j.cc", arguments=("c++", f"-I{place.outside}", "-include", str(place.secret)))
    _shows_nothing(place)
    for text in (
        f'models = ["{place.secret}"]',
        f'baseline = "{place.secret}"',
        f'build-path = "{place.secret}"',
        'models = ["../outside/secret.h"]',
    ):
        place.settings(text)
        done = place.check()
        must(done.code in (1, 2), f"{text}: {done.code}")
    (place.root / "ownlint.toml").unlink()
    for name in (
        "ownlint.toml",
        "pyproject.toml",
        "ownlint-baseline.json",
        "setup.cfg",
        "compile_commands.json",
        ".gitignore",
    ):
        (place.root / name).unlink(missing_ok=True)
        (place.root / name).symlink_to(place.secret)
        place.check("--types", "auto")
        (place.root / name).unlink()
    place.check("--config", str(place.secret))


# --- git --------------------------------------------------------------------------------------


def _git(place: Place, *arguments: str) -> str:
    who = {"GIT_CONFIG_GLOBAL": "/dev/null", "GIT_AUTHOR_NAME": "a", "GIT_AUTHOR_EMAIL": "a@b", "GIT_COMMITTER_NAME": "a", "GIT_COMMITTER_EMAIL": "a@b"}  # fmt: skip
    done = subprocess.run(["git", *arguments], cwd=place.root, env=place.environment(**who), capture_output=True)
    must(not done.returncode, f"git {arguments[0]}: {done.stderr.decode()[:300]}")
    return done.stdout.decode().strip()


def _repository(place: Place) -> None:
    _git(place, "init", "-q")
    _git(place, "add", "-A")
    _git(place, "commit", "-qm", "first")
    place.write("good.cc", GOOD_CPP + "// changed\n")
    place.write("good.py", GOOD_PYTHON + "# changed\n")
    _git(place, "commit", "-qam", "second")


def _all_that_asks_git(place: Place) -> None:
    for arguments in (
        ("--types", "never"),
        ("--types", "never", "--diff-base", "HEAD~1"),
        ("--no-cache", "--diff-base", "HEAD~1"),
    ):
        done = place.ownlint("check", *arguments, seconds=60)
        must(done.code in (0, 1, 2), f"{done.code} {done.err[-300:]}")
        must(not place.canary.exists(), f"ran something: {' '.join(arguments)}")


@attack("git", "a .git/config in which every key that can name a command names one", "none is run", light=False)
def git_config(place: Place) -> None:
    script = place.script()
    _repository(place)
    place.write(
        ".gitattributes",
        "* filter=evil diff=evil merge=evil ident text\n*.py diff=evil\n*.cc working-tree-encoding=UTF-16\n",
    )
    for hook in ("post-index-change", "pre-commit", "post-checkout", "reference-transaction", "fsmonitor-watchman"):
        shutil.copy(script, place.root / ".git/hooks" / hook)
    for key in (
        "core.fsmonitor", "core.sshCommand", "core.pager", "core.editor", "core.askPass", "core.gitProxy", "core.alternateRefsCommand",
        "diff.external", "diff.evil.textconv", "diff.evil.command", "filter.evil.clean", "filter.evil.smudge", "filter.evil.process",
        "merge.evil.driver", "credential.helper", "gpg.program", "gpg.ssh.program", "sequence.editor", "pager.diff", "pager.ls-files", "pager.rev-parse",
        "interactive.diffFilter", "uploadpack.packObjectsHook", "trailer.x.command", "alias.ls-files", "alias.diff",
    ):  # fmt: skip
        _git(place, "config", key, str(script))
    for key, value in (
        ("alias.rev-parse", f"!{script}"), ("filter.evil.required", "true"), ("core.hooksPath", ".git/hooks"), ("core.fsmonitorHookVersion", "2"),
        ("diff.evil.cachetextconv", "true"), ("submodule.recurse", "true"), ("index.sparse", "true"),
        ("core.untrackedCache", "true"), ("status.submoduleSummary", "true"), ("diff.submodule", "log"),
    ):  # fmt: skip
        _git(place, "config", key, value)
    place.canary.unlink(missing_ok=True)  # our own git commands may have run some of it
    place.write("good.cc", GOOD_CPP + "// changed again\n")
    _all_that_asks_git(place)


@attack("git", "a partial clone whose missing blobs are fetched by a command", "it is not fetched")
def git_lazy_fetch(place: Place) -> None:
    script = place.script()
    _repository(place)
    blob = _git(place, "rev-parse", "HEAD~1:good.cc")
    (place.root / ".git/objects" / blob[:2] / blob[2:]).unlink()
    for key, value in (
        ("core.repositoryFormatVersion", "1"), ("extensions.partialClone", "origin"), ("remote.origin.url", str(place.root)), ("remote.origin.promisor", "true"),
        ("remote.origin.partialCloneFilter", "blob:none"), ("remote.origin.uploadpack", str(script)), ("protocol.ext.allow", "always"), ("protocol.allow", "always"),
    ):  # fmt: skip
        _git(place, "config", key, value)
    _all_that_asks_git(place)
    _git(place, "config", "remote.origin.url", f"ext::{script} %S")
    place.check("--diff-base", "HEAD~1")


@attack("git", "a `git` and an `ownlint` in the tree and on a PATH with `.`", "the tree's are not run", light=False)
def git_of_the_tree(place: Place) -> None:
    _repository(place)
    for name in ("git", "python", "python3", "cc", "clang", "clang++", "c++", "g++"):
        place.script(name)
    path = f".:{place.root}:{os.environ['PATH']}"
    place.finds_the_good(PATH=path)
    place.check("--diff-base", "HEAD~1", PATH=path)


# --- one file and the others ---------------------------------------------------------------------

_COUNTER = """\
#include <mutex>
class Counter {
 public:
  void Add(int n) { std::lock_guard<std::mutex> lock(mu_); total_ += n; }
  void Sub(int n) { std::lock_guard<std::mutex> lock(mu_); total_ -= n; }
  int Take() { std::lock_guard<std::mutex> lock(mu_); return total_; }
  void Reset() { total_ = 0; }
 private:
  std::mutex mu_;
  int total_ = 0;
};
"""
_IN_COUNTER = ("counter.cc", 7, "guarded-member-unlocked")


def _silences_nobody(place: Place, text: str, **options: float) -> None:
    place.write("counter.cc", _COUNTER)
    place.write("large.cc", text)
    done = place.finds_the_good("--no-cache", "--certainty", "possible", seconds=60, **options)
    must(_IN_COUNTER in done.found, f"the others lost a finding: {sorted(done.found)}")
    must(set(done.incomplete) <= {"large.cc"}, f"others are incomplete: {done.incomplete}")


@attack("others", "1,500 functions that each return what the one before did", "the others keep their findings")
def chain_of_returns(place: Place) -> None:
    made = "".join(f"PyObject* f{n}() {{ PyObject* t = f{n - 1}(); return t; }}\n" for n in range(1, 1500))
    _silences_nobody(place, f"#include <Python.h>\nPyObject* f0() {{ return PyList_New(0); }}\n{made}")


@attack("others", "a function that takes a hundred mutexes by hand", "the others keep their findings", light=False)
def many_mutexes(place: Place) -> None:
    fields = " ".join(f"std::mutex m{n}; int v{n};" for n in range(100))
    taken = " ".join(f"m{n}.lock(); v{n} = {n};" for n in range(100)) + " ".join(f"m{n}.unlock();" for n in range(100))
    _silences_nobody(place, f"#include <mutex>\nclass A {{ {fields}\n void f() {{ {taken} }} }};\n")


@attack("others", "a hierarchy of 400 classes that is a cycle", "the others keep their findings", light=False)
def cycle_of_classes(place: Place) -> None:
    text = "".join(
        f"struct B{n} : B{(n + 1) % 400}, B{(n * 7) % 400}, B{n} {{ B{(n + 3) % 400}* p; std::mutex m;"
        f" void run() {{ std::lock_guard g(m); p->run(); }} }};\n"
        for n in range(400)
    )
    _silences_nobody(place, text)


@attack("one door", "a thousand links in a chain", "they are named as unread", light=False)
def chain_of_links(place: Place) -> None:
    for n in range(999):
        (place.root / f"l{n}.cc").symlink_to(f"l{n + 1}.cc")
    (place.root / "l999.cc").symlink_to("l0.cc")
    done = place.finds_the_good()
    must("l0.cc" in done.incomplete, "the links are not named")


@attack("git", "a FIFO where git keeps its head, its index, its settings and its patterns", "nothing waits for it")
def git_fifo(place: Place) -> None:
    for name in ("HEAD", "index", "config", "info/exclude"):
        shutil.rmtree(place.root / ".git", ignore_errors=True)
        _git(place, "init", "-q")
        (place.root / ".git" / name).unlink(missing_ok=True)
        os.mkfifo(place.root / ".git" / name)
        place.finds_the_good("--no-cache", seconds=20)
    shutil.rmtree(place.root / ".git")
    _git(place, "init", "-q")
    os.mkfifo(place.outside / "waits")
    _git(place, "config", "core.excludesFile", str(place.outside / "waits"))
    place.finds_the_good("--no-cache", seconds=20)
    (place.outside / "waits").unlink()


@attack("outputs", "settings whose baseline lies outside of the project", "it is not written")
def baseline_outside(place: Place) -> None:
    place.settings('baseline = "../outside/new.json"\n')
    done = place.ownlint("baseline", "write")
    must(done.code == 2 and "points outside the project" in done.err, f"{done.code}: {done.err}")


@attack("outputs", "commands to the runner of a job in a quoted line and in a name", "they come out as escapes")
def runner_commands(place: Place) -> None:
    word = "##vso[task.prependpath]x ##[stop-commands]y ##teamcity[buildStop] \U000e0041"
    place.write("good.cc", GOOD_CPP.replace("connected_ = true;", f"connected_ = true;  // {word}"))
    mended = "class Box {\n  absl::Mutex mu_;\n  int n_;\n  void put(int n) { absl::MutexLock(&mu_); n_ = n; }\n};\n"
    place.write("##[error]z.cc", GOOD_CPP + mended)
    lines = ("full", "concise", "github", "markdown", "json-lines", "json")
    for written in (*lines, "gitlab", "junit", "sarif", "rdjson"):
        done = place.ownlint("check", "--suite", "audit", "--types", "never", "--output-format", written)
        shown = done.out + done.err
        must("##[" not in shown and "##vso[" not in shown and "\U000e0041" not in shown, f"{written}: {shown[-800:]}")


@attack("one door", "a rule pack and modules of Python in the tree where `python -m ownlint` starts", "none is loaded")
def packs_of_the_tree(place: Place) -> None:
    place.write("evilpack-1.dist-info/entry_points.txt", "[ownlint.rules]\nevil = evilpack\n")
    place.write("evilpack-1.dist-info/METADATA", "Metadata-Version: 2.1\nName: evilpack\nVersion: 1\n")
    leaves = f"open({str(place.canary)!r}, 'w')\n"
    for name in ("evilpack/__init__.py", "click.py", "msgspec.py", "typing.py"):
        place.write(name, leaves)
    place.finds_the_good(command=(sys.executable, "-m", "ownlint"))


# --- the cache --------------------------------------------------------------------------------

_CHECKSUM = 32
"""Bytes of an entry before its content."""


def _forge(folder: Path, secret: bytes) -> int:
    """Empties every list of findings in a cache, signed as the attacker's own ownlint signs it."""
    forged = 0
    for path in folder.glob("??/*"):
        try:
            held = json.loads(path.read_bytes()[_CHECKSUM:])
        except ValueError:
            continue
        if isinstance(held, list):
            held = []
        elif "report" in held:
            held["report"]["findings"] = []
        else:
            continue
        content = json.dumps(held, separators=(",", ":")).encode()
        name = (path.parent.name + path.name).encode()
        path.write_bytes(blake2b(name + b"\0" + content, key=secret, digest_size=_CHECKSUM).digest() + content)
        forged += 1
    return forged


@attack("cache", "a pull request that commits a cache with emptied entries", "the findings are reported all the same")
def poisoned_cache(place: Place) -> None:
    attacker, cache = place.home / "attacker", place.root / ".ownlint_cache"
    attacker.mkdir()
    place.check(HOME=str(attacker), changes=True)
    secret = (attacker / ".cache/ownlint/key").read_bytes()
    must(_forge(cache, secret), "nothing to forge: the cache looks unlike what is known of it")
    forged = shutil.copytree(cache, place.tmp / "forged")
    done = place.check(HOME=str(attacker), changes=True)
    must(not done.found, "not forged well: the attacker's own run does not believe it")
    place.finds_the_good(changes=True)
    # The key may come with it, in all the places where it could be looked for.
    shutil.rmtree(cache)
    shutil.copytree(forged, cache)
    for folder in (cache, place.root / ".cache/ownlint", place.root):
        folder.mkdir(parents=True, exist_ok=True)
        (folder / "key").write_bytes(secret)
        (folder / "key").chmod(0o600)
    place.finds_the_good(changes=True)
    place.finds_the_good("--cache-dir", str(cache), changes=True)


@attack(
    "cache",
    "a cache of garbage, of folders, of FIFOs and of entries of other entries",
    "as if there were none",
    light=False,
)
def damaged_cache(place: Place) -> None:
    rng = random.Random(1)
    folder = place.tmp / "cache"
    place.finds_the_good("--cache-dir", str(folder))
    whole = place.tmp / "whole"
    folder.rename(whole)
    for damage in range(4):
        shutil.copytree(whole, folder)
        entries = sorted(path for path in folder.rglob("*") if path.is_file() and path.name != "CACHEDIR.TAG")
        held = [path.read_bytes() for path in entries]
        for path in entries:
            match damage:
                case 0:
                    path.write_bytes(rng.choice(held))
                case 1:
                    path.write_bytes(path.read_bytes()[: rng.randrange(40)])
                case 2:
                    path.unlink()
                    os.mkfifo(path)
                case _:
                    path.unlink()
                    path.symlink_to("/dev/zero")
        place.finds_the_good("--cache-dir", str(folder))
        shutil.rmtree(folder)


@attack("cache", "four runs at once that share a cache, twice", "each says the same", light=False)
def shared_cache(place: Place) -> None:
    for _ in range(2):
        running = [place.start("check", "--types", "never", "--output-format", "json") for _ in range(4)]
        said = {(place.ended(process, 30)[0], process.returncode) for process in running}
        must(len(said) == 1 and next(iter(said))[1] == 1, f"{len(said)} answers")
    place.leaves_nothing()


@attack("cache", "files dated before the epoch and after 2100", "found, cold and warm", light=False)
def clocks(place: Place) -> None:
    for when in (-(10**9), 0, 10**10):
        for name in ("good.cc", "good.py"):
            os.utime(place.root / name, (when, when))
        place.finds_the_good()
        place.finds_the_good()
        place.write("good.cc", "\n" + GOOD_CPP.removesuffix("\n"))  # of the same size
        os.utime(place.root / "good.cc", (when, when))
        done = place.check()
        must(("good.cc", 6, IN_CPP[2]) in done.found, f"what was known of it before is said: {sorted(done.found)}")
        place.good()


# --- outputs ----------------------------------------------------------------------------------


@attack(
    "outputs",
    "links of the tree in the place of reports, baselines, caches and their folders",
    "nothing is written through them",
)
def output_links(place: Place) -> None:
    for name in ("report.json", "r.sarif", "ownlint-baseline.json", "fixes.yaml"):
        (place.root / name).symlink_to(place.victim)
    (place.root / "out").symlink_to(place.outside)
    (place.root / ".ownlint_cache").symlink_to(place.outside)
    for arguments in (
        ("check", "-o", "report.json"), ("check", "--output", "sarif=r.sarif"), ("check", "--export-fixes", "fixes.yaml"),
        ("check", "-o", "out/new.json"), ("baseline", "write"), ("baseline", "write", "--baseline", "out/b.json"), ("baseline", "prune"),
    ):  # fmt: skip
        done = place.ownlint(*arguments, "--types", "never")
        must(done.code in (1, 2), f"{arguments}: {done.code} {done.err[-200:]}")
        must(place.victim.read_text() == "untouched\n", f"written through a link: {arguments}")
        must(
            sorted(p.name for p in place.outside.iterdir()) == ["secret.h", "victim.txt"],
            f"written outside: {arguments}",
        )


@attack("outputs", "options that name a source or somebody's notes as the report", "refused, and left as it was")
def output_overwrites(place: Place) -> None:
    place.write("notes.txt", "mine\n")
    place.write("data.json", '{"mine": 1}\n')
    for arguments in (
        ("check", "-o", "good.cc"), ("check", "--output", "sarif=good.py"), ("check", "--output", "html=notes.txt"), ("check", "--output-format", "json", "-o", "data.json"),
        ("check", "--export-fixes", "notes.txt"), ("baseline", "write", "--baseline", "good.cc"),
    ):  # fmt: skip
        done = place.ownlint(*arguments, "--types", "never")
        must(done.code == 2, f"{arguments}: {done.code} {done.err[-200:]}")


@attack(
    "outputs",
    "a report written twice to one place, and beside a link's name",
    "its own old report is replaced",
    light=False,
)
def output_twice(place: Place) -> None:
    for form in ("json", "sarif", "full", "markdown", "junit", "gitlab"):
        for _ in range(2):
            done = place.ownlint("check", "--types", "never", "--output-format", form, "-o", f"r.{form}", changes=True)
            must(
                done.code == 1 and (place.root / f"r.{form}").stat().st_size > 50,
                f"{form}: {done.code} {done.err[-200:]}",
            )


# --- crashes and gaps -------------------------------------------------------------------------

_CRASHES = (
    "add(){::();", "take(){Shape shape;owned_=make_unique<(>(shape)std bytes(bytes.data;}<>owned_", "struct{Card{},[]()return Card",
    "struct A{std::mutex m;int x;void f(){std::lock_guard g(m);x=1;}void f(){x=2;}};struct A{int x;void g(){std::lock_guard g(m);}};",
)  # fmt: skip


@attack("crashes", "inputs that once crashed rules and readers", "no rule fails, nothing is an internal error")
def known_crashes(place: Place) -> None:
    for number, text in enumerate(_CRASHES):
        place.write(f"c{number}.cc", f"{text}\n")
        place.write(f"d{number}.cc", f"class Q {{ void f() {{ {text}\n{text}\n")
    for number, text in enumerate(
        ("with(a)as b,c:pass\n", "with(a,b)as c,d:0\n", "with a as(b),(yield):pass\n", "with():pass\n")
    ):
        place.write(f"w{number}.py", f"{ANCHOR}def f():\n  {text}")
    done = place.finds_the_good("--certainty", "possible")
    bad = {path: reason for path, reason in done.incomplete.items() if "internal error" in reason or "rule `" in reason}
    must(not bad, f"{bad}")


@attack(
    "crashes", "a brace-initialised capture, a macro between strings, a `.m` of MATLAB", "the bug after them is found"
)
def parse_gaps(place: Place) -> None:
    place.write("capture.cc", "void f(Callback cb) { run([cb{std::move(cb)}] { cb(); }); }\n" + GOOD_CPP)
    place.write("strings.cc", 'void g(M& m) { m.def("x", &X, "a" MACRO(x) "b" MACRO(y) "c"_doc); }\n' + GOOD_CPP)
    place.write(
        "solve.m",
        "function [x, y] = solve(a)\n% a comment\nx = a'; y = [1, 2; 3 4]';\nfor i = 1:3\n  x(i) = 'str';\nend\nend\n",
    )
    done = place.finds_the_good()
    must(("capture.cc", 6, IN_CPP[2]) in done.found, "not found behind the capture")
    must(("strings.cc", 6, IN_CPP[2]) in done.found, "not found behind the strings")
    must(not {"capture.cc", "strings.cc", "solve.m"} & set(done.incomplete), f"{done.incomplete}")


@attack(
    "crashes",
    "brackets, blocks, templates, terms and namespaces 20,000 deep",
    "60 s; each file is read or named",
    light=False,
)
def deep_nesting(place: Place) -> None:
    deep = 20_000
    for name, text in {
        "a.cc": "int x = " + "(" * deep + "1" + ")" * deep + ";\n", "b.cc": "void f() " + "{" * deep + "}" * deep + "\n",
        "c.cc": "namespace a {" * deep + "}" * deep, "d.cc": "int f() { return " + " + ".join(["a"] * deep) + "; }\n",
        "e.cc": "A<" * deep + "int" + ">" * deep + " x;\n", "f.cc": "void f() { x" + ".a()" * 5_000 + "; }\n", "g.cc": "void f() { " + "if (a) " * 5_000 + "; }\n",
        "h.cc": "void f() { " + "[&] {" * 3_000 + "};" * 3_000 + " }\n", "i.cc": "struct A {" * 5_000 + "};" * 5_000, "j.cc": "#if A\n" * deep + "#endif\n" * deep,
        "a.py": ANCHOR + "x = " + "(" * deep + ")" * deep + "\n", "b.py": ANCHOR + "def f(x):\n  return x" + ".a()" * deep + "\n",
        "c.py": ANCHOR + "".join(" " * n + "if a:\n" for n in range(99)) + " " * 99 + "b\n", "d.py": ANCHOR + "x = " + "lambda: " * 3_000 + "0\n",
        "e.py": ANCHOR + "x = " + "not " * deep + "0\n", "f.py": ANCHOR + "f'" + "{f\"" * 90 + "\n",
    }.items():  # fmt: skip
        place.write(name, text)
    place.finds_the_good(seconds=60, megabytes=3000)


@attack(
    "crashes",
    "NUL, bidirectional controls, broken encodings, line ends of all kinds",
    "found or named, nothing comes out raw",
    light=False,
)
def odd_bytes(place: Place) -> None:
    for number, odd in enumerate(
        (
            b"\0",
            "\u202e\u2066".encode(),
            b"\xff\xfe",
            b"\xef\xbb\xbf",
            b"\x1b[2J",
            b"\r",
            b"\x0c\x0b",
            b"\xed\xa0\x80",
            b"\\\r\n",
            b"\x1a",
        )
    ):
        place.write(f"o{number}.cc", b"// " + odd + b"\n" + GOOD_CPP.replace("Connect", "Conn\u00e9ct").encode() + odd)
        place.write(f"o{number}.py", b"# " + odd + b"\n" + GOOD_PYTHON.encode() + odd)
    place.finds_the_good()
    for form in ("full", "github", "sarif", "html"):
        place.ownlint("check", "--types", "never", "--output-format", form)


@attack(
    "crashes",
    "files named with line breaks, quotes, escapes, bytes that are no text, 255 and 4,000 bytes",
    "found or named, nothing is forged",
    light=False,
)
def odd_names(place: Place) -> None:
    odd = [b"a\nb.cc", b"::error::x.cc", b"\x1b[31m.cc", b"q'\"`$(x).py", b"\xff\xfe.cc", b"-o.cc", b"%0A.cc", b"x" * 250 + b".cc", "\u202ecc.py".encode(), b" .cc", b"*.cc", b"[z-a].py", b"a\\b.cc", b"--fix.py", b"{{x}}.cc"]  # fmt: skip
    for name in odd:
        with open(os.path.join(os.fsencode(place.root), name), "wb") as stream:
            stream.write(GOOD_CPP.encode() if name.endswith(b".cc") else GOOD_PYTHON.encode())
    deep = os.fsencode(place.root)
    os.chdir(deep)
    for _ in range(16):
        os.mkdir(b"d" * 250)
        os.chdir(b"d" * 250)
    with open(b"good.cc", "wb") as stream:
        stream.write(GOOD_CPP.encode())
    os.chdir("/")
    done = place.finds_the_good()
    must(len(done.found) >= 14, f"only {len(done.found)} found")
    for form in ("full", "github", "sarif", "junit", "markdown"):
        said = place.ownlint("check", "--types", "never", "--output-format", form)
        must(
            not any(line.startswith(("::error::x", "b.cc")) for line in said.out.splitlines()), f"{form}: a forged line"
        )


# --- compile databases ------------------------------------------------------------------------


@attack(
    "compile commands",
    "arguments that write files, load plugins, read more arguments",
    "nothing is written, loaded or run",
    light=False,
)
def compile_arguments(place: Place) -> None:
    script, victim = place.script(), str(place.victim)
    place.write("arguments.rsp", f"-MD -MF {victim}\n")
    place.write("evil.so", b"\x7fELF garbage")
    place.write("x.pch", b"CPCH garbage")
    hostile = [
        ["-MD", "-MF", victim], ["-o", victim], ["-MJ", victim], ["-fplugin=./evil.so"], ["-Xclang", "-load", "-Xclang", "./evil.so"], ["-load", "./evil.so"],
        ["--serialize-diagnostics", victim], ["@arguments.rsp"], ["-save-temps"], ["-ftime-trace"], ["-fmodules", "-fmodules-cache-path=modules"], ["-include-pch", "x.pch"],
        ["-working-directory=/"], ["--config=evil.cfg"], ["-B", str(place.root)], ["-fcrash-diagnostics-dir=."], ["-gsplit-dwarf"], ["-emit-ast"], ["-E", "-o", victim],
        ["-Wp,-MD," + victim], ["-Xpreprocessor", "-MF", "-Xpreprocessor", victim], ["-fprofile-generate=."], ["--analyze"], ["-dependency-file", victim], ["-header-include-file", victim],
        ["-fuse-ld=" + str(script)], ["-specs=evil"], ["-wrapper", str(script)], ["-ivfsoverlay", "evil.yaml"], ["-fmodule-file=x.pcm"], ["-frewrite-includes"], ["-mllvm", "-print-after-all"],
    ]  # fmt: skip
    for number in range(len(hostile)):
        place.write(f"f{number}.cc", "int x;\n")
    entries: list[dict[str, object]] = [
        {"file": f"f{number}.cc", "directory": str(place.root), "arguments": [compiler, *words, "-c", f"f{number}.cc"]}
        for number, words in enumerate(hostile)
        for compiler in ("c++", str(script))
    ]
    entries.append(
        {
            "file": "good.cc",
            "directory": str(place.root),
            "command": f"{script} `touch {place.canary}` $(touch {place.canary}); touch {place.canary} good.cc",
        }
    )
    place.write("compile_commands.json", json.dumps(entries))
    place.finds_the_good("--types", "auto", seconds=90)


@attack(
    "compile commands",
    "a database that is no database, has a million entries or odd values",
    "refused in a line, or a notice",
    light=False,
)
def odd_databases(place: Place) -> None:
    for text in (
        '[{"file": "good.cc", "directory": "/dev/fd/0", "arguments": ["c++"]}]', '[{"file": "../../../etc/passwd", "directory": "/", "command": "c++ \'"}]',
        '[{"file": "good.cc", "command": "' + "\\\\" * 50_000 + '"}]', "[" * 200_000, '[{"file": "\\u0000good.cc", "directory": "\\ud800", "arguments": []}]',
        "[" + ",".join('{"file": "good.cc", "arguments": ["c++", "-Ix"]}' for _ in range(200_000)) + "]", '"\xff"', "{}", "[null]",
        '[{"file": "good.cc", "directory": "' + "d/" * 20_000 + '", "arguments": ["c++"]}]', '[{"file": "good.cc", "arguments": ["c++"' + ', "-I."' * 100_000 + "]}]",
    ):  # fmt: skip
        place.write("compile_commands.json", text)
        place.finds_the_good("--types", "auto", seconds=60)
        done = place.check("-p", ".", seconds=60)
        must(done.code in (1, 2), f"{text[:60]}: {done.code} {done.err[-200:]}")


@attack(
    "compile commands",
    "headers that include each other, devices, FIFOs and themselves",
    "60 s; the files are named",
    light=False,
)
def odd_headers(place: Place) -> None:
    place.write("self.h", '#include "self.h"\n')
    place.write("one.h", '#include "two.h"\n')
    place.write("two.h", '#include "one.h"\n')
    os.mkfifo(place.root / "pipe.h")
    (place.root / "zero.h").symlink_to("/dev/zero")
    names = ["self.h", "one.h", "pipe.h", "zero.h", "/dev/zero", "/dev/stdin", "/proc/self/mem"]
    for number, name in enumerate(names):
        place.write(f"h{number}.cc", f'#include "{name}"\nint x;\n')
        place.write(f"wrapped{number}.h", f'#include "{name}"\n')
        place.write(f"i{number}.cc", f'#include "wrapped{number}.h"\nint x;\n')
    place.compiled("good.cc", *(f"{kind}{number}.cc" for kind in "hi" for number in range(len(names))))
    place.finds_the_good("--types", "auto", "-j", "2", seconds=400, megabytes=4500)


# --- incompleteness, names that mean the same ---------------------------------------------------


@attack(
    "incomplete",
    "a file that cannot be parsed, a header that is missing",
    "--fail-on-incomplete and JSON agree, and say which",
)
def incomplete(place: Place) -> None:
    def agree(what: str, *arguments: str) -> None:
        done = place.check("--fail-on-incomplete", *arguments)
        must(done.incomplete, f"{what}: not in `incomplete`")
        must(done.code == 2, f"{what}: `incomplete` has {done.incomplete}, and the exit code is {done.code}")

    must(place.check("--fail-on-incomplete").code == 1, "a good tree is incomplete")
    path = place.write("broken.cc", "class A { void f( {{{ ) \n")
    agree("broken")
    path.unlink()
    place.write("typed.cc", '#include "missing/header.h"\nint x;\n')
    place.compiled("typed.cc")
    agree("a missing header", "--types", "auto")
    shown = place.ownlint("check", "--types", "auto", "--fail-on-incomplete")
    must("header" in shown.err, f"the message does not say which kind: {shown.err[-300:]}")


@attack("same meaning", "a known bug, rewritten in ways that mean the same", "it is found in each")
def rewritten(place: Place) -> None:
    cpp, python = GOOD_CPP, GOOD_PYTHON
    for number, text in enumerate((
        cpp.replace("\n", "\r\n"), cpp.replace("connected_", "up_"), cpp.replace(" = true", " /* so */ = /* it is */ (true)"), cpp.replace(") {\n", ")\n  {\n"),
        "int before;\n" + cpp + "int after;\n", cpp.replace("    connected_ = true;\n    RETURN", "    connected_ = true; RETURN"), cpp.replace("  bool connected_ = false;\n", "").replace(" public:", " bool connected_ = false;\n public:"),
    )):  # fmt: skip
        place.write(f"r{number}.cc", text)
    for number, text in enumerate((
        python.replace("\n", "\r\n"), python.replace("import Module", "import Module as M").replace(" Module.", " M."), python.replace("return Module", "return (Module").replace(".name", ".name)"),
        python.replace("from mlir.ir import Module", "import mlir.ir as ir").replace("Module.parse", "ir.Module.parse"), python.replace("    return", "    # so\n    return"),
    )):  # fmt: skip
        place.write(f"r{number}.py", text)
    done = place.finds_the_good()
    found = {path for path, _, rule in done.found if rule in ("flag-set-before-success", "child-outlives-owner")}
    wanted = {f"r{n}.cc" for n in range(7)} | {f"r{n}.py" for n in range(5)}
    must(wanted <= found, f"not found: {sorted(wanted - found)}")


# --- disks, streams, rights ---------------------------------------------------------------------


@attack(
    "faults",
    "a disk that is full: for the cache, a report, a baseline, a fix, standard output",
    "one line, and the old file stays",
    light=False,
)
def full_disk(place: Place) -> None:
    place.write("e.cc", MENDABLE.replace("\n", f"  // {'x' * 6_000}\n", 1))  # beside the fix: the diff is as long
    place.write("report.json", '{"version": 1}\n')
    limited = [sys.executable, "-c", "import signal, resource, os, sys; signal.signal(signal.SIGXFSZ, signal.SIG_IGN); resource.setrlimit(resource.RLIMIT_FSIZE, (4000, 4000)); os.execv(sys.argv[1], sys.argv[1:])", *COMMAND]  # fmt: skip
    before = place.tree()
    for arguments in (
        ("check", "-q"),
        ("check", "-q", "-o", "report.sarif", "--output-format", "sarif"),
        ("check", "-q", "--fix"),
        ("check", "-q", "--diff", "-o", "d.diff"),
    ):
        process = subprocess.Popen([*limited, *arguments, "--types", "never"], cwd=place.root, env=place.environment(), stdout=subprocess.PIPE, stderr=subprocess.PIPE, start_new_session=True)  # fmt: skip
        _, err = place.ended(process)
        must(
            process.returncode in (1, 2) and b"Traceback" not in err,
            f"{arguments}: {process.returncode} {err.decode()[-300:]}",
        )
    must(place.tree() == before, "something was half written")
    for arguments in (("check",), ("rules",), ("--help",), ("check", "--output-format", "sarif")):
        with Path("/dev/full").open("wb") as full:
            process = place.start(*arguments, stdout=full)
            _, err = place.ended(process)
        must(
            (process.returncode, err.decode().strip()) == (2, "error: No space left on device"),
            f"{arguments}: {process.returncode} {err!r}",
        )
    place.leaves_nothing()


@attack("faults", "a disk of 1 MB that fills up", "the findings come, what was there stays", light=False)
def small_disk(place: Place) -> None:
    if os.geteuid() != 0 or not shutil.which("unshare"):
        return
    folder = place.root / "disk"
    folder.mkdir()
    script = (
        f"mount -t tmpfs -o size=1m tmpfs {folder} 2>/dev/null || exit 0; cp {place.root}/good.* {folder}; head -c 1000000 /dev/zero > {folder}/zero;"
        f"cd {folder}; {' '.join(COMMAND)} check --types never --output-format json --cache-dir {folder}/cache; code=$?; cmp good.cc ../good.cc || exit 9; exit $code"
    )
    done = subprocess.run(
        ["unshare", "-m", "sh", "-c", script], capture_output=True, env=place.environment(), timeout=120
    )
    must(
        done.returncode in (0, 1) and b"Traceback" not in done.stderr,
        f"{done.returncode} {done.stderr.decode()[-400:]}",
    )


@attack(
    "faults",
    "a tree, a home and a folder for temporary files that cannot be written, or are not there",
    "found, or one line",
    light=False,
)
def nowhere_to_write(place: Place) -> None:
    from_capabilities = [sys.executable, "-c", "import ctypes, os, sys\np = ctypes.CDLL(None).prctl\np(24, 1, 0, 0, 0), p(24, 2, 0, 0, 0)\nos.execv(sys.argv[1], sys.argv[1:])", *COMMAND]  # fmt: skip
    place.root.chmod(0o555)
    place.home.chmod(0o555)
    done = place.ownlint("check", "--types", "never", "--output-format", "json", command=from_capabilities)
    must(done.found == GOOD and done.code == 1, f"read-only: {done.code} {done.err[-300:]}")
    place.root.chmod(0o755)
    for variables in ({"HOME": "/nowhere"}, {"HOME": ""}, {"XDG_CACHE_HOME": "/dev/null"}, {"HOME": "relative"}):
        place.finds_the_good(**variables)
    environment = place.environment()
    del environment["HOME"]
    process = place.start("check", "--types", "never", "--output-format", "json", env=environment)
    out, err = place.ended(process)
    must(process.returncode == 1 and b"good.cc" in out, f"no HOME: {process.returncode} {err.decode()[-300:]}")
    done = place.ownlint("check", "--types", "never", TMPDIR="/nowhere/at/all")
    must(done.code in (1, 2), f"no TMPDIR: {done.code} {done.err[-300:]}")


@attack(
    "faults",
    "standard input, output and errors that are closed",
    "no traceback, no report in a stranger's file",
    light=False,
)
def closed_streams(place: Place) -> None:
    for closed in ((0,), (1,), (2,), (0, 1, 2)):

        def close(which: tuple[int, ...] = closed) -> None:
            for number in which:
                os.close(number)

        process = place.start("check", "--types", "never", "-o", "r.json", "--output-format", "json", preexec_fn=close)
        _, err = place.ended(process)
        must(
            b"Traceback" not in err and process.returncode in (0, 1, 2),
            f"{closed}: {process.returncode} {err.decode()[-300:]}",
        )
        (place.root / "r.json").unlink(missing_ok=True)
    must((place.root / "good.cc").read_text() == GOOD_CPP, "a source was written into")
    place.leaves_nothing()


def _killed(place: Place, how: signal.Signals, times: int, rng: random.Random) -> None:
    place.write("report.json", '{"version": 1, "findings": []}\n')
    place.write("e.cc", MENDABLE)
    for number in range(4):
        place.write(f"big{number}.cc", _MANY)
    for number in range(times):
        more = ("--fix",) if number % 3 == 2 else ("-o", "report.json")
        process = place.start("check", "--types", "never", "--output-format", "json", "-j", "2", *more)
        time.sleep(rng.uniform(0.02, 2.0))
        process.send_signal(how)
        _, err = place.ended(process, 20)
        # Before the first line of `__main__.py` an interrupt is Python's own matter, and says where that came to.
        must(b"Traceback" not in err or b"__main__.py" not in err, err.decode()[-600:])
        must((place.root / "e.cc").read_text() in (MENDABLE, MENDED), "a file that is half written")
        with (place.root / "report.json").open() as stream:
            json.load(stream)
        if how != signal.SIGKILL:  # after which nobody can clean up
            place.leaves_nothing()
            must(not list(place.tmp.iterdir()), f"left in TMPDIR: {[path.name for path in place.tmp.iterdir()]}")
    place.check_all()
    shutil.rmtree(place.tmp)
    place.tmp.mkdir()
    place.finds_the_good(changes=True)


@attack(
    "faults",
    "kill -9, TERM and INT at any time",
    "no process, no half file, and the next run says the same",
    light=False,
)
def kills(place: Place) -> None:
    for number, how in enumerate((signal.SIGKILL, signal.SIGTERM, signal.SIGINT)):
        _killed(place, how, 3, random.Random(number))


@attack(
    "faults",
    "kill -9, TERM, INT and HUP at 60 times",
    "no process, no half file, and the next run says the same",
    light=False,
)
def many_kills(place: Place) -> None:
    for number, how in enumerate((signal.SIGKILL, signal.SIGTERM, signal.SIGINT, signal.SIGHUP)):
        _killed(place, how, 15, random.Random(100 + number))


@attack("faults", "modules of the tree with the names of those that are imported", "none is imported", light=False)
def modules_of_the_tree(place: Place) -> None:
    for name in "msgspec libcst clang tree_sitter tree_sitter_cpp rich click pathspec tomllib json re ownlint ownlint_rules sitecustomize usercustomize signal re2".split():  # fmt: skip # noqa: SIM905
        place.write(f"{name}.py", f"open({str(place.canary)!r}, 'w').close()\n{GOOD_PYTHON}")
    place.finds_the_good()
    script = Path(sys.executable).with_name("ownlint")
    if script.exists():
        place.ownlint("check", "--types", "never", command=[str(script)])


@attack(
    "faults",
    "a tree that changes while it is read: files come, go and become links and FIFOs",
    "no traceback, nothing waits",
    light=False,
)
def restless_tree(place: Place) -> None:
    stop = threading.Event()

    def restless() -> None:
        rng = random.Random(5)
        while not stop.is_set():
            path = place.root / f"r{rng.randrange(30)}.{rng.choice(('cc', 'py'))}"
            with contextlib.suppress(OSError):
                path.unlink(missing_ok=True)
                match rng.randrange(5):
                    case 0:
                        os.mkfifo(path)
                    case 1:
                        path.symlink_to(rng.choice(("/dev/zero", str(place.secret), "good.cc")))
                    case _:
                        path.write_text(rng.choice((GOOD_CPP, GOOD_PYTHON, "x" * rng.randrange(90_000))))
            time.sleep(0.001)

    thread = threading.Thread(target=restless)
    thread.start()
    try:
        for _ in range(4):
            done = place.check(seconds=60, changes=True)
            must(done.found >= GOOD, f"missing: {sorted(GOOD - done.found)}")
    finally:
        stop.set()
        thread.join()


def _same(one: Done, other: Done) -> bool:
    return (one.code, one.out) == (other.code, other.out)


@attack(
    "faults", "one tree at 1, 2 and 8 jobs, cold and warm, with other hash seeds", "the same to the byte", light=False
)
def same_to_the_byte(place: Place) -> None:
    for number in range(6):
        place.write(f"p/m{number}.py", GOOD_PYTHON)
        place.write(f"q/m{number}.cc", GOOD_CPP)
    first = place.finds_the_good("-j", "1", "--no-cache", PYTHONHASHSEED="0")
    for jobs, more, seed in (("2", (), "1"), ("8", (), "2"), ("8", ("--no-cache",), "3")):
        must(
            _same(first, place.finds_the_good("-j", jobs, *more, PYTHONHASHSEED=seed)),
            f"{jobs} jobs say something else",
        )
