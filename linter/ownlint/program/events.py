"""A body as six events: `Call`, `Read`, `Write`, `End`, `Leave`, `Opaque` (and `Test`, where it branches).

The same for C++ and Python. An event is one moment of a function's run; `flow` says in which order
moments can follow each other. Events are compared by identity.
"""

from __future__ import annotations

import msgspec

from ownlint.facts import records as r
from ownlint.facts.records import Span
from ownlint.program.places import Place


class _Numbered(msgspec.Struct, kw_only=True, eq=False, gc=False):
    index: int = -1
    """Position in `Flow.events`, which is source order as far as there is one."""


class Event(_Numbered, eq=False, gc=False):
    span: Span


class Call(Event, eq=False, gc=False):
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


class Read(Event, eq=False, gc=False):
    place: Place
    node: r.Value


class Write(Event, eq=False, gc=False):
    """`place` gets `value` (None when nobody says which). `fresh` when a local begins here;
    `type` is then its declared type."""

    place: Place
    value: r.Value | None
    op: str = "="
    fresh: bool = False
    type: str = ""
    target: r.Value | None = None
    """The expression that is assigned to; None where a declaration writes."""


class End(Event, eq=False, gc=False):
    """The life of a local ends: `scope` (its block does), `del`, or `with` (the exit of a context).

    There is none for what a `return` ends, or a `throw` that leaves the function: then everything ends. A handler
    begins with the ends of what its `try` had begun."""

    place: Place
    why: str = "scope"


class Leave(Event, eq=False, gc=False):
    """Control leaves the function. `via` names the macro when one does it; `kind` is `return`, `throw`
    or `end` (falling off the end)."""

    kind: str
    value: r.Value | None = None
    via: str = ""


class Test(Event, eq=False, gc=False):
    """A condition is decided; the edges out of it are marked true and false. `constant` when only asserted
    (then there is no false edge: see `asserted`)."""

    value: r.Value
    asserted: bool = False


class Opaque(Event, eq=False, gc=False):
    text: str
    names: tuple[str, ...] = ()


class Mark(Event, eq=False, gc=False):
    """Where paths meet or a block opens; says nothing by itself."""

    what: str = ""
