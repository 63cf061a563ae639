"""A thread that holds the GIL waits for one that needs it.

## What it reports

- `join`, while the GIL is held, of a thread whose function acquires the GIL, uses Python or calls a Python callable
- the destructor of a bound class that does so
- a wait for a future or a condition that the function did not create, in a function bound without a guard that releases
  the GIL or listed in a method table of C
- there, calls of libraries that return only when a server or another thread has answered (`PQexec`, `rd_kafka_destroy`,
  `sem_wait`), and loops that sleep or yield until something has happened

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
case.cc:7: error: `worker.join` waits for a thread that needs the GIL while this thread holds it: both wait forever
  help: release the GIL during the wait: `py::gil_scoped_release release;`
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
- threads, futures and the work of a local pool that never use Python
- waits with a timeout, and loops that count or compare times
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
    Class,
    Finding,
    Function,
    Program,
    Step,
    because,
    bodies,
    entrances,
    events,
    filled,
    gil,
    places,
    python_use,
    records,
    rule,
    signatures,
    stored_calls,
    text,
    types,
)
from ownlint_rules.gil import _spelling as spelling

_WAITS = {"thread": ("join",), "future": ("get", "wait"), "condition variable": ("wait",)}
_DEEPEST = 3
_Chain = tuple[tuple[Function, events.CallEvent], ...]
"""Calls, each made by the function that the one before it calls."""


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
        chain: _Chain = ((function, call),)
        if not waits:
            found = _wait_in(function, call, 0)
            if found is None:
                continue
            waits, chain = found
        inside = chain[-1]
        steps = [entry.at] if entry is not None else []
        if inside[0] is not function:
            steps.append(inside[0].step(inside[1], f"`{_said(inside[1])}` waits here"))
        needed = _needs(inside[0], inside[1], waits)
        if needed is not None:
            yield function.finding(
                call,
                f"`{_said(call)}` waits for a thread that needs the GIL while this thread holds it: both wait forever",
                help=f"release the GIL during the wait: {spelling.release(function.program, function.file)}",
                steps=(*steps, needed),
            )
            return
        if waits != "thread" and entry is not None and not _is_made_here(*inside) and not _is_for_own_work(chain):
            yield function.finding(
                call,
                f"`{_said(call)}` waits while holding the GIL",
                certainty=because("unread-code", "harmless if what it waits for never needs the GIL"),
                help=f"release the GIL during the wait: {spelling.release(function.program, function.file)}",
                steps=tuple(steps),
            )
            return


def _said(call: events.CallEvent) -> str:
    """The callee as it is written."""
    return text(call.node.callee)


def _waits(function: Function, call: events.CallEvent) -> str:
    """The role of what the call waits for; empty when it waits for nothing."""
    callee = call.node.callee
    if isinstance(callee, records.Name):
        return _waits_by_name(function, call, callee.text)
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


def _waits_by_name(function: Function, call: events.CallEvent, name: str) -> str:
    """Of a function of a library that waits, or pauses in a loop that waits, what that is; else empty."""
    word = function.program.models.gil_word(name, function.program.names.scopes(function))
    if word == "waits":
        return "" if call.node.args and _is_timeout(call.node.args[-1]) else "answer"
    return "answer" if word == "pauses" and _is_in_waiting_loop(function, call) else ""


def _is_timeout(value: records.Value) -> bool:
    """Whether it is a number that is written out and not negative: a time, or a flag."""
    parts = list(places.walk(value))
    return all(isinstance(part, records.Literal | records.Binary) for part in parts) and not any(
        isinstance(part, records.Literal) and not part.text[:1].isdigit() for part in parts
    )


def _is_in_waiting_loop(function: Function, call: events.CallEvent) -> bool:
    """Whether the innermost loop around goes on until something has happened, however often that is."""
    around = [one for one in function.statements if isinstance(one, records.Loop) and call.span.start in one.span]
    if not around:
        return False
    loop = max(around, key=lambda one: one.span.start)
    if loop.kind == "range" or loop.step is not None:
        return False
    return not any(
        isinstance(part, records.Binary) and part.op in ("<", ">", "<=", ">=")
        for one in function.statements
        if one.start in loop.span
        for value in bodies.values(one)
        for part in places.walk(value)
    )


def _is_spawned(function: Function, value: records.Value) -> bool:
    """A local that begins with what starts a thread: it answers with a future."""
    made = function.locals.get(value.text, ("", None))[1] if isinstance(value, records.Name) else None
    if not isinstance(made, records.Call):
        return False
    models = function.program.calls.callee(made, function).models
    return any(effect.verb == "spawn" for model in models for effect in model.effects)


def _wait_in(function: Function, call: events.CallEvent, depth: int) -> tuple[str, _Chain] | None:
    """A wait in a function of the project that the call runs, with the lock still held; the last of the chain waits."""
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
                return role, ((function, call), (target, inner))
            found = _wait_in(target, inner, depth + 1)
            if found is not None:
                return found[0], ((function, call), *found[1])
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


def _is_for_own_work(chain: _Chain) -> bool:
    """Whether the wait stands in a method of an object, such as a pool, that a function of the chain has as a local,
    and neither the threads that the object starts nor what the function gives it to do needs the GIL."""
    for (caller, call), (method, _) in zip(chain[-2::-1], chain[:0:-1], strict=True):
        if method.cls is None or call.receiver is None:
            return False
        if call.receiver == (places.THIS,):
            continue
        owner = _with_local(caller, call.receiver[0], method.cls)
        if owner is None or len(call.receiver) > 1:
            return False
        started = [one for member in method.cls.methods for one, _, _ in entrances.spawned(member)]
        given = [one for inner in (owner, *_inside(owner)) for one in _given(inner, call.receiver[0])]
        return all(one is not None and _takes(one, 0) is None for one in (*started, *given, *_inside(owner)))
    return False


def _with_local(function: Function, name: str, cls: Class) -> Function | None:
    """The function, or the one around it, that has the object itself as a local and hands it to no other."""
    around: Function | None = function
    while around is not None and name not in around.locals:
        around = around.parent
    if around is None or any(parameter.name == name for parameter in around.record.parameters):
        return None
    written = around.program.types.of(records.Name(0, 0, name), around)
    kind, found = types.parse(written), around.program.names.find_class(written, around.record.scope, around.file)
    if kind.pointers or kind.reference or found is not cls:
        return None
    lent = any(
        places.place_of(argument) == (name,)
        for one in (around, *_inside(around))
        for call in one.flow.calls
        for argument in call.node.args
    )
    return None if lent else around


def _given(function: Function, name: str) -> Iterator[Function | None]:
    """The functions that the object is given to run; None for a callable that is not seen."""
    for call in function.flow.calls:
        for argument in call.node.args if call.receiver == (name,) else ():
            if (found := entrances.meant(function, argument)) is not None:
                yield found
            elif _may_be_called(function, argument):
                yield None


def _may_be_called(function: Function, value: records.Value) -> bool:
    written = function.program.types.of(value, function)
    roles = function.program.types.roles(written, function) if written else ()
    return "callable" in roles or bool(written and python_use.kind_of(function, written))


def _inside(function: Function) -> Iterator[Function]:
    """The lambdas in a function, and those in them."""
    for inner in function.lambdas():
        yield inner
        yield from _inside(inner)


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
        framework = signatures.framework_of(binding)
        space = signatures.spelled_namespace(binding.file, framework) if framework is not None else ""
        yield binding.finding(
            binding.record,
            f"`{binding.symbol}` waits while holding the GIL",
            certainty=because("unread-code", "harmless if what it waits for never needs the GIL"),
            help=f"add `{space}call_guard<{space}gil_scoped_release>()` to the binding",
        )
