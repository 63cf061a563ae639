"""A method uses a member that was released while its object lives on, without the check that its siblings make.

## What it reports

- a use of a member that another function releases and marks as released (with NULL or a flag), where most functions
  that use it check the mark first
- the same for an object that is released with its owner's container and marked there

## Why it is a bug

The object outlives what its member points to. Functions that check the mark refuse; the one that does not uses freed
memory.

## Example

bad:

```cpp
struct Page { int number; };
struct Book { Page* page; int closed; };
void book_close(Book* book) {
  free(book->page);
  book->closed = 1;
}
int book_first(Book* book) { return book->closed ? 0 : book->page->number; }
int book_next(Book* book) { return book->closed ? 0 : book->page->number + 1; }
int book_last(Book* book) { return book->page->number - 1; }
```

```text
case.cc:9: error: `book_last` uses `book->page` without checking that `page` is still valid: 2 of 3 siblings check first
  help: check `closed` first, as the siblings do
```

good:

```cpp
struct Page { int number; };
struct Book { Page* page; int closed; };
void book_close(Book* book) {
  free(book->page);
  book->closed = 1;
}
int book_first(Book* book) { return book->closed ? 0 : book->page->number; }
int book_next(Book* book) { return book->closed ? 0 : book->page->number + 1; }
int book_last(Book* book) { return book->closed ? 0 : book->page->number - 1; }
```

## How to fix it

Check the mark first, as the siblings do.

## What it does not report

- members that are filled later: NULL means that there is none yet
- functions that create, release or replace the member, and functions whose callers all check

## Known limitations

- That a check is needed is inferred from what most functions do. NULL may be an ordinary value, and a flag may have
  another meaning.

## Source

pygattlib at first contact: `set_mtu` after `disconnect`.
"""

from __future__ import annotations

from collections.abc import Iterator

from ownlint import Class, Finding, because, outlived, rule, types, validity

_LEAST = 2
"""How many siblings make the check where it is what is meant."""


@rule(severity="error", cwe=(416,), yields_to=("validity-check-skipped",))
def released_member_unchecked(cls: Class) -> Iterator[Finding]:
    if cls.file.language != "cpp":
        return
    for member in outlived.outlived(cls.program).of(cls, _LEAST):
        careful = [use for use in member.uses if use.kind == "asking"]
        careless = [use for use in member.uses if use.kind == "careless" and not validity.compares(use.function.name)]
        flags = [mark for mark in member.marks if _is_flag(cls, mark)]
        needed = 1 if flags else 2  # that a pointer is null may be usual
        if len(careful) < _LEAST or len(careful) < needed * len(careless):
            continue
        share = f"{len(careful)} of {len(careful) + len(careless)}"
        flag = min(flags, default=member.field)
        inferred = f"that the check is needed is inferred: {share} siblings make it"
        is_empty_at_first = member.refilled and not flags
        for use in careless:
            yield use.function.finding(
                use.event,
                f"`{validity.known_as(use.function)}` uses `{use.shown}` without checking that `{member.field}` is "
                f"still valid: {share} siblings check first",
                certainty=because("guess" if is_empty_at_first else "convention", inferred),
                help=f"check `{flag}` first, as the siblings do",
                steps=(
                    member.function.step(member.at, "released here, while the object stays alive", "ends"),
                    careful[0].function.step(
                        careful[0].event, f"`{validity.known_as(careful[0].function)}` checks first", "guards"
                    ),
                ),
            )


def _is_flag(cls: Class, name: str) -> bool:
    """Whether a member says something, rather than points to something."""
    found = cls.field(name)
    if found is None:
        return True
    owner, field = found
    kind = types.parse(cls.program.names.expand(field.type, owner.file, owner.symbol))
    return not kind.pointers and not kind.arguments
