"""A timer or a thread is started, and nothing keeps it alive.

An object that goes on by itself ends with its last name. A timer that only a local knows never fires; a thread that
still runs then takes the process with it.

bad:

```python
from PySide6.QtCore import QTimer

def remind(show):
    timer = QTimer()
    timer.timeout.connect(show)
    timer.start(1000)
```

good:

```python
from PySide6.QtCore import QTimer

def remind(window, show):
    timer = QTimer(window)
    timer.timeout.connect(show)
    timer.start(1000)
```

Reported: an object of a class that a model knows to run by itself, or of a class of the project that is one, which is
made without a parent, started, and known to a local alone, or to nobody.

Quiet: objects with a parent, objects that are stored, returned, handed on or looked at by a closure, functions that run
the event loop or wait, code of a module.

Limits: a thread that is handed to `moveToThread` counts as handed on, although that keeps nothing alive.

Source: run on PySide6 6.12; pytest-qt issue 276.
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
            certainty=because("unread-code", "code that was not analyzed may keep it alive"),
            help="give it a parent, or store it on an object that lives longer",
            steps=(function.step(dropped.made, f"{what} is created here without a parent", "owns"),),
        )
