"""What types cost: CPU of libclang's full parse against ownlint's typed reading, file by file.

    python benchmarks/typed.py PATH... [--root FOLDER] [-p BUILD] [-- ARGUMENT...]

A PATH is a C++ file or a folder of them. Arguments come from the project as `ownlint check` finds them
(`-p` names a compile database); those after `--` are put in front (`-I/usr/lib/llvm-16/include`). Every
figure is taken in a process of its own, with nothing warm but the page cache. The full parse is
libclang's with errors kept going and nothing skipped, and no walk; the typed one includes the walk.

Headers that several files share are parsed ahead, as `ownlint check` does: that is in no file's own
figure, so it is shown by itself and is part of the total.
"""

from __future__ import annotations

import json
import os
import platform
import statistics
import subprocess
import sys
import threading
import time
from argparse import ArgumentParser, Namespace
from collections.abc import Callable
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple

from ownlint.frontends.cpp import libclang, meaning
from ownlint.frontends.cpp.shared import Unit, shared
from ownlint.sources import headers
from ownlint.sources.compilation import Compilation

SUFFIXES = (".cc", ".cpp", ".cxx")


class Located(NamedTuple):
    path: Path


def main() -> None:
    if sys.argv[1:2] == ["--one"]:
        measure()
        return
    options = arguments()
    given = [path.resolve() for path in options.paths]
    files = [file for path in given for file in (sorted(path.rglob("*")) if path.is_dir() else [path])]
    files = [file for file in files if file.suffix in SUFFIXES and file.is_file()]
    root = (options.root or Path(os.path.commonpath(given))).resolve()
    everything = [Located(file) for file in sorted(root.rglob("*")) if file.suffix in (*SUFFIXES, ".h", ".hpp", ".inc")]
    compilation = Compilation.find(root, options.build_path, everything)
    version = libclang.text(libclang.load().clang_getClangVersion())
    print(f"{version}, Python {platform.python_version()}, headers of {headers.find().source}")
    print(f"{'file':40} {'full s':>8} {'typed s':>8} {'ratio':>6} {'meanings':>9}  problems")
    commands = {file: command for file in files if (command := compilation.command(Located(file)))}
    words = {file: (*options.extra, *command.arguments) for file, command in commands.items()}
    units = [Unit(str(file), words[file], command.directory) for file, command in commands.items()]
    ahead = shared(units)
    with TemporaryDirectory() as folder:
        prepared = prepare(units, ahead, Path(folder))
        rows = [compare(unit, prepared.get(key(unit, ahead))) for unit in units]
    summary(rows, [one["cpu"] for one in prepared.values() if one])


def key(unit: Unit, ahead: dict[str, tuple[str, ...]]) -> str:
    return json.dumps([ahead.get(unit.path), unit.arguments, unit.directory])


def prepare(units: list[Unit], ahead: dict[str, tuple[str, ...]], folder: Path) -> dict[str, Any]:
    done: dict[str, Any] = {}
    for unit in units:
        name = key(unit, ahead)
        if unit.path in ahead and name not in done:
            target = str(folder / f"{len(done)}.pch")
            done[name] = one("precompile", [ahead[unit.path], unit.arguments, unit.directory, target])
            users = sum(key(other, ahead) == name for other in units)
            state = f"{done[name]['cpu']:.2f} s" if done[name]["path"] else "failed"
            print(f"parsed ahead for {users} files in {state}: {', '.join(ahead[unit.path])}")
    return done


def summary(rows: list[tuple[float, float, bool]], ahead: list[float]) -> None:
    if rows:
        full, typed = sum(row[0] for row in rows), sum(row[1] for row in rows)
        median = statistics.median(row[1] / row[0] for row in rows)
        whole = sum(row[2] for row in rows)
        print(f"{len(rows)} files, {whole} without a problem; median ratio {median:.3f}")
        ratio = (typed + sum(ahead)) / full
        print(f"total: full {full:.1f} s, typed {typed:.1f} s and {sum(ahead):.1f} s ahead, ratio {ratio:.3f}")


def compare(unit: Unit, ahead: Any) -> tuple[float, float, bool]:
    path = ahead["path"] if ahead else ""
    full = one("full", [unit.path, unit.arguments, unit.directory])
    typed = one("typed", [unit.path, unit.arguments, unit.directory, path])
    ratio = typed["cpu"] / full["cpu"]
    shown = "; ".join(typed["problems"])
    name = Path(unit.path).name
    print(f"{name:40} {full['cpu']:8.2f} {typed['cpu']:8.2f} {ratio:6.3f} {typed['meanings']:9}  {shown}", flush=True)
    return full["cpu"], typed["cpu"], typed["typed"]


def one(mode: str, request: list[Any]) -> Any:
    environment = os.environ | {"LIBCLANG_NOTHREADS": "1"}
    call = [sys.executable, __file__, "--one", mode, json.dumps(request)]
    done = subprocess.run(call, env=environment, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, check=True)
    return json.loads(done.stdout)


def measure() -> None:
    mode, request = sys.argv[2:]
    threading.stack_size(512 * 1024 * 1024)
    modes: dict[str, Callable[..., None]] = {
        "full": measure_full,
        "typed": measure_typed,
        "precompile": measure_precompile,
    }
    thread = threading.Thread(target=modes[mode], args=json.loads(request))
    thread.start()
    thread.join()


def measure_full(path: str, words: list[str], directory: str) -> None:
    libclang.load()
    data = Path(path).read_bytes()
    before = time.process_time()
    with meaning._unit(libclang.load(), data, tuple(words), directory, path, libclang.KEEP_GOING):
        print(json.dumps({"cpu": time.process_time() - before}))


def measure_typed(path: str, words: list[str], directory: str, ahead: str) -> None:
    libclang.load()
    data = Path(path).read_bytes()
    precompiled = meaning.Precompiled(ahead, ()) if ahead else None
    before = time.process_time()
    found = meaning.read(path, data, tuple(words), directory, path, precompiled)
    cpu = time.process_time() - before
    problems = [problem.reason for problem in found.problems]
    print(json.dumps({"cpu": cpu, "typed": found.typed, "meanings": len(found.meanings), "problems": problems}))


def measure_precompile(lines: list[str], words: list[str], directory: str, target: str) -> None:
    libclang.load()
    before = time.process_time()
    done = meaning.precompile(tuple(lines), tuple(words), directory, target)
    print(json.dumps({"cpu": time.process_time() - before, "path": target if done else ""}))


def arguments() -> Namespace:
    before, _, extra = "\0".join(sys.argv[1:]).partition("\0--\0")
    parser = ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("paths", nargs="+", type=Path)
    parser.add_argument("--root", type=Path)
    parser.add_argument("-p", "--build-path", type=Path)
    options = parser.parse_args(before.split("\0"))
    options.extra = extra.split("\0") if extra else []
    return options


if __name__ == "__main__":
    main()
