"""What a name refers to: scopes, imports, aliases."""

from __future__ import annotations

import re

from ownlint.facts import records as r
from ownlint.facts.show import text
from ownlint.flow.places import last_name
from ownlint.models.libraries import Models
from ownlint.project import qualified, types
from ownlint.project.files import File
from ownlint.project.index import ProjectIndex
from ownlint.project.macros import Macros
from ownlint.project.questions import Answers, program_property
from ownlint.project.statuses import is_enum
from ownlint.project.subjects import Class, Function

_SPACE = re.compile(r"(?<![\w:])(\w++)::")
_NAME = re.compile(r"[\w:]++")
_MOST_KEPT = 1 << 14
"""So many names are kept with what they stand for."""

_MOST_OPENED = 64


class ProjectNames:
    """Resolves the names of a program."""

    def __init__(self, index: ProjectIndex, models: Models, macros: Macros) -> None:
        self._index = index
        self._models = models
        self._macros = macros
        self.size = index.size
        self.answers = index.answers
        self._scopes: Answers[tuple[str, str], tuple[str, ...]] = Answers()
        self._opened_scopes: Answers[str, tuple[str, ...]] = Answers()
        self._found_classes: Answers[tuple[str, str, str, bool], Class | None] = Answers(most=_MOST_KEPT)
        self._expanded: Answers[tuple[str, str, str], str] = Answers(most=_MOST_KEPT)
        self._spaces: Answers[tuple[str, str], str] = Answers()
        self._meanings: dict[str, dict[int, r.Meaning]] = {}

    def written_as(self, name: str) -> str:
        """What a constant of the project, or a macro without parameters, stands for; empty when that is not clear."""
        spelled = {text(v.value) for _, v in self._index.variables_called(name) if v.value is not None}
        spelled |= self._macros.constants(name)
        return spelled.pop() if len(spelled) == 1 else ""

    def in_full(self, written: str, file: File) -> str:
        """A name with the namespace spelled out that it begins with an alias of: the project's own, or one that a model
        says is usual. `nanobind::list` for `py::list` where `namespace py = nanobind;`."""
        if "::" not in written:
            return written
        return _SPACE.sub(lambda found: self._space(found[1], file) + "::", written)

    def _space(self, name: str, file: File) -> str:
        return self._spaces.ask((name, file.path), lambda: self._named_space(name, file))

    def _named_space(self, name: str, file: File) -> str:
        aliases = [(f, a) for f, a in self._index.aliases_called(name, file) if a.kind == "namespace"]
        near = [a for f, a in aliases if f is file] or [a for _, a in aliases]
        targets = {a.target.removeprefix("::") for a in near}
        return targets.pop() if len(targets) == 1 else name if targets else self._models.namespace(name)

    def is_macro(self, name: str) -> bool:
        return bool(self._macros.named(name))

    def has_no_value(self, name: str) -> bool:
        """Whether a call of that name is a macro of the project that is statements."""
        return self._macros.has_no_value(name)

    @program_property
    def bound_types(self) -> frozenset[str]:
        """Last names of the C++ classes that are bound to Python: a value of any other class is converted."""
        bound = (
            (file, record.type, record.start) for file in self._index.files.values() for record in file.bound_classes
        )
        return frozenset(types.parse(self.expand(written, file, at=at)).last for file, written, at in bound)

    def scopes(self, function: Function) -> tuple[str, ...]:
        """The namespaces and classes in which the function stands, innermost first, and those its file opens."""
        return self.scopes_at(function.file, function.record.scope)

    def scopes_at(self, file: File, scope: str) -> tuple[str, ...]:
        return self._scopes.ask((file.path, scope), lambda: self._around(scope) + self.opened(file))

    @staticmethod
    def _around(scope: str) -> tuple[str, ...]:
        parts = scope.split("::") if scope else []
        return tuple("::".join(parts[:length]) for length in range(len(parts), 0, -1))

    def opened(self, file: File) -> tuple[str, ...]:
        """The scopes that a file opens: `using namespace llvm;`."""
        return self._opened_scopes.ask(
            file.path,
            lambda: tuple(dict.fromkeys(alias.target for alias in file.aliases if alias.kind in ("open", "using"))),
        )

    def find_class(self, written: str, scope: str, file: File, *, enum: bool = False) -> Class | None:
        """The project's class (or its enum) that `written` names from inside `scope`; None when it is not ours or
        not clear."""
        name = types.parse(written).name
        if not name:
            return None
        key = (name, scope, file.path, enum)
        return self._found_classes.ask(key, lambda: self._find_class(name, scope, file, enum))

    def _find_class(self, name: str, scope: str, file: File, enum: bool) -> Class | None:
        candidates = self._index.classes_called(qualified.last(name), file)
        fitting = [c for c in candidates if qualified.names(c.symbol, name)]
        if candidates and not fitting and (full := self.in_full(name, file)) != name:
            fitting = [c for c in candidates if qualified.names(c.symbol, full)]
        if len(fitting) > 1:
            best = max(qualified.shared(c.symbol, scope) for c in fitting)
            near = [c for c in fitting if qualified.shared(c.symbol, scope) == best]
            fitting = [c for c in near if qualified.encloses(_owner(c.symbol, name), scope)] or near
        return self._index.nearest([c for c in fitting if is_enum(c) is enum], file)

    def carried(self, written: str, origin: tuple[File, str], to: tuple[File, str], *, follow: bool = True) -> str:
        """A type that is written in one file and scope, as it is said in another: a class in full, where its name means
        another class there, or is one of several, and with `follow` what an alias stands for, where another has its
        name."""
        kind = types.parse(written)
        for argument in kind.arguments:
            written = written.replace(argument, self.carried(argument, origin, to, follow=follow), 1)
        if kind.arguments or kind.is_scalar or not kind.name or origin == to:
            return written
        meant, other = self.find_class(kind.name, origin[1], origin[0]), self.find_class(kind.name, to[1], to[0])
        if follow and meant is None and other is None and kind.name.isidentifier():
            here, there = self.expand(written, *origin), self.expand(written, *to)
            return written if here in (written, there) else self.carried(here, origin, to, follow=False)
        if (
            meant is None
            or meant is other
            or (other is None and len(self._index.classes_called(meant.name, origin[0])) < 2)
        ):
            return written
        return _NAME.sub(lambda found: meant.symbol if found[0].removeprefix("::") == kind.name else found[0], written)

    def expand(self, written: str, file: File, scope: str = "", at: int = 0) -> str:
        """A type with the project's aliases followed: `LiveMap` -> `llvm::DenseMap<void *, Entry>`.

        Of aliases that are local to blocks of one function (`using cls = Doc;`) the last before `at` is meant.
        """
        if at:
            return self._expand(written, file, scope, at)
        return self._expanded.ask((written, file.path, scope), lambda: self._expand(written, file, scope, at))

    def _expand(self, written: str, file: File, scope: str, at: int) -> str:
        for _ in range(4):
            kind = types.parse(written)
            alias = self._alias(kind.name, file, scope, at)
            if alias is None or types.parse(alias[1].target).name == kind.name:
                return written
            found = self._target(alias, file, scope)
            if "<" in found and self._comes_back(alias, found, file, scope, at):
                return written
            if alias[1].kind == "using" and kind.arguments and "<" not in found:
                found += f"<{', '.join(kind.arguments)}>"  # `using lib::Ptr;` names the template, for all arguments
            const = "const " if kind.const and not {"*", "const"} & set(re.findall(r"\*|\bconst\b", found)) else ""
            written = const + found + kind.stars + ("&" if kind.reference else "")
        return written

    def _target(self, alias: tuple[File, r.Alias], file: File, scope: str) -> str:
        return self.carried(alias[1].target, (alias[0], alias[1].scope), (file, scope), follow=False)

    def _comes_back(self, alias: tuple[File, r.Alias], target: str, file: File, scope: str, at: int) -> bool:
        """Whether following all that the target says leads to the alias again: `using Kind = kind_t<E>;` in a class,
        where `kind_t` is `conditional_t<b, Kind, Fixed<E>>`. That `Kind` is another type, of an enclosing scope, and
        opening it here would never end."""
        waiting, seen = [target], set[str]()
        while waiting and len(seen) < _MOST_OPENED:
            kind = types.parse(waiting.pop())
            waiting += kind.arguments
            if kind.name not in seen:
                seen.add(kind.name)
                inner = self._alias(kind.name, file, scope, at)
                if inner == alias:
                    return True
                waiting += [self._target(inner, file, scope)] if inner is not None else []
        return False

    def _alias(self, name: str, file: File, scope: str, at: int = 0) -> tuple[File, r.Alias] | None:
        last = qualified.last(name)
        called = [(f, a) for f, a in self._index.aliases_called(last, file) if a.kind in ("type", "using")]
        candidates = [(f, a) for f, a in called if name == last or qualified.names(_join(a), name)]
        if called and not candidates and (full := self.in_full(name, file)) != name:
            candidates = [(f, a) for f, a in called if qualified.names(_join(a), full)]
        if name == last:
            candidates = self._visible(candidates, file, scope)
        if not candidates:
            return None
        candidates = _without_declarations(candidates)
        if len({a.target for _, a in candidates}) > 1:
            around = [(f, a) for f, a in candidates if a.scope and qualified.encloses(a.scope, scope)]
            same = around or [(f, a) for f, a in candidates if f is file]
            candidates = self._nearest_aliases(same or candidates, scope)
            if len({a.target for _, a in candidates}) > 1:
                before = [(f, a) for f, a in same if a.start < at]
                return before[-1] if before else None
        return candidates[0]

    def _visible(self, candidates: list[tuple[File, r.Alias]], file: File, scope: str) -> list[tuple[File, r.Alias]]:
        """Without those of other namespaces, where a class of the name stands in one around `scope`."""
        around = [found for found in candidates if qualified.encloses(found[1].scope, scope)]
        if len(around) == len(candidates):
            return candidates
        classes = self._index.classes_called(candidates[0][1].name, file)
        owners = (cls.symbol.rpartition("::")[0] for cls in classes)
        return around if any(owner and qualified.encloses(owner, scope) for owner in owners) else candidates

    @staticmethod
    def _nearest_aliases(candidates: list[tuple[File, r.Alias]], scope: str) -> list[tuple[File, r.Alias]]:
        shared = [qualified.shared(_join(a), scope) for _, a in candidates]
        near = max(shared)
        return [found for found, common in zip(candidates, shared, strict=True) if common == near]

    def named(self, file: File, value: r.Value) -> str:
        """What a Python name or member resolves to by imports and definitions, dotted; empty for anything else."""
        start = value.start if isinstance(value, r.Name) else value.name_start if isinstance(value, r.Member) else -1
        meaning = self.meaning(file, start) if start >= 0 else None
        return meaning.symbol if meaning is not None else ""

    def meant_name(self, file: File, value: r.Value) -> str:
        """The last part of what a Python name or member resolves to (`partial`, imported as `p`); of what is not known,
        and of anything else, as it is written."""
        return self.named(file, value).rpartition(".")[2] or last_name(value)

    def meaning(self, file: File, start: int) -> r.Meaning | None:
        """What a parser that knows types said about the name token that starts here."""
        if not file.meanings:
            return None
        table = self._meanings.get(file.path)
        if table is None:
            table = self._meanings[file.path] = {meaning.start: meaning for meaning in file.meanings}
        return table.get(start)

    def star_import(self, file: File, symbol: str) -> str:
        """What `*.Module.parse`, a name only a star import can have bound, is when a model knows the module's names."""
        name = symbol.removeprefix("*.")
        for imported in file.imports:
            if imported.name == "*" and name.partition(".")[0] in self._models.exports(imported.target):
                return f"{imported.target}.{name}"
        return ""


def _without_declarations(candidates: list[tuple[File, r.Alias]]) -> list[tuple[File, r.Alias]]:
    """Without the `using heat::Grid` that declare another of the candidates: both are one type."""
    types_of = [_join(alias) for _, alias in candidates if alias.kind == "type"]
    return [
        (file, alias)
        for file, alias in candidates
        if alias.kind != "using" or not any(qualified.names(full, alias.target.removeprefix("::")) for full in types_of)
    ]


def _owner(symbol: str, name: str) -> str:
    """The scope in which `name` alone means the symbol."""
    return symbol.removesuffix(name).removesuffix("::")


def _join(alias: r.Alias) -> str:
    return f"{alias.scope}::{alias.name}" if alias.scope else alias.name
