"""A pointer outlives the converted temporary that it points into.

## What it reports

- a local pointer or view, a member, or the result of a function, that leads into a string or array converted from a
  Python object in the same expression, or (for a result) in a local
- memory that an argument was parsed to and that a method's object keeps by its address.

## Why it is a bug

`py::cast<std::string>(x)`, `py::str(x)` and `py::array_t<float>(x)` make something new, and a `const char*`, a
`string_view` or a `float*` into it is worth nothing once that has ended. What `PyArg_ParseTuple` finds for an `s` or a
`y` leads into the argument, and lives as long as the caller holds that.

## Example

bad:

```cpp
void SetTitle(Window& window, py::object title) {
  const char* text = py::str(title).cast<std::string>().c_str();
  window.SetTitle(text);
}
```

```text
case.cc:2: error: `text` points into `py::str(title).cast<std::string>()`, which is destroyed at the end of this
    statement
  help: store the converted object in a variable that lives as long
```

good:

```cpp
void SetTitle(Window& window, py::object title) {
  std::string text = py::str(title).cast<std::string>();
  window.SetTitle(text.c_str());
}
```

## How to fix it

Store the converted object in a variable that lives as long.

## What it does not report

- what is used within the expression, strings that are copied (`std::string`, `strdup`), arrays and objects with a name,
  objects that are looked up or only renamed (`py::object(x)`), methods that count one of their arguments up.

## Known limitations

- plain C++ (`std::to_string(n).c_str()`) is left to the compiler, which warns. Whether `py::str(x)` makes anything new
  depends on `x`
- that is why those are `likely`.

## Source

docs.python.org/3/c-api/arg.html: the buffer is the object's; lifetimes of temporaries: [class.temporary].
"""

from __future__ import annotations

from collections.abc import Iterator

from ownlint import Finding, Function, because, rule
from ownlint_rules.keep_alive import _converted as converted

_WHY = {
    "kept": "harmless if the conversion only exposes memory that something else keeps alive",
    "stored": "harmless if the conversion only exposes memory that something else keeps alive",
    "returned": "harmless if the conversion only exposes memory that something else keeps alive",
    "parsed": "harmless if the caller's argument outlives it, or it is reassigned before the next use",
}


@rule(severity="error", cwe=(416,))
def pointer_outlives_conversion(function: Function) -> Iterator[Finding]:
    for one in converted.dangling(function):
        match one.how:
            case "returned":
                message = f"the returned pointer points into `{one.owner}`, which is destroyed here"
            case "parsed":
                message = f"`{one.name}` stores the address of `{one.owner}`, which belongs to an argument"
            case _:
                message = f"`{one.name}` points into `{one.owner}`, which is destroyed at the end of this statement"
        yield function.finding(one.at, message, certainty=because("later-use", _WHY[one.how]), help=_help(one))


def _help(one: converted.Dangling) -> str:
    return (
        "copy the data"
        if one.how in ("parsed", "returned")
        else ("store the converted object in a variable that lives as long")
    )
