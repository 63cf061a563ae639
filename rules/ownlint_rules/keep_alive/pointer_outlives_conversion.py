"""A pointer outlives the temporary that it points into.

## What it reports

- a local pointer or view, a member, or a returned pointer into a string or array that was converted from a Python
  object in the same expression
- the same into a string, a container, an optional, a `StatusOr` or an owner that a call returns by value, or into a sum
  of strings; also a reference: `const Config& c = Load().value();`, `auto& first = All().front();`
- a loop over a part of such a temporary: `for (auto& one : Load().value())`
- the same into a tensor that a method has just made: `input.contiguous().data_ptr<float>()`
- a returned pointer or view into a local string or container
- a member that stores a pointer which `PyArg_ParseTuple` filled in (`s`, `y`)

## Why it is a bug

`py::cast<std::string>(x)` and `py::str(x)` create a new object, as `stream.str()` does. A `const char*` or
`string_view` into it dangles once it is destroyed. A pointer from `PyArg_ParseTuple` points into the argument, and is
valid only while the caller holds that.

## Example

bad:

```cpp
void SetTitle(Window& window, py::object title) {
  const char* text = py::str(title).cast<std::string>().c_str();
  window.SetTitle(text);
}
```

```text
case.cc:2: error: `text` points into the temporary `py::str(title).cast<std::string>()`, which is destroyed at the end
    of this statement
  help: store the object in a variable that lives as long as `text`: `auto object =
    py::str(title).cast<std::string>();`
```

good:

```cpp
void SetTitle(Window& window, py::object title) {
  std::string text = py::str(title).cast<std::string>();
  window.SetTitle(text.c_str());
}
```

## How to fix it

Store the converted object in a variable that lives as long as the pointer, or copy the data.

## What it does not report

- uses within the expression
- strings that are copied (`std::string`, `strdup`)
- objects with a name, and objects that are looked up or only rewrapped (`py::object(x)`)
- calls that return a reference or a view
- a reference to the temporary itself, or to a member that is named directly: these live as long as the reference
- methods that increment the reference count of an argument

## Known limitations

- A `std::shared_ptr` is not judged, nor is a string whose copies share their characters (`QByteArray`), unless a
  function of the library has just made it.
- Whether `py::str(x)` creates a new object depends on `x`; such findings are `likely`.

## Source

docs.python.org/3/c-api/arg.html: the buffer is the object's; lifetimes of temporaries: [class.temporary].
"""

from __future__ import annotations

from collections.abc import Iterator

from ownlint import Certainty, Finding, Function, because, rule
from ownlint_rules.keep_alive import _converted as converted

_WHY = {
    "kept": "harmless if the conversion only exposes memory that something else keeps alive",
    "stored": "harmless if the conversion only exposes memory that something else keeps alive",
    "returned": "harmless if the conversion only exposes memory that something else keeps alive",
    "parsed": "harmless if the caller's argument outlives it, or it is reassigned before the next use",
}
_KEPT_PLAIN = "harmless if it is reassigned before the next use"


@rule(severity="error", cwe=(416,), yields_to=("pointer-outlives-local",))
def pointer_outlives_conversion(function: Function) -> Iterator[Finding]:
    for one in converted.dangling(function):
        match one.how:
            case "returned":
                message = f"the returned pointer points into `{one.owner}`, which is destroyed on return"
            case "parsed":
                message = f"`{one.name}` stores the pointer `{one.owner}`, which is valid only while the argument lives"
            case "looped":
                message = f"the loop runs over a part of the temporary `{one.owner}`, which ends before it"
            case _:
                message = (
                    f"`{one.name}` points into the temporary `{one.owner}`, "
                    "which is destroyed at the end of this statement"
                )
        yield function.finding(one.at, message, certainty=_certainty(one), help=_help(one))


def _certainty(one: converted.Dangling) -> Certainty:
    if one.getter:
        return because("unread-code", f"that `{one.getter}` returns a part of its object is inferred from its body")
    if one.how == "looped":
        return because("version", "harmless since C++23, where such temporaries live as long as the loop")
    if not one.plain:
        return because("later-use", _WHY[one.how])
    return because("later-use", _KEPT_PLAIN) if one.how == "stored" else "certain"


def _help(one: converted.Dangling) -> str:
    match one.how:
        case "parsed":
            return f"store a copy of the data (as `strdup({one.owner})` makes), or a reference to the argument"
        case "returned":
            return "return the string or container itself by value"
        case "looped":
            return f"store the object in a variable before the loop: `auto object = {one.owner};`"
        case "stored":
            return f"store the object itself in a member: the result of `{one.owner}`"
    return f"store the object in a variable that lives as long as `{one.name}`: `auto object = {one.owner};`"
