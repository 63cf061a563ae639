"""Types of expressions, deduced as far as declarations and models say."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from ownlint.facts import records as r
from ownlint.flow.places import strip
from ownlint.models.libraries import Models
from ownlint.project import qualified, standing, types
from ownlint.project.files import File
from ownlint.project.index import ProjectIndex
from ownlint.project.names import ProjectNames
from ownlint.project.questions import Answers
from ownlint.project.subjects import Class, Function

if TYPE_CHECKING:
    from ownlint.project.callees import Calls


_DEEPEST = 12
"""So many expressions one inside the other are followed."""


class Types:
    """Types of a program's expressions. What a call gives is asked of its `calls`, which ask back for receivers."""

    calls: Calls

    def __init__(self, index: ProjectIndex, names: ProjectNames, models: Models) -> None:
        self._index = index
        self._names = names
        self._models = models
        self._roles: Answers[tuple[str, str, str], tuple[str, ...]] = Answers()

    def of(self, value: r.Value | None, function: Function, depth: int = 0) -> str:
        """The type of an expression as text, aliases followed where the project defines them; empty when unknown."""
        written = self.written(value, function, depth)
        return self._names.expand(written, function.file, function.record.scope) if written else ""

    def written(self, value: r.Value | None, function: Function, depth: int = 0) -> str:
        """The same as it is written, by the name of an alias where it has one."""
        return "" if value is None or depth > _DEEPEST else self._type_of(value, function, depth + 1)

    def _type_of(self, value: r.Value, function: Function, depth: int) -> str:
        match value:
            case r.Name(text=name, start=start):
                if meant := self._meant(function.file, start):
                    return meant
                return self._type_of_name(name, start, function, depth)
            case r.Member(base=base, name=name):
                if meant := self._meant(function.file, value.name_start):
                    return meant
                return self._type_of_member(self.holder(base, function, depth), name, function)
            case r.Index(base=base, indexes=indexes):
                held = self.of(base, function, depth)
                return types.element(held) if indexes else types.walked(held)
            case r.Call():
                return self.calls.result_type(value, function, depth)
            case r.Cast(type=written):
                return written
            case r.Unary(op="*", value=inner):
                held = self.of(inner, function, depth)
                return self.walked(held, function) or types.element(held)
            case r.Unary(op="await" | "co_await", value=inner):
                awaited = types.parse(self.of(inner, function, depth)).arguments
                return awaited[0] if awaited else ""
            case r.Unary(op="&", value=inner):
                pointee = self.of(inner, function, depth)
                return pointee.rstrip(" &") + "*" if pointee else ""
            case r.Conditional(then=then, other=other):
                return self.of(then, function, depth) or self.of(other, function, depth)
            case r.Binary(op="+", left=left, right=right):
                return self._joined(left, function, depth) or self._joined(right, function, depth)
            case r.Literal(kind="bool"):
                return "bool"
        return ""

    def holder(self, base: r.Value, function: Function, depth: int = 0) -> str:
        """The type among whose members one of `base` is found; empty when unknown. The members of an unnamed struct are
        those of the class around it: of `engine->poll.events` that of `engine`, where `poll` is a `struct { ... }`."""
        inner = strip(base)
        if not isinstance(inner, r.Member) or depth > _DEEPEST:
            return self.of(base, function, depth)
        is_wrapped = inner is not base
        if is_wrapped and (written := self.of(base, function, depth)):
            return written
        written = "" if is_wrapped else self._meant(function.file, inner.name_start)
        around = "" if written else self.holder(inner.base, function, depth + 1)
        if not (is_wrapped or written):
            written = self._type_of_member(around, inner.name, function)
        if written:
            return self._names.expand(written, function.file, function.record.scope)
        found = (cls.field(inner.name) for cls in self.classes_of(around, function)) if around else ()
        return around if any(one is not None and not one[1].type for one in found) else ""

    def _joined(self, side: r.Value, function: Function, depth: int) -> str:
        """What a sum is of which one side is a string: a string of its own. Empty for other sides."""
        if isinstance(strip(side), r.Literal):
            return ""
        kind = types.parse(self.of(side, function, depth))
        if kind.pointers or not {"string", "container"}.issubset(self.roles(kind.name, function)):
            return ""
        return kind.name + (f"<{', '.join(kind.arguments)}>" if kind.arguments else "")

    def _meant(self, file: File, start: int) -> str:
        """The type of the name token that starts here. One that depends on a template's parameters is left
        out: it is spelled without the scopes that a model knows it by."""
        meaning = self._names.meaning(file, start)
        return "" if meaning is None or "type-parameter-" in meaning.type else meaning.type

    def _type_of_name(self, name: str, start: int, function: Function, depth: int) -> str:
        if name == "this":
            return function.home.symbol + "*" if function.home is not None else ""
        if (accessor := standing.behind(function, name)) is not None:
            return accessor.record.result.rstrip().removesuffix("&")
        current: Function | None = function
        while current is not None:
            if name in current.locals:
                written, initial = current.local_at(name, start)
                if initial is None and current.record.kind == "lambda" and types.parse(written).is_placeholder:
                    return self.calls.given_element(current, name, depth) or written
                if initial is not None and types.parse(written).is_placeholder:
                    if 0 < start < initial.end:
                        return written  # not declared yet: what is meant there is something else of that name
                    return _placed(written, self._initial(name, initial, current, depth))
                return written
            current = current.parent
        if function.home is not None and (found := function.home.field(name)):
            return self._field(*found, function)
        variables = {variable.type for _, variable in self._index.variables_called(qualified.last(name))}
        return variables.pop() if len(variables) == 1 else ""

    def _initial(self, name: str, initial: r.Value, function: Function, depth: int) -> str:
        """The type of what a local is given: of `auto [a, b] = both` the part that it is bound to."""
        given = self.of(initial, function, depth)
        names = function.bound.get(name, ())
        if not names:
            return given
        kind = types.parse(given)
        if len(kind.arguments) == len(names) and "pair" in self.roles(given, function):
            return kind.arguments[names.index(name)]
        cls = self._names.find_class(kind.name, function.record.scope, function.file)
        fields = [field for field in cls.record.fields if not field.static] if cls is not None else []
        return fields[names.index(name)].type if len(fields) == len(names) else ""

    def walked(self, iterator: str, function: Function) -> str:
        """What an iterator points to; empty where the type is that of no container's iterator."""
        over = self._names.expand(types.iterated(iterator), function.file, function.record.scope)
        return types.walked(over) if over and "container" in self.roles(over, function) else ""

    def _type_of_member(self, base: str, name: str, function: Function) -> str:
        if not base:
            return ""
        base = self.walked(base, function) or base
        kind = types.parse(base)
        if kind.last == "pair" and len(kind.arguments) == 2 and name in ("first", "second"):
            return kind.arguments[name == "second"]
        for cls in self.classes_of(base, function):
            if found := cls.field(name):
                written = self._field(*found, function)
                if cls.record.template and kind.arguments and kind.last == cls.name and found[0] is cls:
                    return types.substituted(written, cls.record.template, kind.arguments)
                return written
        return ""

    def _field(self, cls: Class, field: r.Field, function: Function) -> str:
        return self._names.carried(field.type, (cls.file, cls.symbol), (function.file, function.record.scope))

    def classes_of(self, written: str, function: Function) -> Iterator[Class]:
        """The project's classes a receiver of this type can be: itself, or what it points to."""
        written = self.walked(written, function) or written
        kind = types.parse(written)
        cls = self._names.find_class(kind.name, function.record.scope, function.file)
        if cls is not None:
            yield cls
        roles = self._models.role(kind.name, self._names.scopes(function)) if kind.arguments else ()
        if kind.arguments and (
            (cls is not None and cls.declared("operator->"))
            or "smart pointer" in roles
            or "shared pointer" in roles
            or "optional" in roles
            or cls is None
        ):
            inner = self._names.find_class(kind.arguments[0], function.record.scope, function.file)
            if inner is not None:
                yield inner

    def roles(self, written: str, function: Function) -> tuple[str, ...]:
        """What kinds of thing a type is, by the models; aliases followed."""
        return self.roles_at(written, function.file, function.record.scope)

    def roles_at(self, written: str, file: File, scope: str) -> tuple[str, ...]:
        """The same for a type that is written in a file, inside the scope."""
        return self._roles.ask((written, file.path, scope), lambda: self._roles_at(written, file, scope))

    def _roles_at(self, written: str, file: File, scope: str) -> tuple[str, ...]:
        scopes = self._names.scopes_at(file, scope)
        own = self._names.find_class(types.parse(written).name, scope, file)
        if own is not None and own.methods and not ("::" in own.symbol and self._models.role(own.symbol, ())):
            return ()  # the project's own class, whatever else has that name
        found = self._models.role(self._names.in_full(self._names.expand(written, file, scope), file), scopes)
        # A library's `typedef struct _Thing {...} Thing;`, whose header is read too: models know the name that is used.
        return found or self._models.role(written, scopes)


def _placed(written: str, inferred: str) -> str:
    """What stands for `auto`, with the pointer or the `const` that is written beside it."""
    if not inferred or "const" in inferred.split():
        return inferred
    if "*" in written and not inferred.endswith("*"):
        inferred += "*"
    is_of_what_it_is = "*" in written or not types.parse(inferred).pointers
    return f"const {inferred}" if types.parse(written).const and is_of_what_it_is else inferred
