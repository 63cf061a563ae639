"""A binding returns a reference to an element that Python code can remove.

`reference_internal` keeps the object alive, not the element: when the class also binds what appends to the container or
erases from it, the elements move or die while Python still holds a reference to one of them.

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

Reported: a binding that hands out a reference or a pointer to an element of a container that is a field of the object,
by value in the container, while another member of the same Python class appends to that field, erases from it, clears
or resizes it; or while the member itself does so, and ends with each call what the one before handed out.

Quiet: containers whose elements stay where they are, elements behind smart pointers, copies, containers that no bound
member changes.

Limits: members whose bodies nobody shows are not known to change anything; neither is a field that is set from outside.
A member that is no container and is written anew by each call keeps its address, and is not reported. That a
`std::deque` which grows at its ends leaves the elements where they are is not known.

Source: nanobind made `bind_vector` and `bind_map` copy for this reason (commit f91100bb); Open3D likewise (cfabbb7a7).
"""

from __future__ import annotations

from collections.abc import Iterator

from ownlint import Binding, Finding, because, elements, rule


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
        change = elements.changes(sibling, lent.cls, lent.field)
        if change is None:
            continue
        who = f"`{sibling.symbol}`" if sibling is not binding else "its next call"
        yield binding.finding(
            binding.record,
            f"`{binding.symbol}` returns a reference to an element of `{lent.field}`, which {who} moves or destroys",
            certainty=because("caller", f"whether a reference is still in use when {who} runs depends on the caller"),
            help="return a copy, or store the elements in shared pointers",
            steps=(lent.at, sibling.step(sibling.record, f"`{lent.field}` is modified here"), change),
        )
        return
