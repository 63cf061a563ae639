"""Whatever stands under a name that is read: no run waits, takes all memory, or follows a link out of the tree, and
what must be read is not passed over in silence."""

from __future__ import annotations

import json
import os
import resource
import signal
import socket
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from tests import starting

MOST_SECONDS = 120
MOST_BYTES = 6 << 30
LARGE = 200_000_000
MANY = 200_000
"""Bytes of what is written out: what grows with their square would take minutes."""

GUILTY = """\
#include <pybind11/pybind11.h>
#include "odd.h"
struct Part {};
struct Engine { Part& part() { return p; } Part p; };
PYBIND11_MODULE(m, mod) {
  pybind11::class_<Part>(mod, "Part");
  pybind11::class_<Engine>(mod, "Engine").def("part", &Engine::part, pybind11::return_value_policy::reference);
}
"""


def _sock(path: Path) -> None:
    here = Path.cwd()
    os.chdir(path.parent)  # the name of a socket must be short
    try:
        with socket.socket(socket.AF_UNIX) as made:
            made.bind(path.name)
    finally:
        os.chdir(here)


def _sparse(path: Path) -> None:
    with path.open("wb") as stream:
        stream.truncate(LARGE)


def _outside(path: Path) -> None:
    """The text is none that any of them could be."""
    secret = path.parents[1] / "outside" / "secret"
    secret.parent.mkdir(exist_ok=True)
    secret.write_text("ghp_Secret = [[[\n")
    path.symlink_to(secret)


def _unreadable(path: Path) -> None:
    if os.geteuid() == 0:
        pytest.skip("root may read everything")
    path.write_text("")
    path.chmod(0)


ODD: dict[str, Callable[[Path], object]] = {
    "fifo": os.mkfifo,
    "endless device": lambda path: path.symlink_to("/dev/zero"),
    "socket": _sock,
    "folder": lambda path: path.mkdir(),
    "link out of the tree": _outside,
    "200 MB": _sparse,
    "dangling link": lambda path: path.symlink_to("nowhere"),
    "link to itself": lambda path: path.symlink_to(path.name),
    "unreadable": _unreadable,
    "NUL": lambda path: path.write_bytes(bytes(MANY)),
    "one character": lambda path: path.write_bytes(b"a" * MANY),
    "brackets": lambda path: path.write_bytes(b"x=" + b"[" * MANY),
    "parts of a key": lambda path: path.write_bytes(b"a." * (MANY // 2) + b"a = 1"),
    "commands that do not end": lambda path: path.write_bytes(b"FetchContent_Declare(x " * (MANY // 23)),
    "quotes": lambda path: path.write_bytes(b'"a' * (MANY // 2)),
    "headers": lambda path: path.write_bytes(b'x = """\n' + b"[ " * (MANY // 2) + b'\n"""\nzzz = 1\n'),
    "blank lines": lambda path: path.write_bytes(b'{"version":1,"findings":[1,' + b"\n" * MANY + b"]}"),
}


@pytest.fixture
def project(tmp_path: Path) -> Path:
    root = tmp_path / "project"
    root.mkdir()
    (root / "a.cc").write_text(GUILTY)
    (root / "b.py").write_text("import ctypes\n")
    return root


def ownlint(root: Path, *arguments: str, **variables: str) -> subprocess.CompletedProcess[str]:
    names = ("NO_COLOR", "FORCE_COLOR", "GITHUB_WORKSPACE", "OWNLINT_CACHE_DIR", "VIRTUAL_ENV", "CONDA_PREFIX")
    env = {name: value for name, value in os.environ.items() if name not in names} | variables
    return starting.text(*arguments, cwd=root, env=env, timeout=MOST_SECONDS, memory=MOST_BYTES)


FOUND = (
    *("setup.cfg", "setup.py", "CMakeLists.txt", "sub/CMakeLists.txt", "cmake/x.cmake", "meson.build", ".bazelrc"),
    *("SConstruct", "requirements.txt", "dev-requirements.txt", ".gitignore", "stub.pyi", "odd.h", "odd.cc", "odd.py"),
    *("compile_commands.json", "build/compile_commands.json", ".ownlint_cache/CACHEDIR.TAG"),
    *("env/lib/python3.11/site-packages/odd.own.toml", "env/lib/python3.11/site-packages/odd.egg-info"),
    *("env/lib/python3.11/site-packages/pkg/pkg.own.toml", "env/lib/python3.11/site-packages/pkg/stub.pyi"),
    *("env/lib/python3.11/site-packages/x-1.dist-info/entry_points.txt",),
)
"""What is merely found, and left out where it cannot be read."""


@pytest.mark.parametrize("odd", ODD)
def test_what_is_merely_found_is_left_out(project: Path, odd: str) -> None:
    (project / "env/lib/python3.11/site-packages/pkg").mkdir(parents=True)
    for name in FOUND:
        path = project / name
        path.parent.mkdir(parents=True, exist_ok=True)
        if odd == "link out of the tree":
            path.symlink_to(os.path.relpath(_secret_of(project), path.parent))
        elif odd == "200 MB" and name in ("odd.h", "odd.cc", "odd.py"):
            continue  # sources have a limit of their own; their digests are tried in tests/facts
        else:
            ODD[odd](path)
    for _ in range(2):  # cold and warm
        done = ownlint(project, "check", "--output-format", "json", "a.cc", VIRTUAL_ENV=str(project / "env"))
        assert done.returncode == 1, done.stderr
        assert [finding["rule"] for finding in json.loads(done.stdout)["findings"]] == ["borrow-without-keep-alive"]
        assert "Traceback" not in done.stderr
        assert "ghp_Secret" not in done.stdout + done.stderr


def _secret_of(project: Path) -> Path:
    secret = project.parent / "secret"
    secret.write_text("ghp_Secret = [[[\n")
    return secret


REQUIRED: dict[str, tuple[str, str, tuple[str, ...]]] = {
    "settings": ("ownlint.toml", "", ("check",)),
    "other settings": ("pyproject.toml", "", ("check",)),
    "--config": ("odd.toml", "", ("check", "--config", "odd.toml")),
    "model": ("odd.toml", 'models = ["odd.toml"]', ("check",)),
    "model in a folder": ("models/odd.toml", 'models = ["models"]', ("check",)),
    "contract": ("odd.own.toml", 'models = ["odd.own.toml"]', ("check",)),
    "contract to check": ("odd.own.toml", "", ("model", "check", "odd.own.toml")),
    "contract to show": ("odd.own.toml", "", ("model", "show", "odd.own.toml")),
    "baseline": ("ownlint-baseline.json", "", ("baseline", "show")),
    "baseline of the settings": ("odd.json", 'baseline = "odd.json"', ("check", "--types", "never")),
    "compile database": ("odd.json", "", ("check", "-p", "odd.json")),
    "compile database of the settings": ("odd.json", 'build-path = "odd.json"', ("check",)),
}
"""File, settings and command of what must be read."""


@pytest.fixture
def _guarded() -> Iterator[None]:
    """In this process, for there are many; what would hang or eat the memory is ended."""

    def late(number: int, frame: object) -> None:
        raise TimeoutError

    before, limits = signal.signal(signal.SIGALRM, late), resource.getrlimit(resource.RLIMIT_AS)
    signal.alarm(MOST_SECONDS)
    resource.setrlimit(resource.RLIMIT_AS, (MOST_BYTES, limits[1]))
    yield
    signal.alarm(0)
    signal.signal(signal.SIGALRM, before)
    resource.setrlimit(resource.RLIMIT_AS, limits)


@pytest.mark.usefixtures("_guarded")
@pytest.mark.parametrize("odd", ODD)
@pytest.mark.parametrize("kind", REQUIRED)
def test_what_must_be_read_is_refused_in_one_line(
    project: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str], kind: str, odd: str
) -> None:
    from ownlint.cli.main import main

    name, settings, arguments = REQUIRED[kind]
    monkeypatch.chdir(project)
    path = project / name
    path.parent.mkdir(exist_ok=True)
    if settings:
        Path("ownlint.toml").write_text(settings)
    if odd == "link out of the tree":
        path.symlink_to(_secret_of(project))
    else:
        ODD[odd](path)
    monkeypatch.setattr(sys, "argv", ["ownlint", *arguments])
    with pytest.raises(SystemExit) as end:
        main()
    said = capfd.readouterr()
    if said.err.startswith("error: "):
        assert (end.value.code, said.err.count("\n"), len(said.err) < 1000) == (2, 1, True)
        assert name.partition("/")[0] in said.err or kind in ("--config", "compile database")  # named by where it leads
    else:
        assert name == "pyproject.toml" or odd == "folder"  # which has no models, and no table of ours
        assert end.value.code == 1
    assert "ghp_Secret" not in said.out + said.err
    assert "Traceback" not in said.err


def test_a_pyproject_that_says_nothing_about_us_may_hold_anything(project: Path) -> None:
    (project / "pyproject.toml").write_text("x = [[[\n")
    assert ownlint(project, "check", "--types", "never").returncode == 1


def test_settings_may_be_linked_within_the_tree_and_named_ones_anywhere(project: Path) -> None:
    (project / ".git").mkdir()
    (project / "sub").mkdir()
    (project / "shared.toml").write_text("[tool.ownlint]\nselect = ['unknown-one']\n")
    (project / "sub" / "pyproject.toml").symlink_to("../shared.toml")
    (project / "sub" / "a.cc").write_text(GUILTY)
    assert "unknown rule `unknown-one`" in ownlint(project / "sub", "check").stderr
    (project.parent / "far.toml").write_text("select = ['unknown-two']\n")
    (project / "far.toml").symlink_to(project.parent / "far.toml")
    assert "unknown rule `unknown-two`" in ownlint(project, "check", "--config", "far.toml").stderr


def test_links_that_go_round_are_walked_once(project: Path) -> None:
    (project / "loop").symlink_to(".")
    (project / "sub").mkdir()
    (project / "sub" / "up").symlink_to("..")
    (project / "sub" / "b.cc").write_text(GUILTY.replace("m, mod", "n, mod"))
    done = ownlint(project, "check", "--types", "never", "--output-format", "json")
    assert [finding["path"] for finding in json.loads(done.stdout)["findings"]] == ["a.cc", "sub/b.cc"]
