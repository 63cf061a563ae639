"""A stored callback captures a Python object, and is copied and destroyed without the GIL.

## What it reports

- a lambda that captures a Python object by value, acquires the GIL in its body, and is stored in a member, a global, a
  container or an object that keeps it
- the same without the GIL in its body, in a class that has threads of its own
- a class whose destructor acquires the GIL but whose copy constructor (`= default` or not) copies the Python objects
  without it

## Why it is a bug

`std::function` copies its target whenever it is copied, and destroys it wherever it is destroyed: on a worker thread,
in a queue, in a C++ destructor. Each copy of a captured Python object changes its reference count. Acquiring the GIL in
the body does not help, since the copies are made outside of it. Without the GIL the count is corrupted, and the object
is freed too early.

## Example

bad:

```cpp
namespace py = pybind11;
class Bus {
 public:
  void OnEvent(py::function handler) {
    handler_ = [handler](int event) {
      py::gil_scoped_acquire gil;
      handler(event);
    };
  }

 private:
  std::function<void(int)> handler_;
};
```

```text
case.cc:5: error: a stored lambda captures the Python object `handler` by value: it is copied and destroyed by threads
    that may not hold the GIL
  help: capture a `std::shared_ptr<py::function>` whose deleter acquires the GIL: `py::gil_scoped_acquire gil;`, then
    `delete`
```

good:

```cpp
namespace py = pybind11;
class Bus {
 public:
  void OnEvent(py::function handler) {
    auto shared = std::shared_ptr<py::function>(new py::function(std::move(handler)), [](py::function* last) {
      py::gil_scoped_acquire gil;
      delete last;
    });
    handler_ = [shared](int event) {
      py::gil_scoped_acquire gil;
      (*shared)(event);
    };
  }

 private:
  std::function<void(int)> handler_;
};
```

## How to fix it

Capture a `std::shared_ptr` whose deleter acquires the GIL, or a wrapper that acquires it for copying and destruction
(as `func_handle` of pybind11 does).

## What it does not report

- captures by reference, handles, pointers and shared pointers
- lambdas that run and are destroyed before the function returns
- with the default `--certainty`: lambdas that never acquire the GIL, in a class without threads
- closures of threads, which `destroyed-without-gil` reports

## Known limitations

- A function whose body is not found is assumed to keep a callback if its name says so (`set`, `add`, `on`, `register`,
  `subscribe`, `connect`).

## Source

pybind11 3.1.0 with asserted counters, where a copy behind the release ends the process in `inc_ref`; its own wrapper
for `std::function` has a handle that takes the GIL for copies and for its end.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from ownlint import (
    Certainty,
    Class,
    Finding,
    Function,
    Program,
    because,
    entrances,
    events,
    places,
    python_use,
    questions,
    records,
    rule,
    types,
)
from ownlint_rules.gil import _spelling as spelling

_KEEPS = re.compile(
    r"(?:set|add|on|register|subscribe|connect|install|push|emplace|append)(?=$|[A-Z_])|.*(?:Callback|_callback|Handler|_handler|_cb)$",
    re.IGNORECASE,
)

_HELD_ANYWAY = "harmless if the GIL is held wherever the callback is copied and destroyed"


@rule(severity="error", cwe=(820,), yields_to=("destroyed-without-gil",))
def python_copied_in_callback(function: Function) -> Iterator[Finding]:
    if function.language != "cpp":
        return
    if function.cls is not None and function.cls.destructor is function:
        yield from _copied_bare(function.cls, function)
    if not any(True for _ in function.lambdas()) and not function.mentions_any(_makers(function.program)):
        return
    spawned = {started for started, _, sure in entrances.spawned(function) if sure}
    for inner, event in _stored(function):
        made, around = inner.expression, inner.parent
        if made is None or around is None or inner in spawned:
            continue
        for name, value in python_use.captures(around, made, frozenset({"object", "holder"})):
            captured = value if value.start >= made.start else made
            stored = function.step(event, _stored_by(event))
            yield function.finding(
                captured if around is function else event,
                f"a stored lambda captures the Python object `{name}` by value: it is copied and destroyed by threads "
                "that may not hold the GIL",
                certainty=_certainty(function, inner),
                help=_help(around, name),
                steps=(stored if around is function else around.step(captured, f"`{name}` is captured here"),),
            )
            break


def _stored_by(event: events.Event) -> str:
    if isinstance(event, events.CallEvent):
        return f"`{places.called(event.node)}` stores the lambda here"
    return "the lambda is stored here"


def _help(function: Function, name: str) -> str:
    """A shared pointer to an object of the captured one's type."""
    written = types.parse(function.locals.get(name, ("", None))[0]).name
    shown = f"`std::shared_ptr<{written}>`" if written and written != "auto" else "`std::shared_ptr`"
    guard = spelling.acquire(function.program, function.file)
    return f"capture a {shown} whose deleter acquires the GIL: {guard}, then `delete`"


@questions.program_question
def _makers(program: Program) -> frozenset[str]:
    """Names of the functions in which a lambda stands: what they return may be one."""
    return frozenset(f.parent.name for f in program.functions if f.record.kind == "lambda" and f.parent is not None)


def _copied_bare(cls: Class, end: Function) -> Iterator[Finding]:
    """Copies of an object that ends with the lock, which it takes itself."""
    if not python_use.takes(end):
        return
    held = {field.name for field in python_use.held_fields(cls) if field in cls.record.fields}
    for method in cls.methods:
        if not held or method.record.kind != "constructor" or not _copies(method, cls):
            continue
        names = held if "default" in method.record.qualifiers else held & _copied_members(method)
        if names and not python_use.takes(method):
            name = min(names)
            yield method.finding(
                method.record,
                f"this copies `{name}` without the GIL, which `{end.name}` acquires to destroy it",
                certainty=because("caller", _HELD_ANYWAY),
                help="acquire the GIL in the copy constructor too, and copy in its body",
                steps=(end.step(end.record, f"`{end.name}` acquires the GIL to destroy `{name}`"),),
            )


def _copies(method: Function, cls: Class) -> bool:
    """Whether it is the copy constructor."""
    taken = [parameter.type for parameter in method.record.parameters]
    if len(taken) != 1 or "&&" in taken[0] or "delete" in method.record.qualifiers:
        return False
    kind = types.parse(taken[0])
    return kind.reference and not kind.pointers and kind.last == cls.name


def _copied_members(method: Function) -> frozenset[str]:
    given = method.record.parameters[0].name
    return frozenset(write.place[-1] for write in method.flow.writes if given in places.names_in(write.value))


def _certainty(function: Function, inner: Function) -> Certainty:
    if python_use.takes(inner):
        return because("caller", _HELD_ANYWAY)
    threaded = function.home is not None and entrances.has_threads(function.home)
    return because("caller", _HELD_ANYWAY) if threaded else because("possible", "no thread that could run it was found")


def _stored(function: Function) -> Iterator[tuple[Function, events.Event]]:
    """The lambdas that outlive the function, and where they are stored."""
    for event in function.flow:
        match event:
            case events.Write(place=place, value=value, fresh=False) if not _is_own(function, place):
                made = entrances.meant(function, value)
                if made is not None:
                    yield made, event
            case events.CallEvent(node=node):
                for position, argument in enumerate(node.args):
                    made = entrances.meant(function, argument)
                    if made is not None and _keeps(function, event, position):
                        yield made, event


def _is_own(function: Function, place: places.Place) -> bool:
    """Whether what is written to ends with the function."""
    if not function.is_local(place):
        return False
    written = types.parse(function.locals.get(place[0], ("", None))[0])
    return written.is_value or len(place) == 1


def _keeps(function: Function, call: events.CallEvent, position: int) -> bool:
    """Whether what is called has the callback when the function has returned."""
    node = call.node
    if node.kind != "call":
        return False
    callee = function.program.calls.callee(node, function)
    if any("::" in model.name and model.library in function.program.models.frameworks for model in callee.models):
        return False
    for target in callee.functions[:1]:
        if position < len(target.record.parameters):
            return entrances.is_kept(callee.functions[:1], target.record.parameters[position].name)
    if not isinstance(node.callee, records.Member):
        return bool(callee.records) and _KEEPS.match(places.last_name(node.callee)) is not None
    if call.receiver is not None and _is_own(function, call.receiver) and not callee.records:
        return False
    if python_use.kind_of(function, function.program.types.of(node.callee.base, function)):
        return False  # a module, a class: they hold the lock where they end it
    return _KEEPS.match(node.callee.name) is not None
