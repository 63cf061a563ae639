"""An error is stored in a member that nothing reads, or only the destructor.

## What it reports

- a status member that stores the results of calls, but that no function of the project except the destructor reads
- the same with any private member that gets the error number, or what a handler has caught

## Why it is a bug

The class records errors, but no caller can find out: no method returns, checks or passes the member on. At best the
destructor logs it, when every caller has continued as if the work had succeeded.

## Example

bad:

```cpp
class Writer {
 public:
  ~Writer() { if (!status_.ok()) LOG(WARNING) << status_; }
  void Append(const char* line) { status_ = Put(line); }
 private:
  absl::Status Put(const char* line) { return file_->Write(line); }
  absl::Status status_;
};
```

```text
case.cc:7: warning: `status_` stores errors, but only the destructor reads it
  help: return it from a method, or return the error where it occurs
```

good:

```cpp
class Writer {
 public:
  void Append(const char* line) { status_ = Put(line); }
  absl::Status status() const { return status_; }
 private:
  absl::Status Put(const char* line) { return file_->Write(line); }
  absl::Status status_;
};
```

## How to fix it

Return the member from a method (`status()`), or return the error where it occurs.

## What it does not report

- members that any function reads, passes on, binds or takes the address of
- public members
- members that only ever store success, or an argument of the constructor
- with the default `--certainty`: classes with a method that is declared but not found

## Known limitations

- Outside the class, any use of the name counts as a use of the member, so members with common names are rarely reported
  in large projects.

## Source

https://abseil.io/docs/cpp/guides/status; LevelDB's `TableBuilder` shows the right shape, a `status()` beside the
member.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from ownlint import (
    Class,
    Finding,
    Function,
    Place,
    assignments,
    because,
    events,
    glance,
    patterns,
    places,
    questions,
    records,
    rule,
    types,
)


class _KeptOutcome(NamedTuple):
    """An outcome goes into the member."""

    function: Function
    at: events.Event


@rule(severity="warning", cwe=(391,))
def error_kept_unread(cls: Class) -> Iterator[Finding]:
    fields = [one for one in cls.record.fields if not one.static and one.access in ("private", "protected")]
    using = _users(cls, [one.name for one in fields]) if fields and cls.methods else {}
    for field in fields if using else ():
        users = using[field.name]
        keeps = _keeps if _is_status(cls, field) else _keeps_reason
        kept = next((found for function in users for found in keeps(function, field.name)), None)
        if kept is None:
            continue
        readers = [function for function in users if _reads(function, field.name)]
        if any(function.record.kind != "destructor" for function in readers) or _is_said_elsewhere(cls, field, users):
            continue
        yield _finding(cls, field, kept, readers)


def _finding(cls: Class, field: records.Field, kept: _KeptOutcome, readers: list[Function]) -> Finding:
    who = "only the destructor reads it" if readers else "nothing reads it"
    steps = [kept.function.step(kept.at, "the result is stored here")]
    steps += [reader.step(_reads(reader, field.name)[0], "this is too late for a caller") for reader in readers[:1]]
    return cls.finding(
        field,
        f"`{field.name}` stores errors, but {who}",
        certainty=because("unread-code", f"code that was not analysed could read `{field.name}`")
        if _is_all_there(cls)
        else because("possible", f"not every method of `{cls.name}` was found"),
        help="return it from a method, or return the error where it occurs",
        steps=tuple(steps),
    )


def _is_status(cls: Class, field: records.Field) -> bool:
    if types.parse(field.type).last not in cls.program.statuses.names:
        return False
    status = cls.program.statuses.of(field.type, cls.methods[0])
    return status is not None and status.kind == "value" and types.parse(field.type).is_value


_FEW = 16
"""So many names are looked for one after the other."""


def _users(cls: Class, names: list[str]) -> dict[str, list[Function]]:
    """By name of a member, the methods and lambdas that say it."""
    found: dict[str, list[Function]] = {name: [] for name in names}
    plain = frozenset(name for name in names if name.isascii()) if len(names) > _FEW else frozenset[str]()
    for function in _own(cls):
        said = plain & glance.said_names(function) if plain else plain
        for name in (*said, *(one for one in found if one not in plain and glance.says(function, one))):
            found[name].append(function)
    return found


def _own(cls: Class) -> list[Function]:
    """The methods, and the lambdas in them."""
    found = list(cls.methods)
    for function in found:
        found += function.lambdas()
    return found


def _is_all_there(cls: Class) -> bool:
    """Whether the body of every method is in sight."""
    defined = {method.name for method in cls.methods}
    return all(
        record.name in defined
        or record.kind == "constructor"
        or not {"delete", "default"}.isdisjoint(record.qualifiers)
        for record in cls.declarations
    )


def _is_said_elsewhere(cls: Class, field: records.Field, users: list[Function]) -> bool:
    known = set(users)
    return any(
        function not in known and function.home is not cls
        for function in cls.program.saying(patterns.Quoted(field.name))
        if function.language == "cpp"
    )


# --- what puts something in ---


def _keeps(function: Function, name: str) -> Iterator[_KeptOutcome]:
    """Where the outcome of a call goes into the member; a constructor's is somebody else's."""
    if function.record.kind in ("constructor", "destructor"):
        return
    for event in _of_members(function).get(name, ()):
        match event:
            case events.Write(value=value):
                if _is_outcome(function, value):
                    yield _KeptOutcome(function, event)
            case events.CallEvent(node=call):
                if _updates(function, event) and _is_outcome(function, call.args[0]):
                    yield _KeptOutcome(function, event)


def _keeps_reason(function: Function, name: str) -> Iterator[_KeptOutcome]:
    """Where the member gets what says why something has failed: the error number, or what a handler has caught."""
    for event in _of_members(function).get(name, ()) if function.language == "cpp" else ():
        if isinstance(event, events.Write) and _says_why(function, event.value):
            yield _KeptOutcome(function, event)


@questions.flow_question
def _of_members(function: Function) -> dict[str, list[events.Event]]:
    """What assigns to members of the function's own object, and calls of their methods, by the member."""
    found: dict[str, list[events.Event]] = {}
    for event in function.flow.events:
        match event:
            case events.Write(place=(places.THIS, name), op="=", fresh=False):
                found.setdefault(name, []).append(event)
            case events.CallEvent(receiver=(places.THIS, name)):
                found.setdefault(name, []).append(event)
    return found


def _says_why(function: Function, value: records.Value | None) -> bool:
    handlers = _handlers(function) if value is not None else []
    caught = {one.name for one in handlers if value is not None and one.span.start <= value.start < one.span.end}
    return any(
        isinstance(inner, records.Name)
        and (inner.text in ("errno", "std::current_exception", *caught) or _is_reason(function, inner.text))
        for inner in places.walk(value)
    )


@questions.flow_question
def _handlers(function: Function) -> list[records.Handler]:
    return [
        handler
        for statement in function.statements
        if isinstance(statement, records.Try)
        for handler in statement.handlers
    ]


def _is_reason(function: Function, name: str) -> bool:
    """Whether a local begins as the error number, and stays that."""
    begun = places.strip(function.locals.get(name, ("", None))[1])
    return isinstance(begun, records.Name) and begun.text == "errno" and not function.mentions(f"={name}")


def _is_it(place: Place, name: str) -> bool:
    return place == (places.THIS, name)


def _is_outcome(function: Function, value: records.Value | None) -> bool:
    """Whether it is what a call has answered, or a local that holds it; success made on the spot is none."""
    inner = places.strip(value)
    if isinstance(inner, records.Name) and inner.text in function.locals:
        inner = places.strip(function.locals[inner.text][1])
    if not isinstance(inner, records.Call) or inner.kind != "call":
        return False
    name = places.last_name(inner.callee)
    return not name.lower().startswith(("ok", "success")) and "Error" not in name


def _updates(function: Function, call: events.CallEvent) -> bool:
    """Whether the member takes over another outcome: `status_.Update(Step())`."""
    if call.dropped != "statement" or len(call.node.args) != 1:
        return False
    argument = call.node.args[0]
    written = function.program.types.of(argument, function)
    return bool(written) and function.program.statuses.of(written, function) is not None


# --- what looks at it ---


def _reads(function: Function, name: str) -> list[events.Event]:
    """The events that look at the member, other than to write it again."""
    passed_over = [
        event.node.callee.span
        for event in function.flow.calls
        if event.receiver is not None and _is_it(event.receiver, name) and _updates(function, event)
    ]
    passed_over += [branch.condition.span for branch in _guards(function, name)]
    return [
        event
        for event in function.flow.events
        if (isinstance(event, events.Read) and name in event.place)
        or (isinstance(event, events.OpaqueEvent) and name in event.names)
        if not any(event.span.start in span for span in passed_over)
    ]


def _guards(function: Function, name: str) -> Iterator[records.Branch]:
    """`if (status_.ok()) status_ = Step();` and nothing else."""
    for statement in function.statements:
        match statement:
            case records.Branch(then=then, other=()) if then and all(_only_writes(function, s, name) for s in then):
                yield statement


def _only_writes(function: Function, statement: records.Statement, name: str) -> bool:
    match statement:
        case records.Block(body=body):
            return all(_only_writes(function, inner, name) for inner in body)
        case records.Evaluate(value=records.Assign(target=target, op="=")):
            where = assignments.place(function, target)
            return where is not None and _is_it(where, name)
    return False
