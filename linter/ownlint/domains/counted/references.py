"""Counted references: which expressions hand one out, which only lend one, and what a call does with one it is given.

Models say what libraries do; of the project's own functions and macros their bodies do. Where nobody says anything the
answer is empty, and rules are silent.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache
from typing import Literal, NamedTuple

import msgspec

from ownlint.domains import numbers
from ownlint.domains.counted import marks
from ownlint.engine import ranges
from ownlint.engine.resources import resources
from ownlint.facts import records as r
from ownlint.facts.show import text
from ownlint.finding import Certainty, because
from ownlint.flow.places import THIS, last_name, strip, walk
from ownlint.models.formats import format_letters as format_letters
from ownlint.models.records import Effect, FunctionModel, Place
from ownlint.project import types
from ownlint.project.program import Program
from ownlint.project.questions import each_function, program_question, question
from ownlint.project.subjects import Class, Function

Kind = Literal["new", "borrowed", ""]

Use = Literal["lent", "stolen", "stolen on success", "released", "retained", "borrowed by an owner", "passed on", ""]
"""What a call does with a reference that is an argument. `lent`: it looks at it, and keeps a reference of its own where
it keeps one at all; `borrowed by an owner`: the result owns another reference to it; empty when nobody knows."""

OBJECTS = frozenset({"python object", "python handle"})


class ReferenceSource(NamedTuple):
    """What an expression hands out. `call` is what says so, None for the name of a library's object; `owner` what lends
    it, where that is an expression."""

    kind: Kind
    call: r.Call | None
    model: FunctionModel | None
    owner: r.Value | None = None


NOTHING = ReferenceSource("", None, None)


class References:
    """The counted references of one program; see `references`."""

    def __init__(self, program: Program) -> None:
        self.program = program
        models = program.models
        self.names = models.counted_names
        self._prefixes = models.prefixes
        self.lenders = models.lenders

    # --- calls ---

    def model(self, call: r.Call, function: Function) -> FunctionModel | None:
        """What a library says of the call; None for what has no entry. A function or macro of the project that has the
        name of a library's stands in for it, where the library is too old to have it."""
        if call.kind != "call":
            return None
        if isinstance(call.callee, r.Member):
            return self._method(call, call.callee, function)
        if not isinstance(call.callee, r.Name):
            return None
        if call.callee.text in function.declared:
            return None
        scopes = self.program.names.scopes(function)
        written = self.program.names.in_full(call.callee.text, function.file)
        for name in (*self.program.macros.other_names(call.callee.text), written, call.callee.text):
            found = self.program.models.function(name, "cpp", scopes)
            if found and found[0].certainty != "possible":
                break
        best = found[0] if found and found[0].certainty != "possible" else None
        if best is not None and best.has("swap"):
            return None  # which place holds what afterwards is not followed
        if best is not None and "*" in best.name and self.is_project(call, function):
            return None  # it only looks like one
        return best

    def adopted(self, call: r.Call, function: Function) -> Iterator[tuple[r.Value, r.Value]]:
        """What a call puts into a place that it is given, with the reference to it, and that place:
        `Py_XSETREF(self->owner, Py_NewRef(owner))`."""
        model = self.model(call, function)
        for effect in model.effects if model is not None else ():
            if effect.verb != "adopt" or effect.place is None or effect.other is None or effect.other.index < 0:
                continue
            if max(effect.place.index, effect.other.index) < len(call.args):
                yield call.args[effect.place.index], call.args[effect.other.index]

    def is_project(self, call: r.Call, function: Function) -> bool:
        return self.is_macro(call) or bool(self.program.calls.callee(call, function).functions)

    def _method(self, call: r.Call, callee: r.Member, function: Function) -> FunctionModel | None:
        """A method of a wrapped object; those of `object` are those of all that are derived from it."""
        if callee.name not in self.names:
            return None
        found = self.program.models.counted_method(callee.name)
        if found is None or self.is_object(callee.base, function):
            return found
        return found if self._is_of(callee.base, found.name.rpartition("::")[0], function) else None

    def _is_of(self, base: r.Value, owner: str, function: Function) -> bool:
        """Whether `base` is a struct of a library, or points to one, whose members are functions: by its type, or
        because the library itself hands it out (`Py_TYPE(x)->tp_alloc`)."""
        written = self.program.types.of(base, function)
        if written:
            kind = types.parse(self.program.names.expand(written, function.file, function.record.scope))
            return f"::{owner}".endswith(f"::{kind.name}") and kind.pointers <= 1
        return isinstance(base, r.Call) and self.is_library(base, function) and owner.startswith(self._prefixes)

    def is_macro(self, call: r.Call) -> bool:
        """Whether a macro of the project is used, and is not just another name for a function."""
        name, macros = last_name(call.callee), self.program.macros
        return bool(macros.named(name)) and not macros.other_names(name)

    def is_library(self, call: r.Call, function: Function) -> bool:
        """Whether the call is of a library whose functions borrow what they are given, unless an entry says more."""
        if call.kind != "call" or not isinstance(call.callee, r.Name) or "::" in call.callee.text:
            return False
        written = call.callee.text
        name = next(iter(self.program.macros.other_names(written)), written)
        if not name.startswith(self._prefixes) or written in function.declared:
            return False
        if self.program.names.find_class(name, function.record.scope, function.file) is not None:
            return False  # a class of the project's own, whose object is made
        if self.program.names.expand(name, function.file, function.record.scope) != name:
            return False  # or another name for a class of anybody's
        if self.program.index.functions_called(name):
            return False  # the project's, in a file that is included somewhere
        return not self.program.calls.callee(call, function).records and not self.is_macro(call)

    # --- types ---

    def roles(self, value: r.Value | None, function: Function) -> frozenset[str]:
        """What kinds of thing the value is, by its type."""
        match value:
            case r.Call(callee=r.Name(text=text), template=template) if value.kind != "new":
                made = self.program.types.roles(f"{text}<{template}>" if template else text, function)
                if made:
                    return frozenset(made)
            case r.Cast(type=written):
                return frozenset(self.program.types.roles(written, function)) if "*" not in written else frozenset()
        written = self.program.types.of(value, function)
        if not written or types.parse(written).pointers:
            return frozenset()
        return frozenset(self.program.types.roles(written, function))

    def is_object(self, value: r.Value | None, function: Function) -> bool:
        """Whether the value is an object or handle of a wrapper's: not a raw pointer."""
        match value:
            case r.Call(callee=r.Member(base=base, name=name)) if self.model(value, function) is not None:
                model = self.program.models.counted_method(name)
                return model is not None and name != "ptr" and self.is_object(base, function)
            case r.Call(callee=r.Name()):
                model = self.model(value, function)
                if model is not None and model.counted and model.has("own", "result"):
                    return True
            case r.Call(callee=r.Member(base=base, name="attr")):
                return self.is_object(base, function)
        return not OBJECTS.isdisjoint(self.roles(value, function))

    def owns(self, value: r.Value | None, function: Function) -> bool:
        """Whether the value is a wrapper that owns its reference."""
        match value:
            case r.Call(callee=r.Member(name="attr", base=base)):
                return self.is_object(base, function)
            case r.Call(callee=r.Name()):
                model = self.model(value, function)
                if model is not None and model.counted and model.has("own", "result"):
                    return True
        return "python object" in self.roles(value, function)

    def is_pointer(self, written: str, function: Function) -> bool:
        """Whether a variable of that type holds a bare reference: a pointer to an object, a handle."""
        kind = types.parse(written)
        roles = self.program.types.roles(written, function)
        if kind.pointers == 1:
            return "python handle" in roles
        return not kind.pointers and "python handle" in roles and "python object" not in roles

    def is_null(self, value: r.Value | None, function: Function) -> bool:
        """Whether it is written there as NULL, or as a macro of the project that stands for that."""
        inner = strip(value)
        if isinstance(inner, r.Name) and inner.text not in function.declared:
            bodies = {macro.body.strip("() ") for macro in self.program.macros.named(inner.text)}
            return bodies <= {"NULL", "nullptr", "0"} if bodies else _NULL.fullmatch(inner.text) is not None
        return isinstance(inner, r.Literal) and inner.kind == "null"

    # --- what an expression hands out ---

    def source(self, value: r.Value | None, function: Function) -> ReferenceSource:
        """Whether the value is a new reference or a borrowed one, as far as it says so itself."""
        while isinstance(value, r.Cast) or (isinstance(value, r.Unary) and value.op == "&"):
            value = value.value
        match value:
            case r.Name(text=text):
                return self._named(text, function)
            case r.Call():
                return self._called(value, function)
        return NOTHING

    def _named(self, text: str, function: Function) -> ReferenceSource:
        if text in function.declared or not self.program.models.constants.fits(text):
            return NOTHING
        return ReferenceSource("borrowed", None, None)

    def _called(self, call: r.Call, function: Function) -> ReferenceSource:
        model = self.model(call, function)
        if model is None:
            name = call.callee.text if isinstance(call.callee, r.Name) else ""
            if (made := self.made_by_macro(name)) is not None:
                return ReferenceSource("new", call, made)
            lent = call.kind == "call" and marks.call_lends(self.program, call)
            return ReferenceSource("borrowed", call, None) if lent else NOTHING
        if not model.counted or (model.has("keep", "argument 1") and model.has("own", "result")):
            return NOTHING
        on = call.callee.base if isinstance(call.callee, r.Member) else None
        if model.has("returns", "argument 1") and self.is_null(call.args[0] if call.args else None, function):
            return NOTHING  # what it counts up is nothing
        if model.has("acquire", "result"):
            return ReferenceSource("new", call, _as_kept(model) if self._is_kept(call, model, function) else model)
        if model.sized_by and numbers.is_below_size(call, model.sized_by, function):
            model = msgspec.structs.replace(model, nullable=False, never_null=True)
        if on is not None:
            return self._of_method(call, model, on, function)
        for effect in model.effects:
            if effect.verb == "borrow" and effect.place is not None and effect.place.kind == "result":
                index = effect.other.index if effect.other is not None else -1
                owner = call.args[index] if 0 <= index < len(call.args) else None
                return ReferenceSource("borrowed", call, model, owner)
        return NOTHING

    def made_by_macro(self, name: str) -> FunctionModel | None:
        """What a library says of the one function that a macro of the project calls for a new object, and that takes
        nothing over."""
        called = self.program.macros.answering(name)
        if not called or called == name or self.program.macros.named(called):
            return None
        if called.startswith("."):
            model = self.program.models.counted_method(called[1:])
        else:
            model = next(iter(self.program.models.function(called, "cpp", ())), None)
        if model is None or not model.counted or not model.has("acquire", "result"):
            return None
        if any(effect.verb == "adopt" for effect in model.effects):
            return None
        return msgspec.structs.replace(model, kept_at=0, format_at=0)

    def _is_kept(self, call: r.Call, model: FunctionModel, function: Function) -> bool:
        """Whether the call answers with an object that the library has anyway: `PyLong_FromLong(0)`."""
        if not 0 < model.kept_at <= len(call.args):
            return False
        given, (least, _, most) = strip(call.args[model.kept_at - 1]), model.kept_for.partition("..")
        if isinstance(given, r.Literal) and given.kind == "str":
            length = len(given.text) - len('""') - given.text.startswith('"\\')
            return given.text.isascii() and given.text[0] == given.text[-1] == '"' and length <= int(most)
        said = numbers.within(call.args[model.kept_at - 1], function, function.flow.call_of(call))
        return int(least) <= said.low and said.high <= int(most)

    def kept_anyway(self, source: ReferenceSource, function: Function) -> Certainty:
        """How sure it is that something is lost with a reference: not where the library keeps the object for good, or
        where it would for some values of a constant that is out of sight."""
        model, call = source.model, source.call
        if model is None or call is None:
            return "certain"
        if any((each.verb, str(each.other)) == ("keep", "global") for each in model.effects):
            said = f"something else keeps the result of `{last_name(call.callee)}` alive: only its count grows"
            return because("long-run", said)
        if constant := self.depends_on(call, model, function):
            return because("value", f"harmless if `{constant}` is in {model.kept_for}, which keeps it alive anyway")
        return "certain"

    def depends_on(self, call: r.Call, model: FunctionModel, function: Function) -> str:
        """The constant out of sight that decides whether the library has the object anyway; else empty."""
        given = strip(call.args[model.kept_at - 1]) if 0 < model.kept_at <= len(call.args) else None
        if not isinstance(given, r.Name) or not given.text.isupper() or given.text in function.declared:
            return ""
        return given.text if numbers.constant(given.text, function) == ranges.ANY else ""

    def _of_method(self, call: r.Call, model: FunctionModel, on: r.Value, function: Function) -> ReferenceSource:
        """`o.release()` and `o.inc_ref()` give a reference to the caller, `o.ptr()` what `o` is."""
        if model.has("disown", "receiver") or model.has("retain", "receiver"):
            return ReferenceSource("new", call, model)
        if model.has("borrow", "result"):
            inner = self._called(on, function) if isinstance(on, r.Call) else NOTHING
            if inner.kind == "new":
                return inner
            return ReferenceSource("borrowed", call, model, on) if self.owns(on, function) else NOTHING
        return NOTHING

    # --- what a call does with what it is given ---

    def use(self, call: r.Call, index: int, function: Function) -> Use:
        """What becomes of argument `index` (from 0)."""
        model = self.model(call, function)
        if model is None:
            if self.is_macro(call):
                return self._by_macro(call, index) or ""
            if call.kind == "call" and index in marks.taken_by(self.program, call):
                return "stolen"
            if index == 0 and len(call.args) == 1 and self._makes_owner(call, function):
                return "stolen"
            if _prints(call, index) and not self.program.calls.callee(call, function).functions:
                return "lent"
            return "lent" if self.is_library(call, function) else ""
        if model.format_steals and index >= model.format_at:
            letters = format_letters(call, model)
            letter = letters.get(index) if letters is not None else None
            if letter is None:
                return ""
            return "stolen" if letter in model.format_steals else "lent"
        use = _use_of(model, index)
        if use == "lent" and call.template and model.has("own", "result"):
            return ""  # `std::make_shared<T>(given)`: a constructor of `T` gets it
        if use == "lent" and not model.counted and (model.has("bind") or model.has("call")):
            return ""  # `std::bind(drop, given)`: what is called gets it
        return use

    def _makes_owner(self, call: r.Call, function: Function) -> bool:
        """Whether the call makes an object of one of the project's classes that own a reference."""
        if call.kind not in ("call", "construct") or not isinstance(call.callee, r.Name):
            return False
        name = call.callee.text
        if last_name(call.callee) not in _owner_names(self.program):
            return False
        cls = self.program.names.find_class(name, function.record.scope, function.file)
        return cls is not None and owns_what_it_is_given(cls)

    def _by_macro(self, call: r.Call, index: int, depth: int = 3) -> Use | None:
        """A macro of the project: what the functions in its body that are given the parameter do with it. None where it
        takes a reference first, or makes the parameter another object, on some ways through it."""
        for macro in self.program.macros.named(last_name(call.callee)):
            if macro.parameters is None or index >= len(macro.parameters) or not depth:
                continue
            name = macro.parameters[index]
            uses: set[Use | None] = set()
            for inner, position in _given(macro, name, call):
                if inner != call and self.program.macros.named(last_name(inner.callee)):
                    uses.add(self._by_macro(inner, position, depth - 1))
                else:
                    found = self.program.models.function(last_name(inner.callee), "cpp", ())
                    uses.add(_use_of(found[0], position) if found and not found[0].format_at else "")
            leaves = re.search(r"\b(?:return|goto)\b", macro.body) is not None
            counts = "retained" in uses
            if None in uses or (counts and ("released" in uses or name in overwritten(macro))):
                return None
            if "lent" in uses and leaves:
                continue  # what it does depends on how that went
            if counts and self._stores(macro, index):
                return ""  # counted up for the place where it is put
            for use in ("released", "retained"):
                if use in uses:
                    return use
            if uses == {"lent"} and _NAMES.findall(macro.body).count(name) == 1:
                return "lent"
            if not uses and self.program.macros.only_asks(macro.name, index):
                return "lent"
        return ""

    def _stores(self, macro: r.Macro, index: int, depth: int = 3) -> bool:
        """Whether a macro assigns its parameter to something, itself or through another that it is given to."""
        name = (macro.parameters or ())[index]
        if any(own == name for own in _ASSIGNED.findall(macro.body)):
            return True
        call = r.Call(0, 0, r.Name(0, 0, macro.name), ())
        return depth > 0 and any(
            inner.parameters is not None
            and position < len(inner.parameters)
            and self._stores(inner, position, depth - 1)
            for given, position in _given(macro, name, call)
            for inner in self.program.macros.named(last_name(given.callee))
        )


@program_question
def _owner_names(program: Program) -> frozenset[str]:
    """Names of the classes that may own a reference: one is put into a member by their constructor."""
    return frozenset(
        function.record.owner.rpartition("::")[2]
        for function in program.functions
        if function.language == "cpp" and function.record.kind == "constructor" and _put_by(function)
    )


def _put_by(made: Function) -> str:
    """The member into which a constructor puts its only argument as it is, where it does nothing else."""
    record = made.record
    if len(record.parameters) != 1 or len(record.initializers) != 1 or any(True for _ in made.statements):
        return ""
    given = record.initializers[0]
    is_it = len(given.args) == 1 and last_name(strip(given.args[0])) == record.parameters[0].name
    return given.name if is_it and "*" in record.parameters[0].type else ""


def owns_what_it_is_given(cls: Class) -> bool:
    """Whether the destructor releases the member into which a constructor puts its only argument, uncounted."""
    known = references(cls.program)
    members = {
        name
        for made in cls.constructors
        if (name := _put_by(made)) and known.is_pointer(made.record.parameters[0].type, made)
    }
    return bool(members and not members.isdisjoint(_released_at_end(cls)))


def _released_at_end(cls: Class) -> frozenset[str]:
    """The members that the destructor releases, whatever the others say."""
    end, known = cls.destructor, references(cls.program)
    if end is None or not _counts(end):
        return frozenset()
    found = set[str]()
    for call in end.calls():
        model = known.model(call, end)
        if call.args and model is not None and any(effect.verb == "release" for effect in model.effects):
            found.add(last_name(strip(call.args[0])))
    others = {field.name for field in cls.record.fields} - found
    asked = (part for one in end.statements if isinstance(one, r.Branch) for part in walk(one.condition))
    if any(last_name(part) in others for part in asked):
        return frozenset()  # `if (owned_)`: not all of its objects own one
    return frozenset(found)


@question
def gives_up_reference(method: Function) -> bool:
    """Whether a method leaves null in the member that the destructor of its class releases, and answers with what was
    there: the caller gets the reference. `PyObject* release() { auto* held = held_; held_ = nullptr; return held; }`"""
    cls, result = method.cls, types.parse(method.record.result)
    if cls is None or cls.destructor is None or method.record.parameters or not method.is_short:
        return False
    if not (result.pointers == 1 or result.is_placeholder):
        return False
    owned, known = _released_at_end(cls), references(cls.program)
    if any(_is_retaining(known.model(call, method)) for call in method.calls()):
        return False
    answered = [one.value for one in method.statements if isinstance(one, r.Leave) and one.value is not None]
    return (
        len(answered) == 1
        and any(_empties(one, owned) for one in method.values)
        and _was_held(answered[0], method, owned)
    )


def _was_held(value: r.Value, method: Function, owned: frozenset[str]) -> bool:
    """Whether it is what the member held: a local that is set once, to it or to what a getter answers."""
    bare = strip(value)
    if isinstance(bare, r.Name) and bare.text in method.locals and f"={bare.text}" not in method.mentioned:
        bare = strip(method.locals[bare.text][1])
        if _is_own(bare) and last_name(bare) in owned:
            return True
        return isinstance(bare, r.Call) and not bare.args and (isinstance(bare.callee, r.Name) or _is_own(bare.callee))
    return isinstance(bare, r.Call) and _empties(bare, owned)


def _is_own(value: r.Value | None) -> bool:
    return isinstance(value, r.Name) or (isinstance(value, r.Member) and last_name(value.base) == THIS)


def _is_retaining(model: FunctionModel | None) -> bool:
    return model is not None and any(effect.verb in ("retain", "release") for effect in model.effects)


def _empties(value: r.Value, owned: frozenset[str]) -> bool:
    """Whether one of the members is set to null: `held_ = nullptr`, `std::exchange(held_, nullptr)`."""
    match value:
        case r.Assign(target=target, value=r.Literal(kind="null")) | r.Call(args=(target, r.Literal(kind="null"))):
            inner = strip(target)
            is_exchange = isinstance(value, r.Assign) or last_name(value.callee) == "exchange"
            return is_exchange and _is_own(inner) and last_name(inner) in owned
    return False


@lru_cache(maxsize=256)
def _as_kept(model: FunctionModel) -> FunctionModel:
    """The same function, where it answers with what is there anyway: it cannot fail, and something keeps the object."""
    kept = Effect("keep", Place("result"), Place("global"))
    return msgspec.structs.replace(model, nullable=False, effects=(*model.effects, kept))


def _prints(call: r.Call, index: int) -> bool:
    """Whether what is printed by a format is argument `index` (from 0): `log("freed %p", self)`."""
    formats = (strip(one) for one in call.args[:index])
    return call.kind == "call" and any(
        isinstance(one, r.Literal) and one.kind == "str" and "%" in one.text for one in formats
    )


def _use_of(model: FunctionModel, index: int) -> Use:
    """What a library's function does with argument `index` (from 0)."""
    if model.has("returns", f"argument {index + 1}"):
        return "passed on"
    for effect in model.effects:
        if effect.place is None or effect.place.index != index:
            continue
        match effect.verb:
            case "adopt":
                return "stolen on success" if effect.mode == "on success" else "stolen"
            case "release":
                return "released" if model.counted else ""
            case "retain":
                return "retained"
            case "keep" if effect.other is not None and effect.other.kind == "result":
                return "borrowed by an owner"
    return "lent"


def _given(macro: r.Macro, parameter: str, call: r.Call) -> Iterator[tuple[r.Call, int]]:
    """The calls in a macro's body that are given the parameter itself, and as which argument (from 0)."""
    for begun in re.finditer(r"\b([A-Za-z_]\w*)\s*\(", macro.body):
        written = _arguments_at(macro.body, begun.end())
        for position, one in enumerate(written):
            if (own := _CAST_OR_BARE.fullmatch(one)) is not None and own[1] == parameter:
                arguments = tuple(r.Name(call.start, call.end, each.strip()) for each in written)
                yield r.Call(call.start, call.end, r.Name(call.start, call.end, begun[1]), arguments), position


def _arguments_at(body: str, start: int) -> list[str]:
    """What stands between the commas of the parentheses that open before `start`."""
    found, depth, begun = [], 0, start
    for at in range(start, len(body)):
        if body[at] in "([{":
            depth += 1
        elif body[at] in ")]}" and depth:
            depth -= 1
        elif body[at] == ")" or (body[at] == "," and not depth):
            found.append(body[begun:at])
            begun = at + 1
            if body[at] == ")":
                return found
    return []


def arguments(call: r.Call) -> Iterator[tuple[int, r.Value]]:
    """The arguments, casts taken off, and both ways of a `c ? a : b`."""
    for index, argument in enumerate(call.args):
        for one in alternatives(argument):
            yield index, one


def alternatives(value: r.Value | None) -> Iterator[r.Value]:
    """What the value can be, casts taken off."""
    while isinstance(value, r.Cast):
        value = value.value
    if isinstance(value, r.Conditional):
        yield from alternatives(value.then)
        yield from alternatives(value.other)
    elif value is not None:
        yield value


def maker_called(call: r.Call, function: Function) -> Function | None:
    """The one other function of the project that is called, where it may hand out a reference."""
    made = function.program.calls.callee(call, function).only if call.kind == "call" else None
    return made if made is not None and made is not function and (may_count(made) or made.is_short) else None


@program_question
def references(program: Program) -> References:
    """The counted references of a program; one object a program."""
    return References(program)


@question
def may_count(function: Function) -> bool:
    """Whether the body calls anything that deals in counted references, or that hands one out. Needs no decoding."""
    program = function.program
    making = (_makers, _owner_names, _making_macros, _giving_up)
    return _counts(function) or any(not names(program).isdisjoint(function.mentioned) for names in making)


@question
def _counts(function: Function) -> bool:
    models = function.program.models
    names, patterns = models.counted_names, models.counted_patterns
    return any(name in names or patterns.fits(name) for name in function.mentioned)


@program_question
def _giving_up(program: Program) -> frozenset[str]:
    """Names of the methods by which owners of the project give up their reference."""
    owners = (cls for cls in program.classes if cls.file.language == "cpp" and cls.destructor is not None)
    return frozenset(
        one.name for cls in owners if _released_at_end(cls) for one in cls.methods if gives_up_reference(one)
    )


@program_question
def _making_macros(program: Program) -> frozenset[str]:
    """Names of the project's macros that are calls for a new object."""
    known, used = references(program), sorted(resources(program).mentioned)
    return frozenset(name for name in used if program.macros.named(name) and known.made_by_macro(name) is not None)


@program_question
def _makers(program: Program) -> frozenset[str]:
    """Names of the project's functions that deal in counted references and answer with an object."""
    return frozenset(function.name.rpartition("::")[2] for function in _making(program))


@each_function
def _making(function: Function) -> bool:
    return (
        function.language == "cpp"
        and "*" in function.record.result
        and _counts(function)
        and references(function.program).is_pointer(function.record.result, function)
    )


@program_question
def owning_places(program: Program) -> frozenset[str]:
    """Last names of the members and variables whose references are given back somewhere."""
    return frozenset(name for use, _, name in _counted_places(program) if use == "released")


@program_question
def retaining_places(program: Program) -> frozenset[str]:
    """Last names of the members and variables to which another reference is taken somewhere."""
    return frozenset(name for use, _, name in _counted_places(program) if use == "retained")


def owns_member(cls: Class | None, name: str, program: Program) -> bool:
    """Whether the member may have a reference of its own, since it is counted up or down somewhere: where the class of
    an object is not known, that may be this one."""
    symbols = {"", *(one.symbol for one in cls.ancestry)} if cls is not None else set()
    return any(other == name and (cls is None or symbol in symbols) for _, symbol, other in _counted_places(program))


@program_question
def _counted_places(program: Program) -> frozenset[tuple[Use, str, str]]:
    """Members and variables that are counted up or down somewhere: how, the class where it is known, and the name."""
    return frozenset[tuple[Use, str, str]]().union(*_counted_in(program).values())


@each_function
def _counted_in(function: Function) -> frozenset[tuple[Use, str, str]]:
    """Those of one function."""
    found: set[tuple[Use, str, str]] = set()
    if function.language != "cpp" or not may_count(function):
        return frozenset()
    program = function.program
    known = references(program)
    for event in function.flow.calls:
        for index, argument in arguments(event.node):
            use = known.use(event.node, index, function)
            if use not in ("released", "retained"):
                continue
            if isinstance(argument, r.Member):
                written = types.parse(program.types.of(argument.base, function)).name
                cls = program.names.find_class(written, function.record.scope, function.file) if written else None
                found.add((use, cls.symbol if cls is not None else "", argument.name))
            elif isinstance(argument, r.Name) and argument.text not in function.declared:
                home = function.home if function.home is not None and function.home.field(argument.text) else None
                found.add((use, home.symbol if home is not None else "", argument.text))
    return frozenset(found)


def overwritten(macro: r.Macro) -> frozenset[str]:
    """The names that the body of a macro assigns to."""
    return frozenset(_OVERWRITTEN.findall(macro.body))


@question
def counted_for_another(function: Function) -> frozenset[str]:
    """What the body asks an owner for, counts up and gives away, as written: `Py_INCREF(o.ptr())` beside a call that
    takes `o.ptr()` over."""
    known = references(function.program)
    uses: dict[Use, set[str]] = {}
    for event in function.flow.calls:
        for index, argument in arguments(event.node):
            if isinstance(strip(argument), r.Call):
                uses.setdefault(known.use(event.node, index, function), set()).add(text(argument))
    given = uses.get("stolen", set()) | uses.get("stolen on success", set())
    return frozenset(given & uses.get("retained", set()))


_OVERWRITTEN = re.compile(r"\b(\w++)\)*+\s*+=(?!=)")
_NAMES = re.compile(r"\w++")
_ASSIGNED = re.compile(r"(?<![=!<>])=\s*+(?:\([\w\s*]++\)\s*+)?\(?(\w++)")
"""A name that is assigned, also behind a cast."""
_NULL = re.compile(r"_*(?:Py_?)?NULL(?:PTR)?", re.IGNORECASE)
"""`NULLPTR` of a header that is out of sight."""
_CAST_OR_BARE = re.compile(r"\s*+(?:\(\s*+[\w\s*]+\*\s*+\)\s*+)?\(*+\s*+(\w++)\s*+\)*+\s*+")
"""A name alone, in parentheses or behind a cast to a pointer."""
