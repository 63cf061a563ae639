"""Contract files read strictly: a mistake is one line that names its place. What is in one is data, never code."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any, NoReturn, get_args

from ownlint import door, toml
from ownlint.facts.errors import RefusalError
from ownlint.finding import CERTAINTIES
from ownlint.models.contract_records import (
    FORMAT,
    Category,
    ClassContract,
    ContractFile,
    KeptAddress,
    Kind,
    Lent,
    MemberContract,
)

MOST_BYTES = 16 << 20
_MOST_TEXT = 2000
_MOST_NAME = 200
_MOST_ARGUMENTS = 255
_CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069\ud800-\udfff]")
_PLACE = re.compile(r"self|result|argument [1-9][0-9]{0,2}")
_PACKAGE = re.compile(r"[^\W\d]\w*(?:\.[^\W\d]\w*)*")


class ContractError(RefusalError):
    """`file:line: what is wrong`, one line."""

    def __init__(self, path: Path | str, line: int, message: str) -> None:
        place = f"{path}:{line}" if line else f"{path}"
        super().__init__(_CONTROL.sub("?", f"{place}: {message}"))


def read(path: Path) -> ContractFile:
    """Raises `ContractError`, also when there is no such file."""
    try:
        data = door.read(path, MOST_BYTES)
    except door.UnreadableError as error:
        raise ContractError(path, 0, error.reason) from None
    return parse(path, data)


def parse(path: Path | str, data: bytes) -> ContractFile:
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError as error:
        raise ContractError(path, data.count(b"\n", 0, error.start) + 1, "is not UTF-8") from None
    try:
        top: Any = toml.parse(text)
    except toml.TomlError as error:
        raise ContractError(path, error.line, error.message) from None
    return _Reader(path, text, top).file()


class _Reader:
    def __init__(self, path: Path | str, text: str, top: dict[str, Any]) -> None:
        self.path = path
        self.positions = toml.Positions(text)
        self.top = top

    def file(self) -> ContractFile:
        top = _Table(self, self.top)
        if "format" not in self.top:
            raise ContractError(self.path, 1, f"a contract starts with `format = {FORMAT}`")
        number = top.take("format")
        if number.__class__ is not int or number < 1:
            top.fail("`format` must be a number", "format")
        if number > FORMAT:
            top.fail(f"format {number} is newer than the format this version reads, {FORMAT}", "format")
        package = top.text("package", required=True)
        if not _PACKAGE.fullmatch(package) or len(package) > _MOST_NAME:
            top.fail("`package` must be the name of a Python package", "package")
        modules, plain = top.texts("modules"), top.texts("plain")
        frameworks = top.mapping("frameworks")
        classes = tuple(self._class(table) for table in self._tables(top, "class"))
        seen: dict[str, int] = {}
        for number, cls in enumerate(classes):
            if cls.name in seen:
                _Table(self, {}, "class", number).fail(f"class `{cls.name}` is defined twice", "name")
            seen[cls.name] = number
        members = tuple(self._member(table, seen) for table in self._tables(top, "member"))
        top.done()
        return ContractFile(package, modules, frameworks, plain, classes, members)

    def _tables(self, top: _Table, key: str) -> list[_Table]:
        listed = top.take(key)
        if listed is None:
            return []
        if not isinstance(listed, list):
            top.fail(f"write `[[{key}]]` with double brackets: it is an array of tables", key)
        return [_Table(self, item, key, number) for number, item in enumerate(listed)]

    def _class(self, table: _Table) -> ClassContract:
        found = ClassContract(
            name=table.name("name"),
            at=table.text("at"),
            cxx=table.text("cxx"),
            framework=table.text("framework"),
            bases=table.texts("bases"),
            holder=table.text("holder"),
            trampoline=table.text("trampoline"),
            plain=table.texts("plain"),
        )
        table.done()
        return found

    def _member(self, table: _Table, classes: dict[str, int]) -> MemberContract:
        on = table.text("on")
        if on and on not in classes:
            table.fail(f"no `[[class]]` in this file is named `{on}`", "on")
        found = MemberContract(
            on=on,
            name=table.name("name"),
            kind=table.choice("kind", get_args(Kind)),
            at=table.text("at"),
            cxx=table.text("cxx"),
            takes=table.texts("takes"),
            names=table.texts("names"),
            returns=table.text("returns"),
            category=table.choice("category", get_args(Category), "unknown"),
            policy=table.text("policy"),
            borrows=tuple(self._lent(inner) for inner in table.inline("borrows")),
            stores=tuple(self._kept(inner) for inner in table.inline("stores")),
            invalidates=table.texts("invalidates"),
            releases_gil=table.flag("releases_gil"),
        )
        if found.returns and found.returns not in classes:
            table.fail(f"no `[[class]]` in this file is named `{found.returns}`", "returns")
        if not on and any(one.source == "self" for one in found.borrows):
            table.fail("a function has no `self` to borrow from", "borrows")
        if not on and found.invalidates:
            table.fail("a function has no members to invalidate", "invalidates")
        table.done()
        return found

    def _lent(self, table: _Table) -> Lent:
        source = table.place("from", ("self", "argument"))
        found = Lent(
            source,
            table.flag("protected", required=True),
            table.text("via"),
            table.text("reason"),
            table.choice("certainty", CERTAINTIES, "certain"),
        )
        table.done()
        return found

    def _kept(self, table: _Table) -> KeptAddress:
        number = table.take("argument")
        if number.__class__ is not int or not 1 <= number <= _MOST_ARGUMENTS:
            table.fail(f"`argument` must be a number from 1 to {_MOST_ARGUMENTS}", "argument")
        found = KeptAddress(
            number,
            table.place("into", ("self", "result", "argument")),
            table.flag("protected", required=True),
            table.text("via"),
            table.choice("certainty", CERTAINTIES, "certain"),
        )
        table.done()
        return found


class _Table:
    """One table; every key must be asked for once, and what is left over is a mistake."""

    def __init__(self, reader: _Reader, data: object, *at: toml.Step) -> None:
        self.reader, self.at = reader, at
        self.header = next((step for step in reversed(at) if isinstance(step, str)), "")
        self.known: list[str] = []
        if not isinstance(data, dict):
            self.data: dict[str, Any] = {}
            self.fail(f"`{self.header}` must be a table")
        self.data = data

    def fail(self, message: str, key: str = "") -> NoReturn:
        at = (*self.at, key) if key else self.at
        raise ContractError(self.reader.path, self.reader.positions.line(*at), message)

    def take(self, key: str) -> Any:
        self.known.append(key)
        return self.data.get(key)

    def text(self, key: str, *, required: bool = False) -> str:
        value = self.take(key)
        if value is None and not required:
            return ""
        if value is None:
            self.fail(f"`{key}` is missing", "")
        return self._plain(value, key)

    def _plain(self, value: object, key: str) -> str:
        if not isinstance(value, str):
            self.fail(f"`{key}` must be a string", key)
        if len(value) > _MOST_TEXT:
            self.fail(f"`{key}` has more than {_MOST_TEXT} characters", key)
        if _CONTROL.search(value):
            self.fail(f"`{key}` contains a line break or a control character", key)
        return value

    def name(self, key: str) -> str:
        value = self.text(key, required=True)
        if not value.strip() or len(value) > _MOST_NAME:
            self.fail(f"`{key}` must be a name of up to {_MOST_NAME} characters", key)
        return value

    def texts(self, key: str) -> tuple[str, ...]:
        value = self.take(key)
        if value is None:
            return ()
        if not isinstance(value, list):
            self.fail(f"`{key}` must be a list of strings", key)
        return tuple(self._plain(each, key) for each in value)

    def mapping(self, key: str) -> dict[str, str]:
        value = self.take(key)
        if value is None:
            return {}
        if not isinstance(value, dict):
            self.fail(f"`{key}` must be a table of strings", key)
        return {self._plain(name, key): self._plain(each, key) for name, each in value.items()}

    def flag(self, key: str, *, required: bool = False) -> bool:
        value = self.take(key)
        if value is None and not required:
            return False
        if not isinstance(value, bool):
            self.fail(f"`{key}` must be true or false", key)
        return value

    def choice(self, key: str, options: tuple[str, ...], default: str = "") -> Any:
        value = self.take(key)
        if value is None and default:
            return default
        if value not in options:
            self.fail(f"`{key}` must be one of {', '.join(f'`{option}`' for option in options)}", key)
        return value

    def place(self, key: str, allowed: tuple[str, ...]) -> str:
        value = self.take(key)
        if not isinstance(value, str) or not _PLACE.fullmatch(value) or value.partition(" ")[0] not in allowed:
            words = ", ".join("`argument N`" if word == "argument" else f"`{word}`" for word in allowed)
            self.fail(f"`{key}` must be one of {words}", key)
        return value

    def inline(self, key: str) -> list[_Table]:
        value = self.take(key)
        if value is None:
            return []
        if not isinstance(value, list):
            self.fail(f"`{key}` must be a list of tables", key)
        if not all(isinstance(each, dict) for each in value):
            self.fail(f"`{key}` must be a list of tables", key)
        return [_Table(self.reader, each, *self.at, key, number) for number, each in enumerate(value)]

    def done(self) -> None:
        for key in self.data:
            if key not in self.known:
                owner = f"`{self.header}`" if self.header else "a contract"
                shown = _CONTROL.sub("?", key)[:80]
                self.fail(f"{owner} has no key `{shown}`; it has {', '.join(f'`{k}`' for k in self.known)}", key)
