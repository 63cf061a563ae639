"""A result keeps a pointer into the object that created it.

## What it reports

- a method that returns an object, by value or on the heap, which stores a pointer to the method's object, or into a
  member of it, and dereferences it in its destructor

## Why it is a bug

Nothing ensures that the result is destroyed first. If the object dies before it, the destructor of the result uses
freed memory.

## Example

bad:

```cpp
class Output {
 public:
  Output(Allocator* allocator [[clang::lifetimebound]], void* memory) : allocator_(allocator), memory_(memory) {}
  ~Output() { allocator_->Free(memory_); }
 private:
  Allocator* allocator_;
  void* memory_;
};

class Program {
 public:
  Output Run() { return Output(allocator_.get(), allocator_->Take()); }
 private:
  std::unique_ptr<Allocator> allocator_;
};
```

```text
case.cc:12: error: the returned `Output` points into `allocator_`, but nothing keeps this object alive
  help: give the result shared ownership, or annotate the method with `[[clang::lifetimebound]]`
```

good:

```cpp
class Output {
 public:
  Output(std::shared_ptr<Allocator> allocator, void* memory) : allocator_(allocator), memory_(memory) {}
  ~Output() { allocator_->Free(memory_); }
 private:
  std::shared_ptr<Allocator> allocator_;
  void* memory_;
};

class Program {
 public:
  Output Run() { return Output(allocator_, allocator_->Take()); }
 private:
  std::shared_ptr<Allocator> allocator_;
};
```

## How to fix it

Share ownership with the result, or annotate the method with `[[clang::lifetimebound]]`.

## What it does not report

- methods with a lifetime annotation
- views and iterators, whose destructors do nothing
- members that are shared or point elsewhere

## Known limitations

- A finding is `likely` if the constructor has a lifetime annotation and the method has none, else `possible`: that the
  creator outlives its results is often an unwritten contract.
- Initializer lists are analysed, not the functions that a constructor calls.

## Source

a review of GPU command-buffer caching in XLA, where the output of an execution freed its buffers through an allocator
of the executable.
"""

from __future__ import annotations

from collections.abc import Iterator

from ownlint import Class, Finding, Function, because, glance, keeping, places, records, rule, types
from ownlint_rules.lifetimes import _ending as ending

_LOCKS = frozenset({"guard", "iterator", "view"})


@rule(severity="error", cwe=(416,))
def result_points_into_owner(function: Function) -> Iterator[Finding]:
    record = function.record
    if record.kind != "method" or function.home is None or not _may_return_one(function):
        return
    if any(
        "lifetime" in a.name.lower() for d in (record, *function.home.declared(function.name)) for a in d.annotations
    ):
        return
    written = function.program.names.expand(record.result, function.file, record.scope)
    for statement in function.statements:
        if not isinstance(statement, records.Leave) or statement.kind != "return" or statement.value is None:
            continue
        for kept in keeping.kept(function, statement.value, written):
            member = ending.member_of(function, kept.value, kept.taken_as) if kept.holder is not None else ""
            if member and not kept.read and kept.holder is not None and _acts_at_end(function, kept.holder, kept.field):
                yield _found(function, statement, kept, kept.holder, member)
                break


def _may_return_one(function: Function) -> bool:
    result = function.record.result
    if not result or result == "void" or "&" in result:
        return False
    known = keeping.keepers(function.program).classes
    kind = types.parse(result)
    names = {kind.last, *(types.parse(argument).last for argument in kind.arguments)}
    return kind.is_placeholder or not names.isdisjoint(known) or keeping.may_make_keeper(function)


def _acts_at_end(function: Function, holder: Class, field: str) -> bool:
    """Whether the destructor looks through the field; one that nobody shows may."""
    if not _LOCKS.isdisjoint(function.program.types.roles(holder.symbol, function)):
        return False
    return any(cls.destructor is not None and glance.says(cls.destructor, field) for cls in holder.ancestry)


def _says_so(holder: Class, kept: keeping.Kept) -> bool:
    """Whether the constructor says that the object must not outlive what it takes."""
    return any(
        parameter.type == kept.taken_as and keeping.is_marked(parameter)
        for made in holder.declared(holder.name)
        for parameter in made.parameters
    )


def _found(function: Function, at: records.Leave, kept: keeping.Kept, holder: Class, member: str) -> Finding:
    steps = []
    if (found := holder.field(kept.field)) is not None:
        owner, record = found
        steps.append(
            owner.step(record, f"`{holder.name}` stores it here and dereferences it in its destructor", "uses")
        )
    is_whole = member == places.THIS
    into = "to the object that created it" if is_whole else f"into `{places.render((member,))}`"
    return function.finding(
        at,
        f"the returned `{holder.name}` points {into}, but nothing keeps {'that' if is_whole else 'this object'} alive",
        certainty=because(
            "caller" if _says_so(holder, kept) else "guess",
            f"callers may keep this object alive as long as the `{holder.name}`",
        ),
        help="give the result shared ownership, or annotate the method with `[[clang::lifetimebound]]`",
        steps=tuple(steps),
    )
