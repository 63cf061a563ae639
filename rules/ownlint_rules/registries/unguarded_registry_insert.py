"""An object is inserted into a registry without checking for an existing entry.

## What it reports

- an insertion into a map from object addresses to handles or pointers, without a lookup, an erasure or a check of the
  result on every path
- an insertion that only an assertion checks
- an insertion inside an assertion, which release builds remove
- an insertion that replaces what is there, where one caller checks and another does not, where the handle erases the
  entry of its key when it is destroyed, or where the caller gets a pointer to what only the registry owns

## Why it is a bug

If an object dies and its entry stays, the allocator reuses the address: the new object finds the old entry. An
insertion that overwrites it leaves the old handle valid and pointing to the wrong object.

## Example

bad:

```cpp
class Tracker {
 public:
  void Track(void* native, Wrapper* wrapper) {
    assert(live_.count(native) == 0);
    live_[native] = wrapper;
  }
  void Forget(void* native) { live_.erase(native); }
 private:
  std::unordered_map<void*, Wrapper*> live_;
};
```

```text
case.cc:5: error: `live_` may already contain `native`: only an assertion checks
  help: insert with `try_emplace` and fail if the key exists, or invalidate the old entry first
```

good:

```cpp
class Tracker {
 public:
  void Track(void* native, Wrapper* wrapper) {
    auto [it, inserted] = live_.try_emplace(native, wrapper);
    if (!inserted) throw std::logic_error("already tracked");
  }
  void Forget(void* native) { live_.erase(native); }
 private:
  std::unordered_map<void*, Wrapper*> live_;
};
```

## How to fix it

Insert with `try_emplace` and handle an existing key, or invalidate the old entry first.

## What it does not report

- insertions at which a comment says that they overwrite or replace what is there
- other insertions into maps keyed by name or number, and maps of plain values
- entries that own their key, keys that erase themselves, and keys that live as long as the program
- setters that are meant to replace
- with the default `--certainty`: insertions without an assertion, unless the key can repeat and the entry is a pointer
  or handle that others hold as well

## Known limitations

- Maps of one name in two objects count as one, so a lookup in the wrong one counts as a check. A local map is not a
  registry.
- Callers in the project are considered if the function itself does not check.
- An insertion that does not replace is often intended: it is reported by default only if a raw pointer is lost and the
  call is not `try_emplace`.

## Source

MLIR's Python bindings up to LLVM 21, `liveOperations` in IRCore.cpp, and the issue that led to their removal.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from ownlint import (
    Certainty,
    Class,
    Finding,
    Function,
    Step,
    because,
    c_containers,
    containers,
    events,
    glance,
    lookups,
    natives,
    patterns,
    places,
    records,
    rule,
    text,
    types,
)

_REPLACES = re.compile(
    r"^(?:set|update|replace|reset|assign|swap|rebind|reassign|overwrite|refresh|operator)", re.IGNORECASE
)
_OWNERS = frozenset({"smart pointer", "shared pointer", "weak pointer", "intrusive pointer"})
_KEEPS = _OWNERS - {"weak pointer"}
_WORD = re.compile(r"\w+")
_HANDLES = _OWNERS | {"handle", "python object", "python handle"}
_PAIRS = frozenset({"make_pair", "pair"})
_WRAPS = frozenset({"pair", "optional"})
_DEPTH = 2
"""How deep in structs a handle may be."""
_MAKERS = ("make_", "Create", "create", "New", "Make")
_FAILS_ALOUD = "insert with `try_emplace` and fail if the key exists, or invalidate the old entry first"


@rule(severity="error", cwe=(694,))
def unguarded_registry_insert(function: Function) -> Iterator[Finding]:
    if not containers.may_insert(function):
        return
    by_address = containers.may_reach_address_map(function)
    for insert in containers.inserts(function):
        if insert.event.index not in function.flow.reachable:
            continue
        if not (_is_registry_of_c(function, insert) or (by_address and _is_registry(function, insert))):
            if insert.value is not None and _comes_again(function, insert):
                yield from _by_name(function, insert)
            continue
        if isinstance(insert.event, events.CallEvent) and insert.event.asserted:
            yield _vanishing(function, insert)
        elif insert.value is not None and not _cannot_go_stale(function, insert):
            yield from _judge(function, insert)


def _judge(function: Function, insert: containers.Insert) -> Iterator[Finding]:
    if insert.is_answered:
        read = lookups.asserting_read(function, lookups.held_by(function, insert.event))
        if read is not None and not _is_looked_up(function, insert):
            said = function.step(read, "only an assertion checks whether it was inserted")
            yield _asserted(function, insert, (said,))
        return
    answer = lookups.who_looked(function, insert.event, insert.container, insert.key)
    if answer.kind == "asserted":
        yield _asserted(function, insert, answer.steps)
    elif insert.overwrites and function.is_said_to_replace(insert.event.span):
        return
    elif answer.kind != "guarded" and not _takes_itself_out(function, insert) and _is_erased(function, insert):
        yield _bare(function, insert, answer)


def _by_name(function: Function, insert: containers.Insert) -> Iterator[Finding]:
    """Of a registry whose key is no address: a name or a number that a caller hands in can come again at any time. That
    it does not is reported where an assertion says so, where a handle takes out what is found by its own key, or where
    one caller looks and another does not."""
    steps: tuple[Step, ...]
    if insert.is_answered:
        read = lookups.asserting_read(function, lookups.held_by(function, insert.event))
        said = "only an assertion checks whether it was inserted"
        steps = (function.step(read, said),) if read is not None and not _is_looked_up(function, insert) else ()
    else:
        answer = lookups.who_looked(function, insert.event, insert.container, insert.key)
        steps = answer.steps if answer.kind == "asserted" else ()
        given_away = answer.kind == "bare" and _is_handed_out(function, insert)
        misses = given_away or (
            (answer.is_mixed or (answer.kind == "bare" and _leaves(function, insert)))
            and _comes_and_goes(function, insert)
        )
        if misses and insert.overwrites and not _is_replacing(function, insert):
            yield _bare(function, insert, answer)
            return
    if steps and not _is_in_every_build(function) and not lookups.callers_look(function, insert.container, insert.key):
        yield _asserted(function, insert, steps, "likely")


def _is_replacing(function: Function, insert: containers.Insert) -> bool:
    """Whether it is meant to replace what is there, by the function's name or a comment at the insert."""
    return _REPLACES.match(function.name) is not None or function.is_said_to_replace(insert.event.span)


def _leaves(function: Function, insert: containers.Insert) -> bool:
    """Whether the handle that is put in, itself or by its owner, takes out what has its key where it ends."""
    for part in _parts(insert.value):
        written = function.program.types.of(part, function)
        held = types.parse(written)
        if held.arguments and _OWNERS.intersection(function.program.types.roles(written, function)):
            held = types.parse(held.arguments[0])
        cls = function.program.names.find_class(held.name, function.record.scope, function.file) if held.name else None
        if cls is not None and cls.destructor is not None and _destructor_clears(function, insert, cls):
            return True
    return False


def _is_handed_out(function: Function, insert: containers.Insert) -> bool:
    """Whether the caller gets a bare pointer to what only the registry owns from here on: an entry that is replaced
    destroys an object to which another caller has a pointer."""
    owner = places.strip(insert.value)
    if isinstance(owner, records.Call) and places.hands_on(owner):
        owner = places.strip(owner.args[0])  # `std::move(owner)`
    if not isinstance(owner, records.Name) or not _is_sole_owner(function, owner):
        return False
    returned = (leave.value for leave in function.flow.leaves if leave.kind == "return" and leave.value is not None)
    return any(
        isinstance(call := places.strip(made), records.Call)
        and places.last_name(call.callee) == "get"
        and places.is_name(places.receiver(call), owner.text)
        for value in returned
        for made in containers.made_from(function, value)
    )


def _is_in_every_build(function: Function) -> bool:
    """Whether the function's assertions are of a macro of the project that evaluates what it is given in each build:
    then it likely ends the program there, too."""
    return any(isinstance(event, events.Test) and event.asserted and event.evaluated for event in function.flow)


def _comes_again(function: Function, insert: containers.Insert) -> bool:
    """Whether a map or an array that lasts leads from what a caller hands in, as it is, to a handle."""
    if _is_this(insert.key):
        return False
    arguments = types.parse(insert.container.type).arguments
    held = arguments[-1] if len(arguments) > 1 else function.program.types.of(insert.value, function)
    if isinstance(insert.event, events.Write) and len(arguments) < 2 and not types.parse(held).pointers:
        held = function.program.types.of(insert.event.target, function) or held
    if not held or not _stands_for_something(function, held, _DEPTH):
        return False
    given = function.parameter_names
    for made in containers.made_from(function, insert.key):
        names = places.names_in(made)
        if any(
            not isinstance(call.callee, records.Member) and not places.hands_on(call) for call in places.calls_in(made)
        ):
            return False  # what a function makes of it
        if not names & given and not any(name in function.locals for name in names):
            return False
    if lookups.is_counted(function, insert.key) or _is_given_here(function, insert):
        return False
    if not _is_plain_key(function, insert) or not containers.lasting(function, insert.container):
        return False
    return _is_owned(function, insert) or (_comes_and_goes(function, insert) and _is_missed(function, insert, held))


def _is_owned(function: Function, insert: containers.Insert) -> bool:
    """Whether the registry is to own what is put in, which was made for it: what is replaced is lost."""
    for made in containers.made_from(function, insert.value):
        inner = places.strip(made)
        if isinstance(inner, records.Call) and (inner.kind == "new" or natives.makes(places.last_name(inner.callee))):
            return True
    return insert.value is not None and "smart pointer" in function.program.types.roles(
        function.program.types.of(places.strip(insert.value), function), function
    )


def _is_plain_key(function: Function, insert: containers.Insert) -> bool:
    """A number or a name: the identity of something that never ends is none, whatever stands for it."""
    written = function.program.types.of(insert.key, function)
    kind = types.parse(function.program.names.expand(written, function.file, function.record.scope))
    return not kind.pointers or kind.last == "char"


_NULL = b'"null"'
"""Stands in every body that says a null pointer."""


def _comes_and_goes(function: Function, insert: containers.Insert) -> bool:
    """Whether single entries are taken out somewhere, or emptied: what is taken out may come again."""
    said = patterns.Quoted(insert.container.names[0].removesuffix("()"))
    return any(
        _takes_one(other, insert.container)
        for other in function.program.saying(said)
        if other.language == "cpp" and _may_take_one(other)
    )


def _may_take_one(function: Function) -> bool:
    """Whether it may take an entry out, or empty one. Needs no decoding."""
    if function.mentions(*function.program.models.containers.erases, "reset") or c_containers.takes_in_c(function):
        return True
    return "" in glance.names_set(function) and _NULL in function.encoded


def _takes_one(function: Function, held: containers.Container) -> bool:
    erases = function.program.models.containers.erases
    for event in function.flow:
        match event:
            case events.Write(op="=", target=records.Index(base=base), value=value):
                is_null = isinstance(inner := places.strip(value), records.Literal) and inner.kind == "null"
                if is_null and held.is_same(containers.names_of(function, base)):
                    return True
            case events.CallEvent(
                node=records.Call(callee=records.Member(base=records.Index(base=base), name="reset"), args=())
            ):
                if held.is_same(containers.names_of(function, base)):
                    return True
            case events.CallEvent(node=records.Call(callee=records.Member(base=base, name=name))) if name in erases:
                if held.is_same(containers.names_of(function, base)):
                    return True
            case events.CallEvent(node=node):
                done = c_containers.table_call(function, node)
                if done is not None and done.does == "take" and held.is_same(containers.names_of(function, done.table)):
                    return True
    return False


def _is_missed(function: Function, insert: containers.Insert, held: str) -> bool:
    """Whether the entry that is replaced is in use: the registry owns it and others were given a pointer to it, the
    object says itself which key it has, as every other of its kind does, or it takes out what has its key."""
    key = places.names_in(insert.key)
    value = places.strip(insert.value)
    says = isinstance(value, records.Name) and value.text in key and not isinstance(insert.key, records.Name)
    says = says or _leaves(function, insert)
    if says or {"smart pointer", "shared pointer"}.isdisjoint(function.program.types.roles(held, function)):
        return says
    return any(
        types.parse(other.record.result).pointers == 1
        and types.parse(other.record.result).last == types.parse(types.element(held)).last
        for other in (function, *(function.home.methods if function.home is not None else ()))
    )


def _is_given_here(function: Function, insert: containers.Insert) -> bool:
    """Whether the function itself stores the key in the object that has it."""
    key = containers.key_text(function, insert.key)
    return any(
        not write.fresh and write.target is not None and containers.key_text(function, write.target) == key
        for write in function.flow.writes
    )


def _is_looked_up(function: Function, insert: containers.Insert) -> bool:
    return lookups.who_looked(function, insert.event, insert.container, insert.key).kind == "guarded"


# --- what is a registry ---------------------------------------------------------------------------


def _is_registry(function: Function, insert: containers.Insert) -> bool:
    """From an object's address to what stands for it; a set of addresses where only an assertion would fill it."""
    written = insert.container.type
    if not containers.is_keyed_by_address(function, insert.container, insert.key):
        return False
    if "set" in function.program.types.roles(written, function):
        return insert.value is None and isinstance(insert.event, events.CallEvent) and insert.event.asserted
    lasts = bool(containers.lasting(function, insert.container))
    return lasts and _stands_for_something(function, types.parse(written).arguments[1])


def _is_registry_of_c(function: Function, insert: containers.Insert) -> bool:
    """A container of C that a function puts something into under an address: it says neither what it is keyed by nor
    what it holds."""
    if not isinstance(insert.event, events.CallEvent) or not isinstance(insert.event.node.callee, records.Name):
        return False
    key = types.parse(containers.key_type(function, insert.key))
    held = function.program.types.of(insert.value, function) if insert.value is not None else ""
    is_address = key.pointers == 1 and not key.is_scalar and key.last != "PyObject"  # a dict compares what its keys say
    return is_address and types.parse(held).pointers == 1


def _stands_for_something(function: Function, written: str, depth: int = 0) -> bool:
    """A pointer, a handle, or a pair or class that holds one."""
    kind = types.parse(function.program.names.expand(written, function.file, function.record.scope))
    if kind.pointers:
        return kind.name != "char"
    roles = set(function.program.types.roles(written, function))
    if roles & _HANDLES:
        return True
    if roles & _WRAPS:
        return any(_stands_for_something(function, argument, depth) for argument in kind.arguments)
    if roles or depth == _DEPTH:
        return False
    cls = function.program.names.find_class(kind.name, function.record.scope, function.file)
    return cls is not None and any(
        _stands_for_something(function, field.type, depth + 1) for field in cls.record.fields if not field.static
    )


def _is_erased(function: Function, insert: containers.Insert) -> bool:
    return containers.is_erased(function, insert.container)


def _cannot_go_stale(function: Function, insert: containers.Insert) -> bool:
    """The key lives as long as the program, the entry owns it, it takes itself out before it dies, what stands for it
    owns it and takes out the entry before it lets it go, or a scope's end takes out what its start put in."""
    if containers.is_of_static_storage(function, insert.key):
        return True
    if _is_this(insert.key):
        return _destructor_clears(function, insert, function.home)
    if function.record.kind == "constructor" and not _is_this(insert.value):
        return function.cls is not None and _destructor_clears(function, insert, function.cls)
    arguments = types.parse(insert.container.type).arguments
    if len(arguments) < 2:  # a map of which nothing says what it holds
        return not _is_registry_of_c(function, insert)
    keyed, held = arguments[:2]
    pointee = types.parse(function.program.names.expand(keyed, function.file, function.record.scope))
    owner = types.parse(held)
    owns = not {"smart pointer", "shared pointer"}.isdisjoint(function.program.types.roles(held, function))
    if owns and owner.arguments and types.parse(owner.arguments[0]).last == pointee.last:
        return True
    if owns and _is_address_of_value(insert):
        return True
    cls = function.program.names.find_class(pointee.name, function.record.scope, function.file)
    if cls is not None and cls.destructor is not None and _destructor_clears(function, insert, cls):
        return True
    standing = list(_standing(function, owner.arguments[0] if owner.arguments else owner.name))
    if standing and all(_owns(one, function, pointee.name) and _ends_with(function, insert, one) for one in standing):
        return True
    return containers.is_taken_out_by_hook(function, insert.container)


def _is_address_of_value(insert: containers.Insert) -> bool:
    """`buffers_.emplace(cast<Handle>(buffer.get()), buffer)`: what has this address is kept by its entry."""
    match places.strip(insert.key):
        case records.Call(callee=records.Member(base=owner, name="get"), args=()):
            return any(text(places.strip(part) or part) == text(owner) for part in _parts(insert.value))
    return False


def _standing(function: Function, written: str) -> Iterator[Class]:
    """The class of that name; of a parameter of the template around, the heirs that are made by it."""
    found = function.program.names.find_class(types.parse(written).name, function.record.scope, function.file)
    if found is not None:
        yield found
    elif _is_parameter(function, written):
        yield from (one for one in function.program.classes if function.home in one.ancestry[1:])


def _is_parameter(function: Function, written: str) -> bool:
    return function.home is not None and types.parse(written).name in _WORD.findall(function.home.record.template)


def _owns(cls: Class, function: Function, written: str) -> bool:
    """Whether objects of the class hold an owner of one of that type; of any where a template is given it."""
    return any(
        types.parse(argument).last == types.parse(written).last or _is_parameter(function, written)
        for field in cls.record.fields
        if _KEEPS.intersection(cls.program.types.roles_at(field.type, cls.file, cls.symbol))
        for argument in types.parse(field.type).arguments[:1]
    )


def _ends_with(function: Function, insert: containers.Insert, cls: Class) -> bool:
    """Whether the entry goes before an object of the class does."""
    return cls.destructor is not None and _destructor_clears(function, insert, cls)


def _takes_itself_out(function: Function, insert: containers.Insert) -> bool:
    """The handle registers itself where it is made, and its destructor takes it out: its entry never outlives it."""
    return _is_this(insert.value) and _destructor_clears(function, insert, function.home)


def _is_this(value: records.Value | None) -> bool:
    return places.is_name(value, places.THIS)


def _destructor_clears(function: Function, insert: containers.Insert, cls: Class | None) -> bool:
    destructor = cls.destructor if cls is not None else None
    if destructor is None:
        return cls is None or cls.record.destructor == "declared"  # defined where nobody sees it
    helpers = (
        f for call in destructor.flow.calls for f in function.program.calls.callee(call.node, destructor).functions
    )
    return any(containers.clears(one, insert.container) for one in (destructor, *helpers))


# --- findings -------------------------------------------------------------------------------------


def _asserted(
    function: Function, insert: containers.Insert, steps: tuple[Step, ...], least: str = "certain"
) -> Finding:
    certainty: Certainty = "certain"
    if least == "likely":
        certainty = because("value", f"it is not known whether `{text(insert.key)}` can already be present")
    elif not _is_erased(function, insert):
        certainty = because(
            "unread-code" if _is_handle(function, insert) else "guess", "no call that erases an entry was found"
        )
    elif _is_registry_of_c(function, insert):
        certainty = because("name", "what the functions of this container do is inferred from their names")
    return function.finding(
        insert.event,
        f"`{insert.container.shown}` may already contain `{text(insert.key)}`: only an assertion checks",
        certainty=certainty,
        help=_FAILS_ALOUD,
        steps=steps,
    )


def _vanishing(function: Function, insert: containers.Insert) -> Finding:
    return function.finding(
        insert.event,
        f"`{text(insert.key)}` is inserted into `{insert.container.shown}` only in debug builds, inside an assertion",
        help="insert first, then assert on the result",
    )


def _bare(function: Function, insert: containers.Insert, answer: lookups.Answer) -> Finding:
    key, container = text(insert.key), insert.container.shown
    unchecked = " without checking" if insert.overwrites else ", and nothing checks first"
    why = {"told": ", and the result of the check is not used", "partly": ", and not every path checks first"}
    said = f"overwrites any existing entry for `{key}` in" if insert.overwrites else f"is ignored if `{key}` is in"
    return function.finding(
        insert.event,
        f"this insert {said} `{container}`{why.get(answer.kind, unchecked)}",
        certainty=_certainty(function, insert, answer),
        help=_help(function, insert),
        steps=answer.steps,
    )


_CHECKED = {"PyDict": "`PyDict_Contains({table}, {key})`", "PyObject": "`PyMapping_HasKey({table}, {key})`"}
"""How a container of the C API is asked for a key, by the first word of the function that inserts."""


def _help(function: Function, insert: containers.Insert) -> str:
    node = insert.event.node if isinstance(insert.event, events.CallEvent) else None
    put = c_containers.table_call(function, node) if node is not None else None
    if node is None or put is None:
        return "insert with `try_emplace` and handle an existing key, or remove and invalidate the old entry first"
    asks = _CHECKED.get(places.last_name(node.callee).partition("_")[0], "")
    said = asks.format(table=text(put.table), key=text(insert.key))
    return (
        f"check for an existing entry first{f' with {said}' * bool(said)}, and handle it: report an error or release it"
    )


def _certainty(function: Function, insert: containers.Insert, answer: lookups.Answer) -> Certainty:
    """Harm takes a key that can come twice, and an entry that is in use elsewhere. An insert that does not replace is
    often meant so, unless the new handle is all that is lost by it."""
    if _REPLACES.match(function.name) or _is_unique(function, insert.key):
        return because(
            "possible", f"that `{text(insert.key)}` is new each time, or replaced on purpose, is inferred from names"
        )
    if answer.is_mixed and insert.overwrites:
        return because("convention", "another caller checks first; that this one has to is inferred")
    if not _comes_from_outside(function, insert.key):
        return because("possible", f"`{text(insert.key)}` may be new each time: no caller passes it")
    if not _is_used_elsewhere(function, insert):
        return because("possible", "a replaced entry may not be in use anywhere else")
    if _leaves(function, insert) or _is_handed_out(function, insert):
        return because("caller", f"harmless if callers make sure that `{text(insert.key)}` is not present")
    unknown = f"it is not known whether `{text(insert.key)}` can already be present"
    if not types.parse(insert.container.type).arguments:
        return because("value", unknown)
    if insert.overwrites:
        return because("value", unknown)
    meant = isinstance(insert.event, events.CallEvent) and places.last_name(insert.event.node.callee) == "try_emplace"
    held = types.parse(types.parse(insert.container.type).arguments[1])
    cls = function.program.names.find_class(held.name, function.record.scope, function.file)
    leaves = cls is not None and any(containers.clears(method, insert.container) for method in cls.methods)
    return because("value" if held.pointers and not meant and not leaves else "guess", unknown)


def _is_handle(function: Function, insert: containers.Insert) -> bool:
    """The entry is a pointer or a handle, a pair with one, or a struct of nothing else, rather than one that has some
    pointer in it."""
    arguments = types.parse(insert.container.type).arguments
    held = arguments[1] if len(arguments) > 1 else function.program.types.of(insert.value, function)
    if _stands_for_something(function, held, _DEPTH):
        return True
    cls = function.program.names.find_class(types.parse(held).name, function.record.scope, function.file)
    fields = [field for field in cls.record.fields if not field.static] if cls is not None else []
    return bool(fields) and all(_stands_for_something(function, field.type, _DEPTH) for field in fields)


def _comes_from_outside(function: Function, key: records.Value) -> bool:
    """Whether a caller hands the key in, or the object has it: both may come here twice with the same one."""
    return any(_leads_to_handed_in(function, made) for made in containers.made_from(function, key))


def _leads_to_handed_in(function: Function, value: records.Value) -> bool:
    numbers = {
        inner.start
        for call in places.calls_in(value)
        for argument in call.args
        if isinstance(inner := places.strip(argument), records.Name) and _is_number(function, inner)
    }  # How much to allocate says nothing of which address comes back.
    called = {call.callee.start for call in places.calls_in(value) if isinstance(call.callee, records.Name)}
    return any(
        name.text == places.THIS or name.text in _handed_in(function) or name.text not in function.declared
        for name in places.walk(value)
        if isinstance(name, records.Name) and name.start not in called | numbers
    )


def _is_number(function: Function, value: records.Value) -> bool:
    kind = types.parse(function.program.types.of(value, function))
    return kind.is_scalar and not kind.pointers


def _is_used_elsewhere(function: Function, insert: containers.Insert) -> bool:
    """Whether what is put in is an object that others hold as well: a caller that handed it in, a member, who gets it
    from here. What is only the key in other words is the same each time."""
    key = containers.key_text(function, insert.key)
    return _is_handed_out(function, insert) or (
        _is_handle(function, insert)
        and any(
            containers.key_text(function, part) != key and _is_shared(function, part, insert.event)
            for part in _parts(insert.value)
        )
    )


def _parts(value: records.Value | None) -> Iterator[records.Value]:
    """The value itself, or the parts of a pair or a struct that is made on the spot."""
    match places.strip(value):
        case records.Aggregate(items=items):
            yield from items
        case records.Call(args=args) as call if places.last_name(call.callee) in _PAIRS or call.kind == "construct":
            for argument in args:
                yield from _parts(argument) if isinstance(argument, records.Aggregate) else (argument,)
        case None:
            return
        case inner:
            yield inner


def _is_shared(function: Function, value: records.Value, put: events.Event) -> bool:
    match places.strip(value):
        case records.Member():
            return True
        case records.Name(text=name):
            pass
        case _:
            return False
    if name == places.THIS or name not in function.declared or name in _handed_in(function):
        return not _is_sole_owner(function, value)
    known = (records.Name, records.Member)
    began = places.strip(function.locals[name][1]) if name in function.locals else None
    if isinstance(began, known) and began.start != value.start:
        return _is_shared(function, began, put)
    return any(event is not put and _hands_on(function, event, name) for event in function.flow)


def _handed_in(function: Function) -> frozenset[str]:
    """The parameters, those of the functions around a lambda included."""
    around = _handed_in(function.parent) if function.parent is not None else frozenset[str]()
    return around | function.parameter_names


def _is_sole_owner(function: Function, value: records.Value) -> bool:
    roles = function.program.types.roles(function.program.types.of(value, function), function)
    return "smart pointer" in roles


def _hands_on(function: Function, event: events.Event, name: str) -> bool:
    """Whether a local is returned, or stored in what is not the function's own."""
    match event:
        case events.LeaveEvent(kind="return", value=value):
            pass
        case events.Write(value=value, place=place) if not function.is_local(place):
            pass
        case _:
            return False
    inner = places.strip(value)
    return isinstance(inner, records.Name) and inner.text == name


def _is_unique(function: Function, key: records.Value) -> bool:
    """The key is the address of something that was made in this function, or that is handed to it to keep."""
    for made in containers.made_from(function, key):
        match places.strip(made):
            case records.Call(kind="new"):
                return True
            case records.Call(callee=records.Member(base=owner, name="get"), args=()):
                return "smart pointer" in function.program.types.roles(
                    function.program.types.of(owner, function), function
                )
            case records.Call() as call if places.last_name(call.callee).startswith(_MAKERS):
                return True
    return False
