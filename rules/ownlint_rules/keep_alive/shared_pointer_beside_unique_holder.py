"""A class with a unique holder is returned or taken as a shared pointer.

## What it reports

- a result, a field or an argument that is a `std::shared_ptr` of a class bound without a holder or with a unique
  pointer
- a container of such pointers
- both only with pybind11 before version 3

## Why it is a bug

Before version 3, pybind11 stores each object in the holder that `class_` names, by default a unique pointer. A returned
shared pointer is then treated as a unique one: two owners delete the object. A function that takes one raises.

## Example

bad:

```cpp
struct Node {};
class Graph {
 public:
  std::shared_ptr<Node> root() const;
};
PYBIND11_MODULE(graphs, m) {
  py::class_<Node>(m, "Node");
  py::class_<Graph>(m, "Graph").def("root", &Graph::root);
}
```

```text
case.cc:8: error: `Graph.root` returns a `std::shared_ptr` of `Node`, whose holder is a unique pointer
  help: declare it as the holder: `class_<Node, std::shared_ptr<Node>>`
```

good:

```cpp
struct Node {};
class Graph {
 public:
  std::shared_ptr<Node> root() const;
};
PYBIND11_MODULE(graphs, m) {
  py::class_<Node, std::shared_ptr<Node>>(m, "Node");
  py::class_<Graph>(m, "Graph").def("root", &Graph::root);
}
```

## How to fix it

Name the shared pointer as the holder: `py::class_<T, std::shared_ptr<T>>`.

## What it does not report

- shared or reference-counted holders
- classes that are not bound
- nanobind, and pybind11 3 and later

## Known limitations

- The version is taken from the build's requirements or from bundled headers; if it is not known, findings are `likely`.
- A class that is bound in another project is not known.

## Source

run on pybind11 2.13.6 (double free; `RuntimeError: Unable to load a custom holder type from a default-holder
instance`), 3.1.0 and nanobind 3.1.0 (safe).
"""

from __future__ import annotations

from collections.abc import Iterator

from ownlint import Binding, Finding, holding, rule


@rule(severity="error", cwe=(415,))
def shared_pointer_beside_unique_holder(binding: Binding) -> Iterator[Finding]:
    mismatch = holding.mismatch(binding)
    if mismatch is None:
        return
    does = "returns" if mismatch.returned else "takes"
    yield binding.finding(
        binding.record,
        f"`{binding.symbol}` {does} a `{mismatch.pointer}` of `{mismatch.name}`, whose holder is a unique pointer",
        certainty=mismatch.certainty,
        help=f"declare it as the holder: `class_<{mismatch.name}, {mismatch.pointer}<{mismatch.name}>>`",
        steps=(mismatch.at,),
    )
