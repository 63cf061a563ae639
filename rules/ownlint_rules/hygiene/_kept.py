"""What is counted in a private member, or in a static of one file, and read by debug logs alone."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from ownlint import Function, bodies, debug_logs, glance, patterns, places, records, types


class CountedState(NamedTuple):
    name: str
    at: records.Value
    """The first place in the function that counts it."""
    reader: Function
    log: records.Span
    costs: bool
    """Whether it costs more than the question whether the log is on."""


def counted(function: Function) -> Iterator[CountedState]:
    """What a function counts on for the debug logs of others, unless it is itself called for a log alone."""
    changes = _counts(function)
    if not changes:
        return
    own = debug_logs.DebugLogs(function)
    for name, at in changes.items():
        users = _users(function, name)
        if users is None or own.covers(at.start):
            continue
        if own.python and not own.is_counted_for_itself(at.start):
            continue
        read = _read_by_log(function, name, users)
        if read is not None and not _is_called_for_log(function):
            yield CountedState(name, at, *read, any(_counts_at_a_cost(user, name) for user in users))


def _counts_at_a_cost(function: Function, name: str) -> bool:
    """Whether a function counts it in a table, atomically, or in a loop of its own."""
    on = (
        (statement.value, target)
        for statement in function.statements
        if isinstance(statement, records.Evaluate) and (target := _counted(statement.value)) is not None
    )
    counts = {value.start: target for value, target in on if _root(target, function) == name}
    return debug_logs.DebugLogs(function).counts_at_a_cost([*counts]) or any(
        "atomic" in function.program.types.of(target, function) for target in counts.values()
    )


def _counts(function: Function) -> dict[str, records.Value]:
    """`n_ += x;`, `++table[i];`, `n_.fetch_add(x);` of what is no local, by name: where it is counted first."""
    found: dict[str, records.Value] = {}
    if function.record.kind in ("constructor", "destructor"):
        return found
    for statement in function.statements:
        match statement:
            case records.Evaluate(value=value) if (target := _counted(value)) is not None:
                name = _root(target, function)
                if name and name not in function.declared and name not in function.locals:
                    found.setdefault(name, value)
    return found


def _counted(value: records.Value) -> records.Value | None:
    """What a statement adds to."""
    match value:
        case records.Assign(target=target, op=op) if op not in ("=", ":="):
            return target
        case records.Call(callee=records.Member(base=base, name="fetch_add" | "fetch_sub")):
            return base
    return None


def _root(value: records.Value, function: Function) -> str:
    """`n` of `n`, `n[i]`, `n.hits` and `this->n`."""
    inner = places.strip(value)
    while isinstance(inner, records.Index) or (isinstance(inner, records.Member) and not _is_own(inner, function)):
        inner = places.strip(inner.base)
    if isinstance(inner, records.Member) and _is_own(inner, function):
        return inner.name
    return inner.text if isinstance(inner, records.Name) else ""


def _is_own(value: records.Member, function: Function) -> bool:
    return isinstance(value.base, records.Name) and value.base.text == (function.itself or places.THIS)


def _users(function: Function, name: str) -> Sequence[Function] | None:
    """All functions that can name it; None where that is not known."""
    program, file = function.program, function.file
    cls = function.home
    field = cls.field(name) if cls is not None else None
    if cls is not None and field is not None:
        private = name.startswith("_") if function.language == "python" else field[1].access == "private"
        if field[0] is not cls or not private:
            return None
        if not types.parse(field[1].type).is_value:
            return None  # what it leads to may be another's
        own = [method for method in cls.methods if glance.says(method, name)]
        for one in own:
            own += [inner for inner in one.lambdas() if glance.says(inner, name)]
        if not any(debug_logs.DebugLogs(one).may_log for one in own):
            return None
        others = (one for one in program.saying(patterns.Quoted(name)) if one.language == function.language)
        return own if all(one in own or one.home is cls for one in others) else None
    if not any(variable.name == name and variable.static for variable in file.variables) or file.path.endswith("h"):
        return None
    here = (program.index.function_at(file, index) for index in range(len(file.functions)))
    return [one for one in here if one is not None and glance.says(one, name)]


def _read_by_log(function: Function, name: str, users: Sequence[Function]) -> tuple[Function, records.Span] | None:
    """The first debug log that reads it, where nothing else does."""
    found: tuple[Function, records.Span] | None = None
    for user in users:
        logs = debug_logs.DebugLogs(user)
        for statement in user.statements:
            if isinstance(statement, records.Opaque) and name in statement.names:
                return None
            if isinstance(statement, records.Branch) and _says(statement.condition, name):
                return None  # `if (verbose) ...`: a switch, which is counted up on the command line
            for value in bodies.values(statement):
                if not _says(value, name):
                    continue
                span = next((span for span in logs.spans if value.start in span), None)
                if span is not None:
                    found = found or (user, span)
                elif not _only_counts(statement, name, user):
                    return None
    return found


def _says(value: records.Value, name: str) -> bool:
    for inner in places.walk(value):
        if isinstance(inner, records.Name) and inner.text == name:
            return True
        if isinstance(inner, records.Member) and inner.name == name:
            return True
        if isinstance(inner, records.OpaqueValue) and name in inner.names:
            return True
    return False


def _only_counts(statement: records.Statement, name: str, function: Function) -> bool:
    match statement:
        case records.Evaluate(value=records.Assign(target=target, op=op, value=given)) if (
            _root(target, function) == name
        ):
            counts = op in ("++", "--") or not _says(given, name)
            return counts and (op not in ("=", ":=") or isinstance(places.strip(given), records.Literal))
        case records.Evaluate(value=records.Call(args=args)) if (on := _counted(statement.value)) is not None:
            return _root(on, function) == name and not any(_says(arg, name) for arg in args)
    return False


def _is_called_for_log(function: Function) -> bool:
    name = function.name
    callers = function.program.index.callers_by_name(name)
    for caller in callers:
        logs = debug_logs.DebugLogs(caller)
        for statement in caller.statements:
            for value in bodies.values(statement):
                for call in places.calls_in(value):
                    if places.last_name(call.callee) == name and not logs.covers(call.start):
                        return False
    return bool(callers)
