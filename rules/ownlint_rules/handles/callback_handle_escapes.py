"""A handle that is valid only during a callback is passed to Python, which may keep it.

## What it reports

- a callback (a captureless lambda, a free function or a static method with a `void*` state, or whose address is passed
  to a function that the project does not define) that wraps one of its parameters in a bound class, or an element of an
  array of handles, and passes the wrapper to Python code
- a callback that stores such a wrapper in the object that its state points to

## Why it is a bug

A C library calls back with a handle that is valid only during the call: a diagnostic, a pass, a rewriter. The callback
wraps it and calls Python. Python code may keep the wrapper; its next use dereferences a handle that was freed.

## Example

bad:

```cpp
namespace py = pybind11;

class PyEvent {
 public:
  explicit PyEvent(EventHandle event) : event_(event) {}
 private:
  EventHandle event_;
};

void listen(py::function f) {
  subscribe([](EventHandle event, void* user) {
    py::handle f(static_cast<PyObject*>(user));
    f(PyEvent(event));
  }, f.ptr());
}

void bind(py::module_ m) { py::class_<PyEvent>(m, "Event"); }
```

```text
case.cc:13: error: `event` is valid only during this callback, but the `PyEvent` that wraps it may be kept
  help: invalidate the wrapper when the callback returns (a flag that its methods check), or pass a copy
```

good:

```cpp
namespace py = pybind11;

class PyEvent {
 public:
  explicit PyEvent(EventHandle event) : event_(event) {}
  void invalidate() { valid_ = false; }
 private:
  EventHandle event_;
  bool valid_ = true;
};

void listen(py::function f) {
  subscribe([](EventHandle event, void* user) {
    py::handle f(static_cast<PyObject*>(user));
    PyEvent* wrapped = new PyEvent(event);
    f(py::cast(wrapped, py::return_value_policy::take_ownership));
    wrapped->invalidate();
  }, f.ptr());
}

void bind(py::module_ m) { py::class_<PyEvent>(m, "Event"); }
```

## How to fix it

Give the wrapper a flag that its methods check, and clear it when the callback returns, or pass Python a copy of the
data.

## What it does not report

- a wrapper that is invalidated afterwards (a method of it is called, a field is written, a guard or a cleanup receives
  it)
- wrappers that copy
- handles of a type that some class stores together with a reference to its owner, since these live longer
- functions that the project itself calls; with the default `--certainty`, wrappers without a binding

## Known limitations

- Calls through the C API of Python are not analysed, nor are handles that Python receives without a wrapper.

## Source

MLIR's Python bindings: diagnostics are invalidated when their handler returns; external passes, pattern rewriters and
PDL result lists are not.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from ownlint import (
    Class,
    Finding,
    Function,
    Program,
    Span,
    assignments,
    because,
    callbacks,
    events,
    glance,
    keeping,
    places,
    questions,
    records,
    rule,
    steps,
    text,
    types,
)

_PYTHON = frozenset({"python object", "python handle"})
_DEEPEST = 5


class _Wrapper(NamedTuple):
    """An object that keeps a parameter; `names` are the locals through which it can still be reached."""

    cls: Class
    given: records.Value
    parameter: str
    names: frozenset[str]


@rule(severity="error", cwe=(416,))
def callback_handle_escapes(function: Function) -> Iterator[Finding]:
    data = callbacks.user_data(function)
    if not data and not callbacks.can_be_pointer(function):
        return
    handles = {p.name: p for p in callbacks.handles(function) if glance.says(function, p.name)}
    if not handles:
        return
    seen: set[str] = set()
    for call in function.flow.calls:
        if call.index not in function.flow.reachable or not _escapes(function, call, data):
            continue
        for wrapper in _wrappers(function, call, handles):
            handle = handles[wrapper.parameter]
            last = types.parse(function.program.names.expand(handle.type, function.file, function.record.scope)).last
            if wrapper.parameter in seen and not wrapper.names:
                continue
            if not data and not callbacks.is_set(function):
                return
            if _is_told(function, call, wrapper) or _outlives(function, handle, last):
                continue
            if _is_called(function):
                return
            seen.add(wrapper.parameter)
            yield _found(function, call, wrapper)


def _found(function: Function, call: events.CallEvent, wrapper: _Wrapper) -> Finding:
    bound = wrapper.cls.name in function.program.names.bound_types
    return function.finding(
        call,
        f"`{text(wrapper.given)}` is valid only during this callback, but the `{wrapper.cls.name}` that "
        "wraps it may be kept",
        certainty=because("caller", f"whether the `{wrapper.cls.name}` is kept depends on the callee")
        if bound
        else because("possible", f"no binding of `{wrapper.cls.name}` was found"),
        help="invalidate the wrapper when the callback returns (a flag that its methods check), or pass a copy",
        steps=(function.step(wrapper.given, f"wrapped in a `{wrapper.cls.name}` here", "borrows"),),
    )


def _is_called(function: Function) -> bool:
    """Whether the project calls it by itself: then its arguments live as the caller says."""
    return function.record.kind != "lambda" and function in _calls(function.program).of(function.name)


class _Calls:
    """Which functions the calls of a program reach."""

    def __init__(self, program: Program) -> None:
        self.program = program
        self._of: questions.Answers[str, frozenset[Function]] = questions.Answers()

    def of(self, name: str) -> frozenset[Function]:
        """Those that are called by this name."""
        return self._of.ask(name, lambda: frozenset(self._reached(name)))

    def _reached(self, name: str) -> Iterator[Function]:
        for caller in self.program.index.callers_by_name(name):
            for call in caller.flow.calls:
                if places.last_name(call.node.callee) == name:
                    steps.spend()
                    yield from self.program.calls.callee(call.node, caller).functions


@questions.program_question
def _calls(program: Program) -> _Calls:
    """The calls of a program; one object a program, since its answers are remembered."""
    return _Calls(program)


def _outlives(function: Function, handle: records.Parameter, last: str) -> bool:
    return callbacks.is_held_with_owner(function, last) or callbacks.is_held_with_owner(
        function, types.parse(handle.type).last
    )


# --- ways out -----------------------------------------------------------------------------------------


def _escapes(function: Function, call: events.CallEvent, data: str) -> bool:
    """Whether what the call is given can be kept: Python is called, or something outside is added to."""
    node = call.node
    if node.kind != "call" or not node.args:
        return False
    if _is_python(function, node.callee):
        return True
    on = places.receiver(node)
    if on is None:
        return False
    if _is_python(function, on):
        return True
    return places.last_name(node.callee) in function.program.models.containers.puts and _is_outside(function, on, data)


def _is_python(function: Function, value: records.Value) -> bool:
    inner = places.strip(value)
    if isinstance(inner, records.Call) and isinstance(inner.callee, records.Member):
        written = function.program.types.of(inner, function)
        if not written:  # `f.attr("g")`
            return _is_python(function, inner.callee.base)
    else:
        written = function.program.types.of(value, function)
        if not written and isinstance(inner, records.Call) and isinstance(inner.callee, records.Name):
            written = inner.callee.text  # `handle(pointer)` is spelled like a call
    return bool(written) and not _PYTHON.isdisjoint(function.program.types.roles(written.rstrip(" &*"), function))


def _is_outside(function: Function, value: records.Value, data: str) -> bool:
    """Whether it is reached through the callback's state, or is no local at all."""
    where = assignments.place(function, value)
    if where is None:
        return False
    if where[0] == data or not function.is_local(where):
        return True
    initial = function.locals.get(where[0], ("", None))[1]
    return data in places.names_in(initial)


# --- wrappers -----------------------------------------------------------------------------------------


def _wrappers(function: Function, call: events.CallEvent, handles: dict[str, records.Parameter]) -> Iterator[_Wrapper]:
    for argument in call.node.args:
        found = _wrapper(function, argument, handles)
        if found is not None:
            yield found


def _wrapper(
    function: Function, value: records.Value | None, handles: dict[str, records.Parameter], depth: int = 0
) -> _Wrapper | None:
    """What an argument is made of, through casts, locals and owners."""
    inner = places.strip(value)
    if inner is None or depth > _DEEPEST:
        return None
    match inner:
        case records.Name(text=name) if name in function.locals and name not in handles:
            written, initial = function.locals[name]
            if places.strip(initial) == inner:
                return None
            found = _made_as(function, written, initial, handles) or _wrapper(function, initial, handles, depth + 1)
            return found._replace(names=found.names | {name}) if found is not None else None
        case records.Member(base=records.Name(text=name), name=field) if (
            name in function.locals and name not in handles
        ):
            return _in_member(function, name, field, handles, depth + 1)
        case records.Unary(op="&" | "*", value=pointee):
            return _wrapper(function, pointee, handles, depth + 1)
        case records.Call():
            return _made(function, inner, handles) or _inside(function, inner, handles, depth)
    return None


def _in_member(
    function: Function, name: str, field: str, handles: dict[str, records.Parameter], depth: int
) -> _Wrapper | None:
    """The same in a member of a local, as its constructor fills it. One that does something when it ends may be there
    to invalidate the wrapper."""
    written, initial = function.locals[name]
    kind = types.parse(written)
    cls = function.program.names.find_class(kind.name, function.record.scope, function.file)
    inner = places.strip(initial)
    args = (
        inner.items if isinstance(inner, records.Aggregate) else inner.args if isinstance(inner, records.Call) else ()
    )
    if cls is None or not kind.is_value or not args or any(one.record.destructor != "implicit" for one in cls.ancestry):
        return None
    found = None
    for made in cls.constructors:
        given = dict(zip((one.name for one in made.record.parameters), args, strict=False))
        led = {one: keeping.leads_to(function, argument, handles) for one, argument in given.items()}
        inward = {one.name: one for one in made.record.parameters if led.get(one.name)}
        for begun in made.record.initializers if inward else ():
            if begun.name == field and len(begun.args) == 1:
                found = _wrapper(made, begun.args[0], inward, depth + 1)
        if found is not None:
            found = found._replace(given=given[found.parameter], parameter=led[found.parameter])
            break
    else:
        names = [one.name for one in cls.record.fields if not one.static]
        if not cls.constructors and field in names[: len(args)]:
            found = _wrapper(function, args[names.index(field)], handles, depth + 1)
    return found._replace(names=found.names | {name}) if found is not None else None


def _inside(
    function: Function, call: records.Call, handles: dict[str, records.Parameter], depth: int
) -> _Wrapper | None:
    """`cast(w)`, `std::unique_ptr<W>(w)`: the same object. A method of it answers with something else."""
    if isinstance(call.callee, records.Member):
        return _wrapper(function, call.callee.base, handles, depth + 1) if call.callee.name == "get" else None
    for argument in call.args[:1]:
        return _wrapper(function, argument, handles, depth + 1)
    return None


def _made(function: Function, call: records.Call, handles: dict[str, records.Parameter]) -> _Wrapper | None:
    cls = keeping.made_class(function, call)
    return _keeping(function, cls, call.args, handles) if cls is not None else None


def _made_as(
    function: Function, written: str, initial: records.Value | None, handles: dict[str, records.Parameter]
) -> _Wrapper | None:
    """`W w{handle}`, `W w = {handle}`, `W w = handle`."""
    kind = types.parse(written)
    if initial is None or not kind.is_value or kind.is_placeholder:
        return None
    cls = function.program.names.find_class(kind.name, function.record.scope, function.file)
    inner = places.strip(initial)
    args = inner.items if isinstance(inner, records.Aggregate) else (inner,) if inner is not None else ()
    return _keeping(function, cls, args, handles) if cls is not None else None


def _keeping(
    function: Function, cls: Class, args: tuple[records.Value, ...], handles: dict[str, records.Parameter]
) -> _Wrapper | None:
    for position, argument in enumerate(args):
        inner = argument.items[0] if isinstance(argument, records.Aggregate) and len(argument.items) == 1 else argument
        name = keeping.leads_to(function, inner, handles)
        if name and keeping.keeps_handle(cls, args, position, handles[name].type):
            return _Wrapper(cls, inner, name, frozenset())
    return None


# --- the end of the call ------------------------------------------------------------------------------


def _is_told(function: Function, call: events.CallEvent, wrapper: _Wrapper) -> bool:
    """Whether the wrapper hears that the callback is over: by a method, a write, a guard or a cleanup."""
    flow = function.flow
    for event in flow.after(call):
        match event:
            case events.CallEvent(receiver=where, node=node) if wrapper.names:
                if where is not None and where[0] in wrapper.names:
                    return True
                if any(_says(one, wrapper.names, apart=call.span) for one in node.args) and event is not call:
                    return True
            case events.CallEvent(node=node, dropped="statement") if event is not call:
                if any(_says(argument, frozenset({wrapper.parameter})) for argument in node.args):
                    return True
            case events.Write(place=where, fresh=False) if where[0] in wrapper.names:
                return True
    return any(_is_guard(function, event, wrapper) for event in flow.dominators(call))


def _is_guard(function: Function, event: events.Event, wrapper: _Wrapper) -> bool:
    """A local with an end of its own that was given the wrapper."""
    if not isinstance(event, events.Write) or not event.fresh or event.place[0] in wrapper.names:
        return False
    made = event.value
    if not isinstance(made, records.Call) or not _says(made, wrapper.names, function):
        return False
    written = function.program.types.of(made, function) or event.type
    return _PYTHON.isdisjoint(function.program.types.roles(written, function))


def _says(
    value: records.Value, names: frozenset[str], function: Function | None = None, apart: Span | None = None
) -> bool:
    """Whether it names one of these, other than in the expression that stands `apart`: that call's answer is no use."""
    for part in places.walk(value):
        if isinstance(part, records.Name) and part.text in names and (apart is None or part.start not in apart):
            return True
        if isinstance(part, records.Lambda) and function is not None:
            inner = function.program.index.function_at(function.file, part.function)
            if inner is not None and any(glance.says(inner, name) for name in names):
                return True
    return False
