"""Which arguments of a compile command reach the parser: an allow-list.

A compile command is input like any other. `-MD -MF file`, in every command that meson or CMake writes,
makes libclang overwrite that file; `-include /etc/passwd` shows it in the messages. What is not
known to be harmless is dropped, and so is what only matters to code generation.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Sequence
from pathlib import Path

_FOLDERS = ("-isystem", "-iquote", "-idirafter", "-I")
_FILES = ("-include", "-imacros")
_DEFINES = ("-D", "-U")

_HARMLESS = re.compile(
    r"-std=[\w+:]+"
    r"|-stdlib=lib(std)?c\+\+"
    r"|-f(no-)?(cxx-)?exceptions|-f(no-)?(rtti|char8_t|signed-char|unsigned-char|short-enums|short-wchar"
    r"|ms-extensions|ms-compatibility|declspec|delayed-template-parsing|sized-deallocation|aligned-allocation"
    r"|aligned-new|coroutines|openmp|permissive|gnu-keywords|operator-names|threadsafe-statics|builtin"
    r"|relaxed-template-template-args|gnu89-inline|hosted|freestanding|modules-ts|blocks|concepts)"
    r"|-f(bracket-depth|template-depth|constexpr-depth|constexpr-steps)=\d+"
    r"|-m32|-m64|-pthread"
    r"|--target=[\w.+-]+"
    r"|-nostdinc(\+\+)?|-nostdlibinc"
)
_LANGUAGES = ("c", "c++", "c-header", "c++-header")

# fmt: off
_WITH_VALUE = frozenset((
    "-o", "-MF", "-MT", "-MQ", "-MJ", "-Xclang",
    "-Xpreprocessor", "-Xlinker", "-Xassembler", "-Xcompiler", "-mllvm", "-arch",
    "-framework", "-load", "-T", "-u", "-z", "-e",
    "-L", "-l", "-B", "-gen-cdb-fragment-path", "-serialize-diagnostics", "--serialize-diagnostics",
    "-dependency-file", "-dependency-dot", "-header-include-file", "-isysroot", "--sysroot", "-iprefix",
    "-iwithprefix", "-include-pch", "-ivfsoverlay", "--config", "-F", "-A",
))
# fmt: on
"""Dropped together with the word behind them."""

_SYSTEM = ("/usr/include", "/usr/lib", "/usr/local/include", "/usr/local/lib", "/opt")


def allowed(arguments: Sequence[str], directory: str, inside: Iterable[Path]) -> tuple[str, ...]:
    """The arguments (without the compiler) that may pass, their paths absolute. A file that is
    forced on the source must lie in one of the folders `inside`, or among the system's headers."""
    homes = tuple(os.path.realpath(home) for home in (*map(str, inside), *_SYSTEM))
    kept: list[str] = []
    rest = iter(argument for argument in arguments if "\0" not in argument)
    for argument in rest:
        if argument in _WITH_VALUE:
            next(rest, None)
        elif argument == "-target":
            kept += _checked(f"--target={next(rest, '')}")
        elif argument == "-x" or (argument.startswith("-x") and argument[2:] in _LANGUAGES):
            language = argument[2:] or next(rest, "")
            kept += ["-x", language] if language in _LANGUAGES else []
        elif (flag := _flag(argument, _DEFINES)) is not None:
            value = argument[2:] or next(rest, "")
            kept += [flag + value] if value else []
        elif (flag := _flag(argument, _FILES)) is not None:
            path = _absolute(_value(argument, flag) or next(rest, ""), directory)
            kept += [flag, path] if _contained(path, homes) else []
        elif (flag := _flag(argument, _FOLDERS)) is not None:
            value = _value(argument, flag) or next(rest, "")
            path = _absolute(value, directory)
            kept += [] if not value else [f"-I{path}"] if flag == "-I" else [flag, path]
        else:
            kept += _checked(argument)
    return tuple(kept)


_PIECE = re.compile(r"""[^ \t\r\n'"\\]++|\\.|'[^']*+'|"[^"\\]*+(?:\\.[^"\\]*+)*"|[ \t\r\n]++""", re.DOTALL)
_ESCAPED = re.compile(r"""\\(["\\])""")


def split(command: str) -> list[str]:
    """The words of a command as a POSIX shell splits them, `shlex.split` says the same and takes time that grows with
    the square of a word's length. Raises `ValueError` for a quotation that does not end."""
    words: list[str] = []
    parts: list[str] = []
    at = 0
    while at < len(command):
        piece = _PIECE.match(command, at)
        if piece is None:
            raise ValueError("unterminated quotation")
        at = piece.end()
        match piece[0][0]:
            case "'":
                parts.append(piece[0][1:-1])
            case '"':
                parts.append(_ESCAPED.sub(r"\1", piece[0][1:-1]))
            case "\\":
                parts.append(piece[0][1])
            case " " | "\t" | "\r" | "\n":
                if parts:
                    words.append("".join(parts))
                    parts = []
            case _:
                parts.append(piece[0])
    return [*words, "".join(parts)] if parts else words


def _checked(argument: str) -> list[str]:
    return [argument] if _HARMLESS.fullmatch(argument) else []


def _flag(argument: str, flags: Sequence[str]) -> str | None:
    """Spelled joined or apart, with one dash or two (`--include=file`)."""
    if argument.startswith("--"):
        head = argument[1:].split("=", 1)[0]
        return head if head in flags and len(head) > 2 else None
    if argument.startswith(("-include-", "-iquote-", "-isystem-")):
        return None
    return next((flag for flag in flags if argument.startswith(flag)), None)


def _value(argument: str, flag: str) -> str:
    return argument.removeprefix("-" if argument.startswith("--") else "")[len(flag) :].removeprefix("=")


def _absolute(path: str, directory: str) -> str:
    return os.path.normpath(os.path.join(directory, path))  # noqa: PTH118 - `Path` keeps the dots


def _contained(path: str, homes: Sequence[str]) -> bool:
    real = os.path.realpath(path)
    return any(real.startswith(home.rstrip("/") + "/") for home in homes) and Path(real).is_file()
