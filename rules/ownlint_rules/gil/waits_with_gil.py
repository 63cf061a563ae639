"""A thread that holds the GIL waits for one that needs it.

## What it reports

- `join`, while the GIL is held, of a thread whose function acquires the GIL, uses Python or calls a Python callable
- the destructor of a bound class that does so
- a wait for a future or a condition that the function did not create, in a function bound without a guard that releases
  the GIL

## Why it is a bug

A thread that waits while it holds the GIL stops every other thread that wants to run Python. If the awaited thread
needs the GIL, both wait forever.

## Example

bad:

```cpp
namespace py = pybind11;
void RunAll(const py::function& report) {
  std::thread worker([&] {
    py::gil_scoped_acquire gil;
    report(1);
  });
  worker.join();
}
PYBIND11_MODULE(jobs, m) { m.def("run_all", &RunAll); }
```

```text
case.cc:7: error: `worker.join` waits while holding the GIL for a thread that needs the GIL
  help: release the GIL during the wait
```

good:

```cpp
namespace py = pybind11;
void RunAll(const py::function& report) {
  std::thread worker([&] {
    py::gil_scoped_acquire gil;
    report(1);
  });
  py::gil_scoped_release nogil;
  worker.join();
}
PYBIND11_MODULE(jobs, m) { m.def("run_all", &RunAll); }
```

## How to fix it

Release the GIL during the wait: `py::gil_scoped_release` in a block around it, or
`py::call_guard<py::gil_scoped_release>()` on the binding.

## What it does not report

- waits after a release, or in a function bound with a releasing guard
- threads and futures created here that never use Python
- waits with a timeout
- functions of which it is not known whether they hold the GIL

## Known limitations

- Destructors of futures and of threads that join by themselves are not considered.
- Joins of other libraries' thread pools are not considered.

## Source

pybind11's and nanobind's documentation of the GIL; not run here.
"""

from __future__ import annotations

from collections.abc import Iterator

from ownlint import (
    Binding,
    Finding,
    Function,
    Program,
    Step,
    because,
    entrances,
    events,
    filled,
    gil,
    places,
    python_use,
    records,
    rule,
    stored_calls,
    text,
    types,
)

_WAITS = {"thread": ("join",), "future": ("get", "wait"), "condition variable": ("wait",)}
_DEEPEST = 3


@rule(severity="error", cwe=(833,))
def waits_with_gil(program: Program) -> Iterator[Finding]:
    for function in program.functions:
        if function.language == "cpp":
            yield from _in_function(function)
    for binding in program.bindings:
        yield from _bound(binding)


def _in_function(function: Function) -> Iterator[Finding]:
    entry = entrances.held(function)
    if entry is None and not python_use.takes(function):
        return
    states = gil.states(function, entrances.entry(function))
    for call in function.flow.calls:
        state = states.get(call.index)
        if state is None or state.status != "held":
            continue
        waits = _waits(function, call)
        inside = (function, call)
        if not waits:
            found = _wait_in(function, call, 0)
            if found is None:
                continue
            waits, inside = found
        steps = [entry.at] if entry is not None else []
        if inside[0] is not function:
            steps.append(inside[0].step(inside[1], f"`{_said(inside[1])}` waits here"))
        needed = _needs(inside[0], inside[1], waits)
        if needed is not None:
            yield function.finding(
                call,
                f"`{_said(call)}` waits while holding the GIL for a thread that needs the GIL",
                help="release the GIL during the wait",
                steps=(*steps, needed),
            )
            return
        if waits != "thread" and entry is not None and not _is_made_here(inside[0], inside[1]):
            yield function.finding(
                call,
                f"`{_said(call)}` waits while holding the GIL",
                certainty=because("unread-code", "harmless if what it waits for never needs the GIL"),
                help="release the GIL during the wait",
                steps=tuple(steps),
            )
            return


def _said(call: events.CallEvent) -> str:
    """The callee as it is written."""
    return text(call.node.callee)


def _waits(function: Function, call: events.CallEvent) -> str:
    """The role of what the call waits for; empty when it waits for nothing."""
    callee = call.node.callee
    if not isinstance(callee, records.Member):
        return ""
    for role, names in _WAITS.items():
        if callee.name in names:
            written = function.program.types.of(callee.base, function)
            kind = types.parse(written)
            if role in function.program.types.roles(kind.name, function):
                return role
            if role == "future" and not written and _is_spawned(function, callee.base):
                return role
    return ""


def _is_spawned(function: Function, value: records.Value) -> bool:
    """A local that begins with what starts a thread: it answers with a future."""
    made = function.locals.get(value.text, ("", None))[1] if isinstance(value, records.Name) else None
    if not isinstance(made, records.Call):
        return False
    models = function.program.calls.callee(made, function).models
    return any(effect.verb == "spawn" for model in models for effect in model.effects)


def _wait_in(
    function: Function, call: events.CallEvent, depth: int
) -> tuple[str, tuple[Function, events.CallEvent]] | None:
    """A wait in a function of the project that the call runs, with the lock still held."""
    callee = function.program.calls.callee(call.node, function)
    if depth >= _DEEPEST or callee.certainty != "certain":
        return None
    for target in callee.functions[:1]:
        if target.record.kind == "lambda" and entrances.guarded(target) is not None:
            return None
        states = gil.states(target, gil.HELD)
        for inner in target.flow.calls:
            state = states.get(inner.index)
            if state is None or state.status != "held":
                continue
            role = _waits(target, inner)
            if role:
                return role, (target, inner)
            found = _wait_in(target, inner, depth + 1)
            if found is not None:
                return found
    return None


# --- the other side --------------------------------------------------------------------------------


def _needs(function: Function, call: events.CallEvent, role: str) -> Step | None:
    """Where a thread that is waited for takes the lock."""
    if role == "condition variable":
        return None
    around = [function]
    if call.receiver is not None and call.receiver[0] == places.THIS and function.home is not None:
        around = list(function.home.methods)
    for one in around:
        for started, _, _ in entrances.spawned(one):
            step = _takes(started, 0)
            if step is not None:
                return step
    return None


def _takes(function: Function, depth: int) -> Step | None:
    if python_use.takes(function):
        return function.step(gil.taken(function, gil.RELEASED) or function.record, "this thread needs the GIL")
    use = python_use.without_lock(function)
    if use is not None:
        return function.step(use.event, "this thread needs the GIL")
    for call in function.flow.calls:
        if _is_from_python(function, call):
            return function.step(call, "calls a Python callable, which needs the GIL")
        callee = function.program.calls.callee(call.node, function)
        if depth < _DEEPEST and callee.certainty == "certain":
            for target in callee.functions[:1]:
                found = _takes(target, depth + 1)
                if found is not None:
                    return found
    return None


def _is_from_python(function: Function, call: events.CallEvent) -> bool:
    """A callable that a bound function was given, or put into a member: the framework made it of Python's."""
    callee, current, program = call.node.callee, function.parent, function.program
    if stored_calls.stored_calls(program).holder(function, callee) in filled.members(program):
        return True
    if not isinstance(callee, records.Name):
        return False
    while current is not None:
        for parameter in current.record.parameters:
            if parameter.name == callee.text and entrances.held(current) is not None:
                kind = types.parse(parameter.type)
                return "callable" in current.program.types.roles(kind.name, current)
        current = current.parent
    return False


def _is_made_here(function: Function, call: events.CallEvent) -> bool:
    """Whether the function itself starts what it waits for."""
    if call.receiver is None or call.receiver[0] == places.THIS:
        return False
    name = call.receiver[0]
    if any(parameter.name == name for parameter in function.record.parameters):
        return False
    return name in function.locals and any(True for _ in entrances.spawned(function))


def _bound(binding: Binding) -> Iterator[Finding]:
    """`.def("wait", &Future::wait)`: a wait that is bound as it is."""
    value = binding.record.callable
    if not isinstance(value, records.Unary) or not isinstance(value.value, records.Name):
        return
    owner, _, name = value.value.text.rpartition("::")
    if name not in _WAITS["future"] or not owner or entrances.releasing(binding) is not None:
        return
    program, scope = binding.program, binding.around.record.scope if binding.around is not None else ""
    meant = types.parse(program.names.expand(owner, binding.file, scope, binding.record.start)).name
    if "future" in program.types.roles_at(meant, binding.file, scope):
        yield binding.finding(
            binding.record,
            f"`{binding.symbol}` waits while holding the GIL",
            certainty=because("unread-code", "harmless if what it waits for never needs the GIL"),
            help="add `call_guard<gil_scoped_release>()` to the binding",
        )
