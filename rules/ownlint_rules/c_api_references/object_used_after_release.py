"""An object is used after the function released its last reference to it.

With the last `Py_DECREF` the object is gone, and with it what it lends: the items of a list, the characters of a
string. That it is still there in a test is luck, or somebody else's reference.

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

Reported: a local whose reference was released on the way, as an argument, behind `->`, or returned; an item borrowed
from a container that the function has released; a pointer into a string or into bytes that it has released. A function
of the project that looks something up, or that releases what it is given, is followed.

Quiet: objects that somebody else keeps alive (put into a container before, imported modules), locals that have got
another object or NULL since, items with a reference of their own.

Limits: that a container loses an item because it is changed is not looked at.

Source: docs.python.org/3/c-api/intro.html#reference-count-details.
"""

from __future__ import annotations

from collections.abc import Iterator

from ownlint import Finding, Function, because, counting, events, rule


@rule(severity="error", cwe=(416,))
def object_used_after_release(function: Function) -> Iterator[Finding]:
    told: set[tuple[int, str]] = set()
    for one in counting.troubles(function):
        if one.what == "used after release" and (one.at.index, one.name) not in told:
            told.add((one.at.index, one.name))
            yield function.finding(
                one.at,
                f"`{one.name}` is used after its reference was released",
                certainty=because("sharing", one.reason or "harmless if something else still owns a reference to it"),
                help="release it after the last use",
                steps=(function.step(one.because, "released here"),)
                if isinstance(one.because, events.CallEvent)
                else (),
            )
