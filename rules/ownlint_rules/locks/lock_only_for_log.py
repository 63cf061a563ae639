"""A lock is acquired only for a debug log.

## What it reports

- a lock guard, or a lock and unlock in one block, that covers only debug logs and values counted for them

## Why it is a bug

Every call waits for the lock, although the log is usually disabled.

## Example

bad:

```cpp
void Cache::Put(int key, int value) {
  {
    absl::MutexLock lock(&mu_);
    VLOG(2) << "entries: " << entries_.size();
  }
  Store(key, value);
}
```

```text
case.cc:3: warning: `mu_` is locked only for a debug log
  help: check whether logging is enabled first
```

good:

```cpp
void Cache::Put(int key, int value) {
  if (VLOG_IS_ON(2)) {
    absl::MutexLock lock(&mu_);
    VLOG(2) << "entries: " << entries_.size();
  }
  Store(key, value);
}
```

## How to fix it

Check whether logging is enabled before locking.

## What it does not report

- sections with any other write, return, wait or non-const call
- sections guarded by the log level
- logs that are always enabled

## Known limitations

- Critical sections that begin in one block and end in another are not analysed.

## Source

a review of GPU command-buffer caching in XLA, where a mutex was taken on every execution for a line of the log.
"""

from __future__ import annotations

from collections.abc import Iterator

from ownlint import Finding, Function, debug_logs, guard_classes, mutexes, places, records, rule, text
from ownlint_rules.locks import _rechecks as rechecks


@rule(severity="warning")
def lock_only_for_log(function: Function) -> Iterator[Finding]:
    if not rechecks.takes_locks(function):
        return
    known, named = guard_classes.guards(function.program), mutexes.mutexes(function.program)
    taking, releasing = known.taking | named.takers, known.releasing | named.letters
    logs = debug_logs.DebugLogs(function)
    if not logs.may_log:
        return
    for body in logs.blocks():
        for position, statement in enumerate(body):
            lock = _guarded(function, statement, known) or _called(statement, taking)
            if lock is None or logs.covers(statement.start):
                continue
            covered = _covered(body[position + 1 :], lock, statement, releasing)
            if covered and all(map(logs.is_for_log, covered)):
                yield function.finding(
                    statement,
                    f"`{lock}` is locked only for a debug log",
                    help="check whether logging is enabled first",
                    steps=tuple(function.step(one, "the lock covers only this") for one in covered[:3]),
                )


def _guarded(function: Function, statement: records.Statement, known: guard_classes.Guards) -> str | None:
    """The lock of a guard that lives until the end of the block."""
    if not isinstance(statement, records.Declare) or not isinstance(made := statement.value, records.Call):
        return None
    guard = known.of(statement.type, function)
    if guard is None or guard.gives_up or not guard.argument or len(made.args) < guard.argument:
        return None
    return text(made.args[guard.argument - 1]).removeprefix("&")


def _called(statement: records.Statement, names: frozenset[str]) -> str | None:
    """The lock of a call of one of these names, `mu.lock()`, `pthread_mutex_lock(&mu)`, where the statement is nothing
    else."""
    if not isinstance(statement, records.Evaluate) or not isinstance(call := statement.value, records.Call):
        return None
    if places.last_name(call.callee) not in names or len(call.args) > 1:
        return None
    on = call.args[0] if call.args else places.receiver(call)
    return text(on).removeprefix("&") if on is not None else None


def _covered(
    following: tuple[records.Statement, ...], lock: str, taken: records.Statement, releasing: frozenset[str]
) -> tuple[records.Statement, ...]:
    """What runs under the lock: the rest of the block, or all up to the unlock."""
    if isinstance(taken, records.Declare):
        return following
    for position, statement in enumerate(following):
        if _called(statement, releasing) == lock:
            return following[:position]
    return ()
