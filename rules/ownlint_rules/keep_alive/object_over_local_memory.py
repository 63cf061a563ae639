"""A Python object refers to local memory that is destroyed when the function returns.

## What it reports

- a returned `memoryview`, iterator or array without an owning base over a local string, container, array or unique
  pointer
- the same over a parameter by value
- the same over the argument of a custom caster's `cast`, which may be a temporary

## Why it is a bug

These objects refer to the memory they are given. A local is destroyed when the function returns, so the object points
into freed memory before Python sees it. No `keep_alive` and no policy can help.

## Example

bad:

```cpp
py::array_t<float> Scaled(const Image& image) {
  std::vector<float> out(image.size());
  image.Scale(out);
  return py::array_t<float>(out.size(), out.data(), py::none());
}
```

```text
case.cc:4: error: the returned `array_t` points into `out`, which is destroyed here
  help: copy the data, or move it to the heap and pass a capsule that deletes it as the base
```

good:

```cpp
py::array_t<float> Scaled(const Image& image) {
  auto* out = new std::vector<float>(image.size());
  image.Scale(*out);
  py::capsule owner(out, [](void* p) { delete static_cast<std::vector<float>*>(p); });
  return py::array_t<float>(out->size(), out->data(), owner);
}
```

## How to fix it

Copy the data (`py::bytes`, an array without a base), or move it to the heap and pass a capsule that deletes it as the
base.

## What it does not report

- arrays that copy (pybind11 without a base, nanobind without an owner)
- memory that is moved or released to something else, and statics
- the targets of references, pointers and shared pointers
- objects that are only used inside the function

## Known limitations

- Locals of the project's own classes are not analysed, nor are objects stored in a list or an attribute.

## Source

run on pybind11 3.1.0 and 2.13.6 and nanobind 3.1.0 and 2.9.2: the array or view aliases, and keeps nothing alive.
"""

from __future__ import annotations

from collections.abc import Iterator

from ownlint import Finding, Function, rule
from ownlint_rules.keep_alive import _local_memory as local_memory


@rule(severity="error", cwe=(562,))
def object_over_local_memory(function: Function) -> Iterator[Finding]:
    told: set[int] = set()
    for one in local_memory.over_locals(function):
        if one.made.start in told:
            continue
        told.add(one.made.start)
        yield function.finding(
            one.made,
            f"the returned `{one.what}` points into `{one.name}`, which is destroyed here",
            certainty=one.certainty,
            help="copy the data, or move it to the heap and pass a capsule that deletes it as the base",
        )
