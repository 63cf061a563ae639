"""A borrowed handle is put into a container that releases its elements.

## What it reports

- a borrowed handle (a smart pointer's `get()`, the address of a local or member, the result of a getter) that is stored
  in a container whose elements the destructor releases
- the same with a parameter, where the same function stores an acquired handle there, too

## Why it is a bug

The container releases every element. A borrowed handle among them is released twice: by its owner and by the container.

## Example

bad:

```cpp
class Scene {
 public:
  ~Scene() {
    for (Shape* shape : shapes_) delete shape;
  }
  void Add(int id) { shapes_.push_back(new Shape{id}); }
  void Share(std::unique_ptr<Shape>& shape) { shapes_.push_back(shape.get()); }
 private:
  std::vector<Shape*> shapes_;
};
struct Shape { int id; };
```

```text
case.cc:7: error: every element of `shapes_` is released, but `shape` owns the object stored here
  help: store a copy or an owned handle, or keep borrowed ones elsewhere
```

good:

```cpp
class Scene {
 public:
  ~Scene() {
    for (Shape* shape : shapes_) delete shape;
  }
  void Add(int id) { shapes_.push_back(new Shape{id}); }
  void Take(std::unique_ptr<Shape> shape) { shapes_.push_back(shape.release()); }
 private:
  std::vector<Shape*> shapes_;
};
struct Shape { int id; };
```

## How to fix it

Store a copy or an owned handle, or keep borrowed handles in another container.

## What it does not report

- methods that are meant to take ownership of their argument
- containers that are never released
- containers of borrowed handles only

## Known limitations

- Whether the caller gave up ownership of its argument is not known.

## Source

a cache of device buffers in XLA that the caller's own buffer was put into when it was large enough.
"""

from __future__ import annotations

from collections.abc import Iterator

from ownlint import Class, Finding, Program, because, rule
from ownlint_rules.resources import _slot_enders as enders


@rule(severity="error", cwe=(415,))
def borrowed_in_owning_container(cls: Class, program: Program) -> Iterator[Finding]:
    known = enders.enders(program)
    for slot in known.containers(cls):
        owned = [store for store in slot.stores if store.sure and store.element]
        for one in known.borrowed(slot):
            beside = next((store for store in owned if store.function is one.function), owned[0] if owned else None)
            yield one.function.finding(
                one.node,
                f"every element of `{slot.field.name}` is released, but {one.whose}",
                certainty=because("sharing", "harmless if ownership is transferred to the container here"),
                help="store a copy or an owned handle, or keep borrowed ones elsewhere",
                steps=(beside.function.step(beside.node, "other elements are acquired here"),) if beside else (),
            )
