"""A Python object is destroyed while a native object stores its address.

## What it reports

- a temporary that is passed to a parameter which the binding stores without a keep-alive, or assigned to such an
  attribute
- an object that is reassigned or deleted while the object that stores its address is still used
- a local whose address is stored in an object that is returned, or that belongs to the caller

## Why it is a bug

The binding stores a pointer to the C++ part and does not keep the Python object alive. When its last reference is
dropped, the pointer dangles. For a class derived in Python, the overridden methods are gone too: C++ calls a pure
virtual function.

## Example

bad:

```cpp
#include <pybind11/pybind11.h>
namespace py = pybind11;
struct Sink { int level = 0; };
struct Bus {
  void set_sink(Sink* sink) { sink_ = sink; }
  void flush() { sink_->level = 0; }
  Sink* sink_ = nullptr;
};
PYBIND11_MODULE(wires, m) {
  py::class_<Sink>(m, "Sink").def(py::init<>());
  py::class_<Bus>(m, "Bus").def(py::init<>()).def("set_sink", &Bus::set_sink).def("flush", &Bus::flush);
}
```

```python
from wires import Bus, Sink

def run():
    bus = Bus()
    bus.set_sink(Sink())
    bus.flush()
```

```text
case.py:5: error: `Sink()` is freed immediately, but `Bus()` stores its address
  help: store `Sink()` in a variable or attribute that lives as long as `Bus()`
```

good:

```cpp
#include <pybind11/pybind11.h>
namespace py = pybind11;
struct Sink { int level = 0; };
struct Bus {
  void set_sink(Sink* sink) { sink_ = sink; }
  void flush() { sink_->level = 0; }
  Sink* sink_ = nullptr;
};
PYBIND11_MODULE(wires, m) {
  py::class_<Sink>(m, "Sink").def(py::init<>());
  py::class_<Bus>(m, "Bus").def(py::init<>()).def("set_sink", &Bus::set_sink).def("flush", &Bus::flush);
}
```

```python
from wires import Bus, Sink

def run():
    bus = Bus()
    sink = Sink()
    bus.set_sink(sink)
    bus.flush()
```

## How to fix it

Store the object in a variable or attribute that lives as long as the object that stores its address, or fix the binding
(`keep_alive`).

## What it does not report

- arguments that the binding keeps alive (a keep-alive, a shared pointer)
- objects that a variable, an attribute or a container holds for long enough, or that were passed to an unknown call
- holders from which something is removed again (`remove_sink`, `close`)
- setters that are called again

## Known limitations

- Pointers that a helper of the project stores are not tracked.
- Which member stores a pointer is known from the project's own bindings and from contracts of packages (`ownlint model
  extract`).

## Source

pybind11 3.1 and nanobind 3.1, run: a constructor, a setter and a writable field of a raw pointer without a keep-alive
leave it dangling.
"""

from __future__ import annotations

from collections.abc import Iterator

from ownlint import Finding, Function, border, handles, rule


@rule(severity="error", cwe=(416,), languages=("python",))
def stored_argument_dropped(function: Function) -> Iterator[Finding]:
    for misuse in border.of(function.program).misuses_in(function):
        if (stored := misuse.stored) is not None:
            yield function.finding(
                misuse.at,
                _message(misuse),
                certainty=misuse.certainty,
                help=f"store `{stored.shown}` in a variable or attribute that lives as long as `{stored.by}`",
                steps=border.misuse_steps(misuse),
            )


def _message(misuse: handles.HandleMisuse) -> str:
    stored = misuse.stored
    assert stored is not None
    holder = f"`{stored.by}` stores its address"
    half = f": the methods of `{stored.derived}` are lost with it" if stored.derived else ""
    match misuse.kind:
        case "drop":
            return f"`{stored.shown}` is freed immediately, but {holder}{half}"
        case "return":
            return f"`{stored.shown}` is freed when the function returns, but {holder}{half}"
    return f"`{stored.by}` is used after `{stored.shown}`, whose address it stores, was freed{half}"
