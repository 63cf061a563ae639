"""Whose storage is used when a call has taken it, in all Python of a program.

Few functions are run: those that call, by name, what may consume or what hands such a callable on. Functions that run
on stand-ins (they are traced) are none of them.
"""

from __future__ import annotations

from collections.abc import Iterator

from ownlint import Edit, File, Fix, Function, Program, Span, Step, bodies, glance, places, questions
from ownlint import records as r
from ownlint_rules.donation._arrays import Arrays
from ownlint_rules.donation._donation import Consumer, DonationMisuse, DonationScope, Items, Own, Spec
from ownlint_rules.donation._donation_callables import Callables
from ownlint_rules.donation._donation_flow import DonationInterpreter
from ownlint_rules.donation._donation_hot import Hot
from ownlint_rules.donation._donation_specs import Constant
from ownlint_rules.donation._donation_values import LIVE, PLAIN, DonationSummary

_DEEPEST = 6


class Ineffective(Step, frozen=True):
    """A wrapper call, or a call, that says it consumes and does not. `why`: `negative` or `keyword`."""

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
        self._runs: questions.Answers[tuple[Function, DonationScope], DonationInterpreter | None] = questions.Answers(
            None
        )
        self._misuses: questions.Answers[Function, list[DonationMisuse]] = questions.Answers([])
        self._result_kinds: questions.Answers[Function, str] = questions.Answers("")
        self._lookers: questions.Answers[tuple[Function, str], bool] = questions.Answers()
        self._touches: questions.Answers[Function, frozenset[str]] = questions.Answers()
        self._switched: questions.Answers[str, bool] = questions.Answers()
        self._depth = 0
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
            if function.path in files and function.mentions(*self.hot.tracers):
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
            symbol = self._symbol(callee.callee, function)
            by_partial = symbol == "functools.partial" and callee.args
            symbol = self._symbol(callee.args[0], function) if by_partial else symbol
            traces = self.consuming.fits("traced_by", symbol) or isinstance(self.callables.known(callee, scope), Spec)
        else:
            traces = self.consuming.fits("traced_by", self._symbol(callee, function)) or isinstance(
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

    def _symbol(self, value: r.Value, function: Function) -> str:
        return self.program.models.canonical(self.callables.dotted(value, function))

    # --- answers ---

    def misuses_in(self, function: Function) -> list[DonationMisuse]:
        return self._misuses.ask(function, lambda: self._found_misuses(function))

    def _found_misuses(self, function: Function) -> list[DonationMisuse]:
        if not self.concerned(function) or function in self.traced or self._is_switched_off(function.file):
            return []
        run = self._run(function, self._scope(function))
        found = run.misuses() if run is not None and not run.too_long else []
        return found + [one for one in self.arrays.misuses_in(function) if not _is_told(one, found)]

    def _is_looked_at(self, function: Function) -> bool:
        return self.concerned(function) and function not in self.traced

    def _scope(self, function: Function) -> DonationScope:
        return DonationScope(function)

    def _run(self, function: Function, scope: DonationScope) -> DonationInterpreter | None:
        """Recursion knows nothing."""

        def answer() -> DonationInterpreter:
            run = DonationInterpreter(function, self, scope)
            run.run()
            return run

        return self._runs.ask((function, scope), answer)

    def _is_switched_off(self, file: File) -> bool:
        """The module itself switches consuming off for good."""
        return self._switched.ask(file.path, lambda: self._switches_off(file))

    def _switches_off(self, file: File) -> bool:
        body = self.callables.modules.body(file)
        found = False
        for statement in _always_run(body.body) if body is not None else ():
            match statement:
                case r.Evaluate(value=r.Call(callee=callee, args=(r.Literal(text=what), r.Literal(text="True")))):
                    switch = self.consuming.fits("switched_by", self._symbol(callee, body)) if body else False
                    found = found or (switch and what.strip("\"'") in self.storage.switches)
        return found

    # --- the world of an interpreter ---

    def summary(self, own: Own) -> DonationSummary | None:
        """What calling this does; None when nobody knows."""
        function = own.function
        if function in self.traced or not self._is_plain(function) or self._depth > _DEEPEST:
            return None
        if not self.concerned(function) and function.record.parent < 0:
            sets = frozenset(name[1:] for name in function.mentioned if name.startswith("="))
            return DonationSummary(sets=sets | self._sets_below(function, 3))
        given = own.around.given if own.around is not None else {}
        self._depth += 1
        run = self._run(function, DonationScope(function, given))
        self._depth -= 1
        found = run.summary() if run is not None else None
        return found._replace(sets=found.sets | self._sets_below(function, 3)) if found is not None else None

    def _sets_below(self, function: Function, depth: int) -> frozenset[str]:
        """Attributes that other methods set which it calls."""
        if function.cls is None or depth == 0:
            return frozenset()
        found: set[str] = set(self._touched(function))
        for cls in function.cls.ancestry:
            for method in cls.methods:
                if method is not function and function.mentions(method.name):
                    found.update(name[1:] for name in method.mentioned if name.startswith("="))
                    found |= self._touched(method)
        return frozenset(found)

    def _touched(self, function: Function) -> frozenset[str]:
        """Attributes of the receiver that get a method called of which nobody knows what it does."""
        return self._touches.ask(function, lambda: frozenset(self._found_touched(function)))

    def _found_touched(self, function: Function) -> Iterator[str]:
        return (
            part.callee.base.name
            for part in function.values
            if isinstance(part, r.Call)
            and isinstance(part.callee, r.Member)
            and isinstance(part.callee.base, r.Member)
            and part.callee.name not in self.storage.reads
            and part.callee.name not in self.storage.plain
        )

    def _is_plain(self, function: Function) -> bool:
        known = {"staticmethod", "classmethod"}
        return all(annotation.name in known for annotation in function.record.annotations)

    def kind(self, value: r.Value | None, scope: DonationScope) -> str:
        """What is known of an expression without running anything."""
        self._depth += 1
        found = self._kind(value, scope) if self._depth < _DEEPEST and value is not None else ""
        self._depth -= 1
        return found

    def _kind(self, value: r.Value, scope: DonationScope) -> str:
        match value:
            case r.Literal():
                return PLAIN
            case r.Call(callee=callee):
                symbol = self.program.models.canonical(self.callables.dotted(callee, scope.function))
                if self.consuming.fits("elsewhere", symbol):
                    return PLAIN
                if self.consuming.fits("made_by", symbol):
                    return LIVE
                known = self.callables.known(callee, scope)
                if isinstance(known, Consumer) and known.model is not None:
                    return LIVE
                if isinstance(known, Own) and self._is_plain(known.function):
                    return self._kind_of_result(known.function)
            case r.Aggregate(kind="tuple" | "list" | "dict", items=items) if items:
                kinds = {self.kind(i.value if isinstance(i, r.Pair) else i, scope) for i in items}
                return kinds.pop() if len(kinds) == 1 else ""
            case r.Name():
                found = self.callables.resolve(value, scope)
                return self.kind(*found) if found is not None else ""
            case r.Binary(left=left, right=right):
                kinds = {self.kind(left, scope), self.kind(right, scope)}
                return LIVE if LIVE in kinds else PLAIN if kinds == {PLAIN} else ""
        return ""

    def _kind_of_result(self, function: Function) -> str:
        return self._result_kinds.ask(function, lambda: self._find_kind_of_result(function))

    def _find_kind_of_result(self, function: Function) -> str:
        leaves = [s.value for s in function.statements if isinstance(s, r.Leave) and s.kind == "return"]
        kinds = {self.kind(value, DonationScope(function)) for value in leaves if value is not None}
        return kinds.pop() if len(kinds) == 1 else ""

    def only_looks(self, function: Function, name: str) -> bool:
        """Whether the function reads nothing of this parameter but what can be read when its storage is gone."""
        key = (function, name)
        return self._lookers.ask(key, lambda: self._only_looks(function, name))

    def _only_looks(self, function: Function, name: str) -> bool:
        if not function.body:
            return False
        return not any(
            self._looked_at(value, name, function) for s in function.statements for value in bodies.values(s)
        ) and not any(self._says_name(inner, name) for inner in self.program.index.nested(function))

    def _says_name(self, function: Function, name: str) -> bool:
        return glance.says(function, name)

    def _looked_at(self, value: r.Value, name: str, function: Function) -> bool:
        match value:
            case r.Name(text=text):
                return text == name
            case r.Member(base=r.Name(text=text), name=member) if text == name:
                return member not in self.storage.plain
            case r.Binary(op="is" | "is not"):
                return False
            case r.Call(callee=callee, args=args):
                symbol = self._symbol(callee, function)
                if self.consuming.fits("looks", symbol):
                    return False
                if self.consuming.fits("maps", symbol) and args:
                    return self._looked_at_by_leaf(args[0], args[1:], name, function)
                return any(self._looked_at(part, name, function) for part in (callee, *args))
            case r.Pair(value=inner) | r.Assign(value=inner):
                return self._looked_at(inner, name, function)
        return any(self._looked_at(part, name, function) for part in places.children(value))

    def _looked_at_by_leaf(self, mapped: r.Value, trees: tuple[r.Value, ...], name: str, function: Function) -> bool:
        """Of a tree that is mapped, what the function looks at that gets the leaves."""
        inner = self._mapped(mapped, function)
        names = [parameter.name for parameter in inner.record.parameters] if inner is not None else []
        for position, tree in enumerate(trees):
            leaf = names[position] if position < len(names) else ""
            whole = isinstance(tree, r.Name) and tree.text == name
            if whole and inner is not None and leaf and self.only_looks(inner, leaf):
                continue
            if self._looked_at(tree, name, function):
                return True
        return False

    def _mapped(self, value: r.Value, function: Function) -> Function | None:
        if isinstance(value, r.Lambda) and value.function >= 0:
            return self.program.index.function_at(function.file, value.function)
        known = self.callables.known(value, DonationScope(function)) if isinstance(value, (r.Name, r.Member)) else None
        return known.function if isinstance(known, Own) else None

    def repeats(self, function: Function, name: str) -> bool:
        """Whether the function calls this parameter in a loop."""
        for statement in function.statements:
            if isinstance(statement, r.Loop):
                inside = Span(statement.start, statement.end)
                for inner in function.statements:
                    if inner.start in inside and inner is not statement:
                        for value in bodies.values(inner):
                            if any(
                                isinstance(p, r.Call) and places.last_name(p.callee) == name for p in places.walk(value)
                            ):
                                return True
        return False

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

    def _negative(self, call: r.Call, scope: DonationScope) -> Iterator[Ineffective]:
        symbol = self._symbol(call.callee, scope.function)
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
        verb = {"ended": "is deleted here", "moved": "is donated here"}.get(loss.how, f"is donated to `{loss.by}` here")
        steps.append(function.step(loss.at, f"`{loss.shown}` {verb}", "ends"))
    return tuple(steps)


def fix_of(misuse: DonationMisuse) -> Fix | None:
    """Binds the result of the consuming call to what it took, where that result is dropped and stands for it."""
    if not misuse.target:
        return None
    at = Span(misuse.statement, misuse.statement)
    edit = Edit(misuse.function.path, at, f"{misuse.target} = ")
    return Fix(f"assign the result to `{misuse.target}`", (edit,))


def _is_told(misuse: DonationMisuse, known: list[DonationMisuse]) -> bool:
    """Whether something is said already of what the call took, or of that place."""
    return any(one.at == misuse.at or one.loss.at.start in misuse.loss.at for one in known)


@questions.program_question
def of(program: Program) -> Donations:
    """One object a program, since its answers are remembered."""
    return Donations(program)
