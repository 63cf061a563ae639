"""A guarded member is accessed without its lock.

## What it reports

- an access without the lock to a member that an annotation (`GUARDED_BY`) or a comment ("guarded by mu_") assigns to a
  lock
- without annotations, a member whose accesses mostly hold the lock: at least three accesses in two functions, 80 % of
  them with the lock and one of them a write
- the same for variables of a file next to a lock of that file (one finding per function and member)
- a member whose address is passed without the lock to a function of the project that accesses it at once
- a change of such a member while its lock is held as a reader only (`std::shared_lock`), where another change holds it
  exclusively

## Why it is a bug

One access without the lock makes every other one a data race: a thread reads half-written values, or iterates over a
container that another thread is growing.

## Example

bad:

```cpp
class Counter {
 public:
  void Add(int by) {
    absl::MutexLock lock(&mu_);
    total_ += by;
  }
  int Total() const { return total_; }
 private:
  mutable absl::Mutex mu_;
  int total_ ABSL_GUARDED_BY(mu_) = 0;
};
```

```text
case.cc:7: error: `total_` is read without `mu_`, which guards it
  help: hold `mu_` while it is read
```

good:

```cpp
class Counter {
 public:
  void Add(int by) {
    absl::MutexLock lock(&mu_);
    total_ += by;
  }
  int Total() const {
    absl::MutexLock lock(&mu_);
    return total_;
  }
 private:
  mutable absl::Mutex mu_;
  int total_ ABSL_GUARDED_BY(mu_) = 0;
};
```

## How to fix it

Acquire the lock before the access. If the caller holds it, say so with an annotation (`REQUIRES(mu_)`).

## What it does not report

- constructors, destructors, assignments, and functions that only they call
- functions whose callers all hold the lock, or that say so (an annotation, a guard parameter, an assertion)
- atomics, condition variables, constants, and members that are never written after construction
- as a reader: changes of elements, which can have locks of their own; containers of unknown kinds; changes under a
  second lock
- functions and reads excluded from thread-safety analysis (`ABSL_TS_UNCHECKED_READ`); lambdas count as run where they
  are created, unless a thread starts with them
- with the default `--certainty`: accesses that may hold the lock, in logs, assertions and tests; null checks that are
  repeated under the lock; and, where the lock is only inferred, accesses below a comment, in initializers, in getters
  and in functions whose name says that the lock is held

## Known limitations

- Two objects of one class are distinguished only by name.
- A lock that is released on one of several paths makes the finding `possible`.
- Besides every majority, a lock is also inferred where no write goes without it, at least half of the accesses hold it,
  and it is acquired somewhere only for such a write.

## Source

clang's `-Wthread-safety` finds a part where every header is in sight; the rest is from reviews of XLA and gRPC.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property

from ownlint import Certainty, Finding, Function, Program, Step, because, events, locks, rule, trials, types
from ownlint_rules.locks import _guarded as guarded


@rule(severity="error", cwe=(362,), yields_to=("guarded-state-escapes", "discarded-lock-guard"))
def guarded_member_unlocked(program: Program) -> Iterator[Finding]:
    for domain in guarded.guarded(program).domains:
        judges = [
            _UnlockedJudge(domain, guard, member)
            for member, guard in sorted(domain.guards.items())
            if not guard.pointee
        ]
        bare = {judge.member: judge.bare() for judge in judges}
        designed = {judge.guard.lock for judge in judges if len(bare[judge.member]) > guarded.MOST_SLIPS}
        for judge in judges:
            for use in bare[judge.member]:
                others = [
                    m for m, uses in bare.items() if m != judge.member and any(u.function is use.function for u in uses)
                ]
                yield judge.finding(use, judge.guard.lock in designed or bool(others))
            yield from judge.beside_readers()


class _UnlockedJudge:
    def __init__(self, domain: guarded.GuardedDomain, guard: guarded.Guard, member: str) -> None:
        self.domain = domain
        self.guard = guard
        self.member = member
        self.locking = locks.locking(domain.program)

    def bare(self) -> list[guarded.MemberUse]:
        """The first access of each function that holds no lock."""
        found: dict[Function, guarded.MemberUse] = {}
        for use in self.domain.uses:
            if use.member != self.member or use.function in found or locks.holds(use.held, self.guard.lock):
                continue
            if self.is_bare(use) and self.matters(use):
                found[use.function] = use
        return list(found.values())

    @cached_property
    def written(self) -> list[guarded.MemberUse]:
        """What changes the member while others may look at it."""
        return list(self.domain.changes(self.member))

    def matters(self, use: guarded.MemberUse) -> bool:
        """Whether what is touched is written elsewhere, and no lock that both hold can be the one that is meant. What a
        method changes in a member is not known field by field."""
        said = self.guard.why in ("annotation", "comment")
        return any(
            guarded.meets(change.traced, use.traced)
            and change.kind != "fill"  # its size and its place stay
            and (said or not guarded.is_ordered(change, use))
            and (change.kind != "change" or len(use.traced.place) <= len(change.traced.place))
            for change in self.written
        )

    def is_bare(self, use: guarded.MemberUse) -> bool:
        """Whether an access of somebody who is not alone with the object holds nothing that can be the lock."""
        if (
            use.alias
            or guarded.is_exempt(use.function)
            or guarded.is_unreachable(use.function)
            or guarded.is_made_here(use)
            or guarded.is_address(use)
        ):
            return False
        return (
            not self.domain.is_held(use, self.guard.lock)
            and not self.is_under_another(use)
            and (not self.domain.is_alone(use.function) or bool(self.locking.taken(use.function)))
        )

    def is_under_another(self, use: guarded.MemberUse) -> bool:
        """Whether a second lock is held there that all other accesses hold as well, perhaps shared: they exclude it."""
        if self.guard.why == "annotation" or not use.held:
            return False
        uses = [
            one
            for one in self.domain.uses
            if one.member == self.member
            and not guarded.is_exempt(one.function)
            and _body(one.function) == _body(use.function)  # another specialization has other locks
        ]
        return any(all(locks.holds(one.held, lock.lock[-1]) for one in uses) for lock in use.held)

    def beside_readers(self) -> Iterator[Finding]:
        """The first change of each function that holds the lock as a reader alone, where another holds it by itself to
        change the member."""
        alone = [u for u in self.written if locks.holds(u.held, self.guard.lock) and not self.is_reader(u)]
        found: dict[Function, guarded.MemberUse] = {}
        for use in self.written if alone else ():
            if use.function not in found and self.is_reader(use) and self.is_changed_whole(use):
                found[use.function] = use
        for use in found.values():
            beside = min(alone, key=lambda u: u.function is use.function)
            yield use.function.finding(
                use.span,
                f"`{self.member}` is changed while `{self.guard.lock}` is held as a reader only",
                certainty=self.certainty_beside_readers(use),
                help=f"hold `{self.guard.lock}` exclusively here",
                steps=(beside.function.step(beside.span, f"written while `{self.guard.lock}` is held exclusively"),),
                cause=self.member,
            )

    def is_reader(self, use: guarded.MemberUse) -> bool:
        """Whether all that is held there is the lock, as readers do."""
        function = use.function
        alone = {held for taken in self.locking.taken(function).values() for held in taken}
        return (
            bool(use.held)
            and use.held <= self.locking.shared(function) - alone
            and locks.holds(use.held, self.guard.lock)
        )

    def is_changed_whole(self, use: guarded.MemberUse) -> bool:
        """Whether the member itself is changed for others to see: its value, or what a container of a known kind has.
        An element can have a lock of its own, and so can a container of another kind; and what is noted by a method
        that leaves the lock held is about the holder."""
        function = use.function
        if guarded.is_made_here(use) or guarded.is_unreachable(function) or trials.is_trial(function):
            return False
        after = self.locking.held(function, anywhere=True).get(function.flow.exit, frozenset())
        if locks.holds(frozenset(one for one in after if not one.guard), self.guard.lock):
            return False
        if len(use.traced.place) > use.traced.at + 1 or use.kind in ("change", "fill"):
            return False
        return self.domain.is_container(self.member) or (use.kind == "overwrite" and self.domain.is_known(self.member))

    def certainty_beside_readers(self, use: guarded.MemberUse) -> Certainty:
        if isinstance(use.function.flow.events[use.at], events.Read):
            return because("possible", "harmless if the key is always there")
        if self.guard.why == "annotation":
            return "certain"
        return because("guarded-by", self.inferred())

    def finding(self, use: guarded.MemberUse, is_design: bool) -> Finding:
        function = use.function
        steps: tuple[Step, ...] = ()
        careful = [
            u for u in self.written if locks.holds(u.held, self.guard.lock) and guarded.meets(u.traced, use.traced)
        ]
        beside = min(careful, key=lambda u: u.function is function, default=None)
        if beside is not None:
            steps = (beside.function.step(beside.span, f"`{self.member}` is written under `{self.guard.lock}` here"),)
        same = (one for one in self.domain.uses if one.function is function and one.member == use.member)
        changes = any(one.kind != "read" and one.span.start == use.span.start for one in same)
        given = any(use.span.start in arg.span for call in function.flow.calls for arg in call.node.args)
        done = "modified" if changes else "accessed" if given else "read"
        without = f"without `{self.guard.lock}`, which guards it"
        if guarded.was_held(use, self.guard.lock):
            without = f"after `{self.guard.lock}`, which guards it, was released"
        gives = any(use.span.start in leave.span for leave in function.flow.leaves if leave.kind == "return")
        copy = " and return a copy" if gives and types.parse(function.record.result).reference else ""
        return function.finding(
            use.span,
            f"`{self.member}` is {done} {without}",
            certainty=self.certainty(use, is_design),
            help=f"hold `{self.guard.lock}` while it is {done}{copy}{self.counted()}",
            steps=steps,
            cause=self.member,
        )

    def counted(self) -> str:
        if self.guard.why not in ("use", "section"):
            return ""
        return f", as {self.guard.share} do"

    def certainty(self, use: guarded.MemberUse, is_design: bool) -> Certainty:
        function = use.function
        somewhere = self.locking.held(function, anywhere=True).get(use.at, frozenset())
        if locks.holds(somewhere, self.guard.lock):
            return because("possible", f"`{self.guard.lock}` is held on some of the paths that lead here")
        if self.locking.is_deferred(function):
            return because("possible", f"`{self.guard.lock}` may be held where this lambda is called")
        if guarded.is_for_show(use) and not self.domain.is_container(self.member):
            shown = "harmless if the displayed or asserted value may be stale or torn"
            said = self.guard.why == "annotation" and function.is_method
            return because("intent" if said else "guess", shown)
        if self.guard.why == "annotation":
            if guarded.was_held(use, self.guard.lock):
                return because("threads", "harmless if no other thread modifies it in the meantime")
            return "certain"
        if guarded.is_looked_at_again(use, self.locking.held(function), self.guard.lock):
            return because("possible", f"the decisive value is read again under `{self.guard.lock}`")
        if is_design:
            return because("possible", "there are more such accesses, which may be intended")
        if locks.says_locked(function):
            return because("possible", f"that its caller holds `{self.guard.lock}` is inferred from its name")
        if guarded.is_explained(use) and not self.is_torn(use):
            return because("possible", "the comment above may explain why no lock is needed")
        if self.guard.why in ("use", "section") and self.may_be_meant(use):
            return because("possible", self.inferred())
        return because("guarded-by", self.inferred())

    def inferred(self) -> str:
        if self.guard.why == "comment":
            return f"that `{self.guard.lock}` guards it is read from a comment"
        if self.guard.why == "section":
            return f"that `{self.guard.lock}` guards it is inferred from where it is locked only to write it"
        return f"that `{self.guard.lock}` guards it is inferred from {self.guard.share}"

    def takes(self, function: Function) -> bool:
        """Whether the function takes the lock itself somewhere: then nobody who calls it holds it."""
        return any(locks.holds(held, self.guard.lock) for held in self.locking.held(function).values())

    @cached_property
    def is_locked_outside(self) -> bool:
        """Whether the lock is acquired by others on the object, and by none of the class's own functions."""
        cls = self.domain.cls
        users = {use.function for use in self.domain.uses if locks.holds(use.held, self.guard.lock)}
        return cls is not None and all(user.home is not cls for user in users)

    def is_operation(self, function: Function) -> bool:
        """Whether every file can call the function by its name, and it is given the object: as good as a public
        method. What is named beside it and not called is handed on."""
        cls, record = self.domain.cls, function.record
        if guarded.guarded(self.domain.program).functions_beside(function.path, function.name):
            return False
        is_about = cls is None or any(types.parse(one.type).last == cls.name for one in record.parameters)
        is_exported = record.kind == "function" and "static" not in record.qualifiers and record.name != "main"
        return is_about and is_exported

    def is_torn(self, use: guarded.MemberUse) -> bool:
        """Whether no comment can make it right: the function has just let the lock go, since others may be there, and
        what it goes through is a container."""
        return guarded.was_held(use, self.guard.lock) and self.domain.is_container(self.member)

    def may_be_meant(self, use: guarded.MemberUse) -> bool:
        """Whether, where nobody wrote down what is guarded, an access without may be on purpose: nobody knows who calls
        the function, some who call it hold the lock, or it hands out the member for others to see to; or it is a method
        of an object whose users lock, as none of its methods does."""
        function = use.function
        if self.is_locked_outside and function.home is self.domain.cls:
            return True
        early = guarded.is_early(function) and not guarded.was_held(use, self.guard.lock)
        if early or not self.domain.is_known(self.member):
            return True
        if any(len(one.lock) == 1 for one in use.held):
            return True  # one lock for all objects, which is held, may do as well
        if self.locking.some_caller_holds(function, self.guard.lock):
            return True
        called_by_pointer = locks.is_override(function) if function.is_method else not self.is_operation(function)
        called_by_pointer = called_by_pointer and not self.locking.is_deleter(function)
        if called_by_pointer and not self.takes(function) and not self.locking.from_callers(function).sites:
            return True
        return guarded.hands_out(use)


def _body(function: Function) -> tuple[str, int]:
    """The body of a class in which the function is written; that of no class for one written outside."""
    start = function.record.start
    around = (cls.start for cls in function.file.classes if cls.start < start < cls.end)
    return function.path, max(around, default=-1)
