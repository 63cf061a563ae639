"""Compile databases are found, read with care, and lent; without one, arguments are inferred."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import NamedTuple

import pytest

from ownlint.sources import headers
from ownlint.sources.compilation import Command, Compilation, CompilationError
from ownlint.sources.headers import Headers


class Source(NamedTuple):
    path: Path


@pytest.fixture(autouse=True)
def _headers(monkeypatch: pytest.MonkeyPatch) -> None:
    """The same on every machine."""
    monkeypatch.setattr(headers, "find", lambda **given: Headers(("-resource-dir", "/r"), "a test"))


def write(path: Path, content: str | object = "") -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(content if isinstance(content, str) else json.dumps(content, indent=1))
    return path


def database(folder: Path, *commands: tuple[str, str]) -> Path:
    entries = [{"directory": str(folder), "file": file, "command": f"c++ {rest} -c {file}"} for file, rest in commands]
    return write(folder / "compile_commands.json", entries)


def arguments(found: Command | None) -> list[str]:
    assert found is not None
    assert found.arguments[-2:] == ("-resource-dir", "/r")
    return list(found.arguments[:-2])


def project(found: Command | None) -> list[str]:
    """Without what this machine has installed."""
    words = arguments(found)
    return words[: words.index("-isystem")] if "-isystem" in words else words


# --- found --------------------------------------------------------------------------------------


@pytest.mark.parametrize("place", [".", "..", "build", "out", "builddir", "cmake-build-debug", "build/cp311"])
def test_a_database_is_found_where_build_systems_leave_it(tmp_path: Path, place: str) -> None:
    root = tmp_path / "project"
    write(root / "a.cc")
    folder = (root / place).resolve()
    folder.mkdir(parents=True, exist_ok=True)
    database(folder, (str(root / "a.cc"), "-DX"))
    compilation = Compilation.find(root, None, [])
    assert compilation.notice == ""
    assert compilation.command(Source(root / "a.cc")) == Command(
        ("-DX", "-resource-dir", "/r"), str(folder), False, str(root)
    )


def test_the_newest_of_several_is_taken_and_named(tmp_path: Path) -> None:
    for number, name in enumerate(["out", "build", "builddir"]):
        path = database(tmp_path / name, (str(tmp_path / "a.cc"), f"-D{name}"))
        os.utime(path, (1000 + number % 2, 1000 + number % 2))
    compilation = Compilation.find(tmp_path, None, [])
    assert compilation.notice == "using build/compile_commands.json, the newest of 3 compile databases"
    assert arguments(compilation.command(Source(tmp_path / "a.cc"))) == ["-Dbuild"]


def test_a_broken_one_we_came_across_is_a_notice(tmp_path: Path) -> None:
    write(tmp_path / "build/compile_commands.json", '[\n{"file": "a.cc",}\n]')
    compilation = Compilation.find(tmp_path, None, [])
    assert compilation.notice.startswith("build/compile_commands.json:2: not a compile database: ")
    assert compilation.notice.endswith("; ignored")
    assert "\n" not in compilation.notice
    assert compilation.command(Source(write(tmp_path / "a.cc"))) is not None


@pytest.mark.parametrize(
    ("content", "line"),
    [
        ("", 1),
        ("[\n{},\n\n{}]", 2),
        ('[{"file": "a"},\n{"file": 3}]', 2),
        ('[{"file": "a"},\n\n{"file": "b", "arguments": "c++"}]', 3),
        ('{"a": 1}', 1),
        ("[" * 100_000, None),
        ('[\n{"file": "a"\n', 3),
    ],
)
def test_a_broken_one_somebody_named_is_an_error_with_its_line(tmp_path: Path, content: str, line: int | None) -> None:
    path = write(tmp_path / "b/compile_commands.json", content)
    for given in (path, path.parent, Path("b")):
        with pytest.raises(CompilationError) as caught:
            Compilation.find(tmp_path, given, [])
        assert caught.value.path == path
        assert line is None or caught.value.line == line
        assert str(caught.value).startswith(f"{path}:")
        assert "\n" not in str(caught.value)


def test_one_that_is_not_there_or_no_file_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(CompilationError, match="no such compile database"):
        Compilation.find(tmp_path, tmp_path / "nowhere", [])
    os.mkfifo(tmp_path / "fifo")
    with pytest.raises(CompilationError, match="not a regular file"):
        Compilation.find(tmp_path, tmp_path / "fifo", [])


# --- read ---------------------------------------------------------------------------------------


def test_both_spellings_of_a_command_are_read(tmp_path: Path) -> None:
    entries = [
        {
            "directory": str(tmp_path),
            "file": "a.cc",
            "command": "c++ -D'A=\"x y\"' -Iinc @more.rsp -MD -MF a.d -c a.cc",
        },
        {"directory": "sub", "file": "b.cc", "arguments": ["c++", "-DA=x y", "-Iinc"], "output": "b.o"},
        {"directory": str(tmp_path), "file": "bad.cc", "command": "c++ 'open"},
    ]
    write(tmp_path / "more.rsp", "-DEVIL")
    write(tmp_path / "compile_commands.json", entries)
    compilation = Compilation.find(tmp_path, None, [])
    assert arguments(compilation.command(Source(tmp_path / "a.cc"))) == ['-DA="x y"', f"-I{tmp_path}/inc"]
    assert arguments(compilation.command(Source(tmp_path / "sub/b.cc"))) == ["-DA=x y", f"-I{tmp_path}/sub/inc"]
    bad = compilation.command(Source(tmp_path / "bad.cc"))
    assert bad is not None
    assert bad.inferred


def test_a_header_borrows_from_the_source_of_its_name_or_from_its_neighbour(tmp_path: Path) -> None:
    names = [("a/x.cc", "-DAX"), ("b/x.cc", "-DBX"), ("b/y.cc", "-DBY"), ("b/c.c", "-DC")]
    database(tmp_path, *names)
    compilation = Compilation.find(tmp_path, None, [])

    def lent(name: str) -> list[str]:
        command = compilation.command(Source(tmp_path / name))
        assert command is not None
        assert command.inferred
        return arguments(command)

    assert lent("b/x.h") == ["-x", "c++", "-DBX"]
    assert lent("a/x.hpp") == ["-x", "c++", "-DAX"]
    assert lent("b/new.cc") == ["-DBX"]
    assert lent("b/deep/er/y.h") == ["-x", "c++", "-DBY"]
    assert lent("elsewhere/z.h") == ["-x", "c++", "-DAX"]


def test_c_borrows_from_c_or_what_is_not_about_the_language(tmp_path: Path) -> None:
    database(tmp_path / "mixed", ("a/x.cc", "-DCXX -std=c++17"), ("b/y.c", "-DC -std=c11"))
    database(tmp_path / "cxx", ("x.cc", "-x c++ -DCXX -std=gnu++17"), ("as_cxx.c", "-DOWN -std=c++20"))

    def lent(folder: str, name: str) -> list[str]:
        return arguments(Compilation.find(tmp_path / folder, None, []).command(Source(tmp_path / folder / name)))

    assert lent("mixed", "b/new.c") == ["-DC", "-std=c11"]
    assert lent("mixed", "b/new.cc") == ["-DCXX", "-std=c++17"]
    assert lent("cxx", "as_cxx.c") == ["-x", "c++", "-DOWN", "-std=c++20"]
    database(tmp_path / "cxx", ("x.cc", "-x c++ -DCXX -std=gnu++17"))
    assert lent("cxx", "new.c") == ["-DCXX"]


# --- inferred ------------------------------------------------------------------------------------


def inferred(root: Path, name: str) -> list[str]:
    sources = [Source(path) for path in sorted(root.rglob("*")) if path.is_file()]
    return project(Compilation.find(root, None, sources).command(Source(root / name)))


def test_include_roots_follow_from_the_includes_themselves(tmp_path: Path) -> None:
    write(tmp_path / "lib/core/a/b/c.h", '#include "other/d.h"\n')
    write(tmp_path / "third/party/other/d.h")
    write(tmp_path / "lib/bind/m.cc", '#include "a/b/c.h"\n#include "near.h"\n')
    write(tmp_path / "lib/bind/near.h")
    assert inferred(tmp_path, "lib/bind/m.cc") == [
        "-std=c++17",
        f"-I{tmp_path}/lib/core",
        f"-I{tmp_path}/third/party",
    ]


def test_a_folder_that_would_hide_a_system_header_comes_last(tmp_path: Path) -> None:
    write(tmp_path / "util/time.h")
    write(tmp_path / "util/x/y.h")
    write(tmp_path / "m.cc", '#include "x/y.h"\n#include <time.h>\n')
    folder = str(tmp_path / "util")
    assert inferred(tmp_path, "m.cc") == ["-std=c++17", "-iquote", folder, "-idirafter", folder]


def test_headers_of_an_installed_package_are_found_when_they_are_asked_for(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    site = tmp_path / "environment/lib/python3.11/site-packages"
    for name in ("frame", "silent"):
        write(site / name / "__init__.py")
        write(site / name / f"include/{name}/{name}.h")
        write(site / name / "ext/map/include/map.h")
    monkeypatch.setenv("VIRTUAL_ENV", str(tmp_path / "environment"))
    root = tmp_path / "project"
    write(root / "a.cc", "#include <frame/frame.h>\n#include <silent/other.h>\n")
    write(root / "b.cc", "#include <vector>\n")
    wanted = [f"{site}/frame/include", f"{site}/frame/ext/map/include"]
    compilation = Compilation.find(root, None, [Source(root / "a.cc"), Source(root / "b.cc")])
    for name in ("a.cc", "b.cc"):
        words = arguments(compilation.command(Source(root / name)))
        assert [word for word in words if word.startswith(str(site))] == wanted


def test_the_standard_is_the_newest_the_build_files_speak_of(tmp_path: Path) -> None:
    write(tmp_path / "CMakeLists.txt", "set(CMAKE_CXX_STANDARD 20)\n")
    write(tmp_path / "pyproject.toml", 'cpp_std=c++17, older: "-std=c++14"\n')
    write(tmp_path / "m.cc")
    assert inferred(tmp_path, "m.cc") == ["-std=c++20"]


def test_c_has_no_standard_of_cxx(tmp_path: Path) -> None:
    write(tmp_path / "a.c")
    assert inferred(tmp_path, "a.c") == []


def test_without_any_headers_nothing_can_be_typed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(headers, "find", lambda **given: Headers(notice="no headers"))
    compilation = Compilation.find(tmp_path, None, [])
    assert compilation.notice == "no headers"
    assert compilation.command(Source(tmp_path / "a.cc")) is None
