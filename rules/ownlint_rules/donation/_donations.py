"""Whose storage is used when a call has taken it, in all Python of a program.

Few functions are run: those that call, by name, what may consume or what hands such a callable on. Functions that run
on stand-ins (they are traced) are none of them.
"""

from __future__ import annotations

from collections.abc import Iterator

from ownlint import (
    Certainty,
    Edit,
    File,
    Fix,
    Function,
    Program,
    Span,
    Step,
    because,
    handles,
    places,
    questions,
    text,
    weaker,
)
from ownlint import records as r
from ownlint_rules.donation._arrays import ARRAY, Arrays
from ownlint_rules.donation._donation import Consumer, DonationMisuse, DonationScope, Items, Loss, Own, Spec
from ownlint_rules.donation._donation_callables import Callables
from ownlint_rules.donation._donation_hot import Hot
from ownlint_rules.donation._donation_specs import Constant


class Ineffective(Step, frozen=True):
    """A wrapper call, or a call, that says it consumes and does not. `why`: `negative`, `keyword` or `reduced`."""

    why: str = ""
    shown: str = ""
    told: Step | None = None


class Donations:
    """What rules ask; one object a program."""

    def __init__(self, program: Program) -> None:
        self.program = program
        self.hot = Hot(program)
        self.callables = Callables(program, self.hot)
        self.consuming = program.models.consuming
        self.storage = self.consuming.storage
        self._misuses: questions.Answers[Function, list[DonationMisuse]] = questions.Answers([])
        self._switched: questions.Answers[str, bool] = questions.Answers()
        self.arrays = Arrays(program, self.callables, self._is_looked_at, lambda: self.traced)

    # --- which functions ---

    @property
    def python(self) -> list[Function]:
        return self.hot.python

    def concerned(self, function: Function) -> bool:
        """Whether the function may have to do with consuming at all."""
        return self.hot.concerned(function)

    # --- traced functions ---

    @questions.program_property
    def traced(self) -> frozenset[Function]:
        """Functions that are run on stand-ins, as far as the files tell; what stands in them, too."""
        found: set[Function] = set()
        files = {function.path for function in self.python if self.concerned(function)}
        for function in self.python:
            if function.path in files and function.mentions_any(self.hot.tracers):
                found.update(self._traced_in(function))
        grown = True
        while grown:
            inner = [f for f in self.python if f.path in files and f not in found and self._is_called_in(f, found)]
            found.update(inner)
            grown = bool(inner)
        return frozenset(found)

    def _traced_in(self, function: Function) -> Iterator[Function]:
        for part in function.values:
            if isinstance(part, r.Call) and self._may_trace(part):
                yield from self._traced_by(part, function)

    def _may_trace(self, call: r.Call) -> bool:
        """By its words: `jit(f)`, `jit(n=1)(f)`, `partial(jit, n=1)(f)`, or a callable of the project that wraps."""
        tracers = self.hot.tracers
        if places.last_name(call.callee) in tracers:
            return True
        inner = call.callee if isinstance(call.callee, r.Call) else call
        words = (places.last_name(inner.callee), *(places.last_name(argument) for argument in inner.args[:1]))
        return isinstance(call.callee, r.Call) and not tracers.isdisjoint(words)

    def _traced_by(self, call: r.Call, function: Function) -> Iterator[Function]:
        callee = call.callee
        at = self.callables.modules.definitions(function.file)
        if isinstance(callee, r.Call):  # a decorator with arguments
            scope = DonationScope(function)
            symbol = self.callables.canonical(callee.callee, function)
            by_partial = symbol == "functools.partial" and callee.args
            symbol = self.callables.canonical(callee.args[0], function) if by_partial else symbol
            traces = self.consuming.fits("traced_by", symbol) or isinstance(self.callables.known(callee, scope), Spec)
        else:
            traces = self.consuming.fits("traced_by", self.callables.canonical(callee, function)) or isinstance(
                self.callables.known(callee, DonationScope(function)), Spec
            )
        if not traces:
            return
        for argument in call.args:
            if isinstance(argument, r.Name) and argument.start in at:
                yield at[argument.start]
                continue
            given = argument.value if isinstance(argument, r.Pair) else argument
            if isinstance(given, (r.Name, r.Member, r.Lambda, r.Call, r.Aggregate)):
                known = self.callables.known(given, DonationScope(function))
                every = list(known.items.values()) if isinstance(known, Items) else [known]
                for one in every:
                    if isinstance(one, Own):
                        yield one.function
                    elif isinstance(one, Consumer) and one.wraps is not None:
                        yield one.wraps

    def _is_called_in(self, function: Function, traced: set[Function]) -> bool:
        """It stands in a traced function, or nobody but traced ones calls it."""
        if function.parent is not None and function.parent in traced:
            return True
        if function.record.kind not in ("function", "method"):
            return False
        callers = [
            caller for caller in self.program.index.callers_by_name(function.name) if caller.language == "python"
        ]
        return bool(callers) and all(caller in traced for caller in callers)

    # --- answers ---

    def misuses_in(self, function: Function) -> list[DonationMisuse]:
        return self._misuses.ask(function, lambda: self._found_misuses(function))

    def _found_misuses(self, function: Function) -> list[DonationMisuse]:
        if not self._is_looked_at(function) or self._is_switched_off(function.file):
            return []
        found: dict[Span, DonationMisuse] = {}
        for misuse in self.arrays.misuses_in(function):
            if misuse.stale is not None and misuse.kind in ("use", "again", "twice", "return"):
                found.setdefault(misuse.stale.at, self._as_donation(misuse, misuse.stale))
        return list(found.values())

    def _is_looked_at(self, function: Function) -> bool:
        return self.concerned(function) and function not in self.traced

    def _as_donation(self, misuse: handles.HandleMisuse, stale: handles.Stale) -> DonationMisuse:
        function, kind = misuse.function, "use" if misuse.kind == "return" else misuse.kind
        shown = next((text(v) for v in function.values if v.span == misuse.at), misuse.child.shown)
        by, certainty = stale.call.partition("(")[0], misuse.certainty
        if misuse.child.cls != ARRAY:
            certainty = weaker(certainty, because("type", not_known(shown)))
        if stale.failed:
            doubt: Certainty = because("path" if kind == "again" else "guess", f"this happens only if `{by}` fails")
            kind, certainty = "retry", weaker(doubt, certainty)
        elif stale.at.start >= misuse.at.start and (kind == "again" or stale.at == misuse.at) and kind != "twice":
            kind = "round"
        call = next((c for c in function.calls() for a in c.args if _given(a).span == stale.at), None)
        known = self.callables.known(call.callee, DonationScope(function)) if call is not None else None
        made = known.made if isinstance(known, Consumer) else None
        loss = Loss(stale.at, stale.target, by, stale.how, made)
        dropped = any(isinstance(s, r.Evaluate) and s.value is call for s in function.statements)
        if call is None or not dropped or shown != stale.target or not _stands_for(known, call, stale.at):
            return DonationMisuse(function, kind, misuse.at, shown, loss, certainty)
        return DonationMisuse(function, kind, misuse.at, shown, loss, certainty, shown, call.start)

    def _is_switched_off(self, file: File) -> bool:
        """The module itself switches consuming off for good."""
        return self._switched.ask(file.path, lambda: self._switches_off(file))

    def _switches_off(self, file: File) -> bool:
        body = self.callables.modules.body(file)
        found = False
        for statement in _always_run(body.body) if body is not None else ():
            match statement:
                case r.Evaluate(value=r.Call() as call) if body is not None:
                    found = found or self.arrays.switches_off(call, body)
        return found

    # --- what does nothing ---

    def ineffective_in(self, function: Function) -> Iterator[Ineffective]:
        """Places that say something is consumed, where nothing is."""
        if not self.concerned(function):
            return
        scope = DonationScope(function)
        for part in function.values:
            if isinstance(part, r.Call):
                yield from self._negative(part, scope)
                yield from self._by_keyword(part, scope)
                yield from self._reduced(part, scope)

    def _reduced(self, call: r.Call, scope: DonationScope) -> Iterator[Ineffective]:
        """A donated array of which nothing is returned but what a reduction has made of it: no result can have its
        storage."""
        inner = call.callee if isinstance(call.callee, r.Call) else call
        given = {a.key.text: a for a in inner.args if isinstance(a, r.Pair) and isinstance(a.key, r.Name)}
        keywords = [a for name, a in given.items() if name in self.consuming.wrapper_keywords]
        decorated = self.callables.modules.definitions(scope.function.file) if keywords else {}
        is_decoration = len(call.args) == 1 and isinstance(call.args[0], r.Name) and call.args[0].start in decorated
        known = self.callables.known(call.args[0] if is_decoration else call, scope) if keywords else None
        if not isinstance(known, Consumer) or known.wraps is None or len(known.takes) != 1:
            return
        (take,), body = known.takes, known.wraps
        back = [s.value for s in body.statements if isinstance(s, r.Leave) and s.kind == "return"]
        if back and take.name and all(value is not None and _is_reduced(value, take.name) for value in back):
            others = {one.text for value in back for one in places.walk(value) if isinstance(one, r.Name)}
            beside = sorted(others & {p.name for p in body.record.parameters} - {take.name})
            yield Ineffective(
                scope.function.path, keywords[0].span, take.name, why="reduced", shown=beside[0] if beside else ""
            )

    def _negative(self, call: r.Call, scope: DonationScope) -> Iterator[Ineffective]:
        symbol = self.callables.canonical(call.callee, scope.function)
        inner = call.args[0] if symbol == "functools.partial" and call.args else None
        known = self.callables.known(inner if inner is not None else call.callee, scope)
        if not isinstance(known, Spec):
            return
        for argument in call.args:
            match argument:
                case r.Pair(key=r.Name(text=keyword)) if keyword == known.model.positions:
                    read: Constant = self.callables.constant(argument.value, scope)
                    below = [word for word in (read[0] if read else ()) if isinstance(word, int) and word < 0]
                    if below:
                        yield Ineffective(
                            scope.function.path, argument.span, keyword, why="negative", shown=str(below[0])
                        )

    def _by_keyword(self, call: r.Call, scope: DonationScope) -> Iterator[Ineffective]:
        named = [a for a in call.args if isinstance(a, r.Pair) and isinstance(a.key, r.Name)]
        if not named or not (
            self.hot.names.callables.has(call.callee, scope.function.path) or isinstance(call.callee, r.Call)
        ):
            return
        known = self.callables.known(call.callee, scope)
        if not isinstance(known, Consumer) or known.keywords:
            return
        taken = {take.name for take in known.takes if take.name}
        for argument in named:
            assert isinstance(argument.key, r.Name)
            if argument.key.text in taken:
                at, shown = argument.span, places.last_name(call.callee)
                yield Ineffective(
                    scope.function.path, at, argument.key.text, why="keyword", shown=shown, told=known.made
                )


def _always_run(body: r.Body) -> Iterator[r.Statement]:
    """The statements that run whenever the body does, those in a `with` included."""
    for statement in body:
        if isinstance(statement, r.With | r.Block):
            yield from _always_run(statement.body)
        else:
            yield statement


def steps_of(misuse: DonationMisuse) -> tuple[Step, ...]:
    """The way to a misuse, in the order in which it happens."""
    function, loss = misuse.function, misuse.loss
    steps: list[Step] = []
    if loss.made is not None and loss.made.message:
        steps.append(loss.made)
    if misuse.kind != "twice" and loss.at != misuse.at:
        verb = {"erased": "is deleted here", "moved": "is donated here"}.get(
            loss.how, f"is donated to `{loss.by}` here"
        )
        steps.append(function.step(loss.at, f"`{loss.shown}` {verb}", "ends"))
    return tuple(steps)


def fix_of(misuse: DonationMisuse) -> Fix | None:
    """Binds the result of the consuming call to what it took, where that result is dropped and stands for it."""
    if not misuse.target:
        return None
    at = Span(misuse.statement, misuse.statement)
    edit = Edit(misuse.function.path, at, f"{misuse.target} = ")
    return Fix(f"assign the result to `{misuse.target}`", (edit,))


def _given(argument: r.Value) -> r.Value:
    return argument.value if isinstance(argument, r.Pair) else argument


_REDUCES = frozenset({"sum", "mean", "max", "min", "prod", "std", "var", "any", "all", "median", "nansum", "nanmean"})
_NUMBERS_OF = frozenset({"size", "ndim", "nbytes", "itemsize"})


def _is_reduced(value: r.Value, name: str) -> bool:
    """Whether a number is all that is left of the array of that name, and it is there: `jnp.sum(a) / a.size`."""
    match value:
        case r.Aggregate(kind="tuple", items=items):
            return bool(items) and all(_is_reduced(item, name) for item in items)
        case r.Binary(op="+" | "-" | "*" | "/" | "//" | "**", left=left, right=right):
            sides = (left, right)
            return any(_is_reduced(one, name) for one in sides) and all(
                _is_reduced(one, name) or _is_apart(one, name) for one in sides
            )
        case r.Unary(op="-", value=inner):
            return _is_reduced(inner, name)
        case r.Call(callee=r.Member(base=base, name=reduction), args=args) if reduction in _REDUCES:
            of = base if not args else args[0]
            return len(args) <= 1 and name in places.names_in(of)
    return False


def _is_apart(value: r.Value, name: str) -> bool:
    """Whether the array is not in it but for how large it is."""
    bases = {
        part.base.start
        for part in places.walk(value)
        if isinstance(part, r.Member) and part.name in _NUMBERS_OF and isinstance(part.base, r.Name)
    }
    return all(one.start in bases for one in places.walk(value) if isinstance(one, r.Name) and one.text == name)


def _stands_for(known: object, call: r.Call, at: Span) -> bool:
    """Whether the result surely has the shape of what was taken."""
    if not isinstance(known, Consumer) or known.wraps is None or len(known.takes) != 1:
        return False
    (take,) = known.takes
    place = next((n for n, argument in enumerate(call.args) if argument.span == at), -1)
    leaves = [s.value for s in known.wraps.statements if isinstance(s, r.Leave) and s.kind == "return"]
    shaped = (value is not None and _has_shape_of(value, take.name) for value in leaves)
    return place == take.position and bool(take.name and leaves) and all(shaped)


def _has_shape_of(value: r.Value, name: str) -> bool:
    """`s`, `s + x`, `x * s`, `s.at[0].set(x)`."""
    match value:
        case r.Name(text=text):
            return text == name
        case r.Binary(op="+" | "-" | "*" | "/", left=left, right=right):
            return _has_shape_of(left, name) or _has_shape_of(right, name)
        case r.Call(callee=r.Member(base=r.Index(base=r.Member(base=base, name="at")))):
            return _has_shape_of(base, name)
    return False


def not_known(shown: str) -> str:
    return f"it is not known whether `{shown}` has storage that can be donated"


@questions.program_question
def of(program: Program) -> Donations:
    """One object a program, since its answers are remembered."""
    return Donations(program)
