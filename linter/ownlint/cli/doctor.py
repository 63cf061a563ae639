"""What this machine has for ownlint, and how to get what it has not: each parser is tried, not only looked for."""

from __future__ import annotations

import os
import platform
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Literal

import msgspec

from ownlint import __version__, catalogue, inputs, machine
from ownlint.facts.base import LIBCLANG
from ownlint.facts.cache import Cache
from ownlint.facts.records import Language, decode_file
from ownlint.facts.vocabulary import Vocabulary
from ownlint.frontends.extract import Extracted, Task, extract
from ownlint.frontends.worker import Handshake
from ownlint.outline import Libraries
from ownlint.pipeline import Options, compiling, limits
from ownlint.report.sanitise import sanitise
from ownlint.rule import Rule
from ownlint.sources import git, headers, libclang
from ownlint.sources.compilation import Command, Compilation, CompilationError
from ownlint.sources.discover import discover

State = Literal["ok", "optional", "missing"]

_SECONDS = 60.0
_PACKAGE = "reinstall ownlint: `python -m pip install --force-reinstall .` in a checkout of it"
_EXTRA = "`python -m pip install '.[headers]'` in a checkout of ownlint"
_MOST_TRIED = 8
_COMPILES = (
    "configure and build the project in its present state, so that its database and its "
    "generated headers are up to date"
)
_DATABASE = (
    "configure with `cmake -DCMAKE_EXPORT_COMPILE_COMMANDS=ON` (meson writes one by default), or name "
    "its folder with -p"
)
_SETUPTOOLS = (
    "record a full build with `bear -- python setup.py build_ext --inplace --force` (bear is a package of most "
    "distributions), or name the folder of a database with -p"
)
_OTHER_BUILDS = ("CMakeLists.txt", "meson.build")


class Part(msgspec.Struct, frozen=True):
    """`remedy` says how to get what is not there. Without what is `optional` less is known, and nothing fails."""

    name: str
    state: State
    found: str
    remedy: str = ""


def examine(options: Options) -> list[Part]:
    """Raises a `RefusalError` where settings or models cannot be read."""
    parsers = list(_parsers())
    return [
        Part("ownlint", "ok", f"{__version__}, Python {platform.python_version()}"),
        *parsers,
        *_machine(options),
        *_compiling(options),
        *(_types(options) if healthy(parsers) else ()),
        _cache(options.cache, options.root),
        *_knowledge(options),
        _git(options.root),
    ]


def healthy(parts: Sequence[Part]) -> bool:
    return all(part.state != "missing" for part in parts)


def text(parts: Sequence[Part]) -> str:
    width = max(len(part.name) for part in parts)
    lines = []
    for part in parts:
        lines.append(f"{part.state:<8}  {sanitise(part.name):<{width}}  {sanitise(part.found)}")
        if part.remedy:
            lines.append(f"{''}  {''}  fix: {sanitise(part.remedy)}")
    return "".join(f"{line}\n" for line in lines)


# --- parsers ----------------------------------------------------------------------------------


def _parsers() -> Iterator[Part]:
    yield _tried("C++ by structure", "cpp", "int x;\n", ("tree-sitter", "tree-sitter-cpp"))
    yield _tried("Python", "python", "import ctypes\n", ("libcst",))
    bare = Command(("-x", "c++"), "/", inferred=True)
    other = libclang.named()
    if other is None:
        yield _tried("C++ with types", "cpp", "int x;\n", ("libclang",), bare)
    else:
        part = _tried("C++ with types", "cpp", "int x;\n", (), bare)
        reason = f": {part.found}" if part.found else ""
        remedy = f"unset {LIBCLANG}, or name a libclang of version 18 or later" if part.remedy else ""
        yield msgspec.structs.replace(part, found=f"{other}, from {LIBCLANG}{reason}", remedy=remedy)
    found = headers.find(own=libclang.own_headers())
    if not found.source:
        yield Part("compiler's headers", "optional", found.notice, _EXTRA)
        return
    command = Command(("-x", "c++", "-std=c++17", *found.arguments), "/", inferred=True)
    part = _tried("compiler's headers", "cpp", "#include <vector>\n#include <cstddef>\n", (), command)
    if part.state == "ok":
        yield msgspec.structs.replace(part, found=found.source)
    else:
        told = f"{found.source}: {part.found}"
        yield Part(part.name, "optional", told, f"{_EXTRA}, or clang 18")


def _tried(
    name: str, language: Language, text: str, distributions: Sequence[str], command: Command | None = None
) -> Part:
    """Reads `text` as any file is read: in a child process."""
    versions = ", ".join(f"{each} {inputs.version_of(each) or '(not installed)'}" for each in distributions)
    with tempfile.TemporaryDirectory(prefix="ownlint-") as folder:
        path = Path(folder, "tried.py" if language == "python" else "tried.cc")
        path.write_text(text)
        task = Task(language, path.name, str(path), command, types=command is not None)
        (extracted,) = extract([task], Vocabulary(), 1, _SECONDS)
    if problem := _problem(extracted):
        return Part(name, "missing", f"{versions}: {problem}".removeprefix(": "), _PACKAGE)
    return Part(name, "ok", versions)


def _problem(extracted: Extracted) -> str:
    file = decode_file(extracted.encoded)
    return file.problems[0].reason if file.problems else ""


# --- the machine ------------------------------------------------------------------------------


def _machine(options: Options) -> Iterator[Part]:
    """What there is, and the shares that a run would take."""
    available = machine.memory()
    jobs, reader = machine.shares(options.jobs, available)
    yield Part("processors", "ok", f"{machine.processors()}; {_many(jobs, 'file')} read in parallel")
    found = "unknown" if available is None else _size(available)
    shares = f"at most {_size(reader)} for each reader process, {_size(limits().memory)} for the rules"
    if available is not None and available < machine.LEAST_ANALYSIS:
        yield Part("memory", "optional", f"{found}; {shares}", "large files and projects need more")
    else:
        yield Part("memory", "ok", f"{found}; {shares}")


def _size(count: int) -> str:
    return f"{count / (1 << 30):,.1f} GiB"


def _many(number: int, word: str) -> str:
    return f"{number} {word}{'s' * (number != 1)}"


# --- the project ------------------------------------------------------------------------------


def _how_to_write(root: Path) -> str:
    """A database, by what builds the project: setuptools writes none."""
    is_setuptools = (root / "setup.py").is_file() and not any((root / name).is_file() for name in _OTHER_BUILDS)
    return _SETUPTOOLS if is_setuptools else _DATABASE


def _compiling(options: Options) -> Iterator[Part]:
    name = "compile database"
    found = discover(options.root, options.paths, options.settings.config)
    cpp = [source for source in found.sources if source.language == "cpp"]
    given = options.settings.config.build_path
    try:
        compilation = Compilation.find(found.root, None if given is None else found.root / given, found.sources)
    except CompilationError as error:
        yield Part(name, "missing", str(error), _DATABASE)
        return
    if compilation.database is None:
        state: State = "optional"
        told = compilation.notice or "not found"
        remedy = _how_to_write(found.root) if cpp else ""
        yield Part(name, state, told if cpp else "not found (the project has no C++)", remedy)
        return
    known = sum(1 for source in cpp if (how := compilation.command(source)) is not None and not how.inferred)
    path = os.path.relpath(compilation.database.path, found.root)
    yield Part(name, "ok", f"{path}, {len(compilation.database)} commands, for {known} of {len(cpp)} C++ files")


def _types(options: Options) -> Iterator[Part]:
    """Whether libclang has the types of the project's own C++: some files are tried, far from each other."""
    found = discover(options.root, options.paths, options.settings.config)
    try:
        commands = compiling(found, options.settings.config).commands
    except CompilationError:  # told with the database
        return
    named = [source for source in found.sources if source.relative in commands]
    tried = named[:: -(-len(named) // _MOST_TRIED) or 1]
    tasks = [Task("cpp", s.relative, str(s.path), commands[s.relative], types=True) for s in tried]
    jobs, memory = machine.shares(options.jobs, machine.memory())
    limits = Handshake(Vocabulary(), memory=memory)
    files = [decode_file(each.encoded) for each in extract(tasks, Vocabulary(), jobs, _SECONDS, limits=limits)]
    failed = [file for file in files if not file.typed]
    name = "type information for your C++"
    if failed:
        reason = next((problem.reason for problem in failed[0].problems), "unknown reason")
        told = f"{len(failed)} of {_many(len(files), 'file')} tried did not compile: {failed[0].path}: {reason}"
        yield Part(name, "optional", told, _COMPILES)
    elif files:
        yield Part(name, "ok", f"{_many(len(files), 'file')} tried")


def _cache(folder: Path | None, root: Path) -> Part:
    if folder is None:
        return Part("cache", "optional", "off")
    if distrust := Cache(folder, root).distrust:
        return Part("cache", "optional", f"not used: {distrust}", "name a folder outside the project with --cache-dir")
    if not folder.exists():
        beside = next(each for each in folder.parents if each.exists())
        if os.access(beside, os.W_OK):
            return Part("cache", "ok", f"{folder}, not created yet")
        return Part("cache", "missing", f"{folder}: cannot be created", "name another folder with --cache-dir")
    if folder.is_symlink() or not folder.is_dir() or not os.access(folder, os.W_OK | os.X_OK):
        return Part("cache", "missing", f"{folder}: cannot be written", "name another folder with --cache-dir")
    size = sum(entry.stat().st_size for entry in folder.rglob("*") if entry.is_file())
    return Part("cache", "ok", f"{folder}, {size / 1e6:,.1f} MB")


def _knowledge(options: Options) -> Iterator[Part]:
    rules = catalogue.load()
    packs = ", ".join(f"{len(many)} of {pack}" for pack, many in _by_pack(rules).items())
    yield Part("rules", "ok" if rules else "missing", packs or "none", "" if rules else _PACKAGE)
    places = inputs.model_paths(options.root, options.settings)
    digest = Libraries(places, Cache(None)).models.digest  # raises where one cannot be read
    count = sum(len(list(place.glob("*.toml"))) if place.is_dir() else 1 for place in places)
    own = len(options.settings.config.models)
    more = f", {own} of them named in the settings" if own else ""
    found = f"{count} files{more}" if count and digest else "none"
    yield Part("models", "ok" if count else "missing", found, "" if count else _PACKAGE)


def _by_pack(rules: Sequence[Rule]) -> dict[str, list[str]]:
    packs: dict[str, list[str]] = {}
    for rule in rules:
        packs.setdefault(rule.module.partition(".")[0], []).append(rule.id)
    return dict(sorted(packs.items()))


def _git(root: Path) -> Part:
    remedy = "install git: `--diff-base` needs it, and it lists the files of the project"
    found = git.program(root)
    if not found:
        return Part("git", "optional", "not found", remedy)
    try:
        return Part("git", "ok", git.version())
    except git.GitError as error:
        return Part("git", "optional", f"{found}: {error}", remedy)
