"""What leaves a lock: addresses of guarded state, and whether what they lead to can move, change or die meanwhile.

A pointer, reference, iterator or view into a guarded member is as good as the lock under which it was made. Whether
that matters is a question of where the target is stored, and of what the project does to it elsewhere: an element of a
vector moves when the vector grows; an object behind a `unique_ptr` stays until its slot is erased or given another.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Iterator
from typing import Literal as OneOf
from typing import NamedTuple

from ownlint import (
    Function,
    assignments,
    conditions,
    entrances,
    glance,
    habits,
    keeping,
    locks,
    pairs,
    places,
    questions,
    types,
)
from ownlint import events as e
from ownlint import records as r
from ownlint_rules.locks._guarded import Guard, GuardedDomain, MemberUse, guarded, is_address, is_exempt
from ownlint_rules.locks._tracing import Traced, Tracer, declared_twice

How = OneOf["pointer", "reference", "iterator", "view"]

_OWNERS = frozenset({"smart pointer", "shared pointer", "intrusive pointer", "scoped owner"})
_POINTERS = frozenset({"get", "data", "c_str"})
_BUFFERS = frozenset({"data", "c_str"})
_STRONG = frozenset({"erase", "clear", "overwrite"})


class WayIn(NamedTuple):
    """A way into a guarded member. `owned` when it leads to what an owner in the member points to."""

    traced: Traced
    how: How
    owned: bool = False
    buffer: bool = False
    """It leads to the elements of what it names, as `data()` does."""


class Storage(NamedTuple):
    """How the target of a borrow is kept. `slot` is the place of the last owner on the way; `moves` when elements of a
    container on the way do not stay where they are."""

    kind: OneOf["object", "element", "owned", "foreign", "unknown"]
    slot: tuple[str, ...] = ()
    moves: bool = False
    type: str = ""


class Evidence(NamedTuple):
    """What happens to the target elsewhere."""

    use: MemberUse
    strong: bool


class Borrower:
    """The borrows of one function from one domain."""

    def __init__(self, domain: GuardedDomain, function: Function, depth: int = 0) -> None:
        self.domain = domain
        self.function = function
        self.program = function.program
        self.tracer = Tracer(domain, function)
        self.depth = depth
        self._learn_lent()

    def _learn_lent(self) -> None:
        """The locals that stand for what a helper hands out: `&slot->tile` leads into the member that `slot` does."""
        lent = self.domain.lenders.intersection(self.function.mentioned)
        for name, (written, value) in self.function.locals.items() if lent else ():
            inner, kind = places.strip(value), types.parse(written)
            if not isinstance(inner, r.Call) or places.last_name(inner.callee) not in lent:
                continue
            if (kind.pointers or kind.is_placeholder) and name not in self.tracer.origins:
                found = self._lent(inner) if name not in declared_twice(self.function) else None
                if found is not None and found.how == "pointer":
                    self.tracer.origins[name] = found.traced

    def borrow(self, value: r.Value | None, wanted: str) -> WayIn | None:
        """What a value that becomes something of the wanted type borrows; None when it is a copy."""
        inner = places.strip(value)
        kind = types.parse(wanted)
        if kind.is_value and "string" in self.program.types.roles(wanted, self.function):
            return None  # it copies the characters, whatever it is given
        match inner:
            case r.Conditional(then=then, other=other):
                return self.borrow(then, wanted) or self.borrow(other, wanted)
            case r.Unary(op="&", value=target):
                return self._made(target, "pointer")
            case r.Name(text=name) if not kind.reference and self._is_way_in(name):
                return self._local(name)
            case r.Name() | r.Member() | r.Index() if not kind.reference and (raw := self._raw(inner)) is not None:
                return raw
            case r.Name() | r.Member() | r.Index() if not kind.reference and (array := self._array(inner)) is not None:
                return array
            case r.Call():
                found = self._call(inner, kind, wanted) or self._made_over(inner, wanted)
                if found is not None:
                    return found
            case r.Aggregate(items=(first, *_)) if "view" in self.program.types.roles(wanted, self.function):
                return self._looked_over(first) or self.borrow(first, wanted)
        if kind.reference and not kind.pointers:
            return self._made(inner, "reference")
        if kind.is_value and "view" in self.program.types.roles(wanted, self.function):
            inner = self._looked_into(inner)
            if isinstance(inner, r.Name | r.Member | r.Index):
                return self._view(inner)
        return None

    def _raw(self, value: r.Value) -> WayIn | None:
        """A copy of a pointer to what others free under the lock."""
        if not types.parse(self.program.types.of(value, self.function)).pointers:
            return None
        traced = self.tracer.trace(value)
        if traced is None or traced.member not in self.domain.freed:
            return None
        return WayIn(traced, "pointer", owned=True)

    def _array(self, value: r.Value) -> WayIn | None:
        """An array of C, by whose name a pointer to its first element is meant."""
        traced = self.tracer.trace(value)
        if traced is None or "[" not in self.program.types.of(value, self.function):
            return None
        return WayIn(traced, "pointer", buffer=True)

    def _is_way_in(self, name: str) -> bool:
        """Whether a local leads to a member by its value, so that a copy of it does as well."""
        if name in self.tracer.origins:
            return True
        written = self.function.locals.get(name, ("", None))[0]
        return name in self.tracer.aliases and bool(types.parse(written).pointers)

    def _made_over(self, call: r.Call, wanted: str) -> WayIn | None:
        """What an object looks into that is made over memory: `span(all.data(), n)`, `memoryview::from_memory(p, n)`,
        an array of Python that is given the memory and, behind it, who keeps it; without that it has a copy."""
        roles = self.program.types.roles(wanted, self.function)
        if "view" in roles:
            given = list(call.args[:1]) if call.kind == "construct" or self._is_view(call.callee) else []
        elif "python array" in roles:
            given = list(call.args[:-1])
        else:
            given = [lender] if (lender := self._lender(call)) is not None else []
        return next((way for one in given if (way := self._looked_over(one)) is not None), None)

    def _looked_over(self, start: r.Value) -> WayIn | None:
        """What a view leads into that begins at a pointer, or at an iterator."""
        way = self.borrow(start, "auto*") or self.borrow(start, "auto")
        return way._replace(how="view") if way is not None and way.how in ("pointer", "iterator") else None

    def _looked_into(self, value: r.Value | None) -> r.Value | None:
        """What a view is made of: `Span(all)`, `MakeSpan(all)`, `MakeSpan(all).first(2)`."""
        inner = value
        while isinstance(inner, r.Call):
            if inner.args and (inner.kind == "construct" or self._is_view(inner.callee)):
                inner = places.strip(inner.args[0])
            elif (lender := self._lender(inner)) is not None:
                inner = places.strip(lender)
            elif isinstance(inner.callee, r.Member) and isinstance(inner.callee.base, r.Call):
                inner = places.strip(inner.callee.base)
            else:
                return None
        return inner

    def _is_view(self, callee: r.Value) -> bool:
        """Whether a call spells the construction of a view: `std::span<int>(all)`."""
        return isinstance(callee, r.Name) and "view" in self.program.types.roles(callee.text, self.function)

    def _lender(self, call: r.Call) -> r.Value | None:
        """The argument into which a library's function makes a view."""
        models = self.program.calls.callee(call, self.function).models
        at = next((model.lender for model in models if model.lender is not None), -1)
        return call.args[at] if 0 <= at < len(call.args) else None

    def _local(self, name: str) -> WayIn | None:
        written, value = self.function.locals[name]
        if value is None:
            return None
        placeholder = types.parse(written).is_placeholder
        return self.borrow(value, "auto*" if placeholder else written)

    def _made(self, target: r.Value | None, how: How) -> WayIn | None:
        inner = places.strip(target)
        if isinstance(inner, r.Name) and inner.text in self.tracer.aliases:
            bound = self.function.locals.get(inner.text, ("", None))[1]
            if bound is not None and not isinstance(bound, r.Name):
                return self._made(bound, how)
        if isinstance(inner, r.Name) and inner.text in self.function.locals:
            written, bound = self.function.locals[inner.text]
            if isinstance(places.strip(bound), r.Call) and types.parse(written).reference:
                return self.borrow(bound, "auto&")  # a reference to what a helper hands out
        traced = self.tracer.trace(inner)
        if traced is None:
            return None
        owned = isinstance(inner, r.Unary) and inner.op == "*"
        return WayIn(traced, how, owned)

    def _view(self, value: r.Value) -> WayIn | None:
        traced = self.tracer.trace(value)
        if traced is None:
            return None
        storage = store(self.domain, WayIn(traced, "view"))
        roles = self._roles(storage.type)
        return WayIn(traced, "view", buffer=True) if {"string", "container"} & set(roles) else None

    def _roles(self, written: str) -> tuple[str, ...]:
        return self.program.types.roles_at(written, self.domain.file, self.domain.scope)

    def _call(self, call: r.Call, kind: types.Type, wanted: str) -> WayIn | None:
        name = places.last_name(call.callee)
        on = places.receiver(call)
        if on is None or (isinstance(on, r.Name) and on.text == "this"):
            return self._lent(call)
        traced = self.tracer.trace(on)
        if traced is None:
            return None
        methods = self.program.models.containers
        if name in _POINTERS and (kind.pointers or kind.is_placeholder):
            return WayIn(traced, "pointer", owned=name == "get", buffer=name in _BUFFERS)
        if name in methods.iterators and (kind.is_placeholder or (not kind.pointers and not kind.reference)):
            below = self.tracer.trace(call)
            is_iterator = kind.is_placeholder or "iterator" in types.parse(wanted).last.lower()
            return WayIn(below, "iterator") if below is not None and is_iterator else None
        if name in methods.places | {"emplace_back", "value"} and kind.reference:
            below = self.tracer.trace(call)
            return WayIn(below, "reference") if below is not None else None
        return None

    def _lent(self, call: r.Call) -> WayIn | None:
        """What a helper of the project hands out, which runs under its caller's lock."""
        if self.depth >= 2:
            return None
        for helper in self.program.calls.callee(call, self.function).functions[:1]:
            if helper is self.function:
                continue
            result = helper.record.result
            kind = types.parse(result)
            if not (kind.pointers or kind.reference) or not helper.says(self.domain.words):
                continue
            inside = Borrower(self.domain, helper, self.depth + 1)
            for leave in helper.flow.leaves:
                if leave.value is not None and (found := inside.borrow(leave.value, result)) is not None:
                    return found
        return None


# --- how the target is stored -----------------------------------------------------------------------------


def store(domain: GuardedDomain, borrow: WayIn) -> Storage:
    """How a member keeps what a borrow leads to."""
    program = domain.program
    place = borrow.traced.place
    at = borrow.traced.at
    current = program.names.expand(domain.members[place[at]].type, domain.file, domain.scope)
    kind: OneOf["object", "element", "owned", "foreign", "unknown"] = "object"
    slot: tuple[str, ...] = ()
    moves = False
    for position in range(at + 1, len(place) + 1):
        roles = kinds(domain, current)
        parsed = types.parse(current)
        last = position == len(place)
        step = place[position] if not last else ("*" if borrow.owned else "[]" if borrow.buffer else "")
        if not step:
            break
        here = place[at:position]
        if parsed.pointers and not parsed.reference and roles & {"container", "string"} and at < position - 1:
            # The container or the string is stored elsewhere, and stays when the pointer is erased.
            if place[at] not in domain.freed:
                return Storage("foreign")
            kind, slot, moves = "owned", here, False
        if step == "[]" and roles & {"container", "string"}:
            stable = "stable container" in roles
            kind, moves = ("element" if kind != "owned" else kind), moves or not stable
            current = _element(domain, current) or ("char" if "string" in roles else "")
            if kind == "owned":
                kind, slot = "element", slot
        elif roles & _OWNERS or "weak pointer" in roles:
            kind, slot, moves = "owned", here, False
            current = parsed.arguments[0] if parsed.arguments else ""
            if step not in ("*", "[]"):
                current = _field(domain, current, step)
        elif "optional" in roles:
            current = parsed.arguments[0] if parsed.arguments else ""
            if step not in ("*", "[]"):
                current = _field(domain, current, step)
        elif parsed.pointers and not roles & {"container", "string"}:
            if place[at] not in domain.freed:
                return Storage("foreign")
            kind, slot, moves = "owned", here, False
            current = current.rpartition("*")[0].strip()
            if step not in ("*", "[]"):
                current = _field(domain, current, step)
        elif step == "[]" and "[" in current:
            current = current[: current.rindex("[")]
        elif step in ("*", "[]"):
            return Storage("unknown", slot, moves, "")
        else:
            current = _field(domain, current, step)
        current = program.names.expand(current, domain.file, domain.scope) if current else ""
    if "view" in program.types.roles_at(current, domain.file, domain.scope) or types.parse(current).reference:
        return Storage("foreign")
    return Storage(kind, slot, moves, current)


def kinds(domain: GuardedDomain, written: str) -> set[str]:
    """The roles of a type; a class of the project's own has those of its bases."""
    program = domain.program
    roles = set(program.types.roles_at(written, domain.file, domain.scope))
    if (
        not roles
        and (cls := program.names.find_class(types.parse(written).name, domain.scope, domain.file)) is not None
    ):
        for base in cls.record.bases:
            roles |= set(program.types.roles_at(base.name, cls.file, cls.symbol))
    return roles


def _element(domain: GuardedDomain, written: str) -> str:
    program = domain.program
    kind = types.parse(written)
    for model in program.models.classes(kind.name, program.names.scopes_at(domain.file, domain.scope)):
        if "container" in model.roles and len(kind.arguments) >= model.element:
            return kind.arguments[model.element - 1]
    return types.element(written)


def _field(domain: GuardedDomain, written: str, name: str) -> str:
    cls = domain.program.names.find_class(types.parse(written).name, domain.scope, domain.file)
    found = cls.field(name) if cls is not None else None
    return found[1].type if found is not None else ""


def locks_itself(domain: GuardedDomain, written: str) -> bool:
    """Whether objects of the type bring their own lock, or are safe to share in another way."""
    program = domain.program
    kind = types.parse(written)
    if {"atomic", "mutex"} & set(program.types.roles_at(written, domain.file, domain.scope)):
        return True
    cls = program.names.find_class(kind.name, domain.scope, domain.file)
    if cls is None:
        return False
    fields = [field for one in cls.ancestry for field in one.record.fields if not field.static]
    atomic = [f for f in fields if "atomic" in program.types.roles_at(f.type, cls.file, cls.symbol)]
    return bool(any(locks.mutex_fields(one) for one in cls.ancestry)) or bool(fields and len(atomic) == len(fields))


def is_kept_alive(borrower: Borrower, borrow: WayIn, used: e.Event) -> bool:
    """Whether the function has a copy of the shared pointer on the way, or of a container of them, in a local of its
    own that lives when the borrow is used, or one of the thread, which lives on when the function returns."""
    function, traced = borrower.function, borrow.traced
    slot = store(borrower.domain, borrow).slot
    if not slot:
        return False
    owner = traced._replace(place=(*traced.place[: traced.at], *slot))
    kept = store(borrower.domain, WayIn(owner, "reference")).type
    if "shared pointer" not in kinds(borrower.domain, kept):
        return False
    for write in function.flow.writes:
        name = write.place[0]
        if len(write.place) > 1 or not _is_copy(function, name) or not function.flow.dominates(write, used):
            continue
        copied = borrower.tracer.trace(_copied(write.value))
        if copied is None or not places.covers(copied.place[copied.at :], slot):
            continue
        if _is_of_thread(function, name) or (not isinstance(used, e.LeaveEvent) and _lives(function, write, used)):
            return True
    return False


def _copied(value: r.Value | None) -> r.Value | None:
    inner = places.strip(value)
    return places.strip(inner.args[0]) if isinstance(inner, r.Call) and len(inner.args) == 1 else inner


def _is_copy(function: Function, name: str) -> bool:
    """Whether a local holds what is assigned to it, and no pointer or weak pointer to it."""
    written = function.locals.get(name, ("", None))[0]
    return types.parse(written).is_value and not {"weak pointer", "view"} & set(
        function.program.types.roles(written, function)
    )


def _is_of_thread(function: Function, name: str) -> bool:
    return any(isinstance(one, r.Declare) and one.thread_local and name in one.names for one in function.statements)


def _lives(function: Function, write: e.Write, used: e.Event) -> bool:
    """Whether what is put into a local is there whenever the event is reached."""

    def ends(event: e.Event) -> bool:
        return isinstance(event, e.End | e.Write) and event.place == write.place

    return not any(
        used in function.flow.after(event) for event in function.flow.after(write) if ends(event) and event is not write
    )


# --- what happens to it elsewhere ---------------------------------------------------------------------------


def hazard(
    domain: GuardedDomain,
    borrow: WayIn,
    storage: Storage,
    within: Function | None = None,
    meets: Callable[[tuple[str, ...]], bool] = lambda _: True,
    user: Function | None = None,
) -> Evidence | None:
    """What the project does elsewhere to what a borrow leads to: destroy, move, or change it. The worst is told. Weak
    is what the function `within` does itself, since it may be the only one that does, what runs on the one thread of
    the `user` of the borrow, and what only destructors call; `meets` says of a place below the target whether a change
    of that matters."""
    target = borrow.traced.place[borrow.traced.at :]
    if storage.kind == "owned" and target[0] in domain.freed:
        return Evidence(domain.freed[target[0]], True)
    weak: Evidence | None = None
    for use in domain.changes(target[0]):
        changed = use.traced.place[use.traced.at :]
        above = target[: len(changed)] == changed
        inside = changed[: len(target)] == target and meets(changed[len(target) :])
        if not (above or inside) or (use.kind in ("overwrite", "clear") and _fills(domain, use)):
            continue
        sure = use.function is not within and not domain.is_alone(use.function)
        if storage.kind == "owned":
            ends_slot = use.kind in _STRONG and len(changed) <= len(storage.slot)
            if not ends_slot and len(changed) <= len(storage.slot):
                continue
            sure = sure and ends_slot
        elif storage.kind == "element" and _leaves_it(storage, use) and len(changed) < len(target):
            continue
        elif storage.kind == "element" and _may_insert(domain, use):
            sure = False
        elif storage.kind not in ("object", "element"):
            continue
        if sure and not (user is not None and _on_one_thread(user, use.function)):
            return Evidence(use, True)
        weak = weak or Evidence(use, False)
    return weak


def _on_one_thread(one: Function, other: Function) -> bool:
    thread = entrances.only_thread(one)
    return thread is not None and entrances.only_thread(other) is thread


def _leaves_it(storage: Storage, use: MemberUse) -> bool:
    """Whether the container grows, and its elements stay where they are."""
    return use.kind == "append" or (use.kind == "grow" and not storage.moves)


def reading(
    domain: GuardedDomain, borrow: WayIn, guard: Guard, meets: Callable[[tuple[str, ...]], bool]
) -> Evidence | None:
    """Where what a borrow leads to is read under the lock."""
    target = borrow.traced.place[borrow.traced.at :]
    for use in domain.uses:
        read = use.traced.place[use.traced.at :]
        inside = read[: len(target)] == target and meets(read[len(target) :])
        if not inside or is_exempt(use.function) or not locks.holds(use.held, guard.lock):
            continue
        if not is_address(use) and not _is_argument(use):
            return Evidence(use, True)
    return None


def _is_argument(use: MemberUse) -> bool:
    """Whether a member is given to a call, which may take its address alone."""
    return any(arg.span == use.span for call in use.function.flow.calls for arg in call.node.args)


def _may_insert(domain: GuardedDomain, use: MemberUse) -> bool:
    """Whether an assignment to an element of a map may be what puts it there, and leaves the others where they are."""
    written = domain.members[use.member].type
    return (
        use.kind == "overwrite"
        and len(use.traced.place) == use.traced.at + 2
        and {"associative", "stable container"}
        <= set(domain.program.types.roles_at(written, domain.file, domain.scope))
    )


def _fills(domain: GuardedDomain, use: MemberUse) -> bool:
    """Whether an assignment, or `owner.reset(new T)`, stands where a look has found the place empty."""
    function = use.function
    event = function.flow.events[use.at]
    match event:
        case e.Write(value=value, place=place) if value is not None:
            pass
        case e.CallEvent(node=r.Call(args=(value,)), receiver=place) if place is not None:
            pass
        case _:
            return False
    if isinstance(value, r.Literal):
        return False
    tracer = Tracer(domain, function)
    full = conditions.Given(place, assignments.Held("object", True))
    for test, outcome in function.flow.guards(event):
        if conditions.comes_to(function, test.value, full) is outcome:
            continue
        looks = list(_looked_at(test.value))
        looks += [one for look in looks for one in _answered(function, look, test.value, outcome)]
        for looked in looks:
            found = tracer.trace(looked)
            if found is not None and places.covers(found.place[found.at :], use.traced.place[use.traced.at :]):
                return True
    return False


def _answered(function: Function, look: r.Value, test: r.Value, outcome: bool) -> tuple[r.Value, ...]:
    """What was given to the call whose answer a local holds that is found empty: `p = find(rows_, key); if (p)`."""
    if not isinstance(look, r.Name) or len(function.flow.writes_to((look.text,))) != 1:
        return ()
    call = places.strip(function.locals.get(look.text, ("", None))[1])
    there = conditions.Given((look.text,), assignments.Held("object", True))
    if not isinstance(call, r.Call) or conditions.comes_to(function, test, there) is not (not outcome):
        return ()
    return call.args


def _looked_at(value: r.Value) -> Iterator[r.Value]:
    """What a condition looks at: members whole, and what methods are called on."""
    pending = [value]
    for part in pending:
        match part:
            case r.Call(callee=r.Member(base=base), args=args):
                pending += (base, *args)
            case r.Name() | r.Member() | r.Index():
                yield part
            case _:
                pending += places.children(part)


# --- where the lock is this function's own ----------------------------------------------------------------


def is_own(current: locks.Locks, name: str, function: Function) -> bool:
    """Whether the function itself holds the lock here, and lets it go when it ends at the latest."""
    lent = locks.guard_parameters(function)
    return any(h.lock[-1] == name and h.guard not in locks.GIVEN and h.guard not in lent for h in current) and not any(
        h.lock == locks.SOMEBODYS or (h.lock[-1] == name and (h.guard in locks.GIVEN or h.guard in lent))
        for h in current
    )


def is_under_own(domain: GuardedDomain, current: locks.Locks, function: Function) -> bool:
    """Whether the function itself holds something that can be a lock of the domain. Asks nobody what guards what."""
    names = {*domain.locks, *(guard.lock for guard in domain.said.values())}
    return any(is_own(current, name, function) for name in {h.lock[-1] for h in current} & names)


class GuardedAlias(NamedTuple):
    """A local that leads into a guarded member. `at` is the event at which it is bound, under the lock."""

    name: str
    at: e.Event
    borrow: WayIn
    guard: Guard
    alias: bool


def ways(borrower: Borrower, held: dict[int, locks.Locks]) -> Iterator[GuardedAlias]:
    """The locals of a function that are bound, under a lock of its own, to something the lock guards."""
    function = borrower.function
    twice = declared_twice(function)
    for event in function.flow.writes:
        name = event.place[0]
        if len(event.place) != 1 or name not in function.declared or name in twice or event.value is None:
            continue
        written = event.type or function.locals.get(event.place[0], ("", None))[0]
        found = _bound(borrower, event.value, written)
        current = held.get(event.index, frozenset())
        if found is not None and is_under_own(borrower.domain, current, function):
            guard = borrower.domain.guard(found.traced.member)
            if guard is not None and is_own(current, guard.lock, function):
                yield GuardedAlias(event.place[0], event, found, guard, False)
    ordered = sorted(function.flow, key=lambda event: event.span.start)
    starts = [event.span.start for event in ordered]
    for statement in function.statements:
        names = [name for name in _aliases(function, statement) if name not in twice]
        if not names:
            continue
        value = statement.value if isinstance(statement, r.Declare) else statement.iterable  # type: ignore[union-attr]
        inside = _within(ordered, starts, value) if value is not None else []
        at = inside[-1] if inside else None
        target = (
            value if isinstance(statement, r.Declare) or value is None else r.Index(value.start, value.end, value, ())
        )
        found = borrower.borrow(target, "auto&") if at is not None else None
        current = held.get(at.index, frozenset()) if at is not None else frozenset()
        if found is None or at is None or not is_under_own(borrower.domain, current, function):
            continue
        guard = borrower.domain.guard(found.traced.member)
        if guard is not None and is_own(current, guard.lock, function):
            for name in names:
                yield GuardedAlias(name, at, found, guard, True)


def _within(ordered: list[e.Event], starts: list[int], value: r.Value) -> list[e.Event]:
    """The events of an expression, in the order in which they run."""
    first, last = bisect_left(starts, value.start), bisect_left(starts, value.end)
    return sorted((x for x in ordered[first:last] if x.span.end <= value.end), key=lambda event: event.index)


def _bound(borrower: Borrower, value: r.Value, written: str) -> WayIn | None:
    kind = types.parse(written)
    if not kind.is_placeholder and kind.is_value and not kind.last.endswith("iterator"):
        roles = borrower.program.types.roles(written, borrower.function)
        if "view" not in roles:
            return None
    return borrower.borrow(value, "auto*" if kind.is_placeholder and kind.is_value else written)


def _aliases(function: Function, statement: r.Statement) -> list[str]:
    bound = function.flow.aliases
    match statement:
        case r.Declare(names=names):
            return [name for name in names if name in bound]
        case r.Loop(kind="range", target=target):
            return [v.text for v in places.walk(target) if isinstance(v, r.Name) and v.text in bound]
    return []


class Uses:
    """Where locals are looked at, for all ways of one function together."""

    def __init__(self, function: Function, held: dict[int, locks.Locks]) -> None:
        self.function = function
        self.held = held
        harmless = _compared(function)
        self.reads: dict[str, list[e.Event]] = {}
        for event in function.flow:
            if event.index not in held:
                continue
            if isinstance(event, e.Read) and id(event.node) not in harmless:
                self.reads.setdefault(_root(event.node), []).append(event)
            elif isinstance(event, e.Write) and len(event.place) > 1 and not event.fresh:
                self.reads.setdefault(event.place[0], []).append(event)  # it is written through

    def after(self, way: GuardedAlias) -> e.Event | None:
        """The first use of a way at which its lock is no longer held."""

        def rebinds(event: e.Event) -> bool:
            return isinstance(event, e.Write) and event.place == (way.name,) and event is not way.at

        bare = [
            event for event in self.reads.get(way.name, ()) if not locks.holds(self.held[event.index], way.guard.lock)
        ]
        if not bare:
            return None
        later = {event.index for event in self.function.flow.after(way.at, rebinds)}
        return next((event for event in bare if event.index in later), None)


def is_taken_out(domain: GuardedDomain, function: Function, member: str) -> bool:
    """Whether the function itself takes something out, or counts itself as a user: what it has is then its own."""
    if any(use.function is function and use.kind in _STRONG for use in domain.changes(member)):
        return True
    if any(write.op in ("++", "+=") and len(write.place) > 1 for write in function.flow.writes):
        return True
    return any(
        not _COUNTS.isdisjoint(pairs.words(places.last_name(call.node.callee))) and call.node.kind == "call"
        for call in function.flow.calls
    )


_COUNTS = frozenset({"ref", "addref", "retain", "hold", "pin", "inc", "increment", "grab", "incref"})
"""Words in the names of functions that count a user of what they are given."""


def is_pinned(function: Function) -> bool:
    """Whether the function counts itself in and out: others wait for that before they take anything away."""
    ups = {write.place for write in function.flow.writes if write.op in ("++", "+=")}
    downs = {write.place for write in function.flow.writes if write.op in ("--", "-=")}
    return not ups.isdisjoint(downs)


def is_set_once(domain: GuardedDomain, function: Function, used: e.Event, member: str) -> bool:
    """Whether the function has waited for a flag by then, and the member is changed only where that is not set yet, as
    in a future: from then on it stays as it is."""
    flags = {flag for event in function.flow.dominators(used) for flag in _waited_for(function, event)}
    changes = [use for use in domain.changes(member) if not is_exempt(use.function)]
    return any(
        all(
            not conditions.may_come(use.function, use.function.flow.events[use.at], (_flag_set(flag),))
            for use in changes
        )
        for flag in flags
        if changes
    )


def _flag_set(flag: str) -> conditions.Given:
    return conditions.Given((places.THIS, flag), assignments.Held("flag", True, "true"))


def _waited_for(function: Function, event: e.Event) -> Iterator[str]:
    """The members of the object of which one is true after an event that waits: the call of a method with a loop
    about a wait, such as `while (!set_) ready_.wait(lock);`."""
    waiting = assignments.own_method(function, event.node) if isinstance(event, e.CallEvent) else None
    if waiting is None or not any("wait" in pairs.words(name) for name in waiting.mentioned):
        return
    end = waiting.flow.events[waiting.flow.exit]
    for test, outcome in waiting.flow.guards(end):
        for part in places.walk(test.value):
            if isinstance(part, r.Name | r.Member):
                flag = places.last_name(part)
                if conditions.comes_to(waiting, test.value, _flag_set(flag)) is outcome:
                    yield flag


def _root(value: r.Value) -> str:
    while isinstance(value, r.Member | r.Index):
        value = value.base
    return value.text if isinstance(value, r.Name) else ""


@questions.flow_question
def _compared(function: Function) -> frozenset[int]:
    """What is only compared or tested, or whose address an object keeps that is made there: to look at an address
    needs no lock."""
    found: set[int] = set()
    for call in function.flow.calls:
        for kept in keeping.kept(function, call.node, ""):
            inner = places.strip(kept.value)
            if isinstance(inner, r.Unary) and inner.op == "&":
                found.add(id(places.strip(inner.value)))
    for event in function.flow:
        value = event.value if isinstance(event, e.Test | e.LeaveEvent | e.Write) else None
        tested = isinstance(event, e.Test)
        for inner in places.walk(value):
            match inner:
                case r.Binary(op="==" | "!=", left=left, right=right):
                    found.update((id(left), id(right)))
                case r.Unary(op="!", value=operand):
                    found.add(id(operand))
                case r.Conditional(condition=condition):
                    found.add(id(condition))
        if tested and value is not None:
            found.add(id(value))
    return frozenset(found)


def domains_of(function: Function) -> list[GuardedDomain]:
    """The domains whose members a function can touch."""
    return guarded(function.program).domains_around(function)


def may_escape(function: Function, domain: GuardedDomain) -> bool:
    """Whether the function says a member of the domain, or calls a helper that hands one out. Needs no decoding."""
    if domain.may_mean(function) or function.mentions_any(domain.lenders):
        return True
    initial = [arg for each in function.record.initializers for arg in each.args]
    if domain.cls is not None and function.cls is domain.cls:
        initial += [field.value for field in domain.cls.record.fields if field.value is not None]
    return any(
        isinstance(inner, r.Name) and inner.text in domain.members for arg in initial for inner in places.walk(arg)
    )


def takes_lock(function: Function) -> bool:
    """Whether the body may take a lock. Needs no decoding."""
    return locks.locking(function.program).may_lock(function)


# --- who keeps what it is given -----------------------------------------------------------------------------


def is_lock(function: Function, value: r.Value, current: locks.Locks) -> bool:
    """Whether an argument is one of the locks that are held."""
    where = assignments.place(function, value)
    return where is not None and any(h.lock == where for h in current)


@questions.flow_question
def thread_starts(function: Function) -> list[e.CallEvent]:
    """The calls that start a thread, or a task, or leave one to somebody who runs it later."""
    found = []
    for event in function.flow.calls:
        written = event.node.callee.text if isinstance(event.node.callee, r.Name) else ""
        if (
            "thread" in function.program.types.roles(written, function)
            or places.last_name(event.node.callee) == "async"
            or _is_task(function, event.node)
            or any(
                effect.verb == "spawn"
                for model in function.program.calls.callee(event.node, function).models
                for effect in model.effects
            )
        ):
            found.append(event)
    return found


def _is_task(function: Function, call: r.Call) -> bool:
    """`pool->post([..] { .. })`, by its name, where nobody shows what becomes of the lambda."""
    if call.kind != "call" or not any(isinstance(places.strip(arg), r.Lambda) for arg in call.args):
        return False
    if habits.DEFERS.isdisjoint(pairs.words(places.last_name(call.callee))):
        return False
    return not function.program.calls.callee(call, function).functions


def hands_on(function: Function, call: r.Call, name: str, alias: bool) -> bool:
    """Whether a call is given a lambda that goes on using a local way into guarded state."""
    for argument in call.args:
        for inner in places.walk(argument):
            if isinstance(inner, r.Lambda) and _captures(function, inner, name, alias):
                return True
    return False


def _captures(function: Function, made: r.Lambda, name: str, alias: bool) -> bool:
    for capture in made.captures:
        if capture.name == name:
            return capture.by_reference or not alias
        if capture.name == "&" or (capture.name == "=" and not alias):
            inner = function.program.index.function_at(function.file, made.function)
            return inner is not None and glance.says(inner, name)
    return False
