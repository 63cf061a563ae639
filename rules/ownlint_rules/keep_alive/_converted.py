"""Pointers into what was converted from an object of Python's, or parsed out of one, and that outlive it."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Literal as OneOf
from typing import NamedTuple

from ownlint import Function, places, references, slot_tables, text, types
from ownlint import events as e
from ownlint import records as r

_INTO = frozenset({"c_str", "data", "mutable_data", "begin", "front"})
_BY_VALUE = "cast"
_ADDRESS = re.compile(rb'"&"')


class Dangling(NamedTuple):
    """`name` is what gets the pointer, "" for the result. `owner` is what it leads into, which ends."""

    at: r.Value | e.Event
    how: OneOf["kept", "stored", "returned", "parsed"]
    name: str
    owner: str


def dangling(function: Function) -> Iterator[Dangling]:
    if function.language != "cpp" or not function.mentioned:
        return
    known = references.references(function.program)
    reader = _ConversionReader(function, known)
    yield from reader.kept()
    yield from reader.stored()
    yield from reader.returned()
    yield from reader.parsed()


class _ConversionReader:
    def __init__(self, function: Function, known: references.References) -> None:
        self.function = function
        self.program = function.program
        self.known = known

    def roles(self, written: str) -> tuple[str, ...]:
        return tuple(self.program.types.roles(written, self.function))

    # --- the three ways out ---

    def kept(self) -> Iterator[Dangling]:
        for statement in self.function.statements:
            if not isinstance(statement, r.Declare) or statement.value is None or len(statement.names) != 1:
                continue
            name = statement.names[0]
            owner = self.owner(statement.value, statement.type)
            if owner and any(isinstance(ev, e.Read) and ev.place[0] == name for ev in self.function.flow):
                yield Dangling(statement.value, "kept", name, owner)

    def stored(self) -> Iterator[Dangling]:
        record = self.function.record
        if not (record.initializers or any(name.startswith("=") for name in self.function.mentioned)):
            return
        for write in self.function.flow.writes:
            if write.fresh or write.value is None or write.op not in ("=", "init"):
                continue
            written = self.program.types.of(write.target, self.function) if write.target is not None else ""
            owner = self.owner(write.value, written)
            if owner:
                name = text(write.target) if write.target is not None else ".".join(write.place)
                yield Dangling(write.value, "stored", name, owner)

    def returned(self) -> Iterator[Dangling]:
        written = self.function.record.result
        if not written:
            return
        for statement in self.function.statements:
            if not isinstance(statement, r.Leave) or statement.kind != "return":
                continue
            for value in references.alternatives(statement.value):
                owner = self.owner(value, written) or self.local(value, written)
                if owner:
                    yield Dangling(value, "returned", "", owner)

    def parsed(self) -> Iterator[Dangling]:
        if not self.function.says(_ADDRESS):
            return
        lent: dict[str, str] = {}
        for call in self.function.flow.calls:
            model = self.known.model(call.node, self.function)
            if model is None or not model.format_points:
                continue
            letters = references.format_letters(call.node, model) or {}
            for index, argument in enumerate(call.node.args):
                bare = places.strip(argument)
                points = letters.get(index, "?") in model.format_points
                if points and isinstance(bare, r.Unary) and bare.op == "&" and isinstance(bare.value, r.Name):
                    lent[bare.value.text] = places.last_name(call.node.callee)
        if not lent or self.counts_arguments():
            return
        for write in self.function.flow.writes:
            value = places.strip(write.value)
            if write.fresh or not isinstance(value, r.Name) or value.text not in lent:
                continue
            if self.outlives(write) and types.parse(self.function.locals.get(value.text, ("",))[0]).pointers == 1:
                shown = text(write.target) if write.target is not None else ".".join(write.place)
                yield Dangling(write, "parsed", shown, value.text)

    def counts_arguments(self) -> bool:
        """Whether the function keeps something of what it was given alive."""
        return any(
            self.known.use(call.node, index, self.function) == "retained"
            for call in self.function.flow.calls
            for index, _ in enumerate(call.node.args)
        )

    def outlives(self, write: e.Write) -> bool:
        """Whether the place belongs to the object that the function is called on."""
        root = write.place[0]
        if not isinstance(write.target, r.Member):
            return False
        if root == places.THIS:
            return True
        parameters = [p.name for p in self.function.record.parameters]
        initial = places.strip(self.function.locals.get(root, ("", None))[1])
        if root not in parameters and isinstance(initial, r.Name):
            root = initial.text
        return slot_tables.is_slot(self.function) and parameters[:1] == [root]

    # --- what ends with the statement ---

    def owner(self, value: r.Value | None, written: str) -> str:
        """The temporary that a pointer or view of this type is taken of; "" for none, and for what only converts."""
        kind = types.parse(written)
        is_view = kind.is_value and "view" in self.roles(written)
        if not (kind.pointers == 1 or is_view or kind.is_placeholder):
            return ""
        if kind.pointers and self.known.is_pointer(written, self.function):
            return ""
        inner = places.strip(value)
        if is_view and inner is not None and self.is_text(inner):
            return text(inner, 60)
        found = self.into(inner)
        return text(found, 60) if found is not None else ""

    def into(self, inner: r.Value | None) -> r.Value | None:
        """The temporary in front of `.c_str()`, `.data()`, `.request().ptr`, or inside of `PyUnicode_AsUTF8(..)`."""
        match inner:
            case r.Unary(op="&", value=pointee):
                return self.into(places.strip(pointee))
            case r.Index(base=base):
                return self.temporary(base)
            case r.Member(base=r.Call(callee=r.Member(base=base, name="request"), args=()), name="ptr"):
                return self.temporary(base)
            case r.Call(callee=r.Member(base=base, name=name), args=()) if name in _INTO:
                return self.temporary(base)
            case r.Call(callee=r.Name(), args=[first, *_]):
                model = self.known.model(inner, self.function)
                if model is None or model.counted or not model.has("borrow", "result"):
                    return None
                given = places.strip(first)
                if isinstance(given, r.Call) and isinstance(given.callee, r.Member) and given.callee.name == "ptr":
                    return self.temporary(given.callee.base)
        return None

    def temporary(self, value: r.Value) -> r.Value | None:
        inner = places.strip(value)
        if inner is not None and (self.is_text(inner) or self.is_converted(inner)):
            return inner
        return None

    def is_text(self, value: r.Value) -> bool:
        """A string of C++'s, made of an object of Python's on the spot."""
        if not isinstance(value, r.Call) or value.kind == "new":
            return False
        if places.last_name(value.callee) == _BY_VALUE and value.template:
            return "string" in self.roles(value.template) and self.is_python(value)
        if isinstance(value.callee, r.Name) and value.args and value.callee.text not in self.function.locals:
            return "string" in self.roles(value.callee.text) and any(map(self.is_object, value.args))
        return False

    def is_python(self, call: r.Call) -> bool:
        """Whether a `cast` is of an object of Python's."""
        if isinstance(call.callee, r.Member):
            return True
        return bool(call.args) and "::" in last_scope(call)

    def is_object(self, value: r.Value) -> bool:
        inner = places.strip(value)
        return inner is not None and (self.is_converted(inner) or self.known.is_object(inner, self.function))

    def is_converted(self, value: r.Value) -> bool:
        """`py::str(x)`, `py::array_t<float>(x)`: an object of its own wherever `x` is of another type."""
        if not isinstance(value, r.Call) or not isinstance(value.callee, r.Name) or len(value.args) != 1:
            return False
        if value.callee.text in self.function.locals:
            return False
        written = f"{value.callee.text}<{value.template}>" if value.template else value.callee.text
        roles = self.roles(written)
        return "python object" in roles and "immortal" not in roles and places.last_name(value.callee) != "object"

    def local(self, value: r.Value | None, written: str) -> str:
        """A local string made of an object of Python's that the result leads into."""
        inner = places.strip(value)
        is_view = types.parse(written).is_value and "view" in self.roles(written)
        if isinstance(inner, r.Call) and isinstance(inner.callee, r.Member) and inner.callee.name in _INTO:
            if not is_view and types.parse(written).pointers != 1:
                return ""
            inner = places.strip(inner.callee.base)
        elif not is_view:
            return ""
        if not isinstance(inner, r.Name) or inner.text not in self.function.locals:
            return ""
        declared, initial = self.function.locals[inner.text]
        static = any(isinstance(s, r.Declare) and s.static and inner.text in s.names for s in self.function.statements)
        made = places.strip(initial)
        if static or made is None or not types.parse(declared).is_value or "view" in self.roles(declared):
            return ""
        return inner.text if any(self.is_text(part) for part in places.walk(made)) else ""


def last_scope(call: r.Call) -> str:
    return call.callee.text if isinstance(call.callee, r.Name) else ""
