"""Two wrappers of one native object do not know of each other.

## What it reports

- a static factory that receives a native handle and creates a new wrapper without a lookup, in a class whose methods
  destroy the handle and then set a flag (a note on the design)

## Why it is a bug

Each wrapper has a flag of its own. If two wrappers exist for one object and one of them destroys it, the other still
believes that it is valid.

## Example

bad:

```cpp
typedef struct dom_node dom_node;
void dom_node_free(dom_node* n);
class Node {
 public:
  static Node* of(dom_node* raw) { return new Node(raw); }
  explicit Node(dom_node* raw) : raw_(raw) {}
  void destroy() {
    if (!alive_) throw std::logic_error("destroyed");
    alive_ = false;
    dom_node_free(raw_);
  }
 private:
  dom_node* raw_;
  bool alive_ = true;
};
Node* parent(dom_node* n) { return Node::of(dom_node_parent(n)); }
Node* next(dom_node* n) { return Node::of(dom_node_next(n)); }
```

```text
case.cc:5: note: `of` creates a new `Node` for a handle that may already have one
  help: keep one wrapper per handle in a registry, or share the flag between the wrappers
```

good:

```cpp
typedef struct dom_node dom_node;
void dom_node_free(dom_node* n);
class Node {
 public:
  static Node* of(dom_node* raw) {
    if (auto it = all().find(raw); it != all().end()) return it->second;
    return all().emplace(raw, new Node(raw)).first->second;
  }
  explicit Node(dom_node* raw) : raw_(raw) {}
  void destroy() {
    if (!alive_) throw std::logic_error("destroyed");
    alive_ = false;
    all().erase(raw_);
    dom_node_free(raw_);
  }
  static std::map<dom_node*, Node*>& all();
 private:
  dom_node* raw_;
  bool alive_ = true;
};
```

## How to fix it

Keep one wrapper per handle in a registry, or share the flag between the wrappers.

## What it does not report

- factories that look the handle up, or call a helper that returns such an object
- classes in which only the destructor destroys the handle
- factories that create the native object

## Known limitations

- Whether a second wrapper is ever created is not known; unless the project calls the factory in several places, the
  finding is `possible`.

## Source

the design of MLIR's Python bindings, where operations are interned for this reason and blocks are not.
"""

from __future__ import annotations

from collections.abc import Iterator

from ownlint import Class, Finding, Function, because, events, natives, places, records, rule, types
from ownlint_rules.registries import _registries as registries


@rule(severity="note", cwe=(415,))
def handle_wrapped_twice(cls: Class) -> Iterator[Finding]:
    factories = [method for method in cls.methods if _is_factory(method, cls)]
    asked = registries.validity(cls) if factories and registries.flags(cls) else {}
    if not asked:
        return
    found = natives.natives(cls.program)
    ending = next((end for method in cls.methods if (end := _ends(method, cls, found, asked)) is not None), None)
    if ending is None:
        return
    method, store, kind = ending
    for factory in factories:
        if any(types.parse(p.type).last == kind for p in factory.record.parameters) and _makes_blindly(factory, cls):
            start = factory.record.name_start
            yield factory.finding(
                records.Span(start, start + len(factory.name.encode())),
                f"`{factory.name}` creates a new `{cls.name}` for a handle that may already have one",
                certainty=because(
                    "caller" if _places(factory) > 1 else "guess",
                    "harmless if it is called at most once for each handle",
                ),
                help="keep one wrapper per handle in a registry, or share the flag between the wrappers",
                steps=(method.step(store, "only this wrapper is invalidated"),),
            )


def _is_factory(method: Function, cls: Class) -> bool:
    """A static method that is given something and answers with an object of the class."""
    qualifiers = {word for record in cls.declared(method.name) for word in record.qualifiers}
    return (
        "static" in qualifiers
        and bool(method.record.parameters)
        and cls.name in method.record.result
        and not types.parse(method.record.result).reference
    )


def _ends(
    method: Function, cls: Class, found: natives.Natives, asked: dict[str, bool]
) -> tuple[Function, events.Event, str] | None:
    """A method that ends the object's handle and stores a flag: where it does, and the handle's type."""
    if method.record.kind in ("constructor", "destructor"):
        return None
    for _, kind, argument in natives.destroys(method, found):
        place = places.place_of(argument, method.flow.aliases, cls.members - method.declared)
        if place is None or place[0] != places.THIS:
            continue
        for flag in sorted(asked):
            for store in registries.stores(method, flag):
                return method, store.at, kind
    return None


def _places(factory: Function) -> int:
    """In how many places the project calls it."""
    callers = factory.program.index.callers(factory)
    return sum(1 for caller in callers for _ in registries.calls_of(caller, factory))


def _makes_blindly(factory: Function, cls: Class) -> bool:
    """Whether it looks nowhere and asks nobody who answers with such an object."""
    for call in factory.flow.calls:
        if places.last_name(call.node.callee) in factory.program.models.containers.looks:
            return False
        answered = factory.program.calls.callee(call.node, factory)
        is_made = call.node.kind in ("construct", "new") or any(r.kind == "constructor" for r in answered.records)
        if not is_made and any(cls.name in record.result for record in answered.records):
            return False
    return not any(isinstance(event, events.Test) for event in factory.flow)
