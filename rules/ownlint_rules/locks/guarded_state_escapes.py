"""A pointer or reference to guarded state outlives the lock.

A member that belongs to a lock is safe to look at while the lock is held. A pointer, a reference, an iterator or a view
into it is not bound to the lock: whoever gets it looks later, when another thread may have moved, changed or freed what
it leads to.

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

Reported where such a way in is returned, used after the lock was let go, stored in an out-parameter, a global or a
member that the same lock does not guard, kept by an object that outlives the lock, or given to a thread. Which member
belongs to which lock is said by an annotation or a comment, or inferred from use: three accesses or more, at least 80 %
of them with the lock held, one of them a write. Something must happen to the target elsewhere: it is erased, cleared or
replaced, or it stands in a container that moves its elements when it grows.

Quiet: copies and shared pointers; entries that are made once and never taken out; elements of node containers that
nobody erases; raw pointers that the container does not own; targets with a lock of their own or made of atomics; what a
function hands out whose caller holds the lock; a keeper that is given the lock as well; what is pinned by a counter.

Limits: a helper is followed two calls deep; a lambda that is not given to a thread at once is not followed; a target
inside an aggregate that is returned is not seen; of several locals of one name none is followed.

Source: a review of command-buffer caching in XLA, where a wrapper kept `&entry.sub` of a guarded map.
"""

from __future__ import annotations

from collections.abc import Iterator

from ownlint import (
    Certainty,
    Finding,
    Function,
    Span,
    Step,
    because,
    events,
    locks,
    places,
    records,
    rule,
    types,
    views,
)
from ownlint_rules.locks import _escapes as escapes
from ownlint_rules.locks import _guarded as guarded

_DIES = {
    "erase": "this erases from `{}`",
    "clear": "this empties `{}`",
    "overwrite": "this replaces what is in `{}`",
    "grow": "this moves what is in `{}`",
    "change": "this changes `{}`",
}
_ARTICLE = {"pointer": "a pointer", "reference": "a reference", "iterator": "an iterator", "view": "a view"}
_MAKERS = frozenset({"make_unique", "make_shared", "MakeUnique", "MakeShared"})
_HELP = "hand out a copy or a shared pointer, or do the work while the lock is held"


@rule(severity="error", cwe=(362,))
def guarded_state_escapes(function: Function) -> Iterator[Finding]:
    domains = [domain for domain in escapes.domains_of(function) if escapes.may_escape(function, domain)]
    if not domains or not escapes.takes_lock(function):
        return
    held = locks.held(function)
    if not any(held.values()):
        return
    for domain in domains:
        if any(escapes.is_under_own(domain, locks, function) for locks in set(held.values())):
            yield from _EscapeJudge(function, domain, held).findings()


_READ = {
    "annotation": "annotated",
    "comment": "read from a comment",
    "use": "inferred from its uses",
    "section": "inferred from where it is taken to write it alone",
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
        yield from self.kept()

    # --- the ways out ---

    def returned(self) -> Iterator[Finding]:
        result = (
            self.function.program.calls.inferred_result(self.function)
            if self.is_open()
            else self.function.record.result
        )
        for leave in self.function.flow.leaves:
            if leave.kind != "return" or leave.value is None or leave.index not in self.function.flow.reachable:
                continue
            found = self.borrower.borrow(leave.value, result)
            guard = self.owned_here(found, leave)
            if found is not None and guard is not None:
                into = "of" if found.how == "view" else "to" if self.is_whole(found) else "into"
                yield from self.judge(
                    leave.span,
                    f"`{found.traced.member}` is guarded by `{guard.lock}`, and {_ARTICLE[found.how]} {into} it is "
                    "returned",
                    found,
                    guard,
                )

    def is_open(self) -> bool:
        return not self.function.record.result or types.parse(self.function.record.result).is_placeholder

    def is_whole(self, found: escapes.WayIn) -> bool:
        return (
            len(found.traced.place) == found.traced.at + 1
            and found.how in ("reference", "pointer")
            and not (found.buffer or found.owned)
        )

    def used_later(self) -> Iterator[Finding]:
        uses = escapes.Uses(self.function, self.held)
        starts = escapes.thread_starts(self.function)
        for way in escapes.ways(self.borrower, self.held):
            later = uses.after(way)
            verb = "refers to" if way.alias else "points into"
            if later is not None:
                yield from self.judge(
                    later.span,
                    f"`{way.name}` still {verb} `{way.borrow.traced.member}` where `{way.guard.lock}` is no longer "
                    "held",
                    way.borrow,
                    way.guard,
                    self.function.step(way.at, "bound here, under the lock"),
                )
            yield from self.given_to_thread(way, starts)

    def given_to_thread(self, way: escapes.GuardedAlias, starts: list[events.CallEvent]) -> Iterator[Finding]:
        for event in starts:
            if event.index > way.at.index and escapes.hands_on(self.function, event.node, way.name, way.alias):
                yield from self.judge(
                    event.span,
                    f"a thread is given {_ARTICLE['reference' if way.alias else 'pointer']} into "
                    f"`{way.borrow.traced.member}`, which is guarded by `{way.guard.lock}`",
                    way.borrow,
                    way.guard,
                )
                return

    def stored(self) -> Iterator[Finding]:
        for write in self.function.flow.writes:
            if write.fresh or write.value is None or write.op != "=" or not self.outlives(write):
                continue
            written = self.function.program.types.of(write.target, self.function)
            found = self.borrower.borrow(write.value, written.rstrip(" &") or "auto*")
            guard = self.owned_here(found, write)
            if found is not None and guard is not None and not self.is_beside(write, guard):
                yield from self.judge(
                    write.span,
                    f"{_ARTICLE[found.how]} into `{found.traced.member}`, which is guarded by `{guard.lock}`, is "
                    f"stored in `{places.render(write.place)}`",
                    found,
                    guard,
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

    def is_beside(self, write: events.Write, guard: guarded.Guard) -> bool:
        """Whether the same lock guards what is written: whoever looks there holds it."""
        traced = self.borrower.tracer.place(write.place)
        if traced is None:
            return False
        other = self.domain.guards.get(traced.member)
        if other is not None:
            return other.lock == guard.lock
        uses = [use for use in self.domain.uses if use.member == traced.member and not guarded.is_exempt(use.function)]
        return all(self.domain.is_held(use, guard.lock) for use in uses)

    def kept(self) -> Iterator[Finding]:
        for event in self.function.flow:
            if event.index not in self.held:
                continue  # nothing comes there
            leaves = isinstance(event, events.LeaveEvent) and event.kind == "return"
            lasts = isinstance(event, events.Write) and not event.fresh and self.outlives(event)
            for call in places.calls_in(event.value) if leaves or lasts else ():  # type: ignore[attr-defined]
                yield from self.kept_by(call, event)

    def kept_by(self, call: records.Call, event: events.Event) -> Iterator[Finding]:
        cls = escapes.made_class(self.function, call, _MAKERS)
        if cls is None:
            return
        stored = views.stored_arguments(cls, len(call.args))
        if any(escapes.is_lock(self.function, argument, self.held[event.index]) for argument in call.args):
            return
        for position in sorted(stored):
            if position >= len(call.args):
                continue
            found = self.borrower.borrow(call.args[position], escapes.parameter_type(cls, len(call.args), position))
            guard = self.owned_here(found, event)
            if isinstance(event, events.Write) and guard is not None and self.is_beside(event, guard):
                continue
            if found is not None and guard is not None:
                yield from self.judge(
                    call.args[position].span,
                    f"`{cls.name}` keeps {_ARTICLE[found.how]} into `{found.traced.member}`, which is guarded by "
                    f"`{guard.lock}`",
                    found,
                    guard,
                )

    # --- the verdict ---

    def owned_here(self, found: escapes.WayIn | None, event: events.Event) -> guarded.Guard | None:
        """The guard of what is borrowed, when this function holds its lock and lets it go."""
        here = self.held.get(event.index, frozenset())
        if found is None or not escapes.is_under_own(self.domain, here, self.function):
            return None
        guard = self.domain.guard(found.traced.member)
        return guard if guard is not None and escapes.is_own(here, guard.lock, self.function) else None

    def judge(
        self, at: Span, message: str, found: escapes.WayIn, guard: guarded.Guard, *steps: Step
    ) -> Iterator[Finding]:
        storage = escapes.store(self.domain, found)
        if storage.kind == "foreign" or guard.pointee:
            return
        evidence = escapes.hazard(self.domain, found, storage)
        if evidence is None:
            return
        inferred = f"that `{guard.lock}` guards it is {_READ[guard.why]}"
        certainty: Certainty = "certain" if guard.why == "annotation" else because("likely", inferred)
        if storage.kind == "unknown" or not storage.type:
            certainty = because("possible", f"the type of `{found.traced.member}` is not known")
        elif not evidence.strong or escapes.is_pinned(self.function):
            certainty = because("possible", "callers may see to it that nothing is removed meanwhile")
        elif escapes.locks_itself(self.domain, storage.type):
            if storage.kind == "object" or evidence.use.kind == "change":
                return
            certainty = because("possible", "what is handed out has a lock of its own")
        use = evidence.use
        elsewhere = use.function.step(use.span, _DIES[use.kind].format(use.member))
        yield self.function.finding(at, message, certainty=certainty, help=_HELP, steps=(*steps, elsewhere))
