"""A borrowed part of a native object is used after a call that moves or frees it.

## What it reports

- an element or an owned part of a native object that is used, returned or stored after a member that changes the
  container or frees the part was called on its owner
- the same in the next iteration of a loop
- an element of a `bind_vector` of pybind11 that is used after `append`, `clear` or `del`

## Why it is a bug

The binding returns the element in place. That keeps its owner alive, but not the element: when the container grows or
is cleared, the Python object points into freed memory.

## Example

bad:

```cpp
#include <pybind11/pybind11.h>
#include <vector>
namespace py = pybind11;
struct Point { double x = 0; };
struct Line {
  Point& at(int i) { return points_[i]; }
  void add(Point point) { points_.push_back(point); }
  std::vector<Point> points_;
};
PYBIND11_MODULE(shapes, m) {
  py::class_<Point>(m, "Point").def(py::init<>()).def_readwrite("x", &Point::x);
  py::class_<Line>(m, "Line")
      .def(py::init<>())
      .def("at", &Line::at, py::return_value_policy::reference_internal)
      .def("add", &Line::add);
}
```

```python
from shapes import Line, Point

def widen(line: Line):
    first = line.at(0)
    line.add(Point())
    first.x = 2.0
```

```text
case.py:6: error: `first` is used after `line.add(Point())`, which moves or frees it
  help: get it from `line` again after the call, or copy it first
```

good:

```cpp
#include <pybind11/pybind11.h>
#include <vector>
namespace py = pybind11;
struct Point { double x = 0; };
struct Line {
  Point& at(int i) { return points_[i]; }
  void add(Point point) { points_.push_back(point); }
  std::vector<Point> points_;
};
PYBIND11_MODULE(shapes, m) {
  py::class_<Point>(m, "Point").def(py::init<>()).def_readwrite("x", &Point::x);
  py::class_<Line>(m, "Line")
      .def(py::init<>())
      .def("at", &Line::at, py::return_value_policy::reference_internal)
      .def("add", &Line::add);
}
```

```python
from shapes import Line, Point

def widen(line: Line):
    line.add(Point())
    first = line.at(0)
    first.x = 2.0
```

## How to fix it

Get the element from its owner again after the call, or copy it first.

## What it does not report

- elements that are obtained again, and plain data
- containers whose elements do not move (`bind_map`)
- elements of a `bind_vector` of nanobind, which are copies
- members that do not change the container, and objects of unknown class

## Known limitations

- A native iterator in a `for` whose body changes the container is not reported.
- Whether a container really moves its elements depends on its capacity.
- Changes by a helper that is not a plain call, or through another name of the same container, are not tracked.

## Source

nanobind f91100bb, where `bind_vector` came to copy its elements for this reason; Open3D cfabbb7a7, likewise.
"""

from __future__ import annotations

from collections.abc import Iterator

from ownlint import Finding, Function, border, rule


@rule(severity="error", cwe=(416,), languages=("python",))
def part_used_after_change(function: Function) -> Iterator[Finding]:
    known = border.of(function.program)
    for misuse in known.misuses_in(function):
        stale = misuse.stale
        if stale is None or misuse.about != "outdated" or known.role(misuse.child.cls) == "view":
            continue
        done = {"return": "is returned", "store": "is stored"}.get(misuse.kind, "is used")
        yield function.finding(
            misuse.at,
            f"{misuse.what} {done} after `{stale.call}`, which moves or frees it",
            certainty=misuse.certainty,
            help=f"get it from `{stale.target}` again after the call, or copy it first",
            steps=border.misuse_steps(misuse),
        )
