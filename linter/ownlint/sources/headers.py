"""Where the headers are that a compiler brings along.

The libclang distribution has none (`stddef.h` is not found on the first include), so they come from
something else on this machine. Files are looked at, nothing is executed and nothing imported.
"""

from __future__ import annotations

import importlib.util
import platform
import sys
from functools import lru_cache
from pathlib import Path

import msgspec

MAJORS = ("18", "19")
"""Versions whose builtin headers the parser of version 18 reads without an error; 22 gives twenty."""

_CLANG = (
    "usr/lib/*/lib/clang/{major}*",
    "usr/lib/clang/{major}*",
    "usr/lib64/clang/{major}*",
    "usr/lib64/*/lib/clang/{major}*",
    "usr/local/lib/clang/{major}*",
    "usr/local/*/lib/clang/{major}*",
    "opt/homebrew/opt/*/lib/clang/{major}*",
    "usr/local/opt/*/lib/clang/{major}*",
)

_ZIG_DEFINES = (
    "-D_LIBCPP_ABI_VERSION=1",
    "-D_LIBCPP_ABI_NAMESPACE=__1",
    "-D_LIBCPP_HAS_NO_VENDOR_AVAILABILITY_ANNOTATIONS",
    "-D_LIBCPP_HARDENING_MODE=_LIBCPP_HARDENING_MODE_NONE",
    "-D_LIBCPP_PSTL_CPU_BACKEND_SERIAL",
    "-D_LIBCXXABI_DISABLE_VISIBILITY_ANNOTATIONS",
    "-D__GLIBC_MINOR__=28",
)


class Headers(msgspec.Struct, frozen=True):
    """`arguments` make a parser find them. `source` is `clang 18`, `ziglang`, `ziglang, with its
    libc++`, `gcc` or empty; `notice` is a line for the user where something is missing."""

    arguments: tuple[str, ...] = ()
    source: str = ""
    notice: str = ""


@lru_cache(maxsize=8)
def find(filesystem: Path = Path("/"), zig: Path | None = None, own: Path | None = None) -> Headers:
    """Looks below `filesystem`; `zig` is where the `ziglang` package lies, found by itself otherwise. `own` is a folder
    of such headers that belongs to the parser, and goes before all others."""
    zig = zig or _package("ziglang")
    library = _standard_library(filesystem)
    if not library:
        if zig is not None and (zig / "lib/libcxx/include/vector").is_file():
            return _all_of_zig(zig / "lib")
        return Headers(notice="no C++ standard library is installed, see `ownlint doctor`")
    if own is not None:
        return Headers(("-resource-dir", str(own)), f"clang {own.name}")
    for major in MAJORS:
        for pattern in _CLANG:
            for folder in sorted(filesystem.glob(pattern.format(major=major)), reverse=True):
                if (folder / "include/stddef.h").is_file():
                    return Headers(("-resource-dir", str(folder)), f"clang {major}")
    if zig is not None and (zig / "lib/include/stddef.h").is_file():
        return Headers(("-resource-dir", str(zig / "lib")), "ziglang")
    found = sorted(filesystem.glob("usr/lib/gcc/*/*/include/stddef.h"), key=_version)
    if found:
        return Headers(("-idirafter", str(found[-1].parent)), "gcc")
    return Headers(notice="no compiler headers are installed, see `ownlint doctor`")


def _standard_library(filesystem: Path) -> bool:
    patterns = ("usr/include/c++/*/vector", "usr/lib/*/include/c++/v1/vector", "usr/include/c++/v1/vector")
    return sys.platform == "darwin" or any(any(filesystem.glob(pattern)) for pattern in patterns)


def _version(header: Path) -> tuple[int, ...]:
    name = header.parents[1].name
    return tuple(int(part) for part in name.split(".") if part.isdigit())


def _all_of_zig(lib: Path) -> Headers:
    """Builtin headers, libc++ and glibc's: enough without a single system header."""
    machine = "aarch64" if platform.machine() in ("aarch64", "arm64") else "x86_64"
    family = "aarch64" if machine == "aarch64" else "x86"
    folders = (
        "libcxx/include",
        "libcxxabi/include",
        "include",
        f"libc/include/{machine}-linux-gnu",
        "libc/include/generic-glibc",
        f"libc/include/{family}-linux-any",
        "libc/include/any-linux-any",
    )
    arguments = ["-nostdinc", "-nostdinc++", f"--target={machine}-linux-gnu", *_ZIG_DEFINES]
    for folder in folders:
        arguments += ["-isystem", str(lib / folder)]
    return Headers(tuple(arguments), "ziglang, with its libc++")


def _package(name: str) -> Path | None:
    """The folder of an installed package, without importing it."""
    try:
        spec = importlib.util.find_spec(name)
    except (ImportError, ValueError):
        return None
    if spec is None or spec.origin is None:
        return None
    return Path(spec.origin).parent
