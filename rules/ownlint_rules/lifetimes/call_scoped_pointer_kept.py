"""A pointer that is passed for one call is stored and used by later calls.

## What it reports

- a method that stores the pointer, reference or view of its first call in a member, only if the member is empty
- the same through `try_emplace`, `std::call_once` or a static local
- the same inside an object, a view key or a lambda that is stored

## Why it is a bug

Later calls find the member set and ignore their argument. Nothing ensures that the first caller's object still exists
then, or when the destructor uses it: a use after free.

## Example

bad:

```cpp
class Model {
 public:
  void Run(Allocator* allocator) {
    if (!scratch_) scratch_ = std::make_unique<Scratch>(allocator);
    scratch_->Use();
  }
 private:
  std::unique_ptr<Scratch> scratch_;
};

struct Scratch {
  explicit Scratch(Allocator* allocator) : allocator_(allocator) {}
  ~Scratch() { allocator_->Put(memory_); }
  void Use();
  Allocator* allocator_;
  void* memory_;
};
```

```text
case.cc:4: error: `allocator` is stored in `scratch_` on the first call only, but nothing ensures that it lives as long
  help: take it in the constructor, share its ownership, or store the argument of each call
```

good:

```cpp
class Model {
 public:
  explicit Model(Allocator* allocator) : scratch_(std::make_unique<Scratch>(allocator)) {}
  void Run() { scratch_->Use(); }
 private:
  std::unique_ptr<Scratch> scratch_;
};

struct Scratch {
  explicit Scratch(Allocator* allocator) : allocator_(allocator) {}
  ~Scratch() { allocator_->Put(memory_); }
  void Use();
  Allocator* allocator_;
  void* memory_;
};
```

## How to fix it

Take the pointer in the constructor, share its ownership, or store the argument of each call.

## What it does not report

- setters and everything else that stores the argument of each call
- a second call that is rejected
- parameters with a lifetime annotation; copies and shared pointers
- members that the destructor deletes or that the call resets, caches that are renewed for another pointer, and callers
  that all pass a long-lived object
- with the default `--certainty`: methods named `Init`, `Set`, `Register`, `Attach` or `Add`, members that another
  method clears, members whose comment names their owner, entries whose key is the pointer, and members that are not
  used later

## Known limitations

- A finding is `certain` if a caller of the project passes an object that is destroyed first.
- A pointer in a container of pointers is assumed to be a registration.
- What a constructor stores is taken from its initializers and assignments, not from the functions that it calls.
- Of one function, the first 24 stores of a parameter are analysed.

## Source

a review of GPU command-buffer caching in XLA, where the allocator of the first run's options lived on in a map of the
executable, whose destructor freed memory through it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Set
from typing import NamedTuple

from ownlint import (
    Certainty,
    Class,
    Finding,
    Function,
    Step,
    assignments,
    because,
    conditions,
    events,
    failure,
    glance,
    habits,
    keeping,
    pairs,
    places,
    records,
    rule,
    tempered,
    text,
    types,
)

_DECIDES = re.compile(rb"\[(?:33|11),\d|,true\]")
_OWNED_ELSEWHERE = re.compile(r"outlive|own|borrow|lifetime", re.IGNORECASE)
_MOST = 24
"""Stores that are judged in one function: each costs a walk over its flow."""
_SHARES = frozenset({"smart pointer", "shared pointer", "intrusive pointer", "python object", "immortal"})


@rule(severity="error", cwe=(416,))
def call_scoped_pointer_kept(function: Function) -> Iterator[Finding]:
    if not keeping.may_store(function):
        return
    if (
        function.record.kind != "lambda"
        and not function.mentions_any(function.program.models.containers.inserts)
        and not function.says(_DECIDES)
    ):
        return
    method = _method(function)
    given = _given(method) if method is not None else {}
    if method is None or not _says_one(function, given):
        return
    reported: set[int] = set()
    judged = 0
    for store in keeping.stores(function):
        name = keeping.leads_to(function, store.kept.value, given)
        if not name or store.event.index in reported or store.event.index not in function.flow.reachable:
            continue
        if (judged := judged + 1) > _MOST:
            return
        found = _judge(function, method, store, name)
        if found is not None:
            reported.add(store.event.index)
            yield found


def _method(function: Function) -> Function | None:
    """Whose parameters are call-scoped: the function itself, or the one around a lambda that runs once."""
    record = function.record
    if record.kind == "lambda":
        if function.parent is None or not any("once" in name.lower() for name in function.parent.mentioned):
            return None
        return function.parent if _runs_once(function) else None
    return function if record.kind in ("method", "function") and "static" not in record.qualifiers else None


def _runs_once(function: Function) -> bool:
    outer = function.parent
    if outer is None or outer.record.kind != "method":
        return False
    for call in outer.flow.calls:
        made = [arg for arg in map(places.strip, call.node.args) if isinstance(arg, records.Lambda)]
        if any(arg.function == function.index for arg in made):
            first = call.node.args[0]
            roles = outer.program.types.roles(outer.program.types.of(first, outer), outer)
            return "once" in roles or places.last_name(call.node.callee) == "call_once"
    return False


def _given(method: Function) -> dict[str, records.Parameter]:
    """The parameters that give no share in what they lead to, and make no promise about it."""
    return {p.name: p for p in method.record.parameters if p.name and _is_raw(method, p)}


def _is_raw(method: Function, parameter: records.Parameter) -> bool:
    if "&&" in parameter.type or keeping.is_marked(parameter):
        return False
    kind = types.parse(parameter.type)
    roles = method.program.types.roles(parameter.type, method)
    return keeping.is_raw(method, parameter.type) and (bool(kind.pointers) or _SHARES.isdisjoint(roles))


def _says_one(function: Function, given: dict[str, records.Parameter]) -> bool:
    return any(glance.says(function, name) for name in given)


# --- is it kept from the first call alone? ------------------------------------------------------------


class _First(NamedTuple):
    """Why later calls store nothing: a step to show, where there is one."""

    steps: tuple[Step, ...]


def _judge(function: Function, method: Function, store: keeping.Store, name: str) -> Finding | None:
    kept = store.kept
    if kept.holder is None and kept.how == "pointer" and store.in_container:
        return None  # a registration: the pointer itself is the entry
    if _is_released(function, store) or _is_taken_back(function, store):
        return None
    first = _first_only(function, method, store)
    if first is None:
        return None
    callers = _callers(method, [p.name for p in method.record.parameters].index(name))
    if callers == "lasting":
        return None
    shown, member = text(_plainly(kept.value)), places.render(_member(store.place))
    certainty = _doubts(function, method, store)
    if callers != "passing":
        certainty = tempered(certainty, because("caller", f"the lifetime of `{shown}` depends on the caller"))
    steps = first.steps
    if kept.holder is not None and (field := kept.holder.field(kept.field)) is not None:
        owner, record = field
        steps += (Step(owner.path, record.span, f"`{owner.name}::{kept.field}` stores it", "borrows"),)
    return function.finding(
        store.event,
        f"`{shown}` is stored in `{member}` on the first call only, but nothing ensures that it lives as long",
        certainty=certainty,
        help="take it in the constructor, share its ownership, or store the argument of each call",
        steps=steps,
    )


def _plainly(value: records.Value) -> records.Value:
    """`arena` of `&arena`: what the caller gave."""
    return value.value if isinstance(value, records.Unary) and value.op == "&" else value


def _member(place: places.Place) -> places.Place:
    """The member itself, without the steps to an element."""
    return place[:2] if place[0] == places.THIS else place[:1]


def _first_only(function: Function, method: Function, store: keeping.Store) -> _First | None:
    if store.once or function is not method:
        return _First(())
    for held in _filled(store):
        given = conditions.Given(*held)
        for test in function.flow.of(events.Test):
            if not isinstance(test, events.Test) or test.asserted or test.index > store.event.index:
                continue
            now = _once_filled(function, test.value, given)
            if now is not None and _goes_around(function, test, now, store):
                return _First((function.step(test, "later calls find it set and store nothing"),))
    return None


def _once_filled(function: Function, value: records.Value, given: conditions.Given) -> bool | None:
    """What a test comes to once the member holds something; `empty()` and `size() == 0` ask that of a container."""
    inner = places.strip(value)
    match inner:
        case records.Unary(op="!" | "not", value=negated):
            now = _once_filled(function, negated, given)
            return None if now is None else not now
        case records.Binary(op="==" | "<" | ">" | "!=" as op, left=left, right=records.Literal(text="0" | "1")):
            if _asks(function, left, given, "size", "length", "count"):
                return op in (">", "!=")
        case records.Call():
            if _asks(function, inner, given, "empty", "isEmpty", "is_empty", "IsEmpty"):
                return False
    return conditions.comes_to(function, value, given)


def _asks(function: Function, value: records.Value, given: conditions.Given, *names: str) -> bool:
    inner = places.strip(value)
    if not isinstance(inner, records.Call) or inner.args or places.last_name(inner.callee) not in names:
        return False
    where = assignments.place(function, places.receiver(inner))
    return where is not None and where == _member(given.place)


def _filled(store: keeping.Store) -> Iterator[tuple[places.Place, assignments.Held]]:
    """What is the case once the store has been made."""
    place = store.place
    if place[-1].startswith("["):
        yield place, assignments.Held("entry", None)
        yield place, assignments.Held("object", True)  # `if (!parts_[key])`: what is asked is the element itself
    else:
        yield place, assignments.Held("object", True)
        if store.in_container:
            yield (*place, "[]"), assignments.Held("entry", None)


def _goes_around(function: Function, test: events.Test, now: bool, store: keeping.Store) -> bool:
    """Whether the way the test will go reaches an end that is no refusal, and the other way reaches the store."""
    flow = function.flow
    if store.event not in flow.after(test, branch=not now):
        return False
    taken = flow.after(test, lambda event: event is store.event, branch=now)
    if all(event.index != flow.exit for event in taken):
        return False
    leaves = [event for event in taken if isinstance(event, events.LeaveEvent)]
    refused = leaves and all(_says_no(function, leave) for leave in leaves)
    return not refused


def _says_no(function: Function, leave: events.LeaveEvent) -> bool:
    return leave.kind == "throw" or bool(leave.via) or failure.refuses(function, leave.value) is True


# --- is it let go? ------------------------------------------------------------------------------------


def _is_released(function: Function, store: keeping.Store) -> bool:
    """Whether the destructor deletes what is kept: it was handed over."""
    if store.kept.holder is not None or store.kept.how != "pointer" or function.home is None or len(store.place) < 2:
        return False
    field = function.home.field(store.place[1])
    return field is not None and keeping.is_freed(*field)


def _is_taken_back(function: Function, store: keeping.Store) -> bool:
    member = _member(store.place)
    for event in function.flow.after(store.event):
        match event:
            case events.Write(place=place) if event is not store.event and _member(place) == member and place == member:
                return True
            case events.CallEvent(receiver=place, node=call) if place == member:
                name = places.last_name(call.callee)
                if name in ("clear", "erase", "release") or (not call.args and name.startswith(("reset", "pop"))):
                    return True
    return any(inner.mentions("=" + member[-1]) for inner in function.running_lambdas())


# --- how sure it is -----------------------------------------------------------------------------------


def _doubts(function: Function, method: Function, store: keeping.Store) -> Certainty:
    if not habits.KEEPS.isdisjoint(pairs.words(method.name)):
        return because("possible", f"the name `{method.name}` suggests that it keeps its argument")
    member = _member(store.place)[-1]
    home = function.home
    field = home.field(member) if home is not None else None
    if field is not None and _OWNED_ELSEWHERE.search(field[1].comment):
        return because("possible", f"a comment says that `{member}` is owned elsewhere")
    if _is_keyed_by_itself(store):
        return because("possible", "each pointer gets an entry of its own")
    if _is_short_lived(home) or (store.in_container and store.kept.how == "capture"):
        return because("possible", "the object that stores it may be destroyed first")
    others = [m for m in _neighbours(function, store) if m is not method and m.record.kind != "constructor"]
    takes = (
        function.program.models.containers.takes | {"reset"}
        if not store.in_container
        else {"clear"}
        if store.kept.how == "key"
        else set()
    )
    if takes and any(_empties(m, member, takes) for m in others if m.record.kind != "destructor"):
        return because("possible", f"another method clears `{member}`")
    used = any(glance.says(m, member) for m in others) or _is_used_here(function, store)
    if used or store.once or _holder_uses(store):
        return because("later-use", f"harmless if `{member}` is not used after the call")
    return because("possible", f"no use of `{member}` was found")


def _is_keyed_by_itself(store: keeping.Store) -> bool:
    """`entries_.emplace(device, Entry(device))`: who gives another pointer does not find this one's entry."""
    key = store.place[-1][1:-1] if store.place[-1].startswith("[") else ""  # also by a reference to the element
    if isinstance(store.event, events.CallEvent) and len(store.event.node.args) > 1:
        key = text(store.event.node.args[0])
    return store.in_container and store.kept.how == "pointer" and key == text(_plainly(store.kept.value))


def _is_short_lived(home: Class | None) -> bool:
    """A class that is local to a function, or has references in it, is itself made for a while."""
    if home is None:
        return False
    return home.record.parent >= 0 or any(types.parse(field.type).reference for field in home.record.fields)


def _neighbours(function: Function, store: keeping.Store) -> list[Function]:
    """Who else can look at the member: its class, or for a variable the functions of the file."""
    if store.place[0] == places.THIS:
        return list(function.home.methods) if function.home is not None else []
    return [other for other in function.program.functions_in(function.path) if other is not function]


def _empties(method: Function, member: str, takes: Set[str]) -> bool:
    """Whether a method takes the member back, or out of it."""
    if method.mentions("=" + member):
        return True
    return (
        glance.says(method, member)
        and method.mentions_any(takes)
        and any(
            call.receiver is not None and member in call.receiver and places.last_name(call.node.callee) in takes
            for call in method.flow.calls
        )
    )


def _is_used_here(function: Function, store: keeping.Store) -> bool:
    member = _member(store.place)
    return any(
        isinstance(event, events.CallEvent) and event.receiver == member and event is not store.event
        for event in function.flow.events
    )


def _holder_uses(store: keeping.Store) -> bool:
    holder, field = store.kept.holder, store.kept.field
    if holder is None:
        return store.kept.how != "pointer"
    return any(glance.says(m, field) for cls in holder.ancestry for m in cls.methods if m.record.kind != "constructor")


# --- who calls ----------------------------------------------------------------------------------------


def _callers(method: Function, position: int) -> str:
    """`lasting` where every caller gives what lives as long as the object, `passing` where one gives what does not,
    empty where nobody can tell."""
    answers: set[str] = set()
    for caller in method.program.index.callers(method):
        for call in caller.flow.calls:
            node = call.node
            if places.last_name(node.callee) != method.name or position >= len(node.args) or caller is method:
                continue
            if method in caller.program.calls.callee(node, caller).functions:
                answers.add(_gives(caller, method, call, node.args[position]))
    if "passing" in answers:
        return "passing"
    return "lasting" if answers == {"lasting"} else ""


def _gives(caller: Function, method: Function, call: events.CallEvent, value: records.Value) -> str:
    if caller.record.kind == "constructor" and caller.cls is method.cls:
        return "lasting"
    inner = places.strip(value)
    where = assignments.place(caller, inner)
    if where is None:
        return ""
    if where[0] == places.THIS or not caller.is_local(where):
        return "lasting"
    if not _is_own_value(caller, where[0]) or not (len(where) == 1 or _is_address(inner)):
        return ""
    on = call.receiver
    if on is None or not caller.is_local(on) or not _is_own_value(caller, on[0]):
        return "passing" if on is not None and on != (places.THIS,) else ""
    begins = {w.place[0]: w.index for w in caller.flow.writes if w.fresh}
    return "lasting" if begins.get(where[0], 0) < begins.get(on[0], 0) else "passing"


def _is_address(value: records.Value | None) -> bool:
    return isinstance(value, records.Unary) and value.op == "&"


def _is_own_value(caller: Function, name: str) -> bool:
    """A local that ends with its function, and leads nowhere else."""
    if name not in caller.locals or name in caller.parameter_names:
        return False
    written = caller.locals[name][0]
    kind = types.parse(caller.program.types.of(records.Name(0, 0, name), caller) or written)
    if kind.is_placeholder or not kind.is_value or "&" in written or "*" in written:
        return False
    return not keeping.is_raw(caller, written) and _SHARES.isdisjoint(caller.program.types.roles(kind.name, caller))
