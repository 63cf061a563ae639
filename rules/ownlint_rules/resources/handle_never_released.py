"""A handle is stored in a member and never released.

## What it reports

- a pointer or handle member, or a container of them, that some function fills with an acquired handle, while no
  function of the project releases it
- the same for a member of a struct behind a pointer, filled through a reference or an iterator
- an attribute of a Python object that holds a handle of a C library, if the project declares the function that releases
  it with `ctypes` or `cffi` (`lib.sink_free.argtypes`) and never calls that for this attribute; also a handle that
  a helper returns, or that the library writes to a variable

## Why it is a bug

A raw handle is freed only by an explicit release. Without a destructor or another function that releases it, everything
that was stored in the member leaks.

## Example

bad:

```cpp
class Stage {
 public:
  void Prepare(Device* device, int index) { scratch_[index] = device->Allocate(64); }
 private:
  std::map<int, Extent> scratch_;
};
class Device {
 public:
  Extent Allocate(size_t bytes);
  void Deallocate(Extent* extent);
};
struct Extent { void* base; size_t size; };
```

```text
case.cc:3: error: the elements of `scratch_` are never released: each destroyed `Stage` leaks them
  help: release each element with `Deallocate` in the destructor of `Stage`
```

good:

```cpp
class Stage {
 public:
  ~Stage() {
    for (auto& [index, extent] : scratch_) device_->Deallocate(&extent);
  }
  void Prepare(int index) { scratch_[index] = device_->Allocate(64); }
 private:
  Device* device_;
  std::map<int, Extent> scratch_;
};
class Device {
 public:
  Extent Allocate(size_t bytes);
  void Deallocate(Extent* extent);
};
struct Extent { void* base; size_t size; };
```

## How to fix it

Hold it in a smart pointer or a scoped type, or release it in the destructor.

## What it does not report

- members that any function of the project releases or passes on, itself, by a wrapper or a macro, or through a copy in
  another member
- objects that live as long as the program, and arena memory
- members whose comment names their owner or says that they leak on purpose
- non-owning tables, and classes whose destructor is not found

## Known limitations

- If the type of an object is not known, the release of a member of that name counts.
- An object created with its parent (`new Button(this)`), and the member of a union, are `possible` only.
- So is a member that may point into other memory as well, one of a struct of which nothing shows that an object is ever
  released, and the state of a module that clears nothing.
- A handle that is stored in several members is reported at the first of them.
- Of the text that `cdef` of `cffi` is given, the first 32768 characters are read.

## Source

device addresses that a command-buffer cache of XLA allocated and kept in a map that nobody walked.
"""

from __future__ import annotations

from collections.abc import Iterator

from ownlint import Class, Finding, Program, Step, rule, text
from ownlint_rules.resources import _python_slots as python_slots
from ownlint_rules.resources import _slot_enders as enders
from ownlint_rules.resources import _slots as slots


@rule(
    severity="error",
    languages=("cpp", "python"),
    anchors=(r"\brestype\b", r"\bcdef\b"),
    cwe=(401, 404),
    yields_to=("destructor-misses-handle", "dealloc-misses-member"),
)
def handle_never_released(cls: Class, program: Program) -> Iterator[Finding]:
    if cls.file.language == "python":
        yield from _of_python(cls, program)
        return
    known, ending = slots.slots(program), enders.enders(program)
    for slot in known.of(cls):
        certainty = ending.is_leaked(slot)
        if certainty is None:
            continue
        store = known.first_store(slot)
        yield store.function.finding(
            store.node,
            _message(slot, store),
            certainty=certainty,
            help=_help(slot, store),
            steps=_steps(cls, slot),
        )


def _of_python(cls: Class, program: Program) -> Iterator[Finding]:
    for slot, dropping, certainty in python_slots.unreleased(cls, program):
        where = f"in `{dropping.name}`" if dropping is not None else f"where the `{cls.name}` is closed"
        yield slot.function.finding(
            slot.at,
            f"`{slot.attribute}` is never {_ended(slot.releases)}: each `{cls.name}` leaks it",
            certainty=certainty,
            help=f"release it with `{slot.releases[0]}` {where}",
            steps=(dropping.step(dropping.record, f"`{dropping.name}` does not release `{slot.attribute}`"),)
            if dropping is not None
            else (),
        )


def _message(slot: slots.Slot, store: slots.SlotStore) -> str:
    done = _ended(store.made.releases)
    if store.element:
        return f"the elements of `{slot.field.name}` are never {done}: each destroyed `{slot.cls.name}` leaks them"
    return f"`{slot.field.name}` is never {done}: each destroyed `{slot.cls.name}` leaks it"


def _ended(releases: tuple[str, ...]) -> str:
    """What is not done: a file is closed, memory freed, and anything else released."""
    last = releases[0].rpartition("::")[2].lower() if releases else ""
    if last in ("delete", "free"):
        return "freed"
    return "closed" if last.endswith("close") else "released"


def _steps(cls: Class, slot: slots.Slot) -> tuple[Step, ...]:
    declared = cls.step(slot.field, f"`{slot.field.name}`, which holds it, is declared here")
    end = cls.destructor
    if end is None:
        return (declared,)
    return (declared, end.step(end.record.name_span, f"the destructor does not release `{slot.field.name}`"))


def _help(slot: slots.Slot, store: slots.SlotStore) -> str:
    made = store.made
    named = _made(slot)
    if named is not None:
        owner = f"std::unique_ptr<{min(named)}>" if len(named) == 1 else "std::unique_ptr"
        if store.element:
            return f"hold each element in a `{owner}`, or delete each in the destructor"
        return f"declare it as `{owner}`, or delete it in the destructor"
    where = f"in the destructor of `{slot.cls.name}`" if slot.cls.methods else f"where `{slot.cls.name}` is freed"
    released = "release each element" if store.element else "release it"
    return f"{released} with `{made.releases[0]}` {where}" if made.releases else f"{released} {where}"


def _made(slot: slots.Slot) -> set[str] | None:
    """The types of the objects, as a `new` names them; None where something else makes one."""
    made = [slots.made_by_new(store) for store in slot.stores]
    return {text(new.callee) for new in made if new is not None} if None not in made else None
