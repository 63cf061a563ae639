"""A timer or a thread is started, and nothing keeps it alive.

## What it reports

- a timer, thread or animation that is created without a parent, started, and held only by a local variable
- the same without any variable
- the same for a class of the project that derives from one

## Why it is a bug

The object is destroyed with its last reference. A timer that only a local holds never fires; a thread that is still
running aborts the process.

## Example

bad:

```python
from PySide6.QtCore import QTimer

def remind(show):
    timer = QTimer()
    timer.timeout.connect(show)
    timer.start(1000)
```

```text
case.py:6: warning: `timer` is started and is destroyed when the function returns: nothing keeps it alive
  help: give it a parent, or store it on an object that lives longer
```

good:

```python
from PySide6.QtCore import QTimer

def remind(window, show):
    timer = QTimer(window)
    timer.timeout.connect(show)
    timer.start(1000)
```

## How to fix it

Give it a parent (`QTimer(self)`), or store it on an object that lives longer.

## What it does not report

- objects with a parent
- objects that are stored, returned, passed on or captured by a closure
- functions that run the event loop or wait
- module-level code

## Known limitations

- A thread passed to `moveToThread` counts as passed on, although that does not keep it alive.

## Source

run on PySide6 6.12; pytest-qt issue 276.
"""

from __future__ import annotations

from collections.abc import Iterator

from ownlint import Finding, Function, because, rule, text
from ownlint_rules.lifetimes import _running as running


@rule(severity="warning", cwe=(404,), languages=("python",))
def started_and_dropped(function: Function) -> Iterator[Finding]:
    for dropped in running.of(function.program).dropped_in(function):
        what = f"`{dropped.name}`" if dropped.name else f"`{text(dropped.made)}`"
        ends = "is destroyed when the function returns" if dropped.name else "is destroyed immediately"
        yield function.finding(
            dropped.started,
            f"{what} is started and {ends}: nothing keeps it alive",
            certainty=because("unread-code", "code that was not analysed may keep it alive"),
            help="give it a parent, or store it on an object that lives longer",
            steps=(function.step(dropped.made, f"{what} is created here without a parent", "owns"),),
        )
