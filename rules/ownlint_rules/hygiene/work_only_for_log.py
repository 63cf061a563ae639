"""A value is computed that only a debug log reads.

## What it reports

- a local, private member or static that is counted in a loop and read only by debug logs
- a string, stream or container that is filled in a loop only for a debug log
- a clock reading, or the result of a pure function, that only a debug log uses

## Why it is a bug

The log is usually disabled, but the work is done every time. It is cheap at first; with a lock or an allocation it is
not.

## Example

bad:

```cpp
void Sweep(std::vector<Entry>& entries) {
  int dropped = 0;
  for (Entry& entry : entries) {
    if (Drop(entry)) ++dropped;
  }
  VLOG(2) << "dropped " << dropped;
}
```

```text
case.cc:2: note: `dropped` is counted only for a debug log
  help: count it only when logging is enabled
```

good:

```cpp
void Sweep(std::vector<Entry>& entries) {
  for (Entry& entry : entries) Drop(entry);
  VLOG(2) << "dropped from " << entries.size();
}
```

## How to fix it

Do the work only when logging is enabled (`if (VLOG_IS_ON(1))`), or compute it in the log statement.

## What it does not report

- values that anything else reads, captures or takes the address of
- work that is already guarded by the log level
- containers whose elements do something by existing (threads, owners)
- logs that are always enabled

## Known limitations

- Members are considered only if they are counted, and if no other class has a member of that name.

## Source

a review of GPU command-buffer caching in XLA; a count over that project finds some forty.
"""

from __future__ import annotations

from collections.abc import Iterator

from ownlint import Finding, Function, because, debug_logs, records, rule
from ownlint_rules.hygiene import _kept as kept

_HELP = {
    "counted": "count it only when logging is enabled",
    "built": "build it only when logging is enabled",
    "computed": "compute it only when logging is enabled",
    "measured": "read the clock only when logging is enabled",
}
_CHEAP = because("intent", "harmless if it costs next to nothing")


@rule(severity="note", yields_to=("lock-only-for-log",))
def work_only_for_log(function: Function) -> Iterator[Finding]:
    for state in kept.counted(function):
        yield function.finding(
            state.at,
            f"`{state.name}` is counted only for a debug log",
            certainty=_CHEAP,
            help=_HELP["counted"],
            steps=(state.reader.step(state.log, "only used by this log"),),
        )
    logs = debug_logs.DebugLogs(function)
    if not logs.may_log:
        return
    by_log: dict[tuple[records.Span, str], list[debug_logs.DebugWork]] = {}
    for work in logs.work.values():
        by_log.setdefault((work.log, work.kind), []).append(work)
    for (log, kind), found in by_log.items():
        if kind == "counted" and len(found) == 1 and not any(logs.is_in_loop(offset) for offset in found[0].writes):
            continue
        first = min(found, key=lambda work: work.declared.start)
        named = " and ".join(f"`{work.name}`" for work in found)
        yield function.finding(
            first.declared,
            f"{named} {'is' if len(found) == 1 else 'are'} {kind} only for a debug log",
            certainty=_CHEAP,
            help=_HELP[kind],
            steps=(function.step(log, "only used by this log"),),
        )
