"""A class that releases a handle can be copied.

## What it reports

- a class whose destructor releases a member, and that declares no copy constructor
- the same with a copy constructor that is `= default`
- the same with a deleted constructor that takes another type (`PyModule(PyContext &&) = delete`) and so does not
  disable copying

## Why it is a bug

The compiler generates a copy constructor that copies the pointer. Then two objects hold the same handle and both
release it: a double free, or a use after free in between.

## Example

bad:

```cpp
class Encoder {
 public:
  explicit Encoder(const char* name) : codec_(codec_open(name)) {}
  ~Encoder() { codec_close(codec_); }
 private:
  codec_t* codec_;
};
std::vector<Encoder> encoders;
codec_t* codec_open(const char* name);
void codec_close(codec_t* codec);
```

```text
case.cc:4: warning: `Encoder` can be copied, but each copy releases `codec_`
  help: delete `Encoder(const Encoder&)` and its assignment, or define both
```

good:

```cpp
class Encoder {
 public:
  explicit Encoder(const char* name) : codec_(codec_open(name)) {}
  Encoder(const Encoder&) = delete;
  Encoder& operator=(const Encoder&) = delete;
  ~Encoder() { codec_close(codec_); }
 private:
  codec_t* codec_;
};
std::list<Encoder> encoders;
codec_t* codec_open(const char* name);
void codec_close(codec_t* codec);
```

## How to fix it

Delete the copy constructor and the copy assignment (`T(const T&) = delete;`), or define both.

## What it does not report

- a copy constructor that is deleted, private, disabled by a macro, or written out
- a declared move constructor, which disables the implicit copy
- a base or member that cannot be copied
- abstract classes

## Known limitations

- A finding is `likely` only if a copy was found, if copying was considered (`= default`, an assignment operator alone),
  or if Python uses the class as a value; else it is `possible`.
- Copies in code that uses a library are not known, and the result of a member function does not count as a copy.

## Source

`PyModule`, `PyDialectRegistry` and others of MLIR's Python bindings, LLVM 16 to 22.
"""

from __future__ import annotations

from collections.abc import Iterator

from ownlint import Class, Finding, Program, because, rule, types
from ownlint_rules.resources import _copying as copying
from ownlint_rules.resources import _slot_enders as enders


@rule(severity="warning", cwe=(415,))
def copyable_owner(cls: Class, program: Program) -> Iterator[Finding]:
    destructor = cls.destructor
    if destructor is None or not destructor.mentioned:
        return
    known = enders.enders(program)
    released = known.released_by_destructor(cls)
    if released is None:
        return
    owner, field = released
    copies = copying.copies(cls)
    if copies.how in ("never", "own"):
        return
    if owner is not cls and copying.copies(owner).how not in ("implicit", "defaulted"):
        return  # what a copy of the base does with it, the base says
    made = copying.copy_made(cls)
    is_meant = copies.how == "defaulted" or copies.missed is not None or copying.is_assigned_by_itself(cls)
    of_python = cls.name in program.names.bound_types or copying.speaks_python(cls)
    is_value = of_python and copying.is_handle(cls, field)
    sure = made is not None or ((is_meant or is_value) and copies.how not in ("assignment", "unclear"))
    steps = [owner.step(field, "an implicit copy copies this pointer")]
    if made is not None:
        steps.append(made.step)
    if copies.missed is not None:
        taken = types.parse(copies.missed.parameters[0].type).last
        steps.insert(0, cls.step(copies.missed, f"this does not disable copying: it takes a `{taken}`"))
    at = next((record for record in cls.declarations if record.kind == "destructor"), None)
    can = "can be assigned" if copies.how == "assignment" else "can be copied"
    yield (cls.finding if at is not None else destructor.finding)(
        at or destructor.record,
        f"`{cls.name}` {can}, but each copy releases `{field.name}`",
        certainty=because("later-use", "harmless as long as no copy is destroyed while another is in use")
        if sure
        else because("possible", f"no code that copies `{cls.name}` was found"),
        help=f"delete `{cls.name}(const {cls.name}&)` and its assignment, or define both",
        steps=tuple(steps),
    )
