"""What the interpreter of handles sees, in words: for whoever asks why something is reported, or is not."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from ownlint.domains.handles.handle_flow import HandleInterpreter
from ownlint.domains.handles.handles import Handle, HandleState
from ownlint.engine.heap import SeenIncident, SeenRun
from ownlint.facts.base import Span
from ownlint.finding import reason_of


def seen(interpreter: HandleInterpreter) -> SeenRun:
    """One run of it, and what it found, at the first events of the statements and of the places."""
    run, events = SeenRun(), interpreter.function.flow.events

    def event_in(span: Span) -> int:
        inside = (one.index for one in events if span.start <= one.span.start < span.end)
        return next(inside, -1)

    def listen(span: Span, states: Sequence[HandleState]) -> None:
        for state in states:
            run.see(event_in(span), in_words(state))

    interpreter.listener = listen
    for misuse in interpreter.run():
        about = misuse.stale.call if misuse.stale is not None else misuse.owner
        said = f"{misuse.kind} of {_shown(misuse.child)} ({misuse.about}: {about})"
        run.incidents.append(SeenIncident(event_in(misuse.at), said, reason_of(misuse.certainty)))
    run.complete = not interpreter.too_long
    return run


def in_words(state: HandleState) -> Iterator[str]:
    """What is known in a state, a line for each name and each handle that it may hold."""
    for name, handles in sorted(state.names.entries.items()):
        for handle in sorted(handles, key=repr):
            yield f"{name} = {_shown(handle)}" + ("" if handle.holds else ", which does not keep its owner alive")
    for _, how in sorted(state.ended.items()):
        yield how[1]


def _shown(handle: Handle) -> str:
    kind = handle.cls.rpartition(".")[2]
    ended = f", {handle.stale.how} by {handle.stale.call}" if handle.stale is not None else ""
    return f"{handle.shown or 'it'} ({kind}{''.join(handle.path)}{ended})"
