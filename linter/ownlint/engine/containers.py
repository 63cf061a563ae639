"""Maps that outlive a call: which one an expression stands for, what puts entries in, who looks first.

A map is known by its names, not by its object: the member `live_` reached as `this->live_`, `ctx->live_`, through a
reference or through a getter that returns it is one map. Two objects of one class are not told apart,
which errs on the side of silence: a look into either counts.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from ownlint.engine.c_containers import table_call, takes_in_c, verb_of
from ownlint.engine.glance import said_names
from ownlint.engine.lasting import statics
from ownlint.facts import records as r
from ownlint.facts.show import text
from ownlint.flow import events as e
from ownlint.flow.places import last_name, receiver, render, strip, walk
from ownlint.models import habits
from ownlint.models.records import FunctionModel
from ownlint.patterns import Quoted
from ownlint.project import pairs, types
from ownlint.project.files import File
from ownlint.project.program import Program
from ownlint.project.questions import each_function, program_question, question
from ownlint.project.subjects import Function

_PAIRS = frozenset({"make_pair", "pair", "value_type", "make_tuple"})
_THROUGH = frozenset({"get", "value", "lock"})
_ADDRESSES = frozenset({"uintptr_t", "std::uintptr_t"})
"""An `intptr_t` may be any number."""
_WIDE = re.compile(r"(?:std::)?(?:u?int64_t|size_t|u?intptr_t)|unsigned long(?: long)?|long(?: long)?")
"""Integers an address fits in."""
_INDEX_ASSIGNED = re.compile(rb"\[8,\d+,\d+,\[[36],")
_ASSIGNED = re.compile(rb"\[8,")
_BOUND_ELEMENT = re.compile(rb'[&*]",(?:\[6,\d+,\d+,"&",)?\[3,')
"""A local that is declared as a reference or pointer and begins with an element."""
_DECLARED_MAP = re.compile(rb'"[^"]*(?:map|set|Map|Set|Table|Dict)[^"]*<[^"]*"')
_WORDS = re.compile(r"\w+")


class Container(NamedTuple):
    names: tuple[str, ...]
    """By which it is known; an element of a map of maps has `[]` behind its map's name."""
    shown: str
    type: str
    parameter: int = -1
    """The parameter through which the function was handed the map, or -1."""

    def is_same(self, names: tuple[str, ...]) -> bool:
        return not set(self.names).isdisjoint(names)


class Insert(NamedTuple):
    event: e.Write | e.CallEvent
    container: Container
    key: r.Value
    value: r.Value | None
    overwrites: bool
    """It replaces what is there; else what is there stays."""

    @property
    def is_answered(self) -> bool:
        """Whether the result is taken by which a method says that the key was new; a function of C says how it went."""
        return (
            isinstance(self.event, e.CallEvent)
            and not self.event.dropped
            and isinstance(self.event.node.callee, r.Member)
        )


# --- which map ------------------------------------------------------------------------------------


def container(function: Function, value: r.Value | None) -> Container | None:
    """The map an expression stands for; None when it is local to one call or cannot be told."""
    found = _names(function, value, 0)
    if found is None or value is None:
        return None
    names, parameter = found
    written = function.program.types.of(value, function)
    if not {"associative", "set"}.intersection(function.program.types.roles(written, function)):
        written = types.element(written)
        written = function.program.names.expand(written, function.file, function.record.scope) if written else ""
    return Container(names, _shown(function, value), written, parameter)


def _shown(function: Function, value: r.Value) -> str:
    """As a user knows it: what a reference is bound to, without `this`."""
    if isinstance(value, r.Name) and value.text in function.flow.aliases:
        return render(function.flow.aliases[value.text])
    return text(value).replace("->", ".").removeprefix("this.")


def names_of(function: Function, value: r.Value | None) -> tuple[str, ...]:
    """The names by which a map that outlives the call is known; none for any other expression."""
    found = _names(function, value, 0)
    return found[0] if found is not None else ()


def _names(function: Function, value: r.Value | None, depth: int) -> tuple[tuple[str, ...], int] | None:
    value = _bare(value)
    if value is None or depth > 6:
        return None
    match value:
        case r.Name(text=name):
            return _names_of_name(function, name, depth)
        case r.Member(base=base, name="second") if (inner := _element_of(function, base, depth)) is not None:
            return inner
        case r.Member(base=base, name=name, arrow=arrow):
            return None if not arrow and _is_local_value(function, base) else ((name,), -1)
        case r.Index(base=base):
            return _nested(_names(function, base, depth + 1))
        case r.Call(callee=r.Member(base=base, name="at")):
            return _nested(_names(function, base, depth + 1))
        case r.Call(callee=r.Member(base=base, name=name), args=()) if name in _THROUGH:
            return _names(function, base, depth + 1)
        case r.Call(kind="call") if last_name(value.callee) and not _makes_new(function, value):
            return _names_of_call(function, value, depth), -1
    return None


def _makes_new(function: Function, call: r.Call) -> bool:
    """Whether a library hands out, for the caller to release, what it was given nothing to find it by."""
    if any(not isinstance(given := strip(one), r.Literal) or given.kind == "str" for one in call.args):
        return False
    return any(model.has("acquire", "result") for model in function.program.calls.callee(call, function).models)


def _nested(found: tuple[tuple[str, ...], int] | None) -> tuple[tuple[str, ...], int] | None:
    return (tuple(name + "[]" for name in found[0]), found[1]) if found is not None else None


def _names_of_name(function: Function, name: str, depth: int) -> tuple[tuple[str, ...], int] | None:
    around: Function | None = function
    while around is not None:
        for position, parameter in enumerate(around.record.parameters):
            if parameter.name == name:
                kind = types.parse(parameter.type)
                handed = bool(kind.pointers or kind.reference)
                return ((name,), position if around is function else -1) if handed else None
        if name in around.locals:
            return _names_of_local(around, name, depth)
        if name in around.flow.aliases:
            place = around.flow.aliases[name]
            named = [step for step in place if not step.startswith("[") and step not in ("first", "second")]
            return ((named[-1] + "[]" * sum(step.startswith("[") for step in place),), -1) if named else None
        if name in around.declared and around.parent is None:
            return None
        around = around.parent
    return (name.rsplit("::", 1)[-1],), -1


def _names_of_local(function: Function, name: str, depth: int) -> tuple[tuple[str, ...], int] | None:
    written, initial = function.locals[name]
    kind = types.parse(written)
    found = _names(function, initial, depth + 1) if kind.pointers or kind.reference else None
    if found is not None:
        return found
    if name in statics(function):
        return (name,), -1  # also one that was made for it: `static auto* const known = new Map();`
    if kind.pointers or kind.reference:
        return None
    made = _bare(initial)
    if kind.is_placeholder and isinstance(made, r.Unary | r.Call):  # `auto* m = ...` was read as `auto`
        is_pointer = types.parse(function.program.types.of(initial, function)).pointers
        return _names(function, initial, depth + 1) if is_pointer else None
    return None


def _names_of_call(function: Function, call: r.Call, depth: int) -> tuple[str, ...]:
    """`ctx->live()` is what the getter returns, when the project says how it is written."""
    names = [last_name(call.callee) + "()"]
    for getter in function.program.calls.callee(call, function).functions[:2]:
        returned = [s.value for s in getter.statements if isinstance(s, r.Leave) and s.kind == "return"]
        if len(returned) == 1 and (inner := _names(getter, returned[0], depth + 1)) is not None:
            names += inner[0]
    return tuple(dict.fromkeys(names))


def _element_of(function: Function, value: r.Value, depth: int) -> tuple[tuple[str, ...], int] | None:
    """`it` of `it->second`, where `it` was found in a map of maps."""
    name = _bare(value)
    if not isinstance(name, r.Name) or name.text not in function.locals:
        return None
    made = _bare(function.locals[name.text][1])
    if isinstance(made, r.Call) and last_name(made.callee) in function.container_methods.lends:
        return _nested(_names(function, receiver(made), depth + 1))
    return None


def _is_local_value(function: Function, base: r.Value) -> bool:
    """Whether the root of a member chain is an object that ends with this call."""
    current: r.Value = base
    while isinstance(current, r.Member) and not current.arrow:
        current = current.base
    if not isinstance(current, r.Name) or current.text not in function.locals:
        return False
    kind = types.parse(function.locals[current.text][0])
    return kind.is_value and not any(p.name == current.text for p in function.record.parameters)


def _bare(value: r.Value | None) -> r.Value | None:
    """Without casts, moves, `*` and `&`."""
    value = strip(value)
    while isinstance(value, r.Unary) and value.op in ("*", "&"):
        value = strip(value.value)
    return value


# --- which key ------------------------------------------------------------------------------------


def key_text(function: Function, value: r.Value | None, depth: int = 0) -> str:
    """A key as it compares: casts are dropped, a local stands for what it was made from."""
    value = _bare(value)
    if isinstance(value, r.Name) and depth < 4 and value.text in function.locals:
        initial = _bare(function.locals[value.text][1])
        if isinstance(initial, r.Name | r.Member) and initial.start != value.start:
            return key_text(function, initial, depth + 1)
    return text(value).replace("->", ".") if value is not None else ""


def is_same_key(function: Function, one: r.Value, other: r.Value) -> bool:
    """The same key, or one that was made from the other."""
    if key_text(function, one) == key_text(function, other):
        return True
    return not origins(function, one).isdisjoint(origins(function, other))


def origins(function: Function, value: r.Value | None) -> set[str]:
    """The names a key comes from, through the locals that hold it."""
    return {
        inner.text
        for made in made_from(function, value)
        for inner in walk(made)
        if isinstance(inner, r.Name) and inner.text != "this" and inner.text in function.declared
    }


def made_from(function: Function, value: r.Value | None) -> list[r.Value]:
    """The value, and what the locals in it were made from."""
    found = [value] if value is not None else []
    seen: set[str] = set()
    for current in found:
        for inner in walk(current):
            if isinstance(inner, r.Name) and inner.text in function.locals and inner.text not in seen:
                seen.add(inner.text)
                initial = function.locals[inner.text][1]
                if initial is not None and len(found) < 12:
                    found.append(initial)
    return found


def key_type(function: Function, key: r.Value) -> str:
    """Of a key that a function of C makes of a pointer, as `PyLong_FromVoidPtr` does, the pointer's."""
    for made in made_from(function, key):
        inner = strip(made)
        if isinstance(inner, r.Call) and isinstance(inner.callee, r.Name) and len(inner.args) == 1:
            written = function.program.types.of(strip(inner.args[0]), function)
            if types.parse(written).pointers == 1 and not function.program.calls.callee(inner, function).functions:
                return written
    return function.program.types.of(key, function)


# --- maps from addresses --------------------------------------------------------------------------


def is_keyed_by_address(function: Function, held: Container, key: r.Value) -> bool:
    """Whether the map leads from the address of something to one entry. The address is a pointer, stands alone in a
    struct, or was made an integer."""
    number = _key_of(function.program, held.type, function.file, function.record.scope)
    if number is None:
        return False
    return number in _ADDRESSES or not _WIDE.fullmatch(number) or _was_pointer(function, key)


def _key_of(program: Program, written: str, file: File, scope: str) -> str | None:
    """The key's type of a map or set in which it can be an address and stands for one entry, else None."""
    roles = program.types.roles_at(written, file, scope)
    kind = types.parse(program.names.expand(written, file, scope))
    if "set" not in roles and ("associative" not in roles or len(kind.arguments) < 2):
        return None
    if "multiple" in roles or not kind.arguments:
        return None
    key = program.names.expand(kind.arguments[0], file, scope)
    return key if _can_be_address(program, key, file, scope) else None


def _can_be_address(program: Program, written: str, file: File, scope: str) -> bool:
    kind = types.parse(written)
    if kind.pointers:
        lives = kind.name not in ("char", "wchar_t") and "(" not in written  # a function does not end
        return lives and "immortal" not in program.types.roles_at(kind.name, file, scope)
    if _WIDE.fullmatch(kind.name):
        return True
    cls = program.names.find_class(kind.name, scope, file)
    if cls is None or cls.record.destructor not in ("implicit", "defaulted"):
        return False  # one with a destructor keeps alive what it points to
    fields = [field for field in cls.record.fields if not field.static]
    if len(fields) != 1 or not (kind := types.parse(fields[0].type)).pointers:
        return False
    return "immortal" not in program.types.roles_at(kind.name, cls.file, cls.symbol)


def is_of_static_storage(function: Function, key: r.Value) -> bool:
    """Whether the key is the address of a variable that lives as long as the program."""
    key = strip(key) or key
    if not isinstance(key, r.Unary) or key.op != "&" or not isinstance(named := strip(key.value), r.Name):
        return False
    if named.text in function.declared:
        return any(isinstance(s, r.Declare) and s.static and named.text in s.names for s in function.statements)
    if function.home is not None and (found := function.home.field(named.text)) is not None:
        return found[1].static
    return function.program.index.is_variable(named.text)


def _was_pointer(function: Function, key: r.Value) -> bool:
    """Whether the key comes out of a cast that makes a pointer an integer."""
    return any(
        isinstance(inner, r.Cast) and inner.style == "reinterpret_cast"
        for value in made_from(function, key)
        for inner in walk(value)
    )


class AddressMaps(NamedTuple):
    """Where a project's maps from addresses are to be looked for, known without decoding a body."""

    names: frozenset[str]
    """Of all members, globals and functions that are, hold or hand out such a map."""
    words: frozenset[str]
    """One of which stands in the type of every map."""


@program_question
def address_maps(program: Program) -> AddressMaps:
    words = _map_words(program)
    return AddressMaps(frozenset(_address_maps(program, words)), words)


def _address_maps(program: Program, words: frozenset[str]) -> Iterator[str]:
    def holds(written: str, file: File, scope: str) -> bool:
        return not words.isdisjoint(_WORDS.findall(written)) and _holds_address_map(program, written, file, scope)

    for cls in program.classes:
        for field in cls.record.fields:
            if holds(field.type, cls.file, cls.symbol):
                yield field.name
    for file in program.files.values():
        for variable in file.variables:
            if holds(variable.type, file, variable.scope):
                yield variable.name
        for function in file.functions:
            lends = "&" in function.result or "*" in function.result
            if lends and holds(function.result, file, function.scope):
                yield function.name


def _map_words(program: Program) -> frozenset[str]:
    """Last names of maps and sets, by the models, and of the project's aliases that can stand for one."""
    words = set(program.models.names_of("associative", "set"))
    for _ in range(3):
        words |= {
            alias.name
            for file in program.files.values()
            for alias in file.aliases
            if alias.kind in ("type", "using") and not words.isdisjoint(_WORDS.findall(alias.target))
        }
    return frozenset(words)


def _holds_address_map(program: Program, written: str, file: File, scope: str, depth: int = 0) -> bool:
    """Whether a type is such a map, or holds one in its elements."""
    kind = types.parse(program.names.expand(written, file, scope))
    if not kind.arguments or depth > 3:
        return False
    if _key_of(program, written, file, scope) is not None:
        return True
    return any(_holds_address_map(program, argument, file, scope, depth + 1) for argument in kind.arguments)


def may_reach_address_map(function: Function) -> bool:
    """False when nothing in the function can be such a map; needs no decoding. What a parser that knows types
    has read is taken for able to be one."""
    if function.file.meanings:
        return True
    names, words = address_maps(function.program)
    if not names.isdisjoint(function.mentioned):
        return True
    if any(not words.isdisjoint(_WORDS.findall(parameter.type)) for parameter in function.record.parameters):
        return True
    return not names.isdisjoint(said_names(function)) or function.says(_DECLARED_MAP)


# --- inserts --------------------------------------------------------------------------------------


def leaves_elements(function: Function, call: r.Call) -> bool:
    """Whether a method that puts something into a container leaves references to its other elements valid, by what is
    known of that container's own method: `std::deque::push_back`."""
    known = function.program.calls.callee(call, function).models
    if any(map(_moves_elements, known)) and _only_grows(function, call):
        known = _appending(function.program, known[0])
    return bool(known) and not any(map(_moves_elements, known))


def _moves_elements(model: FunctionModel) -> bool:
    return any(effect.verb in ("invalidate", "erase", "overwrite", "release") for effect in model.effects)


def _only_grows(function: Function, call: r.Call) -> bool:
    """Whether a method is given more than the number of elements: `rows_.resize(rows_.size() + 1)` appends."""
    methods = function.container_methods
    size = strip(call.args[0]) if call.args and isinstance(call.callee, r.Member) else None
    if not isinstance(call.callee, r.Member) or not isinstance(size, r.Binary) or size.op != "+":
        return False
    return any(
        isinstance(one, r.Call)
        and isinstance(one.callee, r.Member)
        and not one.args
        and one.callee.name not in methods.lends | methods.opens
        and text(one.callee.base) == text(call.callee.base)
        for one in map(strip, (size.left, size.right))
    )


def _appending(program: Program, method: FunctionModel) -> tuple[FunctionModel, ...]:
    """What is known of the methods of the same container that append."""
    owner = method.name.rpartition("::")[0]
    every = (program.models.function(f"{owner}::{name}", "cpp") for name in sorted(program.models.containers.appends))
    return tuple(model for found in every for model in found if model.has("keep", "argument 1"))


def inserts(function: Function) -> Iterator[Insert]:
    """Everything that puts an entry under a key into a map that outlives the call."""
    if not may_insert(function):
        return
    methods = function.container_methods
    for event in function.flow:
        match event:
            case e.Write(op="=", target=target, fresh=False) if target is not None:
                if (found := element(function, target)) is not None:
                    yield Insert(event, found[0], found[1], event.value, True)
            case e.CallEvent(node=r.Call(callee=r.Member(base=base, name=name)) as node) if name in methods.keyed:
                parts = entry(node)
                if parts and (held := container(function, base)) is not None:
                    value = parts[1] if len(parts) > 1 else None
                    yield Insert(event, held, parts[0], value, _overwrites(function, node, name))
            case e.CallEvent(node=r.Call(callee=r.Name()) as node):
                done = table_call(function, node)
                if done is None or done.does != "put" or done.key is None or done.value is None:
                    continue
                if (held := container(function, done.table)) is not None:
                    yield Insert(event, held, done.key, done.value, True)


def swapped(call: r.Call, program: Program) -> tuple[r.Value, r.Value] | None:
    """The two places of which each gets what the other has: `std::swap(one, other)`, `one.swap(other)`."""
    if last_name(call.callee) not in program.models.functions_with("swap"):
        return None
    on = receiver(call)
    match call.args if on is None else (on, *call.args):
        case (one, other):
            return one, other
    return None


def _overwrites(function: Function, call: r.Call, name: str) -> bool:
    """Whether a method that inserts replaces what is there: `insert` does in a `QHash`, not in a `std::map`."""
    known = function.program.calls.callee(call, function).models
    verbs = {effect.verb for model in known for effect in model.effects}
    methods = function.container_methods
    return "overwrite" in verbs or (name in methods.replaces and name not in methods.inserts)


def may_insert(function: Function) -> bool:
    """False when the body holds nothing that is spelled like an insert; needs no decoding."""
    if function.mentions_any(function.container_methods.keyed) or function.says(_INDEX_ASSIGNED):
        return True
    if any((said := verb_of(name)) is not None and said[0] == "put" for name in function.mentioned):
        return True
    return function.says(_ASSIGNED) and function.says(_BOUND_ELEMENT)


def entry(call: r.Call) -> tuple[r.Value, ...]:
    """The key, and the value where there is one, of a call that inserts; nothing when it inserts a range."""
    parts = call.args
    if last_name(call.callee) == "emplace_hint":
        parts = parts[1:]
    entry = strip(parts[-1]) if parts else None
    if isinstance(entry, r.Aggregate) and len(entry.items) == 2 and len(parts) < 3:
        return entry.items
    if isinstance(entry, r.Call) and last_name(entry.callee) in _PAIRS and len(entry.args) == 2 and len(parts) < 3:
        return entry.args
    if len(parts) == 2 and last_name(getattr(entry, "callee", None)) in ("end", "cend"):
        return ()
    if len(parts) == 3 and text(parts[0]).endswith("piecewise_construct"):
        return tuple(part.args[0] if isinstance(part, r.Call) and part.args else part for part in parts[1:])
    return parts


def element(function: Function, value: r.Value) -> tuple[Container, r.Value] | None:
    """The map and the key behind `map[key]`, or a reference or pointer to such an element. `map.at(key)` takes for
    granted that the key is there, and is a look."""
    base: r.Value | None = None
    key: r.Value | None = None
    match _bare(value):
        case r.Index(base=base, indexes=(key,)):
            pass
        case r.Name(text=name) if name in function.locals:
            written, initial = function.locals[name]
            if initial is None or not ("&" in written or "*" in written) or isinstance(_bare(initial), r.Name):
                return None
            if not written.endswith("&") and not (isinstance(initial, r.Unary) and initial.op == "&"):
                return None
            return element(function, initial)
    if base is None or key is None:
        return None
    held = container(function, base)
    return (held, key) if held is not None else None


# --- entries that go --------------------------------------------------------------------------------


def lasting(function: Function, held: Container, depth: int = 2) -> list[Container]:
    """The maps of the project that an expression can stand for: itself, or what callers hand in for a parameter.
    A map that a caller made for itself is none."""
    if held.parameter < 0:
        return [held]
    found: list[Container] = []
    for caller in function.program.index.callers(function) if depth else ():
        for call in caller.flow.calls:
            if last_name(call.node.callee) == function.name and held.parameter < len(call.node.args):
                outer = container(caller, call.node.args[held.parameter])
                found += lasting(caller, outer, depth - 1) if outer is not None else []
    return found


def is_erased(function: Function, held: Container) -> bool:
    """Whether entries are taken out of the map anywhere in the project."""
    return next(_clearers(function, held), None) is not None


def _clearers(function: Function, held: Container) -> Iterator[Function]:
    """The functions of the project that take entries out of the map."""
    maps = lasting(function, held)
    names = {name for one in maps for name in _plainly(one.names)}
    by_name = _clearing_by_name(function.program) if names else {}
    for other in dict.fromkeys(other for name in sorted(names) for other in by_name.get(name, ())):
        if any(clears(other, one) for one in maps):
            yield other


def clears(function: Function, held: Container) -> bool:
    """Whether the function takes entries out of the map itself."""
    names = set(_plainly(held.names))
    return not names.isdisjoint(_cleared(function)) and not names.isdisjoint(said_names(function))


@question
def _cleared(function: Function) -> frozenset[str]:
    """Names of the maps that the function takes entries out of."""
    takes = function.container_methods.takes
    if not function.mentions_any(takes) and not takes_in_c(function):
        return frozenset()
    found: set[str] = set()
    for call in function.flow.calls:
        done = table_call(function, call.node)
        emptied = done.table if done is not None and done.does == "take" else None
        if last_name(call.node.callee) in takes:
            emptied = receiver(call.node)
        if emptied is not None:
            found.update(_plainly(names_of(function, emptied)))
    return frozenset(found)


@each_function
def _clearing(function: Function) -> frozenset[str]:
    """By each function that takes entries out of maps the names of these."""
    return _cleared(function)


@program_question
def _clearing_by_name(program: Program) -> dict[str, list[Function]]:
    """The functions that take entries out of maps, by the names of these."""
    found: dict[str, list[Function]] = {}
    for function, names in _clearing(program).items():
        for name in sorted(names):
            found.setdefault(name, []).append(function)
    return found


def is_taken_out_by_hook(function: Function, held: Container) -> bool:
    """Whether a callback that is registered somewhere takes entries out, so that the end of the object that is the key
    ends its entry: `on_free(node, forget, self)`, `node->on_delete = [this](Node *node) { forget(node); }`."""
    return any(
        _is_registered(one, held.type)
        for other in _clearers(function, held)
        for one in (other, *function.program.index.callers(other))
    )


def _is_registered(hook: Function, written: str) -> bool:
    arguments = types.parse(hook.program.names.expand(written, hook.file, hook.record.scope)).arguments
    keyed = types.parse(arguments[0]).last if arguments else ""
    is_given = any(
        (kind := types.parse(one.type)).pointers == 1 and kind.last in (keyed, "void") for one in hook.record.parameters
    )
    if hook.record.kind == "lambda":
        handed = hook.program.calls.handed_to(hook)
        if handed is not None:
            return _listens(last_name(handed.call.callee), is_given)
        around = hook.parent
        stored = around.flow.writes if around is not None else ()
        return any(
            len(write.place) > 1 and isinstance(made := strip(write.value), r.Lambda) and made.function == hook.index
            for write in stored
        )
    saying = hook.program.saying(Quoted(hook.name)) if is_given else ()
    return any(_registers(other, hook.name) for other in saying)


def _listens(name: str, is_given: bool) -> bool:
    words = set(pairs.words(name))
    return not words.isdisjoint(habits.LISTENS | habits.KEEPS if is_given else habits.LISTENS | {"connect"})


def _registers(function: Function, hook: str) -> bool:
    """Whether the function hands the hook to what keeps it, or stores it itself."""

    def is_hook(value: r.Value | None) -> bool:
        inner = strip(value)
        while isinstance(inner, r.Unary) and inner.op in ("&", "+"):
            inner = strip(inner.value)
        return isinstance(inner, r.Name) and last_name(inner) == hook

    return any(len(write.place) > 1 and is_hook(write.value) for write in function.flow.writes) or any(
        _listens(last_name(call.node.callee), is_given=True) and any(is_hook(one) for one in call.node.args)
        for call in function.flow.calls
    )


def _plainly(names: tuple[str, ...]) -> list[str]:
    return [name.rstrip("[]").removesuffix("()") for name in names]
