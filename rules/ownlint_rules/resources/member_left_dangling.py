"""A member is left leading to what was released.

## What it reports

- memory, descriptors and other handles that a member holds, a member of what a member points to, or a variable of the
  file
- of a class, whose methods work on it, or of a struct that is the first parameter of functions
- released here or by a function of the project
- where the destructor, or a function that ends the object by its name, releases it again, or, after an exit that is not
  the usual one, where another function does or uses it. A `new` that finds no memory throws, and so does a function of
  the project that says `throw`.

## Why it is a bug

A function releases what a member of its object holds, and is left before the member has another value: by a `return`
where something has failed, or by a throw. The object lives on, and its destructor releases the same once more, or the
next function uses it.

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

Set `data_` to null where it is released, or release it after the last operation that can fail.

## What it does not report

- members that are set to null, exchanged or swapped before the exit, another value on every path, flags that the
  destructor asks, what the destructor alone calls, private helpers whose callers give the member another value,
  functions that end the object as a whole, `noexcept` functions, and `new (std::nothrow)`. What only closes, on every
  path, is not asked whether somebody uses the object afterwards.

## Known limitations

- elements of arrays and containers are not told apart. Functions of libraries throw nothing.

## Source

`ensure_cairo_resources` of kitty's `freetype.c` (a buffer that cannot be allocated leaves the released surface behind),
and Item 11 of "Effective C++".
"""

from __future__ import annotations

from collections.abc import Iterator

from ownlint import Finding, Function, members, rule


@rule(severity="error", cwe=(415, 416))
def member_left_dangling(function: Function) -> Iterator[Finding]:
    for one in members.left(function):
        where = "where it throws" if one.exit.thrown else "where it returns"
        again = "released again" if one.trouble.what == "ended again" else "used"
        yield function.finding(
            function.flow.events[one.ended.at],
            f"`{one.name}` is left dangling by `{function.name}` {where}, and {again} by `{one.then.name}`",
            certainty=one.certainty,
            help=(
                f"set `{one.name}` to null where it is released, or release it after the last operation that can fail"
            ),
            steps=(
                function.step(one.exit.at, f"`{function.name}` exits here while `{one.name}` still points to it"),
                one.then.step(one.trouble.at, f"{again} here"),
            ),
        )
