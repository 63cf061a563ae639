"""An object is destroyed and its registry entry stays.

## What it reports

- a destructor, of a class whose constructor inserts the object into a registry, that does not erase the entry on every
  path, or no destructor at all
- a method or function that destroys the native object which is the key, or the handle, without erasing the entry,
  although another one does
- a function of C that frees the handle to which the entry points, or a method that deletes it: of a map, a set, an
  array, or a table of buckets
- a method that looks an object up and frees it, and erases its entry on some paths only, or not at all
- a method that takes the object out of the container that owns it, and leaves the pointer in another one of its class
- a function that destroys an object, or puts another in its place, and leaves what a map knows by its address: a map of
  its class, one to which its class hands such objects, or one to which they hand themselves
- one that takes out that entry alone, or those of one level, where the object destroys others of its class with it,
  and those others in turn
- a function that destroys an object and leaves the member of its owner alone that remembers what was found last
- in Python, a method that takes an object out of its container, or puts others in the place of all, and leaves what a
  table of a class or of the file has by its `id`
- in Python, a call that has a C library destroy an object, or empty it, and leaves its wrapper in a table by addresses,
  a weak one too, or those of the objects that the library has returned for it and destroys with it
- in Python, a method that closes its object for good, and leaves it in the table of its class that is looked into
- a move constructor that leaves the entry pointing to the old object

## Why it is a bug

The entry then points to a destroyed object. The next lookup returns it, or a new object at the same address is mistaken
for the old one.

## Example

bad:

```cpp
class Session;
std::map<int, Session*> sessions;
class Session {
 public:
  Session(int id, bool owned) : id_(id), owned_(owned) { sessions[id_] = this; }
  ~Session() {
    if (!owned_) return;
    sessions.erase(id_);
  }
 private:
  int id_;
  bool owned_;
};
```

```text
case.cc:6: error: this destructor can return without erasing the `Session` from `sessions`
  help: erase the entry from `sessions` first, unconditionally
```

good:

```cpp
class Session;
std::map<int, Session*> sessions;
class Session {
 public:
  Session(int id, bool owned) : id_(id), owned_(owned) { sessions[id_] = this; }
  ~Session() {
    sessions.erase(id_);
    if (!owned_) return;
    release();
  }
 private:
  int id_;
  bool owned_;
};
```

## How to fix it

Erase the entry on every path, best in one method that also destroys the object; in a move constructor, replace it.

## What it does not report

- a path under a condition that explains why there is no entry: the condition of the insertion, a null key or registry,
  a lookup, or a flag that is set when the entry is erased
- registries from which nothing is ever erased, unless the objects are destroyed and others go through the entries
- entries that a registered callback erases
- registries whose lookup checks whether the handle is still valid

## Known limitations

- Registries of one name in two objects count as one.
- An entry whose key is not a pointer is judged by its object only.

## Source

reduced from registries of wrappers in binding code, of the kind of MLIR's `liveOperations`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from ownlint import (
    Class,
    Finding,
    Function,
    Program,
    assignments,
    because,
    c_containers,
    conditions,
    containers,
    events,
    habits,
    natives,
    pairs,
    places,
    questions,
    records,
    rule,
    standing,
    text,
    types,
    validity,
)
from ownlint_rules.registries import _addresses as addresses
from ownlint_rules.registries import _answers as answers
from ownlint_rules.registries import _companions as companions
from ownlint_rules.registries import _elements as elements
from ownlint_rules.registries import _id_keys as id_keys
from ownlint_rules.registries import _member_stores as member_stores
from ownlint_rules.registries import _native_keys as native_keys
from ownlint_rules.registries import _owners as owners
from ownlint_rules.registries import _registries as registries
from ownlint_rules.registries import _slots as slots

_HELPERS = 2
"""How many calls deep a look into the registry may be."""
_NUMBERS = frozenset({"bool", "int", "unsigned", "unsigned int", "long", "short", "char", "size_t", "std::size_t"})
_DELETES = re.compile(rb'"delete"')
_ASKS_REGISTRY = frozenset({"lock", "expired", "upgrade"})


@rule(
    severity="error",
    cwe=(459,),
    languages=("cpp", "python"),
    anchors=(r"\bid\(\w", r"\brestype\b", r"\bcdef\b"),
    yields_to=("key-reset-before-erase", "flag-cleared-entry-kept"),
)
def registry_entry_left_behind(cls: Class) -> Iterator[Finding]:
    if cls.file.language == "python":
        yield from _by_id(cls)
        yield from _by_native_address(cls)
        yield from _closed(cls)
        return
    found = [*_by_itself(cls), *_beside_owner(cls)]
    found += _remembered(cls)
    for registry in registries.registries(cls.program).of(cls):
        if registry.held is cls:
            found += list(_freed(registry)) or [*_ending(registry), *_freeing(registry)]
    found += _by_address(cls)
    yield from {(one.path, one.span): one for one in reversed(found)}.values()


def _by_address(cls: Class) -> Iterator[Finding]:
    """An object ends whose address is a key, or others end with it, and the entry stays."""
    for one in addresses.left(cls):
        shown, table = text(one.said), one.table.shown
        taken = "the entries of one level are erased here" if one.is_level else "its own entry is erased here"
        steps = (one.function.step(one.taking, taken),) if one.taking is not None else ()
        yield one.function.finding(
            one.at,
            f"`{shown}` is destroyed with all below it in `{one.member}`, but only one level is erased from `{table}`"
            if one.is_level
            else f"`{shown}` is destroyed with its `{one.member}`, but only its own entry in `{table}` is erased"
            if one.member
            else f"`{one.through.name}` destroys what is in `{shown}`, but its entry in `{table}` stays"
            if one.through is not None
            else f"`{shown}` is destroyed here, but its entry in `{table}` stays",
            certainty=because("later-use", "harmless if no other object ever gets the same address"),
            help=f"erase the entries of its `{one.member}` too, and of theirs"
            if one.member
            else f"erase the entry from `{table}` too",
            steps=steps,
        )


def _by_itself(cls: Class) -> Iterator[Finding]:
    """What the class, whose objects stand in the registry, does or leaves."""
    known = registries.registries(cls.program)
    for registry in known.of(cls):
        put = _puts_itself(cls, registry)
        if not known.takers(registry):
            if put is not None:
                yield from _never_taken(cls, registry, put)
            continue
        if put is None:
            makers = (*cls.methods, *(registry.home.methods if registry.home not in (cls, None) else ()))
            if any(_puts_what_it_makes(method, registry) for method in makers):
                yield from _deleting(cls, registry)
            continue
        destructor = next((one.destructor for one in cls.ancestry if _takes(known, one.destructor, registry)), None)
        if destructor is None:
            yield from _without_destructor(cls, registry, put)
            yield from _deleting(cls, registry)
        elif destructor.cls is cls:
            yield from _leaving(destructor, registry, put)
            yield from _closing(cls, registry)
        yield from _moving(cls, registry)


def _beside_owner(home: Class) -> Iterator[Finding]:
    """A method takes an object out of the container that owns it, and leaves the pointer to it in another one."""
    for one in companions.left_behind(home):
        owner, pointers = one.companion.owner.name, one.companion.pointers.name
        yield one.method.finding(
            one.at,
            f"a `{one.companion.held}` is destroyed with its entry in `{owner}`, but its entry in `{pointers}` stays",
            certainty=because("later-use", "harmless if it is never looked up again"),
            help=f"erase the entry from `{pointers}` first",
            steps=(one.filler.step(one.put, f"the pointer is put into `{pointers}` here"),),
        )


def _by_id(cls: Class) -> Iterator[Finding]:
    """Python: an object is taken out of what keeps it alive, and what is known by its `id` is left."""
    for one in id_keys.left(cls):
        yield one.function.finding(
            one.at,
            f"an object is taken out of `{one.container}` here, but its entry in `{one.table}`, by its `id`, stays",
            certainty=because("later-use", "harmless if no other object ever gets the same `id`"),
            help=f"take its entry out of `{one.table}` too, or key that by the object with a `WeakKeyDictionary`",
            steps=(one.filler.step(one.put, "the entry is stored here"),),
        )


def _by_native_address(cls: Class) -> Iterator[Finding]:
    """Python: a library ends an object, and what is known by its address, or by those of its parts, is left."""
    for one in native_keys.left(cls):
        called = places.last_name(one.at.node.callee)
        yield one.function.finding(
            one.at,
            f"`{called}` destroys the `{one.part}` objects of `{one.of}` too, but their entries in `{one.table}` stay"
            if one.part
            else f"`{called}` destroys what `{one.of}` stands for, but its entry in `{one.table}`, by address, stays",
            certainty=because("later-use", "harmless if no other object ever gets the same address"),
            help=f"take the entries out of `{one.table}` before the objects are destroyed",
            steps=(one.filler.step(one.put, "the wrapper is stored here"),),
        )


def _closed(cls: Class) -> Iterator[Finding]:
    """Python: an object says of itself that it is closed, and a table of its class still answers with it."""
    natively = {one.function for one in native_keys.left(cls)}
    for one in native_keys.closed(cls):
        if one.function in natively:
            continue
        yield one.function.finding(
            one.mark,
            f"`{one.function.name}` closes this `{cls.name}` for good, but its entry in `{one.table}` stays",
            certainty=because("later-use", "harmless if it is never looked up again"),
            help=f"take its entry out of `{one.table}` here",
            steps=(one.filler.step(one.put, "the entry is stored here"),),
        )


def _remembered(home: Class) -> Iterator[Finding]:
    """An object is ended that a member of its owner may point to, as what was found last."""
    for one in slots.left(home):
        yield one.function.finding(
            one.at,
            f"`{text(one.said)}` is destroyed here, but `{one.slot.member}` may still point to it",
            certainty=because("later-use", f"harmless if `{one.slot.member}` never leads to what is destroyed here"),
            help=f"empty `{one.slot.member}` where it points to this object",
            steps=(one.slot.filler.step(one.slot.put, "what was found is remembered here"),),
        )


def _never_taken(
    cls: Class, registry: registries.Registry, put: tuple[Function, registries.Putting]
) -> Iterator[Finding]:
    """Objects that end put themselves in, others look there, and the destructor, which is there, takes nothing out."""
    destructor = cls.destructor
    if not _is_looked_into(registry) and not _is_gone_through(registry):
        return
    if destructor is None or not destructor.body:
        if _is_deleted_by_owner(cls, registry.home) and _outlived_by_owner(cls, registry):
            yield from _without_destructor(cls, registry, put)
        return
    if not _lasts(registry):
        return
    if _calls_unknown(destructor) or not (_made_as_value(cls) or _has_owner(cls) or _is_ended_by_python(cls)):
        return
    yield destructor.finding(
        destructor.record.name_span,
        f"this destructor does not erase the `{cls.name}` from `{registry.shown}`",
        certainty=because("later-use", f"harmless if every `{cls.name}` lives as long as `{registry.shown}`"),
        help=f"erase the entry from `{registry.shown}` first",
        steps=(put[0].step(put[1].event, "the constructor inserts it"),),
    )


def _has_owner(cls: Class) -> bool:
    """Whether a member of a class owns such an object, or a container there has owners of some."""
    return any(
        companions.owned(other, written)[0] == cls.name
        for other in cls.program.classes
        for field in other.record.fields
        for written in (field.type, *types.parse(field.type).arguments)
    )


def _puts_itself(cls: Class, registry: registries.Registry) -> tuple[Function, registries.Putting] | None:
    """The constructor of the class that puts the object in, and where; where nothing calls what would take it out, any
    method that does."""
    putters = cls.constructors if _forgotten(registry) is None else (*cls.constructors, *cls.methods)
    for method in putters:
        if not _is_move(cls, method.record) and (put := registries.puts_itself(method, registry)) is not None:
            return method, put
    return None


def _puts_what_it_makes(method: Function, registry: registries.Registry) -> bool:
    """Whether a method of the class, as `open`, makes an object and puts it in."""
    known = registries.registries(method.program)
    return any(
        known.is_put_by(method, registry, name)
        for name, (_, initial) in method.locals.items()
        if isinstance(made := places.strip(initial), records.Call) and made.kind == "new"
    )


def _takes(known: registries.Registries, destructor: Function | None, registry: registries.Registry) -> bool:
    return destructor is not None and bool(known.takings(destructor, registry))


# --- the destructor -------------------------------------------------------------------------------


def _leaving(
    destructor: Function, registry: registries.Registry, put: tuple[Function, registries.Putting]
) -> Iterator[Finding]:
    """A way through the destructor on which nothing is taken out."""
    flow = destructor.flow
    takings = registries.registries(destructor.program).takings(destructor, registry)
    taking = {call.index for call in takings}
    passed = taking | {test for call in takings for test in registries.asked_for(destructor, call)}
    start = flow.events[flow.entry]
    way = flow.path(start, lambda event: event.index == flow.exit, lambda event: event.index in passed)
    if way is None:
        return
    if any(_explains(destructor, asked, registry, put) for call in takings for asked in _conditions(destructor, call)):
        return
    leave = next((event for event in way if isinstance(event, events.LeaveEvent) and event.kind == "return"), None)
    yield destructor.finding(
        destructor.record.name_span,
        "this destructor can return without erasing the "
        f"`{destructor.cls.name if destructor.cls else ''}` from `{registry.shown}`",
        certainty=because("path", "this happens only on the path that skips it"),
        help=f"erase the entry from `{registry.shown}` first, unconditionally",
        steps=(
            *((destructor.step(leave, "this path keeps the entry"),) if leave is not None else ()),
            put[0].step(put[1].event, "the constructor inserts it"),
        ),
    )


def _conditions(destructor: Function, taking: events.CallEvent) -> Iterator[records.Value | None]:
    """What decides about the erase; None for what is asserted."""
    yield from (None if test.asserted else test.value for test, _ in destructor.flow.guards(taking))
    if (case := conditions.case_of(destructor, taking)) is not None:
        yield case[0].value


def _explains(
    destructor: Function,
    asked: records.Value | None,
    registry: registries.Registry,
    put: tuple[Function, registries.Putting],
) -> bool:
    """Whether a condition under which the entry is taken out says that else there is none."""
    if asked is None or _asks_registry(asked):
        return True
    work = [call for call in places.calls_in(asked) if _is_work(destructor, call)]
    said = _members_in(destructor, asked, work)
    if not said and work:
        return False
    if not said:  # nothing of the object: the state of the program, or the outcome of a call
        return not any(_is_outcome(destructor, call) for call in places.calls_in(asked))
    maker, putting = put
    if any(said & _members_in(maker, guard.value) for guard, _ in maker.flow.guards(putting.event)):
        return True
    return any(_explains_member(destructor, name, registry) for name in said)


def _explains_member(destructor: Function, name: str, registry: registries.Registry) -> bool:
    """The key, the way to the registry, or what is stored where entries come and go."""
    cls = destructor.cls
    found = cls.field(name) if cls is not None else None
    if cls is None or found is None:
        return True
    if not _is_plain(cls, found[1].type) or name in set(_keys(destructor, registry)):
        return True
    begun = {
        text(one.args[0])
        for made in cls.constructors
        for one in made.record.initializers
        if one.name == name and one.args
    }
    if len(begun) > 1 and not any(
        parameter.name in begun for made in cls.constructors for parameter in made.record.parameters
    ):
        return True  # it tells by which constructor the object was made
    return any(
        function.record.kind not in ("constructor", "destructor") and _is_about(function, registry)
        for function in member_stores.storing(cls, name, strict=False)
    )


def _is_about(function: Function, registry: registries.Registry) -> bool:
    """Whether a function, or one that calls it before the object ends, puts entries in or takes some out."""
    takers = registries.registries(function.program).takers(registry)
    callers = (
        one
        for one in function.program.index.callers(function)
        if one.record.kind != "destructor" and any(registries.calls_of(one, function))
    )
    return any(one in takers or any(registries.puttings(one, registry)) for one in (function, *callers))


def _is_plain(cls: Class, written: str) -> bool:
    """A truth value, a number or an enumerator, which does not lead anywhere."""
    kind = types.parse(cls.program.names.expand(written, cls.file, cls.symbol))
    if not kind.is_value or kind.arguments:
        return False
    return kind.name in _NUMBERS or cls.program.names.find_class(kind.name, cls.symbol, cls.file, enum=True) is not None


def _is_outcome(destructor: Function, call: records.Call) -> bool:
    """Whether a call does some work for the object, rather than tell about the program."""
    return any(_members_in(destructor, argument) for argument in call.args) or _is_method(destructor, call)


def _is_method(destructor: Function, call: records.Call) -> bool:
    return destructor.cls is not None and bool(destructor.cls.declared(places.last_name(call.callee)))


def _asks_registry(value: records.Value) -> bool:
    return places.THIS in places.names_in(value) or any(
        places.last_name(call.callee) in _ASKS_REGISTRY for call in places.calls_in(value)
    )


def _is_work(destructor: Function, call: records.Call) -> bool:
    """Whether a function of C is given something of the object and says how that went: `fflush(file_) != 0`."""
    if not isinstance(call.callee, records.Name) or call.kind != "call" or not call.args:
        return False
    return not _is_method(destructor, call) and not destructor.program.calls.callee(call, destructor).functions


def _members_in(function: Function, value: records.Value, work: Sequence[records.Call] = ()) -> set[str]:
    """The members of the object that an expression reads, also by a local that was made from them; what is handed to a
    call of `work` is left out."""
    members = function.home.members if function.home is not None else frozenset()
    found: set[str] = set()
    queue: list[records.Value] = [value]
    for current in queue:
        for inner in places.walk(current):
            if any(inner.start in call.span for call in work):
                continue
            match inner:
                case records.Name(text=name) if name in function.locals:
                    initial = function.locals[name][1]
                    if initial is not None and len(queue) < 8 and initial not in queue:
                        queue.append(initial)
                case records.Name(text=name) if name in members:
                    found.add(name)
                case records.Member(base=records.Name(text=places.THIS), name=name):
                    found.add(name)
    return found


# --- other ends -----------------------------------------------------------------------------------


def _closing(cls: Class, registry: registries.Registry) -> Iterator[Finding]:
    """A method that ends the native object by which the entry is known, and takes nothing out."""
    known, found = registries.registries(cls.program), natives.natives(cls.program)
    destructor = cls.destructor
    keys = set(_keys(destructor, registry)) if destructor is not None else set()
    for method in cls.methods if keys else ():
        if method.record.kind in ("constructor", "destructor") or method.name == "operator=":
            continue
        for call, _, argument in natives.destroys(method, found):
            place = places.place_of(argument, method.flow.aliases, cls.members - method.declared)
            if place is None or place[0] != places.THIS or len(place) < 2 or place[1] not in keys:
                continue
            taking = {one.index for one in known.takings(method, registry)}
            taking |= {test for one in taking for test in registries.asked_for(method, method.flow.events[one])}
            if any(event.index in taking for event in (*method.flow.before(call), *method.flow.after(call))):
                continue
            if _callers_take(method, registry) or method.mentions("=" + place[1]):
                continue
            name = "delete" if call.node.kind == "delete" else places.last_name(call.node.callee)
            yield method.finding(
                call,
                f"`{name}` destroys `{text(argument)}`, but its entry in `{registry.shown}` stays until "
                "the destructor runs",
                certainty=because("later-use", "harmless if the destructor runs before the entry is looked up again"),
                help=f"erase the entry from `{registry.shown}` here too, best in one method that does both",
            )


def _deleting(cls: Class, registry: registries.Registry) -> Iterator[Finding]:
    """An object is deleted and its entry stays, where it is taken out beside another `delete`."""
    known = registries.registries(cls.program)
    if any(_takes(known, one.destructor, registry) for one in cls.ancestry):
        return
    deletes = [
        (function, call)
        for function in _deleters(cls.program)
        for call in function.flow.calls
        if call.node.kind == "delete" and call.node.args and _is_object_of(function, call.node.args[0], cls)
    ]
    taken = [(function, call) for function, call in deletes if known.ways(function, registry).always(call)]
    for function, call in deletes if taken else ():
        if (
            (function, call) in taken
            or _has_just_made(function, call.node.args[0])
            or _callers_take(function, registry)
            or _is_counted_by(function, call, registry)
            or (function.record.kind == "destructor" and function.home is registry.home)
        ):
            continue  # its entry is out, or goes with the registry
        beside, other = taken[0]
        yield function.finding(
            call,
            f"`{text(call.node.args[0])}` is deleted, but its entry in `{registry.shown}` stays",
            certainty=because("convention", "that the entry must go is inferred: a sibling erases it")
            if beside.home is function.home and function.home is not None
            else because("value", f"harmless if it has no entry in `{registry.shown}` here"),
            help=f"erase it from `{registry.shown}` first",
            steps=(beside.step(other, "erased where it is deleted here"),),
        )


@questions.program_question
def _deleters(program: Program) -> list[Function]:
    return [function for function in program.functions if function.file.language == "cpp" and function.says(_DELETES)]


def _ending(registry: registries.Registry) -> Iterator[Finding]:
    """The native object that is the key ends, and the entry stays, though the handle is marked as dead or freed, or
    another function that ends such an object takes its entry out."""
    program = registry.held.program
    known = registries.registries(program)
    keyed = answers.key_of(registry)
    held = types.parse(types.parse(registry.type).arguments[-1] if registry.keyed and registry.type else "")
    by_value = owners.emptied(program).get(registry.held.name, ()) if held.pointers == 1 else ()
    values = {id(at) for _, at, _ in by_value}
    ended = [*(_ends_of(keyed, registry) if keyed.last not in ("", "void") else ()), *by_value]
    if keyed.pointers == 1 and keyed.last != registry.held.name:
        ended += owners.emptied(program).get(keyed.last, ())
    if any(not answers.ENDED.isdisjoint(pairs.words(taker.name)) for taker in known.takers(registry)):
        return  # it is called when the object that is the key has ended
    left = [one for one in ended if not known.takings(one[0], registry)]
    if not left or answers.is_verified(registry) or answers.replaces(program, registry):
        return
    if containers.is_taken_out_by_hook(left[0][0], containers.Container(registry.names, registry.shown, registry.type)):
        return
    forgotten = _forgotten(registry)
    taken = [(function, at) for function, at, _ in ended if _takes_out_beside(function, at, registry)]
    outliving = _outlives_its_own(registry, keyed)
    for function, at, said in left:
        inner = places.strip(said)
        if isinstance(inner, records.Name) and known.is_put_by(function, registry, inner.text):
            continue  # it is not in yet
        tells, frees = _telling(function, registry), _ending_handle(function, registry)
        siblings = any(_is_of_one_class(one, function) for one, _ in taken)
        beside = siblings or ((taken or forgotten is not None) and _is_beside(function, registry))
        alone = not (siblings if id(at) in values else tells or frees or beside)
        if _callers_take(function, registry) or (alone and not (outliving and _is_ended_for_good(function, registry))):
            continue
        steps = (taken[0][0].step(taken[0][1], "erased where it is destroyed here"),) if taken else ()
        if not taken and forgotten is not None:
            steps = (forgotten.step(forgotten.record.name_span, "this erases an entry, and is never called"),)
        told = (function.step(tells, "the handle is marked as invalid here"),) if tells else ()
        told = told or ((function.step(frees, "the handle is freed here"),) if frees else ())
        what = "is destroyed here" if isinstance(at, events.CallEvent) else "is marked as invalid here"
        of_handle = tells is not None and any(_is_beside(one, registry) for one, _ in taken)
        yield function.finding(
            at,
            f"`{text(said)}` {what}, but its entry in `{registry.shown}` stays",
            certainty=because(
                "convention", f"that the entry must go is inferred: a {'sibling' if taken else 'method'} erases it"
            )
            if siblings or (beside and not taken and not alone)
            else because("later-use", f"harmless if `{taken[0][0].name}` runs before the entry is looked up again")
            if of_handle and _is_beside(function, registry)
            else because("later-use", "harmless if no other object ever gets the same key")
            if (tells or frees or alone) and answers.finds_or_makes(program, registry)
            else because("value", "harmless if no other object ever gets the same address"),
            help=f"erase the entry from `{registry.shown}` too",
            steps=(*told, *steps),
        )


def _outlives_its_own(registry: registries.Registry, keyed: types.Type) -> bool:
    """Whether a handle is all that takes its entry out, when it ends itself, and does not end the native object that is
    the key, to which it leads: where that ends alone, the handle is left, and so is the entry with which a lookup
    answers for the next object there."""
    held, program = registry.held, registry.held.program
    takers = registries.registries(program).takers(registry)
    own = {function for function, _ in natives.endings(program).get(held, ())}
    own |= {one.destructor for one in held.ancestry if one.destructor is not None}
    ending = [one for one in takers if one in own]
    return (
        keyed.pointers == 1
        and bool(ending)
        and all(one in own for one in takers)
        and keyed.last in registries.stood_for(held)
        and not any(kind == keyed.last for one in own for _, kind, _ in natives.destroys(one, natives.natives(program)))
        and answers.finds_or_makes(program, registry)
    )


def _is_ended_for_good(function: Function, registry: registries.Registry) -> bool:
    """Whether a function that Python calls ends the object, or one of a class that is not the handle's."""
    return function.home is not registry.held and registry.held not in natives.homes(function)


def _takes_out_beside(function: Function, at: events.Event, registry: registries.Registry) -> bool:
    """Whether a function that ends the object takes its entry out: on every way, or in a loop over what ends there."""
    known = registries.registries(function.program)
    return known.ways(function, registry).always(at) or any(
        any(function.flow.loops_over(taking.span.start)) for taking in known.takings(function, registry)
    )


def _is_of_one_class(one: Function, other: Function) -> bool:
    """Whether both are methods of a class, or functions of C that are given an object of it first."""
    return not {*natives.homes(one)}.isdisjoint(natives.homes(other))


def _forgotten(registry: registries.Registry) -> Function | None:
    """The method of the registry's owner that takes one entry out, where that is never called."""
    takers = registries.registries(registry.held.program).takers(registry)
    bound_as = validity.of(registry.held.program).bound_as
    alone = len(takers) == 1 and registry.home is not None
    return next(
        (
            one
            for one in takers
            if alone
            and one.home is registry.home
            and one.record.kind == "method"
            and one.record.parameters
            and bound_as(one) is None
            and not one.program.index.is_called(one.name)
        ),
        None,
    )


def _freed(registry: registries.Registry) -> Iterator[Finding]:
    """A function frees the object that it is given, or its own, to which a bare pointer in the registry leads, and
    neither it nor who calls it takes that out."""
    program = registry.held.program
    known = registries.registries(program)
    if not _has_bare_pointers(registry) or not _is_looked_into(registry):
        return
    key, takers = answers.key_of(registry), known.takers(registry) | answers.unlinking(registry)
    by_address = registry.keyed and key.pointers == 1 and not key.is_scalar
    if not _lasts(registry) and not (registry.type and (takers or by_address)):
        return

    def takes(function: Function) -> bool:
        called = (one for call in function.flow.calls for one in program.calls.callee(call.node, function).functions)
        if not registry.type and any(registries.says(one, registry) for one in (function, *called)):
            return True  # C has more ways to take out what is linked, or in an array, than are known
        return function in takers or any(change for _, change in registries.touches(function, registry))

    for function, call, said in _enders(registry):
        if any(natives.ends_itself(one) is not None for one in program.calls.callee(call.node, function).functions):
            continue  # said there
        if not registry.type and function.path != registry.path:
            continue  # a list of another file's has but the name of this one
        if takes(function) or _is_handed_to_table(function) or _is_counted_by(function, call, registry):
            continue
        calls = [(one, at) for one in program.index.callers(function) for at in registries.calls_of(one, function)]
        if calls and all(
            takes(one) or any(registries.is_made_here(one, argument) for argument in at.node.args[:1])
            for one, at in calls
        ):
            continue
        yield function.finding(
            call,
            f"`{text(said)}` is freed here, but its entry in `{registry.shown}` stays",
            certainty=because("later-use", "harmless if it is never looked up again"),
            help=f"erase the entry from `{registry.shown}` first",
        )


def _has_bare_pointers(registry: registries.Registry) -> bool:
    """Whether the entries are bare pointers to the objects: as values, in a set, in an array, or linked."""
    held = types.parse(registry.type)
    if not registry.type:
        return not registry.keyed
    is_set = "set" in registry.held.program.types.roles_at(
        registry.type, registry.held.program.files[registry.path], registry.home.symbol if registry.home else ""
    )
    return (
        (registry.keyed or is_set)
        and held.name != "PyObject"
        and types.parse(held.arguments[1 if registry.keyed else 0]).pointers == 1
    )


def _enders(registry: registries.Registry) -> Iterator[tuple[Function, events.CallEvent, records.Value]]:
    """The functions of C that free the object which they are given first, and the methods of the object or of the
    registry's owner that delete it."""
    program, held = registry.held.program, registry.held
    yield from ((one, call, call.node.args[0]) for one, call in natives.endings(program).get(held, ()))
    for function in _deleters(program):
        if function.home is None or function.home not in (held, registry.home) or function.record.kind != "method":
            continue
        given = function.parameter_names | {places.THIS}
        for call in function.flow.calls:
            said = places.strip(call.node.args[0]) if call.node.kind == "delete" and call.node.args else None
            if isinstance(said, records.Name) and said.text in given and _is_object_of(function, said, held):
                yield function, call, said


def _is_looked_into(registry: registries.Registry) -> bool:
    return any(
        change is False
        for function in registry.held.program.functions
        if function.language == "cpp"
        for _, change in registries.touches(function, registry)
    )


def _is_gone_through(registry: registries.Registry) -> bool:
    """Whether a loop goes over the entries."""
    return any(
        registry.is_called(containers.names_of(function, statement.iterable))
        for function in registry.held.program.functions
        if function.language == "cpp" and registries.says(function, registry)
        for statement in function.statements
        if isinstance(statement, records.Loop) and statement.iterable is not None
    )


def _is_handed_to_table(function: Function) -> bool:
    """Whether it is what a container of C calls for an entry that is taken out, also one that a macro names."""
    said = f'"{function.name}"'.encode()
    if any(one.body.strip() == function.name for file in function.program.files.values() for one in file.macros):
        return True
    return any(
        any(_is_function(argument, function) for argument in call.node.args)
        and not habits.TABLES.isdisjoint(pairs.words(places.last_name(call.node.callee)))
        for other in function.program.functions
        if other is not function and said in other.encoded
        for call in other.flow.calls
    )


def _freeing(registry: registries.Registry) -> Iterator[Finding]:
    """What was looked up in the registry, or in one that is filled together with it, is freed, and its entry stays."""
    known = registries.registries(registry.held.program)
    freed: dict[Function, list[tuple[events.Event, records.Value]]] = {}
    for function, at, said in owners.ends(registry.held.program).get(registry.held.name, ()):
        if (isinstance(at, events.CallEvent) and natives.ends_life(places.last_name(at.node.callee))) or (
            isinstance(at, events.CallEvent) and at.node.kind == "delete"
        ):
            freed.setdefault(function, []).append((at, said))
    others = [one for one in known.of(registry.held) if one.names != registry.names and known.takers(registry)]
    beside = [one for one in others if _filled_together(registry, one)] if freed else []
    for function, ends in freed.items():
        takings = known.takings(function, registry)
        if _callers_take(function, registry) or any(True for _ in registries.puttings(function, registry)):
            continue
        for call, said in ends:
            if (takings and _is_taken_on_its_ways(function, call, takings)) or _is_replaced(function, call, said):
                continue
            found = _looked_up(function, said, registry) is not None
            other = next((one for one in beside if not found and _looked_up(function, said, one) is not None), None)
            if (found or other is not None) and next(function.flow.loops_over(call.span.start), None) is None:
                yield function.finding(
                    call,
                    f"`{text(said)}` was found in `{registry.shown}`, but its entry stays when it is freed"
                    if other is None
                    else (
                        f"`{text(said)}` was found in `{other.shown}`, but its entry in "
                        f"`{registry.shown}` stays when it is freed"
                    ),
                    certainty=because("later-use", "harmless if it is never looked up again"),
                    help=f"erase it from `{registry.shown}` first",
                )


def _is_taken_on_its_ways(function: Function, end: events.Event, takings: Sequence[events.Event]) -> bool:
    """Whether the entry is taken out before what it leads to ends, or on every way behind that."""
    found = {taking.index for taking in takings}

    def takes(event: events.Event) -> bool:
        return event.index in found

    before = (taking for taking in takings if taking.index != end.index)
    return function.flow.always_after(end, takes) or any(
        function.flow.path(taking, lambda event: event is end) is not None for taking in before
    )


def _is_replaced(function: Function, end: events.Event, said: records.Value) -> bool:
    """Whether the part of an entry that led to it leads to something else behind that: `delete all[i].shape;
    all[i].shape = other;`."""
    shown = text(said)
    return function.flow.always_after(
        end,
        lambda event: isinstance(event, events.Write) and event.target is not None and text(event.target) == shown,
    )


def _filled_together(one: registries.Registry, other: registries.Registry) -> bool:
    """Whether all who put something into the other put it into the one, too."""
    found = False
    for function in one.held.program.functions if one.home is other.home else ():
        if function.language != "cpp":
            continue
        put, beside = (
            {text(inner) for putting in registries.puttings(function, each) for inner in putting.values}
            for each in (one, other)
        )
        if beside and put.isdisjoint(beside):
            return False
        found = found or not put.isdisjoint(beside)
    return found


def _looked_up(
    function: Function, value: records.Value, registry: registries.Registry, depth: int = 0
) -> records.Value | None:
    """The look into the registry from which a pointer comes, here or in what it is got by."""
    looks = function.program.models.containers.looks | {"at"}
    for made in containers.made_from(function, value):
        for inner in places.walk(made):
            match inner:
                case records.Index(base=base) if registry.is_called(containers.names_of(function, base)):
                    return inner
                case records.Call(callee=records.Member(base=base, name=name)) if name in looks:
                    if registry.is_called(containers.names_of(function, base)):
                        return inner
                case records.Call() if depth < _HELPERS:
                    done = c_containers.table_call(function, inner)
                    looks_here = done is not None and done.does == "find"
                    if looks_here and registry.is_called(containers.names_of(function, done.table if done else None)):
                        return inner
                    for callee in function.program.calls.callee(inner, function).functions:
                        if callee is not function and any(
                            leave.value is not None and _looked_up(callee, leave.value, registry, depth + 1)
                            for leave in callee.flow.leaves
                            if leave.kind == "return"
                        ):
                            return inner
    return None


def _ends_of(key: types.Type, registry: registries.Registry) -> Iterator[owners.Ended]:
    """Where an object of the native type that is the key ends, or a function is told of its end."""
    program = registry.held.program
    if key.pointers != 1:
        ended = owners.ends(program).get(owners.NUMBER if key.is_scalar else key.last, ())
        yield from (one for one in ended if _is_number_of(one[0], one[2], registry))
        return
    yield from owners.ends(program).get(key.last, ())
    for name, dead in sorted(registries.deciding(program).get(registry.held, {}).items()):
        for function in member_stores.storing(registry.held, name):
            if function.record.kind in ("constructor", "destructor") or not _is_told_of_end(function, key):
                continue
            for store in member_stores.stores_of(function, name, registry.held):
                if assignments.held(store.value) in dead and store.at.index in function.flow.reachable:
                    yield function, store.at, store.base or store.target


def _is_number_of(function: Function, said: records.Value, registry: registries.Registry) -> bool:
    """Whether a number is that of an object in the registry: a member of it, what a method of it answers, the key of an
    entry, or what the function looks up there."""
    match said:
        case records.Member(base=base, name="first"):
            return _is_in(function, base, registry)
        case records.Member(base=base) | records.Call(callee=records.Member(base=base)):
            return member_stores.is_of_class(function, base, registry.held, strict=True)
        case records.Name(text=name) if name not in function.declared:
            return member_stores.is_of_class(function, None, registry.held, strict=True)
        case records.Name(text=name):
            if function.bound.get(name, ("",))[0] == name and _is_in(function, said, registry):
                return True
            made = [one for one in containers.made_from(function, said) if one is not said]
            return any(
                isinstance(inner := places.strip(one), records.Member | records.Call)
                and not (isinstance(inner, records.Call) and inner.args)
                and _is_number_of(function, inner, registry)
                for one in made
            ) or any(
                places.is_name(one, name)
                for event, _ in registries.touches(function, registry)
                for one in _keys_of(event)
            )
    return False


def _is_in(function: Function, value: records.Value, registry: registries.Registry) -> bool:
    """Whether a local stands for an entry: an iterator, the variable of a loop."""
    inner = places.strip(value)
    if not isinstance(inner, records.Name) or inner.text not in function.locals:
        return False
    match places.strip(function.locals[inner.text][1]):
        case records.Index(base=base) | records.Call(callee=records.Member(base=base)):
            return registry.is_called(containers.names_of(function, base))
    return False


def _keys_of(event: events.Event) -> Sequence[records.Value]:
    """What is looked up in a registry where it is touched."""
    match event:
        case events.CallEvent(node=records.Call(callee=records.Member(), args=args)):
            return args[:1]
        case events.CallEvent(node=records.Call(args=args)):
            return args[1:2]
        case events.Read(node=records.Index(indexes=indexes)) | events.Write(target=records.Index(indexes=indexes)):
            return indexes
    return ()


def _is_told_of_end(function: Function, key: types.Type) -> bool:
    """Whether it is a callback that is handed to something together with a native object, and whose name or that of
    what it is handed to says that it is called at the object's end; or is given the object, and named so itself."""
    if not any(types.parse(one.type).pointers == 1 for one in function.record.parameters):
        return False
    given_key = any(types.parse(one.type).last == key.last for one in function.record.parameters)
    if given_key and not answers.ENDED.isdisjoint(pairs.words(function.name)):
        return True
    said = f'"{function.name}"'.encode()
    for other in function.program.functions:
        if other is function or said not in other.encoded:
            continue
        for call in other.flow.calls:
            if any(_is_function(argument, function) for argument in call.node.args):
                told = {*pairs.words(function.name), *pairs.words(places.last_name(call.node.callee))}
                given = [types.parse(other.program.types.of(one, other)).last for one in call.node.args]
                if told & _AT_END and key.last in given:
                    return True
    return False


_AT_END = answers.ENDED | {
    "weak",
    "finalize",
    "destroy",
    "delete",
    "free",
    "dtor",
    "release",
    "death",
    "destructor",
    "dispose",
}


def _is_function(argument: records.Value, function: Function) -> bool:
    inner = places.strip(argument)
    while isinstance(inner, records.Unary) and inner.op in ("&", "+"):
        inner = places.strip(inner.value)
    return isinstance(inner, records.Name) and places.last_name(inner) == function.name


def _telling(function: Function, registry: registries.Registry, depth: int = _HELPERS + 1) -> events.Event | None:
    """Where the function stores a handle's mark, itself, in what it calls, or in a lambda that it hands on."""
    marks, held = registries.marks(registry.held), registry.held
    for name in marks[0] if marks is not None else ():
        for store in member_stores.stores(function, name):
            return store.at
    unasked = (*registries.pointing_fields(held), *registries.flags(held)) if marks is None else ()
    for name in unasked if function.record.kind not in ("constructor", "destructor") else ():
        for store in member_stores.stores_of(function, name, held):
            made = assignments.held(store.value)
            if made is not None and made.kind in ("emptied", "flag", "cleared"):
                return store.at
    for call in function.flow.calls if depth else ():
        called = (
            *(
                one
                for one in function.program.calls.callee(call.node, function).functions
                if one.home in _told(registry)
            ),
            *(one for argument in call.node.args for one in registries.lambdas_in(function, argument)),
        )
        if any(one is not function and _telling(one, registry, depth - 1) is not None for one in called):
            return call
    return None


def _told(registry: registries.Registry) -> tuple[Class, ...]:
    """The handles' classes, and the one that has the registry."""
    return (*registry.held.ancestry, *((registry.home,) if registry.home is not None else ()))


def _ending_handle(function: Function, registry: registries.Registry) -> events.Event | None:
    """Where a function of C frees the handle that it is given, to which a bare pointer in the registry leads."""
    first = function.record.parameters[:1]
    held = types.parse(types.parse(registry.type).arguments[1])
    is_held = bool(first) and held.pointers == 1 and types.parse(first[0].type).last == held.last
    return natives.ends_itself(function) if is_held else None


def _is_beside(function: Function, registry: registries.Registry) -> bool:
    """Whether the function belongs to the class that has the registry, or to the handles in it."""
    homes = [cls for cls in (registry.home, registry.held) if cls is not None]
    return function.home in homes or any(
        elements.held_class(function.program, parameter.type.replace("&", "*"), function.file, function.record.scope)
        in homes
        for parameter in function.record.parameters
    )


def _is_object_of(function: Function, value: records.Value, cls: Class) -> bool:
    """Whether an object of the class is known to be meant."""
    inner = places.strip(value)
    base = None if isinstance(inner, records.Name) and inner.text == places.THIS else inner
    return member_stores.is_of_class(function, base, cls, strict=True)


def _has_just_made(function: Function, value: records.Value) -> bool:
    """Whether a local is meant that the function has made, which perhaps it has not put in yet."""
    inner = places.strip(value)
    if not isinstance(inner, records.Name) or inner.text not in function.locals:
        return False
    made = places.strip(function.locals[inner.text][1])
    return isinstance(made, records.Call) and made.kind == "new"


def _callers_take(method: Function, registry: registries.Registry) -> bool:
    known = registries.registries(method.program)
    callers = [
        one for one in method.program.index.callers(method) if any(True for _ in registries.calls_of(one, method))
    ]
    return bool(callers) and all(known.takings(one, registry) for one in callers)


def _is_counted_by(method: Function, call: events.CallEvent, registry: registries.Registry) -> bool:
    """Whether the last count is given up here, and the registry's entries have counts of their own, which its owner
    gives up by the same method: then what ends here stands there no longer."""
    return any(_counts_down(test.value) for test, _ in method.flow.guards(call)) and any(
        _is_entry(caller, places.receiver(one.node), registry)
        for caller in method.program.index.callers(method)
        for one in registries.calls_of(caller, method)
    )


def _counts_down(value: records.Value) -> bool:
    return any(
        (isinstance(inner, records.Assign) and inner.op in ("--", "-="))
        or (isinstance(inner, records.Call) and places.last_name(inner.callee) == "fetch_sub")
        for inner in places.walk(value)
    )


def _is_entry(function: Function, value: records.Value | None, registry: registries.Registry) -> bool:
    """An element of the registry, or the variable of a loop over it."""
    inner = places.strip(value)
    if isinstance(inner, records.Name) and inner.text in function.locals:
        inner = places.strip(function.locals[inner.text][1])
    return isinstance(inner, records.Index) and registry.is_called(containers.names_of(function, inner.base))


def _keys(destructor: Function, registry: registries.Registry) -> Iterator[str]:
    members = destructor.home.members - destructor.declared if destructor.home is not None else frozenset()
    takings = registries.registries(destructor.program).takings(destructor, registry)
    for value in registries.taken_keys(destructor, registry, takings):
        place = places.place_of(value, destructor.flow.aliases, members)
        if place is not None and place[0] == places.THIS and len(place) > 1:
            yield place[1]


def _moving(cls: Class, registry: registries.Registry) -> Iterator[Finding]:
    """A move constructor that leaves the registry alone."""
    known = registries.registries(cls.program)
    for record in cls.declarations:
        if not _is_move(cls, record) or "delete" in record.qualifiers:
            continue
        made = next((one for one in cls.constructors if one.record is record or _is_move(cls, one.record)), None)
        if made is None and "default" not in record.qualifiers:
            continue  # defined where nobody sees it
        if made is not None and (_reaches(made, registry) or known.takings(made, registry)):
            continue
        at = made.record if made is not None else record
        subject = made or cls
        yield subject.finding(
            at.name_span,
            f"after this move `{registry.shown}` still refers to the old `{cls.name}`",
            certainty=because("value", f"harmless if no `{cls.name}` in `{registry.shown}` is ever moved"),
            help=f"make the move replace the old object in `{registry.shown}` with the new one, or delete it",
        )


def _is_move(cls: Class, record: records.FunctionRecord) -> bool:
    if record.kind != "constructor" and record.name != cls.name:
        return False
    parameters = record.parameters
    return (
        bool(parameters)
        and parameters[0].type.rstrip().endswith("&&")
        and types.parse(parameters[0].type).last == cls.name
    )


def _reaches(function: Function, registry: registries.Registry, depth: int = 2) -> bool:
    """Whether the function puts something into the registry, itself or in what it calls."""
    if any(True for _ in registries.puttings(function, registry)):
        return True
    if depth == 0:
        return False
    called = [call.node for call in function.flow.calls]
    if any(not function.program.calls.callee(call, function).functions and _hands_this(call) for call in called):
        return True
    return any(
        inner is not function and _reaches(inner, registry, depth - 1)
        for call in called
        for inner in function.program.calls.callee(call, function).functions
    )


def _hands_this(call: records.Call) -> bool:
    return any(isinstance(arg, records.Name) and arg.text == places.THIS for arg in call.args)


def _without_destructor(
    cls: Class, registry: registries.Registry, put: tuple[Function, registries.Putting]
) -> Iterator[Finding]:
    """Nothing of the class ever takes it out, and it is made where it ends with a scope or another object."""
    known = registries.registries(cls.program)
    if any(one.home in cls.ancestry for one in known.takers(registry)):
        return
    if cls.destructor is None and cls.record.destructor == "declared":
        return  # its body is in no file
    if any(one.destructor is not None and _calls_unknown(one.destructor) for one in cls.ancestry):
        return
    forgotten = cls.destructor is not None and any(
        one.home is registry.home and not cls.program.index.is_called(one.name) for one in known.takers(registry)
    )  # the one that takes an entry out is there, and nobody calls it
    ends = (forgotten or _made_as_value(cls) or _is_ended_by_python(cls)) and _lasts(registry)
    certainty = because(
        "later-use" if ends or _outlived_by_owner(cls, registry) else "guess",
        f"harmless if every `{cls.name}` lives as long as `{registry.shown}`",
    )
    yield cls.finding(
        records.Span(cls.record.start, cls.record.start + 5),
        f"no destructor erases a `{cls.name}` from `{registry.shown}`, where {_putter(put[0])} inserts it",
        certainty=certainty,
        help=f"give `{cls.name}` a destructor that erases the entry",
        steps=(put[0].step(put[1].event, "it is inserted here"),),
    )


def _putter(method: Function) -> str:
    return "its constructor" if method.record.kind == "constructor" else f"`{method.name}`"


def _outlived_by_owner(cls: Class, registry: registries.Registry) -> bool:
    """Whether an object that ends things of its own, or that another object owns or deletes, refers to the registry's
    owner, which then lives longer, and who could take its entry out is never called, or by objects of other classes
    that take themselves out when they end."""
    home = registry.home
    ends_things = cls.destructor is not None and bool(cls.destructor.body)
    if home is None or not (ends_things or _has_owner(cls) or _is_deleted_by_owner(cls, home)):
        return False
    refers = any(
        (kind.last == home.name and (kind.reference or kind.pointers == 1))
        or (companions.owned(one, written) == (home.name, True))
        for one in cls.ancestry
        for written in (
            *(field.type for field in one.record.fields),
            *(parameter.type for made in one.constructors for parameter in made.record.parameters),
        )
        for kind in (types.parse(written),)
    )
    takers = registries.registries(cls.program).takers(registry)
    return refers and all(
        _takes_itself_out(one, cls)
        or (
            one.home is not None
            and one.home.name == home.name  # as registries of one name are one
            and one.record.kind == "method"
            and all(_takes_itself_out(caller, cls) for caller in cls.program.index.callers(one))
        )
        for one in takers
    )


def _is_deleted_by_owner(cls: Class, home: Class | None) -> bool:
    """Whether a method of a class other than the registry's, not a destructor, deletes what a member of its own leads
    to, an object of the class."""
    return any(
        function.home not in (None, home, cls)
        and function.record.kind != "destructor"
        and any(
            call.node.kind == "delete"
            and call.node.args
            and _is_object_of(function, call.node.args[0], cls)
            and (assignments.place(function, call.node.args[0]) or ("",))[0] == places.THIS
            for call in function.flow.calls
        )
        for function in _deleters(cls.program)
    )


def _takes_itself_out(function: Function, cls: Class) -> bool:
    """Whether it is the destructor of another class, of which the class has no part, and which neither owns nor ends
    objects of the class: what ends there takes itself out."""
    other = function.home
    if other is None or function.record.kind != "destructor" or other in cls.ancestry:
        return False
    names = {one.name for one in cls.ancestry}
    if any(types.parse(field.type).last == other.name for one in cls.ancestry for field in one.record.fields):
        return False
    fields = [field.type for one in other.ancestry for field in one.record.fields]
    leads = any(types.parse(written).last == cls.name for written in fields)
    owns = any(companions.owned(other, written)[0] in names for written in fields)
    return not leads and not owns and not function.says(_DELETES)


def _lasts(registry: registries.Registry) -> bool:
    """Whether the registry lives as long as the program; one that is a member may well go with its objects."""
    if registry.home is None or registry.shown.endswith("()"):
        return True
    if registry.home.name in standing.classes(registry.home.program):
        return True
    return any(field.static for field in registry.home.record.fields if field.name == registry.shown)


def _calls_unknown(destructor: Function) -> bool:
    """Whether it calls something that the project declares and defines out of sight."""
    return any(
        callee.records and not callee.functions
        for call in destructor.flow.calls
        for callee in (destructor.program.calls.callee(call.node, destructor),)
    )


def _is_ended_by_python(cls: Class) -> bool:
    """Whether Python can make one, which ends with the object that holds it."""
    return any(
        binding.record.kind == "init" and binding.owner is not None and types.parse(binding.owner.type).last == cls.name
        for binding in cls.program.bindings
    )


def _made_as_value(cls: Class) -> bool:
    """Whether a local, or a member of another class, is such an object itself, or one of an heir; or a local is what
    owns one."""
    program = cls.program
    names = {one.name for one in program.classes if cls in one.ancestry}
    spelled = [name.encode() for name in names]
    for function in program.functions:
        for written, initial in function.locals.values() if any(one in function.encoded for one in spelled) else ():
            kind = types.parse(written)
            if kind.is_placeholder:
                written = program.types.of(places.strip(initial), function)
            if kind.is_value and kind.last in names and not kind.arguments:
                return not _is_static(function, written)
            if companions.owned(cls, written)[0] in names and not _is_static(function, written):
                return True
    return any(
        types.parse(field.type).is_value and types.parse(field.type).last in names and not field.static
        for other in program.classes
        for field in other.record.fields
    )


def _is_static(function: Function, written: str) -> bool:
    return any(isinstance(s, records.Declare) and s.static and s.type == written for s in function.statements)
