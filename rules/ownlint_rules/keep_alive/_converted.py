"""Pointers into a temporary that outlive it: what was converted from an object of Python's, or a string, a container or
a scoped pointer that a call returns by value; and pointers into what was parsed out of an argument."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Literal as OneOf
from typing import NamedTuple

from ownlint import Function, lasting, places, references, slot_tables, text, types
from ownlint import events as e
from ownlint import records as r

_INTO = frozenset({"c_str", "data", "mutable_data", "begin"})
_BY_VALUE = "cast"
_ADDRESS = re.compile(rb'"&"')


class Dangling(NamedTuple):
    """`name` is what gets the pointer, "" for the result. `owner` is what it leads into, which ends; `plain` says that
    Python has no part in it."""

    at: r.Value | e.Event
    how: OneOf["kept", "stored", "returned", "parsed"]
    name: str
    owner: str
    plain: bool = False


class _Owner(NamedTuple):
    """A temporary, as it is shown."""

    shown: str
    plain: bool


def dangling(function: Function) -> Iterator[Dangling]:
    if function.language != "cpp":
        return
    reader = _TemporaryReader(function, references.references(function.program))
    if function.mentioned:
        yield from reader.kept()
        yield from reader.stored()
        yield from reader.parsed()
    yield from reader.returned()


class _TemporaryReader:
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
            if owner and self.is_looked_at(name):
                yield Dangling(statement.value, "kept", name, *owner)

    def is_looked_at(self, name: str) -> bool:
        """Whether something reads the pointer, or writes to what it leads to."""
        return any(
            (isinstance(event, e.Read) or (isinstance(event, e.Write) and len(event.place) > 1))
            and event.place[0] == name
            for event in self.function.flow
        )

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
                yield Dangling(write.value, "stored", name, *owner)

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
                    yield Dangling(value, "returned", "", *owner)

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

    def owner(self, value: r.Value | None, written: str) -> _Owner | None:
        """The temporary that a pointer or view of this type is taken of; None for none, and for what only converts."""
        kind = types.parse(written)
        is_view = kind.is_value and "view" in self.roles(written)
        if not (kind.pointers == 1 or is_view or kind.is_placeholder):
            return None
        if kind.pointers and self.known.is_pointer(written, self.function):
            return None
        inner = places.strip(value)
        if is_view and inner is not None and self.is_text(inner):
            return _Owner(text(inner, 60), plain=False)
        if (found := self.into(inner) or self.into_shared(inner)) is not None:
            return _Owner(text(found, 60), plain=False)
        found = self.made(inner, "container") if is_view else self.into_plain(inner)
        return _Owner(text(found, 60), plain=True) if found is not None else None

    def into_shared(self, inner: r.Value | None) -> r.Value | None:
        """The same of an object that may share its memory with others, as a tensor does, and of which a library's
        method has just made one, as far as it had to: `input.contiguous().data_ptr<float>()`."""
        match inner:
            case r.Call(callee=r.Member(base=base, arrow=False)) if isinstance(made := places.strip(base), r.Call):
                written = self.program.types.of(made, self.function)
                if not types.parse(written).is_value or "shared storage" not in self.roles(written):
                    return None
                known = self.program.calls.callee(inner, self.function).models
                makers = self.program.calls.callee(made, self.function).models
                is_lent = any(model.has("borrow", "result") for model in known)
                return made if is_lent and any(model.has("copy", "result") for model in makers) else None
        return None

    def into_plain(self, inner: r.Value | None) -> r.Value | None:
        """The same of a temporary that is not converted from an object of Python's."""
        match inner:
            case r.Unary(op="&", value=pointee):
                return self.made(_element_of(pointee), "container")
            case r.Call(callee=r.Member(base=base, arrow=False, name="get"), args=()):
                return self.made(base, "smart pointer")
            case r.Call(callee=r.Member(base=base, arrow=False, name="c_str" | "data" | "constData"), args=()):
                return self.made(base, "container") or self.copied(base)
        return None

    def made(self, value: r.Value | None, role: str) -> r.Value | None:
        """The value itself, where it is an object of that role which ends with the statement."""
        match inner := places.strip(value):
            case r.Binary(op="+"):
                written = self.program.types.of(inner, self.function)
            case r.Call(kind="call" | "construct"):
                written = self.made_type(inner)
            case _:
                return None
        return inner if types.parse(written).is_value and role in self.roles(written) else None

    def copied(self, value: r.Value) -> r.Value | None:
        """The same of a string whose copies share their characters, which a library's function has just made."""
        inner = places.strip(value)
        if not isinstance(inner, r.Call) or "string" not in self.roles(self.made_type(inner)):
            return None
        found = self.program.calls.callee(inner, self.function)
        return inner if any(model.has("copy", "result") for model in found.models) else None

    def made_type(self, call: r.Call) -> str:
        """The type of the object that a call makes; "" where it may answer with a reference to one that lives on."""
        written = self.program.types.of(call, self.function)
        if call.kind == "construct":
            return written
        if isinstance(call.callee, r.Name) and self.roles(call.callee.text):  # `std::string(text)` names a class
            return "" if call.callee.text in self.function.locals else written
        found = self.program.calls.callee(call, self.function)
        if found.certainty == "possible" or any(model.has("returns") or model.has("borrow") for model in found.models):
            return ""
        if any(model.has("own", "result") for model in found.models):
            return written
        declared = self.program.names.expand(found.result, self.function.file, self.function.record.scope)
        return written if declared and types.parse(declared).is_value else ""

    def into(self, inner: r.Value | None) -> r.Value | None:
        """The temporary in front of `.c_str()`, `.data()`, `.request().ptr`, or inside of `PyUnicode_AsUTF8(..)`."""
        match inner:
            case r.Unary(op="&", value=pointee):
                element = _element_of(pointee)
                return self.into(places.strip(pointee)) if element is None else self.temporary(element)
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

    def local(self, value: r.Value | None, written: str) -> _Owner | None:
        """A local string or container that the result leads into."""
        kind = types.parse(written)
        match inner := places.strip(value):
            case r.Call(callee=r.Member(base=base, arrow=False, name=name), args=()) if name in _INTO and kind.pointers:
                inner = places.strip(base)
            case r.Unary(op="&", value=pointee) if kind.pointers:
                inner = places.strip(_element_of(pointee))
            case r.Name() if kind.is_value and "view" in self.roles(written):
                pass
            case _:
                return None
        if not isinstance(inner, r.Name) or inner.text not in self.function.locals or inner.text in self.function.bound:
            return None
        declared, initial = self.function.locals[inner.text]
        if types.parse(declared).is_placeholder and types.parse(declared).is_value:
            made = places.strip(initial)
            if made is not None and any(self.is_text(part) for part in places.walk(made)):
                return _Owner(inner.text, plain=False)
            declared = self.program.types.of(inner, self.function)
        if (
            inner.text in lasting.statics(self.function)
            or not types.parse(declared).is_value
            or "container" not in self.roles(declared)
        ):
            return None
        return _Owner(inner.text, plain=True)


def _element_of(value: r.Value) -> r.Value | None:
    """`all` of `all[0]`, `all.front()`, `all.back()`."""
    match places.strip(value):
        case r.Index(base=base) | r.Call(callee=r.Member(base=base, name="front" | "back"), args=()):
            return base
    return None


def last_scope(call: r.Call) -> str:
    return call.callee.text if isinstance(call.callee, r.Name) else ""
