"""A map from C++ addresses to Python objects never loses an entry.

## What it reports

- a map from the address of a C++ object to a Python object, handle or weak reference, which the project fills and
  searches but never erases from

## Why it is a bug

When the C++ object is destroyed and its entry stays, the next object at the same address is returned to Python as the
old one, with its state and its class.

## Example

bad:

```cpp
#include <pybind11/pybind11.h>
namespace py = pybind11;
struct Node {};
static std::unordered_map<void*, py::object> wrappers;
py::object wrap(Node* node) {
  auto found = wrappers.find(node);
  if (found != wrappers.end()) return found->second;
  py::object made = py::cast(node, py::return_value_policy::reference);
  wrappers[node] = made;
  return made;
}
```

```text
case.cc:9: warning: `wrappers` maps the address of a C++ object to a Python object, but its entries are never erased
  help: erase the entry from `wrappers` when the C++ object is destroyed
```

good:

```cpp
#include <pybind11/pybind11.h>
namespace py = pybind11;
struct Node {};
static std::unordered_map<void*, py::object> wrappers;
py::object wrap(Node* node) {
  auto found = wrappers.find(node);
  if (found != wrappers.end()) return found->second;
  py::object made = py::cast(node, py::return_value_policy::reference);
  wrappers[node] = made;
  return made;
}
void ended(Node* node) { wrappers.erase(node); }
```

## How to fix it

Erase the entry when the C++ object is destroyed.

## What it does not report

- maps with an `erase`, `clear`, `extract` or `swap` somewhere
- maps that are passed to a function
- maps by name, by type or by a pointer to a class that is not bound and that no owner of the project ends
- maps that are never searched

## Known limitations

- Maps are distinguished by their last names.
- It is not known that objects whose addresses are keys live as long as the program.
- Whether an entry is erased in every case is reported by `registry-entry-left-behind`.

## Source

nanobind pull request 889, where a stale entry of this kind was seen in production; MLIR's `liveOperations`.
"""

from __future__ import annotations

from collections.abc import Iterator

from ownlint import Finding, Function, because, rule
from ownlint_rules.registries import _wrapper_maps as wrapper_maps


@rule(severity="warning", cwe=(401,))
def wrapper_map_never_shrinks(function: Function) -> Iterator[Finding]:
    if function.language != "cpp":
        return
    told: set[str] = set()
    for event, name in wrapper_maps.kept_by_address(function):
        if name not in told:
            told.add(name)
            yield function.finding(
                event.span,
                f"`{name}` maps the address of a C++ object to a Python object, but its entries are never erased",
                certainty=because("unread-code", "code that was not analysed could erase entries"),
                help=f"erase the entry from `{name}` when the C++ object is destroyed",
            )
