"""A value is computed that only a debug log reads.

## What it reports

- where everything that reads a local is a debug log: numbers that are counted on in a loop, or two of them for one log,
  also as private members or statics of a source file, where a table is enough
- strings, streams and containers that are filled in a loop
- what a function that changes nothing makes in a loop, or as a text
- and what a clock says. Locals may go by way of each other. A debug log is a macro that a model calls so, one that the
  project defines as empty in another build or whose body asks for the level, a call that names the level
  (`logger->debug(..)`, `LOG(DEBUG)`), a function that does nothing unless the level is on, or what stands behind a
  question whether the log is on (`if (verbose)`, `if (level >= kDebug)`), also one that leaves where it is off.

## Why it is a bug

The log is off as a rule, and the loop counts all the same. It costs little each time and is easily forgotten; where a
lock or an allocation is involved it costs more.

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

Count it only when logging is enabled.

## What it does not report

- where anything else reads the local, takes its address, captures it or uses the value of an increment
- where the work itself stands behind the question
- for containers of what does something by being there (threads, owners)
- and for logs that are always on.

## Known limitations

- of members only what is counted on is looked at, where its name stands in no other class.

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
_CHEAP = because("value", "harmless if it costs next to nothing")


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
