"""A pointer or view into a local is stored in something that outlives it.

## What it reports

- a raw pointer, reference, view or by-reference lambda into a local, a by-value parameter or memory that a local owns,
  stored in a member, a global, the target of a parameter, or a container that outlives the local
- the same in a struct that is returned, or in a member that a constructor begins with a parameter it has by value
- a call that receives such a pointer together with a heap state and a callback, while the local is destroyed when the
  function returns

## Why it is a bug

The local is destroyed at the end of its scope. The stored pointer then refers to freed memory or to a reused stack
slot, and the next use reads it.

## Example

bad:

```cpp
class Labels {
 public:
  void Title(int id) {
    std::string text = "item " + std::to_string(id);
    title_ = text.c_str();
  }
 private:
  const char* title_ = "";
};
```

```text
case.cc:5: error: `text` is destroyed before `title_`, which stores `text.c_str()`
  help: store a copy, or make the owner of the memory live as long
```

good:

```cpp
class Labels {
 public:
  void Title(int id) {
    std::string text = "item " + std::to_string(id);
    title_ = text;
  }
 private:
  std::string title_;
};
```

## How to fix it

Store a copy, or make the owner of the memory live as long: move it into the object or the state.

## What it does not report

- objects that are moved or released to a new owner
- pointers that are reset by hand, by a method, a guard or a cleanup
- string literals, statics, targets of reference parameters
- calls whose result is destroyed first or awaited, and local strings passed to a call (usually names that are copied)
- with the default `--certainty`: a member whose known readers run only after it is set again, and a slot that several
  functions fill with locals for the functions they call

## Known limitations

- A view or pointer that is returned directly is left to the compiler, which warns.
- Local arrays, and memory that a callee returns, are not analysed.
- Of one function, the first 24 such stores are analysed.

## Source

MLIR's Python bindings, where a resource attribute over a Python buffer has to keep the buffer request until the deleter
runs.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from ownlint import (
    Certainty,
    Finding,
    Function,
    Place,
    Step,
    assignments,
    because,
    callbacks,
    events,
    glance,
    keeping,
    memory,
    places,
    records,
    rule,
    statements,
    text,
    types,
)
from ownlint_rules.lifetimes import _ending as ending

_WAITS = re.compile(r"(?:wait|await|join|block|sync|drain|get\b|result\b)", re.IGNORECASE)
_WAIT = re.compile(r"wait", re.IGNORECASE)
_EMPTIES = re.compile(r"(?:clear|pop|erase|reset|remove|resize|assign|unlink|detach)", re.IGNORECASE)
_NUMBERED = re.compile(r"\[\d+\]")
"""The step to one element, which is known."""
_MOST = 24
"""What is judged in one function: each costs a walk over its flow."""
_SLOT = 3
"""So many functions make a member a slot that each fills for what it calls."""
_CALLERS_UP = 3
"""How many calls up from a read the store is looked for."""
_HELP = "store a copy, or make the owner of the memory live as long"


@rule(severity="error", cwe=(416,))
def view_shorter_than_user(function: Function) -> Iterator[Finding]:
    if function.name == "main" and not function.record.scope:
        return  # its locals end with the program
    told: set[int] = set()
    if ending.may_be_left(function):
        yield from _stored(function, told)
    yield from _left_behind(function, told)
    yield from _returned(function)
    yield from _handed_over(function)


# --- stored -------------------------------------------------------------------------------------------


def _stored(function: Function, seen: set[int]) -> Iterator[Finding]:
    judged = 0
    for store in keeping.stores(function, _can_outlive):
        owner = _owner(function, store.kept, store.event)
        if not owner or owner == store.place[0] or store.event.index in seen:
            continue
        if (judged := judged + 1) > _MOST:
            return
        if ending.is_handed_over(function, owner):
            continue
        if store.event.index not in function.flow.reachable:
            continue
        found = _left(function, store, owner)
        if found is not None:
            seen.add(store.event.index)
            yield _finding(function, store.event, owner, _shown(function, store.place), _what(store.kept), found)


def _left_behind(function: Function, told: set[int]) -> Iterator[Finding]:
    """Lambdas that are still kept by others when the function is left."""
    for one in memory.troubles(function):
        if one.what != "stored" or one.at.index in told:
            continue
        told.add(one.at.index)
        place = one.at.place if isinstance(one.at, events.Write) else getattr(one.at, "receiver", None)
        found: tuple[Certainty, tuple[Step, ...]] | None = None
        if one.ended.certainty != "certain":
            found = one.ended.certainty, ()
        elif place is not None:
            kept = keeping.Kept(records.Name(one.at.span.start, one.at.span.end, one.ended.by), how="capture")
            found = _left_at_end(function, keeping.Store(one.at, place, kept))
        if found is not None:
            yield _finding(function, one.at, one.ended.by, one.name, "a lambda that captures it", found)


def _finding(
    function: Function, at: events.Event, owner: str, keeper: str, what: str, found: tuple[Certainty, tuple[Step, ...]]
) -> Finding:
    certainty, steps = found
    return function.finding(
        at,
        f"`{owner}` is destroyed before `{keeper}`, which stores {what}",
        certainty=certainty,
        help=_HELP,
        steps=steps,
    )


def _can_outlive(function: Function, place: Place, target: records.Value | None) -> bool:
    """A member, a global, what a parameter leads to; a local too, which may outlive a block or be returned."""
    if keeping.outlives_call(function, place, target):
        return True
    if not function.is_local(place):
        return False
    parameter = next((p for p in function.record.parameters if p.name == place[0]), None)
    if parameter is not None:
        kind = types.parse(parameter.type)
        reached = len(place) > 1 or (isinstance(target, records.Unary) and target.op == "*") or target is None
        return reached and bool(kind.pointers or kind.reference) and "&&" not in parameter.type
    return place[0] in function.locals and (len(place) > 1 or target is None)


def _owner(function: Function, kept: keeping.Kept, since: events.Event | None = None) -> str:
    inner = places.strip(kept.value)
    if kept.read:
        return ""
    if isinstance(inner, records.Name):
        if kept.how in ("capture", "reference") and ending.is_local_value(function, inner.text):
            return inner.text
        if kept.holder is not None and ending.is_taken_whole(function, inner.text, kept.taken_as):
            return inner.text
    return ending.owner_of(function, inner, since=since)


def _user(place: Place) -> Place:
    """Without the steps to an element."""
    return tuple(step for step in place if not step.startswith("["))


def _shown(function: Function, place: Place) -> str:
    """A local is named as a whole: it is the one that is used on."""
    whole = place[0] in function.locals and not _is_parameter(function, place[0])
    return places.render(place[:1] if whole else _user(place))


def _what(kept: keeping.Kept) -> str:
    if kept.holder is not None:
        return f"a `{kept.holder.name}` that refers to it"
    if kept.how == "reference":
        return "a reference to it"
    return "a lambda that captures it" if kept.how == "capture" else f"`{text(kept.value)}`"


def _left(function: Function, store: keeping.Store, owner: str) -> tuple[Certainty, tuple[Step, ...]] | None:
    root = store.place[0]
    if root == places.THIS or not function.is_local(store.place) or _is_parameter(function, root):
        return _left_at_end(function, store)
    return _left_in_result(function, store, root) or _left_after_scope(function, store, owner, root)


def _is_parameter(function: Function, name: str) -> bool:
    return any(p.name == name for p in function.record.parameters)


def _left_at_end(function: Function, store: keeping.Store) -> tuple[Certainty, tuple[Step, ...]] | None:
    flow = function.flow
    if _is_guarded(function, store):
        return None

    def takes_back(event: events.Event) -> bool:
        return _takes_back(function, store, event)

    if _is_meeting_point(function, store):
        return None
    way = flow.path(store.event, lambda event: event.index == flow.exit, takes_back)
    if way is None:
        return None
    back = [event.index for event in flow.after(store.event) if takes_back(event)]
    if not back:
        if _is_slot(function, store) or _is_set_anew(function, store):
            said = "it appears to be reassigned before every use"
            return because("possible", said), ()
        return because(
            "later-use", f"harmless if `{places.render(_user(store.place))}` is not read before it is reassigned"
        ), ()
    leave = next((event for event in reversed(way) if isinstance(event, events.LeaveEvent)), None)
    if leave is None or leave.kind == "end" or leave.index > min(back):
        return None  # taken back under a condition, which may well be the one under which it was stored
    early = because("path", "this happens only on a path that returns before it is reset")
    return early, (*function.branch(leave, store.event), function.step(leave, "this returns before it is reset"))


def _is_slot(function: Function, store: keeping.Store) -> bool:
    """Whether several functions each put a local of their own there, in objects that they are given, and hardly any
    puts what lasts: it is how they hand it to what they call."""
    name = store.place[-1]
    if store.place[0] == places.THIS or len(store.place) < 2 or not isinstance(store.event, events.Write):
        return False
    local = lasting = 0
    for one in function.program.calling({"=" + name}):
        stored = [w for w in one.flow.writes if w.place[-1] == name]
        values = [w.value for w in stored if len(w.place) > 1 and w.place[0] != places.THIS and not _is_empty(w.value)]
        if values:
            is_local = all(ending.owner_of(one, value) for value in values)
            local, lasting = local + is_local, lasting + (not is_local)
    return local >= max(_SLOT, _SLOT * lasting)


def _is_empty(value: records.Value | None) -> bool:
    held = assignments.held(value)
    return held is not None and held.kind in ("emptied", "cleared")


def _is_set_anew(function: Function, store: keeping.Store) -> bool:
    """Whether the member of the function's own object has readers in sight, all of which only the function calls, once
    it is set."""
    if store.place[0] != places.THIS or len(store.place) != 2 or not isinstance(store.event, events.Write):
        return False
    name = store.place[1]
    readers = [
        one
        for one in function.program.functions
        if one.language == "cpp" and any(_may_be_own(function, one, event.place) for event in _reads(one, name))
    ]
    return bool(readers) and all(_is_set_first(one, name, function, store.event) for one in readers)


def _may_be_own(function: Function, reader: Function, place: Place) -> bool:
    """Whether what the reader reads may be the member of an object of the function's class."""
    home, other = function.home, reader.home
    return place[0] != places.THIS or home is None or other is None or home in other.ancestry or other in home.ancestry


def _reads(function: Function, name: str) -> list[events.Read]:
    if not glance.says(function, name):
        return []
    return [event for event in function.flow if isinstance(event, events.Read) and name in event.place]


def _is_set_first(reader: Function, name: str, setter: Function, setting: events.Event) -> bool:
    """Whether the member is set on every way to each of its reads: in the function itself, or before it is called."""
    stores = {setting.index} if reader is setter else {w.index for w in reader.flow.writes if w.place[-1] == name}
    if all(any(by.index in stores for by in reader.flow.dominators(read)) for read in _reads(reader, name)):
        return True
    return reader is not setter and _is_called_after(reader, setter, setting, _CALLERS_UP)


def _is_called_after(function: Function, setter: Function, setting: events.Event, depth: int) -> bool:
    if depth == 0 or function.record.kind not in ("method", "function"):
        return False
    sites = [
        (caller, call)
        for caller in function.program.index.callers(function)
        for call in caller.flow.calls
        if places.last_name(call.node.callee) == function.name
        and function in caller.program.calls.callee(call.node, caller).functions
    ]
    return bool(sites) and all(
        any(by.index == setting.index for by in caller.flow.dominators(call))
        if caller is setter
        else _is_called_after(caller, setter, setting, depth - 1)
        for caller, call in sites
    )


def _is_meeting_point(function: Function, store: keeping.Store) -> bool:
    """The address of a local that others are to find while this function waits for them, or that it hands out."""
    inner = places.strip(store.kept.value)
    if not (isinstance(inner, records.Unary) and inner.op == "&"):
        return False
    for call in function.flow.calls:
        if call.index == store.event.index:
            continue
        if _WAIT.search(places.last_name(call.node.callee)):
            return True
        if any(_is_same(places.strip(argument), inner) for argument in call.node.args):
            return True
    return False


def _is_same(one: records.Value | None, other: records.Unary) -> bool:
    return isinstance(one, records.Unary) and one.op == "&" and text(one.value) == text(other.value)


def _takes_back(function: Function, store: keeping.Store, event: events.Event) -> bool:
    user = _user(store.place)
    match event:
        case events.Write(place=place, fresh=False) if event is not store.event:
            if _is_other_element(place, store.place):
                return False
            return places.covers(_user(place), user) or places.covers(user, _user(place))
        case events.CallEvent(receiver=place, node=node):
            name = places.last_name(node.callee)
            if place is not None and places.covers(user, _user(place)):
                return bool(_EMPTIES.match(name)) or name == "swap"
            if any(_names(argument, user[-1]) for argument in node.args if event is not store.event):
                return bool(_EMPTIES.match(name)) or name in ("swap", "exchange")
            own = function.home.defined(name) if function.home is not None and store.place[0] == places.THIS else []
            return any(method.mentions("=" + user[-1]) for method in own)
    return False


def _is_other_element(place: Place, other: Place) -> bool:
    """`words[2]` beside `words[1]`, and beside `words[i]`, which stands for more than one."""
    if len(place) != len(other) or place[:-1] != other[:-1] or place == other:
        return False
    return _NUMBERED.fullmatch(place[-1]) is not None and other[-1].startswith("[")


def _names(value: records.Value, name: str) -> bool:
    return any(places.last_name(part) == name for part in places.walk(value))


def _is_guarded(function: Function, store: keeping.Store) -> bool:
    """Whether a guard object or a cleanup takes it back, or the local does so itself when it ends."""
    name = _user(store.place)[-1]
    if any(inner.mentions("=" + name) or _empties(inner, name) for inner in function.running_lambdas()):
        return True
    for event in function.flow.writes:
        if event.fresh:
            written = event.type
            cls = function.program.names.find_class(types.parse(written).name, function.record.scope, function.file)
            if cls is not None and cls.destructor is not None:
                destructor = cls.destructor
                if destructor.mentions("=" + name) or glance.says(destructor, name):
                    return True
                if any(_knows(function, part, store.place) for part in places.walk(event.value)):
                    return True
    return False


def _knows(function: Function, given: records.Value, place: Place) -> bool:
    """Whether what a guard object is given leads it to the place: `this`, or the place's own address."""
    match given:
        case records.Name(text=places.THIS):
            return True
        case records.Unary(op="&", value=named):
            return assignments.place(function, named) == _user(place)
    return False


def _empties(inner: Function, name: str) -> bool:
    return glance.says(inner, name) and any(_EMPTIES.match(called) for called in inner.mentioned)


def _left_in_result(function: Function, store: keeping.Store, root: str) -> tuple[Certainty, tuple[Step, ...]] | None:
    """The local that was left with it is what the function answers with."""
    if not types.parse(function.record.result).is_value:
        return None
    for event in function.flow.after(store.event, lambda e: _takes_back(function, store, e)):
        if isinstance(event, events.LeaveEvent) and event.kind == "return":
            inner = places.strip(event.value)
            if isinstance(inner, records.Name) and inner.text == root:
                given = because("caller", "harmless if callers do not dereference the stored pointer")
                return given, (function.step(event, "returned here", "uses"),)
    return None


def _left_after_scope(
    function: Function, store: keeping.Store, owner: str, root: str
) -> tuple[Certainty, tuple[Step, ...]] | None:
    """The owner's block ends, and the user is looked at behind it."""
    flow = function.flow

    def takes_back(event: events.Event) -> bool:
        return _takes_back(function, store, event) or (isinstance(event, events.End) and event.place == (root,))

    def replaces(event: events.Event) -> bool:
        """The next round's store puts its own local there."""
        return takes_back(event) or (event is store.event and isinstance(event, events.Write))

    for end in flow.after(store.event, takes_back):
        if not isinstance(end, events.End) or end.place != (owner,):
            continue
        quiet = [store.event, *(event for event in flow.calls if takes_back(event))]
        is_one = _user(store.place) == store.place or _NUMBERED.fullmatch(store.place[-1]) is not None
        for event in flow.after(end, replaces if is_one else takes_back):
            if _looks_at(event, root) and not any(other.span.holds(event.span) for other in quiet):
                looked = because(
                    "later-use", f"harmless if the pointers stored in `{root}` are not dereferenced afterwards"
                )
                return looked, (function.step(event, f"`{root}` is used here, after `{owner}` was destroyed", "uses"),)
    return None


def _looks_at(event: events.Event, root: str) -> bool:
    match event:
        case events.Read(place=place):
            return place[0] == root
        case events.LeaveEvent(value=value) if value is not None:
            return root in places.names_in(value)
    return False


# --- returned -----------------------------------------------------------------------------------------


def _returned(function: Function) -> Iterator[Finding]:
    """`return Slice{text.data(), text.size()}`: a class of the project's own, which no compiler knows for a view."""
    if types.parse(function.record.result).last not in keeping.keepers(function.program).classes:
        return
    written = function.program.names.expand(function.record.result, function.file, function.record.scope)
    kind = types.parse(written)
    if not kind.is_value or not kind.name or function.program.types.roles(written, function):
        return
    if function.program.names.find_class(kind.name, function.record.scope, function.file) is None:
        return
    for statement in statements(function.body):
        if not isinstance(statement, records.Leave) or statement.kind != "return" or statement.value is None:
            continue
        for kept in keeping.kept(function, statement.value, written):
            owner = _owner(function, kept) if kept.holder is not None else ""
            is_made = not isinstance(places.strip(statement.value), records.Name)
            if owner and is_made and not ending.is_handed_over(function, owner):
                yield function.finding(
                    statement,
                    f"`{owner}` is destroyed before the returned `{kind.last}`, which refers to it",
                    certainty=because("type", f"harmless if the `{kind.last}` takes what outlives `{owner}` from it"),
                    help=_HELP,
                )
                break


# --- handed over together with a state -----------------------------------------------------------------


def _handed_over(function: Function) -> Iterator[Finding]:
    if not _may_hand_over(function):
        return
    judged = 0
    for call in function.flow.calls:
        node = call.node
        if judged == _MOST:
            return
        if node.kind != "call" or len(node.args) < 3 or call.index not in function.flow.reachable:
            continue
        state = next((arg for arg in node.args if _is_on_heap(function, arg)), None)
        back = next((arg for arg in node.args if _is_callback(function, arg)), None)
        if state is None or back is None:
            continue
        judged += 1
        for argument in node.args:
            owner = "" if argument in (state, back) else _owner_of_memory(function, argument)
            if owner and not ending.is_handed_over(function, owner) and _lives_on(function, call, state):
                yield function.finding(
                    call,
                    f"`{owner}` is destroyed while the object created here still refers to `{text(argument)}`",
                    certainty=because("unread-code", f"it is not known what `{places.called(node)}` stores"),
                    help=f"move `{owner}` into the state that the callback deletes at the end",
                    steps=(function.step(state, "this lives on"),),
                )
                break


_RELEASES = ("release", "detach")


def _may_hand_over(function: Function) -> bool:
    if not function.mentions(*_RELEASES) and not function.says(_MAKES):
        return False
    return function.says(_LAMBDA) or not callbacks.untyped_takers(function.program).isdisjoint(_said(function))


def _said(function: Function) -> set[str]:
    return {name.decode() for name in _LAST_NAMES.findall(function.encoded)}


_MAKES = re.compile(rb'"new"')
_LAMBDA = re.compile(glance.opens(records.Lambda))
_LAST_NAMES = re.compile(rb'"(?:[\w:<>]*::)?([A-Za-z_]\w*)"')


def _owner_of_memory(function: Function, value: records.Value) -> str:
    """The local whose memory is given. A string is a name, which is copied; a local itself is a callback's state."""
    inner = places.strip(value)
    if isinstance(inner, records.Unary) and inner.op == "&":
        return ""
    owner = ending.owner_of(function, inner, unseen=True)
    if not owner or owner not in function.locals:
        return ""
    roles = function.program.types.roles(function.program.types.of(records.Name(0, 0, owner), function), function)
    return "" if "string" in roles else owner


def _is_on_heap(function: Function, value: records.Value) -> bool:
    inner = places.strip(value)
    match inner:
        case records.Call(kind="new"):
            return True
        case records.Call(callee=records.Member(name="release" | "detach")):
            return True
        case records.Name(text=name) if name in function.locals:
            initial = places.strip(function.locals[name][1])
            return initial != inner and initial is not None and _is_on_heap(function, initial)
    return False


def _is_callback(function: Function, value: records.Value) -> bool:
    """A function that gets the state back as `void*`."""
    inner = places.strip(value)
    match inner:
        case records.Unary(op="+" | "&", value=named):
            return _is_callback(function, named)
        case records.Lambda(function=index):
            made = function.program.index.function_at(function.file, index)
            return made is not None and any(callbacks.is_untyped(made, p.type) for p in made.record.parameters)
        case records.Name(text=name):
            if name in function.locals:
                initial = places.strip(function.locals[name][1])
                return isinstance(initial, records.Lambda | records.Unary) and _is_callback(function, initial)
            return name.rsplit("::", 1)[-1] in callbacks.untyped_takers(function.program)
    return False


def _lives_on(function: Function, call: events.CallEvent, state: records.Value) -> bool:
    """Whether what was made is there after the call: it has no result, or its result is stored or returned; and nobody
    waits for it or deletes its state here."""
    later = [event for event in function.flow.after(call) if isinstance(event, events.CallEvent)]
    names = places.names_in(state)
    for event in later:
        if _WAITS.match(places.last_name(event.node.callee)) and not event.node.args:
            return False
        if event.node.kind == "delete" and any(places.last_name(places.strip(a)) in names for a in event.node.args):
            return False
    if call.dropped or call.into is None:
        return True
    if not function.is_local(call.into) or len(call.into) > 1:
        return True
    made = call.into[0]
    return any(_says(event, made) for event in function.flow.after(call))


def _says(event: events.Event, made: str) -> bool:
    """Whether an event stores the result, or answers with it."""
    match event:
        case events.LeaveEvent(value=value) | events.Write(value=value, fresh=False):
            return any(
                (isinstance(part, records.Name) and part.text == made and not isinstance(value, records.Binary))
                for part in places.walk(value)
                if not _is_question(value, made)
            )
        case events.CallEvent(node=records.Call(kind="new" | "construct", args=args)):
            return any(places.last_name(places.strip(arg)) == made for arg in args)
    return False


def _is_question(value: records.Value | None, made: str) -> bool:
    """`return blob.sum()`: what a method answers is something else."""
    inner = places.strip(value)
    return isinstance(inner, records.Call) and isinstance(inner.callee, records.Member) and not inner.args
