"""Pointers into a temporary that outlive it: what was converted from an object of Python's, or a string, a container or
a scoped pointer that a call returns by value; and pointers into what was parsed out of an argument."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Literal as OneOf
from typing import NamedTuple

from ownlint import Class, Function, lasting, places, questions, references, resources, slot_tables, text, types
from ownlint import events as e
from ownlint import records as r

_INTO = frozenset({"c_str", "data", "mutable_data", "begin"})
_BORROWING = frozenset(
    {"view", "iterator", "guard", "shared pointer", "intrusive pointer", "weak pointer", "python object", "handle"}
)
"""Roles of objects that do not own what they lead to, or not alone."""
_OPENED = frozenset({"smart pointer", "optional"})
"""Of objects to what holds which `*` and `->` lead."""
_BY_VALUE = "cast"
_ADDRESS = re.compile(rb'"&"')


class Dangling(NamedTuple):
    """`name` is what gets the pointer, "" for the result. `owner` is what it leads into, which ends; `plain` says that
    Python has no part in it, `getter` which method of the project's is thought to answer with a part of its object."""

    at: r.Value | e.Event
    how: OneOf["kept", "stored", "returned", "parsed", "looped"]
    name: str
    owner: str
    plain: bool = False
    getter: str = ""


class _Owner(NamedTuple):
    """A temporary, as it is shown."""

    shown: str
    plain: bool
    getter: str = ""


class _Lent(NamedTuple):
    """A temporary in which an object lies, or that owns it."""

    owner: r.Value
    getter: str = ""


@questions.question
def answers_own_part(function: Function) -> bool:
    """Whether a method always answers with a member of its object, by reference or address, or with what a member owns:
    through a smart pointer, or through a pointer that the destructor ends."""
    cls, result = function.cls, types.parse(function.record.result)
    leaves = [one for one in function.statements if isinstance(one, r.Leave) and one.kind == "return"]
    if cls is None or not leaves or not (result.reference or result.pointers == 1):
        return False
    return all(_is_own_part(function, cls, one.value, by_address=not result.reference) for one in leaves)


def _is_own_part(function: Function, cls: Class, value: r.Value | None, *, by_address: bool) -> bool:
    match inner := places.strip(value):
        case r.Unary(op="&", value=whole) if by_address:
            return _is_own_part(function, cls, whole, by_address=False)
        case r.Unary(op="*", value=pointer) if not by_address:
            return _is_own_part(function, cls, pointer, by_address=True)
        case (
            r.Call(callee=r.Name(text=name), args=())
            | r.Call(callee=r.Member(base=r.Name(text="this"), name=name), args=())
        ):
            own = cls.defined(name)
            return by_address and len(own) == 1 and own[0] is not function and answers_own_part(own[0])
        case r.Call(callee=r.Member(base=base, arrow=False, name="get"), args=()):
            return by_address and "smart pointer" in _roles_of_member(function, cls, base)
    name = _own_member(function, inner)
    field = cls.fields.get(name)
    if field is None or field.static:
        return False
    kind = types.parse(field.type)
    if by_address:
        owned = resources.resources(function.program).end_of(cls, name) if kind.pointers == 1 else None
        smart = kind.is_value and "smart pointer" in _roles_of_member(function, cls, inner)
        return smart or (owned is not None and owned.certainty != "possible")
    return kind.is_value


def _own_member(function: Function, value: r.Value | None) -> str:
    """The member of its own object that a method names; empty for anything else."""
    match places.strip(value):
        case r.Name(text=name) if name not in function.declared:
            return name
        case r.Member(base=r.Name(text="this"), name=name):
            return name
    return ""


def _roles_of_member(function: Function, cls: Class, value: r.Value | None) -> tuple[str, ...]:
    field = cls.fields.get(_own_member(function, value))
    return tuple(function.program.types.roles(field.type, function)) if field is not None else ()


def dangling(function: Function) -> Iterator[Dangling]:
    if function.language != "cpp":
        return
    reader = _TemporaryReader(function, references.references(function.program))
    if function.mentioned:
        yield from reader.kept()
        yield from reader.looped()
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

    def looped(self) -> Iterator[Dangling]:
        """Over a part of a temporary, which ends before the first round."""
        for statement in self.function.statements:
            if isinstance(statement, r.Loop) and statement.kind == "range" and statement.iterable is not None:
                lent = self.lent(statement.iterable)
                if lent is not None:
                    yield Dangling(statement.iterable, "looped", "", text(lent.owner, 60), True, lent.getter)

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
            if write.op == "=":
                written = written.rstrip(" &")  # what a reference refers to is copied to
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
        if kind.reference:
            lent = self.lent(value) if not kind.pointers else None
            return _Owner(text(lent.owner, 60), True, lent.getter) if lent is not None else None
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
        if is_view:
            found = self.made(inner, "container")
            return _Owner(text(found, 60), plain=True) if found is not None else None
        lent = self.into_plain(inner)
        return _Owner(text(lent.owner, 60), True, lent.getter) if lent is not None else None

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

    def into_plain(self, inner: r.Value | None) -> _Lent | None:
        """The same of a temporary that is not converted from an object of Python's, by a pointer."""
        match inner:
            case r.Unary(op="&", value=pointee):
                return self.lent(pointee)
            case r.Call(callee=r.Member(base=base, arrow=False, name="get"), args=()) if (
                found := self.whole(base, "smart pointer")
            ) is not None:
                return found
            case r.Call(callee=r.Member(base=base, arrow=False, name="c_str" | "data" | "constData"), args=()):
                made = self.whole(base, "container")
                copied = self.copied(base) if made is None else None
                return _Lent(copied) if copied is not None else made
            case r.Call(callee=r.Member(base=base, arrow=arrow), args=()):
                called = self.program.calls.callee(inner, self.function).only
                kind = types.parse(called.record.result if called is not None else "")
                return self.answered(inner, base, arrow=arrow) if kind.pointers and not kind.reference else None
        return None

    def lent(self, value: r.Value | None) -> _Lent | None:
        """The temporary in which lies, or by which is owned, the object that an expression names. A part of a temporary
        that is named directly keeps it alive, where a reference is bound to it."""
        match inner := places.strip(value):
            case r.Member(base=base, arrow=True) | r.Unary(op="*", value=base):
                return self.opened(base)
            case r.Member(base=base):
                return self.lent(base)
            case r.Index(base=base):
                return self.whole(base, "container")
            case r.Call(callee=r.Member(base=base, arrow=arrow)):
                return self.answered(inner, base, arrow=arrow)
        return None

    def whole(self, value: r.Value, role: str) -> _Lent | None:
        """A temporary of that role, or one in which such an object lies."""
        made = self.made(value, role)
        if made is not None:
            return _Lent(made)
        lent = self.lent(value)
        return lent if lent is not None and role in self.roles(self.program.types.of(value, self.function)) else None

    def opened(self, value: r.Value) -> _Lent | None:
        """The temporary to what holds which a `*` or `->` leads."""
        owner = self.made(value, "smart pointer") or self.made(value, "optional")
        if owner is not None:
            return _Lent(owner)
        made = self.object_made(value)
        if made is None:
            lent = self.lent(value)  # asked once: what is nested deeply would take twice the time at each step
            opens = lent is not None and not _OPENED.isdisjoint(self.roles(self.program.types.of(value, self.function)))
            return lent if opens else None
        name = types.parse(self.program.names.expand(self.made_type(made), self.function.file)).name
        scopes = self.program.names.scopes(self.function)
        known = self.program.models.function(f"{name}::operator*", "cpp", scopes)
        if any(model.has("borrow", "result") for model in known):
            return _Lent(made)
        return self.of_own(made, "operator*") or self.of_own(made, "operator->")

    def answered(self, call: r.Call, base: r.Value, *, arrow: bool) -> _Lent | None:
        """The temporary of which a method that is called on it answers with a part."""
        made = None if arrow else self.object_made(base)
        found = self.opened(base) if arrow else _Lent(made) if made is not None else self.lent(base)
        if found is None:
            return None
        callee = self.program.calls.callee(call, self.function)
        if callee.certainty != "possible" and any(model.has("borrow", "result") for model in callee.models):
            return found
        if callee.only is not None and answers_own_part(callee.only):
            return _Lent(found.owner, found.getter or callee.only.name)
        return None

    def object_made(self, value: r.Value) -> r.Call | None:
        """The value itself, where a call makes an object of a class that ends with the statement, and looks at none
        that others own."""
        inner = places.strip(value)
        if not isinstance(inner, r.Call) or inner.kind not in ("call", "construct"):
            return None
        written = self.made_type(inner)
        is_object = bool(written) and types.parse(written).is_value
        return inner if is_object and _BORROWING.isdisjoint(self.roles(written)) else None

    def of_own(self, made: r.Call, name: str) -> _Lent | None:
        """The same of an object of the project's whose operator of that name answers with what it owns."""
        written = self.made_type(made)
        cls = self.program.names.find_class(written, self.function.record.scope, self.function.file)
        known = cls.defined(name) if cls is not None else ()
        return _Lent(made, name) if len(known) == 1 and answers_own_part(known[0]) else None

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
