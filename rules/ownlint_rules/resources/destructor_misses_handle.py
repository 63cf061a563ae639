"""A destructor releases only some of the handles that the constructor acquired.

## What it reports

- a member that a constructor acquires and that nothing in the project releases, although the destructor releases
  another member of the class

## Why it is a bug

The destructor is meant to release everything that the class acquires. A handle that was added later is easily
forgotten, and leaks with every object.

## Example

bad:

```cpp
class Session {
 public:
  Session() : log_(log_open()), plan_(new Plan) {}
  ~Session() { delete plan_; }
 private:
  log_t* log_;
  Plan* plan_;
};
struct Plan { int n; };
log_t* log_open();
void log_close(log_t* log);
```

```text
case.cc:4: error: `~Session` releases `plan_` but not `log_`
  help: release `log_` with `log_close` too
```

good:

```cpp
class Session {
 public:
  Session() : log_(log_open()), plan_(new Plan) {}
  ~Session() {
    delete plan_;
    log_close(log_);
  }
 private:
  log_t* log_;
  Plan* plan_;
};
struct Plan { int n; };
log_t* log_open();
void log_close(log_t* log);
```

## How to fix it

Release the member in the destructor too, or hold it in a smart pointer.

## What it does not report

- members that any function releases or passes on
- borrowed members, and members whose comment names their owner
- members that no constructor fills, which `handle-never-released` reports

## Known limitations

- The limitations of `handle-never-released` apply.

## Source

handles in MLIR's Python bindings that were created in a constructor beside others, and forgotten.
"""

from __future__ import annotations

from collections.abc import Iterator

from ownlint import Class, Finding, Program, rule
from ownlint_rules.resources import _slot_enders as enders
from ownlint_rules.resources import _slots as slots


@rule(severity="error", cwe=(401, 404))
def destructor_misses_handle(cls: Class, program: Program) -> Iterator[Finding]:
    destructor = cls.destructor
    known = enders.enders(program)
    filled = [
        slot
        for slot in slots.slots(program).of(cls)
        if any(slots.is_by_constructor(store, cls) for store in slot.stores)
    ]
    released = known.released_by_destructor(cls) if filled and destructor is not None else None
    if destructor is None or released is None:
        return
    for slot in filled:
        certainty = known.is_leaked(slot)
        if certainty is None:
            continue
        store = next(store for store in slot.stores if slots.is_by_constructor(store, cls))
        made = store.made
        with_it = f" with `{made.releases[0]}`" if made.releases and made.releases != ("delete",) else ""
        yield destructor.finding(
            destructor.record.name_span,
            f"`{destructor.name}` releases `{released[1].name}` but not `{slot.field.name}`",
            certainty=certainty,
            help=f"release `{slot.field.name}`{with_it} too",
            steps=(
                store.function.step(store.node, f"a constructor acquires `{slot.field.name}`"),
                cls.step(slot.field, "nothing releases it"),
            ),
        )
