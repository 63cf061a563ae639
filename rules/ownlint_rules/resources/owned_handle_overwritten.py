"""A stored handle is overwritten before it is released.

## What it reports

- an acquired handle that is stored in a member, or an element of one, which is known to be non-null there, without
  releasing the old handle on the path
- the same if the function itself stored the old handle before, or went through it
- the same if the function released another member of the object and fills that again, also where a helper does the rest
- an assignment operator that gives a member which the destructor releases a new handle, or that of the other object,
  without releasing the old one
- a method that puts an argument into a member which a constructor fills and the destructor releases, without releasing
  what is there

## Why it is a bug

After the assignment nothing refers to the old handle, so it can never be released.

## Example

bad:

```cpp
Block* Cache::Take(int key, size_t n) {
  auto it = blocks_.find(key);
  if (it != blocks_.end() && it->second->size >= n) return it->second;
  blocks_[key] = new Block(n);
  return blocks_[key];
}
Cache::~Cache() {
  for (auto& [key, block] : blocks_) delete block;
}
class Cache {
 public:
  ~Cache();
  Block* Take(int key, size_t n);
 private:
  std::map<int, Block*> blocks_;
};
```

```text
case.cc:4: error: `blocks_` is overwritten here without releasing the object it holds
  help: release the old handle before assigning the new one
```

good:

```cpp
Block* Cache::Take(int key, size_t n) {
  auto it = blocks_.find(key);
  if (it != blocks_.end()) {
    if (it->second->size >= n) return it->second;
    delete it->second;
  }
  blocks_[key] = new Block(n);
  return blocks_[key];
}
Cache::~Cache() {
  for (auto& [key, block] : blocks_) delete block;
}
class Cache {
 public:
  ~Cache();
  Block* Take(int key, size_t n);
 private:
  std::map<int, Block*> blocks_;
};
```

## How to fix it

Release the old handle before assigning the new one.

## What it does not report

- assignments after a check that the place is empty
- assignments after a release, an erasure or a helper that releases
- containers that only grow

## Known limitations

- An assignment without any check is not reported: most such functions run once.

## Source

a cache of device buffers in XLA, whose entry was replaced when it was too small.
"""

from __future__ import annotations

from collections.abc import Iterator

from ownlint import Class, Finding, Program, because, rule
from ownlint_rules.resources import _assigning as assigning
from ownlint_rules.resources import _overwriting as overwriting
from ownlint_rules.resources import _slots as slots

_WHY = {
    "found": "known to be non-null here",
    "stored": "assigned here before",
    "used": "used here before, so it is non-null",
    "refilled": "the object is filled again, since this is released",
}


@rule(severity="error", cwe=(401,))
def owned_handle_overwritten(cls: Class, program: Program) -> Iterator[Finding]:
    for slot in slots.slots(program).of(cls):
        for lost in overwriting.overwrites(slot, program):
            function = lost.store.function
            releases = lost.store.made.releases
            with_it = f" with `{releases[0]}`" if releases and releases != ("delete",) else ""
            yield function.finding(
                lost.store.node,
                f"`{slot.field.name}` is overwritten here without releasing the object it holds",
                certainty=lost.certainty,
                help=f"release the old handle{with_it} before assigning the new one",
                steps=(lost.at.step(lost.before, _WHY[lost.why]),) if lost.before is not None else (),
            )
    for one in (*assigning.assigned(cls, program), *assigning.set_by_caller(cls, program)):
        by, harmless = one.made_by, "as long as nothing is assigned to an object that holds one"
        if by is not None:
            harmless = f"if who calls `{one.function.name}` has released it before"
        yield one.function.finding(
            one.write,
            f"`{one.field.name}` is overwritten here without releasing the object it holds",
            certainty=because("later-use", f"harmless {harmless}"),
            help=f"release the old handle before assigning the new one{', or swap the two' if by is None else ''}",
            steps=(by.step(by.record.name_span, f"this fills `{one.field.name}`"),) if by is not None else (),
        )
