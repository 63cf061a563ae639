"""A body as events: `CallEvent`, `Read`, `Write`, `End`, `LeaveEvent`, `OpaqueEvent`, and `Test`, where it branches.

The same for C++ and Python. An event is one moment of a function's run; `flow` says in which order
moments can follow each other. Events are compared by identity. They are dataclasses, not records: rules ask
`isinstance` of every event, which is several times slower of a class that has a metaclass.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from ownlint.facts import records as r
from ownlint.facts.records import Span
from ownlint.flow.places import Place


@dataclass(slots=True, eq=False)
class Event:
    span: Span
    index: int = field(default=-1, init=False)
    """Position in `Flow.events`, which is source order as far as there is one."""


@dataclass(slots=True, eq=False)
class CallEvent(Event):
    """A call runs. `dropped` says how its result is dropped: `statement`, `void cast`, `ignore`, or "" when it is used.
    `receiver` is the place it is called on; `into` the place that gets the result."""

    node: r.Call
    receiver: Place | None = None
    dropped: str = ""
    into: Place | None = None
    declares: str = ""
    """The type of the local that the result initialises, as written."""
    asserted: bool = False
    """It runs inside an assertion, and not at all in a release build."""
    awaited: bool = False
    """It is the operand of an `await`: what counts is what the awaited thing answers."""


@dataclass(slots=True, eq=False)
class Read(Event):
    place: Place
    node: r.Value


@dataclass(slots=True, eq=False)
class Write(Event):
    """`place` gets `value` (None when nobody says which). `fresh` when a local begins here;
    `type` is then its declared type."""

    place: Place
    value: r.Value | None
    op: str = "="
    fresh: bool = False
    type: str = ""
    target: r.Value | None = None
    """The expression that is assigned to; None where a declaration writes."""


@dataclass(slots=True, eq=False)
class End(Event):
    """The life of a local ends: `scope` (its block does), `del`, or `with` (the exit of a context).

    There is none for what a `return` ends, or a `throw` that leaves the function: then everything ends. A handler
    begins with the ends of what its `try` had begun."""

    place: Place
    why: str = "scope"


@dataclass(slots=True, eq=False)
class LeaveEvent(Event):
    """Control leaves the function. `via` names the macro when one does it; `kind` is `return`, `throw`
    or `end` (falling off the end)."""

    kind: str
    value: r.Value | None = None
    via: str = ""


@dataclass(slots=True, eq=False)
class Test(Event):
    """A condition is decided; the edges out of it are marked true and false. `constant` when only asserted
    (then there is no false edge: see `asserted`)."""

    value: r.Value
    asserted: bool = False
    evaluated: bool = False
    """Asserted by a macro that evaluates its arguments in every build."""


@dataclass(slots=True, eq=False)
class OpaqueEvent(Event):
    text: str
    names: tuple[str, ...] = ()


@dataclass(slots=True, eq=False)
class Mark(Event):
    """Where paths meet or a block opens; says nothing by itself."""

    what: str = ""
