"""A class that releases a handle can be copied.

The compiler writes a copy constructor for a class that declares none. It copies the handle as it is: then two objects
hold it, both release it, and whoever uses it in between uses what is gone.

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

Reported: a destructor that releases what a member holds, itself or through a method of the class, while the class
declares no copy constructor, or one that is `= default`. A deleted constructor that takes something else than the class
(`PyModule(PyContext &&) = delete`) forbids nothing, and is shown.

Quiet: a copy that is deleted, private and undefined, forbidden by a macro, or written out; a declared move, deleted or
not, since it keeps the compiler from writing a copy; a base or member that cannot be copied; abstract classes.

Reported as likely only where a copy is in sight (a parameter by value, a container that moves its elements, also as a
parameter, an object that is made from another or assigned to it, a whole that is copied), where copies were thought of
(`= default`, an assignment of its own beside no copy constructor, a deleted constructor that forbids nothing), and of
classes that Python has around a handle which its library's own function ends: those are used as values. All else is
possible.

Limits: what users of a library copy is not known; a member function's result is not taken for a copy.

Source: `PyModule`, `PyDialectRegistry` and others of MLIR's Python bindings, LLVM 16 to 22.
"""

from __future__ import annotations

from collections.abc import Iterator

from ownlint import Class, Finding, Program, because, rule, types
from ownlint_rules.resources import _copying as copying
from ownlint_rules.resources import _slots as slots


@rule(severity="warning", cwe=(415,))
def copyable_owner(cls: Class, program: Program) -> Iterator[Finding]:
    destructor = cls.destructor
    if destructor is None or not destructor.mentioned:
        return
    known = slots.slots(program)
    field = known.released_by_destructor(cls)
    if field is None:
        return
    copies = copying.copies(cls)
    if copies.how in ("never", "own"):
        return
    made = copying.copy_made(cls)
    is_meant = copies.how == "defaulted" or copies.missed is not None or copying.is_assigned_by_itself(cls)
    of_python = cls.name in program.names.bound_types or copying.speaks_python(cls)
    is_value = of_python and copying.is_handle(cls, field)
    sure = made is not None or ((is_meant or is_value) and copies.how not in ("assignment", "unclear"))
    steps = [cls.step(field, "an implicit copy copies this pointer")]
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
