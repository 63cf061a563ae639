"""A binding returns a reference to an element that Python code can remove.

## What it reports

- a binding that returns a reference or a pointer to an element of a container field, while another member of the same
  Python class appends to that field, erases from it, clears or resizes it
- the same of an element of a map, and of what a smart pointer in the container owns, where another member erases it
- a member that changes the container itself, so that each call invalidates the previous result

## Why it is a bug

`reference_internal` keeps the object alive, not the element. If Python code then modifies the container, its elements
move or are destroyed, and the reference points into freed memory.

## Example

bad:

```cpp
struct Point {};
class Path {
 public:
  Point& at(int index) { return points_[index]; }
  void append(const Point& point) { points_.push_back(point); }
 private:
  std::vector<Point> points_;
};
PYBIND11_MODULE(paths, m) {
  py::class_<Point>(m, "Point");
  py::class_<Path>(m, "Path")
      .def("at", &Path::at, py::return_value_policy::reference_internal)
      .def("append", &Path::append);
}
```

```text
case.cc:12: warning: `Path.at` returns a reference to an element of `points_`: it dangles after `Path.append` moves or
    destroys the element
  help: use `py::return_value_policy::copy`, if changes of the copy need not reach the element, or store the elements as
    `std::shared_ptr`
```

good:

```cpp
struct Point {};
class Path {
 public:
  Point& at(int index) { return points_[index]; }
  void append(const Point& point) { points_.push_back(point); }
 private:
  std::vector<Point> points_;
};
PYBIND11_MODULE(paths, m) {
  py::class_<Point>(m, "Point");
  py::class_<Path>(m, "Path")
      .def("at", &Path::at, py::return_value_policy::copy)
      .def("append", &Path::append);
}
```

## How to fix it

Return a copy of the element, or store the elements in `std::shared_ptr`.

## What it does not report

- containers whose elements do not move (`std::map`, `std::list`) and are not erased
- elements in smart pointers that nothing erases, and copies
- containers that no bound member changes

## Known limitations

- Members whose bodies are not found are assumed to change nothing, as is a field that is set from outside.
- A member that is not a container and is reassigned by each call keeps its address and is not reported.
- A project's own container is assumed to move its elements when it grows.

## Source

nanobind made `bind_vector` and `bind_map` copy for this reason (commit f91100bb); Open3D likewise (cfabbb7a7).
"""

from __future__ import annotations

from collections.abc import Iterator

from ownlint import Binding, Finding, because, elements, rule, signatures


@rule(
    severity="warning",
    cwe=(416,),
    yields_to=("borrow-without-keep-alive", "python-deletes-borrowed-pointer"),
)
def element_reference_outlives_element(binding: Binding) -> Iterator[Finding]:
    lent = elements.lent_element(binding)
    if lent is None:
        return
    for sibling in (*binding.siblings, binding):
        change = elements.changes(sibling, lent)
        if change is None:
            continue
        who = f"`{sibling.symbol}`" if sibling is not binding else "the next call"
        does = "destroys the element" if lent.stays else "moves or destroys the element"
        policy = signatures.spelled_policy(binding, "copy")
        by_value = f"use `{policy}`, if changes of the copy need not reach the element" if policy else "return a copy"
        yield binding.finding(
            binding.record,
            f"`{binding.symbol}` returns a reference to an element of `{lent.field}`: it dangles after {who} {does}",
            certainty=because("caller", f"whether a reference is still in use when {who} runs depends on the caller"),
            help=f"{by_value}, or store the elements as `std::shared_ptr`",
            steps=(
                lent.at,
                *((sibling.step(sibling.record, f"{who} is bound here"),) if sibling is not binding else ()),
                change,
            ),
        )
        return
