"""A member still points to a released object when the function fails.

## What it reports

- a member, or a variable of the file, that a function releases and does not reset before it returns because of a
  failure, or throws, while the destructor or another function releases or uses it again
- the same of a member that a public `close` releases and leaves, where the destructor calls `close` again
- the same for the first parameter of functions on a C struct

## Why it is a bug

The object lives on with a dangling pointer. Its destructor releases it a second time, or the next function uses freed
memory.

## Example

bad:

```cpp
class Buffer {
 public:
  ~Buffer() { delete[] data_; }
  bool Resize(int n) {
    delete[] data_;
    if (n < 0) return false;
    data_ = new char[n];
    return true;
  }
 private:
  char* data_ = nullptr;
};
```

```text
case.cc:5: error: `data_` is left dangling by `Resize` where it returns, and released again by `~Buffer`
  help: set `data_` to null where it is released, or release it after the last operation that can fail
```

good:

```cpp
class Buffer {
 public:
  ~Buffer() { delete[] data_; }
  bool Resize(int n) {
    if (n < 0) return false;
    char* data = new char[n];
    delete[] data_;
    data_ = data;
    return true;
  }
 private:
  char* data_ = nullptr;
};
```

## How to fix it

Set the member to null where it is released, or release it after the last operation that can fail.

## What it does not report

- members that are set to null, exchanged or swapped before the exit, or reassigned on every path
- flags that the destructor checks, and other functions that only the destructor calls
- private helpers whose callers reassign the member, functions that destroy the object, `noexcept` functions, `new
  (std::nothrow)`
- a member that is released, on every path, by another function of the project that closes it

## Known limitations

- Elements of arrays and containers are not distinguished.
- Functions of libraries are assumed not to throw.

## Source

`ensure_cairo_resources` of kitty's `freetype.c` (a buffer that cannot be allocated leaves the released surface behind),
and Item 11 of "Effective C++".
"""

from __future__ import annotations

from collections.abc import Iterator

from ownlint import Finding, Function, members, rule

_LATER = ", or release it after the last operation that can fail"


@rule(severity="error", cwe=(415, 416))
def member_left_dangling(function: Function) -> Iterator[Finding]:
    for one in members.left(function):
        where = "where it throws" if one.exit.thrown else "where it returns"
        again = "released again" if one.trouble.what == "ended again" else "used"
        yield function.finding(
            function.flow.events[one.ended.at],
            f"`{one.name}` is left dangling by `{function.name}` {where}, and {again} by `{one.then.name}`",
            certainty=one.certainty,
            help=f"set `{one.name}` to null where it is released{'' if one.then is function else _LATER}",
            steps=(
                function.step(one.exit.at, f"`{function.name}` exits here while `{one.name}` still points to it"),
                one.then.step(one.trouble.at, f"{again} here"),
            ),
        )
