"""A pointer or reference to guarded state outlives the lock.

## What it reports

- a pointer, reference, iterator or view into a guarded member that is returned or used after the lock was released
- one that is stored in an output parameter, a global or a member that the lock does not guard, or passed to a thread
- one that an object or a lambda keeps and uses without the lock
- a pointer to an element of a list or table that another function frees under the same lock, returned or followed after
  the lock was released, unless a reference was counted or the element was taken out
- in Python, a container of the object, a live view of it or an iterator over it (`items()`, `zip`, a generator) that is
  returned from a `with self.lock:`, or used after it; and one that is handed to an object that keeps it and iterates
  over it without the lock

## Why it is a bug

The lock protects the member, not the pointer. The receiver uses it later, when another thread may have moved,
changed or freed its target: a use after free that appears only under load.

## Example

bad:

```cpp
class Table {
 public:
  Row* Find(int key) {
    std::lock_guard<std::mutex> lock(mu_);
    return &rows_[key];
  }
  void Drop(int key) {
    std::lock_guard<std::mutex> lock(mu_);
    rows_.erase(key);
  }
 private:
  std::mutex mu_;
  std::map<int, Row> rows_ ABSL_GUARDED_BY(mu_);
};
```

```text
case.cc:5: error: a pointer into `rows_` is returned and then used without `mu_`, which guards it
  help: return a copy or a `std::shared_ptr`, or do the work while the lock is held
```

good:

```cpp
class Table {
 public:
  Row Find(int key) {
    std::lock_guard<std::mutex> lock(mu_);
    return rows_[key];
  }
  void Drop(int key) {
    std::lock_guard<std::mutex> lock(mu_);
    rows_.erase(key);
  }
 private:
  std::mutex mu_;
  std::map<int, Row> rows_ ABSL_GUARDED_BY(mu_);
};
```

## How to fix it

Return a copy or a `std::shared_ptr`, or do the work while the lock is held.

## What it does not report

- copies and shared pointers
- entries that are created once and never erased, and elements of node-based containers that nothing erases
- raw pointers that the container does not own; targets with a lock of their own, or made of atomics; pinned entries
- functions whose caller holds the lock, and objects whose methods acquire it
- what is put back into the container that it comes from, and elements that are freed all together, without being erased
- what one thread alone uses and changes: a thread that a variable of the program keeps, from which all calls come

## Known limitations

- Which lock guards a member is known from an annotation or a comment, or inferred (three accesses, 80 % with the lock,
  one write); something must erase, clear, replace or modify the target elsewhere.
- A helper is followed two calls deep, a lambda to a thread, to the place where it is stored, and into functions that
  store it.
- Several locals of one name are not tracked.
- In Python, only attributes of `self` are tracked, in which methods of the class put something in or take something out
  under the same lock, and never without it.

## Source

a review of command-buffer caching in XLA, where a wrapper kept `&entry.sub` of a guarded map.
"""

from __future__ import annotations

import functools
from collections.abc import Iterator

from ownlint import (
    Finding,
    Function,
    Place,
    Span,
    Step,
    because,
    events,
    locks,
    places,
    records,
    rule,
    text,
    types,
)
from ownlint_rules.locks import _escapes as escapes
from ownlint_rules.locks import _freed_elements as freed_elements
from ownlint_rules.locks import _guarded as guarded
from ownlint_rules.locks import _keepers as keepers
from ownlint_rules.locks import _live_views as live_views
from ownlint_rules.locks import _synchronized as synchronized
from ownlint_rules.locks._accesses import KeptAccess

_CHANGED = {
    "erase": "an element of `{}` is erased here",
    "clear": "`{}` is cleared here",
    "overwrite": "`{}` is replaced here",
    "grow": "the elements of `{}` may be moved here",
    "append": "an element is appended to `{}` here",
    "change": "`{}` is modified here",
    "fill": "`{}` is written here",
    "read": "`{}` is read here",
}
_ENDS = frozenset({"erase", "clear", "overwrite"})
_ARTICLE = {"pointer": "a pointer", "reference": "a reference", "iterator": "an iterator", "view": "a view"}
_HELP = "return a copy or a `std::shared_ptr`, or do the work while the lock is held"


_HELP_IN_PYTHON = "copy it while the lock is held, for example with `list(...)`, or iterate over it there"


@rule(
    severity="error",
    cwe=(362,),
    languages=("cpp", "python"),
    anchors=(r"\bR?Lock\b", r"\bCondition\("),
)
def guarded_state_escapes(function: Function) -> Iterator[Finding]:
    if function.language == "python":
        yield from _live(function)
        return
    yield from _loose(function)
    yield from _freed(function)
    domains = [domain for domain in escapes.domains_of(function) if escapes.may_escape(function, domain)]
    if not domains:
        return
    takes = escapes.takes_lock(function)
    if not takes and not keepers.may_give(function):
        return
    held = locks.held(function)
    for domain in domains:
        judge = _EscapeJudge(function, domain, held)
        if takes and any(escapes.is_under_own(domain, locks, function) for locks in set(held.values())):
            yield from judge.findings()
        yield from judge.kept()


def _live(function: Function) -> Iterator[Finding]:
    """What a `with` of Python lets out of a container that is changed under the same lock elsewhere, and what is handed
    to an object that goes through it without the lock."""
    for given in live_views.handed(function):
        yield function.finding(
            given.event,
            f"`{given.member}`, which is guarded by `{given.lock}`, is passed to an object that iterates over it "
            "without the lock",
            certainty=because("guarded-by", f"that `{given.lock}` guards it is {_READ['use']}"),
            help="pass a function that copies the container under the lock",
            steps=(
                given.user.step(given.use, f"it is iterated over here without `{given.lock}`"),
                given.changed.step(given.change, f"`{given.member}` is modified here"),
            ),
        )
    for one in live_views.escaping(function):
        leads = (
            f"{one.what} of `{one.member}`"
            if one.what == "a view"
            else f"{one.what} over `{one.member}`"
            if one.what
            else f"`{one.member}` itself"
        )
        message = (
            f"`{one.name}` refers to `{one.member}` and is used after `{one.lock}`, which guards it, was released"
            if one.bound is not None
            else f"{leads} is returned and then used without `{one.lock}`, which guards it"
        )
        steps = (
            [function.step(one.bound, f"`{one.name}` is obtained here, under `{one.lock}`")]
            if one.bound is not None
            else []
        )
        steps.append(one.changed.step(one.change, f"`{one.member}` is modified here"))
        yield function.finding(
            one.event,
            message,
            certainty=because("guarded-by", f"that `{one.lock}` guards it is {_READ['use']}"),
            help=_HELP_IN_PYTHON,
            steps=tuple(steps),
        )


def _loose(function: Function) -> Iterator[Finding]:
    """What is reached through a value's own guard, and used when that is gone."""
    told: set[str] = set()
    for one in synchronized.loose(function):
        change = synchronized.changes(function.program, one.member)
        if change is None or one.name in told:
            continue
        told.add(one.name)
        where, call = change
        steps = [function.step(one.bound, f"`{one.name}` is obtained here, under the lock")] if one.bound else []
        steps.append(where.step(call.span, f"`{one.member}` is locked here to be modified"))
        message = (
            f"`{one.name}` points into `{one.member}` and is used after its lock was released"
            if one.bound is not None
            else f"a pointer into `{one.member}` is returned and then used without its lock"
        )
        yield function.finding(
            one.event,
            message,
            certainty=because("threads", "harmless if nothing modifies it in the meantime"),
            help="keep the guard in a local for as long as the value is used, or return a copy",
            steps=tuple(steps),
        )


def _freed(function: Function) -> Iterator[Finding]:
    """What a member leads to that another function frees under the lock that is released here."""
    for one in freed_elements.escaping(function):
        freeing = one.freeing
        is_returned = isinstance(one.event, events.LeaveEvent)
        said = "is returned" if is_returned else "is used"
        yield function.finding(
            one.event,
            f"`{one.name}` {said} after `{one.lock}` was released, while `{freeing.function.name}` may free it",
            certainty=because("threads", f"harmless if `{freeing.function.name}` never frees it in the meantime"),
            help="acquire a reference while the lock is held, or do the work there",
            steps=(
                function.step(one.bound, f"`{one.name}` is looked up in `{one.member}` here, under `{one.lock}`"),
                freeing.function.step(freeing.event, f"the element is freed here, under `{one.lock}`"),
            ),
        )


_READ = {
    "annotation": "annotated",
    "comment": "read from a comment",
    "use": "inferred from its uses",
    "section": "inferred from where it is locked only to write it",
}


class _EscapeJudge:
    def __init__(self, function: Function, domain: guarded.GuardedDomain, held: dict[int, locks.Locks]) -> None:
        self.function = function
        self.domain = domain
        self.held = held
        self.borrower = escapes.Borrower(domain, function)

    def findings(self) -> Iterator[Finding]:
        yield from self.returned()
        yield from self.used_later()
        yield from self.stored()

    # --- the ways out ---

    def returned(self) -> Iterator[Finding]:
        result = keepers.result_of(self.function)
        for leave in self.function.flow.leaves:
            if leave.kind != "return" or leave.value is None or leave.index not in self.function.flow.reachable:
                continue
            found = self.borrower.borrow(leave.value, result)
            guard = self.owned_here(found, leave)
            if found is not None and guard is not None:
                into = "of" if found.how == "view" else "to" if self.is_whole(found) else "into"
                yield from self.judge(
                    leave.span,
                    f"{_ARTICLE[found.how]} {into} `{found.traced.member}` is returned and then used without "
                    f"`{guard.lock}`, which guards it",
                    found,
                    guard,
                    help=_HELP,
                    is_kept_alive=escapes.is_kept_alive(self.borrower, found, leave),
                    is_set_once=escapes.is_set_once(self.domain, self.function, leave, found.traced.member),
                )

    def is_whole(self, found: escapes.WayIn) -> bool:
        return (
            len(found.traced.place) == found.traced.at + 1
            and found.how in ("reference", "pointer")
            and not (found.buffer or found.owned)
        )

    def used_later(self) -> Iterator[Finding]:
        ways = list(escapes.ways(self.borrower, self.held))
        if not ways:
            return
        uses = escapes.Uses(self.function, self.held)
        starts = escapes.thread_starts(self.function)
        for way in ways:
            later = uses.after(way)
            verb = "refers to" if way.alias else "points into"
            member, lock = way.borrow.traced.member, way.guard.lock
            if later is not None:
                yield from self.judge(
                    later.span,
                    f"`{way.name}` {verb} `{member}` and is used after `{lock}`, which guards it, was released",
                    way.borrow,
                    way.guard,
                    self.function.step(way.at, f"`{way.name}` is obtained here, under `{lock}`"),
                    help=f"hold `{lock}` until the last use of `{way.name}`, or copy what is needed under it",
                    is_here=True,
                    is_kept_alive=escapes.is_kept_alive(self.borrower, way.borrow, later),
                )
            yield from self.given_to_thread(way, starts)

    def given_to_thread(self, way: escapes.GuardedAlias, starts: list[events.CallEvent]) -> Iterator[Finding]:
        for event in starts:
            if event.index > way.at.index and escapes.hands_on(self.function, event.node, way.name, way.alias):
                yield from self.judge(
                    event.span,
                    f"a thread receives {_ARTICLE['reference' if way.alias else 'pointer']} into "
                    f"`{way.borrow.traced.member}`, which is guarded by `{way.guard.lock}`",
                    way.borrow,
                    way.guard,
                    help=f"pass a copy or a `std::shared_ptr` to the thread, or lock `{way.guard.lock}` in it",
                )
                return

    def stored(self) -> Iterator[Finding]:
        for write in self.function.flow.writes:
            if write.fresh or write.value is None or write.op != "=" or not self.outlives(write):
                continue
            written = self.function.program.types.of(write.target, self.function)
            found = self.borrower.borrow(write.value, written.rstrip(" &") or "auto*")
            guard = self.owned_here(found, write)
            if found is not None and guard is not None and not self.is_beside(write.place, guard, write.target):
                into = text(write.target) if write.target is not None else places.render(write.place)
                yield from self.judge(
                    write.span,
                    f"`{into}` keeps {_ARTICLE[found.how]} into `{found.traced.member}` after `{guard.lock}`, which "
                    "guards it, is released",
                    found,
                    guard,
                    help=f"store a copy or a `std::shared_ptr`, or hold `{guard.lock}` wherever `{into}` is used",
                )

    def outlives(self, write: events.Write) -> bool:
        """Whether what is written lives on when the function ends: a member, a global, what a parameter points to."""
        root = write.place[0]
        if root not in self.function.declared:
            return root not in self.function.flow.aliases
        parameter = next((p for p in self.function.record.parameters if p.name == root), None)
        if parameter is None:
            return False
        kind = types.parse(parameter.type)
        through = not isinstance(write.target, records.Name)
        return bool(kind.pointers and through) or bool(kind.reference)

    def is_beside(self, place: Place, guard: guarded.Guard, target: records.Value | None = None) -> bool:
        """Whether the same lock guards what is written: whoever looks there holds it. `target` is how the place is
        written, with the local that stands for an object (`shard.index[key]`)."""
        traced = self.borrower.tracer.place(place) or self.borrower.tracer.trace(target)
        if traced is None:
            return False
        other = self.domain.guards.get(traced.member)
        if other is not None:
            return other.lock == guard.lock
        uses = [use for use in self.domain.uses if use.member == traced.member and not guarded.is_exempt(use.function)]
        return all(self.domain.is_held(use, guard.lock) for use in uses)

    def kept(self) -> Iterator[Finding]:
        reported: set[Span] = set()
        for event, given in keepers.given(self.function, self.leads):
            if event.index not in self.held or given.value.span in reported:
                continue  # nothing comes there
            found = self.borrower.borrow(given.value, given.wanted)
            guard = self.guard_of(found, given.value) if found is not None else None
            if found is not None and guard is not None:
                findings = list(self.kept_by(event, given, found, guard))
                reported.update(given.value.span for _ in findings)
                yield from findings

    def stays_in(self, given: keepers.HandedAway, found: escapes.WayIn) -> bool:
        """Whether it is put into what it comes from: `list_remove(entries_, found)` links the neighbours anew."""
        into = self.borrower.tracer.place(given.into) if given.into is not None else None
        return into is not None and into.member == found.traced.member

    def guard_of(self, found: escapes.WayIn, value: records.Value) -> guarded.Guard | None:
        return self.domain.guard(found.traced.member) or self.domain.beside(found.traced.member, value.span)

    def leads(self, value: records.Value) -> bool:
        return self.borrower.tracer.trace(value) is not None

    def kept_by(
        self, event: events.Event, given: keepers.HandedAway, found: escapes.WayIn, guard: guarded.Guard
    ) -> Iterator[Finding]:
        if keepers.holds_lock(given) or self.stays_in(given, found):
            return
        looks = keepers.looks(self.function, given)
        if given.used is None:
            bare = [look for look in looks if keepers.is_bare(look, guard.lock, self.function)]
        elif locks.holds(self.held.get(given.used.index, frozenset()), guard.lock):
            return
        else:
            bare = [look for look in looks if keepers.is_bare_when_called(look, given.used, self.function)]
        if keepers.is_taken_back(self.function, event):
            return
        for look in bare:
            if findings := list(self.used_bare(given, found, guard, look)):
                yield from findings[:1]
                return
        if not looks and given.used is None and self.is_let_go(event, given, found):
            doubt = f"the code that uses it may hold `{guard.lock}`"
            message, help = (
                _keeps(given, found, guard),
                f"store a copy or a `std::shared_ptr`, or pass `{guard.lock}` too",
            )
            yield from self.judge(given.value.span, message, found, guard, *_stored(given), help=help, doubt=doubt)

    def used_bare(
        self, given: keepers.HandedAway, found: escapes.WayIn, guard: guarded.Guard, look: KeptAccess
    ) -> Iterator[Finding]:
        user = "the code that runs it" if given.made is not None else f"the caller of `{look.function.name}`"
        doubt = "" if keepers.is_known_bare(look, given) else f"{user} may hold `{guard.lock}`"
        bare = [look, *(one for one in look.inside if keepers.is_bare(one, guard.lock, self.function))][:2]
        message = f"{_keeps(given, found, guard)}: it is used without the lock"
        said = f"`{given.field}` is used here without `{guard.lock}`" if given.field else _UNLOCKED.format(guard.lock)
        steps = [*_stored(given), *(one.function.step(one.span, said) for one in bare)]
        where = f" in `{look.function.name}`" if look.function.record.kind != "lambda" else ""
        help = f"hold `{guard.lock}` where it is used{where}, or store a copy or a `std::shared_ptr`"
        yield from self.judge(given.value.span, message, found, guard, *steps, help=help, look=look, doubt=doubt)

    def is_let_go(self, event: events.Event, given: keepers.HandedAway, found: escapes.WayIn) -> bool:
        """Whether an object leaves the lock that does not get the lock as well, so that it cannot hold it."""
        guard = self.owned_here(found, event)
        if guard is None or not keepers.may_be_looked_through(given):
            return False
        if given.made is not None or (given.holder is None and isinstance(event, events.Write)):
            return False
        if given.into is not None and (self.is_beside(given.into, guard) or not _is_made(event, given.value)):
            return False
        arguments = (arg for call in places.calls_in(keepers.value_of(event)) for arg in call.args)
        return not any(escapes.is_lock(self.function, arg, self.held[event.index]) for arg in arguments)

    # --- the verdict ---

    def owned_here(self, found: escapes.WayIn | None, event: events.Event) -> guarded.Guard | None:
        """The guard of what is borrowed, when this function holds its lock and lets it go."""
        here = self.held.get(event.index, frozenset())
        if found is None or not escapes.is_under_own(self.domain, here, self.function):
            return None
        guard = self.domain.guard(found.traced.member)
        return guard if guard is not None and escapes.is_own(here, guard.lock, self.function) else None

    def judge(
        self,
        at: Span,
        message: str,
        found: escapes.WayIn,
        guard: guarded.Guard,
        *steps: Step,
        help: str,
        look: KeptAccess | None = None,
        doubt: str = "",
        is_here: bool = False,
        is_kept_alive: bool = False,
        is_set_once: bool = False,
    ) -> Iterator[Finding]:
        """`is_here`: the function itself is the only user of the pointer. `is_kept_alive`: nothing ends the object that
        it leads to in the meantime."""
        storage = escapes.store(self.domain, found)
        if storage.kind == "foreign" or guard.pointee:
            return
        member = found.traced.member
        may_be_taken_out = member in self.domain.freed and storage.kind != "object"
        if may_be_taken_out and escapes.is_taken_out(self.domain, self.function, member):
            return
        if look is None:
            within = self.function if is_here else None
            evidence = escapes.hazard(self.domain, found, storage, within, user=self.function)
        else:
            meets = functools.partial(keepers.comes_to, look)
            within = self.function if guarded.begins_or_ends(self.function) else None
            evidence = escapes.hazard(self.domain, found, storage, within, meets)
            if evidence is None and look.writes:
                evidence = escapes.reading(self.domain, found, guard, meets)
        if evidence is None or (is_kept_alive and evidence.strong):
            return
        inferred = f"that `{guard.lock}` guards it is {_READ[guard.why]}"
        if guard.why == "annotation":
            changed = "harmless if no other thread modifies it in the meantime"
            certainty = because("caller", doubt) if doubt else because("threads", changed)
        else:
            certainty = because("guarded-by", inferred)
        if storage.kind == "unknown" or not storage.type:
            certainty = because("possible", f"the type of `{found.traced.member}` is not known")
        elif is_set_once:
            certainty = because("possible", f"`{member}` is not changed after what the function waits for")
        elif (not evidence.strong and look is None) or escapes.is_pinned(self.function):
            certainty = because("possible", "callers may ensure that nothing is removed in the meantime")
        elif escapes.locks_itself(self.domain, storage.type):
            if storage.kind == "object" or evidence.use.kind == "change":
                return
            certainty = because("possible", "the returned object has a lock of its own")
        use = evidence.use
        happens = "change" if look is not None and use.kind in ("grow", "overwrite") else use.kind
        ends = evidence.strong and use.kind in _ENDS and storage.kind in ("owned", "element")
        then = f": the {found.how} dangles then" if ends else ""
        elsewhere = use.function.step(use.span, _CHANGED[happens].format(use.member) + then)
        yield self.function.finding(at, message, certainty=certainty, help=help, steps=(*steps, elsewhere))


_UNLOCKED = "it is used here without `{}`"


def _keeps(given: keepers.HandedAway, found: escapes.WayIn, guard: guarded.Guard) -> str:
    way = f"{_ARTICLE[found.how]} into `{found.traced.member}`, which is guarded by `{guard.lock}`"
    if given.made is not None:
        return f"a lambda keeps {way}"
    if given.body is not None:
        return f"`{given.body.name}` runs on a thread with {way}"
    if given.holder is not None:
        return f"`{given.holder.name}{f'::{given.field}' if given.field else ''}` keeps {way}"
    return f"`{places.render(given.into or ())}` keeps {way}"


def _stored(given: keepers.HandedAway) -> tuple[Step, ...]:
    """Where it is put there, if a function does that which is called."""
    if given.stored is None:
        return ()
    function, event = given.stored
    return (function.step(event, f"it is stored in `{given.field or places.render(given.into or ())}` here"),)


def _is_made(event: events.Event, value: records.Value) -> bool:
    """Whether what keeps the value is made there, rather than given it later."""
    return any(places.strip(arg) is value for call in places.calls_in(keepers.value_of(event)) for arg in call.args)
