"""Memory, or what a handle stands for, is used or released again after it was released.

## What it reports

- a pointer, handle or reference that is used or released again after `delete`, `free`, a release function of a model,
  or the releasing half of a pair of the project (`buf_create`, `buf_destroy`)
- a pointer into the object of a smart pointer that was reset or destroyed, or into an object whose destructor released
  it
- the same after a function of the project that releases its argument on every path; a second destructor call; and a
  local that its declaration releases at the end of its scope (`g_autofree`, `__attribute__((cleanup(f)))`)

## Why it is a bug

Released memory belongs to the next allocation: a read returns other data, a write corrupts it, a second release
frees someone else's object. The same holds for files, descriptors, streams and device memory. Tests often pass, because
nothing has reused the memory yet.

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
  help: move the release after the last use of `node`
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

Release after the last use, and set the pointer to null if it lives on.

## What it does not report

- pointers that were reassigned, and paths that an earlier test excludes
- comparisons of the pointer itself
- memory in which a new object was constructed, and releases that report failure
- functions that only count, unlock or unregister, or whose body certainly releases nothing

## Known limitations

- A release under another condition, objects of shared pointers, elements selected by a variable, and other threads are
  not tracked.
- After a call of an unknown function, pointers that it may have changed are unknown.
- Of a pair, a method whose implementations are known, in-place cleanup (`init(&s)`, `deinit(&s)`) and reference
  counting release nothing.

## Source

[basic.stc.dynamic.deallocation], [basic.life].
"""

from __future__ import annotations

from collections.abc import Iterator

from ownlint import Finding, Function, events, memory, rule


@rule(severity="error", cwe=(415, 416))
def memory_used_after_release(function: Function) -> Iterator[Finding]:
    told: set[tuple[int, str]] = set()
    left: set[tuple[int, str]] = set()
    for one in memory.troubles(function):
        if (
            one.ended.why in ("scope", "moved", "given away", "erased")
            or one.what == "returned"
            or one.ended.kind.counted
            or (one.at.index, one.what) in told
            or (one.ended.at, one.name) in left
        ):
            continue
        told.add((one.at.index, one.what))
        if isinstance(one.at, events.LeaveEvent):  # its scope ends by several ways out
            left.add((one.ended.at, one.name))
        again = "released again" if one.what == "ended again" else "used"
        through = f" by `{one.through}`" if one.through else ""
        ending = function.flow.events[one.ended.at]
        gone = "its memory was released" if one.ended.kind.memory else f"it was released by `{one.ended.by}`"
        yield function.finding(
            one.at,
            f"`{one.name}` is {again}{through} after {gone}",
            certainty=function.on_branch(memory.certainty(one), ending, function.flow.events[0]),
            help=f"release `{one.name}` once, after the last use"
            if one.what == "ended again"
            else f"move the release after the last use of `{one.name}`",
            steps=(function.step(ending, memory.told_end(one), "ends"), *function.jump(ending, one.at)),
        )
