"""Which of the installed compilers lends its headers."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from ownlint.sources.headers import find

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="the folders are those of Linux")


def touch(root: Path, *names: str) -> Path:
    for name in names:
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).touch()
    return root


LIBRARY = "usr/include/c++/12/vector"
GCC = "usr/lib/gcc/x86_64-linux-gnu/12/include/stddef.h"


def test_a_clang_of_a_near_version_comes_first(tmp_path: Path) -> None:
    names = [f"usr/lib/llvm-{major}/lib/clang/{major}/include/stddef.h" for major in (14, 18, 19, 22)]
    found = find(touch(tmp_path, LIBRARY, GCC, *names), tmp_path / "none")
    assert found.source == "clang 18"
    assert found.arguments == ("-resource-dir", str(tmp_path / "usr/lib/llvm-18/lib/clang/18"))
    assert found.notice == ""


def test_then_the_wheel_of_zig_then_gcc(tmp_path: Path) -> None:
    zig = touch(tmp_path / "ziglang", "lib/include/stddef.h")
    root = touch(tmp_path / "system", LIBRARY, GCC, GCC.replace("/12/", "/9/"))
    assert find(root, zig).arguments == ("-resource-dir", str(zig / "lib"))
    found = find(root, tmp_path / "none")
    assert (found.source, found.arguments) == ("gcc", ("-idirafter", str((root / GCC).parent)))


def test_zig_brings_everything_where_no_standard_library_is(tmp_path: Path) -> None:
    zig = touch(tmp_path / "ziglang", "lib/include/stddef.h", "lib/libcxx/include/vector")
    found = find(tmp_path / "empty", zig)
    assert found.arguments[:2] == ("-nostdinc", "-nostdinc++")
    assert str(zig / "lib/libcxx/include") in found.arguments


def test_nothing_at_all_is_one_line(tmp_path: Path) -> None:
    for root in (tmp_path / "empty", touch(tmp_path / "library", LIBRARY)):
        found = find(root, tmp_path / "none")
        assert found.arguments == ()
        assert "see `ownlint doctor`" in found.notice
        assert "\n" not in found.notice
