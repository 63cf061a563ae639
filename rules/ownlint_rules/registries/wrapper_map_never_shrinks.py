"""A map from C++ addresses to Python objects never loses an entry.

## What it reports

- a map of a Python object, handle or weak reference by `void*`, by a pointer to a bound class or by the number of an
  address, that something is put into and looked up in, and that nothing in the project takes entries out of.

## Why it is a bug

A binding that keeps the Python object of each C++ object in a map, by address, has to take it out when the C++ object
ends. Otherwise the next object that is made at the same address is handed to Python as the old one: with its state, its
class, and everything that was hung on it.

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

Erase the entry from `wrappers` when the C++ object is destroyed.

## What it does not report

- maps with an `erase`, `clear`, `extract` or `swap` somewhere, maps that are handed to a function, maps by name, by
  type or by a pointer to what is not bound, maps that nobody searches.

## Known limitations

- maps are told apart by their last names. That objects whose addresses are keys live as long as the program is not
  known. Whether the removal runs in every case is the matter of `registry-entry-left-behind`.

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
