"""Builds the extensions of the oracle: `python oracle_extensions.py PLACE`, with Python, pip and a C++ compiler alone.

What is in PLACE already is kept. Nothing is built, and a line says why, where there is no compiler or no framework.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import sysconfig
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import NamedTuple

HERE = Path(__file__).parent


class Setup(NamedTuple):
    name: str
    requirement: str
    source: str


SETUPS = (
    Setup("pybind11-2", "pybind11==2.13.6", "with_pybind11"),
    Setup("pybind11-3", "pybind11>=3.0.2,<4", "with_pybind11"),
    Setup("nanobind", "nanobind>=2.9", "with_nanobind"),
)


class CannotBuildError(Exception):
    """The text says what is missing here."""


def build_all(place: Path) -> dict[str, Path]:
    """Setup -> the folder of its extension. Raises `CannotBuildError`, and `AssertionError` with what the compiler
    says."""
    compiler = shutil.which(os.environ.get("CXX", "g++")) or shutil.which("clang++")
    if compiler is None:
        raise CannotBuildError("there is no C++ compiler")
    install("numpy", shared(place))
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        folders = list(pool.map(lambda setup: build(setup, place / setup.name, compiler), SETUPS))
    return {setup.name: folder for setup, folder in zip(SETUPS, folders, strict=True)}


def shared(place: Path) -> Path:
    """Where the packages are that all extensions use."""
    return place / "packages"


def install(requirement: str, packages: Path) -> None:
    command = [sys.executable, "-m", "pip", "install", "-q", "--target", str(packages), requirement]
    if not packages.exists() and subprocess.run(command, capture_output=True).returncode:
        raise CannotBuildError(f"{requirement} cannot be installed here")


def build(setup: Setup, place: Path, compiler: str) -> Path:
    library = place / f"{setup.source}.so"
    made_of = (HERE / "objects.h", HERE / f"{setup.source}.cc")
    if library.exists() and library.stat().st_mtime > max(path.stat().st_mtime for path in made_of):
        return place
    packages = place / "packages"
    install(setup.requirement, packages)
    framework = re.split(r"\W", setup.requirement)[0]
    home = packages / framework
    sources = [str(HERE / f"{setup.source}.cc"), *map(str, home.glob("src/nb_combined.cpp"))]
    includes = [sysconfig.get_path("include"), home / "include", home / "ext" / "robin_map" / "include"]
    flags = ["-std=c++17", "-O0", "-shared", "-fPIC", "-fvisibility=hidden", "-w"]
    flags += ["-DPYBIND11_ASSERT_GIL_HELD_INCREF_DECREF", *(f"-I{each}" for each in includes)]
    if sys.platform == "darwin":
        flags += ["-undefined", "dynamic_lookup"]
    made = subprocess.run([compiler, *flags, *sources, "-o", str(library)], capture_output=True, text=True)
    assert made.returncode == 0, made.stderr
    return place


if __name__ == "__main__":
    try:
        build_all(Path(sys.argv[1]))
    except CannotBuildError as error:
        print(error)
