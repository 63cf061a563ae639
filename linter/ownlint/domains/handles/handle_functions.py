"""Calls of the project's own functions: what they are given, and what they leave behind.

A call is a case of the function's summary; where it may be several, each of them is a way of its own.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator

from ownlint.domains.handles.handle_chains import HandleChain
from ownlint.domains.handles.handle_values import HandleValues
from ownlint.domains.handles.handles import (
    LIST,
    MADE,
    NOBODY,
    NOTHING,
    Classes,
    Ending,
    Given,
    GivenHandle,
    Handle,
    HandleCase,
    Handles,
    HandleSummary,
    How,
    Stale,
    Token,
    foreign,
    given_token,
    in_order,
    inside,
    is_given,
    is_out_of_reach,
    own,
)
from ownlint.domains.python_calls import (
    CODE,
    MEMBER,
    OBJECT,
    PassedArgument,
    bound_arguments,
    bound_to,
    passed,
)
from ownlint.engine.containment import HELD
from ownlint.facts import records as r
from ownlint.facts.show import text
from ownlint.finding import weaker
from ownlint.project.subjects import Class, Function

_MOST_GIVEN = 24
"""Handles that a function is given: of what gets more, nobody knows what it does."""
_DEEPEST_VALUES = 6
_PARTIAL = "functools.partial"
_APART = 1 << 40
"""Between the sites of several objects that one call makes."""


class OwnCalls(HandleValues):
    """Evaluates calls of the project's own functions, and of what they are bound to."""

    def __init__(self, function: Function, classes: Classes) -> None:
        super().__init__(function, classes)
        self.given_on: dict[Function, set[Given]] = {}
        """What each function of the project is given here."""
        self.own_names = classes.code.own_names(function)
        self._values_open = 0
        self.by_inner = False
        """What ends is told as of who does it inside of what is called."""
        self._no_code: set[str] = set()
        """Names that stand for nothing that is followed."""

    # --- functions as values ---

    def name_value(self, value: r.Name) -> Handles:
        """A name that is no variable here, where it is one of a function, or of a module's table of functions."""
        held = self.state.get(value.text)
        if held or value.text in self.own_names or value.text in self._no_code:
            return held
        found = self.code_named(value)
        if not found:
            self._no_code.add(value.text)
        return found

    def code_named(self, value: r.Name) -> Handles:
        code = self.classes.code
        if (meaning := self.symbol(value)) and code.is_one(meaning.rpartition(".")[2]):
            return self.code_called(meaning)
        source = code.value_of_global(self.function.file, value.text)
        if isinstance(source, r.Call) and (cls := self.classes.find(self.symbol(source.callee))) is not None:
            return self.of_module(cls, value, source)
        of_code = isinstance(source, r.Call) and self.symbol(source.callee) == _PARTIAL
        if not of_code and not isinstance(source, (r.Aggregate, r.Lambda, r.Name, r.Member)):
            return NOTHING
        if self._values_open >= _DEEPEST_VALUES:
            return NOTHING
        self._values_open += 1
        before = self.state
        found = self.value(source)
        self.state = before
        self._values_open -= 1
        kept = frozenset(h for h in found if h.is_python)
        return kept if any(not h.cls.startswith(LIST) for h in kept) else NOTHING

    def of_module(self, cls: str, value: r.Name, source: r.Call) -> Handles:
        """An object of a library's class that the module has made once."""
        fact = self.classes.member(cls, "__init__")
        if fact is None or fact.keeps != "own":
            return NOTHING
        return frozenset({self.somebodys(cls, foreign(source.start), source.span, value.text)})

    def code_called(self, symbol: str) -> Handles:
        """A function of the project as a value: what its decorators have made of it."""
        function = self.classes.code.function(symbol, self.function.file)
        if function is None or function.record.parent >= 0:
            return NOTHING
        return self.decorated(function)

    def decorated(self, function: Function) -> Handles:
        code = self.classes.code
        made: Handles = frozenset({own(code.name_of(function))})
        if not code.is_wrapped(function):
            return made
        calls = code.decorations(function)
        if calls is None or self._values_open >= _DEEPEST_VALUES:
            return NOTHING
        self._values_open += 1
        for call in calls:
            decorator = self.code_called(code.program.names.named(function.file, call.callee))
            before = self.state
            made = self.run_code(call, decorator, [PassedArgument(made)]) or NOTHING
            self.state = before
        self._values_open -= 1
        return frozenset(h for h in made if h.is_python or h.path[:1] != ())

    # --- objects ---

    def objects(self, handles: Handles) -> list[Handle]:
        return in_order(h for h in handles if not h.path and h.cls.startswith(OBJECT))

    def class_of(self, handles: Handles) -> Class | None:
        """The one class of the project of which these are an object."""
        names = {h.cls for h in self.objects(handles)}
        return self.classes.code.class_of(names.pop()) if len(names) == 1 else None

    def of_object(self, value: r.Member, on: Handles) -> Handles:
        cls = self.class_of(on)
        method = self.classes.code.method(cls, value.name) if cls is not None else None
        if method is None or any(h.path[:1] == ("." + value.name,) for h in on):
            return NOTHING
        if "property" in method.record.qualifiers:
            call = r.Call(value.start, value.end, value, ())
            return self.invoke(call, method, passed(method, [PassedArgument(on)]), {}) or NOTHING
        made = self.decorated(method)
        return made if "static" in method.record.qualifiers else made | frozenset(bound_to([PassedArgument(on)]))

    def constructed(self, call: r.Call, cls: Class, symbol: str, arguments: list[PassedArgument[Handle]]) -> Handles:
        """A new object: with what its constructor puts into it, or with the fields that it declares."""
        made = self.somebodys(self.classes.code.object_of(cls), foreign(call.start), call.span, text(call))
        constructor = self.classes.code.method(cls, "__init__")
        held: Handles = NOTHING
        if constructor is None:
            names = self.classes.code.fields(cls)
            fields = dict(names)
            for number, one in enumerate(arguments):
                if one.spread:
                    break
                field = fields.get(one.keyword, "") if one.keyword else names[number][1] if number < len(names) else ""
                held |= inside(one.values, "." + field) if field else NOTHING
            constructor = self.classes.code.method(cls, "__post_init__")
            if constructor is None:
                return held | {made}
            arguments = []
        name = f"<made {call.start}>"
        self.state = self.state.bind(name, held | {made}, call.span, "")
        given = passed(constructor, [PassedArgument(held | {made}), *arguments])
        done = self.invoke(call, constructor, given, {})
        if done is None:
            self.unknown(call, symbol, [one.values for one in arguments])
        result = self.state.get(name)
        self.state = self.state.bind(name, NOTHING, call.span, "")
        return result

    # --- calls ---

    def run_code(self, call: r.Call, on: Handles, arguments: list[PassedArgument[Handle]]) -> Handles | None:
        """What is called is code that is known; None where it is not."""
        codes = sorted({h.cls for h in on if not h.path and h.cls.startswith((CODE, MEMBER))})
        if not codes or len(codes) > 3:
            return None
        name = codes[self.choose_way(len(codes))] if len(codes) > 1 else codes[0]
        held = frozenset(h for h in on if h.path and h.path[0][0] == HELD)
        every = [*bound_arguments(held), *arguments]
        if name.startswith(MEMBER):
            return self.bound_method(call, name.removeprefix(MEMBER), every)
        function = self.classes.code.function_of(name)
        if function is None:
            return None
        return self.invoke(call, function, passed(function, every), self.found_around(function, held))

    def bound_method(self, call: r.Call, name: str, arguments: list[PassedArgument[Handle]]) -> Handles | None:
        """A method of a library's object that was bound to a name."""
        raise NotImplementedError

    def found_around(self, function: Function, held: Handles) -> dict[str, Handles]:
        """What a function finds in the variables around it: what they hold now, where they are those of this one;
        else what they held when it was made."""
        known: dict[str, Handles] = {}
        if function.parent is None and (function.path != self.function.path or not self.has_globals()):
            return known
        for name in sorted(self.classes.code.outer_names(function)):
            if self.is_same_here(function, name):
                handles = self.state.get(name)
            else:
                handles = frozenset(h.out() for h in held if h.path[0] == HELD + name)
            if handles:
                known[name] = handles
        return known

    def has_globals(self) -> bool:
        """Whether anything is followed in variables that other functions see."""
        if self.function.record.kind == "module":
            return True
        return any(name not in self.own_names and name[0] != "<" for name in self.state.names.entries)

    def is_same_here(self, function: Function, name: str) -> bool:
        """Whether a name from around another function is the same variable in this one."""
        if function.path != self.function.path:
            return False
        return self.owner_of(name, function.parent) is self.owner_of(name, self.function)

    def owner_of(self, name: str, function: Function | None) -> Function | None:
        """The function whose variable a name is; None for one of the module."""
        while function is not None and name not in self.classes.code.own_names(function):
            function = function.parent
        return function if function is not None and function.record.kind != "module" else None

    def invoke(
        self, call: r.Call, function: Function, arguments: dict[str, Handles], around: dict[str, Handles]
    ) -> Handles | None:
        """The function is run with these; None where nobody knows what it does."""
        every = {**around, **arguments}
        found = list(_given(every))
        if len(found) > _MOST_GIVEN:
            return None
        numbers: dict[tuple[Token, HandleChain], int] = {}
        given: list[GivenHandle] = []
        tokens: dict[Token, Handle] = {}
        parameters = function.parameter_names
        known_there: set[Token] = set()
        for name, handle in found:
            number = numbers.setdefault((handle.token, handle.chain), len(numbers))
            given.append(GivenHandle(name, handle.path, handle.cls, handle.holds, number))
            known = tokens.setdefault(given_token(number), handle)
            if handle.path or name not in parameters:
                known_there.add(given_token(number))
            if handle.path < known.path or (handle.stale is not None and known.stale is None):
                tokens[given_token(number)] = handle
        summary = self.classes.called(function, tuple(given))
        if summary is None:
            return None
        if given:
            self.given_on.setdefault(function, set()).add(tuple(given))
        return self.carried_out(call, summary, tokens, every, known_there)

    def carried_out(
        self,
        call: r.Call,
        summary: HandleSummary,
        tokens: dict[Token, Handle],
        every: dict[str, Handles],
        known_there: set[Token],
    ) -> Handles:
        """What a summary says happens here; `tokens` are the objects that it knows from outside."""
        self.looked_at_inside(call, summary, tokens)
        words = Translation(self, call, summary, tokens, known_there)

        def raise_there(case: HandleCase) -> Handles:
            there = Translation(self, call, summary, dict(tokens), known_there)
            return self.apply(call, case, there, there.tokens, every)

        self.raises(call, summary.raises, raise_there)
        case = summary.cases[self.choose_way(len(summary.cases))] if summary.cases else HandleCase()
        return self.apply(call, case, words, tokens, every)

    def raises(self, call: r.Call, cases: Iterable[HandleCase], apply: Callable[[HandleCase], object]) -> None:
        """A function that is called may raise, and leave that behind: whoever runs statements overrides it."""

    def looked_at_inside(self, call: r.Call, summary: HandleSummary, tokens: dict[Token, Handle]) -> None:
        for token, chain, sure in summary.looks:
            passed_on = tokens.get(token)
            if passed_on is not None and passed_on.stale is None:
                gone = self.state.end_of_part(passed_on.token, passed_on.chain.within(chain))
                passed_on = passed_on._replace(stale=gone)
                self.noted_look(passed_on, passed_on.chain.within(chain), sure=sure)
            if passed_on is not None and (passed_on.stale is not None or not passed_on.holds):
                self.used_inside(passed_on, chain, call, sure=sure)

        for token, chain in summary.misused if self.classes.anything else ():
            passed_on = tokens.get(token)
            if passed_on is not None and passed_on.stale is None:
                why = Stale(call.span, text(call), passed_on.shown, "consumed", "deep")
                inner = passed_on._replace(chain=passed_on.chain.within(chain), stale=why)
                self.used_inside(inner, chain, call, sure=True)

    def noted_look(self, handle: Handle, chain: HandleChain, *, sure: bool) -> None:
        """This is used, by whoever is called, or here: whoever says what a function does overrides it."""

    def used_inside(self, handle: Handle, chain: HandleChain, call: r.Call, *, sure: bool) -> None:
        """A function that is called uses this: whoever judges overrides it."""

    def apply(
        self, call: r.Call, case: HandleCase, words: Translation, tokens: dict[Token, Handle], given: dict[str, Handles]
    ) -> Handles:
        for handles in given.values():
            out = frozenset(h for h in handles if h.holds and is_out_of_reach(h))
            self.escape_all(out)
        self.escape_all(tokens[token] for token in sorted(case.kept) if token in tokens and tokens[token].holds)
        for handles in (case.returns, *(handles for _, handles in case.left)):
            words.make(handles)
        for ending in sorted(case.endings):
            self.ended_inside(call, ending, words)
        returned = frozenset(words.told(case.returns))
        left = {name: frozenset(words.told(handles, itself=True)) for name, handles in case.left}
        for name, handles in sorted(left.items()):
            before = frozenset(map(words.after_all, given.get(name, NOTHING)))
            self.left_behind(before, name, handles | (before - _followed(before)), call)
        for place in sorted(case.renewed):
            token, chain = words.place(*place)
            if token is not None:
                self.state = self.state.renewed(token, chain).forgotten_end(token, chain)
        stored = frozenset(
            one._replace(argument=words.tokens[one.argument].token, at=call.span)
            for one in case.stores
            if one.argument in words.tokens
        )
        self.state = self.state._replace(said=(call.start, case.says), dependences=self.state.dependences | stored)
        return returned

    def left_behind(self, before: Handles, name: str, after: Handles, call: r.Call) -> None:
        """What is in an object, a list or a variable after the call."""
        objects = self.objects(before)
        if objects:
            attributes = frozenset(h for h in after if h.path and h.path[0][0] == ".")
            self.state = self.state.with_attributes(objects[0].token, attributes)
            return
        held = {h for h in before if h.path and not is_out_of_reach(h)}
        for other, handles in list(self.state.names.entries.items()):
            if held and held <= handles:
                kept = frozenset(h for h in handles if h not in held and not h.cls.startswith(LIST))
                lengths = frozenset(h for h in after if h.cls.startswith(LIST) and not h.path)
                self.set_name(other, kept | lengths | frozenset(h for h in after if h.path), call.span, "")

    def ended_inside(self, call: r.Call, ending: Ending, words: Translation) -> None:
        """What the function invalidates of what it is given, or of what others know."""
        passed_on = words.tokens.get(ending.token)
        token, chain = words.place(ending.token, ending.chain)
        if token is None:
            return
        shown = passed_on.shown if passed_on is not None else self.owners.get(token[0], "")
        if passed_on is not None and ending.how == "erased" and self.is_root(token, chain):
            self.root_erased(passed_on, call.span, text(call))
            return
        if self.classes.anything:
            shown = next((text(a) for a in call.args if self.stands_for(a, token, chain)), shown)
        why = Stale(call.span, ending.by if self.by_inner else text(call), shown, ending.how, ending.reach)
        if passed_on is not None and ending.how == "erased":
            self.noted(passed_on._replace(chain=chain), ending.how, call, call)
        here = ending._replace(token=token, chain=chain)
        self.state = self.state.invalidated(here, why)
        words.ended.append((ending.token, here, why))
        if ending.how in ("consumed", "moved", "erased") and self.classes.anything:
            self.state = self.state.lost(token, chain, why)
        if ending.token in words.known_there:
            self.state = self.state.forgotten(token)

    def stands_for(self, argument: r.Value, token: Token, chain: HandleChain) -> bool:
        if not isinstance(argument, (r.Name, r.Member)):
            return False
        return any(not h.path and (h.token, h.chain) == (token, chain) for h in self.value(argument))

    def is_root(self, token: Token, chain: HandleChain) -> bool:
        raise NotImplementedError

    def root_erased(self, handle: Handle, at: r.Span, call: str) -> None:
        raise NotImplementedError

    def noted(self, handle: Handle, how: How, by: r.Node, value: r.Value) -> None:
        raise NotImplementedError

    def create(self, call: r.Value, cls: str = "") -> Handle:
        raise NotImplementedError

    def unknown(self, call: r.Call, symbol: str, arguments: list[Handles]) -> Handles:
        raise NotImplementedError


class Translation:
    """What a function of the project says, in the words of one call of it."""

    def __init__(
        self, run: OwnCalls, call: r.Call, summary: HandleSummary, tokens: dict[Token, Handle], known_there: set[Token]
    ) -> None:
        """`known_there`: the function finds these where they stay, and knows that it leaves them ended."""
        self.run = run
        self.known_there = known_there
        self.call = call
        self.shown = text(call)
        self.summary = summary
        self.tokens = tokens
        self.ended: list[tuple[Token, Ending, Stale]] = []
        """What it has ended: by its own token, and here."""
        self._own: dict[Token, Token] = {}

    def after_all(self, handle: Handle, by_itself: Token = NOBODY) -> Handle:
        """A handle after what was ended; `by_itself`: what the function has ended of that token it knows by itself, and
        what it took anew afterwards is alive."""
        for token, ending, why in self.ended:
            if token != by_itself:
                handle = ending.applied(handle, why)
        return handle

    def place(self, token: Token, chain: HandleChain) -> tuple[Token | None, HandleChain]:
        """A token and a chain below it; no token where the function alone knows it."""
        passed_on = self.tokens.get(token)
        if passed_on is not None:
            return passed_on.token, passed_on.chain.within(chain)
        if token == NOBODY or token[0] in self.summary.inherited:
            return token, chain
        if is_given(token):
            return None, chain
        return self._own.get(token), chain

    def told(self, handles: Handles, *, itself: bool = False) -> Iterator[Handle]:
        """`itself`: as what it was, where it is what was passed."""
        at = self.call
        for handle in in_order(handles):
            if handle.token == NOBODY:
                yield handle
                continue
            passed_on = self.tokens.get(handle.token)
            token, chain = self.place(handle.token, handle.chain)
            if token is None:
                continue
            said = handle._replace(token=token, chain=chain, taken=at.span, shown=self.shown, element=False, stale=None)
            if passed_on is not None:
                cls, sure = handle.cls or passed_on.cls, weaker(handle.sure, passed_on.sure)
                said = said._replace(holds=handle.holds and passed_on.holds, cls=cls, sure=sure)
                said = said._replace(loss=handle.loss or passed_on.loss)
                if chain == passed_on.chain:
                    said = said._replace(taken=passed_on.taken, shown=passed_on.shown, stale=passed_on.stale)
            if handle.stale is not None and said.stale is None:
                said = said._replace(stale=handle.stale._replace(at=at.span, call=self.shown, target=self.shown))
            yield self.after_all(said, handle.token)

    def make(self, handles: Handles) -> None:
        """Its own tokens are those of this call, before anything is said of what was passed."""
        for handle in in_order(handles):
            known = handle.token in self.tokens or handle.token == NOBODY or is_given(handle.token)
            if not known and handle.token[0] not in self.summary.inherited:
                self.made(handle)

    def made(self, handle: Handle) -> None:
        """A token of the function's own: one of this call."""
        if handle.token in self._own:
            return
        site = handle.token[0]
        number = len(self._own)
        if site >= 0:
            if not number:
                new = self._own[handle.token] = self.run.create(self.call, handle.cls).token
                for token, earlier in self.tokens.items():  # what an earlier call of this place gave
                    if earlier.token == new:
                        self.tokens[token] = earlier._replace(token=(new[0], 1))
                return
            new = (self.call.start + number * _APART, handle.token[1])
        else:
            new = (foreign(self.call.start)[0] - number * _APART, handle.token[1])
        self._own[handle.token] = new
        self.run.made.setdefault(new[0], self.call.span)
        self.run.owners.setdefault(new[0], self.shown)
        if site in self.summary.tops:
            self.run.tops.add(new[0])


def _followed(handles: Handles) -> Handles:
    """What of a value a function is told of: the value itself, what points to native objects or stands for code, and
    the objects on the way there. What else is in an object of Python's own would be another case for each caller."""
    chosen = {h for h in handles if _is_told(h)}
    ways = {h.path[:depth] for h in chosen for depth in range(len(h.path))}
    return frozenset(chosen.union(h for h in handles if not h.path or h.path in ways))


def _is_told(handle: Handle) -> bool:
    cls = handle.cls
    if cls[:1] != "%" or cls.startswith(_ALWAYS_TOLD):
        return True
    return handle.path[-1:] == _RECEIVER and cls.startswith(OBJECT)


_ALWAYS_TOLD = (CODE, MEMBER, MADE)
_RECEIVER = (f"{HELD}0",)


def _given(every: dict[str, Handles]) -> Iterator[tuple[str, Handle]]:
    for name, handles in sorted(every.items()):
        for handle in in_order(_followed(handles)):
            if not (handle.path and handle.path[0] == "#"):
                yield name, handle
