"""The way from paths to a report: the drawing of the design, as code.

discover -> (result cache) -> (facts cache) -> frontends -> program -> rules -> report
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import msgspec

from ownlint import inputs, machine
from ownlint.config import Config, Settings, former_names, pattern_mistakes, place_of, refuse, rule_mistakes
from ownlint.facts.cache import Cache
from ownlint.facts.vocabulary import is_word
from ownlint.finding import Crash, Finding, TooLarge
from ownlint.outline import Libraries, Outline, RuleOutline, outline_of_rules, rule_infos
from ownlint.report.model import Incomplete, Notice, Report, Sources, below, places
from ownlint.report.progress import Told, nobody
from ownlint.selection import RuleNames
from ownlint.sources import requirements, sidecars, stubs
from ownlint.sources.changes import Changes, ChangesError, as_before, since, staged
from ownlint.sources.compilation import Command
from ownlint.sources.digests import Digests
from ownlint.sources.discover import ALONE, Discovered, DiscoverError, ProjectScope, Source, discover
from ownlint.sources.packages import installed
from ownlint.sources.unsaved import Unsaved, read_instead

# What reads files and runs rules is loaded when that has to be done: most answers are known.
if TYPE_CHECKING:
    from ownlint import analysis
    from ownlint.analysis import Said
    from ownlint.analysis.touching import Ranges
    from ownlint.facts.records import FileRecord
    from ownlint.models.contract_records import ContractFile
    from ownlint.project.program import Earlier, Program
    from ownlint.reading import Facts
    from ownlint.sources.compilation import Compilation

Depends = tuple[tuple[str, str], ...]
"""Absolute paths of headers, each with its digest; or names of packages, each with its version."""

_MOST_JOBS = 8
_LARGE = 48 << 20
"""Bytes of source."""
_EVERYWHERE = 1 << 62
_NAME = 80
"""Letters of two digests."""
_MOST_ATTEMPTS = 3

_FOREIGN = "skipped: not a C++ or Python file name; add further files with `include` in the settings"


class Options(msgspec.Struct, frozen=True, kw_only=True):
    """`cache` is a folder, None for no cache."""

    root: Path
    paths: tuple[Path, ...]
    settings: Settings
    cache: Path | None = None
    diff_base: str | None = None
    """A revision: only findings that touch what changed since are reported."""
    changed: bool = False
    """Only findings that touch what is staged are reported."""
    unsaved: tuple[Unsaved, ...] = ()
    """What is read instead of files that are asked for, by its structure only."""
    told: Told = nobody
    deadline: float | None = None
    """The moment, by `time.monotonic`, at which it says what it has."""
    scope: ProjectScope = ALONE

    @property
    def jobs(self) -> int:
        return self.settings.config.jobs or min(machine.processors(), _MOST_JOBS)

    def judging(self, size: int) -> int:
        """How many processes judge a tree of `size` bytes at the same time. Where nobody says how many, a large one has
        one: each would have for itself what it finds out, and two of them more than 2 GB."""
        return self.settings.config.jobs or (1 if size > _LARGE else self.jobs)


def run(options: Options) -> Report:
    """Raises a `RefusalError` when it cannot begin. What is reported is said of one state of each file: where one
    changes before its findings are placed, it is looked at again, and named as incomplete if it never stands still."""
    for left in range(_MOST_ATTEMPTS - 1, -1, -1):
        report, changed = _attempt(options)
        if not changed or not left:
            break
    return _without_moving(report, changed) if changed else report


def _without_moving(report: Report, changed: Collection[str]) -> Report:
    """Without the findings that speak of files of which nobody knows the lines."""
    standing, elsewhere = (
        tuple(finding for finding in found if not places(finding) & set(changed))
        for found in (report.findings, report.elsewhere)
    )
    incomplete = {Incomplete(path, "its content had changed since it was analysed", "changed") for path in changed}
    incomplete |= set(report.incomplete)
    return msgspec.structs.replace(report, findings=standing, elsewhere=elsewhere, incomplete=tuple(sorted(incomplete)))


def _changes(options: Options) -> Changes | None:
    """What the findings have to touch. Raises `ChangesError`."""
    with _named(options):
        if options.changed:
            return staged(options.root)
        return None if options.diff_base is None else since(options.root, options.diff_base)


@contextmanager
def _named(options: Options) -> Iterator[None]:
    """A failure to compare names the option that asked for it."""
    try:
        yield
    except ChangesError as error:
        raise ChangesError(f"{'--changed' if options.changed else '--diff-base'}: {error}") from None


def _attempt(options: Options) -> tuple[Report, frozenset[str]]:
    """A report, and the files that no longer held what was analysed when findings were placed in them."""
    config = options.settings.config
    cache = Cache(options.cache, options.root)
    rules = outline_of_rules(cache)
    infos = rules.infos
    names = RuleNames(infos)
    refuse(_mistakes(options.settings, names))
    ran = names.selected(config)
    digests = Digests(cache, options.root)

    unsaved = [one.path for one in options.unsaved]
    found = discover(options.root, options.paths, config, options.scope, unsaved)
    sources = read_instead(found.sources, options.unsaved)
    held = digests.of_sources(sources)
    how = _without(compiling(found, config), options)
    models_at = inputs.model_paths(options.root, options.settings)
    contracts_at = inputs.contract_paths(options.root, options.settings)
    stubs_at = stubs_of(found)
    changes = _changes(options)
    required = requirements.stated(found.root)
    key = _result_key(cache, found, held, how, config, (*models_at, *contracts_at.paths, *stubs_at), changes, required)
    report = _recalled(cache, digests, key)
    changed: frozenset[str] = frozenset()
    if report is None:
        libraries = Libraries(models_at, cache)
        chosen = [rule for rule in rules.rules if rule.id in ran]
        contracts, broken = contracts_of(contracts_at)
        from ownlint.facts import anchors
        from ownlint.reading import Reader

        words = [word for rule in chosen for word in rule.anchors] + anchors.of_contracts(contracts)
        reader = Reader(found.root, sources, held, how.commands, cache, digests, options.jobs, options.told)
        facts = reader.all(libraries, words)
        at_hand = {name: installed(name) for name in libraries.known.packages}
        versions = {**at_hand, **config.versions}

        told = stubs.read(stubs_at, options.root)

        def build(earlier: _Earlier | None) -> Program:
            from ownlint.project.program import Program

            known = facts.files()
            old = None if earlier is None else earlier(known)
            return Program(known, libraries.models, old, config.parity, required, versions, contracts, told)

        def before() -> _Earlier | None:
            return None if changes is None else _earlier(options, changes, libraries, words, cache, digests)

        knowledge = inputs.knowledge_digest((*models_at, *contracts_at.paths, *stubs_at), cache)
        every = config.certainty == "possible"  # more is judged then, see `catalogue.cases`
        asked = (knowledge, msgspec.json.encode((config.parity, required, versions, every)))
        text = sources_of(options, facts.held())
        said = _said(chosen, facts, _Way(build, before, libraries), cache, asked, changes, text, options)
        found = msgspec.structs.replace(found, unread=(*found.unread, *broken))
        renamed = former_names(options.settings, names)
        notices = (*_unchecked(found), *_chosen(changes), *map(Notice, (*renamed, *libraries.known.former)))
        report = _compose(said, facts, found, text, config, rules, ran, how, changes, notices)
        changed = frozenset(text.changed)
        if facts.settled and not changed and all(map(_is_settled, said)):
            _remember(cache, digests, key, report, facts.depends, at_hand)
    digests.save()
    cache.sweep()
    return report, changed


def contracts_of(paths: inputs.Contracts) -> tuple[tuple[ContractFile, ...], tuple[tuple[str, str], ...]]:
    """The contracts at hand, the user's own last, and what is wrong with those that were found beside packages: they
    are somebody else's, and left out. Raises `ContractError` on a mistake in one that the settings name."""
    if not paths.found and not paths.said:
        return (), ()
    from ownlint.models.contract_reader import ContractError, read
    from ownlint.models.contract_records import stubbed

    found: list[ContractFile] = []
    broken: list[tuple[str, str]] = []
    for path in paths.found:
        try:
            found.append(stubbed(read(path), stubs.read(stubs.beside(sidecars.homes(path)))))
        except ContractError as error:
            broken.append((path.name, f"not used: {error}"))
    found += [stubbed(read(path), stubs.read(stubs.beside(sidecars.homes(path)))) for path in paths.said]
    return tuple(found), tuple(broken)


def stubs_of(found: Discovered) -> tuple[Path, ...]:
    """The stubs beside the project's own sources."""
    return stubs.beside(source.path.parent for source in found.sources)


_Earlier = Callable[[Sequence["FileRecord"]], "Earlier"]
"""Is asked in the child: what is decoded there costs nobody else."""


class _Way(NamedTuple):
    """How the program is made when it is needed: by `build`, in a child, of what has to be read before."""

    build: Callable[[_Earlier | None], Program]
    before: Callable[[], _Earlier | None]
    libraries: Libraries


class _CachedGroup(msgspec.Struct, frozen=True):
    """What the cache holds of a group of rules."""

    findings: tuple[Finding, ...]
    large: tuple[TooLarge, ...] = ()
    crashes: tuple[Crash, ...] = ()
    """What was cut off at a counted limit, which is the same in every run."""


def _said(
    rules: Sequence[RuleOutline],
    facts: Facts,
    way: _Way,
    cache: Cache,
    asked: Sequence[bytes],
    changes: Changes | None,
    text: Sources,
    options: Options,
) -> list[Said]:
    """What the rules say of these facts, `asked` in this way. What was said before of the same facts is said again
    without a program: rules that look at no Python are not run for a change in it."""
    out: list[Said] = []
    missing: list[tuple[str, frozenset[str]]] = []
    every = msgspec.json.encode(sorted(rule.id for rule in rules))
    under_review = msgspec.json.encode(None if changes is None else changes.judged)
    for languages, chosen in _groups(rules):
        about = facts.digest("cpp") if languages == ("cpp",) else facts.digest("cpp", "python")
        key = Cache.key(b"said", *_how(chosen, asked, cache), about, under_review)
        said = _recalled_findings(cache, key) or _recalled_findings(cache, Cache.key(key.encode(), every))
        if said is None:
            missing.append((key, chosen))
        else:
            out += (*said.findings, *said.large, *said.crashes)
    groups = [chosen for _, chosen in missing]
    memory = [(os.fsencode(options.root.resolve()), *_how(chosen, asked, cache)) for chosen in groups]
    remembering = _remembering(memory, facts, cache, partly=changes is not None)
    changed = None if changes is None else _offsets(changes, facts, text)
    judged = _judged(groups, facts, way, options, remembering, changed)
    for (key, _), found in zip(missing, judged, strict=True):
        _keep_findings(cache, key, every, found)
        out += found
    return out


def _groups(rules: Sequence[RuleOutline]) -> Iterator[tuple[tuple[str, ...], frozenset[str]]]:
    """The rules about the same languages, by their ids."""
    for languages in sorted({rule.languages for rule in rules}):
        yield languages, frozenset(rule.id for rule in rules if rule.languages == languages)


def _keep_findings(cache: Cache, key: str, every: bytes, found: Sequence[Said]) -> None:
    findings = tuple(one for one in found if isinstance(one, Finding))
    large = tuple(one for one in found if isinstance(one, TooLarge))
    crashes = tuple(one for one in found if isinstance(one, Crash))
    if all(map(_is_settled, found)):  # what is too large is said with the group that asked first
        place = Cache.key(key.encode(), every) if large or crashes else key
        cache.put(place, msgspec.json.encode(_CachedGroup(findings, large, crashes)))


def _is_settled(said: Said) -> bool:
    """Whether every run says the same of the same facts: not where a rule failed, nor where time or memory ran out."""
    return not isinstance(said, Crash) or said.counted


def _offsets(changes: Changes, facts: Facts, text: Sources) -> Ranges:
    """Where the changed lines of the project's files begin and end; all of a file that no longer holds what was
    analysed."""
    held, found = facts.held(), {}
    for path, lines in changes.lines.items():
        if path in held:
            known = text.lines(path)
            found[path] = [(0, _EVERYWHERE)] if path in text.changed else [known.around(*range_) for range_ in lines]
    return found


def _how(chosen: frozenset[str], asked: Sequence[bytes], cache: Cache) -> Iterator[bytes]:
    """All that the answers of these rules rest on but for the project's files."""
    yield inputs.engine_digest(cache)
    yield from asked
    yield msgspec.json.encode(sorted(chosen))


def _remembering(
    groups: Sequence[tuple[bytes, ...]], facts: Facts, cache: Cache, *, partly: bool
) -> Callable[[], analysis.RunMemory | None]:
    """What is kept from run to run, by what each group's answers rest on; made when all facts are there. What is said
    of a change is of a part of the subjects: it is added to what is kept of all, and apart where there is no such."""
    whole = [Cache.key(b"kept", *about) for about in groups]
    part = [Cache.key(b"kept of changes", *about) for about in groups]

    def place(group: int) -> str:
        return part[group] if partly and cache.get(whole[group]) is None else whole[group]

    def recalled(group: int) -> analysis.Recalled | None:
        from ownlint import analysis

        data = cache.get(whole[group])
        if data is None and partly:
            data = cache.get(part[group])
        return None if data is None else analysis.Recalled(data[_NAME:], data[:_NAME].decode("ascii", "replace"))

    def project(name: str) -> bytes | None:
        """Where another run has written over it meanwhile, it is not what the groups rest on."""
        data = cache.get(name[: _NAME // 2])
        return data if data is not None and Cache.key(data) == name[_NAME // 2 :] else None

    def keep(findings: Mapping[int, bytes], project: bytes) -> None:
        places = {group: place(group) for group in findings}
        at = Cache.key(b"project", *(each.encode() for each in places.values()))
        cache.put(at, project)
        name = (at + Cache.key(project)).encode()
        for group, data in findings.items():
            cache.put(places[group], name + data)

    def made() -> analysis.RunMemory | None:
        from ownlint import analysis

        if cache.folder is None:
            return None
        return analysis.RunMemory(recalled, project, keep, cache.get, facts.entries())

    return made


def _judged(
    groups: Sequence[frozenset[str]],
    facts: Facts,
    way: _Way,
    options: Options,
    memory: Callable[[], analysis.RunMemory | None],
    changed: Ranges | None,
) -> Sequence[Sequence[Said]]:
    """What each group of rules says, worked out now; of a change, what can touch what has `changed`."""
    if not groups:
        return ()
    from ownlint import analysis, catalogue

    options.told("indexing", 0, 0)
    loaded, earlier = catalogue.load(), way.before()
    facts.take_up()
    _ = way.libraries.models  # read here: a mistake in one is told before a child is started
    chosen = [[rule for rule in loaded if rule.id in ids] for ids in groups]
    size = sum(head.size for head in facts.heads)

    def told(done: int, of: int) -> None:
        options.told("running rules", done, of)

    ending = analysis.RunEnd(None if options.deadline is None else options.deadline - time.monotonic())
    build = lambda: way.build(earlier)  # noqa: E731 - asked in the child
    least = options.settings.config.certainty
    jobs = options.judging(size)
    return analysis.analyse(chosen, build, size, limits(), told, memory(), jobs, ending, changed, least)


def limits() -> analysis.Limits:
    """For what analyses, on this machine."""
    from ownlint import analysis

    memory = machine.analysis(machine.memory(), analysis.DEFAULT.memory)
    return msgspec.structs.replace(analysis.DEFAULT, memory=min(memory, analysis.DEFAULT.memory))


def _recalled_findings(cache: Cache, key: str) -> _CachedGroup | None:
    entry = cache.get(key)
    try:
        return None if entry is None else msgspec.json.decode(entry, type=_CachedGroup)
    except msgspec.DecodeError:
        return None


def check_names(settings: Settings) -> None:
    """Raises `ConfigError` on the first of `name_mistakes`."""
    refuse(name_mistakes(settings))


def name_mistakes(settings: Settings) -> Iterator[str]:
    """A line for each rule that is named and does not exist, and for what is no pattern and no word."""
    return _mistakes(settings, RuleNames(rule_infos()))


def _mistakes(settings: Settings, known: RuleNames) -> Iterator[str]:
    yield from rule_mistakes(settings, known)
    yield from pattern_mistakes(settings)
    yield from _parity_mistakes(settings)


def _parity_mistakes(settings: Settings) -> Iterator[str]:
    """A line for each group of words that is none."""
    for group in settings.config.parity:
        for word in group:
            if not is_word(word):
                where = place_of(settings, "parity", word)
                yield f"{where}: `parity`: `{word}` is not a word: use letters and digits, starting with a letter"
        if len(set(group)) < 2:
            where = place_of(settings, "parity", group[0] if group else "")
            yield f"{where}: `parity`: a group needs at least two alternative words"


def facts(options: Options) -> FileRecord:
    """What is read in the one file that is asked for."""
    from ownlint.reading import Reader

    refuse(pattern_mistakes(options.settings))
    found = discover(options.root, options.paths, options.settings.config)
    asked = [source for source in found.sources if source.asked]
    if not asked:
        reason = found.unread[0][1] if found.unread else _FOREIGN if found.foreign else "not a readable file"
        raise DiscoverError(f"{options.paths[0]}: {reason}")
    commands = compiling(found, options.settings.config).commands
    cache = Cache(None)
    vocabulary = Libraries(inputs.model_paths(options.root, options.settings), cache).known.vocabulary
    digests = Digests(cache, options.root)
    reader = Reader(found.root, asked, digests.of_sources(asked), commands, cache, digests, 1)
    return reader.whole(reader.read([0], vocabulary))[0]


def _compose(
    said: Iterable[Said],
    facts: Facts,
    found: Discovered,
    sources: Sources,
    config: Config,
    rules: Outline,
    ran: frozenset[str],
    how: Compiling,
    changes: Changes | None,
    notices: Sequence[Notice],
) -> Report:
    from ownlint.report.compose import compose

    asked = {source.relative for source in found.sources if source.asked}
    return compose(
        said,
        [file for file in facts.heads if file.path in asked],
        sources,
        config,
        known=RuleNames(rules.infos),
        ran=ran,
        yields={rule.id: rule.yields_to for rule in rules.rules if rule.yields_to},
        unread=(*(Incomplete(path, reason) for path, reason in found.unread), *unsought(facts)),
        hint=how.hint,
        expected=how.expected,
        notices=notices,
        changed=None if changes is None else changes.lines,
        gone={} if changes is None else changes.gone,
    )


def _unchecked(found: Discovered) -> tuple[Notice, ...]:
    """What of that which was asked for was not looked at, since there is nothing in it to look at."""
    foreign = tuple(Notice(_FOREIGN, path) for path in found.foreign)
    if foreign or found.unread or any(source.asked for source in found.sources):
        return foreign
    return (Notice("no C++ or Python files found"),)


def _chosen(changes: Changes | None) -> tuple[Notice, ...]:
    """How the lines were chosen that are reported on, where that is not what was asked for."""
    return (Notice(changes.note),) if changes is not None and changes.note else ()


def unsought(facts: Facts) -> Iterable[Incomplete]:
    """Files that may be worth reading, and of which that is not known."""
    return (Incomplete("", facts.unsought, "limit", by_others=True),) if facts.unsought else ()


def _earlier(
    options: Options, changes: Changes, libraries: Libraries, words: Sequence[str], cache: Cache, digests: Digests
) -> _Earlier:
    """What the changed files said before; read by structure only, since their headers are not those of that time."""
    from ownlint.reading import Reader

    with _named(options), as_before(options.root, changes) as (sources, held):
        then = Reader(options.root, sources, held, {}, cache, digests, options.jobs).all(libraries, words)
        then.take_up()

    def earlier(known: Sequence[FileRecord]) -> Earlier:
        from ownlint.incremental.changes import touched
        from ownlint.project.program import Earlier

        files, renamed = tuple(then.files()), {change.path: change.old for change in changes.files if change.path}
        return Earlier(files, renamed, touched(files, known, renamed))

    return earlier


class Compiling(msgspec.Struct, frozen=True):
    """How to compile the files whose types are wanted, by relative path; `hint` says why others have no types, and
    `expected` whether they should have: not where nobody asked for any, and there is no database to take them from."""

    commands: dict[str, Command]
    hint: str = ""
    expected: bool = True


def _without(how: Compiling, options: Options) -> Compiling:
    """A compiler would look for the headers of what is unsaved beside the place where it is stored."""
    root = options.root.resolve()
    unsaved = {below(str(one.path), root) for one in options.unsaved}
    commands = {path: command for path, command in how.commands.items() if path not in unsaved}
    return msgspec.structs.replace(how, commands=commands)


def sources_of(options: Options, digests: Mapping[str, str], base: Path | None = None) -> Sources:
    """The text of the project's files as it was analysed, by paths relative to `base`, else to the root."""
    base = base or options.root.resolve()
    texts = {below(str(one.path), base): one.text for one in options.unsaved}
    return Sources(options.root, texts, digests, base)


def _commands(wanted: Sequence[Source], compilation: Compilation, config: Config) -> Iterator[tuple[str, Command]]:
    for source in wanted:
        command = compilation.command(source)
        if command is not None and (config.types == "always" or not command.inferred):
            yield source.relative, command


def compiling(found: Discovered, config: Config) -> Compiling:
    """Types are wanted of the files that were asked for: with `auto`, of those that a database tells how to compile."""
    if config.types == "never":
        return Compiling({}, "`--types never`", expected=False)
    wanted = [source for source in found.sources if source.asked and source.language == "cpp"]
    if not wanted:
        return Compiling({})
    from ownlint.sources.compilation import Compilation

    build = None if config.build_path is None else found.root / config.build_path
    compilation = Compilation.find(found.root, build, found.sources)
    if config.types == "auto" and not compilation.from_database:
        reason = f"{compilation.notice or 'no compile_commands.json'}; see `--build-path`"
        return Compiling({}, reason, expected=bool(compilation.notice))
    commands = dict(_commands(wanted, compilation, config))
    absent = "" if len(commands) == len(wanted) else "not in the compile database; see `--types always`"
    return Compiling(commands, compilation.notice or absent)


# --- the result of a whole run ----------------------------------------------------------------


class _Result(msgspec.Struct, frozen=True):
    depends: Depends
    report: Report
    packages: Depends = ()
    """Versions of installed Python packages."""


def _result_key(
    cache: Cache,
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
    parts = (sources, found.unread, found.foreign, sorted(how.commands.items()), how.hint, settings, changes, required)
    return Cache.key(
        b"result",
        inputs.engine_digest(cache),
        inputs.knowledge_digest(models, cache),
        *map(msgspec.json.encode, parts),
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
