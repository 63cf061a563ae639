"""Code that uses Python runs after the interpreter was finalized.

## What it reports

- a function or lambda that is registered with C's `atexit` or `Py_AtExit` and uses Python or acquires the GIL without
  checking for an interpreter
- the destructor of a class with a static object that does so

## Why it is a bug

These run after Python has finalized. Acquiring the GIL then blocks forever or terminates the thread; every other call
uses freed interpreter state.

## Example

bad:

```cpp
namespace py = pybind11;
struct Session {
  ~Session() {
    py::gil_scoped_acquire gil;
    py::print("closed");
  }
};
static Session session;
```

```text
case.cc:4: error: the GIL is acquired by `~Session` after the interpreter was finalized
  help: check `Py_IsInitialized()` first and do nothing if it returns 0
```

good:

```cpp
namespace py = pybind11;
struct Session {
  ~Session() {
    if (!Py_IsInitialized()) return;
    py::gil_scoped_acquire gil;
    py::print("closed");
  }
};
static Session session;
```

## How to fix it

Return early if `Py_IsInitialized()` is 0 (nanobind: `nb::is_alive()`), or register with Python's own `atexit` module.

## What it does not report

- functions that check for an interpreter, themselves or in a helper
- handlers of Python's `atexit` module
- pointers that are never deleted
- classes without a static object

## Known limitations

- An object that a static owns through a pointer is not known.
- Any check for an interpreter is enough: its use is not analysed.

## Source

https://docs.python.org/3/c-api/sys.html#c.Py_AtExit: no Python API may be called; finalization hangs threads that take
the GIL.
"""

from __future__ import annotations

from collections.abc import Iterator

from ownlint import Finding, Function, Program, Step, because, entrances, gil, python_use, records, rule, types
from ownlint_rules.gil import _statics as statics

_DEEPEST = 2
"""Calls that are followed."""


@rule(severity="error", cwe=(672,), yields_to=("python-outlives-interpreter",))
def python_after_finalize(program: Program) -> Iterator[Finding]:
    said: set[Function] = set()
    for function, step in [*_handlers(program), *_destructors(program)]:
        if function in said or asks(function, 0):
            continue
        said.add(function)
        at, what = _use(function)
        if at is not None:
            yield function.finding(
                at,
                f"{what} after the interpreter was finalized",
                certainty=because("path", "harmless if the interpreter is finalized later"),
                help="check `Py_IsInitialized()` first and do nothing if it returns 0",
                steps=(step,),
            )


def _handlers(program: Program) -> Iterator[tuple[Function, Step]]:
    for function in program.functions:
        if function.language != "cpp" or not function.mentions(*_exits(program)):
            continue
        for call in function.flow.calls:
            written = call.node.callee.text if isinstance(call.node.callee, records.Name) else ""
            if written and program.models.gil_word(written) == "exits" and call.node.args:
                target = entrances.meant(function, call.node.args[0])
                if target is not None:
                    yield target, function.step(call, "registered to run at process exit here")


def _exits(program: Program) -> tuple[str, ...]:
    return tuple(name.rpartition("::")[2] for name in program.models.gil.exits)


def _destructors(program: Program) -> Iterator[tuple[Function, Step]]:
    for static in statics.statics(program):
        kind = types.parse(static.type)
        if not kind.is_value or kind.is_placeholder or not program.index.defines(kind.last):
            continue
        cls = program.names.find_class(
            program.names.expand(static.type, static.file, static.scope), static.scope, static.file
        )
        for one in cls.ancestry if cls is not None else ():
            if one.destructor is not None:
                span = static.node.span
                yield one.destructor, Step(static.file.path, span, f"`{static.name}` is destroyed at process exit")


def asks(function: Function, depth: int) -> bool:
    """Whether it asks if there is an interpreter, itself or in a helper."""
    program = function.program
    if any(name in function.mentioned for name in _last_names(program)):
        return True
    if depth < _DEEPEST:
        for call in function.flow.calls:
            if any(asks(target, depth + 1) for target in program.calls.callee(call.node, function).functions[:1]):
                return True
    return False


def _last_names(program: Program) -> set[str]:
    return {name.rpartition("::")[2] for name in program.models.gil.alive}


def _use(function: Function) -> tuple[records.Node | None, str]:
    at, what = _taking(function, 0)
    use = python_use.without_lock(function) if at is None else None
    return (at, what) if use is None else (records.Node(use.event.span.start, use.event.span.end), use.what)


def _taking(function: Function, depth: int) -> tuple[records.Node | None, str]:
    """Where it takes the lock, or calls a helper that does."""
    taken = gil.taken(function, gil.UNKNOWN) if python_use.takes(function) else None
    if taken is not None:
        return records.Node(taken.span.start, taken.span.end), f"the GIL is acquired by `{function.name}`"
    for call in function.flow.calls if depth < _DEEPEST else ():
        for target in function.program.calls.callee(call.node, function).functions[:1]:
            at, what = _taking(target, depth + 1)
            if at is not None:
                return records.Node(call.span.start, call.span.end), what
    return None, ""
