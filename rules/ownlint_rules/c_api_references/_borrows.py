"""Why a reference is borrowed, for a person."""

from __future__ import annotations

from ownlint import Function, Step, events, places, references


def steps(function: Function, site: events.Event, name: str) -> tuple[Step, ...]:
    """Where the function gets it: from a call at `site`, or as the parameter of that name."""
    if isinstance(site, events.CallEvent):
        called = places.called(site.node)
        if is_lent(function, site):
            return (function.step(site, f"`{called}` returns a borrowed reference here", "borrows"),)
        return (function.step(site, f"`{called}` stores a borrowed reference in `{name}` here", "borrows"),)
    given = (parameter for parameter in function.record.parameters if parameter.name == name)
    says = f"`{name}` is a parameter: its reference is borrowed from the caller"
    return tuple(function.step(parameter, says, "borrows") for parameter in given)


def is_lent(function: Function, site: events.Event) -> bool:
    """Whether a container lends it: not who called the function."""
    if not isinstance(site, events.CallEvent):
        return False
    model = references.references(function.program).model(site.node, function)
    return model is None or not model.format_lends
