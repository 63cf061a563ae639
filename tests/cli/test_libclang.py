"""`OWNLINT_LIBCLANG`: another libclang, which the user alone can name."""

from __future__ import annotations

import importlib.util
import json
import os
import shutil
import subprocess
from pathlib import Path

import pytest
from tests import starting

from ownlint.facts.base import LIBCLANG
from ownlint.sources import libclang


def ownlint(where: Path, *arguments: str, library: Path | str = "") -> subprocess.CompletedProcess[str]:
    kept = {name: value for name, value in os.environ.items() if not name.startswith("OWNLINT_")}
    return starting.text(*arguments, cwd=where, env={**kept, LIBCLANG: str(library)})


@pytest.fixture
def project(tmp_path: Path) -> Path:
    folder = tmp_path / "project"
    folder.mkdir()
    (folder / "ownlint.toml").write_text("")
    (folder / "a.cc").write_text("int* made() { return new int; }\n")
    return folder


@pytest.fixture
def copied(tmp_path: Path) -> Path:
    spec = importlib.util.find_spec("clang")
    assert spec is not None
    assert spec.submodule_search_locations is not None
    (installed,) = Path(spec.submodule_search_locations[0]).glob("native/*clang.*")
    return Path(shutil.copy(installed, tmp_path / "libclang-other.so.1"))


@pytest.fixture
def no_libclang() -> Path:
    """A shared library of another kind: it is loaded, and lacks every function."""
    import _ctypes

    return Path(_ctypes.__file__)


def types(done: subprocess.CompletedProcess[str]) -> dict[str, str]:
    (part,) = (part for part in json.loads(done.stdout) if part["name"] == "C++ with types")
    return part


def test_it_reads_cpp(project: Path, copied: Path) -> None:
    done = ownlint(project, "doctor", "--output-format", "json", library=copied)
    assert types(done)["found"] == f"{copied}, from {LIBCLANG}"
    assert done.returncode == 0
    done = ownlint(project, "check", "--types", "always", "--output-format", "json", library=copied)
    assert (json.loads(done.stdout)["incomplete"], json.loads(done.stdout)["notices"]) == ([], [])


def test_what_is_no_libclang_costs_the_types_and_is_told(project: Path, copied: Path, no_libclang: Path) -> None:
    """And what one library read is not taken from the cache for another."""
    check = ("check", "--types", "always", "--output-format", "json")
    for _ in range(2):
        assert json.loads(ownlint(project, *check, library=copied).stdout)["incomplete"] == []
        done = ownlint(project, *check, library=no_libclang)
        (incomplete,) = json.loads(done.stdout)["incomplete"]
        assert incomplete["kind"] == "types"
        assert incomplete["reason"].startswith(
            f"libclang cannot be loaded: {no_libclang} is not libclang, or is too old: "
        )
    doctor = ownlint(project, "doctor", "--output-format", "json", library=no_libclang)
    assert doctor.returncode == 1
    assert types(doctor)["state"] == "missing"
    assert types(doctor)["remedy"] == f"unset {LIBCLANG}, or name a libclang of version 18 or later"


def test_a_path_that_cannot_be_is_refused_in_one_line(project: Path, copied: Path) -> None:
    shutil.copy(copied, project / "libclang.so")
    for library, told in {
        "libclang.so": "`libclang.so` is not an absolute path",
        "./libclang.so": "`./libclang.so` is not an absolute path",
        "/none/libclang.so": "/none/libclang.so: no such file",
        str(project): f"{project}: is a folder",
    }.items():
        for command in ("check", "doctor"):
            done = ownlint(project, command, library=library)
            assert (done.returncode, done.stdout) == (2, "")
            assert done.stderr == f"error: {LIBCLANG}: {told}\n"


@pytest.mark.parametrize("name", ["libclang", "libclang-path", "clang"])
def test_no_settings_can_name_it(project: Path, copied: Path, name: str) -> None:
    (project / "ownlint.toml").write_text(f'{name} = "{copied}"\n')
    done = ownlint(project, "check")
    assert done.returncode == 2
    assert f"unknown key `{name}`" in done.stderr


def test_its_own_headers_go_first(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """As Debian installs them: a link in `lib/llvm-21/lib`, beside which `clang/21` lies."""
    library, linked = tmp_path / "x86/libclang-21.so.21", tmp_path / "llvm-21/lib/libclang.so.1"
    for path in (library, tmp_path / "llvm-21/lib/clang/21/include/stddef.h"):
        path.parent.mkdir(parents=True)
        path.write_text("")
    linked.symlink_to(library)
    monkeypatch.setenv(LIBCLANG, str(linked))
    assert libclang.own_headers() == tmp_path / "llvm-21/lib/clang/21"
    monkeypatch.setenv(LIBCLANG, str(library))
    assert libclang.own_headers() is None
    monkeypatch.delenv(LIBCLANG)
    assert (libclang.named(), libclang.own_headers()) == (None, None)
