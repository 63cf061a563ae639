"""A value is computed that only a debug log reads.

## What it reports

- a local, private member or static that is read only by debug logs, and counted in a table or a loop of its own, or
  where a change under review counts it (`--diff-base`)
- a string, stream or container that is filled in a loop only for a debug log
- a copy of a container, a clock reading in a loop, or the result of a pure function, that only a debug log uses
- the same in Python, whose logs are known by the names of the log and its level (`logger.debug(..)`), and what a
  comprehension makes
- a debug log is also what prints where a flag is set that is named after a level (`if (trace_culling) fprintf(..)`)

## Why it is a bug

The log is usually disabled, but the work is done every time. It is cheap at first; with a lock or an allocation it is
not.

## Example

bad:

```cpp
void Sweep(std::vector<Entry>& entries) {
  std::string dropped;
  for (Entry& entry : entries) {
    if (Drop(entry)) dropped += entry.name + " ";
  }
  VLOG(2) << "dropped " << dropped;
}
```

```text
case.cc:2: note: `dropped` is built only for a debug log
  help: build it only when `VLOG(2)` is enabled
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
- work that is already guarded by the log level, and locals that an `#if` of the function declares
- containers whose elements do something by existing (threads, owners)
- logs that are always enabled
- additions beside other work, unless a change brings them, the text of one number, a clock that is
  read once, or in every iteration beside another loop, what is done where an exception was caught, test code, and a
  stream that the log takes itself (`LOG_DEBUG(stream)`): these are `possible`; in Python also a clock in a loop,
  several additions, and what builtins compute once in a call

## Known limitations

- Members are considered only if they are counted, and if no other class has a member of that name; in Python those
  with a leading underscore.
- A Python file is read if it says `.debug(`, `.trace(`, `vlog(` or `DEBUG`. Calls of libraries that are not known to
  only compute (`loss.item()`) are not reported.

## Source

a review of GPU command-buffer caching in XLA; a count over that project finds some forty.
"""

from __future__ import annotations

from collections.abc import Iterator

from ownlint import Finding, Function, Step, because, debug_logs, places, records, rule, text, trials
from ownlint_rules.hygiene import _kept as kept

_HELP = {
    "counted": "count it only when logging is enabled",
    "built": "build it only when logging is enabled",
    "computed": "compute it only when logging is enabled",
    "copied": "copy it only when logging is enabled",
    "measured": "read the clock only when logging is enabled",
}
_COSTS = because("intent", "harmless if it is cheap")
_CHEAP = because("possible", "it is cheap where it is done")

_IN_A_TEST = because("possible", trials.REASON)


@rule(
    severity="note",
    of_change=True,
    yields_to=("lock-only-for-log",),
    languages=("cpp", "python"),
    anchors=(r"\.debug\(", r"\.trace\(", r"\bvlog\(", r"\bDEBUG\b"),
)
def work_only_for_log(function: Function) -> Iterator[Finding]:
    tries = trials.is_trial(function)
    for state in kept.counted(function):
        yield function.finding(
            state.at,
            f"`{state.name}` is counted only for a debug log",
            certainty=_IN_A_TEST if tries else _COSTS if state.costs or _is_in_review(function) else _CHEAP,
            help=_HELP["counted"],
            steps=(state.reader.step(state.log, f"`{state.name}` is used only by this log"),),
        )
    logs = debug_logs.DebugLogs(function)
    if not logs.may_log:
        return
    by_log: dict[tuple[records.Span, str], list[debug_logs.DebugWork]] = {}
    for work in logs.work.values():
        by_log.setdefault((work.log, work.kind), []).append(work)
    for (log, kind), found in by_log.items():
        found = sorted(found, key=lambda work: work.declared.start)
        first, shown = found[0], _logged(function, log, found)
        yield function.finding(
            first.declared,
            f"{_named(found)} {kind} only for a debug log",
            certainty=_IN_A_TEST if tries else _COSTS if _is_dear(logs, found) else _CHEAP,
            help=_help(function, kind, log, several=len(found) > 1),
            steps=(
                *_filled(function, first, log),
                function.step(log, f"{_named(shown)} used only by this log"),
                *(
                    function.step(work.declared, f"`{work.name}` is {'declared' if work.writes else kind} here")
                    for work in found[1:]
                ),
            ),
        )


def _named(found: list[debug_logs.DebugWork]) -> str:
    return " and ".join(f"`{work.name}`" for work in found) + (" is" if len(found) == 1 else " are")


def _logged(function: Function, log: records.Span, found: list[debug_logs.DebugWork]) -> list[debug_logs.DebugWork]:
    """Those that the log itself names; the others go into one of them."""
    named = {
        inner.text
        for statement in function.statements
        if isinstance(statement, records.Evaluate) and statement.start in log
        for inner in places.walk(statement.value)
        if isinstance(inner, records.Name)
    }
    return [work for work in found if work.name in named] or found


def _help(function: Function, kind: str, log: records.Span, *, several: bool) -> str:
    """With the name of the log, where the statement is a call of one."""
    help = _HELP[kind].replace(" it ", " them ") if several else _HELP[kind]
    logged = next(
        (one.value for one in function.statements if one.span == log and isinstance(one, records.Evaluate)), None
    )
    call = places.streamed_into(logged) if logged is not None else None
    if function.language != "cpp" or not isinstance(call, records.Call) or not isinstance(call.callee, records.Name):
        return help
    name = call.callee.text if call is logged else text(call)
    return help.replace("logging", f"`{name}`")


def _filled(function: Function, work: debug_logs.DebugWork, log: records.Span) -> Iterator[Step]:
    """Where the work is done for a local that begins empty."""
    at = next((at for at in work.writes if at < log.start), -1)
    for statement in function.statements if at >= 0 and work.kind == "built" else ():
        if isinstance(statement, records.Evaluate) and statement.start <= at < statement.end:
            yield function.step(statement, f"`{work.name}` is filled here")
            return


def _is_dear(logs: debug_logs.DebugLogs, found: list[debug_logs.DebugWork]) -> bool:
    """Whether it costs something. In Python what builtins do once in a call costs little beside the call."""
    if logs.python:
        return any(work.costs and (_is_repeated(logs, work) or _asks_library(logs.function, work)) for work in found)
    return any(work.costs or (work.kind == "counted" and _is_in_review(logs.function)) for work in found)


def _is_in_review(function: Function) -> bool:
    """Whether a change is under review, of which alone the findings are shown: there an addition that is not needed is
    worth a remark."""
    return function.program.is_touched(function)


def _is_repeated(logs: debug_logs.DebugLogs, work: debug_logs.DebugWork) -> bool:
    return any(map(logs.is_in_loop, (work.declared.start, *work.writes)))


def _asks_library(function: Function, work: debug_logs.DebugWork) -> bool:
    """Whether it is made by a function of a module: `json.dumps(request)`."""
    called = places.calls_in(work.declared.value)
    return any("." in function.program.names.named(function.file, call.callee) for call in called)
