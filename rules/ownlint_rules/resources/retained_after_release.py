"""A released reference is retained once more.

## What it reports

- a call that increments a reference count (`retain`, `Py_INCREF`, `borrow`) whose only argument is the result of
  `release()`, `steal()` or `detach()`
- an intrusive pointer that is made of such a result, and takes a reference of its own (`intrusive_ptr<T>(p.detach())`)
- the same through `.ptr()`, a cast, or a method of the project that empties a member and returns it
- a reference to a Python object that is taken after the function has released its own (`Py_DECREF(x)`, then
  `Py_INCREF(x)`, `Py_NewRef(x)`)

## Why it is a bug

`release()` returns a handle together with the one reference that its owner held. Retaining it creates a second
reference that is never dropped, so the object is never freed. What `Py_DECREF` has freed cannot be retained any
more: the count that is raised lies in freed memory.

## Example

bad:

```cpp
void keep(Ref<Node>& node) { slot = retain(node.release()); }
template <class T> struct Ref { T* release(); ~Ref(); };
struct Node { int refs; };
Node* retain(Node* node);
```

```text
case.cc:1: error: `node` gives up its reference here, but `retain` adds another
  help: adopt the released pointer without retaining it, or retain the result of `get()`
```

good:

```cpp
void keep(Ref<Node>& node) { slot = retain(node.get()); }
template <class T> struct Ref { T* get(); ~Ref(); };
struct Node { int refs; };
Node* retain(Node* node);
```

## How to fix it

Adopt the released handle (`steal`, `reinterpret_steal`, the pointer's adopting constructor), or retain the result of
`get()`. Retain a Python object before the reference that keeps it alive is released.

## What it does not report

- a released handle that is adopted
- a handle that is only read
- methods of these names with arguments of their own

## Known limitations

- Of `release()` and the like only nested calls are detected; a release into a local that is retained later is not.

## Source

`PyOperationRef` objects of MLIR's Python bindings that were stolen and borrowed in one expression.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from ownlint import (
    Class,
    Finding,
    Function,
    Program,
    because,
    counting,
    events,
    places,
    questions,
    records,
    rule,
    statements,
    text,
    types,
)

_COUNTS_UP = re.compile(r"(?:\w+_)?(?:x?inc_?ref|new_?ref|xnew_?ref|add_?ref|retain(?:_ref)?|borrow)", re.IGNORECASE)
_GIVES_UP = frozenset({"release", "Release", "steal", "detach", "Detach", "leak"})
_THROUGH = frozenset({"ptr", "get"})


@rule(severity="error", cwe=(416,))
def retained_after_release(function: Function) -> Iterator[Finding]:
    for one in counting.troubles(function):
        if one.what == "retained after release":
            yield function.finding(
                one.at,
                f"`{one.name}` is retained after its reference was released",
                certainty=because("sharing", one.reason or "harmless if something else still owns a reference to it"),
                help="retain it before the reference is released",
                steps=(function.step(one.because, "released here"),)
                if isinstance(one.because, events.CallEvent)
                else (),
            )
    if not function.mentions(*_GIVES_UP, *_emptying(function.program)):
        return
    for statement in statements(function.body):
        for call in _calls(statement):
            given = _given_up(function, call.args[0]) if len(call.args) == 1 else None
            if given is None or not (
                _COUNTS_UP.fullmatch(places.last_name(call.callee)) or _retains(function, call, given)
            ):
                continue
            owner = places.receiver(given) or given
            yield function.finding(
                call,
                f"`{text(owner)}` gives up its reference here, but `{places.called(call)}` adds another",
                certainty=because("sharing", "harmless if the extra reference is released elsewhere"),
                help="adopt the released pointer without retaining it, or retain the result of `get()`",
            )


def _retains(function: Function, call: records.Call, given: records.Call) -> bool:
    """Whether it makes an owner that takes a reference of its own, of what an owner of the same class has given up:
    `boost::intrusive_ptr<T>(other.detach())`."""
    made = text(call.callee)
    if not isinstance(call.callee, records.Name):
        return False
    of = types.parse(function.program.types.of(places.receiver(given), function)).last
    if of != types.parse(function.program.names.expand(made, function.file, function.record.scope)).last:
        return False
    cls = function.program.names.find_class(made, function.record.scope, function.file)
    if cls is None:
        return "retaining pointer" in function.program.types.roles(made, function)
    taking = [one for one in cls.constructors if len(one.record.parameters) == 1 and not _is_copy(one, cls)]
    return bool(taking) and all(map(_counts_given, taking))


def _is_copy(constructor: Function, cls: Class) -> bool:
    return types.parse(constructor.record.parameters[0].type).last == cls.name


@questions.question
def _counts_given(constructor: Function) -> bool:
    """Whether a constructor of a single pointer counts up what it is given."""
    (given,) = constructor.record.parameters
    kept = {one.name for one in constructor.record.initializers for arg in one.args if text(arg) == given.name}
    names = {given.name, *kept}
    return types.parse(given.type).pointers == 1 and any(
        _COUNTS_UP.fullmatch(places.last_name(call.callee))
        and any(places.last_name(places.strip(one)) in names for one in (places.receiver(call), *call.args))
        for call in constructor.calls()
    )


def _calls(statement: records.Statement) -> Iterator[records.Call]:
    match statement:
        case records.Evaluate(value=value) | records.Declare(value=value) | records.Leave(value=value):
            yield from places.calls_in(value)


@questions.program_question
def _emptying(program: Program) -> frozenset[str]:
    """Names of the project's own methods that answer what a member held, and leave the member empty."""
    return frozenset(
        function.name
        for function in program.functions
        if function.language == "cpp"
        and function.record.kind == "method"
        and function.is_short
        and not function.record.parameters
        and types.parse(function.record.result).pointers
        and _empties(function)
    )


def _empties(function: Function) -> bool:
    held: dict[str, str] = {}
    emptied: set[str] = set()
    for statement in statements(function.body):
        match statement:
            case records.Declare(names=(name,), value=value) if value is not None:
                held[name] = text(value)
            case records.Evaluate(value=records.Assign(target=target, value=records.Literal(kind="null"))):
                emptied.add(text(target))
            case records.Leave(value=records.Name(text=name)) if held.get(name, "") in emptied:
                return True
    return False


def _given_up(function: Function, value: records.Value) -> records.Call | None:
    """The call by which an owner gives up what the value is."""
    inner = places.strip(value)
    for _ in range(3):
        match inner:
            case records.Call(callee=records.Member(name=name, base=base), args=()):
                if name in _GIVES_UP or (name in _emptying(function.program) and _is_own(function, inner)):
                    return inner
                if name not in _THROUGH:
                    return None
                inner = places.strip(base)
            case _:
                return None
    return None


def _is_own(function: Function, call: records.Call) -> bool:
    callee = function.program.calls.callee(call, function)
    return callee.certainty != "possible" and bool(callee.functions) and all(map(_empties, callee.functions))
