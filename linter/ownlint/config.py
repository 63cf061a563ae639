"""Settings: `[tool.ownlint]` in pyproject.toml, or `ownlint.toml`; for each file the nearest wins, nothing is merged.

A key that does not exist is an error with its line and a suggestion, never silence.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Annotated, Any, get_args, get_origin, get_type_hints

import msgspec

from ownlint import door, toml
from ownlint.choices import FORMER_PRESETS, Certainty, Severity, Suite, Types, did_you_mean
from ownlint.facts.errors import RefusalError, one_line
from ownlint.selection import RuleNames

NAMES = ("ownlint.toml", ".ownlint.toml", "pyproject.toml")
"""In one folder the first of these that holds settings wins."""

_MOST_BYTES = 1 << 20


class ConfigError(RefusalError):
    """The run cannot start; the text is one line and names the place. `others` are the further mistakes in the same
    file, in its order; `sound` are its settings without all of them, None where it cannot be read at all."""

    def __init__(self, first: str, others: Sequence[str] = (), sound: Settings | None = None) -> None:
        super().__init__(first)
        self.others = tuple(map(one_line, others))
        self.sound = sound


class Config(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, rename="kebab"):
    """Paths and patterns are relative to the root of the project: the folder of the file."""

    select: tuple[str, ...] = ("all",)
    """Rules to run: names, groups (`locks`) and globs (`borrow*`); `all` is every rule of the suite."""
    extend_select: tuple[str, ...] = ()
    """Additional rules to run."""
    suite: Suite = "default"
    """The set of rules to run: `default` (few false positives), `extended` (more rules) or `audit` (all rules, and
    `possible` findings too unless `certainty` is given)."""
    ignore: tuple[str, ...] = ()
    """Rules to skip."""
    certainty: Certainty = "likely"
    """Minimum confidence to report."""
    types: Types = "auto"
    """Use libclang for C++ type information: `auto` with a compile database, `always` also with guessed arguments."""
    build_path: str | None = None
    """The folder of `compile_commands.json`, or the file."""
    include: tuple[str, ...] = ()
    """Patterns of additional files to analyse; the suffix decides the language."""
    exclude: tuple[str, ...] = ()
    """Paths to exclude (.gitignore patterns). Paths given on the command line are analysed anyway."""
    extend_exclude: tuple[str, ...] = ()
    """Additional paths to exclude."""
    force_exclude: bool = False
    """Apply exclusions even to paths given on the command line, as hooks do."""
    models: tuple[str, ...] = ()
    """Additional models (TOML), contracts of packages (`pkg.own.toml`), or folders of them."""
    environment: str | None = None
    """The virtual environment with the packages that the code uses, to find their contracts."""
    jobs: Annotated[int, msgspec.Meta(ge=1, le=1024)] | None = None
    """Number of worker processes [default: the number of processors, at most eight; one for more than 48 MB]."""
    cache_dir: str | None = None
    """The folder of the cache, inside the project."""
    baseline: str | None = None
    """Baseline file [default: `ownlint-baseline.json` if it exists]."""
    per_file_ignores: dict[str, tuple[str, ...]] = {}
    """Rules to skip in files that match a pattern."""
    severity: dict[str, Severity] = {}
    """Severity to report a rule with."""
    parity: tuple[tuple[str, ...], ...] = ()
    """Additional groups of words that name interchangeable backends: `[["metal", "vulkan"]]`."""
    versions: dict[str, str] = {}
    """Versions of Python packages that the code targets, if others are installed: `{ somelib = "1.2" }`."""


KEYS: tuple[str, ...] = Config.__struct_encode_fields__
_KEY_OF = dict(zip(Config.__struct_fields__, KEYS, strict=True))


class Settings(msgspec.Struct, frozen=True, kw_only=True):
    """A `Config` and where it comes from. `origin` maps each key that is not a default to its source."""

    config: Config
    file: Path | None = None
    origin: dict[str, str] = {}

    def override(self, source: str, **values: object) -> Settings:
        """The same with `values` (field names; None means not given) from `source` on top."""
        given = {name: value for name, value in values.items() if value is not None}
        return Settings(
            config=msgspec.structs.replace(self.config, **given),
            file=self.file,
            origin={**self.origin, **{_KEY_OF[name]: source for name in given}},
        )


def find(start: Path) -> Settings:
    """The settings that hold for `start`, a folder: from the nearest file, walking up."""
    found = (settings for folder in (start, *start.parents) if (settings := standing_in(folder)) is not None)
    return next(found, Settings(config=Config()))


def standing_in(folder: Path) -> Settings | None:
    """The settings that stand in this very folder; None where there are none."""
    for name in NAMES:
        path = f"{folder}/{name}"
        if os.path.lexists(path):
            settings = _settings(Path(path), required=False, within=door.tree_of(folder))
            if settings is not None:
                return settings
    return None


def read(path: Path) -> Settings:
    """The settings of one named file, which must hold some. It may be a link that leads anywhere."""
    settings = _settings(path, required=True, within=None)
    assert settings is not None
    return settings


def _settings(path: Path, required: bool, within: Path | None) -> Settings | None:
    """None when a pyproject.toml has nothing to say about us."""

    text = _text(path, within)
    project = path.name == "pyproject.toml"
    if project and not required and "ownlint" not in text:
        return None
    try:
        table: Any = toml.parse(text)
    except toml.TomlError as error:
        raise ConfigError(f"{path}:{error.line}: {error.message}") from None
    if project:
        whole = table
        tool = table.get("tool", {})
        table = tool.get("ownlint") if isinstance(tool, dict) else None
        if table is None:
            if required:
                raise ConfigError(next(_misnamed(path, text, whole), f"{path}: has no table [tool.ownlint]"))
            return None
        if not isinstance(table, dict):
            raise ConfigError(f"{path}: [tool.ownlint] is not a table")
    sound, mistakes = _parted(path, text, table)
    settings = Settings(config=msgspec.convert(sound, Config), file=path, origin=dict.fromkeys(sound, str(path)))
    if mistakes:
        raise ConfigError(mistakes[0], mistakes[1:], settings)
    return settings


def misnamed_tables(start: Path) -> Iterator[str]:
    """A line for each table of a `pyproject.toml` that seems to be meant for us and has another name. They are those
    between `start`, a file or a folder, and the settings that hold there: what has settings is not searched."""

    for folder in (start, *start.parents):
        try:
            if standing_in(folder) is not None:
                return
            text = _text(folder / "pyproject.toml", door.tree_of(folder))
            found = list(_misnamed(folder / "pyproject.toml", text, toml.parse(text)))
        except (ConfigError, toml.TomlError):  # others say what is wrong with it, or it is none of ours
            continue
        yield from found


_ALIKE = 0.8
"""Of 1: more than `pylint` is like us."""


def _misnamed(path: Path, text: str, document: dict[str, Any]) -> Iterator[str]:
    from difflib import get_close_matches

    tool = document.get("tool")
    tables = {f"tool.{name}": name for name in tool} if isinstance(tool, dict) else {}
    meant = [full for full, name in tables.items() if get_close_matches(name, ["ownlint"], cutoff=_ALIKE)]
    for full in (*meant, *(["ownlint"] if isinstance(document.get("ownlint"), dict) else [])):
        line = toml.Positions(text).line(*full.split(".", 1))
        yield f"{path}:{line}: unknown table [{full}]; did you mean [tool.ownlint]?"


def _text(path: Path, within: Path | None = None) -> str:
    try:
        data = door.read(path, _MOST_BYTES, within=within)
    except door.UnreadableError as error:
        nothing = "broken symlink" if path.is_symlink() else "no such file"
        raise ConfigError(f"{path}: {nothing if error.missing else error.reason}") from None
    try:
        return data.decode()
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise ConfigError(f"{path}:{line}: not valid UTF-8") from None


def _parted(path: Path, text: str, table: dict[str, object]) -> tuple[dict[str, object], list[str]]:
    """The keys with values that they may have, and what is wrong with the others."""
    sound: dict[str, object] = {}
    mistakes: list[str] = []
    for key, value in table.items():
        if key not in KEYS:
            mistakes.append(f"{path}:{line_of(text, key)}: {_former(key, value) or _unknown(path, key)}")
        elif _refused(path, text, key, value):
            parts = [_refused(path, text, key, part, *at) for at, part in _parts(value)]
            mistakes += dict.fromkeys(filter(None, parts))
        else:
            sound[key] = value
    return sound, mistakes


def _former(key: str, value: object) -> str:
    """What a key of former versions is called now; empty for one that never was."""
    if key == "preset" and isinstance(value, str) and value in FORMER_PRESETS:
        return f'`preset = "{value}"` was renamed to `suite = "{FORMER_PRESETS[value]}"`'
    if key == "preview":
        return 'there are no preview rules any more: `suite = "audit"` runs all rules'
    return "`preset` was renamed to `suite`" if key == "preset" else ""


def _unknown(path: Path, key: str) -> str:
    instead = did_you_mean(key, KEYS)
    if key in ("tool", "ownlint") and path.name != "pyproject.toml":
        instead = f"; keys in {path.name} are written without [tool.ownlint]"
    return f"unknown key `{key}`{instead}"


def _parts(value: object) -> Iterator[tuple[tuple[toml.Step, ...], object]]:
    """A list or a table for each of its entries, so that a mistake in one does not hide that in another; with the step
    that leads to the entry."""
    if isinstance(value, list) and value:
        yield from (((number,), [each]) for number, each in enumerate(value))
    elif isinstance(value, dict) and value:
        yield from (((name,), {name: each}) for name, each in value.items())
    else:
        yield (), value


def _refused(path: Path, text: str, key: str, value: object, *at: toml.Step) -> str:
    """Why the key cannot have the value, with its place; empty where it can."""
    try:
        msgspec.convert({key: value}, Config)
    except msgspec.ValidationError as error:
        message = str(error).partition(" - at `$.")[0]
        message = message[:1].lower() + message[1:]
        quoted = re.search(r"invalid enum value '(.*)'", message, re.DOTALL)
        if quoted is not None:
            message = f"`{quoted[1]}` is not one of {', '.join(f'`{word}`' for word in _words_of(key))}"
        return f"{path}:{line_of(text, key, *at)}: `{key}`: {message}"
    return ""


def _words_of(key: str) -> tuple[str, ...]:
    """Among which the value of a key is chosen, or each value of its table."""
    hints = get_type_hints(Config)
    kind = next(hints[name] for name, encoded in _KEY_OF.items() if encoded == key)
    return get_args(get_args(kind)[1] if get_origin(kind) is dict else kind)


def line_of(text: str, key: str, *within: toml.Step, word: str = "") -> int:
    """The line in TOML text that sets `key` in our table, or a part of its value; or where it says `word`."""
    positions = toml.Positions(text)
    ours = ("tool", "ownlint") if positions.has("tool", "ownlint") else ()
    return positions.word(word, *ours, key, *within) if word else positions.line(*ours, key, *within)


def refuse(mistakes: Iterable[str]) -> None:
    """Raises `ConfigError` with the first of them, if there is one."""
    for mistake in mistakes:
        raise ConfigError(mistake)


def pattern_mistakes(settings: Settings) -> Iterator[str]:
    """A line for each pattern of paths that is none."""
    config = settings.config
    from ownlint.gitignore import mistake

    keys = {"include": config.include, "exclude": config.exclude, "extend-exclude": config.extend_exclude}
    for key, patterns in {**keys, "per-file-ignores": tuple(config.per_file_ignores)}.items():
        for pattern in patterns:
            if reason := mistake(pattern):
                where = place_of(settings, key, pattern)
                yield f"{where}: `{key}`: `{pattern}` is not a valid .gitignore pattern: {reason}"


# --- the names of rules -----------------------------------------------------------------------


def rule_mistakes(settings: Settings, known: RuleNames) -> Iterator[str]:
    """A line for each name in the settings that stands for no rule."""
    for key, name in _named_rules(settings.config):
        if not known.of(name):
            yield f"{place_of(settings, key, name)}: unknown rule `{name}`{known.instead_of(name)}"


def former_names(settings: Settings, known: RuleNames) -> Iterator[str]:
    """A line for each name in the settings that rules had in earlier versions."""
    for key, name in dict.fromkeys(_named_rules(settings.config)):
        if said := known.renamed(name):
            yield f"{place_of(settings, key, name)}: {said}"


def _named_rules(config: Config) -> Iterator[tuple[str, str]]:
    for key, names in (("select", config.select), ("extend-select", config.extend_select), ("ignore", config.ignore)):
        yield from ((key, name) for name in names)
    for names in config.per_file_ignores.values():
        yield from (("per-file-ignores", name) for name in names)
    yield from (("severity", name) for name in config.severity)


def place_of(settings: Settings, key: str, name: str) -> str:
    """Where `key` is given the value `name`: a file and its line, or the option of the command line."""
    source = settings.origin.get(key, key)
    if settings.file is None or source != str(settings.file):
        return source
    text = _text(settings.file)
    return f"{settings.file}:{line_of(text, key, word=name)}"


def with_suite(settings: Settings) -> Settings:
    """The settings with what their suite decides where nobody else has."""
    if settings.config.suite == "audit" and "certainty" not in settings.origin:
        return settings.override(settings.origin.get("suite", "suite"), certainty="possible")
    return settings
