"""Arrays that a call takes the buffer of, as one more kind of handles: what the interpreter of handles asks.

What makes an array, what reads one, and what consumes it is said by the models and by `_donation_callables`. Where an
array is, and which code runs on it, the interpreter knows by itself.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property

import msgspec

from ownlint import (
    Function,
    Program,
    handle_chains,
    handle_flow,
    handle_runs,
    handles,
    places,
    python_calls,
    questions,
    weaker,
)
from ownlint import records as r
from ownlint_rules.donation._donation import Consumer, DonationScope
from ownlint_rules.donation._donation_callables import Callables

ARRAY, ANYTHING, _PARTS = "<array>", "<anything>", "<parts>"
"""What surely has storage to lose, what may have, and a sequence of parts of an array."""
_MOST_ARGUMENTS = 9
_BY_NAME = 32
"""Parameters from here on are those that are known by name alone."""


class Arrays(handles.Classes):
    """The classes of handles there are."""

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
        self._names: questions.Answers[tuple[Function, int, int], str] = questions.Answers("")
        self._functions: questions.Answers[str, handles.Fact | None] = questions.Answers()
        self._members: questions.Answers[tuple[str, str], handles.Fact | None] = questions.Answers()
        self._left: questions.Answers[Function, handles.Attributes | None] = questions.Answers(None)
        self._made: dict[str, handles.Fact] = {}

    def misuses_in(self, function: Function) -> list[handles.HandleMisuse]:
        """Uses of an array after a call has taken its buffer."""
        asks = (*self.storage.expects, *self.storage.switched_by, *self.storage.suspends)
        calls = function.calls() if function.mentions(*(name.rpartition(".")[2] for name in asks)) else ()
        if any(self._expects(call, function) or self.switches_off(call, function) for call in calls):
            return []  # who asks knows what happens here
        return self.runs.run(function).misuses

    def _expects(self, call: r.Call, function: Function) -> bool:
        """Whether it expects that what is given to it fails, or takes care that nothing is consumed."""
        symbol = self.callables.canonical(call.callee, function)
        fits = self.consuming.fits
        return fits("expects", symbol) or fits("expects", places.last_name(call.callee)) or fits("suspends", symbol)

    def switches_off(self, call: r.Call, function: Function) -> bool:
        """Whether nothing is consumed after it."""
        match call.args:
            case (r.Literal(text=what), r.Literal(text="True")) if what.strip("\"'") in self.storage.switches:
                return self.consuming.fits("switched_by", self.callables.canonical(call.callee, function))
        return False

    # --- what the interpreter asks ---

    @property
    def code(self) -> python_calls.PythonCode:
        return python_calls.of(self.program)

    @property
    def anything(self) -> str:
        return ANYTHING

    def annotated(self, dotted: str) -> str | None:
        symbol = self.program.models.canonical(dotted)
        if self.consuming.fits("types", symbol):
            return ARRAY
        if self.consuming.fits("foreign_types", symbol):
            return handles.PLAIN
        cls = self.callables.modules.class_of(dotted)
        return self.code.object_of(cls) if cls is not None else None

    def role(self, cls: str) -> str:
        return "tree" if cls[:1] == "<" else ""

    def member(self, cls: str, name: str) -> handles.Fact | None:
        return self._members.ask((cls, name), lambda: self._member(cls, name))

    def _member(self, cls: str, name: str) -> handles.Fact | None:
        of_it = handles.Fact("owner", cls, asks=True, called=False, unknown=True)
        if name[0] in "([":
            return of_it if name[0] == "(" or cls == _PARTS else None
        if name in ("__next__", "__getitem__"):
            return handles.Fact("own", cls)
        if name.startswith("__") or name in self.storage.aside:
            return handles.Fact("copy", asks=True) if name in self.storage.aside + self.storage.plain else None
        if name in self.storage.asks:
            return handles.Fact("copy", asks=True, restores=(0,))
        if name in self.storage.ends and cls == ARRAY:
            return handles.Fact("copy", asks=True, ends=((0, "deep"),))
        if name in self.storage.plain or (cls == ARRAY and name.startswith("_")):
            return handles.Fact("copy", asks=True)
        if name in self.storage.parts:
            return handles.Fact("owner", _PARTS, asks=True, called=False)
        if name in self.storage.same_methods and cls == ARRAY:
            return handles.Fact("owner", ARRAY, where="same")
        if name in self.storage.fetches:
            return handles.Fact("copy")
        if name in self.storage.reads:
            kept = self.storage.plain if name in self.storage.same_when and cls == ARRAY else ()
            return handles.Fact("own", cls, called=False, kept=kept)
        return of_it

    def function(self, dotted: str) -> handles.Fact | None:
        return self._functions.ask(dotted, lambda: self._function(dotted))

    def _function(self, dotted: str) -> handles.Fact | None:
        symbol = self.program.models.canonical(dotted)

        def fits(what: str) -> bool:
            return self.consuming.fits(what, symbol)

        made = "own" if fits("made_by") else "copy"
        array = ARRAY if made == "own" else ""
        known: handles.Fact | None = None
        if fits("maps"):
            return handles.Fact("own", ANYTHING, whole=True, runs="each")
        if fits("repeats"):
            return handles.Fact("copy", whole=True, runs="again")
        if fits("same"):
            known = handles.Fact("owner", ARRAY, source=1, where="same", whole=True)
        elif fits("looks"):
            known = handles.Fact(made, array, asks_of=tuple(range(1, _MOST_ARGUMENTS)))
        elif made == "own":
            kept = self.storage.plain if fits("same_when") else ()
            known = handles.Fact("own", ARRAY, whole=True, kept=kept)
        elif fits("elsewhere") and not symbol.startswith("builtins."):
            known = handles.Fact("copy", whole=True)
        model = self.consuming.consumers.get(symbol)
        if model is None or model.is_wrapper:
            return known
        taking = handles.Fact("own", ARRAY, ends=((1, "deep"),), how="moved", whole=True)
        return msgspec.structs.replace(taking, when=model.when, otherwise=known)

    def made_of(self, function: Function, value: r.Value) -> str:
        if not isinstance(value, (r.Name, r.Member, r.Call)):
            return ""
        return self._names.ask((function, value.start, value.end), lambda: self._made_of(function, value))

    def _made_of(self, function: Function, value: r.Value) -> str:
        known = self.callables.known(value, DonationScope(function))
        if not isinstance(known, Consumer) or known.held or known.model is None:
            return ""
        names = known.parameters if known.keywords else ()
        names += ("",) * (_BY_NAME - len(names)) if known.keywords else ()
        ends: list[int] = []
        for take in known.takes:
            if take.position >= 0:
                ends.append(take.position + 1)
            elif take.name and known.keywords:
                if take.name not in names:
                    names = (*names, take.name)
                ends.append(names.index(take.name) + 1)
        sure = weaker(known.certainty, *(take.certainty for take in known.takes))
        fact = handles.Fact(
            "own", ARRAY, ends=tuple((n, "deep") for n in sorted(ends)), parameters=names, sure=sure, whole=True
        )
        name = f"{handles.MADE}{ends} {names} {sure}"
        self._made[name] = fact
        return name

    def made(self, name: str) -> handles.Fact:
        return self._made[name]

    def fails(self, handler: str) -> bool:
        """Whether a handler takes what a call can raise that has taken its arguments."""
        words = handler.replace("(", " ").replace(")", " ").replace(",", " ").replace("|", " ").split()
        return not words or any(word.rpartition(".")[2] in self.storage.failures for word in words)

    def called(self, target: Function, given: handles.Given) -> handles.HandleSummary | None:
        if target in self.traced():
            return None
        runs = self.run_of(target)
        return runs.run(target, given).summary if runs is not None else None

    def run_of(self, target: Function) -> handle_runs.HandleRuns | None:
        return self.runs if self.runs.concerned(target) else self.beyond.runs

    @cached_property
    def beyond(self) -> _Beyond:
        return _Beyond(self)

    def result(self, symbol: str) -> str | None:
        return ANYTHING

    def asked_of(self, function: Function, name: str) -> str:
        record = function.record
        bound = function.cls is not None and "static" not in record.qualifiers and record.kind != "lambda"
        return "" if bound and record.parameters and record.parameters[0].name == name else ANYTHING

    def attributes(self, function: Function) -> handles.Attributes | None:
        """Attributes of which all methods that set one say that it is an array."""
        if function.cls is None or function.record.kind not in ("method", "constructor"):
            return None
        found = [
            left
            for cls in function.cls.ancestry
            for method in cls.methods
            if method is not function and any(name.startswith("=") for name in method.mentioned)
            if (left := self._left_by(method)) is not None
        ]
        by_slot: dict[str, set[handles.Handle]] = {}
        for handle in (handle for left in found for handle in left.held):
            by_slot.setdefault(handle.path[0], set()).add(handle)
        held: set[handles.Handle] = set()
        owners: list[tuple[int, str, r.Span, bool]] = []
        for slot, every in sorted(by_slot.items()):
            if {(h.cls, h.path) for h in every} == {(ARRAY, (slot,))}:
                first = handles.in_order(every)[0]
                token = handles.foreign(first.taken.start)
                shown = f"{function.record.parameters[0].name}{slot}" if function.record.parameters else slot
                held.add(first._replace(token=token, shown=shown, chain=handle_chains.HandleChain()))
                owners.append((token[0], shown, first.taken, False))
        return handles.Attributes(frozenset(held), tuple(owners)) if held else None

    def _left_by(self, method: Function) -> handles.Attributes | None:
        """What a method leaves in its object's attributes, of an object that had none."""

        def answer() -> handles.Attributes | None:
            interpreter = handle_flow.HandleInterpreter(method, self, {}, alone=True)
            interpreter.run()
            return interpreter.attributes()

        return self._left.ask(method, answer)


class _Beyond(Arrays):
    """How functions are run that have nothing to do with consuming, and are called by those that have: of what they
    call in their turn, but for what is defined in them, nobody knows what it does."""

    def __init__(self, home: Arrays) -> None:
        super().__init__(home.program, home.callables, home.runs.concerned, home.traced)
        self.home = home
        self._made = home._made  # what one of them returns, the other calls

    def run_of(self, target: Function) -> handle_runs.HandleRuns | None:
        if self.runs.concerned(target):
            return self.home.runs
        return self.runs if target.record.parent >= 0 else None
