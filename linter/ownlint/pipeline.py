"""The way from paths to a report: the drawing of the design, as code.

discover -> (result cache) -> (facts cache) -> frontends -> program -> rules -> report
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from ownlint import catalogue, inputs
from ownlint.config import Config, ConfigError, Settings, check_patterns, check_rules, place_of, selected
from ownlint.facts import anchors
from ownlint.facts.cache import Cache
from ownlint.facts.records import File, Language, decode_file
from ownlint.facts.vocabulary import Vocabulary, encode_vocabulary
from ownlint.finding import Crash, Finding
from ownlint.program.model_files import is_parity_word
from ownlint.program.model_tables import ModelError
from ownlint.program.models import Models
from ownlint.program.models import load as load_models
from ownlint.report.model import Incomplete, Report, RuleInfo, Sources
from ownlint.report.suppressions import RULES as OWN_RULES
from ownlint.rule import RuleError
from ownlint.sources import requirements
from ownlint.sources.changes import Changes, ChangesError, as_before, since
from ownlint.sources.compilation import Command, CompilationError
from ownlint.sources.digests import Digests
from ownlint.sources.discover import Discovered, DiscoverError, Source, discover, modules
from ownlint.sources.packages import installed

if TYPE_CHECKING:
    from ownlint.program.program import Earlier

REFUSALS = (ChangesError, CompilationError, ConfigError, DiscoverError, ModelError, RuleError)
"""What keeps a run from beginning; the text of each is one line for the user."""

DEADLINE = 60.0
"""Seconds that one file may take to be read; enough for a large one, typed, on a slow machine."""

_MOST_JOBS = 8


class Options(msgspec.Struct, frozen=True, kw_only=True):
    """`cache` is a folder, None for no cache."""

    root: Path
    paths: tuple[Path, ...]
    settings: Settings
    cache: Path | None = None
    diff_base: str | None = None
    """A revision: only findings that touch what changed since are reported."""

    @property
    def jobs(self) -> int:
        return self.settings.config.jobs or min(os.cpu_count() or 1, _MOST_JOBS)


def run(options: Options) -> Report:
    """Raises one of `REFUSALS` when it cannot begin."""
    config = options.settings.config
    infos = rule_infos()
    known = [info.id for info in infos]
    check_rules(options.settings, known)
    check_patterns(options.settings)
    _check_parity(options.settings)
    notes = [info.id for info in infos if info.severity == "note"]
    ran = selected(config, known, notes, [info.id for info in infos if info.preview])
    cache = Cache(options.cache)
    digests = Digests(cache, options.root)

    found = discover(options.root, options.paths, config)
    held = digests.of_sources(found.sources)
    how = compiling(found, config)
    models_at = inputs.model_paths(options.root, options.settings)
    changes = None if options.diff_base is None else since(options.root, options.diff_base)
    required = requirements.stated(found.root)
    key = _result_key(found, held, how, config, models_at, changes, required)
    report = _recalled(cache, digests, key)
    if report is None:
        from ownlint.program.program import Program

        libraries = load_models(models_at)
        rules = [rule for rule in catalogue.load() if rule.id in ran]
        words = [word for rule in rules for word in rule.anchors]
        facts = read_all(found.sources, held, how.commands, libraries, words, cache, digests, options.jobs)
        earlier = None if changes is None else _earlier(options, changes, libraries, words, cache, digests)
        at_hand = {name: installed(name) for name in libraries.packages}
        versions = {**at_hand, **config.versions}
        program = Program(facts.files, libraries, earlier, config.parity, required, versions)
        report = _compose(catalogue.run(rules, program), facts.files, found, config, ran, how.hint, changes)
        if facts.settled and not report.failed:
            _remember(cache, digests, key, report, facts.depends, at_hand)
    digests.save()
    cache.sweep()
    return report


def rule_infos() -> tuple[RuleInfo, ...]:
    """Every rule there is, by id, those about the linter's own comments included."""
    rules = (RuleInfo(rule.id, rule.severity, rule.headline, rule.page, rule.preview) for rule in catalogue.load())
    return tuple(sorted((*rules, *OWN_RULES), key=lambda info: info.id))


def check_names(settings: Settings) -> None:
    """Raises `ConfigError` on the first rule that is named and does not exist, and on what is no pattern."""
    check_rules(settings, [info.id for info in rule_infos()])
    check_patterns(settings)
    _check_parity(settings)


def _check_parity(settings: Settings) -> None:
    """Raises `ConfigError` on a group of words that is none."""
    for group in settings.config.parity:
        for word in group:
            if not is_parity_word(word):
                where = place_of(settings, "parity", word)
                raise ConfigError(f"{where}: `parity`: `{word}` is no word: letters and digits, a letter first")
        if len(set(group)) < 2:
            where = place_of(settings, "parity", group[0]) if group else place_of(settings, "parity", "")
            raise ConfigError(f"{where}: `parity`: a group needs at least two words that stand for each other")


def facts(options: Options) -> File:
    """What is read in the one file that is asked for."""
    check_patterns(options.settings)
    found = discover(options.root, options.paths, options.settings.config)
    asked = [source for source in found.sources if source.asked]
    if not asked:
        reason = found.unread[0][1] if found.unread else "is not a file that can be read"
        raise DiscoverError(f"{options.paths[0]}: {reason}")
    commands = compiling(found, options.settings.config).commands
    vocabulary = load_models(inputs.model_paths(options.root, options.settings)).vocabulary()
    cache = Cache(None)
    digests = Digests(cache, options.root)
    return read(asked, digests.of_sources(asked), commands, vocabulary, cache, digests, 1).files[0]


def _compose(
    said: Iterable[Finding | Crash],
    files: Sequence[File],
    found: Discovered,
    config: Config,
    ran: frozenset[str],
    hint: str,
    changes: Changes | None,
) -> Report:
    from ownlint.interplay import preferences
    from ownlint.report.compose import compose

    asked = {source.relative for source in found.sources if source.asked}
    return compose(
        said,
        [file for file in files if file.path in asked],
        Sources(found.root),
        config,
        known=[info.id for info in rule_infos()],
        ran=ran,
        yields=preferences(catalogue.load()),
        unread=[Incomplete(path, reason) for path, reason in found.unread],
        hint=hint,
        changed=None if changes is None else changes.lines,
    )


def _earlier(
    options: Options, changes: Changes, libraries: Models, words: Sequence[str], cache: Cache, digests: Digests
) -> Earlier:
    """What the changed files said before; read by structure only, since their headers are not those of that time."""
    from ownlint.program.program import Earlier

    with as_before(options.root, changes) as (sources, held):
        read_then = read_all(sources, held, {}, libraries, words, cache, digests, options.jobs)
    return Earlier(tuple(read_then.files), {change.path: change.old for change in changes.files if change.path})


class Compiling(msgspec.Struct, frozen=True):
    """How to compile the files whose types are wanted, by relative path; `hint` says why others have no types."""

    commands: dict[str, Command]
    hint: str = ""


def compiling(found: Discovered, config: Config) -> Compiling:
    """Types are wanted of the files that were asked for: with `auto`, of those that a database tells how to compile."""
    if config.types == "never":
        return Compiling({}, "`--types never`")
    wanted = [source for source in found.sources if source.asked and source.language == "cpp"]
    if not wanted:
        return Compiling({})
    from ownlint.sources.compilation import Compilation

    build = None if config.build_path is None else found.root / config.build_path
    compilation = Compilation.find(found.root, build, found.sources)
    if config.types == "auto" and not compilation.from_database:
        return Compiling({}, f"{compilation.notice or 'no compile_commands.json'}; see `--build-path`")
    commands = {}
    for source in wanted:
        command = compilation.command(source)
        if command is not None and (config.types == "always" or not command.inferred):
            commands[source.relative] = command
    absent = "" if len(commands) == len(wanted) else "not in the compile database; see `--types always`"
    return Compiling(commands, compilation.notice or absent)


# --- reading ----------------------------------------------------------------------------------

_Depends = tuple[tuple[str, str], ...]
"""Absolute paths of headers, each with its digest."""


class Facts(msgspec.Struct, frozen=True):
    """The facts of every source, in order, and the headers that were read for them.

    Not `settled`: a file changed while it was read, or its reader was lost; the next run may see more."""

    files: list[File]
    depends: list[str]
    settled: bool


def read_all(
    sources: Sequence[Source],
    held: Sequence[str],
    commands: dict[str, Command],
    libraries: Models,
    words: Sequence[str],
    cache: Cache,
    digests: Digests,
    jobs: int,
) -> Facts:
    """C++ first: the classes it binds are among the words that make a Python file worth reading, like `words`, which
    the rules ask for. Then Python, and again those of its files that were passed over and name what others define."""

    def read_these(chosen: Sequence[int], known: Vocabulary) -> Facts:
        return read([sources[i] for i in chosen], [held[i] for i in chosen], commands, known, cache, digests, jobs)

    def written_in(language: Language) -> list[int]:
        return [index for index, source in enumerate(sources) if source.language == language]

    vocabulary = anchors.with_words(libraries.vocabulary(), words)
    cpp = read_these(written_in("cpp"), vocabulary)
    vocabulary = anchors.with_bound_classes(vocabulary, cpp.files)
    chosen = written_in("python")
    parts, passed = [cpp], chosen
    latest = read_these(chosen, vocabulary)
    for _ in range(anchors.MOST_PASSES):
        known = [file for part in (*parts, latest) for file in part.files]
        wider = anchors.with_helpers(vocabulary, known, libraries)
        if wider == vocabulary:
            break
        kept = [file for file in latest.files if file.functions or file.problems]
        passed = [i for i, file in zip(passed, latest.files, strict=True) if not file.functions and not file.problems]
        parts.append(msgspec.structs.replace(latest, files=kept))
        vocabulary, latest = wider, read_these(passed, wider)
    parts.append(latest)
    files = sorted((file for part in parts for file in part.files), key=lambda file: file.path)
    depends = sorted({path for part in parts for path in part.depends})
    return Facts(files, depends, all(part.settled for part in parts))


def read(
    sources: Sequence[Source],
    held: Sequence[str],
    commands: dict[str, Command],
    vocabulary: Vocabulary,
    cache: Cache,
    digests: Digests,
    jobs: int,
) -> Facts:
    """Reads what the cache does not hold."""
    from ownlint.frontends.extract import Task, extract

    named = modules(sources)
    words = {language: encode_vocabulary(vocabulary.of(language)) for language in ("cpp", "python")}
    files: list[File | None] = []
    missing: list[tuple[int, str]] = []
    depends: set[str] = set()
    for index, (source, digest) in enumerate(zip(sources, held, strict=True)):
        key = _file_key(
            source, digest, commands.get(source.relative), words[source.language], named.get(source.relative, "")
        )
        file, headers = _known(cache.get(key) if digest else None, digests)
        files.append(file)
        depends.update(headers)
        if file is None:
            missing.append((index, key))
    settled = True
    tasks = []
    for index, _ in missing:
        source, command = sources[index], commands.get(sources[index].relative)
        module = named.get(source.relative, "")
        tasks.append(Task(source.language, source.relative, str(source.path), command, command is not None, module))
    for (index, key), extracted in zip(missing, extract(tasks, vocabulary, jobs, DEADLINE), strict=True):
        files[index] = file = decode_file(extracted.encoded)
        depends.update(extracted.dependencies)
        if extracted.digest and extracted.digest == held[index]:
            manifest = tuple((path, digests.of(path)) for path in sorted(extracted.dependencies))
            cache.put(key, msgspec.json.encode(manifest) + b"\n" + extracted.encoded)
        elif any(problem.stage != "read" for problem in file.problems) or extracted.digest:
            settled = False
    return Facts([file for file in files if file is not None], sorted(depends), settled)


def _file_key(source: Source, digest: str, command: Command | None, words: bytes, module: str) -> str:
    how = b"" if command is None else msgspec.json.encode(command)
    about = f"{source.language}\0{source.relative}\0{module}\0{digest}".encode()
    return Cache.key(b"file", inputs.reader_digest(source.language), words, about, how)


def _known(entry: bytes | None, digests: Digests) -> tuple[File | None, list[str]]:
    """The file of a cache entry, when the headers it read are still the same."""
    if entry is None:
        return None, []
    manifest, _, encoded = entry.partition(b"\n")
    try:
        depends = msgspec.json.decode(manifest, type=_Depends)
        if any(digests.of(path) != digest for path, digest in depends):
            return None, []
        return decode_file(encoded), [path for path, _ in depends]
    except msgspec.DecodeError:
        return None, []


# --- the result of a whole run ----------------------------------------------------------------


class _Result(msgspec.Struct, frozen=True):
    depends: _Depends
    report: Report
    packages: _Depends = ()
    """Versions of installed Python packages."""


def _result_key(
    found: Discovered,
    held: Sequence[str],
    how: Compiling,
    config: Config,
    models: tuple[Path, ...],
    changes: Changes | None,
    required: dict[str, str],
) -> str:
    sources = [(s.relative, s.asked, digest) for s, digest in zip(found.sources, held, strict=True)]
    settings = msgspec.structs.replace(config, jobs=None, cache_dir=None)
    parts = (sources, found.unread, sorted(how.commands.items()), how.hint, settings, changes, required)
    return Cache.key(
        b"result", inputs.engine_digest(), inputs.knowledge_digest(models), *map(msgspec.json.encode, parts)
    )


def _recalled(cache: Cache, digests: Digests, key: str) -> Report | None:
    entry = cache.get(key)
    if entry is None:
        return None
    try:
        result = msgspec.json.decode(entry, type=_Result)
    except msgspec.DecodeError:
        return None
    unchanged = all(digests.of(path) == digest for path, digest in result.depends)
    same = unchanged and all(installed(name) == version for name, version in result.packages)
    return result.report if same else None


def _remember(
    cache: Cache, digests: Digests, key: str, report: Report, depends: Sequence[str], packages: dict[str, str]
) -> None:
    held = tuple((path, digests.of(path)) for path in depends)
    cache.put(key, msgspec.json.encode(_Result(held, report, tuple(packages.items()))))
