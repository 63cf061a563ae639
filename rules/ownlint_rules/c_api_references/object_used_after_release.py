"""An object is used after the function released its last reference to it.

## What it reports

- a local whose reference was released on the path, as an argument, before `->`, or returned
- an item borrowed from a container that the function has released, or changed so that it drops the item
- a pointer into a string or bytes object that the function has released

## Why it is a bug

When the last reference is released the object is freed, together with what it lends: the items of a list, the
characters of a string. If a test passes, it is because something else happens to hold a reference.

## Example

bad:

```cpp
static const char* NameOf(PyObject* thing) {
  PyObject* name = PyObject_Str(thing);
  if (name == NULL) return NULL;
  const char* chars = PyUnicode_AsUTF8(name);
  Py_DECREF(name);
  return chars;
}
```

```text
case.cc:6: error: `chars` is used after its reference was released
  help: release it after the last use
```

good:

```cpp
static char* NameOf(PyObject* thing) {
  PyObject* name = PyObject_Str(thing);
  if (name == NULL) return NULL;
  const char* chars = PyUnicode_AsUTF8(name);
  char* copy = chars != NULL ? strdup(chars) : NULL;
  Py_DECREF(name);
  return copy;
}
```

## How to fix it

Release the object after its last use.

## What it does not report

- objects that something else keeps alive (stored in a container before, imported modules)
- locals that were reassigned or set to NULL in between
- a released reference that is only retained again, which `retained-after-release` reports
- items with a reference of their own

## Known limitations

- Of a container that is changed, items are known whose index or key is a constant or a variable. Code that a call runs
  in Python is not followed.

## Source

docs.python.org/3/c-api/intro.html#reference-count-details.
"""

from __future__ import annotations

from collections.abc import Iterator

from ownlint import Finding, Function, counting, events, memory, rule

_GONE = ("used after release", "retained after release")


@rule(severity="error", cwe=(416,), yields_to=("retained-after-release",))
def object_used_after_release(function: Function) -> Iterator[Finding]:
    told: set[tuple[int, str]] = set()
    for one in counting.troubles(function):
        if one.what in _GONE and (one.at.index, one.name) not in told:
            told.add((one.at.index, one.name))
            yield function.finding(
                one.at,
                f"`{one.name}` is used after its reference was released",
                certainty=one.doubt("sharing", "harmless if something else still owns a reference to it"),
                help="release it after the last use",
                steps=(function.step(one.because, "released here"),)
                if isinstance(one.because, events.CallEvent)
                else (),
            )
    for end in memory.reference_troubles(function, "used"):
        if (end.at.index, end.name) not in told:
            told.add((end.at.index, end.name))
            through = f" by `{end.through}`" if end.through else ""
            is_dropped = end.ended.why == "erased"
            gone = "its container dropped it" if is_dropped else "its reference was released"
            first = "call `Py_INCREF` before the container is changed"
            yield function.finding(
                end.at,
                f"`{end.name}` is used{through} after {gone}",
                certainty=memory.certainty(end),
                help=first if is_dropped else "release it after the last use",
                steps=(function.step(function.flow.events[end.ended.at], memory.told_end(end)),),
            )
