"""Which arguments of a compile command reach the parser."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ownlint.sources.arguments import allowed


def passed(*arguments: str, inside: tuple[Path, ...] = ()) -> list[str]:
    return list(allowed(arguments, "/project/build", inside))


@pytest.mark.parametrize(
    ("written", "expected"),
    [
        ("-Iinc", ["-I/project/build/inc"]),
        ("-I inc", ["-I/project/build/inc"]),
        ("-I../src", ["-I/project/src"]),
        ("-isystem /usr/x", ["-isystem", "/usr/x"]),
        ("-isystem/usr/x", ["-isystem", "/usr/x"]),
        ("-iquote .", ["-iquote", "/project/build"]),
        ("-DA=1 -D B -UC", ["-DA=1", "-DB", "-UC"]),
        ("-std=gnu++20 -fno-exceptions -frtti -m64", ["-std=gnu++20", "-fno-exceptions", "-frtti", "-m64"]),
        ("-target arm64-apple-darwin", ["--target=arm64-apple-darwin"]),
        ("-x c++ a.h", ["-x", "c++"]),
        ("-xc++", ["-x", "c++"]),
        ("-nostdinc -nostdinc++", ["-nostdinc", "-nostdinc++"]),
        ("-fbracket-depth=1024", ["-fbracket-depth=1024"]),
    ],
)
def test_what_changes_the_meaning_passes_with_absolute_paths(written: str, expected: list[str]) -> None:
    assert passed(*written.split()) == expected


@pytest.mark.parametrize(
    "written",
    [
        "-MD -MT a.o -MF victim -o a.o -c a.cpp",
        "-MMD -MFvictim -MJ victim -MJvictim",
        "-fplugin=x.so -fpass-plugin=x.so -load x.so",
        "-Xclang -load -Xclang x.so",
        "-Xclang -header-include-file -Xclang victim -H",
        "-mllvm -load=x.so",
        "-gen-cdb-fragment-path victim",
        "--serialize-diagnostics victim",
        "-Wp,-MD,victim -Wl,-x -Wall -Werror",
        "--config evil.cfg --config=evil.cfg @evil.rsp",
        "-save-temps -ftime-trace=victim -fcrash-diagnostics-dir=victim",
        "-include-pch x.pch -ivfsoverlay x.yaml",
        "-O2 -g -fPIC -x assembler a.s",
        "-isysroot -Ifoo",
        "--target=$(x) -std=c++17;x",
    ],
)
def test_everything_else_is_dropped_with_its_value(written: str) -> None:
    assert passed(*written.split()) == []


@pytest.mark.parametrize("flag", ["-include", "-imacros"])
def test_a_file_is_forced_on_a_source_only_from_inside_the_project(flag: str, tmp_path: Path) -> None:
    inner, outer = tmp_path / "project", tmp_path / "secret.h"
    inner.mkdir()
    outer.touch()
    (inner / "all.h").touch()
    (inner / "link.h").symlink_to(outer)
    good, bad, link = str(inner / "all.h"), str(outer), str(inner / "link.h")
    assert passed(flag, good, flag, bad, flag, link, flag, "/etc/passwd", inside=(inner,)) == [flag, good]
    assert passed(f"{flag}{good}", f"{flag}{bad}", f"-{flag}={good}", inside=(inner,)) == [flag, good, flag, good]


@given(
    st.lists(
        st.sampled_from(["-MF", "-o", "-I", "-D", "x", "-include", "-x", "-Xclang", "-fplugin=x", "@r", "", "\0", "-"])
    )
)
def test_no_order_of_words_lets_a_forbidden_one_through(words: list[str]) -> None:
    kept = allowed(words, "/b", ())
    assert not any(word.startswith(("-M", "-o", "-f", "-Xclang", "-include", "@")) for word in kept)
    assert all("\0" not in word for word in kept)
