"""The text of a model file, read strictly: every key is asked for once, and a mistake is told with its line."""

from __future__ import annotations

import difflib
import functools
import re
from collections.abc import Iterable
from pathlib import Path
from typing import Any, NoReturn, cast

from ownlint import door, toml
from ownlint.facts.errors import RefusalError
from ownlint.models.records import Effect, Verb, place_called
from ownlint.patterns import Expression, PatternError

MAXIMUM_BYTES = 4_000_000


class ModelError(RefusalError):
    """A mistake in a model file; its text is `path:line: message`."""

    def __init__(self, path: Path | str, line: int, message: str) -> None:
        super().__init__(f"{path}:{line}: {message}")
        self.path, self.line, self.message = Path(path), line, message


# --- effects ---------------------------------------------------------------------------------------

_PLACE = r"(result|receiver|argument [1-9]\d?|arguments|gil|global)"
_EFFECTS: tuple[tuple[Verb, re.Pattern[str]], ...] = tuple(
    (verb, re.compile(f"(?:{pattern})"))
    for verb, pattern in cast(
        "tuple[tuple[Verb, str], ...]",
        (
            *((verb, f"{verb} {_PLACE}") for verb in ("acquire", "disown", "yield", "validate", "check")),
            ("release", rf"release {_PLACE}(?: (?P<mode>on success))?"),
            ("restore", f"restore {_PLACE}"),
            *((verb, f"{verb} {_PLACE}") for verb in ("discard", "abort unless", "returns", "own", "copy", "clear")),
            *((verb, f"{verb} {_PLACE}") for verb in ("retain", "visit", "needs", "use", "spawn", "move", "write")),
            ("adopt", rf"adopt {_PLACE}(?: in {_PLACE})?(?: (?P<mode>on success))?"),
            ("hold", rf"hold {_PLACE}(?: (?P<mode>shared))?"),
            ("borrow", rf"borrow {_PLACE} from {_PLACE}"),
            ("keep", rf"keep {_PLACE} in {_PLACE}"),
            ("invalidate", rf"invalidate {_PLACE} (?P<mode>deep|shallow|below|derived)"),
            *((verb, f"{verb} {_PLACE} in {_PLACE}") for verb in ("insert", "overwrite", "find")),
            ("call", rf"call {_PLACE} with (?:elements of )?{_PLACE}"),
            ("bind", rf"bind {_PLACE} with {_PLACE}"),
            ("erase", rf"erase {_PLACE} from {_PLACE}"),
            ("swap", rf"swap {_PLACE} with {_PLACE}"),
            *((verb, verb) for verb in ("may fail", "assert only", "never returns")),
        ),
    )
)
EXAMPLES = (
    "acquire result",
    "acquire argument 1",
    "release argument 1",
    "release argument 1 on success",
    "release receiver",
    "adopt argument 1",
    "adopt argument 2 in argument 1",
    "disown receiver",
    "hold receiver",
    "hold receiver shared",
    "yield receiver",
    "borrow result from receiver",
    "keep argument 1 in receiver",
    "invalidate receiver deep",
    "validate receiver",
    "may fail",
    "check argument 1",
    "discard argument 1",
    "assert only",
    "abort unless argument 1",
    "returns receiver",
    "own result",
    "copy result",
    "insert argument 1 in receiver",
    "overwrite argument 1 in receiver",
    "find argument 1 in receiver",
    "erase argument 1 from receiver",
    "swap argument 1 with argument 2",
    "clear receiver",
    "call argument 3 with elements of argument 1",
    "call argument 1 with arguments",
    "bind argument 1 with arguments",
    "never returns",
    "retain argument 1",
    "needs argument 1",
    "use argument 1",
    "spawn argument 1",
    "write argument 1",
)


@functools.cache
def parse_effect(text: str) -> Effect | None:
    """The effect a model wrote, or None where it is none."""
    for verb, pattern in _EFFECTS:
        if match := pattern.fullmatch(text):
            groups = match.groupdict()
            places = [place_called(part) for part in match.groups() if part and part != groups.get("mode")]
            place, other = [*places, None, None][:2]
            return Effect(verb, place, other, cast(Any, groups.get("mode") or ""))
    return None


# --- tables ----------------------------------------------------------------------------------------


class ModelText:
    """The text of a model file, and where its tables and keys stand."""

    def __init__(self, path: Path, text: str) -> None:
        self.path = path
        self.positions = toml.Positions(text)


class ModelTable:
    """One table of a model file, at the steps that lead to it. Every key must be asked for once; what is left over is
    a mistake."""

    def __init__(self, source: ModelText, data: object, *at: toml.Step) -> None:
        self.source, self.at = source, at
        self.name = ".".join(step for step in at if isinstance(step, str))
        self.known: list[str] = []
        if not isinstance(data, dict):
            raise ModelError(source.path, self.line(), f"`{self.name}` must be a table")
        self.data: dict[str, Any] = data

    def line(self, key: str = "", value: str = "") -> int:
        """Where the table begins, or `key` is set in it, or `value` stands among its values."""
        at = (*self.at, key) if key else self.at
        return self.source.positions.word(value, *at) if value else self.source.positions.line(*at)

    def fail(self, message: str, key: str = "", value: str = "") -> NoReturn:
        raise ModelError(self.source.path, self.line(key, value), message)

    def take(self, key: str) -> Any:
        self.known.append(key)
        return self.data.get(key)

    def text(self, key: str, default: str = "") -> str:
        value = self.take(key)
        if value is None:
            return default
        if not isinstance(value, str):
            self.fail(f"`{key}` must be a string", key)
        return value

    def required(self, key: str) -> str:
        if not (value := self.text(key)):
            self.lacks(key)
        return value

    def lacks(self, key: str) -> NoReturn:
        """`key` is not there: perhaps it was misspelled."""
        for typo in difflib.get_close_matches(key, (each for each in self.data if each not in self.known), 1):
            self.fail(f"`{self.name}` has no key `{typo}`; did you mean `{key}`?", typo)
        self.fail(f"`{self.name}` needs `{key}`")

    def texts(self, key: str) -> tuple[str, ...]:
        """A string, or a list of strings."""
        value = self.take(key)
        if isinstance(value, str):
            return (value,)
        if value is not None and not (isinstance(value, list) and all(isinstance(item, str) for item in value)):
            self.fail(f"`{key}` must be a string or a list of strings", key)
        return tuple(value or ())

    def expressions(self, key: str) -> tuple[str, ...]:
        """Regular expressions, as `patterns.Expression` reads them."""
        texts = self.texts(key)
        for text in texts:
            try:
                Expression(text)
            except PatternError as error:
                self.fail(f"`{text}` is not a regular expression: {error}", key, text[:40])
        return texts

    def names(self) -> tuple[str, ...]:
        """`name = "a"` or `names = ["a", "b"]`, one of the two."""
        one, many = self.texts("name"), self.texts("names")
        if bool(one) == bool(many):
            self.fail(f"`{self.name}` needs either `name` or `names`")
        return one or many

    def choice(self, key: str, options: tuple[str, ...], default: str = "") -> Any:
        value = self.text(key, default)
        if value and value not in options:
            self.fail(f"`{key}` cannot be `{value}`{meant(value, options)}", key)
        return value or None

    def choices(self, key: str, options: tuple[str, ...]) -> tuple[Any, ...]:
        values = self.texts(key)
        for value in values:
            if value not in options:
                self.fail(f"`{key}` cannot be `{value}`{meant(value, options)}", key, value)
        return values

    def flag(self, key: str, default: bool = False) -> bool:
        value = self.take(key)
        if value is not None and not isinstance(value, bool):
            self.fail(f"`{key}` must be true or false", key)
        return default if value is None else bool(value)

    def number(self, key: str, default: int) -> int:
        value = self.take(key)
        if value is None:
            return default
        if not isinstance(value, int) or isinstance(value, bool) or not 0 <= value <= 99:
            self.fail(f"`{key}` must be a number from 0 to 99", key)
        return value

    def mapping(self, key: str, options: tuple[str, ...] = (), names: tuple[str, ...] = ()) -> dict[str, Any]:
        """A table of strings, whose values are among `options` and whose keys are among `names`, where those are given;
        written inline or as `[header.key]`."""
        value = self.take(key)
        if value is None:
            return {}
        if not isinstance(value, dict):
            self.fail(f"`{key}` must be a table", key)
        table = ModelTable(self.source, value, *self.at, key)
        for name, word in value.items():
            if names and name not in names:
                table.fail(f"`{name}` is unknown here{meant(name, names)}", name)
            if not isinstance(word, str):
                table.fail(f"`{name}` must be a string", name)
            if options and word not in options:
                table.fail(f"`{name}` cannot be `{word}`{meant(word, options)}", name)
        return dict(value)

    def effects(self, key: str = "effect") -> tuple[Effect, ...]:
        found = []
        for text in self.texts(key):
            if (effect := parse_effect(text)) is None:
                self.fail(f"`{text}` is not an effect{meant(text, EXAMPLES)}", key, text)
            found.append(effect)
        return tuple(found)

    def done(self) -> None:
        for key in self.data:
            if key not in self.known:
                owner = f"`{self.name}`" if self.name else "a model"
                self.fail(f"{owner} has no key `{key}`{meant(key, self.known)}", key)


def meant(word: str, options: Iterable[str]) -> str:
    options = sorted(options)
    if close := difflib.get_close_matches(word, options, 1, 0.6):
        return f"; did you mean `{close[0]}`?"
    return f"; it is one of {', '.join(f'`{option}`' for option in options)}" if len(options) <= 40 else ""


# --- files -----------------------------------------------------------------------------------------


def parse(path: Path, data: bytes) -> tuple[ModelText, dict[str, Any]]:
    try:
        text = data.decode()
    except UnicodeDecodeError as error:
        raise ModelError(path, data.count(b"\n", 0, error.start) + 1, "the file is not UTF-8") from None
    try:
        return ModelText(path, text), toml.parse(text)
    except toml.TomlError as error:
        raise ModelError(path, error.line, error.message) from None


def bytes_of(path: Path) -> bytes:
    try:
        return door.read(path, MAXIMUM_BYTES)
    except door.UnreadableError as error:
        raise ModelError(path, 1, f"cannot be read: {error.reason}") from None
