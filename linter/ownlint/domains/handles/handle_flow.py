"""An abstract interpreter over the structured body of a Python function: which handles are used too late.

States are kept apart path by path, at most so many of them, so that two branches that each bind
an owner and its child do not accuse each other.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import ClassVar, cast

import msgspec

from ownlint.domains.handles.handle_chains import HandleChain, Reach
from ownlint.domains.handles.handle_loops import Loops
from ownlint.domains.handles.handle_stores import Dependence, in_sequence
from ownlint.domains.handles.handle_stores import without as without_stored
from ownlint.domains.handles.handle_values import tells_of_classes
from ownlint.domains.handles.handles import (
    AWAITED,
    CLOSING,
    ENDED_AFTER,
    ENTERED,
    FOR_GOOD,
    LIST,
    NOTHING,
    Attributes,
    Classes,
    Ending,
    Handle,
    HandleCase,
    HandleMisuse,
    Handles,
    HandleState,
    HandleSummary,
    Harm,
    How,
    Stale,
    StoredHandle,
    Token,
    foreign,
    in_order,
    inside,
    is_given,
    is_out_of_reach,
    is_parameter,
    native,
)
from ownlint.domains.python_calls import CODE, PassedArgument, passed
from ownlint.engine.containment import ANY, BURIED, HELD, VALUE, value_slot
from ownlint.engine.decided import bound, without
from ownlint.facts import records as r
from ownlint.facts.records import Span
from ownlint.facts.show import text
from ownlint.finding import SOME_PATHS, because, weaker
from ownlint.project.closures import kept_out_of_sight, outside_names, read_by_functions
from ownlint.project.questions import flow_question
from ownlint.project.subjects import Function

_RETURNED = "<returned>"
_ENTERING = ((ENTERED,), (CLOSING,))
_HARMLESS = {
    "next": "harmless if it is never the next element",
    "users": "harmless if each operation uses the value once",
    "inside": "harmless if the erased operation contains nothing",
    "added": "harmless if the loop stops adding elements by itself",
}
"""Why something that is done while a loop or a walk runs need not meet it, by kind of harm."""
_SOMETHING = "?"
_WITH_ENDS = "its `with` block ends here"


class HandleInterpreter(Loops):
    """Runs one function abstractly and collects misuses. `given` are handles that the caller passes."""

    MOST_CASES: ClassVar[int] = 4
    """Ways to end that a caller of a function tells apart."""

    def __init__(
        self,
        function: Function,
        classes: Classes,
        given: dict[str, Handles] | None = None,
        *,
        alone: bool = False,
        after: Attributes | None = None,
    ) -> None:
        """`alone`: without what other methods leave in the attributes of its object; `after`: with what one of them
        leaves there."""
        super().__init__(function, classes)
        self.alone = alone
        self.after = after
        self.given = given or {}
        self.found: dict[_Key, list[HandleMisuse]] = {}
        self.reached: dict[_Key, int] = {}
        self.looks: dict[tuple[Token, HandleChain], bool] = {}
        """What of that which is given is used, and whether on all ways."""
        self.early: frozenset[Ending] = frozenset()
        """What a generator has ended before it first gave something."""
        self.has_given = False
        self.raising: list[list[HandleState]] = []
        """For each `try` around, the states in which what is called has raised."""
        self.raised: list[HandleState] = []
        """In which the function raises."""
        self.inner_statements = 0
        """How many statements are around that need not be gone into."""
        self.tested = False
        """What is done now is expected to raise: that is what is tested."""
        self.yields: set[Handle] = set()
        self.hidden = kept_out_of_sight(function)
        self.outside = outside_names(function)
        self.is_module = function.record.kind == "module"
        self.looked_at = read_by_functions(function) if self.is_module else frozenset[str]()

    # --- running ---

    def run(self) -> list[HandleMisuse]:
        if not self.follow(self.start()):
            return []
        for state in self.ends:
            self.leave(state)
        out = []
        for key, misuses in sorted(self.found.items()):
            sure = self.reached[key] == len(misuses)
            certainty = weaker(misuses[0].certainty, "certain" if sure else because("path", SOME_PATHS))
            out.append(msgspec.structs.replace(misuses[0], certainty=certainty))
        return [_by_name(one) for one in self.first_of_each(out)]

    def first_of_each(self, found: list[HandleMisuse]) -> list[HandleMisuse]:
        return _first_of_each(found, self.anything)

    def start(self) -> HandleState:
        """What is known when the function begins: what is passed, what annotations say, and the object's attributes."""
        state = HandleState()
        for number, parameter in enumerate(self.function.record.parameters):
            at = Span(parameter.start, parameter.end)
            handles = self.given.get(parameter.name, NOTHING)
            for handle in handles:
                self.own_root(handle.cls, handle.token, at, handle.shown)
            if not handles and not parameter.spread:
                handles = self.typed(parameter.start, at, parameter.name, (-1 - number, 0))
            cls = self.classes.asked_of(self.function, parameter.name)
            if not handles and cls and (not parameter.spread or self.anything):
                handles = frozenset({self.somebodys(cls, (-1 - number, 0), at, parameter.name)})
            state = state.bind(parameter.name, handles, at, "")
        for name in sorted(self.given.keys() - self.parameters):
            for handle in self.given[name]:
                self.own_root(handle.cls, handle.token, handle.taken, handle.shown)
            state = state.bind(name, self.given[name], Span(0, 0), "")
        itself = self.function.record.parameters[0].name if self.function.record.parameters else ""
        home = self.function.cls if "static" not in self.function.record.qualifiers else None
        if home is not None and itself and not self.objects(state.get(itself)):
            object_ = self.somebodys(self.classes.code.object_of(home), (-1, 0), Span(0, 0), itself)
            state = state.bind(itself, state.get(itself) | {object_}, Span(0, 0), "")
        known = self.classes.attributes(self.function) if not self.alone and itself not in self.given else None
        known = self.after or known
        if known is not None and itself and known.too_many:
            state = state.escape({h.token for h in state.get(itself)}).bind(itself, NOTHING, Span(0, 0), "")
        elif known is not None and itself:
            state = state.bind(itself, state.get(itself) | known.held, Span(0, 0), "")
            for site, owner, made, top in known.owners:
                self.inherited.add(site)
                self.owners[site], self.made[site] = owner, made
                if top:
                    self.tops.add(site)
        return state

    def attributes(self) -> Attributes | None:
        """What the function leaves in the attributes of its object, after `run`."""
        return self.left_in_attributes(lambda handle: handle.stale is None)

    def outdated_attributes(self) -> Attributes | None:
        """The attributes of its object that point to what the function has outdated, after `run`."""
        left = self.left_in_attributes(lambda handle: handle.stale is not None and handle.stale.how == "outdated")
        return left if left is not None and left.held else None

    def left_in_attributes(self, wanted: Callable[[Handle], bool]) -> Attributes | None:
        if self.too_long or not self.function.record.parameters:
            return None
        itself = self.function.record.parameters[0].name
        held = frozenset(
            self.somebody_elses(handle)
            for state in self.ends
            for handle in state.get(itself)
            if handle.path[:1] and handle.path[0].startswith(".") and wanted(handle) and not handle.is_python
        )
        sites = sorted({handle.token[0] for handle in held})
        owners = tuple((site, self.owners[site], self.made[site], site in self.tops) for site in sites)
        return Attributes(held, owners)

    def somebody_elses(self, handle: Handle) -> Handle:
        """What a parameter is to the other methods of the class."""
        if not is_parameter(handle.token):
            return handle
        site = handle.token[0]
        token = foreign(self.made[site].start)
        self.owners[token[0]], self.made[token[0]] = self.owners[site], self.made[site]
        self.tops |= {token[0]} if site in self.tops else set()
        return handle._replace(token=token)

    def summary(self) -> HandleSummary | None:
        """What a caller has to know, after `run`; None when it cannot be said."""
        if self.too_long:
            return None
        generates = "generator" in self.function.record.qualifiers
        cases = list(dict.fromkeys(self.case(state, generates) for state in self.ends))
        if len(cases) > self.MOST_CASES or generates:
            cases = [_merged(cases)] if cases else []
        looks = tuple(sorted((token, chain, sure) for (token, chain), sure in self.looks.items()))
        raised = dict.fromkeys(self.case(state, generates)._replace(returns=NOTHING, says="") for state in self.raised)
        thrown = [case for case in raised if case.endings or case.left][: self.MOST_CASES]
        return HandleSummary(
            tuple(cases), looks, frozenset(self.tops), frozenset(self.inherited), tuple(thrown), self.misused()
        )

    def misused(self) -> tuple[tuple[Token, HandleChain], ...]:
        """What goes wrong here because of what the function is given to call."""
        if not any(h.cls.startswith(CODE) for handles in self.given.values() for h in handles):
            return ()
        found = (misuse.child for misuses in self.found.values() for misuse in misuses if misuse.stale is not None)
        return tuple(sorted({(child.token, child.chain) for child in found if is_given(child.token)}))

    def case(self, state: HandleState, generates: bool) -> HandleCase:
        """What is so when the function ends in that state."""
        kept = frozenset(
            h.token
            for handles in self.given.values()
            for h in handles
            if is_given(h.token) and (h.token in state.escaped or state.is_stored(h.token))
        )
        own = set(self.made) - self.inherited
        endings = frozenset(e for e in state.endings if e.token[0] < 0 or e.token[0] not in own)
        returns = state.result
        if "async" in self.function.record.qualifiers and not generates:
            returns = inside(returns, AWAITED)
        if generates:
            return HandleCase(self.generated(state), self.early, self.left_in(state), "", kept)
        renewed = frozenset(one for one in state.renewals if is_given(one[0]))
        stores = frozenset(d for d in state.dependences if d.holder == FOR_GOOD and is_parameter(d.argument))
        return HandleCase(returns, endings, self.left_in(state), state.says, kept, renewed, stores)

    def generated(self, state: HandleState) -> Handles:
        """What a call of a generator gives: its elements, or what a `with` is given, and what ends when it is done."""
        slot = ENTERED if self.classes.code.is_context_manager(self.function) else ANY
        given = frozenset(h if h.path[:1] == (BURIED,) else h.inside(slot) for h in self.yields)
        known = {h.token: h for handles in (*self.given.values(), self.yields) for h in in_order(handles)}
        looked = {known[token] for token, _ in self.looks if token in known} if slot == ANY else set[Handle]()
        later = {h._replace(stale=None, path=()).inside(HELD) for h in looked}
        for ending in state.endings - self.early:
            handle = known.get(ending.token)
            if handle is not None:
                out = handle._replace(chain=ending.chain, stale=None, path=())
                later.add(out.inside(f"{ENDED_AFTER}{ending.how}!{ending.reach}"))
        return given | later

    def left_in(self, state: HandleState) -> tuple[tuple[str, Handles], ...]:
        """The objects, lists and variables that the function was given, where it has changed what is in them."""
        left: list[tuple[str, Handles]] = []
        for name, before in sorted(self.given.items()):
            after = state.get(name)
            if name in self.parameters:
                if self.assigned(name) is not None:
                    continue
                inner = _inner(after)
                if _bare(inner) != _bare(_inner(before)):
                    left.append((name, inner))
            elif name in self.outside and after != before:
                left.append((name, after))
        return tuple(left)

    def not_understood(self, names: tuple[str, ...]) -> None:
        self.escape_names(names)

    def returns(self, statement: r.Leave) -> None:
        handles = self.value(statement.value)
        if self.anything and statement.kind == "return":
            self.looked_at_by_caller(statement.value)
        self.callback_returns(statement.value)
        self.state = self.state.bind(_RETURNED, handles, statement.span, "")

    def looked_at_by_caller(self, value: r.Value | None) -> None:
        """Of what is given back, part by part."""
        match value:
            case r.Aggregate(kind="tuple" | "list", items=items):
                for item in items:
                    self.looked_at_by_caller(item)
            case r.Name() | r.Member() | r.Index() | r.Aggregate():
                for handle in self.leaves(self.value(value)):
                    if handle.stale is not None:
                        self.judge_stale("use", handle, value.span)

    def returned(self, statement: r.Leave) -> None:
        nothing = statement.value is None or isinstance(statement.value, r.Literal)
        handles = self.state.get(_RETURNED)
        self.state = self.state.bind(_RETURNED, NOTHING, statement.span, "")
        if self.running:
            return
        self.hand_out(handles, statement.value)
        says = statement.value.text if isinstance(statement.value, r.Literal) else "None" if nothing else _SOMETHING
        said = self.state.said
        if says == _SOMETHING and isinstance(statement.value, r.Call) and said[0] == statement.value.start:
            says = said[1]
        self.state = self.state._replace(result=self.kept_on_return(handles), says=says)

    def choose(self, statement: r.Switch) -> None:
        self.set_name(_subject(statement), self.value(statement.value), statement.span, "")

    def chosen(self, statement: r.Switch) -> None:
        self.set_name(_subject(statement), NOTHING, Span(statement.end, statement.end), "")

    def matched(self, case: r.Case, statement: r.Switch) -> None:
        subject = self.state.get(_subject(statement))
        for value in case.values:
            self.captured(value, subject)
        first = case.body[0] if case.body else None
        match first:
            case r.Evaluate(value=r.Assign(target=r.Name() as target, op="=", value=r.OpaqueValue())):
                self.assign(target, subject, first.span)

    def behind(self, case: r.Case) -> r.Body:
        return case.body[1:] if case.body and _captures(case.body[0]) else case.body

    def captured(self, pattern: r.Value, subject: Handles) -> None:
        """What a pattern captures of the subject: all of it, or elements in their places."""
        match pattern:
            case r.Assign(target=r.Name() as target, value=r.OpaqueValue()):
                self.assign(target, subject, pattern.span)
            case r.Aggregate(kind="list", items=items):
                loose = self.elements(native(subject), pattern)
                for position, item in enumerate(items):
                    inner = item.value if isinstance(item, r.Unary) else item
                    placed = frozenset(h.out() for h in subject if h.path[:1] in ((ANY,), (str(position),)))
                    self.captured(inner, loose | placed)
            case r.Aggregate(kind="dict", items=items):
                for item in items:
                    if isinstance(item, r.Pair):
                        slots = ((VALUE,), (value_slot(item.key),))
                        self.captured(item.value, frozenset(h.out() for h in subject if h.path[:1] in slots))
            case r.Aggregate(kind="tuple", items=(cls, *parts)) if not isinstance(cls, r.Assign):
                for part in parts:  # `Class(..) as name`: what follows is a capture of the whole
                    self.captured(part, subject if isinstance(part, r.Assign) else NOTHING)
            case r.Aggregate(kind="tuple", items=items):
                for item in items:
                    self.captured(item, subject)
            case r.Binary(op="||", left=left, right=right):
                self.captured(left, subject)
                self.captured(right, subject)
            case _:
                self.evaluate(pattern)

    def ask(self, condition: r.Value | None) -> None:
        """What a function of the project has returned is known where it is asked."""
        self.state = self.state._replace(said=(-1, ""))
        self.evaluate(condition)

    def taking(self, condition: r.Value | None, outcome: bool, states: list[HandleState]) -> list[HandleState]:
        ways = [s for s in states if _answered(condition, s.said) in (None, outcome)]
        taken = super().taking(condition, outcome, ways)
        if not tells_of_classes(condition):
            return taken
        return self.each(taken, lambda: self.knows_by(condition, outcome))

    def define(self, statement: r.Nested) -> None:
        """A nested function holds what it looks at; what its defaults hold is held too."""
        held = self.closure(statement.function) if statement.function >= 0 else NOTHING
        self.set_name(statement.name, held, statement.span, "`{name}` is reassigned here")

    # --- loops, handlers, contexts ---

    def attempt(self, statement: r.Try, states: list[HandleState]) -> tuple[list[HandleState], list[HandleState]]:
        tested, self.tested = self.tested, self.tested or _expects_error(statement)
        self.raising.append([])
        after, raised = super().attempt(statement, states)
        self.tested = tested
        return after, raised + self.raising.pop()

    def raise_here(self) -> None:
        if self.raising:
            self.raising[-1].append(self.state)

    def caught(self, handler: r.Handler, statement: r.Try, raised: list[HandleState]) -> list[HandleState]:
        fitting = [state for state in raised if not state.failing or self.classes.fails(handler.type)]
        return [state._replace(failing=False) if state.failing else state for state in fitting]

    def thrown(self, statement: r.Leave, states: list[HandleState]) -> None:
        if not self.raising:
            self.raised += states

    def raises(self, call: r.Call, cases: Iterable[HandleCase], apply: Callable[[HandleCase], object]) -> None:
        before = self.state
        for case in cases:
            apply(case)
            (self.raising[-1] if self.raising else self.raised).append(self.state)
            self.state = before

    def with_block(self, statement: r.With, states: list[HandleState]) -> list[HandleState]:
        guards = self.guards
        states = super().with_block(statement, states)
        self.guards = guards
        return states

    def enter(self, statement: r.With) -> None:
        own = _contexts(statement)
        self.guards = [name for name in self.guards if name not in own]
        for name, item in zip(_contexts(statement), statement.items, strict=True):
            handles = self.value(item.value)
            self.use(native(handles), item.value)
            self.set_name(name, handles, item.span, _WITH_ENDS)
            if any(self.is_guard(h) for h in handles):
                self.guards.append(name)
            if item.target is not None:
                entered = frozenset(h.out() for h in handles if h.path[:1] in _ENTERING)
                entered = entered or self.of_context(handles, "__enter__", item) or handles
                self.assign(item.target, entered, item.span, item.value)

    def exit(self, statement: r.With) -> None:
        for name, item in reversed(list(zip(_contexts(statement), statement.items, strict=True))):
            self.closed_by_with(self.state.get(name), item)
            self.set_name(name, NOTHING, Span(statement.end, statement.end), _WITH_ENDS)

    def within(self, statement: r.With, states: list[HandleState]) -> list[HandleState]:
        tested, self.tested = self.tested, self.tested or any(self.is_assertion(item.value) for item in statement.items)
        states = self.block(statement.body, states)
        self.tested = tested
        return states

    def is_assertion(self, value: r.Value) -> bool:
        """`self.assertRaises(..)`, `pytest.raises(..)`."""
        if not isinstance(value, r.Call):
            return False
        called = self.function.program.names.meant_name(self.function.file, value.callee)
        return called.lower().startswith(("assertraises", "raises"))

    def of_context(self, handles: Handles, name: str, item: r.WithItem) -> Handles:
        """What an object of the project does when a `with` is entered or left."""
        cls = self.class_of(handles)
        method = self.classes.code.method(cls, name) if cls is not None else None
        if method is None:
            return NOTHING
        call = r.Call(item.value.start, item.value.end, item.value, ())
        return self.invoke(call, method, passed(method, [PassedArgument(handles)]), {}) or NOTHING

    def closed_by_with(self, handles: Handles, item: r.WithItem) -> None:
        """What the end of a `with` block does to what it was entered with."""
        for handle in in_order(h for h in handles if not h.is_python):
            method = {(): "__exit__", (CLOSING,): "close"}.get(handle.path)
            fact = self.classes.member(handle.cls, method) if method is not None else None
            for number, reach in fact.ends if fact is not None else ():
                if number == 0:
                    shown = text(item.target) if item.target is not None else handle.shown
                    why = Stale(item.span, "", shown, "closed", reach)
                    self.state = self.state.invalidated(Ending(handle.token, handle.chain, reach, "closed"), why)
        self.done(handles, item.target or item.value, item.span)
        self.of_context(handles, "__exit__", item)

    def done(self, handles: Handles, call: r.Value, at: Span) -> None:
        for handle in in_order(h for h in handles if h.path and h.path[0].startswith(ENDED_AFTER)):
            _, how, reach = handle.path[0].split("!")
            by = "" if how == "closed" else text(call)
            why = Stale(at, by, text(call), cast(How, how), cast(Reach, reach))
            ending = Ending(handle.token, handle.chain, cast(Reach, reach), cast(How, how))
            self.state = self.state.invalidated(ending, why)

    def delete(self, targets: tuple[r.Value, ...], at: Span) -> None:
        for target in targets:
            match target:
                case r.Name(text=name):
                    self.set_name(name, NOTHING, at, "`{name}` is deleted here")
                case r.Aggregate(items=items):
                    self.delete(items, at)
                case r.Member(base=r.Name(text=name), name=attribute) if not self.is_native(target.base):
                    self.put(target.base, NOTHING, at, "." + attribute)
                case r.Index(base=base):
                    self.delete_item(target, base, at)
                case _:
                    self.evaluate(target)

    def delete_item(self, target: r.Index, base: r.Value, at: Span) -> None:
        """`del table["f"]`, of a native object what its model says; of a container what sits there."""
        on = self.value(base)
        for handle in in_order(native(on)):
            fact = self.classes.member(handle.cls, "__delitem__")
            if fact is not None and fact.ends_members:
                self.outdate(fact, target, on)
            for number, reach in fact.ends if fact is not None else ():
                if number == 1:
                    self.end(self.index(target), target, reach, target, (handle,))
        slot = value_slot(target.indexes[0]) if len(target.indexes) == 1 else VALUE
        if slot == VALUE or not isinstance(base, r.Name):
            self.loosen(base, -target.end)
        elif any(h.path for h in on):
            kept = frozenset(h for h in on if h.path[:1] != (slot,))
            self.set_name(base.text, kept, at, "`{name}` releases it here")

    def leave(self, state: HandleState) -> None:
        """The function ends: what was stored outlives it, its locals do not. The names of a module and of a class
        body stay."""
        kept = set[Token]()
        if self.is_module or self.function.record.kind == "class":
            kept |= {h.token for _, handles in state.names.entries.items() for h in handles if h.holds}
        self.state = state
        kept |= self.held_by_parameters()
        for stored in sorted(state.stored.entries, key=lambda s: (s.at, s.name, s.place, *in_order([s.handle]))):
            handle = stored.handle
            if stored.name and handle not in state.get(stored.name):
                continue
            if handle.stale is not None:
                if not self.is_tree(handle):
                    self.judge_stale("store", handle, stored.at)
            else:
                self.judge_stored(stored, kept=handle.token in kept or self.is_kept_somewhere(handle.token))
        for one in in_sequence(state.dependences):
            outlives = one.holder[0] < 0 or state.is_stored(one.holder)
            if outlives and one.argument[0] >= 0:
                gone = one.argument not in kept and not self.is_kept_somewhere(one.argument)
                self.judge_dependence(one, "return", one.at, gone)

    def judge_stored(self, stored: StoredHandle, *, kept: bool) -> None:
        """What was put where it outlives the function; `kept`: so was its owner."""
        if not stored.handle.holds:
            self.judge("store", stored.handle, stored.at, dead=not kept)

    def is_kept_somewhere(self, token: Token) -> bool:
        """By what was stored, or by somebody nobody knows."""
        return token in self.state.escaped or self.state.is_stored(token)

    def held_by_parameters(self) -> set[Token]:
        """Owners that objects hold which the caller has."""
        return self.owners_in(self.parameters)

    def owners_in(self, names: Iterable[str]) -> set[Token]:
        return {h.token for name in names for h in self.state.get(name) if h.holds}

    def yielded(self, handles: Handles, value: r.Unary) -> None:
        if not self.has_given:
            self.early, self.has_given = self.state.endings, True
        given = self.elements(handles, value.value) if value.op == "yield from" else handles
        tokens = {h.token for h in given}
        names = self.state.names.under(*(("held", token) for token in tokens))
        waiting = {h for name in names for h in self.state.get(name) if h.holds and h.token in tokens}
        self.yields |= given | {h._replace(path=()).inside(BURIED) for h in waiting}
        for handle in in_order(given):
            if handle.stale is not None:
                self.judge_stale("return", handle, value.span)
        self.escape_all(handles)

    # --- judging ---

    def judge(self, kind: str, handle: Handle, at: Span, *, dead: bool) -> None:
        if self.classes.role(handle.cls) == "perhaps":
            return
        site = handle.token[0]
        key = (kind, *_place(at), *_place(handle.taken))
        self.reached[key] = self.reached.get(key, 0) + 1
        if dead and site >= 0:  # else it is the caller's own
            ended = self.state.end_of(handle.token)
            often = site in self.often or handle.token[1] > 0 or bool(handle.path)
            owner, made = self.owners[site], self.made[site]
            if kind == "use" and _place(handle.taken) == _place(made) and handle.path[:1] and handle.path[0][0] == ".":
                return  # a member of the object whose constructor made both: it lives while its method runs
            misuse = HandleMisuse(self.function, kind, at, handle, owner, made, ended, "certain", often=often)
            misuse = msgspec.structs.replace(misuse, certainty=handle.sure) if handle.sure != "certain" else misuse
            self.found.setdefault(key, []).append(misuse)

    def lookup(self, handle: Handle, value: r.Value) -> None:
        self.judge_stale("lookup", handle, value.span)

    def harmed(self, harm: Harm) -> None:
        key = ("walk", *_place(harm.at), harm.site, harm.site)
        self.reached[key] = self.reached.get(key, 0) + 1
        child = Handle("", (0, 0), False, harm.at, harm.what)
        misuse = HandleMisuse(
            self.function,
            "walk",
            harm.at,
            child,
            harm.over,
            harm.at,
            None,
            because("later-use", _HARMLESS[harm.kind]),
            None,
            harm,
        )
        self.found.setdefault(key, []).append(misuse)

    def root_erased(self, handle: Handle, at: Span, call: str) -> None:
        key = ("root", *_place(at), *_place(handle.taken))
        self.reached[key] = self.reached.get(key, 0) + 1
        site = handle.token[0]
        stale = Stale(at, call, handle.shown, "erased", "deep")
        mixed = because("type", "harmless if what was put in elsewhere is what is taken out")
        sure = mixed if handle.chain.steps else handle.sure
        misuse = HandleMisuse(self.function, "root", at, handle, self.owners[site], self.made[site], None, sure, stale)
        self.found.setdefault(key, []).append(misuse)

    def judge_stale(self, kind: str, handle: Handle, at: Span) -> None:
        assert handle.stale is not None
        if (self.tested and not handle.stale.failed) or self.classes.role(handle.cls) == "perhaps":
            return
        key = (kind, *_place(at), *_place(handle.taken))
        self.reached[key] = self.reached.get(key, 0) + 1
        site = handle.token[0]
        owner, made = self.owners.get(site, handle.shown), self.made.get(site, handle.taken)
        certainty = handle.stale.certainty
        if kind == "store" and self.is_module and not read_by_functions(self.function, handle.stale.at.end):
            certainty = because("possible", "nothing uses it once the module has run, as far as is known")
        misuse = HandleMisuse(self.function, kind, at, handle, owner, made, None, certainty, handle.stale)
        self.found.setdefault(key, []).append(misuse)

    def use(self, handles: Handles, value: r.Value | None, kind: str = "use") -> Handles:
        gone: set[Handle] = set()
        for handle in in_order(handles):
            if handle.path or value is None or handle.is_python:
                continue
            if not self.passing:
                self.noted_look(handle, handle.chain, sure=True)
            if handle.stale is not None:
                self.judge_stale(kind, handle, value.span)
                gone.add(handle)
                continue
            if handle.holds:
                self.judge("use", handle, value.span, dead=False)
                self.judge_dependences(handle.token, value.span)
                continue
            dead = handle.token[0] >= 0 and not self.state.alive(handle.token)
            self.judge("use", handle, value.span, dead=dead)
            if dead:
                gone.add(handle)
        return handles - gone if gone else handles

    def noted_look(self, handle: Handle, chain: HandleChain, *, sure: bool) -> None:
        if is_given(handle.token) and handle.stale is None and not self.tested:
            sure = sure and not self.inner_statements and not self.ends
            self.looks[handle.token, chain] = sure or self.looks.get((handle.token, chain), False)

    def statement(self, statement: r.Statement, states: list[HandleState]) -> list[HandleState]:
        around = isinstance(statement, (r.Branch, r.Loop, r.Switch, r.Try))
        self.inner_statements += around
        states = super().statement(statement, states)
        self.inner_statements -= around
        return states

    def used_inside(self, handle: Handle, chain: HandleChain, call: r.Call, *, sure: bool) -> None:
        if handle.stale is not None:
            stale = handle.stale
            if not sure:
                doubt = because("path", f"`{text(call.callee)}` uses it on some of its paths alone")
                stale = stale._replace(certainty=weaker(stale.certainty, doubt))
            at = next((a for a in call.args if self.stands_for(a, handle.token, handle.chain)), call)
            self.judge_stale("use", handle._replace(stale=stale), at.span if self.anything else call.span)
        elif handle.token[0] >= 0 and not handle.holds:
            self.judge("use", handle, call.span, dead=not self.state.alive(handle.token))

    def depends(self, kept: Dependence, handle: Handle) -> None:
        """What no name holds is gone with this statement."""
        gone = kept.argument[0] >= 0 and not self.state.alive(kept.argument)
        self.judge_dependence(kept, "drop", kept.at, gone)
        if not gone:
            super().depends(kept, handle)

    def judge_dependences(self, holder: Token, at: Span) -> None:
        """A native object is used: what it has the address of must be alive."""
        for kept in in_sequence(d for d in self.state.dependences if d.holder == holder and d.argument[0] >= 0):
            self.judge_dependence(kept, "use", at, not self.state.alive(kept.argument))

    def judge_dependence(self, kept: Dependence, kind: str, at: Span, gone: bool) -> None:
        key = (f"stored {kind}", *_place(at), *_place(kept.at))
        self.reached[key] = self.reached.get(key, 0) + 1
        if gone:
            child = Handle("", kept.argument, True, kept.at, kept.shown, declared=kept.declared)
            ended = self.state.end_of(kept.argument)
            site = kept.argument[0]
            owner, made = self.owners.get(site, kept.shown), self.made.get(site, kept.at)
            misuse = HandleMisuse(self.function, kind, at, child, owner, made, ended, kept.certainty, stored=kept)
            self.found.setdefault(key, []).append(misuse)

    def hand_out(self, handles: Handles, value: r.Value | None) -> None:
        """These handles leave the function; what holds their owner may leave with them. A function may never be called
        that looks at what has ended; a generator does so when it goes on."""
        kept = {h.token for h in handles if h.holds} | self.held_by_parameters()
        out = {h.token for h in handles if h.holds}
        for one in in_sequence(d for d in self.state.dependences if d.holder in out and value is not None):
            gone = one.argument[0] >= 0 and one.argument not in kept and not self.is_kept_somewhere(one.argument)
            self.judge_dependence(one, "return", one.at, gone)
        waits = not any(h.cls.startswith(CODE) for h in handles)
        for handle in in_order(handles):
            if self.is_tree(handle):
                continue
            reached = not is_out_of_reach(handle) or (waits and handle.path[0][0] == HELD)
            if handle.stale is not None and value is not None and reached:
                self.judge_stale("return", handle, value.span)
            elif value is not None:
                gone = handle.token not in kept and not self.is_kept_somewhere(handle.token)
                self.judge("return", handle, value.span, dead=not handle.holds and gone)

    def kept_on_return(self, handles: Handles) -> Handles:
        """Without those that are dead when the caller gets them: they are reported here."""
        held = {h.token for h in handles if h.holds} | self.owners_in(self.parameters & self.given.keys())
        return frozenset(h for h in handles if h.stale is None and (h.token in held or h.token[0] < 0))

    # --- names ---

    def set_name(self, name: str, handles: Handles, at: Span, how: str) -> None:
        self.state = self.state.bind(name, handles, at, how)
        facts = without(name, self.state.facts)
        self.state = self.state._replace(facts=facts) if facts is not self.state.facts else self.state
        if name in self.hidden:
            self.escape_all(handles)

    def assign(self, target: r.Value, handles: Handles, at: Span, source: r.Value | None = None) -> None:
        match target:
            case r.Name(text=name):
                declared = NOTHING if handles or isinstance(source, r.Literal) else self.declared_type(target, at)
                self.assign_name(name, handles or declared, at)
                if name not in self.hidden and name not in self.outside:
                    said = isinstance(source, r.Call) and self.state.said[0] == source.start and self.state.said[1]
                    if source is not None and isinstance(said, str) and said in ("True", "False", "None"):
                        source = r.Literal(
                            source.start, source.end, kind="null" if said == "None" else "bool", text=said
                        )
                    self.state = self.state._replace(facts=bound(name, source, self.state.facts))
            case r.Aggregate(items=items):
                self.unpack(items, handles, at, source)
            case r.Unary(op="spread", value=inner):
                self.assign(inner, inside(handles, ANY), at)
            case r.Member(base=base, name=name):
                if not self.is_native(base, name):
                    self.set_attribute(base, name, handles, at)
                else:
                    self.set_native(base, name, handles, at, source)
            case r.Index(base=base, indexes=indexes):
                for index in indexes:
                    self.evaluate(index)
                if not self.is_native(base) and self.may_be_container(base):
                    slot = value_slot(indexes[0]) if len(indexes) == 1 else VALUE
                    slot = self.exact_slot(self.value(base), indexes) or slot
                    if len(indexes) == 1 and isinstance(indexes[0], r.Literal):
                        self.renew(base, self.index_key(target), handles, slot)
                    self.put(base, inside(handles, slot), at, slot if slot != VALUE else "")

    def set_attribute(self, base: r.Value, name: str, handles: Handles, at: Span) -> None:
        """An attribute of an object, whatever names that has."""
        on = self.value(base)
        cls = self.class_of(on)
        if cls is not None and (setter := self.classes.code.setter(cls, name)) is not None:
            self.invoke(
                r.Call(at.start, at.end, base, ()),
                setter,
                passed(setter, [PassedArgument(on), PassedArgument(handles)]),
                {},
            )
            return
        self.renew(base, name, handles, "." + name)
        self.put(base, inside(handles, "." + name), at, "." + name)
        for itself in self.objects(on):
            self.state = self.state.with_attributes(itself.token, inside(handles, "." + name), "." + name)

    def assign_name(self, name: str, handles: Handles, at: Span) -> None:
        """A name gets what is assigned to it, and attributes of what it was go with that."""
        self.state = self.state.picked_again(self.index_site(name))
        if name in self.outside:
            self.escape_all(h for h in handles if h.holds)
            self.store(handles, at)
        elif self.function.record.kind == "class":
            self.store(handles, at)
        elif name in self.looked_at:
            self.store(handles, at, name)
        self.set_name(name, handles, at, "`{name}` is reassigned here")

    def declared_type(self, target: r.Name, at: Span) -> Handles:
        """By its annotation, or by all that is asked of it: of an object that nobody here made, another each time."""
        found = self.typed(target.start, at, target.text)
        if found or self.anything or not (cls := self.classes.asked_of(self.function, target.text)):
            return found
        token = foreign(target.start)
        self.state = self.state.age(token[0])
        return frozenset({self.somebodys(cls, token, at, target.text)})

    def is_native(self, base: r.Value, name: str = "") -> bool:
        """A native object that is written to: that is a setter, which points at what it is given and no more. Of
        `name`, where a model describes it: `name=`."""
        on = native(self.value(base))
        if self.anything and all(map(self.is_tree, on)):
            return False
        anew: Handles = NOTHING
        for handle in in_order(on) if name else ():
            fact = self.classes.member(handle.cls, f"{name}=")
            if fact is not None and fact.restores:
                self.state = self.state.restored(handle.token)
                anew |= {handle}
        self.use(on - anew, base)
        return bool(on)

    def set_native(self, base: r.Value, name: str, handles: Handles, at: Span, source: r.Value | None) -> None:
        """An attribute of a native object gets a value: it may keep the address. What Python itself keeps in an object
        of a derived class is kept."""
        on = native(self.value(base))
        if any(h.derived for h in on):
            self.escape_all(h for h in handles if h.holds)
            return
        for handle in in_order(on):
            fact = self.classes.member(handle.cls, f"{name}=")
            for number, _, sure in fact.stores if fact is not None else ():
                left = without_stored(self.state.dependences, handle.token, f"{name}=")
                self.state = self.state._replace(dependences=left)
                assert fact is not None
                self.keep_address(fact, number, sure, (handles, source), frozenset({handle}), r.Node(at.start, at.end))

    def may_be_container(self, base: r.Value) -> bool:
        """`found[key] = op`, `self.found[key] = op`; what lies deeper in an unknown object may be anything."""
        match base:
            case r.Name() | r.Member(base=r.Name(text="self" | "cls")):
                return True
        return self.is_container(base)


def _subject(statement: r.Switch) -> str:
    """The hidden name of what a `match` looks at."""
    return f"<match {statement.start}>"


def _contexts(statement: r.With) -> list[str]:
    """The hidden names of what a `with` has entered."""
    return [f"<with {statement.start} {position}>" for position in range(len(statement.items))]


_Key = tuple[str, int, int, int, int]
"""What is said, where it is used and where it was taken: links of one chain begin at the same byte."""


def _place(span: Span) -> tuple[int, int]:
    return span.start, span.end


def _captures(first: r.Statement) -> bool:
    """`case name:` of a subject that is no name."""
    match first:
        case r.Evaluate(value=r.Assign(target=r.Name(), op="=", value=r.OpaqueValue())):
            return True
    return False


def _expects_error(statement: r.Try) -> bool:
    """One statement, and a handler of what a dead handle raises."""
    return len(statement.body) == 1 and any("RuntimeError" in handler.type for handler in statement.handlers)


def _inner(handles: Handles) -> Handles:
    """What is in an object or a list."""
    return frozenset(
        h for h in handles if (h.path and not is_out_of_reach(h)) or (not h.path and h.cls.startswith(LIST))
    )


def _bare(handles: Handles) -> Handles:
    """These, whatever was done to them since."""
    return frozenset(h._replace(stale=None, gaps=()) for h in handles)


def _merged(cases: list[HandleCase]) -> HandleCase:
    """What may be so after any of them; what ends on some ways alone is not told."""
    left: dict[str, Handles] = {}
    for case in cases:
        for name, handles in case.left:
            left[name] = left.get(name, NOTHING) | handles
    return HandleCase(
        frozenset(h for case in cases for h in case.returns),
        frozenset.intersection(*(case.endings for case in cases)),
        tuple(sorted(left.items(), key=lambda one: one[0])),
        "",
        frozenset(token for case in cases for token in case.kept),
        stores=frozenset(one for case in cases for one in case.stores),
    )


def _answered(condition: r.Value | None, said: tuple[int, str]) -> bool | None:
    """How a condition comes out that asks what the call has returned."""
    match condition:
        case r.Call(start=start) if start == said[0]:
            return {"True": True, "False": False, "None": False}.get(said[1])
        case r.Unary(op="not", value=inner):
            known = _answered(inner, said)
            return None if known is None else not known
    return None


@flow_question
def _given_names(function: Function) -> dict[Span, str]:
    """By where a value stands, the one local that is given it there."""
    found: dict[Span, set[str]] = {}
    for write in function.flow.writes:
        name = write.place[0] if len(write.place) == 1 and write.op == "=" else ""
        if write.value is not None and name in function.declared:
            found.setdefault(write.value.span, set()).add(name)
    return {span: min(names) for span, names in found.items() if len(names) == 1}


def _by_name(misuse: HandleMisuse) -> HandleMisuse:
    """With the locals that have the owner and the child, where they are two."""
    names = _given_names(misuse.function)
    owner, child = names.get(misuse.made, ""), names.get(misuse.child.taken, "")
    if not owner and not child:
        return misuse
    if owner and owner == child:
        is_one = misuse.child.taken == misuse.made
        return msgspec.structs.replace(misuse, owner=owner, variable=child) if is_one else misuse
    return msgspec.structs.replace(misuse, owner=owner or misuse.owner, variable=child)


def _first_of_each(found: list[HandleMisuse], anything: str) -> list[HandleMisuse]:
    """The first misuse of each child taken, and one at a place, of a known class before one that may be anything: the
    others follow from it."""
    children: dict[int, HandleMisuse] = {}
    for misuse in sorted(found, key=lambda m: (m.at, m.kind, m.child.taken)):
        children.setdefault(misuse.child.taken.start, misuse)
    places: dict[int, HandleMisuse] = {}

    def rank(one: HandleMisuse) -> tuple[object, ...]:
        return (one.at.start, one.about != "walk", one.child.cls == anything, one.at, one.kind)

    for misuse in sorted(children.values(), key=rank):
        places.setdefault(misuse.at.start, misuse)
    return sorted(places.values(), key=lambda m: m.at)
