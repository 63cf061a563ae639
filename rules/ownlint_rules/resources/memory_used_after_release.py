"""Memory, or what a handle stands for, is used or released again after it was released.

## What it reports

- a pointer, a handle, a copy of it, a pointer into it or a reference, behind `delete`, `free` and what else models
  name, behind the half of a pair of the project's own declarations that ends what the other handed out (`buf_create`,
  `buf_destroy`: their names are an assumption), behind a smart pointer that gave up what it held or ended with its
  block, behind an object of the project whose destructor ends what its constructor was given, and behind a function of
  the project that does so on every way out, or where an argument that is a number says so
- used here, or by a function of the project that it is given to. A second `delete` behind a destructor called by hand,
  and the end of its scope
- what an object ends that was copied as it is.

## Why it is a bug

What `delete`, `free` or an owner has ended belongs to whoever gets it next: a read shows their data, a write changes
it, and a second release ends what is theirs. A file, a descriptor, a stream, memory of a device and the objects of C
libraries are no better. It often works in tests, where nobody has got it yet.

## Example

bad:

```cpp
int Drain(Queue* queue) {
  Node* node = queue->head;
  delete node;
  queue->head = node->next;
  return 0;
}
```

```text
case.cc:4: error: `node` is used after its memory was released
  help: release it after the last use, and set the pointer to null if it lives on
```

good:

```cpp
int Drain(Queue* queue) {
  Node* node = queue->head;
  queue->head = node->next;
  delete node;
  return 0;
}
```

## How to fix it

Release it after the last use, and set the pointer to null if it lives on.

## What it does not report

- pointers that got another value since, ways on which the same test goes the other way, comparisons of the pointer
  itself, memory in which a new object was made
- releases that say they have failed
- what only counts, unlocks or unregisters
- a function that is named like a release and whose body releases nothing for sure
- the number of a descriptor where nothing works on what it stood for.

## Known limitations

- a function that releases under another condition, what shared pointers hold, elements that are told apart by a
  variable, and what two threads do, are not followed. Behind a function that nobody sees, pointers that it may have
  changed are unknown. Of a pair, a method whose implementations are seen, and what takes a struct apart in place
  (`init(&s)`, `deinit(&s)`), end nothing
- nor does what counts references, whatever the count is.

## Source

[basic.stc.dynamic.deallocation], [basic.life].
"""

from __future__ import annotations

from collections.abc import Iterator

from ownlint import Finding, Function, memory, rule


@rule(severity="error", cwe=(415, 416))
def memory_used_after_release(function: Function) -> Iterator[Finding]:
    told: set[tuple[int, str]] = set()
    for one in memory.troubles(function):
        if (
            one.ended.why in ("scope", "moved", "given away")
            or one.what == "returned"
            or (one.at.index, one.what) in told
        ):
            continue
        told.add((one.at.index, one.what))
        again = "released again" if one.what == "ended again" else "used"
        through = f" by `{one.through}`" if one.through else ""
        ending = function.flow.events[one.ended.at]
        gone = "its memory was released" if one.ended.kind.memory else f"it was released by `{one.ended.by}`"
        yield function.finding(
            one.at,
            f"`{one.name}` is {again}{through} after {gone}",
            certainty=memory.certainty(one),
            help="release it after the last use, and set the pointer to null if it lives on",
            steps=(function.step(ending, memory.told_end(one), "ends"),),
        )
