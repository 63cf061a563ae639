"""Two wrappers of one native object do not know of each other.

## What it reports

- a static factory that receives a native handle and creates a new wrapper without a lookup, in a class whose methods
  destroy the handle and then set a flag (a note on the design)
- a new wrapper for a handle that comes out of an existing object, where another function looks first for the wrapper
  that the handle already has, or where a method ends the object and invalidates only one of its wrappers

## Why it is a bug

Each wrapper has a flag of its own. If two wrappers exist for one object and one of them destroys it, the other still
believes that it is valid.

## Example

bad:

```cpp
typedef struct dom_node dom_node;
void dom_node_free(dom_node* n);
class Node {
 public:
  static Node* of(dom_node* raw) { return new Node(raw); }
  explicit Node(dom_node* raw) : raw_(raw) {}
  void destroy() {
    if (!alive_) throw std::logic_error("destroyed");
    alive_ = false;
    dom_node_free(raw_);
  }
 private:
  dom_node* raw_;
  bool alive_ = true;
};
Node* parent(dom_node* n) { return Node::of(dom_node_parent(n)); }
Node* next(dom_node* n) { return Node::of(dom_node_next(n)); }
```

```text
case.cc:5: note: `of` creates a new `Node` for a handle that may already have one
  help: keep one wrapper per handle in a registry, or share the flag between the wrappers
```

good:

```cpp
typedef struct dom_node dom_node;
void dom_node_free(dom_node* n);
class Node {
 public:
  static Node* of(dom_node* raw) {
    if (auto it = all().find(raw); it != all().end()) return it->second;
    return all().emplace(raw, new Node(raw)).first->second;
  }
  explicit Node(dom_node* raw) : raw_(raw) {}
  void destroy() {
    if (!alive_) throw std::logic_error("destroyed");
    alive_ = false;
    all().erase(raw_);
    dom_node_free(raw_);
  }
  static std::map<dom_node*, Node*>& all();
 private:
  dom_node* raw_;
  bool alive_ = true;
};
```

## How to fix it

Keep one wrapper per handle in a registry, or share the flag between the wrappers.

## What it does not report

- factories that look the handle up, or call a helper that returns such an object
- classes in which only the destructor destroys the handle
- factories that create the native object

## Known limitations

- Whether a second wrapper is ever created is not known; unless the project calls the factory in several places, the
  finding is `possible`.

## Source

the design of MLIR's Python bindings, where operations are interned for this reason and blocks are not.
"""

from __future__ import annotations

from collections.abc import Iterator

from ownlint import (
    Class,
    Finding,
    Function,
    Program,
    because,
    containers,
    events,
    habits,
    natives,
    pairs,
    patterns,
    places,
    questions,
    records,
    rule,
    text,
    types,
)
from ownlint_rules.registries import _member_stores as member_stores
from ownlint_rules.registries import _registries as registries

_Making = tuple[Function, events.CallEvent, records.Value]


@rule(severity="note", cwe=(415,))
def handle_wrapped_twice(cls: Class) -> Iterator[Finding]:
    if cls.file.language != "cpp":
        return
    made = list(_made(cls)) if cls.name in _wrappers(cls.program) else []
    looking = next(((one[0], seen[0]) for one in made if (seen := _looks_first(*one)) is not None), None)
    if looking is not None:
        yield from _passing_by(cls, made, *looking)
    elif made and (found := next(_each_time(cls, made), None)) is not None:
        yield found
    else:
        yield from _by_factory(cls)


def _each_time(cls: Class, made: list[_Making]) -> Iterator[Finding]:
    """A function that makes another wrapper whenever it is called, where a method ends the object behind one wrapper
    and tells that one alone."""
    ended = None
    for function, call, handle in made:
        if not _is_there(function, handle, cls) or function.record.kind == "constructor":
            continue
        ended = ended or _told_alone(cls)
        if ended is None:
            return
        yield function.finding(
            call,
            f"`{function.name}` creates another `{cls.name}` for `{text(handle)}` each time it is called",
            certainty=because("later-use", f"harmless if no `{cls.name}` is used after another one ended its object"),
            help="keep one wrapper per handle in a registry, or share the flag between the wrappers",
            steps=(ended[0].step(ended[1], "only this wrapper is invalidated"),),
        )


def _is_there(function: Function, handle: records.Value, cls: Class) -> bool:
    """Whether the handle is a part of a native object, or what a function of C gets out of one. That of another wrapper
    is handed over."""
    for made in containers.made_from(function, handle):
        match places.strip(made):
            case records.Member(base=base, arrow=True):
                own = places.is_name(base, places.THIS)
                return not own and types.parse(function.program.types.of(base, function)).last != cls.name
            case records.Call(callee=records.Name()) as call:
                name = places.last_name(call.callee)
                leads = pairs.is_getter(name) or not habits.BESIDE.isdisjoint(pairs.words(name))
                return leads and not function.program.calls.callee(call, function).functions
    return False


def _told_alone(cls: Class) -> tuple[Function, events.Event] | None:
    """Where a function ends what an object of the class stands for, and stores a mark of that object."""
    found, marks = natives.natives(cls.program), registries.marks(cls)
    handles = set(found.pointed_to_by(cls))
    for flag in marks[0] if marks is not None else ():
        for function in member_stores.storing(cls, flag):
            if function.record.kind in ("constructor", "destructor"):
                continue
            kinds = {kind for call, kind, _ in natives.destroys(function, found) if found.ends_parts(call.node, kind)}
            kinds |= {kind for end in natives.ends(function, found) for kind in end.types}
            for store in member_stores.stores_of(function, flag, cls) if kinds & handles else ():
                return function, store.at
    return None


def _passing_by(cls: Class, made: list[_Making], looking: Function, test: events.Event) -> Iterator[Finding]:
    """A wrapper is made for a handle that comes out of something that is there, where another function looks first
    whether the handle has one."""
    for function, call, handle in made:
        if function is looking or (function.home is cls and function.record.kind in ("constructor", "destructor")):
            continue
        if _comes_from_elsewhere(function, handle) and _looks_first(function, call, handle) is None:
            yield function.finding(
                call,
                f"this creates a new `{cls.name}` for `{text(handle)}`, which may already have one: "
                f"`{looking.name}` looks for it first",
                certainty=because("convention", f"that there is one for each handle is inferred from `{looking.name}`"),
                help=f"call `{looking.name}` instead",
                steps=(looking.step(test, f"`{looking.name}` looks for the `{cls.name}` that is there"),),
            )


def _made(cls: Class) -> Iterator[_Making]:
    """Where wrappers are made, with the handle that they get: by the constructor, or by a function of C that stores in
    a new object what it is given."""
    program = cls.program
    for function, found in _making(program).items():
        yield from ((function, call, handle) for name, call, handle in found if name == cls.name)
    makers = {
        function.name: at for function, found in _storing(program).items() for name, at in found if name == cls.name
    }
    for function in program.functions if makers else ():
        if function.language != "cpp" or function.name in makers or not function.mentions(*makers):
            continue
        for call in function.flow.calls:
            at = makers.get(places.last_name(call.node.callee))
            if at is not None and at < len(call.node.args):
                yield function, call, call.node.args[at]


@questions.program_question
def _wrappers(program: Program) -> dict[str, frozenset[str]]:
    """The classes that look at a handle and have marks of its end, by name, with the types of the handles."""
    found = natives.natives(program)
    return {
        cls.name: kinds
        for cls in program.classes
        if cls.file.language == "cpp"
        and (kinds := frozenset(found.pointed_to_by(cls)))
        and registries.marks(cls) is not None
    }


@questions.program_question
def _named(program: Program) -> patterns.AnyName:
    return patterns.AnyName(_wrappers(program), last=True)


@questions.each_function
def _making(function: Function) -> tuple[tuple[str, events.CallEvent, records.Value], ...]:
    """Constructors that are given a handle here, by the name of the class."""
    if function.language != "cpp" or not function.says(_named(function.program)):
        return ()
    return tuple(_constructed(function))


def _constructed(function: Function) -> Iterator[tuple[str, events.CallEvent, records.Value]]:
    wrappers = _wrappers(function.program)
    for call in function.flow.calls:
        node = call.node
        name = places.last_name(node.callee) if node.kind in ("new", "construct") else ""
        if name not in wrappers and node.template:
            name = types.parse(node.template).last
        for argument in node.args if name in wrappers else ():
            kind = types.parse(function.program.types.of(places.strip(argument), function))
            if kind.last in wrappers[name] and (kind.pointers == 1 or kind.is_value):
                yield name, call, argument
                break


@questions.each_function
def _storing(function: Function) -> tuple[tuple[str, int], ...]:
    """Which parameter (from 0) a function of C stores in a new object, by the name of its class."""
    if function.language != "cpp" or function.home is not None or not function.record.parameters:
        return ()
    if not function.says(_named(function.program)):
        return ()
    return tuple(_stored(function))


def _stored(function: Function) -> Iterator[tuple[str, int]]:
    wrappers = _wrappers(function.program)
    new: dict[str, str] = {}
    for write in function.flow.writes:
        made = places.strip(write.value)
        kind = types.parse(function.locals.get(write.place[0], ("", None))[0]).last
        is_object = len(write.place) == 1 and kind in wrappers
        if is_object and isinstance(made, records.Call) and natives.makes(places.last_name(made.callee)):
            new[write.place[0]] = kind
    given = {one.name: at for at, one in enumerate(function.record.parameters)}
    for write in function.flow.writes if new else ():
        value = places.strip(write.value)
        if len(write.place) != 2 or write.place[0] not in new or not isinstance(value, records.Name):
            continue
        name, at = new[write.place[0]], given.get(value.text)
        if at is not None and types.parse(function.record.parameters[at].type).last in wrappers[name] - {"PyObject"}:
            yield name, at


def _looks_first(
    function: Function, call: events.CallEvent, handle: records.Value
) -> tuple[events.Event, records.Value] | None:
    """The test by which the function finds out what there is for the handle, which it answers with where there is
    something."""
    key = containers.key_text(function, handle)
    returned = {
        name
        for leave in function.flow.leaves
        if leave.kind == "return" and leave.value is not None
        for name in places.names_in(leave.value)
    } - {key}
    for test, _ in function.flow.guards(call):
        for made in containers.made_from(function, test.value) if returned & places.names_in(test.value) else ():
            for inner in places.walk(made):
                given = inner.args if isinstance(inner, records.Call) else ()
                given = inner.indexes if isinstance(inner, records.Index) else given
                if any(containers.key_text(function, one) == key for one in given):
                    return test, made
    return None


def _comes_from_elsewhere(function: Function, handle: records.Value) -> bool:
    """Whether the handle is what a function out of sight answers that is not named after making it, or a part of
    another native object."""
    inner = places.strip(handle)
    if isinstance(inner, records.Member) and inner.arrow:
        base = places.strip(inner.base)
        return not (isinstance(base, records.Name) and base.text == places.THIS)
    called = [call for made in containers.made_from(function, handle) for call in places.calls_in(made)]
    return bool(called) and not any(
        not habits.ACQUIRES.isdisjoint(pairs.words(name := places.last_name(call.callee)))
        or natives.makes(name)
        or function.program.calls.callee(call, function).functions
        for call in called
    )


def _by_factory(cls: Class) -> Iterator[Finding]:
    factories = [method for method in cls.methods if _is_factory(method, cls)]
    asked = registries.validity(cls) if factories and registries.flags(cls) else {}
    if not asked:
        return
    found = natives.natives(cls.program)
    ending = next((end for method in cls.methods if (end := _ends(method, cls, found, asked)) is not None), None)
    if ending is None:
        return
    method, store, kind = ending
    for factory in factories:
        if any(types.parse(p.type).last == kind for p in factory.record.parameters) and _makes_blindly(factory, cls):
            start = factory.record.name_start
            yield factory.finding(
                records.Span(start, start + len(factory.name.encode())),
                f"`{factory.name}` creates a new `{cls.name}` for a handle that may already have one",
                certainty=because(
                    "caller" if _places(factory) > 1 else "guess",
                    "harmless if it is called at most once for each handle",
                ),
                help="keep one wrapper per handle in a registry, or share the flag between the wrappers",
                steps=(method.step(store, "only this wrapper is invalidated"),),
            )


def _is_factory(method: Function, cls: Class) -> bool:
    """A static method that is given something and answers with an object of the class."""
    qualifiers = {word for record in cls.declared(method.name) for word in record.qualifiers}
    return (
        "static" in qualifiers
        and bool(method.record.parameters)
        and cls.name in method.record.result
        and not types.parse(method.record.result).reference
    )


def _ends(
    method: Function, cls: Class, found: natives.Natives, asked: dict[str, bool]
) -> tuple[Function, events.Event, str] | None:
    """A method that ends the object's handle and stores a flag: where it does, and the handle's type."""
    if method.record.kind in ("constructor", "destructor"):
        return None
    for _, kind, argument in natives.destroys(method, found):
        place = places.place_of(argument, method.flow.aliases, cls.members - method.declared)
        if place is None or place[0] != places.THIS:
            continue
        for flag in sorted(asked):
            for store in member_stores.stores(method, flag):
                return method, store.at, kind
    return None


def _places(factory: Function) -> int:
    """In how many places the project calls it."""
    callers = factory.program.index.callers(factory)
    return sum(1 for caller in callers for _ in registries.calls_of(caller, factory))


def _makes_blindly(factory: Function, cls: Class) -> bool:
    """Whether it looks nowhere and asks nobody who answers with such an object."""
    for call in factory.flow.calls:
        if places.last_name(call.node.callee) in factory.program.models.containers.looks:
            return False
        answered = factory.program.calls.callee(call.node, factory)
        is_made = call.node.kind in ("construct", "new") or any(r.kind == "constructor" for r in answered.records)
        if not is_made and any(cls.name in record.result for record in answered.records):
            return False
    return not any(isinstance(event, events.Test) for event in factory.flow)
