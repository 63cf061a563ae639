"""A move or copy constructor assigns to members that it has not initialized.

## What it reports

- a constructor with `*this = std::move(other)` (or a copy) and a pointer, number or flag without an initializer, which
  the assignment operator reads before it writes it
- the same with a member that the operator does not write on some path, and with a method that the constructor calls
  with the other object (`Copy(other)`), where it reads the member first

## Why it is a bug

The assignment operator was written for an existing object. In a constructor, the members that it reads, or leaves
unchanged on some path, hold whatever was in the memory before: undefined behaviour, often a `delete` of a random
pointer.

## Example

bad:

```cpp
class Slice {
 public:
  Slice() : pinned_(false), start_(own_) {}
  Slice(Slice&& other) { *this = std::move(other); }
  Slice& operator=(Slice&& other) {
    pinned_ = other.pinned_;
    if (!pinned_) start_ = other.start_;
    return *this;
  }
 private:
  bool pinned_;
  char* start_;
  char own_[16];
};
```

```text
case.cc:4: error: `start_` is not initialized here, but the assignment operator does not write it on every path
  help: delegate to the default constructor (`: Slice()`), or give `start_` a default
```

good:

```cpp
class Slice {
 public:
  Slice() : pinned_(false), start_(own_) {}
  Slice(Slice&& other) : Slice() { *this = std::move(other); }
  Slice& operator=(Slice&& other) {
    pinned_ = other.pinned_;
    if (!pinned_) start_ = other.start_;
    return *this;
  }
 private:
  bool pinned_;
  char* start_;
  char own_[16];
};
```

## How to fix it

Delegate to the default constructor (`: T()`), or give the member a default initializer.

## What it does not report

- constructors that delegate or initialize the member, and members with a default
- operators that write the member on every path, or call something that may write it (`swap`, `memcpy`, a method)
- operators whose body is not found
- paths for `this == &other`; with the default `--certainty`, classes whose every copying caller sets the member

## Known limitations

- Members of a base class are not analysed, and members of class type initialize themselves.

## Source

a move constructor of RocksDB's `PinnableSlice`.
"""

from __future__ import annotations

from collections.abc import Iterator

from ownlint import Certainty, Class, Finding, Function, because, failure, places, records, rule, text, types
from ownlint import events as e

_HELPERS = 3
"""So many methods below one another are looked into."""
_SOME_PATH = "this happens only on a path through the assignment operator that does not write it"


@rule(severity="error", cwe=(457, 908))
def move_into_uninitialized(function: Function) -> Iterator[Finding]:
    cls = function.home
    if function.language != "cpp" or cls is None or function.record.kind != "constructor":
        return
    if len(function.record.parameters) != 1:
        return
    given = {initializer.name for initializer in function.record.initializers}
    bare = [field for field in cls.record.fields if field.name not in given and _is_bare(field, cls)]
    if not bare or cls.name in given or not _is_of(cls, function.record.parameters[0].type):
        return
    for at, operator, said in _assigning(function, cls):
        for field in bare:
            if any(write.place == (places.THIS, field.name) for write in function.flow.writes):
                continue
            before = (call for call in function.flow.calls if call.index < at.index)
            if any(_may_write(call.node, function, field.name) for call in before):
                continue
            found = _left_out(operator, cls, field.name)
            if found is None or not (found[1] or operator.name == "operator="):
                continue
            read, reads = found
            done = "reads it first" if reads else "does not write it on every path"
            yield function.finding(
                at,
                f"`{field.name}` is not initialized here, but {said} {done}",
                certainty=_certainty(cls, field.name, reads and not isinstance(read, e.CallEvent), reads),
                help=f"delegate to the default constructor (`: {cls.name}()`), or give `{field.name}` a default",
                steps=(operator.step(read, "read here" if reads else "this operator may leave it unchanged"),),
            )


def _assigning(function: Function, cls: Class) -> Iterator[tuple[e.Event, Function, str]]:
    """Where the constructor assigns to the whole object, by its operator or by a method that is given the other one,
    the code of it and what it is called."""
    (parameter,) = function.record.parameters
    if function.mentions("=this"):
        assigned = next((write for write in function.flow.writes if write.place == (places.THIS,)), None)
        operator = _operator(cls, parameter.type) if assigned is not None else None
        if assigned is not None and operator is not None:
            yield assigned, operator, "the assignment operator"
            return
    for call in function.flow.calls:
        if any(_is_parameter(arg, parameter.name) for arg in call.node.args):
            helper = _helper(call, function, cls)
            if helper is not None and next(function.flow.guards(call), None) is None:
                yield call, helper, f"`{helper.name}`"
                return


def _is_parameter(value: records.Value, name: str) -> bool:
    """`other`, `std::move(other)`."""
    inner = places.strip(value)
    if isinstance(inner, records.Call) and places.last_name(inner.callee) in ("move", "forward") and inner.args:
        inner = places.strip(inner.args[0])
    return isinstance(inner, records.Name) and inner.text == name


def _certainty(cls: Class, name: str, is_plain: bool, reads: bool) -> Certainty:
    if is_plain:
        return "certain"
    if reads:
        return because("path", "this happens only on a path through the method that reads it")
    if _is_set_by_makers(cls, name):
        return because("possible", f"every caller that copies a `{cls.name}` sets `{name}` itself")
    return because("path", _SOME_PATH)


def _is_set_by_makers(cls: Class, name: str) -> bool:
    """Whether every function of the project that makes an object from another writes the member as well."""
    makers = [
        maker
        for maker in cls.program.index.callers_by_name(cls.name)
        if any(
            call.node.kind in ("new", "construct")
            and len(call.node.args) == 1
            and places.last_name(call.node.callee) == cls.name
            for call in maker.flow.calls
        )
    ]
    return bool(makers) and all(maker.mentions("=" + name) for maker in makers)


def _is_of(cls: Class, written: str) -> bool:
    kind = types.parse(written)
    return kind.reference and not kind.pointers and kind.last == cls.name


def _is_bare(field: records.Field, cls: Class) -> bool:
    """Whether nothing initializes it: a pointer, a number or a flag without a default."""
    if field.static or field.value is not None or "[" in field.type:
        return False
    written = cls.program.names.expand(field.type, cls.file, cls.symbol)
    kind = types.parse(written)
    return not kind.reference and (bool(kind.pointers) or failure.is_number(written) or kind.name == "bool")


def _operator(cls: Class, written: str) -> Function | None:
    """The class's own assignment of what the constructor is given, where its body is seen."""
    moves = written.rstrip().endswith("&&")
    for operator in cls.defined_here.get("operator=", ()):
        taken = [parameter.type.rstrip() for parameter in operator.record.parameters]
        if len(taken) == 1 and _is_of(cls, taken[0]) and taken[0].endswith("&&") == moves:
            return operator
    return None


def _left_out(operator: Function, cls: Class, name: str, depth: int = _HELPERS) -> tuple[e.Event, bool] | None:
    """Where the operator, or a method that it calls, reads the member before it is written (and true), or an exit that
    it comes to without having written it."""
    flow, place = operator.flow, (places.THIS, name)
    queue, seen = [flow.entry], {flow.entry}
    left: e.Event | None = None
    for index in queue:
        event = flow.events[index]
        match event:
            case e.Write(place=written) if written[:2] == place:
                if len(written) == 2:
                    continue
            case e.CallEvent() if (helper := _helper(event, operator, cls)) is not None:
                inner = _left_out(helper, cls, name, depth - 1) if depth else None
                if inner is None:
                    continue
                if inner[1]:
                    return event, True
            case e.CallEvent() if _may_write(event.node, operator, name):
                continue
            case e.OpaqueEvent():
                return None
            case e.Read(place=read) if read[:2] == place and not _is_address(event, operator):
                return event, True
            case e.LeaveEvent(kind="throw"):
                continue
            case e.LeaveEvent():
                left = left or event
        for target, label in flow.successors[index]:
            if target not in seen and not (isinstance(event, e.Test) and _is_itself(event.value, label)):
                seen.add(target)
                queue.append(target)
    return (left, False) if left is not None else None


def _is_itself(condition: records.Value, label: object) -> bool:
    """Whether an edge is taken where an object is assigned to itself."""
    match condition:
        case records.Binary(op="!=" | "==" as op, left=left, right=right):
            says = any(isinstance(side, records.Name) and side.text == places.THIS for side in (left, right))
            return says and label is (op == "==")
    return False


def _is_address(read: e.Read, operator: Function) -> bool:
    """Whether the read may be a write: the member is given to a call, which may take a reference."""
    return any(
        argument.span == read.span or (isinstance(argument, records.Unary) and argument.value.span == read.span)
        for call in operator.flow.calls
        if call.node.kind != "delete"
        for argument in call.node.args
    )


def _helper(event: e.CallEvent, operator: Function, cls: Class) -> Function | None:
    """The one method of the class that is called on the object itself."""
    if event.node.kind != "call" or not (
        isinstance(event.node.callee, records.Name) or event.receiver == (places.THIS,)
    ):
        return None
    called = operator.program.calls.callee(event.node, operator).functions
    return called[0] if len(called) == 1 and called[0].home is cls and called[0] is not operator else None


def _may_write(call: records.Call, operator: Function, name: str) -> bool:
    """Whether a call may write the member: it is given the member or the object, or its body was not read."""
    if call.kind == "delete":
        return False
    if any(
        isinstance(inner, records.Name) and inner.text in (places.THIS, name)
        for argument in call.args
        for inner in places.walk(argument)
    ):
        return True
    scope, _, last = text(call.callee).rpartition("::")
    if operator.home is None or (scope and scope.rpartition("::")[2] != operator.home.name):
        return False  # a base's own, or of no class
    on = places.strip(places.receiver(call))
    is_own = on is None or (isinstance(on, records.Name) and on.text == places.THIS)
    return is_own and any(one.name == last for one in operator.home.declarations)
