"""Bound classes that wrap a native handle: where the handle comes from, and who is kept alive with it."""

from __future__ import annotations

import re
from collections.abc import Iterator

import msgspec

from ownlint import Class, Function, Program, conditions, habits, natives, pairs, places, questions, types
from ownlint import records as r

_OWNING = frozenset(
    {"python object", "python array", "shared pointer", "intrusive pointer", "scoped owner", "smart pointer"}
)
_PLAIN = frozenset(
    "bool char short int long unsigned float double void size_t auto string string_view byte".split()  # noqa: SIM905
)
_NAMED = re.compile(r"[A-Z]\w*[a-z]\w*|(?!u?int\d+_t|ptrdiff_t|u?intptr_t|time_t)[a-z]\w*_t")
_DEPTH = 4


class Wrapped(msgspec.Struct, frozen=True):
    """`value` in `function` makes an object of the class `made` of a handle that a native function hands out for an
    object of the project's class `source`, or of the handle of that object itself. `copied` when that function is named
    after making a copy."""

    function: Function
    value: r.Value
    made: Class
    source: Class
    copied: bool
    same: bool = False


class Wrappers:
    """The bound classes of one program that wrap native handles."""

    def __init__(self, program: Program) -> None:
        self.program = program

    @questions.program_property
    def bound(self) -> dict[str, Class]:
        """The project's C++ classes that are bound to Python, by symbol."""
        found: dict[str, Class] = {}
        for file in self.program.files.values():
            for record in file.bound_classes:
                around = self.program.index.function_at(file, record.in_function) if record.in_function >= 0 else None
                scope = around.record.scope if around is not None else ""
                cls = self.program.names.find_class(
                    self.program.names.expand(record.type, file, scope, record.start), scope, file
                )
                if cls is not None:
                    found[cls.symbol] = cls
        return found

    @questions.program_property
    def _last_names(self) -> frozenset[str]:
        return frozenset(cls.name for cls in self.bound.values())

    def handle_of(self, cls: Class) -> r.Field | None:
        """The member that is a native handle: a pointer to, or a value of, what nobody here binds or defines as more
        than a handle."""
        return next((field for field in cls.record.fields if self._is_handle(cls, field)), None)

    def _is_handle(self, cls: Class, field: r.Field) -> bool:
        roles = self.program.types.roles_at(field.type, cls.file, cls.symbol)
        if field.static or set(roles) - {"handle"}:
            return False
        written = self.program.names.expand(field.type, cls.file, cls.symbol)
        kind = types.parse(written)
        if kind.arguments or kind.reference or kind.last in _PLAIN - {"void"} or "(" in written:
            return False
        pointee = self.program.names.find_class(kind.name, cls.symbol, cls.file)
        if pointee is not None and pointee.symbol in self.bound:
            return False
        if kind.pointers:
            return kind.pointers == 1
        if pointee is not None:
            fields = [one for one in pointee.record.fields if not one.static]
            return len(fields) == 1 and types.parse(fields[0].type).pointers == 1 and not pointee.methods
        if natives.natives(self.program).is_handle(field.type, cls.file, cls.symbol):
            return True
        # Defined out of sight: a struct of a C interface has a name of its own, without a namespace.
        return (
            "::" not in kind.name
            and _NAMED.fullmatch(kind.name) is not None
            and not self.program.index.defines(kind.last)
        )

    def holds_owner(self, cls: Class, depth: int = 0) -> bool:
        """Whether an object of the class keeps somebody alive: a Python object, a shared pointer, a class or base that
        does; so does one of whose bases nothing is known."""
        for base in cls.record.bases:
            found = self.program.names.find_class(base.name, cls.symbol, cls.file)
            if found is None or (depth < _DEPTH and self.holds_owner(found, depth + 1)):
                return True
        return any(self._keeps(cls, field, depth) for field in cls.record.fields if not field.static)

    def _keeps(self, cls: Class, field: r.Field, depth: int) -> bool:
        written = self.program.names.expand(field.type, cls.file, cls.symbol)
        kind = types.parse(written)
        if not _OWNING.isdisjoint(self.program.types.roles_at(written, cls.file, cls.symbol)):
            return True
        if any(types.parse(argument).last in self._last_names for argument in kind.arguments):
            return True  # a project's own kind of reference to a bound object
        if kind.pointers or depth >= _DEPTH:
            return False
        inner = self.program.names.find_class(kind.name, cls.symbol, cls.file)
        return inner is not None and inner is not cls and self.holds_owner(inner, depth + 1)

    # --- where they are made ---

    @questions.program_property
    def made(self) -> list[Wrapped]:
        """Every place where a class is made of a handle that comes from an object of another class, in source order.
        Classes that are not bound count among the siblings of those that are."""
        alone = {
            cls.name for cls in self.bound.values() if self.handle_of(cls) is not None and not self.holds_owner(cls)
        }
        if not alone:
            return []
        lonely = list(self._making(alone))
        sources = {wrapped.source for wrapped in lonely}
        if not sources:
            return []
        holding = {cls.name for cls in self.program.classes if self._may_hold(cls) and self.holds_owner(cls)}
        found = [*lonely, *(wrapped for wrapped in self._making(holding - alone) if wrapped.source in sources)]
        return sorted(found, key=lambda one: (one.function.path, one.value.start))

    def _making(self, names: set[str]) -> Iterator[Wrapped]:
        """Where classes of these names are made."""
        wanted = names | {"make_unique", "make_shared"}
        for function in self.program.functions:
            if function.language == "cpp" and not wanted.isdisjoint(function.mentioned):
                yield from self._made_in(function, names)

    def _may_hold(self, cls: Class) -> bool:
        return cls.file.language == "cpp" and bool(cls.record.fields or cls.record.bases)

    def _made_in(self, function: Function, wrapping: set[str]) -> Iterator[Wrapped]:
        for inner in function.values:
            if isinstance(inner, r.Call) and (made := self._class_made(function, inner, wrapping)) is not None:
                yield from self._from_another(function, inner, made)

    def _class_made(self, function: Function, call: r.Call, wrapping: set[str]) -> Class | None:
        written = call.callee.text if isinstance(call.callee, r.Name) else ""
        if call.template and places.last_name(call.callee) in ("make_unique", "make_shared"):
            written = call.template
        if types.parse(written).last not in wrapping:
            return None
        return self.program.names.find_class(written, function.record.scope, function.file)

    def _from_another(self, function: Function, call: r.Call, made: Class) -> Iterator[Wrapped]:
        items = [
            item.value if isinstance(item, r.Pair) else item
            for argument in call.args
            for item in (argument.items if isinstance(argument, r.Aggregate) else (argument,))
        ]
        for item in items:
            native = self._computed(function, item)
            same = self._handle_in(function, native)
            source = same or (self._source(function, native) if isinstance(native, r.Call) else None)
            if native is not None and source is not None and source is not made and self._is_object(source):
                said = pairs.words(places.last_name(native.callee)) if isinstance(native, r.Call) else ()
                yield Wrapped(function, call, made, source, not habits.COPIES.isdisjoint(said), same is not None)
                return

    def _handle_in(self, function: Function, value: r.Value | None) -> Class | None:
        """The bound class of the object whose own handle this is: `self.get()`, `self.block`."""
        match value:
            case r.Call(callee=r.Member(base=base), args=()) | r.Member(base=base):
                source = self._class_of(function, base)
            case r.Name(text=name) if function.home is not None and name in function.home.members:
                source = function.home
            case _:
                return None
        held = self.handle_of(source) if source is not None and source.symbol in self.bound else None
        if held is None or source is None:
            return None
        kind = types.parse(self.program.types.of(value, function))
        return source if kind.last == types.parse(held.type).last else None

    def _is_object(self, source: Class) -> bool:
        """Whether it is more than a plain struct of values, such as a C interface passes around."""
        return source.symbol in self.bound or bool(source.declarations)

    def _computed(self, function: Function, value: r.Value) -> r.Value | None:
        inner = places.strip(value)
        for _ in range(_DEPTH):
            if not isinstance(inner, r.Name):
                break
            initial = places.strip(conditions.computed_once(function, inner.text))
            if initial is None:
                break
            inner = initial
        return inner

    def _source(self, function: Function, native: r.Call) -> Class | None:
        """The bound class whose object a native function is asked about, through what it hands out of itself."""
        if not isinstance(native.callee, r.Name) or native.kind != "call":
            return None
        for argument in native.args:
            given = self._computed(function, argument)
            owner: r.Value | None = None
            match given:
                case r.Call(callee=r.Member(), args=()):
                    owner = places.receiver(given)
                case r.Member(base=base):
                    owner = base
                case r.Name(text=name) if function.home is not None and name in function.home.members:
                    return function.home
            found = self._class_of(function, owner) if owner is not None else None
            if found is not None:
                return found
        return None

    def _class_of(self, function: Function, owner: r.Value) -> Class | None:
        """The project's class of the object, or of what a reference to it leads to."""
        kind = types.parse(self.program.types.of(owner, function))
        found = (
            self.program.names.find_class(n, function.record.scope, function.file) for n in (*kind.arguments, kind.name)
        )
        return next((cls for cls in found if cls is not None), None)


@questions.program_question
def of(program: Program) -> Wrappers:
    """The wrappers of a program; one object a program, since its answers are remembered."""
    return Wrappers(program)
