"""Tables by which model files spoke of Python before all of it had one form, made into those of today.

They are read for one version more. A file that has some is told of in a notice, with the line of the first.
"""

from __future__ import annotations

import copy
import re
from collections.abc import Callable, Iterable
from typing import Any, NamedTuple, get_args

from ownlint.models.records import MemoryRole
from ownlint.models.tables import ModelTable

_PLACE = re.compile(r"self|argument [1-9]")


class FormerTable(NamedTuple):
    """The first of a file: its line, and what is written instead."""

    line: int
    header: str
    now: str

    def __str__(self) -> str:
        return f"`[[{self.header}]]` was replaced by {self.now}; this is the last version that reads it"


def add(tables: dict[str, list[ModelTable]], read: Callable[[str], Iterable[ModelTable]]) -> FormerTable | None:
    """Adds to the tables below `[python]` what `read` gives of former ones, by header."""
    found: list[FormerTable] = []
    for header, (now, translate) in _FORMER.items():
        for table in read(header):
            found.append(FormerTable(table.line(), header, now))
            key, data = translate(table)
            tables[key].append(_with(table, data))
    return min(found, default=None)


def _with(table: ModelTable, data: dict[str, Any]) -> ModelTable:
    """The same table, of which something else is read; a mistake is told where it stands."""
    made = copy.copy(table)
    made.data, made.known = data, []
    return made


def _type(table: ModelTable) -> tuple[str, dict[str, Any]]:
    module = table.text("module")
    memory = table.choice("role", get_args(MemoryRole), "owner")
    bases = [_dotted(module, base) for base in table.texts("bases")]
    rest = _without(table, "name", "names", "module", "role", "bases")
    return "class", {"names": _names(table, module), "memory": memory, **({"bases": bases} if bases else {}), **rest}


def _member(table: ModelTable) -> tuple[str, dict[str, Any]]:
    """A member where it says of what, else a function."""
    on, module = table.texts("on"), table.text("module")
    source, keeps = _place(table, "from"), table.text("keeps")
    kept, stored = _place(table, "kept"), _place(table, "stores")
    if kept and stored:
        table.fail("`kept` and `stores` cannot be combined: `kept` is counted, `stores` is not", "stores")
    effects = {
        f"returns {_whom(_place(table, 'may_return'))}": "may_return",
        f"keep {kept} in result": "kept",
        f"keep {stored} in receiver": "stores",
        f"adopt {_place(table, 'consumes')}": "consumes",
        f"restore {_place(table, 'fills')}": "fills",
    }
    said = [effect for effect, key in effects.items() if table.data.get(key)]
    made: dict[str, Any] = {"names": _names(table, "" if on else module)}
    if source or keeps in ("owner", "none"):
        made["borrows"] = source or "self"
    if said:
        made["effect"] = said
    elif not keeps and not table.data.get("makes_class"):
        made["keeps"] = "copy"
    made |= {"counted": True} if kept else {}
    rest = _without(table, "name", "names", "module", "from", "may_return", "kept", "stores", "consumes", "fills")
    return "member" if on else "function", made | rest


def _consumer(table: ModelTable) -> tuple[str, dict[str, Any]]:
    names, when = list(table.names()), table.text("when")
    rest = _without(table, "name", "names", "when")
    if when:
        return "function", {"names": names, "effect": "invalidate argument 1 deep", "when": f"{when}=True", **rest}
    return "function", {"names": names, "effect": "invalidate arguments deep", **rest}


def _callbacks(table: ModelTable) -> tuple[str, dict[str, Any]]:
    return "callbacks", table.data


_FORMER: dict[str, tuple[str, Callable[[ModelTable], tuple[str, dict[str, Any]]]]] = {
    "memory.type": ("`[[python.class]]` with `memory`", _type),
    "memory.function": ("`[[python.member]]` or `[[python.function]]`", _member),
    "memory.callbacks": ("`[[python.callbacks]]`", _callbacks),
    "python.consumer": ('`[[python.function]]` with `effect = "invalidate arguments deep"`', _consumer),
}


def _without(table: ModelTable, *keys: str) -> dict[str, Any]:
    return {key: value for key, value in table.data.items() if key not in keys}


def _names(table: ModelTable, module: str) -> list[str]:
    return [_dotted(module, name) for name in table.names()]


def _dotted(module: str, name: str) -> str:
    return f"{module}.{name}" if module else name


def _place(table: ModelTable, key: str) -> str:
    written = table.text(key)
    if written and not _PLACE.fullmatch(written):
        table.fail(f"`{key}` cannot be `{written}`; it is `self` or `argument 1`", key, written)
    return written


def _whom(place: str) -> str:
    return "receiver" if place == "self" else place
