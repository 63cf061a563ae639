"""Arrays that a call takes the buffer of, as one more kind of handles: what the interpreter of handles asks.

What makes an array, what reads one, and what consumes it is said by the models and by `_donation_callables`. Where an
array is, and which code runs on it, the interpreter knows by itself.
"""

from __future__ import annotations

from collections.abc import Callable

from ownlint import Function, Program, handle_runs, handles, python_calls, questions
from ownlint import records as r
from ownlint_rules.donation._donation import Consumer, DonationMisuse, DonationScope, Loss
from ownlint_rules.donation._donation_callables import Callables

_ARRAY = "<array>"
_MOST_ARGUMENTS = 9


class Arrays:
    """The classes of handles there are: one."""

    def __init__(
        self,
        program: Program,
        callables: Callables,
        concerned: Callable[[Function], bool],
        traced: Callable[[], frozenset[Function]],
    ) -> None:
        self.program = program
        self.callables = callables
        self.consuming = program.models.consuming
        self.storage = self.consuming.storage
        self.traced = traced
        self.runs = handle_runs.HandleRuns(program, self, concerned)
        self._consumers: questions.Answers[tuple[Function, int, int], handles.Fact | None] = questions.Answers(None)
        self._functions: questions.Answers[str, handles.Fact | None] = questions.Answers()

    def misuses_in(self, function: Function) -> list[DonationMisuse]:
        """Uses of an array after a call has surely taken its buffer."""
        asks = (*self.storage.asks, *self.storage.expects, *self.storage.switched_by, *self.storage.suspends)
        if function.mentions(*(name.rpartition(".")[2] for name in asks)):
            return []  # who asks knows what happens here
        return [
            _as_donation(misuse, misuse.stale)
            for misuse in self.runs.misuses_in(function)
            if misuse.stale is not None and misuse.kind == "use" and misuse.about == "erased"
        ]

    # --- what the interpreter asks ---

    @property
    def code(self) -> python_calls.PythonCode:
        return python_calls.of(self.program)

    def find(self, dotted: str) -> str | None:
        return None

    def role(self, cls: str) -> str:
        return ""

    def member(self, cls: str, name: str) -> handles.Fact | None:
        if cls != _ARRAY:
            return None
        if name in self.storage.plain or name in self.storage.ends:
            return handles.Fact("copy", asks=True)
        if name in self.storage.same_methods:
            return handles.Fact("owner", _ARRAY, where="same")
        if name in self.storage.reads and name not in self.storage.fetches:
            return handles.Fact("own", _ARRAY)
        return handles.Fact("copy", called=name in self.storage.reads)

    def function(self, dotted: str) -> handles.Fact | None:
        return self._functions.ask(dotted, lambda: self._function(dotted))

    def _function(self, dotted: str) -> handles.Fact | None:
        symbol = self.program.models.canonical(dotted)

        def fits(what: str) -> bool:
            return self.consuming.fits(what, symbol)

        if fits("same"):
            return handles.Fact("owner", _ARRAY, source=1, where="same", asks_of=(1,))
        if fits("looks"):
            made = "own" if fits("made_by") else "copy"
            return handles.Fact(made, _ARRAY if made == "own" else "", asks_of=tuple(range(1, _MOST_ARGUMENTS)))
        if fits("made_by"):
            return handles.Fact("own", _ARRAY)
        return handles.Fact("copy") if fits("elsewhere") and not symbol.startswith("builtins.") else None

    def calling(self, function: Function, callee: r.Value) -> handles.Fact | None:
        """A callable that a wrapper made, which surely takes some of its arguments."""
        if not isinstance(callee, (r.Name, r.Member, r.Call)):
            return None
        key = (function, callee.start, callee.end)
        return self._consumers.ask(key, lambda: self._calling(function, callee))

    def _calling(self, function: Function, callee: r.Value) -> handles.Fact | None:
        known = self.callables.known(callee, DonationScope(function))
        if not isinstance(known, Consumer) or known.held or known.model is None:
            return None
        sure = known.certainty == "certain" and all(take.certainty == "certain" for take in known.takes)
        whole = [take for take in known.takes if not take.steps and not take.outer] if sure else []
        names = known.parameters if known.keywords else ()
        places = {names.index(t.name) if t.position < 0 and t.name in names else t.position for t in whole}
        ends = tuple((place + 1, "deep") for place in sorted(places) if place >= 0)
        return handles.Fact("own", _ARRAY, ends=ends, parameters=names, given=(_ARRAY,))  # type: ignore[arg-type]

    def called(self, target: Function, given: handles.Given) -> handles.HandleSummary | None:
        if target in self.traced():
            return None
        followed = any(one.cls == _ARRAY or one.cls.startswith(python_calls.CODE) for one in given)
        if not followed and not self.runs.concerned(target):
            return handles.HandleSummary((handles.HandleCase(),))
        return self.runs.run(target, given).summary

    def result(self, symbol: str) -> str | None:
        return None

    def told_by(self, function: Function, member: str) -> str:
        return ""

    def asked_of(self, function: Function, parameter: str) -> str:
        return ""

    def derived(self, symbol: str) -> str:
        return ""

    def attributes(self, function: Function) -> handles.Attributes | None:
        return None


def _as_donation(misuse: handles.HandleMisuse, stale: handles.Stale) -> DonationMisuse:
    shown = misuse.child.shown if misuse.child.shown.isidentifier() else stale.target
    by = stale.call.partition("(")[0]
    loss = Loss(stale.at, stale.target, by, "consumed", misuse.certainty)
    return DonationMisuse(misuse.function, "use", misuse.at, shown, loss, misuse.certainty)
