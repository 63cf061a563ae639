"""A handle is stored in a member and never released.

A raw handle ends when somebody calls its release; a member that holds one ends without a word. Where the class has no
destructor that releases it, and no other function of the project does, everything that was put there leaks.

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

Reported, at the member: a pointer or handle, or a container of them, into which some function puts what it has
acquired: by `new`, by a function that a model knows, by one whose opposite the project declares (`Allocate` and
`Deallocate` of one class, `codec_open` and `codec_close`), by a helper that does one of these. It may be the member of
a struct behind a pointer, and be filled through a reference or an iterator. The member of the header and the functions
of all sources are looked at together. A handle that is put into several members is reported at the first of them.

Quiet: members that any function of the project releases or hands on, whatever it is called, itself or through a copy
of the handle in another member; objects that live as long as the program; members whose comment says who owns them or
that they leak on purpose; tables that lead to what another member owns; memory of arenas; classes whose destructor is
out of sight.

Limits: where the type of an object is not known, the release of a member of that name counts. An object that is made
with its parent (`new Button(this)`) is reported as possible only.

Source: device addresses that a command-buffer cache of XLA allocated and kept in a map that nobody walked.
"""

from __future__ import annotations

from collections.abc import Iterator

from ownlint import Class, Finding, Program, resources, rule
from ownlint_rules.resources import _slots as slots


@rule(severity="error", cwe=(401, 404), yields_to=("destructor-misses-handle",))
def handle_never_released(cls: Class, program: Program) -> Iterator[Finding]:
    known = slots.slots(program)
    for slot in known.of(cls):
        certainty = known.is_leaked(slot)
        if certainty is None:
            continue
        store = known.first_store(slot)
        made = store.made
        yield cls.finding(
            slot.field,
            f"`{slot.field.name}` is never released",
            certainty=certainty,
            help=_help(known, slot, made),
            steps=(store.function.step(store.node, "stored here"),),
        )


def _help(known: slots.Slots, slot: slots.Slot, made: resources.Acquisition) -> str:
    scoped = known.scoped_for(slot)
    if scoped:
        return f"declare it as `{scoped}`, which releases it"
    if made.releases == ("delete",):
        return "declare it as `std::unique_ptr`, or delete it in the destructor"
    where = "in the destructor" if slot.cls.methods else f"where `{slot.cls.name}` is freed"
    return f"release it with `{made.releases[0]}` {where}" if made.releases else f"release it {where}"
