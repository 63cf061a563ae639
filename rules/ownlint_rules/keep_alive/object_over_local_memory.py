"""A Python object refers to local memory that is destroyed when the function returns.

## What it reports

- a `memoryview` `from_memory`, an iterator, an array with a base that owns nothing, `PyMemoryView_FromMemory`,
  `PyArray_SimpleNewFromData` and their like, over a string, container, array or unique pointer that is a local or a
  parameter by value, where the object is returned
- or over what the `cast` (nanobind: `from_cpp`) of a custom caster is given, where that looks neither at the policy nor
  at the parent: it may be a temporary.

## Why it is a bug

A memoryview, an iterator, or an array with a base that owns nothing looks at the memory it is given. When that belongs
to a local, the object that is returned points into freed memory before Python sees it; no `keep_alive` and no policy
can help.

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

Copy the data, or move it to the heap and pass a capsule that deletes it as the base.

## What it does not report

- arrays that copy (pybind11's without a base, nanobind's without an owner), memory that is moved or released to
  somebody, statics, what a reference, a pointer or a shared pointer leads to, objects that the function only uses
  itself.

## Known limitations

- locals of the project's own classes are not looked into
- nor is what is put into a list or an attribute.

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
